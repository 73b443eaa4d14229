package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/contract"
	"tocsin/internal/front"
	"tocsin/internal/tocsintest"
)

const (
	thief   = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	usdc    = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
	nobody  = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
	another = "0x52908400098527886E0F7030069857D2E4169EE7"
)

// filing is a report in JSON; pairs of a field and a value change it.
func filing(change ...any) map[string]any {
	f := map[string]any{"crimeType": "phishing", "title": "Fake claim site", "description": "It emptied my wallet.", "scammerAddresses": []string{thief}}
	for i := 0; i < len(change); i += 2 {
		f[change[i].(string)] = change[i+1]
	}
	return f
}

func (s *service) file(f map[string]any, headers ...string) *answer {
	s.t.Helper()
	return s.do("POST", "/community-reports", f, headers...)
}

func TestEveryExampleOfTheContractIsAnswered(t *testing.T) {
	s := start(t)
	id := s.file(filing()).text("id")
	for _, op := range s.api.contract.Operations() {
		path := strings.TrimPrefix(op.Path, s.api.contract.Base)
		query := url.Values{}
		for _, p := range op.Parameters {
			switch {
			case p.Example == nil || p.Name == "id":
			case p.In == "path":
				path = strings.ReplaceAll(path, "{"+p.Name+"}", p.Example.String())
			default:
				query.Set(p.Name, p.Example.String())
			}
		}
		path = strings.ReplaceAll(path, "{id}", id)
		var body any
		if op.TakesBody() {
			body = op.Body.Example
		}
		a := s.do(op.Method, path+"?"+query.Encode(), body, "x-api-key: "+s.key(100))
		if op.ID == "signIn" { // signed rightly, and long ago
			want(t, op.ID, a.faulty(), []string{"message.issuedAt"})
			continue
		}
		if a.status >= 400 && op.ID != "withdrawReport" {
			t.Errorf("%s: %d %s", op.ID, a.status, a.raw)
		}
	}
}

func TestWithoutAValidKeyThePriceIsAnsweredBeforeTheInputIsLookedAt(t *testing.T) {
	s := start(t)
	revoked := s.key(-1)
	if _, err := s.db.RevokeKey(t.Context(), revoked); err != nil {
		t.Fatal(err)
	}
	unknown, err := tocsin.NewKey(strings.NewReader(strings.Repeat("x", 20)))
	if err != nil {
		t.Fatal(err)
	}
	for _, headers := range [][]string{{}, {"x-api-key: "}, {"x-api-key: toc_nonsense"}, {"x-api-key: " + string(unknown)}, {"x-api-key: " + revoked},
		{"x-api-key: " + revoked, "x-api-key: " + revoked}} {
		for _, c := range [][2]string{{"GET", "/screen/" + thief}, {"GET", "/screen/nonsense"}, {"POST", "/check"}, {"GET", "/domains/check/1.2.3.4"},
			{"GET", "/community-reports/search"}, {"GET", "/community-reports?limit=0"}} {
			a := s.do(c[0], c[1], nil, headers...)
			if a.status != 402 || a.header.Get("X-Free-Tier-Exhausted") != "" || a.header.Get("X-RateLimit-Remaining-Day") != "" {
				t.Fatalf("%v %v: %d %s", headers, c, a.status, a.raw)
			}
			var facts map[string]any
			text, err := base64.StdEncoding.DecodeString(a.header.Get("PAYMENT-REQUIRED"))
			if err != nil || json.Unmarshal(text, &facts) != nil {
				t.Fatalf("PAYMENT-REQUIRED is %q", a.header.Get("PAYMENT-REQUIRED"))
			}
			for name, value := range facts {
				want(t, name+" in header and body", a.body[name], value)
			}
			want(t, "x402Version", facts["x402Version"], 2)
			want(t, "accepts", facts["accepts"], []any{})
			if path, _, _ := strings.Cut(c[1], "?"); a.text("resource.url") != baseURL+s.api.contract.Base+path {
				t.Errorf("resource.url is %q", a.text("resource.url"))
			}
			if head := s.do("HEAD", c[1], nil, headers...); c[0] == "GET" && head.status != 402 {
				t.Errorf("HEAD %s: %d", c[1], head.status)
			}
		}
	}
}

func TestAKeyHasTenFreeCallsADayOverAllPaidOperations(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(-1)
	calls := []func() *answer{
		func() *answer { return s.get("/screen/"+thief, key) },
		func() *answer { return s.do("POST", "/check", map[string]any{"addresses": []string{thief}}, key) },
		func() *answer { return s.get("/domains/check/evil.com", key) },
		func() *answer { return s.get("/community-reports/search?q=x", key) },
		func() *answer { return s.get("/community-reports", key) },
		func() *answer { return s.do("HEAD", "/screen/"+thief, nil, key) },
	}
	for i := range 10 {
		a := calls[i%len(calls)]()
		want(t, "status", a.status, 200)
		want(t, "remaining", a.header.Get("X-RateLimit-Remaining-Day"), 9-i)
	}
	for _, call := range calls {
		a := call()
		want(t, "status", a.status, 402)
		want(t, "exhausted", a.header.Get("X-Free-Tier-Exhausted"), true)
		want(t, "remaining", a.header.Get("X-RateLimit-Remaining-Day"), 0)
	}
	want(t, "exhausted before the input", s.get("/screen/nonsense", key).status, 402)
	me := s.get("/me", key)
	want(t, "calls", me.number("apiCallCount"), 10)
	want(t, "remaining", me.number("freeCalls.remaining"), 0)
	s.Sleep(24 * time.Hour)
	a := s.get("/screen/"+thief, key)
	want(t, "the next day", a.status, 200)
	want(t, "remaining", a.header.Get("X-RateLimit-Remaining-Day"), 9)
}

