package paste

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tocsin"
)

const (
	account = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	another = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
)

var transaction = "0x" + strings.Repeat("1", 64)

func want(t *testing.T, about string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", about, got, want)
	}
}

func TestItemsAreFoundWhereverTheyArePasted(t *testing.T) {
	for _, c := range []struct {
		field Field
		text  string
		items []Item
	}{
		{Addresses, "Wallet 1: " + account + " (USDT)\n- \"" + another + "\".", []Item{{Addresses, 1, account},
			{Addresses, 2, another}}},
		{Addresses, "https://etherscan.io/address/" + account + "#code", []Item{{Addresses, 1, account}}},
		{Addresses, "https://etherscan.io/tx/" + transaction, []Item{{Transactions, 1, transaction}}},
		{Addresses, account[2:] + "\nhxxps://evil[dot]example/x,y", []Item{{Addresses, 1, account},
			{Domains, 2, "https://evil.example/x,y"}}},
		{Addresses, "https://x.example/address/" + account + "/" + strings.ToLower(account), []Item{{Addresses, 1, account}}},
		{Addresses, "eip155:1:" + account, []Item{{Addresses, 1, account}}},
		{Things, "I met him on evil.example.", []Item{{Domains, 1, "evil.example"}}},
		{Things, "https://evil.example/?ref=" + account, []Item{{Domains, 1, "https://evil.example/?ref=" + account}}},
		{Transactions, "Tx: https://arbiscan.io/tx/" + transaction, []Item{{Transactions, 1, transaction}}},
		{Links, transaction + "\nnews.example/a (x)", []Item{{Transactions, 1, transaction},
			{Links, 2, "https://news.example/a"}}},
		{Prose, account, nil},
	} {
		found := Read(c.field, c.text)
		want(t, c.text, []any{found.Items, found.Problems}, []any{c.items, []Problem(nil)})
	}
}

func TestEachProblemHasAKindAndALine(t *testing.T) {
	for _, c := range []struct {
		field Field
		text  string
		wrong Problem
	}{
		{Addresses, "\n" + account + "1", Problem{Kind: WrongLength, Line: 2, Text: "1", Count: 41}},
		{Addresses, strings.Replace(account, "Ae", "Ge", 1), Problem{Kind: WrongDigit, Line: 1, Text: "G"}},
		{Addresses, "0xd8dA6BF2…A96045", Problem{Kind: CutShort, Line: 1}},
		{Addresses, transaction, Problem{Kind: TransactionHash, Line: 1, Text: transaction}},
		{Addresses, "https://x.example/address/" + account + "?a=" + another, Problem{Kind: SeveralAddresses, Line: 1}},
		{Addresses, "https://x.example/?wallet=" + account, Problem{Kind: AddressInQuery, Line: 1, Text: account}},
		{Addresses, "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T", Problem{Kind: MaybeSolana, Line: 1,
			Text: "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"}},
		{Addresses, "a\nthief@mail.example", Problem{Kind: NoAddress, Line: 1, Text: "a"}},
		{Addresses, "@thief", Problem{Kind: ChatName, Line: 1, Text: "@thief"}},
		{Things, "t.me", Problem{Kind: SharedDomain, Line: 1, Text: "t.me"}},
		{Things, "192.0.2.1", Problem{Kind: IPAddress, Line: 1, Text: "192.0.2.1"}},
		{Transactions, account, Problem{Kind: EVMAddress, Line: 1}},
		{Things, "evil.example\n" + transaction[2:], Problem{Kind: MaybeKey, Line: 2, Text: transaction[2:]}},
		{Links, "ask my brother", Problem{Kind: NoLink, Line: 1, Text: "ask"}},
		{Links, strings.Repeat("x", maxThing+1), Problem{Kind: TooLong, Line: 1}},
		{Links, strings.Repeat("x ", maxThings+1), Problem{Kind: TooMany}},
	} {
		found := Read(c.field, c.text)
		if len(found.Problems) == 0 {
			t.Errorf("%.60q: no problem", c.text)
			continue
		}
		want(t, c.text, found.Problems[0], c.wrong)
	}
}

