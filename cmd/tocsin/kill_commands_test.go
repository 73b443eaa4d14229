package main

import (
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	mathrand "math/rand/v2"

	"tocsin/internal/pgtest"
	"tocsin/internal/tocsintest"
)

// stories writes a file of reports of one's own, half of which differ from round to round.
func (k *killing) stories(stories, round int) string {
	k.Helper()
	var lines []string
	for i := range stories {
		edition := 0
		if i%2 == 1 {
			edition = round
		}
		lines = append(lines, line(fmt.Sprint(i), fmt.Sprintf("Story %d in edition %d", i, edition), address(i)))
	}
	return k.write("stories.ndjson", lines...)
}

// importing kills an import of another edition of a list. Each story is there once, as it was or as it is.
func (k *killing) importing() {
	const stories = 800
	args := []string{"import", "ndjson", "-from", "stories.ndjson", "-as", "partner"}
	k.stories(stories, 0)
	k.measure(args...)
	whole := func() {
		k.Helper()
		there := map[string]bool{}
		for title := range k.published("partner") {
			story, _, _ := strings.Cut(title, " in ")
			if there[story] {
				k.Errorf("%s is there twice", story)
			}
			there[story] = true
		}
		k.want("stories", len(there), stories)
	}
	for round := 1; k.goesOn(); round++ {
		k.stories(stories, round)
		k.kill(k.start(k.command(args...)))
		k.sound()
		whole()
		k.hoursLater("partner")
	}
	k.must(args...)
	whole()
	k.sound()
}

// refreshing kills a server that refreshes a list, and the process that imports it.
func (k *killing) refreshing() {
	const size, changed = 4000, 500
	version := func(n int) string { // of each, most sites are those of the others
		var b strings.Builder
		b.WriteString(sites(size - changed))
		for i := range changed {
			fmt.Fprintf(&b, "https://version%d-%d-tocsin.com/\n", n, i)
		}
		return b.String()
	}
	u := k.upstream(map[string]string{"detected_urls.txt": version(0)})
	k.machine = u.machine
	k.measure("import", "spmedia")
	k.hoursLater("spmedia")
	for round := 1; k.goesOn(); round++ {
		sent := make(chan struct{})
		said := sync.OnceFunc(func() { close(sent) })
		u.Set("detected_urls.txt", version(round), func(_ http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "detected_urls.txt") {
				said()
			}
			return false
		})
		s := k.serve("-refresh", "6h", "-lists", "spmedia")
		select {
		case <-sent:
		case <-time.After(patience):
			k.Fatalf("it does not refresh the list: %s", &s.err)
		}
		child := k.childOf(s)
		time.Sleep(mathrand.N(k.longest + 1))
		s.end(syscall.SIGKILL)
		if child != 0 {
			syscall.Kill(child, syscall.SIGKILL) // it may have ended
			k.soon("it has ended", func() bool { return !running(child) })
		}
		switch is := k.tried("spmedia"); is {
		case "running":
			k.middle++
			k.longest += k.longest / 8
		case "":
			k.longest -= k.longest / 4
		default:
			k.Errorf("the import has failed: %s", is)
		}
		k.sound()
		for _, site := range []string{"site0-tocsin.com", fmt.Sprintf("site%d-tocsin.com", size-changed-1)} {
			screened := k.must("screen", "-json", site)
			k.want("a site that was always on the list", strings.Contains(screened, `"list":"spmedia"`), true)
		}
		k.hoursLater("spmedia")
	}
	k.want("the list", strings.Contains(k.must("import", "spmedia"), "withdrawn"), true)
	k.sound()
}

// childOf returns the process that imports a list for a server, 0 if it has ended.
func (k *killing) childOf(s *server) (pid int) {
	k.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", s.Process.Pid))
	tocsintest.Must(k, err)
	for _, file := range threads {
		text, _ := os.ReadFile(file)
		if n, _ := fmt.Sscan(string(text), &pid); n == 1 {
			return pid
		}
	}
	return 0
}

// running reports whether a process does anything: one that has ended may wait for its parent to ask how.
func running(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(state, "Z")
}

// migrating kills what brings an old file up to date, or moves a file to a server.
func (k *killing) migrating() {
	if k.postgres != "" {
		k.moving()
		return
	}
	const reports = 400
	old := k.oldFile(reports)
	renew := func() {
		k.Helper()
		for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
			os.Remove(filepath.Join(k.dir, "tocsin.db"+suffix))
		}
		tocsintest.Must(k, os.WriteFile(filepath.Join(k.dir, "tocsin.db"), old, 0o600))
	}
	renew()
	k.want("reports", strings.Contains(k.measure("check"), fmt.Sprintf(": %d reports", reports)), true)
	for k.goesOn() {
		renew()
		k.kill(k.start(k.command("check")))
		k.sound()
		k.want("reports", len(k.published("community")), reports)
	}
}

