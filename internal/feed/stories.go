package feed

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"tocsin"
)

// storyLists are the lists that have reports besides listings, and ScamSniffer,
// which lists sites and addresses.
func storyLists() []Source {
	return []Source{scamsniffer(), {
		List: tocsin.List{
			Name: Unkept, Family: familyEth,
			URL: "https://github.com/CryptoScamDB/blacklist",
		},
		Title:    "CryptoScamDB",
		Kinds:    append(accountKinds(), tocsin.DNS),
		About:    "phishing and giveaway scams with descriptions, found by CryptoScamDB until 2022 (no licence stated)",
		Upstream: "https://raw.githubusercontent.com/CryptoScamDB/blacklist/master/data/",
		Files:    []string{"urls.yaml", "uris.yaml"},
		Default:  "urls.yaml",
		folder:   "data",
		parts: []part{
			{glob: "urls.yaml", read: readCryptoScamDB},
			{glob: "uris.yaml", read: readCryptoScamDB, unended: true},
		},
	}, {
		List: tocsin.List{
			Name: "mew-ethereum-lists", Family: familyEth,
			URL: "https://github.com/MyEtherWallet/ethereum-lists",
		},
		Title:    "MyEtherWallet darklist",
		Kinds:    []tocsin.Kind{tocsin.EVM, tocsin.DNS},
		About:    "phishing sites and addresses with comments, found by MyEtherWallet until 2018 (MIT)",
		Upstream: "https://raw.githubusercontent.com/MyEtherWallet/ethereum-lists/master/src/",
		Files: []string{"addresses/addresses-darklist.json", "urls/urls-darklist.json",
			"addresses/addresses-lightlist.json", "urls/urls-lightlist.json"},
		Default: "addresses/addresses-darklist.json",
		folder:  "src",
		parts: []part{
			{glob: "addresses/addresses-lightlist.json", read: readMewSafeAddresses},
			{glob: "urls/urls-lightlist.json", read: readMewSafeSites},
			{glob: "addresses/addresses-darklist.json", read: readMewAddresses},
			{glob: "urls/urls-darklist.json", read: readMewSites},
		},
	}, {
		List: tocsin.List{
			Name: "revoke-approval-exploits",
			URL:  "https://github.com/RevokeCash/approval-exploit-list",
		},
		Title:      "Revoke.cash exploits",
		Kinds:      []tocsin.Kind{tocsin.EVM},
		About:      "exploits of token approvals, from Revoke.cash; reports only, since many addresses are victims (MIT)",
		Upstream:   "https://raw.githubusercontent.com/RevokeCash/approval-exploit-list/main/",
		Files:      []string{"index.json"},
		indexFile:  "index.json",
		pathFormat: "exploits/%s.json",
		parts:      []part{{glob: "exploits/*.json", read: readRevoke}},
	}}
}

type cryptoScamDBEntry struct {
	Name, URL, Category, Subcategory, Description string
	Addresses                                     map[string][]string
}

func readCryptoScamDB(r *reader, body io.Reader) error {
	return readBlocks(r, body, "name", func(e cryptoScamDBEntry) {
		key := strings.ToLower(cmp.Or(e.URL, e.Name))
		if key == "" {
			r.refuse(r.file, badRow, "an entry has neither name nor url")
			return
		}
		crime := cryptoScamDBCrime(e.Category, e.Subcategory)
		draft := tocsin.Draft{CrimeType: crime}
		var otherChains []string // addresses that can only be mentioned in the text
		for _, code := range slices.Sorted(maps.Keys(e.Addresses)) {
			for _, a := range e.Addresses[code] {
				s, ok := r.emitRiskAccount(code, a, tocsin.Listing{Category: string(crime)})
				if !ok {
					otherChains = append(otherChains, code+" "+a)
					continue
				}
				draft.ScammerAccounts = append(draft.ScammerAccounts, s.String())
			}
		}
		if s, ok := r.emitRiskSite(cmp.Or(e.URL, e.Name), crime); ok {
			draft.ReportedDomains = []string{s.Value}
		} else if isURL(e.URL) {
			draft.Evidence.URLs = []string{e.URL} // a page on a host that is not fraudulent itself
		}
		if e.Description == "" || len(draft.ScammerAccounts)+len(draft.ReportedDomains) == 0 {
			return
		}
		draft.Title = tocsin.Shorten(cryptoScamDBHeading(e.Category)+": "+e.Name, tocsin.MaxTitle-60)
		if e.Subcategory != "" {
			draft.Title += " (" + tocsin.Shorten(e.Subcategory, 50) + ")"
		}
		draft.Description = fmt.Sprintf("CryptoScamDB says of %s: %s", e.Name, sentence(e.Description))
		if otherChains != nil {
			draft.Description += " Addresses on other chains: " + strings.Join(otherChains, ", ") + "."
		}
		draft.Evidence.URLs = append(draft.Evidence.URLs, r.source.URL+"/blob/master/data/"+path.Base(r.file))
		r.emitReport(key, draft)
	})
}

func cryptoScamDBHeading(category string) string {
	switch category {
	case "Scamming":
		return "Scam"
	case "Hacked":
		return "Hack"
	case "":
		return "Fraud"
	}
	return category
}

