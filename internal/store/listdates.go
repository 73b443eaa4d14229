package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"

	"tocsin"
)

// listDates are the dates of the lists on record. They are no part of any record: an import changes the date of a list,
// but hardly an entry of it. So dossiers share them, and are all forgotten when one has changed.
type listDates struct {
	rows  string // that they were read from
	dates tocsin.ListDates
}

// followedLists are those that answers have now.
type followedLists struct {
	current   atomic.Pointer[listDates]
	following sync.Mutex // held while it is replaced
}

// readListDates returns the dates of the lists; those that are known if nothing has changed.
func readListDates(ctx context.Context, s *conn, known *listDates) (*listDates, error) {
	var all strings.Builder
	var names []string
	var texts [][]byte
	err := s.each(ctx, "SELECT name, value FROM meta WHERE name > $1 AND name < $2 ORDER BY name",
		[]any{metaVersion, metaVersionEnd}, func(rows *sql.Rows) error {
			var name string
			var text []byte
			err := rows.Scan(&name, &text)
			names, texts = append(names, strings.TrimPrefix(name, metaVersion)), append(texts, text)
			all.WriteString(name)
			all.Write(text)
			return err
		})
	if err != nil || known != nil && known.rows == all.String() {
		return known, err
	}
	found := &listDates{rows: all.String(), dates: tocsin.ListDates{}}
	for i, text := range texts {
		var v tocsin.ListVersion
		if err := json.Unmarshal(text, &v); err != nil {
			return known, err
		}
		if v.Date != nil {
			found.dates[names[i]] = v.Date
		}
	}
	return found, nil
}

// listDates are the dates of the lists on record, as answers have them now.
func (db *DB) listDates() tocsin.ListDates { return db.lists.current.Load().dates }

// followLists takes the dates of the lists into account: when it returns, no answer has the old ones.
func (db *DB) followLists(found *listDates) {
	db.lists.following.Lock()
	defer db.lists.following.Unlock()
	if old := db.lists.current.Load(); old != nil && old.rows == found.rows {
		return
	}
	db.lists.current.Store(found)
	unknown := newKept(0, found.dates)
	unknown.ofMany = true
	db.model.unknown.Store(unknown)
	db.dossiers.clear() // those that are being read are not kept: they may have the old ones
	db.summary.stale.Store(true)
}

// listsChanged follows the dates of the lists after this process has imported one.
func (db *DB) listsChanged(ctx context.Context) error {
	return db.read(ctx, primary, func(s *conn) error {
		found, err := readListDates(ctx, s, db.lists.current.Load())
		if err == nil {
			db.followLists(found)
		}
		return err
	})
}
