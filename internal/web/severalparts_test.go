package web

import (
	"net/url"
	"strings"
	"testing"

	"tocsin"
)

// TestALinkThatLeadsOnIsAnsweredForBothSites: a well-known site must not vouch for where its link leads.
func TestALinkThatLeadsOnIsAnsweredForBothSites(t *testing.T) {
	s := alarms(t, 10)
	s.list("misp-warninglists", "misp", tocsin.Safe, tocsin.TopSite, "popular.example")
	v := s.visitor()
	p := v.get("/screen?q=" + url.QueryEscape("https://popular.example/url?q=https%3A%2F%2Fbad-1.example/login"))
	p.says("This link leads on to bad-1[.]example", "Close it: pay nothing, connect nothing.", "The link begins here.")
	want(t, "the worst first", strings.Index(p.html, `href="/screen/bad-1.example"`) <
		strings.Index(p.html, `href="/screen/popular.example"`), true)
	p = v.get("/screen?q=" + url.QueryEscape("https://metamask.app.link/dapp/fine.example"))
	want(t, "where it leads first", strings.Index(p.html, `href="/screen/fine.example"`) <
		strings.Index(p.html, `href="/screen/metamask.app.link"`), true)
	v.get("/screen/link.trustwallet.com").says("its links lead to any site", "Paste the whole link")
}

// TestNoPartIsDropped: an alarm is shown beside what cannot be read, and each part says why not.
func TestNoPartIsDropped(t *testing.T) {
	s := alarms(t, 10)
	v := s.visitor()
	const wrong = "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	p := v.get("/screen?q=" + url.QueryEscape("bad-1.example "+wrong+" lena.trx nobody.eth "+wrong[:41]))
	p.says("Close it: pay nothing, connect nothing.", "This part could not be checked.",
		"Do not send. Copy it again from where you have it.",
		"This is a name that a wallet turns into an address: lena.trx.",
		"An ENS name stands for an address", "This has 39 digits after 0x; an address has 40.")
	want(t, "parts", strings.Count(p.html, "This part could not be checked."), 4)
	p = v.get("/screen?q=" + url.QueryEscape("lena.trx nobody.eth"))
	p.says("None of these can be looked up")
}

func TestAPaymentRequestIsAboutWhoGetsTheMoney(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	const to = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	ask := "ethereum:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913@8453/transfer?address=" + to + "&uint256=2e9"
	p := v.get("/screen?q=" + url.QueryEscape(ask))
	p.says("This asks you to pay", "The money would go to "+to+".",
		"The token is USD Coin on Base. The link is for Base. It asks for 2,000 USDC.", "This is only the token")
	want(t, "who gets it comes first", strings.Index(p.html, `href="/screen/`+to) <
		strings.Index(p.html, `href="/screen/0x8335`), true)
	for request, says := range map[string]string{
		"bitcoin:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4?amount=0.05": "It asks for 0.05 BTC.",
		"ethereum:" + to + "@8453?value=1.5e18":                          "It asks for 1.5 ETH on Base.",
		"solana:4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T?amount=25&spl-token=" +
			"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v": "The token is USD Coin on Solana. It asks for 25 USDC.",
		"ethereum:" + to + "/transfer?address=" + thief + "&uint256=5": "We do not know the token",
		"ethereum:" + to + "/approve?address=" + thief + "&uint256=5":  "this address can take your tokens",
	} {
		v.get("/screen?q=" + url.QueryEscape(request)).says(says)
	}
}

func TestWhatNobodyShouldSendToIsSaidAtTheLimitToo(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.Lookups = 1 })
	s.starter()
	v := s.visitor()
	want(t, "the only look-up", v.get("/screen/fine.example").status, 200)
	for path, says := range map[string]string{
		"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48": "it is the contract of USD Coin, not a person.",
		"0x0000000000000000000000000000000000000000": "nobody holds its key.",
	} {
		p := v.get("/screen/" + path)
		p.says("Do not send to this address: " + says)
		want(t, path, len(p.class("heed")), 1)
	}
	p := v.get("/screen?q=" + url.QueryEscape("fine-1.example fine-2.example"))
	want(t, "none is left", p.status, 429)
	p.says("No look-up is left for these today", "New look-ups come at midnight UTC, in 12 h", "Until then, send nothing")
	lacks(t, p, "The worst comes first")
	want(t, "to a crawler", p.meta("og:title"), "Has the bell rung for it?")
}

