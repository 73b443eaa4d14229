package limits

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"
)

// clock is a clock that the test sets.
type clock struct{ at time.Time }

func newClock() *clock { return &clock{time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time           { return c.at }
func (c *clock) advance(by time.Duration) { c.at = c.at.Add(by) }

// TestNoPeriodAdmitsMoreThanTheLimit takes events at random moments over a day
// and looks at every hour that ends with an admitted one.
func TestNoPeriodAdmitsMoreThanTheLimit(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	c := newClock()
	w := NewWindow[string](30, time.Hour, c.now)
	var admitted []time.Time
	for range 20_000 {
		c.advance(time.Duration(random.IntN(10_000)) * time.Millisecond)
		wait, _ := w.Take("network")
		if wait > 0 {
			continue
		}
		admitted = append(admitted, c.at)
		if n := len(admitted); n > 30 && admitted[n-1].Sub(admitted[n-31]) < time.Hour {
			t.Fatalf("31 events within %v", admitted[n-1].Sub(admitted[n-31]))
		}
	}
	if hours := c.at.Sub(newClock().at).Hours(); float64(len(admitted)) < 0.95*30*hours {
		t.Errorf("%d events in %.0f hours: the limit of 30 an hour is not reached", len(admitted), hours)
	}
}

func TestASteadyClientBelowTheLimitIsNeverRefused(t *testing.T) {
	c := newClock()
	w := NewWindow[string](100, time.Hour, c.now)
	for n := range 1000 { // 72 an hour
		if wait, _ := w.Take("network"); wait != 0 {
			t.Fatalf("event %d has to wait %v", n+1, wait)
		}
		c.advance(50 * time.Second)
	}
}

func TestTheWaitIsLongEnoughAndHardlyLonger(t *testing.T) {
	c := newClock()
	c.advance(17*time.Second + 5*time.Millisecond)
	w := NewWindow[string](2, time.Hour, c.now)
	w.Take("a")
	c.advance(10 * time.Minute)
	w.Take("a")
	c.advance(time.Minute)
	wait, undo := w.Take("a")
	if undo != nil || wait < 49*time.Minute || wait > 50*time.Minute {
		t.Fatalf("wait %v, the first event is an hour old in 49 minutes", wait)
	}
	c.advance(wait - time.Nanosecond)
	if early, _ := w.Take("a"); early == 0 {
		t.Error("admitted before the wait was over")
	}
	c.advance(time.Nanosecond)
	if late, _ := w.Take("a"); late != 0 {
		t.Errorf("after the wait it must wait another %v", late)
	}
	if wait, _ := w.Take("b"); wait != 0 {
		t.Error("another key has to wait")
	}
}

func TestAnEventThatIsTakenBackDoesNotCount(t *testing.T) {
	c := newClock()
	w := NewWindow[string](1, time.Hour, c.now)
	for range 5 {
		wait, undo := w.Take("a")
		if wait != 0 {
			t.Fatalf("wait %v although all before was taken back", wait)
		}
		c.advance(time.Minute)
		undo()
	}
	w.Take("a")
	if wait, _ := w.Take("a"); wait == 0 {
		t.Error("a second event was admitted")
	}
}

func TestALimitOfZeroAdmitsNothing(t *testing.T) {
	w := NewWindow[string](0, time.Hour, newClock().now)
	if wait, undo := w.Take("a"); wait != time.Hour || undo != nil {
		t.Errorf("wait %v, want an hour", wait)
	}
	var none *Window[string] // which is none
	if wait, undo := none.Take("a"); wait != 0 || undo == nil || none.Limit() != 0 {
		t.Errorf("without a window there is a limit of %d, and a wait of %v", none.Limit(), wait)
	}
}

// TestMoreThanTheLimitIsNeverAdmitted, whatever was taken before.
func TestMoreThanTheLimitIsNeverAdmitted(t *testing.T) {
	w := NewWindow[string](3, time.Hour, newClock().now)
	for range 2 {
		if wait, undo := w.TakeMany("a", 4); wait != time.Hour || undo != nil {
			t.Errorf("wait %v, want an hour", wait)
		}
		w.Take("a")
	}
}

func TestAClockThatGoesBackAdmitsNoMore(t *testing.T) {
	c := newClock()
	w := NewWindow[string](2, time.Hour, c.now)
	w.Take("a")
	c.advance(-30 * time.Minute)
	w.Take("a")
	if wait, _ := w.Take("a"); wait == 0 {
		t.Error("a third event was admitted")
	}
}

func TestAThingAskedForAgainTheSameDayIsFree(t *testing.T) {
	c := newClock()
	d := NewDistinctPerDay(2, c.now)
	take := func(thing string) bool { _, ok := d.Take("visitor", thing); return ok }
	if !take("a") || !take("b") || take("c") || !take("a") {
		t.Fatal("two different things are admitted, and those again")
	}
	if _, ok := d.Take("another", "c"); !ok {
		t.Error("another visitor is refused")
	}
	c.advance(11*time.Hour + 59*time.Minute)
	if take("c") {
		t.Error("a third thing on the same day")
	}
	c.advance(time.Minute)
	if !take("c") || d.Seen("visitor", "a") {
		t.Error("a new UTC day begins with nothing used")
	}
	undo, _ := d.Take("visitor", "d")
	undo()
	if d.Seen("visitor", "d") || !take("e") {
		t.Error("what was taken back counts")
	}
	d.Remember("visitor", "f")
	if !d.Seen("visitor", "f") || !take("f") {
		t.Error("what was paid for otherwise is not remembered")
	}
	if c.advance(24 * time.Hour); d.Left("visitor") != 2 {
		t.Errorf("%d are left on a new day", d.Left("visitor"))
	}
	undo, _ = d.Take("last", "a")
	c.advance(24 * time.Hour)
	if _, ok := d.Take("last", "a"); !ok {
		t.Fatal("refused on a new day")
	}
	if undo(); d.Left("last") != 1 {
		t.Error("what was taken back the day after is that day's")
	}
}

// networkOf returns a network of its own for each number.
func networkOf(n int) netip.Prefix {
	return netip.PrefixFrom(netip.AddrFrom4([4]byte{10, byte(n >> 8), byte(n), 0}), 24)
}

func TestNobodyTakesThePlacesOfAnotherPayer(t *testing.T) {
	p := NewPaidCalls()
	for i := range paidCallsPerPayer { // somebody uses the payer's name
		if p.EnterPayer(networkOf(i), 0, "payer", func() bool { t.Error("verified too early"); return false }) == nil {
			t.Fatal("refused too early")
		}
	}
	home := networkOf(1000)
	if p.EnterPayer(home, 0, "payer", func() bool { return false }) != nil {
		t.Error("an unverified call too many")
	}
	var leave func()
	for range paidCallsPerPayer {
		if leave = p.EnterPayer(home, 0, "payer", func() bool { return true }); leave == nil {
			t.Fatal("the payer itself is refused")
		}
	}
	if p.EnterPayer(home, 0, "payer", func() bool { return true }) != nil {
		t.Error("a verified call too many")
	}
	if leave(); p.EnterPayer(home, 0, "payer", func() bool { return true }) == nil {
		t.Error("a place that was left is not free")
	}
	for i := range unverifiedShares.All - paidCallsPerPayer {
		if p.EnterPayer(networkOf(i), 0, fmt.Sprint(i), func() bool { return false }) == nil {
			t.Fatalf("unverified call %d is refused", i)
		}
	}
	if p.EnterPayer(networkOf(2000), 0, "new", func() bool { return false }) != nil {
		t.Error("an unverified call too many in all")
	}
}

// Of a network whose payments are settled fewer signatures are verified, and others have their places all the same.
func TestANetworkThatPaysEntersMoreCallsUnverified(t *testing.T) {
	p := NewPaidCalls()
	no := func() bool { return false }
	enter := func(network, earned int) (calls int) {
		for n := 0; p.EnterPayer(networkOf(network), earned, fmt.Sprint(network, n), no) != nil; n++ {
			calls++
		}
		return calls
	}
	for network, want := range []int{8, 9, 40, unverifiedPerNetwork, unverifiedPerNetwork} {
		if calls := enter(network, []int{0, 1, 32, 56, 1000}[network]); calls != want {
			t.Errorf("network %d has %d unverified calls, not %d", network, calls, want)
		}
	}
	for network := range 20 {
		enter(100+network, 1000)
	}
	if calls := enter(200, 0); calls != unverifiedShares.Sure {
		t.Errorf("a network has %d unverified calls beside networks that pay", calls)
	}
}

// Payers whose signature only the chain can check share their places by network first.
func TestANetworkDoesNotTakeTheUnverifiedPlacesOfOthers(t *testing.T) {
	p := NewPaidCalls()
	enter := func(network, n int) bool {
		return p.EnterPayer(networkOf(network), 0, fmt.Sprint(network, n), func() bool { return false }) != nil
	}
	entered := 0
	for n := range 1000 {
		if enter(1, n) {
			entered++
		}
	}
	if entered != 8 {
		t.Errorf("%d unverified calls of one network", entered)
	}
	for n := range 8 {
		if !enter(2, n) {
			t.Errorf("unverified call %d of another network is refused", n)
		}
	}
}

func TestARefusedPaymentTakesNoPlace(t *testing.T) {
	p := NewPaidCalls()
	var leave []func()
	for i := range unverifiedShares.All {
		leave = append(leave, p.EnterPayer(networkOf(i), 0, fmt.Sprint(i), func() bool { return false }))
	}
	enter := func() func() { return p.EnterPayer(networkOf(2000), 0, "payer", func() bool { return false }) }
	for range 2 * paidCallsPerPayer {
		if enter() != nil {
			t.Fatal("an unverified call too many in all")
		}
	}
	leave[0]()
	if leave[0] = enter(); leave[0] == nil {
		t.Fatal("the refused calls of a payer count as calls in progress")
	}
	for _, end := range leave {
		end()
	}
	if p.unverified.taken != 0 || len(p.unverified.of) != 0 || len(p.payers) != 0 {
		t.Errorf("counts are left: %v", p.payers)
	}
}