func TestNothingAnsweredNothingCharged(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(-1)
	for _, path := range []string{"/screen/nonsense", "/screen/" + thief + "?limit=0", "/screen/" + thief + "?limit=101", "/screen/" + thief + "?limit=x",
		"/screen/" + thief + "?cursor=x", "/domains/check/localhost", "/community-reports/search", "/community-reports/search?q=", "/community-reports/search?q=*",
		"/community-reports?crimeType=theft", "/community-reports?since=yesterday", "/community-reports?limit=5&limit=6", "/community-reports?q=%zz",
		"/community-reports?since=2026-01-01T00:00:00Z&cursor=AQE"} {
		a := s.get(path, key)
		want(t, path, a.status, 400)
		want(t, path+" leaves", a.header.Get("X-RateLimit-Remaining-Day"), 10)
		if len(a.faulty()) == 0 || a.text("errors.0.fix") == "" {
			t.Errorf("%s: %s", path, a.raw)
		}
	}
	for _, body := range []any{"{", "[]", "", `{"addresses":[]}`, `{"addresses":["0x1"]}`, `{"addresses":["` + thief + `"],"limit":1}`, `{"addresses":"` + thief + `"}`} {
		a := s.do("POST", "/check", body, key)
		want(t, fmt.Sprint(body), a.status, 400)
		want(t, "remaining", a.header.Get("X-RateLimit-Remaining-Day"), 10)
	}
	want(t, "used", s.get("/me", key).number("freeCalls.used"), 0)
}

func TestSixtyFourCallsAtOnceGetExactlyTheQuota(t *testing.T) {
	s := start(t)
	for range 5 {
		key := "x-api-key: " + s.key(-1)
		var group sync.WaitGroup
		var answered, refused atomic.Int32
		for range 64 {
			group.Go(func() {
				switch s.get("/screen/"+thief, key).status {
				case 200:
					answered.Add(1)
				case 402:
					refused.Add(1)
				}
			})
		}
		group.Wait()
		want(t, "answered", answered.Load(), 10)
		want(t, "refused", refused.Load(), 54)
	}
}

func TestAKeyMayHaveItsOwnQuota(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(1)
	want(t, "first", s.get("/screen/"+thief, key).status, 200)
	want(t, "second", s.get("/screen/"+thief, key).status, 402)
	none := s.get("/screen/"+thief, "x-api-key: "+s.key(0))
	want(t, "none", none.status, 402)
	want(t, "none left", none.header.Get("X-Free-Tier-Exhausted"), true)
}

func TestAScreeningTellsEverythingOnRecord(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(1000)
	unknown := s.get("/screen/"+nobody, key)
	want(t, "unknown", []any{unknown.number("riskScore"), unknown.text("riskLevel"), unknown.text("result"), unknown.text("recommendation"), unknown.in("confidence")},
		[]any{0, "CLEAN", "no_reports", "proceed", 0})
	for i := range 25 {
		want(t, "filed", s.file(filing("title", fmt.Sprint("report ", i)), "x-api-key: "+s.key(1)).status, 201)
	}
	s.list("list a", "a", tocsin.Risk, "hack", thief)
	a := s.get("/screen/"+strings.ToLower(thief), key)
	want(t, "address", a.text("address"), thief)
	want(t, "level", a.text("riskLevel"), "CRITICAL")
	want(t, "recommendation", a.text("recommendation"), "block")
	want(t, "crime types", a.in("crimeTypes"), []any{"hack", "phishing"})
	want(t, "reports", []int{a.number("reportCount"), a.count("reports")}, []int{25, 20})
	want(t, "newest first", a.text("reports.0.title"), "report 24")
	want(t, "listing", a.text("listings.0.list"), "list a")
	if a.in("listings.0.since") != nil || a.in("firstReportedAt") == nil {
		t.Errorf("%s", a.raw)
	}
	next := s.get("/screen/"+thief+"?cursor="+a.text("nextCursor"), key)
	want(t, "second page", []any{next.count("reports"), next.text("reports.0.title"), next.in("nextCursor")}, []any{5, "report 4", nil})
	small := s.get("/screen/"+thief+"?limit=2", key)
	want(t, "two", small.count("reports"), 2)

	s.list("list b", "b", tocsin.Risk, "scam", another)
	only := s.get("/screen/"+another, key)
	want(t, "listed only", []any{only.number("riskScore"), only.text("result"), only.number("reportCount")}, []any{68, "caution", 0})
	s.list("ofac", "ofac", tocsin.Sanction, "sanctions", another)
	hit := s.get("/screen/"+another, key)
	want(t, "sanctioned", []any{hit.number("riskScore"), hit.text("sanctions.0.name"), hit.text("sanctions.0.program")}, []any{100, "Somebody", "SDN"})
	s.list("tokens", "tokens", tocsin.Safe, "token", usdc)
	s.list("list a", "a", tocsin.Risk, "hack", thief, usdc)
	safe := s.get("/screen/"+usdc, key)
	want(t, "safelisted", []any{safe.in("safelisted"), safe.text("riskLevel"), safe.text("recommendation")}, []any{true, "LOW", "proceed"})
}