// TestSeveralAnswersAreSharedWithoutTheMessage that they came in. A link keeps what it says.
func TestSeveralAnswersAreSharedWithoutTheMessage(t *testing.T) {
	s := start(t)
	v := s.visitor()
	const token = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
	for typed, shared := range map[string]string{
		"Dear Anna, send it to " + thief + " as evil.example says": thief + "\nevil.example",
		"ethereum:" + token + "/transfer?address=" + nobody:        "ethereum:" + token + "/transfer?address=" + nobody,
		"Pay ethereum:" + token + "/transfer?address=" + nobody:    nobody,
		"Write to support@evil.example from login.evil.example":    "login.evil.example\nemail:support@evil.example",
	} {
		p := v.get("/screen?q=" + url.QueryEscape(typed))
		buttons := p.class("btn")
		want(t, typed, attr(buttons[len(buttons)-1], "data-share"), s.base+findPath(shared))
	}
}

func TestAReportThatNamesTwoOfThemIsShownOnce(t *testing.T) {
	s := start(t)
	r := s.file(draft{"reportedHandles": []string{"telegram:lena_trades88", "telegram:max_trades77"}})
	p := s.visitor().get("/screen?q=" + url.QueryEscape("telegram:lena_trades88 telegram:max_trades77"))
	want(t, "shown", strings.Count(p.html, `href="/reports/`+r.ID), 1)
}

func TestAConnectRequestIsExplainedAndNotRepeated(t *testing.T) {
	v := alarms(t, 10).visitor()
	const key = "587d5484ce2a2a6ee3ba1962fdd7e8588e06200c46823bd18fbd67def96ad303"
	request := "wc:7f6e504bfad60b485450578e05678ed3e8e8c4751d3c6160be17160d63ec90f9@2?relay-protocol=irn&symKey=" + key
	p := v.get("/screen?q=" + url.QueryEscape(request))
	p.says("This is a wallet’s connect request", "It does not say which site asks.", "Do not share this link")
	both := v.get("/screen?q=" + url.QueryEscape("https://bad-1.example/wc?uri="+url.QueryEscape(request)))
	both.says("Close it: pay nothing, connect nothing.", "This is a wallet’s connect request.")
	want(t, "the key", []bool{strings.Contains(p.html, key), strings.Contains(both.html, key)}, []bool{false, false})
}

func TestAnAddressOfSolanaIsAnsweredAtOnce(t *testing.T) {
	v := start(t).visitor()
	const path = "/screen/solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
	p := v.get("/screen?q=4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T")
	want(t, "path", p.header.Get("Location"), path+"?asked=1")
	v.get(path).says("This has the form of a Solana address, and of no other.")
}

// TestTheChainThatWasTypedIsKept: its explorer comes first.
func TestTheChainThatWasTypedIsKept(t *testing.T) {
	v := start(t).visitor()
	for _, typed := range []string{"https://basescan.org/address/" + payee, "base:" + payee, "eip155:8453:" + payee,
		"ethereum:" + payee + "@8453"} {
		want(t, typed, v.get(asking(typed)).header.Get("Location"), "/screen/"+payee+"?on=eip155%3A8453&asked=1")
	}
	inOrder(t, v.get("/screen/"+payee+"?on=eip155:8453"), "https://basescan.org/address/", "https://etherscan.io/address/",
		"https://blockscan.com/address/")
	lacks(t, v.get("/screen/"+payee), "basescan.org")
	v.get(asking("ethereum:vitalik.eth@1")).says("vitalik.eth is an ENS name")
}
