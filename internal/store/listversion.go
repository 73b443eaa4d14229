package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"tocsin"
)

// ErrOlder is the error of an import of an older version of a list than the one on record.
var ErrOlder = errors.New("the list is older")

// ErrUndated is the error of an import of a list that has no date, where the version on record has one of its own: it
// may be older.
var ErrUndated = errors.New("the list has no date")

// Version sets the version of the list that was read. It is on record once a complete import of the whole list has
// finished.
func (im *Importing) Version(v tocsin.ListVersion) { im.version = &v }

// AllowOlder permits a version that is older than the one on record, at the request of an operator.
func (im *Importing) AllowOlder() { im.allowOlder = true }

// checkAge returns ErrOlder if an older version of the list was read than the one on record, and ErrUndated if nobody
// can tell. A part of a list without a date withdraws nothing.
func (im *Importing) checkAge() error {
	read, known := im.version, im.known
	switch {
	case read == nil || known == nil || im.allowOlder:
		return nil
	case read.IsOlder(*known):
		return fmt.Errorf("%w than the one on record: it is of %s, and that on record is of %s; nothing was changed; "+
			"import it with -older if it is right", ErrOlder, read.Day(), known.Day())
	case read.Date == nil && known.Date != nil && !known.Served && !im.partial:
		return fmt.Errorf("%w, and the one on record is of %s: it may be older, and withdraw what was added since; "+
			"nothing was changed; import a copy with its date or, if you know that this one is newer, import it with -older",
			ErrUndated, known.Day())
	}
	return nil
}

// keepVersion records which version of the list was read. Of a part of a list nothing is recorded, unless it is all
// that there is; after a change of a few entries what is on record is no version that was read.
func (im *Importing) keepVersion(ctx context.Context, s *conn) error {
	if im.partial && im.known != nil && im.act == nil {
		return nil
	}
	name := metaVersion + im.list.Name
	old, err := getMeta(ctx, s, name)
	if err != nil && !missing(err) {
		return err
	}
	var text []byte
	if im.version == nil {
		_, err = s.exec(ctx, "DELETE FROM meta WHERE name = $1", name)
	} else if text, err = json.Marshal(im.version); err == nil {
		err = setMeta(ctx, s, name, text)
	}
	if err != nil || bytes.Equal(old, text) && im.list.Name != tocsin.SanctionsList {
		return err
	}
	return countListChange(ctx, s)
}

// logVersion records which version of the list changes what is on record, before it does.
func (im *Importing) logVersion(ctx context.Context, s *conn) error {
	if len(im.named)+im.counts.Withdrawn == 0 {
		return nil
	}
	var date, newer *int64
	if v := im.version; v != nil && v.Date != nil {
		at := v.Date.Micro()
		date = &at
	}
	if im.version != nil && im.known != nil && im.version.IsOlder(*im.known) {
		at := im.known.Date.Micro()
		newer = &at
	}
	_, err := s.exec(ctx, `INSERT INTO list_version (list, at, date, newer, files) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (list, at) DO UPDATE SET date = excluded.date, newer = excluded.newer, files = excluded.files`,
		im.id, im.db.Now().Micro(), date, newer, im.filesText())
	return err
}

// filesText are the files of the version that was read or, if the list is taken out, of the one on record, as a column
// has them; nil if they are not known.
func (im *Importing) filesText() *string {
	v := im.version
	if im.removal {
		v = im.known
	}
	if v == nil || len(v.Files) == 0 {
		return nil
	}
	text, _ := json.Marshal(v.Files) // a value that always can be
	files := string(text)
	return &files
}

// listFiles is a column of files.
type listFiles []tocsin.ListFile

// Scan implements [sql.Scanner].
func (f *listFiles) Scan(column any) error {
	var text sql.Null[[]byte]
	if err := text.Scan(column); err != nil || !text.Valid {
		return err
	}
	return json.Unmarshal(text.V, f)
}

// versionAt is an expression of SQL: a column of the version of the list that changed its entries at a time, or last
// before it.
func versionAt(column, at string) string {
	return "(SELECT v." + column + " FROM list_version v WHERE v.list = list.id AND v.at <= " + at +
		" ORDER BY v.at DESC LIMIT 1)"
}

// countListChange counts a change of what [readListDates] reads: of the version of a list, or of when that of sanctions
// was read.
func countListChange(ctx context.Context, s *conn) error {
	changes, err := getMetaNumber(ctx, s, metaVersions)
	if err != nil {
		return err
	}
	return setMetaNumber(ctx, s, metaVersions, changes+1)
}

// readVersion returns the version of a list that is on record; nil if none is.
func readVersion(ctx context.Context, s *conn, list string) (*tocsin.ListVersion, error) {
	text, err := getMeta(ctx, s, metaVersion+list)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var v tocsin.ListVersion
	return &v, json.Unmarshal(text, &v)
}

// readVersions returns the versions of all lists, by name.
func readVersions(ctx context.Context, s *conn) (map[string]tocsin.ListVersion, error) {
	versions := map[string]tocsin.ListVersion{}
	err := s.each(ctx, "SELECT name, value FROM meta WHERE name > $1 AND name < $2",
		[]any{metaVersion, metaVersionEnd}, func(rows *sql.Rows) error {
			var name string
			var text []byte
			if err := rows.Scan(&name, &text); err != nil {
				return err
			}
			var v tocsin.ListVersion
			if err := json.Unmarshal(text, &v); err != nil {
				return err
			}
			versions[strings.TrimPrefix(name, metaVersion)] = v
			return nil
		})
	return versions, err
}

// AsOf is the moment of what the list says: its own date, or else when it was read.
func (l ListStats) AsOf() tocsin.Time {
	if l.Version.Date != nil {
		return *l.Version.Date
	}
	return l.Imported
}

// Public reports whether somebody publishes the list for everybody. The starter set and the operator's own lists, which
// have no URL, are not public.
func (l ListStats) Public() bool { return l.URL != "" }

// OutOfDate reports whether the list is a public one that is out of date. Nobody else can say when the operator's own
// list is.
func (l ListStats) OutOfDate(now tocsin.Time) bool {
	return l.Public() && tocsin.OutOfDate(now, l.Imported, l.Version.Date)
}

// Imported reports whether a list was ever imported to its end.
func (db *DB) Imported(ctx context.Context, list string) (done bool, err error) {
	l, err := db.ListRead(ctx, list)
	return l != nil, err
}

// ListRead returns when a list was last read, and in which version; nil if it was never imported to its end. It has no
// numbers of entries.
func (db *DB) ListRead(ctx context.Context, list string) (l *ListStats, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		var at sql.NullInt64
		var url sql.NullString
		if err := s.row(ctx, "SELECT max(imported), max(url) FROM list WHERE name = $1", []any{list},
			&at, &url); err != nil || !at.Valid {
			return err
		}
		l = &ListStats{Name: list, URL: url.String, Imported: tocsin.MicroTime(at.Int64)}
		v, err := readVersion(ctx, s, list)
		if v != nil {
			l.Version = *v
		}
		return err
	})
	return l, err
}
