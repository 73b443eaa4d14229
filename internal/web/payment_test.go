package web

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/tocsintest"
)

const (
	usdcOnBase = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
	usdc       = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48" // on Ethereum
	payee      = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
)

// asking is the path of the answer for what was typed.
func asking(text string) string { return "/screen?q=" + url.QueryEscape(text) }

// inOrder fails unless the source of a page has the texts one after the other.
func inOrder(t *testing.T, p *response, texts ...string) {
	t.Helper()
	at := 0
	for _, text := range texts {
		i := strings.Index(p.html[at:], text)
		if i < 0 {
			t.Fatalf("%s: %q is not there, or not behind the one before it", p.about, text)
		}
		at += i
	}
}

// lacks fails if the source of a page has one of the texts.
func lacks(t *testing.T, p *response, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(p.html, text) {
			t.Errorf("%s has %q", p.about, text)
		}
	}
}

func TestWhoGetsTheMoneyComesBeforeTheToken(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	ask := "ethereum:" + usdcOnBase + "@8453/transfer?uint256=2e9&address="
	for to, says := range map[string]string{
		"shop.eth":       "An ENS name stands for an address",
		"0x7A9F3CD060ab": "This has 12 digits after 0x; an address has 40.",
		"":               "The request has no address there.",
	} {
		p := v.get(asking(ask + to))
		title := "This asks you to pay. We cannot tell whom."
		if strings.HasPrefix(to, "0x") {
			title = wrongAddress
		}
		p.says(title, says, "It asks for 2,000 USDC.", "The link is for Base.",
			"Ask for it again, in another way.")
		inOrder(t, p, "Who would get the money could not be checked.", "What is known about the token")
		lacks(t, p, "Nobody warns of it", "Several answers", ">Known<")
	}
	p := v.get(asking(ask + payee))
	p.says("This asks you to pay", "The money would go to "+payee+".")
	inOrder(t, p, `href="/screen/`+payee, "What is known about the token", "Before you send anything")
	lacks(t, p, "Nobody warns of it")
	s.list("scams", "scams", tocsin.Risk, "phishing", nobody)
	fake := v.get(asking("ethereum:" + nobody + "/transfer?uint256=2e9&address=" + payee))
	inOrder(t, fake, "Send nothing", `href="/screen/`+nobody, `href="/screen/`+payee)
}

// TestALinkThatPaysAMistakeSaysStop: to the contract of a token, to an address without a key, to a mistyped one.
func TestALinkThatPaysAMistakeSaysStop(t *testing.T) {
	const stop = "Stop: the money would go to the contract of a token."
	s := start(t)
	s.starter()
	v := s.visitor()
	for link, says := range map[string]string{
		"ethereum:" + usdc + "?value=1e18":                              stop,
		"ethereum:" + usdc + "/transfer?address=" + usdc + "&uint256=9": stop,
		"ethereum:0x000000000000000000000000000000000000dEaD?value=1e18": "Stop: the money would go to an address to " +
			"which nobody holds the key.",
		"bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb?amount=0.1":       wrongCharacter,
		"ethereum:" + strings.Replace(usdc, "D", "d", 1) + "?value=1": wrongCharacter,
	} {
		if p := v.get(asking(link)); !strings.Contains(p.html, "<h1>"+says) {
			t.Errorf("%s: %s", link, p.main())
		}
	}
}

func TestTheChainOfALinkIsThatOfItsToken(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	for token, says := range map[string]string{
		usdc + "@8453":     "The link is for Base; this token is known on Ethereum only. Do not pay.",
		usdcOnBase + "@56": "The link is for BNB Chain; this token is known on Base only. Do not pay.",
		usdcOnBase:         "The link is for Ethereum; this token is known on Base only. Do not pay.",
		usdc:               "This asks you to pay",
	} {
		v.get(asking("ethereum:" + token + "/transfer?address=" + payee + "&uint256=2e9")).says(says)
	}
	v.get(asking("ethereum:" + payee + "?value=1e18")).says("It asks for 1 ETH on Ethereum.")
}

func TestAListThatWarnsOfATokenDoesNotMakeItKnown(t *testing.T) {
	s := start(t)
	im, err := s.db.Import(t.Context(), tocsin.List{Name: "forta", Family: "forta"})
	tocsintest.Must(t, err)
	defer im.Close()
	token, _ := tocsin.ParseSubject(usdcOnBase)
	tocsintest.Must(t, im.Add(tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Risk, Subject: token,
		Category: "phishing", Chain: "eip155:1"}}))
	_, err = im.Finish(t.Context(), true, nil)
	tocsintest.Must(t, err)
	p := s.visitor().get(asking("ethereum:" + usdcOnBase + "@8453/transfer?address=" + payee + "&uint256=2e9"))
	p.says("The link is for Base.")
	lacks(t, p, "this token is known")
}

