package limits

import (
	"net/netip"
	"testing"
	"time"
)

func TestTheBudgetsAreThoseOfTheDocuments(t *testing.T) {
	c := newClock()
	b := New(Config{Filings: 3, Lookups: 2, TotalFilings: 400, TotalFiledBytes: 1600}, c.now)
	network := netip.MustParsePrefix("192.0.2.0/24")
	for name, w := range map[string]*Window[netip.Prefix]{"filings": b.Filings, "keyed": b.KeyedFilings,
		"sign-ins": b.SignIns, "bytes": b.FiledBytes, "withdrawals": b.Withdrawals} {
		admitted, wait := 0, time.Duration(0)
		for ; wait == 0; admitted++ {
			wait, _ = w.Take(network)
		}
		if want := map[string]int{
			"filings": 3, "keyed": 25, "sign-ins": 4000, "bytes": 100, "withdrawals": 600,
		}[name]; admitted-1 != want ||
			wait != time.Hour {
			t.Errorf("%s: %d an hour, then a wait of %v, want %d", name, admitted-1, wait, want)
		}
	}
	unlimited := New(Config{Filings: 3}, c.now)
	if wait, undo := unlimited.TotalFilings.Take(network, 1<<60); wait != 0 || undo == nil ||
		unlimited.FiledBytes != nil || unlimited.TotalFiledBytes != nil || unlimited.KeyedFilings.Limit() != 30 {
		t.Error("a limit of 0 for all limits something")
	}
	for name, s := range map[string]*Slots{"wallets": b.WalletChecks, "messages": b.LargeMessages} {
		free := 0
		for n := range 40 {
			if _, ok := s.Try(networkOf(n)); ok {
				free++
			}
		}
		if free != 16 {
			t.Errorf("%s: %d slots", name, free)
		}
	}
	if b.Lookups.limit != 2 {
		t.Errorf("%d look-ups", b.Lookups.limit)
	}
	for visitor, ok := range map[string]bool{"a": true, "b": true} {
		if _, got := b.Lookups.Take("visitor", visitor); got != ok {
			t.Errorf("look-up of %s: %t", visitor, got)
		}
	}
}

// Events within a sixtieth of the period are forgotten together, others apart.
func TestTheWaitIsUntilTheFirstEventsAreOver(t *testing.T) {
	for after, want := range map[time.Duration]time.Duration{
		time.Minute - 1: time.Hour, time.Minute: 59 * time.Minute, 2 * time.Minute: 58 * time.Minute,
	} {
		c := newClock()
		w := NewWindow[string](2, time.Hour, c.now)
		w.Take("a")
		c.advance(after)
		w.Take("a")
		if wait, _ := w.Take("a"); wait != want {
			t.Errorf("a second event after %v: wait %v, want %v", after, wait, want)
		}
	}
}

// A clock that goes back makes nobody wait longer than for the period.
func TestAWaitIsNoLongerThanThePeriod(t *testing.T) {
	clock := newClock()
	w := NewWindow[string](1, time.Hour, clock.now)
	w.Take("a")
	for _, back := range []time.Duration{0, time.Minute, 24 * time.Hour} {
		clock.advance(-back)
		if wait, _ := w.Take("a"); wait != time.Hour || w.Full("a") != time.Hour {
			t.Errorf("%v back: wait %v, or %v", back, wait, w.Full("a"))
		}
	}
}

// The event that is taken back is the one that was counted, not another.
func TestUndoTakesBackItsOwnEvent(t *testing.T) {
	for _, c := range []struct {
		undo int
		wait time.Duration
	}{{0, 40 * time.Minute}, {1, 30 * time.Minute}, {2, 30 * time.Minute}} {
		clock := newClock()
		w := NewWindow[string](3, time.Hour, clock.now)
		var undo [3]func()
		for i := range undo {
			_, undo[i] = w.Take("a")
			clock.advance(10 * time.Minute)
		}
		undo[c.undo]()
		if wait, _ := w.Take("a"); wait != 0 {
			t.Errorf("undo of %d: the event still counts", c.undo)
		}
		if wait, _ := w.Take("a"); wait != c.wait {
			t.Errorf("undo of %d: wait %v, want %v", c.undo, wait, c.wait)
		}
	}
	clock := newClock()
	w := NewWindow[string](2, time.Hour, clock.now)
	w.Take("a")
	clock.advance(-30 * time.Minute)
	_, undo := w.Take("a")
	undo()
	if wait, _ := w.Take("a"); wait != 0 {
		t.Error("an event that was counted while the clock was back is not taken back")
	}
}

