package sheet

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"tocsin"
	"tocsin/internal/paste"
)

// TestACellThatSaysThatThereIsNothingIsEmpty: in every way to write that, and no other cell is.
func TestACellThatSaysThatThereIsNothingIsEmpty(t *testing.T) {
	for _, cell := range strings.Split("||-|–|—|--|?|.|...|/| - / - |n/a|na|N/A|n.a.|N. "+
		"A.|none|null|nil|NULL|unknown|#N/A|tbd|"+
		"k.A.|k. A.|k.a|.........", "|") {
		if h, _ := held(cell); h != empty || !IsBlank(cell) {
			t.Errorf("%q is not empty", cell)
		}
	}
	for _, cell := range strings.Split("0|n|no|nob|nulls|anil|unknowns|tbd.|..........|_", "|") {
		if h, _ := held(cell); h != words || IsBlank(cell) {
			t.Errorf("%q is empty", cell)
		}
	}
}

// TestWhatACellHoldsIsKnownByItsForm: each limit of the forms, at it and beyond it.
func TestWhatACellHoldsIsKnownByItsForm(t *testing.T) {
	xrp := "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
	hex := func(n int) string { return strings.Repeat("1a", n)[:n] }
	for cell, want := range map[string]holding{
		one: account, tron: account, solana: account, xrp: account, "bitcoin:" + older: account,
		"a.example": site, "кошелёк.example": site, "https://a.example/@lena": site, "аб。рф": site,
		"lena@a.example": words, "@lena": words, "Müller": words, "a:b": words,
		"0x": words, "0x1": words, "0x12": nearly, "0x" + hex(62): nearly, "0x" + hex(63): words,
		hex(24): words, hex(25): nearly, hex(63): nearly, hex(64): words, hex(89): words, hex(90): nearly, hex(110): nearly,
		hex(111):                words,
		strings.Repeat("1", 30): words, strings.Repeat("ab", 15): words, "DE89" + strings.Repeat("7A", 12): words,
		"De89" + strings.Repeat("7A", 12): nearly, "de89" + strings.Repeat("7A", 12): nearly, hex(30) + " ": words,
	} {
		if got, subject := held(cell); got != want || (subject != tocsin.Subject{}) != (want == account || want == site) {
			t.Errorf("%q: %d, %v", cell, got, subject)
		}
	}
}

// flip writes the last letter of a text in the other case.
func flip(text string) string {
	at := strings.LastIndexFunc(text, unicode.IsLetter)
	if unicode.IsUpper(rune(text[at])) {
		return text[:at] + strings.ToLower(text[at:at+1]) + text[at+1:]
	}
	return text[:at] + strings.ToUpper(text[at:at+1]) + text[at+1:]
}

// TestLettersInTheWrongCaseAreAFault, also of an address that has no checksum, and whatever its row says of a chain.
func TestLettersInTheWrongCaseAreAFault(t *testing.T) {
	meant, _ := tocsin.ParseSubject("solana:" + solana)
	o := Options{Solana: func(tocsin.Subject) bool { return true }, Respelled: func(text string) tocsin.Subject {
		if strings.EqualFold(text, solana) && text != solana || text == "solana:"+flip(solana) {
			return meant
		}
		return tocsin.Subject{}
	}}
	for text, wrong := range map[string]bool{solana: false, "solana:" + solana: false, flip(solana): true,
		strings.ToLower(solana): true, "solana:" + flip(solana): true, one: false} {
		l := One(text, o)
		if (l.Fault != nil) != wrong || (l.Meant == meant) != wrong || wrong && l.Subject != (tocsin.Subject{}) || l.Solana &&
			wrong {
			t.Errorf("%s: %+v", text, l)
		}
	}
	table := Read("chain,address\nSolana,"+flip(solana)+"\nSOL,"+solana+"\n", 10, o)
	l := table.Lines
	if len(l) != 2 || l[0].Meant != meant || l[0].Fault == nil || l[1].Fault != nil || table.Solana != 0 {
		t.Errorf("of a table: %+v", table)
	}
}

