package tocsin

import (
	"slices"
	"testing"
)

// TestATenthOfAListIsMuchToLose, unless that is ten entries or fewer.
func TestATenthOfAListIsMuchToLose(t *testing.T) {
	for _, c := range []struct{ lost, peak, percent int }{
		{15422, 44814, 34}, {4482, 44814, 10}, {4481, 44814, 0}, {11, 110, 10}, {11, 11, 100}, {10, 20, 0}, {0, 0, 0},
	} {
		if got := (ListSize{Entries: c.peak - c.lost, Peak: c.peak}).UnusualLoss(); got != c.percent {
			t.Errorf("%+v: %d %%", c, got)
		}
	}
}

// TestALossIsKnownUntilTheListHasGrownAgain, or until the operator has forced an import: the same file once more, which
// withdraws nothing, does not bring back what is missing.
func TestALossIsKnownUntilTheListHasGrownAgain(t *testing.T) {
	var size ListSize
	var readings, noted []string // noted are those with which a loss began
	next := func(what string, before, entries int, forced bool, percent int) {
		t.Helper()
		now := MicroTime(int64(len(readings)))
		readings = append(readings, what)
		if size = size.Read(before, entries, forced, now); size.UnusualLoss() != percent ||
			(size.LostAt != nil) != (percent > 0) {
			t.Errorf("%s: %d %% of %+v, not %d %%", what, size.UnusualLoss(), size, percent)
		}
		if size.LostAt != nil && *size.LostAt == now {
			noted = append(noted, what)
		}
	}
	next("the first", 0, 1000, false, 0)
	next("a loss", 1000, 790, false, 21)
	next("the same file", 790, 790, false, 21)
	next("one more is gone", 790, 789, false, 21)
	next("some are back", 789, 850, false, 15)
	next("and a fifth is gone again", 850, 700, false, 30)
	next("most are back", 700, 850, false, 15)
	next("nearly all are back", 850, 950, false, 0)
	next("and the same", 950, 950, false, 0)
	next("a second loss", 950, 750, false, 21)
	next("which is right", 750, 750, true, 0)
	next("a loss that is forced at once", 750, 300, true, 0)
	next("and the same", 300, 300, false, 0)
	next("small losses", 300, 275, false, 0)
	next("one after the other", 275, 250, false, 0)
	next("all of it", 250, 0, true, 0)
	next("and all is back", 0, 250, false, 0)
	next("all of it at once", 250, 0, false, 100)
	want := []string{"a loss", "and a fifth is gone again", "a second loss", "all of it at once"}
	if !slices.Equal(noted, want) {
		t.Errorf("losses began with %q, not %q", noted, want)
	}
}
