package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// upstream stands for the servers of all lists, which the program reaches through a proxy that leads every name here.
type upstream struct {
	*machine
	*tocsintest.Upstream
	env []string // of who asks it
}

func (m *machine) upstream(files map[string]string) *upstream {
	m.Helper()
	u := &upstream{machine: m, Upstream: tocsintest.NewUpstream(files)}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	tocsintest.Must(m, err)
	name := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"raw.githubusercontent.com"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true}
	certificate, err := x509.CreateCertificate(rand.Reader, name, name, key.Public(), key)
	tocsintest.Must(m, err)
	server := httptest.NewUnstartedServer(u)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}
	server.StartTLS()
	m.Cleanup(server.Close)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			return
		}
		defer to.Close()
		from, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer from.Close()
		fmt.Fprint(from, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { io.Copy(to, from); to.Close() }()
		io.Copy(from, to)
	}))
	m.Cleanup(proxy.Close)
	file := filepath.Join(m.dir, "authority.pem")
	block := pem.Block{Type: "CERTIFICATE", Bytes: certificate}
	tocsintest.Must(m, os.WriteFile(file, pem.EncodeToMemory(&block), 0o600))
	u.env = []string{"HTTPS_PROXY=" + proxy.URL, "SSL_CERT_FILE=" + file}
	u.machine = m.with(append(slices.Clone(m.env), u.env...)...)
	return u
}

// planned is what /status says of a list that is read again in six hours.
var planned = regexp.MustCompile(`>in [56] h`)

// sites is a list of so many websites.
func sites(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "https://site%d-tocsin.com/\n", i)
	}
	return b.String()
}

// TestAServerRefreshesItsListsSanctionsFirst, and says so; it answers meanwhile.
func TestAServerRefreshesItsListsSanctionsFirst(t *testing.T) {
	u := newMachine(t).upstream(map[string]string{"detected_urls.txt": sites(3)})
	hold := make(chan struct{}) // the servers of the lists are slow
	u.Set("", "", func(http.ResponseWriter, *http.Request) bool { <-hold; return false })
	s := u.serve("-refresh", "6h", "-lists", "spmedia,ofac")
	key := u.newKey()
	u.want("while a list is downloaded", s.screen(address(1), key).status, http.StatusOK)
	close(hold)
	u.soon("both lists were tried", func() bool {
		_, page := s.page("/status")
		return planned.MatchString(page) && regexp.MustCompile(`>in ([12] min|a moment)`).MatchString(page)
	})
	u.want("asked", u.Requests(), "sanctioned-addresses.json 404, detected_urls.txt 200")
	u.want("a site of the list", s.screen("site1-tocsin.com", key).body["riskScore"] != 0.0, true)
	_, page := s.page("/status")
	for _, says := range []string{"The last try, ", "failed: it could not be fetched.", "reads its lists again"} {
		if !strings.Contains(page, says) {
			t.Errorf("%q is not in %s", says, page)
		}
	}
	s.says(&s.err, `level=ERROR msg="refresh: the import of a list failed.*" list=ofac reason=download failures=1 .*404`)
	s.says(&s.err, `level=INFO msg=refreshed list=spmedia unchanged=false added=3`)
	u.want("its end", s.end(syscall.SIGTERM), exitOK)
}

func TestAnImportGetsNoSecretOfTheServer(t *testing.T) {
	given := []string{"PATH=/bin", "TOCSIN_PAY_TO=0x", "CDP_API_KEY_ID=id", "CDP_API_KEY_SECRET=secret", "LISTEN_FDS=1",
		"NOTIFY_SOCKET=/run/n", "WATCHDOG_USEC=1", "CREDENTIALS_DIRECTORY=/run/c", "HTTPS_PROXY=http://p.example"}
	tocsintest.Want(t, "its environment", importEnvironment(given, &commandLine{db: "x.db"}),
		[]string{"PATH=/bin", "HTTPS_PROXY=http://p.example", "TOCSIN_DB=x.db"})
}

func TestEveryIsForListsThatAreDownloaded(t *testing.T) {
	m := newMachine(t)
	for _, args := range [][]string{{"-from", "list.txt"}, {"-force"}, {"-older"}, {"-every", "-1s"}} {
		m.fails(exitUsage, "-every is for lists", slices.Concat([]string{"import", "-every", "6h", "spmedia"}, args)...)
	}
	m.fails(exitFailure, "there is no database", "import", "-every", "6h", "spmedia")
}

// TestReplicasRefreshAListOnce, on a file and on a server.
func TestReplicasRefreshAListOnce(t *testing.T) {
	t.Run("file", func(t *testing.T) { refreshOnce(t, newMachine(t)) })
	t.Run("server", func(t *testing.T) {
		m := newMachine(t)
		refreshOnce(t, m.with("TOCSIN_DB=postgres:///postgres?user=tests&host="+m.postgres().dir))
	})
}

