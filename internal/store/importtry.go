package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"time"

	"tocsin"
)

// The reasons for which an import fails: classes, never the text of others.
const (
	FailedDownload = "download"    // the list could not be fetched
	FailedRead     = "read"        // it could not be read
	FailedShrunk   = "shrunk"      // it had lost more than half of its entries, and was refused
	FailedOlder    = "older"       // it was older than the one on record, and was refused
	FailedUndated  = "undated"     // it had no date, the one on record has, and it was refused
	FailedWrite    = "write"       // it could not be written
	Interrupted    = "interrupted" // the process that imported it ended in the middle
)

// ImportTry is the last attempt to import a list.
type ImportTry struct {
	List    string      `json:"-"`
	At      tocsin.Time `json:"at"`                // when it ended; while Running, when it began
	Running bool        `json:"running,omitempty"` // it goes on
	Reason  string      `json:"reason,omitempty"`  // why it failed; "" if it did not
	// Unchanged says that the list had not changed since it was imported last, so that it was not read again.
	Unchanged bool `json:"unchanged,omitempty"`
	Added     int  `json:"added,omitempty"`     // entries
	Withdrawn int  `json:"withdrawn,omitempty"` // entries that had left the list
	Refused   int  `json:"refused,omitempty"`   // rows that could not be read
	Upstream  bool `json:"upstream,omitempty"`  // it was read from upstream, not from what -from names
	tocsin.ListSize
	// Lasted is how long it took.
	Lasted time.Duration `json:"lasted,omitempty"`

	Failures int          `json:"failures,omitempty"` // in a row, the last one included
	Tries    int64        `json:"tries,omitempty"`    // so far
	Failed   int64        `json:"failed,omitempty"`   // of them
	Shrunk   int64        `json:"shrunk,omitempty"`   // of them: they have withdrawn an unusual part of the list
	Next     *tocsin.Time `json:"next,omitempty"`     // when it will be refreshed next; nil if that is not planned
}

// Counts returns how many tries have failed in a row, and so far. One that goes on is not among them, though Begin has
// counted it, in case the process ends in the middle.
func (t ImportTry) Counts() (failures int, failed int64) {
	if t.Running {
		return t.Failures - 1, t.Failed - 1
	}
	return t.Failures, t.Failed
}

// Begin records that a try begins, and when the next one is due should the process end in the middle. Old is what
// [DB.ImportTry] has returned.
func (l *ImportLease) Begin(ctx context.Context, old ImportTry, next *tocsin.Time) error {
	old.At, old.Running, old.Reason = l.db.Now(), true, ""
	old.Failures++ // unless it ends
	old.Tries++
	old.Failed++
	old.Next = next
	return l.note(ctx, old)
}

// End records how a try ended.
func (l *ImportLease) End(ctx context.Context, try ImportTry) error {
	try.At, try.Running = l.db.Now(), false
	return l.note(ctx, try)
}

// Abandon takes back that a try has begun, because the process is to end: the list is due when it was before.
func (l *ImportLease) Abandon(ctx context.Context, old ImportTry) error {
	if !old.At.Std().IsZero() {
		return l.note(ctx, old)
	}
	return l.db.write(context.WithoutCancel(ctx), accounts, true, func(ctx context.Context, s *conn) error {
		if err := l.check(ctx, s); err != nil {
			return err
		}
		_, err := s.exec(ctx, "DELETE FROM meta WHERE name = $1", metaImport+l.list)
		return err
	})
}

// note writes the row of a try, unless another process has taken the lease over.
func (l *ImportLease) note(ctx context.Context, try ImportTry) error {
	ctx = context.WithoutCancel(ctx)
	return l.db.write(ctx, accounts, true, func(ctx context.Context, s *conn) error {
		if err := l.check(ctx, s); err != nil {
			return err
		}
		return setImportTry(ctx, s, try)
	})
}

func setImportTry(ctx context.Context, s *conn, try ImportTry) error {
	text, err := json.Marshal(try)
	if err != nil {
		return err
	}
	return setMeta(ctx, s, metaImport+try.List, text)
}

// ImportTry returns the last attempt to import a list. At is the zero time if there was none.
func (db *DB) ImportTry(ctx context.Context, list string) (try ImportTry, err error) {
	try.List = list
	all, err := db.ImportTries(ctx)
	for _, t := range all {
		if t.List == list {
			try = t
		}
	}
	return try, err
}

// ImportTries returns the last try of each list that was ever tried, by name.
func (db *DB) ImportTries(ctx context.Context) (all []ImportTry, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		all, err = db.importTries(ctx, s)
		return err
	})
	return all, err
}

func (db *DB) importTries(ctx context.Context, s *conn) (all []ImportTry, err error) {
	leases := map[string]lease{}
	now := db.leaseNow()
	err = s.each(ctx, "SELECT name, value FROM meta WHERE name LIKE $1 OR name LIKE $2 ORDER BY name",
		[]any{metaImport + "%", metaLease + "%"}, func(rows *sql.Rows) error {
			var name string
			var text []byte
			if err := rows.Scan(&name, &text); err != nil {
				return err
			}
			if list, ok := strings.CutPrefix(name, metaLease); ok {
				leases[list] = parseImportLease(text)
				return nil
			}
			t := ImportTry{List: strings.TrimPrefix(name, metaImport)}
			if err := json.Unmarshal(text, &t); err != nil {
				return err
			}
			all = append(all, t)
			return nil
		})
	for i := range all {
		if t := &all[i]; t.Running && !leases[t.List].holds(now) {
			t.Running, t.Reason = false, Interrupted
		}
	}
	return all, err
}

// DueAt returns when a list is due that is refreshed at an interval: the time that the last attempt has set, or one
// interval and a tenth after that attempt. Without an attempt it counts from the date of the list, since a copy in the
// program is as old as that. Read is nil if the list was never read. The zero time means at once: nothing is known of
// the list, the last attempt is later than now, by a clock that was ahead, or it was made by hand and failed.
func (t ImportTry) DueAt(now tocsin.Time, every time.Duration, read *ListStats) time.Time {
	last := t.At
	if last.Std().IsZero() && read != nil {
		last = read.AsOf()
	}
	if last.Std().IsZero() || last.Micro() > now.Micro() || t.Reason != "" && t.Next == nil {
		return time.Time{}
	}
	at := last.Std().Add(every + every/10)
	if t.Next != nil && t.Next.Std().Before(at) {
		at = t.Next.Std()
	}
	return at
}

// Unchanged records that a list has not changed since its last import: it is as fresh as if it had been read now.
func (l *ImportLease) Unchanged(ctx context.Context) error {
	return l.db.write(ctx, evidence, true, func(ctx context.Context, s *conn) error {
		if err := l.check(ctx, s); err != nil {
			return err
		}
		_, err := s.exec(ctx, "UPDATE list SET imported = $2 WHERE name = $1 AND imported IS NOT NULL",
			l.list, l.db.Now().Micro())
		if err == nil && l.list == tocsin.SanctionsList {
			err = countListChange(ctx, s)
		}
		return err
	})
}

// Validators returns what the servers of a list have said of its files when it was imported last, as it was given to
// [Importing.Validators]; nil if nothing is known, or if what is on record is not that state of the list.
func (db *DB) Validators(ctx context.Context, list string) (text []byte, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		text, err = getMeta(ctx, s, metaValidators+list)
		if missing(err) {
			text, err = nil, nil
		}
		return err
	})
	return text, err
}
