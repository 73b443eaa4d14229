package feed

import (
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"tocsin"
)

// familyEth is the old Ethereum community. Lists that copy each other are one
// witness, however many they are, and these share one body of findings, copied
// to and fro. Measured on the lists of 2022 to 2026: of CryptoScamDB's addresses
// 99 % stand in forta, of mew's 72 %; of CryptoScamDB's sites 76 % stand in
// eth-phishing-detect, from which 99.7 % of phantom's larger file comes. forta,
// eth-labels and etherscan-labels are scrapes of the same labels of Etherscan,
// of different years and chains: 40 % of what the smallest calls fraudulent
// the next one does too.
//
// ScamSniffer, polkadot and spmedia are witnesses of their own. Polkadot has
// 40 % of its sites in common with ScamSniffer and 60 % alone; most of the
// common ones were found within days by both, and only about one in ten
// appears seven to nine days later, when ScamSniffer publishes what it found.
// Of spmedia's sites 3 % stand on any other list.
const familyEth = "ethereum-community"

func domainLists() []Source {
	return []Source{{
		List: tocsin.List{
			Name: "polkadot", Family: "polkadot",
			URL: "https://github.com/polkadot-js/phishing",
		},
		Title:    "Polkadot phishing list",
		Names:    []tocsin.Kind{tocsin.DNS},
		About:    "phishing sites found by the Polkadot community and ChainPatrol (Apache-2.0)",
		Upstream: "https://raw.githubusercontent.com/polkadot-js/phishing/master/",
		Files:    []string{"all.json", "meta/index.json"},
		Default:  "all.json",
		index:    "meta/index.json",
		each:     "meta/%s.json",
		parts: []part{
			{glob: "meta/[0-9]*.json", read: polkadotDates, aside: true},
			{glob: "all.json", read: polkadot},
		},
	}, {
		List: tocsin.List{
			Name: "eth-phishing-detect", Family: familyEth,
			URL: "https://github.com/MetaMask/eth-phishing-detect",
		},
		Title:    "MetaMask phishing list",
		Names:    []tocsin.Kind{tocsin.DNS},
		About:    "phishing sites blocked by MetaMask, and sites that it exempts (DBAD 1.1)",
		Upstream: "https://raw.githubusercontent.com/MetaMask/eth-phishing-detect/main/src/",
		Files:    []string{"config.json"},
		Default:  "config.json",
		folder:   "src",
		parts:    []part{{glob: "config.json", read: ethPhishingDetect}},
	}, {
		List: tocsin.List{
			Name: "phantom", Family: familyEth,
			URL: "https://github.com/phantom/blocklist",
		},
		Title:    "Phantom blocklist",
		Names:    []tocsin.Kind{tocsin.DNS},
		About:    "phishing sites blocked by the wallet Phantom, and sites that it exempts (MIT)",
		Upstream: "https://raw.githubusercontent.com/phantom/blocklist/master/",
		Files:    []string{"blocklist.yaml", "eth-blocklist.yaml", "whitelist.yaml"},
		Default:  "blocklist.yaml",
		parts: []part{
			{glob: "whitelist.yaml", read: phantomWhitelist},
			{glob: "blocklist.yaml", read: phantom},
			{glob: "eth-blocklist.yaml", read: phantom},
		},
	}, {
		List: tocsin.List{
			Name: "spmedia", Family: "spmedia",
			URL: "https://github.com/spmedia/Crypto-Scam-and-Crypto-Phishing-Threat-Intel-Feed",
		},
		Title:    "spmedia crypto scam list",
		Names:    []tocsin.Kind{tocsin.DNS},
		About:    "fake exchanges and pig butchering sites, found by spmedia (MIT)",
		Upstream: "https://raw.githubusercontent.com/spmedia/Crypto-Scam-and-Crypto-Phishing-Threat-Intel-Feed/main/",
		Files:    []string{"detected_urls.txt"},
		Default:  "detected_urls.txt",
		parts: []part{
			{glob: "history_first_seen.csv", read: spmediaDates, aside: true},
			{glob: "detected_urls.txt", read: spmedia},
			{glob: "detected_urls.json", read: spmediaJSON, otherwise: true},
		},
	}}
}

