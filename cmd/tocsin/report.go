package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"tocsin"
	"tocsin/internal/store"
)

type reportListFlags struct {
	*commandLine
	limit  int
	source string
	json   bool
}

func newReportList(c *commandLine) runFunc {
	f := &reportListFlags{commandLine: c}
	f.IntVar(&f.limit, "limit", 50, "list at most `N` reports")
	f.StringVar(&f.source, "source", "", "only reports of this `SOURCE`: community, or the name of a list")
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
	reports, err := f.newest(ctx, db)
	if err != nil {
		return err
	}
	if f.json {
		return printLines(e, reports)
	}
	t := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tRECORDED\tSTATUS\tSOURCE\tREPORTER\tCRIME TYPE\tTITLE")
	for _, r := range reports {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.ID, seconds(r.CreatedAt), r.Status, r.Source, reporter(r),
			r.CrimeType, oneLine(r.Title, 60))
	}
	return t.Flush()
}

// newest reads as many reports as are asked for, page by page.
func (f *reportListFlags) newest(ctx context.Context, db *store.DB) (reports []tocsin.Report, err error) {
	filter := store.Filter{Source: f.source, Any: true}
	for len(reports) < f.limit {
		filter.Limit = f.limit - len(reports)
		page, err := db.Reports(ctx, filter)
		if err != nil {
			return nil, err
		}
		reports = append(reports, page.Reports...)
		if filter.Cursor = page.NextCursor; filter.Cursor == "" {
			break
		}
	}
	return reports, nil
}

// reporter returns the public id of the agent that filed a report, "-" for none.
func reporter(r tocsin.Report) string {
	if r.Reporter == nil {
		return "-"
	}
	return r.Reporter.ID
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

// oneLine makes untrusted text fit a column of a table, without line breaks and
// without control characters that a terminal would obey.
func oneLine(s string, width int) string {
	return tocsin.Shorten(strings.Join(strings.Fields(tocsin.CleanText(s)), " "), width)
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

func newReportHide(c *commandLine) runFunc { return moderate(c, "hidden", (*store.DB).Hide) }

func newReportRestore(c *commandLine) runFunc { return moderate(c, "restored", (*store.DB).Restore) }

// moderate returns a command that changes the status of reports.
func moderate(c *commandLine, done string, change func(*store.DB, context.Context, string) error) runFunc {
	return func(ctx context.Context, e env) error {
		if len(c.args) == 0 {
			return usage("name at least one report")
		}
		db, err := c.open(ctx)
		if err != nil {
			return err
		}
		defer db.Close()
		for _, id := range c.args {
			if err := change(db, ctx, id); err != nil {
				return fmt.Errorf("%s: %w", id, err)
			}
			fmt.Fprintf(e.stdout, "%s %s\n", done, id)
		}
		return nil
	}
}
