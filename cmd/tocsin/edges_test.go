package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/front"
	"tocsin/internal/signals"
	"tocsin/internal/tocsintest"
)

// lookup is an environment with these variables.
func lookup(environment map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { value, found := environment[name]; return value, found }
}

// TestWhatSystemdSaysIsForThisProcessAlone: sockets, and how long the watchdog waits.
func TestWhatSystemdSaysIsForThisProcessAlone(t *testing.T) {
	own, other := strconv.Itoa(os.Getpid()), strconv.Itoa(os.Getpid()+1)
	for _, c := range []struct{ pid, sockets, complaint string }{
		{"", "", ""}, {other, "2", ""}, {"", "2", ""}, {own, "0", ""},
		{own, "", `LISTEN_FDS is "", which is no number of sockets`},
		{own, "x", `LISTEN_FDS is "x", which is no number of sockets`},
		{own, "2", "systemd passes 2 sockets, and serve takes one: keep one ListenStream= in the socket unit"},
	} {
		l, err := activated(env{lookup: lookup(map[string]string{"LISTEN_PID": c.pid, "LISTEN_FDS": c.sockets})})
		says := ""
		if err != nil {
			says = err.Error()
		}
		tocsintest.Want(t, fmt.Sprint(c), []any{l == nil, says}, []any{true, c.complaint})
	}
	for _, c := range []struct {
		environment map[string]string
		socket      string
		watchdog    time.Duration
	}{
		{nil, "", 0}, {map[string]string{"NOTIFY_SOCKET": "s"}, "s", 0},
		{map[string]string{"WATCHDOG_USEC": "2000000"}, "", 2 * time.Second},
		{map[string]string{"WATCHDOG_USEC": "7", "WATCHDOG_PID": own}, "", 7 * time.Microsecond},
		{map[string]string{"WATCHDOG_USEC": "7", "WATCHDOG_PID": other}, "", 0},
		{map[string]string{"WATCHDOG_USEC": "-7"}, "", 0}, {map[string]string{"WATCHDOG_USEC": "x"}, "", 0},
	} {
		s := newSupervisor(env{lookup: lookup(c.environment)}, nil)
		tocsintest.Want(t, fmt.Sprint(c.environment), []any{s.socket, s.watchdog}, []any{c.socket, c.watchdog})
	}
	var log tocsintest.Buffer
	s := &supervisor{socket: filepath.Join(t.TempDir(), "nobody"), log: slog.New(slog.NewTextHandler(&log, nil))}
	s.say("READY=1")
	if text := log.String(); !strings.Contains(text, "level=WARN") || !strings.Contains(text, `state="READY=1"`) {
		t.Errorf("nobody hears it: %s", text)
	}
	(&supervisor{}).say("READY=1")                            // without a manager nothing is said
	(&supervisor{}).live(t.Context())                         // and nobody waits for a sign of life
	(&supervisor{watchdog: 1, socket: "x"}).live(t.Context()) // nor of a time that cannot be halved
}

// TestALineOfATableObeysNoTerminalAndHasItsWidth.
func TestALineOfATableObeysNoTerminalAndHasItsWidth(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "  a \n b\t": "a b", "12345": "12345", "123456": "1234…", "\x1b[31m": "[31m", "ééééé": "ééééé",
	} {
		tocsintest.Want(t, text, oneLine(text, 5), want)
	}
	long, none := strings.Repeat("x", 61), ""
	tocsintest.Want(t, "dashes", []string{dash(nil), dash(&none), dash(&long)},
		[]string{"-", "-", strings.Repeat("x", 59) + "…"})
	at := tocsin.TimeOf(time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC))
	tocsintest.Want(t, "times", []string{minutes(at), seconds(at)}, []string{"2026-01-02T03:04Z", "2026-01-02T03:04:05Z"})
}

// TestTheLastLineThatAProcessSaidIsKept, up to a kilobyte.
func TestTheLastLineThatAProcessSaidIsKept(t *testing.T) {
	for _, c := range []struct {
		said []string
		want string
	}{
		{nil, ""}, {[]string{"one\n", "two\n"}, "two"}, {[]string{"one\ntw", "o\n\n"}, "two"},
		{[]string{strings.Repeat("x", 2000)}, strings.Repeat("x", 1024)},
		{[]string{"first\n", strings.Repeat("y", 1023), "z"}, strings.Repeat("y", 1023) + "z"},
	} {
		var w lastWords
		for _, text := range c.said {
			n, err := w.Write([]byte(text))
			tocsintest.Want(t, "written", []any{n, err}, []any{len(text), nil})
		}
		tocsintest.Want(t, fmt.Sprintf("%.20q", c.said), w.String(), c.want)
	}
	given := importEnvironment([]string{"A=b", "TOCSIN_QUOTA=1"}, &commandLine{db: "x", acceptClock: true})
	tocsintest.Want(t, "an operator who accepts the clock", given,
		[]string{"A=b", "TOCSIN_DB=x", "TOCSIN_ACCEPT_CLOCK=true"})
}

