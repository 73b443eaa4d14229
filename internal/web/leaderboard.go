package web

import "tocsin/internal/store"

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
