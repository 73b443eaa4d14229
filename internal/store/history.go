package store

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"time"

	"tocsin"
)

// ListHistory returns what lists of risk and sanctions say of a subject and of its parents, and then what they have
// said and dropped since, the latest first, no longer ago than [Keep.History]. An entry that left its list and came
// back is there for each time, of the earlier ones for the last twenty. What the operator has hidden is left out.
func (db *DB) ListHistory(ctx context.Context, subject tocsin.Subject) ([]tocsin.DatedListing, error) {
	all, err := db.ListHistories(ctx, []tocsin.Subject{subject})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// ListHistories returns the [DB.ListHistory] of each subject, in order, by two statements at most.
func (db *DB) ListHistories(ctx context.Context, subjects []tocsin.Subject) ([][]tocsin.DatedListing, error) {
	histories := make([][]tocsin.DatedListing, len(subjects))
	if len(subjects) == 0 {
		return histories, nil
	}
	after := db.historyBegins()
	var names []tocsin.Subject
	for _, subject := range subjects {
		names = append(names, subject.SelfAndParents()...)
	}
	var all []tocsin.DatedListing
	err := db.read(ctx, replica, func(s *conn) (err error) {
		all, err = readHistory(ctx, s, names, after, db.listDates().Dates)
		return err
	})
	for i, subject := range subjects {
		of := subject.SelfAndParents()
		for _, l := range all {
			if slices.Contains(of, l.Subject) {
				histories[i] = append(histories[i], l)
			}
		}
	}
	return histories, err
}

// readHistory reads what lists say and have said of some names, and dropped after a time. The lists have these dates.
func readHistory(
	ctx context.Context, s *conn, names []tocsin.Subject, after int64, dates map[string]*tocsin.Time,
) ([]tocsin.DatedListing, error) {
	var listed []tocsin.DatedListing
	var firsts []spell // the beginning of the first one of each, if it has come back since
	named, args := whereNamed(2, names)
	err := s.each(ctx, `SELECT s.kind, s.value, list.name, list.family, l.chain, l.kind, l.category, l.url, l.name,
			l.program, `+ownDate+`, l.recorded, l.withdrawn, l.recorded_first,
			`+versionAt("date", "l.recorded")+", "+versionAt("date", "l.recorded_first")+`,
			`+versionAt("files", "l.recorded")+", "+versionAt("files", "l.recorded_first")+`
		FROM subject s JOIN listing l ON l.subject = s.id JOIN list ON list.id = l.list
		WHERE (`+named+`) AND NOT l.hidden AND l.kind IN ('risk', 'sanction')
			AND (l.withdrawn IS NULL OR l.withdrawn > $1)
		ORDER BY list.name, s.value, l.chain, l.kind`, append([]any{after}, args...), func(rows *sql.Rows) error {
		var l tocsin.DatedListing
		var since, recorded, dropped, first, in, firstIn sql.NullInt64
		var files, firstFiles listFiles
		err := rows.Scan(&l.Subject.Kind, &l.Subject.Value, &l.List, &l.Family, &l.Chain, &l.Kind, &l.Category, &l.URL,
			&l.Name, &l.Program, &since, &recorded, &dropped, &first, &in, &firstIn, &files, &firstFiles)
		l.Since, l.Recorded, l.Dropped, l.RecordedIn = timeOf(since), timeOf(recorded), timeOf(dropped), timeOf(in)
		l.RecordedFiles = files
		listed = append(listed, l)
		firsts = append(firsts, spell{from: timeOf(first), fromIn: timeOf(firstIn), fromFiles: firstFiles})
		return err
	})
	if err != nil || len(listed) == 0 {
		return nil, err
	}
	named, args = whereNamed(1, names)
	spells, err := readSpells(ctx, s, named, args)
	var all []tocsin.DatedListing
	for i, l := range listed {
		of := entryOf{l.Subject, l.List, l.Chain, l.Kind}
		all = append(all, withSpells(l, spells[of], firsts[i], after, dates[l.List])...)
	}
	ended := func(l tocsin.DatedListing) int64 {
		if l.Dropped == nil {
			return math.MaxInt64
		}
		return l.Dropped.Micro()
	}
	slices.SortStableFunc(all, func(a, b tocsin.DatedListing) int { return cmp.Compare(ended(b), ended(a)) })
	return all, err
}

// historyBegins is the time, in microseconds since 1970, before which what has ended is not shown.
func (db *DB) historyBegins() int64 {
	if db.keep.History == 0 {
		return 0
	}
	return db.Now().Std().Add(-db.KeepsHistory()).UnixMicro()
}

// KeepsHistory is for how long what was dropped, withdrawn or hidden is shown; 0 for good. See [Keep.History].
func (db *DB) KeepsHistory() time.Duration {
	if db.keep.History == 0 {
		return 0
	}
	return max(db.keep.History, minHistory)
}

// timeOf is the time of a column, nil for NULL.
func timeOf(micros sql.NullInt64) *tocsin.Time {
	if !micros.Valid {
		return nil
	}
	at := tocsin.MicroTime(micros.Int64)
	return &at
}

// Ended is how many reports about a subject have ended in one way, and when the last of them did; nil for none.
type Ended struct {
	Count int
	Last  *tocsin.Time
}

// EndedReports counts the reports about a subject that the operator has hidden, or that a ban has, and those that were
// withdrawn by who filed them, without a correction in their place. It says nothing else of them. What ended longer ago
// than [Keep.History] is forgotten.
func (db *DB) EndedReports(ctx context.Context, subject tocsin.Subject) (hidden, withdrawn Ended, err error) {
	err = db.read(ctx, replica, func(s *conn) error {
		hidden, withdrawn = Ended{}, Ended{}
		return s.each(ctx, `SELECT e.op = 'withdrawn', count(DISTINCT e.report), max(e.at)
			FROM event e JOIN report r ON r.seq = e.report
			WHERE e.subject = (SELECT id FROM subject WHERE kind = $1 AND value = $2) AND e.`+indexLeft+`
				AND (e.op IN ('hidden', 'banned') AND r.status IN ('hidden', 'banned')
					OR e.op = 'withdrawn' AND r.status = 'withdrawn' AND r.corrected_by IS NULL)
			GROUP BY 1`, []any{string(subject.Kind), subject.Value}, func(rows *sql.Rows) error {
			var ended Ended
			var byFiler bool
			var at sql.NullInt64
			err := rows.Scan(&byFiler, &ended.Count, &at)
			if ended.Last = timeOf(at); byFiler {
				withdrawn = ended
			} else {
				hidden = ended
			}
			return err
		})
	})
	return hidden, withdrawn, err
}

// HiddenEntry is an entry of a list that the operator has hidden with its report, while the list still has it.
type HiddenEntry struct {
	List string
	At   *tocsin.Time // when it was hidden; nil if that is not known
}

// HiddenEntries returns the entries about a subject and its parents that are hidden here, one of each list.
func (db *DB) HiddenEntries(ctx context.Context, subject tocsin.Subject) (hidden []HiddenEntry, err error) {
	named, args := whereNamed(1, subject.SelfAndParents())
	err = db.read(ctx, replica, func(s *conn) error {
		hidden = nil
		return s.each(ctx, `SELECT list.name, max(e.at)
			FROM subject s JOIN listing l ON l.subject = s.id JOIN list ON list.id = l.list
				LEFT JOIN event e ON e.subject = l.subject AND e.list = l.list
					AND e.op IN ('hidden', 'banned', 'listing_hidden')
			WHERE (`+named+`) AND l.hidden AND l.withdrawn IS NULL
			GROUP BY list.name ORDER BY list.name`, args, func(rows *sql.Rows) error {
			var entry HiddenEntry
			var at sql.NullInt64
			err := rows.Scan(&entry.List, &at)
			entry.At = timeOf(at)
			hidden = append(hidden, entry)
			return err
		})
	})
	return hidden, err
}

// maxDropped is how many reports [DB.DroppedReports] returns at most.
const maxDropped = 20

// DroppedReports returns the ids of the reports about a subject that their lists have dropped, of each the last
// version. The operator can hide them ([DB.Hide]).
func (db *DB) DroppedReports(ctx context.Context, subject tocsin.Subject) (ids []string, err error) {
	err = db.read(ctx, replica, func(s *conn) error {
		ids = nil
		return s.each(ctx, `SELECT id FROM report WHERE seq IN (
				SELECT max(r.seq) FROM event e JOIN report r ON r.seq = e.report
				WHERE e.subject = (SELECT id FROM subject WHERE kind = $1 AND value = $2) AND e.`+indexLeft+` AND r.status = 'gone'
					AND NOT EXISTS (SELECT 1 FROM report o WHERE o.list = r.list AND o.list_key = r.list_key
						AND o.list_key IS NOT NULL AND o.status <> 'gone')
				GROUP BY r.list, r.list_key)
			ORDER BY id LIMIT $3`, []any{string(subject.Kind), subject.Value, maxDropped}, func(rows *sql.Rows) error {
			var id string
			err := rows.Scan(&id)
			ids = append(ids, id)
			return err
		})
	})
	return ids, err
}

// HiddenWith returns the subjects of a hidden report of a list whose entries are hidden as well.
func (db *DB) HiddenWith(ctx context.Context, report string) (subjects []tocsin.Subject, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		subjects = nil
		return s.each(ctx, `SELECT DISTINCT s.kind, s.value
			FROM report r JOIN event e ON e.report = r.seq AND e.`+indexLeaving+`
				JOIN listing l ON l.subject = e.subject AND l.list = r.list JOIN subject s ON s.id = l.subject
			WHERE r.id = $1 AND r.status = 'hidden' AND l.kind = 'risk' AND l.hidden AND l.withdrawn IS NULL
			ORDER BY s.kind, s.value`, []any{report}, func(rows *sql.Rows) error {
			var subject tocsin.Subject
			err := rows.Scan(&subject.Kind, &subject.Value)
			subjects = append(subjects, subject)
			return err
		})
	})
	return subjects, err
}
