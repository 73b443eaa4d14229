package api

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
)

const (
	tronUSDT  = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	tronID    = "tron:728126428:" + tronUSDT
	firstCoin = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
	firstID   = "bip122:000000000019d6689c085ae165831e93:" + firstCoin
	ofTON     = "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA"
	rawTON    = "tvm:-239:0%3Aca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e"
)

func TestAnAccountOfAnyChainIsReportedAndScreened(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100)
	filed := s.file(filing("scammerAddresses", nil, "reportedDomains", nil,
		"scammerAccounts", []string{tronUSDT, "bitcoin:" + firstCoin, ofTON, "eip155:1:" + strings.ToLower(thief)}))
	want(t, "filed",
		[]any{filed.status, filed.in("scammerAddresses"), filed.in("scammerAccounts"), filed.in("reportedHandles")},
		[]any{201, []any{thief}, []any{tronID, firstID, rawTON}, []any{}})
	for _, x := range []struct{ path, id, kind, chain, address string }{
		{tronUSDT, tronID, "tron", "tron:728126428", tronUSDT},
		{"tron:" + tronUSDT, tronID, "tron", "tron:728126428", tronUSDT},
		{url.PathEscape(rawTON), rawTON, "ton", "tvm:-239", ofTON},
		{ofTON, rawTON, "ton", "tvm:-239", ofTON},
		{thief, thief, "evm", "", thief},
	} {
		a := s.get("/accounts/"+x.path, key)
		var chain any
		if x.chain != "" {
			chain = x.chain
		}
		want(t, x.path, []any{a.status, a.in("account"), a.in("kind"), a.in("chain"), a.in("address"),
			a.in("reportCount"), a.in("result")}, []any{200, x.id, x.kind, chain, x.address, 1.0, "caution"})
		want(t, x.path+": its report", a.in("reports").([]any)[0].(map[string]any)["id"], filed.in("id"))
	}
	unknown := s.get("/accounts/solana:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", key)
	want(t, "unknown", []any{unknown.status, unknown.in("kind"), unknown.in("result"), unknown.in("reports")},
		[]any{200, "solana", "no_reports", []any{}})

	related := s.get("/subjects/"+tronUSDT+"/related?limit=2", key)
	want(t, "related", []any{related.status, related.in("subject"), related.in("count"), related.in("related")},
		[]any{200, tronID, 2.0, []any{
			map[string]any{"subject": firstID, "kind": "bitcoin", "reportCount": 1.0},
			map[string]any{"subject": thief, "kind": "evm", "reportCount": 1.0},
		}})

	three := map[string]any{"subjects": []string{tronUSDT, "never-seen.example.com", thief}}
	batch := s.do("POST", "/subjects/check", three, key)
	var found []any
	for _, one := range batch.in("results").([]any) {
		r := one.(map[string]any)
		found = append(found, r["subject"], r["kind"], r["result"])
	}
	want(t, "batch", []any{batch.status, batch.in("count"), found}, []any{200, 3.0, []any{
		tronID, "tron", "caution", "never-seen.example.com", "domain", "no_reports", thief, "evm", "caution",
	}})
}

func TestAMistypedAccountIsRefusedForNothing(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100)
	mistyped := tronUSDT[:33] + "u"
	for path, reason := range map[string]string{
		"/accounts/" + mistyped:                                  "does not hold",
		"/accounts/EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v": "no checksum",
		"/accounts/evil.example.com":                             "is a domain",
		"/accounts/foobar":                                       "send an address as a wallet shows it",
		"/screen/" + tronUSDT:                                    "address of Tron",
		"/subjects/" + mistyped + "/related":                     "does not hold",
	} {
		a := s.get(path, key)
		want(t, path, []any{a.status, strings.Contains(fmt.Sprint(a.body["errors"]), reason)}, []any{400, true})
	}
	batch := s.do("POST", "/subjects/check", map[string]any{"subjects": []string{mistyped, "telegram:lena", ""}}, key)
	want(t, "batch", []any{batch.status, strings.Contains(fmt.Sprint(batch.body["errors"]), "subjects[0]"),
		strings.Contains(fmt.Sprint(batch.body["errors"]), "subjects[2]")}, []any{400, true, true})
	filed := s.file(filing("scammerAddresses", []string{tronUSDT}, "reportedDomains", nil))
	want(t, "in the wrong field",
		[]any{filed.status, strings.Contains(fmt.Sprint(filed.body["errors"]), "scammerAccounts")},
		[]any{400, true})
	want(t, "free calls", s.get("/me", key).in("freeCalls").(map[string]any)["used"], 0.0)
}

