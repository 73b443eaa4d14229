package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"tocsin"
)

// Mended counts the records whose dates were in the future, and what was done about them.
type Mended struct {
	Reports  int // dated now, in the order in which they were recorded
	Listings int // named since now
	Others   int // agents, keys, payments, events and lists: dated now
	Sessions int // ended, because they would have lasted too long
}

const (
	maxSession = 8 * 24 * time.Hour // sessions and nonces end sooner
	maxDue     = 2 * time.Hour      // payments are asked about again sooner
)

var errDryRun = errors.New("a dry run")

// MendDates corrects the dates that a wrong clock left in the future: to now, since it is only known that they are
// not later. Reports keep their order and get different times. A list of reports that is followed since a time in the
// future goes on from here ([DB.Reports]). With dry it only counts. The database must have been opened with
// AcceptClock.
func (db *DB) MendDates(ctx context.Context, by Operator, dry bool) (m Mended, err error) {
	err = db.write(ctx, evidence, true, func(ctx context.Context, s *conn) error {
		m = Mended{}
		now := db.Now()
		if err := m.reports(ctx, s, now.Micro()); err != nil {
			return err
		}
		if err := m.others(ctx, s, now.Micro()); err != nil {
			return err
		}
		if m != (Mended{}) {
			a := act{by: by, action: MendedDates}
			if _, err := a.log(ctx, s, now); err != nil {
				return err
			}
			if err := setMetaTime(ctx, s, metaMended, now); err != nil {
				return err
			}
		}
		if dry {
			return errDryRun // takes everything back
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		err = nil
	}
	return m, err
}

// reports corrects the reports. All that are published and change, or whose reporter seems to come from the future,
// get an event first.
func (m *Mended) reports(ctx context.Context, s *conn, now int64) error {
	s.written.unknown = true
	if _, err := s.exec(ctx, `INSERT INTO event (at, op, subject, report, list)
		SELECT CAST($1 AS BIGINT), CAST($2 AS TEXT), rs.subject, rs.report, rs.list FROM report_subject rs
		JOIN report r ON r.seq = rs.report LEFT JOIN agent a ON a.id = rs.agent
		WHERE r.created > $1 OR rs.published > $1 OR a.created > $1 ORDER BY rs.report, rs.subject`,
		now, string(ReportDated)); err != nil {
		return err
	}
	var future []int64
	err := s.each(ctx, "SELECT seq FROM report WHERE created > $1 ORDER BY seq", []any{now}, func(rows *sql.Rows) error {
		var seq int64
		err := rows.Scan(&seq)
		future = append(future, seq)
		return err
	})
	if err != nil {
		return err
	}
	const lastRight = "SELECT coalesce(max(created), 0) FROM report WHERE created <= $1"
	var last int64
	if err := s.row(ctx, lastRight, []any{now}, &last); err != nil {
		return err
	}
	next := max(last+1, now-int64(len(future))+1)
	for i, seq := range future {
		if _, err := s.exec(ctx, "UPDATE report SET created = $2 WHERE seq = $1", seq, next+int64(i)); err != nil {
			return err
		}
	}
	m.Reports = len(future)
	for _, update := range []string{
		"UPDATE report SET published = created WHERE published > $1",
		"UPDATE report_subject SET published = (SELECT published FROM report WHERE seq = report) WHERE published > $1",
	} {
		if _, err := s.exec(ctx, update, now); err != nil {
			return err
		}
	}
	return nil
}

// others corrects everything else that has a date.
func (m *Mended) others(ctx context.Context, s *conn, now int64) error {
	if _, err := s.exec(ctx, `INSERT INTO event (at, op, subject, list, chain, kind)
		SELECT CAST($1 AS BIGINT), CAST($2 AS TEXT), subject, list, chain, kind FROM listing
		WHERE since > $1 AND withdrawn IS NULL AND NOT hidden ORDER BY subject`, now, string(ListingEdited)); err != nil {
		return err
	}
	for _, c := range []struct {
		count  *int
		change string
		bound  int64
	}{
		{&m.Listings, "UPDATE listing SET since = $1 WHERE since > $1", now},
		{&m.Others, "UPDATE listing SET withdrawn = $1 WHERE withdrawn > $1", now},
		{&m.Others, "UPDATE listing SET recorded = $1 WHERE recorded > $1", now},
		{&m.Others, "UPDATE listing SET unseen = $1 WHERE unseen > $1", now},
		{&m.Others, "UPDATE named SET first = $1 WHERE first > $1", now},
		{&m.Others, "UPDATE named SET last = $1 WHERE last > $1", now},
		{&m.Others, "UPDATE list SET imported = $1 WHERE imported > $1", now},
		{&m.Others, "UPDATE act SET at = $1 WHERE at > $1", now},
		{&m.Others, "UPDATE event SET at = $1 WHERE at > $1", now},
		{&m.Others, "UPDATE agent SET created = $1 WHERE created > $1", now},
		{&m.Others, "UPDATE key SET created = $1 WHERE created > $1", now},
		{&m.Others, "UPDATE key SET revoked = $1 WHERE revoked > $1", now},
		{&m.Others, "UPDATE filing SET at = $1 WHERE at > $1", now},
		{&m.Others, "UPDATE claim SET created = $1 WHERE created > $1", now},
		{&m.Others, "UPDATE claim SET updated = $1 WHERE updated > $1", now},
		{&m.Others, "UPDATE claim SET lease_until = 0 WHERE lease_until > $1", now + 2*leaseTTL.Microseconds()},
		{&m.Others, "UPDATE claim SET due = lease_until WHERE due > $1", now + maxDue.Microseconds()},
		{&m.Others, "DELETE FROM usage WHERE day > $1", day(tocsin.MicroTime(now))},
		{&m.Sessions, "DELETE FROM nonce WHERE expires > $1", now + maxSession.Microseconds()},
		{&m.Sessions, "DELETE FROM session WHERE expires > $1", now + maxSession.Microseconds()},
	} {
		n, err := affected(s.exec(ctx, c.change, c.bound))
		if err != nil {
			return err
		}
		*c.count += int(n)
	}
	noted, err := getMetaNumber(ctx, s, metaClock)
	if err != nil || noted <= now {
		return err
	}
	m.Others++
	_, err = s.exec(ctx, "DELETE FROM meta WHERE name = $1", metaClock)
	return err
}

// effectiveSince returns the moment after which a follower wants reports. A moment in the future is the date of a
// report that was corrected since: the follower has all reports that were recorded before the correction.
func effectiveSince(ctx context.Context, s *conn, since, now int64) (int64, error) {
	if since <= now {
		return since, nil
	}
	mended, err := getMetaNumber(ctx, s, metaMended)
	if err == nil && mended == 0 {
		return since, nil
	}
	return mended, err
}
