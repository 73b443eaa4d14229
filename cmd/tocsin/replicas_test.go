package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"tocsin/internal/x402/x402test"
)

// need returns the program, and skips the test where it is not installed; with TOCSIN_REQUIRE=all that is a failure.
func need(t *testing.T, program string, places ...string) string {
	t.Helper()
	for _, at := range append([]string{program}, places...) {
		if found, _ := filepath.Glob(at); len(found) > 0 {
			at = found[len(found)-1]
		}
		if path, err := exec.LookPath(at); err == nil {
			return path
		}
	}
	if os.Getenv("TOCSIN_REQUIRE") == "all" {
		t.Fatalf("%s is not installed", program)
	}
	t.Skipf("%s is not installed", program)
	return ""
}

// cluster is the service behind nginx.
type cluster struct {
	*machine
	url                      string
	key                      string // with as many calls as one likes
	filed, paid, looked      atomic.Int64
	ended                    atomic.Bool // no further call is begun
	allFiled                 atomic.Bool // those that file have had all their answers
	mu                       sync.Mutex
	acknowledged             []string // ids of reports
	answers                  map[string]int
	wrong                    []string
	payments                 int
	facilitator              *x402test.Facilitator
	screened, unknown, quota string
	free                     atomic.Int64 // answers to a key with few calls
	began                    time.Time
	countsMayBeLost          bool          // a server of PostgreSQL that crashes loses those of the last 0.6 s
	pace                     time.Duration // that each waits after an answer
}

// newCluster returns the clients of a service that settles with the facilitator.
func (m *machine) newCluster(f *x402test.Facilitator) *cluster {
	return &cluster{
		machine: m, began: time.Now(), facilitator: f, answers: map[string]int{}, screened: address(1), unknown: address(2),
		key: m.newKey("-quota", "1000000"), quota: m.newKey("-quota", "25"), pace: 20 * time.Millisecond,
	}
}

