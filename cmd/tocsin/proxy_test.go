package main

import (
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin/internal/tocsintest"
	"tocsin/internal/x402/x402test"
)

// proxies are the programs whose configuration docs/operate.md shows. Each is run with what is written there: only the
// address of the service is replaced and, for nginx and HAProxy, that on which they listen.
var proxies = []struct {
	program, block string
	replace        []string // a pair, in the block; LISTEN and PLAIN are free ports of 127.0.0.1
	before, after  string   // the block
	blocks         string   // what the example against a network that hammers goes behind
	args           []string // CONFIG is the file
	trust          string   // the certificate that clients trust; "" for http
}{
	{
		program: "nginx", block: "nginx",
		replace: []string{"listen 443 ssl;", "listen 127.0.0.1:LISTEN;"},
		before: "daemon off; master_process off; pid nginx.pid; error_log stderr;\nevents {}\nhttp { access_log off;\n" +
			"client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4; scgi_temp_path t5;\n",
		after: "}", blocks: "location / {",
		args: []string{"-e", "stderr", "-p", "DIR", "-c", "CONFIG"},
	},
	{
		program: "caddy", block: "caddyfile", before: caddyOptions, trust: caddyTrust, blocks: "tocsin.example {",
		args: []string{"run", "--adapter", "caddyfile", "--config", "CONFIG"},
	},
	{
		program: "haproxy", block: "haproxy",
		replace: []string{"bind :443 ssl crt /etc/haproxy/tocsin.example.pem", "bind 127.0.0.1:LISTEN"},
		blocks:  "frontend https",
		args:    []string{"-db", "-f", "CONFIG"},
	},
}

// hammers is the network that the examples block.
const hammers = "203.0.113.0/24"

