package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/discovery"
	"tocsin/internal/feed"
	"tocsin/internal/front"
	"tocsin/internal/mcp"
	"tocsin/internal/store"
	"tocsin/internal/web"
)

// drain is how long calls that were begun may take after SIGTERM.
const drain = 20 * time.Second

// example is what the first curl line screens: the thief of the Ronin bridge,
// who stands in the starter set.
const example = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"

func serveFlags(f *flags) {
	f.StringVar(&f.listen, "listen", "127.0.0.1:8402", "`ADDRESS` to serve on")
	f.StringVar(&f.baseURL, "base-url", "", "`URL` under which callers reach the service (default: http:// and the listening address)")
	f.IntVar(&f.quota, "quota", 10, "free calls a day of a key that has no quota of its own")
	f.IntVar(&f.lookups, "site-lookups", 3, "subjects a day that visitors of the site without a key may look up, for one network (IPv4 /24, IPv6 /48)")
	f.IntVar(&f.filings, "filings", 30, "anonymous reports an hour from one network (IPv4 /24, IPv6 /48); ten times that with a key")
	f.StringVar(&f.proxies, "trusted-proxies", "", "`NETWORKS` (CIDR, separated by commas) whose X-Forwarded-For is believed")
	f.StringVar(&f.contact, "contact", "", "`URL` under which you can be reached, mailto: or https:; it is published in security.txt, in the contract, and on answers that somebody may object to")
	f.StringVar(&f.contentSignal, "content-signal", discovery.DefaultSignal, "what crawlers may do with the site's content: `SIGNALS` for robots.txt (contentsignals.org), or none")
	paymentFlags(f)
	f.BoolVar(&f.firstKey, "first-key", false, "make an API key if there is none, and print it once")
}

