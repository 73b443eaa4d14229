package store

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"strings"

	"tocsin"
)

// MaxParties is how many parties a search finds at most.
const MaxParties = 20

// PartiesNamed returns the parties of which a list of sanctions has a name or an alias with all the terms, as
// [DB.Search] compares them, in the order of their names, [MaxParties] at most, each with so many accounts at most; and
// whether any alias is on record. An alias that is all of the terms is named even if the name has them. The terms of a
// handle find none: it is not the name of a party.
func (db *DB) PartiesNamed(
	ctx context.Context, terms []tocsin.Term, accounts int,
) (parties []tocsin.Party, aliases bool, err error) {
	if slices.ContainsFunc(terms, func(t tocsin.Term) bool { return t.Whole }) {
		return nil, false, nil
	}
	var words []string
	for _, t := range terms {
		words = append(words, t.Text)
	}
	whole, phrases := foldText(words...), phrasesOf(terms)
	named := func(name string) bool {
		name = " " + foldText(name) + " "
		return !slices.ContainsFunc(phrases, func(phrase string) bool { return !strings.Contains(name, phrase) })
	}
	parties, err = db.parties(ctx, func(p *tocsin.Party) bool {
		aliases = aliases || len(p.Aliases) > 0
		i := slices.IndexFunc(p.Aliases, func(alias string) bool { return foldText(alias) == whole })
		if i < 0 && named(p.Name) || foldText(p.Name) == whole {
			return true
		}
		if i < 0 {
			i = slices.IndexFunc(p.Aliases, named)
		}
		if i >= 0 {
			p.Alias = p.Aliases[i]
		}
		return i >= 0
	})
	for i, p := range parties {
		parties[i].Accounts = p.Accounts[:min(accounts, p.Count)]
	}
	return parties, aliases, err
}

// MaxNearParties is how many near spellings a search offers at most.
const MaxNearParties = 5

// PartiesNear returns the names and aliases of sanctioned parties that are near spellings of the terms of a search
// ([tocsin.NearName]), the nearest first, [MaxNearParties] at most. Words in quotes, beginnings and handles have none.
func (db *DB) PartiesNear(ctx context.Context, terms []tocsin.Term) (names []string, err error) {
	var asked []string
	for _, t := range terms {
		if t.Whole || t.Prefix || strings.Contains(t.Text, " ") {
			return nil, nil
		}
		asked = append(asked, strings.Fields(foldText(t.Text))...)
	}
	type spelling struct {
		name string
		far  int
	}
	var near []spelling
	err = db.read(ctx, replica, func(s *conn) error {
		parties, err := readParties(ctx, s)
		near = nil
		for _, p := range parties {
			best := spelling{far: math.MaxInt}
			for _, name := range append([]string{p.Name}, p.Aliases...) {
				if far, is := tocsin.NearName(asked, strings.Fields(foldText(name))); is && far < best.far {
					best = spelling{name, far}
				}
			}
			if best.name != "" {
				near = append(near, best)
			}
		}
		return err
	})
	slices.SortFunc(near, func(a, b spelling) int {
		return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.name, b.name))
	})
	for _, s := range slices.Compact(near) {
		names = append(names, s.name)
	}
	return names[:min(MaxNearParties, len(names))], err
}

// namesakes are the domains that lists of sanctions have as a name or an alias of a party.
type namesakes struct {
	at      int64 // the last event that was taken into account
	domains map[string]bool
}

// PartiesCalled returns the parties of which a list of sanctions has a domain as a name or as an alias, by that domain,
// each with its first account. The list names their accounts, and not the domain. Hardly a domain is one, and which are
// is in memory.
func (db *DB) PartiesCalled(
	ctx context.Context, subjects ...tocsin.Subject,
) (called map[tocsin.Subject][]tocsin.Party, err error) {
	if !slices.ContainsFunc(subjects, func(s tocsin.Subject) bool { return s.Kind == tocsin.DNS }) {
		return nil, nil
	}
	known := db.namesakes.Load()
	if at := db.log.at(); known == nil || known.at != at {
		known = &namesakes{at, map[string]bool{}}
		_, err := db.parties(ctx, func(p *tocsin.Party) bool {
			for _, name := range append(p.Aliases, p.Name) {
				if strings.Contains(name, ".") {
					known.domains[strings.ToLower(name)] = true
				}
			}
			return false
		})
		if err != nil {
			return nil, err
		}
		db.namesakes.Store(known)
	}
	is := func(name string) (of tocsin.Subject, asked bool) {
		of = tocsin.Subject{Kind: tocsin.DNS, Value: strings.ToLower(name)}
		return of, slices.Contains(subjects, of)
	}
	isNamesake := func(s tocsin.Subject) bool { return s.Kind == tocsin.DNS && known.domains[s.Value] }
	if !slices.ContainsFunc(subjects, isNamesake) {
		return nil, nil
	}
	parties, err := db.parties(ctx, func(p *tocsin.Party) bool {
		if _, asked := is(p.Name); asked {
			return true
		}
		i := slices.IndexFunc(p.Aliases, func(alias string) bool { _, asked := is(alias); return asked })
		if i >= 0 {
			p.Alias = p.Aliases[i]
		}
		return i >= 0
	})
	called = map[tocsin.Subject][]tocsin.Party{}
	for _, p := range parties {
		p.Accounts = p.Accounts[:1]
		of, _ := is(cmp.Or(p.Alias, p.Name))
		called[of] = append(called[of], p)
	}
	return called, err
}

