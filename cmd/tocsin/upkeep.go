package main

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/health"
	"tocsin/internal/importer"
	"tocsin/internal/store"
)

// upkeepLook is how often a server looks whether an import or a backup has ended, and whether there is a new model.
const upkeepLook = 5 * time.Second

// upkeepLog writes into the log of a server how imports and backups ended that other processes have made: those of a
// timer, and those by hand. It takes a new model of names into use, whoever has written it. For the last day of the
// status it notes whether the read model and the facilitator work, whether all is read-only, and which imports
// failed.
type upkeepLog struct {
	db    *store.DB
	log   *slog.Logger
	model *modelFile // that names are judged by; nil for none
	board *health.Board
	api   *api.Server // nil for none

	failed  int64                      // imports of all lists and processes
	failing bool                       // the last import of some list failed
	known   map[string]store.ImportTry // of each list at the last look
	backup  tocsin.Time
	started bool

	mu    sync.Mutex             // of tries, which the schedule of imports asks as well, by first
	tries map[string]tocsin.Time // when the last try of each list ended that is logged
}

// begin looks every five seconds, until the context ends.
func (l *upkeepLog) begin(ctx context.Context) {
	tick := time.NewTicker(upkeepLook)
	defer tick.Stop()
	l.follow(ctx, tick.C)
}

// follow looks until the context ends. What had ended before is not logged.
func (l *upkeepLog) follow(ctx context.Context, look <-chan time.Time) {
	for {
		l.look(ctx)
		select {
		case <-look:
		case <-ctx.Done():
			return
		}
	}
}

// markModel notes whether answers come from memory. That the model is loaded, by a start or anew after an erasure, is
// no failure.
func (l *upkeepLog) markModel(c store.Condition) {
	if c.Model != store.ModelLoading || c.ModelFault != nil {
		l.board.Mark(health.ReadModel, c.Model == store.ModelLoaded || c.Model == store.ModelOff)
	}
}

// look logs what has ended since it looked last. While the database cannot be read it says nothing: that is logged
// elsewhere, and what ended meanwhile is logged later.
func (l *upkeepLog) look(ctx context.Context) {
	if l.model != nil {
		l.model.followLogged(l.log)
	}
	l.markModel(l.db.Condition())
	if l.api != nil {
		if f := l.api.Payments().Facilitator; f != nil && f.Reachable != nil {
			l.board.Mark(health.Facilitator, *f.Reachable)
		}
	}
	st, err := l.db.Stats(ctx)
	if err != nil {
		return
	}
	l.board.Mark(health.Mode, !st.ReadOnly)
	l.markImports(st.Tries)
	for _, try := range st.Tries {
		if try.Running {
			continue
		}
		imports, worst := l.since(try)
		if !l.first(try.List, try.At) || !l.started {
			continue
		}
		switch {
		case try.Reason != "":
			l.log.Log(ctx, importer.FailureLevel(try), "the import of a list failed; what it said last is kept", "list",
				try.List, "reason", try.Reason, "durationMs", try.Lasted.Milliseconds(), imports, "remedy", importer.Remedy(try))
		default:
			l.log.Log(ctx, max(worst, importer.EndLevel(try)), "list imported", "list", try.List, "unchanged",
				try.Unchanged, "added", try.Added, "withdrawn", try.Withdrawn, "refused", try.Refused,
				"durationMs", try.Lasted.Milliseconds(), imports, importer.LossAttr(try))
		}
	}
	if l.started && st.Backup.At != l.backup {
		l.log.Info("backup made")
	}
	l.backup, l.started = st.Backup.At, true
}

// since says how many imports of a list have ended since the last look, if these are several, and how many of them have
// failed, or withdrawn an unusual part of the list, which is a warning: only the last one is on record.
func (l *upkeepLog) since(try store.ImportTry) (several slog.Attr, worst slog.Level) {
	if l.known == nil {
		l.known = map[string]store.ImportTry{}
	}
	before, known := l.known[try.List]
	l.known[try.List] = try
	if !known || try.Tries <= before.Tries+1 {
		return several, slog.LevelDebug
	}
	of, worst := []any{slog.Int64("imports", try.Tries-before.Tries)}, slog.LevelDebug
	if n := try.Failed - before.Failed; n > 0 {
		of, worst = append(of, slog.Int64("failed", n)), slog.LevelWarn
	}
	if n := try.Shrunk - before.Shrunk; n > 0 {
		of, worst = append(of, slog.Int64("shrunk", n)), slog.LevelWarn
	}
	return slog.Group("", of...), worst
}

// markImports notes whether the last import of each list worked, and how many have failed since the last look.
func (l *upkeepLog) markImports(tries []store.ImportTry) {
	failed, failing := int64(0), false
	for _, try := range tries {
		inARow, all := try.Counts()
		failed, failing = failed+all, failing || inARow > 0
	}
	l.board.Mark(health.Imports, !failing)
	if l.started {
		if l.failed < failed && failing && !l.failing {
			l.failed++ // the board has counted it
		}
		l.board.Note(health.Imports, int(failed-l.failed))
	}
	l.failed, l.failing = failed, failing
}

// first reports whether the end of a try is not logged yet, and remembers that it is.
func (l *upkeepLog) first(list string, at tocsin.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tries == nil {
		l.tries = map[string]tocsin.Time{}
	}
	if l.tries[list] == at {
		return false
	}
	l.tries[list] = at
	return true
}
