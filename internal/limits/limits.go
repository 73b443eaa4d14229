// Package limits bounds what one network, one caller or all together may use:
// each bound is a named budget. Counts are kept in memory. Processes on one server database exchange those of budgets
// that are limits of the service ([Budgets.Share]); the others protect one process.
package limits

import (
	"math"
	"net/netip"
	"time"
)

// Config is what the operator decides about the budgets.
type Config struct {
	// Anonymous reports an hour from one network, and ten times that with a key, but at most a sixteenth of TotalFilings.
	Filings int
	Lookups int // subjects a UTC day that one network may look up on the site before calls of a key are taken

	// Reports an hour from all networks together, and their bytes, a sixteenth of them from one; 0 for no limit.
	TotalFilings, TotalFiledBytes int

	Rate int // requests a second of one network, on the average of rateSeconds; 0 for no limit

	Memory int // bytes that all counts take at most; 0 for a default

	RefusedPayments int // of one network in a minute; 0 for no limit

	NewAgents    int // wallets a UTC day that may sign in from one network for the first time; 0 for no limit
	NetworkCalls int // free calls a UTC day of all keys from one network; 0 for no limit
}

// Budgets are the limits of a service. Those of filings are taken from all at once:
// none of them may be left out.
type Budgets struct {
	// Requests of one network, whatever they ask for; nil for no limit.
	Requests *Window[netip.Prefix]
	// Reports an hour from one network, without and with an API key.
	Filings, KeyedFilings *Window[netip.Prefix]
	// Subjects that these reports name an hour: from one network without a key, from
	// one network with keys, and of one agent by its public id.
	Subjects, KeyedSubjects *Window[netip.Prefix]
	AgentSubjects           *Window[string]
	// Bytes of reports an hour from one network, as they are stored; nil for no limit.
	FiledBytes *Window[netip.Prefix]
	// Reports an hour from all networks, and their bytes; nil for no limit.
	TotalFilings, TotalFiledBytes *Shared
	// Attempts an hour to withdraw reports from one network.
	Withdrawals *Window[netip.Prefix]
	// Calls of sign-in an hour from one network; each sign-in takes two.
	SignIns *Window[netip.Prefix]
	// Wallets a day that sign in from one network for the first time; nil for no limit.
	NewAgents *PerDay[netip.Prefix]
	// Free calls a day from one network, of all keys without a quota of their own; nil
	// for no limit.
	NetworkCalls *PerDay[netip.Prefix]
	// Different subjects a day that one network may look up on the site.
	Lookups *DistinctPerDay
	// Different subjects a day that one network is shown, or that are read for it, beside its look-ups: by following a
	// link of the site, and to find out whether an alarm has to be shown. uncountedLookups times as many.
	UncountedLookups *DistinctPerDay
	// Searches of one network on the site, where they are free.
	FreeSearches *Window[netip.Prefix]
	// Free searches in progress. There is one at a time: the other places of the
	// database are for searches that are charged.
	FreeSearching *Slots
	// Paid calls in progress.
	PaidCalls *PaidCalls
	// Payments that a facilitator is asked to verify in vain, by network.
	Verifications *Verifications
	// Requests that do not fit a payment on record, by payment: see x402.Payment.
	Guesses *Window[[32]byte]
	// Hints are what one network is told for nothing of accounts that were not written as they are: whether one of Solana
	// without its prefix is on record, which one was meant by a wrong case, a wrong checksum or one wrong character.
	Hints *Window[netip.Prefix]
	// Pictures of the site that are being drawn: each takes some milliseconds of a processor.
	Pictures *Slots
	// Contract wallets that a node is being asked about.
	WalletChecks *Slots
	// ENS names and transactions that nodes are asked about an hour for visitors of the site, by one network and by all:
	// nodes have a quota, too. And those that they are being asked about.
	Resolutions      *Window[netip.Prefix]
	TotalResolutions *Shared
	Resolving        *Slots
	// MCP messages over 32 KB in progress: each takes about ten times its
	// length in memory.
	LargeMessages *Slots

	exchange *exchange // with other processes; nil for none
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
	// networkShare is the part of the reports of all networks that one may file, and of their bytes.
	networkShare = 16
	// lastBytes is how many bytes of reports a network may file at least when most of those of all are taken.
	lastBytes = 4 << 10
	// uncountedLookups is how many subjects a network may see beside each look-up that it has.
	uncountedLookups = 4
	withdrawals      = 600
	signInCalls      = 4000

	// freeSearches is how many searches of one network are free within freeSearchPeriod,
	// one after the other.
	freeSearches     = 60
	freeSearchPeriod = 10 * time.Minute

	// resolutions and totalResolutions are how many ENS names and transactions an hour nodes are asked about: 24,000 a
	// day, which is a quarter of what free plans of nodes have.
	resolutions      = 30
	totalResolutions = 1000

	// rateSeconds is over how many seconds requests are counted: so many times the rate may come at once.
	rateSeconds = 10

	// guesses is how many requests that do not fit it may come with a payment within
	// guessPeriod, which is how long its answer is usually kept.
	guesses     = 3
	guessPeriod = 20 * time.Minute

	// hints is how many of them a network gets an hour.
	hints = 200
)