func TestABatchAnswersInOrderOrNamesEveryFaultyIndex(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100)
	s.file(filing())
	a := s.do("POST", "/check", map[string]any{"addresses": []string{nobody, strings.ToLower(thief), nobody}}, key)
	want(t, "batch", []any{a.status, a.number("count"), a.text("results.0.address"), a.text("results.1.address"), a.number("results.1.reportCount"), a.text("results.2.address")},
		[]any{200, 3, nobody, thief, 1, nobody})
	if a.in("results.1.reports") != nil {
		t.Error("a batch carries reports")
	}
	bad := s.do("POST", "/check", map[string]any{"addresses": []string{thief, "0x1", nobody, "x"}}, key)
	want(t, "faulty", []any{bad.status, bad.faulty()}, []any{400, []string{"addresses[1]", "addresses[3]"}})
	fifty := strings.Split(strings.Repeat(thief+" ", 51), " ")
	want(t, "fifty", s.do("POST", "/check", map[string]any{"addresses": fifty[:50]}, key).number("count"), 50)
	over := s.do("POST", "/check", map[string]any{"addresses": fifty[:51]}, key)
	want(t, "fifty-one", []any{over.status, over.faulty()}, []any{400, []string{"addresses"}})
	types := s.do("POST", "/check", map[string]any{"addresses": []any{thief, 7, nil}}, key)
	want(t, "types", []any{types.status, types.faulty()}, []any{400, []string{"addresses[1]", "addresses[2]"}})
	mixed := s.do("POST", "/check", map[string]any{"addresses": []any{"0x1", thief, 5}}, key)
	want(t, "of both kinds", mixed.faulty(), []string{"addresses[0]", "addresses[2]"})
}

func TestAReportOnADomainCoversWhatBelongsToItAndNobodyElse(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(1000)
	want(t, "filed", s.file(filing("scammerAddresses", nil, "reportedDomains", []string{"https://Evil.com/claim", "x.pages.dev"})).status, 201)
	for path, found := range map[string]struct {
		domain, registrable, match string
		reports                    int
	}{
		"evil.com":                             {"evil.com", "evil.com", "exact", 1},
		"WWW.EVIL.COM.":                        {"evil.com", "evil.com", "exact", 1},
		"a.b.evil.com":                         {"a.b.evil.com", "evil.com", "parent", 1},
		url.PathEscape("https://evil.com/a?b"): {"evil.com", "evil.com", "exact", 1},
		"https://evil.com/a//b":                {"evil.com", "evil.com", "exact", 1},
		"notevil.com":                          {"notevil.com", "notevil.com", "", 0},
		"x.pages.dev":                          {"x.pages.dev", "x.pages.dev", "exact", 1},
		"deep.x.pages.dev":                     {"deep.x.pages.dev", "x.pages.dev", "parent", 1},
		"y.pages.dev":                          {"y.pages.dev", "y.pages.dev", "", 0},
		"pages.dev":                            {"pages.dev", "", "", 0},
		url.PathEscape("пример.рф"):            {"xn--e1afmkfd.xn--p1ai", "xn--e1afmkfd.xn--p1ai", "", 0},
	} {
		a := s.get("/domains/check/"+path, key)
		want(t, path, []any{a.status, a.text("domain"), a.text("registrableDomain"), a.text("matches.0.match"), a.number("reportCount"), a.count("reports")},
			[]any{200, found.domain, found.registrable, found.match, found.reports, found.reports})
	}
	s.list("list", "l", tocsin.Risk, "phishing", "listed.example")
	below := s.get("/domains/check/a.listed.example", key)
	want(t, "listed parent", []any{below.text("riskLevel"), below.text("matches.0.domain"), below.number("matches.0.reportCount")}, []any{"HIGH", "listed.example", 0})
}

func TestAReportNamedByTwoNamesOfADomainCountsOnce(t *testing.T) {
	s := start(t)
	s.file(filing("reportedDomains", []string{"evil.com", "a.evil.com"}), "x-api-key: "+s.key(1))
	a := s.get("/domains/check/a.evil.com", "x-api-key: "+s.key(1))
	want(t, "counts", []any{a.number("reportCount"), a.count("reports"), a.count("matches")}, []any{1, 1, 2})
}

