package feed

import (
	"io"
	"path"
	"strings"

	"tocsin"
)

func scamsniffer() Source {
	return Source{
		List: tocsin.List{
			Name: "scamsniffer", Family: "scamsniffer",
			URL: "https://github.com/scamsniffer/scam-database",
		},
		Title:    "ScamSniffer",
		Kinds:    []tocsin.Kind{tocsin.EVM, tocsin.DNS},
		About:    "sites and addresses of wallet drainers found by ScamSniffer, published after a week (GPL-3.0)",
		Upstream: "https://raw.githubusercontent.com/scamsniffer/scam-database/main/blacklist/",
		// The archive of dates has a file per day since 2022 and is not downloaded.
		Files:   []string{"domains.json", "address.json"},
		Default: "domains.json",
		folder:  "blacklist",
		parts: []part{
			{glob: "archive/*.json", read: readScamSnifferDay, auxiliary: true},
			{glob: "archive.tar.zst", read: readScamSnifferArchive, auxiliary: true},
			{glob: "domains.json", read: readScamSnifferDomains},
			{glob: "address.json", read: readScamSnifferAddresses},
		},
	}
}

func readScamSnifferDomains(r *reader, body io.Reader) error {
	return eachElement(r, body, func(name string) { r.emitRiskSite(name, tocsin.Phishing) })
}

func readScamSnifferAddresses(r *reader, body io.Reader) error {
	return eachElement(r, body, func(a string) {
		r.emitRiskAddress(a, tocsin.Listing{Category: string(tocsin.Phishing)})
	})
}

func readScamSnifferArchive(r *reader, body io.Reader) error {
	return readArchive(body, func(name string, file io.Reader) error { return readScamSnifferDate(r, name, file) })
}

func readScamSnifferDay(r *reader, body io.Reader) error { return readScamSnifferDate(r, r.file, body) }

// readScamSnifferDate reads the additions of the day that the file name gives.
func readScamSnifferDate(r *reader, name string, body io.Reader) error {
	day := r.parseDay(strings.TrimSuffix(path.Base(name), ".json"), "2006-01-02")
	if day == nil {
		return nil // not the file of a day
	}
	var added struct{ Domains, Address rows[string] }
	if err := decodeJSON(body, &added); err != nil {
		return err
	}
	for _, d := range valid(r, added.Domains) {
		r.setSiteFirstSeen(d, *day)
	}
	for _, a := range valid(r, added.Address) {
		if a, err := tocsin.ParseAddress(cut(a)); err == nil {
			r.setFirstSeen(a.Subject(), *day)
		}
	}
	return nil
}