func TestAPeggedTokenHasTheDecimalsOfItsChain(t *testing.T) {
	for name, unit := range map[string]string{"Tether USD": "USDT 6", "Binance-Peg Tether USD on BNB Chain": "USDT 18",
		"Binance-Peg Wrapped BTC": "WBTC 18", "Somebody's": "Somebody's -1"} {
		symbol, decimals := tokenUnit(name)
		want(t, name, fmt.Sprint(symbol, " ", decimals), unit)
	}
}

func TestAnUnlimitedApprovalIsToBeRefused(t *testing.T) {
	v := start(t).visitor()
	ask := asking("ethereum:" + usdc + "/approve?address=" + payee + "&uint256=")
	v.get(ask+"1e77").says("without limit. A payment does not need this: refuse.", "can take your tokens at any time")
	v.get(ask + "5").says("This asks for access to your tokens")
}

func TestAPageToPayAtIsNotKnown(t *testing.T) {
	s := start(t)
	s.list("top", "top", tocsin.Safe, tocsin.TopSite, "stripe.com", "nowpayments.io", "cash.app")
	v := s.visitor()
	for link, host := range map[string]string{"https://buy.stripe.com/4gw5nP": "buy.stripe.com",
		"https://nowpayments.io/payment/?iid=4522": "nowpayments.io", "cash.app/$lena": "cash.app"} {
		p := v.get(asking(link))
		p.says("Anyone can take payments on "+host+": who gets it?", strings.TrimPrefix(link, "https://"))
		lacks(t, p, "Nobody has reported it")
	}
	v.get("/screen/https:%2F%2Fbuy.stripe.com%2F4gw5nP").says("Anyone can take payments on buy.stripe.com")
	v.get(asking("https://buy.stripe.com/4gw5nP bad.example")).says("Anyone can take payments on buy.stripe.com")
	host := v.get("/screen/buy.stripe.com")
	host.says("anyone can take payments here", "Who gets the money is on its page: paste the whole link.")
	lacks(t, host, "belongs to")
	v.get("/screen/nowpayments.io").says("nowpayments.io is a well-known site.")
	list := v.post("/bulk", fields{"subjects": "https://buy.stripe.com/4gw5nP\nfine.example", "do": "screen"})
	list.says("Anyone can take payments on buy.stripe.com: who gets it?", "1 line without a subject")
}

func TestALinkThatShowsAnotherSiteIsCalledDeceptive(t *testing.T) {
	s := start(t)
	s.list("top", "top", tocsin.Safe, tocsin.TopSite, "uniswap.org")
	p := s.visitor().get(asking("https://uniswap.org@evil-site.top/claim"))
	p.says("This link shows uniswap[.]org but leads to evil-site[.]top. Do not open it.")
	holds(t, p, `href="/screen/evil-site.top"`)
	for typed, leadsTo := range map[string]string{
		"evil-site.top https://uniswap.org@evil-site.top/claim": "evil-site[.]top", // of a site that was named before, too
		"https://uniswap.org@203.0.113.9/claim":                 "203.0.113[.]9",
		"https://uniswap.org@203.0.113.9:8443/claim":            "203.0.113[.]9:8443",
		"https://uniswap.org@[2001:db8::9]/claim":               "[2001:db8::9]",
		"https://uniswap.org%40evil-site.top/claim":             "evil-site[.]top",
	} {
		s.visitor().get(asking(typed)).says("This link shows uniswap[.]org but leads to " + leadsTo + ". Do not open it.")
	}
}

// TestPastedAddressesAreComparedWithEachOther: nobody pastes two that look alike without a reason.
func TestPastedAddressesAreComparedWithEachOther(t *testing.T) {
	const one, other = "0x7A9F3CD060ab180f36C17Fe6bDf9974F577d7E52", "0x7A9F3Cd1Aa2bb3cc4dD5ee6ff7001122334D7E52"
	v := start(t).visitor()
	p := v.get(asking(strings.ToLower(one + " " + other)))
	p.says("Two of these addresses look alike. Send nothing.", "Equal at the beginning: 7. Equal at the end: 5.")
	holds(t, p, `action="/compare"`, `name="address" value="`+one+`"`)
	lacks(t, v.get(asking(one+" "+payee)), "look alike")
	for _, do := range []string{"", "screen"} {
		list := v.post("/bulk", fields{"subjects": strings.ToLower(one+"\n"+payee+"\n"+other) + "\n" + one, "do": do})
		list.says("1 pair of addresses in this list looks alike.")
		holds(t, list, `name="known" value="`+tocsin.Subject{Kind: tocsin.EVM, Value: strings.ToLower(other)}.Plain()+`"`)
	}
}

