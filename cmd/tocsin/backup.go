package main

import (
	"context"
	"fmt"
	"strings"

	"tocsin/internal/store"
)

func newBackup(c *commandLine) runFunc {
	return func(ctx context.Context, e env) error { return backup(ctx, e, c) }
}

func backup(ctx context.Context, e env, c *commandLine) error {
	if len(c.args) != 1 || c.args[0] == "" {
		return usage("name the new file to write")
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	db, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	copied, err := db.Backup(ctx, c.args[0])
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "%s: %s; %.1f MB, checked\n", c.args[0], contents(copied), float64(copied.Bytes)/1e6)
	return err
}

// contents says what a database or a copy holds.
func contents(c store.Copied) string {
	return strings.Join([]string{counted(c.Reports, "report"), counted(c.Listings, "listing"), counted(c.Agents, "agent"),
		counted(c.Keys, "key"), counted(c.Payments, "payment")}, ", ")
}

func newRestore(c *commandLine) runFunc {
	return func(ctx context.Context, e env) error {
		if len(c.args) != 1 || c.args[0] == "" {
			return usage("name the backup, and the new database with -db")
		}
		ctx, stop := untilSignal(ctx)
		defer stop()
		copied, err := store.Restore(ctx, c.args[0], c.db)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "%s: %s; %.1f MB, checked\n", c.db, contents(copied), float64(copied.Bytes)/1e6)
		return err
	}
}

func newCheck(c *commandLine) runFunc {
	return func(ctx context.Context, e env) error { return check(ctx, e, c) }
}

// check prints what is wrong with a database, a line each.
func check(ctx context.Context, e env, c *commandLine) error {
	if err := c.noArgs(); err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	db, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	bar := newProgress(e.stderr)
	defer bar.end()
	checked, err := db.Check(ctx, bar.step("checking "+db.Name()))
	bar.end()
	for _, fault := range checked.Faults {
		if _, err := fmt.Fprintln(e.stdout, oneLine(fault, 1000)); err != nil {
			return err
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("the check ended early: %w", err)
	case len(checked.Faults) > 0:
		return fmt.Errorf("%s is not sound: stop the server, and restore a copy, or the lists and reports that it lacks",
			db.Name())
	}
	_, err = fmt.Fprintf(e.stdout, "%s is sound: %s\n", db.Name(), contents(checked.Copied))
	return err
}