// cryptoScamDBCrime maps the categories of CryptoScamDB. Its "trust trading" is the
// giveaway that promises to return twice the amount sent.
func cryptoScamDBCrime(category, subcategory string) tocsin.CrimeType {
	switch subcategory {
	case "Exchange", "Investment", "Investments":
		return tocsin.InvestmentScam
	case "Trust-Trading", "Ponzi", "Mixer", "Generator":
		return tocsin.Scam
	}
	switch category {
	case "Phishing":
		return tocsin.Phishing
	case "Scamming":
		return tocsin.Scam
	case "Hacked":
		return tocsin.Hack
	}
	return tocsin.OtherCrime
}

// sentence ends a text with a full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}

type mewEntry struct{ ID, Address, Comment, Date string }

func readMewAddresses(r *reader, body io.Reader) error {
	return eachElement(r, body, func(e mewEntry) {
		crime := mewCrime(e.Comment, tocsin.Scam)
		since := r.parseDay(e.Date, "2006-01-02", "1/2/06")
		if s, ok := r.emitRiskAddress(e.Address, tocsin.Listing{Category: string(crime), Since: since}); ok {
			r.emitMewReport(e, tocsin.Draft{CrimeType: crime, ScammerAddresses: []string{s.Value}}, s.String(), since)
		}
	})
}

func readMewSites(r *reader, body io.Reader) error {
	return eachElement(r, body, func(e mewEntry) {
		crime := mewCrime(e.Comment, tocsin.Phishing)
		if s, ok := r.emitRiskSite(e.ID, crime); ok {
			r.emitMewReport(e, tocsin.Draft{CrimeType: crime, ReportedDomains: []string{s.Value}}, s.Value, nil)
		}
	})
}

// emitMewReport reports an entry that has a comment.
func (r *reader) emitMewReport(e mewEntry, d tocsin.Draft, subject string, since *tocsin.Time) {
	comment := strings.TrimSpace(e.Comment)
	if comment == "" {
		return
	}
	d.Title = tocsin.Shorten(strings.Trim(comment, " ."), 120) + ": " + subject
	d.Description = fmt.Sprintf("MyEtherWallet's dark list says of %s: %s", subject, sentence(comment))
	d.Evidence.URLs = []string{r.source.URL + "/blob/master/src/" + r.file}
	if since != nil {
		day := since.Std().Format(time.DateOnly)
		d.SourceDate, d.IncidentDate = *since, &day
	}
	r.emitReport(strings.ToLower(subject), d)
}

var (
	phishingWord = regexp.MustCompile(`(?i)phish|fake|typo|clone|impersonat|private key`)
	theftWord    = regexp.MustCompile(`(?i)hack|exploit|stole`)
)

func mewCrime(comment string, fallback tocsin.CrimeType) tocsin.CrimeType {
	switch {
	case phishingWord.MatchString(comment):
		return tocsin.Phishing
	case theftWord.MatchString(comment):
		return tocsin.Hack
	}
	return fallback
}

func readMewSafeAddresses(r *reader, body io.Reader) error {
	return eachElement(r, body, func(e mewEntry) {
		if s, ok := r.parseAddress(e.Address); ok {
			r.emitListing(tocsin.Listing{Kind: tocsin.Safe, Category: "project", Name: strings.TrimSpace(e.Comment), Subject: s})
		}
	})
}

func readMewSafeSites(r *reader, body io.Reader) error {
	return eachElement(r, body, func(e mewEntry) {
		r.emitSafeSite(e.ID, "project")
	})
}

// readRevoke reads one exploit. It lists nothing, because most of the addresses
// are the contract that was robbed.
func readRevoke(r *reader, body io.Reader) error {
	var e struct {
		Name, Description, Date string
		Amount                  json.Number
		Addresses               rows[struct{ Address string }]
		Articles                rows[string] `json:"metaArticleUrls"`
	}
	if err := decodeJSON(body, &e); err != nil {
		return err
	}
	d := tocsin.Draft{
		CrimeType: tocsin.Hack,
		Title:     tocsin.Shorten(strings.TrimSpace(e.Name), tocsin.MaxTitle),
		Description: strings.TrimSpace(e.Description) +
			" (Told by Revoke.cash. The addresses are those to which approvals should be revoked: " +
			"the contract that was exploited, or the thief.)",
	}
	for _, a := range valid(r, e.Addresses) {
		if s, ok := r.parseAddress(a.Address); ok {
			d.ScammerAddresses = append(d.ScammerAddresses, s.Value)
		}
	}
	for _, u := range valid(r, e.Articles) {
		if p, err := url.Parse(u); err == nil && p.Host != "" {
			d.Evidence.URLs = append(d.Evidence.URLs, u)
		}
	}
	if millions, err := e.Amount.Float64(); err == nil && millions > 0 && millions < 1e6 {
		lost := tocsin.USD(millions*1e8 + 0.5) // in cents
		d.AmountLost = &lost
	}
	if day := r.parseDay(e.Date, "2006-01-02"); day != nil {
		d.SourceDate, d.IncidentDate = *day, &e.Date
	}
	r.emitReport(strings.TrimSuffix(path.Base(r.file), ".json"), d)
	return nil
}