func TestASubjectIsReadOutOfASentence(t *testing.T) {
	for text, subject := range map[string]string{
		"0x5aAe b605 3F3E 94C9 b9A0 9f33 6694 35E7 Ef1B eAed": account,
		"5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED":            account,
		"Is growing-gold[.]example safe?":                     "growing-gold.example",
		"growing-gold.ex\u200bample":                          "growing-gold.example",
		account + " " + strings.ToLower(account):              account,
	} {
		found, problem := Subject(text)
		want(t, text, []any{found, problem}, []any{subject, (*Problem)(nil)})
	}
	for text, kind := range map[string]Kind{
		account + " " + another:                  SeveralSubjects,
		"https://etherscan.io/tx/" + transaction: OnlyTransaction,
		"":                                       NoSubject,
		"hello":                                  NoAddress,
		strings.Replace(account, "Ae", "ae", 1):  Invalid,
		strings.Repeat("x", maxQuestion+1):       TooMany,
		"legal winner thank year wave sausage worth useful legal winner thank yellow": Secret,
	} {
		_, problem := Subject(text)
		if problem == nil || problem.Kind != kind || (problem.Fault != nil) != (kind == Invalid) {
			t.Errorf("%.60q: %v, want %s", text, problem, kind)
		}
	}
	if _, problem := Subject("evil.example" + strings.Repeat(" ", maxQuestion-12)); problem != nil {
		t.Errorf("a text of %d bytes: %v", maxQuestion, problem)
	}
}

func TestAmountsAreReadAsTheLanguageWritesThem(t *testing.T) {
	for _, c := range []struct {
		text         string
		point, comma []int // the readings in cents where the decimal mark is a point, and where it is a comma
	}{
		{"12,400", []int{1240000}, []int{1240000, 1240}},
		{"4.000", []int{400000, 400}, []int{400000}},
		{"0.500", []int{50}, []int{50}},
		{"12400.507", []int{1240050}, []int{1240050}},
		{"4,000.50", []int{400050}, []int{400050}},
		{"12.400,50", []int{1240050}, []int{1240050}},
		{"12,5", []int{1250}, []int{1250}},
		{"12 400", []int{1240000}, []int{1240000}},
		{"about 1 234 567 USD", []int{123456700}, []int{123456700}},
		{"1,25,000", []int{12500000}, []int{12500000}},
		{"1.250.500", []int{125050000}, []int{125050000}},
		{"12'400.05", []int{1240005}, []int{1240005}},
		{"US$ 10", []int{1000}, []int{1000}},
		{"100 mil dólares", []int{10000000}, []int{10000000}},
		{"1.5 million USD", []int{150000000}, []int{150000000}},
		{"3万美元", []int{3000000}, []int{3000000}},
		{"92233720368547759", []int{math.MaxInt64}, []int{math.MaxInt64}},
		{"99999999999999999999", []int{math.MaxInt64}, []int{math.MaxInt64}},
		{"99999999999999999999 mil", []int{math.MaxInt64 / 1000 * 1000}, []int{math.MaxInt64 / 1000 * 1000}},
		{"1" + strings.Repeat(" k", 7), []int{1e14}, []int{1e14}},
		{"1" + strings.Repeat(" k", 22), []int{1e14}, []int{1e14}}, // whose product is 0 in 64 bits
		{strings.Repeat("万 ", 16) + "1", []int{1e14}, []int{1e14}},
	} {
		for comma, readings := range map[bool][]int{false: c.point, true: c.comma} {
			sum, problem := Amount(c.text, comma)
			got := []tocsin.USD{sum.USD}
			if problem != nil && problem.Kind == Ambiguous {
				got = problem.Readings
			}
			want(t, c.text, got, readings)
		}
	}
	for text, currency := range map[string]string{"4000 USDT": "USDT", "usdc 4000": "USDC", "$4000": "",
		"4k usdt": "USDT"} {
		sum, problem := Amount(text, false)
		want(t, text, []any{sum, problem}, []any{Sum{USD: 400000, Currency: currency}, (*Problem)(nil)})
	}
	for text, kind := range map[string]Kind{"€ 4.000": OtherCurrency, "-5": Negative, "a lot": NoNumber,
		"2 ETH": OtherCurrency, "0,5 BTC": OtherCurrency, "0.05123 btc": OtherCurrency, "4000 euros": OtherCurrency,
		"85,000.50 MXN": OtherCurrency, "100 mil pesos": OtherCurrency, "R$ 500": OtherCurrency, "ARS 5": OtherCurrency,
		"2 WBTC": ExtraText, "2 sheep": ExtraText, "5 of 7": ExtraText,
		"1.2.3": UnclearAmount, "−5": Negative, "1,2345": UnclearAmount} {
		if sum, problem := Amount(text, true); problem == nil || sum.USD != 0 || problem.Kind != kind {
			t.Errorf("%s: %v, want %s", text, problem, kind)
		}
	}
}

