package store

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"tocsin"
)

// Withdraw withdraws a report for the holder of its manage token. Withdrawing it
// twice changes nothing.
func (db *DB) Withdraw(ctx context.Context, id, token string) error {
	var manage []byte // it never changes, so it is looked at before anything waits for a commit
	var is tocsin.Status
	err := db.read(ctx, primary, func(s *conn) error {
		return s.row(ctx, "SELECT manage, status FROM report WHERE id = $1", []any{id}, &manage, &is)
	})
	switch {
	case missing(err):
		return noReport(id)
	case err != nil:
		return err
	case len(manage) == 0 || subtle.ConstantTimeCompare(manage, tokenHash(token)) != 1:
		return &tocsin.Error{
			Code:   tocsin.Forbidden,
			Detail: "The header x-manage-token does not hold the manage token of this report",
			Fields: []tocsin.Fault{
				{
					Field:  "x-manage-token",
					Reason: "it is missing, or belongs to another report",
					Fix:    "send the manageToken that was answered when the report was filed",
				},
			},
		}
	case is == tocsin.Withdrawn: // and stays so
		return nil
	}
	return db.setStatus(ctx, id, tocsin.Withdrawn, ReportWithdrawn, tocsin.Published, tocsin.Hidden, tocsin.Withdrawn)
}

// Hide takes a report out of sight and out of every score, for the operator.
func (db *DB) Hide(ctx context.Context, id string) error {
	return db.setStatus(ctx, id, tocsin.Hidden, ReportHidden, tocsin.Published, tocsin.Hidden)
}

// Restore brings a hidden report back.
func (db *DB) Restore(ctx context.Context, id string) error {
	return db.setStatus(ctx, id, tocsin.Published, ReportRestored, tocsin.Published, tocsin.Hidden)
}

// setStatus changes a report whose status is one of from.
func (db *DB) setStatus(ctx context.Context, id string, to tocsin.Status, op Op, from ...tocsin.Status) error {
	var r row
	return db.write(ctx, evidence, true, func(ctx context.Context, s *conn) error {
		r = row{}
		var is tocsin.Status
		var published int64
		err := s.row(
			ctx,
			`SELECT seq, status, published, coalesce(list, 0), coalesce(agent, 0), body FROM report WHERE id = $1`,
			[]any{id},
			&r.seq,
			&is,
			&published,
			&r.list,
			&r.agent,
			&r.body,
		)
		if missing(err) {
			return noReport(id)
		}
		if err != nil {
			return err
		}
		if !slices.Contains(from, is) {
			return &tocsin.Error{Code: tocsin.Invalid, Detail: fmt.Sprintf("the report is %s, and stays so", is)}
		}
		if is == to {
			return nil
		}
		r.published = tocsin.MicroTime(published)
		now := db.Now()
		if err := changeStatus(ctx, s, &r, is, to, op, now); err != nil || r.list == 0 {
			return err
		}
		return suspend(ctx, s, &r, to == tocsin.Hidden, now)
	})
}

// suspend hides the listings that belong to a list's story, or puts them back:
// they are hidden while every story of the list about their subject is.
func suspend(ctx context.Context, s *conn, r *row, hidden bool, now tocsin.Time) error {
	op := ListingRestored
	if hidden {
		op = ListingHidden
	}
	s.written.unknown = true
	for _, subject := range r.subjects {
		// The condition is that of the update: these are the listings that it changes.
		_, err := s.exec(ctx, `INSERT INTO event (at, op, subject, report, list, chain, kind)
			SELECT CAST($1 AS BIGINT), CAST($2 AS TEXT), l.subject, CAST($3 AS BIGINT), l.list, l.chain, l.kind
			FROM listing l WHERE l.subject = $4 AND l.list = $5 AND l.kind = 'risk' AND l.withdrawn IS NULL AND l.hidden <> $6
			AND NOT EXISTS (SELECT 1 FROM report_subject rs WHERE $6 AND rs.subject = l.subject AND rs.list = l.list)`,
			now.Micro(), string(op), r.seq, subject, r.list, hidden)
		if err != nil {
			return err
		}
		_, err = s.exec(ctx, `UPDATE listing SET hidden = $1 WHERE subject = $2 AND list = $3 AND kind = 'risk'
			AND NOT EXISTS (SELECT 1 FROM report_subject rs
				WHERE $1 AND rs.subject = listing.subject AND rs.list = listing.list)`,
			hidden, subject, r.list)
		if err != nil {
			return err
		}
	}
	return nil
}

// changeStatus changes the status of a report and whether it counts and is found.
func changeStatus(ctx context.Context, s *conn, r *row, from, to tocsin.Status, op Op, now tocsin.Time) error {
	if err := json.Unmarshal(r.body, &r.draft); err != nil {
		return err
	}
	if err := findSubjects(ctx, s, r); err != nil {
		return err
	}
	if _, err := s.exec(ctx, "UPDATE report SET status = $1 WHERE seq = $2", string(to), r.seq); err != nil {
		return err
	}
	if to == tocsin.Published {
		if err := index(ctx, s, r); err != nil {
			return err
		}
	} else if from == tocsin.Published {
		if err := unindex(ctx, s, r); err != nil {
			return err
		}
	}
	if err := logReport(ctx, s, now, op, r); err != nil || r.agent == 0 {
		return err
	}
	switch {
	case to == tocsin.Hidden:
		return errors.Join(recordHidden(ctx, s, r, 1), reprove(ctx, s, r.agent, now))
	case from == tocsin.Hidden && to == tocsin.Published:
		return recordHidden(ctx, s, r, -1)
	}
	return nil
}
