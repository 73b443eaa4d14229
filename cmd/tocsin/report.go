package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"tocsin"
)

type reportListFlags struct {
	*commandLine
	selectionFlags
	limit int
	json  bool
}

func newReportList(c *commandLine) runFunc {
	f := &reportListFlags{commandLine: c}
	f.selectionFlags.register(f.FlagSet)
	f.IntVar(&f.limit, "limit", 50, "list at most `N` reports")
	f.BoolVar(&f.json, "json", false, "print one JSON object per line")
	return f.run
}

func (f *reportListFlags) run(ctx context.Context, e env) error {
	if err := f.noArgs(); err != nil {
		return err
	}
	if f.limit < 1 {
		return usage("-limit %d is less than one", f.limit)
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	sel, err := f.selectionFlags.parse(ctx, db)
	if err != nil {
		return err
	}
	found, err := f.find(ctx, db, sel, f.limit)
	if err != nil {
		return err
	}
	if f.json {
		return printLines(e, found.First)
	}
	if err := printReports(e.stdout, found.First); err != nil {
		return err
	}
	if more := len(found.IDs) - len(found.First); more > 0 {
		fmt.Fprintf(e.stderr, "%d more; -limit shows them.\n", more)
	}
	return nil
}

// printReports prints a table of reports.
func printReports(out io.Writer, reports []tocsin.Report) error {
	t := newTable(6, "ID", "RECORDED", "STATUS", "FROM", "CRIME TYPE", "NAMES", "TITLE")
	for _, r := range reports {
		from := r.Source
		if r.Reporter != nil {
			from = r.Reporter.ID
		} else if from == tocsin.Community {
			from = "anonymous"
		}
		t.add(r.ID, minutes(r.CreatedAt), string(r.Status), tocsin.Shorten(from, 20),
			cmp.Or(string(r.CrimeType), "-"), namedBy(r), cmp.Or(r.Title, "-"))
	}
	return t.print(out)
}

// namedBy says whom a report names: the first, and how many more; "-" for nobody.
func namedBy(r tocsin.Report) string {
	var all []string
	for _, subject := range r.Subjects() {
		name := []rune(oneLine(subject.Plain(), maxCell))
		switch { // the ends of an address are what people know, and of a site
		case subject.IsAddress():
			name = slices.Concat(name[:min(6, len(name))], []rune{'…'}, name[max(0, len(name)-4):])
		case len(name) > 24:
			name = slices.Concat(name[:9], []rune{'…'}, name[len(name)-14:])
		}
		all = append(all, string(name))
	}
	switch all = append(all, r.ReportedHandles...); len(all) {
	case 0:
		return "-"
	case 1:
		return all[0]
	}
	return fmt.Sprintf("%s +%d", tocsin.Shorten(all[0], 24), len(all)-1)
}

// printLines prints items as JSON, one per line.
func printLines[T any](e env, items []T) error {
	lines := json.NewEncoder(e.stdout)
	lines.SetEscapeHTML(false)
	for _, item := range items {
		if err := lines.Encode(item); err != nil {
			return err
		}
	}
	return nil
}

func newReportShow(c *commandLine) runFunc {
	return func(ctx context.Context, e env) error { return reportShow(ctx, e, c) }
}

func reportShow(ctx context.Context, e env, c *commandLine) error {
	if len(c.args) != 1 {
		return usage("name one report")
	}
	db, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	r, err := db.AnyReport(ctx, c.args[0])
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.stdout, "%s\n", text)
	return err
}
