package paste

import (
	"fmt"
	"strings"
	"testing"

	"tocsin"
)

func TestEachKindOfWordIsKnown(t *testing.T) {
	const (
		solana = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
	)
	for _, c := range []struct {
		field Field
		text  string
		wrong Problem
	}{
		{Addresses, "Thief@Mail", Problem{Kind: MailAddress, Text: "Thief@Mail"}},
		{Things, "Vitalik.ETH", Problem{Kind: ENSName, Text: "Vitalik.ETH"}},
		{Things, "192.0.2.1:80", Problem{Kind: IPAddress, Text: "192.0.2.1:80"}},
		{Addresses, solana, Problem{Kind: MaybeSolana, Text: solana}},
		{Addresses, "9" + strings.Repeat("a", 23), Problem{Kind: NoAddress, Text: "9" + strings.Repeat("a", 23)}},

		{Addresses, "0xd8dA6BF2...A96045", Problem{Kind: CutShort}},
		{Addresses, "0xg8dA6BF2", Problem{Kind: WrongDigit, Text: "g"}},
		{Addresses, "0x" + strings.Repeat("a", 39), Problem{Kind: WrongLength, Text: "a", Count: 39}},
		{Addresses, "https://etherscan.io/address/0x12", Problem{Kind: WrongLength, Text: "2", Count: 2}},
		{Addresses, "https://etherscan.io/address/0x", Problem{Kind: WrongLength}},
		{Things, "https://etherscan.io/address/0xzz", Problem{Kind: WrongDigit, Text: "z"}},
		{Addresses, "https://x.example/?a=" + account + "&b=" + another, Problem{Kind: SeveralAddresses}},
		{Addresses, "https://x.example/" + account + "/" + another, Problem{Kind: SeveralAddresses}},

		{Transactions, transaction + "1", Problem{Kind: HashLength, Count: 65}},
		{Transactions, "0x1", Problem{Kind: HashLength, Count: 1}},
		{Transactions, "https://etherscan.io/blocks", Problem{Kind: LinkWithoutHash}},
		{Transactions, "paid", Problem{Kind: NoTransaction, Text: "paid"}},
		{Transactions, strings.Repeat("z", 64), Problem{Kind: NoTransaction, Text: strings.Repeat("z", 64)}},
		{Transactions, transaction[3:], Problem{Kind: NoTransaction, Text: transaction[3:]}},

		{Things, "v1.2b_", Problem{Kind: NoThing, Text: "v1.2b_"}},
		{Links, "11" + transaction[2:], Problem{Kind: NoLink, Text: "11" + transaction[2:]}},
		{Things, "hello you", Problem{Kind: NoThing, Text: "hello"}},
		{Links, transaction[2:], Problem{Kind: NoLink, Text: transaction[2:]}},
		{Links, "0x" + strings.Repeat("z", 64), Problem{Kind: NoLink, Text: "0x" + strings.Repeat("z", 64)}},
		{Links, transaction + "1", Problem{Kind: NoLink, Text: transaction + "1"}},
		{Links, "a.x", Problem{Kind: NoLink, Text: "a.x"}},
		{Links, "telegram lena_88", Problem{Kind: NoLink, Text: "telegram"}},
		{Links, "not.a_site/", Problem{Kind: NoLink, Text: "not.a_site/"}},
	} {
		c.wrong.Line = 1
		want(t, c.text, Read(c.field, c.text), Found{Problems: []Problem{c.wrong}})
	}
}

// TestAnAddressIsFoundWhateverIsGluedToIt: texts lose their spaces when they are copied.
func TestAnAddressIsFoundWhateverIsGluedToIt(t *testing.T) {
	for text, is := range map[string]bool{
		"USDC" + account: true, "address=" + account + "&amount=1": true, "an0x:" + account + ".": true,
		"USDC" + account + "1": false, "USDC" + account + "z": false, "USDC" + account[:41]: false, "0x": false,
	} {
		items := Read(Addresses, text).Items
		want(t, text, len(items) == 1 && items[0].Text == account, is)
	}
}

