package front

import "time"

// Meter counts what happens. Its methods may be called from any goroutine.
type Meter interface {
	// Served is called at the end of each request. The route is a pattern of this program, never a caller's text; the
	// status is 0 if nothing was answered.
	Served(method, route string, status int, took time.Duration)
	// Settled is called with each outcome of a settlement (x402.Outcome). The network is a CAIP-2 id, and the amount is in
	// atomic units of the asset.
	Settled(network, outcome string, amount int64)
	// Called is called for each call of a key that asks for a free call: "answered", "failed", which is not charged, or
	// "exhausted", because the calls of the key or of its network are used up.
	Called(outcome string)
	// Filed is called for each valid report that somebody files: "filed", "duplicate" if it was on record, or the code of
	// the problem for which it was refused, such as "filings_exhausted"; "unavailable" while nothing can be recorded.
	Filed(outcome string)
	// Refused is called for what is refused because there is too much of it: "requests" of a network, "connections",
	// request "bodies", or all together: "overload".
	Refused(what string)
}

// Uncounted is a Meter that counts nothing.
type Uncounted struct{}

// Served implements [Meter].
func (Uncounted) Served(string, string, int, time.Duration) {}

// Settled implements [Meter].
func (Uncounted) Settled(string, string, int64) {}

// Called implements [Meter].
func (Uncounted) Called(string) {}

// Filed implements [Meter].
func (Uncounted) Filed(string) {}

// Refused implements [Meter].
func (Uncounted) Refused(string) {}
