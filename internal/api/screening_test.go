package api

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// TestWhatIsWrittenDownOfUnknownAddressesIsWhatIsEncoded, to the byte.
func TestWhatIsWrittenDownOfUnknownAddressesIsWhatIsEncoded(t *testing.T) {
	s := start(t)
	for _, a := range []tocsin.Address{{}, {0xfe, 0xed, 19: 7}} {
		now := s.Now()
		var want, got bytes.Buffer
		none := &tocsin.AddressFindings{}
		d := &tocsin.Dossier{Evidence: tocsin.Evidence{Address: none}}
		tocsintest.Must(t, encodeJSON(&want, briefly(a, tocsin.Screen(d, now))))
		sc, err := s.api.addressScreening(a, &store.Dossier{}, none, now)
		tocsintest.Must(t, err)
		tocsintest.Must(t, sc.encode(&got))
		tocsintest.Want(t, a.String(), got.String(), want.String())
	}
}

func TestAScreeningTellsEverythingOnRecord(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(1000)
	unknown := s.get("/screen/"+nobody, key)
	want(t, "unknown",
		[]any{unknown.number("riskScore"), unknown.text("riskLevel"), unknown.text("result"), unknown.text("recommendation"),
			unknown.in("confidence")},
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
	want(t, "second page", []any{next.count("reports"), next.text("reports.0.title"), next.in("nextCursor")},
		[]any{5, "report 4", nil})
	small := s.get("/screen/"+thief+"?limit=2", key)
	want(t, "two", small.count("reports"), 2)

	s.list("list b", "b", tocsin.Risk, "scam", another)
	only := s.get("/screen/"+another, key)
	want(t, "listed only", []any{only.number("riskScore"), only.text("result"), only.number("reportCount")},
		[]any{68, "caution", 0})
	s.list("ofac", "ofac", tocsin.Sanction, "sanctions", another)
	hit := s.get("/screen/"+another, key)
	want(t, "sanctioned", []any{hit.number("riskScore"), hit.text("sanctions.0.name"), hit.text("sanctions.0.program")},
		[]any{100, "Somebody", "SDN"})
	s.list("tokens", "tokens", tocsin.Safe, "token", usdc)
	s.list("list a", "a", tocsin.Risk, "hack", thief, usdc)
	safe := s.get("/screen/"+usdc, key)
	want(t, "safelisted", []any{safe.in("safelisted"), safe.text("riskLevel"), safe.text("recommendation"),
		safe.text("factors.0.code"), safe.number("factors.0.points")},
		[]any{true, "LOW", "review", "token_contract", 0})
}

// TestABatchThatIsRefusedSaysHowToGetTheOthers.
func TestABatchThatIsRefusedSaysHowToGetTheOthers(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100)
	for _, c := range []struct {
		addresses []string
		says      bool
	}{{[]string{nobody, "0x12"}, true}, {[]string{"0x12"}, false}} {
		a := s.do("POST", "/check", map[string]any{"addresses": c.addresses}, key)
		want(t, fmt.Sprint(c.addresses), []any{a.status, strings.Contains(a.text("errors.0.fix"), "POST /subjects/check")},
			[]any{400, c.says})
	}
}

// TestASharedHostSaysNothingAboutWhosePageItIs: the advice is to review it, with a path or without, and the host itself
// is not called bad.
func TestASharedHostSaysNothingAboutWhosePageItIs(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100)
	s.list("hosts", "hosts", tocsin.Shared, "url-shortener", "short.example")
	for _, text := range []string{"sites.google.com", "https://sites.google.com/view/phish", "https://t.me/foo",
		"https://short.example/abc", "pages.dev"} {
		a := s.get("/domains/check/"+url.PathEscape(text), key)
		batch := s.do("POST", "/subjects/check", map[string]any{"subjects": []string{text}}, key)
		for _, c := range []string{string(a.raw), string(batch.raw)} {
			want(t, text, []bool{strings.Contains(c, `"riskLevel":"CLEAN","result":"no_reports","recommendation":"review"`),
				strings.Contains(c, `"factors":[{"code":"shared_host","points":0,`), strings.Contains(c, "no page or path")},
				[]bool{true, true, true})
		}
	}
	for _, text := range []string{"https://x.pages.dev/view", "https://fine.example/view"} {
		want(t, text, s.get("/domains/check/"+url.PathEscape(text), key).text("recommendation"), "proceed")
	}
}