// TestAdminAndTheServiceHaveAnAddressEach.
func TestAdminAndTheServiceHaveAnAddressEach(t *testing.T) {
	m := newMachine(t)
	for _, c := range []struct {
		listen, admin string
		same          bool
	}{
		{"127.0.0.1:8403", "127.0.0.1:8403", true}, {"127.0.0.1:8403", ":8403", true}, {":8403", ":8403", true},
		{"127.0.0.1:8402", ":8403", false}, {"10.0.0.1:8403", ":8403", false}, {"unix:/a", "unix:/a", true},
		{"unix:/a", ":8403", false}, {"127.0.0.1:8403", "", false},
	} {
		tocsintest.Want(t, c.listen+" "+c.admin, sameAddress(c.listen, c.admin), c.same)
	}
	m.fails(exitUsage, "-admin and -listen are the same address",
		"serve", "-listen", "unix:a.sock", "-admin", "unix:a.sock")
}

// TestWhereAdminListens: on the loopback address unless it says otherwise, on a socket that is the user's own.
func TestWhereAdminListens(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("/tmp", "tocsin") // whose path is short enough for a socket
	tocsintest.Must(t, err)
	defer os.RemoveAll(dir)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	tocsintest.Must(t, err)
	defer taken.Close()
	for address, want := range map[string]string{
		":0": "127.0.0.1", "127.0.0.2:0": "127.0.0.2", "unix:" + dir + "/a": dir + "/a",
		"8403": `-admin "8403" is not like 127.0.0.1:8403 or unix:/run/tocsin/admin.sock`, "": `-admin "" is not like`,
		taken.Addr().String(): "address already in use; choose another address with -admin",
	} {
		var log tocsintest.Buffer
		l, err := adminListener(address, slog.New(slog.NewTextHandler(&log, nil)))
		got := fmt.Sprint(err)
		if err == nil {
			got = l.Addr().String()
			defer l.Close()
		}
		if !strings.Contains(got, want) || log.String() != "" {
			t.Errorf("%q: %s, %s", address, got, &log)
		}
		var wrong usageError
		tocsintest.Want(t, address+": wrong use", errors.As(err, &wrong), strings.HasPrefix(want, "-admin"))
	}
	for name, mode := range map[string]os.FileMode{"service": serviceSocket, "own": adminSocket} {
		l, err := listenUnix(filepath.Join(dir, name), mode)
		tocsintest.Must(t, err)
		is, err := os.Stat(filepath.Join(dir, name))
		tocsintest.Must(t, err)
		tocsintest.Want(t, name, []any{is.Mode().Perm(), place(l)}, []any{mode, "unix:" + filepath.Join(dir, name)})
		tocsintest.Must(t, l.Close())
	}
	tocsintest.Want(t, "permissions", []os.FileMode{serviceSocket, adminSocket}, []os.FileMode{0o660, 0o600})
}

// TestHealthSaysWhatTheServerSays, and fails unless that is 200.
func TestHealthSaysWhatTheServerSays(t *testing.T) {
	t.Parallel()
	asked := ""
	status, text := 200, "ok"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Host + r.URL.Path
		w.WriteHeader(status)
		io.WriteString(w, text)
	}))
	defer server.Close()
	at := server.Listener.Addr().String()
	for _, c := range []struct {
		status int
		text   string
		ready  bool
		want   string
	}{
		{200, "ok\n", false, "0 localhost/healthz ok\n "}, {200, "", true, "0 localhost/readyz 200 OK\n "},
		{503, "{\"ready\":\x1b false}\n\n", true,
			"1 localhost/readyz  tocsin health: /readyz answers 503: {\"ready\": false}\n"},
		{204, "", false, "1 localhost/healthz  tocsin health: /healthz answers 204: 204 No Content\n"},
	} {
		status, text = c.status, c.text
		var out, complaint tocsintest.Buffer
		exit := run(t.Context(), env{stdout: &out, stderr: &complaint, lookup: lookup(nil)},
			[]string{"health", "-listen", at, "-ready=" + strconv.FormatBool(c.ready)})
		tocsintest.Want(t, fmt.Sprint(c.status), fmt.Sprintf("%d %s %s %s", exit, asked, &out, &complaint), c.want)
	}
}

