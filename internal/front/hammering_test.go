package front

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"tocsin/internal/health"
	"tocsin/internal/limits"
)

// lines are what the log says of refused requests: "warn" with what it stands for and the network, and "line".
func (s *service) lines() string {
	var found []string
	for line := range strings.Lines(s.log.String()) {
		kind := "line"
		if strings.Contains(line, "level=WARN") {
			kind = "warn"
		}
		if m := regexp.MustCompile(` refused=(\d+)`).FindStringSubmatch(line); m != nil {
			net := regexp.MustCompile(`net=\S+`).FindString(line)
			found = append(found, strings.TrimSpace(kind+" "+m[1]+" "+net))
		}
	}
	s.log.Reset()
	return strings.Join(found, ", ")
}

// TestANetworkThatHammersIsInTheLogAtOnce, then once in ten minutes, its requests once a second, and on the status.
func TestANetworkThatHammersIsInTheLogAtOnce(t *testing.T) {
	s := open(nothing, nothing)
	s.deploy.Tag = func(p netip.Prefix) string { return p.Addr().String() }
	s.deploy.Health = health.New(s.deploy.Now, nil)
	s.LimitRequests(limits.NewWindow[netip.Prefix](0, time.Second, s.deploy.Now))
	for _, step := range []struct {
		wait time.Duration
		n    int
		from string
		want string
	}{
		{0, 5, "192.0.2.7:1", "warn 1 net=192.0.2.0, line 1 net=192.0.2.0"},
		{0, 2, "192.0.3.7:1", "warn 1 net=192.0.3.0, line 1 net=192.0.3.0"},
		{time.Second, 3, "192.0.2.8:1", "line 5 net=192.0.2.0"},
		{10 * time.Minute, 1, "192.0.2.7:1", "warn 8 net=192.0.2.0, line 3 net=192.0.2.0"},
		{-time.Hour, 1, "192.0.2.7:1", "warn 1 net=192.0.2.0, line 1 net=192.0.2.0"},
	} {
		s.elapsed += step.wait
		for range step.n {
			s.get("/", "From: "+step.from)
		}
		if got := s.lines(); got != step.want {
			t.Errorf("%+v: %s", step, got)
		}
	}
	s.elapsed += 2 * time.Hour
	for _, part := range s.deploy.Health.LastDay().Parts {
		if part.Part == health.Load && part.Count != 12 {
			t.Errorf("the last day has %d", part.Count)
		}
	}
	s.deploy.AccessLog = 1000
	if s.get("/"); !strings.Contains(s.lines(), "line") {
		t.Error("a log of one request of 1000 shows no refusal")
	}
}

// TestManyNetworksThatHammerFillNoLog: after the first hundred, all further ones are one, until the first have
// ended and make room for others.
func TestManyNetworksThatHammerFillNoLog(t *testing.T) {
	s := open(nothing, nothing)
	s.LimitRequests(limits.NewWindow[netip.Prefix](0, time.Second, s.deploy.Now))
	flood := func(of int) int {
		for n := range 3 * maxHammering {
			s.get("/", fmt.Sprintf("From: %d.%d.%d.7:1", of, n/200, n%200))
		}
		return strings.Count(s.lines(), "warn")
	}
	for _, step := range []struct {
		wait     time.Duration
		of, want int
	}{{0, 192, maxHammering + 1}, {time.Minute, 192, 0}, {time.Hour, 192, maxHammering + 1},
		{time.Hour, 193, maxHammering + 1}} {
		s.elapsed += step.wait
		if n := flood(step.of); n != step.want {
			t.Errorf("after %v, of %d: %d warnings, want %d", step.wait, step.of, n, step.want)
		}
	}
}

// TestAProxyThatIsNotTrustedIsOneNetwork, though it is on this machine, and the log says so once.
func TestAProxyThatIsNotTrustedIsOneNetwork(t *testing.T) {
	s := open(nothing, nothing)
	s.LimitRequests(limits.NewWindow[netip.Prefix](2, time.Second, s.deploy.Now))
	for _, c := range []struct{ about, want, from, header string }{
		{"another proxy", "200 200 418", "127.0.0.1:1", "X-Forwarded-For: 192.0.2.7"},
		{"of RFC 7239", "418 418 418", "127.0.0.1:1", "Forwarded: for=192.0.2.8"},
		{"a program of this machine", "200 200 200", "127.0.0.1:1", "Accept: */*"},
		{"one that is trusted, for this machine", "200 200 200", "10.0.0.1:1", "X-Forwarded-For: 127.0.0.1"},
	} {
		var codes []string
		for range 3 {
			codes = append(codes, fmt.Sprint(s.get("/", "From: "+c.from, c.header).Code))
		}
		if got := strings.Join(codes, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.about, got, c.want)
		}
	}
	if n := strings.Count(s.log.String(), "-trusted-proxies does not name the proxy"); n != 1 {
		t.Errorf("it is logged %d times", n)
	}
}
