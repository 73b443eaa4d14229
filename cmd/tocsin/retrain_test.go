package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
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
		tocsintest.Want(t, about, trainingDue(now, 24*time.Hour, c.model, c.last), c.due)
	}
}

// TestAServerTrainsWhenAListHasChanged, in the process that refreshes, and not again until the next change.
func TestAServerTrainsWhenAListHasChanged(t *testing.T) {
	var clock tocsintest.Clock
	db := tocsintest.OpenAt(t, &clock, filepath.Join(t.TempDir(), "x.db"))
	detector, runs := lookalike.NewDetector(tocsintest.Brands(), nil), 0
	r := &refresher{db: db, log: slog.New(slog.DiscardHandler), trainer: &trainer{
		model: &modelFile{detector: detector},
		run: func(ctx context.Context) error {
			runs++
			return underLease(ctx, db, func() error {
				err := underLease(ctx, db, func() error { return nil })
				tocsintest.Want(t, "while another process trains", errors.Is(err, errTraining), true)
				return lookalike.ErrTooFew
			})
		},
	}}
	try := func(about string, changed bool, after time.Duration, want int) {
		t.Helper()
		clock.Sleep(after)
		r.trainer.changed = r.trainer.changed || changed
		r.trainIfDue(t.Context())
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

// TestHowATrainingEndedIsOnRecord: what was refused, and why, is on the status page of a server.
func TestHowATrainingEndedIsOnRecord(t *testing.T) {
	m := newMachine(t)
	m.must("import", "spmedia", "-from", m.write("list.txt", "one-tocsin.com"))
	m.fails(exitFailure, "too few names", "train")
	s := m.serve()
	training := func() map[string]any {
		return s.call("/status", "", nil).body["names"].(map[string]any)["lastTraining"].(map[string]any)
	}
	m.want("it failed", []any{training()["result"], training()["reason"]}, []any{"failed", "few_names"})
	_, page := s.page("/status")
	m.want("the page says so", strings.Contains(page, "the lists have too few names to learn from"), true)
	m.want("again within a day", strings.Contains(m.must("train", "-every", "24h"), "not due"), true)
	tocsintest.Want(t, "a model", fileExists(filepath.Join(m.dir, "tocsin.db.model")), false)
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// TestAModelIsTrainedAfterAnyChangeOfAList: also if the list has only lost entries.
func TestAModelIsTrainedAfterAnyChangeOfAList(t *testing.T) {
	var clock tocsintest.Clock
	db := tocsintest.OpenAt(t, &clock, filepath.Join(t.TempDir(), "x.db"))
	var end store.ImportTry
	r := &refresher{db: db, log: slog.New(slog.DiscardHandler), failed: map[string]failedRun{}, trainer: &trainer{},
		run: func(ctx context.Context, list string) error {
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
		r.trainer.changed = false
		end = store.ImportTry{List: "spmedia", Added: c.added, Withdrawn: c.withdrawn}
		r.importList(t.Context(), "spmedia")
		tocsintest.Want(t, about, r.trainer.changed, c.changed)
	}
}

// TestAnImportThatCannotSayWhyItFailedWaitsLongerEachTime: a minute at first, and never longer than the interval.
func TestAnImportThatCannotSayWhyItFailedWaitsLongerEachTime(t *testing.T) {
	var clock tocsintest.Clock
	db := tocsintest.OpenAt(t, &clock, filepath.Join(t.TempDir(), "x.db"))
	r := &refresher{db: db, every: 5 * time.Minute, log: slog.New(slog.DiscardHandler), failed: map[string]failedRun{},
		run: func(context.Context, string) error { return errors.New("the disk is full") }}
	for _, minutes := range []time.Duration{1, 2, 4, 5, 5} {
		r.importList(t.Context(), "spmedia")
		tocsintest.Want(t, "wait", r.failed["spmedia"].until.Sub(db.Now().Std()), minutes*time.Minute)
	}
}
