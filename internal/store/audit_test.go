package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"tocsin"
)

// audit checks at the end of a test what must hold of every database and of the memory of its process, whatever was
// done: what repeats something else agrees with it, and what was lent is back.
func (s *shelf) audit(t *testing.T) {
	t.Helper()
	select {
	case <-s.closed:
		return
	default:
	}
	if t.Failed() || s.usable() != nil || s.clockFault.Load() != nil {
		return
	}
	s.auditMemory(t)
	none := func(about, query string) {
		t.Helper()
		var found []string
		if err := s.read(context.Background(), primary, func(c *conn) error {
			return c.each(context.Background(), query, nil, func(rows *sql.Rows) error {
				var a, b string
				err := rows.Scan(&a, &b)
				found = append(found, a+" "+b)
				return err
			})
		}); err != nil || len(found) > 0 {
			t.Errorf("audit: %s: %q %v", about, found, err)
		}
	}
	none("a report counts that is not published, or not as it is on record", `SELECT r.id, r.status FROM report_subject rs
		JOIN report r ON r.seq = rs.report WHERE r.status <> 'published' OR coalesce(rs.list, 0) <> coalesce(r.list, 0)
			OR coalesce(rs.agent, 0) <> coalesce(r.agent, 0) OR rs.crime_type <> r.crime_type OR rs.published <> r.published`)
	none("a listing is hidden though a story of its list about its subject is published", `SELECT l.kind, l.category
		FROM listing l JOIN report_subject rs ON rs.subject = l.subject AND rs.list = l.list WHERE l.hidden`)
	none("a subject of a list has no event", `SELECT subject, list FROM listing
		EXCEPT SELECT subject, list FROM event WHERE op = 'listed'`)
	none("an agent is banned and signed in", `SELECT a.public, '' FROM agent a JOIN session s ON s.agent = a.id
		WHERE a.banned IS NOT NULL`)
	none("a wallet has two live keys", `SELECT a.public, '' FROM agent a JOIN key k ON k.agent = a.id
		WHERE k.revoked IS NULL GROUP BY a.public HAVING count(*) > 1`)
	none("more is used than was granted, or less than nothing", `SELECT a.public, '' FROM usage u
		JOIN agent a ON a.id = u.agent WHERE u.used < u.granted OR u.granted < 0`)
	none("a payment is settled without its terms, or sent without an answer", `SELECT state, operation FROM claim
		WHERE state = 'settling' AND answer IS NULL AND tries <= 1 AND payment IS NULL
			OR state = 'settled' AND lease_until > 0`)
	none("a proof has no agent with reports", `SELECT st.kind, '' FROM standing st
		WHERE NOT EXISTS (SELECT 1 FROM report r WHERE r.agent = st.agent)`)
	none("an erased report keeps something", `SELECT r.id, r.body FROM report r WHERE r.status = 'erased'
		AND (r.body <> '{}' OR r.manage IS NOT NULL OR EXISTS (SELECT 1 FROM filing f WHERE f.report = r.seq)
			OR EXISTS (SELECT 1 FROM origin o WHERE o.report = r.seq))`)
	none("an act is about nothing", `SELECT op, operator FROM act
		WHERE op <> 'clock mend' AND NOT EXISTS (SELECT 1 FROM act_object o WHERE o.act = act.seq)`)
	s.auditReports(t)
}