// The shares of what is in progress: of free searches there is one.
var (
	walletShares     = Shares{All: 16, Network: 3, Sure: 1}
	messageShares    = Shares{All: 16, Network: 4, Sure: 1}
	freeSearchShares = Shares{All: 1, Network: 1, Sure: 1}
	pictureShares    = Shares{All: 2, Network: 1, Sure: 1}
	resolvingShares  = Shares{All: 8, Network: 2, Sure: 1}
)

// New returns budgets that are not used yet; now is the clock.
func New(c Config, now func() time.Time) *Budgets {
	share := max(1, c.TotalFilings/networkShare)
	if c.TotalFilings == 0 {
		share = math.MaxInt
	}
	b := &Budgets{
		Filings:          NewWindow[netip.Prefix](min(share, c.Filings), time.Hour, now),
		KeyedFilings:     NewWindow[netip.Prefix](min(share, c.Filings*keyedFilings), time.Hour, now),
		Subjects:         NewWindow[netip.Prefix](max(subjectsOfAReport, c.Filings*subjectsAnonymous), time.Hour, now),
		KeyedSubjects:    NewWindow[netip.Prefix](max(subjectsOfAReport, c.Filings*subjectsKeyed), time.Hour, now),
		AgentSubjects:    NewWindow[string](max(subjectsOfAReport, c.Filings*subjectsOfAgent), time.Hour, now),
		Withdrawals:      NewWindow[netip.Prefix](withdrawals, time.Hour, now),
		SignIns:          NewWindow[netip.Prefix](signInCalls, time.Hour, now),
		NewAgents:        NewPerDay[netip.Prefix](c.NewAgents, now),
		NetworkCalls:     NewPerDay[netip.Prefix](c.NetworkCalls, now),
		Lookups:          NewDistinctPerDay(c.Lookups, now),
		UncountedLookups: NewDistinctPerDay(uncountedLookups*c.Lookups, now),
		FreeSearches:     NewWindow[netip.Prefix](freeSearches, freeSearchPeriod, now),
		FreeSearching:    NewSlots(freeSearchShares),
		Pictures:         NewSlots(pictureShares),
		WalletChecks:     NewSlots(walletShares),
		Resolutions:      NewWindow[netip.Prefix](resolutions, time.Hour, now),
		TotalResolutions: NewShared(totalResolutions, 1, time.Hour, now),
		Resolving:        NewSlots(resolvingShares),
		LargeMessages:    NewSlots(messageShares),
		PaidCalls:        NewPaidCalls(),
		Verifications:    NewVerifications(c.RefusedPayments, now),
		Guesses:          NewWindow[[32]byte](guesses, guessPeriod, now),
		Hints:            NewWindow[netip.Prefix](hints, time.Hour, now),

		TotalFilings:    NewShared(c.TotalFilings, 1, time.Hour, now),
		TotalFiledBytes: NewShared(c.TotalFiledBytes, lastBytes, time.Hour, now),
	}
	if c.TotalFiledBytes > 0 {
		b.FiledBytes = NewWindow[netip.Prefix](c.TotalFiledBytes/networkShare, time.Hour, now)
	}
	if c.Rate > 0 {
		b.Requests = NewWindow[netip.Prefix](rateSeconds*c.Rate, rateSeconds*time.Second, now)
	}
	if c.Memory > 0 {
		b.bound(c.Memory)
	}
	return b
}
