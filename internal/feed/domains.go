package feed

import (
	"io"
	"strings"

	"tocsin"
)

// familyEth is the list family of the old Ethereum community. Lists that copy each
// other share a family and count as one origin in the score. These lists copy from
// each other. Measured on the lists of 2022 to 2026: forta has 99 % of the
// addresses of CryptoScamDB and 72 % of those of mew; eth-phishing-detect has 76 %
// of the sites of CryptoScamDB and 95 % of those of phantom (99.7 % of its larger
// file). forta, eth-labels and etherscan-labels are scrapes of the labels of
// Etherscan, of different years and chains: 40 % of the risk entries of the
// smallest are risk entries of the next larger one.
//
// ScamSniffer, polkadot and spmedia are independent, and each is a family of its
// own. Polkadot has 40 % of its sites in common with ScamSniffer. Both found most
// of those within days of each other; about one in ten appears seven to nine days
// later, when ScamSniffer publishes its findings. 3 % of the sites of spmedia are
// on any other list.
const familyEth = "ethereum-community"

// domainLists are blocklists of sites.
func domainLists() []Source {
	return []Source{{
		List: tocsin.List{
			Name: "polkadot", Family: "polkadot",
			URL: "https://github.com/polkadot-js/phishing",
		},
		Title:      "Polkadot phishing list",
		Kinds:      []tocsin.Kind{tocsin.DNS},
		About:      "phishing sites found by the Polkadot community and ChainPatrol (Apache-2.0)",
		Upstream:   "https://raw.githubusercontent.com/polkadot-js/phishing/master/",
		Files:      []string{"all.json", "meta/index.json"},
		Default:    "all.json",
		indexFile:  "meta/index.json",
		pathFormat: "meta/%s.json",
		parts: []part{
			{glob: "meta/[0-9]*.json", read: readPolkadotDates, auxiliary: true},
			{glob: "all.json", read: readPolkadot},
		},
	}, {
		List: tocsin.List{
			Name: "eth-phishing-detect", Family: familyEth,
			URL: "https://github.com/MetaMask/eth-phishing-detect",
		},
		Title:    "MetaMask phishing list",
		Kinds:    []tocsin.Kind{tocsin.DNS},
		About:    "phishing sites blocked by MetaMask, and sites that it exempts (DBAD 1.1)",
		Upstream: "https://raw.githubusercontent.com/MetaMask/eth-phishing-detect/main/src/",
		Files:    []string{"config.json"},
		Default:  "config.json",
		folder:   "src",
		parts:    []part{{glob: "config.json", read: readEthPhishingDetect}},
	}, {
		List: tocsin.List{
			Name: "phantom", Family: familyEth,
			URL: "https://github.com/phantom/blocklist",
		},
		Title:    "Phantom blocklist",
		Kinds:    []tocsin.Kind{tocsin.DNS},
		About:    "phishing sites blocked by the wallet Phantom, and sites that it exempts (MIT)",
		Upstream: "https://raw.githubusercontent.com/phantom/blocklist/master/",
		Files:    []string{"blocklist.yaml", "eth-blocklist.yaml", "whitelist.yaml"},
		Default:  "blocklist.yaml",
		parts: []part{
			{glob: "whitelist.yaml", read: readPhantomWhitelist, unended: true},
			{glob: "blocklist.yaml", read: readPhantom},
			{glob: "eth-blocklist.yaml", read: readPhantom},
		},
	}, {
		List: tocsin.List{
			Name: "spmedia", Family: "spmedia",
			URL: "https://github.com/spmedia/Crypto-Scam-and-Crypto-Phishing-Threat-Intel-Feed",
		},
		Title:    "spmedia crypto scam list",
		Kinds:    []tocsin.Kind{tocsin.DNS},
		About:    "fake exchanges and pig butchering sites, found by spmedia (MIT)",
		Upstream: "https://raw.githubusercontent.com/spmedia/Crypto-Scam-and-Crypto-Phishing-Threat-Intel-Feed/main/",
		Files:    []string{"detected_urls.txt"},
		Default:  "detected_urls.txt",
		parts: []part{
			{glob: "history_first_seen.csv", read: readSpmediaDates, auxiliary: true},
			{glob: "detected_urls.txt", read: readSpmedia},
			{glob: "detected_urls.json", read: readSpmediaJSON, fallback: true},
		},
	}}
}

func readPolkadot(r *reader, body io.Reader) error {
	var list struct{ Allow, Deny, DenySub rows[string] }
	if err := decodeJSON(body, &list); err != nil {
		return err
	}
	for _, name := range valid(r, list.Allow) {
		r.emitShared(name, "hosting")
	}
	for _, names := range []rows[string]{list.Deny, list.DenySub} {
		for _, name := range valid(r, names) {
			r.emitRiskSite(name, tocsin.Phishing)
		}
	}
	return nil
}

// readPolkadotDates reads the additions of one month.
func readPolkadotDates(r *reader, body io.Reader) error {
	type added struct{ Date, URL string }
	return eachElement(r, body, func(e added) {
		if day := r.parseDay(e.Date, "2006-01-02"); day != nil {
			r.setSiteFirstSeen(e.URL, *day)
		}
	})
}

func readEthPhishingDetect(r *reader, body io.Reader) error {
	var list struct{ Fuzzylist, Whitelist, Blacklist rows[string] }
	if err := decodeJSON(body, &list); err != nil {
		return err
	}
	// The fuzzy list has the names that phishing sites imitate.
	for _, name := range valid(r, list.Fuzzylist) {
		r.emitSafeSite(name, "project")
	}
	for _, name := range valid(r, list.Whitelist) {
		r.emitExempted(name)
	}
	for _, name := range valid(r, list.Blacklist) {
		r.emitRiskSite(name, tocsin.Phishing)
	}
	return nil
}

type phantomEntry struct {
	URL string `yaml:"url"`
}

func readPhantom(r *reader, body io.Reader) error {
	return readBlocks(r, body, "url", func(e phantomEntry) { r.emitRiskSite(e.URL, tocsin.Phishing) })
}

func readPhantomWhitelist(r *reader, body io.Reader) error {
	return readBlocks(r, body, "url", func(e phantomEntry) { r.emitExempted(e.URL) })
}

func readSpmedia(r *reader, body io.Reader) error {
	return r.readLines(body, func(_ int, line []byte) {
		if name := strings.TrimSpace(string(line)); name != "" && !strings.HasPrefix(name, "#") {
			r.emitRiskSite(name, tocsin.InvestmentScam)
		}
	})
}

func readSpmediaJSON(r *reader, body io.Reader) error {
	var list struct {
		Detected rows[string] `json:"detected_urls"`
	}
	if err := decodeJSON(body, &list); err != nil {
		return err
	}
	for _, name := range valid(r, list.Detected) {
		r.emitRiskSite(name, tocsin.InvestmentScam)
	}
	return nil
}

// readSpmediaDates reads the day on which each entry first appeared in the history
// of the repository. Upstream has no such file; it is made from that history.
func readSpmediaDates(r *reader, body io.Reader) error {
	return r.readCSV(body, []string{"entry", "first_seen"}, func(field func(string) string) {
		if day := r.parseDay(field("first_seen"), "2006-01-02"); day != nil {
			r.setSiteFirstSeen(field("entry"), *day)
		}
	})
}
