package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tocsin/internal/health"
	"tocsin/internal/store"
)

func newBackup(c *commandLine) runFunc {
	record := c.Bool("record", false, "write no file: record that another program, such as pg_dump, has made a copy now")
	return func(ctx context.Context, e env) error { return backup(ctx, e, c, *record) }
}

func backup(ctx context.Context, e env, c *commandLine, record bool) error {
	if wrong := c.noArgs(); record && wrong != nil {
		return wrong
	} else if !record && (len(c.args) != 1 || c.args[0] == "") {
		return usage("name the new file to write")
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	db, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if record {
		if err := db.NoteBackup(ctx); err != nil {
			return err
		}
		_, err := fmt.Fprintf(e.stdout, "recorded: a backup of %s was made now\n", db.Name())
		return err
	}
	begun := time.Now()
	copied, err := db.Backup(ctx, c.args[0])
	if err != nil {
		return err
	}
	if err := db.NoteBackup(ctx); err != nil { // the copy is whole all the same
		fmt.Fprintf(e.stderr, "The time of this backup was not recorded, so /status shows an older one: %s\n", printable(err))
	}
	_, err = fmt.Fprintf(e.stdout, "%s: %s; %.1f MB, checked, %s\n", c.args[0], contents(copied),
		float64(copied.Bytes)/1e6, took(begun))
	return err
}

// took says how long a command has taken, for the log that a timer keeps of it.
func took(begun time.Time) string {
	return "took " + time.Since(begun).Round(time.Millisecond).String()
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
		begun := time.Now()
		copied, err := store.Restore(ctx, c.args[0], c.db)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "%s: %s; %.1f MB, checked, %s\n", c.db, contents(copied), float64(copied.Bytes)/1e6,
			took(begun))
		if err == nil && copied.ReadOnly {
			_, err = fmt.Fprintln(e.stdout, "It is read-only, as it was when it was copied. To end that: tocsin read-only off")
		}
		return err
	}
}

func newCheck(c *commandLine) runFunc {
	return func(ctx context.Context, e env) error {
		err := check(ctx, e, c)
		if store.Damaged(err) { // which says what to do about the database of a server
			return errors.New(strings.Replace(err.Error(), health.Damaged, ifCopy+"s"+health.Damaged[1:], 1))
		}
		return err
	}
}

// ifCopy is what to do about a file that is not sound, before what is to do otherwise.
const ifCopy = "If this is a copy, delete it and make a new one. If it is the database of a server, "

// check prints what is wrong with a database, a line each.
func check(ctx context.Context, e env, c *commandLine) error {
	if len(c.args) > 0 {
		return usage("check takes no argument: name the database with -db %s", c.args[0])
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	db, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	begun := time.Now()
	bar := newProgress(e.stderr)
	defer bar.end()
	checked, err := db.Check(ctx, bar.step("checking "+db.Name()))
	bar.end()
	for _, fault := range checked.Faults {
		if _, err := fmt.Fprintln(e.stdout, oneLine(fault, 1000)); err != nil {
			return err
		}
	}
	unsound := fmt.Errorf("%s is not sound. "+ifCopy+"stop it, and restore a copy, or the lists and reports that it lacks",
		db.Name())
	switch {
	case store.Damaged(err):
		return err
	case err != nil && len(checked.Faults) > 0:
		return fmt.Errorf("the check ended early (%w); %w", err, unsound)
	case err != nil:
		return fmt.Errorf("the check ended early: %w", err)
	case len(checked.Faults) > 0:
		return unsound
	}
	if _, err = fmt.Fprintf(e.stdout, "%s is sound: %s, %s\n", db.Name(), contents(checked.Copied),
		took(begun)); err != nil {
		return err
	}
	switch {
	case checked.Backup.Made():
		_, err = fmt.Fprintf(e.stdout, "Last backup: %s, %s ago\n", seconds(checked.Backup.At),
			age(db.Now().Std().Sub(checked.Backup.At.Std())))
	case checked.Backup.Files:
		_, err = fmt.Fprintln(e.stdout, "Last backup: none on record; make one with tocsin backup FILE")
	}
	return err
}

// age writes how long ago something was: in days from two days on.
func age(d time.Duration) string {
	if days := int(d / (24 * time.Hour)); days > 1 {
		return counted(days, "day")
	}
	return d.Round(time.Second).String()
}
