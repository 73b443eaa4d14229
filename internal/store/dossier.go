package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"

	"tocsin"
)

// Page asks for a part of a list of reports, newest first.
type Page struct {
	Limit  int
	Cursor string // NextCursor of the page before, or "" for the newest
}

// FirstPage is how many reports of a dossier are kept in memory: as many as most
// callers ask for. Shorter first pages are parts of it.
const FirstPage = 20

// About returns everything on record about an address.
func (db *DB) About(ctx context.Context, a tocsin.Address, page Page) (*tocsin.Dossier, error) {
	return db.about(ctx, []tocsin.Subject{a.Subject()}, page)
}

// AboutDomain returns everything on record about a domain and the parents that
// speak for it.
func (db *DB) AboutDomain(ctx context.Context, d tocsin.Domain, page Page) (*tocsin.Dossier, error) {
	return db.about(ctx, d.SelfAndParents(), page)
}

// AboutSubject returns what is on record about a subject that was parsed.
func (db *DB) AboutSubject(ctx context.Context, s tocsin.Subject, page Page) (*tocsin.Dossier, error) {
	return db.about(ctx, s.SelfAndParents(), page)
}

// AboutAll returns what is on record about each address, in order. The reports
// themselves may or may not be with it.
func (db *DB) AboutAll(ctx context.Context, addresses []tocsin.Address) ([]*tocsin.Dossier, error) {
	found := make([]*tocsin.Dossier, len(addresses))
	var unknown []int
	var generation int64
	for i, a := range addresses {
		if found[i], generation = db.dossiers.get(a.Subject(), false); found[i] == nil {
			unknown = append(unknown, i)
		}
	}
	if len(unknown) == 0 {
		return found, nil
	}
	err := db.read(ctx, replica, func(s *conn) error {
		for _, i := range unknown {
			found[i] = &tocsin.Dossier{}
			if err := readDossier(ctx, s, found[i], []tocsin.Subject{addresses[i].Subject()}, math.MaxInt64, 0); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read dossiers: %w", err)
	}
	for _, i := range unknown {
		db.dossiers.put(addresses[i].Subject(), found[i], generation)
	}
	return found, nil
}

// about reads the dossier of names[0]; the other names are its parents, nearest first.
func (db *DB) about(ctx context.Context, names []tocsin.Subject, page Page) (*tocsin.Dossier, error) {
	before, err := readCursor(page.Cursor)
	if err != nil {
		return nil, err
	}
	keep, limit := page.Limit <= FirstPage && page.Cursor == "", page.Limit
	var generation int64
	if keep {
		var d *tocsin.Dossier
		if d, generation = db.dossiers.get(names[0], true); d != nil {
			return d.Cut(page.Limit), nil
		}
		limit = FirstPage
	}
	d := &tocsin.Dossier{}
	err = db.read(ctx, replica, func(s *conn) error { return readDossier(ctx, s, d, names, before, limit) })
	if err != nil {
		return nil, fmt.Errorf("read dossier: %w", err)
	}
	if keep {
		db.dossiers.put(names[0], d, generation)
	}
	return d.Cut(page.Limit), nil
}

func readDossier(ctx context.Context, s *conn, d *tocsin.Dossier, names []tocsin.Subject, before int64, limit int) error {
	var records []tocsin.Record
	ids := map[tocsin.Subject]int64{}
	for _, name := range names {
		var id int64
		err := s.row(ctx, "SELECT id FROM subject WHERE kind = $1 AND value = $2", []any{string(name.Kind), name.Value}, &id)
		if missing(err) {
			continue
		}
		if err != nil {
			return err
		}
		r := tocsin.Record{Subject: name}
		if err := readListings(ctx, s, id, &r); err != nil {
			return err
		}
		if err := s.row(ctx, "SELECT count(*) FROM report_subject WHERE subject = $1", []any{id}, &r.Reports); err != nil {
			return err
		}
		records = append(records, r)
		ids[name] = id
	}
	records = tocsin.ApplicableRecords(names[0], records)
	var subjects []any
	for _, r := range records {
		d.Listings = append(d.Listings, r.Listings...)
		if r.Reports > 0 {
			subjects = append(subjects, ids[r.Subject])
		}
		if !names[0].IsAddress() {
			match := "parent"
			if r.Subject == names[0] {
				match = "exact"
			}
			d.Matches = append(d.Matches, tocsin.Match{Domain: r.Subject.Value, Match: match, ReportCount: r.Reports})
		}
	}
	if len(subjects) == 0 {
		return nil
	}
	if err := readOrigins(ctx, s, d, subjects); err != nil {
		return err
	}
	if limit == 0 {
		return nil
	}
	var err error
	in, args := placeholders(subjects)
	n := len(args)
	d.Reports, d.Cursors, d.NextCursor, err = readReports(ctx, s,
		fmt.Sprintf("r.seq IN (SELECT DISTINCT report FROM report_subject WHERE subject IN (%s) AND report < $%d ORDER BY report DESC LIMIT $%d) ORDER BY r.seq DESC", in, n+1, n+2),
		append(args, before, limit+1), limit)
	return err
}

func readListings(ctx context.Context, s *conn, id int64, r *tocsin.Record) error {
	return s.each(ctx, `SELECT l.kind, l.category, l.since, l.url, l.chain, l.name, l.program, list.name, list.family
		FROM listing l JOIN list ON list.id = l.list WHERE l.subject = $1 AND l.withdrawn IS NULL AND NOT l.hidden ORDER BY l.list, l.chain, l.kind`,
		[]any{id}, func(rows *sql.Rows) error {
			l := tocsin.Listing{Subject: r.Subject}
			var since sql.NullInt64
			if err := rows.Scan(&l.Kind, &l.Category, &since, &l.URL, &l.Chain, &l.Name, &l.Program, &l.List, &l.Family); err != nil {
				return err
			}
			if since.Valid {
				at := tocsin.MicroTime(since.Int64)
				l.Since = &at
			}
			r.Listings = append(r.Listings, l)
			return nil
		})
}

// readOrigins counts the reports about the subjects by who filed them. A report
// that names two of the subjects counts once.
func readOrigins(ctx context.Context, s *conn, d *tocsin.Dossier, subjects []any) error {
	in, args := placeholders(subjects)
	count := "count(*)"
	if len(subjects) > 1 {
		count = "count(DISTINCT rs.report)"
	}
	origins := map[string]int{}
	return s.each(ctx, `SELECT rs.list IS NULL, coalesce(a.public, ''), coalesce(a.created, 0), coalesce(a.confirmed, 0), rs.crime_type,
		`+count+`, min(rs.published), max(rs.published)
		FROM report_subject rs LEFT JOIN agent a ON a.id = rs.agent
		WHERE rs.subject IN (`+in+`) GROUP BY 1, rs.agent, rs.crime_type`, args, func(rows *sql.Rows) error {
		var here bool
		var agent string
		var crime tocsin.CrimeType
		var created, confirmed, oldest, newest int64
		var n int
		if err := rows.Scan(&here, &agent, &created, &confirmed, &crime, &n, &oldest, &newest); err != nil {
			return err
		}
		first, last := tocsin.MicroTime(oldest), tocsin.MicroTime(newest)
		if d.ReportCount == 0 || first.Micro() < d.First.Micro() {
			d.First = first
		}
		if last.Micro() > d.Last.Micro() {
			d.Last = last
		}
		d.ReportCount += n
		if !slices.Contains(d.CrimeTypes, crime) {
			d.CrimeTypes = append(d.CrimeTypes, crime)
		}
		if !here {
			return nil // a list's story: the list's listing scores, not the story
		}
		i, ok := origins[agent]
		if !ok {
			i = len(d.Reporters)
			origins[agent] = i
			d.Reporters = append(d.Reporters, tocsin.ReporterGroup{Agent: agent, Since: tocsin.MicroTime(created), Proven: confirmed > 0, Oldest: first, Newest: last})
		}
		o := &d.Reporters[i]
		o.Reports += n
		o.Oldest = tocsin.MicroTime(min(o.Oldest.Micro(), oldest))
		o.Newest = tocsin.MicroTime(max(o.Newest.Micro(), newest))
		return nil
	})
}

// placeholders writes "$1, $2, …" for as many values.
func placeholders(values []any) (string, []any) {
	marks := make([]string, len(values))
	for i := range values {
		marks[i] = fmt.Sprintf("$%d", i+1)
	}
	return strings.Join(marks, ", "), slices.Clone(values)
}
