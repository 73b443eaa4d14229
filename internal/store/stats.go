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
	Filed    int // of them filed here, not from a list
	ByCrime  map[tocsin.CrimeType]int
	Subjects int // ever named by a report or a list
	Lists    []ListStats
	Removed  []ListRemoval
	Tries    []ImportTry // the last of each list
	Training *Training   // of the model of names, the last one; nil for none
	Filing   tocsin.FilingState
	ReadOnly bool // nothing is recorded, see [DB.SetReadOnly]
	AsOf     tocsin.Time
	Backup   LastBackup
}

// Failed returns the lists whose last import failed.
func (st Stats) Failed() (failed []ImportTry) {
	for _, t := range st.Tries {
		if t.Reason != "" {
			failed = append(failed, t)
		}
	}
	return failed
}

// ListStats are the numbers of one list.
type ListStats struct {
	Name, URL string
	Listings  int         // in force
	Reports   int         // published stories
	Imported  tocsin.Time // when it was last read
	Version   tocsin.ListVersion
	// Recorded is since when what the list says and drops is on record, and not forgotten ([Keep.History]); nil if that is
	// not known.
	Recorded *tocsin.Time
}

// SanctionsRecorded is the Recorded of the list of sanctions; nil if it is not known, or the list is not on record.
func (st Stats) SanctionsRecorded() *tocsin.Time {
	for _, l := range st.Lists {
		if l.Name == tocsin.SanctionsList {
			return l.Recorded
		}
	}
	return nil
}

// ListNames are the names of the lists on record.
func (st Stats) ListNames() []string {
	names := []string{} // not nil: that no list is on record is known
	for _, l := range st.Lists {
		names = append(names, l.Name)
	}
	return names
}

// Stats returns the numbers of the service, at most a second old.
func (db *DB) Stats(ctx context.Context) (Stats, error) {
	return db.summary.get(db.now(), time.Second, func() (st Stats, err error) {
		st = Stats{AsOf: db.Now()}
		err = db.read(ctx, replica, func(s *conn) error {
			var err error
			if st.ReadOnly, err = db.readOnlyNow(ctx, s); err != nil {
				return err
			}
			if st.Tries, err = db.importTries(ctx, s); err != nil {
				return err
			}
			if st.Training, err = readTraining(ctx, s); err != nil {
				return err
			}
			if st.Filing, err = readFilingState(ctx, s); err != nil {
				return err
			}
			if st.Backup, err = db.lastBackup(ctx, s); err != nil {
				return err
			}
			subjects, err := countSubjects(ctx, s, db.subjects.Load())
			if err != nil {
				return err
			}
			db.subjects.Store(subjects)
			st.Subjects = subjects.count
			st.ByCrime = map[tocsin.CrimeType]int{}
			stories := map[int64]int{} // by list
			err = s.each(ctx, `SELECT coalesce(list, 0), crime_type, count(*) FROM report
				WHERE status = 'published' GROUP BY list, crime_type`, nil, func(rows *sql.Rows) error {
				var list int64
				var crime tocsin.CrimeType
				var n int
				if err := rows.Scan(&list, &crime, &n); err != nil {
					return err
				}
				stories[list] += n
				st.ByCrime[crime] += n
				st.Reports += n
				return nil
			})
			if err != nil {
				return err
			}
			st.Filed = stories[0]
			versions, err := readVersions(ctx, s)
			if err != nil {
				return err
			}
			recorded, err := readRecorded(ctx, s)
			if err != nil {
				return err
			}
			if st.Removed, err = db.listRemovals(ctx, s); err != nil {
				return err
			}
			return s.each(ctx, "SELECT id, name, url, listings, imported FROM list WHERE imported IS NOT NULL ORDER BY name",
				nil, func(rows *sql.Rows) error {
					var l ListStats
					var id, at int64
					if err := rows.Scan(&id, &l.Name, &l.URL, &l.Listings, &at); err != nil {
						return err
					}
					l.Reports, l.Imported = stories[id], tocsin.MicroTime(at)
					l.Version = versions[l.Name]
					if at, known := recorded[l.Name]; known {
						if keeps := db.KeepsHistory(); keeps > 0 && at.Std().Before(st.AsOf.Std().Add(-keeps)) {
							at = tocsin.TimeOf(st.AsOf.Std().Add(-keeps))
						}
						l.Recorded = &at
					}
					st.Lists = append(st.Lists, l)
					return nil
				})
		})
		return st, err
	})
}

