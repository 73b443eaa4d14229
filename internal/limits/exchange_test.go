package limits

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// rows are a ledger in memory. What a database does is tested in internal/store.
type rows struct {
	sync.Mutex
	counts  []Count // in the order of their last changes
	exactly int     // exchanges that told
}

// seat is the ledger as one process sees it.
type seat struct {
	*rows
	away error
}

func (s *seat) Exchange(_ context.Context, learn func(Count), tell func() []Count) error {
	s.Lock()
	defer s.Unlock()
	if s.away != nil {
		return s.away
	}
	for _, c := range s.counts {
		learn(c)
	}
	if tell == nil {
		return nil
	}
	s.exactly++
	for _, told := range tell() {
		for i, c := range s.counts {
			if c.Budget == told.Budget && c.Key == told.Key && c.Slot == told.Slot {
				told.Events += c.Events
				s.counts = append(s.counts[:i], s.counts[i+1:]...)
				break
			}
		}
		s.counts = append(s.counts, told)
	}
	return nil
}

var everyLimit = Config{Filings: 3, Lookups: 3, TotalFilings: 80, TotalFiledBytes: 1600, RefusedPayments: 3,
	NewAgents: 3, NetworkCalls: 3}

// process is one of those that share budgets.
func process(t *testing.T, c *clock, ledger Ledger) *Budgets {
	t.Helper()
	b := New(everyLimit, c.now)
	if _, err := b.Share(t.Context(), ledger, []byte("secret")); err != nil {
		t.Fatal(err)
	}
	return b
}