func TestAnEventIsOverAfterExactlyAPeriod(t *testing.T) {
	c := newClock()
	w := NewWindow[string](1, time.Hour, c.now)
	w.Take("a")
	c.advance(time.Hour - 1)
	if wait, _ := w.Take("a"); wait != 1 {
		t.Errorf("wait %v, want a nanosecond", wait)
	}
	c.advance(1)
	if wait, _ := w.Take("a"); wait != 0 {
		t.Errorf("wait %v after a period", wait)
	}
}

func TestADayBeginsForEachQuestion(t *testing.T) {
	c := newClock()
	d := NewDistinctPerDay(2, c.now)
	d.Remember("visitor", "a")
	d.Remember("visitor", "a")
	if _, ok := d.Take("visitor", "b"); !ok {
		t.Error("one thing is counted twice")
	}
	c.advance(24 * time.Hour)
	if d.Seen("visitor", "a") {
		t.Error("what was seen yesterday is free today")
	}
	undo, _ := d.Take("visitor", "a")
	c.advance(24 * time.Hour)
	undo() // of yesterday: it makes nothing free today
	d.Remember("visitor", "c")
	if d.Seen("visitor", "a") || !d.Seen("visitor", "c") {
		t.Error("what is remembered counts for yesterday")
	}
	d.Take("visitor", "a")
	if _, ok := d.Take("visitor", "b"); ok {
		t.Error("what was taken back after its day is free today")
	}
}

// A call that ends leaves the others of its payer counted.
func TestACallThatEndsFreesOnePlace(t *testing.T) {
	p := NewPaidCalls()
	network := netip.MustParsePrefix("192.0.2.0/24")
	leave := p.EnterNetwork(network, 1000)
	for range 512 - 1 {
		p.EnterNetwork(network, 1000)
	}
	if leave(); p.EnterNetwork(network, 1000) == nil {
		t.Error("the place that was left is not free")
	}
	if p.EnterNetwork(network, 1000) != nil {
		t.Error("more than one place is free")
	}
}

func TestUnverifiedCallsAreFew(t *testing.T) {
	p := NewPaidCalls()
	no, calls := func() bool { return false }, 0
	for n := 0; p.EnterPayer(networkOf(n), 0, "payer", no) != nil; n++ {
		calls++
	}
	if calls != 8 {
		t.Errorf("%d unverified calls of a payer", calls)
	}
	for n := 0; p.EnterPayer(networkOf(n/4), 0, string(rune('a'+n)), no) != nil; n++ {
		calls++
	}
	if calls != 512 {
		t.Errorf("%d unverified calls", calls)
	}
}

func TestASlotThatWasTakenIsReportedAndLeft(t *testing.T) {
	s := NewSlots(Shares{1, 1, 1})
	for range 2 {
		leave, ok := s.Try(networkOf(1))
		if !ok {
			t.Fatal("a free slot is not taken")
		}
		leave()
	}
}

// TestSubjectsGuessesAndSearchesAreThoseOfTheDocuments: a report may name 200 subjects,
// so that many are always allowed.
func TestSubjectsGuessesAndSearchesAreThoseOfTheDocuments(t *testing.T) {
	for filings, want := range map[int][3]int{3: {200, 200, 200}, 10: {200, 500, 200}, 100: {500, 5000, 1000}} {
		b := New(Config{Filings: filings}, newClock().now)
		got := [3]int{b.Subjects.Limit(), b.KeyedSubjects.Limit(), b.AgentSubjects.Limit()}
		if got != want {
			t.Errorf("%d filings: %v subjects of a network, one with keys, and an agent; want %v", filings, got, want)
		}
	}
	c := newClock()
	b := New(Config{}, c.now)
	guesses, searches := 0, 0
	var wait [2]time.Duration
	for ; wait[0] == 0; guesses++ {
		wait[0], _ = b.Guesses.Take([32]byte{})
	}
	for ; wait[1] == 0; searches++ {
		wait[1], _ = b.FreeSearches.Take(networkOf(1))
	}
	if guesses-1 != 3 || searches-1 != 60 || wait != [2]time.Duration{20 * time.Minute, 10 * time.Minute} {
		t.Errorf("%d guesses, %d searches, then waits of %v", guesses-1, searches-1, wait)
	}
	if leave, ok := b.FreeSearching.Try(networkOf(1)); !ok || leave == nil {
		t.Error("no free search is answered")
	}
	if _, ok := b.FreeSearching.Try(networkOf(2)); ok {
		t.Error("two free searches are answered at once")
	}
}
