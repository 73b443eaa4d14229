package tocsin

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAddressesAreAcceptedInAnyCaseAndAnsweredInEIP55(t *testing.T) {
	for _, want := range []string{ // of EIP-55
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
		"0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
		"0x52908400098527886E0F7030069857D2E4169EE7", "0xde709f2102306220921060314715629080e2fb77",
	} {
		for _, in := range []string{want, strings.ToLower(want), "0x" + strings.ToUpper(want[2:]), "0X" + want[2:],
			" " + want + "\n"} {
			a, err := ParseAddress(in)
			if err != nil || a.String() != want {
				t.Errorf("%q: %v, %v", in, a, err)
			}
		}
	}
}

func TestAMistypedAddressIsRefusedWithAFix(t *testing.T) {
	for in, want := range map[string]string{
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD":  "checksum",
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe":   "this one has 39",
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed0": "this one has 41",
		"5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed":    "must begin with 0x",
		"5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe":     "not an EVM address",
		"0x5aAe b6053F3E94C9b9A09f33669435E7Ef1BeAed": "(send 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed)",
		"5aAeb6053F3E94C9b9A0 9f33669435E7Ef1BeAed":   "(send 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed)",
		"1x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed":  "not an EVM address",
		"0y5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed":  "not an EVM address",
		"gaAeb6053F3E94C9b9A09f33669435E7Ef1BeAed":    "not an EVM address",
		"vitalik.eth": "resolves to",
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg": "not a hexadecimal",
		"": "not an EVM address",
		"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq":     "an address of Bitcoin",
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeA\u0435": "not a hexadecimal",
	} {
		if _, err := ParseAddress(in); err == nil || !strings.Contains(err.Error(), want) || err.Fields[0].Fix == "" {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestDomainsAreReducedToTheirCanonicalHost(t *testing.T) {
	for in, want := range map[string]string{
		"Evil.COM.": "evil.com",
		"https://user:pw@WWW.evil.com:8443/claim?x=1#y": "evil.com",
		"https:/evil.com/x":                             "evil.com",
		"http://bank.example@evil.com":                  "evil.com",
		`https://evil.com\@bank.example`:                "evil.com",
		"hxxps://evil[.]com":                            "evil.com",
		"hXXp://evil(.)com":                             "evil.com",
		"HXXPS[:]//evil{.}com/x":                        "evil.com",
		"hxxp[://]evil[dot]com":                         "evil.com",
		"evil[dot]com":                                  "evil.com",
		"a(DOT)evil{Dot}com":                            "a.evil.com",
		"evil{.}com":                                    "evil.com",
		"hxxps:/evil.com/x":                             "evil.com",
		"hxxp.com":                                      "hxxp.com",
		"hxxpfan.com:80":                                "hxxpfan.com",
		"пример.рф":                                     "xn--e1afmkfd.xn--p1ai",
		"XN--E1AFMKFD.xn--p1ai":                         "xn--e1afmkfd.xn--p1ai",
		"faß.de":                                        "xn--fa-hia.de",
		"evil。com":                                      "evil.com",
		"ｅｖｉｌ.com":                                      "evil.com",
		"www.pages.dev":                                 "www.pages.dev",
		"foo_bar.evil.com":                              "foo_bar.evil.com",
		"xn--a.com":                                     "xn--a.com", // IDNA 2008 would not have it; registries did
	} {
		if d, err := ParseDomain(in); err != nil || d.String() != want {
			t.Errorf("%q: %q, %v", in, d, err)
		}
		if s, err := ParseSubject(in); err != nil || s != (Subject{DNS, want}) {
			t.Errorf("%q: %v, %v", in, s, err)
		}
	}
}

func TestWhatIsNoDomainIsRefusedWithAFix(t *testing.T) {
	for _, in := range []string{"", ".", "com", "localhost", "1.2.3.4", "0x7f.1", "[::1]", "http://[::1]/", "a..com",
		"-a.com", "a-.com", "ftp://evil.com",
		"javascript:alert(1)", "javascript://evil.com", "ev il.com", "evil.com:port", "a\u202eb.com",
		strings.Repeat("a", 64) + ".com", strings.Repeat("a.", 127) + "com",
		"evil.123", "*.evil.com", "evil.com\x00", "evil%2ecom", "scammer@gmail.com", "mailto:scammer@gmail.com", "\xff.com",
		"a\ufe56b.example", "\u0384.a", "vitalik.eth", "a.b.SOL", "evil_site.com", "a.b_c", "my_shop.co.uk",
		"a.x_y.com.au", "alice.wallet", "a.dao", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"} {
		if d, err := ParseDomain(in); err == nil || err.Fields[0].Fix == "" {
			t.Errorf("%q is taken for %q", in, d)
		}
	}
}

func TestOnlyOwnersSpeakForADomain(t *testing.T) {
	for in, want := range map[string]struct{ registrable, covering string }{
		"a.b.evil.co.uk":           {"evil.co.uk", "a.b.evil.co.uk b.evil.co.uk evil.co.uk"},
		"evil.com":                 {"evil.com", "evil.com"},
		"x.pages.dev":              {"x.pages.dev", "x.pages.dev"},
		"a.x.pages.dev":            {"x.pages.dev", "a.x.pages.dev x.pages.dev"},
		"pages.dev":                {"", "pages.dev"},
		"co.uk":                    {"", "co.uk"},
		"shop.godaddysites.com":    {"shop.godaddysites.com", "shop.godaddysites.com"},
		"godaddysites.com":         {"", "godaddysites.com"},
		"x.y.eth.limo":             {"y.eth.limo", "x.y.eth.limo y.eth.limo"},
		"https://sites.google.com": {"", "sites.google.com"},
	} {
		d, err := ParseDomain(in)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, s := range d.SelfAndParents() {
			names = append(names, s.Value)
		}
		if d.Registrable() != want.registrable || strings.Join(names, " ") != want.covering ||
			d.Shared() != (want.registrable == "") {
			t.Errorf("%s: %q, %v", in, d.Registrable(), names)
		}
	}
}

func TestAKeyKnowsItsOwnMistypings(t *testing.T) {
	key, err := NewKey(bytes.NewReader(make([]byte, 20)))
	if err != nil || len(key) != 42 {
		t.Fatal(key, err)
	}
	if got, ok := ParseKey(string(key)); !ok || got != key {
		t.Errorf("%q is not taken for a key", key)
	}
	for i := range key {
		wrong := []byte(key)
		if wrong[i] = 'z'; string(wrong) == string(key) {
			wrong[i] = 'y'
		}
		if _, ok := ParseKey(string(wrong)); ok {
			t.Errorf("%q is taken for a key", wrong)
		}
	}
	if _, ok := ParseKey(strings.ToUpper(string(key))); ok {
		t.Error("upper case is taken for a key")
	}
}

// story is a report as short as one may be.
func story() Draft {
	return Draft{CrimeType: Phishing, Title: "Fake claim site", Description: "It emptied my wallet.",
		ReportedDomains: []string{"evil.com"}}
}

func TestADraftIsBroughtIntoCanonicalForm(t *testing.T) {
	d := story()
	d.Title = "  Fake\u202e claim\x07 site\u200b "
	d.ScammerAddresses = []string{"0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359",
		"0xFB6916095CA1DF60BB79CE92CE3EA74C37C5D359"}
	d.ReportedDomains = []string{"https://WWW.Evil.com/claim?id=7", "evil.com."}
	day, empty := "2026-05-31", " "
	d.IncidentDate, d.SubjectProjectName = &day, &empty
	got, err := d.Parse(now)
	if err != nil {
		t.Fatal(err)
	}
	if got.Title != "Fake claim site" || len(got.ScammerAddresses) != 1 ||
		got.ScammerAddresses[0] != "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359" ||
		len(got.ReportedDomains) != 1 || got.ReportedDomains[0] != "evil.com" || got.Currency != "USD" ||
		got.SubjectProjectName != nil ||
		len(got.Evidence.URLs) != 1 || got.Evidence.URLs[0] != "https://WWW.Evil.com/claim?id=7" {
		t.Errorf("%+v", got)
	}
	defanged := story()
	defanged.ReportedDomains = []string{"hxxps://evil[.]com/claim"}
	if got, err := defanged.Parse(now); err != nil ||
		!slices.Equal(got.Evidence.URLs, []string{"https://evil.com/claim"}) {
		t.Errorf("%v, %v", got.Evidence.URLs, err)
	}
	again, err := got.Parse(now)
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(again)
	if err != nil || string(a) != string(b) {
		t.Errorf("a parsed draft changes when it is parsed again: %s, %v", b, err)
	}
}

func TestEachFaultyFieldOfADraftIsNamed(t *testing.T) {
	tomorrow, noDay := now.Add(24*time.Hour).Format(time.RFC3339), "31.12.2025"
	negative := USD(-1)
	mail := []string{"scammer@gmail.com"}
	long := strings.Repeat("ä", MaxTitle+1)
	for field, spoil := range map[string]func(*Draft){
		"crimeType":        func(d *Draft) { d.CrimeType = "theft" },
		"title":            func(d *Draft) { d.Title = long },
		"description":      func(d *Draft) { d.Description = "\u200b \n" },
		"scammerAddresses": func(d *Draft) { d.ReportedDomains = nil },
		"scammerAddresses[1]": func(d *Draft) {
			d.ScammerAddresses = []string{"0x52908400098527886E0F7030069857D2E4169EE7", "0x1"}
		},
		"reportedDomains[0]":  func(d *Draft) { d.ReportedDomains = []string{"https://pages.dev/x"} },
		"reportedDomains[0] ": func(d *Draft) { d.ReportedDomains = mail },
		"reportedDomains": func(d *Draft) {
			d.ReportedDomains = strings.Split(strings.Repeat("evil.com ", MaxSubjects+1), " ")[:MaxSubjects+1]
		},
		"amountLost":                    func(d *Draft) { d.AmountLost = &negative },
		"currency":                      func(d *Draft) { d.Currency = "US$" },
		"incidentDate":                  func(d *Draft) { d.IncidentDate = &tomorrow },
		"subjectProjectName":            func(d *Draft) { d.SubjectProjectName = &long },
		"socialMedia.telegram":          func(d *Draft) { d.SocialMedia.Telegram = &long },
		"evidence.urls[0]":              func(d *Draft) { d.Evidence.URLs = []string{"javascript:alert(1)"} },
		"evidence.transactionHashes[0]": func(d *Draft) { d.Evidence.TransactionHashes = []string{"0x12"} },
	} {
		d := story()
		spoil(&d)
		_, err := d.Parse(now)
		var fault *Error
		if !errors.As(err, &fault) || len(fault.Fields) != 1 || fault.Fields[0].Field != strings.TrimSpace(field) ||
			fault.Fields[0].Fix == "" {
			t.Errorf("%s: %v", field, err)
		}
	}
	d := story()
	d.IncidentDate = &noDay
	if _, err := d.Parse(now); err == nil {
		t.Errorf("%q is taken for a date", noDay)
	}
	several := Draft{CrimeType: "x", Currency: "!", ScammerAddresses: []string{"?", "!"}}
	_, err := several.Parse(now)
	var fault *Error
	if !errors.As(err, &fault) || len(fault.Fields) != 6 {
		t.Errorf("of six faults are named: %v", err)
	}
}

func TestSecretsAreRefusedAndHashesAreNot(t *testing.T) {
	const phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow" // a test vector of BIP-39
	const hex64 = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"
	for text, secret := range map[string]bool{
		"my words were " + phrase:                                  true,
		strings.ToUpper(phrase):                                    true,
		"1. " + strings.ReplaceAll(phrase, " ", "\n2. "):           true,
		"they took my key " + hex64:                                true,
		"private key: 0x" + hex64:                                  true,
		"the transaction 0x" + hex64 + " moved it":                 false,
		"tx hash " + hex64:                                         false,
		strings.Repeat("5Kd3", 22):                                 true,
		"it went out in transaction " + strings.Repeat("5Kd3", 22): false,
		"sha256 of the file is " + hex64:                           false,
		"They asked for my seed phrase and private key, and I gave it away like a fool; then all was gone.": false,
	} {
		d := story()
		d.Description = text
		if _, err := d.Parse(now); (err != nil) != secret {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{phrase, "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ",
		"https://5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", strings.ReplaceAll(phrase, " ", "-"), hex64,
		"https://" + strings.ReplaceAll(phrase, " ", "/")} {
		_, address := ParseAddress(text)
		_, domain := ParseDomain(text)
		_, subject := ParseSubject(text)
		for _, fault := range []*Error{address, domain, subject} {
			if fault == nil {
				continue
			}
			said := strings.ToLower(fault.Error())
			if strings.Contains(said, "winner") || strings.Contains(said, "5huecgu8") || strings.Contains(said, hex64[:20]) {
				t.Errorf("%q is told back: %v", text, fault)
			}
		}
	}
}

func TestALogKeepsNoPathThatMayHoldASecret(t *testing.T) {
	const hex64 = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"
	for _, path := range []string{"/api/v1/screen/0x" + hex64, "/screen/0X" + hex64 + ".", "/x:" + hex64 + ".eth",
		`/screen/"0x` + hex64 + `"`, "/legal-winner-thank-year-wave-sausage-worth-useful-legal-winner-thank-yellow"} {
		if kept := LogPath(path); strings.Contains(kept, "4c08") || strings.Contains(kept, "winner") {
			t.Errorf("%s is kept", kept)
		}
	}
	for _, path := range []string{"/", "/api/v1/screen/0x098B716B8Aaf21512996dC57EB0615e2383E2f96",
		"/reports/rep_f5hmw5rvjaeu6p7l"} {
		if LogPath(path) != path {
			t.Errorf("%s becomes %s", path, LogPath(path))
		}
	}
}

func TestBriefDomainsAreFewAndPlain(t *testing.T) {
	long := strings.Repeat("a", 32) + ".example" // 40 characters
	brief, others := BriefDomains([]string{long, "a" + long, "a.b.c.example", "a.b.c.d.example", "a_b.c.example",
		"3.example", "4.example", "5.example", "6.example"})
	if want := []string{long, "a.b.c.example", "3.example", "4.example", "5.example"}; !slices.Equal(brief, want) ||
		len(others) != 4 {
		t.Errorf("%v, %v", brief, others)
	}
}

func TestASearchIsTextAndNeverSyntax(t *testing.T) {
	for in, want := range map[string]string{
		`fake claim`:            `fake|claim`,
		`"fake claim" site`:     `fake claim|site`,
		`drain* evil.com`:       `drain*|evil.com`,
		`a AND OR NOT (b) - *`:  `a|AND|OR|NOT|(b)`,
		`title:x "unclosed end`: `title:x|unclosed end`,
		`x"y z"w`:               `x|y z|w`,
	} {
		terms, err := ParseQuery(in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		var got []string
		for _, term := range terms {
			s := term.Text
			if term.Prefix {
				s += "*"
			}
			got = append(got, s)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: %q", in, got)
		}
	}
	for _, in := range []string{"", "  ", `""`, "* - !", "ab*", "x.y*", "0xabc*", strings.Repeat("a", 401),
		strings.Repeat("a ", 13), `"a b c d e f g" h i j k l m`} {
		if terms, err := ParseQuery(in); err == nil {
			t.Errorf("%q is taken for %v", in, terms)
		}
	}
}

func TestTimesAreKeptToTheMicrosecond(t *testing.T) {
	for in, want := range map[string]string{
		"2026-01-31T23:59:59Z":              "2026-01-31T23:59:59.000000Z",
		"2026-01-31T23:59:59.1234567+01:00": "2026-01-31T22:59:59.123456Z",
		"2026-01-31t23:59:59z":              "2026-01-31T23:59:59.000000Z",
	} {
		if got, err := ParseTime(in); err != nil || got.String() != want {
			t.Errorf("%s: %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "2026-01-31", "1969-12-31T23:59:59Z", "2026-13-01T00:00:00Z", "now"} {
		if got, err := ParseTime(in); err == nil {
			t.Errorf("%q is taken for %v", in, got)
		}
	}
}