// TestWhoIsAskedAboutDomains is nobody, unless a flag names them; that one fails is logged once an hour.
func TestWhoIsAskedAboutDomains(t *testing.T) {
	for resolver, taken := range map[string]bool{"9.9.9.9": true, "[::1]:53": true, "::1": true, "9.9.9.9:x": false,
		"dns.example": false} {
		config := api.Config{Deployment: front.Deployment{Now: time.Now}}
		_, err := (&signalFlags{resolver: resolver}).begin(&config, nil)
		tocsintest.Want(t, resolver, []bool{err == nil, config.Signals != nil}, []bool{taken, taken})
	}
	config := api.Config{Deployment: front.Deployment{Now: time.Now}}
	ask, err := (&signalFlags{}).begin(&config, nil)
	tocsintest.Must(t, err)
	tocsintest.Want(t, "without a flag", config.Signals == nil, true)
	ask(t.Context()) // returns at once

	var clock tocsintest.Clock
	var log tocsintest.Buffer
	failed := warnOfServices(clock.Now, slog.New(slog.NewTextHandler(&log, nil)), nil)
	fails := func(about, signal string, err error, want int) {
		t.Helper()
		failed(signal, signals.Failed, err)
		tocsintest.Want(t, about, strings.Count(log.String(), "signal="), want)
	}
	fails("one works", "resolves", nil, 0)
	fails("it fails", "resolves", errors.New("a"), 1)
	fails("again", "resolves", errors.New("b"), 1)
	fails("another one", "registered", errors.New("c"), 2)
	clock.Sleep(warnEvery - 1)
	fails("within an hour", "resolves", errors.New("d"), 2)
	clock.Sleep(1)
	fails("an hour later", "resolves", errors.New("e"), 3)
	at, err := resolverAt("9.9.9.9")
	tocsintest.Want(t, "its port", []any{at, err}, []any{netip.MustParseAddrPort("9.9.9.9:53"), nil})
}

// TestLimitsAreTakenAtTheirValueAndRefusedBeyond.
func TestLimitsAreTakenAtTheirValueAndRefusedBeyond(t *testing.T) {
	m := newMachine(t)
	m.must("key", "create")
	x := func(n int) string { return strings.Repeat("é", n) }
	contacts := func(n int) string {
		return m.write(fmt.Sprint("contacts", n), strings.Repeat(example+"\n", n))
	}
	m.write("whole", "community"+strings.Repeat("\n", maxSetting-len("community")-1))
	m.write("large", "community"+strings.Repeat("\n", maxSetting-len("community")))
	for _, c := range []struct {
		taken, refused []string
		complaint      string
	}{
		{[]string{"key", "create", "-operator", x(60)}, []string{"key", "create", "-operator", x(61)}, "more than 60"},
		{[]string{"key", "create", "-reason", x(500)}, []string{"key", "create", "-reason", x(501)}, "more than 500"},
		{[]string{"key", "create", "-name", x(100)}, []string{"key", "create", "-name", x(101)}, "more than 100"},
		{[]string{"key", "create", "-quota", "0"}, []string{"key", "create", "-quota", "-1"}, "not a number of calls"},
		{[]string{"log", "-limit", "1"}, []string{"log", "-limit", "0"}, "-limit 0 is less than one"},
		{[]string{"agent", "list", "-limit", "1"}, []string{"agent", "list", "-limit", "0"}, "-limit 0 is less than one"},
		{[]string{"report", "list", "-limit", "1"}, []string{"report", "list", "-limit", "0"}, "-limit 0 is less than one"},
		{[]string{"log", "-since", "99999d"}, []string{"log", "-since", "100000d"}, "-since \"100000d\" is neither"},
		{[]string{"screen", "-context", contacts(50), "a-tocsin.com"}, nil, ""},
		{[]string{"generate", "-reports", "0"}, []string{"generate", "-reports", "-1"}, "-reports -1 is negative"},
	} {
		m.must(c.taken...)
		if c.refused != nil {
			m.fails(exitUsage, c.complaint, c.refused...)
		}
	}
	m.fails(exitFailure, "has 51 addresses, and at most 50 are compared", "screen", "-context", contacts(51), "a.com")
	m.with("TOCSIN_SOURCE_FILE="+m.at("whole")).must("report", "list")
	m.with("TOCSIN_SOURCE_FILE="+m.at("large")).fails(exitUsage, "more than 65536 bytes", "report", "list")
}

// TestWhatACopyLeavesOnRecord: one that another program has made is recorded without a file.
func TestWhatACopyLeavesOnRecord(t *testing.T) {
	m := newMachine(t)
	m.must("key", "create")
	m.want("none", strings.HasSuffix(m.must("check"), "\nLast backup: none on record; make one with tocsin backup FILE\n"),
		true)
	m.fails(exitUsage, "one argument too many", "backup", "-record", "copy.db")
	m.want("it says so", m.must("backup", "-record"), "recorded: a backup of tocsin.db was made now\n")
	m.want("one", strings.Contains(m.must("check"), "\nLast backup: 20"), true)
	files, err := filepath.Glob(filepath.Join(m.dir, "*.db"))
	m.want("and writes no file", []any{len(files), err}, []any{1, nil})
}
