//go:build linux

package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"
)

// Sizes of a run.
const (
	rounds  = 7
	round   = time.Second // of one side in one round
	clients = 16
	reports = 400_000
	seed    = 1
)

func TestMain(m *testing.M) {
	if os.Getenv("BENCH_BARE") != "" {
		serveBare()
		return
	}
	status := m.Run()
	printTable()
	if scratch != "" {
		os.RemoveAll(scratch)
	}
	os.Exit(status)
}

// series is one measure of each round.
type series []float64

func (s series) at(q float64) float64 {
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func (s series) median() float64 { return s.at(0.5) }

func (s series) String() string {
	f := func(v float64) string {
		switch {
		case v >= 100:
			return fmt.Sprintf("%.0f", v)
		case v >= 10:
			return fmt.Sprintf("%.1f", v)
		}
		return fmt.Sprintf("%.2f", v)
	}
	if len(s) == 1 {
		return f(s[0])
	}
	return fmt.Sprintf("%s (%s–%s)", f(s.median()), f(slices.Min(s)), f(slices.Max(s)))
}

var table [][4]string

// atLeast and atMost add a row with a target to the table, note one without.
func atLeast(subject string, s series, unit string, target float64) {
	addTarget(subject, s, unit, fmt.Sprintf("≥ %g%s", target, unit), s.median() >= target)
}

func atMost(subject string, s series, unit string, target float64) {
	addTarget(subject, s, unit, fmt.Sprintf("≤ %g%s", target, unit), s.median() <= target)
}

func note(subject string, s series, unit string) {
	addRow(subject, s.String()+unit, "", "")
}

func addTarget(subject string, s series, unit, target string, holds bool) {
	verdict := "holds"
	if !holds {
		verdict = "MISSED"
	}
	addRow(subject, s.String()+unit, target, verdict)
}

func addRow(subject, measured, target, verdict string) {
	table = append(table, [4]string{subject, measured, target, verdict})
	fmt.Fprintln(os.Stderr, subject+":", measured, target, verdict) // at once, because a run is long
}

func printTable() {
	if len(table) == 0 {
		return
	}
	fmt.Printf("\n%d rounds of %v; median (min–max) of the rounds; files in %s\n\n", rounds, round, scratch)
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "SUBJECT\tMEASURED\tTARGET\t")
	for _, line := range table {
		fmt.Fprintln(t, strings.Join(line[:], "\t"))
	}
	t.Flush()
}

// scratch is the directory of this run, on a disk if possible.
var scratch string

func directory(b *testing.B) string {
	if scratch != "" {
		return scratch
	}
	parent := os.Getenv("TOCSIN_BENCH_DIR")
	if parent == "" {
		parent = os.TempDir()
		const tmpfs = 0x01021994
		var fs syscall.Statfs_t
		if syscall.Statfs(parent, &fs) == nil && fs.Type == tmpfs {
			parent = "../../.." // beside the checkout: writing to memory says nothing about a disk
		}
	}
	parent, err := filepath.Abs(parent)
	must(b, err)
	must(b, os.MkdirAll(parent, 0o755))
	scratch, err = os.MkdirTemp(parent, "tocsin-bench-")
	must(b, err)
	out, err := exec.Command("go", "build", "-trimpath", "-o", program(), "../../cmd/tocsin").CombinedOutput()
	if err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	return scratch
}

func program() string { return filepath.Join(scratch, "tocsin") }

// run runs a command of the program to its end. Its peak memory is in MiB.
func run(b *testing.B, args ...string) (out string, took time.Duration, peak float64) {
	directory(b)
	cmd := exec.Command(program(), args...)
	cmd.Env = []string{}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	start := time.Now()
	answer, err := cmd.Output()
	if err != nil {
		b.Fatalf("tocsin %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(answer), time.Since(start), float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) / 1024
}

func must(b *testing.B, err error) {
	if err != nil {
		b.Helper()
		b.Fatal(err)
	}
}
