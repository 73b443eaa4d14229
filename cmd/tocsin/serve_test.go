package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tocsin/internal/feed"
)

func TestTheFirstStartPrintsAKeyAndACurlLineThatWorks(t *testing.T) {
	m := newMachine(t)
	s := m.serveAnew("-first-key")
	line := s.printed(`curl .*[0-9a-fA-F]{40}`)
	curl := regexp.MustCompile(`^curl -H 'x-api-key: (toc_[a-z2-7]{38})' ` + s.url + base + `(/screen/` + example + `)$`)
	parts := curl.FindStringSubmatch(line)
	if parts == nil {
		t.Fatalf("the line is %q", line)
	}
	m.want("lines with nothing but the key", strings.Count(s.out.String(), "  "+parts[1]+"\n"), 1)
	a := s.call(parts[2], parts[1], nil)
	m.want("score of the thief of the Ronin bridge", a.body["riskScore"], 100)
	m.want("sanctions", a.count("sanctions"), 1)
	stats := s.call("/stats", "", nil).body
	reports := stats["reports"]
	dated := map[any]bool{}
	for _, l := range stats["lists"].([]any) {
		list := l.(map[string]any)
		dated[list["name"]] = list["listDate"] == feed.StarterDate+"T00:00:00.000000Z" && list["outOfDate"] == true
	}
	m.want("of the day of the starter set", dated, map[any]bool{feed.OFAC: true, feed.StarterList: false})
	if shell, err := exec.LookPath("sh"); err != nil {
		t.Log("there is no sh to paste the line into")
	} else if _, err := exec.LookPath("curl"); err != nil {
		t.Log("there is no curl to run the line")
	} else {
		out, err := exec.Command(shell, "-c", line).Output()
		if err != nil || !bytes.Contains(out, []byte(`"riskScore":100`)) {
			t.Errorf("%s: %v, %s", line, err, out)
		}
	}

	m.want("status after SIGTERM", s.end(syscall.SIGTERM), 0)
	again := m.serve("-first-key")
	again.printed(`It has API keys already \(1\)`)
	if strings.Contains(again.out.String(), "toc_") {
		t.Errorf("the second start says %s", &again.out)
	}
	calls := strings.Count(s.err.String(), "status=200") - 1 // all but /stats
	m.want("calls that the key has made", again.call("/me", parts[1], nil).body["apiCallCount"], calls)
	m.want("reports after a second start", again.call("/stats", "", nil).body["reports"], reports)
	m.want("status after SIGINT", again.end(os.Interrupt), 0)
	m.want("keys", strings.Count(m.must("key", "list"), "toc_"), 1)
	m.want("in the log of acts", strings.Count(m.must("log"), "serve -first-key"), 1)
	m.must("key", "revoke", parts[1])
	m.serve("-first-key").printed(`\n  toc_[a-z2-7]{38}\n`) // for one that is revoked there is another

	unasked := m.serveAnew("-db", "other.db")
	m.want("a start that is not asked for a key prints", strings.TrimPrefix(unasked.out.String(),
		"Tocsin "+version+" serves on "+unasked.url), "\n")
	m.want("keys that nobody asked for", strings.Count(m.must("key", "list", "-db", "other.db"), "toc_"), 0)
}

func TestAServerWithoutAWalletSaysSo(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	s.says(&s.err, `payments are off`)
	m.want("a facilitator without a wallet", strings.Contains(s.err.String(), "-facilitator has no effect"), false)
	s = m.serve("-facilitator", "http://127.0.0.1:1")
	s.says(&s.err, `level=WARN msg="-facilitator has no effect`)
}

func TestAFirstStartThatWasKilledIsMadeGoodByTheNext(t *testing.T) {
	m := newMachine(t)
	key := m.newKey()
	// The first start got no further than this.
	m.sqlite("tocsin.db", "INSERT INTO list (name, family, url) VALUES ('ofac', 'ofac', '')")
	a := m.serve().screen(example, key)
	m.want("score", a.body["riskScore"], 100)
	m.want("sanctions", a.count("sanctions"), 1)
	m.want("reports", a.count("reports"), 1)
}

