package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tocsin"
)

// saveList writes down the list itself, and who forces it upon the database.
func (im *Importing) saveList(ctx context.Context, force bool) error {
	var seq int64
	err := im.db.write(ctx, evidence, false, func(ctx context.Context, s *conn) error {
		if err := im.lease.check(ctx, s); err != nil {
			return err
		}
		// Until all is written, what is on record is no state of the list that a server knows.
		if _, err := s.exec(ctx, "DELETE FROM meta WHERE name = $1", metaValidators+im.list.Name); err != nil {
			return err
		}
		if err := logFamily(ctx, s, im.db.Now(), im.list); err != nil {
			return err
		}
		if im.act != nil && len(im.named)+len(im.withdraw) > 0 {
			if _, err := im.act.log(ctx, s, im.db.Now(), im.about...); err != nil {
				return err
			}
		}
		if im.byHand != nil && (force || len(im.takenOff) > 0) && !im.removal {
			var err error
			if force {
				im.byHand.action = ForcedImport
			}
			about := append([]string{im.list.Name}, im.takenOff...)
			if seq, err = im.byHand.log(ctx, s, im.db.Now(), about...); err != nil {
				return err
			}
		}
		if err := s.row(ctx, `INSERT INTO list (name, family, url) VALUES ($1, $2, $3)
			ON CONFLICT (name) DO UPDATE SET family = excluded.family, url = excluded.url RETURNING id`,
			[]any{im.list.Name, im.list.Family, im.list.URL}, &im.id); err != nil {
			return err
		}
		return im.logVersion(ctx, s)
	})
	if err == nil && im.byHand != nil {
		im.byHand.seq = seq
	}
	return err
}

// maxLogged is of how many files of a list the log of acts has the hash.
const maxLogged = 20

// did says what the import has done, for the log of acts.
func (im *Importing) did() string {
	if im.removal {
		return fmt.Sprintf("%s: withdrawn %d", im.list.Name, im.counts.Withdrawn)
	}
	said, refused := im.list.Name, 0
	if im.version != nil {
		if refused = im.version.NotTaken(); im.version.Date != nil {
			said += " of " + im.version.Day()
		}
	}
	said += fmt.Sprintf(": added %d, withdrawn %d, refused %d", im.counts.Added, im.counts.Withdrawn, refused)
	if im.version != nil {
		for i, f := range im.version.Files {
			if i == maxLogged {
				return said + fmt.Sprintf("; more files: %d", len(im.version.Files)-i)
			}
			said += fmt.Sprintf("; SHA-256 %s %s", f.SHA256, f.Name)
		}
	}
	return said
}

// finishList records that the import is complete, how much the list names now,
// and which agents are proven by what lists name.
func (im *Importing) finishList(ctx context.Context, inForce int) error {
	begun, err := im.recordedSince(ctx)
	if err != nil {
		return err
	}
	err = im.db.write(ctx, evidence, true, func(ctx context.Context, s *conn) error {
		if err := im.lease.check(ctx, s); err != nil {
			return err
		}
		if im.validators != nil && !im.partial {
			if err := setMeta(ctx, s, metaValidators+im.list.Name, im.validators); err != nil {
				return err
			}
		}
		if err := im.keepVersion(ctx, s); err != nil {
			return err
		}
		if _, err := keepMeta(ctx, s, metaRecorded+im.list.Name, strconv.AppendInt(nil, begun, 10)); err != nil {
			return err
		}
		if im.byHand != nil {
			if _, err := im.byHand.log(ctx, s, im.db.Now(), im.list.Name, im.did()); err != nil {
				return err
			}
		}
		if err := im.logHidden(ctx, s, im.dropped, ReportRemoved); err != nil {
			return err
		}
		if err := im.logHidden(ctx, s, im.returned, ReportReturned); err != nil {
			return err
		}
		if im.removal {
			return im.forgetList(ctx, s)
		}
		set := "imported = $2"
		if im.partial { // the rest is as old as it was
			set = "imported = coalesce(imported, $2)"
		}
		_, err := s.exec(ctx, "UPDATE list SET "+set+", listings = $3 WHERE id = $1", im.id, im.db.Now().Micro(), inForce)
		return err
	})
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // it is imported
	return errors.Join(im.db.listsChanged(ctx), im.db.prove(ctx))
}