// TestASanctionedAccountOfSolanaIsFoundWithoutItsPrefix: an address that nothing is known of needs the prefix.
func TestASanctionedAccountOfSolanaIsFoundWithoutItsPrefix(t *testing.T) {
	const hit, other = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
	id := tocsin.Subject{Kind: tocsin.Solana}.Chain() + ":" + hit
	s := start(t)
	s.list(tocsin.SanctionsList, "ofac", tocsin.Sanction, "", "solana:"+hit)
	key := "x-api-key: " + s.key(100)
	a := s.get("/accounts/"+hit, key)
	want(t, "an account", []any{a.status, a.text("account"), a.text("recommendation")}, []any{200, id, "block"})
	a = s.get("/subjects/"+hit+"/related", key)
	want(t, "related", []any{a.status, a.text("subject")}, []any{200, id})
	a = s.do("POST", "/subjects/check", map[string]any{"subjects": []string{other, hit, " " + hit, "evil.example"}}, key)
	want(t, "a batch", []any{a.status, a.in("results.0"), a.text("results.1.subject"), a.text("results.1.recommendation"),
		a.text("results.2.subject"), a.text("results.3.subject"), a.count("errors"), a.number("errors.0.index"),
		a.text("errors.0.fix")},
		[]any{200, nil, id, "block", id, "evil.example", 1, 0, "if it is one, send solana:" + other})
	used := s.get("/me", key).number("freeCalls.used")
	for _, path := range []string{"/accounts/" + other, "/subjects/" + other + "/related"} {
		want(t, path, s.get(path, key).status, 400)
	}
	a = s.do("POST", "/subjects/check", map[string]any{"subjects": []string{other, "telegram:lena"}}, key)
	want(t, "a batch of none", a.status, 400)
	want(t, "free calls", []int{used, s.get("/me", key).number("freeCalls.used")}, []int{3, 3})
}

// TestThatNothingIsOnRecordOfAnAccountIsNotFoundOutForNothing: a network that has asked in vain 200 times within an
// hour is refused what is on record as well, and screens it with its prefix.
func TestThatNothingIsOnRecordOfAnAccountIsNotFoundOutForNothing(t *testing.T) {
	const hit, other = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
	s := start(t)
	s.list(tocsin.SanctionsList, "ofac", tocsin.Sanction, "", "solana:"+hit)
	key := "x-api-key: " + s.key(100)
	inVain := map[string]any{"subjects": slices.Repeat([]string{other}, 49)}
	for range 4 { // 196
		want(t, "a batch of none", s.do("POST", "/subjects/check", inVain, key).status, 400)
	}
	charged := map[string]any{"subjects": append(slices.Repeat([]string{other}, 49), "evil.example")}
	want(t, "a batch that is charged", s.do("POST", "/subjects/check", charged, key).status, 200)
	for range 4 {
		want(t, "after 196 to 199", s.get("/accounts/"+hit, key).status, 200)
		want(t, "in vain", s.get("/accounts/"+other, key).status, 400)
	}
	a := s.get("/accounts/"+hit, key)
	want(t, "after 200", []any{a.status, a.text("errors.0.fix")}, []any{400, "if it is one, send solana:" + hit})
	want(t, "with its prefix", s.get("/accounts/solana:"+hit, key).text("recommendation"), "block")
	s.Clock.Sleep(time.Hour)
	want(t, "an hour later", s.get("/accounts/"+hit, key).status, 200)
}

// TestALinkToABlockExplorerIsTheAccountOfItsPage, and not the site, of which nothing bad is known.
func TestALinkToABlockExplorerIsTheAccountOfItsPage(t *testing.T) {
	s := start(t)
	s.list(tocsin.SanctionsList, "ofac", tocsin.Sanction, "", thief)
	key := "x-api-key: " + s.key(100)
	links := []string{"https://etherscan.io/address/" + thief, "https://etherscan.io/blocks", "https://buy.stripe.com/abc",
		"https://etherscan.io", "https://evil.example/address/" + thief}
	a := s.do("POST", "/subjects/check", map[string]any{"subjects": links}, key)
	want(t, "a batch", []any{a.status, a.text("results.0.subject"), a.text("results.0.recommendation"),
		a.text("results.1.subject"), a.in("results.2"), a.text("results.3.subject"), a.text("results.4.subject")},
		[]any{200, thief, "block", "etherscan.io", nil, "etherscan.io", "evil.example"})
	a = s.get("/subjects/"+url.PathEscape(links[0])+"/related", key)
	want(t, "related", []any{a.status, a.text("subject")}, []any{200, thief})
}

