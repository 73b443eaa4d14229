package signals

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"tocsin/internal/tocsintest"
)

// TestEachNetworkThatIsNotPublicIsKnownToItsEnds: by its first and its last address, and those beside them.
func TestEachNetworkThatIsNotPublicIsKnownToItsEnds(t *testing.T) {
	for network, beside := range map[string][2]bool{ // whether the addresses before and behind it are public
		"0.0.0.0/8": {false, true}, "100.64.0.0/10": {true, true}, "192.0.0.0/24": {true, true}, "192.0.2.0/24": {true, true},
		"198.18.0.0/15": {true, true}, "198.51.100.0/24": {true, true}, "203.0.113.0/24": {true, true},
		"240.0.0.0/4": {false, false}, "64:ff9b:1::/48": {true, true}, "100::/64": {true, true}, "2001::/32": {true, true},
		"2001:db8::/32": {true, true}, "2002::/16": {true, true}, "10.0.0.0/8": {true, true}, "172.16.0.0/12": {true, true},
		"192.168.0.0/16": {true, true}, "127.0.0.0/8": {true, true}, "169.254.0.0/16": {true, true}, "fc00::/7": {true, true},
		"64:ff9b::a00:0/104": {true, true}, "64:ff9b::c0a8:0/112": {true, true},
	} {
		p := netip.MustParsePrefix(network)
		first, bytes := p.Addr(), p.Addr().AsSlice()
		for bit := p.Bits(); bit < len(bytes)*8; bit++ {
			bytes[bit/8] |= 0x80 >> (bit % 8)
		}
		last, _ := netip.AddrFromSlice(bytes)
		got := []bool{isPublic(first.Prev()), isPublic(first), isPublic(last), isPublic(last.Next())}
		want(t, network, got, []bool{beside[0], false, false, beside[1]})
	}
}

// TestAnEventHasADateThatCanBe: from 1970 until a day from now.
func TestAnEventHasADateThatCanBe(t *testing.T) {
	now := tocsintest.Noon
	for text, is := range map[string]string{
		"1970-01-01T00:00:00Z": "1970-01-01T00:00:00Z", "1969-12-31T23:59:59Z": "",
		"2020-02-03T04:05:06.789": "2020-02-03T04:05:06Z", "2020-02-03t04:05:06z": "2020-02-03T04:05:06Z",
		"2020-02-03T04:05:06+02:00": "2020-02-03T02:05:06Z", "2020-02-03": "", "": "",
		now.Add(24 * time.Hour).Format(time.RFC3339):      now.Add(24 * time.Hour).UTC().Format(time.RFC3339),
		now.Add(86401 * time.Second).Format(time.RFC3339): "",
	} {
		at, err := timestamp(text, now)
		got := ""
		if err == nil {
			got = at.Std().UTC().Format(time.RFC3339)
		}
		want(t, text, got, is)
	}
}

func TestABootstrapFileSaysWhatIsWrongWithIt(t *testing.T) {
	file := func(services string) string { return `{"publication":"x","services":[` + services + `]}` }
	const good = `[["a","B"],["http://h.example/","https://h.example/"]]`
	for text, fault := range map[string]string{
		file(good): "", file(good) + strings.Repeat(" ", maxBootstrap-len(file(good))): "",
		file(good) + strings.Repeat(" ", maxBootstrap-len(file(good))+1): "it is no bootstrap file of RDAP (RFC 9224)",
		"[]":                 "it is no bootstrap file of RDAP (RFC 9224)",
		file(good + `,[[]]`): "a service of the bootstrap file has not the form of RFC 9224",
		file(`[["a"],["http://h.example/","https://u@h.example","https:///"]]`): "the bootstrap file names no service " +
			"with https",
		file(""): "the bootstrap file names no service with https",
	} {
		b, err := ReadBootstrap(strings.NewReader(text))
		if got := fmt.Sprint(err); got != fault && (err != nil || fault != "") {
			t.Errorf("%.90s: %s", text, got)
		}
		if err == nil {
			want(t, "services", []any{b.Suffixes(), b.service("x.b"), b.service("a"), b.service("c"), b.Published},
				[]any{2, "https://h.example/", "https://h.example/", nil, "x"})
		}
	}
	for text, fetched := range map[string]bool{"https://a.example": true, "http://a.example": false,
		"http://192.0.2.1:8080": true,
		"http://[2001:db8::1]/": true, "https://u@a.example": false, "ftp://192.0.2.1": false, "https://": false} {
		u, err := url.Parse(text)
		must(t, err)
		want(t, text, isFetched(u), fetched)
	}
}

// TestEachServiceIsAskedOnItsOwnTerms.
func TestEachServiceIsAskedOnItsOwnTerms(t *testing.T) {
	search, err := NewCertSearch("https://crt.example/?q={domain}")
	must(t, err)
	b := bootstrap(t, map[string]string{"com": "https://192.0.2.1/"})
	dns := netip.MustParseAddrPort("192.0.2.1:53")
	a := New(Options{Now: time.Now, Registries: b, Certificates: search, Resolver: dns})
	var got []string
	for _, s := range a.sources() {
		got = append(got, fmt.Sprint(s.signal, " ", s.timeout, " ", s.fresh, " ", s.unknown, " ", s.pause, " ", s.workers))
	}
	want(t, "terms", strings.Join(got, "\n"), "registered 5s 168h0m0s 6h0m0s 500ms 4\n"+
		"first_certificate 15s 168h0m0s 6h0m0s 1s 2\nresolves 3s 1h0m0s 1h0m0s 0s 8")
	if New(Options{}) != nil {
		t.Error("nobody is asked")
	}
	a.registered.done("x", Known, nil) // who does not want to know need not say so
}
