package front

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestWhichHostsAreTheBaseAndWhichThisMachine(t *testing.T) {
	for _, c := range []struct {
		base, host string
		want       bool
	}{
		{"https://a.example", "a.example", true}, {"https://a.example", "A.example:443", true},
		{"https://a.example", "a.example:80", false}, {"https://a.example:443", "a.example", true},
		{"http://a.example", "a.example:80", true}, {"http://a.example", "a.example:443", false},
		{"http://a.example:8402", "a.example:8402", true}, {"http://a.example:8402", "a.example", false},
		{"https://a.example", "b.example", false}, {"https://a.example", "", false},
	} {
		if got := (&Deployment{BaseURL: c.base}).isBase(c.host); got != c.want {
			t.Errorf("%s is %s: %t", c.host, c.base, got)
		}
	}
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST:1": true, "127.0.0.1": true, "127.9.9.9:65535": true, "[::1]": true, "[::1]:80": true,
		"::1": true, "::ffff:127.0.0.1": true, "": false, "10.0.0.1": false, "localhost:65536": false, "localhost:x": false,
		"localhost:": false, "a.localhost": false, "0.0.0.0": false, "[fe80::1]:80": false,
	} {
		if got := isLoopback(host); got != want {
			t.Errorf("%s is this machine: %t", host, got)
		}
	}
}

// cameTo returns the request as if it had come to an address.
func cameTo(r *http.Request, address string) *http.Request {
	at := &net.TCPAddr{IP: net.ParseIP(address), Port: 8402}
	return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(at)))
}

const here, elsewhere = "127.0.0.1", "203.0.113.5"

func TestOnlyOneOriginMayCall(t *testing.T) {
	d := &Deployment{BaseURL: "https://a.example"}
	for _, c := range []struct {
		to      string
		origins []string
		want    bool
	}{
		{here, nil, true}, {here, []string{"https://a.example"}, true}, {here, []string{"http://localhost"}, true},
		{elsewhere, []string{"https://a.example"}, true}, {elsewhere, []string{"http://localhost"}, false},
		{here, []string{"https://a.example", "https://b.example"}, false}, {here, []string{"", "https://a.example"}, false},
		{here, []string{"https://a.example", "https://a.example"}, false}, {here, []string{""}, false},
		{here, []string{"https://a.example/"}, false}, {here, []string{"ftp://localhost"}, false},
		{here, []string{"http://a.example"}, false}, {elsewhere, []string{"http://a.example:443"}, false},
	} {
		r := cameTo(httptest.NewRequest(http.MethodPost, "https://a.example/mcp", nil), c.to)
		r.Header["Origin"] = c.origins
		if err := d.CheckOrigin(r); (err == nil) != c.want || err != nil && !errors.Is(err, ErrForeign) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// TestOnLoopbackWhatChangesSomethingNeedsAHostOfOurs: elsewhere, and for reading, any Host will do.
func TestOnLoopbackWhatChangesSomethingNeedsAHostOfOurs(t *testing.T) {
	const public, private = "https://a.example", "http://127.0.0.1:8402"
	for _, c := range []struct {
		base, method, to, host, origin string
		want                           bool
	}{
		{private, "POST", here, "127.0.0.1:8402", "", true}, {private, "POST", here, "localhost:1", "", true},
		{private, "POST", here, "evil.example", "", false}, {private, "DELETE", here, "evil.example:8402", "", false},
		{private, "PUT", "::1", "evil.example", "", false}, {private, "POST", "127.9.9.9", "evil.example", "", false},
		{private, "GET", here, "evil.example", "", true}, {private, "OPTIONS", here, "evil.example", "", true},
		{private, "HEAD", here, "evil.example", "", true}, {private, "POST", here, "", "", true},
		{private, "POST", here, "127.0.0.1:8402", "https://evil.example", false},
		{private, "POST", here, "127.0.0.1:8402", "null", false},
		{private, "POST", here, "127.0.0.1:8402", "http://localhost:3000", true},
		{public, "POST", here, "a.example", "", true}, {public, "POST", here, "127.0.0.1:8402", "", true},
		{public, "POST", here, "evil.example", "", false},
		{public, "POST", here, "a.example", "https://wallet.example", true}, // pages of others may call a public service
		{public, "POST", elsewhere, "another.example", "https://wallet.example", true},
	} {
		served := false
		s := open(func(http.ResponseWriter, *http.Request) { served = true }, nothing)
		s.deploy.BaseURL, s.deploy.parsed = c.base, nil
		r := cameTo(httptest.NewRequest(c.method, "/", nil), c.to)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		s.send(r)
		if served != c.want || len(s.site.errors) != map[bool]int{false: 1}[c.want] {
			t.Errorf("%v: served %t, %v", c, served, s.site.errors)
		}
		if !c.want && !errors.Is(s.site.errors[0], ErrForeign) {
			t.Errorf("%v: %v", c, s.site.errors)
		}
		if c.origin != "" && !c.want && !strings.Contains(s.site.errors[0].Error(), "pages of this machine") {
			t.Errorf("%v says not who may: %v", c, s.site.errors)
		}
	}
}
