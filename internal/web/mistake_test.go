package web

import (
	"strings"
	"testing"

	"tocsin"
)

// TestWhatIsAroundAnAddressHidesNoSanction: an address with letters in the wrong case says what was meant, in a
// message, in a link to an explorer or a wallet, in a payment request and in a cell of a list.
func TestWhatIsAroundAnAddressHidesNoSanction(t *testing.T) {
	const tron, hit = "TJ9ghEP177X5NVcHfkiu5nEqV14Nfyyx6n", "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"
	s := start(t)
	s.list("ofac", "ofac", tocsin.Sanction, "", "solana:"+hit, thief, tron)
	v := s.visitor()
	wrong := strings.Replace(thief, "B", "b", 1)
	small, turned := strings.ToLower(tron), strings.Replace(hit, "Q", "q", 1)
	for typed, meant := range map[string]string{
		wrong: thief,
		"Please send 500 USDC to " + wrong + " thanks":                                                 thief,
		"ethereum:" + wrong + "?value=1e18":                                                            thief,
		"ethereum:0xdAC17F958D2ee523a2206206994597C13D831ec7/transfer?address=" + wrong + "&uint256=1": thief,
		"https://metamask.app.link/send/" + wrong + "?value=1e17":                                      thief,
		"https://link.trustwallet.com/send?asset=c60&address=" + wrong + "&amount=1":                   thief,
		"https://etherscan.io/address/" + wrong:                                                        thief,
		"Send it to " + wrong + " or visit https://one.example":                                        thief,
		small: tron,
		"https://tronscan.org/#/address/" + small:          tron,
		"Send 5 TRX to " + small + " now":                  tron,
		"tron:" + small + "?amount=5":                      tron,
		"Send 5 SOL to " + turned + " now":                 hit,
		"Send 5 SOL to " + turned + ", see one.example":    hit,
		"https://solscan.io/account/" + turned:             hit,
		"solana:" + turned + "?amount=5":                   hit,
		"https://phantom.app/ul/browse/x?address=" + wrong: thief,
	} {
		p := v.get(asking(typed))
		for p.status == 303 {
			p = v.get(p.header.Get("Location"))
		}
		account, fault := tocsin.ParseAccount(meant)
		if bare, ok := tocsin.BareSolana(meant); ok {
			account, fault = bare, nil
		}
		if fault != nil {
			t.Fatal(fault)
		}
		meantPath := `href="` + screenPath(account) + `"`
		says := strings.Contains(p.main(), "Written correctly, this ") && strings.Contains(p.main(), "sanctioned (OFAC SDN)")
		if !says || !strings.Contains(p.html, meantPath) || len(p.class("critical")) != 1 {
			t.Errorf("%s: %s", typed, p.main())
		}
	}
	for _, cell := range []string{wrong, "https://etherscan.io/address/" + wrong, "ethereum:" + wrong + "?value=1e18",
		"https://metamask.app.link/send/" + wrong + "?value=1e17", "https://solscan.io/account/" + turned,
		"USDT (TRC20): " + small, "https://tronscan.org/#/address/" + small} {
		p := v.post("/bulk", fields{bulkField: cell + "\none.example", "do": "screen"})
		p.says("it is sanctioned: OFAC SDN: sanctioned")
	}
}

// TestWhatHasAMistakeComesFirst, before a site that is known, and what cannot be checked before it too.
func TestWhatHasAMistakeComesFirst(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	const site = " or visit https://app.uniswap.org"
	for typed, says := range map[string][]string{
		"Send 500 USDC to " + thief[:41] + "7" + site: {"Do not send: an address in this is wrong.",
			"Its capital and small letters do not fit together",
			"One character differs from an address of Lazarus Group, which is sanctioned."},
		"Send 0.05 BTC to bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdr" + site: {"Do not send: an address in this is wrong.",
			"at least one character is wrong"},
		"Send it to vitalik.еth" + site: {"Do not send: an address in this is wrong.",
			"This only looks like vitalik.eth: a letter is from another alphabet. Do not send."},
		"Send 500 USDC to 0xdAC17F958D2ee523a2206206994597C13D831ec7" + site: {
			"Do not send to one of these: it is the contract of a token."},
		"See bit.ly/3xYzAbc" + site:                  {"This is a shortened link. It can lead to any site."},
		"See sites.google.com/view/a" + site:         {"Anyone can have a page on sites.google.com."},
		"Your support team, @metamask_help " + payee: {"Support never writes first, and never asks for money."},
	} {
		p := v.get(asking(typed))
		p.says(says...)
		if at := strings.Index(p.main(), "app.uniswap.org"); at >= 0 && strings.Index(p.main(), says[len(says)-1]) > at {
			t.Errorf("%s: the site comes first", typed)
		}
	}
	v.get(asking("vitalik.еth")).says("Do not send: this name has a letter of another alphabet")
	v.get("/reports?asked=1&q=%40metamask_support").says("Support never writes first")
}

// TestALightningInvoiceAsksForMoneyOfNobodyWeKnow, with the sum that it has.
func TestALightningInvoiceAsksForMoneyOfNobodyWeKnow(t *testing.T) {
	v := start(t).visitor()
	data := "1" + strings.Repeat("pvjluezpp5qqqsyqcyq5rqwzqf", 3)
	for typed, sum := range map[string]string{"lightning:lnbc2500u" + data: "It asks for 0.0025 BTC.",
		strings.ToUpper("lnbc20m" + data): "It asks for 0.02 BTC.", "lnbc" + data: "", "lightning:LNURL" + data: ""} {
		v.get(asking(typed)).says("This asks you to pay. We cannot tell whom.", "This is a Lightning invoice.", sum)
	}
}

// TestAPaymentRequestSaysWhatItAsksFor, in capitals as QR codes have it, and in both forms of a link of Trust Wallet.
func TestAPaymentRequestSaysWhatItAsksFor(t *testing.T) {
	v := start(t).visitor()
	const trust = "https://link.trustwallet.com/send?address=" + payee + "&amount=1"
	for typed, sum := range map[string]string{
		"BITCOIN:BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ?AMOUNT=0.05": "It asks for 0.05 BTC.",
		trust + "&coin=60": "It asks for 1 ETH.",
		trust:              "It asks for 1. The link does not say of what.",
	} {
		v.get(asking(typed)).says("This asks you to pay", sum)
	}
}