// recordedSince is since when what the list says and drops is on record, in microseconds since 1970: its first import,
// or of a database that an older program has made, the oldest entry with a date.
func (im *Importing) recordedSince(ctx context.Context) (int64, error) {
	begun := im.db.Now().Micro()
	err := im.db.read(ctx, primary, func(s *conn) error {
		known, err := getMetaNumber(ctx, s, metaRecorded+im.list.Name)
		if err != nil || known != 0 {
			return err // what is there stays
		}
		return s.row(ctx, "SELECT coalesce(min(recorded), $2) FROM listing WHERE list = $1", []any{im.id, begun}, &begun)
	})
	return begun, err
}

// readRecorded returns since when each list is on record, by its name; of a list without a time that is not known.
func readRecorded(ctx context.Context, s *conn) (map[string]tocsin.Time, error) {
	recorded := map[string]tocsin.Time{}
	err := s.each(ctx, "SELECT name, value FROM meta WHERE name > $1 AND name < $2", []any{metaRecorded, metaRecordEnd},
		func(rows *sql.Rows) error {
			var name string
			var value []byte
			if err := rows.Scan(&name, &value); err != nil {
				return err
			}
			at, err := strconv.ParseInt(string(value), 10, 64)
			recorded[strings.TrimPrefix(name, metaRecorded)] = tocsin.MicroTime(at)
			return err
		})
	return recorded, err
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
	op := ListingWithdrawn
	if im.removal {
		op = ListRemoved
	}
	return logListing(ctx, s, now, op, subject, im.id, k)
}

// logHidden records of hidden reports that the list has dropped them, or has them again: who restores one is to know.
func (im *Importing) logHidden(ctx context.Context, s *conn, hidden []reportState, op Op) error {
	for _, st := range hidden {
		r := row{seq: st.seq, list: im.id}
		var status tocsin.Status
		if err := s.row(ctx, "SELECT status, body FROM report WHERE seq = $1", []any{st.seq}, &status, &r.body); err != nil {
			return err
		}
		if status != tocsin.Hidden {
			continue
		}
		if err := json.Unmarshal(r.body, &r.draft); err != nil {
			return err
		}
		if err := findSubjects(ctx, s, &r); err != nil {
			return err
		}
		if err := logReport(ctx, s, im.db.Now(), op, &r); err != nil {
			return err
		}
	}
	return nil
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
	now := im.db.Now()
	if err := changeStatus(ctx, s, &r, from, tocsin.Removed, ReportRemoved, now); err != nil {
		return err
	}
	hidden := r
	hidden.subjects = nil // about which the operator has hidden what else the list says
	for _, subject := range r.subjects {
		var yes bool
		if err := s.row(ctx, `SELECT EXISTS (SELECT 1 FROM event e JOIN report o ON o.seq = e.report
			WHERE e.subject = $1 AND e.`+indexLeft+` AND o.list = $2 AND o.status = 'hidden')`,
			[]any{subject, im.id}, &yes); err != nil {
			return err
		}
		if yes {
			hidden.subjects = append(hidden.subjects, subject)
		}
	}
	if len(hidden.subjects) == 0 {
		return nil
	}
	return suspend(ctx, s, &hidden, true, now)
}

// lift ends the suspension of listings about subjects of which the list has a new story: see [suspend]. The operator
// has hidden what it said before. Reports are the stories, by subject.
func (im *Importing) lift(ctx context.Context, s *conn, reports map[int64]int64) error {
	var hidden []int64
	err := among(ctx, s, "SELECT DISTINCT subject FROM listing WHERE hidden AND withdrawn IS NULL AND list = "+
		strconv.FormatInt(im.id, 10)+" AND subject IN ", slices.Sorted(maps.Keys(reports)), func(rows *sql.Rows) error {
		var subject int64
		err := rows.Scan(&subject)
		hidden = append(hidden, subject)
		return err
	})
	for _, subject := range hidden {
		if err == nil {
			err = suspend(ctx, s, &row{seq: reports[subject], list: im.id, subjects: []int64{subject}}, false, im.db.Now())
		}
	}
	return err
}
