package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/evm"
	"tocsin/internal/feed"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// TestEachPageIsTheSameWordByWord compares what pages say, and where they lead, with testdata/pages.txt. Pages that are
// made of the same texts as these have tests of their own.
func TestEachPageIsTheSameWordByWord(t *testing.T) {
	word := func(address string) string { return strings.Repeat("0", 24) + strings.ToLower(address[2:]) }
	_, node := newChainNode(t, 1, map[string]string{
		hashOf(1): `{"to": "` + thief + `", "input": "0x", "blockNumber": "0x1"}`,
		hashOf(2): `{"to": "` + other + `", "input": "0xa9059cbb` + word(nobody) + word(other) + `", "blockNumber": null}`,
		aHash:     `{"to": "` + nobody + `", "input": "0x12345678", "blockNumber": "0x2"}`,
	})
	s := start(t, func(c *setup) { c.nodes = []*evm.Node{node} })
	ids := s.town()
	tr := newTranscript()
	v := s.visitor()
	get := func(path string, headers ...string) *response {
		t.Helper()
		p := v.get(path, headers...)
		about, err := url.QueryUnescape(path)
		tocsintest.Must(t, err)
		tr.add(strings.Join(append([]string{tocsin.Shorten(about, 120)}, headers...), ", "), p, path == "/?")
		return p
	}
	const german = "Accept-Language: de"
	for _, path := range []string{
		"/?", "/reports", "/reports?crimeType=phishing", "/reports?crimeType=hack", "/reports?source=community",
		"/reports?source=partner&crimeType=phishing", "/reports?q=approval", "/reports?q=approval&crimeType=phishing",
		"/reports?q=%40lena_trades&asked=1&handle=telegram:lena_trades", "/reports?q=nothing+like+this&asked=1",
		"/reports?q=nothing+like+this", "/reports?q=0770+900123", "/reports?q=ab*", "/reports?q=%26",
		"/reports?q=recover+my+lost+crypto", "/reports?q=i+was+scammed+help", "/reports?q=evil.example",
		"/reports?asked=1&q=" + strings.Repeat("x", 61),
		"/reports?crimeType=nonsense", "/reports?source=nonsense", "/reports?cursor=nonsense", "/reports/rep_nowhere",
	} {
		get(path)
	}
	for _, id := range ids {
		get("/reports/" + id)
	}
	for _, subject := range []string{
		"everything.example", "evil.example", "pay.evil.example", thief, nobody, other, "fine.example",
		"gone.example",
		"github.io",
		"unknown.example", "metamask-login.io", "buy.stripe.com", "TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj",
		"solana:7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU", "xrpl:rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH",
		"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "vitalik.eth", hashOf(1), hashOf(2), aHash, hashOf(3),
	} {
		if p := get("/screen/" + url.PathEscape(subject)); p.status == http.StatusSeeOther {
			get(p.header.Get("Location"))
		}
	}
	get("/screen/" + nobody + "?on=eip155:8453&beside=1")
	get("/reports/" + ids[0])
	get("/reports/"+ids[1], german) // with the levels of what was looked up
	const usdc = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
	for _, typed := range []string{
		"evil.example fine.example " + nobody + " @lena_trades", "unknown.example " + other + " and telegram: nobody_88",
		"ethereum:" + usdc + "@8453/transfer?address=" + nobody + "&uint256=1500000",
		"ethereum:" + usdc + "@1/transfer?address=" + other + "&uint256=2e9", "ethereum:" + other + "@8453?value=1e18",
		"ethereum:" + other + "?value=15e17",
		"ethereum:" + other + "/transfer?address=" + nobody + "&uint256=7",
		"bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0.25",
		"ethereum:" + usdc + "@8453/approve?address=" + nobody + "&uint256=3e6", "https://uniswap.org@evil.example/claim",
		"https://t.co/redirect?url=https://evil.example/x", "help@evil.example", "https://github.io/x " + thief,
		nobody + " " + nobody[:6] + "1111111111111111111111111111111111" + nobody[40:], "vitalik.eth unknown.example",
		"nobody.eth 192.0.2.1 0x12 unknown.example", "https://buy.stripe.com/4gw5nP", "192.0.2.1", "0x12", nobody[:41],
		nobody + "0", strings.Replace(nobody, "aAeb", "aaeb", 1), aPhrase, strings.Repeat("5J", 32), "https//evil.example",
		"evil,example", "t.me/+abcdefghijkl", "someone.t.me", "wc:a@2?relay-protocol=irn&symKey=1", "lena.sol", "lena.crypto",
		"GB33BUKB20201555555555", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u", "TR7NHqjeKQxGTCi8q8ZY4", "0x5aAe…eAed",
		"@lena_trades", "@one_11 @two_22 @three_33 @four_44 @five_55 @six_66", "lena gold",
		"+44 7700 900123", "rep_aaaaaaaaaaaaaaaa", strings.Repeat("word ", 210),
		"5VfYsZ5YQxx2LEQBg1Sk2rXpnPFvGyq6m5vKzYyKhTn8nT1mF2z3k4j5h6g7f8d9s1a2p3o4i5u6y7t8r9e1w2qA",
		"evil.example " + hashOf(9), strings.Repeat("a.example b.example c.example d.example e.example f.example ", 2),
	} {
		get(asking(typed))
	}
	for _, path := range []string{"/reports?q=approval", "/screen/evil.example", asking("evil.example @lena_trades")} {
		get(path, german)
	}
	for _, path := range []string{
		"/nowhere", "/leaderboard", "/compare", "/account", "/account?next=/screen/evil.example",
	} {
		get(path)
	}
	for _, path := range []string{"/manifest.webmanifest", "/opensearch.xml"} {
		w := s.card(path)
		tr.text(fmt.Sprintf("=== %s: %d, %s, %s\n%s\n", path, w.Code, w.Header().Get("Content-Type"),
			w.Header().Get("Cache-Control"), w.Body))
	}
	post := func(path string, form fields) *response {
		t.Helper()
		p := v.post(path, form)
		tr.add(fmt.Sprint("POST ", path, " ", form), p, false)
		return p
	}
	post("/reports/"+ids[0]+"/withdraw", fields{"token": "man_wrong"})
	post("/compare", fields{"address": nobody, "known": other})
	for _, address := range []string{"0x12", strings.Replace(nobody, "aAeb", "aaeb", 1), aPhrase, nobody} {
		post("/account", fields{"address": address})
	}
	for _, key := range []string{"", "toc_wrong", aPhrase, "toc_" + strings.Repeat("a", 38)} {
		post("/account/key", fields{keyField: key})
	}
	account := tocsintest.NewAccount(t)
	message := v.message(account)
	for _, signature := range []string{"", "12", "0x12", account.Sign("x")} {
		p := v.post("/account/sign-in", fields{"message": message, "signature": signature, "by": "hand", "next": "/bulk"})
		tr.add(fmt.Sprintf("a wrong signature of %d characters", len(signature)), p, false)
	}
	text := strings.ReplaceAll(tr.String(), account.Address.String(), "0xaccount")
	tocsintest.Golden(t, "testdata/pages.txt", text)
}