// PartiesOf returns the parties that the sanctions among the listings of a subject are on, [MaxParties] at most, with
// all their accounts and aliases. Without such a listing it reads nothing.
func (db *DB) PartiesOf(ctx context.Context, listings []tocsin.Listing) ([]tocsin.Party, error) {
	if !slices.ContainsFunc(listings, func(l tocsin.Listing) bool { return l.Kind == tocsin.Sanction }) {
		return nil, nil
	}
	return db.parties(ctx, func(p *tocsin.Party) bool { return slices.ContainsFunc(listings, p.IsOf) })
}

// SameParty returns the parties that the sanctions among the listings of a subject are on, with their other accounts,
// so many of each at most. Without such a listing it reads nothing.
func (db *DB) SameParty(
	ctx context.Context, subject tocsin.Subject, listings []tocsin.Listing, accounts int,
) (same []tocsin.Party, err error) {
	parties, err := db.PartiesOf(ctx, listings)
	for _, p := range parties {
		p.Accounts = slices.DeleteFunc(p.Accounts, func(s tocsin.Subject) bool { return s == subject })
		if p.Count = len(p.Accounts); p.Count > 0 {
			p.Accounts = p.Accounts[:min(accounts, p.Count)]
			same = append(same, p)
		}
	}
	return same, err
}

// parties returns the parties of sanctions in force that fulfil a condition, in the order of their names, [MaxParties]
// at most, with all their accounts.
func (db *DB) parties(ctx context.Context, are func(p *tocsin.Party) bool) (all []tocsin.Party, err error) {
	err = db.read(ctx, replica, func(s *conn) error {
		parties, err := readParties(ctx, s)
		if err != nil {
			return err
		}
		all = nil
		for _, p := range parties {
			if are(&p) {
				all = append(all, p)
			}
		}
		slices.SortFunc(all, func(a, b tocsin.Party) int {
			return cmp.Or(cmp.Compare(foldText(a.Name), foldText(b.Name)), cmp.Compare(a.List, b.List),
				cmp.Compare(a.Program, b.Program))
		})
		all = all[:min(MaxParties, len(all))]
		if err := addAccounts(ctx, s, all); err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(p tocsin.Party) bool { return p.Count == 0 }) // withdrawn meanwhile
		return nil
	})
	dates := db.lists.current.Load()
	for i, p := range all {
		all[i].ListDate = dates.lists.Dates[p.List]
		all[i].Untaken = p.UntakenOf(dates.untaken[p.List])
	}
	return all, err
}

// readParties returns the parties of sanctions in force, each once, with the aliases of all its accounts. An index
// finds them among the hundreds of thousands of other listings.
func readParties(ctx context.Context, s *conn) (all []tocsin.Party, err error) {
	err = s.each(ctx, `SELECT list.name, p.name, p.program, p.aliases FROM (
			SELECT DISTINCT list, name, program, aliases FROM listing
			WHERE kind = 'sanction' AND withdrawn IS NULL AND name <> '' -- as the index has it
				AND NOT hidden
		) p JOIN list ON list.id = p.list ORDER BY p.name, p.program, list.name, p.aliases`, nil, func(rows *sql.Rows) error {
		var p tocsin.Party
		var aliases string
		err := rows.Scan(&p.List, &p.Name, &p.Program, &aliases)
		if n := len(all); n == 0 || !isSameParty(all[n-1], p) {
			all = append(all, p)
		}
		of := &all[len(all)-1]
		for _, alias := range aliasesOf(aliases) {
			if !slices.Contains(of.Aliases, alias) {
				of.Aliases = append(of.Aliases, alias)
			}
		}
		return err
	})
	return all, err
}

func isSameParty(a, b tocsin.Party) bool {
	return a.List == b.List && a.Name == b.Name && a.Program == b.Program
}

// addAccounts adds their pages and accounts to parties.
func addAccounts(ctx context.Context, s *conn, parties []tocsin.Party) error {
	names := make([]string, len(parties))
	for i, p := range parties {
		names[i] = p.Name
	}
	err := among(ctx, s, `SELECT list.name, l.name, l.program, coalesce(nullif(l.url, ''), list.url), s.kind, s.value
		FROM listing l JOIN list ON list.id = l.list JOIN subject s ON s.id = l.subject
		WHERE l.kind = 'sanction' AND l.withdrawn IS NULL AND NOT l.hidden AND l.name IN `, names,
		func(rows *sql.Rows) error {
			var of tocsin.Party
			var account tocsin.Subject
			err := rows.Scan(&of.List, &of.Name, &of.Program, &of.URL, &account.Kind, &account.Value)
			for i, p := range parties {
				if isSameParty(p, of) {
					parties[i].URL = cmp.Or(p.URL, of.URL)
					parties[i].Accounts = append(p.Accounts, account)
				}
			}
			return err
		})
	for i := range parties {
		accounts := parties[i].Accounts
		slices.SortFunc(accounts, func(a, b tocsin.Subject) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Value, b.Value))
		})
		parties[i].Accounts = slices.Compact(accounts)
		parties[i].Count = len(parties[i].Accounts)
	}
	return err
}