// ask makes a call until it is answered by something else than a 5xx. Those must say when to come again, unless they
// are nginx's own.
func (c *cluster) ask(
	method, path string, body any, headers ...string,
) (status int, answer map[string]any, header http.Header) {
	for !c.Failed() {
		var content io.Reader
		if body != nil {
			text, _ := json.Marshal(body)
			content = bytes.NewReader(text)
		}
		r, err := http.NewRequest(method, c.url+base+path, content)
		if err != nil {
			c.wrongly("%v", err)
			return 0, nil, nil
		}
		r.Host = "tocsin.example"
		r.Header.Set("Content-Type", "application/json")
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			r.Header.Set(name, value)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil { // nginx stays: every call has an answer
			c.wrongly("%s %s: %v", method, path, err)
			return 0, nil, nil
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		c.mu.Lock()
		c.answers[fmt.Sprint(method, " ", res.StatusCode)]++
		c.mu.Unlock()
		ours := strings.Contains(res.Header.Get("Content-Type"), "json")
		switch {
		case err != nil && res.ContentLength > 0 || res.StatusCode == 502 && !ours || res.StatusCode == 504 && !ours:
		case res.StatusCode == 503 && res.Header.Get("Retry-After") != "":
		case res.StatusCode >= 500:
			c.wrongly("%s %s: %d %s", method, path, res.StatusCode, text)
			return 0, nil, nil
		default:
			if err := json.Unmarshal(text, &answer); err != nil {
				c.wrongly("%s %s: %d %v in %q", method, path, res.StatusCode, err, text)
			}
			time.Sleep(c.pace)
			return res.StatusCode, answer, res.Header
		}
		time.Sleep(20 * time.Millisecond)
	}
	return 0, nil, nil
}

func (c *cluster) wrongly(form string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wrong = append(c.wrong, fmt.Sprintf(form, args...)); len(c.wrong) < 5 {
		c.Errorf(form, args...)
	}
}

// filer files reports, each until it is acknowledged.
func (c *cluster) filer(n int) {
	for i := 0; !c.ended.Load() && !c.Failed(); i++ {
		name := fmt.Sprintf("%d-%d-of-a-cluster", n, i)
		status, a, _ := c.ask("POST", "/community-reports", story(name, address(n*1_000_000+i)),
			"Idempotency-Key: "+name, "x-api-key: "+c.key)
		id, _ := a["id"].(string)
		if status != 201 && status != 200 || id == "" {
			c.wrongly("filing: %d %v", status, a)
			return
		}
		c.mu.Lock()
		c.acknowledged = append(c.acknowledged, id)
		c.mu.Unlock()
		c.filed.Add(1)
	}
}

// reader screens an address that was reported before and one that never is.
func (c *cluster) reader() {
	for !c.ended.Load() && !c.Failed() {
		for subject, reports := range map[string]float64{c.screened: 1, c.unknown: 0} {
			status, a, _ := c.ask("GET", "/screen/"+subject, nil, "x-api-key: "+c.key)
			if status != 200 || a["reportCount"] != reports {
				c.wrongly("screening of %s: %d %v", subject, status, a)
				return
			}
		}
		if status, _, _ := c.ask("GET", "/screen/"+c.unknown, nil, "x-api-key: "+c.quota); status == 200 {
			c.free.Add(1)
		}
		c.looked.Add(1)
	}
}

// payer pays for calls, each until it is answered.
func (c *cluster) payer() {
	wallet := x402test.NewWallet(time.Now)
	for !c.ended.Load() && !c.Failed() {
		status, a, header := c.ask("GET", "/screen/"+c.screened, nil)
		if status != 402 {
			c.wrongly("without a payment: %d %v", status, a)
			return
		}
		payment := wallet.Pay(header.Get("PAYMENT-REQUIRED"), nil)
		for status = 409; status == 409; { // another process had it; its lease ends
			status, a, header = c.ask("GET", "/screen/"+c.screened, nil, "PAYMENT-SIGNATURE: "+payment)
		}
		if status != 200 || header.Get("PAYMENT-RESPONSE") == "" || a["reportCount"] != 1.0 {
			c.wrongly("paid: %d %v", status, a)
			return
		}
		c.mu.Lock()
		c.payments++
		c.mu.Unlock()
		c.paid.Add(1)
	}
}

// follow follows the list of reports until it has them all, and says how often it had each.
func (c *cluster) follow() (seen map[string]int) {
	seen = map[string]int{}
	since := "2020-01-01T00:00:00Z"
	for last := false; !c.Failed(); {
		over := c.allFiled.Load()
		path, news := "/community-reports?source=community&limit=20&since="+url.QueryEscape(since), 0
		for cursor := ""; ; {
			status, a, _ := c.ask("GET", path+cursor, nil, "x-api-key: "+c.key)
			if status != 200 {
				c.wrongly("list: %d %v", status, a)
				return seen
			}
			for _, r := range a["reports"].([]any) {
				seen[r.(map[string]any)["id"].(string)]++
				news++
			}
			next, more := a["nextCursor"].(string)
			if !more {
				since = a["nextSince"].(string)
				break
			}
			cursor = "&cursor=" + url.QueryEscape(next)
		}
		if last && news == 0 {
			return seen
		}
		last = over && news == 0
	}
	return seen
}

// TestThreeReplicasBehindNginxLoseNothing runs what docs/operate.md says about several processes, under load: one is
// stopped, one killed, one comes back, and the database is restarted. Nobody is answered wrongly, and nothing that was
// acknowledged is lost.
func TestThreeReplicasBehindNginxLoseNothing(t *testing.T) {
	nginx := need(t, "nginx", "/usr/sbin/nginx")
	m := newMachine(t)
	database := m.postgres()
	m = m.with("TOCSIN_DB=postgres://tests@/postgres?host=" + database.dir)
	f := x402test.NewFacilitator()
	defer f.Close()
	flags := []string{"-base-url", "https://tocsin.example", "-trusted-proxies", "127.0.0.1/32", "-filings", "100000",
		"-total-filings", "0", "-total-filing-mib", "0", "-memory", "128MiB", "-pay-to", payTo, "-facilitator", f.URL}
	c := m.newCluster(f)
	var replicas [3]*server
	for i := range replicas {
		replicas[i] = m.serve(flags...)
	}
	c.behind(nginx, replicas[:])
	c.acknowledge(1)

	var clients, filers sync.WaitGroup
	var seen map[string]int
	for n := range 3 {
		filers.Go(func() { c.filer(n + 2) })
		clients.Go(c.reader)
	}
	clients.Go(c.payer)
	clients.Go(func() { seen = c.follow() })
	c.goesOn("at first")

	m.want("a replica that is stopped ends well", replicas[0].end(syscall.SIGTERM), exitOK)
	c.goesOn("one is stopped")
	replicas[1].end(syscall.SIGKILL)
	c.goesOn("one is killed")
	at := strings.TrimPrefix(replicas[0].url, "http://")
	replicas[0] = m.serve(append(flags, "-listen", at)...)
	c.goesOn("one is back")
	database.stop("fast")
	database.start()
	c.goesOn("the database was restarted")
	c.ended.Store(true)
	filers.Wait()
	c.allFiled.Store(true)
	clients.Wait()

	c.complete(seen)
}

// complete wants what was acknowledged on record, once, and followed, and each payment settled once.
func (c *cluster) complete(seen map[string]int) {
	c.Helper()
	for _, id := range c.acknowledged {
		if seen[id] != 1 {
			c.Errorf("report %s: %d times in the list", id, seen[id])
		}
		if status, _, _ := c.ask("GET", "/community-reports/"+id, nil); status != 200 {
			c.Errorf("report %s: %d", id, status)
		}
	}
	c.want("reports in the list", len(seen), len(c.acknowledged))
	c.want("distinct ones that were acknowledged", len(slices.Compact(slices.Sorted(slices.Values(c.acknowledged)))),
		len(c.acknowledged))
	c.want("payments that were settled", c.facilitator.Counts().Moved, c.payments)
	if !c.countsMayBeLost {
		c.keepsToTheQuota()
	}
	c.Logf("%d reports, %d payments, %d rounds of screenings; answers: %v", len(c.acknowledged), c.payments,
		c.looked.Load(), c.answers)
}

// keepsToTheQuota wants no more answers to the key with 25 calls a day than that. A test may run past midnight.
func (c *cluster) keepsToTheQuota() {
	c.Helper()
	const day = 24 * time.Hour
	days := int64(time.Now().Truncate(day).Sub(c.began.Truncate(day))/day) + 1
	if free := c.free.Load(); free > 25*days {
		c.Errorf("%d answers in %d days to a key with 25 calls a day", free, days)
	}
}

// acknowledge files the report of the address that is screened.
func (c *cluster) acknowledge(n int) {
	c.Helper()
	status, a, _ := c.ask("POST", "/community-reports", story("The first", address(n)), "x-api-key: "+c.key)
	if status != 201 {
		c.Fatalf("filing: %d %v", status, a)
	}
	c.acknowledged = append(c.acknowledged, a["id"].(string))
	known := 0 // times in a row: nginx asks one replica after the other, and each may be some time behind
	c.soon("all replicas know it", func() bool {
		_, a, _ := c.ask("GET", "/screen/"+address(n), nil, "x-api-key: "+c.key)
		if known++; a["reportCount"] != 1.0 {
			known = 0
		}
		return known == 20
	})
}

// goesOn waits until all kinds of calls are answered again, some times each.
func (c *cluster) goesOn(about string) {
	c.Helper()
	filed, paid, looked := c.filed.Load()+6, c.paid.Load()+2, c.looked.Load()+6
	c.soon(about, func() bool {
		return c.Failed() || c.filed.Load() >= filed && c.paid.Load() >= paid && c.looked.Load() >= looked
	})
	if c.Failed() {
		c.ended.Store(true)
		c.FailNow()
	}
}

// behind starts nginx with the lines of the manual in front of the replicas.
func (c *cluster) behind(nginx string, replicas []*server) {
	c.Helper()
	manual, err := os.ReadFile("../../docs/operate.md")
	if err != nil {
		c.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```nginx\n(.*?)```").FindAllSubmatch(manual, -1)
	if len(blocks) != 3 { // the second one blocks a network
		c.Fatalf("docs/operate.md has %d examples for nginx", len(blocks))
	}
	upstream, one := string(blocks[2][1]), string(blocks[0][1])
	for i, r := range replicas {
		line := fmt.Sprintf("127.0.0.1:%d", 8402+i)
		if !strings.Contains(upstream, line) {
			c.Fatalf("the example has no %s:\n%s", line, upstream)
		}
		upstream = strings.Replace(upstream, line, strings.TrimPrefix(r.url, "http://"), 1)
	}
	const to = "proxy_pass http://tocsin;"
	if !strings.Contains(string(manual), "`"+to+"`") {
		c.Fatalf("the manual does not say %s", to)
	}
	port := freePort(c.T)
	text := strings.NewReplacer("proxy_pass http://127.0.0.1:8402;", to,
		"listen 443 ssl;", "listen 127.0.0.1:"+port+";").Replace(one)
	if !strings.Contains(text, to) || !strings.Contains(text, port) {
		c.Fatalf("the example has another address:\n%s", one)
	}
	c.write("nginx.conf", proxies[0].before+upstream+text+proxies[0].after)
	command := exec.Command(nginx, "-e", "stderr", "-p", c.dir, "-c", filepath.Join(c.dir, "nginx.conf"))
	command.Dir, command.WaitDelay = c.dir, patience
	running := c.start(command)
	c.url = "http://127.0.0.1:" + port
	c.soon("nginx listens", func() bool {
		select {
		case <-running.ended:
			c.Fatalf("it ended: %s%s\n%s", &running.out, &running.err, text)
		default:
		}
		res, err := http.Get(c.url)
		if err == nil {
			res.Body.Close()
		}
		return err == nil
	})
}