// TestWhatAnOwnerReadsIsTheSameWordByWord, on the page, in the case file and in its JSON, as testdata/owners.txt has
// it.
func TestWhatAnOwnerReadsIsTheSameWordByWord(t *testing.T) {
	s := start(t)
	ids := s.town()
	tr := newTranscript()
	v := s.visitor()
	for _, subject := range []string{
		"evil.example", "x.pay.evil.example", thief, nobody, other, "started.example", "gone.example",
		"kept.example",
		"held.example", "fine.example",
		"metamask-login.io", "github.io", ids[0], "0x12", "a@evil.example", "@lena_trades", "rep_aaaaaaaaaaaaaaaa", "",
	} {
		for _, path := range []string{"/object", "/object/case", "/object.json"} {
			if p := v.get(path + "?" + url.Values{"subject": {subject}}.Encode()); path == "/object" || p.status == 200 {
				tr.add(path+" "+subject, p, false)
			}
		}
	}
	for _, list := range feed.Sources() {
		tr.text(fmt.Sprintf("=== %s\n%s\n%s\n", list.Name, howToObject(list.Name), list.Objections()))
	}
	tocsintest.Golden(t, "testdata/owners.txt", tr.String())
}

// town fills a service with a little of everything, each with a value of its own, and returns the ids of the reports.
func (s *service) town() (ids []string) {
	t := s.t
	since, dated := tocsin.MicroTime(1_700_000_000e6), tocsin.MicroTime(1_770_000_000e6)
	lists := func(name, family string, of *tocsin.Time, entries ...tocsin.Entry) {
		im, err := s.db.Import(t.Context(), tocsin.List{Name: name, Family: family, URL: "https://lists.example/" + name})
		tocsintest.Must(t, err)
		im.Version(tocsin.ListVersion{Date: of})
		for _, e := range entries {
			tocsintest.Must(t, im.Add(e))
		}
		_, err = im.Finish(t.Context(), true, nil)
		tocsintest.Must(t, err)
	}
	entry := func(kind tocsin.ListingKind, category, name, subject string, since *tocsin.Time) tocsin.Entry {
		of, fault := tocsin.ParseSubject(subject)
		if fault != nil {
			t.Fatal(fault)
		}
		return tocsin.Entry{Listing: &tocsin.Listing{Kind: kind, Category: category, Subject: of, Name: name,
			URL: "https://lists.example/of/" + subject, Since: since}}
	}
	told, fault := tocsin.Draft{CrimeType: tocsin.Hack, Title: "By a partner", Description: "It took all.",
		ReportedDomains: []string{"evil.example"}}.Parse(now)
	tocsintest.Must(t, fault)
	lists("scamsniffer", "scamsniffer", &dated, entry(tocsin.Risk, "phishing", "Evil Drainer", "evil.example", &since),
		entry(tocsin.Risk, "scam", "", "pay.evil.example", nil), entry(tocsin.Risk, "scam", "Bad Wallet", nobody, nil))
	sanction := entry(tocsin.Sanction, "ETH", "Lazarus Group", thief, &since)
	sanction.Listing.Program = "DPRK3"
	lists("ofac", "ofac", &since, sanction)
	lists("polkadot", "polkadot", nil, entry(tocsin.Risk, "phishing", "", "gone.example", nil),
		entry(tocsin.Risk, "phishing", "", "kept.example", nil))
	lists("partner", "partner", nil, tocsin.Entry{Report: &told, Key: "1"})
	lists("starter", "starter", nil, entry(tocsin.Risk, "hack", "A Thief", "started.example", nil))
	lists("sites", "sites", nil, entry(tocsin.Safe, "exchange", "Fine Exchange", "fine.example", nil))
	s.Sleep(26 * time.Hour)
	lists("polkadot", "polkadot", nil, entry(tocsin.Risk, "phishing", "", "kept.example", nil))
	for _, copied := range []string{"eth-phishing-detect", "phantom"} {
		lists(copied, "ethereum-community", nil, entry(tocsin.Risk, "phishing", "", "kept.example", nil),
			entry(tocsin.Risk, "phishing", "", "held.example", &since), entry(tocsin.Risk, "scam", "", "held.example", nil))
	}
	lists("safelist", "safelist", nil, entry(tocsin.Safe, "shop", "Held Shop", "held.example", nil))
	key := "x-api-key: " + s.key(tocsintest.NewAccount(t).Address, "night watch", nil)
	s.key(tocsintest.NewAccount(t).Address, "Ada", nil)
	whole := everything()
	whole["description"] = "They showed me a page about USDT.\n\nI gave my approval & lost all."
	ids = append(ids, s.file(whole, key).ID)
	s.Sleep(61 * time.Minute)
	ids = append(ids, s.file(draft{"reportedDomains": []string{"evil.example"}, "scammerAddresses": []string{other},
		"title": "Another approval, a < b", "reportedHandles": []string{"telegram:lena_trades", "email:a@evil.example"}}).ID)
	s.Sleep(25 * time.Hour)
	ids = append(ids, s.file(draft{"crimeType": "ransomware", "title": "They locked my disk", "amountLost": 0,
		"reportedHandles": []string{"name:Lena Gold"}, "incidentDate": "2026-03-05"}).ID)
	ids = append(ids, s.file(draft{"crimeType": "address_poison", "title": "Copied from my history", "currency": "EUR",
		"description": "It was USDC.\n\nAmount lost: 5.000 Euro", "scammerAddresses": []string{nobody}}).ID)
	gone := s.file(draft{"title": "Taken back", "reportedDomains": []string{"back.example"}})
	s.call(http.MethodDelete, "/community-reports/"+gone.ID, nil, "x-manage-token: "+gone.ManageToken)
	hidden := s.file(draft{"title": "Hidden", "reportedDomains": []string{"hidden.example"}})
	tocsintest.Must(t, s.db.Hide(t.Context(), store.Operator{}, hidden.ID))
	s.Sleep(time.Minute)
	return append(ids, gone.ID, hidden.ID)
}
