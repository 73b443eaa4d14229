package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"tocsin"
)

// Erase removes all that reports say, for good: their text, evidence and words in
// the index, the answers that are kept for payments and have them, subjects that
// nothing else names, and, in the end, the traces of all of that in the database
// file and its log. Only the ids, dates and types of crime remain. Older versions
// of a list's story go with it. It returns the ids of all that is erased now, and
// how many open payments name a subject that was erased: the URL that they pay for
// is needed until they end.
//
// The file is rewritten for that: writes of all processes wait meanwhile, some ten
// seconds for each gigabyte, and the disk needs room for a second copy. An error
// after the reports were erased says that traces may remain; repeating Erase then
// removes them.
func (db *DB) Erase(ctx context.Context, by Operator, ids ...string) (erased []string, open int, err error) {
	a := act{by: by, action: ErasedReports}
	err = db.write(ctx, evidence, true, func(ctx context.Context, s *conn) error {
		erased = nil
		claims := map[string]bool{}
		targets := make([]*target, len(ids))
		for i, id := range ids { // all are looked at before one is changed
			t, err := findTarget(ctx, s, id)
			if err != nil {
				return err
			}
			targets[i] = t
		}
		now := db.Now()
		for _, t := range targets {
			versions, err := olderVersions(ctx, s, t)
			if err != nil {
				return err
			}
			for _, id := range append([]string{t.id}, versions...) {
				t, err := findTarget(ctx, s, id)
				if err != nil {
					return err
				}
				if err := erase(ctx, s, t, now, claims); err != nil {
					return err
				}
				erased = append(erased, id)
			}
		}
		open = len(claims)
		_, err := a.log(ctx, s, now, erased...)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	if err = db.forgetWords(ctx); err == nil {
		err = db.dialect.rewrite(ctx)
	}
	if err != nil {
		err = fmt.Errorf("the reports are erased, but traces of them may be left in the database file: "+
			"run the command again: %w", Explain(err, db.dialect.path()))
	}
	return erased, open, err
}

// olderVersions returns the ids of what a list said before in the place of a story.
func olderVersions(ctx context.Context, s *conn, t *target) (ids []string, err error) {
	if t.list == 0 {
		return nil, nil
	}
	err = s.each(ctx, `SELECT o.id FROM report r JOIN report o ON o.list = r.list AND o.list_key = r.list_key
		WHERE r.seq = $1 AND o.seq <> r.seq AND o.status = 'gone'`, []any{t.seq}, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// erase empties the row of one report, and what repeats it. It adds the ids of open payments that still name it.
func erase(ctx context.Context, s *conn, t *target, now tocsin.Time, open map[string]bool) error {
	s.written.unknown = true // its subjects may lose their names, see readEvents
	if err := json.Unmarshal(t.body, &t.draft); err != nil {
		return err
	}
	if err := findSubjects(ctx, s, &t.row); err != nil {
		return err
	}
	if t.status == tocsin.Published {
		if err := unindex(ctx, s, &t.row); err != nil {
			return err
		}
	}
	if err := logReport(ctx, s, now, ReportErased, &t.row); err != nil {
		return err
	}
	ended, err := t.endedByList(ctx, s)
	if err != nil {
		return err
	}
	older := t.status == tocsin.Removed && !ended // the list has another version in its place
	if t.list != 0 && !older {
		if err := suspend(ctx, s, &t.row, true, now); err != nil {
			return err
		}
	}
	forgotten := "" // the key of a story stays, so that the next import does not bring it back
	if older {
		forgotten = ", list_key = NULL"
	}
	for _, query := range []string{
		"UPDATE report SET body = '{}', manage = NULL, corrected_by = NULL, status = 'erased'" + forgotten +
			" WHERE seq = $1",
		"DELETE FROM filing WHERE report = $1",
		"DELETE FROM origin WHERE report = $1",
	} {
		if _, err := s.exec(ctx, query, t.seq); err != nil {
			return err
		}
	}
	// For those who paid for such an answer it is made again.
	if _, err := s.exec(ctx, "UPDATE claim SET answer = NULL WHERE answer IS NOT NULL AND "+
		s.dialect.contains("answer", "$1"), []byte(t.id)); err != nil {
		return err
	}
	return eraseSubjects(ctx, s, t, open)
}

// erasedKind is the kind of a subject whose name was erased with the only report
// that had it. The events about it stay.
const erasedKind = "erased"

// eraseSubjects erases the names that only erased reports have ever had.
func eraseSubjects(ctx context.Context, s *conn, t *target, open map[string]bool) error {
	if len(t.subjects) == 0 {
		return nil
	}
	in, args := placeholders(t.subjects)
	named := map[int64]bool{}
	err := s.each(ctx, `SELECT DISTINCT e.subject FROM event e JOIN report r ON r.seq = e.report
		WHERE e.op = 'filed' AND e.subject IN (`+in+") AND r.status <> 'erased'", args, func(rows *sql.Rows) error {
		var subject int64
		err := rows.Scan(&subject)
		named[subject] = true
		return err
	})
	if err != nil {
		return err
	}
	var nameless []int64
	names := t.draft.Subjects()
	for i, subject := range t.subjects {
		if named[subject] {
			continue
		}
		claims, err := claimsNaming(ctx, s, names[i])
		if err != nil {
			return err
		}
		n, err := affected(s.exec(ctx, `UPDATE subject SET kind = $1, value = $2 WHERE id = $3
			AND NOT EXISTS (SELECT 1 FROM listing l WHERE l.subject = $3)`,
			erasedKind, fmt.Sprintf("%s/%d", t.id, i), subject))
		if err != nil {
			return err
		}
		if n == 1 {
			nameless = append(nameless, subject)
			for _, id := range claims {
				open[id] = true
			}
		}
	}
	if len(nameless) == 0 {
		return nil
	}
	in, args = placeholders(nameless)
	_, err = s.exec(ctx, "DELETE FROM named WHERE subject IN ("+in+")", args...) // it has the domains above them
	return err
}

// claimsNaming returns the ids of payments that are not settled and were made for something about a subject.
func claimsNaming(ctx context.Context, s *conn, subject tocsin.Subject) (ids []string, err error) {
	name := bytes.ToLower([]byte(subject.Value))
	err = s.each(ctx, "SELECT id, payment FROM claim WHERE state <> 'settled'", nil, func(rows *sql.Rows) error {
		var id, payment []byte
		err := rows.Scan(&id, &payment)
		if bytes.Contains(bytes.ToLower(payment), name) {
			ids = append(ids, string(id))
		}
		return err
	})
	return ids, err
}

// forgetWords takes out of the index what was deleted from it: until then only the
// rows are marked. It does so in steps, between which others write.
func (db *DB) forgetWords(ctx context.Context) error {
	for first := true; ; first = false {
		more := false
		err := db.write(ctx, evidence, false, func(ctx context.Context, s *conn) (err error) {
			more, err = db.dialect.mergeWords(ctx, s, first)
			return err
		})
		if err != nil || !more {
			return err
		}
	}
}
