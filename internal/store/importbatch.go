package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"sync"
	"time"

	"tocsin"
)

const (
	// chunk is how many rows an import commits at once: few enough that others who write wait for a part of a second.
	chunk = 1000
	// removal is for how many rows it counts to remove a story, whose words leave the index one by one. On SQLite that
	// takes 150 µs of CPU time, for a story of 100 words; to add it takes 100.
	removal = 2
	// chunkBytes is how many bytes of stories it adds and removes at once, if these are more than one: of many long ones,
	// all that are on their way would not fit its memory.
	chunkBytes = 4 << 20
	// maxChunks is how many chunks it commits at once while nobody else writes, and quick is how long that should take.
	// A page of an index is then written once for more rows.
	maxChunks = 4
	quick     = 300 * time.Millisecond
	// pause is how long an import leaves the lock to others after each commit. It is longer than a server waits before
	// it tries again to get the lock of a SQLite file, which knows no queue.
	pause = turn
)

// gone is what has left the list.
type gone struct {
	listings []listingKey
	reports  []reportState
}

// writeAll writes what has changed, chunk by chunk. The next ones are made while one is written.
//
// Neighbours in an index change the same pages. So listings are written in the order of their subjects, and reports in
// that of their dates.
func (im *Importing) writeAll(ctx context.Context, gone gone, progress func(done, total int)) error {
	slices.SortFunc(im.named, func(a, b *tocsin.Listing) int {
		return cmp.Or(cmp.Compare(a.Subject.Kind, b.Subject.Kind), strings.Compare(a.Subject.Value, b.Subject.Value))
	})
	slices.SortStableFunc(im.stories, func(a, b spooledReport) int { return cmp.Compare(a.published, b.published) })
	total := len(im.named) + len(im.stories) + len(gone.listings) + len(gone.reports)
	parts, stop := make(chan *part, 2), make(chan struct{})
	var making sync.WaitGroup
	defer making.Wait() // it reads what the caller closes, or what the next Finish sorts
	defer close(stop)
	making.Go(func() { im.makeParts(gone, parts, stop) })
	var group []*part
	for made, done, chunks := 0, 0, 1; done < total; {
		for len(group) < chunks && made < total {
			p := <-parts
			if p.err != nil {
				return p.err
			}
			group, made = append(group, p), made+p.rows()
		}
		began, contended, now := im.db.monotonic(), false, group[:min(len(group), chunks)]
		err := im.db.write(ctx, evidence, false, func(ctx context.Context, s *conn) (err error) {
			if err := im.lease.check(ctx, s); err != nil {
				return err
			}
			if contended, err = s.dialect.contended(ctx, s); err != nil {
				return err
			}
			if contended {
				now = group[:1]
			}
			for _, p := range now {
				if err := im.writePart(ctx, s, p); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		group = group[len(now):]
		for _, p := range now {
			done += p.rows()
			im.written(p)
		}
		switch took := im.db.monotonic() - began; {
		case contended:
			chunks = 1
		case took > quick:
			chunks = max(chunks/2, 1)
		case took <= quick/2:
			chunks = min(chunks*2, maxChunks)
		}
		if progress != nil {
			progress(done, total)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// written keeps the numbers of the subjects of a part, of which reports may name some, and lets the rest of it go.
func (im *Importing) written(p *part) {
	for _, l := range p.listings {
		st := im.listings[keyOf(l)]
		st.subject = p.ids[l.Subject]
		im.listings[keyOf(l)] = st
	}
	im.named, im.stories = im.named[len(p.listings):], im.stories[len(p.reports):]
	clear(p.listings) // which is a part of what im.named was
}

// writePart writes a part. It may be called again with the same one, if the transaction is repeated.
func (im *Importing) writePart(ctx context.Context, s *conn, p *part) error {
	for _, seq := range slices.Concat(p.replaced, p.removed) {
		if err := im.removeReport(ctx, s, seq); err != nil {
			return err
		}
	}
	for _, key := range p.withdrawn {
		if err := im.withdrawListing(ctx, s, key); err != nil {
			return err
		}
	}
	if err := im.findAll(ctx, s, p); err != nil {
		return err
	}
	if err := im.writeListings(ctx, s, p); err != nil {
		return err
	}
	return im.writeReports(ctx, s, p)
}

// findAll looks up what a part names, and records what was never named before.
func (im *Importing) findAll(ctx context.Context, s *conn, p *part) error {
	p.ids = map[tocsin.Subject]int64{}
	var unknown []tocsin.Subject
	look := func(subject tocsin.Subject, id int64) {
		if _, seen := p.ids[subject]; seen {
			return
		}
		if p.ids[subject] = id; id == 0 {
			unknown = append(unknown, subject)
		}
	}
	for _, l := range p.listings {
		look(l.Subject, im.listings[keyOf(l)].subject)
	}
	for i := range p.reports {
		for _, subject := range p.reports[i].names { // a list with stories names their subjects, most often
			look(subject, im.listings[listingKey{subject: subject, kind: tocsin.Risk}].subject)
		}
	}
	_, err := subjectIDs(ctx, s, unknown, p.ids)
	return err
}

// subjectIDs looks up the ids of subjects, and records those that were never named before, which it returns.
func subjectIDs(
	ctx context.Context, s *conn, subjects []tocsin.Subject, ids map[tocsin.Subject]int64,
) (fresh map[tocsin.Subject]bool, err error) {
	found := func(rows *sql.Rows) error {
		var subject tocsin.Subject
		var id int64
		err := rows.Scan(&id, &subject.Kind, &subject.Value)
		ids[subject] = id
		return err
	}
	var values []any
	for _, subject := range subjects {
		values = append(values, string(subject.Kind), subject.Value)
	}
	err = s.insertRows(ctx, "INSERT INTO subject (kind, value)", 2, values,
		"ON CONFLICT DO NOTHING RETURNING id, kind, value", found)
	if err != nil {
		return nil, err
	}
	known := map[tocsin.Kind][]string{}
	fresh = map[tocsin.Subject]bool{}
	for _, subject := range subjects {
		if ids[subject] == 0 {
			known[subject.Kind] = append(known[subject.Kind], subject.Value)
		} else {
			fresh[subject] = true
		}
	}
	for kind, all := range known {
		query := "SELECT id, kind, value FROM subject WHERE kind = '" + string(kind) + "' AND value IN "
		if err := among(ctx, s, query, all, found); err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

// writeListings records that the list names subjects, or names them otherwise.
func (im *Importing) writeListings(ctx context.Context, s *conn, p *part) error {
	type place struct {
		subject     int64
		chain, kind string
	}
	now := im.db.Now()
	places := map[place]*tocsin.Listing{}
	var values, events []any
	for _, l := range p.listings {
		since := micros(l.Since)
		var unseen any
		if since == nil && !im.first {
			if since = now.Micro(); !im.dated {
				unseen = im.before
			}
		}
		id := p.ids[l.Subject]
		places[place{id, l.Chain, string(l.Kind)}] = l
		values = append(values, id, im.id, l.Chain, string(l.Kind), l.Category, l.URL, l.Name, l.Program,
			strings.Join(l.Aliases, "\n"), since, unseen, now.Micro())
	}
	// An entry that comes back keeps its first date: it is no news. One that another
	// process has written meanwhile is left alone.
	err := s.insertRows(ctx, `INSERT INTO listing
			(subject, list, chain, kind, category, url, name, program, aliases, since, unseen, recorded)`, 12, values,
		`ON CONFLICT (subject, list, chain, kind) DO UPDATE SET category = excluded.category, url = excluded.url,
			name = excluded.name, program = excluded.program, aliases = excluded.aliases, withdrawn = NULL,
			recorded = CASE WHEN listing.withdrawn IS NULL THEN listing.recorded ELSE excluded.recorded END,
			recorded_first = CASE WHEN listing.withdrawn IS NULL THEN listing.recorded_first
				ELSE coalesce(listing.recorded_first, listing.recorded) END
		WHERE listing.withdrawn IS NOT NULL
			OR (listing.category, listing.url, listing.name, listing.program, listing.aliases)
			<> (excluded.category, excluded.url, excluded.name, excluded.program, excluded.aliases)
		RETURNING subject, chain, kind`, func(rows *sql.Rows) error {
			var at place
			if err := rows.Scan(&at.subject, &at.chain, &at.kind); err != nil {
				return err
			}
			l := places[at]
			op, before := ListingEdited, im.listings[keyOf(l)]
			switch {
			case before.withdrawn:
				op = ListingReturned
			case before.subject == 0:
				op = ListingAdded
			}
			events = append(events, now.Micro(), string(op), at.subject, im.id, nullable(at.chain), at.kind)
			s.written.subjects = append(s.written.subjects, l.Subject)
			return nil
		})
	if err != nil {
		return err
	}
	return logAll(ctx, s, "INSERT INTO event (at, op, subject, list, chain, kind)", 6, events)
}

// writeReports records stories, and what is found by them.
func (im *Importing) writeReports(ctx context.Context, s *conn, p *part) error {
	if len(p.reports) == 0 {
		return nil
	}
	var last int64
	if err := s.row(ctx, "SELECT coalesce(max(created), 0) FROM report", nil, &last); err != nil {
		return err
	}
	now := im.db.Now().Micro()
	type place struct {
		*newReport
		created, published int64
	}
	places := map[string]place{} // by id
	var values, named, events []any
	told := map[int64]int64{} // the story about each subject
	for i := range p.reports {
		r := &p.reports[i]
		last = max(now, last+1)
		at := place{r, last, r.published}
		if at.published <= 0 || at.published > now {
			at.published = undated.Micro()
		}
		places[r.id] = at
		values = append(values, r.id, at.created, at.published, im.id, r.key, string(tocsin.Published), string(r.crime),
			string(r.body))
	}
	// Another process may have imported the same list meanwhile.
	err := s.insertRows(ctx, "INSERT INTO report (id, created, published, list, list_key, status, crime_type, body)", 8,
		values, "ON CONFLICT (list, list_key) WHERE list_key IS NOT NULL AND status <> 'gone' DO NOTHING RETURNING seq, id",
		func(rows *sql.Rows) error {
			var seq int64
			var id string
			if err := rows.Scan(&seq, &id); err != nil {
				return err
			}
			r := places[id]
			for _, subject := range r.names {
				told[p.ids[subject]] = seq
				named = append(named, p.ids[subject], seq, im.id, string(r.crime), r.published)
				events = append(events, r.created, string(ReportFiled), p.ids[subject], seq, im.id)
				s.written.subjects = append(s.written.subjects, subject)
			}
			words := r.words
			words.report = seq
			s.index(words)
			return nil
		})
	if err != nil {
		return err
	}
	err = s.insertRows(ctx, "INSERT INTO report_subject (subject, report, list, crime_type, published)", 5, named, "", nil)
	if err != nil {
		return err
	}
	if err := logAll(ctx, s, "INSERT INTO event (at, op, subject, report, list)", 5, events); err != nil {
		return err
	}
	return im.lift(ctx, s, told)
}
