package web

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// few lets every network look up three subjects, and believes the proxy that
// every visitor here comes through.
func few(c *setup) {
	c.Limits.Lookups = 3
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

// statuses visits the paths one after the other.
func (v *visitor) statuses(headers []string, paths ...string) (all []int) {
	v.s.t.Helper()
	for _, path := range paths {
		all = append(all, v.get(path, headers...).status)
	}
	return all
}

func TestThreeSubjectsADayAreFreeForANetwork(t *testing.T) {
	s := start(t, few)
	v := s.visitor()
	subjects := []string{"/screen/one.example", "/screen/" + thief, "/screen/" + nobody}
	for range 3 { // looking again is free, for everybody in the network
		want(t, "three subjects", s.visitor().statuses(nil, subjects...), []int{200, 200, 200})
	}
	p := v.get("/screen/four.example")
	want(t, "a fourth", []any{p.status, p.h1()}, []any{429,
		"No look-ups are left for your network today. This one was not answered."})
	p.says("New look-ups come at midnight UTC, in 12 h", "Until then, do not log in, pay or connect a wallet there.",
		"Your network has looked up 3 subjects today.", "four[.]example", "That is not the same as safe",
		"Search the reports", "Sign in and come back")

	if strings.Contains(p.main(), "reported") {
		t.Errorf("it is answered: %s", p.main())
	}
	want(t, "the known ones", v.statuses(nil, subjects...), []int{200, 200, 200})
	s.Sleep(24 * time.Hour)
	want(t, "the next day", v.statuses(nil, "/screen/four.example", "/screen/five.example", "/screen/six.example",
		"/screen/one.example"), []int{200, 200, 200, 429})
}

func TestOtherSpellingsOfASubjectAreTheSame(t *testing.T) {
	s := start(t, few)
	v := s.visitor()
	for typed, at := range map[string]string{
		strings.ToLower(thief): thief, strings.ToUpper(thief[2:]): thief, thief[2:]: thief, " " + thief + " ": thief,
		"eip155:1:" + thief: thief, thief: thief,
		"https://www.Growing-Gold.example/login?ref=1":        "growing-gold.example",
		"GROWING-GOLD.EXAMPLE.":                               "growing-gold.example",
		"growing-gold[.]example":                              "growing-gold.example",
		"hxxp://growing-gold.example:8080":                    "growing-gold.example",
		"0x098B 716B 8Aaf 2151 2996 dC57 EB06 15e2 383E 2f96": thief,
		"https://etherscan.io/address/" + thief + "#code":     thief,
		"Is growing-gold.example safe?":                       "growing-gold.example",
		"bücher.example":                                      "xn--bcher-kva.example",
		"xn--bcher-kva.example":                               "xn--bcher-kva.example",
		"аррӏе.example":                                       "xn--80ak6aa92e.example",
	} {
		p := v.get("/screen?q=" + url.QueryEscape(typed))
		want(t, typed, []any{p.status, p.header.Get("Location")}, []any{303, "/screen/" + at + "?asked=1"})
		if subject, fault := tocsin.ParseSubject(typed); fault != nil ||
			subject.String() != at { // people paste into the box, not into the path
			continue
		}
		if p = v.get("/screen/" + url.PathEscape(typed)); typed != at {
			want(t, p.about, []any{p.status, p.header.Get("Location")}, []any{303, "/screen/" + at})
		}
	}
	three := []string{"/screen/" + thief, "/screen/growing-gold.example", "/screen/bücher.example",
		"/screen/xn--bcher-kva.example"}
	want(t, "nothing of this was counted", v.statuses(nil, three...), []int{200, 200, 303, 200})
	want(t, "a fourth", v.get("/screen/"+nobody).status, 429)
	for _, empty := range []string{"/screen", "/screen?q=", "/screen?q=%20%09"} {
		p := v.get(empty)
		want(t, empty, []any{p.status, p.header.Get("Location")}, []any{303, "/"})
	}
}

func TestWhatWasNotAnsweredCostsNothing(t *testing.T) {
	s := start(t, few, func(c *setup) { c.Limits.Lookups = 1 })
	v := s.visitor()
	want(t, "failures", v.statuses(nil, "/screen?q=0x12", "/screen/0x12", "/screen/"+thief+"?cursor=nonsense",
		"/screen/"+strings.ToLower(thief), "/reports?cursor=nonsense"), []int{400, 400, 400, 303, 400})
	for _, path := range []string{"/screen/" + thief, "/screen/one.example", "/reports?cursor=x"} {
		p := v.do(http.MethodHead, path, nil)
		want(t, p.about, p.status, 200)
	}
	want(t, "and then", v.statuses(nil, "/screen/"+nobody, "/screen/"+thief), []int{200, 429})
	want(t, "HEAD tells nothing", v.do(http.MethodHead, "/screen/"+thief, nil).status, 200)

	a := tocsintest.NewAccount(t)
	key := v.signIn(a).key()
	v.statuses(nil, "/screen/0x12", "/screen/"+thief+"?cursor=nonsense", "/reports?cursor=nonsense")
	v.do(http.MethodHead, "/screen/"+thief, nil)
	want(t, "of a key neither", s.me(key).FreeCalls.Used, 0)
}

// TestAKeyIsUsedAfterTheLookUpsOfItsNetwork: signing in never makes fewer of them.
func TestAKeyIsUsedAfterTheLookUpsOfItsNetwork(t *testing.T) {
	s := start(t, few)
	v := s.visitor()
	key := v.signIn(tocsintest.NewAccount(t)).key()
	call := func() int {
		status, _ := s.call(http.MethodGet, "/screen/"+nobody, nil, "x-api-key: "+key)
		return status
	}
	want(t, "look-ups of the network", v.statuses(nil, "/screen/a.example", "/screen/b.example", "/screen/c.example"),
		[]int{200, 200, 200})
	want(t, "the key keeps its calls", s.me(key).FreeCalls.Used, 0)
	want(t, "who is not signed in has none left", s.visitor().get("/screen/0.example").status, 429)
	for n := range 5 {
		for range 3 { // to look again is free
			want(t, "by the site", v.get(fmt.Sprintf("/screen/%d.example", n)).status, 200)
		}
		want(t, "by the API", call(), 200) // where a call is a call
		want(t, "used", s.me(key).FreeCalls.Used, 2*n+2)
	}
	want(t, "what the key has paid for is its own", s.visitor().get("/screen/1.example").status, 429)
	p := v.get("/screen/6.example")
	want(t, "the eleventh", []any{p.status, p.h1(), call()}, []any{429, "Your look-ups of today are used up", 402})
	p.says("The 10 calls of your key are used up for today. Your network has looked up 3 subjects today.")
	wait, midnight := 0, s.db.Now().Std().Truncate(24*time.Hour).Add(24*time.Hour)
	fmt.Sscan(p.header.Get("Retry-After"), &wait)
	if until := midnight.Sub(s.db.Now().Std()); wait < int(until.Seconds()) || wait > int(until.Seconds())+60 {
		t.Errorf("Retry-After %d, and it is %v to midnight", wait, until)
	}
	want(t, "what was looked up before", v.get("/screen/1.example").status, 200)
	account := v.get("/account")
	account.says("0 of 10")
	want(t, "ticks", []any{len(account.class("used")), attr(account.class("ticks")[0], "aria-label")},
		[]any{10, "10 of 10 calls used"})
	s.Sleep(24 * time.Hour)
	want(t, "the next day", []any{v.statuses(nil, paths("new", 0, 4)...), s.me(key).FreeCalls.Used},
		[]any{times(4, 200), 1})

	v.post("/account", fields{"do": "revoke", "confirm": "yes", "key": key[:12]})
	want(t, "without a key, as the network", v.statuses(nil, paths("new", 2, 4)...), []int{200, 429})
}

func TestAForeignPageTakesNothingFromItsReader(t *testing.T) {
	s := start(t, few)
	v := s.visitor()
	key := v.signIn(tocsintest.NewAccount(t)).key()
	for _, from := range []string{"cross-site", "same-site"} {
		for _, dest := range []string{"image", "iframe", "empty", ""} {
			p := v.get("/screen/"+nobody, "sec-fetch-site: "+from, "sec-fetch-dest: "+dest)
			want(t, from+" "+dest, []any{p.status, p.h1()}, []any{403, "This came from another site"})
			want(t, from+" "+dest, s.visitor().get("/screen/"+nobody, "sec-fetch-site: "+from, "sec-fetch-dest: "+dest).status,
				403)
		}
	}
	for n, headers := range [][]string{{"sec-fetch-site: cross-site", "sec-fetch-dest: document"},
		{"sec-fetch-site: none", "sec-fetch-dest: document"}, {"sec-fetch-site: same-origin", "sec-fetch-dest: empty"}} {
		want(t, "a link", v.get(fmt.Sprintf("/screen/%d.example", n), headers...).status, 200)
	}
	want(t, "nothing was charged, and of the links two look-ups", []any{s.me(key).FreeCalls.Used,
		s.visitor().statuses(nil, "/screen/a.example", "/screen/b.example")}, []any{0, []int{200, 429}})
}

func TestPagingCostsFromTheSecondPage(t *testing.T) {
	s := start(t, few, func(c *setup) { c.Limits.Lookups = 1 })
	for n := range 41 {
		s.file(draft{"crimeType": "hack", "title": fmt.Sprintf("The report %d", n),
			"reportedDomains": []string{"named-often.example"}})
	}
	v := s.visitor()
	next := func(p *response) string {
		for _, n := range p.all("a") {
			if attr(n, "rel") == "nofollow" && strings.Contains(attr(n, "href"), "cursor=") {
				return attr(n, "href")
			}
		}
		t.Fatalf("no next page: %s", p)
		return ""
	}
	for _, path := range []string{"/reports", "/reports?crimeType=hack", "/reports?q=report",
		"/reports?q=report&crimeType=hack", "/reports?q=ab*", "/reports"} {
		if status := v.get(path).status; status != 200 && path != "/reports?q=ab*" {
			t.Errorf("%s: %d", path, status)
		}
	}
	second := next(v.get("/reports"))
	want(t, "looked at by HEAD", v.do(http.MethodHead, second, nil).status, 200)
	p := v.get(second)
	want(t, "the second page, and again", []any{p.status, v.get(second).status}, []any{200, 200})
	third := next(p)
	want(t, "the third", v.get(third).status, 429)
	want(t, "the second of a search", v.get(next(v.get("/reports?q=report"))).status, 429)
	want(t, "the first", v.get("/reports").status, 200)

	key := v.signIn(tocsintest.NewAccount(t)).key()
	want(t, "with a key", []any{v.get(third).status, s.me(key).FreeCalls.Used}, []any{200, 1})
	answer := v.get("/screen/named-often.example")
	older := v.get("/screen/named-often.example" + next(answer)[strings.IndexByte(next(answer), '?'):])
	want(t, "older reports of an answer", []any{older.status, s.me(key).FreeCalls.Used, len(older.class("entry")) > 0},
		[]any{200, 3, true})
	want(t, "the way back", []bool{strings.Contains(answer.main(), "20 of 41 shown"),
		strings.Contains(older.main(), "To the newest")}, []bool{true, true})
}

func TestANetworkIsWhatTheTrustedProxySays(t *testing.T) {
	s := start(t, few)
	from := func(addresses string) int {
		return s.visitor().get("/screen/"+nobody, "x-forwarded-for: "+addresses).status
	}
	spend := func(address string) {
		want(t, address, s.visitor().statuses([]string{"x-forwarded-for: " + address}, "/screen/1.example",
			"/screen/2.example", "/screen/3.example"), []int{200, 200, 200})
	}
	spend("198.51.100.7")
	spend("2001:db8:1::1")
	for addresses, status := range map[string]int{
		"198.51.100.7": 429, "198.51.100.200": 429, "::ffff:198.51.100.9": 429, "2001:db8:1:ffff::9": 429,
		// the same /24 and /48
		"198.51.101.7": 200, "2001:db8:2::1": 200,
		"203.0.113.1, 198.51.100.7": 429, "198.51.100.7, 203.0.113.1": 200, // the last one is the one that our proxy saw
		"198.51.100.7, 127.0.0.1": 429,
	} {
		want(t, addresses, from(addresses), status)
	}
	direct := start(t, func(c *setup) { c.Limits.Lookups = 1 })
	v := direct.visitor()
	want(t, "of a stranger nothing is believed", []any{v.get("/screen/1.example", "x-forwarded-for: 198.51.100.7").status,
		v.get("/screen/2.example", "x-forwarded-for: 203.0.113.9").status}, []any{200, 429})
}

func TestNoLookUpsForNetworks(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.Lookups = 0 })
	p := s.visitor().get("/screen/" + nobody)
	want(t, "none", p.status, 429)
	p.says("Looking up needs a key here")
	v := s.visitor()
	v.signIn(tocsintest.NewAccount(t))
	want(t, "with a key", v.get("/screen/"+nobody).status, 200)
}

