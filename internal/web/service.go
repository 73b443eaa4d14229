package web

import (
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/feed"
	"tocsin/internal/store"
)

// numbers are those of the service.
type numbers struct{ store.Stats }

// Filed is how many reports were filed here.
func (n numbers) Filed() int {
	filed := n.Reports
	for _, l := range n.Lists {
		filed -= l.Reports
	}
	return max(0, filed)
}

// Public counts the public lists; the set that every database begins with is none.
func (n numbers) Public() (count int) {
	for _, l := range n.Lists {
		if l.Name != feed.StarterList {
			count++
		}
	}
	return count
}

// place is one row of the leaderboard.
type place struct {
	Place int
	store.Rank
	Share int // of its reports that were corroborated, in percent
	You   bool
}

// ranks is how many places the leaderboard shows.
const ranks = 100

func (s *Site) leaderboard(v *visit) (*view, error) {
	board, err := s.db.Leaderboard(v.Context())
	if err != nil {
		return nil, err
	}
	var places []place
	for i, r := range board {
		p := place{i + 1, r, min(100, 100*r.Corroborated/max(1, r.Reports)), v.session != nil && v.session.Agent.ID == r.ID}
		if i < ranks || p.You {
			places = append(places, p)
		}
	}
	return &view{Page: "leaderboard", Title: "Leaderboard", Description: "Who rings when there is a fire: the reporters whose reports others confirmed.", Body: struct {
		Places []place
		All    int
	}{places, len(board)}}, nil
}

// status says how the service fares.
func (s *Site) status(v *visit) (*view, error) {
	st, err := s.db.Stats(v.Context())
	if err != nil {
		return nil, err
	}
	payments := s.api.Payments()
	f := payments.Facilitator
	return &view{Page: "status", Title: "Status", Description: "How this service fares, and how old its lists are.", Body: struct {
		numbers
		Stale    []string
		Payments api.PaymentStatus
		Unpaid   bool // payments are meant to be taken and cannot be
	}{numbers{st}, staleLists(st, s.db.Now()), payments, f != nil && f.Reachable != nil && !*f.Reachable}}, nil
}

// stale is how old a list may be before its silence is worth little.
const stale = 3 * 24 * time.Hour

// staleLists names the lists that were not read for long.
func staleLists(st store.Stats, now tocsin.Time) (names []string) {
	for _, l := range st.Lists {
		if l.Name != feed.StarterList && now.Std().Sub(l.Imported.Std()) > stale {
			names = append(names, listTitle(l.Name))
		}
	}
	return names
}
