package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"tocsin"
)

// Counts tell what an import did. Listings and reports count alike.
type Counts struct {
	Added, Unchanged, Withdrawn int
}

// chunk is how many rows an import commits at once: few enough that a server
// on the same database waits for it no longer than a blink.
const chunk = 1000

// Importing is one reading of a list, held against what is known of it. Nothing
// is changed before Finish.
type Importing struct {
	db       *DB
	list     tocsin.List
	id       int64 // 0: never imported
	first    bool
	listings map[listingKey]listingState
	reports  map[string]reportState // by key within the list
	changes  []change
	counts   Counts
	partial  bool
	asOf     *tocsin.Time
}

// Partial says that only a part of the list was read: a kind of subject of
// which nothing came is then left as it was.
func (im *Importing) Partial() { im.partial = true }

// AsOf says that what was read is a copy of the list as it was then: that is how
// old it counts, rather than new from now on.
func (im *Importing) AsOf(at tocsin.Time) { im.asOf = &at }

type listingKey struct {
	subject tocsin.Subject
	chain   string
	kind    tocsin.ListingKind
}

type listingState struct {
	subject   int64
	digest    [8]byte
	withdrawn bool
	seen      bool
}

type reportState struct {
	seq    int64
	digest [8]byte
	hidden bool // by the operator: what the list says now changes nothing
	seen   bool
}

// change is one thing to write: a listing or a story that is new or other than
// before, or one that has left the list.
type change struct {
	listing *tocsin.Listing
	delist  *listingKey
	body    []byte // of a story: the draft in JSON, which is a fifth of the draft's size in memory
	key     string
	at      tocsin.Time // of a story: the source's own date, if it has one
	retire  int64       // seq of a story that has gone, or whose place the new one takes
}

// Import begins an import of a list.
func (db *DB) Import(ctx context.Context, list tocsin.List) (*Importing, error) {
	im := &Importing{db: db, list: list, listings: map[listingKey]listingState{}, reports: map[string]reportState{}}
	err := db.read(ctx, primary, func(s *conn) error {
		var imported sql.NullInt64
		err := s.row(ctx, "SELECT id, imported FROM list WHERE name = $1", []any{list.Name}, &im.id, &imported)
		im.first = !imported.Valid
		if missing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		err = s.each(ctx, `SELECT s.id, s.kind, s.value, l.chain, l.kind, l.category, l.url, l.name, l.program, l.withdrawn IS NOT NULL
			FROM listing l JOIN subject s ON s.id = l.subject WHERE l.list = $1`, []any{im.id}, func(rows *sql.Rows) error {
			var l tocsin.Listing
			var st listingState
			if err := rows.Scan(&st.subject, &l.Subject.Kind, &l.Subject.Value, &l.Chain, &l.Kind, &l.Category, &l.URL, &l.Name, &l.Program, &st.withdrawn); err != nil {
				return err
			}
			st.digest = listingDigest(&l)
			im.listings[keyOf(&l)] = st
			return nil
		})
		if err != nil {
			return err
		}
		return s.each(ctx, "SELECT seq, list_key, body, status = 'hidden' FROM report WHERE list = $1 AND list_key IS NOT NULL AND status <> 'gone'", []any{im.id}, func(rows *sql.Rows) error {
			var st reportState
			var key string
			var body []byte
			if err := rows.Scan(&st.seq, &key, &body, &st.hidden); err != nil {
				return err
			}
			st.digest = digestOf(string(body))
			im.reports[key] = st
			return nil
		})
	})
	return im, err
}

func keyOf(l *tocsin.Listing) listingKey { return listingKey{l.Subject, l.Chain, l.Kind} }

func listingDigest(l *tocsin.Listing) [8]byte { return digestOf(l.Category, l.URL, l.Name, l.Program) }

func digestOf(parts ...string) [8]byte {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return [8]byte(h.Sum(nil))
}

// Add takes one row of the list.
func (im *Importing) Add(e tocsin.Entry) error {
	if e.Listing != nil {
		im.addListing(e.Listing)
	}
	if e.Report == nil {
		return nil
	}
	body, err := json.Marshal(e.Report)
	if err != nil {
		return err
	}
	old, known := im.reports[e.Key]
	if known && old.seen {
		return nil // twice in the list
	}
	same := known && (old.hidden || old.digest == digestOf(string(body)))
	old.seen = true
	im.reports[e.Key] = old
	if same {
		im.counts.Unchanged++
		return nil
	}
	im.changes = append(im.changes, change{body: body, key: e.Key, at: e.Report.SourceDate, retire: old.seq})
	im.counts.Added++
	return nil
}

