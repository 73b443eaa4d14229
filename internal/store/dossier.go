package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"tocsin"
)

// Page asks for a part of a list of reports. It ends before the report with
// which its reports would be too large, and has one at least.
type Page struct {
	Limit  int    // reports; of a dossier, 0 asks for the evidence alone
	Cursor string // NextCursor of the page before, or "" for the newest
	Bytes  int    // of reports as they are stored; 0 means PageBytes, the most
}

// PageBytes bounds the reports of a page, in bytes of JSON as it is stored. A report
// of an older version may be larger by itself.
const PageBytes = 256 << 10

func (p Page) bytes() int {
	if p.Bytes == 0 {
		return PageBytes
	}
	return p.Bytes
}

// FirstPage is the most reports of a dossier that are kept in memory: as many as
// most callers ask for. Shorter first pages are parts of it.
const FirstPage = 20

// About returns everything on record about an address.
func (db *DB) About(ctx context.Context, a tocsin.Address, page Page) (*Dossier, error) {
	return db.about(ctx, []tocsin.Subject{a.Subject()}, page)
}

// AboutDomain returns everything on record about a domain and the parents that
// speak for it.
func (db *DB) AboutDomain(ctx context.Context, d tocsin.Domain, page Page) (*Dossier, error) {
	return db.about(ctx, d.SelfAndParents(), page)
}

// AboutSubject returns what is on record about a subject that was parsed, and about the parents that speak for it.
func (db *DB) AboutSubject(ctx context.Context, s tocsin.Subject, page Page) (*Dossier, error) {
	return db.about(ctx, s.SelfAndParents(), page)
}

// AboutAll returns what is on record about each address, in order. The reports
// themselves may or may not be with it.
func (db *DB) AboutAll(ctx context.Context, addresses []tocsin.Address) ([]*Dossier, error) {
	if err := db.current(); err != nil {
		return nil, err
	}
	found := make([]*Dossier, len(addresses))
	unknown := map[tocsin.Subject]*keptDossier{}
	var generation int64
	for i, a := range addresses {
		subject := a.Subject()
		var d *keptDossier
		if d, generation = db.dossiers.get(subject, 0); d == nil {
			var err error
			if d, err = db.fromModel(ctx, []tocsin.Subject{subject}, place{}, Page{}); err != nil {
				return nil, err
			}
			if d != nil && db.dossiers.wants(subject, d) {
				db.dossiers.put(subject, d, generation)
			}
		}
		if d == nil {
			if d = unknown[subject]; d == nil {
				d = newKept(0)
				unknown[subject] = d
			}
		}
		found[i] = &d.Dossier
	}
	if len(unknown) == 0 {
		return found, nil
	}
	err := db.read(ctx, replica, func(s *conn) error {
		records, err := readRecords(ctx, s, slices.Collect(maps.Keys(unknown)))
		if err != nil {
			return err
		}
		reported := map[int64]*tocsin.Dossier{}
		for _, r := range records {
			d := unknown[r.Subject]
			if d.Listings = r.Listings; r.Reports > 0 {
				reported[r.id] = &d.Dossier.Dossier
			}
		}
		return readReporters(ctx, s, tocsin.EVM, reported, true)
	})
	if err != nil {
		return nil, fmt.Errorf("read dossiers: %w", err)
	}
	for subject, d := range unknown {
		db.dossiers.put(subject, d, generation)
	}
	return found, nil
}

// about reads the dossier of names[0]; the other names are its parents, nearest first.
func (db *DB) about(ctx context.Context, names []tocsin.Subject, page Page) (*Dossier, error) {
	before, err := readCursor(page.Cursor)
	if err == nil {
		err = db.current()
	}
	if err != nil {
		return nil, err
	}
	keep := page.Limit <= FirstPage && page.Cursor == ""
	var generation int64
	if keep {
		var d *keptDossier
		if d, generation = db.dossiers.get(names[0], page.Limit); d != nil {
			return d.cut(page), nil
		}
	}
	whole := page
	whole.Bytes = 0
	d, err := db.fromModel(ctx, names, before, whole)
	if d != nil {
		keep = keep && db.dossiers.wants(names[0], d)
	} else if err == nil {
		d = newKept(page.Limit)
		err = db.read(ctx, replica, func(s *conn) error { return readDossier(ctx, s, d, names, before, whole) })
	}
	if err != nil {
		return nil, fmt.Errorf("read dossier: %w", err)
	}
	if keep {
		db.dossiers.put(names[0], d, generation)
	}
	return d.cut(page), nil
}

