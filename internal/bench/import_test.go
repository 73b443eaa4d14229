//go:build linux

package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"tocsin/internal/feed"
)

// BenchmarkImport imports every public list that is available, each with a process
// of its own, imports them again, and starts the server on them.
func BenchmarkImport(b *testing.B) {
	shared := os.Getenv("TOCSIN_SHARED")
	if shared == "" {
		addRow("import of all lists", "left out: TOCSIN_SHARED is not set", "", "")
		b.SkipNow()
	}
	db := filepath.Join(directory(b), "lists.db")
	for _, again := range []bool{false, true} {
		var total, slow time.Duration
		most, lists, slowest := 0.0, 0, ""
		for _, source := range feed.Sources() {
			from := filepath.Join(shared, "data/feeds", source.Name)
			if _, err := os.Stat(from); err != nil {
				continue
			}
			out, took, peak := run(b, "import", "-db", db, "-from", from, source.Name)
			lists, total, most = lists+1, total+took, max(most, peak)
			if took > slow {
				slow, slowest = took, source.Name
			}
			if !again {
				fmt.Fprintf(os.Stderr, "%.1f s, %.0f MiB: %s", took.Seconds(), peak, out)
			}
		}
		what := fmt.Sprintf("import of %d lists (slowest: %s, %.1f s)", lists, slowest, slow.Seconds())
		if again {
			note("  again, nothing changed", series{total.Seconds()}, " s")
		} else {
			atMost(what, series{total.Seconds()}, " s", 120)
		}
		atMost("  peak memory", series{most}, " MiB", 1024)
	}
	note("  database", series{megabytes(db)}, " MiB")

	key, _, _ := run(b, "key", "create", "-db", db, "-quota", "1000")
	var ready series
	for range rounds {
		cmd := exec.Command(program(), "serve", "-db", db, "-listen", "127.0.0.1:0")
		cmd.Env = []string{}
		began := time.Now()
		s := start(b, cmd, key[:len(key)-1])
		s.get(b, base+"/screen/0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
		ready = append(ready, time.Since(began).Seconds())
		stop(cmd)
	}
	atMost("  start to first answer", ready, " s", 2)
}
