package api

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/lookalike"
	"tocsin/internal/tocsintest"
)

// judging has names judged by the rules.
func judging(c *Config) { c.Names = lookalike.NewDetector(tocsintest.Brands(), nil) }

// brief is what an answer says of a domain, without its reports.
func brief(a *answer, at string) string {
	is := func(name string) any { return a.in(at + name) }
	return fmt.Sprintln(is("riskScore"), is("riskLevel"), is("result"), is("recommendation"), is("reportCount"),
		is("confidence"), is("unicode"), is("lookalike"), is("notPredicted"))
}

// TestANameThatNobodyHasReportedIsJudged by the rules, and with a model better. The answers that are kept follow it.
func TestANameThatNobodyHasReportedIsJudged(t *testing.T) {
	s := start(t, judging)
	key := "x-api-key: " + s.key(1000)
	ask := func(name string) *answer { return s.get("/domains/check/"+name, key) }
	for name, says := range map[string]string{
		"metamask-login.io": "25 MEDIUM suspicious review 0 0 <nil> map[distance:0 evidence:map[brand:metamask " +
			"lures:[login] part:metamask] method:brand-with-lure of:metamask.io] no_model\n",
		"xn--unswap-q9a.org": "25 MEDIUM suspicious review 0 0 unıswap.org map[distance:1 evidence:map[brand:uniswap " +
			"lures:[] part:unıswap] method:homoglyph of:uniswap.org] no_model\n",
		"uniswaap.org": "25 MEDIUM suspicious review 0 0 <nil> map[distance:1 evidence:map[brand:uniswap " +
			"lures:[] part:uniswaap] method:typo of:uniswap.org] no_model\n",
		"trezzor.org": "0 CLEAN no_reports proceed 0 0 <nil> <nil> no_model\n",
		"uniswap.org": "0 CLEAN no_reports proceed 0 0 <nil> <nil> brand\n",
		"pages.dev":   "0 CLEAN no_reports review 0 0 <nil> <nil> not_registered\n",
	} {
		want(t, name, brief(ask(name), ""), says)
	}
	for range 3 { // so often that it is kept
		want(t, "without a model", ask("trezzor.org").in("prediction"), nil)
	}
	s.api.Names().Use(tocsintest.NameModel(t, "first"))
	a := ask("trezzor.org")
	want(t, "with a model", []any{a.in("riskScore"), a.text("result"), a.text("recommendation"), a.text("lookalike.of"),
		a.text("lookalike.method"), a.text("prediction.level"), a.text("prediction.modelVersion"), a.in("notPredicted"),
		a.text("factors.0.code"), a.in("factors.0.points")}, []any{25, "suspicious", "review", "trezor.io", "typo",
		"elevated", "first", nil, "prediction", 25})
	for _, name := range []string{"mihalo.com", "uniswap.org"} {
		want(t, name, []any{ask(name).text("result"), ask(name).in("lookalike")}, []any{"no_reports", nil})
	}
	s.list("one", "one", tocsin.Risk, "phishing", "trezzor.org") // an answer with evidence is kept
	for _, model := range []string{"first", "second", "second"} {
		s.api.Names().Use(tocsintest.NameModel(t, model))
		for range 4 {
			a := ask("trezzor.org")
			want(t, "listed", []any{a.in("riskScore"), a.text("result"), len(a.in("factors").([]any)),
				a.text("prediction.modelVersion")}, []any{68, "caution", 1, model})
		}
	}
}

// TestAKnownNameIsNotSuspected, nor any below it, unless it is one under which unrelated people have names.
func TestAKnownNameIsNotSuspected(t *testing.T) {
	s := start(t, judging)
	key := "x-api-key: " + s.key(1000)
	s.api.Names().Use(tocsintest.NameModel(t, "one"))
	const sure = "metamask-login.io"
	s.list("good", "good", tocsin.Safe, "project", sure, "cn.com")
	s.list("rank", "rank", tocsin.Safe, tocsin.TopSite, "metamask-wallet.app")
	for name, result := range map[string]string{
		sure: "no_reports", "claim." + sure: "no_reports", "metamask-wallet.app": "no_reports",
		"metamask-login-airdrop.cn.com": "suspicious", "metamask-login.org": "suspicious",
	} {
		a := s.get("/domains/check/"+name, key)
		want(t, name, []any{a.text("result"), a.in("lookalike") == nil}, []any{result, result == "no_reports"})
	}
	s.list("one", "one", tocsin.Risk, "phishing", "metamask-wallet.app")
	a := s.get("/domains/check/metamask-wallet.app", key)
	want(t, "known, and on one list", []any{a.in("riskScore"), a.in("notPredicted")}, []any{24, "safelisted"})
}

