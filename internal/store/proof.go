package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"maps"
	"slices"

	"tocsin"
)

// This file keeps what keys have named, and finds out which agents are proven by it (docs/risk.md).

// recordNamed records what reports name, in their order, as named by their agents. It is kept when a report is
// withdrawn: that takes back no miss. A list can confirm a subject for the agent that was the first to name it, and
// with it its owner.
func recordNamed(ctx context.Context, s *conn, reports []*row) error {
	type place struct{ agent, subject int64 }
	type naming struct {
		place
		first, last int64
		owner       string
		counts      bool
	}
	var all []*naming
	asked := map[string]*naming{} // domains that count unless a name below was named before
	places := map[place]*naming{}
	owners := map[string]bool{} // below which a name was named
	for _, r := range reports {
		subjects := r.draft.Subjects()
		for i, subject := range subjects {
			owner := ""
			if o := subject.Owner(); o != subject {
				owner = o.Value
			}
			if r.agent == 0 && owner == "" {
				continue
			}
			at := place{r.agent, r.subjects[i]}
			if n := places[at]; n != nil {
				n.last = r.published.Micro()
				continue
			}
			n := &naming{place: at, first: r.published.Micro(), last: r.published.Micro(), owner: owner}
			n.counts = r.agent != 0 && r.fresh[i] && len(subjects) <= tocsin.ProofSubjects && subject.Confirmable()
			if n.counts && subject.Kind == tocsin.DNS {
				if n.counts = !owners[subject.Value]; n.counts {
					asked[subject.Value] = n
				}
			}
			places[at], all = n, append(all, n)
			if owner != "" {
				owners[owner] = true
			}
		}
	}
	names := slices.Sorted(maps.Keys(asked))
	err := among(ctx, s, "SELECT DISTINCT owner FROM named WHERE owner IN ", names, func(rows *sql.Rows) error {
		var owner string
		err := rows.Scan(&owner)
		if n := asked[owner]; n != nil {
			n.counts = false
		}
		return err
	})
	if err != nil {
		return err
	}
	var values []any
	for _, n := range all {
		values = append(values, n.agent, n.subject, n.first, n.last, nullable(n.owner), n.counts)
	}
	return s.insertRows(ctx, "INSERT INTO named (agent, subject, first, last, owner, counts)", 6, values,
		"ON CONFLICT (agent, subject) DO UPDATE SET last = excluded.last", nil)
}

// recordHidden records that the operator has hidden a report, or (by is -1) has restored it.
func recordHidden(ctx context.Context, s *conn, r *row, by int) error {
	for _, subject := range r.subjects {
		if _, err := s.exec(ctx, "UPDATE named SET hidden = hidden + $1 WHERE agent = $2 AND subject = $3",
			by, r.agent, subject); err != nil {
			return err
		}
	}
	return nil
}

// namedSince is the schema that begins without a record of what keys have named.
const namedSince = 7

// renameAll records what all reports that were ever filed here have named, in their order.
func renameAll(ctx context.Context, s *conn) error {
	seen := map[int64]bool{}
	for last, more := int64(0), true; more; {
		var reports []row
		var named []*row
		var hidden []bool
		err := s.each(ctx, `SELECT seq, coalesce(agent, 0), published, status = 'hidden', body FROM report
			WHERE seq > $1 AND list IS NULL ORDER BY seq LIMIT 1000`, []any{last}, func(rows *sql.Rows) error {
			var r row
			var published int64
			var isHidden bool
			if err := rows.Scan(&r.seq, &r.agent, &published, &isHidden, &r.body); err != nil {
				return err
			}
			r.published, last = tocsin.MicroTime(published), r.seq
			reports, hidden = append(reports, r), append(hidden, isHidden)
			return json.Unmarshal(r.body, &reports[len(reports)-1].draft)
		})
		if err != nil {
			return err
		}
		for i := range reports {
			r := &reports[i]
			if err := findSubjects(ctx, s, r); err != nil {
				return err
			}
			for j, subject := range r.subjects {
				r.fresh[j] = !seen[subject]
				seen[subject] = true
			}
			named = append(named, r)
		}
		if err := recordNamed(ctx, s, named); err != nil {
			return err
		}
		for i, r := range named {
			if hidden[i] && r.agent != 0 {
				if err := recordHidden(ctx, s, r, 1); err != nil {
					return err
				}
			}
		}
		more = len(reports) > 0
	}
	return nil
}

// standing is what an agent's record of one kind of subject amounts to.
type standing struct {
	until             int64 // 0: the agent is not proven
	confirmed, missed int
}

