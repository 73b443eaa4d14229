package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"tocsin/internal/tocsintest"
)

// packagedProxies are run with the files of packaging/proxy: only the socket of the service is replaced and, for nginx,
// ports and the certificate. Caddy takes its own, as with `tls internal`.
var packagedProxies = []struct {
	program, file string
	replace       []string // pairs: DIR is the directory of the test, LISTEN and PLAIN are free ports
	before, after string
	args          []string
	trust         string // the certificate that clients trust
}{
	{
		program: "nginx", file: "proxy/nginx.conf", trust: "cert.pem",
		replace: []string{"listen 443 ssl;", "listen 127.0.0.1:LISTEN ssl;", "listen 80;", "listen 127.0.0.1:PLAIN;",
			"/etc/letsencrypt/live/tocsin.example/fullchain.pem", "DIR/cert.pem",
			"/etc/letsencrypt/live/tocsin.example/privkey.pem", "DIR/key.pem", "/run/tocsin.sock", "DIR/t.sock"},
		before: "daemon off; master_process off; pid nginx.pid; error_log stderr;\nevents {}\nhttp { access_log off;\n" +
			"client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;\n",
		after: "}",
		args:  []string{"-e", "stderr", "-p", "DIR", "-c", "DIR/proxy.conf"},
	},
	{
		program: "caddy", file: "proxy/Caddyfile", trust: caddyTrust,
		replace: []string{"/run/tocsin.sock", "DIR/t.sock"}, before: caddyOptions,
		args: []string{"run", "--adapter", "caddyfile", "--config", "DIR/proxy.conf"},
	},
}

// Options of Caddy that change no site: certificates of its own authority, kept in the directory of the test, and other
// addresses and ports than all on 80 and 443.
const (
	caddyOptions = "{\n admin off\n local_certs\n skip_install_trust\n default_bind 127.0.0.1\n http_port PLAIN\n" +
		" https_port LISTEN\n storage file_system DIR/caddy\n}\n"
	caddyTrust = "caddy/pki/authorities/local/root.crt"
)

// forThisCaddy is an example for Caddy as the comment in it wants it for the version that is installed.
func (m *machine) forThisCaddy(at, text string) string {
	m.Helper()
	m.write("try", text)
	c := exec.Command(at, "adapt", "--adapter", "caddyfile", "--config", filepath.Join(m.dir, "try"))
	c.Env = []string{"HOME=" + m.dir}
	if out, _ := c.CombinedOutput(); !strings.Contains(string(out), "unrecognized subdirective buffer_requests") {
		return text
	}
	return regexp.MustCompile(`buffer_requests\s+max_buffer_size`).ReplaceAllString(text, "request_buffers")
}

// certificate writes a certificate of its own for tocsin.example, cert.pem, and its key.
func (m *machine) certificate() {
	m.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	tocsintest.Must(m, err)
	what := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"tocsin.example"}, IsCA: true,
		BasicConstraintsValid: true, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, what, what, key.Public(), key)
	tocsintest.Must(m, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	tocsintest.Must(m, err)
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: cert}, "key.pem": {Type: "PRIVATE KEY", Bytes: private},
	} {
		tocsintest.Must(m, os.WriteFile(filepath.Join(m.dir, name), pem.EncodeToMemory(block), 0o600))
	}
}

