package sheet

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"tocsin"
	"tocsin/internal/explorer"
	"tocsin/internal/locale"
)

// chainHeads are the words in the name of a column that says on which chain an address is, in the languages of the
// site.
var chainHeads = map[string]bool{"chain": true, "blockchain": true, "network": true, "chainid": true, "netzwerk": true,
	"netz": true, "cadena": true, "red": true, "rede": true, "réseau": true, "reseau": true, "chaîne": true,
	"链": true, "公链": true, "区块链": true, "网络": true}

// chainWords are the words for chains other than those of the EVM: their names, their coins, and the standards of their
// tokens, by which exchanges name a network.
var chainWords = map[string]tocsin.Kind{
	"bitcoin": tocsin.Bitcoin, "btc": tocsin.Bitcoin, "xbt": tocsin.Bitcoin, "omni": tocsin.Bitcoin,
	"tron": tocsin.Tron, "trx": tocsin.Tron, "trc20": tocsin.Tron, "trc10": tocsin.Tron,
	"solana": tocsin.Solana, "sol": tocsin.Solana, "spl": tocsin.Solana,
	"ton": tocsin.TON, "toncoin": tocsin.TON, "theopennetwork": tocsin.TON,
	"xrp": tocsin.XRP, "xrpl": tocsin.XRP, "ripple": tocsin.XRP, "xrpledger": tocsin.XRP,
	"monero": tocsin.Monero, "xmr": tocsin.Monero, "cardano": tocsin.Cardano, "ada": tocsin.Cardano,
	"litecoin": tocsin.Litecoin, "ltc": tocsin.Litecoin, "dogecoin": tocsin.Dogecoin, "doge": tocsin.Dogecoin,
	"bitcoincash": tocsin.BitcoinCash, "bch": tocsin.BitcoinCash, "dash": tocsin.Dash,
	"zcash": tocsin.Zcash, "zec": tocsin.Zcash,
	"bnbbeacon": tocsin.BNBBeacon, "bnbbeaconchain": tocsin.BNBBeacon, "beaconchain": tocsin.BNBBeacon,
	"bep2": tocsin.BNBBeacon,
}

// evmWords are the words for chains of the EVM that [explorer.Called] does not know.
var evmWords = map[string]bool{"evm": true, "eip155": true, "erc20": true, "erc721": true, "bep20": true, "ether": true,
	"ethereumclassic": true, "etc": true, "bnbsmartchain": true, "binancesmartchain": true, "bnbchain": true,
	"arbitrumone": true, "avaxc": true, "cchain": true, "avalanchecchain": true, "zksyncera": true, "mantle": true,
	"cronos": true, "sonic": true, "opbnb": true, "polygonpos": true}

// chainPrefixes are by which an address without a prefix is read as one of a chain, where it would otherwise be refused
// or be one of another chain: an address of Solana has no checksum, and older ones of two chains look like Bitcoin's.
var chainPrefixes = map[tocsin.Kind]string{tocsin.Solana: "solana:", tocsin.Litecoin: "litecoin:",
	tocsin.BitcoinCash: "bitcoincash:"}

// chainKinds are the kinds of account that a cell of a chain column may mean, such as "TRC20", "eip155:1", "BNB Smart
// Chain (BEP20)" or the number of an EVM chain; nil if it says nothing that is known here.
func chainKinds(cell string) (kinds []tocsin.Kind) {
	if len(cell) > 100 {
		return nil
	}
	for kind := range maps.Values(chainWords) {
		if strings.EqualFold(cell, tocsin.Subject{Kind: kind}.Chain()) {
			return []tocsin.Kind{kind}
		}
	}
	words := wordsOf(cell)
	if kinds = wordKinds(strings.Join(words, "")); kinds != nil {
		return kinds
	}
	for i, word := range words {
		if i+1 < len(words) && (word == "erc" || word == "trc" || word == "bep") { // ERC-20
			word += words[i+1]
		}
		for _, kind := range wordKinds(word) {
			if !slices.Contains(kinds, kind) {
				kinds = append(kinds, kind)
			}
		}
	}
	return kinds
}

