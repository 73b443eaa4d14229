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

	// The dates and the files of the versions of the list that had it, and had it no longer; nil if unknown. If the list
	// was removed, untilFiles are those of the version that was removed.
	fromIn, untilIn       *tocsin.Time
	fromFiles, untilFiles []tocsin.ListFile
	newer                 *tocsin.Time // the date of the version before untilIn, if that was newer
}

// readSpells reads from the log of changes when the entries about the subjects s that a condition names left their
// lists: the spells of each, in their order.
func readSpells(ctx context.Context, s *conn, named string, args []any) (map[entryOf][]spell, error) {
	spells, came := map[entryOf][]spell{}, map[entryOf]spell{}
	err := s.each(ctx, `SELECT s.kind, s.value, list.name, coalesce(e.chain, ''), e.kind, e.op, e.at,
			`+versionAt("date", "e.at")+", "+versionAt("newer", "e.at")+", "+versionAt("files", "e.at")+`
		FROM subject s JOIN event e ON e.subject = s.id JOIN list ON list.id = e.list
		WHERE (`+named+`) AND e.op IN ('delisted', 'list_removed', 'relisted') AND e.kind IN ('risk', 'sanction')
		ORDER BY e.seq`, args, func(rows *sql.Rows) error {
		var of entryOf
		var op Op
		var micros int64
		var date, newer sql.NullInt64
		var files listFiles
		err := rows.Scan(&of.subject.Kind, &of.subject.Value, &of.list, &of.chain, &of.kind, &op, &micros, &date, &newer,
			&files)
		if at := tocsin.MicroTime(micros); op == ListingReturned {
			came[of] = spell{from: &at, fromIn: timeOf(date), fromFiles: files}
		} else {
			sp := came[of]
			sp.until, sp.untilIn, sp.newer, sp.removed = at, timeOf(date), timeOf(newer), op == ListRemoved
			sp.untilFiles = files
			spells[of] = append(spells[of], sp)
		}
		return err
	})
	return spells, err
}

// withSpells returns an entry, and behind it a copy for each earlier spell that ended after a time, the latest first.
// If the entry is not in force, its last spell is the one that the entry itself describes, so it has no copy. first is
// when an import first found the entry, and in which version of the list: the beginning of its first spell. current is
// the date of the version that is on record.
func withSpells(
	l tocsin.DatedListing, spells []spell, first spell, after int64, current *tocsin.Time,
) []tocsin.DatedListing {
	if n := len(spells); l.Dropped != nil && n > 0 {
		last := spells[n-1]
		l.Removed, l.DroppedIn, l.Older = last.removed, last.untilIn, last.newer != nil
		l.DroppedFiles = last.untilFiles
		if l.Older && current != nil && !current.Std().Before(last.newer.Std()) { // a newer version lacks it, too
			l.Older, l.DroppedIn, l.DroppedFiles = false, current, nil
		}
		spells = spells[:n-1]
	}
	all := []tocsin.DatedListing{l}
	for _, sp := range slices.Backward(spells) {
		if sp.until.Micro() <= after || len(all) > maxSpells {
			break
		}
		if sp.from == nil {
			sp.from, sp.fromIn, sp.fromFiles = first.from, first.fromIn, first.fromFiles
		}
		l.Recorded, l.Dropped, l.Removed = sp.from, &sp.until, sp.removed
		l.RecordedIn, l.DroppedIn, l.Older = sp.fromIn, sp.untilIn, sp.newer != nil
		l.RecordedFiles, l.DroppedFiles = sp.fromFiles, sp.untilFiles
		all = append(all, l)
	}
	return all
}
