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
	var id int64
	// Writes are committed in order: at this one all earlier ones are. The counts are read in it, since no call is
	// reserved or given back meanwhile.
	err := db.write(ctx, accounts, false, func(ctx context.Context, s *conn) error {
		today := day(db.Now())
		err := s.row(ctx, `SELECT a.id, coalesce(sum(u.used), 0), coalesce(sum(CASE WHEN u.day = $2 THEN u.used END), 0)
			FROM agent a LEFT JOIN usage u ON u.agent = a.id WHERE a.public = $1 GROUP BY a.id`,
			[]any{agent.ID, today}, &id, &a.Calls, &a.Used)
		if err != nil {
			return err
		}
		unused := db.quota.unusedOf(id, today)
		a.Calls, a.Used = a.Calls-unused, a.Used-unused
		return nil
	})
	if err != nil {
		return a, err
	}
	err = db.read(ctx, primary, func(s *conn) error {
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