func TestOnlyFourNumbersOrColonsAreOfAComputer(t *testing.T) {
	for text, is := range map[string]bool{
		"192.0.2.1": true, "192.0.2.1:80": true, "[2001:db8::1]:80": true, "[2001:db8::1]": true, "2001:db8::1": true,
		"1250.00": false, "250.00": false, "1.250": false, "12.11.2026": false, "192.0.2": false, "192.0.2.256": false,
		"12:30": false,
	} {
		want(t, text, isIPAddress(text), is)
	}
}

func TestLinksAndLists(t *testing.T) {
	second := "0x" + strings.Repeat("2", 64)
	at := func(field Field, texts ...string) (items []Item) {
		for _, text := range texts {
			items = append(items, Item{Field: field, Line: 1, Text: text})
		}
		return items
	}
	for _, c := range []struct {
		field Field
		text  string
		items []Item
	}{
		{Addresses, account + "," + another + ";" + account, at(Addresses, account, another, account)},
		{Addresses, "EIP155:1:0X" + account[2:], at(Addresses, account)},
		{Addresses, "(" + account + "), [" + another + "].", at(Addresses, account, another)},
		{Addresses, "evil[.]example:8080", at(Domains, "evil.example:8080")},
		{Addresses, "https://x.example/token/" + account + "?a=" + account[:10], at(Addresses, account)},
		{Addresses, "https://x.example/a/" + transaction + "/" + second, at(Transactions, transaction, second)},
		{Things, "https://etherscan.io/address/" + account, at(Addresses, account)},
		{Addresses, "https://x.example/me/" + account, at(Addresses, account)},
		{Addresses, "https://x.example/0x" + strings.Repeat("z", 40), at(Domains,
			"https://x.example/0x"+strings.Repeat("z", 40))},
		{Things, "my-0x12.example", at(Domains, "my-0x12.example")},
		{Things, "https://etherscan.io/tx/" + transaction, at(Transactions, transaction)},
		{Things, "https://x.example/claim/" + transaction, at(Domains, "https://x.example/claim/"+transaction)},
		{Things, "https://a.example/x,https://b.example/y;hxxp://c.example/z,w", at(Domains, "https://a.example/x",
			"https://b.example/y", "http://c.example/z,w")},
		{Transactions, "https://x.example/tx/" + transaction + ";," + second, at(Transactions, transaction, second)},
		{Links, "https://a.example/x,;hxxps://b[.]example/y", at(Links, "https://a.example/x", "https://b.example/y")},
		{Links, "https://en.example/a_(b)", at(Links, "https://en.example/a_(b)")},
		{Links, "https://en.example/a[1].", at(Links, "https://en.example/a[1]")},
		{Links, "(https://en.example/a.)”.", at(Links, "https://en.example/a")},
		{Links, "[https://en.example/a.]»", at(Links, "https://en.example/a")},
		{Links, "news.example", at(Links, "https://news.example")},
		{Links, "see ftp://x", at(Links, "ftp://x")},
	} {
		want(t, c.text, Read(c.field, c.text), Found{Items: c.items})
	}
}

