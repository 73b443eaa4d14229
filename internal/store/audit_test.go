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
	checked, err := s.Check(context.Background(), nil)
	if err != nil || len(checked.Faults) > 0 {
		t.Errorf("audit: %q %v", checked.Faults, err)
	}
	s.auditRecords(t)
}

// auditRecords compares what is on record of agents with what their reports name.
func (s *shelf) auditRecords(t *testing.T) {
	t.Helper()
	type report struct {
		agent, list int64
		id, status  string
		draft       tocsin.Draft
	}
	var all []report
	hidden, records := map[string]int{}, map[string]int{}
	err := s.read(context.Background(), primary, func(c *conn) error {
		err := c.each(context.Background(), `SELECT id, coalesce(agent, 0), coalesce(list, 0), status, body FROM report`, nil,
			func(rows *sql.Rows) error {
				var r report
				var body []byte
				if err := rows.Scan(&r.id, &r.agent, &r.list, &r.status, &body); err != nil {
					return err
				}
				err := json.Unmarshal(body, &r.draft)
				all = append(all, r)
				return err
			})
		if err != nil {
			return err
		}
		return c.each(context.Background(),
			"SELECT n.agent, s.value, n.hidden FROM named n JOIN subject s ON s.id = n.subject", nil,
			func(rows *sql.Rows) error {
				var agent int64
				var value string
				var n int
				err := rows.Scan(&agent, &value, &n)
				records[fmt.Sprint(agent, value)] = n
				return err
			})
	})
	if err != nil {
		t.Errorf("audit: %v", err)
		return
	}
	erased := slices.ContainsFunc(all, func(r report) bool { return r.status == string(tocsin.Erased) })
	for _, r := range all {
		if r.list != 0 || r.agent == 0 {
			continue
		}
		for _, subject := range r.draft.Subjects() {
			key := fmt.Sprint(r.agent, subject.Value)
			if _, known := records[key]; !known && !erased && r.status == string(tocsin.Published) {
				t.Errorf("audit: what the agent of %s has named is not on record: %s", r.id, subject.Value)
			}
			if r.status == string(tocsin.Hidden) {
				hidden[key]++
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