func TestATransactionIsToldFromAKeyByTheWordBeforeIt(t *testing.T) {
	lone, signature := transaction[2:], strings.Repeat("5", 88)
	for text, kind := range map[string]Kind{lone: MaybeKey, "(" + lone + ").": MaybeKey, signature: MaybeKey,
		"tx " + lone: OnlyTransaction, "Transaktion: " + lone: OnlyTransaction, "my key " + lone: Secret,
		"private key: " + lone: Secret, "https://tronscan.org/#/transaction/" + lone: OnlyTransaction} {
		if _, problem := Subject(text); problem == nil || problem.Kind != kind {
			t.Errorf("%s: %v, want %s", text, problem, kind)
		}
	}
	for text, secret := range map[string]bool{lone: false, "a.example\ntx " + lone: false, signature: false,
		"private key:\n" + lone: true, "my key " + lone: true, lone + " " + lone: true} {
		want(t, text, ContainsSecret(Things, text), secret)
	}
	for _, text := range []string{"tx " + lone, "https://tronscan.org/#/transaction/" + lone,
		"https://mempool.space/tx/" + lone} {
		want(t, text, Read(Things, text), Found{Items: []Item{{Transactions, 1, lone}}})
	}
	for _, text := range []string{lone, "https://tronscan.org/#/transaction/" + lone} {
		want(t, text, Read(Transactions, text), Found{Items: []Item{{Transactions, 1, lone}}})
	}
}

func TestASecretIsFoundInALink(t *testing.T) {
	phrase := "legal-winner-thank-year-wave-sausage-worth-useful-legal-winner-thank-yellow"
	for _, field := range []Field{Addresses, Things} {
		for _, secret := range []string{phrase, strings.ReplaceAll(phrase, "-", "%2C"), "key_" + transaction[2:]} {
			want(t, "a secret in a link", ContainsSecret(field, "https://x.example/"+secret), true)
		}
	}
	for field, secret := range map[Field][2]string{
		Transactions: {transaction[2:] + "\n" + transaction, "a hash\nmy private key: " + transaction},
		Prose:        {"a hash " + transaction, transaction[2:]},
		Addresses:    {"100%, " + account, "100%, " + phrase},
		Things: {"https://x.example/legal-winner-thank",
			"https://x.example/?a=" + strings.ReplaceAll(phrase, "-", "&")},
		Links: {"https://x.example/legal-winner-thank", strings.ReplaceAll(phrase, "-", " ")},
	} {
		want(t, secret[0], ContainsSecret(field, secret[0]), false)
		want(t, secret[1], ContainsSecret(field, secret[1]), true)
	}
	for _, separator := range []string{"/", "=", "&", "+", "-", "_", " ", "%20"} {
		text := "https://x.example/" + strings.ReplaceAll(phrase, "-", separator)
		want(t, text, ContainsSecret(Things, text), true)
	}
}
