//go:build linux

package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tocsin/internal/synth"
)

// BenchmarkScreen compares a screening with a key with a bare handler that returns
// the same bytes, and a batch of 50 with one screening.
func BenchmarkScreen(b *testing.B) {
	s, plain := serve(b, generated(b, reports)), bare(b)
	known, unknown := addresses(20_000)
	hot := ""
	for _, a := range known {
		if bytes.Contains(s.get(b, base+"/screen/"+a), []byte(`"reportCount":3,`)) {
			hot = a
			break
		}
	}
	few := append(known[:2000:2000], unknown[:2000]...)
	var batches [][]byte
	for range 200 {
		body, err := json.Marshal(map[string]any{"addresses": pick(few, 50)})
		must(b, err)
		batches = append(batches, request("POST", base+"/check", s.key, string(body)))
	}
	kinds := []struct {
		name      string
		addresses []string
		target    float64
	}{
		{"one address with 3 reports", []string{hot}, 0.5},
		{"4,000 addresses in turn, half unknown, asked before", few, 0.35},
		{"40,000 addresses in turn, half unknown", append(known, unknown...), 0},
	}
	type result struct{ ratio, plain, rate, cpu, plainCPU, p99 series }
	results := make([]result, len(kinds))
	requests := make([][][]byte, len(kinds))
	for k := range kinds {
		requests[k] = copyTo(b, s, plain, kinds[k].addresses)
	}
	var batch, batchCPU series
	for i := range 2 * rounds {
		var screen load
		for k := range kinds {
			if (k == 2) != (i >= rounds) { // the last kind evicts the cache of the server, so it runs after the others
				continue
			}
			next, r := inTurn(requests[k]), &results[k]
			if k < 2 {
				send(b, s, time.Minute, once(requests[k]))
			}
			var ours, theirs load
			if i%2 == 0 {
				theirs = send(b, plain, round, next)
			}
			ours = send(b, s, round, next)
			if i%2 == 1 {
				theirs = send(b, plain, round, next)
			}
			r.ratio = append(r.ratio, ours.rate/theirs.rate)
			r.rate, r.plain = append(r.rate, ours.rate), append(r.plain, theirs.rate)
			r.cpu, r.plainCPU = append(r.cpu, ours.cpu), append(r.plainCPU, theirs.cpu)
			r.p99 = append(r.p99, ours.took.at(0.99)/theirs.took.at(0.99))
			if k == 1 {
				screen = ours
			}
		}
		if i >= rounds {
			continue
		}
		many := send(b, s, round, inTurn(batches))
		batch, batchCPU = append(batch, screen.rate/many.rate), append(batchCPU, many.cpu)
	}
	for k, r := range results {
		subject := "screen / bare: " + kinds[k].name
		if kinds[k].target > 0 {
			atLeast(subject, r.ratio, "", kinds[k].target)
		} else {
			note(subject, r.ratio, "")
		}
		note("  per second: ours", r.rate, "")
		note("  per second: bare", r.plain, "")
		note("  server CPU: ours", r.cpu, " µs")
		note("  server CPU: bare", r.plainCPU, " µs")
		note("  p99: ours / bare", r.p99, "")
	}
	atMost("batch of 50 / one screen, both of the 4,000", batch, "", 4)
	note("  server CPU of a batch", batchCPU, " µs")
}

// copyTo stores our responses about the addresses in the bare server, and returns
// the requests that both get.
func copyTo(b *testing.B, s, plain *server, addresses []string) (requests [][]byte) {
	from, err := dial(s)
	must(b, err)
	defer from.Close()
	to, err := dial(plain)
	must(b, err)
	defer to.Close()
	for _, a := range addresses {
		path := base + "/screen/" + a
		r := request("GET", path, s.key, "")
		must(b, from.do(r))
		must(b, to.do(request("PUT", path, "", string(from.body))))
		requests = append(requests, r)
	}
	return requests
}

// addresses returns n addresses that generated reports name, and n that none names.
func addresses(n int) (known, unknown []string) {
	seen := map[string]bool{}
	for d := range synth.Reports(seed) {
		for _, a := range d.ScammerAddresses {
			if !seen[a] {
				seen[a] = true
				known = append(known, a)
			}
		}
		if len(known) >= n {
			break
		}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	for range n {
		unknown = append(unknown, fmt.Sprintf("0xfeed%012x%012x%012x", r.Uint64()>>16, r.Uint64()>>16, r.Uint64()>>16))
	}
	return known[:n:n], unknown
}

func pick(from []string, n int) (picked []string) {
	for range n {
		picked = append(picked, from[rand.IntN(len(from))])
	}
	return picked
}

// BenchmarkFile compares filing with the disk: one thread that appends 4 KiB and
// syncs, over and over.
func BenchmarkFile(b *testing.B) {
	const each = 3000
	db := generated(b, reports)
	s := serve(b, db)
	var filings [][]byte
	for d := range synth.Reports(seed + 1) {
		if len(filings) == each*rounds {
			break
		}
		body, err := json.Marshal(d)
		must(b, err)
		filings = append(filings, request("POST", base+"/community-reports", "", string(body)))
	}
	var ratio, rate, disk, p99, cpu series
	for i := range rounds {
		raw := fsyncs(b, filepath.Join(filepath.Dir(db), "raw"))
		part := filings[i*each : (i+1)*each]
		l := send(b, s, time.Minute, once(part))
		ratio, rate, disk = append(ratio, l.rate/raw), append(rate, l.rate), append(disk, raw)
		p99, cpu = append(p99, l.took.at(0.99)), append(cpu, l.cpu)
	}
	atLeast("filing, 16 clients / raw fsync, 400,000 on record", ratio, "", 1)
	note("  per second: filings", rate, "")
	note("  per second: append 4 KiB and fsync", disk, "")
	atMost("  p99", p99, " ms", 30)
	note("  server CPU", cpu, " µs")
}

// fsyncs returns how many times per second 4 KiB can be appended and synced.
func fsyncs(b *testing.B, path string) float64 {
	f, err := os.Create(path)
	must(b, err)
	defer os.Remove(path)
	defer f.Close()
	page, n, start := make([]byte, 4096), 0, time.Now()
	for ; time.Since(start) < round; n++ {
		_, err := f.Write(page)
		must(b, err)
		must(b, f.Sync())
	}
	return float64(n) / time.Since(start).Seconds()
}
