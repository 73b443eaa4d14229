package importer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"tocsin"
	"tocsin/internal/lookalike"
	"tocsin/internal/store"
)

// RetrainEvery is how old a model is at least before a server trains another: what a day adds hardly changes it.
const RetrainEvery = 24 * time.Hour

// ErrTraining is the error of a training while another process trains on the same lists.
var ErrTraining = errors.New("another process is training a model on these lists")

// TrainingDue reports whether a model is so old that another is to be trained, and nobody has tried in vain since. The
// model is nil if there is none, the last training if none is on record. A machine whose file is old trains also if
// another one has trained lately: the files are not shared.
func TrainingDue(now tocsin.Time, every time.Duration, model *lookalike.Model, last *store.Training) bool {
	recent := func(at time.Time) bool { age := now.Std().Sub(at); return age >= 0 && age < every }
	if model != nil && recent(model.Cutoff) {
		return false
	}
	return last == nil || last.Result == store.Trained || !recent(last.At.Std())
}

// RecordTraining calls train while no other process trains on the lists of the database, and records how that ended. A
// process that ends in the middle, perhaps since it needs too much memory, has failed.
func RecordTraining(ctx context.Context, db *store.DB, train func() error) error {
	lease, err := db.LeaseImport(ctx, store.TrainingLease)
	if errors.Is(err, store.ErrImporting) {
		return ErrTraining
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
	var worse WorseModel
	var unsaved *fs.PathError
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

// WorseModel is the error of a model that finds clearly less of what was listed lately than the former.
type WorseModel lookalike.Comparison

// Error implements error.
func (w WorseModel) Error() string {
	finds := fmt.Sprintf("the new model finds %.1f %% of what was listed in the last 60 days that its lists cover, and "+
		"the former found %.1f %%", 100*w.Is, 100*w.Was)
	if w.Names > 0 {
		finds = fmt.Sprintf("of %d names that were listed since the former was trained, the new model finds %.1f %% and the "+
			"former %.1f %%", w.Names, 100*w.Is, 100*w.Was)
	}
	return finds + ": the former is kept. Are the lists complete? -force replaces it"
}
