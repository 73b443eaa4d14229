package siwe

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func at(t testing.TB, text string) time.Time {
	t.Helper()
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return moment
}

// ours is what the message full conforms to.
func ours(t testing.TB) Expectation {
	return Expectation{
		Domain: "service.example:8443", Origin: "https://service.example:8443", Chains: []uint64{1, 8453},
		Now: at(t, "2026-09-01T12:00:00Z"), MaxAge: 3 * time.Hour,
	}
}

// atFault returns the names of the faulty fields of a message.
func atFault(t testing.TB, m Message, want Expectation) []string {
	t.Helper()
	var names []string
	if err := Check(m, want); err != nil {
		for _, f := range faultsOf(t, err) {
			names = append(names, f.Field)
		}
	}
	return names
}

func TestOneMessageConforms(t *testing.T) {
	if err := Check(parse(t, full), ours(t)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, field string }{
		{"https://service.example:8443 wants", "service.example:8443 wants", ""},
		{"https://service.example:8443 wants", "HTTPS://service.example:8443 wants", ""},
		{"https://service.example:8443 wants", "http://service.example:8443 wants", "scheme"},
		{"https://service.example:8443 wants", "https://service.example wants", "domain"},
		{"https://service.example:8443 wants", "https://service.example:8444 wants", "domain"},
		{"https://service.example:8443 wants", "https://Service.example:8443 wants", "domain"},
		{"https://service.example:8443 wants", "https://me@service.example:8443 wants", "domain"},
		{"https://service.example:8443 wants", "https://service.example:8443@evil.example wants", "domain"},
		{"https://service.example:8443 wants", "https://a.service.example:8443 wants", "domain"},
		{"https://service.example:8443/login", "https://service.example:8443", ""},
		{"https://service.example:8443/login", "HTTPS://Service.Example:8443?a#b", ""},
		{"https://service.example:8443/login", "http://service.example:8443/login", "uri"},
		{"https://service.example:8443/login", "https://service.example/login", "uri"},
		{"https://service.example:8443/login", "https://me@service.example:8443/login", "uri"},
		{"https://service.example:8443/login", "https://service.example:8443@evil.example/", "uri"},
		{"https://service.example:8443/login", "https://service.example:84430/", "uri"},
		{"https://service.example:8443/login", "https:/service.example:8443/", "uri"},
		{"https://service.example:8443/login", "urn:https://service.example:8443", "uri"},
		{"https://service.example:8443/login", "x:y", "uri"},
		{"ID: 8453", "ID: 1", ""},
		{"ID: 8453", "ID: 84532", "chainId"},
		{"T12:00:00.5+02:00", "T12:01:00Z", ""},
		{"T12:00:00.5+02:00", "T12:01:00.001Z", "issuedAt"},
		{"T12:00:00.5+02:00", "T09:00:00Z", ""},
		{"T12:00:00.5+02:00", "T08:59:59.999Z", "issuedAt"},
		{"2026-09-01T12:00:00.5+02:00", "0000-01-01T00:00:00Z", "issuedAt"},
		{"2026-09-01T12:00:00.5+02:00", "9999-01-01T00:00:00Z", "issuedAt"},
		{"t12:10:00z", "T12:00:00.001Z", ""},
		{"t12:10:00z", "T12:00:00Z", "expirationTime"},
		{"t12:10:00z", "T14:00:00+02:00", "expirationTime"},
		{"2026-09-01t12:10:00z", "0001-01-01T00:00:00Z", "expirationTime"},
		{"T11:59:00Z", "T12:00:00Z", ""},
		{"T11:59:00Z", "T12:00:00.001Z", "notBefore"},
	} {
		got := strings.Join(atFault(t, parse(t, edit(t, c.old, c.new)), ours(t)), ", ")
		if got != c.field {
			t.Errorf("%q for %q: at fault is %q, not %q", c.new, c.old, got, c.field)
		}
	}
}

func TestEveryFaultIsTold(t *testing.T) {
	m := parse(t, strings.ReplaceAll(full, "service.example", "evil.example"))
	m.Scheme, m.Version = "ftp", "2"
	want := ours(t)
	want.Now = at(t, "2026-09-01T11:00:00+09:00")
	want.Chains = nil
	all := []string{"scheme", "domain", "uri", "version", "chainId", "issuedAt", "notBefore"}
	if got := atFault(t, m, want); !slices.Equal(got, all) {
		t.Errorf("%q", got)
	}
	if got := atFault(t, Message{}, Expectation{}); !slices.Contains(got, "domain") ||
		!slices.Contains(got, "chainId") || !slices.Contains(got, "version") {
		t.Errorf("the zero message conforms to the zero expectation but for %q", got)
	}
}

// TestAnOriginHasOneSpelling compares origins as RFC 6454 does.
func TestAnOriginHasOneSpelling(t *testing.T) {
	for _, c := range []struct {
		ours, uri string
		same      bool
	}{
		{"https://service.example", "https://service.example:443/", true},
		{"https://service.example:443", "https://service.example", true},
		{"http://127.0.0.1", "http://127.0.0.1:80", true},
		{"https://service.example", "https://service.example:80", false},
		{"http://service.example", "http://service.example:443", false},
		{"https://[::1]:8443", "https://[::1]:8443/a", true},
		{"https://service.example/", "https://service.example", true},
		{"https://service.example", "https://service.example.", false},
		{"https://service.example", "https://service%2eexample", false},
	} {
		want := ours(t)
		want.Origin, want.Domain = c.ours, "service.example"
		m := parse(t, full)
		m.Scheme, m.Domain, m.URI = "", "service.example", c.uri
		if got := atFault(t, m, want); (len(got) == 0) != c.same {
			t.Errorf("%s, %s: at fault is %q", c.ours, c.uri, got)
		}
	}
}
