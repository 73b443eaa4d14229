package tocsin

import (
	"strings"
	"testing"

	"golang.org/x/net/publicsuffix"
)

func TestTheLimitsOfADomainName(t *testing.T) {
	name := func(n int) string { // of n characters, in labels of at most 63
		return (strings.Repeat("a", n%64+1) + "." + strings.Repeat(strings.Repeat("b", 63)+".", 3))[:n-3] + "com"
	}
	label := strings.Repeat("a", 63)
	for text, accepted := range map[string]bool{
		label + ".com":  true,
		label + "a.com": false,
		name(253):       true,
		"a" + name(253): false,
		name(253) + ".": true,
		"evil.com/" + strings.Repeat("a", 4096-9):    true,
		"evil.com/" + strings.Repeat("a", 4096-8):    false,
		"evil.com?" + strings.Repeat("\u00e4", 3000): false,
	} {
		if d, err := ParseDomain(text); (err == nil) != accepted {
			t.Errorf("%d characters, %.20s…: %d, %v", len(text), text, len(d.String()), err)
		}
	}
	_, err := ParseDomain(strings.Repeat("abandon ", 30_000)) // a seed phrase
	if err == nil || !strings.Contains(err.Error(), "longer than 4096") {
		t.Errorf("a text of 240 KB: %v", err) // refused before it is searched for secrets, which takes long
	}
	_, err = ParseDomain(strings.Repeat("\u00e4", 600) + ".com")
	if err == nil || !strings.Contains(err.Error(), "longer than 253") {
		t.Errorf("a long name in Unicode: %v", err) // refused before punycode, which is slow with such names
	}
}

func TestADomainKnowsWhetherItsURLNamedAPage(t *testing.T) {
	for text, page := range map[string]bool{
		"evil.com": false, "https://evil.com": false, "https://evil.com/": false, "https://evil.com/x": true,
		"evil.com?x": true, "evil.com#x": true, "//evil.com//": true, `evil.com\x`: true,
	} {
		if d, err := ParseDomain(text); err != nil || d.HasPath() != page {
			t.Errorf("%s: page %v, %v", text, d.HasPath(), err)
		}
	}
}

func TestWhatIsTakenForTheHostOfAURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://a@b@evil.com/":         "evil.com",
		"https://user:p@evil.com:":      "evil.com",
		"evil.com:443":                  "evil.com",
		"evil.com:":                     "evil.com",
		"HTTP://evil.com":               "evil.com",
		"//evil.com/x":                  "evil.com",
		"www.www.evil.com":              "evil.com",
		"www.co.uk":                     "www.co.uk",
		"www.sites.google.com":          "www.sites.google.com",
		"a_b.shop.co.uk":                "a_b.shop.co.uk",
		"my_shop.github.io":             "my_shop.github.io", // the provider lets its users spell names so
		"a.crypto.com":                  "a.crypto.com",
		"evil.example":                  "evil.example",
		"https://evil.com/https://a.b/": "evil.com",
		"evil.com/?to=ftp://a.b":        "evil.com",
		"evil.com#ftp:/x":               "evil.com",
		"https://@evil.com":             "evil.com",
	} {
		if d, err := ParseDomain(text); err != nil || d.String() != want {
			t.Errorf("%s: %q, %v", text, d, err)
		}
	}
	for text, want := range map[string]string{
		"ftps://evil.com":     "http or https",
		"a@evil.com":          "email address",
		"@evil.com":           "email address",
		"\u0301a.example":     "not a valid internationalized",
		"evil.com:8o":         "not a port",
		"a.0x1":               "top-level domain",
		"a.12":                "top-level domain",
		"-a.com":              "hyphen",
		"a-.com":              "hyphen",
		"a..com":              "empty label",
		"\xffevil.com":        "UTF-8",
		"http://":             "is empty",
		"name.crypto":         "Unstoppable Domains",
		"evil.com,other.com":  "a character",
		"ev%69l.com":          "a character",
		"a\u2488com.example ": "",
	} {
		if d, err := ParseDomain(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v", text, d, err)
		}
	}
}