func (im *Importing) addListing(l *tocsin.Listing) {
	key := keyOf(l)
	old, known := im.listings[key]
	if known && old.seen {
		return
	}
	same := known && !old.withdrawn && old.digest == listingDigest(l)
	old.seen = true
	im.listings[key] = old
	if same {
		im.counts.Unchanged++
		return
	}
	im.changes = append(im.changes, change{listing: l})
	im.counts.Added++
}

// Finish writes what has changed, and withdraws what the list no longer has. A
// list that has shrunk by more than half is refused unless force: it is more
// likely broken than right.
func (im *Importing) Finish(ctx context.Context, force bool, progress func(done, total int)) (Counts, error) {
	var gone []change
	before, now := 0, 0
	kinds := map[tocsin.Kind]bool{} // of which the list still has something
	for k, st := range im.listings {
		kinds[k.subject.Kind] = kinds[k.subject.Kind] || st.seen
	}
	for k, st := range im.listings {
		alive := st.subject != 0 && !st.withdrawn
		if alive {
			before++
		}
		if st.seen {
			now++
		} else if alive && (!im.partial || kinds[k.subject.Kind]) {
			gone = append(gone, change{delist: &k})
		}
	}
	for _, st := range im.reports {
		if st.hidden {
			continue // it stays, so that it is known when it comes back
		}
		if st.seq != 0 {
			before++
		}
		if st.seen {
			now++
		} else if st.seq != 0 {
			gone = append(gone, change{retire: st.seq})
		}
	}
	if now*2 < before && !force {
		return Counts{}, fmt.Errorf("the list has shrunk from %d entries to %d: it looks broken, so nothing was changed; import it with -force if it is right", before, now)
	}
	im.counts.Withdrawn = len(gone)
	changes := append(im.changes, gone...)
	if err := im.enter(ctx); err != nil {
		return Counts{}, err
	}
	defer im.db.changed()
	done := 0
	for part := range slices.Chunk(changes, chunk) {
		err := im.db.write(ctx, evidence, false, func(ctx context.Context, s *conn) error {
			for i := range part {
				if err := im.apply(ctx, s, &part[i]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return Counts{}, err
		}
		if done += len(part); progress != nil {
			progress(done, len(changes))
		}
	}
	return im.counts, im.leave(ctx)
}

// enter writes down the list itself.
func (im *Importing) enter(ctx context.Context) error {
	return im.db.write(ctx, evidence, false, func(ctx context.Context, s *conn) error {
		return s.row(ctx, `INSERT INTO list (name, family, url) VALUES ($1, $2, $3)
			ON CONFLICT (name) DO UPDATE SET family = excluded.family, url = excluded.url RETURNING id`,
			[]any{im.list.Name, im.list.Family, im.list.URL}, &im.id)
	})
}

// leave counts what the list has now, and whose reports it has confirmed.
func (im *Importing) leave(ctx context.Context) error {
	listings, reports := 0, 0
	for _, st := range im.listings {
		if st.seen {
			listings++
		}
	}
	for _, st := range im.reports {
		if st.seen && !st.hidden {
			reports++
		}
	}
	confirmed, err := im.db.confirmed(ctx)
	if err != nil {
		return err
	}
	return im.db.write(ctx, evidence, true, func(ctx context.Context, s *conn) error {
		at := im.db.Now()
		if im.asOf != nil {
			at = *im.asOf
		}
		if _, err := s.exec(ctx, "UPDATE list SET imported = $2, listings = $3, reports = $4 WHERE id = $1", im.id, at.Micro(), listings, reports); err != nil {
			return err
		}
		for agent, n := range confirmed {
			if _, err := s.exec(ctx, "UPDATE agent SET confirmed = $2 WHERE id = $1", agent, n); err != nil {
				return err
			}
		}
		return nil
	})
}

// confirmed returns the agents whose number of confirmed reports has changed.
// A list confirms a report if it named a subject of it a day later, and no list
// had named the subject before: whoever copies a list proves nothing, even when
// another list copies it later. An entry without a date may have stood there
// for ever.
func (db *DB) confirmed(ctx context.Context) (map[int64]int, error) {
	changed := map[int64]int{}
	err := db.read(ctx, primary, func(s *conn) error {
		return s.each(ctx, `SELECT a.id, coalesce(t.n, 0) FROM agent a LEFT JOIN (
			SELECT rs.agent, count(DISTINCT rs.report) AS n FROM report_subject rs CROSS JOIN listing l
			WHERE rs.agent IS NOT NULL AND l.subject = rs.subject AND l.kind IN ('risk', 'sanction') AND l.withdrawn IS NULL
				AND l.since >= rs.published + $1 AND NOT EXISTS (SELECT 1 FROM listing o
					WHERE o.subject = rs.subject AND o.kind IN ('risk', 'sanction') AND (o.since IS NULL OR o.since <= rs.published))
			GROUP BY rs.agent) t ON t.agent = a.id WHERE a.confirmed <> coalesce(t.n, 0)`,
			[]any{tocsin.ProvenAfter.Microseconds()}, func(rows *sql.Rows) error {
				var agent int64
				var n int
				err := rows.Scan(&agent, &n)
				changed[agent] = n
				return err
			})
	})
	return changed, err
}

func (im *Importing) apply(ctx context.Context, s *conn, c *change) error {
	if c.retire != 0 {
		if err := im.retire(ctx, s, c.retire); err != nil {
			return err
		}
	}
	switch {
	case c.listing != nil:
		return im.name(ctx, s, c.listing)
	case c.delist != nil:
		return im.delist(ctx, s, *c.delist)
	case c.body != nil:
		return im.tell(ctx, s, c)
	}
	return nil
}

// name writes down that the list names a subject.
func (im *Importing) name(ctx context.Context, s *conn, l *tocsin.Listing) error {
	subject := im.listings[keyOf(l)].subject
	if subject == 0 {
		var err error
		if subject, err = subjectID(ctx, s, l.Subject); err != nil {
			return err
		}
	}
	now := im.db.Now()
	since := micros(l.Since)
	if since == nil && !im.first {
		since = now.Micro()
	}
	// An entry that comes back keeps its first date: it is no news.
	_, err := s.exec(ctx, `INSERT INTO listing (subject, list, chain, kind, category, url, name, program, since) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		ON CONFLICT (subject, list, chain, kind) DO UPDATE SET category = excluded.category, url = excluded.url, name = excluded.name, program = excluded.program, withdrawn = NULL`,
		subject, im.id, l.Chain, string(l.Kind), l.Category, l.URL, l.Name, l.Program, since)
	if err != nil {
		return err
	}
	return im.log(ctx, s, now, "listed", subject)
}

// tell records a story.
func (im *Importing) tell(ctx context.Context, s *conn, c *change) error {
	// Another process may have imported the same list meanwhile.
	var there bool
	err := s.row(ctx, "SELECT count(*) > 0 FROM report WHERE list = $1 AND list_key = $2 AND status <> 'gone'", []any{im.id, c.key}, &there)
	if err != nil || there {
		return err
	}
	id, err := tocsin.NewID("rep_", im.db.random)
	if err != nil {
		return err
	}
	now := im.db.Now()
	r := row{id: id, body: c.body, published: c.at, list: im.id, key: c.key}
	if r.published == (tocsin.Time{}) || r.published.Micro() > now.Micro() {
		r.published = now
	}
	if err := json.Unmarshal(c.body, &r.draft); err != nil {
		return err
	}
	return insertReport(ctx, s, &r, now)
}

// delist writes down that the list names a subject no longer.
func (im *Importing) delist(ctx context.Context, s *conn, k listingKey) error {
	now := im.db.Now()
	subject := im.listings[k].subject
	_, err := s.exec(ctx, "UPDATE listing SET withdrawn = $1 WHERE subject = $2 AND list = $3 AND chain = $4 AND kind = $5",
		now.Micro(), subject, im.id, k.chain, string(k.kind))
	if err != nil {
		return err
	}
	return im.log(ctx, s, now, "delisted", subject)
}

// retire takes a story out of sight whose entry has left the list or has changed.
func (im *Importing) retire(ctx context.Context, s *conn, seq int64) error {
	r := row{seq: seq}
	var from tocsin.Status
	if err := s.row(ctx, "SELECT status, body FROM report WHERE seq = $1", []any{seq}, &from, &r.body); err != nil {
		return err
	}
	return changeStatus(ctx, s, &r, from, tocsin.Removed, "gone", im.db.Now())
}

func (im *Importing) log(ctx context.Context, s *conn, at tocsin.Time, op string, subject int64) error {
	_, err := s.exec(ctx, "INSERT INTO event (at, op, subject, list) VALUES ($1, $2, $3, $4)", at.Micro(), op, subject, im.id)
	return err
}

// Imported reports whether a list was ever imported to its end.
func (db *DB) Imported(ctx context.Context, list string) (done bool, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		return s.row(ctx, "SELECT count(*) > 0 FROM list WHERE name = $1 AND imported IS NOT NULL", []any{list}, &done)
	})
	return done, err
}

// Empty reports whether nothing was ever filed, and no list but those named
// was imported.
func (db *DB) Empty(ctx context.Context, but ...string) (empty bool, err error) {
	names := []any{""}
	for _, n := range but {
		names = append(names, n)
	}
	in, args := placeholders(names)
	err = db.read(ctx, primary, func(s *conn) error {
		return s.row(ctx, "SELECT NOT EXISTS (SELECT 1 FROM report WHERE list IS NULL) AND NOT EXISTS (SELECT 1 FROM list WHERE imported IS NOT NULL AND name NOT IN ("+in+"))", args, &empty)
	})
	return empty, err
}
