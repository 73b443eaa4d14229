package feed

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"tocsin"
)

// addressLists are lists of malicious and sanctioned addresses.
func addressLists() []Source {
	return []Source{{
		List: tocsin.List{
			Name: "forta", Family: familyEth,
			URL: "https://github.com/forta-network/labelled-datasets",
		},
		Title:    "Forta label list",
		Kinds:    []tocsin.Kind{tocsin.EVM},
		About:    "addresses of phishers and exploiters with their labels on Etherscan, collected by Forta until 2023 (MIT)",
		Upstream: "https://raw.githubusercontent.com/forta-network/labelled-datasets/main/",
		Files: []string{"labels/1/etherscan_malicious_labels.csv", "labels/1/phishing_scams.csv",
			"labels/1/malicious_smart_contracts.csv", "labels/10/malicious_smart_contracts.csv"},
		Default: "labels/1/etherscan_malicious_labels.csv",
		parts: []part{
			{glob: "labels/*/etherscan_malicious_labels.csv", read: readFortaLabels},
			{glob: "labels/*/phishing_scams.csv", read: readFortaPhishing},
			{glob: "labels/*/malicious_smart_contracts.csv", read: readFortaContracts},
		},
	}, {
		List: tocsin.List{
			Name: OFAC, Family: OFAC,
			URL: "https://sanctionssearch.ofac.treas.gov/",
		},
		Title:    "OFAC SDN",
		Kinds:    accountKinds(),
		About:    "accounts sanctioned by the United States: OFAC's SDN list, extracted by thomasgregg (US government data)",
		Upstream: "https://raw.githubusercontent.com/thomasgregg/crypto-sanctions-list/main/data/",
		Files:    []string{"sanctioned-addresses.json"},
		Default:  "sanctioned-addresses.json",
		also:     spellings(),
		folder:   "data",
		parts: []part{
			{glob: "sanctioned_addresses_*.txt", read: spellLines, auxiliary: true},
			{glob: "*/sanctioned_addresses_*.txt", read: spellLines, auxiliary: true},
			{glob: "sanctioned-addresses.json", read: readOFAC},
			{glob: "sanctions.csv", read: readOFACTable, fallback: true},
			{glob: "sanctioned_addresses_*.txt", read: readOFACLines, fallback: true},
		},
	}}
}

// spellings are the files of the extract by 0xB10C of currencies whose addresses have capital letters.
func spellings() (urls []string) {
	for _, code := range []string{"BCH", "BSV", "BTG", "DASH", "LTC", "SOL", "TRX", "USDC", "USDT", "XBT", "XMR", "XRP",
		"XVG", "ZEC"} {
		urls = append(urls, "https://raw.githubusercontent.com/0xB10C/ofac-sanctioned-digital-currency-addresses/lists/"+
			"sanctioned_addresses_"+code+".txt")
	}
	return urls
}

// fortaChain returns the chain of the file from its folder: labels/10/… is Optimism.
func (r *reader) fortaChain() string { return "eip155:" + path.Base(path.Dir(r.file)) }

func readFortaLabels(r *reader, body io.Reader) error {
	return r.readCSV(body, []string{"banned_address", "wallet_tag", "data_source"}, func(field func(string) string) {
		crime := tocsin.Phishing
		if s := field("data_source"); strings.Contains(s, "exploit") || strings.Contains(s, "heist") {
			crime = tocsin.Hack
		}
		r.emitRiskAddress(field("banned_address"), tocsin.Listing{
			Category: string(crime), Name: field("wallet_tag"), Chain: r.fortaChain(),
		})
	})
}

func readFortaPhishing(r *reader, body io.Reader) error {
	return r.readCSV(body, []string{"address", "etherscan_tag"}, func(field func(string) string) {
		r.emitRiskAddress(field("address"), tocsin.Listing{
			Category: string(tocsin.Phishing), Name: field("etherscan_tag"), Chain: r.fortaChain(),
		})
	})
}

