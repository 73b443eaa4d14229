package store

import (
	"context"
	"crypto/subtle"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"tocsin"
)

// Withdraw withdraws a report for the holder of its manage token. Withdrawing it
// twice changes nothing.
func (db *DB) Withdraw(ctx context.Context, id, token string) error {
	return db.Replace(ctx, id, token, "")
}

// Replace withdraws a report, as [DB.Withdraw] does, and keeps the id of the one that its reporter has filed in its
// place; "" for none.
func (db *DB) Replace(ctx context.Context, id, token, by string) error {
	var manage []byte // it never changes but by an erasure, so it is looked at before anything waits for a commit
	var status tocsin.Status
	err := db.read(ctx, primary, func(s *conn) error {
		return s.row(ctx, "SELECT manage, status FROM report WHERE id = $1", []any{id}, &manage, &status)
	})
	switch {
	case missing(err), err == nil && status == tocsin.Erased:
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
	case status == tocsin.Withdrawn: // and stays so
		return nil
	}
	return db.write(ctx, evidence, true, func(ctx context.Context, s *conn) error {
		t, err := findTarget(ctx, s, id)
		if err != nil || t.status == tocsin.Withdrawn {
			return err
		}
		if !slices.Contains([]tocsin.Status{tocsin.Published, tocsin.Hidden, tocsin.Banned}, t.status) {
			return t.stays()
		}
		if by != "" && t.status == tocsin.Published { // the page of a hidden one leads nowhere
			if _, err := s.exec(ctx, "UPDATE report SET corrected_by = $1 WHERE seq = $2", by, t.seq); err != nil {
				return err
			}
		}
		return changeStatus(ctx, s, &t.row, t.status, tocsin.Withdrawn, ReportWithdrawn, db.Now())
	})
}

// Correction returns the id of the published report that a withdrawn one was corrected by, or that one again; "" for
// none.
func (db *DB) Correction(ctx context.Context, id string) (by string, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		return s.row(ctx, `WITH RECURSIVE later (id, status, corrected_by) AS (
				SELECT id, status, corrected_by FROM report WHERE id = $1 AND status = 'withdrawn'
				UNION SELECT r.id, r.status, r.corrected_by FROM later JOIN report r ON r.id = later.corrected_by
			) SELECT id FROM later WHERE status = 'published' LIMIT 1`, []any{id}, &by)
	})
	if missing(err) {
		return "", nil
	}
	return by, err
}

// Former is a report that its reporter has corrected.
type Former struct {
	ID    string
	Filed tocsin.Time
}

// Formers returns the reports that one corrects, or that these correct, the first filed first.
func (db *DB) Formers(ctx context.Context, id string) (formers []Former, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		return s.each(ctx, `WITH RECURSIVE earlier (id, created) AS (
				SELECT id, created FROM report WHERE corrected_by = $1
				UNION SELECT r.id, r.created FROM earlier JOIN report r ON r.corrected_by = earlier.id
			) SELECT id, created FROM earlier ORDER BY created, id`, []any{id}, func(rows *sql.Rows) error {
			var f Former
			var created int64
			err := rows.Scan(&f.ID, &created)
			f.Filed = tocsin.MicroTime(created)
			formers = append(formers, f)
			return err
		})
	})
	return formers, err
}

// moderationChunk is how many reports one transaction of the operator changes. A
// report has up to 200 subjects, and a server on the same database waits meanwhile.
const moderationChunk = 20

// IsManagedBy reports whether a token is the manage token of a report.
func (db *DB) IsManagedBy(ctx context.Context, id, token string) (yes bool, err error) {
	var manage []byte
	err = db.read(ctx, primary, func(s *conn) error {
		return s.row(ctx, "SELECT manage FROM report WHERE id = $1", []any{id}, &manage)
	})
	if missing(err) {
		return false, nil
	}
	return len(manage) > 0 && subtle.ConstantTimeCompare(manage, tokenHash(token)) == 1, err
}

// Hide takes reports out of sight and out of every score, for the operator. A report
// that is hidden already is left alone. What a list has said and dropped is hidden as
// well, and no longer told as its history. An unknown report, one that its reporter has
// withdrawn, and what a list has in a newer version are errors: then none of the twenty
// reports that are changed together with it is hidden.
func (db *DB) Hide(ctx context.Context, by Operator, ids ...string) error {
	from := []tocsin.Status{tocsin.Published, tocsin.Hidden, tocsin.Banned, tocsin.Removed}
	return db.setStatuses(ctx, &act{by: by, action: HidReports}, ids, tocsin.Hidden, ReportHidden, from)
}

