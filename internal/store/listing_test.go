package store

import (
	"fmt"
	"slices"
	"testing"

	"tocsin"
)

func TestAListingIsImportedAgainWhicheverOfItsFieldsHasChanged(t *testing.T) {
	s := fresh(t)
	l := tocsin.Listing{Kind: tocsin.Sanction, Category: "a", Subject: evil}
	s.imports(t, "list", tocsin.Entry{Listing: &l})
	for _, field := range []*string{&l.Category, &l.URL, &l.Name, &l.Program} {
		*field = "changed"
		equal(t, "import", s.imports(t, "list", tocsin.Entry{Listing: &l}), Counts{Added: 1})
		got := dossier(t, s.DB, evil).Listings[0]
		equal(t, "listing", []string{got.Category, got.URL, got.Name, got.Program},
			[]string{l.Category, l.URL, l.Name, l.Program})
	}
}

func TestTheSitesOfAllListsAreReadTogether(t *testing.T) {
	s := fresh(t)
	since := tocsin.MicroTime(1_700_000_000_000_000)
	s.imports(t, "one", listing(evil, &since))
	known := tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Safe, Category: tocsin.TopSite, Subject: evil}}
	address := listing(tocsin.Subject{Kind: tocsin.EVM, Value: "0x00000000000000000000000000000000000000aa"}, nil)
	s.imports(t, "two", known, address, listing(tocsin.Subject{Kind: tocsin.DNS, Value: "gone.example"}, nil))
	s.imports(t, "two", known, address)
	var got []string
	err := s.ListedSites(t.Context(), func(site ListedSite) {
		got = append(got, fmt.Sprint(site.Domain, " ", site.Kind, " ", site.Category, " ", site.Since))
	})
	slices.Sort(got)
	equal(t, "sites", []any{got, err}, []any{[]string{"evil.com risk phishing 2023-11-14T22:13:20.000000Z",
		"evil.com safe top-site <nil>"}, nil})
}