// readDossier reads a dossier in three statements at most: the names with their
// listings, the reporters, and a page of reports.
func readDossier(
	ctx context.Context, s *conn, d *keptDossier, names []tocsin.Subject, before place, page Page,
) error {
	found, err := readRecords(ctx, s, names)
	if err != nil {
		return err
	}
	records, ids := []tocsin.Record{}, map[tocsin.Subject]int64{}
	for _, name := range names { // nearest first
		if r := found[name]; r != nil {
			records, ids[name] = append(records, r.Record), r.id
		}
	}
	reported := map[int64]*tocsin.Dossier{}
	for _, r := range tocsin.ApplicableRecords(names[0], records) {
		d.Listings = append(d.Listings, r.Listings...)
		if r.Reports > 0 {
			reported[ids[r.Subject]] = &d.Dossier.Dossier
		}
		if !names[0].IsAddress() {
			match := "parent"
			if r.Subject == names[0] {
				match = "exact"
			}
			d.Matches = append(d.Matches, tocsin.Match{Domain: r.Subject.Value, Match: match, ReportCount: r.Reports})
		}
	}
	if err := readReporters(ctx, s, names[0].Kind, reported, false); err != nil || len(reported) == 0 || page.Limit == 0 {
		return err
	}
	in, args := placeholders(slices.Collect(maps.Keys(reported)))
	n := len(args)
	d.Reports, d.ends, d.NextCursor, err = readReports(
		ctx,
		s,
		fmt.Sprintf(`r.seq IN (SELECT report FROM report_subject
			WHERE subject IN (%s) AND (published, report) < ($%d, $%d)
			GROUP BY report ORDER BY max(published) DESC, report DESC LIMIT $%d)
		ORDER BY r.published DESC, r.seq DESC`, in, n+1, n+2, n+3),
		append(args, before.published, before.seq, page.Limit+1),
		page,
	)
	return err
}

// record is what is on record under one name.
type record struct {
	tocsin.Record
	id int64
}

// readRecords reads the names that are on record, all of one kind, with their
// listings in force and how many reports name them.
func readRecords(ctx context.Context, s *conn, names []tocsin.Subject) (map[tocsin.Subject]*record, error) {
	values := make([]string, len(names))
	for i, name := range names {
		values[i] = name.Value
	}
	in, args := placeholders(values)
	args = append(args, string(names[0].Kind))
	records := map[tocsin.Subject]*record{}
	query := `SELECT s.id, s.value, (SELECT count(*) FROM report_subject rs WHERE rs.subject = s.id),
			l.kind, l.category, l.since, l.url, l.chain, l.name, l.program, list.name, list.family
		FROM subject s LEFT JOIN listing l ON l.subject = s.id AND l.withdrawn IS NULL AND NOT l.hidden
			LEFT JOIN list ON list.id = l.list
		WHERE s.value IN (` + in + `) AND s.kind = $` + strconv.Itoa(len(args)) + ` ORDER BY s.id, l.list, l.chain, l.kind`
	err := s.each(ctx, query, args, func(rows *sql.Rows) error {
		var id int64
		var reports int
		subject := tocsin.Subject{Kind: names[0].Kind}
		var since sql.NullInt64
		var kind, category, url, chain, name, program, list, family sql.NullString
		if err := rows.Scan(&id, &subject.Value, &reports, &kind, &category, &since, &url, &chain, &name, &program,
			&list, &family); err != nil {
			return err
		}
		r := records[subject]
		if r == nil {
			r = &record{id: id, Record: tocsin.Record{Subject: subject, Reports: reports}}
			records[subject] = r
		}
		if !list.Valid {
			return nil
		}
		l := tocsin.Listing{
			Kind:     tocsin.ListingKind(kind.String),
			Category: category.String,
			Subject:  subject,
			URL:      url.String,
			Chain:    chain.String,
			Name:     name.String,
			Program:  program.String,
			List:     list.String,
			Family:   family.String,
		}
		if since.Valid {
			at := tocsin.MicroTime(since.Int64)
			l.Since = &at
		}
		r.Listings = append(r.Listings, l)
		return nil
	})
	return records, err
}