func serve(ctx context.Context, w world, f *flags) error {
	if err := f.none(); err != nil {
		return err
	}
	config, err := f.apiConfig()
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	config.Log = slog.New(slog.NewTextHandler(w.err, nil))
	if config.Node, err = f.node(ctx, config.Log); err != nil {
		return err
	}
	if config.Payments, err = f.payments(w.env, config.Node); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", f.listen)
	if err != nil {
		return fmt.Errorf("%w; choose another address with -listen", err)
	}
	defer listener.Close()
	at := localURL(listener.Addr())
	if config.BaseURL == "" {
		config.BaseURL = at
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := loadStarter(ctx, db); err != nil {
		return fmt.Errorf("load starter set: %w", err)
	}
	if done, err := db.Imported(ctx, feed.OFAC); err != nil {
		return err
	} else if !done {
		config.Log.Warn("no sanctions are on record, so none will be found: run `tocsin import ofac`")
	}
	handler, err := api.New(db, config)
	if err != nil {
		return err
	}
	site, err := web.New(db, handler)
	if err != nil {
		return err
	}
	documents, err := discovery.New(handler, discovery.Served{Pages: site.Pages(), Revisions: mcp.Revisions()})
	if err != nil {
		return err
	}
	tools, err := mcp.New(handler, false)
	if err != nil {
		return err
	}
	door := front.New(handler.Deployment())
	door.HandleBelow("/api/v1/", handler)
	door.Handle("/api/", handler)
	door.Handle(mcp.Path, tools)
	documents.Mount(door)
	door.Handle("/", site)
	server := &http.Server{
		Handler:           door,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       15 * time.Second,                        // below drain, so that an idle body does not spoil a stop
		WriteTimeout:      60*time.Second + 7*f.facilitatorTimeout, // a payment is verified, settled at most twice, and a node asked four things
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    32 << 10,
		ErrorLog:          slog.NewLogLogger(config.Log.Handler(), slog.LevelWarn),
		BaseContext:       func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	if _, set := w.env("GOGC"); !set {
		debug.SetGCPercent(400) // the heap is small: collecting it often costs more than the memory it saves
	}
	if len(config.Payments.Accounts) == 0 {
		config.Log.Info("payments are off: -pay-to and -pay-to-solana name no wallet")
		if f.facilitator != "" {
			config.Log.Warn("-facilitator is set and not used")
		}
	}
	for _, a := range config.Payments.Accounts {
		if config.Payments.Chains[a.ID] == nil {
			config.Log.Info("no node is named for this network (-rpc-url, -rpc-url-solana): a payment whose settlement has no clear end may stay so", "network", a.ID)
		}
		config.Log.Info("payments are taken", "network", a.ID, "asset", a.Asset, "payTo", a.PayTo, "facilitator", config.Payments.Facilitator.Origin())
	}
	last, finish := context.WithCancel(context.WithoutCancel(ctx))
	defer finish()
	reconciled := make(chan struct{})
	go func() {
		defer close(reconciled)
		handler.Reconcile(last)
	}()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	name := ""
	if config.BaseURL != at {
		name = " as " + config.BaseURL
	}
	fmt.Fprintf(w.out, "Tocsin %s serves on %s%s\n", version, at, name)
	if f.firstKey {
		if err := printFirstKey(ctx, w, db, at+handler.Contract().Base); err != nil {
			return err
		}
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	config.Log.Info("stopping: calls that were begun are finished")
	drainCtx, cancel := context.WithTimeout(last, drain)
	defer cancel()
	if err := server.Shutdown(drainCtx); err != nil {
		return fmt.Errorf("calls were still running after %v: %w", drain, err)
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	finish()
	<-reconciled
	return db.Close()
}

// localURL is where callers on this machine reach the address.
func localURL(a net.Addr) string {
	host, port, _ := net.SplitHostPort(a.String())
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// base returns the base URL without a slash at the end, "" for none.
func (f *flags) base() (string, error) {
	base := strings.TrimRight(f.baseURL, "/")
	u, err := url.Parse(base)
	if base != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Path != "" || strings.ContainsAny(base, "?#") || !goodHost(u)) {
		return "", usage("-base-url %q is not like https://tocsin.example: an origin, without a path", f.baseURL)
	}
	return base, nil
}

// goodHost reports whether browsers and clients write a host as it is here: an
// address, or a name in ASCII; and whether its port can be one.
func goodHost(u *url.URL) bool {
	if _, port, ok := strings.Cut(u.Host[strings.LastIndexByte(u.Host, ']')+1:], ":"); ok {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return false
		}
	}
	_, err := netip.ParseAddr(u.Hostname())
	return err == nil || hostName.MatchString(u.Hostname())
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$`)

// apiConfig reads what the operator decides, and refuses what cannot be meant.
func (f *flags) apiConfig() (api.Config, error) {
	c := api.Config{Deployment: front.Deployment{
		Version: version,
		MCP:     mcp.Path,
		Links:   discovery.Links,
		Quota:   f.quota,
		Lookups: f.lookups,
		Filings: f.filings,
		Now:     time.Now,
	}}
	var err error
	if c.BaseURL, err = f.base(); err != nil {
		return c, err
	}
	if c.Contact, err = discovery.ParseContact(f.contact); err != nil {
		return c, usage("-contact: %w", err)
	}
	if c.Signal, err = discovery.ParseSignal(f.contentSignal); err != nil {
		return c, usage("-content-signal: %w", err)
	}
	if _, _, err := net.SplitHostPort(f.listen); err != nil {
		return c, usage("-listen %q is not like 127.0.0.1:8402", f.listen)
	}
	if f.quota < 0 {
		return c, usage("-quota %d is less than nothing", f.quota)
	}
	if f.lookups < 0 {
		return c, usage("-site-lookups %d is less than nothing", f.lookups)
	}
	if f.filings < 0 {
		return c, usage("-filings %d is less than nothing", f.filings)
	}
	for _, text := range strings.FieldsFunc(f.proxies, func(r rune) bool { return r == ',' || r == ' ' }) {
		p, err := netip.ParsePrefix(text)
		if a, single := netip.ParseAddr(text); err != nil && single == nil {
			p, err = a.Prefix(a.BitLen())
		}
		if err != nil {
			return c, usage("-trusted-proxies: %q is not a network such as 10.0.0.0/8", text)
		}
		c.TrustedProxies = append(c.TrustedProxies, p.Masked())
	}
	return c, nil
}

// loadStarter fills an empty database with the starter set, so that the
// service has something to say from its first minute. A start that was killed
// before it had all is made good by the next.
func loadStarter(ctx context.Context, db *store.DB) error {
	names := []string{feed.OFAC, feed.StarterList}
	empty, err := db.Empty(ctx, names...)
	if err != nil || !empty {
		return err
	}
	for _, name := range names {
		done, err := db.Imported(ctx, name)
		if err != nil {
			return err
		}
		if done {
			continue
		}
		source, found := feed.Find(name)
		if !found {
			return fmt.Errorf("there is no list %q", name)
		}
		im, err := db.Import(ctx, source.List)
		if err != nil {
			return err
		}
		if name == feed.OFAC {
			at, _, fault := tocsin.ParseDay(feed.StarterDate)
			if fault != nil {
				return fault
			}
			im.AsOf(at) // or silence about a new sanction would seem to say something
		}
		if err := source.Read(ctx, feed.Starter(), db.Now().Std(), feed.Sink{Entry: im.Add}); err != nil {
			return err
		}
		if _, err := im.Finish(ctx, false, nil); err != nil {
			return err
		}
	}
	return nil
}

// printFirstKey prints a first call to try, and a key for it if there is none yet. The URL is that of the API.
func printFirstKey(ctx context.Context, w world, db *store.DB, url string) error {
	keys, err := db.Keys(ctx)
	if err != nil {
		return err
	}
	live := 0
	for _, k := range keys {
		if k.Revoked == nil {
			live++
		}
	}
	if live > 0 {
		_, err := fmt.Fprintf(w.out, "It has API keys already (%d); `./tocsin key create` makes another.\nTry it:\n  curl -H 'x-api-key: YOUR-KEY' %s/screen/%s\n", live, url, example)
		return err
	}
	made, err := db.CreateKey(ctx, nil, "", nil)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out, `Your API key, shown this once:
  %s
Try it:
  curl -H 'x-api-key: %s' %s/screen/%s
`, made.Key, made.Key, url, example)
	return err
}
