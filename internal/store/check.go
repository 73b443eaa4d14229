package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"tocsin"
)

// Checked is the result of a check.
type Checked struct {
	Copied // how many rows there are; Bytes is 0
	Backup LastBackup

	// What is wrong, a sentence without a full stop each; nothing if the database is sound. Of each kind at most
	// maxFaults are listed.
	Faults []string
}

// maxFaults is how many faults of one kind a check lists.
const maxFaults = 20

// maxReports is the highest number of a report that a check counts: it takes six bytes for each.
const maxReports = 1 << 30

// Check looks whether the database is sound: whether its pages can be read (SQLite's integrity check with that of the
// full-text index, and its foreign keys; PostgreSQL checks pages when it reads them), and whether what is written in
// two places agrees. It reads all of it, as it is at one moment, beside whatever else uses the database.
// Progress, if it is not nil, is called with how many of all reports were looked at. An error is one that keeps it from
// looking.
func (db *DB) Check(ctx context.Context, progress func(done, total int64)) (c Checked, err error) {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	err = db.read(ctx, primary, func(s *conn) error {
		if c.Faults, err = db.dialect.checkStorage(ctx, s); err != nil {
			return err
		}
		if err := countRows(ctx, s, &c.Copied); err != nil {
			return err
		}
		if c.Backup, err = db.lastBackup(ctx, s); err != nil {
			return err
		}
		for _, rule := range rules {
			found, err := rule.broken(ctx, s)
			if err != nil {
				return fmt.Errorf("%s: %w", rule.fault, err)
			}
			c.Faults = append(c.Faults, found...)
		}
		found, err := db.checkReports(ctx, s, progress)
		c.Faults = append(c.Faults, found...)
		return err
	})
	return c, err
}

// rule is what never happens in a sound database: the query finds where it does, with two texts that say where.
type rule struct{ fault, query string }

func (r rule) broken(ctx context.Context, s *conn) (found []string, err error) {
	err = s.each(ctx, r.query+fmt.Sprintf(" LIMIT %d", maxFaults+1), nil, func(rows *sql.Rows) error {
		var a, b any
		err := rows.Scan(&a, &b)
		found = append(found, strings.TrimSpace(fmt.Sprintf("%s: %s %s", r.fault, shown(a), shown(b))))
		return err
	})
	if len(found) > maxFaults {
		found[maxFaults] = r.fault + ": there are more"
	}
	return found, err
}

// shown is a value of a database of any type.
func shown(v any) string {
	if b, ok := v.([]byte); ok {
		return string(b)
	}
	return fmt.Sprint(v)
}

var rules = []rule{
	{"a report counts that is not published, or not as it is on record", `SELECT r.id, r.status FROM report_subject rs
		JOIN report r ON r.seq = rs.report WHERE r.status <> 'published' OR coalesce(rs.list, 0) <> coalesce(r.list, 0)
			OR coalesce(rs.agent, 0) <> coalesce(r.agent, 0) OR rs.crime_type <> r.crime_type
			OR rs.published <> r.published`},
	{"a listing is hidden though a story of its list about its subject is published", `SELECT l.kind, l.category
		FROM listing l JOIN report_subject rs ON rs.subject = l.subject AND rs.list = l.list WHERE l.hidden`},
	{"a subject of a list has no event", `SELECT coalesce(s.value, CAST(subject AS TEXT)), coalesce(l.name, '')
		FROM (SELECT subject, list FROM listing EXCEPT SELECT subject, list FROM event WHERE op = 'listed') unlogged
		LEFT JOIN subject s ON s.id = subject LEFT JOIN list l ON l.id = list`},
	{"an agent is banned and signed in", `SELECT a.public, '' FROM agent a JOIN session s ON s.agent = a.id
		WHERE a.banned IS NOT NULL`},
	{"a wallet has two live keys", `SELECT a.public, '' FROM agent a JOIN key k ON k.agent = a.id
		WHERE k.revoked IS NULL GROUP BY a.public HAVING count(*) > 1`},
	{"more free calls are granted than were used, or fewer than none", `SELECT a.public, u.day FROM usage u
		JOIN agent a ON a.id = u.agent WHERE u.used < u.granted OR u.granted < 0`},
	{"a payment is settled and held, or was sent without what was sent", `SELECT state, operation FROM claim
		WHERE state = 'settling' AND answer IS NULL AND tries <= 1 AND payment IS NULL
			OR state = 'settled' AND lease_until > 0`},
	{"a proof has no agent with reports", `SELECT st.kind, st.agent FROM standing st
		WHERE NOT EXISTS (SELECT 1 FROM report r WHERE r.agent = st.agent)`},
	{"an erased report keeps something", `SELECT r.id, '' FROM report r WHERE r.status = 'erased'
		AND (r.body <> '{}' OR r.manage IS NOT NULL OR EXISTS (SELECT 1 FROM filing f WHERE f.report = r.seq)
			OR EXISTS (SELECT 1 FROM origin o WHERE o.report = r.seq))`},
	{"an act of an operator is about nothing", `SELECT op, operator FROM act
		WHERE op <> 'clock mend' AND NOT EXISTS (SELECT 1 FROM act_object o WHERE o.act = act.seq)`},
}

