package main

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tocsin/internal/pgtest"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
	"tocsin/internal/x402/x402test"
)

// roundsVariable names the environment variable that says how often faults are brought about. `make test` and
// `make soak` set it.
const roundsVariable = "TOCSIN_ROUNDS"

// rounds is how often a fault is brought about: once, unless the environment says otherwise.
func rounds(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(roundsVariable), "1"))
	tocsintest.Must(t, err)
	return n
}

// deeds are in the middle of what the program is killed (SIGKILL: it can do nothing about it), round after round. After
// each round the database is sound, and has what was acknowledged, once.
var deeds = []struct {
	name string
	do   func(k *killing)
}{
	{"filing", (*killing).filing},
	{"importing", (*killing).importing},
	{"settling", (*killing).settling},
	{"migrating", (*killing).migrating},
	{"refreshing", (*killing).refreshing},
	{"backing up", (*killing).backingUp},
}

// TestKill9LosesNothing of a database file.
func TestKill9LosesNothing(t *testing.T) {
	for _, d := range deeds {
		t.Run(d.name, func(t *testing.T) {
			m := newMachine(t)
			m.afterFirstStart()
			d.do(&killing{machine: m, rounds: rounds(t)})
		})
	}
}

// TestKill9LosesNothingOnPostgres: the program is killed, not the server.
func TestKill9LosesNothingOnPostgres(t *testing.T) {
	for _, d := range deeds {
		t.Run(d.name, func(t *testing.T) {
			m := newMachine(t)
			at := newDatabase(t)
			d.do(&killing{machine: m.with("TOCSIN_DB=" + at), postgres: at, rounds: rounds(t)})
		})
	}
}

// newDatabase makes a database of its own, not only a schema, on the server that pgtest names.
func newDatabase(t *testing.T) string {
	t.Helper()
	server := os.Getenv(pgtest.Variable)
	if server == "" {
		t.Skip("name a PostgreSQL server in " + pgtest.Variable)
	}
	at, err := url.Parse(server)
	tocsintest.Must(t, err)
	name := "test_" + strings.ToLower(rand.Text())
	pgtest.Exec(t, server, "CREATE DATABASE "+name+" ENCODING 'UTF8' TEMPLATE template0")
	t.Cleanup(func() { pgtest.Exec(t, server, "DROP DATABASE "+name+" WITH (FORCE)") })
	at.Path = "/" + name
	return at.String()
}

// killing kills the program in rounds.
type killing struct {
	*machine
	postgres string // the URL of the database; "" if it is a file
	rounds   int
	longest  time.Duration // that a process takes which is not killed, about
	middle   int           // how often one was killed before it was done
}

// goesOn reports whether a further round is needed. A process that was done before it was killed does not count.
func (k *killing) goesOn() bool {
	if k.middle == k.rounds {
		k.Logf("killed in the middle: %d times; sound after it: %d", k.middle, k.middle)
	}
	return k.middle < k.rounds && !k.Failed()
}

// measure runs a command that is not killed.
func (k *killing) measure(args ...string) string {
	k.Helper()
	begun := time.Now()
	r := k.process("", args...)
	if k.longest = time.Since(begun); r.status != exitOK {
		k.Fatalf("tocsin %q: status %d: %s", args, r.status, r.err)
	}
	return r.out
}

// kill kills a process at some moment before it is done, or counts the round as none.
func (k *killing) kill(s *server) {
	k.Helper()
	select {
	case <-s.ended:
	case <-time.After(mathrand.N(k.longest + 1)):
		s.Process.Kill()
		<-s.ended
	}
	if s.ProcessState.ExitCode() == -1 {
		k.middle++
		k.longest += k.longest / 8
		return
	}
	if k.longest -= k.longest / 4; s.ProcessState.ExitCode() != exitOK {
		k.Errorf("it has failed by itself: %s", &s.err)
	}
}

// sound wants the database as it should be.
func (k *killing) sound(args ...string) {
	k.Helper()
	var out bytes.Buffer
	if status, complaint := k.here(nil, &out, append([]string{"check"}, args...)...); status != exitOK {
		k.Errorf("after %d kills: %s%s", k.middle, &out, complaint)
	}
}

// behind changes the database behind the program's back.
func (k *killing) behind(file, postgres string) {
	k.Helper()
	if k.postgres != "" {
		pgtest.Exec(k, k.postgres, postgres)
		return
	}
	k.sqlite("tocsin.db", file)
}

// hoursLater brings about what time does to a list whose import was killed: its lease ends, and it is due.
func (k *killing) hoursLater(list string) {
	k.Helper()
	statement := "DELETE FROM meta WHERE name IN ('lease " + list + "', 'import " + list + "'); " +
		"UPDATE list SET imported = imported - 43200000000 WHERE name = '" + list + "'"
	k.behind(statement, statement)
}

// published returns the ids of the published reports of a source by their titles. None has the title of another.
func (k *killing) published(source string, args ...string) map[string]string {
	k.Helper()
	ids := map[string]string{}
	listed := append([]string{"report", "list", "-json", "-limit", "1000000", "-status", "published", "-source", source},
		args...)
	for text := range strings.Lines(k.must(listed...)) {
		var r struct{ ID, Title string }
		tocsintest.Must(k, json.Unmarshal([]byte(text), &r))
		if ids[r.Title] != "" {
			k.Errorf("%q is there twice", r.Title)
		}
		ids[r.Title] = r.ID
	}
	return ids
}

