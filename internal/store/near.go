package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"tocsin"
)

// AddressFindings returns what the characters of the subjects' addresses say, in order: nil for domains. The dossiers
// are those of the subjects. Contacts are addresses that the caller knows, at most [tocsin.MaxContacts]; they are
// neither stored nor logged. Nothing is said of an address that is one of them, or that a list knows as good.
//
// What is not in memory is read with two statements, however many subjects there are.
func (db *DB) AddressFindings(
	ctx context.Context, subjects []tocsin.Subject, dossiers []*Dossier, contacts []tocsin.Address,
) ([]*tocsin.AddressFindings, error) {
	found := make([]*tocsin.AddressFindings, len(subjects))
	none := &tocsin.AddressFindings{}
	var missing []tocsin.Subject
	var at []int // of them
	for i, subject := range subjects {
		if subject.Namespace() == "" {
			continue
		}
		found[i] = none
		if slices.ContainsFunc(dossiers[i].Listings, isSafe) {
			continue
		}
		var p *tocsin.Poisoning
		switch subject.Kind {
		case tocsin.EVM:
			a, fault := tocsin.ParseAddress(subject.Value)
			if fault != nil || slices.Contains(contacts, a) {
				continue
			}
			p = tocsin.ResembledContact(a, contacts)
		case tocsin.Solana:
		default: // a checksum says when a character is wrong
			continue
		}
		if p == nil {
			near, ok := db.near(subject)
			if !ok {
				missing, at = append(missing, subject), append(at, i)
				continue
			}
			p = tocsin.ResembledKnown(subject, near)
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
	for i, subject := range missing {
		if p := tocsin.ResembledKnown(subject, records); p != nil {
			found[at[i]] = &tocsin.AddressFindings{Poisoning: p}
		}
	}
	return found, nil
}

func isSafe(l tocsin.Listing) bool { return l.Kind == tocsin.Safe || l.Kind == tocsin.Shared }

// near returns the records of accounts that another one resembles; ok is false if the database must be asked.
func (db *DB) near(s tocsin.Subject) (records []tocsin.Record, ok bool) {
	current := db.model.current.Load()
	if current == nil {
		return nil, false
	}
	if s.Kind == tocsin.Solana {
		return current.Apart(s)
	}
	a, fault := tocsin.ParseAddress(s.Value)
	if fault != nil {
		return nil, true
	}
	return current.Near(a)
}

// readNear returns the records of the accounts that some of those asked for resemble.
func readNear(ctx context.Context, s *conn, asked []tocsin.Subject) ([]tocsin.Record, error) {
	var alike []string
	var args []any
	arg := func(value string) string {
		args = append(args, value)
		return fmt.Sprintf("$%d", len(args))
	}
	// between finds the values with a beginning and an end; nothing that is looked for has "~" in it.
	between := func(kind tocsin.Kind, first, last string, at int) {
		alike = append(alike, fmt.Sprintf("kind = %s AND value >= %s AND value < %s AND substr(value, %d) = %s",
			arg(string(kind)), arg(first), arg(first+"~"), at+1, arg(last)))
	}
	for _, a := range asked {
		text := a.Value
		if a.Kind == tocsin.Solana { // one half is the same
			between(a.Kind, text[:len(text)/2], "", len(text)+1)
			between(a.Kind, "", text[len(text)/2:], len(text)/2)
			continue
		}
		const prefix, suffix = len("0x") + 4, 4 // no fewer are looked for
		between(a.Kind, text[:prefix], text[len(text)-suffix:], len(text)-suffix)
		between(a.Kind, text[:len(text)-suffix], "", len(text)) // of the last ones another digit
		var others []string                                     // likewise of the first ones
		for i := len("0x"); i < prefix; i++ {
			for _, digit := range "0123456789abcdef" {
				others = append(others, arg(text[:i]+string(digit)+text[i+1:]))
			}
		}
		alike = append(alike, fmt.Sprintf("kind = %s AND value IN (%s)", arg(string(a.Kind)), strings.Join(others, ", ")))
	}
	var names []tocsin.Subject
	err := s.each(ctx, "SELECT kind, value FROM subject WHERE "+strings.Join(alike, " OR "), args,
		func(rows *sql.Rows) error {
			var name tocsin.Subject
			err := rows.Scan(&name.Kind, &name.Value)
			if slices.ContainsFunc(asked, name.NearKnown) && !slices.Contains(names, name) {
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