// readFortaContracts reads malicious contracts and their creators. A creator is
// listed only if Forta has a label for it, or a tag that names a crime.
func readFortaContracts(r *reader, body io.Reader) error {
	return r.readCSV(body, []string{"contract_address", "contract_creator"}, func(field func(string) string) {
		label := field("contract_creator_etherscan_label")
		crime := tocsin.Hack
		if label == "phish-hack" {
			crime = tocsin.Phishing
		}
		listing := tocsin.Listing{Category: string(crime), Name: field("contract_tag"), Chain: r.fortaChain()}
		contract, ok := r.emitRiskAddress(field("contract_address"), listing)
		if !ok {
			return
		}
		subjects := []string{contract.Value}
		if tag := field("contract_creator_tag"); label != "" || crimeOfTag(tag) != "" {
			listing.Name = tag
			if creator, ok := r.emitRiskAddress(field("contract_creator"), listing); ok {
				subjects = append(subjects, creator.Value)
			}
		}
		r.emitFortaReport(field, subjects, crime)
	})
}

// fortaDate matches the start of a note that was copied from DeFiHackLabs.
var fortaDate = regexp.MustCompile(`^(20\d{2})(\d{2})(\d{2}) `)

// emitFortaReport reports a contract that has a note. A tag alone is not a report.
func (r *reader) emitFortaReport(field func(string) string, subjects []string, crime tocsin.CrimeType) {
	note := strings.TrimSpace(field("notes"))
	if note == "" {
		return
	}
	d := tocsin.Draft{CrimeType: crime, ScammerAddresses: subjects}
	if m := fortaDate.FindStringSubmatch(note); m != nil {
		if day := r.parseDay(m[0], "20060102"); day != nil {
			date := m[1] + "-" + m[2] + "-" + m[3]
			d.SourceDate, d.IncidentDate = *day, &date
			note = note[len(m[0]):]
		}
	}
	d.Title = tocsin.Shorten(note, tocsin.MaxTitle)
	d.Description = fmt.Sprintf("Forta notes: %s The malicious contract is %s, its maker %s.",
		sentence(note), field("contract_address"), field("contract_creator"))
	if tag := field("contract_tag"); tag != "" {
		d.Description += fmt.Sprintf(" Etherscan's label of the contract: %s.", tag)
	}
	d.Evidence.URLs = []string{r.source.URL + "/blob/main/" + r.file}
	if s := field("source"); isURL(s) {
		d.Evidence.URLs = append(d.Evidence.URLs, s)
	}
	if tx := field("contract_creation_tx"); tx != "" {
		d.Evidence.TransactionHashes = []string{tx}
	}
	r.emitReport(strings.ToLower(field("contract_address")), d)
}

// readOFAC reads the extract of the SDN list: the parties of each address and the sanctions programmes. The extract
// writes all addresses in small letters.
func readOFAC(r *reader, body io.Reader) error {
	type entry struct {
		Type, Entity, Program string
		UID                   json.RawMessage // a string in some versions, a number in others
		Akas                  json.RawMessage // missing in some versions
	}
	var list struct {
		Metadata  json.RawMessage
		Addresses table[struct {
			Type    string
			Entries rows[entry]
		}]
	}
	if err := cmp.Or(r.spellStarter(), decodeJSON(body, &list)); err != nil {
		return err
	}
	r.setDate(r.parseDay(textIn(list.Metadata, "sdnListDate"), "01/02/2006")) // the extract is made some days later
	if r.dated == nil {
		r.setDate(r.parseDay(textIn(list.Metadata, "lastUpdated"), time.RFC3339))
	}
	for _, text := range sorted(r, list.Addresses) {
		parties := valid(r, list.Addresses.values[text].Entries)
		var names, programs, akas []string
		codes := []string{currencyOf(list.Addresses.values[text].Type)}
		for _, party := range parties {
			codes = append(codes, currencyOf(party.Type))
			names = append(names, party.Entity)
		}
		name := distinct(names)
		r.about = about(codes[0], name)
		s, currency, ok := r.parseSanctioned(text, codes)
		if !ok {
			continue
		}
		l := tocsin.Listing{Kind: tocsin.Sanction, Category: currency, Subject: s}
		slices.SortStableFunc(parties, func(a, b entry) int { // the page is of the party that is named first
			if a.Entity == "" || b.Entity == "" {
				return -strings.Compare(a.Entity, b.Entity)
			}
			return strings.Compare(a.Entity, b.Entity)
		})
		for _, party := range parties {
			programs = append(programs, party.Program)
			akas = append(akas, textsIn(party.Akas)...)
			id := strings.Trim(string(party.UID), `"`)
			if l.URL == "" && party.Entity == parties[0].Entity && id != "" && strings.Trim(id, "0123456789") == "" {
				l.URL = r.source.URL + "Details.aspx?id=" + id
			}
		}
		l.Name, l.Program, l.Aliases = name, distinct(programs), aliases(names, akas)
		r.emitListing(l)
	}
	return nil
}

