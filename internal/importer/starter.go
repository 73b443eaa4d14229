package importer

import (
	"context"
	"errors"
	"fmt"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/store"
)

// ownStarter is on record of a starter set that the operator has read from a file: the program leaves it as it is.
const ownStarter = "own"

// LoadStarter imports what is missing of the starter set: its sanctions where OFAC's list was never imported, the rest
// where it was never imported or is that of another version of the program. If the program was killed before an import
// was complete, the next start completes it. While the database is read-only or the clock is doubted, it is left for
// the next start: what is on record can be served.
func LoadStarter(ctx context.Context, db *store.DB) error {
	if halted, err := db.ReadOnly(ctx); err != nil || halted {
		return err
	}
	err := errors.Join(importStarter(ctx, db, feed.OFAC), importStarter(ctx, db, feed.StarterList))
	if outage := (*store.Outage)(nil); errors.As(err, &outage) && outage.Part == "clock" {
		return nil
	}
	return err
}

// hasStarter reports whether there is nothing to load of one of the lists of the starter set.
func hasStarter(ctx context.Context, db *store.DB, name string) (has bool, err error) {
	has, err = db.Imported(ctx, name)
	if err != nil || !has || name != feed.StarterList {
		return has, err
	}
	loaded, err := db.Validators(ctx, name)
	return string(loaded) == feed.StarterDigest() || string(loaded) == ownStarter, err
}

// importStarter imports one of the lists of the starter set, unless it is there.
func importStarter(ctx context.Context, db *store.DB, name string) (err error) {
	if has, err := hasStarter(ctx, db, name); has || err != nil {
		return err
	}
	source, found := feed.Find(name)
	if !found {
		return fmt.Errorf("there is no list %q", name)
	}
	lease, err := Lease(ctx, db, name, func() error { return nil })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(ctx)) }()
	if has, err := hasStarter(ctx, db, name); has || err != nil { // perhaps by the one who had the lease before
		return err
	}
	im, err := db.Import(ctx, source.List)
	if err != nil {
		return err
	}
	defer im.Close()
	im.Under(lease)
	read, err := source.Read(ctx, feed.Starter(), db.Now().Std(), feed.Sink{Entry: im.Add})
	if err != nil {
		return err
	}
	if name == feed.OFAC {
		at, _, fault := tocsin.ParseDay(feed.StarterDate)
		if fault != nil {
			return fault
		}
		read.Date = &at // later sanctions are unknown, and the age of the list must show that
	} else {
		im.Validators([]byte(feed.StarterDigest()))
	}
	im.Version(read)
	_, err = im.Finish(ctx, true, nil) // what is in the program is the list, however much was dropped
	return err
}