// proxy starts a proxy with a configuration, and returns it at its URL when it takes connections. Trust is the
// certificate of https, "" for http.
func (m *machine) proxy(c *exec.Cmd, config, url, trust string) *proxied {
	m.Helper()
	m.write("proxy.conf", config)
	c.Dir, c.WaitDelay = m.dir, patience // should a worker outlive it
	c.Env = []string{"HOME=" + m.dir, "PATH=" + os.Getenv("PATH")}
	running := m.start(c)
	p := &proxied{machine: m, url: url}
	m.soon(filepath.Base(c.Path)+" takes connections", func() bool {
		select {
		case <-running.ended:
			m.Fatalf("it ended: %s%s\n%s", &running.out, &running.err, config)
		default:
		}
		if trust != "" {
			text, err := os.ReadFile(filepath.Join(m.dir, trust))
			if err != nil {
				return false
			}
			p.tls = &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "tocsin.example"}
			p.tls.RootCAs.AppendCertsFromPEM(text)
		}
		conn, err := p.dial("127.0.3.1")
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	return p
}

// TestThePackagedProxiesServeTLSInFrontOfASocket. test.sh says which are not installed.
func TestThePackagedProxiesServeTLSInFrontOfASocket(t *testing.T) {
	for _, p := range packagedProxies {
		t.Run(p.program, func(t *testing.T) {
			at := shell(t, p.program)
			m := socketMachine(t)
			m.certificate()
			m.serveAt("-listen", "unix:t.sock", "-base-url", "https://tocsin.example", "-trusted-proxies", "127.0.0.1",
				"-filings", "2")
			plain, listens := freePort(t), freePort(t)
			here := strings.NewReplacer("DIR", m.dir, "LISTEN", listens, "PLAIN", plain)
			text := packaged(t, p.file)
			for i := 0; i < len(p.replace); i += 2 {
				if !strings.Contains(text, p.replace[i]) {
					t.Fatalf("%s has no %q", p.file, p.replace[i])
				}
				text = strings.ReplaceAll(text, p.replace[i], here.Replace(p.replace[i+1]))
			}
			if p.program == "caddy" {
				text = m.forThisCaddy(at, text)
			}
			command := exec.Command(at)
			for _, arg := range p.args {
				command.Args = append(command.Args, here.Replace(arg))
			}
			proxy := m.proxy(command, here.Replace(p.before)+text+p.after, "https://127.0.0.1:"+listens, p.trust)
			res := (&proxied{machine: m, url: "http://127.0.0.1:" + plain}).ask("127.0.1.1", "GET", "/docs?q=1", "")
			m.want("http", fmt.Sprint(res.StatusCode, res.Header.Get("Location")), "308https://tocsin.example/docs?q=1")
			proxy.servesTLS()
		})
	}
}

func (p *proxied) servesTLS() {
	p.Helper()
	const here, other = "127.0.1.1", "127.0.2.1"
	for path, status := range map[string]int{"/": 200, "/healthz": 200, base + "/screen/" + example: 402,
		base + "/domains/check/https:%2F%2Fx.example%2Fa": 402, "/nowhere": 404} {
		res := p.ask(here, "GET", path, "")
		p.want(path, fmt.Sprint(res.StatusCode, res.Header.Values("Strict-Transport-Security")),
			fmt.Sprint(status, []string{"max-age=31536000"}))
	}
	large := "PAYMENT-SIGNATURE: " + strings.Repeat("x", 16<<10)
	p.want("a header of 16 KB", p.ask(here, "GET", "/", "", large).StatusCode, http.StatusOK)
	p.want("the tools", p.ask(here, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		"Accept: application/json, text/event-stream").StatusCode, http.StatusOK)
	var statuses []int
	for i, from := range []string{here, here, here, other, here} {
		report := fmt.Sprintf(`{"crimeType":"scam","title":"Behind TLS %d","description":"It took it.",`+
			`"scammerAddresses":[%q]}`, i, address(i))
		// The header Connection names what a proxy removes, which must not be what it writes itself.
		statuses = append(statuses, p.ask(from, "POST", base+"/community-reports", report,
			fmt.Sprintf("X-Forwarded-For: 203.0.%d.7", i), "X-Forwarded-For: 203.0.113.7", "X_Forwarded_For: 203.0.114.7",
			"Forwarded: for=203.0.115.7", "X-Real-IP: 203.0.116.7", "Connection: close, X-Forwarded-For").StatusCode)
	}
	p.want("networks are told apart", fmt.Sprint(statuses), "[201 201 429 201 429]")
	p.smugglesNothing()
}
