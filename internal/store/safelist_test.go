package store

import (
	"fmt"
	"testing"
	"time"

	"tocsin"
)

// TestTheLastEntryOfASafelistIsKnown: what it is now, or was when it was taken off, and when that was, for as long as
// history is kept.
func TestTheLastEntryOfASafelistIsKnown(t *testing.T) {
	s := fresh(t)
	of := func(subject tocsin.Subject) string {
		e, err := s.SafelistEntry(t.Context(), "own", subject)
		do(t, err)
		if e == nil {
			return "none"
		}
		return fmt.Sprint(e.Category, " ", e.Ended, " ", e.Changed.String()[:10])
	}
	entry := func(category string, subjects ...tocsin.Subject) {
		var entries []tocsin.Entry
		for _, subject := range subjects {
			entries = append(entries, tocsin.Entry{Listing: &tocsin.Listing{Subject: subject, Kind: tocsin.Safe,
				Category: category}})
		}
		im, err := s.Import(t.Context(), tocsin.List{Name: "own", Family: "own"})
		do(t, err)
		defer im.Close()
		for _, e := range entries {
			do(t, im.Add(e))
		}
		if len(entries) > 0 {
			im.Change(warden, AddedSafe, subjects, nil)
		}
		do(t, second(im.Finish(t.Context(), true, nil)))
		s.sleep(24 * time.Hour)
	}
	below := tocsin.Subject{Kind: tocsin.DNS, Value: "pay." + evil.Value}
	equal(t, "before", of(evil), "none")
	entry(tocsin.UnderReview, evil)
	equal(t, "under review", of(evil), "under-review false 2026-03-04")
	equal(t, "a name below it", of(below), "under-review false 2026-03-04")
	entry("shop", evil)
	equal(t, "accepted", of(evil), "shop false 2026-03-05")
	entry("shop")
	equal(t, "taken off", of(evil), "shop true 2026-03-06")
	entry("shop", below)
	equal(t, "in force before ended", of(below), "shop false 2026-03-07")
	s.keep.History = minHistory
	s.sleep(minHistory)
	equal(t, "forgotten", of(evil), "none")
}
