package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

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

// AboutAll returns what is on record about each subject, and about the parents that speak for it, in order. The reports
// themselves may or may not be with it. What is not in memory is read with two statements, however many subjects there
// are and of whatever kinds.
func (db *DB) AboutAll(ctx context.Context, subjects []tocsin.Subject) ([]*Dossier, error) {
	if err := db.current(); err != nil {
		return nil, err
	}
	found := make([]*Dossier, len(subjects))
	unknown := map[tocsin.Subject]*keptDossier{}
	var missing []*reading
	var generation int64
	for i, subject := range subjects {
		var d *keptDossier
		if d, generation = db.dossiers.get(subject, 0); d == nil {
			var err error
			if d, err = db.fromModel(ctx, subject.SelfAndParents(), place{}, Page{}); err != nil {
				return nil, err
			}
			if d != nil && db.dossiers.wants(subject, d) {
				db.dossiers.put(subject, d, generation)
			}
		}
		if d == nil {
			if d = unknown[subject]; d == nil {
				d = newKept(0, db.listDates())
				unknown[subject] = d
				missing = append(missing, &reading{names: subject.SelfAndParents(), dossier: &d.Dossier.Dossier})
			}
		}
		found[i] = &d.Dossier
	}
	if len(missing) == 0 {
		return found, nil
	}
	err := db.read(ctx, replica, func(s *conn) error { return readEvidence(ctx, s, missing) })
	if err != nil {
		return nil, fmt.Errorf("read dossiers: %w", err)
	}
	for subject, d := range unknown {
		db.dossiers.put(subject, d, generation)
	}
	return found, nil
}

// OnRecord reports of each subject, in order, whether a list or a report names it or a parent that speaks for it. By it
// an address of Solana without a prefix is told from other texts of its form ([tocsin.BareSolana]).
func (db *DB) OnRecord(ctx context.Context, subjects ...tocsin.Subject) ([]bool, error) {
	found, err := db.AboutAll(ctx, subjects)
	if err != nil {
		return nil, err
	}
	known := make([]bool, len(found))
	for i, d := range found {
		known[i] = !d.Unknown()
	}
	return known, nil
}

// KnownToken is [tocsin.KnownToken] of what the lists say of an account.
func (db *DB) KnownToken(ctx context.Context, account tocsin.Subject, chain string) (bool, error) {
	found, err := db.AboutAll(ctx, []tocsin.Subject{account})
	return err == nil && tocsin.KnownToken(found[0].Listings, chain), err
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
		d = newKept(page.Limit, db.listDates())
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
	r := &reading{names: names, dossier: &d.Dossier.Dossier}
	err := readEvidence(ctx, s, []*reading{r})
	if err != nil || len(r.reported) == 0 || page.Limit == 0 {
		return err
	}
	in, args := placeholders(r.reported)
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

// reading is a dossier while it is read.
type reading struct {
	names    []tocsin.Subject // the subject, and its parents, nearest first
	dossier  *tocsin.Dossier
	reported []int64 // the names whose reports belong to it
}

// readEvidence reads what is on record about subjects, without their reports, in two statements.
func readEvidence(ctx context.Context, s *conn, all []*reading) error {
	var names []tocsin.Subject
	for _, r := range all {
		names = append(names, r.names...)
	}
	found, err := readRecords(ctx, s, names)
	if err != nil {
		return err
	}
	for _, r := range all {
		r.apply(found)
	}
	return readReporters(ctx, s, all)
}

// apply sets the listings of a dossier, and which reports belong to it, out of the names that are on record.
func (r *reading) apply(found map[tocsin.Subject]*record) {
	var records []tocsin.Record
	for _, name := range r.names {
		if known := found[name]; known != nil {
			records = append(records, known.Record)
		}
	}
	subject := r.names[0]
	for _, known := range tocsin.ApplicableRecords(subject, records) {
		r.dossier.Listings = append(r.dossier.Listings, known.Listings...)
		if known.Reports > 0 {
			r.reported = append(r.reported, found[known.Subject].id)
		}
		if !subject.IsAddress() {
			match := "parent"
			if known.Subject == subject {
				match = "exact"
			}
			r.dossier.Matches = append(r.dossier.Matches,
				tocsin.Match{Domain: known.Subject.Value, Match: match, ReportCount: known.Reports})
		}
	}
}

// record is what is on record under one name.
type record struct {
	tocsin.Record
	id int64
}

// whereNamed is the condition that the subject s is one of some names, with its arguments, the first of them by number.
func whereNamed(first int, names []tocsin.Subject) (condition string, args []any) {
	byKind := map[tocsin.Kind][]string{}
	for _, name := range names {
		byKind[name.Kind] = append(byKind[name.Kind], name.Value)
	}
	var asked []string
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		n := first + len(args)
		in, values := placeholdersFrom(n+1, byKind[kind])
		asked = append(asked, "s.kind = $"+strconv.Itoa(n)+" AND s.value IN ("+in+")")
		args = append(append(args, string(kind)), values...)
	}
	return strings.Join(asked, " OR "), args
}

