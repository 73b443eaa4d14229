package store

import "testing"

// TestATenthOfAListIsMuchToLose, unless that is a handful of entries.
func TestATenthOfAListIsMuchToLose(t *testing.T) {
	for _, c := range []struct{ withdrawn, before, percent int }{
		{15422, 44814, 34}, {4482, 44814, 10}, {4481, 44814, 0}, {11, 110, 10}, {11, 11, 100}, {10, 20, 0}, {0, 0, 0},
	} {
		if got := UnusualLoss(c.withdrawn, c.before); got != c.percent {
			t.Errorf("%+v: %d %%", c, got)
		}
	}
}

// TestALossIsKnownUntilTheListHasGrownAgain, or until the operator has forced an import: the same file once more, which
// withdraws nothing, does not bring back what is missing.
func TestALossIsKnownUntilTheListHasGrownAgain(t *testing.T) {
	var try ImportTry
	next := func(what string, withdrawn, before, entries int, force bool, percent int) {
		t.Helper()
		old := try
		try = ImportTry{Withdrawn: withdrawn, Before: before}
		try.After(old, entries, force)
		equal(t, what, try.UnusualLoss(), percent)
	}
	next("the first", 0, 0, 1000, false, 0)
	next("a loss", 210, 1000, 790, false, 21)
	next("the same file", 0, 790, 790, false, 21)
	next("a failure, or a part of it", 0, 0, 0, false, 21)
	next("some are back", 0, 790, 850, false, 15)
	next("nearly all are back", 0, 850, 950, false, 0)
	next("and the same", 0, 950, 950, false, 0)
	next("a second loss", 200, 950, 750, false, 21)
	next("which is right", 0, 750, 750, true, 0)
}
