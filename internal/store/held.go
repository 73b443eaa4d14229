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

// held returns the entries of the list that are held, now that it is written. Only subjects that a safelist knows are
// judged: a few hundred of the largest list.
func (im *Importing) held(ctx context.Context) (held []Held, err error) {
	var named []tocsin.Subject
	for k, st := range im.listings {
		if st.seen && k.kind == tocsin.Risk {
			named = append(named, k.subject)
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
		_, self := known[subject]
		for at := subject; !self && at.Kind == tocsin.DNS; {
			var more bool
			if _, at.Value, more = strings.Cut(at.Value, "."); !more {
				break
			}
			self = known[at]
		}
		if !self {
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
