package explorer

import (
	"fmt"
	"strings"
	"testing"

	"tocsin/internal/tocsintest"
)

func TestChainsHaveTheNamesThatPeopleUse(t *testing.T) {
	for id, name := range map[string]string{"eip155:1": "Ethereum", "eip155:8453": "Base", "eip155:5": "EVM chain 5",
		"tron:728126428": "Tron", "x:1": "x:1", "": ""} {
		tocsintest.Want(t, id, ChainName(id), name)
	}
}

// TestAChainIsKnownByEachOfItsNames, in small letters and in capitals.
func TestAChainIsKnownByEachOfItsNames(t *testing.T) {
	n := 0
	for id, names := range map[int]string{1: "eth ethereum mainnet", 10: "oeth op optimism", 56: "bnb bsc",
		100: "gno gnosis", 130: "unichain", 137: "matic pol polygon", 250: "ftm fantom", 324: "zksync", 480: "wc worldchain",
		8453: "base", 42161: "arb arb1 arbitrum", 42220: "celo", 43114: "avax avalanche", 59144: "linea", 81457: "blast",
		534352: "scr scroll", 7777777: "zora"} {
		for name := range strings.FieldsSeq(names) {
			n++
			for _, called := range []string{name, strings.ToUpper(name)} {
				tocsintest.Want(t, called, Called(called), fmt.Sprint("eip155:", id))
			}
		}
	}
	tocsintest.Want(t, "names", n, len(shortNames))
	for _, other := range []string{"", "x", "eip155:1", "1", "tron"} {
		tocsintest.Want(t, other, Called(other), "")
	}
}

// TestAnExplorerHasThePagesThatItsSiteHas, of accounts and of transactions, as testdata/sites.txt lists them.
func TestAnExplorerHasThePagesThatItsSiteHas(t *testing.T) {
	var all strings.Builder
	for _, s := range sites {
		first, _ := Of(s.Chain)
		fmt.Fprintf(&all, "%s|%s|%s|%s|%s|%s|%t\n", s.Chain, s.ChainName, s.Name, s.home, s.Account("a"), s.Transaction("b"),
			first.Name == s.Name)
	}
	tocsintest.Golden(t, "testdata/sites.txt", all.String())
	tocsintest.Want(t, "any", []string{OfAnyEVM().Account("a"), OfAnyTransaction().Transaction("b")},
		[]string{"https://blockscan.com/address/a", "https://blockchair.com/search?q=b"})
	cardano, _ := Of("cip34:1-764824073")
	tocsintest.Want(t, "a stake account", cardano.Account("stake1x"), "https://cardanoscan.io/stakekey/stake1x")
	for _, chain := range []string{"monero:418015bb9ae982a1975da7d79277c270" /* which shows no accounts */, ""} {
		if e, known := Of(chain); known {
			t.Errorf("%q has the explorer %s", chain, e.Name)
		}
	}
}

func TestAnExplorerIsKnownByItsHost(t *testing.T) {
	for host, chain := range map[string]string{"etherscan.io": "eip155:1", "www.BaseScan.org": "eip155:8453",
		"blockchair.com": "", "solana.fm": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"} {
		e, known := At(host)
		tocsintest.Want(t, host, []any{known, e.Chain}, []any{true, chain})
	}
	for _, host := range []string{"", "evil.example", "etherscan.io.evil.example", "chat.blockscan.com"} {
		if e, known := At(host); known {
			t.Errorf("%q is taken for %s", host, e.Name)
		}
	}
}
