package api

import (
	"slices"
	"time"

	"tocsin"
	"tocsin/internal/store"
)

// Refresh is which lists a process imports by itself, and how often. The zero value is none.
type Refresh struct {
	Every time.Duration
	Lists []string
}

// overdue is how long after its time an import that another process has planned is still expected. Imports follow each
// other, so one may be late.
const overdue = 10 * time.Minute

// NextReads returns when each list is read next, as far as this process knows: those that it refreshes itself, and
// those that another process on the same server refreshes. A database file has one server. A time that it has on record
// may be that of a server that refreshed lists once, or came with a copy.
func (s *Server) NextReads(st store.Stats) map[string]tocsin.Time {
	now, next := s.db.Now(), map[string]tocsin.Time{}
	busy := slices.ContainsFunc(st.Tries, func(t store.ImportTry) bool { return t.Running })
	tries := map[string]store.ImportTry{}
	for _, t := range st.Tries {
		tries[t.List] = t
		if t.Next != nil && !st.Backup.Files && (busy || now.Std().Sub(t.Next.Std()) < overdue) {
			next[t.List] = *t.Next
		}
	}
	for _, list := range s.config.Refresh.Lists {
		var read *store.ListStats
		if i := slices.IndexFunc(st.Lists, func(l store.ListStats) bool { return l.Name == list }); i >= 0 {
			read = &st.Lists[i]
		}
		next[list] = now
		if at := tries[list].DueAt(now, s.config.Refresh.Every, read); !at.IsZero() {
			next[list] = tocsin.TimeOf(at)
		}
	}
	return next
}

// Refreshed are the lists that this process imports by itself.
func (s *Server) Refreshed() []string { return s.config.Refresh.Lists }
