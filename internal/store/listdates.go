package store

import (
	"context"
	"sync"
	"sync/atomic"

	"tocsin"
)

// listDates is how current the lists on record are. That is no part of any record: an import changes the date of a
// list, but hardly an entry of it. So dossiers share it, and are all forgotten when it has changed.
type listDates struct {
	changes int64 // how often it was changed, by which a process notices another change
	lists   tocsin.ListDates
	untaken map[string][]string // the rows of each list that were not taken, see [tocsin.ListVersion]
}

// followedLists are those that answers have now.
type followedLists struct {
	current   atomic.Pointer[listDates]
	following sync.Mutex // held while it is replaced
}

// readListDates returns the dates of the lists; those that are known if nothing has changed. A server asks this five
// times a second, and the versions are some kilobytes, so it reads them only after a change.
func readListDates(ctx context.Context, s *conn, known *listDates) (*listDates, error) {
	changes, err := getMetaNumber(ctx, s, metaVersions) // first: what changes afterwards is read twice, and not missed
	if err != nil || known != nil && known.changes == changes {
		return known, err
	}
	versions, err := readVersions(ctx, s)
	if err != nil {
		return known, err
	}
	var read int64
	if err := s.row(ctx, "SELECT coalesce(max(imported), 0) FROM list WHERE name = $1", []any{tocsin.SanctionsList},
		&read); err != nil {
		return known, err
	}
	found := &listDates{changes, tocsin.ListDates{Dates: map[string]*tocsin.Time{}, SanctionsRead: tocsin.MicroTime(read)},
		map[string][]string{}}
	for name, v := range versions {
		found.untaken[name] = v.Untaken
		if v.Date != nil {
			found.lists.Dates[name] = v.Date
		}
	}
	return found, nil
}

// listDates is how current the lists on record are, as answers have it now.
func (db *DB) listDates() tocsin.ListDates { return db.lists.current.Load().lists }

// followLists takes the dates of the lists into account: when it returns, no answer has the old ones.
func (db *DB) followLists(found *listDates) {
	db.lists.following.Lock()
	defer db.lists.following.Unlock()
	if old := db.lists.current.Load(); old != nil && old.changes == found.changes {
		return
	}
	db.lists.current.Store(found)
	unknown := newKept(0, found.lists)
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
