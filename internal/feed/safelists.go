package feed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"time"

	"tocsin"
)

// safelists are lists of tokens and sites that are safe, and of hosts that are shared.
func safelists() []Source {
	parts, files := mispParts()
	return []Source{{
		List: tocsin.List{
			Name: "uniswap-default-list", Family: "uniswap",
			URL: "https://github.com/Uniswap/default-token-list",
		},
		Title:    "Uniswap default list",
		Kinds:    []tocsin.Kind{tocsin.EVM, tocsin.Solana},
		About:    "the tokens that Uniswap shows without a warning (GPL-3.0-or-later)",
		Upstream: "https://raw.githubusercontent.com/Uniswap/default-token-list/main/src/",
		Files: []string{
			"tokens/mainnet.json", "tokens/arbitrum.json", "tokens/avalanche.json", "tokens/base.json",
			"tokens/blast.json", "tokens/bnb.json", "tokens/celo.json", "tokens/optimism.json",
			"tokens/polygon.json", "tokens/solana.json", "tokens/unichain.json", "tokens/worldchain.json",
			"tokens/zksync.json", "tokens/zora.json",
		},
		Default: "tokens/mainnet.json",
		folder:  "src",
		parts:   []part{{glob: "tokens/*.json", read: readUniswap}},
	}, {
		List: tocsin.List{
			Name: "misp-warninglists", Family: "misp",
			URL: "https://github.com/MISP/misp-warninglists",
		},
		Title:    "MISP warning lists",
		Kinds:    []tocsin.Kind{tocsin.DNS},
		About:    "top sites, banks, universities; URL shorteners, hosting and other shared hosts (CC0-1.0)",
		Upstream: "https://raw.githubusercontent.com/MISP/misp-warninglists/main/lists/",
		Files:    files,
		folder:   "lists",
		parts:    parts,
	}}
}

// testnets are the chain ids of test networks, where anybody can create a token of
// any name at no cost.
var testnets = map[int64]bool{
	3: true, 4: true, 5: true, 42: true, 80001: true, 84532: true, 421614: true, 11155111: true,
}

// uniswapSolana is the number that Uniswap gives to Solana, which has no chain id of the EVM.
const uniswapSolana = 501000101

// tokens are the rows of an array, or of the array in a token list.
type tokens[T any] struct {
	rows      rows[T]
	timestamp json.RawMessage // of a token list
}

func (ts *tokens[T]) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		list := struct {
			Tokens    *rows[T]
			Timestamp *json.RawMessage
		}{&ts.rows, &ts.timestamp}
		return json.Unmarshal(text, &list)
	}
	if err := json.Unmarshal(text, &ts.rows); err != nil {
		return fmt.Errorf("it is not a list of tokens: %w", err)
	}
	return nil
}

// readUniswap reads tokens, as an array or as a token list (tokenlists.org).
func readUniswap(r *reader, body io.Reader) error {
	type token struct {
		Name, Address string
		ChainID       int64
	}
	var file tokens[token]
	if err := decodeJSON(body, &file); err != nil {
		return err
	}
	r.setDate(r.parseDay(asText(file.timestamp), time.RFC3339))
	for _, t := range valid(r, file.rows) {
		code := "ETH"
		if t.ChainID == uniswapSolana {
			code = "SOL"
		}
		s, ok := r.parseAccount(code, t.Address)
		switch {
		case !ok:
		case testnets[t.ChainID]:
			r.refuse(t.Address, testnet, t.Name)
		case t.ChainID <= 0:
			r.refuse(t.Address, badRow, "the token has no chainId")
		default:
			r.emitListing(tocsin.Listing{
				Kind: tocsin.Safe, Category: "token", Name: t.Name, Subject: s,
				Chain: cmp.Or(s.Chain(), chain(t.ChainID)),
			})
		}
	}
	return nil
}

// mispKinds are the warning lists that Tocsin reads, by folder. Fake exchanges
// appear beyond the first 20,000 sites of a ranking; the category top-site
// therefore holds what one family of lists says, and no more.
var mispKinds = map[string]struct {
	kind     tocsin.ListingKind
	category string
}{
	"url-shortener":        {tocsin.Shared, "url-shortener"},
	"link-in-bio":          {tocsin.Shared, "link-in-bio"},
	"public-ipfs-gateways": {tocsin.Shared, "ipfs-gateway"},
	"dynamic-dns":          {tocsin.Shared, "dynamic-dns"},
	"lots-project":         {tocsin.Shared, "hosting"},
	"bank-website":         {tocsin.Safe, "bank"},
	"university_domains":   {tocsin.Safe, "university"},
	"cisco_top20k":         {tocsin.Safe, tocsin.TopSite},
	"cloudflare-top20k":    {tocsin.Safe, tocsin.TopSite},
	"cloudflare-top50k":    {tocsin.Safe, tocsin.TopSite},
	"cloudflare-top100k":   {tocsin.Safe, tocsin.TopSite},
	"majestic_million":     {tocsin.Safe, tocsin.TopSite},
	"moz-top500":           {tocsin.Safe, tocsin.TopSite},
	"tranco10k":            {tocsin.Safe, tocsin.TopSite},
}

// readMISP reads one warning list. Its folder names it.
func readMISP(r *reader, body io.Reader) error {
	name := path.Base(path.Dir(r.file))
	list := mispKinds[name]
	var file struct {
		List    rows[string]
		Version json.RawMessage // a date as in 20260811, or a small number that says nothing
	}
	if err := decodeJSON(body, &file); err != nil {
		return err
	}
	r.setDate(r.parseDay(asText(file.Version), "20060102"))
	for _, host := range valid(r, file.List) {
		if list.kind == tocsin.Shared {
			r.emitShared(host, list.category)
		} else {
			r.emitSafeSite(host, list.category)
		}
	}
	return nil
}

// mispParts returns the parts and files of the warning lists, lists of shared
// hosts first: a shared host that is also a top site must not be listed as safe,
// which would cover the hosts below it.
func mispParts() (parts []part, files []string) {
	for _, kind := range []tocsin.ListingKind{tocsin.Shared, tocsin.Safe} {
		for _, name := range slices.Sorted(maps.Keys(mispKinds)) {
			if mispKinds[name].kind == kind {
				parts = append(parts, part{glob: name + "/list.json", read: readMISP})
				files = append(files, name+"/list.json")
			}
		}
	}
	return parts, files
}
