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

func reportListFlags(f *flags) {
	f.IntVar(&f.limit, "limit", 50, "list at most `N`")
	f.StringVar(&f.from, "source", "", "only reports of this `SOURCE`: community, or the name of a list")
	f.BoolVar(&f.json, "json", false, "one JSON object a line")
}

func reportList(ctx context.Context, w world, f *flags) error {
	if err := f.none(); err != nil {
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
	page, err := db.Reports(ctx, store.Filter{Source: f.from, Any: true, Page: store.Page{Limit: f.limit}})
	if err != nil {
		return err
	}
	if f.json {
		return printLines(w, page.Reports)
	}
	t := tabwriter.NewWriter(w.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "ID\tRECORDED\tSTATUS\tSOURCE\tREPORTER\tCRIME TYPE\tTITLE")
	for _, r := range page.Reports {
		fmt.Fprintf(t, "%s\t%sZ\t%s\t%s\t%s\t%s\t%s\n", r.ID, r.CreatedAt.String()[:19], r.Status, r.Source, reporter(r), r.CrimeType, oneLine(r.Title, 60))
	}
	return t.Flush()
}

func reporter(r tocsin.Report) string {
	if r.Reporter == nil {
		return "-"
	}
	return r.Reporter.ID
}

func printLines[T any](w world, items []T) error {
	e := json.NewEncoder(w.out)
	e.SetEscapeHTML(false)
	for _, item := range items {
		if err := e.Encode(item); err != nil {
			return err
		}
	}
	return nil
}

// oneLine makes a stranger's text fit a table.
func oneLine(s string, width int) string {
	return tocsin.Shorten(strings.Join(strings.Fields(tocsin.CleanText(s)), " "), width)
}

func reportShow(ctx context.Context, w world, f *flags) error {
	if len(f.args) != 1 {
		return usage("name one report")
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	r, err := db.AnyReport(ctx, f.args[0])
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.out, "%s\n", text)
	return err
}

func reportHide(ctx context.Context, w world, f *flags) error {
	return moderate(ctx, w, f, "hidden", (*store.DB).Hide)
}

func reportRestore(ctx context.Context, w world, f *flags) error {
	return moderate(ctx, w, f, "restored", (*store.DB).Restore)
}

func moderate(ctx context.Context, w world, f *flags, done string, do func(*store.DB, context.Context, string) error) error {
	if len(f.args) == 0 {
		return usage("name at least one report")
	}
	db, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, id := range f.args {
		if err := do(db, ctx, id); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		fmt.Fprintf(w.out, "%s %s\n", done, id)
	}
	return nil
}
