package web

import "tocsin/internal/store"

// leaderboardRow is one reporter on the leaderboard.
type leaderboardRow struct {
	Place int
	store.Rank
	Share int  // of the reports that others confirmed, in percent
	You   bool // it is the visitor
}

// maxRows is how many reporters the leaderboard shows.
const maxRows = 100

// leaderboard shows the reporters whose reports others confirmed most, and the visitor.
func (s *Site) leaderboard(req *request) (*page, error) {
	board, err := s.db.Leaderboard(req.Context())
	if err != nil {
		return nil, err
	}
	var places []leaderboardRow
	for i, r := range board {
		p := leaderboardRow{
			Place: i + 1,
			Rank:  r,
			Share: 100 * r.Corroborated / r.Reports,
			You:   req.session != nil && req.session.Agent.ID == r.ID,
		}
		if i < maxRows || p.You {
			places = append(places, p)
		}
	}
	return &page{
		Template:    "leaderboard",
		Title:       req.lang.Text("Leaderboard"),
		Description: req.lang.Text("People whose warnings turned out to be right."),
		Body: struct {
			Places []leaderboardRow
			All    int
		}{places, len(board)},
	}, nil
}
