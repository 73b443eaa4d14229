package store

import (
	"context"
	"encoding/json"

	"tocsin"
)

// saveList writes down the list itself, and who forces it upon the database.
func (im *Importing) saveList(ctx context.Context, force bool) error {
	return im.db.write(ctx, evidence, false, func(ctx context.Context, s *conn) error {
		if err := logFamily(ctx, s, im.db.Now(), im.list); err != nil {
			return err
		}
		if im.by != nil && force {
			a := act{by: *im.by, action: ForcedImport}
			if _, err := a.log(ctx, s, im.db.Now(), im.list.Name); err != nil {
				return err
			}
		}
		return s.row(ctx, `INSERT INTO list (name, family, url) VALUES ($1, $2, $3)
			ON CONFLICT (name) DO UPDATE SET family = excluded.family, url = excluded.url RETURNING id`,
			[]any{im.list.Name, im.list.Family, im.list.URL}, &im.id)
	})
}

// finishList records that the import is complete, how much the list names now,
// and which agents are proven by what lists name.
func (im *Importing) finishList(ctx context.Context) error {
	err := im.db.write(ctx, evidence, true, func(ctx context.Context, s *conn) error {
		at := im.db.Now()
		if im.asOf != nil {
			at = *im.asOf
		}
		set := "imported = $2"
		if im.partial { // the rest is as old as it was
			set = "imported = coalesce(imported, $2)"
		}
		_, err := s.exec(ctx, "UPDATE list SET "+set+", listings = $3 WHERE id = $1", im.id, at.Micro(), im.inForce)
		return err
	})
	if err != nil {
		return err
	}
	return im.db.prove(ctx)
}

func (im *Importing) apply(ctx context.Context, s *conn, c *change) error {
	if c.retire != 0 {
		if err := im.removeReport(ctx, s, c.retire); err != nil {
			return err
		}
	}
	switch {
	case c.listing != nil:
		return im.saveListing(ctx, s, c.listing)
	case c.delist != nil:
		return im.withdrawListing(ctx, s, *c.delist)
	case c.body != nil:
		return im.saveReport(ctx, s, c)
	}
	return nil
}

// saveListing records that the list names a subject, or names it otherwise.
func (im *Importing) saveListing(ctx context.Context, s *conn, l *tocsin.Listing) error {
	key := keyOf(l)
	before := im.listings[key]
	subject, op := before.subject, ListingEdited
	if before.withdrawn {
		op = ListingReturned
	}
	if subject == 0 {
		op = ListingAdded
		var err error
		if subject, err = subjectID(ctx, s, l.Subject); err != nil {
			return err
		}
	}
	now := im.db.Now()
	since := micros(l.Since)
	var unseen any
	if since == nil && !im.first {
		since, unseen = now.Micro(), im.before
	}
	// An entry that comes back keeps its first date: it is no news. One that another
	// process has written meanwhile is left alone.
	n, err := affected(s.exec(ctx, `INSERT INTO listing
			(subject, list, chain, kind, category, url, name, program, since, unseen)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (subject, list, chain, kind) DO UPDATE SET category = excluded.category, url = excluded.url,
			name = excluded.name, program = excluded.program, withdrawn = NULL
		WHERE listing.withdrawn IS NOT NULL OR (listing.category, listing.url, listing.name, listing.program)
			<> (excluded.category, excluded.url, excluded.name, excluded.program)`,
		subject, im.id, l.Chain, string(l.Kind), l.Category, l.URL, l.Name, l.Program, since, unseen))
	if err != nil || n == 0 {
		return err
	}
	return logListing(ctx, s, now, op, subject, im.id, key)
}

// withdrawListing records that the list names a subject no longer.
func (im *Importing) withdrawListing(ctx context.Context, s *conn, k listingKey) error {
	now := im.db.Now()
	subject := im.listings[k].subject
	n, err := affected(s.exec(ctx, `UPDATE listing SET withdrawn = $1
		WHERE subject = $2 AND list = $3 AND chain = $4 AND kind = $5 AND withdrawn IS NULL`,
		now.Micro(), subject, im.id, k.chain, string(k.kind)))
	if err != nil || n == 0 {
		return err
	}
	return logListing(ctx, s, now, ListingWithdrawn, subject, im.id, k)
}

// saveReport records a story.
func (im *Importing) saveReport(ctx context.Context, s *conn, c *change) error {
	// Another process may have imported the same list meanwhile.
	var there bool
	err := s.row(ctx, "SELECT count(*) > 0 FROM report WHERE list = $1 AND list_key = $2 AND status <> 'gone'",
		[]any{im.id, c.key}, &there)
	if err != nil || there {
		return err
	}
	id, err := tocsin.NewID("rep_", im.db.random)
	if err != nil {
		return err
	}
	now := im.db.Now()
	r := row{id: id, body: c.body, published: c.at, list: im.id, key: c.key}
	if at := r.published.Micro(); at <= 0 || at > now.Micro() {
		r.published = undated
	}
	if err := json.Unmarshal(c.body, &r.draft); err != nil {
		return err
	}
	return insertReport(ctx, s, &r, now)
}

// removeReport removes a story whose entry has left the list or has changed,
// unless the operator has hidden it meanwhile.
func (im *Importing) removeReport(ctx context.Context, s *conn, seq int64) error {
	r := row{seq: seq, list: im.id}
	var from tocsin.Status
	if err := s.row(ctx, "SELECT status, body FROM report WHERE seq = $1", []any{seq}, &from, &r.body); err != nil {
		return err
	}
	if from != tocsin.Published {
		return nil
	}
	return changeStatus(ctx, s, &r, from, tocsin.Removed, ReportRemoved, im.db.Now())
}