func TestABatchAnswersInOrderOrNamesEveryFaultyIndex(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100)
	s.file(filing())
	a := s.do("POST", "/check", map[string]any{"addresses": []string{nobody, strings.ToLower(thief), nobody}}, key)
	want(t, "batch",
		[]any{a.status, a.number("count"), a.text("results.0.address"), a.text("results.1.address"),
			a.number("results.1.reportCount"), a.text("results.2.address")},
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
	mixed = s.do("POST", "/check", map[string]any{"addresses": []any{5, thief, "0x1"}}, key)
	want(t, "of both kinds, the other way round", mixed.faulty(), []string{"addresses[0]", "addresses[2]"})
}

func TestAReportOnADomainCoversWhatBelongsToItAndNobodyElse(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(1000)
	want(t, "filed",
		s.file(filing("scammerAddresses", nil, "reportedDomains", []string{"https://Evil.com/claim", "x.pages.dev"})).status,
		201)
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
		want(t, path,
			[]any{a.status, a.text("domain"), a.text("registrableDomain"), a.text("matches.0.match"), a.number("reportCount"),
				a.count("reports")},
			[]any{200, found.domain, found.registrable, found.match, found.reports, found.reports})
	}
	s.list("list", "l", tocsin.Risk, "phishing", "listed.example")
	below := s.get("/domains/check/a.listed.example", key)
	want(t, "listed parent",
		[]any{below.text("riskLevel"), below.text("matches.0.domain"), below.number("matches.0.reportCount")},
		[]any{"HIGH", "listed.example", 0})
}

func TestAReportNamedByTwoNamesOfADomainCountsOnce(t *testing.T) {
	s := start(t)
	s.file(filing("reportedDomains", []string{"evil.com", "a.evil.com"}), "x-api-key: "+s.key(1))
	a := s.get("/domains/check/a.evil.com", "x-api-key: "+s.key(1))
	want(t, "counts", []any{a.number("reportCount"), a.count("reports"), a.count("matches")}, []any{1, 1, 2})
}

func TestAHiddenReportIsNowhereUntilItIsRestored(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(1000)
	id := s.file(filing("reportedDomains", []string{"evil.com"})).text("id")
	seen := func() string {
		return fmt.Sprint(s.get("/screen/"+thief, key).number("reportCount"),
			s.get("/domains/check/evil.com", key).number("riskScore"),
			s.get("/community-reports/search?q=wallet", key).number("count"), s.get("/community-reports", key).number("count"),
			s.get("/community-reports/"+id).status)
	}
	want(t, "published", seen(), "1 8 1 1 200")
	for range 2 {
		if err := s.db.Hide(t.Context(), store.Operator{}, id); err != nil {
			t.Fatal(err)
		}
		want(t, "hidden", seen(), "0 0 0 0 410")
		want(t, "and said to be", s.get("/community-reports/"+id).text("code"), "report_hidden")
	}
	want(t, "filed again while hidden", s.file(filing("reportedDomains", []string{"evil.com"})).text("status"), "hidden")
	for range 2 {
		if err := s.db.Restore(t.Context(), store.Operator{}, id); err != nil {
			t.Fatal(err)
		}
		want(t, "restored", seen(), "1 8 1 1 200")
	}
}