func TestTextWithADotIsNeverAnAddress(t *testing.T) {
	for _, text := range []string{"0xabc.com", "0x.evil.com", "0X1.eth.limo"} {
		if s, err := ParseSubject(text); err != nil || s.Kind != DNS {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
}

// TestTheLongestPublicSuffixCounts: below a shared host there may be one of the Public Suffix List, and the other way
// round. Its users are unrelated.
func TestTheLongestPublicSuffixCounts(t *testing.T) {
	for name, want := range map[string]string{
		"s3.amazonaws.com":              "", // anybody's buckets: nobody can report it
		"a.s3.amazonaws.com":            "a.s3.amazonaws.com",
		"b.a.s3.amazonaws.com":          "a.s3.amazonaws.com",
		"x.us-east-1.elb.amazonaws.com": "x.us-east-1.elb.amazonaws.com",
		"amazonaws.com":                 "",
		"some.amazonaws.com":            "some.amazonaws.com",
		"a.some.amazonaws.com":          "some.amazonaws.com",
		"a.weebly.com":                  "a.weebly.com",
		"b.a.weebly.com":                "a.weebly.com",
		"weebly.com":                    "",
		"x.someone.sites.google.com":    "someone.sites.google.com",
		"mail.google.com":               "google.com",
		"a.b.example.co.uk":             "example.co.uk",
		"co.uk":                         "",
		"a.example.unknownsuffix":       "example.unknownsuffix",
	} {
		d, err := ParseDomain(name)
		if err != nil || d.Registrable() != want || d.Shared() != (want == "") {
			t.Errorf("%s: %q, %v", name, d.Registrable(), err)
		}
	}
}

func TestTheListOfSharedHostsIsWellFormed(t *testing.T) {
	hosts := map[string]bool{}
	for line := range strings.Lines(sharedHostList) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		host, reason, _ := strings.Cut(line, " ")
		d, err := ParseDomain(host)
		if err != nil || d.String() != host || !d.Shared() || strings.TrimSpace(reason) == "" || hosts[host] {
			t.Errorf("%q: %v, shared %v, %v", line, d, d.Shared(), err)
		}
		if suffix, icann := publicsuffix.PublicSuffix(host); suffix == host {
			t.Errorf("%s is on the Public Suffix List by now (ICANN %v): take it out", host, icann)
		}
		hosts[host] = true
	}
	for _, name := range []string{"gitbook.io", "notion.site", "webflow.io", "wixsite.com", "pages.dev"} { // by its rules
		if d, err := ParseDomain(name); err != nil || !d.Shared() {
			t.Errorf("%s: shared %v, %v", name, d.Shared(), err)
		}
	}
	if len(hosts) != len(sharedHosts) || len(hosts) < 45 {
		t.Errorf("%d hosts are in the file, %d are known", len(hosts), len(sharedHosts))
	}
}

// TestARegistryIsNoHost where anybody can put a site; nor do the users of every host have names under it.
func TestARegistryIsNoHost(t *testing.T) {
	for name, want := range map[string][2]bool{
		"gov.uk": {true, false}, "nhs.uk": {true, false}, "police.uk": {true, false}, "gov.br": {true, false},
		"go.jp": {true, false}, "gov.in": {true, false}, "gob.es": {true, false}, "ac.uk": {true, false},
		"service.gov.uk": {true, false}, "co.uk": {true, false}, "github.io": {}, "weebly.com": {}, "eth.limo": {},
		"uk.com": {}, "s3.amazonaws.com": {}, "t.me": {false, true}, "github.com": {false, true},
		"docs.google.com": {false, true}, "example.com": {}, "www.gov.uk": {},
	} {
		d, fault := ParseDomain(name)
		if fault != nil {
			t.Errorf("%s: %v", name, fault)
		} else if got := [2]bool{d.Registry(), d.HasPages()}; got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