// begin sends the first part of a filing, which the server is reading then, and returns the rest.
func (s *server) begin() (conn net.Conn, rest []byte) {
	s.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { conn.Close() })
	body, _ := json.Marshal(story("Slowly told", address(1)))
	const goOn = "HTTP/1.1 100 Continue\r\n\r\n"
	said := make([]byte, len(goOn))
	conn.SetReadDeadline(time.Now().Add(patience))
	fmt.Fprintf(conn, "POST %s/community-reports HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"+
		"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n", base, len(body))
	if _, err := io.ReadFull(conn, said); err != nil || string(said) != goOn {
		s.Fatalf("it does not ask for the body: %v, %q", err, said)
	}
	conn.Write(body[:20])
	return conn, body[20:]
}

func TestSIGTERMWaitsForTheCallsThatWereBegun(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	conn, rest := s.begin()
	s.Process.Signal(syscall.SIGTERM)
	s.says(&s.err, "stopping")
	m.soon("it takes no new calls", func() bool {
		_, err := s.try("/stats", "", nil)
		return err != nil
	})
	conn.Write(rest)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var filed struct{ ID string }
	if err := json.NewDecoder(res.Body).Decode(&filed); err != nil {
		t.Error(err)
	}
	m.want("status of the slow call", res.StatusCode, http.StatusCreated)
	<-s.ended
	m.want("exit status", s.ProcessState.ExitCode(), 0)
	m.want("its report after a restart", m.serve().call("/community-reports/"+filed.ID, "", nil).status, http.StatusOK)
}

func TestAnAddressInUseIsToldWithAWayOut(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	m.fails(exitFailure, `address already in use.*-listen`,
		"serve", "-db", "other.db", "-listen", strings.TrimPrefix(s.url, "http://"))
	if _, err := os.Stat(filepath.Join(m.dir, "other.db")); !os.IsNotExist(err) {
		t.Errorf("it has made a database all the same: %v", err)
	}
}

func TestADatabaseOfANewerProgramIsRefused(t *testing.T) {
	m := newMachine(t)
	m.must("key", "create")
	m.sqlite("tocsin.db", "PRAGMA user_version = 1000")
	for _, command := range []string{"serve -listen 127.0.0.1:0", "screen a.com", "key create", "report list"} {
		m.fails(exitFailure, `schema 1000.*newer`, strings.Fields(command)...)
	}
}

func TestAFileOfAnotherProgramIsRefusedAndLeftUnchanged(t *testing.T) {
	m := newMachine(t)
	m.sqlite("notes.db", "CREATE TABLE note (text TEXT); INSERT INTO note VALUES ('buy milk')")
	m.write("notes.txt", strings.Repeat("buy milk\n", 200))
	for _, name := range []string{"notes.db", "notes.txt"} {
		before, _ := os.ReadFile(filepath.Join(m.dir, name))
		m.fails(exitFailure, `another program|not a database`, "serve", "-listen", "127.0.0.1:0", "-db", name)
		m.fails(exitFailure, `another program|not a database`, "screen", "-db", name, "a.com")
		if after, err := os.ReadFile(filepath.Join(m.dir, name)); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s has changed (%v)", name, err)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(m.dir, "*")); len(files) != 2 {
		t.Errorf("there are other files now: %q", files)
	}
}

func TestWhatWasAnsweredSurvivesKill9(t *testing.T) {
	m := newMachine(t)
	key := m.newKey("-quota", "99") // of which no calls are reserved: those would be lost with the process
	var ids []string
	for round := range 4 {
		s := m.serve()
		m.want("used calls", s.call("/me", key, nil).body["freeCalls"].(map[string]any)["used"], 3*round)
		for i, id := range ids {
			status := s.call("/community-reports/"+id, "", nil).status
			m.want(fmt.Sprintf("report %d after %d kills", i, round), status, http.StatusOK)
		}
		for range 3 {
			m.want("answer", s.screen(example, key).status, http.StatusOK)
		}
		ids = append(ids, s.file(key, fmt.Sprint("Round ", round), address(round)))
		m.want("exit status", s.end(os.Kill), -1)
	}
}