func TestFilingIsFreeAndMayBeAnonymous(t *testing.T) {
	s := start(t)
	anonymous := s.file(filing("amountLost", 12.5, "currency", "usdt", "incidentDate", "2026-01-31", "socialMedia", map[string]any{"telegram": "@thief"},
		"evidence", map[string]any{"urls": []string{"https://example.com/a"}}))
	want(t, "anonymous", []any{anonymous.status, anonymous.in("reporter"), anonymous.in("amountLost"), anonymous.text("currency"), anonymous.text("source"), anonymous.text("socialMedia.telegram")},
		[]any{201, nil, 12.5, "USDT", "community", "@thief"})
	want(t, "location", anonymous.header.Get("Location"), anonymous.text("url"))
	want(t, "url", anonymous.text("url"), baseURL+s.api.contract.Base+"/community-reports/"+anonymous.text("id"))
	if anonymous.text("manageToken") == "" {
		t.Error("there is no manage token")
	}
	got := s.get("/community-reports/" + anonymous.text("id"))
	want(t, "read again", []any{got.status, got.in("manageToken"), got.text("createdAt")}, []any{200, nil, anonymous.text("createdAt")})

	made, err := s.db.CreateKey(t.Context(), nil, "Watchdog", nil)
	if err != nil {
		t.Fatal(err)
	}
	keyed := s.file(filing("title", "another"), "x-api-key: "+string(made.Key))
	want(t, "reporter", []any{keyed.text("reporter.id"), keyed.text("reporter.name")}, []any{made.Agent.ID, "Watchdog"})
	stranger := s.file(filing("title", "a third"), "x-api-key: toc_unknown")
	want(t, "unknown key", []any{stranger.status, stranger.in("reporter")}, []any{201, nil})
	want(t, "free", s.get("/me", "x-api-key: "+string(made.Key)).number("freeCalls.used"), 0)
}

func TestEachFaultyFieldOfAFilingIsNamed(t *testing.T) {
	s := start(t)
	a := s.file(map[string]any{"crimeType": "theft", "title": strings.Repeat("x", 201), "scammerAddresses": []any{thief, "0x1", 7}, "reportedDomains": []string{"pages.dev"},
		"incidentDate": "2999-01-01", "currency": "$", "amountLost": -1, "colour": "red", "socialMedia": map[string]any{"signal": "x"}, "evidence": map[string]any{"urls": []string{"ftp://x"}}})
	want(t, "all at once", []any{a.status, a.faulty()}, []any{400, []string{"amountLost", "colour", "crimeType", "currency", "description", "evidence.urls[0]", "incidentDate", "reportedDomains[0]", "scammerAddresses[1]", "scammerAddresses[2]", "socialMedia.signal", "title"}})
	one := s.do("POST", "/community-reports", `{"amountLost":"12","crimeType":"scam","title":"t","description":"d","scammerAddresses":["`+thief+`"]}`)
	want(t, "of one wrong type nothing follows", []any{one.status, one.faulty()}, []any{400, []string{"amountLost"}})
	one = s.do("POST", "/community-reports", `{"crimeType":"scam","title":"t","description":"d","reportedDomains":"evil.example"}`)
	want(t, "whether it names anybody is not known", []any{one.status, one.faulty()}, []any{400, []string{"reportedDomains"}})
	for body, field := range map[string]string{`{"evidence":{"urls":[1e999]}}`: "evidence.urls[0]", `{"` + strings.Repeat("n", 300) + `":[[1e999]]}`: strings.Repeat("n", 59) + "…[0][0]",
		`{"0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318":1e999}`: "…", `[` + strings.Repeat("1,", 600) + `1]`: "body"} {
		want(t, body[:20], s.do("POST", "/community-reports", body).faulty(), []string{field})
	}
	rules := s.file(filing("scammerAddresses", []string{thief, "0x1"}, "reportedDomains", []string{"pages.dev"}, "incidentDate", "2999-01-01", "unknown", 1,
		"evidence", map[string]any{"urls": []string{"ftp://x"}}))
	want(t, "shape and rules", rules.faulty(), []string{"evidence.urls[0]", "incidentDate", "reportedDomains[0]", "scammerAddresses[1]", "unknown"})
	for name, change := range map[string][]any{
		"scammerAddresses": {"scammerAddresses", []string{}},
		"description":      {"description", strings.Repeat("x", 10_001)},
		"title":            {"title", ""},
		"crimeType":        {"crimeType", nil},
	} {
		a := s.file(filing(change...))
		want(t, name, []any{a.status, a.faulty()}, []any{400, []string{name}})
	}
	s.list("top sites", "t", tocsin.Safe, "top-site", "example.com")
	safe := s.file(filing("reportedDomains", []string{"https://www.example.com/scam"}))
	want(t, "safelisted", []any{safe.status, safe.faulty()}, []any{400, []string{"reportedDomains[0]"}})
	want(t, "nothing was recorded", s.get("/stats").number("reports"), 0)
}

