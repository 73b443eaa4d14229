package importer

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"tocsin"
	"tocsin/internal/lookalike"
	"tocsin/internal/store"
)

// Schedule imports lists when they are due, one after the other, and trains a model of names when they have changed.
type Schedule struct {
	DB     *store.DB
	Every  time.Duration
	Lists  []string // the first one that is due comes first
	Log    *slog.Logger
	Import func(ctx context.Context, list string) error  // imports a list if it is due, with a record of how that ended
	Look   <-chan time.Time                              // when to look whether one is due
	Ended  func(list string, at tocsin.Time) (logs bool) // notes that the end of a try is logged; nil for nobody to tell

	Train func(ctx context.Context) error // trains a model if one is due, likewise
	Model func() *lookalike.Model         // the one in use; nil for none

	failed  map[string]failedRun // those that could not even record why
	changed bool                 // a list has, since a model was trained
}

// failedRun is a list whose import has ended without a record.
type failedRun struct {
	times int
	until time.Time // it is not run again before
}

// Run works until the context ends.
func (s *Schedule) Run(ctx context.Context) {
	for ctx.Err() == nil {
		list, err := s.due(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			s.Log.Warn("refresh: the database does not say which lists are due", "error", said(err))
		case list != "":
			s.importList(ctx, list)
			continue
		default:
			s.trainIfDue(ctx)
		}
		select {
		case <-s.Look:
		case <-ctx.Done():
		}
	}
}

// due returns the first list that is due; "" if none is.
func (s *Schedule) due(ctx context.Context) (string, error) {
	if halted, err := s.DB.ReadOnly(ctx); halted || err != nil {
		return "", err
	}
	tries, err := s.DB.ImportTries(ctx)
	if err != nil {
		return "", err
	}
	now := s.DB.Now()
	for _, list := range s.Lists {
		var last store.ImportTry
		if i := slices.IndexFunc(tries, func(t store.ImportTry) bool { return t.List == list }); i >= 0 {
			last = tries[i]
		}
		read, err := s.DB.ListRead(ctx, list)
		if err != nil {
			return "", err
		}
		at := last.DueAt(now, s.Every, read)
		if until := s.failed[list].until; until.After(at) {
			at = until
		}
		if !last.Running && !now.Std().Before(at) {
			return list, nil
		}
	}
	return "", nil
}

// importList imports a list and logs how that ended.
func (s *Schedule) importList(ctx context.Context, list string) {
	before, _ := s.DB.ImportTry(ctx, list)
	began := s.DB.Now()
	err := s.Import(ctx, list)
	if ctx.Err() != nil {
		return
	}
	try, unread := s.DB.ImportTry(ctx, list)
	if s.Ended != nil && unread == nil && !try.Running {
		s.Ended(list, try.At)
	}
	switch {
	case unread != nil || try.Running || try.At == before.At: // nothing was recorded
		f := s.failed[list]
		f.times++
		f.until = began.Std().Add(min(time.Minute<<min(f.times-1, 20), s.Every))
		if s.failed == nil {
			s.failed = map[string]failedRun{}
		}
		s.failed[list] = f
		if err == nil { // another process does it
			return
		}
		s.Log.Warn("refresh: the import has ended", "list", list, "error", said(err))
		return
	case try.Reason != "":
		s.Log.Log(ctx, FailureLevel(try), "refresh: the import of a list failed; what it said last is kept",
			"list", list, "reason", try.Reason, "failures", try.Failures, "next", next(try), "error", said(err),
			"remedy", Remedy(try))
	default:
		s.changed = s.changed || try.Added+try.Withdrawn > 0
		s.Log.Log(ctx, EndLevel(try), "refreshed", "list", list, "unchanged", try.Unchanged, "added", try.Added,
			"withdrawn", try.Withdrawn, "refused", try.Refused, "next", next(try), LossAttr(try))
	}
	delete(s.failed, list)
}

// FailureLevel is the level at which a failed import is logged: that a list cannot be read is an error when it begins,
// and a warning as long as it lasts.
func FailureLevel(try store.ImportTry) slog.Level {
	if try.Failures > 1 {
		return slog.LevelWarn
	}
	return slog.LevelError
}

// EndLevel is the level at which an import that has worked is logged: one that withdrew an unusual part of its list is
// a warning.
func EndLevel(try store.ImportTry) slog.Level {
	if try.UnusualLoss() > 0 {
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// LossAttr says in the log how many percent of a list an import withdrew, if that is unusual, and what to do.
func LossAttr(try store.ImportTry) slog.Attr {
	percent := try.UnusualLoss()
	if percent == 0 {
		return slog.Attr{}
	}
	return slog.Group("", slog.Int("percentWithdrawn", percent), slog.String("remedy",
		"look at the list: if the file was not whole, `tocsin import "+try.List+"` brings back what it lacked"))
}

// Remedy says what the operator does about a failed import.
func Remedy(try store.ImportTry) string {
	switch try.Reason {
	case store.FailedShrunk:
		return "Look at the list; if it is right, accept it with `tocsin import -force " + try.List + "`"
	case store.FailedOlder, store.FailedUndated:
		return "If this version is right, take it with `tocsin import -older " + try.List + "`"
	case store.FailedRead:
		return "Its file is damaged, or has another form than before: `tocsin import " + try.List + "` tries it at once " +
			"and says more; -from reads a copy that is right"
	case store.FailedWrite:
		return "See what the log says of the database"
	case store.Interrupted:
		again := "`tocsin import " + try.List + "` begins it anew, and so does a server with -refresh"
		if try.Next != nil {
			again = "the import begins anew by itself"
		}
		return "See why the process ended, such as for lack of memory; " + again
	}
	return "See whether its server answers, and the network to it; `tocsin import " + try.List +
		"` tries it at once and says more"
}

// next is when a list is tried again, for the log.
func next(try store.ImportTry) string {
	if try.Next == nil {
		return ""
	}
	return try.Next.String()[:19] + "Z"
}

// said is what a process said of its failure, "" if it did not fail. It may quote servers and files.
func said(err error) string {
	if err == nil {
		return ""
	}
	return tocsin.CleanText(err.Error())
}

// trainIfDue trains a model if one is due, and logs how that ended.
func (s *Schedule) trainIfDue(ctx context.Context) {
	if !s.changed {
		return
	}
	last, err := s.DB.LastTraining(ctx)
	halted, unread := s.DB.ReadOnly(ctx)
	if err != nil || unread != nil || halted || !TrainingDue(s.DB.Now(), RetrainEvery, s.Model(), last) {
		return
	}
	s.changed = false
	failure := s.Train(ctx)
	training, err := s.DB.LastTraining(ctx)
	switch {
	case ctx.Err() != nil || err != nil:
	case failure != nil || training == nil:
		s.Log.Warn("no new model of names was trained; the one in use stays", "error", said(failure))
	default:
		s.Log.Info("a model of names was trained", "result", string(training.Result))
	}
}
