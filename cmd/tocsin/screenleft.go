package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/sheet"
	"tocsin/internal/store"
)

// leftAccounts are the accounts of a table that are not screened, because their column is not read.
type leftAccounts struct {
	sanctioned []sheet.Left // at most maxLeft
	count      int          // of the sanctioned, each time that one is there
	err        error
}

// maxLeft is how many of them are named.
const maxLeft = 10

// add looks whether an account is sanctioned.
func (a *leftAccounts) add(ctx context.Context, db *store.DB, l sheet.Left) {
	d, err := db.AboutSubject(ctx, l.Subject, store.Page{})
	if err != nil {
		a.err = err
		return
	}
	if slices.ContainsFunc(d.Listings, func(l tocsin.Listing) bool { return l.Kind == tocsin.Sanction }) {
		if a.count++; len(a.sanctioned) < maxLeft {
			a.sanctioned = append(a.sanctioned, l)
		}
	}
}

// print warns of them.
func (a *leftAccounts) print(out io.Writer, table sheet.Layout) error {
	if a == nil || table.Beside == 0 {
		return nil
	}
	if a.err != nil {
		return a.err
	}
	are := "accounts in the same lines were"
	if table.Beside == 1 {
		are = "account in the same lines was"
	}
	how, where := "put each on a line of its own", ""
	if len(table.Columns) > 0 {
		var read, left, counts []string
		for _, c := range table.Columns {
			name := oneLine(c.Name, 40)
			if c.Read {
				read = append(read, name)
			}
			if c.Beside > 0 {
				left, counts = append(left, name), append(counts, fmt.Sprintf("%s (%d)", name, c.Beside))
			}
		}
		where = ", by column " + strings.Join(counts, ", ")
		how = fmt.Sprintf("choose the columns with -columns %q", strings.Join(append(read, left...), ","))
	}
	_, err := fmt.Fprintf(out, "Warning: %d %s not screened%s: %s\n", table.Beside, are, where, how)
	if err != nil || a.count == 0 {
		return err
	}
	var named []string
	for _, l := range a.sanctioned {
		text := fmt.Sprintf("%s in line %d", l.Subject.Plain(), l.Number)
		if l.Column < len(table.Names) {
			text += ", column " + oneLine(table.Names[l.Column], 40)
		}
		named = append(named, text)
	}
	if a.count > len(named) {
		named = append(named, "…")
	}
	_, err = fmt.Fprintf(out, "Warning: of the accounts that were not screened, %d sanctioned: %s\n", a.count,
		strings.Join(named, "; "))
	return err
}
