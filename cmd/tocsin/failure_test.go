package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestABanSaysWhatItDid, also to agents without reports.
func TestABanSaysWhatItDid(t *testing.T) {
	m := newMachine(t)
	m.newKey("-name", "A")
	agent := strings.Fields(m.must("agent", "list"))[7]
	for _, step := range [][2]string{
		{"unban", agent + " was not banned\n"}, {"ban", "banned " + agent + ": 0 reports taken out of every score\n"},
		{"ban", agent + " was banned already\n"}, {"unban", "unbanned " + agent + ": 0 reports published again\n"},
	} {
		var out bytes.Buffer
		status, complaint := m.here(nil, &out, "agent", step[0], agent)
		m.want(step[0], []any{status, complaint, out.String()}, []any{exitOK, "", step[1]})
	}
}

// TestNoCommandSwallowsAFailure: each ends with 1 and says why, whatever it cannot do.
func TestNoCommandSwallowsAFailure(t *testing.T) {
	m := newMachine(t)
	const filed = `{"crimeType":"scam","title":"T","description":"D","reportedDomains":["evil.example"]}`
	file := filepath.Join(m.dir, m.write("r.ndjson", filed))
	whole := m.with("TOCSIN_DB=whole.db")
	key := whole.newKey("-name", "A")
	m.must("import", "ndjson", "-from", file, "-db", "whole.db")
	id := strings.Fields(m.must("report", "list", "-db", "whole.db"))[8]
	agent := strings.Fields(m.must("agent", "list", "-db", "whole.db"))[7]
	backup := filepath.Join(m.dir, "backup.db")
	for _, name := range []string{"unread.db", "broken.db"} {
		m.sqlite("whole.db", "VACUUM INTO '"+filepath.Join(m.dir, name)+"'")
	}
	m.sqlite("broken.db", "DROP TABLE act; DROP TABLE agent; DROP TABLE claim; DROP TABLE key; DROP TABLE list; "+
		"DROP TABLE listing; DROP TABLE report; DROP TABLE report_subject; DROP TABLE session; DROP TABLE subject")
	for _, c := range []struct {
		line   string
		prints bool // results, without which the command is not done
	}{
		{"agent list", true}, {"agent list -json", true}, {"agent ban " + agent, true}, {"agent ban " + agent, true},
		{"agent unban " + agent, true}, {"filing", true}, {"filing keys-only", true}, {"key create", true},
		{"key list", true}, {"log", true}, {"log -json", true}, {"payments", true}, {"payments -json", true},
		{"report list", true}, {"report list -json", true}, {"report list -limit 1 -agent " + agent, true},
		{"report show " + id, true}, {"report hide -source ndjson", true}, {"report hide -source ndjson -yes", true},
		{"report hide -source ndjson -yes", false}, {"report restore " + id, false}, {"report erase " + id, true},
		{"report erase -yes -reason court " + id, false}, {"screen evil.example", true}, {"screen -json evil.example", true},
		{"agent show " + agent, true}, {"key revoke " + key, true},
		{"agent erase " + agent, true},
		{"agent erase -yes -reason court " + agent, true}, {"import ndjson -from " + file, false}, {"clock mend", false},
		{"clock mend -yes", false},
		{"backup " + backup, true},
	} {
		args := strings.Fields(c.line)
		status, complaint := m.with("TOCSIN_DB=nowhere/x.db").here(nil, io.Discard, args...)
		if status != exitFailure || complaint == "" {
			t.Errorf("%s without a database: status %d, %q", c.line, status, complaint)
		}
		status, complaint = m.with("TOCSIN_DB=broken.db").here(nil, io.Discard, args...)
		if status != exitFailure || !strings.Contains(complaint, "no such table") {
			t.Errorf("%s on a broken database: status %d, %q", c.line, status, complaint)
		}
		status, complaint = m.with("TOCSIN_DB=unread.db").here(nil, broken{}, args...)
		if c.prints && (status != exitFailure || !strings.Contains(complaint, errBroken.Error())) {
			t.Errorf("%s that cannot print: status %d, %q", c.line, status, complaint)
		}
		os.Remove(backup)
		var out bytes.Buffer
		if status, complaint = whole.here(nil, &out, args...); status != exitOK {
			t.Errorf("%s: status %d, %q", c.line, status, complaint)
		}
		if c.prints && out.Len() == 0 {
			t.Errorf("%s prints nothing", c.line)
		}
		if open, _ := filepath.Glob(filepath.Join(m.dir, "whole.db-*")); len(open) > 0 { // as one that is open has
			t.Errorf("%s leaves %v", c.line, open)
		}
	}
	status, complaint := whole.here(broken{}, io.Discard, "screen", "-f", "-")
	m.want("subjects that cannot be read", []any{status, strings.Contains(complaint, errBroken.Error())},
		[]any{exitFailure, true})
	status, complaint = whole.here(nil, io.Discard, "screen", "-f", filepath.Join(m.dir, "none.txt"))
	m.want("a file that is not there", []any{status, strings.Contains(complaint, "none.txt")}, []any{exitFailure, true})
	status, _ = whole.here(broken{}, io.Discard, "mcp")
	m.want("messages that cannot be read", status, exitFailure)
	for _, args := range [][]string{{"version"}, {"generate", "-reports", "1"}} {
		status, complaint = whole.here(nil, broken{}, args...)
		m.want(args[0], []any{status, strings.Contains(complaint, errBroken.Error())}, []any{exitFailure, true})
	}
}

var errBroken = errors.New("it is broken")

// broken can be neither read nor written.
type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, errBroken }
func (broken) Write([]byte) (int, error) { return 0, errBroken }
