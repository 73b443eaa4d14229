package paste

import (
	"strings"
	"testing"
)

func TestEachKindOfWordIsKnown(t *testing.T) {
	const (
		bitcoin = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
		solana  = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
	)
	b58 := func(n int) string { return "3" + strings.Repeat("a", n-1) }
	for _, c := range []struct {
		field Field
		text  string
		wrong Problem
	}{
		{Addresses, "Thief@Mail.example", Problem{Kind: MailAddress, Text: "Thief@Mail.example"}},
		{Domains, "Vitalik.ETH", Problem{Kind: ENSName, Text: "Vitalik.ETH"}},
		{Domains, "192.0.2.1:80", Problem{Kind: IPAddress, Text: "192.0.2.1:80"}},
		{Addresses, bitcoin, Problem{Kind: OtherChain, Text: "Bitcoin"}},
		{Addresses, b58(34), Problem{Kind: OtherChain, Text: "Bitcoin"}},
		{Addresses, b58(35), Problem{Kind: OtherChain, Text: "Solana, or of another chain"}},
		{Addresses, "ltc1" + strings.Repeat("q", 11), Problem{Kind: OtherChain, Text: "Bitcoin"}},
		{Addresses, "BC1QAR0SRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ", Problem{Kind: OtherChain, Text: "Bitcoin"}},
		{Addresses, solana, Problem{Kind: OtherChain, Text: "Solana, or of another chain"}},
		{Addresses, "9" + strings.Repeat("a", 31), Problem{Kind: OtherChain, Text: "Solana, or of another chain"}},
		{Addresses, "9" + strings.Repeat("a", 30), Problem{Kind: NoAddress, Text: "9" + strings.Repeat("a", 30)}},
		{Addresses, strings.Repeat("a", 34), Problem{Kind: NoAddress, Text: strings.Repeat("a", 34)}},
		{Addresses, "9" + strings.Repeat("l", 34), Problem{Kind: NoAddress, Text: "9" + strings.Repeat("l", 34)}},
		{Addresses, "T" + strings.Repeat("l", 33), Problem{Kind: NoAddress, Text: "T" + strings.Repeat("l", 33)}},
		{Addresses, "T" + strings.Repeat("a", 34), Problem{Kind: NoAddress, Text: "T" + strings.Repeat("a", 34)}},

		{Addresses, "0xd8dA6BF2...A96045", Problem{Kind: CutShort}},
		{Addresses, "0xg8dA6BF2", Problem{Kind: WrongDigit, Text: "g"}},
		{Addresses, "0x" + strings.Repeat("a", 39), Problem{Kind: WrongLength, Text: "a", Count: 39}},
		{Addresses, "https://etherscan.io/address/0x12", Problem{Kind: WrongLength, Text: "2", Count: 2}},
		{Addresses, "https://etherscan.io/address/0x", Problem{Kind: WrongLength}},
		{Domains, "https://etherscan.io/address/0xzz", Problem{Kind: WrongDigit, Text: "z"}},
		{Addresses, "https://x.example/?a=" + account + "&b=" + another, Problem{Kind: SeveralAddresses}},
		{Addresses, "https://x.example/" + account + "/" + another, Problem{Kind: SeveralAddresses}},

		{Transactions, transaction + "1", Problem{Kind: HashLength, Count: 65}},
		{Transactions, "0x1", Problem{Kind: HashLength, Count: 1}},
		{Transactions, "https://etherscan.io/blocks", Problem{Kind: LinkWithoutHash}},
		{Transactions, "paid", Problem{Kind: NoTransaction, Text: "paid"}},
		{Transactions, strings.Repeat("z", 64), Problem{Kind: NoTransaction, Text: strings.Repeat("z", 64)}},
		{Transactions, transaction[3:], Problem{Kind: NoTransaction, Text: transaction[3:]}},

		{Domains, "v1.2b_", Problem{Kind: NoDomain, Text: "v1.2b_"}},
		{Links, "11" + transaction[2:], Problem{Kind: NoLink, Text: "11" + transaction[2:]}},
		{Domains, "hello you", Problem{Kind: NoDomain, Text: "hello"}},
		{Links, transaction[2:], Problem{Kind: NoLink, Text: transaction[2:]}},
		{Links, "0x" + strings.Repeat("z", 64), Problem{Kind: NoLink, Text: "0x" + strings.Repeat("z", 64)}},
		{Links, transaction + "1", Problem{Kind: NoLink, Text: transaction + "1"}},
		{Links, "not.a_site/", Problem{Kind: NoLink, Text: "not.a_site/"}},
	} {
		c.wrong.Line = 1
		want(t, c.text, Read(c.field, c.text), Found{Problems: []Problem{c.wrong}})
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
		{Domains, "https://etherscan.io/address/" + account, at(Addresses, account)},
		{Addresses, "https://x.example/me/" + account, at(Addresses, account)},
		{Addresses, "https://x.example/0x" + strings.Repeat("z", 40), at(Domains,
			"https://x.example/0x"+strings.Repeat("z", 40))},
		{Domains, "my-0x12.example", at(Domains, "my-0x12.example")},
		{Domains, "https://etherscan.io/tx/" + transaction, at(Transactions, transaction)},
		{Domains, "https://x.example/claim/" + transaction, at(Domains, "https://x.example/claim/"+transaction)},
		{Domains, "https://a.example/x,https://b.example/y;hxxp://c.example/z,w", at(Domains, "https://a.example/x",
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
		found := Read(Domains, "https://"+strings.TrimPrefix(text, "https://")+"/")
		if len(found.Problems) != 1 || found.Problems[0].Kind != NotDomain || found.Problems[0].Fault == nil {
			t.Errorf("%s: %v", text, found)
		}
	}
	for _, text := range []string{longest + ".example", "https://x.example/" + long, "x.example?" + long,
		`https://x.example\` + long, "https://" + long + "@x.example/"} {
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

func TestWhatNoReportCanBeAbout(t *testing.T) {
	for kind, want := range map[Kind]bool{OtherChain: true, SharedDomain: true, ChatName: true, MailAddress: true,
		ENSName: false, NoAddress: false, IPAddress: false, CutShort: false} {
		if kind.Unreportable() != want {
			t.Errorf("%s: %t", kind, !want)
		}
	}
}