func polkadot(r *reading, body io.Reader) error {
	var list struct{ Allow, Deny, DenySub []row[string] }
	if err := decodeJSON(body, &list); err != nil {
		return err
	}
	for _, name := range good(r, list.Allow) {
		r.service(name, "hosting")
	}
	for _, name := range good(r, append(list.Deny, list.DenySub...)) {
		r.riskSite(name, tocsin.Phishing)
	}
	return nil
}

// polkadotDates reads one month of the record of additions.
func polkadotDates(r *reading, body io.Reader) error {
	type added struct{ Date, URL string }
	entries, err := array[added](r, body)
	for _, e := range entries {
		if day := r.day(e.Date, "2006-01-02"); day != nil {
			r.seenSite(e.URL, *day)
		}
	}
	return err
}

func ethPhishingDetect(r *reading, body io.Reader) error {
	var list struct{ Fuzzylist, Whitelist, Blacklist []row[string] }
	if err := decodeJSON(body, &list); err != nil {
		return err
	}
	// The fuzzy list is of names that others imitate.
	for _, name := range good(r, list.Fuzzylist) {
		r.safeSite(name, "project")
	}
	for _, name := range good(r, list.Whitelist) {
		r.cleared(name)
	}
	for _, name := range good(r, list.Blacklist) {
		r.riskSite(name, tocsin.Phishing)
	}
	return nil
}

type phantomEntry struct {
	URL string `yaml:"url"`
}

func phantom(r *reading, body io.Reader) error {
	return blocks(r, body, "url", func(e phantomEntry) { r.riskSite(e.URL, tocsin.Phishing) })
}

func phantomWhitelist(r *reading, body io.Reader) error {
	return blocks(r, body, "url", func(e phantomEntry) { r.cleared(e.URL) })
}

func spmedia(r *reading, body io.Reader) error {
	return r.lines(body, func(_ int, line []byte) {
		if name := strings.TrimSpace(string(line)); name != "" && !strings.HasPrefix(name, "#") {
			r.riskSite(name, tocsin.InvestmentScam)
		}
	})
}

func spmediaJSON(r *reading, body io.Reader) error {
	var list struct {
		Detected []row[string] `json:"detected_urls"`
	}
	if err := decodeJSON(body, &list); err != nil {
		return err
	}
	for _, name := range good(r, list.Detected) {
		r.riskSite(name, tocsin.InvestmentScam)
	}
	return nil
}

// spmediaDates reads when each entry first stood in the history of the
// repository, for those who have worked that out.
func spmediaDates(r *reading, body io.Reader) error {
	return r.table(body, []string{"entry", "first_seen"}, func(field func(string) string) {
		if day := r.day(field("first_seen"), "2006-01-02"); day != nil {
			r.seenSite(field("entry"), *day)
		}
	})
}

// mispKinds says what the warning lists are that Tocsin reads. Longer lists of
// top sites exist, but beyond the first 20,000 they name fake exchanges as
// well: a site is not good for being visited much.
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
	"cisco_top20k":         {tocsin.Safe, "top-site"},
	"cloudflare-top20k":    {tocsin.Safe, "top-site"},
	"majestic_million":     {tocsin.Safe, "top-site"},
	"moz-top500":           {tocsin.Safe, "top-site"},
	"tranco10k":            {tocsin.Safe, "top-site"},
}

// misp reads one warning list, which is named by its folder.
func misp(r *reading, body io.Reader) error {
	name := path.Base(path.Dir(r.file))
	as := mispKinds[name]
	var list struct{ List []row[string] }
	if err := decodeJSON(body, &list); err != nil {
		return err
	}
	for _, host := range good(r, list.List) {
		if as.kind == tocsin.Shared {
			r.service(host, as.category)
		} else {
			r.safeSite(host, as.category)
		}
	}
	return nil
}

// mispParts reads the lists of services first, so that a service that is a top
// site as well is not taken for a good one with all that stands below it.
func mispParts() (parts []part, files []string) {
	for _, kind := range []tocsin.ListingKind{tocsin.Shared, tocsin.Safe} {
		for _, name := range slices.Sorted(maps.Keys(mispKinds)) {
			if mispKinds[name].kind == kind {
				parts = append(parts, part{glob: name + "/list.json", read: misp})
				files = append(files, name+"/list.json")
			}
		}
	}
	return parts, files
}
