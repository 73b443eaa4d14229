package main

import (
	"context"
	"errors"
	"fmt"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/store"
)

// loadStarter imports the starter set into an empty database. If the program was
// killed before the import was complete, the next start completes it.
func loadStarter(ctx context.Context, db *store.DB) error {
	names := []string{feed.OFAC, feed.StarterList}
	empty, err := db.Empty(ctx, names...)
	if err != nil || !empty {
		return err
	}
	for _, name := range names {
		if err := loadStarterList(ctx, db, name); err != nil {
			return err
		}
	}
	return nil
}

// loadStarterList imports one of the lists of the starter set, unless it was imported before.
func loadStarterList(ctx context.Context, db *store.DB, name string) (err error) {
	source, found := feed.Find(name)
	if !found {
		return fmt.Errorf("there is no list %q", name)
	}
	lease, err := leaseImport(ctx, db, name, func() error { return nil })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lease.Release(ctx)) }()
	if done, err := db.Imported(ctx, name); done || err != nil { // perhaps by the one who had the lease before
		return err
	}
	im, err := db.Import(ctx, source.List)
	if err != nil {
		return err
	}
	defer im.Close()
	im.Under(lease)
	if name == feed.OFAC {
		at, _, fault := tocsin.ParseDay(feed.StarterDate)
		if fault != nil {
			return fault
		}
		im.AsOf(at) // later sanctions are unknown, and the age of the list must show that
	}
	if err := source.Read(ctx, feed.Starter(), db.Now().Std(), feed.Sink{Entry: im.Add}); err != nil {
		return err
	}
	_, err = im.Finish(ctx, false, nil)
	return err
}