func TestTheCompactViewHasNoWordsOfStrangers(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100)
	words := map[string]any{"crimeType": "scam", "title": "WORDS in a title", "description": "WORDS",
		"scammerAddresses": []string{thief}, "reportedDomains": []string{"evil.example"}, "amountLost": 5.5,
		"subjectProjectName": "WORDS", "socialMedia": map[string]any{"telegram": "@WORDS"},
		"evidence": map[string]any{"urls": []string{"https://x.example/WORDS"}}}
	filed := s.do("POST", "/community-reports?view=compact", words)
	want(t, "filed",
		[]any{filed.status, filed.text("url") == filed.header.Get("Location"), filed.text("manageToken") != "",
			bytes.Contains(filed.raw, []byte("WORDS"))}, []any{201, true, true, false})
	again := s.do("POST", "/community-reports?view=compact", words)
	want(t, "filed again", []any{again.status, again.in("duplicate"), again.text("id")},
		[]any{200, true, filed.text("id")})
	for _, view := range []string{"full", "compact"} {
		one := s.get("/community-reports/" + filed.text("id") + "?view=" + view)
		want(t, "one report, "+view, []any{one.status, one.text("id"), bytes.Contains(one.raw, []byte("WORDS"))},
			[]any{200, filed.text("id"), view == "full"})
	}
	want(t, "a view that is mistyped", s.get("/screen/"+thief+"?viev=compact", key).faulty(), []string{"viev"})
	for _, path := range []string{"/screen/" + thief + "?", "/domains/check/evil.example?",
		"/community-reports/search?q=words&", "/community-reports?"} {
		full := s.get(path+"view=full", key)
		usual := s.get(path, key)
		want(t, path, []any{full.text("reports.0.title"), usual.text("reports.0.title")},
			[]any{"WORDS in a title", "WORDS in a title"})
		for range 2 { // once more, when the reports are in memory
			compact := s.get(path+"view=compact", key)
			want(t, path,
				[]any{compact.text("reports.0.id"), compact.in("reports.0.amountLost"), compact.in("reports.0.scammerAddresses")},
				[]any{filed.text("id"), 5.5, []string{thief}})
			want(t, path+": words", bytes.Contains(compact.raw, []byte("WORDS")), false)
		}
		brief := s.get(path+"view=compact", key).in("reports.0").(map[string]any)
		for name, value := range full.in("reports.0").(map[string]any) {
			if _, shown := brief[name]; shown && name != "evidence" {
				want(t, path+": "+name+" in both views", brief[name], value)
			}
		}
		want(t, path+": fields, domains", []any{len(brief), brief["reportedDomainCount"]}, []any{16, 1})
		want(t, path+": after it", s.get(path, key).text("reports.0.title"), "WORDS in a title")
		want(t, path+": another view", s.get(path+"view=brief", key).faulty(), []string{"view"})
	}
}

// TestAnAnswerIsOfTheMomentUpToWhichChangesAreKnown: a process that has not heard of the others for a while says so.
func TestAnAnswerIsOfTheMomentUpToWhichChangesAreKnown(t *testing.T) {
	s := start(t)
	s.list("one", "one", tocsin.Risk, "phishing", thief, "evil.example")
	known := s.Now().Add(-2 * time.Second)
	s.api.asOf = func(time.Time) time.Time { return known }
	key := "x-api-key: " + s.key(100)
	for about, asOf := range map[string]any{
		"an address":        s.get("/screen/"+thief, key).in("asOf"),
		"an unknown one":    s.get("/screen/"+payTo, key).in("asOf"),
		"a domain":          s.get("/domains/check/evil.example", key).in("asOf"),
		"an account":        s.get("/accounts/"+thief, key).in("asOf"),
		"a list of several": s.do("POST", "/check", map[string]any{"addresses": []string{thief}}, key).in("results.0.asOf"),
		"a list of subjects": s.do("POST", "/subjects/check", map[string]any{"subjects": []string{"evil.example"}},
			key).in("results.0.asOf"),
	} {
		want(t, about, asOf, tocsin.TimeOf(known))
	}
}
