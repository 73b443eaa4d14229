package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tocsin/internal/store"
)

func newListStatus(c *commandLine) runFunc {
	return func(ctx context.Context, e env) error { return listStatus(ctx, e, c) }
}

// listStatus prints what the page /status says of lists: each that is on record, or that could not be imported.
func listStatus(ctx context.Context, e env, c *commandLine) error {
	if err := c.noArgs(); err != nil {
		return err
	}
	db, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	st, err := db.Stats(ctx)
	if err != nil {
		return err
	}
	tries := map[string]store.ImportTry{}
	for _, t := range st.Tries {
		tries[t.List] = t
	}
	var old []string
	t := newTable(5, "LIST", "ENTRIES", "REPORTS", "LAST READ", "VERSION", "LAST TRY")
	for _, l := range st.Lists {
		read, version := since(st, l.Imported.Std()), "-"
		if l.Version.Date != nil {
			version = l.Version.Day()
		}
		if l.OutOfDate(st.AsOf) {
			read += ", out of date"
			old = append(old, l.Name)
		}
		t.add(l.Name, strconv.Itoa(l.Listings), strconv.Itoa(l.Reports), read, version, tried(st, tries[l.Name]))
		delete(tries, l.Name)
	}
	for _, try := range st.Tries {
		if _, unread := tries[try.List]; unread {
			t.add(try.List, "0", "0", "never", "-", tried(st, try))
		}
	}
	if err := t.print(e.stdout); err != nil || len(old) == 0 {
		return err
	}
	_, err = fmt.Fprintf(e.stderr, "Out of date: %s. Read a list again with \"tocsin import %s\"; "+
		"\"tocsin serve -refresh 6h\" does it by itself.\n", strings.Join(old, ", "), old[0])
	return err
}

// tried says how the last try to import a list has ended.
func tried(st store.Stats, t store.ImportTry) string {
	switch percent := t.UnusualLoss(); {
	case t.At.Std().IsZero():
		return "-"
	case t.Running:
		return "is being read now"
	case t.Reason != "":
		lacks := ""
		if percent > 0 {
			lacks = "; lacks " + strconv.Itoa(percent) + " %"
		}
		return "failed " + since(st, t.At.Std()) + " (" + t.Reason + "), " + counted(max(1, t.Failures), "time") +
			" in a row" + lacks
	case percent > 0:
		return "withdrew " + strconv.Itoa(percent) + " %"
	case t.Unchanged:
		return "not changed"
	}
	return "added " + strconv.Itoa(t.Added) + ", withdrew " + strconv.Itoa(t.Withdrawn)
}

// since says how long before the numbers something was, in minutes from an hour on.
func since(st store.Stats, at time.Time) string {
	d := max(0, st.AsOf.Std().Sub(at))
	if d > time.Hour {
		return strings.TrimSuffix(age(d.Round(time.Minute)), "0s") + " ago"
	}
	return age(d) + " ago"
}
