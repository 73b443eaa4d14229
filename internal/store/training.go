package store

import (
	"context"
	"encoding/json"

	"tocsin"
)

// TrainingLease is what [DB.LeaseImport] is called with while the model of names is trained: by one process at a time.
const TrainingLease = "model of names"

// TrainingResult is the outcome of a training.
type TrainingResult string

// The results of a training.
const (
	Trained         TrainingResult = "trained"
	TrainingRefused TrainingResult = "refused" // the new model finds clearly less than the former
	TrainingFailed  TrainingResult = "failed"
)

// The reasons for which a training fails or is refused: classes, never the text of others.
const (
	WorseModel   = "worse"       // it finds clearly less of what was listed lately than the former of its own
	FewNames     = "few_names"   // the lists have too few names to learn from
	FailedSaving = "write"       // the file could not be written
	FailedOther  = "interrupted" // anything else
)

// Training is the last training of the model of names.
type Training struct {
	At     tocsin.Time    `json:"at"` // when it ended
	Result TrainingResult `json:"result"`
	Reason string         `json:"reason,omitempty"` // why it was refused or failed; "" if it was not
}

// NoteTraining records the outcome of a training, at the present time.
func (db *DB) NoteTraining(ctx context.Context, t Training) error {
	t.At = db.Now()
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return db.write(ctx, accounts, true, func(ctx context.Context, s *conn) error {
		return setMeta(ctx, s, metaTraining, text)
	})
}

// LastTraining returns the last training by any process; nil if none is on record.
func (db *DB) LastTraining(ctx context.Context) (t *Training, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		t, err = readTraining(ctx, s)
		return err
	})
	return t, err
}

func readTraining(ctx context.Context, s *conn) (*Training, error) {
	text, err := getMeta(ctx, s, metaTraining)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t := &Training{}
	return t, json.Unmarshal(text, t)
}
