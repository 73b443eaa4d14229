// Package explorer knows block explorers: sites that show what is on a chain, and nothing that their users write. They
// are linked to, recognized in what people paste, and trusted in the evidence of reports.
package explorer

import (
	"net/url"
	"strconv"
	"strings"

	"tocsin"
)

// Site is a block explorer, or the part of one that shows a chain.
type Site struct {
	Name      string // as it calls itself
	Chain     string // the CAIP-2 id of its chain; "" for several chains
	ChainName string // "" for several chains

	home                 string // its URL
	account, transaction string // the URLs of their pages, up to the address or the hash; "" if we do not know them
}

var (
	blockscan  = several("Blockscan", "https://blockscan.com", "/address/", "")
	blockchair = several("Blockchair", "https://blockchair.com", "", "/search?q=")
	blockscout = several("Blockscout", "https://blockscout.com", "", "")
)

// sites are all explorers. Of several of one chain the first is the one to link to.
var sites = []Site{
	blockscan, blockchair, blockscout,

	ofEVM(1, "Ethereum", "Etherscan", "https://etherscan.io"),
	ofEVM(10, "Optimism", "Optimism Etherscan", "https://optimistic.etherscan.io"),
	ofEVM(56, "BNB Chain", "BscScan", "https://bscscan.com"),
	ofEVM(100, "Gnosis", "Gnosisscan", "https://gnosisscan.io"),
	ofEVM(130, "Unichain", "Uniscan", "https://uniscan.xyz"),
	ofEVM(137, "Polygon", "PolygonScan", "https://polygonscan.com"),
	ofEVM(250, "Fantom", "FTMScan", "https://ftmscan.com"),
	ofEVM(324, "ZKsync Era", "ZKsync Explorer", "https://explorer.zksync.io"),
	ofEVM(480, "World Chain", "Worldscan", "https://worldscan.org"),
	ofEVM(8453, "Base", "BaseScan", "https://basescan.org"),
	ofEVM(42161, "Arbitrum One", "Arbiscan", "https://arbiscan.io"),
	ofEVM(42220, "Celo", "Celoscan", "https://celoscan.io"),
	ofEVM(43114, "Avalanche", "Snowtrace", "https://snowtrace.io"),
	ofEVM(59144, "Linea", "LineaScan", "https://lineascan.build"),
	ofEVM(81457, "Blast", "Blastscan", "https://blastscan.io"),
	ofEVM(534352, "Scroll", "Scrollscan", "https://scrollscan.com"),
	ofEVM(7777777, "Zora", "Zora Explorer", "https://explorer.zora.energy"),

	// No explorer can show an account of Monero. That of the BNB Beacon Chain has ended.
	of(tocsin.Bitcoin, "mempool.space", "https://mempool.space", "/address/", "/tx/"),
	of(tocsin.Tron, "Tronscan", "https://tronscan.org", "/#/address/", "/#/transaction/"),
	of(tocsin.Solana, "Solscan", "https://solscan.io", "/account/", "/tx/"),
	of(tocsin.Solana, "Solana Explorer", "https://explorer.solana.com", "/address/", "/tx/"),
	of(tocsin.Solana, "SolanaFM", "https://solana.fm", "/address/", "/tx/"),
	of(tocsin.Solana, "Solana Beach", "https://solanabeach.io", "/address/", "/transaction/"),
	of(tocsin.Solana, "XRAY", "https://xray.helius.xyz", "/account/", "/tx/"),
	of(tocsin.TON, "Tonviewer", "https://tonviewer.com", "/", "/transaction/"),
	of(tocsin.TON, "Tonscan", "https://tonscan.org", "/address/", "/tx/"),
	of(tocsin.XRP, "XRPSCAN", "https://xrpscan.com", "/account/", "/tx/"),
	of(tocsin.Cardano, "Cardanoscan", "https://cardanoscan.io", "/address/", "/transaction/"),
	of(tocsin.Litecoin, "Blockchair", "https://blockchair.com", "/litecoin/address/", "/litecoin/transaction/"),
	of(tocsin.Dogecoin, "Blockchair", "https://blockchair.com", "/dogecoin/address/", "/dogecoin/transaction/"),
	of(tocsin.BitcoinCash, "Blockchair", "https://blockchair.com", "/bitcoin-cash/address/", "/bitcoin-cash/transaction/"),
	of(tocsin.Dash, "Blockchair", "https://blockchair.com", "/dash/address/", "/dash/transaction/"),
	of(tocsin.Zcash, "Blockchair", "https://blockchair.com", "/zcash/address/", "/zcash/transaction/"),
}

