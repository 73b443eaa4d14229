package feed

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tocsin"
)

func safelists() []Source {
	warning, files := mispParts()
	return []Source{{
		List: tocsin.List{
			Name: "eth-labels", Family: familyEth,
			URL: "https://github.com/dawsbot/eth-labels",
		},
		Title:    "eth-labels",
		Names:    []tocsin.Kind{tocsin.EVM},
		About:    "accounts and tokens with their labels on seven block explorers: good ones, and phishers and exploiters (MIT)",
		Upstream: "https://raw.githubusercontent.com/dawsbot/eth-labels/v1/data/csv/",
		Files:    []string{"accounts.csv", "tokens.csv"},
		Default:  "accounts.csv",
		folder:   "data/csv",
		parts: []part{
			{glob: "accounts.csv", read: ethLabels},
			{glob: "accounts.tar.zst", read: ethLabelsArchive, otherwise: true},
			{glob: "tokens.csv", read: ethLabelsTokens},
		},
	}, {
		List: tocsin.List{
			Name: "etherscan-labels", Family: familyEth,
			URL: "https://github.com/brianleect/etherscan-labels",
		},
		Title:    "Etherscan labels",
		Names:    []tocsin.Kind{tocsin.EVM},
		About:    "accounts and tokens with their labels on seven block explorers, of 2023: good ones, and phishers and exploiters (MIT)",
		Upstream: "https://raw.githubusercontent.com/brianleect/etherscan-labels/main/data/",
		Files: []string{
			"etherscan/combined/combinedAllLabels.json", "arbiscan/combined/combinedAllLabels.json",
			"avalanche/combined/combinedAllLabels.json", "bscscan/combined/combinedAllLabels.json",
			"ftmscan/combined/combinedAllLabels.json", "optimism/combined/combinedAllLabels.json",
			"polygonscan/combined/combinedAllLabels.json",
		},
		folder: "data",
		parts: []part{
			{glob: "*/combined/combinedAllLabels.json", read: etherscanLabels},
			{glob: "*combinedAllLabels.json", read: etherscanLabels},
		},
	}, {
		List: tocsin.List{
			Name: "uniswap-default-list", Family: "uniswap",
			URL: "https://github.com/Uniswap/default-token-list",
		},
		Title:    "Uniswap default list",
		Names:    []tocsin.Kind{tocsin.EVM},
		About:    "the tokens that Uniswap shows without a warning (GPL-3.0-or-later)",
		Upstream: "https://raw.githubusercontent.com/Uniswap/default-token-list/main/src/",
		Files: []string{
			"tokens/mainnet.json", "tokens/arbitrum.json", "tokens/avalanche.json", "tokens/base.json",
			"tokens/blast.json", "tokens/bnb.json", "tokens/celo.json", "tokens/optimism.json",
			"tokens/polygon.json", "tokens/unichain.json", "tokens/worldchain.json", "tokens/zksync.json", "tokens/zora.json",
		},
		Default: "tokens/mainnet.json",
		folder:  "src",
		parts:   []part{{glob: "tokens/*.json", read: uniswap}},
	}, {
		List: tocsin.List{
			Name: "misp-warninglists", Family: "misp",
			URL: "https://github.com/MISP/misp-warninglists",
		},
		Title:    "MISP warning lists",
		Names:    []tocsin.Kind{tocsin.DNS},
		About:    "top sites, banks, universities; shorteners, hosting and other services of strangers (CC0-1.0)",
		Upstream: "https://raw.githubusercontent.com/MISP/misp-warninglists/main/lists/",
		Files:    files,
		folder:   "lists",
		parts:    warning,
	}}
}

// explorer is a block explorer whose labels were scraped.
type explorer struct {
	chain int64
	page  string // before an address
}

// explorers are the block explorers by the names that the lists use for them.
var explorers = map[string]explorer{
	"etherscan":   {1, "https://etherscan.io/address/"},
	"optimism":    {10, "https://optimistic.etherscan.io/address/"},
	"bscscan":     {56, "https://bscscan.com/address/"},
	"gnosis":      {100, "https://gnosisscan.io/address/"},
	"polygonscan": {137, "https://polygonscan.com/address/"},
	"ftmscan":     {250, "https://ftmscan.com/address/"},
	"basescan":    {8453, "https://basescan.org/address/"},
	"arbiscan":    {42161, "https://arbiscan.io/address/"},
	"celo":        {42220, "https://celoscan.io/address/"},
	"avalanche":   {43114, "https://snowtrace.io/address/"},
}