func TestWhatCannotBeLookedUpIsShownAgain(t *testing.T) {
	s := start(t)
	v := s.visitor()
	for typed, said := range map[string]string{
		thief[:41]:                            "This has 39 digits after 0x; an address has 40.",
		strings.Replace(thief, "B", "b", 1):   "perhaps a character",
		`https://<script>alert("x")</script>`: "", "bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlg": "Bitcoin",
		"ftp://x.example": "not an http or https URL", strings.Repeat("x", 5000): "too long",
	} {
		for _, path := range []string{"/screen?q=" + url.QueryEscape(typed), "/screen/" + url.PathEscape(typed)} {
			p := v.get(path)
			field := p.id("q")
			want(t, p.about, []any{p.status, attr(field, "value"), attr(field, "aria-invalid"),
				attr(field, "aria-describedby")}, []any{400, tocsin.Shorten(typed, 301), "true", "q-e"})
			if why := textOf(p.id("q-e")); !strings.Contains(why, said) || why == "" {
				t.Errorf("%q: %s", typed, why)
			}
		}
	}
	for _, typed := range []string{aPhrase, "my phrase is " + aPhrase, "my key " + strings.Repeat("ab", 32)} {
		for _, path := range []string{"/screen?q=", "/screen/"} {
			if p := v.get(path + url.PathEscape(typed)); p.status != 400 || attr(p.id("q"), "value") != "" ||
				strings.Contains(p.html, "winner") || strings.Contains(p.html, "abab") {
				t.Errorf("%s", p)
			}
		}
		s.addSecrets(typed)
	}
	want(t, "what cannot be seen", attr(v.get("/screen?q="+url.QueryEscape("0x1\u202E\u00072")).id("q"), "value"),
		"0x12")
	for typed, at := range map[string]string{
		"hello world":                             "/reports?asked=1&q=hello+world",
		"@lena_trades88":                          "/reports?asked=1&q=%40lena_trades88",
		"https://t.me/Lena1":                      "/reports?asked=1&handle=telegram%3Alena1&q=%40lena1",
		"a@mail.example":                          "/reports?asked=1&handle=email%3Aa%40mail.example&q=a%40mail.example",
		"rep_aaaaaaaaaaaaaaaa":                    "/reports/rep_aaaaaaaaaaaaaaaa",
		"tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t": "/screen/tron:728126428:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
	} {
		for _, path := range []string{"/screen?q=" + url.QueryEscape(typed), "/screen/" + url.PathEscape(typed)} {
			p := v.get(path)
			to, _, _ := strings.Cut(p.header.Get("Location"), "?asked=1")
			whole, _, _ := strings.Cut(at, "?asked=1")
			want(t, p.about, []any{p.status, to}, []any{303, whole})
		}
	}
	p := v.get("/reports?asked=1&handle=telegram%3Alena1&q=%40lena1")
	want(t, "found", p.h1(), "No report mentions “@lena1”")
	p.says("It may still be a scam.")
	want(t, "to the form", strings.Contains(p.html, `href="/report?handle=telegram%3Alena1"`), true)
}

