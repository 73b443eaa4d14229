package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"tocsin"
)

// Respelled returns, for each text, the account on record that it is but for the case of its letters; the zero Subject
// if none is, or if as much is on record under the spelling of the text: then both were meant. What a list names counts
// more than what is only reported. Only what a list names displaces a text that is a valid account itself: anybody can
// report one that differs from it in case.
//
// The index of subjects is by their values, so the first letters are looked for in both cases: a few ranges, in each of
// which hardly anything is.
func (db *DB) Respelled(ctx context.Context, texts ...string) ([]tocsin.Subject, error) {
	meant := make([]tocsin.Subject, len(texts))
	var asked []int // of the texts that may be respelled
	var alike [][]tocsin.Subject
	err := db.read(ctx, replica, func(s *conn) error {
		asked, alike = nil, nil
		for i, text := range texts {
			r, ok := tocsin.ReadRespelled(text)
			if !ok {
				continue
			}
			found, err := readRespelled(ctx, s, r)
			if err != nil {
				return err
			}
			if len(found) > 0 {
				asked, alike = append(asked, i), append(alike, found)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read accounts in another spelling: %w", err)
	}
	for n, i := range asked {
		own, fault := tocsin.ParseSubject(texts[i])
		if bare, ok := tocsin.BareSolana(texts[i]); ok {
			own, fault = bare, nil
		}
		most := 0
		if fault == nil {
			if most, err = db.weightOnRecord(ctx, own); err != nil {
				return nil, err
			}
			most = max(most, 1)
		}
		for _, account := range alike[n] {
			if most == listed { // nothing counts more
				break
			}
			weight, err := db.weightOnRecord(ctx, account)
			if err != nil {
				return nil, err
			}
			if weight > most {
				meant[i], most = account, weight
			}
		}
	}
	return meant, nil
}

// listed is the weight of a subject that lists name.
const listed = 2

// weightOnRecord is [listed] for a subject that lists name, 1 for one with reports alone, and 0 for one that is not on
// record.
func (db *DB) weightOnRecord(ctx context.Context, subject tocsin.Subject) (int, error) {
	d, err := db.AboutSubject(ctx, subject, Page{})
	switch {
	case err != nil:
		return 0, err
	case len(d.Listings) > 0:
		return listed, nil
	case d.ReportCount > 0:
		return 1, nil
	}
	return 0, nil
}

// readRespelled returns the accounts that a text may mean, in the order of their values.
func readRespelled(ctx context.Context, s *conn, r tocsin.Respelled) (accounts []tocsin.Subject, err error) {
	starts, lower := r.Starts()
	var alike []string
	var args []any
	for _, kind := range r.Kinds {
		args = append(args, string(kind), lower)
		alike = append(alike, fmt.Sprintf("kind = $%d AND value = $%d", len(args)-1, len(args)))
		for _, start := range starts {
			last := len(start) - 1
			args = append(args, string(kind), start, start[:last]+string(start[last]+1))
			n := len(args)
			alike = append(alike, fmt.Sprintf("kind = $%d AND value >= $%d AND value < $%d", n-2, n-1, n))
		}
	}
	err = s.each(ctx, "SELECT kind, value FROM subject WHERE "+strings.Join(alike, " OR ")+" ORDER BY kind, value", args,
		func(rows *sql.Rows) error {
			var account tocsin.Subject
			err := rows.Scan(&account.Kind, &account.Value)
			if r.Means(account) {
				accounts = append(accounts, account)
			}
			return err
		})
	return accounts, err
}
