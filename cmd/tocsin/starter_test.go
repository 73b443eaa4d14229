package main

import (
	"os"
	"path/filepath"
	"testing"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// afterStart is what is on record of subjects once a server has started: how many listings each has.
func (m *machine) afterStart(subjects ...string) (listings []int) {
	m.Helper()
	db, err := store.Open(m.Context(), filepath.Join(m.dir, "tocsin.db"), store.Options{})
	tocsintest.Must(m, err)
	defer func() { tocsintest.Must(m, db.Close()) }()
	tocsintest.Must(m, loadStarter(m.Context(), db))
	for _, text := range subjects {
		subject, fault := tocsin.ParseSubject(text)
		if fault != nil {
			m.Fatal(fault)
		}
		about, err := db.AboutSubject(m.Context(), subject, store.Page{})
		tocsintest.Must(m, err)
		listings = append(listings, len(about.Listings))
	}
	return listings
}

// usdt is the contract of Tether USD on Tron, which is in the starter set.
const usdt = "tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"

func TestTheStarterSetIsLoadedWhereItIsMissing(t *testing.T) {
	m := newMachine(t)
	m.must("import", "ofac", "-from", m.write("sanctioned_addresses_ETH.txt", address(9)))
	m.must("import", "ndjson", "-from", m.write("own.ndjson", line("1", "Mine", "mine-tocsin.com")))
	m.want("a token, an incident, one that is on OFAC's list too, and no sanctions but those that were imported",
		m.afterStart(usdt, "0x304a554a310C7e546dfe434669C62820b7D83490", address(9),
			"0x0330070FD38Ec3bB94F58FA55D40368271E9e54A"), []int{1, 1, 1, 0})
}

func TestSanctionsAreLoadedWhereThereAreNone(t *testing.T) {
	m := newMachine(t)
	m.must("import", "ndjson", "-from", m.write("own.ndjson", line("1", "Mine", "mine-tocsin.com")))
	m.want("sanctions where there are none", m.afterStart("0x0330070FD38Ec3bB94F58FA55D40368271E9e54A"), []int{1})
}

func TestTheStarterSetIsLoadedAgainIfItIsAnother(t *testing.T) {
	m := newMachine(t)
	m.afterFirstStart()
	m.sqlite("tocsin.db", "DELETE FROM listing WHERE category = 'token'")
	m.want("the same", m.afterStart(usdt), []int{0})
	m.sqlite("tocsin.db", "UPDATE meta SET value = X'00' WHERE name = 'validators starter'")
	m.want("that of an older program", m.afterStart(usdt), []int{1})
	m.sqlite("tocsin.db", "DELETE FROM listing WHERE category = 'token'")
	m.sqlite("tocsin.db", "DELETE FROM meta WHERE name = 'validators starter'")
	m.want("that of a program that did not say", m.afterStart(usdt), []int{1})

	dir := filepath.Join(m.dir, "own")
	tocsintest.Must(t, os.Mkdir(dir, 0o700))
	for name, text := range map[string]string{"incidents.ndjson": line("1", "Mine", "mine-tocsin.com"),
		"safelist.csv": "subject,category\nmine.com,shop\n"} {
		tocsintest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	m.must("import", feed.StarterList, "-force", "-from", dir)
	m.want("that of the operator", m.afterStart(usdt, "mine.com"), []int{0, 1})
	m.must("import", feed.StarterList, "-force")
	m.want("that of the program again", m.afterStart(usdt), []int{1})
}