// TestTheProxiesOfTheManualPassEverythingOn runs each proxy in front of the program. test.sh says which are not
// installed.
func TestTheProxiesOfTheManualPassEverythingOn(t *testing.T) {
	manual, err := os.ReadFile("../../docs/operate.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range proxies {
		t.Run(p.program, func(t *testing.T) {
			at, err := exec.LookPath(p.program)
			if err != nil {
				t.Skip(err)
			}
			m := newMachine(t)
			f := x402test.NewFacilitator()
			defer f.Close()
			f.OfferSolana(tocsintest.FeePayer)
			origin := m.serve("-base-url", "https://tocsin.example", "-trusted-proxies", "127.0.0.1/32", "-filings", "5",
				"-pay-to", payTo, "-pay-to-solana", tocsintest.PayToSolana, "-facilitator", f.URL)
			examples := regexp.MustCompile("(?s)```"+p.block+"\n(.*?)```").FindAllSubmatch(manual, -1)
			blocking := slices.IndexFunc(examples, func(e [][]byte) bool { return strings.Contains(string(e[1]), hammers) })
			if blocking < 1 {
				t.Fatalf("docs/operate.md has no example for %s, or none to block %s", p.program, hammers)
			}
			shown := string(examples[0][1])
			port := freePort(t)
			text := strings.NewReplacer("127.0.0.1:8402", strings.TrimPrefix(origin.url, "http://"), p.blocks,
				p.blocks+"\n"+strings.ReplaceAll(string(examples[blocking][1]), hammers, "127.0.5.0/24")).Replace(shown)
			if text == shown || p.replace != nil && !strings.Contains(text, p.replace[0]) {
				t.Fatalf("the example has no %q or no address of the service:\n%s", p.replace, text)
			}
			if p.program == "caddy" {
				text = m.forThisCaddy(at, text)
			}
			here := strings.NewReplacer("LISTEN", port, "PLAIN", freePort(t), "DIR", m.dir,
				"CONFIG", filepath.Join(m.dir, "proxy.conf"))
			command := exec.Command(at)
			for _, arg := range p.args {
				command.Args = append(command.Args, here.Replace(arg))
			}
			scheme := "http"
			if p.trust != "" {
				scheme = "https"
			}
			proxy := m.proxy(command, here.Replace(p.before+strings.NewReplacer(p.replace...).Replace(text)+p.after),
				scheme+"://127.0.0.1:"+port, p.trust)
			m.soon("Solana is offered", func() bool {
				return origin.call("/screen/"+example, "", nil).count("accepts") == 2
			})
			proxy.passes()
			proxy.blocks()
		})
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// proxied is the program behind a proxy.
type proxied struct {
	*machine
	url string
	tls *tls.Config // what it trusts, if its URL is https
}

// ask sends a request from an address of this machine.
func (p *proxied) ask(from, method, path, body string, headers ...string) *http.Response {
	p.Helper()
	res, err := p.try(from, method, path, body, headers...)
	if err != nil {
		p.Fatal(err)
	}
	return res
}

// try is ask of a proxy that may close the connection.
func (p *proxied) try(from, method, path, body string, headers ...string) (*http.Response, error) {
	p.Helper()
	r, err := http.NewRequest(method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	r.Host = "tocsin.example"
	r.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	through := &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, TLSClientConfig: p.tls}
	res, err := through.RoundTrip(r)
	if err == nil {
		res.Body.Close()
	}
	return res, err
}

// blocks: the network of the example does not get through.
func (p *proxied) blocks() {
	p.Helper()
	r, err := p.try("127.0.5.1", "GET", "/healthz", "")
	if err == nil && r.StatusCode != http.StatusForbidden {
		p.Errorf("a network that is blocked gets %d", r.StatusCode)
	}
}

func (p *proxied) passes() {
	p.Helper()
	const here, other = "127.0.1.1", "127.0.2.1" // of two networks, neither of them the proxy's
	for _, path := range []string{"/", "/docs", "/openapi.json", "/.well-known/x402.json"} {
		p.want(path, p.ask(here, "GET", path, "").StatusCode, 200)
	}
	var required string
	for _, path := range []string{"/community-reports", "/community-reports/search?q=x", "/screen/" + example,
		"/domains/check/https:%2F%2Fx.example%2Fa%2Fb", "/domains/check/https://x.example/a", "/screen/" +
			strings.Repeat("x", 2000)} {
		res := p.ask(here, "GET", base+path, "", "X-Request-Id: "+strings.Repeat("i", 64))
		required = res.Header.Get("PAYMENT-REQUIRED")
		facts, err := base64.StdEncoding.DecodeString(required)
		if res.StatusCode != 402 || err != nil || !strings.Contains(string(facts), "solana:") {
			p.Errorf("%s: %d %v", path, res.StatusCode, res.Header)
		}
	}
	// A payment as large as one may be: 16 KB.
	path := base + "/screen/" + example
	payment := x402test.NewWallet(time.Now).Pay(p.ask(here, "GET", path, "").Header.Get("PAYMENT-REQUIRED"),
		func(payment map[string]any, signed bool) {
			payment["extensions"] = map[string]any{"filler": strings.Repeat("x", 9000)}
		})
	paid := p.ask(here, "GET", path, "", "PAYMENT-SIGNATURE: "+payment)
	p.want(fmt.Sprintf("a payment of %d bytes", len(payment)), paid.StatusCode, 200)
	p.want("a report of 200 KB is refused by us", p.ask(here, "POST", base+"/community-reports",
		`{"title":"`+strings.Repeat("x", 200<<10)+`"}`).StatusCode, 400)
	p.want("the tools", p.ask(here, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		"Accept: application/json, text/event-stream").StatusCode, 200)

	p.waitsForBodies(here)

	// X-Forwarded-For: what a caller invents does not give another network's limit.
	var statuses []int
	for i := range 7 {
		report := fmt.Sprintf(`{"crimeType":"scam","title":"Behind a proxy %d","description":"It took it.",`+
			`"scammerAddresses":["0x%040x"]}`, i, 0xbad0000+i)
		statuses = append(statuses, p.ask(here, "POST", base+"/community-reports", report,
			fmt.Sprintf("X-Forwarded-For: 203.0.%d.7", i)).StatusCode)
	}
	p.want("one network files five", fmt.Sprint(statuses), "[201 201 201 201 201 429 429]")
	report := `{"crimeType":"scam","title":"From elsewhere","description":"Gone.","reportedDomains":["evil.example"]}`
	p.want("another network", p.ask(other, "POST", base+"/community-reports", report).StatusCode, 201)
}

// waitsForBodies sends more bodies that never end than one network may be sending: they wait at the proxy.
func (p *proxied) waitsForBodies(from string) {
	p.Helper()
	for range 40 {
		c, err := p.dial(from)
		if err != nil {
			p.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST %s/community-reports HTTP/1.1\r\nHost: tocsin.example\r\n"+
			"Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{", base)
	}
	for range 10 { // they have arrived meanwhile
		p.want("a report beside slow ones", p.ask(from, "POST", base+"/community-reports", "{}").StatusCode, 400)
	}
}
