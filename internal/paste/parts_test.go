package paste

import (
	"fmt"
	"strings"
	"testing"
)

// said is a part in a few words.
func said(p Part) string {
	text := p.Subject.Plain()
	if p.Problem != nil {
		text = "!" + string(p.Problem.Kind)
	}
	if p.Role != "" {
		text = string(p.Role) + ":" + text
	}
	if p.Asks() {
		text += fmt.Sprintf(" %s %s", p.Asked.Amount+p.Asked.Units, p.Asked.Coin)
	}
	return text
}

func TestEachPartOfATextIsFound(t *testing.T) {
	const (
		usdc    = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
		connect = "wc:7f6e504bfad60b485450578e05678ed3e8e8c4751d3c6160be17160d63ec90f9@2?relay-protocol=irn&symKey=" +
			"587d5484ce2a2a6ee3ba1962fdd7e8588e06200c46823bd18fbd67def96ad303"
		bitcoin = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
		mint    = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
		solana  = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
		monero  = "4AdUndXHHZ6cfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2684Rge"
	)
	wrong := strings.Replace(account, "Ae", "ae", 1)
	pay := []string{"recipient:" + account + " 2000000000 ", "token:" + usdc}
	for _, c := range []struct {
		text  string
		parts []string
	}{
		// A link leads on.
		{"https://www.google.com/url?q=https://evil.example/login", []string{"wrapper:google.com", "onward:evil.example"}},
		{"https://metamask.app.link/dapp/example.com/claim", []string{"wrapper:metamask.app.link", "onward:example.com"}},
		{"https://metamask.app.link/dapp/evil.example", []string{"wrapper:metamask.app.link", "onward:evil.example"}},
		{"https://phantom.app/ul/browse/https%3A%2F%2Fevil.example?ref=https%3A%2F%2Fevil.example",
			[]string{"wrapper:phantom.app", "onward:evil.example"}},
		{"https://go.cb-w.com/dapp?cb_url=https%253A%252F%252Fevil.example", []string{"wrapper:go.cb-w.com",
			"onward:evil.example"}},
		{"https://link.trustwallet.com/open_url?coin_id=60&url=https://evil.example", []string{
			"wrapper:link.trustwallet.com", "onward:evil.example"}},
		{"metamask://dapp/example.com/claim", []string{"onward:example.com"}},
		{"https://good.example/?next=//evil.example", []string{"wrapper:good.example", "onward:evil.example"}},
		{"https://good.example/?next=https://www.good.example/a&utm_source=example.com&ref=example.org",
			[]string{"good.example"}},
		{"https://good.example/docs/README.md?file=a.md", []string{"good.example"}},
		{"https://good.example/?u=https://a.example&v=https://b.example&w=https://c.example&x=https://d.example",
			[]string{"wrapper:good.example", "onward:a.example", "onward:b.example", "onward:c.example"}},

		// Nothing is dropped.
		{"evil.example " + wrong, []string{"evil.example", "!invalid"}},
		{"evil.example vitalik.eth lena.trx", []string{"evil.example", "!ens_name", "!wallet_name"}},
		{"evil.example " + solana, []string{"evil.example", solana}},
		{"evil.example " + account[:41], []string{"evil.example", "!wrong_length"}},
		{"evil.example bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", []string{"evil.example", "!wrong_account"}},
		{"https://evil.example/" + account + "/" + another, []string{"evil.example", "in_link:" + account,
			"in_link:" + another}},
		{"https://evil.example/?wallet=" + account, []string{"evil.example", "in_link:" + account}},
		{"https://evil.example/?for=wallet%3D" + account, []string{"evil.example", "in_link:" + account}},
		{"https://evil.example/?for=wallet%253D" + account, []string{"evil.example", "in_link:" + account}},
		{"Is evil.example good, v1.2 or not? Hi there.I ask", []string{"evil.example"}},

		// Payment requests.
		{"evil.example ethereum:" + account, []string{"evil.example", "recipient:" + account}},
		{"ethereum:" + usdc + "@8453/transfer?address=" + account + "&uint256=2e9", pay},
		{"https://metamask.app.link/send/" + usdc + "@8453/transfer?address=" + account + "&uint256=2e9", pay},
		{"https://link.trustwallet.com/send?asset=c60_t" + usdc + "&address=" + account + "&amount=5.5",
			[]string{"recipient:" + account + " 5.5 ", "token:" + usdc}},
		{"ethereum:pay-" + account + "@1?value=2.014e18", []string{"recipient:" + account + " 2.014 ETH"}},
		{"ethereum:vitalik.eth?value=x", []string{"recipient:!ens_name"}},
		{"ethereum:" + account + "@137?value=5e18", []string{"recipient:" + account + " 5 POL"}},
		{"ethereum:" + usdc + "/approve?address=" + account + "&uint256=1", []string{"spender:" + account, "token:" + usdc}},
		{"bitcoin:" + bitcoin + "?amount=0.05&label=Lena", []string{"recipient:" + bitcoin + " 0.05 BTC"}},
		{"bitcoin:" + bitcoin + "?label=Lena", []string{bitcoin}},
		{"solana:" + solana + "?amount=25&spl-token=" + mint, []string{"recipient:" + solana + " 25 ", "token:" + mint}},
		{"solana:https%3A%2F%2Fevil.example%2Fpay", []string{"evil.example"}},
		{"tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t?amount=5", []string{"recipient:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t 5 TRX"}},
		{"monero:" + monero + "?tx_amount=0.5", []string{"recipient:" + monero + " 0.5 XMR"}},
		{"https://basescan.org/token/" + usdc + "?a=" + account, []string{account, "token:" + usdc}},
		{"https://basescan.org/token/" + usdc, []string{usdc}},

		// Who would get the money is a part, also if the request does not say it.
		{"ethereum:" + usdc + "@8453/transfer?address=shop.eth&uint256=2e9",
			[]string{"recipient:!ens_name 2000000000 ", "token:" + usdc}},
		{"ethereum:" + usdc + "@8453/transfer?address=0x7A9F3CD060ab&uint256=2e9",
			[]string{"recipient:!wrong_length 2000000000 ", "token:" + usdc}},
		{"ethereum:" + usdc + "@8453/transfer?uint256=2e9", []string{"recipient:!no_payee 2000000000 ", "token:" + usdc}},
		{"ethereum:" + usdc + "/transfer?address=" + usdc + "&uint256=5", []string{"recipient:" + usdc + " 5 "}},
		{"ethereum:vitalik.eth@1?value=1e18", []string{"recipient:!ens_name 1 ETH"}},

		// A page to pay at says nothing of who gets the money, and a name before an @ nothing of the site.
		{"https://buy.stripe.com/4gw5nP", []string{"!checkout_page"}},
		{"https://wise.com/pay/me/john evil.example", []string{"!checkout_page", "evil.example"}},
		{"https://uniswap.org@evil.example/claim", []string{"behind:evil.example"}},
		{"https://uniswap.org%2Fclaim@evil.example", []string{"behind:evil.example"}},
		{"evil.example https://uniswap.org@evil.example/claim", []string{"behind:evil.example"}},
		{"https://uniswap.org@203.0.113.9/claim", []string{"behind:!ip_address"}},
		{"https://lena@evil.example/ https://evil.org@www.evil.org/", []string{"evil.example", "evil.org"}},

		// A request to connect is never repeated.
		{connect, []string{"!connect_request"}},
		{"https://evil.example/wc?uri=" + connect, []string{"evil.example", "!connect_request"}},
		{"https://metamask.app.link/wc?uri=" + strings.NewReplacer(":", "%3A", "@", "%40").Replace(connect),
			[]string{"!connect_request"}},

		{"legal winner thank year wave sausage worth useful legal winner thank yellow evil.example", nil},
		{strings.Repeat("x", maxQuestion+1), nil},
	} {
		var got []string
		for _, p := range Parts(c.text) {
			got = append(got, said(p))
		}
		want(t, c.text, got, c.parts)
	}
}