// subjectCount is how many subjects there were when an event was the last one.
type subjectCount struct {
	event int64
	count int
}

// countSubjects counts the subjects; each came with an event, so those that are known are right until there is another
// event. A server asks every few seconds, and with half a million subjects counting them took most of the time of one
// that was idle.
func countSubjects(ctx context.Context, s *conn, known *subjectCount) (*subjectCount, error) {
	is := &subjectCount{}
	err := s.row(ctx, "SELECT coalesce(max(seq), 0) FROM event", nil, &is.event)
	if err != nil || known != nil && known.event == is.event {
		return known, err
	}
	return is, s.row(ctx, "SELECT count(*) FROM subject", nil, &is.count)
}

// Rank is one place on the leaderboard.
type Rank struct {
	tocsin.Reporter
	Corroborated int // of the reports, see [DB.Leaderboard]
	Reports      int // published
}

// maxRanks is how long the leaderboard is.
const maxRanks = 1000

// Leaderboard ranks the agents by how many of their reports others corroborated:
// after the report, a list named a subject of it, or another agent that is settled
// or proven reported one. A later report about a subject that the agent has named
// before counts by its other subjects only. Agents without a corroborated report
// have no place. It is at most ten seconds old.
func (db *DB) Leaderboard(ctx context.Context) ([]Rank, error) {
	return db.board.get(db.now(), 10*time.Second, func() (ranks []Rank, err error) {
		now := db.Now()
		err = db.read(ctx, replica, func(s *conn) error {
			// A subject is corroborated for an agent if the last report about it of somebody else who is trusted came
			// after the agent's first.
			return s.each(
				ctx,
				`WITH named AS (SELECT agent, subject, min(report) AS first, max(report) AS last, min(published) AS since
					FROM report_subject WHERE agent IS NOT NULL GROUP BY agent, subject),
				trusted AS (SELECT agent, subject, last, row_number() OVER (PARTITION BY subject ORDER BY last DESC) AS place
					FROM named WHERE agent IN (SELECT id FROM agent WHERE created <= $2
						UNION ALL SELECT agent FROM standing WHERE until > $3)),
				score AS (SELECT named.agent, count(DISTINCT named.first) AS corroborated FROM named
						LEFT JOIN trusted one ON one.subject = named.subject AND one.place = 1
						LEFT JOIN trusted two ON two.subject = named.subject AND two.place = 2
					WHERE CASE WHEN one.agent = named.agent THEN two.last ELSE one.last END > named.first
						OR EXISTS (SELECT 1 FROM listing l WHERE l.subject = named.subject
							AND l.`+accuses+` AND l.withdrawn IS NULL AND NOT l.hidden AND l.since > named.since)
					GROUP BY named.agent),
				filed AS (SELECT agent, count(*) AS reports FROM report
					WHERE agent IS NOT NULL AND status = 'published' GROUP BY agent)
				SELECT a.public, a.name, score.corroborated, filed.reports
					FROM filed JOIN agent a ON a.id = filed.agent JOIN score ON score.agent = filed.agent
				ORDER BY score.corroborated DESC, filed.reports, a.created LIMIT $1`,
				[]any{maxRanks, now.Micro() - tocsin.SettledAfter.Microseconds(), now.Micro()},
				func(rows *sql.Rows) error {
					var r Rank
					if err := rows.Scan(&r.ID, &r.Name, &r.Corroborated, &r.Reports); err != nil {
						return err
					}
					ranks = append(ranks, r)
					return nil
				},
			)
		})
		return ranks, err
	})
}
