package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"tocsin"
)

// Held is an entry of a risk list about a subject that is held ([tocsin.Assessment]).
type Held struct {
	Subject tocsin.Subject
	By      []string // the safelists
}

// held returns the entries of the list that are held, now that it is written; of a safelist, the entries of other lists
// that are held because of it. Only subjects that a safelist knows are judged: a few hundred of the largest list.
func (im *Importing) held(ctx context.Context) (held []Held, err error) {
	var named []tocsin.Subject
	vouches := map[tocsin.Subject]bool{} // of this list; as known below
	for k, st := range im.listings {
		switch {
		case !st.seen:
		case k.kind == tocsin.Risk:
			named = append(named, k.subject)
		case k.kind == tocsin.Safe || k.kind == tocsin.Shared:
			vouches[k.subject] = k.kind == tocsin.Safe
		}
	}
	if len(vouches) > 0 {
		accused, err := im.db.accused(ctx)
		if err != nil {
			return nil, err
		}
		for _, subject := range accused {
			if isKnown(vouches, subject) {
				named = append(named, subject)
			}
		}
	}
	if len(named) == 0 {
		return nil, nil
	}
	known := map[tocsin.Subject]bool{} // by a safelist; false: it is shared, and protects nothing below it
	err = im.db.read(ctx, primary, func(s *conn) error {
		return s.each(ctx, `SELECT s.kind, s.value, max(CASE WHEN l.kind = 'shared' THEN 1 ELSE 0 END)
			FROM listing l JOIN subject s ON s.id = l.subject
			WHERE l.kind IN ('safe', 'shared') AND l.withdrawn IS NULL AND NOT l.hidden GROUP BY s.id`, nil,
			func(rows *sql.Rows) error {
				var subject tocsin.Subject
				var isShared bool
				err := rows.Scan(&subject.Kind, &subject.Value, &isShared)
				known[subject] = !isShared
				return err
			})
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(named, func(a, b tocsin.Subject) int { return strings.Compare(a.Value, b.Value) })
	for _, subject := range slices.Compact(named) {
		if !isKnown(known, subject) {
			continue
		}
		d, err := im.db.AboutSubject(ctx, subject, Page{})
		if err != nil {
			return nil, err
		}
		if !tocsin.Assess(d.Evidence, im.db.Now().Std()).Held {
			continue
		}
		var by []string
		for _, l := range d.Listings {
			if l.Kind == tocsin.Safe || l.Kind == tocsin.Shared {
				by = append(by, l.List)
			}
		}
		slices.Sort(by)
		held = append(held, Held{subject, slices.Compact(by)})
	}
	return held, nil
}

// isKnown reports whether the subject is one of those that a safelist knows, or is below one that is not shared.
func isKnown(known map[tocsin.Subject]bool, subject tocsin.Subject) bool {
	_, self := known[subject]
	for at := subject; !self && at.Kind == tocsin.DNS; {
		var more bool
		if _, at.Value, more = strings.Cut(at.Value, "."); !more {
			break
		}
		self = known[at]
	}
	return self
}

// accused returns the subjects that a list names as fraudulent.
func (db *DB) accused(ctx context.Context) (found []tocsin.Subject, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		return s.each(ctx, `SELECT s.kind, s.value FROM listing l JOIN subject s ON s.id = l.subject
			WHERE l.kind = 'risk' AND l.withdrawn IS NULL AND NOT l.hidden`, nil, func(rows *sql.Rows) error {
			var subject tocsin.Subject
			err := rows.Scan(&subject.Kind, &subject.Value)
			found = append(found, subject)
			return err
		})
	})
	return found, err
}