func TestAConnectRequestIsNoSecretThatIsShown(t *testing.T) {
	for text, kept := range map[string]string{
		"wc:8a5e5bdc-a0e4-4702-ba63-8f1a5655744f@1?bridge=https%3A%2F%2Fx.example&key=41791102": "wc:…",
		"a wc:8a5e5bdc@2?symKey=12 b": "a wc:… b",
		"the wc: was closed":          "the wc: was closed",
	} {
		want(t, text, WithoutConnects(text), kept)
	}
	_, problem := Subject("wc:8a5e5bdc@2?symKey=12")
	if problem == nil || problem.Kind != ConnectRequest {
		t.Error(problem)
	}
}

func TestARequestForAllOfATokenIsUnlimited(t *testing.T) {
	const most = "115792089237316195423570985008687907853269984665640564039457584007913129639935" // 2^256-1
	const permit2 = "1461501637330902918203684832716283019655932542975"                           // 2^160-1
	for amount, all := range map[string]bool{"uint256=" + most: true, "uint256=" + permit2: true,
		"uint256=1e60": true, "uint256=2e9": false,
		"uint256=0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff": true, "": false} {
		parts := Parts("ethereum:" + account + "@1/approve?address=" + another + "&" + amount)
		want(t, amount, []any{parts[0].Role, parts[0].Asked.Unlimited, parts[0].Asked.Chain}, []any{Spender, all, "eip155:1"})
	}
	parts := Parts("ethereum:" + account + "/setApprovalForAll?address=" + another + "&bool=true")
	want(t, "of all", parts[0].Asked.Unlimited, true)
}

func TestALetterOfAnotherAlphabetIsNamed(t *testing.T) {
	for text, letter := range map[string]string{"0x7А9F3CD060ab180f36C17Fe6bDf9974F577d7E52": "А",
		"0х7A9F3CD060ab180f36C17Fe6bDf9974F577d7E52": "х"} {
		_, problem := Subject(text)
		want(t, text, []any{problem.Kind, problem.Text}, []any{ForeignLetter, letter})
	}
	subject, _ := Subject(account + "是骗子")
	want(t, "an address before Chinese", subject.String(), account)
}