// about says of which currency an account is, and whose it is, as far as a list says so.
func about(currency, party string) string {
	return strings.Join(slices.DeleteFunc([]string{currency, party}, func(s string) bool { return s == "" }), ", ")
}

// currencyOf returns the code at the end of a type: "Digital Currency Address - XBT".
func currencyOf(kind string) string {
	return strings.TrimSpace(kind[strings.LastIndexByte(kind, '-')+1:])
}

// parseSanctioned parses an address in the spelling that is known of it. It is of the first of its currencies of which
// the chain is known. Of a currency of [sameKeys] it returns the code.
func (r *reader) parseSanctioned(text string, codes []string) (s tocsin.Subject, currency string, ok bool) {
	code := codes[0]
	for _, c := range codes {
		if schemes[c] != "" {
			code = c
			break
		}
	}
	if text, ok = r.respell(code, text); !ok {
		return s, "", false
	}
	s, currency, ok = r.parseCurrency(code, text)
	return s, currency, ok
}

// parseCurrency is [reader.parseAccount] for sanctions: of a currency of [sameKeys] the account has the same key, and
// the code is returned with it.
func (r *reader) parseCurrency(code, text string) (s tocsin.Subject, currency string, ok bool) {
	if scheme := sameKeys[code]; scheme != "" {
		if s, fault := tocsin.ParseAccount(scheme + ":" + cut(strings.TrimSpace(text))); fault == nil {
			return s, code, true
		}
	}
	s, ok = r.parseAccount(code, text)
	return s, "", ok
}

// distinct sorts texts and joins those that are different and not empty.
func distinct(texts []string) string {
	slices.Sort(texts)
	return strings.Join(slices.DeleteFunc(slices.Compact(texts), func(s string) bool { return s == "" }), "; ")
}

// maxAliases is how many aliases of the parties of an address are kept.
const maxAliases = 60

// textsIn are the texts of an array; none of anything else.
func textsIn(array json.RawMessage) (texts []string) {
	if json.Unmarshal(array, &texts) != nil {
		return nil
	}
	return texts
}

// aliases are those that are no names, each once and on one line, in the order of the list.
func aliases(names, akas []string) (all []string) {
	for _, aka := range akas {
		aka = strings.Join(strings.Fields(aka), " ")
		if aka != "" && len(all) < maxAliases && !slices.Contains(names, aka) && !slices.Contains(all, aka) {
			all = append(all, aka)
		}
	}
	return all
}

// readOFACTable reads sanctions in the format of the starter set.
func readOFACTable(r *reader, body io.Reader) error {
	return r.readCSV(body, []string{"address", "name", "program"}, func(field func(string) string) {
		r.about = about(field("currency"), field("name"))
		if s, currency, ok := r.parseCurrency(field("currency"), field("address")); ok {
			r.emitListing(tocsin.Listing{
				Kind: tocsin.Sanction, Category: currency, Subject: s, Name: field("name"), Program: field("program"),
			})
		}
	})
}

// readOFACLines reads the older extract by 0xB10C: one file per currency, one
// address per line, without names.
func readOFACLines(r *reader, body io.Reader) error {
	name := strings.TrimSuffix(path.Base(r.file), ".txt")
	code := name[strings.LastIndexByte(name, '_')+1:]
	r.about = code
	return r.readLines(body, func(_ int, line []byte) {
		if a := strings.TrimSpace(string(line)); a != "" {
			if s, currency, ok := r.parseCurrency(code, a); ok {
				r.emitListing(tocsin.Listing{Kind: tocsin.Sanction, Category: currency, Subject: s})
			}
		}
	})
}
