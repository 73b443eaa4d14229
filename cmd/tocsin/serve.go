package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"tocsin/internal/api"
	"tocsin/internal/discovery"
	"tocsin/internal/feed"
	"tocsin/internal/front"
	"tocsin/internal/health"
	"tocsin/internal/importer"
	"tocsin/internal/limits"
	"tocsin/internal/mcp"
	"tocsin/internal/ops"
	"tocsin/internal/store"
	"tocsin/internal/web"
)

// drainTimeout is how long requests in progress may take after SIGTERM.
const drainTimeout = 20 * time.Second

type serveFlags struct {
	*commandLine
	paymentFlags
	listen, admin, baseURL, proxies      string
	contact, contentSignal               string
	quota, connections                   int
	limits                               limits.Config
	totalMiB                             int // limits.TotalFiledBytes, in MiB
	memory                               memory
	log                                  serverLog
	refresh                              refreshFlags
	names                                nameFlags
	signals                              signalFlags
	readOnly                             bool
	firstKey                             bool
	keepUsage, keepPayments, keepHistory int // days
}

func newServe(c *commandLine) runFunc {
	f := &serveFlags{commandLine: c}
	f.StringVar(&f.listen, "listen", "127.0.0.1:8402", "`ADDRESS` to listen on, or unix:/run/tocsin/tocsin.sock for a "+
		"proxy on this machine; a socket that systemd passes comes before it")
	f.StringVar(&f.admin, "admin", "", "`ADDRESS` for metrics (/metrics) and profiles (/debug/pprof/), such as :8403, "+
		"which is on the loopback address alone, or unix:/run/tocsin/admin.sock (default: none)")
	f.StringVar(&f.baseURL, "base-url", "", "public `URL` of the service (default: http:// and the listen address)")
	f.count(&f.quota, "quota", 10, "free `CALLS` per day for a key without its own quota; 0 for none")
	f.count(&f.limits.NetworkCalls, "network-calls", 200, "free `CALLS` per day of all keys from one network, "+
		"of those without their own quota, and at least -quota; 0 for no limit")
	f.count(&f.limits.NewAgents, "new-agents", 20, "`WALLETS` per day that may sign in from one network "+
		"for the first time; 0 for no limit")
	f.count(&f.limits.Lookups, "site-lookups", 50, "`LOOKUPS` per day on the website, before calls of a key, "+
		"per network (IPv4 /24, IPv6 /48); 0 for none")
	f.count(&f.limits.Filings, "filings", 30, "anonymous `REPORTS` per hour and network (IPv4 /24, IPv6 /48), and "+
		"ten times as many with a key, but at most a sixteenth of -total-filings; 0 for none")
	f.count(&f.limits.TotalFilings, "total-filings", 4800, "`REPORTS` per hour of all networks together, "+
		"a sixteenth of them from one; 0 for no limit")
	f.count(&f.totalMiB, "total-filing-mib", 8, "`MIB` of reports per hour of all networks together, "+
		"a sixteenth of it from one network; 0 for no limit")
	f.count(&f.limits.RefusedPayments, "refused-payments", 10, "`PAYMENTS` per minute and network (IPv4 /24, IPv6 /48) "+
		"that may be refused before further ones have to wait; 0 for no limit")
	f.count(&f.limits.Rate, "rate", 50, "`REQUESTS` per second and network (IPv4 /24, IPv6 /48), and ten times as many "+
		"at once; 0 for no limit")
	f.count(&f.connections, "connections", 2048, "`CONNECTIONS` at most, half of them from one network; 0 for no limit")
	f.count(&f.keepUsage, "keep-usage", 90, "`DAYS` for which the calls of a key are kept by the day, "+
		"then as one number; 0 for good")
	f.count(&f.keepPayments, "keep-payments", 3653, "`DAYS` for which settled payments are kept; 0 for good")
	f.count(&f.keepHistory, "keep-history", 365, "`DAYS` for which what is shown no more is kept; 0 for good")
	f.Var(&f.memory, "memory", "`MEMORY` that the server takes at most, such as 512MiB (default: a quarter of the "+
		"machine's, or half of its control group's limit, from 128MiB to 512MiB)")
	f.StringVar(&f.proxies, "trusted-proxies", "", "`NETWORKS` (CIDR, comma-separated) whose X-Forwarded-For is trusted")
	f.StringVar(&f.contact, "contact", "", "mailto: or https: `URL` of the operator; published in security.txt, "+
		"in the contract, and on pages about a subject or a report")
	f.StringVar(&f.contentSignal, "content-signal", discovery.DefaultSignal,
		"content `SIGNALS` for crawlers in robots.txt (contentsignals.org), or none")
	f.paymentFlags.register(f.FlagSet)
	f.log.register(f.FlagSet)
	f.refresh.register(c)
	f.names = nameFlags{commandLine: c}
	f.names.register()
	f.signals.register(f.FlagSet)
	f.BoolVar(&f.readOnly, "read-only", false, "record nothing: look-ups and free calls work, all else gets 503 "+
		"(for all servers on a database: tocsin read-only on)")
	f.BoolVar(&f.firstKey, "first-key", false, "create an API key if there is none, and print it once")
	return f.log.logged(f.run)
}

