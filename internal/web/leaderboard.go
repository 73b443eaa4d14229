package web

import "tocsin/internal/store"

// place is one row of the leaderboard.
type leaderboardRow struct {
	Place int
	store.Rank
	Share int // of its reports that were corroborated, in percent
	You   bool
}

// ranks is how many places the leaderboard shows.
const maxRows = 100

func (s *Site) leaderboard(req *request) (*page, error) {
	board, err := s.db.Leaderboard(req.Context())
	if err != nil {
		return nil, err
	}
	var places []leaderboardRow
	for i, r := range board {
		p := leaderboardRow{i + 1, r, min(100, 100*r.Corroborated/max(1, r.Reports)), req.session != nil && req.session.Agent.ID == r.ID}
		if i < maxRows || p.You {
			places = append(places, p)
		}
	}
	return &page{Template: "leaderboard", Title: "Leaderboard", Description: "Who rings when there is a fire: the reporters whose reports others confirmed.", Body: struct {
		Places []leaderboardRow
		All    int
	}{places, len(board)}}, nil
}
