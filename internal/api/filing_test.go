package api

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/contract"
	"tocsin/internal/tocsintest"
)

func TestFilingIsFreeAndMayBeAnonymous(t *testing.T) {
	s := start(t)
	anonymous := s.file(filing("amountLost", 12.5, "currency", "usdt", "incidentDate", "2026-01-31", "socialMedia",
		map[string]any{"telegram": "@thief"},
		"evidence", map[string]any{"urls": []string{"https://example.com/a"}}))
	want(t, "anonymous",
		[]any{anonymous.status, anonymous.in("reporter"), anonymous.in("amountLost"), anonymous.text("currency"),
			anonymous.text("source"), anonymous.text("socialMedia.telegram")},
		[]any{201, nil, 12.5, "USDT", "community", "@thief"})
	want(t, "location", anonymous.header.Get("Location"), anonymous.text("url"))
	want(t, "url", anonymous.text("url"), baseURL+s.api.contract.Base+"/community-reports/"+anonymous.text("id"))
	if anonymous.text("manageToken") == "" {
		t.Error("there is no manage token")
	}
	got := s.get("/community-reports/" + anonymous.text("id"))
	want(t, "read again", []any{got.status, got.in("manageToken"), got.text("createdAt")},
		[]any{200, nil, anonymous.text("createdAt")})

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
	a := s.file(map[string]any{"crimeType": "theft", "title": strings.Repeat("x", 201),
		"scammerAddresses": []any{thief, "0x1", 7}, "reportedDomains": []string{"pages.dev"},
		"incidentDate": "2999-01-01", "currency": "$", "amountLost": -1, "colour": "red",
		"socialMedia": map[string]any{"signal": "x"}, "evidence": map[string]any{"urls": []string{"ftp://x"}}})
	want(t, "all at once", []any{a.status, a.faulty()},
		[]any{400,
			[]string{"amountLost", "colour", "crimeType", "currency", "description", "evidence.urls[0]", "incidentDate",
				"reportedDomains[0]", "scammerAddresses[1]", "scammerAddresses[2]", "socialMedia.signal", "title"}})
	one := s.do("POST", "/community-reports",
		`{"amountLost":"12","crimeType":"scam","title":"t","description":"d","scammerAddresses":["`+thief+`"]}`)
	want(t, "of one wrong type nothing follows", []any{one.status, one.faulty()}, []any{400, []string{"amountLost"}})
	one = s.do("POST", "/community-reports",
		`{"crimeType":"scam","title":"t","description":"d","reportedDomains":"evil.example"}`)
	want(t, "whether it names anybody is not known", []any{one.status, one.faulty()},
		[]any{400, []string{"reportedDomains"}})
	for body, field := range map[string]string{`{"evidence":{"urls":[1e999]}}`: "evidence.urls[0]",
		`{"` + strings.Repeat("n", 300) + `":[[1e999]]}`:                               strings.Repeat("n", 59) + "…[0][0]",
		`{"0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318":1e999}`: "…",
		`[` + strings.Repeat("1,", 600) + `1]`:                                         "body"} {
		want(t, body[:20], s.do("POST", "/community-reports", body).faulty(), []string{field})
	}
	rules := s.file(filing("scammerAddresses", []string{thief, "0x1"}, "reportedDomains", []string{"pages.dev"},
		"incidentDate", "2999-01-01", "unknown", 1,
		"evidence", map[string]any{"urls": []string{"ftp://x"}}))
	want(t, "shape and rules", rules.faulty(),
		[]string{"evidence.urls[0]", "incidentDate", "reportedDomains[0]", "scammerAddresses[1]", "unknown"})
	for name, change := range map[string][]any{
		"scammerAddresses": {"scammerAddresses", []string{}},
		"description":      {"description", strings.Repeat("x", 10_001)},
		"title":            {"title", ""},
		"crimeType":        {"crimeType", nil},
	} {
		a := s.file(filing(change...))
		want(t, name, []any{a.status, a.faulty()}, []any{400, []string{name}})
	}
	s.list("banks", "t", tocsin.Safe, "bank", "example.com")
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
		want(t, "again", []any{first.status, again.status, again.text("id"), again.in("duplicate"), again.in("manageToken")},
			[]any{201, 200, first.text("id"), true, nil})
	}
	want(t, "another caller", s.file(filing(), other).status, 201)

	a := s.file(filing("title", "with a key"), mine, "Idempotency-Key: 1")
	b := s.file(filing("title", "with a key"), mine, "Idempotency-Key: 1")
	c := s.file(filing("title", "with another body"), mine, "Idempotency-Key: 1")
	d := s.file(filing("title", "with another body"), other, "Idempotency-Key: 1")
	want(t, "idempotency", []any{a.status, b.status, b.text("id") == a.text("id"), c.status, c.text("code"), d.status},
		[]any{201, 200, true, 422, "idempotency_reuse", 201})

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
	want(t, "counts nothing", []any{a.number("riskScore"), a.number("reportCount"), a.text("result")},
		[]any{0, 0, "no_reports"})
	want(t, "not found", s.get("/community-reports/search?q=wallet", key).number("count"), 0)
	want(t, "not listed", s.get("/community-reports", key).number("count"), 0)
	want(t, "filed anew", s.file(filing()).status, 201)
}

func TestARepeatDoesNotMakeAWithdrawnReportPublicAgain(t *testing.T) {
	s := start(t)
	const key = "Idempotency-Key: 0b0f5e63-8c3e-4a2a-8a57-4df2b63c1f6e"
	filed := s.file(filing(), key)
	withdrawn := s.do("DELETE", "/community-reports/"+filed.text("id"), nil, "x-manage-token: "+filed.text("manageToken"))
	again := s.file(filing(), key)
	want(t, "the same again", []any{filed.status, withdrawn.status, again.status, again.text("code"), again.faulty()},
		[]any{201, 200, 410, "report_withdrawn", []string{"Idempotency-Key"}})
	want(t, "on record", s.get("/screen/"+thief, "x-api-key: "+s.key(1000)).number("reportCount"), 0)
	want(t, "with another key", s.file(filing(), key+"-2").status, 201)
}

func TestOneNetworkCannotFlood(t *testing.T) {
	s := start(t, func(c *Config) {
		c.Limits.Filings = 3
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
	want(t, "over it", []any{over.status, over.text("code"), over.header.Get("Retry-After")},
		[]any{429, "too_many_filings", 3600})
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

func FuzzFiling(f *testing.F) {
	f.Add([]byte(`{"crimeType":"phishing","title":"a","description":"b",` +
		`"reportedDomains":["https://evil.com/x"],"socialMedia":{"telegram":"x"}}`))
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
