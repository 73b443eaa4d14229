package main

import (
	"flag"
	"fmt"
	"io"
)

// flagGroup is a part of the flags of a command, in the order of its help.
type flagGroup struct {
	title string
	names []string
}

// serveGroups are the flags of serve, those that everybody needs first. A flag that no group names comes behind them.
var serveGroups = []flagGroup{
	{"To begin with", []string{"db", "listen", "base-url", "trusted-proxies", "contact", "first-key"}},
	{"Lists", []string{"refresh", "lists", "brands", "model", "benign"}},
	{"Signals beyond the name of a site", []string{"rdap", "rdap-bootstrap", "ct-search", "resolver"}},
	{"Log and metrics", []string{"log", "log-level", "access-log", "log-networks", "admin"}},
	{"Payments", []string{"pay-to", "pay-to-solana", "network", "asset", "facilitator", "facilitator-timeout", "rpc-url",
		"rpc-url-solana", "refused-payments"}},
	{"Limits", []string{"quota", "rate", "network-calls", "new-agents", "site-lookups", "filings", "total-filings",
		"total-filing-mib", "connections", "memory"}},
	{"What is kept", []string{"keep-history", "keep-payments", "keep-usage"}},
	{"The site", []string{"rpc-url-ethereum", "content-signal"}},
}

// rareFlags come last in every help.
var rareFlags = flagGroup{"Seldom needed", []string{"read-only", "accept-clock"}}

// printFlags prints the flags of a command by group; without groups, all but the rare ones together.
func printFlags(out io.Writer, flags *flag.FlagSet, groups []flagGroup) {
	grouped := map[string]bool{}
	for _, g := range append([]flagGroup{rareFlags}, groups...) {
		for _, name := range g.names {
			grouped[name] = true
		}
	}
	rest := flagGroup{title: "Flags"}
	if len(groups) > 0 {
		rest.title = "More"
	}
	flags.VisitAll(func(f *flag.Flag) {
		if !grouped[f.Name] {
			rest.names = append(rest.names, f.Name)
		}
	})
	for _, g := range append(append([]flagGroup{}, groups...), rest, rareFlags) {
		title := "\n" + g.title + ":\n"
		for _, name := range g.names { // a set prints its flags by name, so each is one
			f := flags.Lookup(name)
			if f == nil {
				continue
			}
			one := flag.NewFlagSet("", flag.ContinueOnError)
			one.SetOutput(out)
			one.Var(f.Value, f.Name, f.Usage)
			fmt.Fprint(out, title)
			title = ""
			one.PrintDefaults()
		}
	}
}
