package front

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin/internal/limits"
)

// TestANetworkSendsSoManyRequests: 20 within ten seconds. Others, probes and this machine are not counted for it.
func TestANetworkSendsSoManyRequests(t *testing.T) {
	s := open(nothing, nothing)
	meter := new(tally)
	s.Door.meter = meter
	s.HandleProbe("GET /healthz", &room{Handler: http.HandlerFunc(nothing)})
	s.LimitRequests(limits.New(limits.Config{Rate: 2}, s.deploy.Now).Requests)
	codes := func(n int, path string, headers ...string) string {
		seen := map[int]int{}
		for range n {
			seen[s.get(path, headers...).Code]++
		}
		return fmt.Sprint(seen)
	}
	for _, c := range []struct{ about, got, want string }{
		{"below the limit", codes(20, "/"), "map[200:20]"},
		{"another address of the network", codes(1, "/api/v1/", "From: 192.0.2.200:1"), "map[418:1]"},
		{"by a trusted proxy", codes(2, "/", "From: 10.0.0.1:1", "X-Forwarded-For: 192.0.2.9"), "map[418:2]"},
		{"another network", codes(1, "/", "From: 10.0.0.1:1", "X-Forwarded-For: 192.0.3.9"), "map[200:1]"},
		{"a probe", codes(30, "/healthz"), "map[200:30]"},
		{"this machine", codes(30, "/", "From: 127.0.0.1:1"), "map[200:30]"},
		{"this machine, IPv6", codes(30, "/", "From: [::1]:1"), "map[200:30]"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.about, c.got, c.want)
		}
	}
	var last TooFast
	if errs := s.site.errors; len(errs) != 2 || !errors.As(errs[1], &last) || last.Wait != 10*time.Second {
		t.Errorf("the room was given %v", errs)
	}
	s.elapsed += 4 * time.Second
	r := s.get("/")
	if wait := r.Header().Get("Retry-After"); r.Code != http.StatusTeapot || wait != "6" {
		t.Errorf("%d, to be sent again after %s", r.Code, wait)
	}
	s.elapsed += 6 * time.Second
	if got := codes(21, "/"); got != "map[200:20 418:1]" {
		t.Errorf("ten seconds later: %s", got)
	}
	refused := slices.DeleteFunc(meter.lines, func(line string) bool { return !strings.HasPrefix(line, "refused") })
	if len(refused) != 5 || refused[0] != "refused requests" {
		t.Errorf("counted: %v", refused)
	}
}

// TestARequestThatIsTooManyIsNotRead: its connection is closed, or net/http would read its body.
func TestARequestThatIsTooManyIsNotRead(t *testing.T) {
	s := open(nothing, nothing)
	s.LimitRequests(limits.NewWindow[netip.Prefix](0, time.Second, s.deploy.Now))
	post := func(body string) string {
		r, _ := http.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		return s.send(r).Header().Get("Connection")
	}
	if full, empty := post("{}"), s.get("/").Header().Get("Connection"); full != "close" || empty != "" {
		t.Errorf("with a body %q, without one %q", full, empty)
	}
}
