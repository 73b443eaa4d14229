package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// TestABackupIsRestoredBesideNothing: the copy of a database in use becomes a database that is served, and nothing that
// is there is written over.
func TestABackupIsRestoredBesideNothing(t *testing.T) {
	m := newMachine(t)
	s := m.serve("-first-key")
	key := s.printed(`toc_\w+`)
	id := s.file(key, "Kept", address(1))
	m.want("backup", strings.Contains(m.must("backup", "copy.db"), "90 reports, "), true)
	s.file(key, "After it", address(2))
	m.must("check") // beside a server
	m.fails(exitFailure, `tocsin.db exists already`, "restore", "copy.db")
	m.fails(exitFailure, `tocsin.db-wal exists: tocsin.db is a database in use, not a backup`,
		"restore", "-db", "new.db", "tocsin.db")
	s.end(syscall.SIGKILL)
	m.write("stale.db-wal", "the log of another database")
	m.fails(exitFailure, `stale.db-wal exists: it belongs to another database`, "restore", "-db", "stale.db", "copy.db")
	m.write("old.db-journal", "what another database rolls back")
	m.fails(exitFailure, `old.db-journal exists: it belongs to another database`, "restore", "-db", "old.db", "copy.db")
	m.fails(exitFailure, `with tocsin migrate`, "restore", "-db", "postgres://127.0.0.1/x", "copy.db")
	m.fails(exitUsage, `name the backup`, "restore", "-db", "new.db")
	m.write("letter.txt", "no database")
	m.fails(exitFailure, `letter.txt is no sound backup`, "restore", "-db", "new.db", "letter.txt")
	m.sqlite("theirs.db", "CREATE TABLE t (x)")
	m.fails(exitFailure, `it is not a database of Tocsin`, "restore", "-db", "new.db", "theirs.db")
	m.must("backup", "run.db")
	m.sqlite("run.db", "CREATE VIEW v AS SELECT * FROM report")
	m.fails(exitFailure, `it has a view that is not of Tocsin: "v"`, "restore", "-db", "new.db", "run.db")
	whole, err := os.ReadFile(filepath.Join(m.dir, "copy.db"))
	if err != nil {
		t.Fatal(err)
	}
	m.write("half.db", string(whole[:len(whole)/2]))
	cutOff := fmt.Sprintf(`half.db(?: is no sound backup)?: it is cut off: it has [1-9][\d,]+,\d{3} of `+
		`[1-9][\d,]+,%03d bytes; copy it again\n$`, len(whole)%1000)
	m.fails(exitFailure, cutOff, "restore", "-db", "new.db", "half.db")
	m.fails(exitFailure, cutOff, "check", "-db", "half.db")
	if left, _ := filepath.Glob(filepath.Join(m.dir, "new.db*")); len(left) > 0 {
		t.Errorf("what failed has left %q", left)
	}

	m.want("restore", strings.HasPrefix(m.must("restore", "-db", "new.db", "copy.db"), "new.db: 90 reports, "), true)
	if out := m.must("check", "-db", "new.db"); !regexp.MustCompile("^new.db is sound: 90 reports, \\d+ listings, " +
		`1 agent, 1 key, 0 payments, took \S+\nLast backup: 20\S+Z, \S+ ago\n$`).MatchString(out) {
		t.Error(out)
	}
	m.want("a backup is on record", regexp.MustCompile(`Last backup: 20\S+Z, \S+ ago\n$`).MatchString(m.must("check")),
		true)
	s = m.serve("-db", "new.db")
	m.want("the report", s.call("/community-reports/"+id, "", nil).status, http.StatusOK)
	m.want("the key", s.screen(address(1), key).status, http.StatusOK)
	s.end(syscall.SIGTERM)
	m.sqlite("new.db", "DELETE FROM event WHERE op = 'filed'")
	r := m.run("check", "-db", "new.db")
	if r.status != exitFailure || strings.Count(r.out, "0 have an event") != 20 ||
		!strings.Contains(r.out, "and 70 other reports") || !strings.Contains(r.err, "new.db is not sound") {
		t.Errorf("check of a damaged one: %+v", r)
	}
}

// TestWhatRootRestoresBelongsToTheServer: the file has the owner of its folder, and so has one that root begins.
func TestWhatRootRestoresBelongsToTheServer(t *testing.T) {
	m := newMachine(t)
	m.newKey()
	m.must("backup", filepath.Join(m.dir, "copy.db"))
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	folder := filepath.Join(m.dir, "service")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.Chown(folder, 4711, 4712)); err != nil {
		t.Fatal(err)
	}
	m.must("restore", "-db", "service/restored.db", "copy.db")
	m.must("key", "create", "-db", "service/new.db")
	for _, name := range []string{"restored.db", "new.db"} {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		owner := info.Sys().(*syscall.Stat_t)
		m.want(name, []any{owner.Uid, owner.Gid, info.Mode().Perm()}, []any{uint32(4711), uint32(4712), fs.FileMode(0o600)})
	}
}

// TestTheRestOfADatabaseIsNotDeleted: SQLite would delete the log that a deleted file has left, which may hold records.
func TestTheRestOfADatabaseIsNotDeleted(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	s.file("", "Kept", address(1))
	s.end(syscall.SIGKILL)
	path := filepath.Join(m.dir, "tocsin.db")
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"serve", "-listen", "127.0.0.1:0"}, {"key", "create"}, {"import", "starter"}, {"check"},
	} {
		m.fails(exitFailure, `tocsin.db is missing, but \S*tocsin.db-wal is there: .* Move that file back; or move`, args...)
	}
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	m.want("the report is there", strings.Contains(m.must("report", "list"), "Kept"), true)
}

// TestAServerSaysThatItBeganADatabase: an empty folder may be a disk that is not mounted.
func TestAServerSaysThatItBeganADatabase(t *testing.T) {
	m := newMachine(t)
	if err := os.WriteFile(m.at("unmounted.db"), nil, 0o600); err != nil { // as a copy that was interrupted leaves it
		t.Fatal(err)
	}
	m.fails(exitFailure, "unmounted.db is no database: it has 0 bytes", "check", "-db", "unmounted.db")
	s := m.serveAnew("-db", "unmounted.db")
	s.says(&s.err, `level=WARN msg="began a new, empty database: `)
	s.end(syscall.SIGTERM)
	s = m.serve("-db", "unmounted.db")
	s.end(syscall.SIGTERM)
	m.want("said again", strings.Contains(s.err.String(), "began a new"), false)
}