// TestARequestToCallAContractIsNeverOfTheContract: it is of who gets the money if the contract is a known token.
func TestARequestToCallAContractIsNeverOfTheContract(t *testing.T) {
	const payee, token = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
	const request = "ethereum:" + token + "@1/transfer?address=" + payee + "&uint256=1"
	subject, _ := tocsin.ParseSubject(payee)
	for _, known := range []bool{true, false} {
		o := Options{
			Token: func(r paste.Transfer) bool {
				return known && r.Token.String() == token && r.Chain == "eip155:1"
			},
			Respelled: func(string) tocsin.Subject { return tocsin.Subject{} },
		}
		table := Read("name,pay to\nLena,"+request+"\n", 10, o)
		if l := table.Lines; len(l) != 1 || (l[0].Fault == nil) != known || known && l[0].Subject != subject {
			t.Errorf("known %t: %+v", known, table)
		}
		for _, call := range []string{"@1/mint?uint256=1", "/transfer?uint256=1"} {
			text := "ethereum:" + token + call
			if l := One(text, o); l.Fault == nil {
				t.Errorf("%s: %+v", text, l)
			}
		}
	}
}

// TestAnAccountIsFoundWithinATextIfItIsTheOnlyOne.
func TestAnAccountIsFoundWithinATextIfItIsTheOnlyOne(t *testing.T) {
	for text, subject := range map[string]string{
		"ETH:" + one: one, "to ETH:" + one + " now": one, one + " " + one: one, "TRON " + tron: tron, one + " " + two: "",
		"USDT:" + tron: tron, "to USDT:" + tron + " now": tron,
		"a " + one[:30] + " " + two: "", "TRC20 a.example " + tron: tron, "none": "",
		"private key " + strings.Repeat("1a", 32) + " " + one:        "",
		strings.Repeat("x1"+strings.Repeat("x", 30)+" ", maxCells-1): "",
	} {
		l := One(text, Options{})
		if l.Text != text || l.Subject.Plain() != subject || (l.Fault == nil) != (subject != "") || l.Solana {
			t.Errorf("%q: %+v", text, l)
		}
	}
	var asked []string
	is := func(yes bool) func(tocsin.Subject) bool {
		return func(s tocsin.Subject) bool { asked = append(asked, s.Plain()); return yes }
	}
	for yes, want := range map[bool]string{true: solana, false: ""} {
		l := One(solana, Options{Solana: is(yes)})
		if l.Subject.Plain() != want || l.Solana != yes || (l.Fault == nil) != yes {
			t.Errorf("%t: %+v", yes, l)
		}
	}
	if One("words", Options{Solana: is(true)}); !slices.Equal(asked, []string{solana, solana}) {
		t.Errorf("asked about %q", asked)
	}
	digits := strings.ToLower(one[2:])
	for _, text := range []string{digits, strings.ToUpper(digits), one[2:], "0x " + digits, "to " + digits,
		digits[:4] + " " + digits[4:20] + "\u00a0" + digits[20:], "0X" + digits[:20] + " " + digits[20:]} {
		if l := One(text, Options{}); l.Subject.Plain() != one || l.Text != text {
			t.Errorf("digits of an address: %+v", l)
		}
	}
	for _, text := range []string{digits + "0", digits[1:], digits[:20] + "g" + digits[21:], flip(one[2:])} {
		if l := One(text, Options{}); l.Fault == nil {
			t.Errorf("no digits of an address: %+v", l)
		}
	}
	if h, _ := held(digits); h != nearly { // a column of checksums is none of accounts
		t.Errorf("digits alone: %v", h)
	}
	words := strings.Repeat(strings.Repeat("xy", 15)+" ", maxCells-1)
	if got := fmt.Sprint(len(accountsIn(words+one)), len(accountsIn(words+"xy"+words+one)), len(accountsIn(tron)),
		len(accountsIn(one+" "+tron)), len(accountsIn("a.example"))); got != "1 0 1 2 0" {
		t.Errorf("accounts within texts: %s", got)
	}
}

