package store

import (
	"context"
	"database/sql"
	"time"

	"tocsin"
)

// Stats are the numbers of the service.
type Stats struct {
	Reports  int // published
	Subjects int // ever named by a report or a list
	Lists    []ListStats
	AsOf     tocsin.Time
}

// ListStats are the numbers of one list.
type ListStats struct {
	Name, URL string
	Listings  int // in force
	Reports   int // published stories
	Imported  tocsin.Time
}

// Stats returns the numbers of the service, at most a second old.
func (db *DB) Stats(ctx context.Context) (Stats, error) {
	return db.summary.get(db.now(), time.Second, func() (st Stats, err error) {
		st = Stats{AsOf: db.Now()}
		err = db.view(ctx, func(s *session) error {
			// Of a covering index, counting is quick even with millions of rows; but not free, hence the memo.
			if err := s.row(ctx, "SELECT (SELECT count(*) FROM report WHERE status = 'published'), (SELECT count(*) FROM subject)", nil, &st.Reports, &st.Subjects); err != nil {
				return err
			}
			return s.each(ctx, "SELECT name, url, listings, reports, imported FROM list WHERE imported IS NOT NULL ORDER BY name", nil, func(rows *sql.Rows) error {
				var l ListStats
				var at int64
				if err := rows.Scan(&l.Name, &l.URL, &l.Listings, &l.Reports, &at); err != nil {
					return err
				}
				l.Imported = tocsin.MicroTime(at)
				st.Lists = append(st.Lists, l)
				return nil
			})
		})
		return st, err
	})
}

// Rank is one place on the leaderboard.
type Rank struct {
	tocsin.Reporter
	Corroborated int // subjects that it reported and others named later
	Reports      int // published
}

// maxRanks is how long the leaderboard is.
const maxRanks = 1000

// Leaderboard ranks the agents by what others corroborated: a list, or another
// agent, named the same subject after the report. Several reports about one
// subject count once. It is at most ten seconds old.
func (db *DB) Leaderboard(ctx context.Context) ([]Rank, error) {
	return db.board.get(db.now(), 10*time.Second, func() (ranks []Rank, err error) {
		err = db.view(ctx, func(s *session) error {
			return s.each(ctx, `SELECT a.public, a.name, t.corroborated, t.reports FROM (
				SELECT rs.agent, count(DISTINCT rs.report) AS reports, count(DISTINCT CASE WHEN
					EXISTS (SELECT 1 FROM report_subject o WHERE o.subject = rs.subject AND o.report > rs.report AND o.agent <> rs.agent)
					OR EXISTS (SELECT 1 FROM listing l WHERE l.subject = rs.subject AND l.kind IN ('risk', 'sanction') AND l.withdrawn IS NULL AND l.since > rs.published)
					THEN rs.subject END) AS corroborated
				FROM report_subject rs WHERE rs.agent IS NOT NULL GROUP BY rs.agent) t
				JOIN agent a ON a.id = t.agent
				ORDER BY t.corroborated DESC, t.reports, a.created LIMIT $1`, []any{maxRanks}, func(rows *sql.Rows) error {
				var r Rank
				if err := rows.Scan(&r.ID, &r.Name, &r.Corroborated, &r.Reports); err != nil {
					return err
				}
				ranks = append(ranks, r)
				return nil
			})
		})
		return ranks, err
	})
}
