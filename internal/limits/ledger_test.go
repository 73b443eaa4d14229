package limits

import (
	"context"
	"strings"
	"testing"
)

// TestWhatWasTakenBackAfterItWasToldCountsNowhere: of things, of which each counts once.
func TestWhatWasTakenBackAfterItWasToldCountsNowhere(t *testing.T) {
	c, ledger := newClock(), &rows{}
	first, second := process(t, c, &seat{rows: ledger}), process(t, c, &seat{rows: ledger})
	undo, _ := first.Lookups.Take("visitor", "a")
	swap(t, first, second)
	if second.Lookups.Left("visitor") != 2 {
		t.Fatal("the second process does not know of it")
	}
	if undo(); first.Lookups.Left("visitor") != 3 || first.Lookups.Seen("visitor", "a") {
		t.Errorf("%d are left here", first.Lookups.Left("visitor"))
	}
	if swap(t, first, second); second.Lookups.Left("visitor") != 3 {
		t.Errorf("%d are left in the other process", second.Lookups.Left("visitor"))
	}
}

// TestALedgerThatHoldsWhatNoProcessWroteHarmsNobody: another version may have other budgets, and other keys.
func TestALedgerThatHoldsWhatNoProcessWroteHarmsNobody(t *testing.T) {
	c := newClock()
	today, key := dayOf(c.now()), strings.Repeat("k", len(Key{}))
	ledger := &rows{counts: []Count{
		{Budget: "of later", Key: key, Slot: today, Events: 9},
		{Budget: "refused payments", Key: key, Slot: 1, Events: 9}, // of long ago
		{Budget: "lookups", Key: "short", Slot: today, Events: 9},
		{Budget: "lookups", Key: key + "of a thing", Slot: today, Events: 9},
		{Budget: "lookups", Key: key + "thething", Slot: today - 1, Events: 9},
		{Budget: "refused payments", Key: "short", Slot: c.now().UnixNano() / int64(refusalSlot), Events: 9},
	}}
	b := process(t, c, &seat{rows: ledger})
	if len(b.Lookups.seen) != 0 || len(b.Verifications.networks) != 0 {
		t.Errorf("%v and %v are known", b.Lookups.seen, b.Verifications.networks)
	}
	b.Lookups.told(Count{Key: key + "thething", Slot: today, Events: 1}) // of a visitor who was dropped meanwhile
}

// TestBudgetsThatAreOffAreNotShared: those without a limit.
func TestBudgetsThatAreOffAreNotShared(t *testing.T) {
	c := newClock()
	b := New(Config{Filings: 3}, c.now)
	ledger := &rows{counts: []Count{{Budget: "refused payments", Key: strings.Repeat("k", len(Key{})),
		Slot: c.now().UnixNano() / int64(refusalSlot), Events: 9}}}
	if _, err := b.Share(t.Context(), &seat{rows: ledger}, []byte("secret")); err != nil {
		t.Fatal(err)
	}
	b.Filings.Take(networkOf(1))
	if swap(t, b); len(ledger.counts) != 2 || len(b.Verifications.networks) != 0 {
		t.Errorf("%v is shared, %v are known", ledger.counts, b.Verifications.networks)
	}
}

// TestAProcessThatEndsTellsWhatItHasCounted, so that the others go on with it.
func TestAProcessThatEndsTellsWhatItHasCounted(t *testing.T) {
	ledger := &rows{}
	b := process(t, newClock(), &seat{rows: ledger})
	b.Filings.Take(networkOf(1))
	ctx, end := context.WithCancel(t.Context())
	end()
	b.exchange.run(ctx)
	if len(ledger.counts) != 1 || ledger.counts[0].Events != 1 {
		t.Errorf("%v are told", ledger.counts)
	}
}