// TestEveryWordForAChainIsKnown, and every name of a column that says on which one an address is.
func TestEveryWordForAChainIsKnown(t *testing.T) {
	n := 0
	for kind, list := range map[tocsin.Kind]string{
		tocsin.Bitcoin: "bitcoin btc xbt omni", tocsin.Tron: "tron trx trc20 trc10", tocsin.Solana: "solana sol spl",
		tocsin.TON: "ton toncoin theopennetwork", tocsin.XRP: "xrp xrpl ripple xrpledger", tocsin.Monero: "monero xmr",
		tocsin.Cardano: "cardano ada", tocsin.Litecoin: "litecoin ltc", tocsin.Dogecoin: "dogecoin doge",
		tocsin.BitcoinCash: "bitcoincash bch", tocsin.Dash: "dash", tocsin.Zcash: "zcash zec",
		tocsin.BNBBeacon: "bnbbeacon bnbbeaconchain beaconchain bep2",
		tocsin.EVM: "evm eip155 erc20 erc721 bep20 ether ethereumclassic etc bnbsmartchain binancesmartchain bnbchain " +
			"arbitrumone avaxc cchain avalanchecchain zksyncera mantle cronos sonic opbnb polygonpos",
	} {
		for word := range strings.FieldsSeq(list) {
			n++
			for _, cell := range []string{word, "the " + strings.ToUpper(word) + " chain"} {
				if got := chainKinds(cell); !slices.Equal(got, []tocsin.Kind{kind}) {
					t.Errorf("%q: %q", cell, got)
				}
			}
		}
	}
	if n != len(chainWords)+len(evmWords) {
		t.Errorf("%d words are tested, of %d", n, len(chainWords)+len(evmWords))
	}
	for cell, want := range map[string]string{
		"bnb": "[evm bnb_beacon]", "Binance": "[evm bnb_beacon]", "binance chain": "[evm bnb_beacon]", "mainnet": "[]",
		"ethereum": "[evm]", "base": "[evm]", "1": "[evm]", "8453": "[evm]", "ERC-20": "[evm]", "trc 20": "[tron]",
		"bep 2": "[bnb_beacon]", "bep": "[]", "the erc": "[]", "xrp ledger": "[xrp]", "btc / Bitcoin": "[bitcoin]",
		"tron eth tron": "[tron evm]", "eth" + strings.Repeat(" ", 97): "[evm]", "eth" + strings.Repeat(" ", 98): "[]",
	} {
		if got := fmt.Sprint(chainKinds(cell)); got != want {
			t.Errorf("%q: %s, not %s", cell, got, want)
		}
	}
	heads := strings.Fields("chain blockchain network chainid netzwerk netz cadena red rede réseau reseau chaîne 链 公链 " +
		"区块链 " +
		"网络")
	for _, head := range append(heads, "Chain-ID", "Block chain") {
		table := Read("wallet,"+head+"\n"+solana+",solana\n", 10, Options{})
		if !table.Columns[1].Chain || table.ByChain != 1 || table.Solana != 0 || table.Lines[0].Subject.Plain() != solana ||
			!table.Lines[0].Solana || !table.Lines[0].ByChain || table.Lines[0].Number != 2 {
			t.Errorf("%s: %+v", head, table)
		}
	}
	if len(heads) != len(chainHeads) {
		t.Errorf("%d names are tested, of %d", len(heads), len(chainHeads))
	}
	if table := Read("wallet,chained\n"+solana+",solana\n", 10, Options{}); table.ByChain != 0 {
		t.Errorf("chained: %+v", table)
	}
}

// TestAColumnSaysTheChainIfMostOfItsCellsDo: half of them are too few, and as many columns as there are others.
func TestAColumnSaysTheChainIfMostOfItsCellsDo(t *testing.T) {
	for text, want := range map[string]string{
		"wallet,chain\n" + solana + ",sol\n" + one + ",x\n":                       "0", // a half
		"wallet,chain\n" + solana + ",sol\n" + one + ",x\n" + two + ",eth\n":      "1 Chain1",
		"wallet,chain\n" + solana + ",sol\n" + one + ",n/a\n":                     "1 Chain1",
		"wallet,chain,network\n" + solana + ",sol,sol\n":                          "0", // which of the two?
		"from,c1 chain,to,c2 chain\n" + solana + ",sol," + solana + ",sol\n":      "2 Chain1 Chain3",
		"from,to,chain\n" + solana + "," + solana + ",sol\n" + one + "," + solana: "2 Chain2",
		one + ",eth\n" + solana + ",sol one two\n":                                "1 Chain1",
		one + ",eth one two three\n" + solana + ",sol one two three\n":            "0",
	} {
		table := Read(text, 10, Options{})
		got := fmt.Sprint(table.ByChain)
		for i, c := range table.Columns {
			if c.Chain {
				got += fmt.Sprintf(" Chain%d", i)
			}
		}
		if got != want {
			t.Errorf("%q: %s, not %s", text, got, want)
		}
	}
	l := Read("wallet,chain\n"+one+",TRX "+strings.Repeat("é", maxChain)+"\n", 10, Options{}).Lines[0]
	if n := len([]rune(l.Chain)); n != maxChain || l.ChainColumn != "chain" {
		t.Errorf("%d characters of %q: %q", n, l.ChainColumn, l.Chain)
	}
}
