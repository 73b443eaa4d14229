package feed

import (
	"errors"
	"io"
	"path"
	"strconv"
	"strings"

	"tocsin"
)

// labelLists are scrapes of the labels that block explorers give to accounts.
func labelLists() []Source {
	return []Source{{
		List: tocsin.List{
			Name: "eth-labels", Family: familyEth,
			URL: "https://github.com/dawsbot/eth-labels",
		},
		Title:    "eth-labels",
		Kinds:    []tocsin.Kind{tocsin.EVM, tocsin.DNS},
		About:    "labelled accounts and tokens of seven block explorers, safe and fraudulent ones; sites of tokens (MIT)",
		Upstream: "https://raw.githubusercontent.com/dawsbot/eth-labels/v1/data/csv/",
		Files:    []string{"accounts.csv", "tokens.csv"},
		Default:  "accounts.csv",
		folder:   "data/csv",
		parts: []part{
			{glob: "accounts.csv", read: readEthLabels},
			{glob: "accounts.tar.zst", read: readEthLabelsArchive, fallback: true},
			{glob: "tokens.csv", read: readEthLabelsTokens},
		},
	}, {
		List: tocsin.List{
			Name: "etherscan-labels", Family: familyEth,
			URL: "https://github.com/brianleect/etherscan-labels",
		},
		Title:    "Etherscan label list",
		Kinds:    []tocsin.Kind{tocsin.EVM},
		About:    "labelled accounts and tokens of seven block explorers in 2023: safe ones, phishers and exploiters (MIT)",
		Upstream: "https://raw.githubusercontent.com/brianleect/etherscan-labels/main/data/",
		Files: []string{
			"etherscan/combined/combinedAllLabels.json", "arbiscan/combined/combinedAllLabels.json",
			"avalanche/combined/combinedAllLabels.json", "bscscan/combined/combinedAllLabels.json",
			"ftmscan/combined/combinedAllLabels.json", "optimism/combined/combinedAllLabels.json",
			"polygonscan/combined/combinedAllLabels.json",
		},
		folder: "data",
		parts: []part{
			{glob: "*/combined/combinedAllLabels.json", read: readEtherscanLabels},
			{glob: "*combinedAllLabels.json", read: readEtherscanLabels, fallback: true},
		},
	}}
}

// scraped are the chains of the block explorers whose labels were scraped, by their names in the lists.
var scraped = map[string]int64{
	"etherscan": 1, "optimism": 10, "bscscan": 56, "gnosis": 100, "polygonscan": 137, "ftmscan": 250, "basescan": 8453,
	"arbiscan": 42161, "celo": 42220, "avalanche": 43114,
}

// readEthLabels reads the accounts as they are downloaded.
func readEthLabels(r *reader, body io.Reader) error {
	return r.readCSV(body, []string{"address", "chainId", "label", "nameTag"}, func(field func(string) string) {
		r.addLabelRow(field, field("nameTag"), false)
	})
}

func readEthLabelsTokens(r *reader, body io.Reader) error {
	return r.readCSV(body, []string{"address", "chainId", "label", "name"}, func(field func(string) string) {
		r.addLabelRow(field, field("name"), true)
		if !warningWord.MatchString(field("label") + " " + field("name")) {
			r.emitTokenSite(field("website"))
		}
	})
}

// emitTokenSite lists the site that a token names as its own. Nobody vouches for it, and many name a page of a network
// or nothing, so what is not the site of one owner is left out without a refusal.
func (r *reader) emitTokenSite(text string) {
	if len(text) > maxText {
		return
	}
	d, err := tocsin.ParseDomain(text)
	if s := d.Subject(); err == nil && !d.HasPath() && !d.Shared() && r.benign[s] == "" {
		r.emitBenign(s, tocsin.Safe, tocsin.TokenSite)
	}
}

func (r *reader) addLabelRow(field func(string) string, name string, token bool) {
	id, err := strconv.ParseInt(field("chainId"), 10, 64)
	if err != nil || id <= 0 {
		r.refuse(field("address"), badRow, "the chainId is "+field("chainId"))
		return
	}
	r.addLabel(id, field("address"), name, field("label"), token)
}

// readEthLabelsArchive reads the accounts from an archive of the repository's
// files data/EXPLORER/LABEL/accounts.json.
func readEthLabelsArchive(r *reader, body io.Reader) error {
	return readArchive(body, func(name string, file io.Reader) error {
		folder := path.Dir(name)
		id, ok := scraped[path.Base(path.Dir(folder))]
		if path.Base(name) != "accounts.json" || !ok {
			return nil
		}
		type entry struct{ Address, NameTag string }
		return eachElement(r, file, func(a entry) {
			r.addLabel(id, a.Address, a.NameTag, path.Base(folder), false)
		})
	})
}

// readEtherscanLabels reads the labels of one explorer, which the file name names.
func readEtherscanLabels(r *reader, body io.Reader) error {
	name, _, _ := strings.Cut(r.file, "/")
	name, _, _ = strings.Cut(name, ".")
	id, ok := scraped[name]
	if !ok {
		return errors.New("the file name does not name a block explorer: " +
			"for Ethereum, name it etherscan.combinedAllLabels.json")
	}
	type entry struct {
		Name   string
		Labels rows[string]
	}
	var list table[entry]
	if err := decodeJSON(body, &list); err != nil {
		return err
	}
	for _, address := range sorted(r, list) {
		entry := list.values[address]
		for _, label := range valid(r, entry.Labels) {
			r.addLabel(id, address, entry.Name, label, false)
		}
	}
	return nil
}
