package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"tocsin"
	"tocsin/internal/lookalike"
	"tocsin/internal/store"
)

// retrainEvery is how old a model is at least before a server trains another: what a day adds hardly changes it.
const retrainEvery = 24 * time.Hour

// errTraining is the error of a training while another process trains on the same lists.
var errTraining = errors.New("another process is training a model on these lists")

// trainingDue reports whether a model is so old that another is to be trained, and nobody has tried in vain since. The
// model is nil if there is none, the last training if none is on record. A machine whose file is old trains also if
// another one has trained lately: the files are not shared.
func trainingDue(now tocsin.Time, every time.Duration, model *lookalike.Model, last *store.Training) bool {
	recent := func(at time.Time) bool { age := now.Std().Sub(at); return age >= 0 && age < every }
	if model != nil && recent(model.Cutoff) {
		return false
	}
	return last == nil || last.Result == store.Trained || !recent(last.At.Std())
}

// underLease calls train while no other process trains on the lists of the database, and records how that ended. A
// process that ends in the middle, perhaps since it needs too much memory, has failed.
func underLease(ctx context.Context, db *store.DB, train func() error) error {
	lease, err := db.LeaseImport(ctx, store.TrainingLease)
	if errors.Is(err, store.ErrImporting) {
		return errTraining
	}
	if err != nil {
		return err
	}
	defer lease.Release(ctx)
	if err := db.NoteTraining(ctx, store.Training{Result: store.TrainingFailed, Reason: store.FailedOther}); err != nil {
		return err
	}
	failure := train()
	result := store.Training{Result: store.TrainingFailed, Reason: store.FailedOther}
	var worse worseModel
	var unsaved *os.PathError
	switch {
	case failure == nil:
		result = store.Training{Result: store.Trained}
	case errors.As(failure, &worse):
		result = store.Training{Result: store.TrainingRefused, Reason: store.WorseModel}
	case errors.Is(failure, lookalike.ErrTooFew):
		result.Reason = store.FewNames
	case errors.As(failure, &unsaved):
		result.Reason = store.FailedSaving
	}
	return errors.Join(failure, db.NoteTraining(context.WithoutCancel(ctx), result))
}

// worseModel is the error of a model that finds clearly less of what was listed lately than the former.
type worseModel lookalike.Comparison

// Error implements error.
func (w worseModel) Error() string {
	finds := fmt.Sprintf("the new model finds %s of what was listed in the last 60 days that its lists cover, and the "+
		"former found %s", percent(w.Is), percent(w.Was))
	if w.Names > 0 {
		finds = fmt.Sprintf("of %d names that were listed since the former was trained, the new model finds %s and the "+
			"former %s", w.Names, percent(w.Is), percent(w.Was))
	}
	return finds + ": the former is kept. Are the lists complete? -force replaces it"
}

// trainer trains a model, in a process of its own, when lists have changed.
type trainer struct {
	model *modelFile
	run   func(ctx context.Context) error

	changed bool // a list has, since a model was trained
}

// trainIfDue trains a model if one is due, and logs how that ended.
func (r *refresher) trainIfDue(ctx context.Context) {
	t := r.trainer
	if t == nil || !t.changed {
		return
	}
	last, err := r.db.LastTraining(ctx)
	halted, unread := r.db.ReadOnly(ctx)
	if err != nil || unread != nil || halted || !trainingDue(r.db.Now(), retrainEvery, t.model.detector.Model(), last) {
		return
	}
	t.changed = false
	failure := t.run(ctx)
	training, err := r.db.LastTraining(ctx)
	switch {
	case ctx.Err() != nil || err != nil:
	case failure != nil || training == nil:
		r.log.Warn("no new model of names was trained; the one in use stays", "error", said(failure))
	default:
		r.log.Info("a model of names was trained", "result", string(training.Result))
	}
}