// account is one address on one chain.
type account struct {
	chain   int64
	subject tocsin.Subject
}

// labels is everything that an explorer says of one account. It is gathered
// before it is judged, since one label may contradict another.
type labels struct {
	name   string // the first that is not empty
	labels []string
	token  bool // the name was chosen by whoever made the token, not by the explorer
}

// label gathers one label.
func (r *reading) label(chain int64, address, name, label string, token bool) {
	s, ok := r.address(address)
	if !ok {
		return
	}
	r.rows++
	if r.accounts == nil {
		r.accounts = map[account]*labels{}
	}
	a := account{chain, s}
	l := r.accounts[a]
	if l == nil {
		l = &labels{}
		r.accounts[a] = l
	}
	if l.name == "" {
		l.name = strings.TrimSpace(name)
	}
	l.labels = append(l.labels, label)
	l.token = l.token || token
}

// classify lists the accounts whose labels are of a known kind.
func (r *reading) classify() {
	pages := map[int64]string{}
	for _, e := range explorers {
		pages[e.chain] = e.page
	}
	known := goodLabels()
	named := map[tocsin.Subject]bool{}
	for a, l := range r.accounts {
		named[a.subject] = named[a.subject] || l.name != ""
	}
	byAddress := func(a, b account) int {
		if c := strings.Compare(a.subject.Value, b.subject.Value); c != 0 {
			return c
		}
		return int(a.chain - b.chain)
	}
	for _, a := range slices.SortedFunc(maps.Keys(r.accounts), byAddress) {
		l := r.accounts[a]
		listing := tocsin.Listing{Subject: a.subject, Name: l.name, Chain: chain(a.chain)}
		if crime := l.crime(named[a.subject]); crime != "" {
			listing.Kind, listing.Category = tocsin.Risk, string(crime)
		} else if kind := l.kind(known); kind != "" {
			listing.Kind, listing.Category = tocsin.Safe, kind
		} else {
			r.refuse(a.subject.Value, doubtful, strings.Join(append(l.labels, l.name), ", "))
			continue
		}
		if page := pages[a.chain]; page != "" {
			listing.URL = page + a.subject.Value
		}
		r.list(listing)
	}
}

// badLabels are the labels by which an explorer warns.
var badLabels = map[string]tocsin.CrimeType{
	"phish-hack": tocsin.Phishing,
	"exploit":    tocsin.Hack,
	"heist":      tocsin.Hack,
	"scam":       tocsin.Scam,
	"ponzi":      tocsin.Scam,
	"high-risk":  tocsin.Scam,
	"spam-token": tocsin.Scam,
	"rugpull":    tocsin.RugPull,
	"rug-pull":   tocsin.RugPull,
}

var (
	fakeName  = regexp.MustCompile(`(?i)^(fake_?phishing\s*\d*$|phishing\b|fake:|scam:)`)
	thiefName = regexp.MustCompile(`(?i)\b(exploiter|hacker|attacker|drainer|scammer)( contract| multisig)?(\s*\d+)?\s*($|:)`)
	rugName   = regexp.MustCompile(`(?i)\b(rug ?pull|rugger)(\s*\d+)?$`)
	// warning is every word that a good account would hardly have in its name.
	// It is not enough to blame: pools and tokens are named by strangers.
	warning = regexp.MustCompile(`(?i)fake|phish|exploit|hack|scam|heist|attack|drainer|rug|ponzi|honeypot|spam|stolen|suspicious|compromis|malicious|vulnerab`)
	// tokenName is how explorers show tokens: the name and the symbol.
	tokenName = regexp.MustCompile(`\([^()]*\)$`)
)