func TestTheSameReportTwiceIsRecordedOnce(t *testing.T) {
	s := start(t)
	mine, other := "x-api-key: "+s.key(-1), "x-api-key: "+s.key(-1)
	for _, headers := range [][]string{{}, {mine}} {
		first := s.file(filing(), headers...)
		again := s.file(filing("scammerAddresses", []string{strings.ToLower(thief)}), headers...)
		want(t, "again", []any{first.status, again.status, again.text("id"), again.in("duplicate"), again.in("manageToken")}, []any{201, 200, first.text("id"), true, nil})
	}
	want(t, "another caller", s.file(filing(), other).status, 201)

	a := s.file(filing("title", "with a key"), mine, "Idempotency-Key: 1")
	b := s.file(filing("title", "with a key"), mine, "Idempotency-Key: 1")
	c := s.file(filing("title", "with another body"), mine, "Idempotency-Key: 1")
	d := s.file(filing("title", "with another body"), other, "Idempotency-Key: 1")
	want(t, "idempotency", []any{a.status, b.status, b.text("id") == a.text("id"), c.status, c.text("code"), d.status}, []any{201, 200, true, 422, "idempotency_reuse", 201})

	s.Sleep(25 * time.Hour)
	want(t, "a day later", s.file(filing(), mine).status, 201)
}

func TestTheSameReportByManyAtOnceIsRecordedOnce(t *testing.T) {
	s := start(t)
	var group sync.WaitGroup
	var recorded atomic.Int32
	for range 32 {
		group.Go(func() {
			if s.file(filing()).status == 201 {
				recorded.Add(1)
			}
		})
	}
	group.Wait()
	want(t, "recorded", recorded.Load(), 1)
	want(t, "reports", s.get("/stats").number("reports"), 1)
}

func TestWhoeverHoldsTheManageTokenWithdrawsTheReport(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(1000)
	filed := s.file(filing())
	path := "/community-reports/" + filed.text("id")
	want(t, "without", s.do("DELETE", path, nil).status, 403)
	want(t, "wrong", s.do("DELETE", path, nil, "x-manage-token: man_x").status, 403)
	want(t, "unknown", s.do("DELETE", "/community-reports/rep_x", nil, "x-manage-token: man_x").status, 404)
	want(t, "counts", s.get("/screen/"+thief, key).number("reportCount"), 1)
	for range 2 {
		want(t, "right", s.do("DELETE", path, nil, "x-manage-token: "+filed.text("manageToken")).text("status"), "withdrawn")
	}
	want(t, "gone", []any{s.get(path).status, s.get(path).text("code")}, []any{410, "report_withdrawn"})
	a := s.get("/screen/"+thief, key)
	want(t, "counts nothing", []any{a.number("riskScore"), a.number("reportCount"), a.text("result")}, []any{0, 0, "no_reports"})
	want(t, "not found", s.get("/community-reports/search?q=wallet", key).number("count"), 0)
	want(t, "not listed", s.get("/community-reports", key).number("count"), 0)
	want(t, "filed anew", s.file(filing()).status, 201)
}

func TestOneNetworkCannotFlood(t *testing.T) {
	s := start(t, func(c *Config) {
		c.Filings = 3
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	key := "x-api-key: " + s.key(-1)
	n := 0
	file := func(headers ...string) *answer {
		n++
		return s.file(filing("title", fmt.Sprint(n)), headers...)
	}
	for range 3 {
		want(t, "within the limit", file("X-Forwarded-For: 6.6.6.6, 203.0.113.7").status, 201)
	}
	want(t, "once more", s.file(filing("title", "3"), "X-Forwarded-For: 203.0.113.7").status, 200)
	over := file("X-Forwarded-For: 203.0.113.250") // the same /24
	want(t, "over it", []any{over.status, over.text("code")}, []any{429, "too_many_filings"})
	if wait := over.header.Get("Retry-After"); wait == "" || wait == "0" {
		t.Errorf("Retry-After is %q", wait)
	}
	want(t, "another network", file("X-Forwarded-For: 198.51.100.1").status, 201)
	for range 3 {
		want(t, "IPv6", file("X-Forwarded-For: 2001:db8:1:2::1").status, 201)
	}
	want(t, "the same /48", file("X-Forwarded-For: 2001:db8:1:ffff::1").status, 429)
	for range 30 {
		want(t, "with a key", file("X-Forwarded-For: 203.0.113.7", key).status, 201)
	}
	want(t, "with a key, over it", file("X-Forwarded-For: 203.0.113.7", key).status, 429)
	s.Sleep(40 * time.Minute)
	want(t, "within the hour", file("X-Forwarded-For: 203.0.113.7").status, 429)
	s.Sleep(22 * time.Minute)
	want(t, "later", file("X-Forwarded-For: 203.0.113.7").status, 201)
	bad := s.file(filing("title", ""), "X-Forwarded-For: 192.0.2.1")
	want(t, "a faulty one", bad.status, 400)
}

// TestFollowingSinceLosesAndRepeatsNothing files while the clock stands still.
func TestFollowingSinceLosesAndRepeatsNothing(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100_000)
	const writers, each = 8, 40
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for i := range each {
				want(t, "filed", s.file(filing("title", fmt.Sprint(w, " ", i))).status, 201)
			}
		})
	}
	finished := make(chan struct{})
	go func() { group.Wait(); close(finished) }()
	since, seen, last := "2020-01-01T00:00:00Z", map[string]bool{}, ""
	for done := false; !done; {
		select {
		case <-finished:
			done = true // one more round, to its end
		default:
		}
		for {
			page := s.get("/community-reports?limit=7&since="+since, key)
			if page.text("nextSince") == "" {
				t.Fatalf("%d %s", page.status, page.raw)
			}
			since = page.text("nextSince")
			for i := range page.count("reports") {
				id, at := page.text(fmt.Sprintf("reports.%d.id", i)), page.text(fmt.Sprintf("reports.%d.createdAt", i))
				if seen[id] || at <= last {
					t.Errorf("%s of %s is seen twice, or after %s", id, at, last)
				}
				seen[id], last = true, at
			}
			if page.count("reports") == 0 {
				break
			}
		}
	}
	want(t, "seen", len(seen), writers*each)

	backwards, cursor := map[string]bool{}, ""
	for first := true; first || cursor != ""; first = false {
		page := s.get("/community-reports?limit=50&cursor="+cursor, key)
		if first {
			page = s.get("/community-reports", key)
			s.file(filing("title", "meanwhile"))
		}
		for i := range page.count("reports") {
			backwards[page.text(fmt.Sprintf("reports.%d.id", i))] = true
		}
		cursor = page.text("nextCursor")
	}
	want(t, "seen backwards", len(backwards), writers*each)
}

