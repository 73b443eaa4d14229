package importer

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/lookalike"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

func TestAModelIsTrainedAgainOnceADayAtMost(t *testing.T) {
	now := tocsin.TimeOf(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC))
	ago := func(hours int) time.Time { return now.Std().Add(-time.Duration(hours) * time.Hour) }
	model := func(hours int) *lookalike.Model { return &lookalike.Model{Info: lookalike.Info{Cutoff: ago(hours)}} }
	last := func(hours int, result store.TrainingResult) *store.Training {
		return &store.Training{At: tocsin.TimeOf(ago(hours)), Result: result}
	}
	for about, c := range map[string]struct {
		model *lookalike.Model
		last  *store.Training
		due   bool
	}{
		"no model":                          {nil, nil, true},
		"a model of today":                  {model(23), nil, false},
		"one of yesterday":                  {model(24), last(24, store.Trained), true},
		"refused today":                     {model(50), last(3, store.TrainingRefused), false},
		"refused yesterday":                 {model(50), last(25, store.TrainingRefused), true},
		"failed today":                      {nil, last(3, store.TrainingFailed), false},
		"failed by a clock that was ahead":  {nil, last(-3, store.TrainingFailed), true},
		"another machine has trained today": {model(50), last(3, store.Trained), true},
	} {
		tocsintest.Want(t, about, TrainingDue(now, 24*time.Hour, c.model, c.last), c.due)
	}
}

// TestAServerTrainsWhenAListHasChanged, in the process that refreshes, and not again until the next change.
func TestAServerTrainsWhenAListHasChanged(t *testing.T) {
	var clock tocsintest.Clock
	db := tocsintest.OpenAt(t, &clock, filepath.Join(t.TempDir(), "x.db"))
	runs := 0
	s := &Schedule{
		DB:    db,
		Log:   slog.New(slog.DiscardHandler),
		Model: func() *lookalike.Model { return nil },
		Train: func(ctx context.Context) error {
			runs++
			return RecordTraining(ctx, db, func() error {
				err := RecordTraining(ctx, db, func() error { return nil })
				tocsintest.Want(t, "while another process trains", errors.Is(err, ErrTraining), true)
				return lookalike.ErrTooFew
			})
		},
	}
	try := func(about string, changed bool, after time.Duration, want int) {
		t.Helper()
		clock.Sleep(after)
		s.changed = s.changed || changed
		s.trainIfDue(t.Context())
		tocsintest.Want(t, about, runs, want)
	}
	try("no list has changed", false, 0, 0)
	try("one has", true, 0, 1)
	is, err := db.LastTraining(t.Context())
	tocsintest.Must(t, err)
	tocsintest.Want(t, "how it ended", []any{is.Result, is.Reason, is.At}, []any{store.TrainingFailed, store.FewNames,
		db.Now()})
	try("another change, an hour later", true, time.Hour, 1)
	try("a day later", false, 24*time.Hour, 2)
	try("a day later, without a change", false, 24*time.Hour, 2)
}

func TestWhyATrainingEndedIsOnRecord(t *testing.T) {
	var clock tocsintest.Clock
	db := tocsintest.OpenAt(t, &clock, filepath.Join(t.TempDir(), "x.db"))
	for _, c := range []struct {
		failure error
		is      store.Training
	}{
		{nil, store.Training{Result: store.Trained}},
		{WorseModel{Is: 0.1, Was: 0.2}, store.Training{Result: store.TrainingRefused, Reason: store.WorseModel}},
		{lookalike.ErrTooFew, store.Training{Result: store.TrainingFailed, Reason: store.FewNames}},
		{&fs.PathError{Op: "open", Path: "model", Err: fs.ErrPermission},
			store.Training{Result: store.TrainingFailed, Reason: store.FailedSaving}},
		{errors.New("another"), store.Training{Result: store.TrainingFailed, Reason: store.FailedOther}},
	} {
		tocsintest.Want(t, "the failure", RecordTraining(t.Context(), db, func() error { return c.failure }) == nil,
			c.failure == nil)
		is, err := db.LastTraining(t.Context())
		tocsintest.Must(t, err)
		tocsintest.Want(t, "how it ended", []any{is.Result, is.Reason}, []any{c.is.Result, c.is.Reason})
	}
}

// TestAModelIsTrainedAfterAnyChangeOfAList: also if the list has only lost entries, or the next one has not changed.
func TestAModelIsTrainedAfterAnyChangeOfAList(t *testing.T) {
	var clock tocsintest.Clock
	db := tocsintest.OpenAt(t, &clock, filepath.Join(t.TempDir(), "x.db"))
	var end store.ImportTry
	s := &Schedule{DB: db, Log: slog.New(slog.DiscardHandler),
		Import: func(ctx context.Context, list string) error {
			lease, err := db.LeaseImport(ctx, list)
			tocsintest.Must(t, err)
			defer lease.Release(ctx)
			return lease.End(ctx, end)
		}}
	for about, c := range map[string]struct {
		added, withdrawn int
		changed          bool
	}{"none": {0, 0, false}, "some more": {1, 0, true}, "some less": {0, 1, true}} {
		clock.Sleep(time.Hour)
		s.changed = false
		end = store.ImportTry{List: "spmedia", Added: c.added, Withdrawn: c.withdrawn}
		s.importList(t.Context(), "spmedia")
		end = store.ImportTry{List: "phantom"}
		s.importList(t.Context(), "phantom")
		tocsintest.Want(t, about, s.changed, c.changed)
	}
}

