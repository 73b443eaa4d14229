package explorer

import (
	"testing"

	"tocsin/internal/tocsintest"
)

func TestChainsHaveTheNamesThatPeopleUse(t *testing.T) {
	for id, name := range map[string]string{"eip155:1": "Ethereum", "eip155:8453": "Base", "eip155:5": "EVM chain 5",
		"tron:728126428": "Tron", "x:1": "x:1", "": ""} {
		tocsintest.Want(t, id, ChainName(id), name)
	}
}

// TestAnExplorerHasThePagesThatItsSiteHas, of accounts and of transactions.
func TestAnExplorerHasThePagesThatItsSiteHas(t *testing.T) {
	for chain, pages := range map[string][2]string{
		"eip155:10":      {"https://optimistic.etherscan.io/address/a", "https://optimistic.etherscan.io/tx/b"},
		"tron:728126428": {"https://tronscan.org/#/address/a", "https://tronscan.org/#/transaction/b"},
		"xrpl:0":         {"https://xrpscan.com/account/a", "https://xrpscan.com/tx/b"},
		"bip122:1a91e3dace36e2be3bf030a65679fe82": {"https://blockchair.com/dogecoin/address/a",
			"https://blockchair.com/dogecoin/transaction/b"},
	} {
		e, known := Of(chain)
		got := [2]string{e.Account("a"), e.Transaction("b")}
		tocsintest.Want(t, chain, []any{known, got}, []any{true, pages})
	}
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
