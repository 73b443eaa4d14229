package store

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"tocsin"
)

// Reports that are recorded in one microsecond of the clock are dated after it.
func TestNextSinceDoesNotGoBackWhenTheClockStandsStill(t *testing.T) {
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	db, err := Open(t.Context(), newPlace(t), Options{Now: func() time.Time { return noon }, Silence: busy})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i := range 3 {
		filing := Filing{Draft: story(t, fmt.Sprint(i), "evil.com"), Network: netip.MustParsePrefix("203.0.113.0/24")}
		if _, err := db.FileReport(t.Context(), filing); err != nil {
			t.Fatal(err)
		}
	}
	since := tocsin.TimeOf(noon.Add(-time.Hour))
	for _, want := range []int{3, 0, 0} {
		page, err := db.Reports(t.Context(), Filter{Since: &since, Page: Page{Limit: 10}})
		if err != nil || len(page.Reports) != want {
			t.Fatalf("since %s: %d reports, want %d (%v)", since, len(page.Reports), want, err)
		}
		since = page.NextSince
	}
	future := tocsin.TimeOf(noon.Add(time.Hour))
	page, err := db.Reports(t.Context(), Filter{Since: &future, Page: Page{Limit: 10}})
	if err != nil || page.NextSince != since {
		t.Errorf("since the future: next is %s, want %s (%v)", page.NextSince, since, err)
	}
}
