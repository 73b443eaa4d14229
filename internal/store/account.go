package store

import (
	"context"

	"tocsin"
)

// Account is what an agent sees of itself.
type Account struct {
	Calls        int // answered calls of paid operations, free and paid for, ever
	Used         int // the free ones of today among them
	Reports      int // published
	Corroborated int // of them, see [DB.Leaderboard]
	Rank         int // on the leaderboard, from 1; 0 if it is not on it
}

// Account returns the numbers of an agent.
//
// A free call is counted before it is answered, in whichever process. A paid one
// is recorded behind its answer ([DB.Settled]): a payer who has an answer of this
// process finds it counted. That of another process is counted once that process
// has committed it, milliseconds later.
func (db *DB) Account(ctx context.Context, agent tocsin.Agent) (Account, error) {
	var a Account
	// Writes are committed in order: after an empty one all earlier ones are.
	if err := db.write(ctx, accounts, false, func(context.Context, *conn) error { return nil }); err != nil {
		return a, err
	}
	err := db.read(ctx, primary, func(s *conn) error {
		var id int64
		if err := s.row(ctx, "SELECT id FROM agent WHERE public = $1", []any{agent.ID}, &id); err != nil {
			return err
		}
		err := s.row(ctx, `SELECT coalesce(sum(used), 0), coalesce(sum(CASE WHEN day = $2 THEN used END), 0)
			FROM usage WHERE agent = $1`, []any{id, day(db.Now())}, &a.Calls, &a.Used)
		if err != nil {
			return err
		}
		paid := 0
		if err := s.row(ctx, "SELECT count(*) FROM claim WHERE agent = $1 AND state = 'settled'",
			[]any{id}, &paid); err != nil {
			return err
		}
		a.Calls += paid
		return s.row(ctx, "SELECT count(*) FROM report WHERE agent = $1 AND status = 'published'",
			[]any{id}, &a.Reports)
	})
	if err != nil {
		return a, err
	}
	board, err := db.Leaderboard(ctx)
	for i, r := range board {
		if r.ID == agent.ID {
			a.Corroborated, a.Rank = r.Corroborated, i+1
		}
	}
	return a, err
}