// readReporters counts the reports about subjects by who filed them, into the
// dossiers that the subjects, all of one kind, belong to. A report that names two
// subjects of one dossier counts once. With apart each subject has a dossier of
// its own, otherwise there is one for all.
func readReporters(
	ctx context.Context, s *conn, kind tocsin.Kind, dossiers map[int64]*tocsin.Dossier, apart bool,
) error {
	if len(dossiers) == 0 {
		return nil
	}
	in, args := placeholders(slices.Collect(maps.Keys(dossiers)))
	subject, count := "min(rs.subject)", "count(*)"
	if apart {
		subject = "rs.subject"
	} else if len(dossiers) > 1 {
		count = "count(DISTINCT rs.report)"
	}
	group := "a.id, rs.list IS NULL, rs.crime_type"
	if apart {
		group += ", rs.subject"
	}
	return s.each(
		ctx,
		`SELECT `+subject+`, rs.list IS NULL, coalesce(a.public, ''), coalesce(a.created, 0), coalesce(a.network, 0),
			coalesce((SELECT until FROM standing WHERE agent = a.id AND kind = $`+strconv.Itoa(len(args)+1)+`), 0),
			rs.crime_type, `+count+`, coalesce(min(nullif(rs.published, 0)), 0), max(rs.published)
		FROM report_subject rs LEFT JOIN agent a ON a.id = rs.agent
		WHERE rs.subject IN (`+in+`) GROUP BY `+group+` ORDER BY a.id NULLS FIRST`,
		append(args, string(kind)),
		func(rows *sql.Rows) error {
			var id int64
			var here bool
			var agent string
			var crime tocsin.CrimeType
			var created, until, oldest, newest int64
			var network, n int
			err := rows.Scan(&id, &here, &agent, &created, &network, &until, &crime, &n, &oldest, &newest)
			if err != nil {
				return err
			}
			d := dossiers[id]
			first, last := tocsin.MicroTime(oldest), tocsin.MicroTime(newest)
			if first != undated && (d.First == (tocsin.Time{}) || oldest < d.First.Micro()) {
				d.First = first
			}
			if last != undated && newest > d.Last.Micro() {
				d.Last = last
			}
			d.ReportCount += n
			if !slices.Contains(d.CrimeTypes, crime) {
				d.CrimeTypes = append(d.CrimeTypes, crime)
			}
			if !here {
				return nil // a list's story: the list's listing scores, not the story
			}
			i := len(d.Reporters) - 1
			if i < 0 || d.Reporters[i].Agent != agent { // the rows of an agent follow each other
				i++
				d.Reporters = append(d.Reporters, tocsin.ReporterGroup{
					Agent:       agent,
					Since:       tocsin.MicroTime(created),
					ProvenUntil: tocsin.MicroTime(until),
					Network:     network,
					Oldest:      first,
					Newest:      last,
				})
			}
			g := &d.Reporters[i]
			g.Reports += n
			g.Oldest = tocsin.MicroTime(min(g.Oldest.Micro(), oldest))
			g.Newest = tocsin.MicroTime(max(g.Newest.Micro(), newest))
			return nil
		},
	)
}

// placeholders writes "$1, $2, …" for as many values, and returns them as arguments.
func placeholders[T any](values []T) (marks string, args []any) {
	text := make([]byte, 0, 5*len(values))
	args = make([]any, len(values), len(values)+3) // a caller adds up to three
	for i, v := range values {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = strconv.AppendInt(append(text, '$'), int64(i+1), 10)
		args[i] = v
	}
	return string(text), args
}