func TestWhatWasAnsweredUnderLoadSurvivesKill9(t *testing.T) {
	m := newMachine(t)
	key := m.newKey("-quota", "1000000")
	s := m.serve("-filings", "1000000", "-total-filings", "0", "-total-filing-mib", "0")
	const clients = 8
	var screened atomic.Int64
	var filed sync.Map // ids
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			for {
				if a, _ := s.try("/screen/"+example, key, nil); a.status == http.StatusOK && screened.Add(1) == 200 {
					s.Process.Kill()
				}
				a, err := s.try("/community-reports", "", story(fmt.Sprint("Seen at ", time.Now()), address(client)))
				if err != nil {
					return // it is dead
				}
				filed.Store(a.body["id"], true)
			}
		})
	}
	wg.Wait()
	s = m.serve()
	used := int64(s.call("/me", key, nil).body["freeCalls"].(map[string]any)["used"].(float64))
	const reserved = 1000 // at most, with the process
	if n := screened.Load(); used < n || used > n+clients+reserved {
		t.Errorf("%d calls were answered and %d counted", n, used)
	}
	for id := range filed.Range {
		m.want("an answered report", s.call("/community-reports/"+id.(string), "", nil).status, http.StatusOK)
	}
}

func TestAServerThatIsStoppedGivesReservedCallsBack(t *testing.T) {
	m := newMachine(t)
	key := m.newKey("-quota", "1000000")
	s := m.serve()
	const calls = 700
	for range calls {
		s.screen(example, key)
	}
	m.want("it ends well", s.end(syscall.SIGTERM), exitOK)
	used := m.serve().call("/me", key, nil).body["freeCalls"].(map[string]any)["used"].(float64)
	m.want("used", int(used), calls)
}

func TestTwoServersOnOneDatabaseShareTheQuota(t *testing.T) {
	m := newMachine(t)
	servers := []*server{m.serve(), m.serve()}
	key := m.newKey()
	var wg sync.WaitGroup
	var got [1000]atomic.Int64 // answers by status
	for i := range 64 {
		wg.Go(func() {
			a := servers[i%2].screen(example, key)
			for a.status == http.StatusServiceUnavailable { // a busy machine refuses some of so many at once
				a = servers[i%2].screen(example, key)
			}
			got[a.status].Add(1)
			if a.status == http.StatusPaymentRequired && a.header.Get("X-Free-Tier-Exhausted") != "true" {
				t.Errorf("a 402 has the header %v", a.header)
			}
		})
	}
	wg.Wait()
	m.want("answers", got[http.StatusOK].Load(), 10)
	m.want("refusals", got[http.StatusPaymentRequired].Load(), 54)
	id := servers[0].file(key, "Filed with one server", address(1))
	m.want("the report at the other server", servers[1].call("/community-reports/"+id, "", nil).status, http.StatusOK)
}

func TestASignalEndsACommandThatWaits(t *testing.T) {
	m := newMachine(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes calls and answers none
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	download := m.start(m.command("import", "spmedia", "-from", "http://"+silent.Addr().String()+"/detected_urls.txt"))
	if _, err := silent.Accept(); err != nil {
		t.Fatal(err)
	}
	m.want("status of an interrupted import", download.end(os.Interrupt), exitFailure)

	typing := m.command("screen")
	if _, err := typing.StdinPipe(); err != nil { // where nothing ever comes
		t.Fatal(err)
	}
	reading := m.start(typing)
	time.Sleep(100 * time.Millisecond) // mostly it reads by then; if not, it ends all the same
	m.want("status of a screen that is ended", reading.end(syscall.SIGTERM), -1)

	s := m.serve()
	_, text := s.page("/status")
	m.want("an interrupted import has not failed", strings.Contains(text, "The last import of"), false)
	s.begin()
	s.Process.Signal(syscall.SIGTERM)
	s.says(&s.err, "stopping")
	m.soon("another SIGTERM ends it", func() bool { // once the first is dealt with
		s.Process.Signal(syscall.SIGTERM)
		select {
		case <-s.ended:
			return true
		default:
			return false
		}
	})
	m.want("status of a server that is stopped and killed", s.ProcessState.ExitCode(), -1)
}