// ownDate is the date that a list gives for its listing l, NULL for none. An entry that was not there when the list was
// read before has a date of ours in since: from it proof is judged, and nobody is shown it.
const ownDate = "CASE WHEN l.unseen IS NULL THEN l.since END"

// readRecords reads the names that are on record, with their listings in force and how many reports name them.
func readRecords(ctx context.Context, s *conn, names []tocsin.Subject) (map[tocsin.Subject]*record, error) {
	named, args := whereNamed(1, names)
	records := map[tocsin.Subject]*record{}
	query := `SELECT s.id, s.kind, s.value, (SELECT count(*) FROM report_subject rs WHERE rs.subject = s.id),
			l.kind, l.category, ` + ownDate + `, l.url, l.chain, l.name, l.program, list.name, list.family
		FROM subject s LEFT JOIN listing l ON l.subject = s.id AND l.withdrawn IS NULL AND NOT l.hidden
			LEFT JOIN list ON list.id = l.list
		WHERE ` + named + ` ORDER BY s.id, l.list, l.chain, l.kind`
	err := s.each(ctx, query, args, func(rows *sql.Rows) error {
		var id int64
		var reports int
		var subject tocsin.Subject
		var since sql.NullInt64
		var kind, category, url, chain, name, program, list, family sql.NullString
		if err := rows.Scan(&id, &subject.Kind, &subject.Value, &reports, &kind, &category, &since, &url, &chain, &name,
			&program, &list, &family); err != nil {
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

// readReporters counts the reports about subjects by who filed them, into their dossiers. A report that names two
// subjects of one dossier counts once.
func readReporters(ctx context.Context, s *conn, all []*reading) error {
	var asked []string
	var args []any
	count := "count(*)"
	for i, r := range all {
		for _, id := range r.reported {
			n := len(args)
			asked = append(asked,
				fmt.Sprintf("(CAST($%d AS BIGINT), CAST($%d AS BIGINT), CAST($%d AS TEXT))", n+1, n+2, n+3))
			args = append(args, i, id, string(r.names[0].Kind))
		}
		if len(r.reported) > 1 {
			count = "count(DISTINCT rs.report)"
		}
	}
	if len(asked) == 0 {
		return nil
	}
	return s.each(
		ctx,
		`WITH asked(dossier, subject, kind) AS (VALUES `+strings.Join(asked, ", ")+`)
		SELECT asked.dossier, rs.list IS NULL, coalesce(a.public, ''), coalesce(a.created, 0), coalesce(a.network, 0),
			coalesce((SELECT until FROM standing WHERE agent = a.id AND kind = asked.kind), 0),
			rs.crime_type, `+count+`, coalesce(min(nullif(rs.published, 0)), 0), max(rs.published)
		FROM asked JOIN report_subject rs ON rs.subject = asked.subject LEFT JOIN agent a ON a.id = rs.agent
		GROUP BY asked.dossier, asked.kind, a.id, rs.list IS NULL, rs.crime_type
		ORDER BY asked.dossier, a.id NULLS FIRST`,
		args,
		func(rows *sql.Rows) error {
			var i int
			var here bool
			var agent string
			var crime tocsin.CrimeType
			var created, until, oldest, newest int64
			var network, n int
			err := rows.Scan(&i, &here, &agent, &created, &network, &until, &crime, &n, &oldest, &newest)
			if err != nil {
				return err
			}
			d := all[i].dossier
			first, latest := tocsin.MicroTime(oldest), tocsin.MicroTime(newest)
			if first != undated && (d.First == (tocsin.Time{}) || oldest < d.First.Micro()) {
				d.First = first
			}
			if latest != undated && newest > d.Last.Micro() {
				d.Last = latest
			}
			d.ReportCount += n
			if !slices.Contains(d.CrimeTypes, crime) {
				d.CrimeTypes = append(d.CrimeTypes, crime)
			}
			if !here {
				return nil // a list's story: the list's listing scores, not the story
			}
			last := len(d.Reporters) - 1
			if last < 0 || d.Reporters[last].Agent != agent { // the rows of an agent follow each other
				last++
				d.Reporters = append(d.Reporters, tocsin.ReporterGroup{
					Agent:       agent,
					Since:       tocsin.MicroTime(created),
					ProvenUntil: tocsin.MicroTime(until),
					Network:     network,
					Oldest:      first,
					Newest:      latest,
				})
			}
			g := &d.Reporters[last]
			g.Reports += n
			g.Oldest = tocsin.MicroTime(min(g.Oldest.Micro(), oldest))
			g.Newest = tocsin.MicroTime(max(g.Newest.Micro(), newest))
			return nil
		},
	)
}

// placeholders writes "$1, $2, …" for as many values, and returns them as arguments.
func placeholders[T any](values []T) (marks string, args []any) { return placeholdersFrom(1, values) }

// placeholdersFrom is [placeholders] with another first number.
func placeholdersFrom[T any](first int, values []T) (marks string, args []any) {
	text := make([]byte, 0, 5*len(values))
	args = make([]any, len(values), len(values)+3) // a caller adds up to three
	for i, v := range values {
		if i > 0 {
			text = append(text, ", "...)
		}
		text = strconv.AppendInt(append(text, '$'), int64(first+i), 10)
		args[i] = v
	}
	return string(text), args
}