// accused returns the crime of which a name tag accuses; "" if of none. Tags
// are given by the explorer; "SushiSwap: SCAM" is a pool of a token of that name.
func accused(tag string) tocsin.CrimeType {
	switch {
	case fakeName.MatchString(tag):
		return tocsin.Phishing
	case thiefName.MatchString(tag) && !strings.Contains(strings.ToLower(tag), "white"):
		return tocsin.Hack
	case rugName.MatchString(tag):
		return tocsin.RugPull
	}
	return ""
}

// crime returns what the labels accuse the account of. It is named if the
// account has a name on some chain.
func (l *labels) crime(named bool) tocsin.CrimeType {
	if !l.token && !tokenName.MatchString(l.name) {
		if crime := accused(l.name); crime != "" {
			return crime
		}
	}
	for _, label := range l.labels {
		if crime := badLabels[label]; crime != "" {
			return crime
		}
	}
	// "blocked" is whom the makers of USDC or USDT have frozen. They freeze
	// token contracts as well, to which people send by mistake: those have
	// names. A sanction is for the authority's own list to say, which also
	// knows who was taken off it.
	if !named && slices.Contains(l.labels, "blocked") && !slices.Contains(l.labels, "ofac-sanctions-lists") {
		return tocsin.OtherCrime
	}
	return ""
}

// kind returns what the account is known to be, if the explorer has given it a
// name and a label of a known good kind.
func (l *labels) kind(known map[string]goodLabel) string {
	if l.name == "" || warning.MatchString(l.name) {
		return ""
	}
	token := l.token || tokenName.MatchString(l.name)
	for _, label := range l.labels {
		if g, ok := known[label]; ok && !(token && g.service) {
			return g.kind
		}
	}
	return ""
}

// goodLabel is what a label says of its accounts.
type goodLabel struct {
	kind    string
	service bool // says nothing good of a token, which may merely be about such a service
}

// goodLabels are the labels of known good kinds: exchanges, tokens with an
// issuer, and protocols whose contracts people use every day. Labels that
// anybody's token can have (defi, meme, gaming, finance …) are not among them,
// nor are houses that failed.
func goodLabels() map[string]goodLabel {
	labels := map[string]goodLabel{}
	add := func(kind string, service bool, names string) {
		for _, name := range strings.Fields(names) {
			labels[name] = goodLabel{kind, service}
		}
	}
	add("exchange", true, `exchange hot-wallet cold-wallet fiat-gateway
		ascendex binance bitbank bitfinex bitget bithumb bitmart bitmex bitpanda bitstamp bittrex bybit changenow
		coinbase coinhako coinmetro coinone coinsquare crypto-com deribit digifinex gate-io gemini htx huobi korbit
		kraken kucoin latoken lcx-ag mexc okx paribu poloniex shapeshift upbit uphold wirex`)
	add("dex", true, `dex amm router`)
	add("dex", false, `0x-protocol 1inch aerodrome airswap balancer bancor beethoven-x camelot cow-protocol curve-fi dydx
		idex kyberswap loopring pancakeswap pangolin paraswap quickswap rubicon saddle-finance spookyswap sushiswap
		tokenlon trader-joe uniswap velodrome`)
	add("bridge", true, `bridge layer-2`)
	add("bridge", false, `across-protocol arbitrum arbitrum-nova arbitrum-one axelar base blast celer-network connext
		hop-protocol linea mantle metis-andromeda optimism optimism-bridge polygon polygon-matic scroll starknet
		stargate synapse wormhole zksync`)
	add("token", false, `token-contract stablecoin bridged-token wrapped-token wrapped-bitcoin
		binance-pegged bitcoin-pegged centre circle tether`)
	add("contract", true, `system-contract celo-precompiles safe-formerly-gnosis-safe proxy-contract factory-contract`)
	add("project", true, `oracle`)
	add("project", false, `aave aavegotchi alchemix-finance art-blocks augur aura-finance axie-infinity
		basic-attention-token biconomy blur-io chainlink compound compound-governance convex-finance cryptokitties
		cryptopunks decentraland defi-saver eigenlayer ens enzyme-finance ethereum-foundation frax-finance
		gearbox-protocol gnosis gods-unchained golem illuvium index-protocol instadapp juicebox lido liquity livepeer
		looksrare lyra-finance maker metamask morpho mstable nexus-mutual nifty-gateway nouns-dao opensea opyn pendle
		pimlico pooltogether rarible ribbon-finance rocket-pool rtfkt sablier set-protocol sorare superrare synthetix
		tbtc the-graph unstoppable-domains yearn yearn-finance zapper-fi zerion zora 0xsplits endaoment giveth-io`)
	return labels
}