func TestABatchAnswersTheOthersIfASubjectIsInvalid(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100)
	s.file(filing())
	const wif = "L1aW4aubDFB7yfras2S1mN3bqg9nwySY8nkoLmJebSLD5BWv3ENZ"
	phrase := strings.Repeat("legal winner thank year wave sausage ", 2) + "yellow"
	asked := []string{"telegram:lena", thief, "bitcoin:" + wif, phrase, strings.Repeat("<x>", 1000), "evil.example", ""}
	a := s.do("POST", "/subjects/check", map[string]any{"subjects": asked}, key)
	want(t, "positions", []any{a.status, a.number("count"), a.count("results"), a.text("results.1.subject"),
		a.text("results.5.subject"), a.in("results.0"), a.in("results.6")},
		[]any{200, 7, 7, thief, "evil.example", nil, nil})
	var errors []any
	for i := range a.count("errors") {
		at := fmt.Sprintf("errors.%d.", i)
		errors = append(errors, a.number(at+"index"), a.text(at+"subject"))
		if a.text(at+"reason") == "" || a.text(at+"fix") == "" {
			t.Errorf("%s", a.raw)
		}
	}
	want(t, "errors", errors, []any{0, "telegram:lena", 2, "…", 3, "…", 4, strings.Repeat("<x>", 21) + "…", 6, ""})
	want(t, "a handle", a.text("errors.0.reason"), `"telegram:lena" is a handle, and handles are not screened`)
	want(t, "a secret", []any{strings.Contains(string(a.raw), wif[5:]), strings.Contains(string(a.raw), "winner")},
		[]any{false, false})
	want(t, "free calls", s.get("/me", key).in("freeCalls").(map[string]any)["used"], 1.0)
}

func TestAHandleAloneIsAReportThatIsFoundAndNeverScored(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100)
	handles := []string{"@Lena_Trades88", "https://t.me/Lena_Trades88", "telegram:@Lena_Trades88",
		"whatsapp:+44 20 7946-0958", "Lena@Example.COM", "name:Lena Fischer"}
	refused := s.file(filing("scammerAddresses", nil, "reportedDomains", nil, "reportedHandles", handles[:1]))
	want(t, "no service", []any{refused.status, strings.Contains(fmt.Sprint(refused.body["errors"]), "telegram:")},
		[]any{400, true})
	filed := s.file(filing("scammerAddresses", nil, "reportedDomains", nil, "reportedHandles", handles[1:]))
	want(t, "filed", []any{filed.status, filed.in("reportedHandles")}, []any{201,
		[]any{"telegram:lena_trades88", "whatsapp:+442079460958", "email:Lena@example.com", "name:Lena Fischer"}})
	for _, q := range []string{"lena_trades88", "@lena_trades88", "442079460958", "fischer"} {
		a := s.get("/community-reports/search?q="+url.QueryEscape(q), key)
		want(t, q, []any{a.status, a.in("count")}, []any{200, 1.0})
	}
	brief := s.get("/community-reports/" + filed.text("id") + "?view=compact")
	_, shown := brief.body["reportedHandles"]
	want(t, "in the compact view", shown, false)
	social := map[string]any{"telegram": "lena_trades88"}
	alone := s.file(filing("scammerAddresses", nil, "reportedDomains", nil, "socialMedia", social))
	want(t, "socialMedia alone", alone.status, 400)
	want(t, "kinds of subject", tocsin.Handle{Service: "x", Name: "lena"}.String(), "x:lena")
}

