package web

import (
	"net/url"
	"slices"
	"strings"

	"tocsin"
)

// elsewhere is a link to a page of another service about a subject, or to a page of ours that may have been meant. It
// is never a link to a reported site.
type elsewhere struct{ Name, URL string }

// evmChain is an EVM chain by the name that people use, with a block explorer.
type evmChain struct{ name, explorer, page string }

// evmChains are the EVM chains of the lists, by their CAIP-2 id.
var evmChains = map[string]evmChain{
	"eip155:1":       {"Ethereum", "Etherscan", "https://etherscan.io/address/"},
	"eip155:10":      {"Optimism", "Optimism Etherscan", "https://optimistic.etherscan.io/address/"},
	"eip155:56":      {"BNB Chain", "BscScan", "https://bscscan.com/address/"},
	"eip155:100":     {"Gnosis", "Gnosisscan", "https://gnosisscan.io/address/"},
	"eip155:130":     {"Unichain", "Uniscan", "https://uniscan.xyz/address/"},
	"eip155:137":     {"Polygon", "PolygonScan", "https://polygonscan.com/address/"},
	"eip155:250":     {"Fantom", "FTMScan", "https://ftmscan.com/address/"},
	"eip155:324":     {"ZKsync Era", "ZKsync Explorer", "https://explorer.zksync.io/address/"},
	"eip155:480":     {"World Chain", "Worldscan", "https://worldscan.org/address/"},
	"eip155:8453":    {"Base", "BaseScan", "https://basescan.org/address/"},
	"eip155:42161":   {"Arbitrum One", "Arbiscan", "https://arbiscan.io/address/"},
	"eip155:42220":   {"Celo", "Celoscan", "https://celoscan.io/address/"},
	"eip155:43114":   {"Avalanche", "Snowtrace", "https://snowtrace.io/address/"},
	"eip155:59144":   {"Linea", "LineaScan", "https://lineascan.build/address/"},
	"eip155:81457":   {"Blast", "Blastscan", "https://blastscan.io/address/"},
	"eip155:534352":  {"Scroll", "Scrollscan", "https://scrollscan.com/address/"},
	"eip155:7777777": {"Zora", "Zora Explorer", "https://explorer.zora.energy/address/"},
}

// chainName is the name of the chain of a listing.
func chainName(id string) string {
	if c, known := evmChains[id]; known {
		return c.name
	}
	if number, evm := strings.CutPrefix(id, "eip155:"); evm {
		return "EVM chain " + number
	}
	return id
}

// otherExplorers are block explorers of the chains that are not of the EVM: the page of an account, up to its
// address. No explorer can show an account of Monero.
var otherExplorers = map[tocsin.Kind]elsewhere{
	tocsin.Bitcoin:     {"mempool.space", "https://mempool.space/address/"},
	tocsin.Tron:        {"Tronscan", "https://tronscan.org/#/address/"},
	tocsin.Solana:      {"Solscan", "https://solscan.io/account/"},
	tocsin.TON:         {"Tonviewer", "https://tonviewer.com/"},
	tocsin.XRP:         {"XRPSCAN", "https://xrpscan.com/account/"},
	tocsin.Cardano:     {"Cardanoscan", "https://cardanoscan.io/address/"},
	tocsin.Litecoin:    {"Blockchair", "https://blockchair.com/litecoin/address/"},
	tocsin.Dogecoin:    {"Blockchair", "https://blockchair.com/dogecoin/address/"},
	tocsin.BitcoinCash: {"Blockchair", "https://blockchair.com/bitcoin-cash/address/"},
}

// Elsewhere are the pages of block explorers about an account, on each chain where a list knows it, or those of
// archives about a site.
func (sc screening) Elsewhere() (pages []elsewhere) {
	text := url.PathEscape(sc.subject.Plain())
	if !sc.subject.IsAddress() {
		return []elsewhere{
			{"urlscan.io", "https://urlscan.io/domain/" + text},
			{"Wayback Machine", "https://web.archive.org/web/*/" + text},
		}
	}
	if e, known := otherExplorers[sc.subject.Kind]; known {
		if sc.subject.Kind == tocsin.Cardano && strings.HasPrefix(sc.subject.Value, "stake") {
			e.URL = "https://cardanoscan.io/stakekey/"
		}
		return []elsewhere{{e.Name, e.URL + text}}
	}
	if sc.subject.Kind != tocsin.EVM {
		return nil
	}
	chains := []string{"eip155:1"}
	for _, l := range sc.dossier.Listings {
		if evmChains[l.Chain].page != "" && !slices.Contains(chains, l.Chain) {
			chains = append(chains, l.Chain)
		}
	}
	slices.SortFunc(chains[1:], func(a, b string) int { return strings.Compare(chainName(a), chainName(b)) })
	for _, c := range chains {
		pages = append(pages, elsewhere{evmChains[c].explorer, evmChains[c].page + text})
	}
	return append(pages, elsewhere{sc.lang.Text("Blockscan, for other chains"), "https://blockscan.com/address/" + text})
}
