package limits

import (
	"context"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Count is how many events of a key are counted in a slot, which is a part of the period of a budget.
type Count struct {
	Budget string
	Key    string // bytes
	Slot   int64
	Events int64
	Ends   time.Time // from when on they do not matter
}

// Ledger holds the counts of all processes. See docs/decisions/0033.
type Ledger interface {
	// Exchange passes learn the counts of all processes that others have changed since the last call, or all of them,
	// each with all its events. Then, unless tell is nil, it adds the events that tell returns, which may be negative.
	// From before learn until they are added no other process is within Exchange with a tell. After an error nothing
	// may have been added.
	Exchange(ctx context.Context, learn func(Count), tell func() []Count) error
}

// counter is a budget that can be shared. Its methods may be called from any goroutine.
type counter interface {
	// share is called before the budget is used.
	share(secret []byte)
	// tell passes on the events that other processes have not been told yet, with Key, Slot, Events and Ends.
	tell(func(Count))
	// told says that they have been.
	told(Count)
	// learn takes how many events all processes have told.
	learn(Count)
}

// untold are the keys of which others have not been told all. The zero value is that of a budget of one process.
type untold struct {
	secret []byte
	keys   map[Key]struct{} // nil if nobody is told
}

func (u *untold) begin(secret []byte) { u.secret, u.keys = secret, map[Key]struct{}{} }

func (u *untold) note(key Key) {
	if u.keys != nil {
		u.keys[key] = struct{}{}
	}
}

const (
	// exchangeInterval is how often processes tell each other what they have counted.
	exchangeInterval = time.Second / 2
	// exchangePatience is how long an exchange may take; then the counts must do that are known.
	exchangePatience = 15 * time.Second
)

// exchange is what a process does to share its budgets.
type exchange struct {
	ledger   Ledger
	counters map[string]counter
	wake     chan struct{}
	away     atomic.Bool // the last exchange has failed

	mu      sync.Mutex
	waiting []*exactTake
	ended   bool
}

// exactTake is one call of [Budgets.Exactly].
type exactTake struct {
	once sync.Once
	do   func()
	done chan struct{} // closed after the exchange
}

// Share makes the budgets those of all processes with the same ledger. It must be called before the budgets are used.
// It learns what counts already; from then on run exchanges counts, until its ctx ends. Secret is the same in all
// processes.
func (b *Budgets) Share(ctx context.Context, ledger Ledger, secret []byte) (run func(context.Context), err error) {
	e := &exchange{ledger: ledger, counters: b.counters(), wake: make(chan struct{}, 1)}
	for _, c := range e.counters {
		c.share(secret)
	}
	b.exchange = e
	return e.run, e.once(ctx)
}

// Exactly runs take, which takes from budgets of which no more than the limit may be taken by all processes together:
// at a moment when everything is counted that others have taken, and nobody else takes. For other takes the counts of
// others may be half a second old. If the ledger is out of reach, or ctx ends, take runs with what is known.
func (b *Budgets) Exactly(ctx context.Context, take func()) {
	e := b.exchange
	if e == nil || e.away.Load() {
		take()
		return
	}
	t := &exactTake{do: take, done: make(chan struct{})}
	e.mu.Lock()
	if e.ended {
		close(t.done)
	} else {
		e.waiting = append(e.waiting, t)
	}
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default: // an exchange is about to begin
	}
	select {
	case <-t.done:
	case <-ctx.Done():
	}
	t.once.Do(take)
}

// TakeToday counts one event of the key among those of a day, exactly in all processes: see [PerDay.Take]. A key that
// is known to have reached its limit is refused without an exchange, so that it costs the ledger nothing to be refused.
func (b *Budgets) TakeToday(
	ctx context.Context, p *PerDay[netip.Prefix], key netip.Prefix,
) (wait time.Duration, undo func()) {
	if p == nil {
		return 0, func() {}
	}
	if p.Left(key) == 0 {
		now := p.now()
		return dayStart(dayOf(now) + 1).Sub(now), nil
	}
	b.Exactly(ctx, func() { wait, undo = p.Take(key) })
	return wait, undo
}

// run exchanges counts until ctx ends, and then a last time.
func (e *exchange) run(ctx context.Context) {
	tick := time.NewTicker(exchangeInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-e.wake:
		case <-ctx.Done():
			e.mu.Lock()
			e.ended = true
			e.mu.Unlock()
			e.once(context.WithoutCancel(ctx)) // its failure changes nothing any more
			return
		}
		e.away.Store(e.once(ctx) != nil)
	}
}

// once does one exchange. With nothing to tell it only learns, which holds up nobody.
func (e *exchange) once(ctx context.Context) error {
	e.mu.Lock()
	takes := e.waiting
	e.waiting = nil
	e.mu.Unlock()
	var told []Count
	tell := func() []Count {
		for _, t := range takes {
			t.once.Do(t.do)
		}
		told = e.untold()
		return told
	}
	if len(takes) == 0 && len(e.untold()) == 0 {
		tell = nil
	}
	ctx, cancel := context.WithTimeout(ctx, exchangePatience)
	defer cancel()
	err := e.ledger.Exchange(ctx, func(c Count) {
		if budget := e.counters[c.Budget]; budget != nil { // another version of the program may have others
			budget.learn(c)
		}
	}, tell)
	if err == nil {
		for _, c := range told {
			e.counters[c.Budget].told(c)
		}
	}
	for _, t := range takes {
		close(t.done)
	}
	return err
}

func (e *exchange) untold() (all []Count) {
	for name, c := range e.counters {
		c.tell(func(c Count) {
			c.Budget = name
			all = append(all, c)
		})
	}
	return all
}

// counters are the budgets that processes share, by their names in the ledger. The others bound what is in progress in
// one process.
func (b *Budgets) counters() map[string]counter {
	all := map[string]counter{
		"filings": b.Filings, "keyed filings": b.KeyedFilings, "subjects": b.Subjects, "keyed subjects": b.KeyedSubjects,
		"agent subjects": b.AgentSubjects, "withdrawals": b.Withdrawals, "sign-ins": b.SignIns, "lookups": b.Lookups,
		"uncounted lookups": b.UncountedLookups, "resolutions": b.Resolutions,
		"free searches": b.FreeSearches, "refused payments": b.Verifications, "guesses": b.Guesses,
		"hints": b.Hints,
	}
	if b.FiledBytes != nil {
		all["filed bytes"] = b.FiledBytes
	}
	if b.NewAgents != nil {
		all["new agents"] = b.NewAgents
	}
	if b.NetworkCalls != nil {
		all["network calls"] = b.NetworkCalls
	}
	for name, s := range map[string]*Shared{"total filings": b.TotalFilings, "total bytes": b.TotalFiledBytes,
		"total resolutions": b.TotalResolutions} {
		if s != nil {
			all[name], all[name+", last"], all[name+", parts"] = s.first, s.last, s.parts
		}
	}
	return all
}
