package main

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
)

// spoil overwrites each page of a database file that is closed, and in which a text is. It is SQLite's default, 4 KiB.
func (m *machine) spoil(file, text string) {
	m.Helper()
	path := m.at(file)
	content, err := os.ReadFile(path)
	if err != nil {
		m.Fatal(err)
	}
	spoilt := 0
	for at := 4096; at+4096 <= len(content); at += 4096 {
		if page := content[at : at+4096]; bytes.Contains(page, []byte(text)) {
			copy(page, bytes.Repeat([]byte{0xff}, 4096))
			spoilt++
		}
	}
	if err := os.WriteFile(path, content, 0o600); err != nil || spoilt == 0 {
		m.Fatal(spoilt, err)
	}
}

// TestADamagedDatabaseIsSaidToBeDamaged by everything that an operator looks at, and with what to do.
func TestADamagedDatabaseIsSaidToBeDamaged(t *testing.T) {
	m := newMachine(t)
	m.afterFirstStart()
	var names []string
	for i := range 400 {
		names = append(names, fmt.Sprintf("marked-%d-tocsin.com", i))
	}
	m.must("import", "spmedia", "-from", m.write("list.txt", names...))
	m.spoil("tocsin.db", "marked-2")
	const remedy = "move the database file, -wal and -shm away"
	s := m.serve("-admin", "127.0.0.1:0")
	s.says(&s.err, `level=ERROR msg="Reads failed \(1\): the database is damaged" part=database remedy="Stop the server`)
	var ready string
	m.soon("the model was tried", func() bool {
		_, ready = s.page("/readyz")
		return strings.Contains(ready, "cannot be loaded: the database is damaged")
	})
	m.want("readiness", strings.Contains(ready, `"name":"database","ok":false,"detail":"The database is damaged`), true)
	status, page := s.page("/status")
	m.want("the status", []any{status, strings.Contains(page, "The database is damaged.")}, []any{http.StatusOK, true})
	m.want("it says what is refused", strings.Contains(page, "No report is accepted until"), true)
	lost := s.call("/community-reports", "", story("Lost", address(1)))
	m.want("a report", []any{lost.status, lost.body["detail"]},
		[]any{http.StatusServiceUnavailable, "The database is damaged. Nothing was recorded"})
	a := s.call("/status", "", nil)
	m.want("for programs", []any{a.status, a.body["works"]}, []any{http.StatusOK, false})
	_, admin, _ := strings.Cut(s.says(&s.err, `profiles are served" admin=127\.0\.0\.1:\d+`), "admin=")
	_, metrics := s.text(http.DefaultClient, "http://"+admin+"/metrics")
	for _, line := range []string{"tocsin_database_readable 0",
		`tocsin_trouble{part="database",reason="corrupt"} 1`} {
		m.want(line, strings.Contains(metrics, "\n"+line+"\n"), true)
	}
	m.fails(exitFailure, remedy, "backup", "copy.db")
	m.want("a check, which may be of a copy", strings.Contains(m.run("check").err, ". If this is a copy, delete it and "+
		"make a new one. If it is the database of a server, stop the server and its socket, "+remedy), true)
	other := m.write("other.db", strings.Repeat("no database ", 1000))
	for _, command := range [][]string{{"serve"}, {"check"}, {"backup", "copy.db"}} {
		m.fails(exitFailure, "is not a database: it was overwritten, or -db names", append(command, "-db", other)...)
	}
	m.fails(exitFailure, "there is no folder .*gone: create it", "key", "create", "-db", "gone/tocsin.db")
}