// aPageSaysWhatTheAPISays compares the answers of both.
func aPageSaysWhatTheAPISays(t *testing.T, s *service, _ map[string]int) {
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "growing-gold.example")
	v := s.visitor()
	quota := 100
	key := s.key(tocsintest.NewAccount(t).Address, "", &quota)
	for _, subject := range []string{thief, nobody, "growing-gold.example", "unknown.example", "hostile.example",
		"sub.growing-gold.example"} {
		path := "/screen/"
		if strings.Contains(subject, ".") {
			path = "/domains/check/"
		}
		_, told := s.call(http.MethodGet, path+subject, nil, "x-api-key: "+key)
		p := v.get("/screen/" + subject)
		if told.RiskScore == 0 {
			p.says("The score is 0 because we have no evidence either way.")
		} else {
			p.says(fmt.Sprintf("score %d of 100", told.RiskScore))
		}
		want(t, "reports about "+subject, len(p.class("entry")), len(told.Reports))
		sum, lines := 0, 0
		for _, ledger := range p.class("ledger") {
			var rows []*html.Node
			for _, body := range below(ledger, "tbody") {
				rows = below(body, "tr")
			}
			for _, row := range rows {
				points := 0
				if _, err := fmt.Sscan(strings.NewReplacer("−", "-", "+", "").Replace(textOf(below(row, "td")[1])),
					&points); err != nil {
					t.Error(err)
				}
				sum += points
				lines++
			}
			want(t, "the sum", textOf(below(below(ledger, "tfoot")[0], "td")[1]), told.RiskScore)
		}
		if len(told.Factors) < 2 { // there is nothing to add up
			told.RiskScore, told.Factors = 0, nil
		}
		want(t, "the sum of "+subject, []int{sum, lines}, []int{told.RiskScore, len(told.Factors)})
	}
	p := v.get("/screen/" + thief)
	p.says("Do not send anything to this address.", "LAZARUS GROUP")
	p = v.get("/object?subject=" + thief)
	p.says("OFAC SDN", "Write to OFAC.Reconsideration@treasury.gov", "Lift a sanction.")
	want(t, "whom to ask to look again",
		slices.ContainsFunc(p.links(), func(to string) bool {
			return strings.HasPrefix(to, contact+"?subject=Objection%3A%200x098B716B%E2%80%A63E2f96&body=")
		}), true)
}

