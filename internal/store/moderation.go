package store

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"slices"

	"tocsin"
)

// Withdraw takes a report back for whoever holds its manage token. Doing it
// twice does no harm.
func (db *DB) Withdraw(ctx context.Context, id, token string) error {
	var manage []byte // it never changes, so it is looked at before anything waits for a commit
	err := db.read(ctx, primary, func(s *conn) error {
		return s.row(ctx, "SELECT manage FROM report WHERE id = $1", []any{id}, &manage)
	})
	switch {
	case missing(err):
		return noReport(id)
	case err != nil:
		return err
	case len(manage) == 0 || subtle.ConstantTimeCompare(manage, tokenHash(token)) != 1:
		return &tocsin.Error{Code: tocsin.Forbidden, Detail: "The header x-manage-token does not hold the manage token of this report",
			Fields: []tocsin.Fault{{Field: "x-manage-token", Reason: "it is missing, or belongs to another report", Fix: "send the manageToken that was answered when the report was filed"}}}
	}
	return db.setStatus(ctx, id, tocsin.Withdrawn, "withdrawn", tocsin.Published, tocsin.Hidden, tocsin.Withdrawn)
}

// Hide takes a report out of sight and out of every score, for the operator.
func (db *DB) Hide(ctx context.Context, id string) error {
	return db.setStatus(ctx, id, tocsin.Hidden, "hidden", tocsin.Published, tocsin.Hidden)
}

// Restore brings a hidden report back.
func (db *DB) Restore(ctx context.Context, id string) error {
	return db.setStatus(ctx, id, tocsin.Published, "restored", tocsin.Published, tocsin.Hidden)
}

// setStatus changes a report whose status is one of from.
func (db *DB) setStatus(ctx context.Context, id string, to tocsin.Status, op string, from ...tocsin.Status) error {
	var r row
	err := db.write(ctx, evidence, true, func(ctx context.Context, s *conn) error {
		r = row{}
		var is tocsin.Status
		var published int64
		err := s.row(ctx, `SELECT seq, status, published, coalesce(list, 0), coalesce(agent, 0), body FROM report WHERE id = $1`, []any{id},
			&r.seq, &is, &published, &r.list, &r.agent, &r.body)
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
		if err := changeStatus(ctx, s, &r, is, to, op, db.Now()); err != nil || r.list == 0 {
			return err
		}
		return suspend(ctx, s, &r, to == tocsin.Hidden)
	})
	if err == nil {
		db.changed()
	}
	return err
}

// suspend takes the listings out of the score, or puts them back, by which a
// list scores what it tells in a story: they stand and fall with the story, as
// long as no other story of the list names the subject.
func suspend(ctx context.Context, s *conn, r *row, hidden bool) error {
	for _, subject := range r.draft.Subjects() {
		_, err := s.exec(ctx, `UPDATE listing SET hidden = $1 WHERE list = $2 AND kind = 'risk'
			AND subject = (SELECT id FROM subject WHERE kind = $3 AND value = $4)
			AND NOT EXISTS (SELECT 1 FROM report_subject rs WHERE $1 AND rs.subject = listing.subject AND rs.list = listing.list)`,
			hidden, r.list, string(subject.Kind), subject.Value)
		if err != nil {
			return err
		}
	}
	return nil
}

func changeStatus(ctx context.Context, s *conn, r *row, from, to tocsin.Status, op string, now tocsin.Time) error {
	if err := json.Unmarshal(r.body, &r.draft); err != nil {
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
	return logReport(ctx, s, now, op, r.seq)
}
