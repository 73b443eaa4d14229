package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"tocsin"
)

// AddressFindings returns what the digits of the subjects' addresses say, in order: nil for domains. The dossiers are
// those of the subjects. Contacts are addresses that the caller knows, at most [tocsin.MaxContacts]; they are neither
// stored nor logged. Nothing is said of an address that is one of them, or that a list knows as good.
//
// What is not in memory is read with two statements, however many subjects there are.
func (db *DB) AddressFindings(
	ctx context.Context, subjects []tocsin.Subject, dossiers []*Dossier, contacts []tocsin.Address,
) ([]*tocsin.AddressFindings, error) {
	found := make([]*tocsin.AddressFindings, len(subjects))
	none := &tocsin.AddressFindings{}
	var missing []tocsin.Address
	var at []int // of them
	for i, subject := range subjects {
		if subject.Namespace() == "" {
			continue
		}
		found[i] = none
		a, fault := tocsin.ParseAddress(subject.Value)
		if subject.Kind != tocsin.EVM || fault != nil || slices.ContainsFunc(dossiers[i].Listings, isSafe) ||
			slices.Contains(contacts, a) {
			continue
		}
		p := tocsin.ResembledContact(a, contacts)
		if p == nil {
			near, ok := db.near(a)
			if !ok {
				missing, at = append(missing, a), append(at, i)
				continue
			}
			p = tocsin.ResembledKnown(a, near)
		}
		if p != nil {
			found[i] = &tocsin.AddressFindings{Poisoning: p}
		}
	}
	if len(missing) == 0 {
		return found, nil
	}
	var records []tocsin.Record
	err := db.read(ctx, replica, func(s *conn) (err error) {
		records, err = readNear(ctx, s, missing)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read addresses that are resembled: %w", err)
	}
	for i, a := range missing {
		if p := tocsin.ResembledKnown(a, records); p != nil {
			found[at[i]] = &tocsin.AddressFindings{Poisoning: p}
		}
	}
	return found, nil
}

func isSafe(l tocsin.Listing) bool { return l.Kind == tocsin.Safe || l.Kind == tocsin.Shared }

// near returns the records of addresses that another one resembles; ok is false if the database must be asked.
func (db *DB) near(a tocsin.Address) (records []tocsin.Record, ok bool) {
	current := db.model.current.Load()
	if current == nil {
		return nil, false
	}
	return current.Near(a)
}

// readNear returns the records of the addresses that some of those asked for resemble.
func readNear(ctx context.Context, s *conn, asked []tocsin.Address) ([]tocsin.Record, error) {
	var alike []string
	var args []any
	for _, a := range asked {
		const prefix, suffix = len("0x") + 4, 4 // no fewer are looked for
		text := a.Subject().Value
		n := len(args)
		alike = append(alike, fmt.Sprintf("kind = $%d AND value >= $%d AND value < $%d AND substr(value, %d) = $%d",
			n+1, n+2, n+3, len(text)-suffix+1, n+4))
		args = append(args, string(tocsin.EVM), text[:prefix], text[:prefix]+"g", text[len(text)-suffix:])
	}
	var names []tocsin.Subject
	err := s.each(ctx, "SELECT kind, value FROM subject WHERE "+strings.Join(alike, " OR "), args,
		func(rows *sql.Rows) error {
			var name tocsin.Subject
			err := rows.Scan(&name.Kind, &name.Value)
			if b, fault := tocsin.ParseAddress(name.Value); fault == nil &&
				slices.ContainsFunc(asked, func(a tocsin.Address) bool { return a.NearKnown(b) }) {
				names = append(names, name)
			}
			return err
		})
	if err != nil || len(names) == 0 {
		return nil, err
	}
	found, err := readRecords(ctx, s, names)
	records := make([]tocsin.Record, 0, len(found))
	for _, r := range found {
		records = append(records, r.Record)
	}
	return records, err
}
