package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"tocsin/internal/store"
)

// migrateFlags say which database is moved where.
type migrateFlags struct {
	*commandLine
	from, to string
}

func newMigrate(c *commandLine) runFunc {
	f := &migrateFlags{commandLine: c}
	c.StringVar(&f.from, "from", "", "the database `FILE` that is moved; it stays as it is")
	c.StringVar(&f.to, "to", "", "the `URL` of an empty PostgreSQL database, postgres://user:password@host:5432/name")
	return f.run
}

func (f *migrateFlags) run(ctx context.Context, e env) error {
	if err := f.noArgs(); err != nil {
		return err
	}
	switch {
	case f.from == "" || strings.Contains(f.from, "://"):
		return usage("name the database file with -from")
	case !strings.Contains(f.to, "://"):
		return usage("name the PostgreSQL database with -to, as in postgres://user:password@host:5432/name")
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	db, err := store.Open(ctx, f.from, store.Options{MustExist: true, AcceptClock: true})
	if err != nil {
		return err
	}
	defer db.Close()
	bar := newProgress(e.stderr)
	defer bar.end()
	moved, err := db.MoveTo(ctx, f.to, bar.step("copying "+f.from))
	if err != nil {
		return err
	}
	bar.end()
	table := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "TABLE\tROWS\tSHA-256 OF BOTH")
	for _, m := range moved {
		fmt.Fprintf(table, "%s\t%d\t%s\n", m.Table, m.Rows, m.Sum)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(e.stderr, "All rows were read again and are the same. Serve the new database, and put the file "+
		"away: what is written to it from now on is not in the new one.")
	return err
}
