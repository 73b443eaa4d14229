//go:build linux

package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"tocsin/internal/pgtest"
	"tocsin/internal/synth"
)

// shared is how many reports [BenchmarkReplicas] begins with.
const shared = 5_000

// BenchmarkReplicas compares three processes on one PostgreSQL server with one: the processor time that Tocsin and
// PostgreSQL take together for a screening with a key, and for a filing. The same clients call both, in turns.
func BenchmarkReplicas(b *testing.B) {
	db := pgtest.Database(b)
	if db == "" {
		addRow("three replicas / one", "left out: "+pgtest.Variable+" is not set", "", "")
		b.SkipNow()
	}
	lines := filepath.Join(directory(b), "shared.ndjson")
	f, err := os.Create(lines)
	must(b, err)
	must(b, synth.Write(f, shared, seed))
	must(b, f.Close())
	run(b, "import", "-db", db, "-from", lines, "ndjson")
	key := newKey(b, db)
	var all []*server
	for i := range 3 {
		log := filepath.Join(directory(b), fmt.Sprintf("replica%d.log", i))
		all = append(all, serveWith(b, db, key, log))
		waitForModel(b, log)
	}
	postgres := postmaster(b, db)
	known, unknown := addresses(2_000)
	var screens, filings [][]byte
	for _, a := range append(known, unknown...) {
		screens = append(screens, request("GET", base+"/screen/"+a, key, ""))
	}
	for d := range synth.Reports(seed + 2) {
		if len(filings) == 300*2*rounds {
			break
		}
		body, err := json.Marshal(d)
		must(b, err)
		filings = append(filings, request("POST", base+"/community-reports", key, string(body)))
	}
	filed := 0
	kinds := []struct {
		name string
		next func() func(int) []byte
	}{
		{"screens with a key", func() func(int) []byte { return inTurn(screens) }},
		{"filings", func() func(int) []byte {
			filed += 300
			return once(filings[filed-300 : filed])
		}},
	}
	for _, kind := range kinds {
		sendToAll(b, all, postgres, inTurn(screens[:400])) // both sides are warm
		var ratio, one, three series
		for i := range rounds {
			var cost [2]float64
			for k := range 2 {
				side := (i + k) % 2
				cost[side] = sendToAll(b, all[:1+2*side], postgres, kind.next())
			}
			one, three, ratio = append(one, cost[0]), append(three, cost[1]), append(ratio, cost[0]/cost[1])
		}
		atLeast("three replicas / one, calls for the same CPU: "+kind.name, ratio, "", 0.9)
		note("  CPU of Tocsin and PostgreSQL: one", one, " µs")
		note("  CPU of Tocsin and PostgreSQL: three", three, " µs")
	}
}

// sendToAll sends requests to servers in turn, and returns the processor time of all of them and of PostgreSQL for one.
func sendToAll(b *testing.B, all []*server, postgres int, next func(int) []byte) float64 {
	before := family(postgres)
	l := sendFrom(b, clients*3, all, round, next)
	return l.cpu + (family(postgres)-before)/float64(len(l.took))*1e6
}

// postmaster returns the process of the PostgreSQL server, which is on this machine.
func postmaster(b *testing.B, db string) int {
	c, err := pgx.Connect(context.Background(), db)
	must(b, err)
	defer c.Close(context.Background())
	var backend int
	must(b, c.QueryRow(context.Background(), "SELECT pg_backend_pid()").Scan(&backend))
	return parent(backend)
}

func parent(pid int) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "\nPPid:")
	line, _, _ := strings.Cut(rest, "\n")
	n, _ := strconv.Atoi(strings.TrimSpace(line))
	return n
}

// family returns the processor time of a process and of its children, those that have ended too, in seconds.
func family(pid int) float64 {
	sum := cpuOf(pid, true)
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range processes {
		if child, _ := strconv.Atoi(filepath.Base(p)); parent(child) == pid {
			sum += cpuOf(child, false)
		}
	}
	return sum
}
