package feed

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/explorer"
)

// account is one address on one chain.
type account struct {
	chain   int64
	subject tocsin.Subject
}

// accountLabels are all labels of an account. They are collected before the
// account is classified, because one label may contradict another.
type accountLabels struct {
	name   string // the first name tag that is not empty
	labels []string
	token  bool // the name is that of a token, chosen by its creator and not by the explorer
}

// maxLabels is the maximum of labels of an account. Explorers give a few.
const maxLabels = 1000

// addLabel adds a label of an account.
func (r *reader) addLabel(chain int64, address, name, label string, token bool) {
	s, ok := r.parseAddress(address)
	if !ok {
		return
	}
	r.rows++
	if r.accounts == nil {
		r.accounts = map[account]*accountLabels{}
	}
	a := account{chain, s}
	l := r.accounts[a]
	if l == nil {
		l = &accountLabels{}
		r.accounts[a] = l
	}
	if l.name == "" {
		l.name = strings.TrimSpace(cut(name))
	}
	if !slices.Contains(l.labels, label) {
		l.labels = append(l.labels, cut(label))
	}
	if len(r.accounts) > maxEntries || len(l.labels) > maxLabels {
		r.tooMany(maxEntries, "accounts, or accounts with too many labels")
	}
	l.token = l.token || token
}

// emitAccounts lists the accounts that have a label of a known kind.
func (r *reader) emitAccounts() {
	known := safeLabels()
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
		if category := l.risk(named[a.subject]); category != "" {
			listing.Kind, listing.Category = tocsin.Risk, category
		} else if kind := l.safeKind(known); kind != "" {
			listing.Kind, listing.Category = tocsin.Safe, kind
		} else {
			r.refuse(a.subject.Value, unknownLabel, strings.Join(append(l.labels, l.name), ", "))
			continue
		}
		if e, known := explorer.Of(listing.Chain); known {
			listing.URL = e.Account(a.subject.Value)
		}
		r.emitListing(listing)
	}
}

// riskLabels are the labels with which explorers warn of an account.
var riskLabels = map[string]tocsin.CrimeType{
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
	phishingTag = regexp.MustCompile(`(?i)^(fake_?phishing\s*\d*$|phishing\b|fake:|scam:)`)
	thiefTag    = regexp.MustCompile(`(?i)\b(exploiter|hacker|attacker|drainer|scammer)` +
		`( contract| multisig)?(\s*\d+)?\s*($|:)`)
	rugPullTag = regexp.MustCompile(`(?i)\b(rug ?pull|rugger)(\s*\d+)?$`)
	// warningWord matches names that a safe account is unlikely to have. A match
	// does not make the account a risk, because anybody can name a pool or a token.
	warningWord = regexp.MustCompile(`(?i)fake|phish|exploit|hack|scam|heist|attack|drainer|rug|ponzi|honeypot|spam|` +
		`stolen|suspicious|compromis|malicious|vulnerab`)
	// tokenName matches names that end with a symbol in brackets, as explorers
	// show tokens.
	tokenName = regexp.MustCompile(`\([^()]*\)$`)
)

// crimeOfTag returns the crime that a name tag names, or "". The explorer writes
// the tags. They may quote token names: "SushiSwap: SCAM" is a pool of a token
// called SCAM.
func crimeOfTag(tag string) tocsin.CrimeType {
	switch {
	case phishingTag.MatchString(tag):
		return tocsin.Phishing
	case thiefTag.MatchString(tag) && !strings.Contains(strings.ToLower(tag), "white"):
		return tocsin.Hack
	case rugPullTag.MatchString(tag):
		return tocsin.RugPull
	}
	return ""
}

// risk returns the category of an account that the labels warn of: the crime that
// they name, or [tocsin.Frozen]; "" of any other. The account is named if it has a
// name tag on any chain.
func (l *accountLabels) risk(named bool) string {
	if !l.token && !tokenName.MatchString(l.name) {
		if crime := crimeOfTag(l.name); crime != "" {
			return string(crime)
		}
	}
	for _, label := range l.labels {
		if crime := riskLabels[label]; crime != "" {
			return string(crime)
		}
	}
	// "blocked" is an account frozen by the issuer of USDC or USDT. Issuers also
	// freeze token contracts that received tokens by mistake; those have name
	// tags. Sanctions are read from the authority's own list, which also removes
	// delisted addresses.
	if !named && slices.Contains(l.labels, "blocked") && !slices.Contains(l.labels, "ofac-sanctions-lists") {
		return tocsin.Frozen
	}
	return ""
}

// safeKind returns the kind of a safe account, or "". The account needs a name
// tag and a safe label.
func (l *accountLabels) safeKind(known map[string]safeLabel) string {
	if l.name == "" || warningWord.MatchString(l.name) {
		return ""
	}
	token := l.token || tokenName.MatchString(l.name)
	for _, label := range l.labels {
		if safe, ok := known[label]; ok && !(token && safe.notTokens) {
			return safe.kind
		}
	}
	return ""
}

// safeLabel is the meaning of a label of safe accounts.
type safeLabel struct {
	kind      string
	notTokens bool // a token with this label is not safe: it may only refer to such a service
}

// safeLabels are the labels of exchanges, of tokens with an issuer, and of widely
// used protocols. Labels that any token can get (defi, meme, gaming, finance …)
// and the labels of failed exchanges are left out.
func safeLabels() map[string]safeLabel {
	labels := map[string]safeLabel{}
	add := func(kind string, notTokens bool, names string) {
		for _, name := range strings.Fields(names) {
			labels[name] = safeLabel{kind, notTokens}
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