// TestWhatAnotherOperationTakesIsLedThere: the fix names the call that can be sent.
func TestWhatAnotherOperationTakesIsLedThere(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100)
	for path, fix := range map[string]string{
		"/screen/https%3A%2F%2Fevil.example%2Fa": "screen it with GET /domains/check/evil.example",
		"/screen/" + firstCoin:                   "screen it with GET /accounts/" + firstID,
		"/domains/check/" + thief:                "screen it with GET /screen/" + thief,
		"/accounts/evil.example":                 "screen it with GET /domains/check/evil.example",
		"/screen/0x12":                           "send 0x and 40 hexadecimal digits",
		// payment requests, and links that open a wallet: it is who would get the money that is to be screened
		"/screen/ethereum:" + thief + "@1?value=1":                  "screen it with GET /screen/" + thief,
		"/screen/" + url.PathEscape("ethereum:"+thief+"@1?value=1"): "screen it with GET /screen/" + thief,
		"/accounts/bitcoin:" + firstCoin + "?amount=1":              "screen it with GET /accounts/" + firstID,
		"/screen/" + url.PathEscape("ethereum:"+usdc+"/transfer?address="+thief): "send " + thief +
			", and the contract by itself",
		"/screen/" + url.PathEscape("https://metamask.app.link/send/"+thief): "screen it with GET /screen/" + thief,
		"/domains/check/" + url.PathEscape("https://link.trustwallet.com/send?asset=c60&address="+thief): "screen it " +
			"with GET /screen/" + thief,
		"/domains/check/" + url.PathEscape("https://buy.stripe.com/abc"): "send what the page names: the address to pay to",
	} {
		a := s.get(path, key)
		want(t, path, []any{a.status, a.text("errors.0.fix")}, []any{400, fix})
	}
	a := s.get("/accounts/"+url.PathEscape(firstID), key)
	want(t, "the call that is named", a.status, 200)
	for query, fault := range map[string]string{"view=brief": "view", "limt=5": "limt", "limit=500": "limit"} {
		a := s.get("/accounts/"+firstID+"?"+query, key)
		want(t, query, []any{a.status, a.text("errors.0.field")}, []any{400, fault})
	}
	for link, site := range map[string]string{
		"https://phantom.app/ul/browse/https%3A%2F%2Fevil.example%2Fclaim": "evil.example",
		"https://bank.example@evil.example/":                               "evil.example",
	} {
		a := s.get("/domains/check/"+url.PathEscape(link), key)
		want(t, link, []any{a.status, a.text("domain")}, []any{200, site})
	}
}

// TestLettersInTheWrongCaseHideNoSanction: the text stays an error with its fix, and the error names the account. What
// is not sanctioned is named as long as the network has not asked in vain too often.
func TestLettersInTheWrongCaseHideNoSanction(t *testing.T) {
	const hit, listed = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin", "TJ9ghEP177X5NVcHfkiu5nEqV14Nfyyx6n"
	s := start(t)
	s.list(tocsin.SanctionsList, "ofac", tocsin.Sanction, "", "solana:"+hit, payTo)
	s.list("one", "one", tocsin.Risk, "phishing", listed)
	id, key := tocsin.Subject{Kind: tocsin.Solana}.Chain()+":"+hit, "x-api-key: "+s.key(100)
	wrong := "0x" + strings.ToUpper(payTo[2:20]) + strings.ToLower(payTo[20:])
	asked := []string{wrong, "solana:" + strings.ToLower(hit), strings.ToUpper(hit), strings.ToLower(listed),
		"evil.example", strings.ToUpper(payTo[2:])}
	a := s.do("POST", "/subjects/check", map[string]any{"subjects": asked}, key)
	var told []string
	for i := range a.count("errors") {
		at := fmt.Sprintf("errors.%d.", i)
		told = append(told, fmt.Sprint(a.in(at+"meant"), a.in(at+"sanctioned"), a.in(at+"meantResult"), " ",
			strings.Contains(a.text(at+"reason"), "it is sanctioned (ofac)"), strings.HasPrefix(a.text(at+"fix"), "c")))
	}
	want(t, "a batch", []any{a.status, a.text("results.4.subject"), strings.Join(told, "\n")}, []any{200, "evil.example",
		strings.Join([]string{payTo + "true" + "caution true true", id + "true" + "caution true true",
			id + "truecaution true true", "tron:728126428:" + listed + "falsecaution false true",
			payTo + "true" + "caution true false"}, "\n")})
	used := s.get("/me", key).number("freeCalls.used")
	refused := func(about string, a *answer, says bool) {
		t.Helper()
		want(t, about, []any{a.status, strings.Contains(fmt.Sprint(a.body["errors"]), "it is sanctioned (ofac)")},
			[]any{400, says})
	}
	for range 4 { // and what was asked in vain since
		s.do("POST", "/subjects/check", map[string]any{"subjects": slices.Repeat(asked[1:2], 49)}, key)
	}
	for range 10 {
		refused("one", s.get("/accounts/"+asked[1], key), true)
	}
	refused("an address", s.get("/screen/"+wrong, key), true)
	refused("addresses", s.do("POST", "/check", map[string]any{"addresses": []string{wrong}}, key), true)
	a = s.get("/accounts/"+strings.ToLower(listed), key)
	want(t, "what is not sanctioned", []any{a.status, strings.Contains(fmt.Sprint(a.body["errors"]), "on record")},
		[]any{400, false})
	want(t, "free calls", s.get("/me", key).number("freeCalls.used"), used)
}