func refreshOnce(t *testing.T, m *machine) {
	u := m.upstream(map[string]string{"detected_urls.txt": sites(3000)})
	hold := make(chan struct{})
	u.Set("", "", func(http.ResponseWriter, *http.Request) bool { <-hold; return false })
	var servers []*server
	for range 2 {
		servers = append(servers, u.serveAnew("-refresh", "6h", "-lists", "spmedia"))
	}
	u.soon("a list is being read", func() bool {
		_, page := servers[1].page("/status")
		return strings.Contains(page, "It is being read now.")
	})
	byHand := u.start(u.command("import", "spmedia"))
	byHand.says(&byHand.err, "Waiting for another process, which imports spmedia.")
	close(hold)
	<-byHand.ended
	u.want("by hand", []any{byHand.ProcessState.ExitCode(), byHand.out.String()},
		[]any{exitOK, counts("spmedia", 0, 3000, 0)})
	for _, s := range servers {
		u.soon("the list is refreshed", func() bool {
			_, page := s.page("/status")
			return planned.MatchString(page)
		})
	}
	u.want("asked for both servers and by hand", u.Requests(), "detected_urls.txt 200, detected_urls.txt 200")
	key := u.newKey()
	for _, s := range servers {
		u.want("a site of the list", s.screen("site2999-tocsin.com", key).body["riskScore"] != 0.0, true)
		u.want("its end", s.end(syscall.SIGTERM), exitOK)
	}
}

// TestARefreshThatIsKilledLosesNothing: neither that of its server nor its own, nor the end of the server.
func TestARefreshThatIsKilledLosesNothing(t *testing.T) {
	u := newMachine(t).upstream(map[string]string{"detected_urls.txt": sites(20000)})
	u.afterFirstStart()
	key := u.newKey()
	hold := make(chan struct{})
	u.Set("", "", func(http.ResponseWriter, *http.Request) bool { <-hold; return false })
	refresh := []string{"-refresh", "6h", "-lists", "spmedia"}

	s := u.serve(refresh...)
	u.soon("the list is being read", func() bool { return u.tried() == "running" })
	id := s.file(key, "Filed meanwhile", "victim-tocsin.com")
	u.want("the end of a server that refreshes", s.end(syscall.SIGTERM), exitOK)
	u.want("the list after that", u.tried(), "")

	s = u.serve(refresh...)
	u.soon("the list is being read", func() bool { return u.tried() == "running" })
	child := u.child(s)
	s.end(syscall.SIGKILL)
	close(hold)
	u.soon("some of the list is written", func() bool { return u.count("listing") > 1000 })
	tocsintest.Must(t, syscall.Kill(child, syscall.SIGKILL))
	u.soon("it has ended", func() bool { return syscall.Kill(child, 0) != nil })
	const of = " list = (SELECT id FROM list WHERE name = 'spmedia')"
	u.want("the list is not complete", u.count("listing WHERE"+of) < 20000, true)
	u.sqlite("tocsin.db", "UPDATE meta SET value = CAST('1 1' AS BLOB) WHERE name = 'lease spmedia'") // a minute later
	s = u.serve(refresh...)
	u.soon("it is said", func() bool {
		_, page := s.page("/status")
		return strings.Contains(page, "failed: it was interrupted.")
	})
	u.want("the end of the server", s.end(syscall.SIGTERM), exitOK)
	u.must("import", "-every", "1ns", "spmedia")
	u.want("the list", u.count("listing WHERE withdrawn IS NULL AND"+of), 20000)
	u.want("what was filed", strings.Contains(u.must("report", "show", id), "Filed meanwhile"), true)
	u.want("the database", u.run("check").status, exitOK)
}

// tried is how the last try of the list ended.
func (u *upstream) tried() string {
	u.Helper()
	db, err := store.Open(u.Context(), filepath.Join(u.dir, "tocsin.db"), store.Options{MustExist: true})
	tocsintest.Must(u, err)
	defer db.Close()
	is, err := db.ImportTry(u.Context(), "spmedia")
	tocsintest.Must(u, err)
	if is.Running {
		return "running"
	}
	return is.Reason
}

// count counts rows of a database file.
func (u *upstream) count(from string) (n int) {
	u.Helper()
	db, err := sql.Open("sqlite", filepath.Join(u.dir, "tocsin.db"))
	tocsintest.Must(u, err)
	defer db.Close()
	tocsintest.Must(u, db.QueryRow("SELECT count(*) FROM "+from).Scan(&n))
	return n
}

// child returns the process that imports a list for a server.
func (u *upstream) child(s *server) (pid int) {
	u.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", s.Process.Pid))
	tocsintest.Must(u, err)
	for _, file := range threads {
		text, _ := os.ReadFile(file)
		if n, _ := fmt.Sscan(string(text), &pid); n == 1 {
			return pid
		}
	}
	u.Fatal("it has no child")
	return 0
}