// auditReports compares what repeats the bodies of reports with them.
func (s *shelf) auditReports(t *testing.T) {
	t.Helper()
	type report struct {
		seq, agent, list int64
		id, status       string
		draft            tocsin.Draft
	}
	var all []report
	counted, logged, indexed := map[int64]int{}, map[int64]int{}, map[int64]bool{}
	hidden, records := map[string]int{}, map[string]int{}
	tally := func(into map[int64]int) func(*sql.Rows) error {
		return func(rows *sql.Rows) error {
			var seq int64
			var n int
			err := rows.Scan(&seq, &n)
			into[seq] = n
			return err
		}
	}
	words := "SELECT rowid FROM report_words"
	if _, file := s.dialect.(*sqliteDialect); !file {
		words = "SELECT report FROM report_words"
	}
	err := s.read(context.Background(), primary, func(c *conn) error {
		for query, scan := range map[string]func(*sql.Rows) error{
			`SELECT seq, id, coalesce(agent, 0), coalesce(list, 0), status, body FROM report`: func(rows *sql.Rows) error {
				var r report
				var body []byte
				if err := rows.Scan(&r.seq, &r.id, &r.agent, &r.list, &r.status, &body); err != nil {
					return err
				}
				err := json.Unmarshal(body, &r.draft)
				all = append(all, r)
				return err
			},
			"SELECT report, count(*) FROM report_subject GROUP BY report":           tally(counted),
			"SELECT report, count(*) FROM event WHERE op = 'filed' GROUP BY report": tally(logged),
			"SELECT n.agent, s.value, n.hidden FROM named n JOIN subject s ON s.id = n.subject": func(rows *sql.Rows) error {
				var agent int64
				var value string
				var n int
				err := rows.Scan(&agent, &value, &n)
				records[fmt.Sprint(agent, value)] = n
				return err
			},
			words: func(rows *sql.Rows) error {
				var seq int64
				err := rows.Scan(&seq)
				indexed[seq] = true
				return err
			},
		} {
			if err := c.each(context.Background(), query, nil, scan); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Errorf("audit: %v", err)
		return
	}
	erased := slices.ContainsFunc(all, func(r report) bool { return r.status == string(tocsin.Erased) })
	for _, r := range all {
		subjects := r.draft.Subjects()
		if len(subjects) == 0 { // erased, or written by the test itself
			continue
		}
		counts := 0
		if r.status == string(tocsin.Published) {
			counts = len(subjects)
		}
		if counted[r.seq] != counts || logged[r.seq] != len(subjects) || indexed[r.seq] != (counts > 0) {
			t.Errorf("audit: the report %s is %s and names %d: %d count, %d events, in the index: %t",
				r.id, r.status, len(subjects), counted[r.seq], logged[r.seq], indexed[r.seq])
		}
		for _, subject := range subjects {
			if r.list == 0 && r.agent != 0 {
				key := fmt.Sprint(r.agent, subject.Value)
				if _, known := records[key]; !known && !erased && counts > 0 {
					t.Errorf("audit: what the agent of %s has named is not on record: %s", r.id, subject.Value)
				}
				if r.status == string(tocsin.Hidden) {
					hidden[key]++
				}
			}
		}
	}
	for key, n := range records {
		if n < hidden[key] { // what was withdrawn while it was hidden stays a miss
			t.Errorf("audit: of %s %d reports are hidden, and %d on record", key, hidden[key], n)
		}
	}
}

// auditMemory checks what the process holds.
func (s *shelf) auditMemory(t *testing.T) {
	t.Helper()
	var back []*conn
	for range readers { // it hangs if one is missing
		back = append(back, <-s.readers)
	}
	for _, c := range back {
		if s.dialect.lanes() == 1 {
			if _, err := c.conn.ExecContext(context.Background(), "BEGIN"); err != nil {
				t.Errorf("audit: a snapshot is still open: %v", err)
			} else if _, err := c.conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
				t.Error(err)
			}
		}
		s.readers <- c
	}
	func() {
		s.callers.mu.Lock()
		defer s.callers.mu.Unlock()
		size := 0
		for hash, c := range s.callers.kept {
			size += c.bytes()
			if c.key != hash {
				t.Error("audit: a caller is kept under another key")
			}
		}
		if size != s.callers.size {
			t.Errorf("audit: callers take %d bytes, %d are counted", size, s.callers.size)
		}
	}()
	s.quota.mu.Lock()
	if s.quota.next != nil {
		t.Error("audit: a batch of free calls waits for a commit that is over")
	}
	s.quota.mu.Unlock()
	s.dossiers.mu.Lock()
	defer s.dossiers.mu.Unlock()
	size, listed := 0, 0
	for name, d := range s.dossiers.kept {
		size += d.own + d.memoSize
		if d.name != name {
			t.Errorf("audit: the dossier of %v is kept as that of %v", d.name, name)
		}
		if !name.IsAddress() {
			listed--
		}
	}
	for owner, d := range s.dossiers.families {
		for before := (*keptDossier)(nil); d != nil; before, d = d, d.after {
			if listed++; d.before != before || d.name.Owner() != owner || s.dossiers.kept[d.name] != d {
				t.Errorf("audit: the dossier of %v is not in its family", d.name)
				return
			}
		}
	}
	if size != s.dossiers.size || listed != 0 {
		t.Errorf("audit: dossiers take %d bytes, %d are counted; %d are not listed by their owners",
			size, s.dossiers.size, -listed)
	}
}
