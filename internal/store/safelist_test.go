package store

import (
	"errors"
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
	remove := func(subject tocsin.Subject) {
		im, err := s.Import(t.Context(), tocsin.List{Name: "own", Family: "own"})
		do(t, err)
		defer im.Close()
		im.Change(warden, RemovedSafe, []tocsin.Subject{subject}, []tocsin.Subject{subject})
		do(t, second(im.Finish(t.Context(), false, nil)))
		s.sleep(24 * time.Hour)
	}
	below := tocsin.Subject{Kind: tocsin.DNS, Value: "pay." + evil.Value}
	equal(t, "before", of(evil), "none")
	entry(tocsin.UnderReview, evil)
	equal(t, "under review", of(evil), "under-review false 2026-03-04")
	equal(t, "a name below it", of(below), "under-review false 2026-03-04")
	entry("shop", evil)
	equal(t, "accepted", of(evil), "shop false 2026-03-05")
	entry("shop", below)
	remove(below)
	equal(t, "that of a name above it before its own, which ended", of(below), "shop false 2026-03-05")
	entry("shop")
	equal(t, "taken off", of(evil), "shop true 2026-03-08")
	entry("shop", below)
	equal(t, "in force before ended", of(below), "shop false 2026-03-09")
	s.keep.History = minHistory
	s.sleep(minHistory)
	equal(t, "forgotten", of(evil), "none")
}

// TestAFileDoesNotTakeOffWhatWasAddedByHand, unless that is forced. Only who takes it off by hand has decided about it.
func TestAFileDoesNotTakeOffWhatWasAddedByHand(t *testing.T) {
	s := fresh(t)
	other := tocsin.Subject{Kind: tocsin.DNS, Value: "other.example"}
	run := func(action Action, force bool, subjects ...tocsin.Subject) error {
		s.sleep(24 * time.Hour)
		im, err := s.Import(t.Context(), tocsin.List{Name: "own", Family: "own"})
		do(t, err)
		defer im.Close()
		im.Dated()
		for _, subject := range subjects {
			if action != RemovedSafe {
				do(t, im.Add(tocsin.Entry{Listing: &tocsin.Listing{Subject: subject, Kind: tocsin.Safe,
					Category: tocsin.UnderReview}}))
			}
		}
		switch action {
		case AddedSafe:
			im.Change(warden, action, subjects, nil)
		case RemovedSafe:
			im.Change(warden, action, subjects, subjects)
		default:
			im.By(warden)
		}
		return second(im.Finish(t.Context(), force, nil))
	}
	removed := func() bool {
		e, err := s.SafelistEntry(t.Context(), "own", evil)
		do(t, err)
		return e.Ended && e.Removed
	}
	do(t, run(ImportedList, false, other))
	do(t, run(AddedSafe, false, evil))
	err := run(ImportedList, false, other)
	equal(t, "refused", fmt.Sprint(errors.Is(err, ErrAddedByHand), err), "true "+ErrAddedByHand.Error()+
		", so nothing was changed: "+evil.Value+" (under-review since 2026-03-06). Add them to the file, or import it with "+
		"-force")
	do(t, run(RemovedSafe, false, evil))
	equal(t, "by hand", removed(), true)
	do(t, run(AddedSafe, false, evil))
	do(t, run(ImportedList, true, other))
	equal(t, "by a file", removed(), false)
	acts, err := s.Acts(t.Context(), ActFilter{Subject: &evil, Limit: 10})
	do(t, err)
	equal(t, "the last act about it", acts[len(acts)-1].Action, ForcedImport)
	do(t, run(ImportedList, false, other, evil))
	do(t, run(ImportedList, false, other)) // a file put it there
}
