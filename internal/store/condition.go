package store

import (
	"context"
	"errors"
	"time"
)

// ModelState is the state of the read model.
type ModelState string

// The states of the read model.
const (
	ModelOff      ModelState = "off"       // there is none, see [Memory.Model]: the database is asked
	ModelLoading  ModelState = "loading"   // the database is asked until it is loaded
	ModelLoaded   ModelState = "loaded"    // it answers
	ModelTooLarge ModelState = "too large" // it was dropped, as it takes more than [Memory.Model]: the database is asked
)

// Condition is the state of a DB, for probes and metrics. Reading it does not access the database.
type Condition struct {
	Outage *Outage       // why the database must not be used, or memory must not answer; nil for no reason
	Lag    time.Duration // how long ago the log of changes was read

	Model      ModelState
	ModelBytes int // that the read model takes
	Subjects   int // that it knows
	Changed    int // of them, those of which the database is asked until their records were read again
	// ModelFault is why the read model could not be loaded, and is tried again; nil if it could.
	ModelFault error

	Waiting int    // writes that wait for a commit or are in one
	Writes  uint64 // so far, those that failed included
	Commits uint64 // so far: many writes share one

	LogBytes int64 // of the write-ahead log; 0 on a server, which has its own
}

// Condition returns the state of the database.
func (db *DB) Condition() Condition {
	c := Condition{
		Lag:      db.monotonic() - time.Duration(db.log.readMonotonic.Load()),
		Model:    db.model.state(),
		Waiting:  int(db.waiting.Load()),
		Writes:   db.writesEnded.Load(),
		Commits:  db.groups.Load(),
		LogBytes: db.dialect.logBytes(),
	}
	errors.As(db.current(), &c.Outage)
	if current := db.model.current.Load(); current != nil {
		c.ModelBytes, c.Subjects = current.Bytes(), current.Subjects()
	}
	if fault := db.model.failure.Load(); fault != nil {
		c.ModelFault = *fault
	}
	db.model.mu.Lock()
	c.Changed = len(db.model.changed)
	db.model.mu.Unlock()
	return c
}

// Readable returns why what is on record cannot be read as a whole: the numbers of the service, or, of a damaged
// database, what the read model holds or any call has read. It is nil if all of that was read last, and nothing was
// found damaged since the database was opened.
func (db *DB) Readable(ctx context.Context) error {
	if _, err := db.Stats(ctx); err != nil {
		return err
	}
	for _, fault := range []*error{db.model.failure.Load(), db.damage.Load()} {
		if fault != nil && damaged(*fault) {
			return *fault
		}
	}
	return nil
}

// Probe reads from the database. An error is that of the database, or says that a newer program has changed its
// schema meanwhile, which this one must not go on with.
func (db *DB) Probe(ctx context.Context) error {
	return db.read(ctx, primary, func(s *conn) error {
		version, err := db.dialect.schemaNumber(ctx, s)
		if err == nil && version > schemaVersion {
			err = NewerSchema{version}
		}
		return err
	})
}
