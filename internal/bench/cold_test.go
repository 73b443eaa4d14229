//go:build linux

package bench

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/store"
)

// listed is how many addresses the list of [million] names: with the subjects of the generated reports, there are about
// a million.
const listed = 650_000

// million returns the path of a database with the generated reports and a list, and the addresses of the list.
func million(b *testing.B) (path string, addresses []string) {
	r := rand.New(rand.NewPCG(seed, 7))
	for range listed {
		var a [20]byte
		for i := range a {
			a[i] = byte(r.Uint32())
		}
		addresses = append(addresses, "0x"+hex.EncodeToString(a[:]))
	}
	parent := filepath.Dir(directory(b))
	name := filepath.Join(parent, fmt.Sprintf("million-%s.db", recipe(b)))
	if _, err := os.Stat(name); err != nil || os.Getenv("TOCSIN_BENCH_DIR") == "" {
		work := generated(b, reports)
		db, err := store.Open(b.Context(), work, store.Options{})
		must(b, err)
		im, err := db.Import(b.Context(), tocsin.List{Name: "bench", Family: "bench", URL: "https://lists.example/"})
		must(b, err)
		for _, a := range addresses {
			address, fault := tocsin.ParseAddress(a)
			if fault != nil {
				b.Fatal(fault)
			}
			must(b, im.Add(tocsin.Entry{Listing: &tocsin.Listing{
				Kind: tocsin.Risk, Category: "phishing", Subject: address.Subject(), URL: "https://lists.example/" + a[:10],
			}}))
		}
		_, err = im.Finish(b.Context(), true, nil)
		must(b, err)
		must(b, db.Close())
		if os.Getenv("TOCSIN_BENCH_DIR") == "" {
			return work, addresses
		}
		must(b, os.Rename(work, name))
	}
	return workOn(b, name), addresses
}

// BenchmarkCold screens a million addresses in turn, each once, with a key, among a million subjects: half of them are
// not on record, 40 % are on a list, and 10 % have reports. The bare handler answers every fiftieth of them.
func BenchmarkCold(b *testing.B) {
	db, known := million(b)
	began := time.Now()
	s, plain := serve(b, db), bare(b)
	s.get(b, base+"/screen/"+known[0])
	atMost("start with a million subjects, to the first answer", series{time.Since(began).Seconds()}, " s", 1.5)
	waitForModel(b, db+".log")
	atMost("  memory when all is loaded", series{s.resident()}, " MiB", 400)
	reported, unknown := addresses(100_000)
	r := rand.New(rand.NewPCG(seed, 8))
	known = append(known[:400_000:400_000], reported...)
	r.Shuffle(len(known), func(i, j int) { known[i], known[j] = known[j], known[i] })
	var sample []string
	var requests [][]byte
	for i, a := range known {
		other := fmt.Sprintf("0xfeed%s%010x", unknown[i%len(unknown)][6:32], i)
		if i%50 == 0 {
			sample = append(sample, a, other)
			continue
		}
		for _, a := range []string{a, other} {
			requests = append(requests, request("GET", base+"/screen/"+a, s.key, ""))
		}
	}
	copied := copyTo(b, s, plain, sample)
	at := 0 // each is asked for once
	next := func() func(int) []byte {
		from := requests[at:]
		return func(i int) []byte { return from[i%len(from)] }
	}
	var ratio, rate, bareRate, cpu, bareCPU, p99 series
	for i := range rounds {
		var ours, theirs load
		for k := range 2 {
			if i%2 == k {
				theirs = send(b, plain, round, inTurn(copied))
				continue
			}
			ours = send(b, s, round, next())
			at += len(ours.took) + clients
		}
		ratio = append(ratio, ours.rate/theirs.rate)
		rate, bareRate = append(rate, ours.rate), append(bareRate, theirs.rate)
		cpu, bareCPU = append(cpu, ours.cpu), append(bareCPU, theirs.cpu)
		p99 = append(p99, ours.took.at(0.99)/theirs.took.at(0.99))
	}
	atLeast("screen / bare: a million addresses in turn, half unknown", ratio, "", 0.4)
	note("  per second: ours", rate, "")
	note("  per second: bare", bareRate, "")
	note("  server CPU: ours", cpu, " µs")
	note("  server CPU: bare", bareCPU, " µs")
	note("  p99: ours / bare", p99, "")
	note("  memory", series{s.resident()}, " MiB")
}

var inMemory = regexp.MustCompile(`read model loaded.*subjects=(\d+) MiB=(\d+) .*durationMs=(\d+)`)

// waitForModel waits until the server has logged that the read model is loaded. A server without one says nothing.
func waitForModel(b *testing.B, log string) {
	for range 600 {
		text, err := os.ReadFile(log)
		must(b, err)
		if found := inMemory.FindStringSubmatch(string(text)); found != nil {
			ms, _ := strconv.Atoi(found[3])
			note("  until all subjects ("+found[1]+", "+found[2]+" MiB) are in memory", series{float64(ms) / 1000}, " s")
			return
		}
		if os.Getenv("BENCH_NO_MODEL") != "" {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.Fatal("the subjects are not in memory")
}

// resident is the memory of the process, in MiB.
func (s *server) resident() float64 {
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", s.pid))
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "VmRSS:"); ok {
			kib, _ := strconv.Atoi(strings.Fields(rest)[0])
			return float64(kib) / 1024
		}
	}
	return 0
}
