package store

import (
	"context"
	"database/sql"
	"time"

	"tocsin"
)

// Stats are the numbers of the service.
type Stats struct {
	Reports  int         `json:"reports"`  // published
	Subjects int         `json:"subjects"` // ever named by a report or a list
	Lists    []ListStats `json:"lists"`
	AsOf     tocsin.Time `json:"asOf"`
}

// ListStats are the numbers of one list.
type ListStats struct {
	Name       string       `json:"name"`
	URL        string       `json:"url"`
	Listings   int          `json:"listings"` // in force
	Reports    int          `json:"reports"`  // published stories
	ImportedAt *tocsin.Time `json:"importedAt"`
	AgeSeconds *int64       `json:"ageSeconds"` // since then
}

// Stats returns the numbers of the service, at most a second old.
func (db *DB) Stats(ctx context.Context) (Stats, error) {
	return db.summary.get(db.now(), time.Second, func() (st Stats, err error) {
		now := db.Now()
		st = Stats{Lists: []ListStats{}, AsOf: now}
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
				imported := tocsin.MicroTime(at)
				age := (now.Micro() - at) / time.Second.Microseconds()
				l.ImportedAt, l.AgeSeconds = &imported, &age
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
	Corroborated int // reports that others confirmed
	Reports      int // published
}

// maxRanks is how long the leaderboard is.
const maxRanks = 1000

// Leaderboard ranks the agents by reports that others confirmed: an independent
// list, or another agent, named the same subject after the report. It is at
// most ten seconds old.
func (db *DB) Leaderboard(ctx context.Context) ([]Rank, error) {
	return db.board.get(db.now(), 10*time.Second, func() (ranks []Rank, err error) {
		err = db.view(ctx, func(s *session) error {
			return s.each(ctx, `SELECT a.public, a.name, t.corroborated, t.reports FROM (
				SELECT rs.agent, count(DISTINCT rs.report) AS reports, count(DISTINCT CASE WHEN
					EXISTS (SELECT 1 FROM report_subject o WHERE o.subject = rs.subject AND o.report > rs.report AND o.agent <> rs.agent)
					OR EXISTS (SELECT 1 FROM listing l WHERE l.subject = rs.subject AND l.kind IN ('risk', 'sanction') AND l.withdrawn IS NULL AND l.since > r.created)
					THEN rs.report END) AS corroborated
				FROM report r JOIN report_subject rs ON rs.report = r.seq WHERE r.agent IS NOT NULL GROUP BY rs.agent) t
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