// oldFile returns a database of the first version with reports.
func (k *killing) oldFile(reports int) []byte {
	k.Helper()
	text, err := os.ReadFile("../../internal/store/schema/sqlite/1.sql")
	tocsintest.Must(k, err)
	path := filepath.Join(k.dir, "old.db")
	db, err := sql.Open("sqlite", path)
	tocsintest.Must(k, err)
	_, err = db.Exec(string(text) + `; PRAGMA application_id = 1414480723; PRAGMA user_version = 1;
		INSERT INTO subject (id, kind, value) VALUES (1, 'domain', 'evil.com')`)
	for i := 1; err == nil && i <= reports; i++ {
		const when = 1_700_000_000_000_000
		_, err = db.Exec(`INSERT INTO report (seq, id, created, published, status, crime_type, body)
				VALUES ($1, 'rep_' || $1, $2, $2, 'published', 'scam', $3);
			INSERT INTO report_subject (subject, report, crime_type, published) VALUES (1, $1, 'scam', $2);
			INSERT INTO report_words (rowid, title, subjects) VALUES ($1, $3, 'evil.com');
			INSERT INTO event (at, op, report, subject) VALUES ($2, 'filed', $1, 1)`, i, when+i,
			fmt.Sprintf(`{"title": "Old report %d", "description": "Old", "reportedDomains": ["evil.com"]}`, i))
	}
	tocsintest.Must(k, errors.Join(err, db.Close()))
	file, err := os.ReadFile(path)
	tocsintest.Must(k, err)
	return file
}

// moving kills the move of a file to a server: it is there as a whole, or not at all.
func (k *killing) moving() {
	const stories = 400
	k.stories(stories, 0)
	k.with().must("import", "ndjson", "-from", "stories.ndjson", "-as", "partner")
	move := []string{"migrate", "-from", "tocsin.db", "-to", k.postgres}
	empty := func() { k.behind("", "DROP SCHEMA public CASCADE; CREATE SCHEMA public") }
	k.measure(move...)
	for k.goesOn() {
		empty()
		k.kill(k.start(k.command(move...)))
		switch status, complaint := k.here(nil, io.Discard, "report", "list", "-limit", "1"); {
		case status == exitOK: // it was killed after all was done
		case !strings.Contains(complaint, "there is no database of Tocsin"):
			k.Errorf("after the kill: %s", complaint)
		default:
			continue
		}
		k.want("stories", len(k.published("partner")), stories)
		k.sound()
	}
	empty()
	k.must(move...)
	k.want("stories", len(k.published("partner")), stories)
	k.sound()
}

// backingUp kills a backup beside a server that takes reports. Its file is whole or not there, and a later one has all.
func (k *killing) backingUp() {
	s := k.serve(manyFilings...)
	var acknowledged sync.Map
	var filing sync.WaitGroup
	defer filing.Wait()
	defer s.end(syscall.SIGTERM)
	filing.Go(func() {
		new(filer{name: "filer"}).file(s, func(title, id string) {
			acknowledged.Store(title, id)
			time.Sleep(10 * time.Millisecond)
		})
	})
	back, restore := k.backup, k.restored
	if k.postgres != "" {
		back, restore = k.dump, k.dumpRestored
	}
	begun := time.Now()
	c := k.start(back("first"))
	<-c.ended
	if k.longest = time.Since(begun); c.ProcessState.ExitCode() != exitOK {
		k.Fatalf("backup: %s", &c.err)
	}
	for round := 0; k.goesOn(); round++ {
		name := fmt.Sprint("copy", round)
		k.kill(k.start(back(name)))
		k.sound()
		if _, err := os.Stat(filepath.Join(k.dir, name)); err == nil { // it was killed after all was done
			restore(name)
		}
	}
	before := new(sync.Map)
	for title, id := range acknowledged.Range {
		before.Store(title, id)
	}
	last := k.start(back("last"))
	<-last.ended
	k.want("acknowledged, and in the last backup", k.holds(before, "-db", restore("last")) > 0, true)
}

// backup is the command that makes a backup of that name.
func (k *killing) backup(name string) *exec.Cmd { return k.command("backup", name) }

// restored restores a backup, and returns where.
func (k *killing) restored(name string) string {
	k.Helper()
	at := name + ".db"
	k.must("restore", "-db", filepath.Join(k.dir, at), filepath.Join(k.dir, name))
	k.sound("-db", filepath.Join(k.dir, at))
	return filepath.Join(k.dir, at)
}

// recipe returns the line of the manual that begins so, with its continuation.
func (k *killing) recipe(begins string) string {
	k.Helper()
	manual, err := os.ReadFile("../../docs/operate.md")
	tocsintest.Must(k, err)
	line := regexp.MustCompile(`(?m)^` + begins + `(.*\\\n)*.*$`).FindString(string(manual))
	if line == "" {
		k.Fatalf("docs/operate.md has no line that begins with %s", begins)
	}
	return line
}

// dump is the recipe of the manual for a copy of a database on a server, under that name.
func (k *killing) dump(name string) *exec.Cmd {
	k.Helper()
	c := exec.CommandContext(k.Context(), need(k.T, "sh"), "-c", k.recipe("pg_dump "))
	programs := filepath.Dir(need(k.T, "pg_dump", "/usr/lib/postgresql/*/bin/pg_dump"))
	c.Dir = k.dir
	c.Env = []string{"TOCSIN_DB=" + k.postgres, "PATH=" + programs + ":/usr/bin:/bin", "name=" + name}
	return c
}

// dumpRestored restores a dump as the manual says, and returns where.
func (k *killing) dumpRestored(name string) string {
	k.Helper()
	at, err := url.Parse(newDatabase(k.T))
	tocsintest.Must(k, err)
	pgtest.Exec(k, at.String(), "SELECT 1")
	c := k.dump(name)
	c.Args[2] = k.recipe("pg_restore ")
	c.Env = append(c.Env, "TOCSIN_TO="+at.String())
	if out, err := c.CombinedOutput(); err != nil {
		k.Fatalf("pg_restore: %v: %s", err, out)
	}
	k.sound("-db", at.String())
	return at.String()
}
