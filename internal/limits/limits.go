// Package limits bounds what one network, one caller or all together may use:
// each bound is a named budget. Counts are kept in memory, per process.
package limits

import (
	"net/netip"
	"time"
)

// Budgets are the limits of one process.
type Budgets struct {
	// Reports an hour from one network, without and with an API key.
	Filings, KeyedFilings *Window[netip.Prefix]
	// Subjects that these reports name an hour: from one network without a key, from
	// one network with keys, and of one agent by its public id.
	Subjects, KeyedSubjects *Window[netip.Prefix]
	AgentSubjects           *Window[string]
	// Calls of sign-in an hour from one network; each sign-in takes two.
	SignIns *Window[netip.Prefix]
	// Different subjects a day that one network may look up on the site.
	Lookups *Daily
	// Paid calls in progress.
	PaidCalls PaidCalls
	// Contract wallets that a node is being asked about.
	WalletChecks *Slots
	// MCP messages over 32 KB in progress: each takes about ten times its
	// length in memory.
	LargeMessages *Slots
}

const (
	// keyedFilings is how many times the limit of anonymous filings holds for
	// filings with an API key.
	keyedFilings = 10
	// How many subjects may be named for each report that may be filed without a
	// key: by one agent, and by a network without keys and with them.
	subjectsAnonymous = 5
	subjectsOfAgent   = 10
	subjectsKeyed     = 50
	// A report may name 100 addresses and 100 domains.
	subjectsOfAReport = 200
	signInCalls       = 4000
	walletChecks      = 16
	largeMessages     = 16
)

// New returns budgets that are not used yet. Filings is how many anonymous
// reports an hour one network may file, lookups how many different subjects a
// UTC day it may look up on the site without a key; now is the clock.
func New(filings, lookups int, now func() time.Time) *Budgets {
	return &Budgets{
		Filings:       NewWindow[netip.Prefix](filings, time.Hour, now),
		KeyedFilings:  NewWindow[netip.Prefix](filings*keyedFilings, time.Hour, now),
		Subjects:      NewWindow[netip.Prefix](max(subjectsOfAReport, filings*subjectsAnonymous), time.Hour, now),
		KeyedSubjects: NewWindow[netip.Prefix](max(subjectsOfAReport, filings*subjectsKeyed), time.Hour, now),
		AgentSubjects: NewWindow[string](max(subjectsOfAReport, filings*subjectsOfAgent), time.Hour, now),
		SignIns:       NewWindow[netip.Prefix](signInCalls, time.Hour, now),
		Lookups:       NewDaily(lookups, now),
		WalletChecks:  NewSlots(walletChecks),
		LargeMessages: NewSlots(largeMessages),
	}
}
