package store

import (
	"context"
	"database/sql"
	"slices"

	"tocsin"
)

// maxSpells is how many earlier spells of an entry are returned, the latest ones.
const maxSpells = 20

// entryOf identifies an entry of a list.
type entryOf struct {
	subject     tocsin.Subject
	list, chain string
	kind        tocsin.ListingKind
}

// spell is a time for which an entry was on its list.
type spell struct {
	from    *tocsin.Time // nil for the first one
	until   tocsin.Time
	removed bool // it ended because the operator removed the list
}

// readSpells reads from the log of changes when the entries about the subjects s that a condition names left their
// lists: the spells of each, in their order.
func readSpells(ctx context.Context, s *conn, named string, args []any) (map[entryOf][]spell, error) {
	spells, came := map[entryOf][]spell{}, map[entryOf]*tocsin.Time{}
	err := s.each(ctx, `SELECT s.kind, s.value, list.name, coalesce(e.chain, ''), e.kind, e.op, e.at
		FROM subject s JOIN event e ON e.subject = s.id JOIN list ON list.id = e.list
		WHERE (`+named+`) AND e.op IN ('delisted', 'list_removed', 'relisted') AND e.kind IN ('risk', 'sanction')
		ORDER BY e.seq`, args, func(rows *sql.Rows) error {
		var of entryOf
		var op Op
		var micros int64
		err := rows.Scan(&of.subject.Kind, &of.subject.Value, &of.list, &of.chain, &of.kind, &op, &micros)
		if at := tocsin.MicroTime(micros); op == ListingReturned {
			came[of] = &at
		} else {
			spells[of] = append(spells[of], spell{came[of], at, op == ListRemoved})
		}
		return err
	})
	return spells, err
}

// withSpells returns an entry, and behind it a copy for each earlier spell that ended after a time, the latest first.
// If the entry is not in force, its last spell is the one that the entry itself describes, so it has no copy. first is
// when an import first found the entry: the beginning of its first spell.
func withSpells(l tocsin.DatedListing, spells []spell, first *tocsin.Time, after int64) []tocsin.DatedListing {
	if n := len(spells); l.Dropped != nil && n > 0 {
		l.Removed = spells[n-1].removed
		spells = spells[:n-1]
	}
	all := []tocsin.DatedListing{l}
	for _, sp := range slices.Backward(spells) {
		if sp.until.Micro() <= after || len(all) > maxSpells {
			break
		}
		l.Recorded, l.Dropped, l.Removed = sp.from, &sp.until, sp.removed
		if sp.from == nil {
			l.Recorded = first
		}
		all = append(all, l)
	}
	return all
}