// TestASuspicionIsNeverWithheld, and the token of a request does not answer for who gets the money.
func TestASuspicionIsNeverWithheld(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.Lookups = 1 })
	s.starter()
	s.list("known", "known", tocsin.Safe, "exchange", exchange)
	v := s.visitor()
	want(t, "the only look-up", v.get("/screen/fine.example").status, 200)
	v.get("/screen/" + imitator).says("Send nothing yet")
	want(t, "what is no warning", v.get("/screen/fine-2.example").status, 429)
	p := v.get(asking("ethereum:" + usdcOnBase + "@8453/transfer?address=" + payee + "&uint256=2e9"))
	p.says("No look-up was left for it.", "It asks for 2,000 USDC.")
	lacks(t, p, "Nobody warns of it", "What is known about the token")
}

func TestTheKnownSiteOfANameIsSaidOnItsPage(t *testing.T) {
	s := start(t)
	v := s.visitor()
	p := v.get("/screen/metamask.app")
	p.says("Do not connect yet: the site we know by this name is metamask.io.", "Nobody has reported it yet.")
	s.list("known", "known", tocsin.Safe, "wallet", "metamask.app")
	lacks(t, v.get("/screen/metamask.app"), "the site we know")
}

// TestASumHasItsUnit: that of the token, if we know it; otherwise what its smallest units can be.
func TestASumHasItsUnit(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	for ask, says := range map[string]string{
		payee + "@8453?value=5e16":                              "It asks for 0.05 ETH on Base.",
		payee + "@424242?value=5e16":                            "It asks for 0.05 of the coin of EVM chain 424242.",
		usdc + "/transfer?uint256=2500000&address=" + payee:     "It asks for 2.5 USDC.",
		usdc + "/approve?uint256=2500000&address=" + payee:      "It asks to take up to 2.5 USDC.",
		exchange + "/transfer?uint256=2500000&address=" + payee: "that is 2.5; if it has 18",
		exchange + "/approve?uint256=2500000&address=" + payee:  "It asks to take up to 2,500,000 of the smallest",
	} {
		v.get(asking("ethereum:" + ask)).says(says)
	}
	const send = "https://link.trustwallet.com/send?asset=c60"
	v.get(asking(send + "&amount=0.5&address=" + payee)).says("It asks for 0.5 ETH.")
	v.get(asking(send + "_t" + usdc + "&amount=7&address=" + payee)).says("It asks for 7 USDC.")
}

// TestTheWorstIsTheHeadline of what was typed together; what else matters is said below it.
func TestTheWorstIsTheHeadline(t *testing.T) {
	s := alarms(t, 50)
	s.starter()
	s.list("known", "known", tocsin.Safe, "exchange", exchange)
	v := s.visitor()
	alike := strings.ToLower(payee + " " + payee[:8] + strings.Repeat("79", 14) + payee[36:])
	for typed, says := range map[string][]string{
		"fine.example bad-1.example":                               {"Stop: we warn of one of these."},
		"ethereum:" + thief + "?value=1e18":                        {"Stop: do not pay. We warn of who would get the money."},
		"ethereum:" + usdc + "/approve?uint256=5&address=" + thief: {"Stop: refuse. We warn of who could take your tokens."},
		alike: {"Two of these addresses look alike. Send nothing."},
		alike + " bad-1.example": {"Stop: we warn of one of these.",
			"Two of these addresses look alike. Send nothing."},
		"https://uniswap.org@bad-1.example/claim": {"This link shows", "leads to bad-1[.]example. Do not open it."},
		imitator + " fine.example":                {"Wait: something speaks against one of these."},
	} {
		p := v.get(asking(typed))
		p.says(says...)
		if !strings.Contains(p.h1(), says[0]) && !strings.HasPrefix(typed, "https") {
			t.Errorf("%s: the headline is %q", typed, p.h1())
		}
	}
	lacks(t, v.get(asking("ethereum:"+thief+"?value=1e18")), "Send a little first")
}

func TestATokenDoesNotAnswerForWhoTakesIt(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.Lookups = 1 })
	s.starter()
	v := s.visitor()
	want(t, "the only look-up", v.get("/screen/fine.example").status, 200)
	p := v.get(asking("ethereum:" + usdcOnBase + "@8453/approve?address=" + payee + "&uint256=2e9"))
	p.says("No look-up was left for it.")
	lacks(t, p, "Nobody warns of it", "What is known about the token")
}
