package feed

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"tocsin"
)

func addressLists() []Source {
	return []Source{{
		List: tocsin.List{
			Name: "forta", Family: familyEth,
			URL: "https://github.com/forta-network/labelled-datasets",
		},
		Title:    "Forta labels",
		Names:    []tocsin.Kind{tocsin.EVM},
		About:    "addresses of phishers and exploiters with their labels on Etherscan, collected by Forta until 2023 (MIT)",
		Upstream: "https://raw.githubusercontent.com/forta-network/labelled-datasets/main/",
		Files: []string{"labels/1/etherscan_malicious_labels.csv", "labels/1/phishing_scams.csv",
			"labels/1/malicious_smart_contracts.csv", "labels/10/malicious_smart_contracts.csv"},
		Default: "labels/1/etherscan_malicious_labels.csv",
		parts: []part{
			{glob: "labels/*/etherscan_malicious_labels.csv", read: fortaLabels},
			{glob: "labels/*/phishing_scams.csv", read: fortaPhishing},
			{glob: "labels/*/malicious_smart_contracts.csv", read: fortaContracts},
		},
	}, {
		List: tocsin.List{
			Name: OFAC, Family: OFAC,
			URL: "https://sanctionssearch.ofac.treas.gov/",
		},
		Title:    "OFAC SDN",
		Names:    []tocsin.Kind{tocsin.EVM},
		About:    "addresses that the United States sanction: OFAC's SDN list, as extracted daily by thomasgregg (US government data)",
		Upstream: "https://raw.githubusercontent.com/thomasgregg/crypto-sanctions-list/main/data/",
		Files:    []string{"sanctioned-addresses.json"},
		Default:  "sanctioned-addresses.json",
		folder:   "data",
		parts: []part{
			{glob: "sanctioned-addresses.json", read: ofac},
			{glob: "sanctions.csv", read: ofacTable, otherwise: true},
			{glob: "sanctioned_addresses_*.txt", read: ofacLines, otherwise: true},
		},
	}}
}

// fortaChain tells the chain by the folder: labels/10/… is Optimism.
func (r *reading) fortaChain() string { return "eip155:" + path.Base(path.Dir(r.file)) }

func fortaLabels(r *reading, body io.Reader) error {
	return r.table(body, []string{"banned_address", "wallet_tag", "data_source"}, func(field func(string) string) {
		crime := tocsin.Phishing
		if s := field("data_source"); strings.Contains(s, "exploit") || strings.Contains(s, "heist") {
			crime = tocsin.Hack
		}
		r.riskAddress(field("banned_address"), tocsin.Listing{Category: string(crime), Name: field("wallet_tag"), Chain: r.fortaChain()})
	})
}

func fortaPhishing(r *reading, body io.Reader) error {
	return r.table(body, []string{"address", "etherscan_tag"}, func(field func(string) string) {
		r.riskAddress(field("address"), tocsin.Listing{Category: string(tocsin.Phishing), Name: field("etherscan_tag"), Chain: r.fortaChain()})
	})
}

// fortaContracts reads the contracts and who made them. A maker is listed only
// where forta gives a label or a telling tag for it.
func fortaContracts(r *reading, body io.Reader) error {
	return r.table(body, []string{"contract_address", "contract_creator"}, func(field func(string) string) {
		label := field("contract_creator_etherscan_label")
		crime := tocsin.Hack
		if label == "phish-hack" {
			crime = tocsin.Phishing
		}
		listing := tocsin.Listing{Category: string(crime), Name: field("contract_tag"), Chain: r.fortaChain()}
		contract, ok := r.riskAddress(field("contract_address"), listing)
		if !ok {
			return
		}
		subjects := []string{contract.Value}
		if tag := field("contract_creator_tag"); label != "" || accused(tag) != "" {
			listing.Name = tag
			if maker, ok := r.riskAddress(field("contract_creator"), listing); ok {
				subjects = append(subjects, maker.Value)
			}
		}
		r.fortaStory(field, subjects, crime)
	})
}

// fortaDate is how the notes taken from DeFiHackLabs begin.
var fortaDate = regexp.MustCompile(`^(20\d{2})(\d{2})(\d{2}) `)

// fortaStory tells the note on a contract. Rows with a mere tag have no story.
func (r *reading) fortaStory(field func(string) string, subjects []string, crime tocsin.CrimeType) {
	note := strings.TrimSpace(field("notes"))
	if note == "" {
		return
	}
	d := tocsin.Draft{CrimeType: crime, ScammerAddresses: subjects}
	if m := fortaDate.FindStringSubmatch(note); m != nil {
		if day := r.day(m[0], "20060102"); day != nil {
			date := m[1] + "-" + m[2] + "-" + m[3]
			d.SourceDate, d.IncidentDate = *day, &date
			note = note[len(m[0]):]
		}
	}
	d.Title = clip(note, tocsin.MaxTitle)
	d.Description = fmt.Sprintf("Forta notes: %s The malicious contract is %s, its maker %s.", sentence(note), field("contract_address"), field("contract_creator"))
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
	r.tell(strings.ToLower(field("contract_address")), d)
}

// ofac reads the extract of the SDN list: who stands behind each address, under
// which programmes. Addresses of other chains are refused.
func ofac(r *reading, body io.Reader) error {
	type entry struct {
		Entity, Program string
		UID             json.RawMessage // a string in some versions, a number in others
	}
	var list struct {
		Addresses map[string]row[struct{ Entries []entry }]
	}
	if err := decodeJSON(body, &list); err != nil {
		return err
	}
	for _, text := range slices.Sorted(maps.Keys(list.Addresses)) {
		e := list.Addresses[text]
		if e.fault != nil {
			r.refuse(text, badRow, e.fault.Error())
			continue
		}
		s, ok := r.address(text)
		if !ok {
			continue
		}
		l := tocsin.Listing{Kind: tocsin.Sanction, Subject: s}
		var names, programs []string
		for _, party := range e.value.Entries {
			names = append(names, party.Entity)
			programs = append(programs, party.Program)
			if id := strings.Trim(string(party.UID), `"`); l.URL == "" && id != "" && strings.Trim(id, "0123456789") == "" {
				l.URL = r.source.URL + "Details.aspx?id=" + id
			}
		}
		l.Name, l.Program = distinct(names), distinct(programs)
		r.list(l)
	}
	return nil
}

// distinct joins texts, each once.
func distinct(texts []string) string {
	slices.Sort(texts)
	return strings.Join(slices.DeleteFunc(slices.Compact(texts), func(s string) bool { return s == "" }), "; ")
}

// ofacTable reads sanctions in our own form, that of the starter set.
func ofacTable(r *reading, body io.Reader) error {
	return r.table(body, []string{"address", "name", "program"}, func(field func(string) string) {
		if s, ok := r.address(field("address")); ok {
			r.list(tocsin.Listing{Kind: tocsin.Sanction, Subject: s, Name: field("name"), Program: field("program")})
		}
	})
}

// ofacLines reads the older extract by 0xB10C: a file for each currency, an
// address a line, without names.
func ofacLines(r *reading, body io.Reader) error {
	return r.lines(body, func(_ int, line []byte) {
		if a := strings.TrimSpace(string(line)); a != "" {
			if s, ok := r.address(a); ok {
				r.list(tocsin.Listing{Kind: tocsin.Sanction, Subject: s})
			}
		}
	})
}