func TestDomainsAreScreenedTogether(t *testing.T) {
	s := start(t, judging)
	s.list("one", "one", tocsin.Risk, "phishing", "evil.example")
	key := "x-api-key: " + s.key(1000)
	domains := []string{"metamask-login.io", "no domain", "https://pay.EVIL.example/a?b", thief, "metamask-login.io"}
	batch := s.do("POST", "/domains/check", map[string]any{"domains": domains}, key)
	want(t, "batch", []any{batch.status, batch.number("count"), batch.in("results.1"), batch.in("results.3"),
		batch.number("errors.0.index"), batch.text("errors.0.subject"), batch.number("errors.1.index")},
		[]any{200, 5, nil, nil, 1, "no domain", 3})
	for i, name := range map[int]string{0: "metamask-login.io", 2: "pay.evil.example", 4: "metamask-login.io"} {
		alone := s.get("/domains/check/"+name, key)
		one := batch.in(fmt.Sprint("results.", i)).(map[string]any)
		for field, value := range alone.body {
			if field != "asOf" && field != "reports" && field != "nextCursor" {
				want(t, name+": "+field, one[field], value)
			}
		}
	}
	mixed := s.do("POST", "/subjects/check", map[string]any{"subjects": []string{thief, "metamask-login.io"}}, key)
	_, named := mixed.in("results.0").(map[string]any)["lookalike"]
	want(t, "mixed", []any{named, mixed.text("results.1.result"), mixed.text("results.1.lookalike.of")},
		[]any{false, "suspicious", "metamask.io"})
	many := make([]string, 51)
	for i := range many {
		many[i] = fmt.Sprintf("site%d.com", i)
	}
	for about, body := range map[string][]string{"51": many, "none is valid": {"no domain", thief}, "none": {}} {
		want(t, about, s.do("POST", "/domains/check", map[string]any{"domains": body}, key).status, 400)
	}
	want(t, "50", s.do("POST", "/domains/check", map[string]any{"domains": many[:50]}, key).status, 200)
}

func TestTheStatusSaysWhatNamesAreJudgedBy(t *testing.T) {
	refused := ""
	s := start(t, judging, func(c *Config) { c.Refused = func() string { return refused } })
	is := s.get("/status")
	want(t, "without a model", []any{is.number("names.brands") >= 400, is.in("names.model"), is.in("names.refused"),
		is.in("names.lastTraining")}, []any{true, nil, nil, nil})
	s.api.Names().Use(tocsintest.NameModel(t, "one"))
	refused = "damaged"
	is = s.get("/status")
	want(t, "with a model, and a damaged one", []any{is.text("names.model.version"), is.text("names.model.learntUntil"),
		is.text("names.refused")}, []any{"one", "2026-01-01T00:00:00.000000Z", "damaged"})
}

// TestAnAnswerHasTheSignalsThatAreKnown: those who are asked about a domain have not answered at the first look-up, and
// nothing false is said then. What depends on their answers is not kept.
func TestAnAnswerHasTheSignalsThatAreKnown(t *testing.T) {
	var mu sync.Mutex
	asked, known := map[string]int{}, tocsin.Signals{}
	s := start(t, judging, func(c *Config) {
		c.Signals = func(d tocsin.Domain) *tocsin.Signals {
			mu.Lock()
			defer mu.Unlock()
			asked[d.String()]++
			is := known
			return &is
		}
	})
	key := "x-api-key: " + s.key(1000)
	ask := func(name string) *answer { return s.get("/domains/check/"+name, key) }
	is := func(a *answer) []any {
		return []any{a.in("riskScore"), a.text("result"), a.in("signals"), len(a.in("factors").([]any))}
	}
	const near = "mymetamask.com" // in a way that is not sure
	none := map[string]any{"registeredAt": nil, "firstCertificateAt": nil, "resolves": nil}
	for range 3 {
		want(t, "not known yet", append(is(ask(near)), ask(near).in("lookalike")),
			[]any{0, "no_reports", none, 0, nil})
	}
	yes, at := true, tocsin.TimeOf(s.Now().Add(-3*24*time.Hour))
	mu.Lock()
	known = tocsin.Signals{RegisteredAt: &at, Resolves: &yes}
	mu.Unlock()
	says := map[string]any{"registeredAt": at.String(), "firstCertificateAt": nil, "resolves": true}
	for range 3 {
		a := ask(near)
		want(t, "known", is(a), []any{25, "suspicious", says, 1})
		want(t, "the factor, and the brand", []any{a.text("factors.0.code"), a.text("lookalike.method"),
			a.text("lookalike.of")}, []any{"registered", "brand-in-name", "metamask.io"})
	}
	mixed := s.do("POST", "/subjects/check", map[string]any{"subjects": []string{near, thief, "mihalo.com"}}, key)
	want(t, "among others", []any{mixed.text("results.0.result"), mixed.in("results.0.signals.resolves"),
		mixed.in("results.2.signals")}, []any{"suspicious", true, nil})
	batch := s.do("POST", "/domains/check", map[string]any{"domains": []string{near, "metamask-login.io"}}, key)
	want(t, "together", []any{batch.text("results.0.factors.0.code"), batch.text("results.1.factors.0.code"),
		batch.text("results.1.factors.1.code"), batch.in("results.1.riskScore")}, []any{"registered", "lookalike",
		"registered", 25})
	s.list("one", "one", tocsin.Risk, "phishing", "mymetamask.org")
	s.list("good", "good", tocsin.Safe, "project", "mymetamask.net")
	s.list("ofac", "ofac", tocsin.Sanction, "", "mymetamask.info")
	for _, name := range []string{"mihalo.com", "uniswap.org", "mymetamask.org", "mymetamask.net",
		"mymetamask.info", "mymetamask.pages.dev"} {
		want(t, name, ask(name).in("signals"), nil)
	}
	s.Sleep(27*24*time.Hour - time.Hour)
	want(t, "on its last day", is(ask(near)), []any{25, "suspicious", says, 1})
	s.Sleep(2 * time.Hour)
	want(t, "no longer new", append(is(ask(near)), ask(near).in("lookalike")), []any{0, "no_reports", says, 0, nil})
	mu.Lock()
	defer mu.Unlock()
	want(t, "nobody else was asked about", len(asked), 2)
}