func TestAListIsFilteredByCrimeTypeAndSource(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100)
	s.file(filing())
	s.file(filing("crimeType", "hack"))
	im, err := s.db.Import(t.Context(), tocsin.List{Name: "told", Family: "told", URL: "https://lists.example"})
	if err != nil {
		t.Fatal(err)
	}
	d := tocsin.Draft{CrimeType: tocsin.Hack, Title: "told by a list", Description: "x", ScammerAddresses: []string{another}}
	if d, err = d.Parse(s.Now()); err != nil {
		t.Fatal(err)
	}
	d.SourceDate = tocsin.TimeOf(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	if err := im.Add(tocsin.Entry{Report: &d, Key: "1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := im.Finish(t.Context(), false, nil); err != nil {
		t.Fatal(err)
	}
	for query, count := range map[string]int{"": 3, "?crimeType=hack": 2, "?source=community": 2, "?source=told": 1, "?source=nobody": 0,
		"?crimeType=hack&source=community": 1, "?crimeType=phishing&source=told": 0, "?since=2999-01-01T00:00:00Z": 0} {
		want(t, query, s.get("/community-reports"+query, key).number("count"), count)
	}
	told := s.get("/community-reports?source=told", key)
	want(t, "its own date", told.text("reports.0.publishedAt"), "2020-01-01T00:00:00.000000Z")
	a := s.get("/screen/"+another, key)
	want(t, "a story scores nothing by itself", []any{a.number("reportCount"), a.number("riskScore"), a.text("result")}, []any{1, 0, "caution"})
}

func TestASearchFindsWordsPhrasesAndPrefixes(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(1000)
	s.file(filing("title", "The drainer of the bridge", "subjectProjectName", "Café Protocol", "socialMedia", map[string]any{"telegram": "@mallory_77"}))
	s.file(filing("title", "A bridge over nothing", "description", "No drainer here, but a drained wallet.", "scammerAddresses", nil, "reportedDomains", []string{"claim-it.evil.com"}))
	for q, count := range map[string]int{
		"bridge": 2, "bridge nothing": 1, "drainer bridge": 2, `"the bridge"`: 1, `"bridge the"`: 0, "drain*": 2, "draine*": 2, "cafe": 1, "CAFÉ": 1,
		"mallory_77": 1, "@mallory_77": 1, "claim-it.evil.com": 1, strings.ToLower(thief): 1, thief: 1, "title:bridge": 0, "bridge OR unicorn": 0, "nothing)": 1,
		`bridge"`: 2, "NEAR(bridge nothing)": 0, "unicorn": 0, "^bridge": 2, "bridge AND": 0,
	} {
		a := s.get("/community-reports/search?q="+url.QueryEscape(q), key)
		want(t, q, []any{a.status, a.number("count"), a.text("query")}, []any{200, count, q})
	}
	first := s.get("/community-reports/search?limit=1&q=bridge", key)
	s.file(filing("title", "bridge bridge bridge"))
	second := s.get("/community-reports/search?limit=1&q=bridge&cursor="+first.text("nextCursor"), key)
	if second.in("nextCursor") != nil || first.text("reports.0.id") == second.text("reports.0.id") || second.count("reports") != 1 {
		t.Errorf("%s\n%s", first.raw, second.raw)
	}
}

func TestTheLeaderboardRanksByCorroborationNotVolume(t *testing.T) {
	s := start(t)
	busy, right, late := s.key(-1), s.key(-1), s.key(-1)
	for i := range 9 {
		s.file(filing("title", fmt.Sprint(i), "scammerAddresses", []string{another}), "x-api-key: "+busy)
	}
	s.file(filing(), "x-api-key: "+right)
	s.file(filing("title", "I saw it too"), "x-api-key: "+late)
	s.Sleep(time.Minute)
	me := s.get("/me", "x-api-key: "+right)
	want(t, "me", []any{me.in("authenticated"), me.number("leaderboardRank"), me.number("reportCount")}, []any{true, 1, 1})
	board := s.get("/leaderboard")
	want(t, "board", []any{board.number("count"), board.text("agents.0.id"), board.number("agents.0.corroboratedReports"), board.number("agents.1.corroboratedReports")},
		[]any{3, me.text("agent.id"), 1, 0})
	want(t, "limit", s.get("/leaderboard?limit=1").number("count"), 1)
	want(t, "too many", s.get("/leaderboard?limit=101").status, 400)
	nobody := s.get("/me")
	want(t, "nobody", []any{nobody.status, nobody.in("authenticated"), nobody.in("agent"), nobody.text("help") != ""}, []any{200, false, nil, true})
}

func TestStatsTellEachListWithItsSizeAndAge(t *testing.T) {
	s := start(t)
	s.list("a", "a", tocsin.Risk, "scam", thief, another)
	s.Sleep(time.Hour)
	s.file(filing())
	a := s.get("/stats")
	want(t, "stats", []any{a.number("reports"), a.number("subjects"), a.text("lists.0.name"), a.number("lists.0.listings"), a.number("lists.0.ageSeconds") / 60}, []any{1, 2, "a", 2, 60})
}

func TestFaultsOfHTTPAreProblemsToo(t *testing.T) {
	s := start(t)
	for path, want := range map[string]int{"//stats": 404, "/../v1/stats": 404, "/nothing": 404, "/": 404, "/screen": 404, "/screen/a/b": 404, "/stats/": 404} {
		if a := s.get(path); a.status != want {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for call, allow := range map[string]string{"POST /stats": "GET, HEAD", "PUT /check": "POST", "GET /check": "POST", "PATCH /community-reports": "GET, HEAD, POST",
		"POST /community-reports/x": "GET, HEAD, DELETE", "DELETE /me": "GET, HEAD"} {
		method, path, _ := strings.Cut(call, " ")
		a := s.do(method, path, nil)
		want(t, call, []any{a.status, a.header.Get("Allow"), a.text("code")}, []any{405, allow, "method_not_allowed"})
	}
	for media, status := range map[string]int{"text/plain": 415, "application/x-www-form-urlencoded": 415, "": 415, "application/json; charset=utf-8": 201} {
		want(t, media, s.file(filing(), "Content-Type: "+media).status, status)
	}
	want(t, "too large", s.do("POST", "/community-reports", `{"title":"`+strings.Repeat("x", maxBody)+`"}`).status, 413)
	want(t, "not JSON", s.do("POST", "/community-reports", `{"title":`).status, 400)
	want(t, "two values", s.do("POST", "/community-reports", `{} {}`).status, 400)
	for _, amount := range []string{"1e2000000", "1e-2000000", "1e1000000000000", "1e400"} {
		want(t, amount, s.do("POST", "/community-reports", `{"crimeType":"hack","title":"x","description":"x","scammerAddresses":["`+thief+`"],"amountLost":`+amount+`}`).status, 400)
	}
	want(t, "a name twice", s.do("POST", "/check", `{"addresses":5,"addresses":["`+thief+`"]}`, "x-api-key: "+s.key(1)).status, 400)
	want(t, "a long path", s.get("/screen/"+strings.Repeat("x", front.MaxPath)).status, 414)
	many := s.do("POST", "/community-reports", `{"scammerAddresses":[`+strings.Repeat("1,", 100_000)+`1]}`)
	want(t, "many entries", []any{many.status, many.faulty()}, []any{400, []string{"scammerAddresses"}})
	want(t, "deep", s.do("POST", "/community-reports", strings.Repeat("[", 100_000)).status, 400)
	want(t, "its own id", s.get("/nothing", "X-Request-Id: mine-1").text("requestId"), "mine-1")
	if id := s.get("/nothing", "X-Request-Id: bad\u00e9").text("requestId"); id == "" || strings.Contains(id, "bad") {
		t.Errorf("the request id is %q", id)
	}
}

// TestEveryDocumentedLimitHolds sends one more than each limit of a query allows.
func TestEveryDocumentedLimitHolds(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(1000)
	tried := 0
	for _, op := range s.api.contract.Operations() {
		if op.Method != http.MethodGet {
			continue
		}
		for _, p := range op.Parameters {
			if p.In != "query" {
				continue
			}
			path := strings.NewReplacer(s.api.contract.Base, "", "{address}", thief, "{domain}", "evil.com", "{id}", "x").Replace(op.Path)
			value := strings.Repeat("x", 1000)
			if p.Value.At("type").String() == "integer" {
				value = "101"
			}
			query := url.Values{p.Name: {value}}
			if p.Name != "q" && op.ID == "searchReports" {
				query.Set("q", "x")
			}
			a := s.get(path+"?"+query.Encode(), key)
			want(t, op.ID+" "+p.Name, []any{a.status, a.faulty()}, []any{400, []string{p.Name}})
			tried++
		}
	}
	if tried < 10 {
		t.Errorf("only %d limits were tried", tried)
	}
}

func TestAHiddenReportIsNowhereUntilItIsRestored(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(1000)
	id := s.file(filing("reportedDomains", []string{"evil.com"})).text("id")
	seen := func() string {
		return fmt.Sprint(s.get("/screen/"+thief, key).number("reportCount"), s.get("/domains/check/evil.com", key).number("riskScore"),
			s.get("/community-reports/search?q=wallet", key).number("count"), s.get("/community-reports", key).number("count"), s.get("/community-reports/"+id).status)
	}
	want(t, "published", seen(), "1 8 1 1 200")
	for range 2 {
		if err := s.db.Hide(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		want(t, "hidden", seen(), "0 0 0 0 404")
	}
	want(t, "filed again while hidden", s.file(filing("reportedDomains", []string{"evil.com"})).text("status"), "hidden")
	for range 2 {
		if err := s.db.Restore(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		want(t, "restored", seen(), "1 8 1 1 200")
	}
}

func FuzzFiling(f *testing.F) {
	f.Add([]byte(`{"crimeType":"phishing","title":"a","description":"b","reportedDomains":["https://evil.com/x"],"socialMedia":{"telegram":"x"}}`))
	f.Add([]byte(`{"addresses":["0x1"]}`))
	c, err := contract.Read(contract.Options{})
	if err != nil {
		f.Fatal(err)
	}
	op := c.Operation("fileReport")
	f.Fuzz(func(t *testing.T, body []byte) {
		r, _ := http.NewRequest(op.Method, op.Path, strings.NewReader(string(body)))
		r.Header.Set("Content-Type", "application/json")
		call := &call{Request: r}
		if call.checkBody(op) != nil {
			return
		}
		if d, err := call.draft(tocsintest.Noon); err == nil && (call.schemaErr != nil || len(d.Subjects()) == 0) {
			t.Errorf("%s is taken although %v", body, call.schemaErr)
		}
	})
}

func TestTheCompactViewHasNoWordsOfStrangers(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100)
	words := map[string]any{"crimeType": "scam", "title": "WORDS in a title", "description": "WORDS", "scammerAddresses": []string{thief}, "reportedDomains": []string{"evil.example"}, "amountLost": 5.5,
		"subjectProjectName": "WORDS", "socialMedia": map[string]any{"telegram": "@WORDS"}, "evidence": map[string]any{"urls": []string{"https://x.example/WORDS"}}}
	filed := s.do("POST", "/community-reports?view=compact", words)
	want(t, "filed", []any{filed.status, filed.text("url") == filed.header.Get("Location"), filed.text("manageToken") != "", bytes.Contains(filed.raw, []byte("WORDS"))}, []any{201, true, true, false})
	again := s.do("POST", "/community-reports?view=compact", words)
	want(t, "filed again", []any{again.status, again.in("duplicate"), again.text("id")}, []any{200, true, filed.text("id")})
	for _, view := range []string{"full", "compact"} {
		one := s.get("/community-reports/" + filed.text("id") + "?view=" + view)
		want(t, "one report, "+view, []any{one.status, one.text("id"), bytes.Contains(one.raw, []byte("WORDS"))}, []any{200, filed.text("id"), view == "full"})
	}
	want(t, "a view that is mistyped", s.get("/screen/"+thief+"?viev=compact", key).faulty(), []string{"viev"})
	for _, path := range []string{"/screen/" + thief + "?", "/domains/check/evil.example?", "/community-reports/search?q=words&", "/community-reports?"} {
		full := s.get(path+"view=full", key)
		usual := s.get(path, key)
		want(t, path, []any{full.text("reports.0.title"), usual.text("reports.0.title")}, []any{"WORDS in a title", "WORDS in a title"})
		for range 2 { // once more, when the reports are in memory
			compact := s.get(path+"view=compact", key)
			want(t, path, []any{compact.text("reports.0.id"), compact.in("reports.0.amountLost"), compact.in("reports.0.scammerAddresses")}, []any{filed.text("id"), 5.5, []string{thief}})
			want(t, path+": words", bytes.Contains(compact.raw, []byte("WORDS")), false)
		}
		want(t, path+": after it", s.get(path, key).text("reports.0.title"), "WORDS in a title")
		want(t, path+": another view", s.get(path+"view=brief", key).faulty(), []string{"view"})
	}
}
