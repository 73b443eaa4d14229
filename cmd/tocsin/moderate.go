package main

import (
	"context"
	"fmt"
	"strings"

	"tocsin"
	"tocsin/internal/store"
)

// moderateFlags are those of report hide and report restore.
type moderateFlags struct {
	*commandLine
	selectionFlags
	operatorFlags
	yes bool

	done   string        // what happens to the reports: "hidden"
	from   tocsin.Status // of the reports that a selection means if it does not say
	to     tocsin.Status
	change func(*store.DB, context.Context, store.Operator, ...string) error
}

func newReportHide(c *commandLine) runFunc {
	return newModerate(&moderateFlags{commandLine: c, done: "hidden", from: tocsin.Published, to: tocsin.Hidden,
		change: (*store.DB).Hide})
}

func newReportRestore(c *commandLine) runFunc {
	return newModerate(&moderateFlags{commandLine: c, done: "restored", from: tocsin.Hidden, to: tocsin.Published,
		change: (*store.DB).Restore})
}

func newModerate(f *moderateFlags) runFunc {
	f.selectionFlags.register(f.FlagSet)
	f.operatorFlags.register(f.FlagSet)
	f.BoolVar(&f.yes, "yes", false, "do it; without this, a selection by flags is only shown")
	return f.run
}

// shownOfSelection is how many reports of a selection are shown before it is changed.
const shownOfSelection = 10

func (f *moderateFlags) run(ctx context.Context, e env) error {
	selects := f.selectionFlags.given()
	switch {
	case selects && len(f.args) > 0:
		return usage("name reports, or select them by flags, not both")
	case !selects && len(f.args) == 0:
		return usage("name at least one report, or select reports by flags such as -agent")
	}
	by, err := f.by(e)
	if err != nil {
		return err
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	ids, already := f.args, map[string]bool{} // those that need no change: no act is about them
	sources := map[string]string{}
	for _, id := range ids {
		report, err := db.AnyReport(ctx, id)
		if err != nil {
			return err
		}
		already[id], sources[id] = report.Status == f.to, report.Source
	}
	if selects {
		sel, err := f.selectionFlags.parse(ctx, db)
		if err != nil {
			return err
		}
		if sel.Status == "" {
			sel.Status = f.from
		}
		found, err := f.find(ctx, db, sel, shownOfSelection)
		if err != nil {
			return err
		}
		if ids = found.IDs; len(ids) == 0 {
			fmt.Fprintln(e.stdout, "No report is selected.")
			return nil
		}
		if !f.yes {
			if sel.Source != "" { // who names it knows what it is
				found.OfLists = 0
			}
			return preview(e, f.done, found)
		}
	}
	if err := f.change(db, ctx, by, ids...); err != nil {
		return err
	}
	if selects {
		_, err := fmt.Fprintf(e.stdout, "%s %s\n", f.done, counted(len(ids), "report"))
		return err
	}
	for _, id := range ids {
		if already[id] {
			fmt.Fprintf(e.stdout, "already %s: %s\n", f.to, id)
		} else {
			entries, err := entriesToo(ctx, db, id, sources[id])
			if err != nil {
				return err
			}
			fmt.Fprintf(e.stdout, "%s %s%s\n", f.done, id, entries)
		}
	}
	return nil
}

// shownEntries is how many of the entries that were hidden with a report are named.
const shownEntries = 5

// entriesToo says which entries of its list were hidden together with a report, and how only one of several is cleared;
// "" for none.
func entriesToo(ctx context.Context, db *store.DB, id, list string) (string, error) {
	subjects, err := db.HiddenWith(ctx, id)
	if err != nil || len(subjects) == 0 {
		return "", err
	}
	var names []string
	for _, subject := range subjects[:min(len(subjects), shownEntries)] {
		names = append(names, subject.String())
	}
	if more := len(subjects) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	if len(names) == 1 {
		return fmt.Sprintf(", with the entry of %s for %s", list, names[0]), nil
	}
	last := len(names) - 1
	return fmt.Sprintf(", with the entries of %s for %s and %s\nTo clear only one: tocsin report restore %s, "+
		"and tocsin safelist add SUBJECT", list, strings.Join(names[:last], ", "), names[last], id), nil
}

// preview shows the first of the reports that would be changed, how many there are, and how many of them are of lists,
// whose entries change with them.
func preview(e env, done string, found store.Selected) error {
	first, all, lists := found.First, len(found.IDs), ""
	switch n := found.OfLists; {
	case n == 0:
	case n == all:
		lists = " (of lists, with their entries)"
	default:
		lists = fmt.Sprintf(" (%d of lists, with their entries; -source community leaves those out)", n)
	}
	fmt.Fprintf(e.stdout, "%s would be %s%s:\n\n", counted(all, "report"), done, lists)
	if err := printReports(e.stdout, first); err != nil {
		return err
	}
	if more := all - len(first); more > 0 {
		fmt.Fprintf(e.stdout, "and %d more\n", more)
	}
	_, err := fmt.Fprintln(e.stdout, "\nNothing was changed. Add -yes to do it.")
	return err
}

// counted says how many there are: "1 report", "12 reports".
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

type eraseFlags struct {
	*commandLine
	operatorFlags
	yes bool
}

func newReportErase(c *commandLine) runFunc {
	f := &eraseFlags{commandLine: c}
	f.operatorFlags.register(f.FlagSet)
	f.BoolVar(&f.yes, "yes", false, "do it; it cannot be undone. Without this, the reports are only shown")
	return f.run
}

func (f *eraseFlags) run(ctx context.Context, e env) error {
	if len(f.args) == 0 {
		return usage("name at least one report")
	}
	by, err := f.erases(e, f.yes)
	if err != nil {
		return err
	}
	ctx, stop := untilSignal(ctx)
	defer stop()
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if !f.yes {
		reports := make([]tocsin.Report, len(f.args))
		for i, id := range f.args {
			if reports[i], err = db.AnyReport(ctx, id); err != nil {
				return err
			}
		}
		return preview(e, "erased for good", store.Selected{First: reports, IDs: f.args})
	}
	before := map[string]bool{} // erased; doing it again removes what traces an error has left
	for _, id := range f.args {
		r, err := db.AnyReport(ctx, id)
		before[id] = err == nil && r.Status == tocsin.Erased
	}
	erased, open, err := db.Erase(ctx, by, f.args...)
	for _, id := range erased {
		what := "erased"
		if before[id] {
			what = "was erased already:"
		}
		fmt.Fprintf(e.stdout, "%s %s\n", what, id)
	}
	if err != nil {
		return err
	}
	if open > 0 {
		fmt.Fprintf(e.stderr, "Not gone yet: the URL of %s that is not settled names a subject of them, until it ends; "+
			"tocsin payments shows which.\n", counted(open, "payment"))
	}
	_, err = fmt.Fprint(e.stderr, "Their text is gone from every table of this database.\n"+beyondReach)
	return err
}

// beyondReach is what may still have what was erased.
const beyondReach = `What this program cannot reach may still have it:
- backups and replicas of the database: delete those from before now, or erase it there as well
- what others have downloaded or paid for, search engines and archives
- blocks that the file system has freed but not overwritten, and its snapshots
- with PostgreSQL: space in its files that is free but not overwritten (VACUUM FULL report, report_words, agent writes
  these tables anew and locks them meanwhile), the write-ahead log and its archive
- logs, and your own notes, such as the reasons that tocsin log shows
`
