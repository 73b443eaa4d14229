package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"tocsin"
	"tocsin/internal/readmodel"
)

// This file reads from the database what the read model holds.

// reread reads what is on record about subjects of one kind, with the lists and agents that it is about.
func (db *DB) reread(ctx context.Context, subjects []tocsin.Subject) (c readmodel.Change, err error) {
	err = db.read(ctx, replica, func(s *conn) (err error) {
		values := make([]string, len(subjects))
		for i, subject := range subjects {
			values[i] = subject.Value
		}
		in, args := placeholders(values)
		found := subjectRecords{}
		// Of a subject that very many reports name, they are not all counted.
		if err := found.readNames(ctx, s, fmt.Sprintf(`SELECT s.id, s.kind, s.value,
				(SELECT count(*) FROM (SELECT 1 FROM report_subject rs WHERE rs.subject = s.id LIMIT $%d) most)
			FROM subject s WHERE s.value IN (%s) AND s.kind = $%d`, len(args)+1, in, len(args)+2),
			append(args, readmodel.Most+1, string(subjects[0].Kind))); err != nil {
			return err
		}
		if in, args := placeholders(found.ids()); len(args) > 0 {
			if err := found.read(ctx, s, "IN ("+in+")", args); err != nil {
				return err
			}
		}
		c.Records = found.byName()
		for _, subject := range subjects {
			if c.Records[subject] == nil {
				c.Records[subject] = nil
			}
		}
		if c.Lists, err = readLists(ctx, s); err == nil {
			c.Agents, err = readAgents(ctx, s, c.Records)
		}
		return err
	})
	return c, err
}

// subjectRecords are records by the ids of their subjects.
type subjectRecords map[int64]*subjectRecord

type subjectRecord struct {
	tocsin.Subject
	readmodel.Record
}

func (found subjectRecords) ids() (ids []int64) {
	for id, r := range found {
		if !r.Ask {
			ids = append(ids, id)
		}
	}
	return ids
}

func (found subjectRecords) byName() map[tocsin.Subject]*readmodel.Record {
	records := make(map[tocsin.Subject]*readmodel.Record, len(found))
	for _, r := range found {
		slices.SortFunc(r.Mentions, func(a, b readmodel.Mention) int {
			if a.Before(b.Place) {
				return -1
			}
			return 1
		})
		records[r.Subject] = &r.Record
	}
	return records
}

// readNames reads the subjects by a query for their ids, kinds, values, and how many reports name them, as far as that
// is known already.
func (found subjectRecords) readNames(ctx context.Context, s *conn, query string, args []any) error {
	return s.each(ctx, query, args, func(rows *sql.Rows) error {
		var id, several int64
		r := &subjectRecord{}
		err := rows.Scan(&id, &r.Kind, &r.Value, &several)
		r.Ask = several > readmodel.Most
		found[id] = r
		return err
	})
}

// read reads what is on record about the subjects with these ids.
func (found subjectRecords) read(ctx context.Context, s *conn, these string, args []any) error {
	err := s.each(ctx, `SELECT subject, list, chain, kind, category, url, name, program,
			`+ownDate+` FROM listing l
		WHERE subject `+these+` AND withdrawn IS NULL AND NOT hidden ORDER BY subject, list, chain, kind`, args,
		func(rows *sql.Rows) error {
			var id int64
			var l readmodel.Listing
			var since sql.NullInt64
			err := rows.Scan(&id, &l.List, &l.Chain, &l.Kind, &l.Category, &l.URL, &l.Name, &l.Program, &since)
			if since.Valid {
				at := tocsin.MicroTime(since.Int64)
				l.Since = &at
			}
			if r := found[id]; r != nil {
				r.Listings = append(r.Listings, l)
			}
			return err
		})
	if err != nil {
		return err
	}
	return s.each(ctx, `SELECT subject, report, list IS NOT NULL, coalesce(agent, 0), crime_type, published
		FROM report_subject WHERE subject `+these+" ORDER BY subject, report", args, func(rows *sql.Rows) error {
		var id int64
		var m readmodel.Mention
		err := rows.Scan(&id, &m.Report, &m.Told, &m.Agent, &m.Crime, &m.Published)
		r := found[id]
		switch {
		case r == nil || r.Ask:
		case len(r.Mentions) == readmodel.Most:
			r.Record = readmodel.Record{Ask: true}
		default:
			r.Mentions = append(r.Mentions, m)
		}
		return err
	})
}

func readLists(ctx context.Context, s *conn) (map[int64]readmodel.List, error) {
	lists := map[int64]readmodel.List{}
	err := s.each(ctx, "SELECT id, name, family FROM list", nil, func(rows *sql.Rows) error {
		var id int64
		var l readmodel.List
		err := rows.Scan(&id, &l.Name, &l.Family)
		lists[id] = l
		return err
	})
	return lists, err
}

// readAgents reads who has filed the reports of records; without records, who has filed any.
func readAgents(
	ctx context.Context, s *conn, records map[tocsin.Subject]*readmodel.Record,
) (map[int64]*readmodel.Agent, error) {
	agents := map[int64]*readmodel.Agent{}
	which, args := "SELECT agent FROM report_subject WHERE agent IS NOT NULL", []any(nil)
	if records != nil {
		var ids []int64
		for _, r := range records {
			if r == nil {
				continue
			}
			for _, m := range r.Mentions {
				if m.Agent != 0 {
					ids = append(ids, m.Agent)
				}
			}
		}
		if len(ids) == 0 {
			return agents, nil
		}
		slices.Sort(ids)
		which, args = placeholders(slices.Compact(ids))
	}
	err := s.each(ctx, `SELECT a.id, a.public, a.created, coalesce(a.network, 0),
			coalesce(st.kind, ''), coalesce(st.until, 0)
		FROM agent a LEFT JOIN standing st ON st.agent = a.id WHERE a.id IN (`+which+")", args,
		func(rows *sql.Rows) error {
			var id, created, until int64
			var kind tocsin.Kind
			var a readmodel.Agent
			err := rows.Scan(&id, &a.ID, &created, &a.Network, &kind, &until)
			if agents[id] == nil {
				a.Created = tocsin.MicroTime(created)
				agents[id] = &a
			}
			if kind != "" {
				if agents[id].Proven == nil {
					agents[id].Proven = map[tocsin.Kind]tocsin.Time{}
				}
				agents[id].Proven[kind] = tocsin.MicroTime(until)
			}
			return err
		})
	return agents, err
}
