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
