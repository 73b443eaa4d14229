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
		Names:    []tocsin.Kind{tocsin.EVM, tocsin.DNS},
		About:    "sites and addresses of wallet drainers, found by ScamSniffer, a week late (GPL-3.0)",
		Upstream: "https://raw.githubusercontent.com/scamsniffer/scam-database/main/blacklist/",
		// The archive of dates is not downloaded: it is a file a day since 2022.
		Files:   []string{"domains.json", "address.json"},
		Default: "domains.json",
		folder:  "blacklist",
		parts: []part{
			{glob: "archive/*.json", read: scamsnifferDay, aside: true},
			{glob: "archive.tar.zst", read: scamsnifferArchive, aside: true},
			{glob: "domains.json", read: scamsnifferDomains},
			{glob: "address.json", read: scamsnifferAddresses},
		},
	}
}

func scamsnifferDomains(r *reading, body io.Reader) error {
	names, err := array[string](r, body)
	for _, name := range names {
		r.riskSite(name, tocsin.Phishing)
	}
	return err
}

func scamsnifferAddresses(r *reading, body io.Reader) error {
	addresses, err := array[string](r, body)
	for _, a := range addresses {
		r.riskAddress(a, tocsin.Listing{Category: string(tocsin.Phishing)})
	}
	return err
}

func scamsnifferArchive(r *reading, body io.Reader) error {
	return archive(body, func(name string, file io.Reader) error { return scamsnifferDate(r, name, file) })
}

func scamsnifferDay(r *reading, body io.Reader) error { return scamsnifferDate(r, r.file, body) }

// scamsnifferDate reads what was added on the day that names the file.
func scamsnifferDate(r *reading, name string, body io.Reader) error {
	day := r.day(strings.TrimSuffix(path.Base(name), ".json"), "2006-01-02")
	if day == nil {
		return nil // not the file of a day
	}
	var added struct{ Domains, Address []row[string] }
	if err := decodeJSON(body, &added); err != nil {
		return err
	}
	for _, d := range good(r, added.Domains) {
		r.seenSite(d, *day)
	}
	for _, a := range good(r, added.Address) {
		if a, err := tocsin.ParseAddress(a); err == nil {
			r.seen(a.Subject(), *day)
		}
	}
	return nil
}