// holds wants what was acknowledged in the database, or in another one that args name.
func (k *killing) holds(acknowledged *sync.Map, args ...string) (n int) {
	k.Helper()
	ids := k.published("community", args...)
	for title, id := range acknowledged.Range {
		if n++; ids[title.(string)] != id {
			k.Errorf("%s %q was acknowledged, and %q is there", id, title, ids[title.(string)])
		}
	}
	return n
}

// manyFilings are flags without which many filings of one network would be refused.
var manyFilings = []string{"-filings", "100000000", "-total-filings", "0", "-total-filing-mib", "0"}

// filer files reports, each until it is acknowledged.
type filer struct {
	name    string
	filed   int
	pending string // what has no answer yet
}

// file files until the server is killed, and calls each with what was acknowledged.
func (f *filer) file(s *server, each func(title, id string)) {
	for s.Context().Err() == nil {
		if f.pending == "" {
			f.filed++
			f.pending = fmt.Sprintf("Report %d of %s", f.filed, f.name)
		}
		a, err := s.try("/community-reports", "", story(f.pending, address(f.filed)))
		if err != nil {
			return // it is dead
		}
		id, _ := a.body["id"].(string)
		if a.status != http.StatusCreated && a.status != http.StatusOK || id == "" {
			s.Errorf("filing: %d %v", a.status, a.body)
			return
		}
		each(f.pending, id)
		f.pending = ""
	}
}

func (k *killing) filing() {
	var filers [4]filer
	var acknowledged sync.Map // ids by title
	for k.goesOn() {
		s := k.serve(manyFilings...)
		var more atomic.Int64
		more.Store(1 + mathrand.Int64N(40))
		var all sync.WaitGroup
		for i := range filers {
			filers[i].name = fmt.Sprint("filer ", i)
			all.Go(func() {
				filers[i].file(s, func(title, id string) {
					acknowledged.Store(title, id)
					if more.Add(-1) == 0 {
						s.Process.Kill()
					}
				})
			})
		}
		all.Wait()
		<-s.ended
		k.middle++
		k.sound()
		k.holds(&acknowledged)
	}
	k.Logf("acknowledged: %d reports", k.holds(&acknowledged))
}

// buyer pays for calls, each until it is answered.
type buyer struct {
	*x402test.Wallet
	pending  string // a payment without an answer yet
	answered int
}

// buy pays until the server is killed or enough is bought.
func (b *buyer) buy(s *server, enough func() bool) {
	const path = "/screen/" + example
	for s.Context().Err() == nil && !s.Failed() && (b.pending != "" || !enough()) {
		if b.pending == "" {
			priced, err := s.pay(path, "")
			if err != nil {
				return
			}
			b.pending = b.Pay(priced.price, nil)
		}
		bought, err := s.pay(path, b.pending)
		switch {
		case err != nil:
			return
		case bought.status == http.StatusOK && bought.receipt != "" && strings.Contains(bought.body, `"riskScore":100`):
			b.answered++
			b.pending = ""
		case bought.header.Get("Retry-After") != "": // what was begun before the kill is being brought to its end
			time.Sleep(20 * time.Millisecond)
		default:
			s.Errorf("paid: %d %s", bought.status, bought.body)
		}
	}
}

// settling kills before or after a payment was verified or the money moved. Who paid is answered, and has paid once.
func (k *killing) settling() {
	f := x402test.NewFacilitator()
	defer f.Close()
	flags := []string{"-pay-to", payTo, "-facilitator", f.URL, "-refused-payments", "0"}
	var buyers [3]buyer
	for i := range buyers {
		buyers[i].Wallet = x402test.NewWallet(time.Now)
	}
	round := func(s *server, enough func() bool) {
		var all sync.WaitGroup
		for i := range buyers {
			all.Go(func() { buyers[i].buy(s, enough) })
		}
		all.Wait()
	}
	for k.goesOn() {
		s := k.serve(flags...)
		var more atomic.Int64
		more.Store(1 + mathrand.Int64N(12)) // moments of the facilitator: three of each payment
		moment := func(keepsTheMoney bool) bool {
			if more.Add(-1) != 0 {
				return false
			}
			s.Process.Kill()
			<-s.ended
			return keepsTheMoney
		}
		f.Do(func() {
			f.Verifying = func(http.ResponseWriter) bool { return moment(false) }
			f.Settling = func(_ http.ResponseWriter, moved bool) bool { return moment(!moved && mathrand.N(2) == 0) }
		})
		round(s, func() bool { return false })
		<-s.ended
		k.middle++
		k.sound()
		const ended = "UPDATE claim SET lease_until = 0" // the lease of who was killed, which takes five seconds
		k.behind(ended, ended)
	}
	f.Do(func() { f.Verifying, f.Settling = nil, nil })
	s := k.serve(flags...)
	round(s, func() bool { return true })
	answered := 0
	for _, b := range buyers {
		answered += b.answered
	}
	k.want("payments that were taken and served", f.Counts().Moved, answered)
	k.soon("they are settled", func() bool {
		return strings.Count(k.must("payments", "-json"), `"state":"settled"`) == answered
	})
	k.want("its end", s.end(syscall.SIGTERM), exitOK)
	k.sound()
	k.Logf("payments: %d", answered)
}

// tried is how the last try to import a list ended: "running" if its process was killed.
func (k *killing) tried(list string) string {
	k.Helper()
	at := cmp.Or(k.postgres, k.dir+"/tocsin.db")
	db, err := store.Open(k.Context(), at, store.Options{MustExist: true})
	tocsintest.Must(k, err)
	is, err := db.ImportTry(k.Context(), list)
	tocsintest.Must(k, errors.Join(err, db.Close()))
	if is.Running {
		return "running"
	}
	return is.Reason
}