// wordKinds are the kinds of account that a word for a chain may mean; nil if it is none.
func wordKinds(word string) []tocsin.Kind {
	_, known := explorer.Of("eip155:" + word)
	switch {
	case word == "bnb" || word == "binance" || word == "binancechain":
		return []tocsin.Kind{tocsin.EVM, tocsin.BNBBeacon}
	case word == "mainnet": // of any chain
		return nil
	case known || evmWords[word] || explorer.Called(word) != "":
		return []tocsin.Kind{tocsin.EVM}
	case chainWords[word] != "":
		return []tocsin.Kind{chainWords[word]}
	}
	return nil
}

// wordsOf are the words of a text, in small letters.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// chooseChains finds the columns that say on which chain the addresses of the rows are: by its name or, in a table
// without names, because it mostly holds names of chains. One is for all columns that are read; of as many as these,
// each is for one of them, in their order.
func (r *Reader) chooseChains(rows [][]string) {
	var found []int
	for i := range r.Columns {
		isName := func(word string) bool { return chainHeads[word] }
		if r.Columns[i].Read || r.Head != nil && !slices.ContainsFunc(wordsOf(r.Head.Cells[i]), isName) {
			continue
		}
		filled, known := 0, 0
		for _, cells := range rows {
			if i >= len(cells) || IsBlank(cells[i]) {
				continue
			}
			filled++
			letters := strings.ContainsFunc(cells[i], unicode.IsLetter) && len(wordsOf(cells[i])) <= 3
			if (r.Head != nil || letters) && chainKinds(cells[i]) != nil {
				known++
			}
		}
		if known*2 > filled {
			found = append(found, i)
		}
	}
	if len(found) != 1 && len(found) != len(r.read) {
		return
	}
	r.chains = map[int]int{}
	for n, i := range slices.Sorted(slices.Values(r.read)) {
		r.chains[i] = found[min(n, len(found)-1)]
	}
	for _, i := range found {
		r.Columns[i].Chain = true
	}
}

// cell reads a cell of a row. What the row says of the chain makes a text an address of it that is none by itself, such
// as one of Solana. If it contradicts the form of an address, the line says so; a text that is an address of both
// chains has a line for each.
func (r *Reader) cell(number int, text string, column int, cells []string) []Line {
	l := r.line(number, text)
	chain, told := r.chains[column]
	if !told || chain >= len(cells) || l.Meant != (tocsin.Subject{}) {
		return []Line{l}
	}
	kinds := chainKinds(cells[chain])
	if len(kinds) == 0 || l.Fault == nil && (!l.Subject.IsAddress() || slices.Contains(kinds, l.Subject.Kind)) {
		return []Line{l}
	}
	_, bare := tocsin.BareSolana(text)
	if l.Fault == nil || bare {
		l.Chain, l.ChainColumn = tocsin.Shorten(cells[chain], maxChain), r.Names[chain]
	}
	if l.Fault == nil {
		r.Contrary++
	}
	for _, kind := range kinds {
		prefix := chainPrefixes[kind]
		subject, fault := tocsin.ParseSubject(prefix + text)
		if prefix == "" || fault != nil || strings.Contains(text, ":") {
			continue
		}
		r.ByChain++
		m := Line{Number: number, Text: text, Subject: subject, Solana: kind == tocsin.Solana, ByChain: true}
		if l.Fault != nil {
			if m.Solana {
				r.Solana-- // it is read after all
			}
			return []Line{m}
		}
		return []Line{m, l}
	}
	return []Line{l}
}

// maxChain is how many characters of a cell with a chain are repeated.
const maxChain = 40

// Note says that the row contradicts the form of its address, also of one that was not read; "" if it does not.
func (l Line) Note(p *locale.Printer) string {
	switch {
	case l.Chain == "":
		return ""
	case l.Fault != nil:
		return p.Text("The column “%s” says “%s”, but this has the form of an address of Solana.", l.ChainColumn, l.Chain)
	case l.Subject.Kind == tocsin.EVM:
		return p.Text("The column “%s” says “%s”, but this is an address of Ethereum and other EVM chains.", l.ChainColumn,
			l.Chain)
	}
	return p.Text("The column “%s” says “%s”, but this is an address of %s.", l.ChainColumn, l.Chain,
		l.Subject.ChainName())
}
