package importer

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"tocsin/internal/feed"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// afterStart is what is on record of subjects once a server has started: how many listings each has.
func (d *desk) afterStart(subjects ...string) (listings []int) {
	d.Helper()
	d.at(func(db *store.DB) {
		tocsintest.Must(d, LoadStarter(d.Context(), db))
		listings = d.listings(db, subjects...)
	})
	return listings
}

// behind changes the database file behind the program's back.
func (d *desk) behind(statement string) {
	d.Helper()
	db, err := sql.Open("sqlite", filepath.Join(d.dir, "tocsin.db")) // the driver came with internal/store
	tocsintest.Must(d, err)
	_, err = db.Exec(statement)
	tocsintest.Must(d, errors.Join(err, db.Close()))
}

// usdt is the contract of Tether USD on Tron, which is in the starter set.
const usdt = "tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"

// mine is a report of one's own.
const mine = `{"key":"1","crimeType":"phishing","title":"Mine","description":"It took all.",` +
	`"reportedDomains":["mine-tocsin.com"]}`

func TestTheStarterSetIsLoadedWhereItIsMissing(t *testing.T) {
	d := newDesk(t, nil)
	const own, sanctioned = "0x000000000000000000000000000000000bad0009", "0x0330070FD38Ec3bB94F58FA55D40368271E9e54A"
	d.must("ndjson", d.write("own.ndjson", mine))
	d.must(feed.OFAC, d.write("sanctioned_addresses_ETH.txt", own))
	tocsintest.Want(t, "a token, an incident, one that is on OFAC's list too, and none of its own sanctions",
		d.afterStart(usdt, "0x304a554a310C7e546dfe434669C62820b7D83490", own, sanctioned), []int{1, 1, 1, 0})
}

func TestSanctionsAreLoadedWhereThereAreNone(t *testing.T) {
	d := newDesk(t, nil)
	d.must("ndjson", d.write("own.ndjson", mine))
	tocsintest.Want(t, "sanctions", d.afterStart("0x0330070FD38Ec3bB94F58FA55D40368271E9e54A"), []int{1})
}

func TestTheStarterSetIsLoadedAgainIfItIsAnother(t *testing.T) {
	d := newDesk(t, nil)
	tocsintest.Want(t, "the first start", d.afterStart(usdt), []int{1})
	d.behind("DELETE FROM listing WHERE category = 'token'")
	tocsintest.Want(t, "the same", d.afterStart(usdt), []int{0})
	d.behind("UPDATE meta SET value = X'00' WHERE name = 'validators starter'")
	tocsintest.Want(t, "that of an older program", d.afterStart(usdt), []int{1})
	d.behind("DELETE FROM listing WHERE category = 'token'")
	d.behind("DELETE FROM meta WHERE name = 'validators starter'")
	tocsintest.Want(t, "that of a program that did not say", d.afterStart(usdt), []int{1})
	d.write("own/incidents.ndjson", mine)
	d.must(feed.StarterList, filepath.Dir(d.write("own/safelist.csv", "subject,category", "mine.com,shop")))
	tocsintest.Want(t, "that of the operator", d.afterStart(usdt, "mine.com"), []int{0, 1})
	d.must(feed.StarterList, "")
	tocsintest.Want(t, "that of the program again", d.afterStart(usdt), []int{1})
}
