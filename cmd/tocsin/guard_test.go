package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// showsStatus waits until /status says something.
func (s *server) showsStatus(words string) {
	s.Helper()
	s.soon("/status says: "+words, func() bool {
		status, text := s.page("/status")
		return status == http.StatusOK && strings.Contains(text, words)
	})
}

// TestADatabaseThatIsDeletedUnderTheServerTakesNoReport: no 201 for a report that is lost.
func TestADatabaseThatIsDeletedUnderTheServerTakesNoReport(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	s.file("", "Before", address(0))
	s.showsStatus(`<p class="soft">Nothing.</p>`)
	path := filepath.Join(m.dir, "tocsin.db")
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		a := s.call("/community-reports", "", story(fmt.Sprint("Lost ", n), address(n)))
		m.want("a report", []any{a.status, a.body["code"], a.body["detail"], a.header.Get("Retry-After")},
			[]any{503, "unavailable",
				"The database file was moved or deleted. Nothing can be looked up or recorded until that is corrected", "5"})
	}
	m.soon("reading is refused", func() bool {
		status, text := s.page("/reports")
		return status == http.StatusServiceUnavailable && strings.Contains(text, "Nothing can be looked up or recorded")
	})
	s.showsStatus("The database does not work at the moment.")
	s.showsStatus("The database file was moved or deleted.")
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	s.says(&s.err, `level=INFO msg="over: The database file was moved or deleted"`)
	s.file("", "After", address(1))
	m.want("lines about it", strings.Count(s.err.String(), `level=ERROR`), 1)
	s.showsStatus("Writes were refused (")

	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.says(&s.err, `(?s)moved or deleted.*over.*level=ERROR msg="The database file was moved or deleted"`)
	m.want("exit status", s.end(syscall.SIGTERM), 0)
}

func TestADatabaseThatIsOverwrittenUnderTheServerIsNotServed(t *testing.T) {
	m := newMachine(t)
	s := m.serveAnew()
	id := s.file("", "Before", address(0))
	path := filepath.Join(m.dir, "tocsin.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil { // the same file, emptied
		t.Fatal(err)
	}
	s.says(&s.err, `level=ERROR msg="The database file was overwritten"`)
	m.want("a report", s.call("/community-reports", "", story("Lost", address(1))).status, 503)
	m.want("reading", s.call("/community-reports/"+id, "", nil).status, 503)
	s.showsStatus("The database file was overwritten.")
	s.end(syscall.SIGTERM)
}

// TestAServerWhoseRecordsAreFromTheFutureTakesNoneUntilTheyAreMended plays what a clock that was a year ahead leaves.
func TestAServerWhoseRecordsAreFromTheFutureTakesNoneUntilTheyAreMended(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	id := s.file("", "A year ahead", address(0))
	m.want("exit status", s.end(syscall.SIGTERM), 0)
	m.sqlite("tocsin.db", "UPDATE report SET created = created + 31536000000000, published = published + 31536000000000 "+
		"WHERE list IS NULL; UPDATE event SET at = at + 31536000000000 WHERE seq = (SELECT max(seq) FROM event); "+
		"UPDATE meta SET value = X'00' WHERE name = 'validators starter'") // as of another version of the program

	s = m.serve()
	a := s.call("/community-reports", "", story("Refused", address(1)))
	m.want("a report", []any{a.status, a.body["detail"], a.header.Get("Retry-After")}, []any{503,
		"The clock of this machine is behind the newest record of the database. New reports, keys, sign-ins and payments " +
			"are not taken until that is corrected; look-ups and free calls work", "5"})
	m.want("reading", s.call("/community-reports/"+id, "", nil).status, 200)
	s.says(&s.err, `level=ERROR msg="The clock of this machine is behind the newest record`)
	s.showsStatus("Filing does not work at the moment.")
	m.fails(exitFailure, "accept-clock", "key", "create")
	m.must("key", "create", "-accept-clock")

	if said := m.must("clock", "mend"); !strings.Contains(said, "Would be corrected: reports 1,") {
		t.Errorf("the dry run says %s", said)
	}
	m.want("a report after a dry run", s.call("/community-reports", "", story("Refused", address(1))).status, 503)
	if said := m.must("clock", "mend", "-yes"); !strings.Contains(said, "Were corrected: reports 1,") {
		t.Errorf("it says %s", said)
	}
	m.soon("filing works again", func() bool {
		return s.call("/community-reports", "", story("Taken", address(2))).status == http.StatusCreated
	})
	s.says(&s.err, `level=INFO msg="over: The clock`)
}

// TestTheStatusSaysThatAnImportFailed until one of the same list succeeds. A mistyped name of a file is no failure.
func TestTheStatusSaysThatAnImportFailed(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	m.must("import", "ndjson", "-as", "partner", "-from", m.write("p.ndjson",
		line("1", "A", "a-tocsin.com"), line("2", "B", "b-tocsin.com"), line("3", "C", "c-tocsin.com")))
	short := m.write("q.ndjson", line("1", "A", "a-tocsin.com"))
	m.fails(exitFailure, "shrunk", "import", "ndjson", "-as", "partner", "-from", short)
	s.showsStatus("failed: it had lost more than half of its entries, so it was refused.")
	m.fails(exitFailure, "there is no file or folder nowhere.ndjson", "import", "ndjson", "-as", "partner",
		"-from", "nowhere.ndjson")
	s.showsStatus("failed: it had lost more than half of its entries, so it was refused.")
	m.fails(exitFailure, "GET http", "import", "ndjson", "-as", "partner", "-from", s.url+"/nowhere.ndjson")
	s.showsStatus("failed: it could not be fetched.")
	m.fails(exitFailure, "web page", "import", "ndjson", "-as", "partner", "-from", m.write("page.ndjson", "<html>"))
	s.showsStatus("failed: it could not be read.")
	m.must("import", "ndjson", "-as", "partner", "-from", "p.ndjson")
	m.soon("it is over", func() bool {
		_, text := s.page("/status")
		return !strings.Contains(text, "The last import of")
	})
}

func TestAnOperatorMayAcceptTheClock(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	s.file("", "A year ahead", address(0))
	m.want("exit status", s.end(syscall.SIGTERM), 0)
	m.sqlite("tocsin.db", "UPDATE report SET created = created + 31536000000000 WHERE list IS NULL")
	m.serve("-accept-clock").file("", "Accepted", address(1))
}
