//go:build linux

package bench

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// raced returns the program as the race detector watches it: it ends with the first race. It needs a C compiler.
func raced(b *testing.B) string {
	path := filepath.Join(directory(b), "tocsin-race")
	build := exec.Command("go", "build", "-race", "-trimpath", "-o", path, "../../cmd/tocsin")
	build.Env = append(os.Environ(), "CGO_ENABLED=1")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("go build -race: %v\n%s", err, out)
	}
	return path
}

// metric returns a number that the server says of itself at a socket.
func metric(b *testing.B, socket, name string) float64 {
	client := http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}
	answer, err := client.Get("http://admin/metrics")
	must(b, err)
	defer answer.Body.Close()
	all := new(strings.Builder)
	must(b, answer.Write(all))
	for line := range strings.Lines(all.String()) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			number, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			must(b, err)
			return number
		}
	}
	b.Fatal("no metric " + name)
	return 0
}

// BenchmarkSoak serves for TOCSIN_SOAK, such as 10m, at a third of what it can, once with the race detector and once
// without, in which memory is measured. Without the variable it is left out.
func BenchmarkSoak(b *testing.B) {
	long, err := time.ParseDuration(os.Getenv("TOCSIN_SOAK"))
	if err != nil {
		b.Skip("TOCSIN_SOAK does not say for how long")
	}
	known, unknown := addresses(20_000)
	for _, watched := range []bool{true, false} {
		db, about := generated(b, 20_000), ""
		program := program()
		if watched {
			program, about = raced(b), ", with the race detector"
		}
		socket := db + ".sock"
		cmd := exec.Command(program, "serve", "-db", db, "-listen", "127.0.0.1:0", "-admin", "unix:"+socket,
			"-memory", "256MiB", "-filings", "1000000000", "-total-filings", "0", "-total-filing-mib", "0")
		log, err := os.Create(db + ".log")
		must(b, err)
		cmd.Env, cmd.Stderr = []string{"GORACE=halt_on_error=1"}, log
		s := start(b, cmd, newKey(b, db))
		waitForModel(b, db+".log")
		next := day(s, known, unknown)
		rate := send(b, s, long/60, next).rate / 3
		time.Sleep(time.Second) // connections that were closed are forgotten
		before := metric(b, socket, "go_goroutines")
		var memory series
		filed := 0
		for range 20 {
			a := arrive(b, s, clients, rate, long/20, next)
			if a.refused > 0 {
				b.Errorf("%d of %d calls were refused", a.refused, len(a.took)+a.refused)
			}
			for _, id := range a.filed {
				filed++
				s.get(b, base+"/community-reports/"+id)
			}
			memory = append(memory, metric(b, socket, "process_resident_memory_bytes")/(1<<20))
		}
		after := before + 1
		for range 60 {
			if after = metric(b, socket, "go_goroutines"); after <= before {
				break
			}
			time.Sleep(time.Second)
		}
		atMost("soak of "+long.String()+about+": goroutines left over", series{after - before}, "", 0)
		note("  calls a second", series{rate}, "")
		note("  reports acknowledged, all of them there", series{float64(filed)}, "")
		if !watched {
			atMost("  memory of -memory 256MiB", series{memory.at(1)}, " MiB", 256)
			atMost("  the last quarter / the second", series{memory[15:].median() / memory[5:10].median()}, "", 1.1)
		}
		stop(cmd)
		if status := cmd.ProcessState.ExitCode(); status != 0 {
			b.Errorf("it ended with %d: see %s", status, log.Name())
		}
	}
}
