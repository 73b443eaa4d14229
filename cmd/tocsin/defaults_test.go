package main

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"tocsin/internal/tocsintest"
)

// manualOf returns docs/operate.md.
func manualOf(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/operate.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// defaultsOf returns the default of each flag of a command, as it is written on a command line.
func defaultsOf(t *testing.T, name string) map[string]string {
	t.Helper()
	c, _ := findCommand(strings.Fields(name))
	line := newCommandLine(c)
	c.setUp(line)
	defaults := map[string]string{}
	line.VisitAll(func(f *flag.Flag) { defaults[f.Name] = f.DefValue })
	return defaults
}

func TestEachFlagOfServeHasTheDefaultOfTheManual(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\| `-([a-z-]+)`, `([A-Z_]+)` \\| (.*?) \\|")
	manual := map[string]string{}
	for _, m := range row.FindAllStringSubmatch(manualOf(t), -1) {
		name := m[1]
		tocsintest.Want(t, "the variable of -"+name, m[2], "TOCSIN_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_")))
		manual[name] = strings.Trim(m[3], "`")
	}
	for name, is := range defaultsOf(t, "serve") {
		want, found := manual[name]
		switch want { // words for no value
		case "none", "USDC", "see below", "http://` and the address":
			want = ""
		}
		if name == "memory" { // which is not the same on every machine
			want = ""
		}
		if !found || is != want {
			t.Errorf("-%s: the default is %q, and %q in the manual (%v)", name, is, want, found)
		}
		delete(manual, name)
	}
	if len(manual) > 0 {
		t.Errorf("the manual has flags that serve has not: %v", manual)
	}
}

// TestASlowRequestEndsInTimeForTheShutdown: docs/operate.md says after how many seconds.
func TestASlowRequestEndsInTimeForTheShutdown(t *testing.T) {
	manual := strings.Join(strings.Fields(manualOf(t)), " ")
	f := &serveFlags{}
	f.facilitatorTimeout = 20 * time.Second
	s := f.httpServer(http.NotFoundHandler())
	for _, says := range []string{
		fmt.Sprintf("(at most %.0f seconds)", drainTimeout.Seconds()),
		fmt.Sprintf("A slow request is ended after %.0f seconds", s.ReadTimeout.Seconds()),
	} {
		if !strings.Contains(manual, says) {
			t.Errorf("docs/operate.md does not say %q", says)
		}
	}
	if s.ReadHeaderTimeout <= 0 || s.ReadHeaderTimeout > s.ReadTimeout || s.ReadTimeout >= drainTimeout {
		t.Errorf("a request may take %v, its head %v, the shutdown %v", s.ReadTimeout, s.ReadHeaderTimeout, drainTimeout)
	}
	if s.IdleTimeout < time.Minute || s.IdleTimeout > 5*time.Minute {
		t.Errorf("a connection may be idle for %v", s.IdleTimeout)
	}
	calls := 7 * f.facilitatorTimeout // that a paid call makes: one to verify, two to settle, four to a node
	tocsintest.Want(t, "what is left of an answer beside the calls of others", s.WriteTimeout-calls, time.Minute)
	tocsintest.Want(t, "headers, in bytes", s.MaxHeaderBytes, 32<<10)
}

// TestHeadersOf32KBAreTaken as docs/operate.md says, and not many times more.
func TestHeadersOf32KBAreTaken(t *testing.T) {
	m := newMachine(t)
	s := m.serve()
	for size, status := range map[int]int{31 << 10: http.StatusOK, 48 << 10: http.StatusRequestHeaderFieldsTooLarge} {
		r, err := http.NewRequest(http.MethodGet, s.url+base+"/stats", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Long", strings.Repeat("x", size))
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		m.want(fmt.Sprint("headers of ", size), res.StatusCode, status)
	}
}

func TestTheHeapIsLimitedUnlessTheEnvironmentSays(t *testing.T) {
	f := func(name string) func(string) (string, bool) {
		return func(asked string) (string, bool) { return "x", asked == name }
	}
	for set, want := range map[string][2]int64{"": {400, 1 << 40}, "GOGC": {77, 1 << 40}, "GOMEMLIMIT": {400, 1 << 41}} {
		func() {
			defer restoreGC(restoreGC(77, 1<<41))
			shares{heap: 1 << 40}.limitHeap(f(set))
			percent, limit := restoreGC(77, 1<<41)
			tocsintest.Want(t, "with "+set, [2]int64{int64(percent), limit}, want)
		}()
	}
}

// restoreGC sets how the runtime collects garbage, and returns how it did before.
func restoreGC(percent int, limit int64) (int, int64) {
	return debug.SetGCPercent(percent), debug.SetMemoryLimit(limit)
}

// TestAnImportTakesALowerLimitOfTheEnvironment, and leaves the limit as it was.
func TestAnImportTakesALowerLimitOfTheEnvironment(t *testing.T) {
	var during int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		during = debug.SetMemoryLimit(-1)
	}))
	defer server.Close()
	for set, want := range map[int64]int64{1 << 41: importMemory, importMemory - 1: importMemory - 1} {
		before := debug.SetMemoryLimit(set)
		e := env{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, lookup: os.LookupEnv}
		run(t.Context(), e, []string{"import", "ndjson", "-from", server.URL, "-db", filepath.Join(t.TempDir(), "t.db")})
		tocsintest.Want(t, "limits", []int64{during, debug.SetMemoryLimit(before)}, []int64{want, set})
	}
}

// TestEachFlagOfServeIsInAGroupOfItsHelp, and each name in a group is a flag.
func TestEachFlagOfServeIsInAGroupOfItsHelp(t *testing.T) {
	groups, flags := map[string]int{}, defaultsOf(t, "serve")
	for _, g := range append([]flagGroup{rareFlags}, serveGroups...) {
		for _, name := range g.names {
			groups[name]++
			if _, is := flags[name]; !is {
				t.Errorf("%s: -%s is no flag", g.title, name)
			}
		}
	}
	for name := range flags {
		tocsintest.Want(t, "groups of -"+name, groups[name], 1)
	}
}