// ethLabels reads the accounts in the form in which they are downloaded.
func ethLabels(r *reading, body io.Reader) error {
	return r.table(body, []string{"address", "chainId", "label", "nameTag"}, func(field func(string) string) {
		r.labelRow(field, field("nameTag"), false)
	})
}

func ethLabelsTokens(r *reading, body io.Reader) error {
	return r.table(body, []string{"address", "chainId", "label", "name"}, func(field func(string) string) {
		r.labelRow(field, field("name"), true)
	})
}

func (r *reading) labelRow(field func(string) string, name string, token bool) {
	id, err := strconv.ParseInt(field("chainId"), 10, 64)
	if err != nil || id <= 0 {
		r.refuse(field("address"), badRow, "its chainId is "+field("chainId"))
		return
	}
	r.label(id, field("address"), name, field("label"), token)
}

// ethLabelsArchive reads the accounts in the form of the repository's tree:
// data/EXPLORER/LABEL/accounts.json.
func ethLabelsArchive(r *reading, body io.Reader) error {
	return archive(body, func(name string, file io.Reader) error {
		folder := path.Dir(name)
		e, ok := explorers[path.Base(path.Dir(folder))]
		if path.Base(name) != "accounts.json" || !ok {
			return nil
		}
		type entry struct{ Address, NameTag string }
		entries, err := array[entry](r, file)
		for _, a := range entries {
			r.label(e.chain, a.Address, a.NameTag, path.Base(folder), false)
		}
		return err
	})
}

// etherscanLabels reads everything that one explorer labels.
func etherscanLabels(r *reading, body io.Reader) error {
	name, _, _ := strings.Cut(r.file, "/")
	name, _, _ = strings.Cut(name, ".")
	e, ok := explorers[name]
	if !ok {
		return fmt.Errorf("its name does not tell the block explorer: call it etherscan.combinedAllLabels.json if it is that of Ethereum")
	}
	type entry struct {
		Name   string
		Labels []string
	}
	var list map[string]row[entry]
	if err := decodeJSON(body, &list); err != nil {
		return err
	}
	for _, address := range slices.Sorted(maps.Keys(list)) {
		entry := list[address]
		if entry.fault != nil {
			r.refuse(address, badRow, entry.fault.Error())
			continue
		}
		for _, label := range entry.value.Labels {
			r.label(e.chain, address, entry.value.Name, label, false)
		}
	}
	return nil
}

// testnets are chains on which anybody can put a token of any name.
var testnets = map[int64]bool{3: true, 4: true, 5: true, 42: true, 80001: true, 84532: true, 421614: true, 11155111: true}

// uniswap reads tokens, as an array or as a token list (tokenlists.org).
func uniswap(r *reading, body io.Reader) error {
	type token struct {
		Name, Address string
		ChainID       int64
	}
	var file json.RawMessage
	if err := decodeJSON(body, &file); err != nil {
		return err
	}
	var rows []row[token]
	if err := json.Unmarshal(file, &rows); err != nil {
		var list struct{ Tokens []row[token] }
		if err := json.Unmarshal(file, &list); err != nil {
			return fmt.Errorf("it is no list of tokens: %w", err)
		}
		rows = list.Tokens
	}
	for _, t := range good(r, rows) {
		s, ok := r.address(t.Address)
		switch {
		case !ok:
		case testnets[t.ChainID]:
			r.refuse(t.Address, testnet, t.Name)
		case t.ChainID <= 0:
			r.refuse(t.Address, badRow, "it has no chainId")
		default:
			r.list(tocsin.Listing{Kind: tocsin.Safe, Category: "token", Name: t.Name, Chain: chain(t.ChainID), Subject: s})
		}
	}
	return nil
}
