package main

import (
	"net/netip"
	"strings"
	"time"

	"tocsin/internal/api"
	"tocsin/internal/discovery"
	"tocsin/internal/front"
	"tocsin/internal/limits"
	"tocsin/internal/mcp"
	"tocsin/internal/store"
)

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
	f.register()
	return f.log.logged(f.run)
}

func (f *serveFlags) register() {
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
	f.refresh.register(f.commandLine)
	f.names = nameFlags{commandLine: f.commandLine}
	f.names.register()
	f.signals.register(f.FlagSet)
	f.BoolVar(&f.readOnly, "read-only", false, "record nothing: look-ups and free calls work, all else gets 503 "+
		"(for all servers on a database: tocsin read-only on)")
	f.BoolVar(&f.firstKey, "first-key", false, "create an API key if there is none, and print it once")
}

// keep is how long what is over is kept.
func (f *serveFlags) keep() store.Keep {
	days := func(n int) time.Duration { return time.Duration(min(n, 100_000)) * 24 * time.Hour }
	return store.Keep{Usage: days(f.keepUsage), Payments: days(f.keepPayments), History: days(f.keepHistory)}
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