// several is an explorer of several chains. A path is "" if it has no such page for all of them.
func several(name, home, account, transaction string) Site {
	s := Site{Name: name, home: home}
	if account != "" {
		s.account = home + account
	}
	if transaction != "" {
		s.transaction = home + transaction
	}
	return s
}

// ofEVM is an explorer of an EVM chain. All of them have the same paths.
func ofEVM(id int, chain, name, home string) Site {
	s := several(name, home, "/address/", "/tx/")
	s.Chain, s.ChainName = "eip155:"+strconv.Itoa(id), chain
	return s
}

// of is an explorer of a chain that is not of the EVM.
func of(kind tocsin.Kind, name, home, account, transaction string) Site {
	s, chain := several(name, home, account, transaction), tocsin.Subject{Kind: kind}
	s.Chain, s.ChainName = chain.Chain(), chain.ChainName()
	return s
}

// Of returns the explorer of a chain to link to, by its CAIP-2 id. It reports false if we know none.
func Of(chain string) (Site, bool) {
	for _, s := range sites {
		if chain != "" && s.Chain == chain {
			return s, true
		}
	}
	return Site{}, false
}

// shortNames are the names that people and wallets write before an address (EIP-3770 has most), by EVM chain.
var shortNames = map[string]int{
	"eth": 1, "ethereum": 1, "mainnet": 1, "oeth": 10, "op": 10, "optimism": 10, "bnb": 56, "bsc": 56, "gno": 100,
	"gnosis": 100, "unichain": 130, "matic": 137, "pol": 137, "polygon": 137, "ftm": 250, "fantom": 250, "zksync": 324,
	"wc": 480, "worldchain": 480, "base": 8453, "arb": 42161, "arb1": 42161, "arbitrum": 42161, "celo": 42220,
	"avax": 43114, "avalanche": 43114, "linea": 59144, "blast": 81457, "scr": 534352, "scroll": 534352, "zora": 7777777,
}

// Called returns the CAIP-2 id of the EVM chain that people call by a name, such as base; "" if we know none.
func Called(name string) string {
	if id := shortNames[strings.ToLower(name)]; id != 0 {
		return "eip155:" + strconv.Itoa(id)
	}
	return ""
}

// OfAnyEVM is the explorer that shows an account on every EVM chain.
func OfAnyEVM() Site { return blockscan }

// OfAnyTransaction is the explorer that finds a transaction on the chain where it is.
func OfAnyTransaction() Site { return blockchair }

// At returns the explorer whose site a host is. What Blockchair and its like show is of several chains.
func At(host string) (Site, bool) {
	host = strings.TrimPrefix(strings.ToLower(host), "www.")
	for _, s := range sites {
		if host != "" && s.home == "https://"+host {
			return s, true
		}
	}
	return Site{}, false
}

// Account is the URL of the page of an account, by its address as a wallet shows it.
func (s Site) Account(address string) string {
	if strings.HasPrefix(address, "stake1") { // of Cardano; no address of another chain begins so
		return s.home + "/stakekey/" + address
	}
	return s.account + url.PathEscape(address)
}

// Transaction is the URL of the page of a transaction.
func (s Site) Transaction(hash string) string { return s.transaction + url.PathEscape(hash) }

// ChainName is the name of a chain, by its CAIP-2 id.
func ChainName(id string) string {
	if s, known := Of(id); known {
		return s.ChainName
	}
	if number, evm := strings.CutPrefix(id, "eip155:"); evm {
		return "EVM chain " + number
	}
	return id
}
