package main

import (
	"context"
	"flag"
	"log/slog"
	"net/netip"
	"os"
	"sync"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/ops"
	"tocsin/internal/signals"
)

// signalFlags name the services that are asked about domains whose names are near those of fraud.
type signalFlags struct {
	rdap                          bool
	bootstrap, ctSearch, resolver string
}

func (f *signalFlags) register(set *flag.FlagSet) {
	set.BoolVar(&f.rdap, "rdap", false, "ask registries (RDAP) when domains were registered whose names are near those "+
		"of fraud")
	set.StringVar(&f.bootstrap, "rdap-bootstrap", "", "a newer `FILE` of the RDAP services, as IANA publishes it "+
		"(data.iana.org/rdap/dns.json; default: that of the program)")
	set.StringVar(&f.ctSearch, "ct-search", "", "`URL` of a search of certificate logs that answers like crt.sh, with "+
		"{domain}, to ask for the first certificate of such domains")
	set.StringVar(&f.resolver, "resolver", "", "`ADDRESS` of a DNS server, such as 9.9.9.9 or [::1]:53, to ask whether "+
		"such names have an IP address")
}

// warnEvery is how often at most it is logged that a service fails.
const warnEvery = time.Hour

// begin has the API ask the services of the flags, if there are any. It returns what asks them until a context ends.
func (f *signalFlags) begin(config *api.Config, metrics *ops.Metrics) (run func(context.Context), err error) {
	o := signals.Options{Now: config.Now, Done: warnOfServices(config.Now, config.Log, metrics)}
	if f.rdap {
		if o.Registries, err = f.registries(); err != nil {
			return nil, usage("-rdap-bootstrap: %w", err)
		}
		config.Log.Info("registries are asked about domains that are near those of fraud",
			"suffixes", o.Registries.Suffixes(), "published", tocsin.CleanText(o.Registries.Published))
	} else if f.bootstrap != "" {
		return nil, usage("-rdap-bootstrap is for -rdap")
	}
	if f.ctSearch != "" {
		if o.Certificates, err = signals.NewCertSearch(f.ctSearch); err != nil {
			return nil, usage("-ct-search: %w", err)
		}
	}
	if f.resolver != "" {
		if o.Resolver, err = resolverAt(f.resolver); err != nil {
			return nil, err
		}
	}
	asker := signals.New(o)
	if asker == nil {
		return func(context.Context) {}, nil
	}
	config.Signals = asker.About
	return asker.Run, nil
}

// warnOfServices returns what counts how services have answered, and logs that one fails.
func warnOfServices(
	now func() time.Time, log *slog.Logger, metrics *ops.Metrics,
) func(signal string, is signals.Outcome, err error) {
	var mu sync.Mutex
	warned := map[string]time.Time{}
	return func(signal string, is signals.Outcome, err error) {
		if metrics != nil {
			metrics.Asked(signal, string(is))
		}
		if err == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if now := now(); now.Sub(warned[signal]) >= warnEvery {
			warned[signal] = now
			log.Warn("a service that is asked about domains fails; this is logged once an hour", "signal", signal,
				"error", printable(err))
		}
	}
}

// resolverAt returns the address of a DNS server, which may be without its port.
func resolverAt(text string) (netip.AddrPort, error) {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at, nil
	}
	a, err := netip.ParseAddr(text)
	if err != nil {
		return netip.AddrPort{}, usage("-resolver %q is not like 9.9.9.9 or [::1]:53", text)
	}
	return netip.AddrPortFrom(a, 53), nil
}

// registries returns the RDAP services.
func (f *signalFlags) registries() (*signals.Bootstrap, error) {
	if f.bootstrap == "" {
		return signals.ShippedBootstrap()
	}
	file, err := os.Open(f.bootstrap)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return signals.ReadBootstrap(file)
}