// Restore brings hidden reports back, as Hide takes them away. One that its list has
// dropped since is history again. Those of a banned agent are refused: they come back
// when it is unbanned.
func (db *DB) Restore(ctx context.Context, by Operator, ids ...string) error {
	from := []tocsin.Status{tocsin.Published, tocsin.Hidden}
	return db.setStatuses(ctx, &act{by: by, action: RestoredReports}, ids, tocsin.Published, ReportRestored, from)
}

// setStatuses changes reports whose status is one of from.
func (db *DB) setStatuses(
	ctx context.Context, a *act, ids []string, to tocsin.Status, op Op, from []tocsin.Status,
) error {
	for part := range slices.Chunk(ids, moderationChunk) {
		err := db.carry(ctx, a, func(ctx context.Context, s *conn, now tocsin.Time) (done []string, err error) {
			targets := make([]*target, len(part))
			for i, id := range part { // all are looked at before one is changed
				t, err := findTarget(ctx, s, id)
				if err != nil {
					return nil, err
				}
				if to == tocsin.Published && t.banned {
					return nil, &tocsin.Error{Code: tocsin.Invalid, Detail: fmt.Sprintf(
						"the report %s was filed by an agent that is banned: lift the ban first", t.id)}
				}
				if !slices.Contains(from, t.status) {
					return nil, t.stays()
				}
				targets[i] = t
			}
			for _, t := range targets {
				if t.status == to || slices.Contains(done, t.id) {
					continue
				}
				to := to
				switch ended, err := t.endedByList(ctx, s); {
				case err != nil:
					return nil, err
				case t.status == tocsin.Removed && !ended:
					return nil, t.stays()
				case t.status == tocsin.Hidden && ended:
					to = tocsin.Removed
				}
				if err := changeStatus(ctx, s, &t.row, t.status, to, op, now); err != nil {
					return nil, err
				}
				if t.list != 0 {
					if err := suspend(ctx, s, &t.row, to == tocsin.Hidden, now); err != nil {
						return nil, err
					}
				}
				done = append(done, t.id)
			}
			return done, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// target is a report that is to be changed.
type target struct {
	row
	status tocsin.Status
	banned bool // its agent is
}

// findTarget reads a report within the transaction that is to change it.
func findTarget(ctx context.Context, s *conn, id string) (*target, error) {
	t := &target{row: row{id: id}}
	var published int64
	err := s.row(ctx, `SELECT r.seq, r.status, r.published, coalesce(r.list, 0), coalesce(r.agent, 0), r.body,
			a.banned IS NOT NULL
		FROM report r LEFT JOIN agent a ON a.id = r.agent WHERE r.id = $1`, []any{id},
		&t.seq, &t.status, &published, &t.list, &t.agent, &t.body, &t.banned)
	if missing(err) {
		return nil, noReport(id)
	}
	t.published = tocsin.MicroTime(published)
	return t, err
}

// endedByList reports whether a list has dropped what it said: of a story that is gone, whether the list has no other
// version of it; of a hidden one, whether the list has dropped it last.
func (t *target) endedByList(ctx context.Context, s *conn) (ended bool, err error) {
	switch {
	case t.list != 0 && t.status == tocsin.Removed:
		err = s.row(ctx, `SELECT NOT EXISTS (SELECT 1 FROM report o WHERE o.list = r.list AND o.list_key = r.list_key
			AND o.status <> 'gone') FROM report r WHERE r.seq = $1`, []any{t.seq}, &ended)
	case t.list != 0 && t.status == tocsin.Hidden:
		err = s.row(ctx, "SELECT coalesce(("+lastOfList("$1")+") = 'gone', false)", []any{t.seq}, &ended)
	}
	return ended, err
}

// lastOfList selects whether a hidden report has left its list ('gone') or come back ('returned') last.
func lastOfList(report string) string {
	return "SELECT e.op FROM event e WHERE e.subject IN (SELECT h.subject FROM event h WHERE h.report = " + report +
		" AND h." + indexLeaving + ") AND e." + indexLeft + " AND e.report = " + report +
		" AND e.op IN ('gone', 'returned') ORDER BY e.seq DESC LIMIT 1"
}

// stays is the error of a report whose status cannot be changed so.
func (t *target) stays() error {
	if t.status == tocsin.Removed {
		return &tocsin.Error{Code: tocsin.Invalid, Detail: fmt.Sprintf(
			"the report %s is gone: its list has another version of it, which report list -subject shows", t.id)}
	}
	return &tocsin.Error{Code: tocsin.Invalid, Detail: fmt.Sprintf("the report %s is %s, and stays so", t.id, t.status)}
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
