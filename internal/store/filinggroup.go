package store

import (
	"context"
	"database/sql"

	"tocsin"
)

// pending is a filing that waits to be recorded.
type pending struct {
	Filing
	row
	traces           // by which it may be remembered already
	digest  []byte   // of the body
	callers []string // the names of its caller, the first of which it is remembered by
	today   int64
	number  int    // of its network, with a key
	token   string // whose hash is in manage

	first   string // the report that it repeats, or ""
	refused error  // a fault of the caller
}

// record records filings, of which each finds what those before it have written. They share their statements: the
// beginning and end of one cost more than a row, and on a server each is a round trip.
func (db *DB) record(ctx context.Context, s *conn, filings []*pending) error {
	if len(filings) == 0 {
		return nil
	}
	now := db.Now()
	filers, err := readFilers(ctx, s, filings)
	if err != nil {
		return err
	}
	taken, err := admit(ctx, s, filings, filers, now)
	if err != nil || len(taken) == 0 {
		return err
	}
	reports := make([]*row, len(taken))
	for i, f := range taken {
		reports[i] = &f.row
	}
	if err := insertReports(ctx, s, reports, now); err != nil {
		return err
	}
	if err := recordNamed(ctx, s, reports); err != nil {
		return err
	}
	if err := remember(ctx, s, taken, now); err != nil {
		return err
	}
	claimed := map[int64]bool{}
	for _, f := range taken {
		if f.agent == 0 {
			continue
		}
		if f.number != 0 && !filers[f.agent].placed {
			if err := setNetwork(ctx, s, f.agent, f.number, now); err != nil {
				return err
			}
			filers[f.agent].placed = true
		}
		if !claimed[f.agent] { // with its later filings
			if err := openClaims(ctx, s, &f.row, now); err != nil {
				return err
			}
			claimed[f.agent] = true
		}
	}
	return nil
}

// filer is an agent that files.
type filer struct {
	banned bool
	placed bool // its network is recorded
}

func readFilers(ctx context.Context, s *conn, filings []*pending) (map[int64]*filer, error) {
	filers := map[int64]*filer{}
	var ids []int64
	for _, f := range filings {
		if f.agent != 0 && filers[f.agent] == nil {
			filers[f.agent], ids = &filer{}, append(ids, f.agent)
		}
	}
	err := among(ctx, s, "SELECT id, banned IS NOT NULL, network IS NOT NULL FROM agent WHERE id IN ", ids,
		func(rows *sql.Rows) error {
			var id int64
			var a filer
			err := rows.Scan(&id, &a.banned, &a.placed)
			filers[id] = &a
			return err
		})
	return filers, err
}

// admit returns the filings that are neither refused nor repeat one that is remembered.
func admit(
	ctx context.Context, s *conn, filings []*pending, filers map[int64]*filer, now tocsin.Time,
) (taken []*pending, err error) {
	var hashes [][]byte
	var names []string
	for _, f := range filings {
		hashes = append(hashes, f.all()...)
		names = append(names, f.Draft.ReportedDomains...)
	}
	known, err := earlierFilings(ctx, s, hashes, now)
	if err != nil {
		return nil, err
	}
	state, err := readFilingState(ctx, s)
	if err != nil {
		return nil, err
	}
	safe, err := safelisted(ctx, s, names)
	if err != nil {
		return nil, err
	}
	for _, f := range filings {
		f.first, f.refused = "", nil
		if f.agent != 0 && filers[f.agent].banned { // its key may be remembered from before it was banned
			f.refused = bannedError(f.By.Agent.ID)
			continue
		}
		f.first, f.refused = findFiling(known, f.traces, f.digest)
		if f.first != "" || f.refused != nil {
			continue
		}
		if f.refused = state.Refuse(f.By != nil); f.refused == nil {
			f.refused = refuseSafelisted(safe, &f.Draft)
		}
		if f.refused != nil {
			continue
		}
		taken = append(taken, f)
		for _, hash := range f.own() {
			known[string(hash)] = earlierFiling{report: f.id, digest: string(f.digest)}
		}
	}
	return taken, nil
}

// remember records by what filings are found when they come again, and from which networks the anonymous ones are, by
// the names that these have under the salts of a day and of the day before.
func remember(ctx context.Context, s *conn, filings []*pending, now tocsin.Time) error {
	var origins, hashes []any
	for _, f := range filings {
		if f.agent == 0 {
			origins = append(origins, f.seq, f.today, []byte(f.callers[0]), []byte(f.callers[1]))
		}
		for _, hash := range f.own() {
			hashes = append(hashes, hash, f.digest, f.seq, now.Micro())
		}
	}
	err := s.insertRows(ctx, "INSERT INTO origin (report, day, name, earlier)", 4, origins, "", nil)
	if err != nil {
		return err
	}
	return s.insertRows(ctx, "INSERT INTO filing (hash, body, report, at)", 4, hashes,
		"ON CONFLICT (hash) DO UPDATE SET body = excluded.body, report = excluded.report, at = excluded.at", nil)
}