// TestAnInterruptedImportBeginsAnewByItselfOnlyIfItIsPlanned.
func TestAnInterruptedImportBeginsAnewByItselfOnlyIfItIsPlanned(t *testing.T) {
	try := store.ImportTry{List: "spmedia", Reason: store.Interrupted}
	const why = "See why the process ended, such as for lack of memory; "
	tocsintest.Want(t, "by hand", Remedy(try),
		why+"`tocsin import spmedia` begins it anew, and so does a server with -refresh")
	try.Next = new(tocsin.Time)
	tocsintest.Want(t, "planned", Remedy(try), why+"the import begins anew by itself")
}

// TestAListThatLosesATenthIsAWarning, since a file that has broken off looks like that.
func TestAListThatLosesATenthIsAWarning(t *testing.T) {
	var clock tocsintest.Clock
	db := tocsintest.OpenAt(t, &clock, filepath.Join(t.TempDir(), "x.db"))
	var log strings.Builder
	end := store.ImportTry{List: "spmedia"}
	s := &Schedule{DB: db, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Import: func(ctx context.Context, list string) error {
			lease, err := db.LeaseImport(ctx, list)
			tocsintest.Must(t, err)
			defer lease.Release(ctx)
			return lease.End(ctx, end)
		}}
	for withdrawn, want := range map[int]string{99: "level=INFO", 340: "percentWithdrawn=34 remedy="} {
		clock.Sleep(time.Hour)
		end.ListSize = tocsin.ListSize{Entries: 1000 - withdrawn, Peak: 1000}
		log.Reset()
		s.importList(t.Context(), "spmedia")
		if !strings.Contains(log.String(), want) || (withdrawn > 99) != strings.Contains(log.String(), "level=WARN") {
			t.Errorf("%d of 1000: %s", withdrawn, &log)
		}
	}
}

// TestAnImportThatCannotSayWhyItFailedWaitsLongerEachTime: a minute at first, and never longer than the interval.
func TestAnImportThatCannotSayWhyItFailedWaitsLongerEachTime(t *testing.T) {
	var clock tocsintest.Clock
	db := tocsintest.OpenAt(t, &clock, filepath.Join(t.TempDir(), "x.db"))
	s := &Schedule{DB: db, Every: 5 * time.Minute, Log: slog.New(slog.DiscardHandler),
		Import: func(context.Context, string) error { return errors.New("the disk is full") }}
	for _, minutes := range []time.Duration{1, 2, 4, 5, 5} {
		s.importList(t.Context(), "spmedia")
		tocsintest.Want(t, "wait", s.failed["spmedia"].until.Sub(db.Now().Std()), minutes*time.Minute)
	}
}

// TestTheFirstListThatIsDueIsImported: none that goes on, that has just failed without a record, or while all is
// read-only.
func TestTheFirstListThatIsDueIsImported(t *testing.T) {
	var clock tocsintest.Clock
	db := tocsintest.Open(t, &clock)
	s := &Schedule{DB: db, Every: 6 * time.Hour, Lists: []string{"ofac", "spmedia"}, failed: map[string]failedRun{}}
	due := func(about, want string) {
		t.Helper()
		is, err := s.due(t.Context())
		tocsintest.Must(t, err)
		tocsintest.Want(t, about, is, want)
	}
	at := func(wait time.Duration) *tocsin.Time { at := tocsin.TimeOf(clock.Now().Add(wait)); return &at }
	due("nothing is known of them", "ofac")
	s.failed["ofac"] = failedRun{1, clock.Now().Add(time.Minute)}
	due("the first has just failed", "spmedia")
	clock.Sleep(time.Minute)
	due("a minute later", "ofac")
	lease, err := db.LeaseImport(t.Context(), "ofac")
	tocsintest.Must(t, err)
	tocsintest.Must(t, lease.End(t.Context(), store.ImportTry{List: "ofac", Next: at(time.Hour)}))
	tocsintest.Must(t, lease.Release(t.Context()))
	due("the first was imported", "spmedia")
	lease, err = db.LeaseImport(t.Context(), "spmedia")
	tocsintest.Must(t, err)
	tocsintest.Must(t, lease.Begin(t.Context(), store.ImportTry{List: "spmedia"}, nil))
	due("the second goes on", "")
	tocsintest.Must(t, lease.End(t.Context(), store.ImportTry{List: "spmedia", Next: at(2 * time.Hour)}))
	tocsintest.Must(t, lease.Release(t.Context()))
	clock.Sleep(time.Hour - time.Microsecond)
	due("not quite an hour later", "")
	clock.Sleep(time.Microsecond)
	due("an hour later", "ofac")
	_, err = db.SetReadOnly(t.Context(), store.Operator{Name: "eve"}, true)
	tocsintest.Must(t, err)
	due("while all is read-only", "")
}

// TestAnImportThatSucceedsEndsTheWaitForFailures: the next failure waits as a first one.
func TestAnImportThatSucceedsEndsTheWaitForFailures(t *testing.T) {
	var clock tocsintest.Clock
	db, succeeds := tocsintest.OpenAt(t, &clock, filepath.Join(t.TempDir(), "x.db")), false
	s := &Schedule{DB: db, Every: time.Hour, Log: slog.New(slog.DiscardHandler)}
	s.Import = func(ctx context.Context, list string) error {
		if !succeeds {
			return errors.New("the disk is full")
		}
		lease, err := db.LeaseImport(ctx, list)
		tocsintest.Must(t, err)
		defer lease.Release(ctx)
		return lease.End(ctx, store.ImportTry{List: list})
	}
	for _, succeeds = range []bool{false, false, true, false} {
		clock.Sleep(time.Minute)
		s.importList(t.Context(), "spmedia")
	}
	tocsintest.Want(t, "wait", s.failed["spmedia"].until.Sub(db.Now().Std()), time.Minute)
}