func TestSilenceIsNotCalledSafe(t *testing.T) {
	s := start(t)
	s.starter()
	for _, subject := range []string{nobody, "unknown.example"} {
		p := s.visitor().get("/screen/" + subject)
		if !strings.HasSuffix(p.h1(), "That is not the same as safe.") {
			t.Error(p.h1())
		}
		p.says("Where we looked", "Tocsin starter set", "Report this")
		if main := strings.ToLower(p.main()); strings.Contains(main, " clean") || strings.Contains(main, "no threat") {
			t.Errorf("%s: %s", subject, main)
		}
	}
	s.visitor().get("/screen/github.io").says("Anyone can put a site on", "someone.github[.]io")
	for _, registry := range []string{"gov.uk", "ac.uk", "service.gov.uk"} {
		p := s.visitor().get("/screen/" + registry)
		p.says("many sites have their names under it", "Many sites have their names under", "Look up the full name.")
		want(t, registry, strings.Contains(strings.ToLower(p.main()), "anyone can"), false)
	}
	s.visitor().get("/screen/telegra.ph").says("Anyone can have a page on", "telegra[.]ph/someone")
}

// aSiteIsText checks that a page about a site does not link to it.
func aSiteIsText(t *testing.T, s *service, _ map[string]int) {
	for _, path := range []string{"/screen/growing-gold.example", "/reports?q=growing-gold.example", "/", "/reports"} {
		p := s.visitor().get(path)
		for _, to := range p.links() {
			if u, err := url.Parse(to); err != nil || strings.HasSuffix(u.Host, "growing-gold.example") {
				t.Errorf("%s links to %s", path, to)
			}
		}
		if shown := strings.ReplaceAll(p.main(), s.base+"/screen/growing-gold.example",
			""); path != "/reports?q=growing-gold.example" && strings.Contains(shown, "growing-gold.example") {
			t.Errorf("%s: a live name", path)
		}
	}
	s.visitor().get("/screen/growing-gold.example").says("growing-gold[.]example")
}