// swap exchanges counts in order, so that all know what all have told.
func swap(t *testing.T, all ...*Budgets) {
	t.Helper()
	for range 2 {
		for _, b := range all {
			if err := b.exchange.once(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// takes are how each budget is used, by its name; each reports how to take it back, nil if it is refused.
var takes = map[string]func(b *Budgets, n int) func(){
	"filings":        func(b *Budgets, _ int) func() { _, undo := b.Filings.Take(networkOf(1)); return undo },
	"keyed filings":  func(b *Budgets, _ int) func() { _, undo := b.KeyedFilings.Take(networkOf(1)); return undo },
	"subjects":       func(b *Budgets, _ int) func() { _, undo := b.Subjects.TakeMany(networkOf(1), 50); return undo },
	"keyed subjects": func(b *Budgets, _ int) func() { _, u := b.KeyedSubjects.TakeMany(networkOf(1), 50); return u },
	"agent subjects": func(b *Budgets, _ int) func() { _, undo := b.AgentSubjects.TakeMany("agt_1", 50); return undo },
	"filed bytes":    func(b *Budgets, _ int) func() { _, undo := b.FiledBytes.TakeMany(networkOf(1), 30); return undo },
	"total filings":  func(b *Budgets, n int) func() { _, undo := b.TotalFilings.Take(networkOf(n), 1); return undo },
	"total bytes":    func(b *Budgets, n int) func() { _, undo := b.TotalFiledBytes.Take(networkOf(n), 400); return undo },
	"withdrawals":    func(b *Budgets, _ int) func() { _, undo := b.Withdrawals.TakeMany(networkOf(1), 200); return undo },
	"sign-ins":       func(b *Budgets, _ int) func() { _, undo := b.SignIns.TakeMany(networkOf(1), 1000); return undo },
	"new agents":     func(b *Budgets, _ int) func() { _, undo := b.NewAgents.Take(networkOf(1)); return undo },
	"network calls":  func(b *Budgets, _ int) func() { _, undo := b.NetworkCalls.Take(networkOf(1)); return undo },
	"free searches":  func(b *Budgets, _ int) func() { _, undo := b.FreeSearches.TakeMany(networkOf(1), 20); return undo },
	"guesses":        func(b *Budgets, _ int) func() { _, undo := b.Guesses.Take([32]byte{1}); return undo },
	"hints":          func(b *Budgets, _ int) func() { _, undo := b.Hints.TakeMany(networkOf(1), 50); return undo },
	"uncounted lookups": func(b *Budgets, n int) func() {
		undo, _ := b.UncountedLookups.Take("visitor", fmt.Sprint(n))
		return undo
	},
	"lookups": func(b *Budgets, n int) func() { undo, _ := b.Lookups.Take("visitor", fmt.Sprint(n)); return undo },
}

// TestTheWaitIsThatOfTheEarliestEvent, whichever process learns of it last.
func TestTheWaitIsThatOfTheEarliestEvent(t *testing.T) {
	c, ledger := newClock(), &rows{}
	first, second := process(t, c, &seat{rows: ledger}), process(t, c, &seat{rows: ledger})
	first.Filings.Take(networkOf(1))
	c.advance(20 * time.Minute)
	second.Filings.Take(networkOf(1))
	second.Filings.Take(networkOf(1))
	swap(t, first, second)
	for i, b := range []*Budgets{first, second} {
		if wait, _ := b.Filings.Take(networkOf(1)); wait < 40*time.Minute || wait > 41*time.Minute {
			t.Errorf("process %d: wait %v, the first event is an hour old in 40 minutes", i, wait)
		}
	}
}

// TestABudgetIsThatOfAllProcesses: what one has used up another refuses after an exchange,
// and admits what was given back.
func TestABudgetIsThatOfAllProcesses(t *testing.T) {
	for name, take := range takes {
		c, ledger := newClock(), &rows{}
		first, second := process(t, c, &seat{rows: ledger}), process(t, c, &seat{rows: ledger})
		var undo []func()
		for n := 0; ; n++ {
			u := take([]*Budgets{first, second}[n%2], n)
			if u == nil {
				break
			}
			undo = append(undo, u)
			swap(t, first, second)
		}
		if len(undo) < 3 {
			t.Errorf("%s: %d are admitted", name, len(undo))
			continue
		}
		for i, b := range []*Budgets{first, second, process(t, c, &seat{rows: ledger})} {
			if take(b, 1000+i) != nil {
				t.Errorf("%s: process %d admits more", name, i)
			}
		}
		undo[0]()
		swap(t, first, second)
		if take(second, 2000) == nil {
			t.Errorf("%s: what was taken back in one process is not free in the other", name)
		}
		if len(takes) != 17 || first.counters()[name] == nil {
			t.Errorf("%s: it is not shared", name)
		}
		c.advance(24 * time.Hour)
		swap(t, first, second)
		if take(first, 3000) == nil {
			t.Errorf("%s: a day later it is still used up", name)
		}
	}
}

// TestRefusedPaymentsCountInAllProcesses: each time they are told, and once.
func TestRefusedPaymentsCountInAllProcesses(t *testing.T) {
	c, ledger := newClock(), &rows{}
	first, second := process(t, c, &seat{rows: ledger}), process(t, c, &seat{rows: ledger})
	first.Verifications.Refused(networkOf(1))
	swap(t, first, second)
	second.Verifications.Refused(networkOf(1))
	swap(t, first, second)
	for i, b := range []*Budgets{first, second, process(t, c, &seat{rows: ledger})} {
		if n := refuseAll(t, b.Verifications, 1); n != 1 {
			t.Errorf("process %d: %d more payments of three may be refused", i, n)
		}
	}
	c.advance(time.Minute)
	swap(t, first, second)
	if _, ok := second.Verifications.Try(networkOf(1)); !ok {
		t.Error("a minute later there is no place")
	}
	for range 100 {
		first.Verifications.Refused(networkOf(1))
		c.advance(10 * time.Second)
	}
	if slots := len(first.Verifications.networks[keyOf([]byte("secret"), networkOf(1))].slots); slots > 8 {
		t.Errorf("%d slots of the last minute are kept", slots)
	}
}

// TestTheWaitKnowsOfOthers: an event of another process is over a period after the end of its slot at the latest.
func TestTheWaitKnowsOfOthers(t *testing.T) {
	c, ledger := newClock(), &rows{}
	first, second := process(t, c, &seat{rows: ledger}), process(t, c, &seat{rows: ledger})
	for range 3 {
		first.Filings.Take(networkOf(1))
		swap(t, first, second)
		c.advance(10 * time.Minute)
	}
	wait, _ := second.Filings.Take(networkOf(1))
	if wait < 30*time.Minute || wait > 31*time.Minute {
		t.Errorf("wait %v, want half an hour", wait)
	}
	c.advance(wait)
	if wait, _ := second.Filings.Take(networkOf(1)); wait > 0 {
		t.Errorf("after the wait: %v", wait)
	}
}

// TestTheLastOnesAreTakenOnceInAllProcesses: many callers at once in three processes get exactly what there is.
func TestTheLastOnesAreTakenOnceInAllProcesses(t *testing.T) {
	const limit, callers = 200, 40
	ledger := &rows{}
	ctx, stop := context.WithCancel(t.Context())
	var granted, running sync.WaitGroup
	var mu sync.Mutex
	admitted := 0
	var last *Budgets
	for range 3 {
		b := New(Config{NetworkCalls: limit, Filings: 1}, time.Now)
		run, err := b.Share(ctx, &seat{rows: ledger}, nil)
		if err != nil {
			stop()
			t.Fatal(err)
		}
		last = b
		running.Go(func() { run(ctx) })
		for range callers {
			granted.Go(func() {
				for range limit / callers {
					b.Exactly(ctx, func() {
						if _, undo := b.NetworkCalls.Take(networkOf(1)); undo != nil {
							mu.Lock()
							admitted++
							mu.Unlock()
						}
					})
				}
			})
		}
	}
	granted.Wait()
	stop()
	running.Wait()
	asked := false
	last.Exactly(t.Context(), func() { asked = true }) // nobody exchanges any more: it must not wait for that
	if !asked {
		t.Error("a process that stops does not take")
	}
	if admitted != limit {
		t.Errorf("%d of %d are admitted", admitted, limit)
	}
}

// TestToBeRefusedCostsTheLedgerNothing once a process knows that nothing is left.
func TestToBeRefusedCostsTheLedgerNothing(t *testing.T) {
	c, ledger := newClock(), &rows{}
	first, second := process(t, c, &seat{rows: ledger}), process(t, c, &seat{rows: ledger})
	for range 3 {
		second.NetworkCalls.Take(networkOf(1))
	}
	swap(t, first, second)
	for range 10 { // nobody runs exchanges: one that is waited for would never come
		wait, undo := first.TakeToday(t.Context(), first.NetworkCalls, networkOf(1))
		if wait != 12*time.Hour || undo != nil || len(first.exchange.waiting) > 0 {
			t.Fatalf("it waits %v, and %d for an exchange", wait, len(first.exchange.waiting))
		}
	}
	if wait, undo := first.TakeToday(t.Context(), nil, networkOf(1)); wait != 0 || undo == nil {
		// No limit needs no exchange either, or this would hang.
		t.Errorf("without a limit it waits %v", wait)
	}
}

// TestWithoutTheLedgerLimitsGoOn: each process counts what it knows, and tells it later.
func TestWithoutTheLedgerLimitsGoOn(t *testing.T) {
	c, ledger := newClock(), &rows{}
	place := &seat{rows: ledger}
	first, second := process(t, c, place), process(t, c, &seat{rows: ledger})
	place.away = errors.New("the database is away")
	taken := 0
	for range 5 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			first.Exactly(t.Context(), func() {
				if _, undo := first.NewAgents.Take(networkOf(1)); undo != nil {
					taken++
				}
			})
		}()
		for waiting := true; waiting; {
			select {
			case <-first.exchange.wake:
				first.exchange.away.Store(first.exchange.once(t.Context()) != nil)
			case <-done:
				waiting = false
			}
		}
	}
	if taken != 3 || !first.exchange.away.Load() {
		t.Errorf("%d of 3 are admitted", taken)
	}
	place.away = nil
	swap(t, first, second)
	if _, undo := second.NewAgents.Take(networkOf(1)); undo != nil {
		t.Error("what was counted meanwhile is not told")
	}
}

// TestWhatIsToldNamesNoNetwork: without the secret of the database nobody can tell whose counts they are.
func TestWhatIsToldNamesNoNetwork(t *testing.T) {
	ledger := &rows{}
	b := process(t, newClock(), &seat{rows: ledger})
	for _, take := range takes {
		take(b, 1)
	}
	swap(t, b)
	if len(ledger.counts) < len(takes) {
		t.Fatalf("%d rows", len(ledger.counts))
	}
	network := keyOf(nil, networkOf(1))
	for _, c := range ledger.counts {
		if strings.HasPrefix(c.Key, string(network[:])) {
			t.Errorf("%s: the key is the network", c.Budget)
		}
		period := time.Hour
		switch {
		case strings.Contains("new agents, network calls, uncounted lookups", c.Budget):
			period = 12 * time.Hour // it is noon
		case c.Budget == "free searches":
			period = freeSearchPeriod
		case c.Budget == "guesses":
			period = guessPeriod
		}
		if over := c.Ends.Sub(newClock().at); over < period || over > period+period/30 {
			t.Errorf("%s: it is kept until %v", c.Budget, c.Ends)
		}
	}
	if keyOf([]byte("a"), networkOf(1)) == keyOf([]byte("b"), networkOf(1)) {
		t.Error("the key does not depend on the secret")
	}
}

// TestNothingIsToldTwice: with nothing new an exchange holds up nobody.
func TestNothingIsToldTwice(t *testing.T) {
	c, ledger := newClock(), &rows{}
	first, second := process(t, c, &seat{rows: ledger}), process(t, c, &seat{rows: ledger})
	for _, take := range takes {
		take(first, 1)
	}
	first.Verifications.Refused(networkOf(1))
	for range 3 {
		swap(t, first, second)
	}
	if ledger.exactly != 1 {
		t.Errorf("%d exchanges have told something", ledger.exactly)
	}
	for _, c := range ledger.counts {
		if c.Events <= 0 {
			t.Errorf("%s: %d events", c.Budget, c.Events)
		}
	}
}
