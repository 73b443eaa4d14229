package sheet

import (
	"fmt"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/locale"
)

const (
	// older is an address of Bitcoin, and the older form of one of Bitcoin Cash.
	older = "1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu"
	// script is an address of Bitcoin, and the older form of one of Litecoin.
	script = "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"
)

// TestAChainColumnSaysOfWhichChainAnAddressIs: a text that needs a prefix needs none then, a text that is an address of
// two chains is read as both, and what contradicts the form of an address is said in its row.
func TestAChainColumnSaysOfWhichChainAnAddressIs(t *testing.T) {
	langs, err := locale.Load(locale.Shipped()[0])
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"address,chain\n" + solana + ",solana\n" + solana + ",SOL\n" + solana + ",SPL Token\n" + tron + ",TRX\n" + tron +
			",USDT-TRC20\n" + one + ",eip155:1\n" + one + ",BNB Smart Chain (BEP20)\n" + one + ",8453\n" + one + ",Stellar\n" +
			one + ",\n": "solana, solana, solana, tron, tron, evm, evm, evm, evm, evm",
		"id;Blockchain;address\n1;ETH;" + solana + "\n2;;" + solana + "\n3;Solana;" + solana + "\n4;;" + one: "" +
			"! (“Blockchain” says “ETH”, but this has the form of an address of Solana), !, solana, evm",
		"wallet,network\n" + one + ",TRC20\n" + tron + ",Ethereum Mainnet\na.example,tron\n" + one + ",ERC-20\n": "" +
			"evm (“network” says “TRC20”, but this is an address of Ethereum and other EVM chains), " +
			"tron (“network” says “Ethereum Mainnet”, but this is an address of Tron), domain, evm",
		"wallet,network\n" + older + ",BCH\n" + older + ",btc\n" + script + ",Litecoin\nbitcoin:" + script + ",LTC\n": "" +
			"bitcoin_cash, bitcoin (“network” says “BCH”, but this is an address of Bitcoin), bitcoin, " +
			"litecoin, bitcoin (“network” says “Litecoin”, but this is an address of Bitcoin), " +
			"bitcoin (“network” says “LTC”, but this is an address of Bitcoin)",
		one + ",eth\n" + solana + ",Solana\n" + tron + ",USDT\n": "evm, solana, tron", // without names
		one + ",1\n" + solana + ",10\n" + tron + ",56\n":         "evm, !, tron",      // amounts
		"wallet,fee\n" + one + ",eth\n" + solana + ",solana\n":   "evm, !",            // of another name
		"from_chain,from,to_chain,to\nTRX," + one + ",Solana," + solana + "\neth," + one + ",tron," + tron + "\n": "" +
			"evm (“from_chain” says “TRX”, but this is an address of Ethereum and other EVM chains), solana, evm, tron",
		"chain,from,to\nETH," + one + "," + solana + "\nETH," + two + "," + one + "\n": "" +
			"evm, ! (“chain” says “ETH”, but this has the form of an address of Solana), evm, evm",
		"address,chain\n" + one + ",note\n" + two + ",more\n":  "evm, evm",
		"address,chain\n" + one + ",TRC20\n" + two + ",note\n": "evm, evm", // half are not most
	} {
		var got []string
		table := Read(text, 20, Options{})
		for _, l := range table.Lines {
			kind := string(l.Subject.Kind)
			if l.Fault != nil {
				kind = "!"
			}
			if note := l.Note(langs.English()); note != "" {
				kind += " (" + strings.TrimSuffix(strings.TrimPrefix(note, "The column "), ".") + ")"
			}
			got = append(got, kind)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q:\n%q, not\n%q", text, strings.Join(got, ", "), want)
		}
		if n := strings.Count(want, "but this is"); table.Contrary != n {
			t.Errorf("%q: %d contrary, not %d", text, table.Contrary, n)
		}
	}
	table := Read("address,chain\n"+solana+",solana\n"+solana+",\n"+one+",eth", 10, Options{})
	if table.Solana != 1 || table.ByChain != 1 || !table.Columns[1].Chain {
		t.Errorf("%d may be of Solana, %d are by their chain", table.Solana, table.ByChain)
	}
}

// TestAllWordsForAChainMeanItsKind: each is read as it is, and in capitals.
func TestAllWordsForAChainMeanItsKind(t *testing.T) {
	for word, kind := range chainWords {
		for _, text := range []string{word, strings.ToUpper(word), tocsin.Subject{Kind: kind}.Chain()} {
			if got := fmt.Sprint(chainKinds(text)); got != fmt.Sprint([]tocsin.Kind{kind}) {
				t.Errorf("%q: %s", text, got)
			}
		}
	}
	for text, want := range map[string]string{"ERC20 / TRC20": "[evm tron]", "BNB": "[evm bnb_beacon]",
		"solana-mainnet": "[solana]",
		"Bitcoin Cash":   "[bitcoin_cash]", "TRC-20": "[tron]",
		"Arbitrum One": "[evm]", "eip155:56": "[evm]", "mainnet": "[]",
		"": "[]", "5": "[]", strings.Repeat("eth ", 30): "[]"} {
		if got := fmt.Sprint(chainKinds(text)); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestAFileIsReadHoweverItsCellsAreSeparated: with tabs in a file named CSV, with semicolons and a byte order mark, and
// with the line by which Excel knows the separator.
func TestAFileIsReadHoweverItsCellsAreSeparated(t *testing.T) {
	const rows = "name|wallet|sum\nLee, Ann|" + one + "|1,5\nBo;b|" + two + "|2,5\n"
	for mark, before := range map[string]string{"\t": "", ";": "\ufeff"} {
		table := Read(before+strings.ReplaceAll(rows, "|", mark), 10, Options{})
		if mark == ";" {
			table = Read(before+strings.ReplaceAll(strings.ReplaceAll(rows, "Bo;b", "Bob"), "|", mark), 10, Options{})
		}
		if got := said(table); got != "2 wallet="+one+" / 3 wallet="+two || string(table.Comma) != mark {
			t.Errorf("%q: %q, separated by %q", mark, got, table.Comma)
		}
	}
	for text, want := range map[string]string{
		"sep=;\nname;wallet\nLee, Ann;" + one:    "3 wallet=" + one,
		"\ufeffsep=,\r\n" + one + ",x\r\n":       "2 column 1=" + one,
		"SEP=\t\nwallet\tsum\n" + one + "\t1,5":  "3 wallet=" + one,
		"\"sep=;\"\nwallet;sum\n" + one + ";1,5": "3 wallet=" + one,
	} {
		if got := said(Read(text, 10, Options{})); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

// TestAColumnIsFoundByTheNameThatItHas, also where that of a column of ours has changed it.
func TestAColumnIsFoundByTheNameThatItHas(t *testing.T) {
	text := "subject,riskLevel,a,A\n" + one + "," + two + "," + tron + "," + one + "\n"
	for names, want := range map[string]string{
		"subject": "subject (2)=" + one, "subject (2)": "subject (2)=" + one, "RISKLEVEL": "riskLevel (2)=" + two,
		"a": "a=" + tron, "A (2)": "A (2)=" + one,
	} {
		if got := said(Read(text, 10, Options{Names: []string{names}})); got != "2 "+want {
			t.Errorf("%q: %q", names, got)
		}
	}
}
