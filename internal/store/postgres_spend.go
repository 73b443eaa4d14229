package store

import (
	"context"
	"database/sql"
)

// charge charges the calls of several agents that have rows of that day, and calls left, in one statement: a round trip
// for each would cost more than all else about a call. Rows are locked in order. A row that another process has made
// meanwhile may still lead to a deadlock, which the server ends, and the transaction is tried again.
func (d *postgresDialect) charge(ctx context.Context, s *conn, b *quotaBatch, keys []quotaKey) ([]quotaKey, error) {
	if len(keys) < 2 {
		return keys, nil
	}
	agents, calls, limits := make([]int64, len(keys)), make([]int64, len(keys)), make([]int64, len(keys))
	for i, k := range keys {
		if i > 0 && keys[i-1].agent == k.agent {
			return keys, nil // its quota has just been changed: one after the other
		}
		agents[i], calls[i], limits[i] = k.agent, int64(b.calls(k)), int64(k.limit)
	}
	charged := map[int64]bool{}
	err := s.each(ctx, `WITH wanted AS (
			SELECT u.agent, w.calls, w.quota
			FROM usage u JOIN unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS w (agent, calls, quota) ON w.agent = u.agent
			WHERE u.day = $1 ORDER BY u.agent FOR UPDATE OF u)
		UPDATE usage u SET granted = least(w.calls, w.quota - u.used), used = least(u.used + w.calls, w.quota)
		FROM wanted w WHERE u.agent = w.agent AND u.day = $1 AND u.used < w.quota
		RETURNING u.agent, w.quota, u.used, u.granted`, []any{b.day, agents, calls, limits}, func(rows *sql.Rows) error {
		var k quotaKey
		var used, granted int
		if err := rows.Scan(&k.agent, &k.limit, &used, &granted); err != nil {
			return err
		}
		charged[k.agent] = true
		b.grant(k, used, granted)
		return nil
	})
	if err != nil {
		return nil, err
	}
	left := keys[:0]
	for _, k := range keys {
		if !charged[k.agent] {
			left = append(left, k)
		}
	}
	return left, nil
}

// giveBack takes calls back in one statement. Rows are locked in order, as in charge.
func (d *postgresDialect) giveBack(ctx context.Context, s *conn, calls map[agentDay]int) error {
	var agents, days, numbers []int64
	for row, n := range calls {
		agents, days, numbers = append(agents, row.agent), append(days, row.day), append(numbers, int64(n))
	}
	_, err := s.exec(ctx, `WITH back AS (
			SELECT u.agent, u.day, w.calls
			FROM usage u JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS w (agent, day, calls)
				ON w.agent = u.agent AND w.day = u.day
			ORDER BY u.agent, u.day FOR UPDATE OF u)
		UPDATE usage u SET used = u.used - b.calls
		FROM back b WHERE u.agent = b.agent AND u.day = b.day AND u.used >= b.calls`, agents, days, numbers)
	return err
}
