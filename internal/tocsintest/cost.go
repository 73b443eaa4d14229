package tocsintest

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"tocsin"
)

// Largest returns the content of a report that is as large as one may be, and
// names as much as one may. All of them name the same subjects, in an order that
// is rotated by i.
func Largest(t testing.TB, i int) tocsin.Draft {
	t.Helper()
	d := tocsin.Draft{
		CrimeType:   tocsin.Phishing,
		Title:       fmt.Sprintf("%04d %s", i, strings.Repeat("'", 195)),
		Description: strings.Repeat("'swindle' ", 1000),
	}
	for n := range tocsin.MaxSubjects {
		n = (n + i) % tocsin.MaxSubjects
		d.ScammerAddresses = append(d.ScammerAddresses, LargestAddress(n))
		d.ReportedDomains = append(d.ReportedDomains, fmt.Sprintf("n%02d.%s.example", n, strings.Repeat("a", 60)))
	}
	for n := range tocsin.MaxEvidence {
		d.Evidence.URLs = append(d.Evidence.URLs, fmt.Sprintf("https://e%d.example/%d?", n, i))
		d.Evidence.TransactionHashes = append(d.Evidence.TransactionHashes, fmt.Sprintf("0x%064x", i*1000+n))
	}
	d, err := d.Parse(Noon)
	Must(t, err)
	for n := range d.Evidence.URLs {
		room := tocsin.MaxReport - d.Size()
		d.Evidence.URLs[n] += strings.Repeat("+", min(room, tocsin.MaxURL-len(d.Evidence.URLs[n])))
	}
	d, err = d.Parse(Noon)
	Must(t, err)
	if d.Size() != tocsin.MaxReport {
		t.Fatalf("the report has %d bytes, not %d", d.Size(), tocsin.MaxReport)
	}
	return d
}

// LargestAddress is an address that every report of [Largest] names: that of n, from
// 0 to 99.
func LargestAddress(n int) string { return fmt.Sprintf("0x%040x", 0xbad0000+n) }

// Race reports whether the race detector is on: under it, CPU time says nothing.
func Race() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// CPU returns the CPU time that the process uses while do runs, the median of some
// runs. The test must be [Alone]; before is called before each run and not measured.
func CPU(t testing.TB, before, do func()) time.Duration {
	t.Helper()
	used := func() time.Duration {
		var u syscall.Rusage
		Must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	var runs []time.Duration
	for range 9 {
		before()
		runtime.GC() // or the garbage of another run would be cleared in this one
		start := used()
		do()
		runs = append(runs, used()-start)
	}
	slices.Sort(runs)
	return runs[len(runs)/2]
}

// SlowReaders serves a request on as many connections, of which each reads the first
// byte of its response and no more, and returns by how many bytes the memory in use
// has grown meanwhile. The test must be [Alone]. Sockets hold a few KB, so that the
// responses wait in the process.
func SlowReaders(t testing.TB, handler http.Handler, connections int, request string) (bytes int) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Listener = smallSockets{server.Listener}
	server.Start()
	defer server.Close()
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) {
			_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
		})
	}}
	before := inUse()
	for range connections {
		c, err := dialer.DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		Must(t, err)
		defer c.Close()
		_, err = c.Write([]byte(request))
		Must(t, err)
		Must(t, c.SetReadDeadline(time.Now().Add(Patience)))
		_, err = c.Read(make([]byte, 1))
		Must(t, err)
	}
	return inUse() - before
}

// smallSockets accepts connections that take in little of what nobody reads.
type smallSockets struct{ net.Listener }

// Accept implements [net.Listener].
func (l smallSockets) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		err = tcp.SetWriteBuffer(4096)
	}
	return c, err
}

// inUse returns how much memory the process uses, without garbage.
func inUse() int {
	runtime.GC()
	runtime.GC() // what pools keep is garbage after the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc + m.StackInuse)
}