type standingKey struct {
	agent int64
	kind  tocsin.Kind
}

// keepUntil is how far off the end of a proof must be to be left as it is when it could be later: each change is an
// event for every subject of the agent.
const keepUntil = tocsin.ProofWindow / 2

// prove finds out which agents are proven now, and records each change with its events. What it reads of all agents it
// reads beside the writers; it judges those that it changes again when nobody else writes.
func (db *DB) prove(ctx context.Context) error {
	changed := map[int64]bool{}
	err := db.read(ctx, primary, func(s *conn) error {
		now := db.Now()
		judged, err := judge(ctx, s, 0, now)
		if err != nil {
			return err
		}
		known, err := standings(ctx, s, 0)
		for key := range known {
			changed[key.agent] = changed[key.agent] || known[key] != judged[key]
		}
		for key := range judged {
			changed[key.agent] = changed[key.agent] || known[key] != judged[key]
		}
		return err
	})
	if err != nil {
		return err
	}
	for agent, moved := range changed {
		if !moved {
			continue
		}
		err := db.write(ctx, evidence, false, func(ctx context.Context, s *conn) error {
			return prove(ctx, s, agent, db.Now())
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// prove finds out whether an agent is proven now.
func prove(ctx context.Context, s *conn, agent int64, now tocsin.Time) error {
	judged, err := judge(ctx, s, agent, now)
	if err != nil {
		return err
	}
	known, err := standings(ctx, s, agent)
	if err != nil {
		return err
	}
	for key := range known {
		if _, still := judged[key]; !still {
			if err := setStanding(ctx, s, key, known[key], standing{}, now); err != nil {
				return err
			}
		}
	}
	for key, st := range judged {
		if err := setStanding(ctx, s, key, known[key], st, now); err != nil {
			return err
		}
	}
	return nil
}

// reprove finds out whether an agent that is proven still is.
func reprove(ctx context.Context, s *conn, agent int64, now tocsin.Time) error {
	known, err := standings(ctx, s, agent)
	if err != nil || len(known) == 0 {
		return err
	}
	return prove(ctx, s, agent, now)
}

// setStanding records what an agent's record amounts to, with the events if that changes a score.
func setStanding(ctx context.Context, s *conn, k standingKey, was, is standing, now tocsin.Time) error {
	if is.until > was.until && was.until > now.Micro()+keepUntil.Microseconds() {
		is.until = was.until
	}
	op := AgentProven
	if is.until < was.until {
		op = AgentUnproven
	}
	if is.until != was.until {
		if err := logAgent(ctx, s, now, op, k.agent, k.kind); err != nil {
			return err
		}
	}
	if is.until == 0 {
		_, err := s.exec(ctx, "DELETE FROM standing WHERE agent = $1 AND kind = $2", k.agent, string(k.kind))
		return err
	}
	_, err := s.exec(ctx, `INSERT INTO standing (agent, kind, until, confirmed, missed) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (agent, kind) DO UPDATE SET until = excluded.until, confirmed = excluded.confirmed,
			missed = excluded.missed`, k.agent, string(k.kind), is.until, is.confirmed, is.missed)
	return err
}

// standings returns what is recorded of an agent, or of all (0).
func standings(ctx context.Context, s *conn, agent int64) (map[standingKey]standing, error) {
	query, args := "SELECT agent, kind, until, confirmed, missed FROM standing", []any(nil)
	if agent != 0 {
		query, args = query+" WHERE agent = $1", []any{agent}
	}
	known := map[standingKey]standing{}
	err := s.each(ctx, query, args, func(rows *sql.Rows) error {
		var k standingKey
		var st standing
		err := rows.Scan(&k.agent, &k.kind, &st.until, &st.confirmed, &st.missed)
		known[k] = st
		return err
	})
	return known, err
}

// openClaims counts what a proven agent has named since a report as missed, for nothing has confirmed it yet: a proof
// covers a few open claims and no more. The next import counts anew.
func openClaims(ctx context.Context, s *conn, since *row, now tocsin.Time) error {
	known, err := standings(ctx, s, since.agent)
	if err != nil {
		return err
	}
	for key, was := range known {
		missed, err := misses(ctx, s, key, since.published.Micro()-1)
		if err != nil {
			return err
		}
		is := was
		is.missed += len(missed)
		if !tocsin.ProvesStill(is.confirmed, is.missed) {
			is = standing{}
		}
		if is != was {
			if err := setStanding(ctx, s, key, was, is, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// accuses is the condition on a listing that speaks against its subject.
const accuses = "kind IN ('risk', 'sanction')"

// judge returns what the record of an agent, or of all agents (0), amounts to, of those that it proves.
func judge(ctx context.Context, s *conn, agent int64, now tocsin.Time) (map[standingKey]standing, error) {
	which := "="
	if agent == 0 {
		which = ">"
	}
	records := map[standingKey]map[int64]*tocsin.Naming{} // by subject
	begin := now.Micro() - tocsin.ProofWindow.Microseconds()
	// A list confirms a subject if no list had it, or may have had it, within a day after it was named: copying a list
	// proves nothing, even when another list copies it later.
	err := s.each(ctx, `SELECT n.agent, s.kind, n.subject, n.first, list.family
		FROM named n CROSS JOIN subject s CROSS JOIN listing l JOIN list ON list.id = l.list
		WHERE s.id = n.subject AND l.subject = n.subject
			AND n.agent `+which+` $1 AND n.counts AND n.hidden = 0 AND n.first > $2
			AND l.`+accuses+` AND l.withdrawn IS NULL AND NOT l.hidden
			AND NOT EXISTS (SELECT 1 FROM listing o WHERE o.subject = n.subject AND o.`+accuses+`
				AND (o.since IS NULL OR coalesce(o.unseen, o.since) < n.first + $3))
			AND EXISTS (SELECT 1 FROM report_subject rs WHERE rs.subject = n.subject AND rs.agent = n.agent)`,
		[]any{agent, begin, tocsin.ProvenAfter.Microseconds()}, func(rows *sql.Rows) error {
			var k standingKey
			var subject, at int64
			var family string
			if err := rows.Scan(&k.agent, &k.kind, &subject, &at, &family); err != nil {
				return err
			}
			if records[k] == nil {
				records[k] = map[int64]*tocsin.Naming{}
			}
			n := records[k][subject]
			if n == nil {
				n = &tocsin.Naming{At: tocsin.MicroTime(at)}
				records[k][subject] = n
			}
			if !slices.Contains(n.Families, family) {
				n.Families = append(n.Families, family)
			}
			return nil
		})
	if err != nil {
		return nil, err
	}
	judged := map[standingKey]standing{}
	for k, confirmed := range records {
		record := make([]tocsin.Naming, 0, len(confirmed))
		for _, n := range confirmed {
			record = append(record, *n)
		}
		st := standing{confirmed: len(record)}
		if !tocsin.ProvesStill(st.confirmed, 0) {
			continue
		}
		misses, err := misses(ctx, s, k, begin)
		if err != nil {
			return nil, err
		}
		st.missed = len(misses)
		until := tocsin.ProvenUntil(append(record, misses...), now.Std())
		if until != (tocsin.Time{}) {
			st.until = until.Micro()
			judged[k] = st
		}
	}
	return judged, nil
}

// excuses is the condition on a listing that makes naming its subject no miss. A list that withdraws an entry soon has
// corrected a mistake; one that does so after tocsin.PrunedAfter has only cleared out what it once found.
const excuses = accuses + ` AND NOT l.hidden AND (l.withdrawn IS NULL
	OR l.withdrawn > n.last AND l.withdrawn - coalesce(l.since, 0) >= $4)`

// misses returns what an agent has named since begin and no list names, and what the operator hid. What a list named,
// but too early or because of another report, counts neither for the agent nor against it. A list that names the owner
// of a subject speaks for the subject as well, unless the owner is shared by strangers.
func misses(ctx context.Context, s *conn, k standingKey, begin int64) (missed []tocsin.Naming, err error) {
	err = s.each(ctx, `SELECT n.last FROM named n JOIN subject s ON s.id = n.subject
		WHERE n.agent = $1 AND s.kind = $2 AND n.last > $3 AND (n.hidden > 0
			OR NOT EXISTS (SELECT 1 FROM listing l WHERE l.subject = n.subject AND l.`+excuses+`)
				AND NOT EXISTS (SELECT 1 FROM subject o JOIN listing l ON l.subject = o.id
					WHERE o.kind = 'domain' AND o.value = n.owner AND l.`+excuses+`
						AND NOT EXISTS (SELECT 1 FROM listing x WHERE x.subject = o.id AND x.kind = 'shared'
							AND x.withdrawn IS NULL AND NOT x.hidden)))`,
		[]any{k.agent, string(k.kind), begin, tocsin.PrunedAfter.Microseconds()}, func(rows *sql.Rows) error {
			var at int64
			err := rows.Scan(&at)
			missed = append(missed, tocsin.Naming{At: tocsin.MicroTime(at)})
			return err
		})
	return missed, err
}