// checkReports compares the bodies of reports with what repeats them: their subjects, the log of changes and the words
// of the index.
func (db *DB) checkReports(
	ctx context.Context, s *conn, progress func(done, total int64),
) (faults []string, err error) {
	var first, last int64
	err = s.row(ctx, "SELECT coalesce(min(seq), 1), coalesce(max(seq), 0) FROM report", nil, &first, &last)
	if err != nil {
		return nil, err
	}
	if first < 1 || last > maxReports {
		return []string{fmt.Sprintf("the numbers of reports, from %d to %d, are not from 1 to %d: "+
			"what repeats reports was not checked", first, last, maxReports)}, nil
	}
	// By number of the report, of which there may be millions.
	counted, logged, indexed := make([]uint16, last+1), make([]uint16, last+1), make([]uint16, last+1)
	for query, into := range map[string][]uint16{
		"SELECT report FROM report_subject":                                  counted,
		"SELECT report FROM event WHERE op = 'filed' AND report IS NOT NULL": logged,
		db.dialect.indexed():                                                 indexed,
	} {
		err := s.each(ctx, query, nil, func(rows *sql.Rows) error {
			var report int64
			err := rows.Scan(&report)
			if err == nil && (report < 1 || report > last) {
				faults = append(faults, fmt.Sprintf("a report %d is not on record: %s", report, query))
				return nil
			}
			into[report]++
			return err
		})
		if err != nil {
			return faults, err
		}
	}
	err = s.each(ctx, "SELECT seq, id, status, body FROM report ORDER BY seq", nil, func(rows *sql.Rows) error {
		var seq int64
		var id, status string
		var body []byte
		if err := rows.Scan(&seq, &id, &status, &body); err != nil {
			return err
		}
		progress(seq, last)
		var draft tocsin.Draft
		if err := json.Unmarshal(body, &draft); err != nil {
			faults = append(faults, fmt.Sprintf("the report %s cannot be read: %v", id, err))
			return nil
		}
		named := len(draft.Subjects())
		if named == 0 { // it was erased
			return nil
		}
		counts := 0
		if status == string(tocsin.Published) {
			counts = named
		}
		if int(counted[seq]) != counts || int(logged[seq]) != named || int(indexed[seq]) != min(counts, 1) {
			faults = append(faults, fmt.Sprintf("the report %s is %s and names %d: %d count, %d have an event, in the "+
				"index: %t", id, status, named, counted[seq], logged[seq], indexed[seq] > 0))
		}
		return nil
	})
	if len(faults) > maxFaults {
		faults = append(faults[:maxFaults], fmt.Sprintf("and %d other reports", len(faults)-maxFaults))
	}
	return faults, err
}