func TestANameThatIsTooLongIsRefusedAtOnce(t *testing.T) {
	long, longest := strings.Repeat("é", 64), strings.Repeat("a", 63)
	for _, text := range []string{long + ".example", "https://" + long + ".example/a", "www." + long + ".example?a",
		"https://me@" + long + ".example", "https://x.example.b" + long + "#a"} {
		_, fault := parseDomain(text)
		if fault == nil || len(fault.Fields) != 1 || fault.Fields[0].Reason != "it is longer than a name can be" {
			t.Errorf("%s: %v", text, fault)
		}
		found := Read(Things, "https://"+strings.TrimPrefix(text, "https://")+"/")
		if len(found.Problems) != 1 || found.Problems[0].Kind != NotDomain || found.Problems[0].Fault == nil {
			t.Errorf("%s: %v", text, found)
		}
	}
	for _, text := range []string{longest + ".example", "https://x.example/" + long, "x.example?" + long,
		`https://x.example\` + long, "https://" + long + "@x.example/",
		strings.Repeat("кошелёк", 5) + ".example"} { // in bytes it is longer
		if _, fault := parseDomain(text); fault != nil {
			t.Errorf("%s: %v", text, fault)
		}
	}
}

func TestALineMayHoldAsMuchAsIsLookedAt(t *testing.T) {
	for text, wrong := range map[string]Kind{
		strings.Repeat("x ", maxThings):                NoLink,
		strings.Repeat("x ", maxThings+1):              TooMany,
		strings.Repeat("x,", maxThings+1):              TooMany,
		strings.Repeat("x\n", maxThings-1):             NoLink,
		"x" + strings.Repeat("\n", maxThings-1):        NoLink,
		"x" + strings.Repeat("\n", maxThings):          TooMany,
		"x x\n" + strings.Repeat("x ", maxThings-1):    TooMany,
		strings.Repeat("x", maxThing):                  NoLink,
		strings.Repeat("x", maxThing+1):                TooLong,
		"\"\" " + strings.Repeat("x", maxThing+1) + "": TooLong,
	} {
		found := Read(Links, text)
		if len(found.Problems) == 0 || found.Problems[0].Kind != wrong || len(found.Items) != 0 {
			t.Errorf("%d bytes, %.10q: %.80v, want %s", len(text), text, found, wrong)
		}
	}
	want(t, "a good line", Read(Links, "what evil.example\n\"\" ()"), Found{
		Items: []Item{{Links, 1, "https://evil.example"}},
	})
	if n := len(split(strings.Repeat("x,", 2*maxThings), maxThings)); n != maxThings+1 {
		t.Errorf("%d words are split, want no more than one over the limit", n)
	}
}

func TestASiteWithAnAddressOfSomebodyInItsLinkIsASite(t *testing.T) {
	for _, text := range []string{"evil.example/claim?for=lena@mail.example", "evil.example?for=lena@mail.example",
		"evil.example#lena@mail.example", "evil.example/@lena.example", "https://evil.example/@lena.example"} {
		if s, problem := Subject(text); problem != nil || s.Value != "evil.example" {
			t.Errorf("%s: %v, %+v", text, s, problem)
		}
	}
}

func TestWhatIsNoMistakeIsSearchedFor(t *testing.T) {
	for text, want := range map[string]bool{
		"@thief": true, "https://t.me/thief": true, "lena@mail.example": true, "Lena Fischer": true, "...": true,
		"0x12": false, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5": false, "192.0.2.1": false, "vitalik.eth": false,
		transaction: false,
	} {
		_, problem := Subject(text)
		if problem == nil || problem.Kind.Searchable() != want {
			t.Errorf("%s: %+v", text, problem)
		}
	}
}

func TestAccountsOfOtherChainsAreFound(t *testing.T) {
	const (
		bitcoin = "bip122:000000000019d6689c085ae165831e93:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
		tron    = "tron:728126428:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
		solana  = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
		ton     = "tvm:-239:0%3Aca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e"
	)
	for text, want := range map[string]string{
		"(1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa)":                                           bitcoin,
		"he sent me bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?amount=0.5":               bitcoin,
		"https://mempool.space/address/1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa":               bitcoin,
		"https://mempool.space/address/1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?showDetails=1": bitcoin,
		"https://tronscan.org/#/address/TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t":              tron,
		"https://solscan.io/account/EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v?tab=1":  solana,
		"ton://transfer/UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA":                ton,
	} {
		found := Read(Addresses, text)
		if len(found.Items) != 1 || found.Items[0].Text != want {
			t.Errorf("%s: %+v", text, found)
		}
		if s, problem := Subject(text); problem != nil || s.String() != want {
			t.Errorf("%s: looked up as %v, %+v", text, s, problem)
		}
	}
	for text, chain := range map[string]string{"T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwB": "Tron",
		"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5": "Bitcoin"} {
		problems := Read(Addresses, text).Problems
		if len(problems) != 1 || problems[0].Kind != WrongAccount || problems[0].Fault == nil ||
			problems[0].Text != chain || problems[0].Address != text {
			t.Errorf("%s: %+v", text, problems)
		}
	}
}

func TestANumberIsOfThePhoneUnlessItSaysOtherwise(t *testing.T) {
	for text, handle := range map[string]string{
		"+44 20 7946 0958": "phone:+442079460958", "tel:+44 (0)20 7946 0958": "phone:+442079460958",
		"WhatsApp: 0044 20 7946-0958": "whatsapp:+442079460958", "whatsapp +44": "", "020 7946 0958": "",
		"+44 20/7946\u20130958": "phone:+442079460958", "+44\u00a020 (7946) 0958": "phone:+442079460958",
	} {
		if got := Phone(text); got != handle {
			t.Errorf("%s: %q", text, got)
		}
	}
}

func TestHandlesAreReadAsPeopleWriteThem(t *testing.T) {
	at := func(texts ...string) (items []Item) {
		for _, text := range texts {
			items = append(items, Item{Field: Handles, Line: 1, Text: text})
		}
		return items
	}
	own := func(names ...string) (problems []Problem) {
		for _, name := range names {
			problems = append(problems, Problem{Kind: OwnContact, Line: 1, Text: name})
		}
		return problems
	}
	site := Item{Domains, 1, "evil.example"}
	const thief = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	for text, want := range map[string]Found{
		"@lena":                                  {Items: at("name:@lena")},
		"Telegram Lena_88":                       {Items: at("telegram:lena_88")},
		"tg: @lena_88; IG - lena.88":             {Items: at("telegram:lena_88", "instagram:lena.88")},
		"Whats App: +44 (20) 7946-0958":          {Items: at("whatsapp:+442079460958")},
		"0044 20 7946 0958 | x: lena":            {Items: at("phone:+442079460958", "x:lena")},
		"name: Lena Gold":                        {Items: at("name:Lena Gold")},
		"e-mail lena@evil.example":               {Items: at("email:lena@evil.example")},
		"Telegram: https://t.me/lena_88":         {Items: at("telegram:lena_88")},
		"telegram evil.example":                  {Items: []Item{site}},
		"name of the site: evil.example":         {Items: []Item{site}},
		"+44 20 7946 0958, evil.example":         {Items: append(at("phone:+442079460958"), site)},
		transaction:                              {Items: []Item{{Transactions, 1, transaction}}},
		"https://evil.example/pay/" + tron:       {Items: []Item{{Domains, 1, "https://evil.example/pay/" + tron}}},
		"https://tronscan.org/#/address/" + tron: {Items: []Item{{Addresses, 1, "tron:728126428:" + tron}}},
		"Lena told me to send to " + tron + " on www.evil.example and her whatsapp is +52 55 9876 5432": {Items: append(
			at("whatsapp:+525598765432"), Item{Addresses, 1, "tron:728126428:" + tron}, Item{Domains, 1, "www.evil.example"})},
		"su número es +52 55 9876 5432 " + thief: {Items: append(at("phone:+525598765432"), Item{Addresses, 1, thief})},
		"+49123456789@evil.example":              {Items: at("email:+49123456789@evil.example")},
		"Nombre: Lena Gómez":                     {Items: at("name:Lena Gómez")},
		"usuario: lena_88":                       {Items: at("name:lena_88")},
		"my wallet " + tron: {Items: []Item{{Addresses, 1, "tron:728126428:" + tron}},
			Problems: []Problem{{Kind: OwnAddress, Line: 1, Text: "tron:728126428:" + tron}}},
		"mi billetera: " + thief: {Items: []Item{{Addresses, 1, thief}},
			Problems: []Problem{{Kind: OwnAddress, Line: 1, Text: thief}}},
		"he asked for my wallet on evil.example": {Items: []Item{site}},
		"mi telefono +34 612 345 678":            {Problems: own("+34612345678")},
		"su whatsapp +52 55 9876 5432, mi correo electrónico es ana@mail.example": {Items: at("whatsapp:+525598765432"),
			Problems: own("ana@mail.example")},
		"my Telegram: lena_88 / 我的手机号是 +8613800138000": {Problems: own("+8613800138000", "lena_88")},
		"Meine Nummer ist +49 151 12345678":            {Problems: own("+4915112345678")},
		"my broker +44 20 7946 0958":                   {Items: at("phone:+442079460958")},
		"evil.example, whatsapp 55 9876 54321": {Items: []Item{site},
			Problems: []Problem{{Kind: NoCountryCode, Line: 1, Text: "55 9876 54321"}}},
		"evil.example 2026-11-20 10": {Items: []Item{site}},
		"020 7946 0958": {
			Problems: []Problem{{Kind: NoCountryCode, Line: 1, Text: "020 7946 0958"}}},
		"+712345678901234 ": {Items: at("phone:+712345678901234")},
		"712345678901234": { // the longest telephone number
			Problems: []Problem{{Kind: NoCountryCode, Line: 1, Text: "712345678901234"}}},
		"Lena Gold": {Problems: []Problem{{Kind: NoThing, Line: 1, Text: "Lena"}}},
	} {
		found := Read(Things, text)
		if found.Aside = nil; fmt.Sprint(found) != fmt.Sprint(want) {
			t.Errorf("%s: %+v", text, found)
		}
	}
}

// TestALinkToAnExplorerInAListIsItsAccount: a list with the links of an explorer is one of accounts.
func TestALinkToAnExplorerInAListIsItsAccount(t *testing.T) {
	const thief = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	hexOf := func(digit string) string { return "0x" + strings.Repeat(digit, 40) }
	for text, want := range map[string]string{
		"https://etherscan.io/address/" + thief:                     thief,
		"hxxps://etherscan[.]io/address/" + thief + "#tokentxns":    thief,
		"etherscan.io/address/" + thief:                             thief,
		"https://tronscan.org/#/address/" + tron:                    "tron:728126428:" + tron,
		"https://etherscan.io/tx/" + transaction:                    "",
		"https://etherscan.io/address/0x12":                         "",
		"https://etherscan.io/tx/0x12":                              "",
		"https://etherscan.io/token/" + thief + "?a=" + hexOf("1"):  "",
		"https://etherscan.io":                                      "etherscan.io",
		"etherscan.io/":                                             "etherscan.io",
		"https://evil.example/address/" + thief:                     "evil.example",
		"https://evil.example/pay?to=" + thief:                      "evil.example",
		thief:                                                       thief,
		"https://metamask.app.link/send/" + thief + "@1?value=1e18": thief,
		"metamask.app.link/send/" + thief:                           thief,
		"https://metamask.app.link/send/pay-" + hexOf("1") + "@1/transfer?address=" + thief: "",
		"https://metamask.app.link/send/lena.eth@1":                                         "",
		"https://link.trustwallet.com/send?asset=c60&amount=1&address=" + thief:             thief,
		"https://link.trustwallet.com/send?asset=c195&address=" + tron:                      "tron:728126428:" + tron,
		"https://link.trustwallet.com/send?asset=c60&address=0x12":                          "",
		"https://phantom.app/ul/browse/https%3A%2F%2Fevil.example%2Fclaim?ref=x":            "evil.example",
		"https://phantom.app/download":                                                      "phantom.app",
		"https://metamask.app.link/":                                                        "metamask.app.link",
		"telegram:lena":                                                                     "",
	} {
		subject, fault := Cell(text)
		if got := subject.String(); got != want || (fault == nil) != (want != "") {
			t.Errorf("%s: %q, %v", text, got, fault)
		}
		if fault != nil && (fault.Code != tocsin.Invalid || len(fault.Fields) != 1 || fault.Fields[0].Reason == "" ||
			fault.Fields[0].Fix == "") {
			t.Errorf("%s: %+v does not say what to send instead", text, fault)
		}
	}
}

const tron = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"

// TestANameAloneIsAnAccount of a service that nobody has said yet; a word, a code or a part of a hash is none.
func TestANameAloneIsAnAccount(t *testing.T) {
	for text, name := range map[string]string{"lena_trades88": "name:@lena_trades88", " Lena_Gold ": "name:@Lena_Gold",
		"quantfx2": "name:@quantfx2", "lena": "", "USDT500": "", "deadbeef01deadbeef01": "", "v2": "", "lena_88 Lena": "",
		"ab1_" + strings.Repeat("x", 30): ""} {
		found := Read(Things, text)
		handle := ""
		for _, i := range found.Items {
			handle += i.Text
		}
		want(t, text, []any{handle, len(found.Problems)}, []any{name, map[bool]int{true: 0, false: 1}[name != ""]})
	}
}
