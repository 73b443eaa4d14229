package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/sheet"
	"tocsin/internal/store"
)

// leftAccounts are the accounts of a table that are not screened, because their column is not read.
type leftAccounts struct {
	sanctioned []sheet.Left // at most maxLeft
	count      int          // of the sanctioned, each time that one is there
	respelled  []string     // sanctioned accounts of lines that have their letters in the wrong case
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

// addMeant takes the account that a line without a subject means, if it is sanctioned.
func (a *leftAccounts) addMeant(l sheet.Line, meant *answer.Answer) {
	if a != nil && meant != nil && len(meant.Sanctions) > 0 {
		a.respelled = append(a.respelled, fmt.Sprintf("%s in line %d", l.Meant.Plain(), l.Number))
	}
}

// print warns of them.
func (a *leftAccounts) print(out io.Writer, table sheet.Layout) error {
	if a == nil {
		return nil
	}
	if a.err != nil {
		return a.err
	}
	if n := len(a.respelled); n > 0 {
		more := ""
		if n > maxLeft {
			more = "; …"
		}
		fmt.Fprintf(out, "Warning: lines that mean a sanctioned account, with letters in the wrong case: %d: %s%s\n", n,
			strings.Join(a.respelled[:min(n, maxLeft)], "; "), more)
	}
	if table.Beside == 0 {
		return nil
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

// refused is a line of `screen -json` about an input that names no subject.
type refused struct {
	Subject string `json:"subject"`
	Error   string `json:"error"`
	// Meant is the account on record of which the input has the letters in the wrong case, and Sanctioned and Result say
	// what it is; all are missing if it means none.
	Meant      string        `json:"meant,omitempty"`
	Sanctioned *bool         `json:"sanctioned,omitempty"`
	Result     tocsin.Result `json:"meantResult,omitempty"`
}

func newRefused(text, why string, meant *answer.Answer) refused {
	r := refused{Subject: text, Error: why}
	if meant != nil {
		sanctioned := len(meant.Sanctions) > 0
		r.Meant, r.Sanctioned, r.Result = meant.Subject.String(), &sanctioned, meant.Result
	}
	return r
}