// TestAPaymentRequestInAKnownTokenIsAnsweredForWhoGetsTheMoney, and no request to call a contract for the contract.
func TestAPaymentRequestInAKnownTokenIsAnsweredForWhoGetsTheMoney(t *testing.T) {
	const payee, token = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
	const to = "/transfer?address=" + payee + "&uint256=1"
	s := start(t)
	s.list(tocsin.SanctionsList, "ofac", tocsin.Sanction, "", payee)
	s.list("tokens", "tokens", tocsin.Safe, tocsin.TokenContract, token)
	key := "x-api-key: " + s.key(100)
	a := s.do("POST", "/subjects/check", map[string]any{"subjects": []string{
		"ethereum:" + token + "@1" + to,
		"https://metamask.app.link/send/" + token + "@1" + to,
		"ethereum:" + payee + "@1/transfer?address=" + token,
		"ethereum:" + token + "@1/approve?address=" + payee,
		"ethereum:" + strings.ToUpper(token[2:]) + "@1" + to,
		"ethereum:" + token + "@1/transfer?address=" + strings.Replace(payee, "B8A", "b8A", 1),
	}}, key)
	for i := range 2 {
		at := fmt.Sprintf("results.%d.", i)
		want(t, at, []any{a.text(at + "subject"), a.text(at + "recommendation")}, []any{payee, "block"})
	}
	var errors []string
	for i := range a.count("errors") {
		at := fmt.Sprintf("errors.%d.", i)
		errors = append(errors, fmt.Sprint(a.in(at+"index"), " ", a.in(at+"meant"), a.in(at+"sanctioned")))
	}
	want(t, "errors", errors, []string{"2 <nil> <nil>", "3 <nil> <nil>", "4 <nil> <nil>", "5 " + payee + "true"})
	reason, fix := a.text("errors.0.reason"), a.text("errors.0.fix")
	want(t, "the unknown token", reason+"; "+fix, "this payment request calls the contract "+payee+", which would pay "+
		token+"; send "+token+", and the contract by itself")
}

// TestABatchNamesNoMoreThanItsNetworkHasLeft of what is on record, though it asks for all at once.
func TestABatchNamesNoMoreThanItsNetworkHasLeft(t *testing.T) {
	const listed = "TJ9ghEP177X5NVcHfkiu5nEqV14Nfyyx6n"
	s := start(t)
	s.list("one", "one", tocsin.Risk, "phishing", listed)
	lower, texts := strings.ToLower(listed), []string(nil)
	for i := range 33 {
		texts = append(texts, lower[:i]+strings.ToUpper(lower[i:i+1])+lower[i+1:])
	}
	slices.Sort(texts)
	texts = slices.Compact(texts) // a digit has no capital
	asked, whole := map[string]any{"subjects": texts}, 200/len(texts)
	var told []int
	for range whole + 2 {
		a := s.do("POST", "/subjects/check", asked, "x-api-key: "+s.key(100))
		told = append(told, strings.Count(string(a.raw), "on record with a warning"))
	}
	want(t, "named", told, append(slices.Repeat([]int{len(texts)}, whole), 200-whole*len(texts), 0))
}

// TestAReportMakesNoOtherAccountUnscreenable: two accounts of Solana that differ in one capital letter are both valid.
func TestAReportMakesNoOtherAccountUnscreenable(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(100)
	const honest = "solana:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
	alike := strings.Replace(honest, "EPj", "EPJ", 1)
	s.file(filing("scammerAccounts", []string{alike}))
	a := s.get("/accounts/"+honest, key)
	want(t, "one", []any{a.status, a.text("result")}, []any{200, "no_reports"})
	a = s.do("POST", "/subjects/check", map[string]any{"subjects": []string{honest, alike}}, key)
	want(t, "a batch", []any{a.status, a.text("results.0.result"), a.text("results.1.result"), a.count("errors")},
		[]any{200, "no_reports", "caution", 0})
}