func (f *serveFlags) run(ctx context.Context, e env) error {
	if err := f.noArgs(); err != nil {
		return err
	}
	if f.memory == 0 {
		f.memory = defaultMemory("")
	}
	config, err := f.apiConfig()
	if err != nil {
		return err
	}
	lists, err := f.refresh.names()
	if err != nil {
		return err
	}
	form, err := f.log.options()
	if err != nil {
		return err
	}
	var model *modelFile
	if config.Names, model, err = f.names.detector(); err != nil {
		return err
	}
	config.Refused = model.refused
	ctx, stop := untilSignal(ctx)
	defer stop()
	surviveReaders()
	config.Health = health.New(config.Now, func(t health.Trouble, begun bool) { logTrouble(config.Log, t, begun) })
	log := newLogQueue(e.stderr, form, config.Health, config.Now)
	defer log.flush()
	config.Log = front.NewLog(log, form)
	spans, err := newTraces(e.lookup, config.Log, &config.Deployment)
	if err != nil {
		return err
	}
	var metrics *ops.Metrics
	var admin net.Listener
	if f.admin != "" {
		if admin, err = adminListener(f.admin, config.Log); err != nil {
			return err
		}
		defer admin.Close()
		metrics = ops.NewMetrics(version)
		config.Meter = metrics
	}
	askSignals, err := f.signals.begin(&config, metrics)
	if err != nil {
		return err
	}
	if config.Node, err = f.node(ctx, config.Log); err != nil {
		return err
	}
	nodes, err := f.nodes(ctx, config.Log, config.Node)
	if err != nil {
		return err
	}
	if config.Payments, err = f.payments(e.lookup, config.Node); err != nil {
		return err
	}
	if config.Chain, err = f.chain(); err != nil {
		return err
	}
	listener, at, err := listen(e, f.listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	if config.BaseURL = cmp.Or(config.BaseURL, at); config.BaseURL == "" {
		return usage("-listen %s needs -base-url: callers reach a socket through a proxy, whose URL is not known here",
			place(listener))
	}
	shares := f.memory.shares()
	shares.limitHeap(e.lookup) // from here on, because most of a start is garbage
	begins := f.begins()
	db, err := store.Open(ctx, f.db, store.Options{
		Elapsed:     elapsed(),
		AcceptClock: f.acceptClock,
		ReadOnly:    f.readOnly,
		Health:      config.Health,
		Memory:      shares.store,
		Keep:        f.keep(),
		Failed: func(task string, err error) {
			config.Log.Error("upkeep failed; it is tried again", "task", task, "error", err)
		},
		Loaded: func(m store.ModelLoad) {
			logModel(config.Log, m, shares.store.Model)
			if m.TooLarge {
				m.Bytes = 0 // it was dropped
			}
			shares.collectBeside(m.Bytes, e.lookup)
		},
	})
	if err != nil {
		return err
	}
	defer db.Close()
	if err := f.log.apply(ctx, db, &config.Deployment); err != nil {
		return err
	}
	warnOfSocket(config.Log, listener, &config.Deployment)
	logStart(config.Log, db.Name(), place(listener), config.BaseURL, f.admin)
	if begins {
		config.Log.Warn("began a new, empty database: if there is one already, -db is wrong or its disk is not mounted")
	}
	if readOnly, err := db.ReadOnly(ctx); err != nil {
		return err
	} else if readOnly && !f.readOnly {
		config.Log.Warn("the database is read-only: nothing is recorded until `tocsin read-only off`")
	} else if f.readOnly {
		config.Log.Warn("this server is read-only, by -read-only: it records nothing")
	}
	if err := importer.LoadStarter(ctx, db); err != nil {
		return fmt.Errorf("load starter set: %w", err)
	}
	if warning, err := sanctionsWarning(ctx, db); err != nil {
		return err
	} else if warning != "" {
		if slices.Contains(lists, feed.OFAC) {
			warning += " (-refresh does it)"
		}
		config.Log.Warn(warning)
	}
	if config.Contact == "" {
		config.Log.Warn("no contact: set -contact mailto:… or https://…; without it pages say that nobody can be " +
			"asked about a wrong report, and there is no security.txt")
	}
	if model.followLogged(config.Log); config.Names.Model() == nil {
		config.Log.Info("names are judged by rules alone: there is no model; tocsin train makes one")
	}
	handler, err := api.New(db, config)
	if err != nil {
		return err
	}
	site, err := web.New(db, handler, nodes...)
	if err != nil {
		return err
	}
	documents, err := discovery.New(handler, discovery.Served{Pages: site.Pages, Revisions: mcp.Revisions()})
	if err != nil {
		return err
	}
	tools, err := mcp.New(handler, false)
	if err != nil {
		return err
	}
	limited := handler.Deployment().Limit(listener, f.connections)
	door := front.New(handler.Deployment())
	door.LimitRequests(handler.Budgets().Requests)
	door.LimitWork()
	door.HandleBelow(handler.Contract().Base+"/", handler)
	door.Handle("/api/", handler)
	door.Handle(mcp.Path, tools)
	documents.Mount(door)
	door.Handle("/", site)
	ops.Mount(door, db, config.Health, config.Now)
	server := f.httpServer(door)
	server.ConnState, server.ConnContext = limited.State, limited.Context
	server.ErrorLog = slog.NewLogLogger(config.Log.Handler(), slog.LevelWarn)
	server.BaseContext = func(net.Listener) context.Context { return context.WithoutCancel(ctx) }
	if len(config.Payments.Accounts) == 0 {
		config.Log.Info("payments are off: neither -pay-to nor -pay-to-solana is set")
		if f.facilitator != "" {
			config.Log.Warn("-facilitator has no effect while payments are off")
		}
	}
	for _, a := range config.Payments.Accounts {
		if config.Payments.Chains[a.ID] == nil {
			config.Log.Info("no node for this network (-rpc-url, -rpc-url-solana): "+
				"a payment whose outcome the facilitator does not report may stay unresolved", "network", a.ID)
		}
		config.Log.Info("payments are on", "network", a.ID, "asset", a.Asset, "payTo", a.PayTo,
			"facilitator", config.Payments.Facilitator.Origin())
	}
	background, finish := context.WithCancel(context.WithoutCancel(ctx))
	defer finish()
	shareLimits, err := handler.ShareLimits(ctx)
	if err != nil {
		return err
	}
	var tasks sync.WaitGroup
	if admin != nil {
		metrics.Watch(ops.Sources{
			DB:      db,
			API:     handler,
			Board:   config.Health,
			Dropped: log.lost.Load,
			Spans:   spans.counts,
			Memory:  int64(f.memory),
		})
		tasks.Go(func() { serveAdmin(background, admin, metrics.Admin(), config.Log) })
		config.Log.Info("metrics and profiles are served", "admin", admin.Addr().String())
	}
	tasks.Go(func() { handler.Reconcile(background) })
	tasks.Go(func() { shareLimits(background) })
	tasks.Go(func() { spans.run(background) })
	tasks.Go(func() { askSignals(background) })
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(limited) }()
	name := cmp.Or(at, place(listener))
	if config.BaseURL != at {
		name += " as " + config.BaseURL
	}
	key := ""
	if f.firstKey {
		if key, err = firstKey(ctx, db, systemUser(e), cmp.Or(at, config.BaseURL)+handler.Contract().Base); err != nil {
			return err
		}
	}
	if err := f.log.announce(e, config.Log, name, key); err != nil {
		return err
	}
	db.LoadModel()
	manager := newSupervisor(e, config.Log)
	manager.say("READY=1")
	tasks.Go(func() { manager.live(background) })
	upkeep := &upkeepLog{db: db, log: config.Log, model: model, board: config.Health, api: handler}
	tasks.Go(func() { upkeep.begin(ctx) })
	tasks.Go(func() { f.refresh.begin(ctx, lists, db, &f.names, upkeep) })
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	manager.say("STOPPING=1")
	config.Log.Info("stopping: waiting for requests in progress")
	stopping := time.Now()
	drainCtx, cancel := context.WithTimeout(background, drainTimeout)
	defer cancel()
	if err := server.Shutdown(drainCtx); err != nil {
		return fmt.Errorf("requests were still in progress after %v: %w", drainTimeout, err)
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	finish()
	tasks.Wait()
	if err := db.Close(); err != nil {
		return err
	}
	config.Log.Info("stopped", "durationMs", time.Since(stopping).Milliseconds())
	return nil
}

// keep is how long what is over is kept.
func (f *serveFlags) keep() store.Keep {
	days := func(n int) time.Duration { return time.Duration(min(n, 100_000)) * 24 * time.Hour }
	return store.Keep{Usage: days(f.keepUsage), Payments: days(f.keepPayments), History: days(f.keepHistory)}
}

// httpServer returns a server with the bounds of a request.
func (f *serveFlags) httpServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       15 * time.Second, // less than drainTimeout, so that an idle body does not fail the shutdown
		// A paid call makes up to seven calls: one to verify, two to settle, four to a node.
		WriteTimeout:   60*time.Second + 7*f.facilitatorTimeout,
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: 32 << 10,
	}
}

// apiConfig returns the configuration of the API, except for payments, and checks the flags.
func (f *serveFlags) apiConfig() (api.Config, error) {
	c := api.Config{Deployment: front.Deployment{
		Version: version,
		MCP:     mcp.Path,
		Links:   discovery.Links,
		Quota:   f.quota,
		Limits:  f.limits,
		Now:     time.Now,
	}}
	c.Limits.TotalFiledBytes = f.totalMiB << 20
	c.Limits.Memory = f.memory.shares().limits
	if c.Limits.NetworkCalls > 0 { // a key that is alone in its network has its whole quota
		c.Limits.NetworkCalls = max(c.Limits.NetworkCalls, f.quota)
	}
	var err error
	if c.BaseURL, err = parseBaseURL(f.baseURL); err != nil {
		return c, err
	}
	if c.Contact, err = discovery.ParseContact(f.contact); err != nil {
		return c, usage("-contact: %w", err)
	}
	if c.Signal, err = discovery.ParseSignal(f.contentSignal); err != nil {
		return c, usage("-content-signal: %w", err)
	}
	if err := checkListen(f.listen); err != nil {
		return c, err
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
