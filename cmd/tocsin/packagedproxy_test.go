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
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tocsin/internal/tocsintest"
)

// packagedProxies are run with the files of packaging/proxy: only ports, paths and the certificate are replaced.
var packagedProxies = []struct {
	program, file string
	replace       []string // pairs: DIR is the directory of the test, TLS and PLAIN are free ports
	before, after string
	args          []string
	redirects     bool // on a port that can be another one in a test
}{
	{
		program: "nginx", file: "proxy/nginx.conf", redirects: true,
		replace: []string{"listen 443 ssl;", "listen 127.0.0.1:TLS ssl;", "listen 80;", "listen 127.0.0.1:PLAIN;",
			"/etc/letsencrypt/live/tocsin.example/fullchain.pem", "DIR/cert.pem",
			"/etc/letsencrypt/live/tocsin.example/privkey.pem", "DIR/key.pem", "/run/tocsin.sock", "DIR/t.sock"},
		before: "daemon off; master_process off; pid nginx.pid; error_log stderr;\nevents {}\nhttp { access_log off;\n" +
			"client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;\n",
		after: "}",
		args:  []string{"-e", "stderr", "-p", "DIR", "-c", "DIR/proxy.conf"},
	},
	{
		program: "caddy", file: "proxy/Caddyfile",
		replace: []string{"tocsin.example {",
			"https://tocsin.example:TLS {\n  bind 127.0.0.1\n  tls DIR/cert.pem DIR/key.pem", "/run/tocsin.sock", "DIR/t.sock"},
		before: "{\n  admin off\n  auto_https disable_redirects\n}\n",
		args:   []string{"run", "--adapter", "caddyfile", "--config", "DIR/proxy.conf"},
	},
}

// certificate writes a certificate of its own for tocsin.example and its key, and returns what trusts it.
func (m *machine) certificate() *tls.Config {
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
	parsed, err := x509.ParseCertificate(cert)
	tocsintest.Must(m, err)
	trusted := x509.NewCertPool()
	trusted.AddCert(parsed)
	return &tls.Config{RootCAs: trusted, ServerName: "tocsin.example"}
}

// TestThePackagedProxiesServeTLSInFrontOfASocket. test.sh says which are not installed.
func TestThePackagedProxiesServeTLSInFrontOfASocket(t *testing.T) {
	for _, p := range packagedProxies {
		t.Run(p.program, func(t *testing.T) {
			at := shell(t, p.program)
			m := socketMachine(t)
			trusts := m.certificate()
			m.serveAt("-listen", "unix:t.sock", "-base-url", "https://tocsin.example", "-trusted-proxies", "127.0.0.1",
				"-filings", "2")
			ports := strings.NewReplacer("DIR", m.dir, "TLS", freePort(t), "PLAIN", freePort(t))
			text := packaged(t, p.file)
			for i := 0; i < len(p.replace); i += 2 {
				if !strings.Contains(text, p.replace[i]) {
					t.Fatalf("%s has no %q", p.file, p.replace[i])
				}
				text = strings.ReplaceAll(text, p.replace[i], ports.Replace(p.replace[i+1]))
			}
			m.write("proxy.conf", p.before+text+p.after)
			var args []string
			for _, arg := range p.args {
				args = append(args, ports.Replace(arg))
			}
			command := exec.Command(at, args...)
			command.Dir, command.WaitDelay = m.dir, patience
			command.Env = []string{"HOME=" + m.dir, "PATH=" + os.Getenv("PATH")}
			running := m.start(command)
			m.soon(p.program+" listens", func() bool {
				select {
				case <-running.ended:
					t.Fatalf("it ended: %s%s\n%s", &running.out, &running.err, text)
				default:
				}
				c, err := net.Dial("tcp", "127.0.0.1:"+ports.Replace("TLS"))
				if err == nil {
					c.Close()
				}
				return err == nil
			})
			if p.redirects {
				plain := &proxied{machine: m, url: "http://127.0.0.1:" + ports.Replace("PLAIN")}
				res := plain.ask("127.0.1.1", "GET", "/docs?q=1", "")
				m.want("http", fmt.Sprint(res.StatusCode, res.Header.Get("Location")), "308https://tocsin.example/docs?q=1")
			}
			(&proxied{m, "https://127.0.0.1:" + ports.Replace("TLS"), trusts}).servesTLS()
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
	p.smugglesNothing(p.dialTLS)
}
