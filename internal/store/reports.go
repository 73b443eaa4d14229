package store

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"tocsin"
)

// Filter narrows a list of reports.
type Filter struct {
	CrimeType tocsin.CrimeType // "" for all
	Source    string           // tocsin.Community, the name of a list, or "" for all
	Since     *tocsin.Time     // only what was recorded after it, oldest first
	Any       bool             // for the operator: whatever the status
	Page
}

// Listed is one page of reports.
type Listed struct {
	Reports    []tocsin.Report
	NextCursor string      // newest first: where the next older page begins, "" at the end
	NextSince  tocsin.Time // oldest first: what to ask for since next time
}

// Reports returns one page of the published reports: newest first, or with
// Since everything recorded after it, oldest first. Following NextSince loses
// and repeats nothing, since reports are recorded one after the other and no
// two at the same microsecond.
func (db *DB) Reports(ctx context.Context, f Filter) (Listed, error) {
	before, err := readCursor(f.Cursor)
	if err != nil {
		return Listed{}, err
	}
	var page Listed
	err = db.view(ctx, func(s *session) error {
		where, args := []string{"status = 'published'"}, []any{}
		if f.Any {
			where[0] = "status <> 'gone'"
		}
		and := func(condition string, value any) {
			args = append(args, value)
			where = append(where, fmt.Sprintf(condition, len(args)))
		}
		if f.CrimeType != "" {
			and("crime_type = $%d", string(f.CrimeType))
		}
		if f.Source == tocsin.Community {
			where = append(where, "list IS NULL")
		} else if f.Source != "" {
			var list int64
			if err := s.row(ctx, "SELECT id FROM list WHERE name = $1", []any{f.Source}, &list); missing(err) {
				list = -1
			} else if err != nil {
				return err
			}
			and("list = $%d", list)
		}
		order := "DESC"
		if f.Since != nil {
			var after int64
			err := s.row(ctx, "SELECT seq FROM report WHERE created <= $1 ORDER BY created DESC LIMIT 1", []any{f.Since.Micro()}, &after)
			if err != nil && !missing(err) {
				return err
			}
			and("seq > $%d", after)
			order = "ASC"
		}
		and("seq < $%d", before)
		args = append(args, f.Limit+1)
		var err error
		page.Reports, page.NextCursor, err = readReports(ctx, s, "SELECT seq FROM report WHERE "+strings.Join(where, " AND ")+
			" ORDER BY seq "+order+fmt.Sprintf(" LIMIT $%d", len(args)), args, f.Limit)
		return err
	})
	if f.Since != nil {
		page.NextCursor = ""
		page.NextSince = *f.Since
		if n := len(page.Reports); n > 0 {
			page.NextSince = page.Reports[n-1].CreatedAt
		}
	}
	return page, err
}

// rankWindow is how many of the newest matches a search ranks. A word that
// stands in half of all reports would otherwise take seconds.
const rankWindow = 2000

// Search returns one page of the reports that have all the terms, best first.
// It ranks the newest 2,000 matches.
func (db *DB) Search(ctx context.Context, terms []tocsin.Term, p Page) (Listed, error) {
	top, skip, err := readSearchCursor(p.Cursor)
	if err != nil {
		return Listed{}, err
	}
	var page Listed
	err = db.view(ctx, func(s *session) error {
		if top == 0 { // later pages rank what was there when the first was made
			if err := s.row(ctx, "SELECT coalesce(max(seq), 0) FROM report", nil, &top); err != nil {
				return err
			}
		}
		match := matchExpression(terms)
		var floor sql.NullInt64
		err := s.row(ctx, `SELECT min(rowid) FROM (SELECT rowid FROM report_words WHERE report_words MATCH $1 AND rowid <= $2
			ORDER BY rowid DESC LIMIT $3)`, []any{match, top, rankWindow}, &floor)
		if err != nil || !floor.Valid {
			return err
		}
		// Weights: a word in the title or among the subjects says more than one in the story.
		page.Reports, _, err = readReports(ctx, s, `SELECT rowid FROM report_words WHERE report_words MATCH $1 AND rowid BETWEEN $2 AND $3
			ORDER BY bm25(report_words, 4, 1, 3, 6, 3), rowid DESC LIMIT $4 OFFSET $5`,
			[]any{match, floor.Int64, top, p.Limit + 1, skip}, p.Limit+1)
		if len(page.Reports) > p.Limit {
			page.Reports = page.Reports[:p.Limit]
			page.NextCursor = searchCursor(top, skip+int64(p.Limit))
		}
		return err
	})
	return page, err
}

// Report returns a published report. One that its reporter withdrew is a fault
// with the code Withdrawn, any other that may not be seen is NotFound.
func (db *DB) Report(ctx context.Context, id string) (tocsin.Report, error) {
	r, err := db.AnyReport(ctx, id)
	switch {
	case err != nil || r.Status == tocsin.Published:
		return r, err
	case r.Status == tocsin.TakenBack:
		return tocsin.Report{}, &tocsin.Error{Code: tocsin.Withdrawn, Detail: "Its reporter has withdrawn this report"}
	}
	return tocsin.Report{}, noReport(id)
}

// AnyReport returns a report whatever its status, for the operator.
func (db *DB) AnyReport(ctx context.Context, id string) (tocsin.Report, error) {
	var found []tocsin.Report
	err := db.view(ctx, func(s *session) (err error) {
		found, _, err = readReports(ctx, s, "SELECT seq FROM report WHERE id = $1", []any{id}, 1)
		return err
	})
	if err != nil || len(found) == 0 {
		return tocsin.Report{}, orElse(err, noReport(id))
	}
	return found[0], nil
}

func noReport(id string) error { return notFound("there is no report %.40q", id) }

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// readReports reads the reports whose seq the query selects, in its order, and
// the cursor of the next older page if the query found more than limit.
func readReports(ctx context.Context, s *session, query string, args []any, limit int) ([]tocsin.Report, string, error) {
	reports := []tocsin.Report{}
	next, last := "", int64(0)
	err := s.each(ctx, `WITH chosen(seq, place) AS MATERIALIZED (SELECT *, row_number() OVER () FROM (`+query+`))
		SELECT r.seq, r.id, r.created, r.published, coalesce(list.name, ''), a.public, a.name, r.status, r.body
		FROM chosen c CROSS JOIN report r ON r.seq = c.seq LEFT JOIN list ON list.id = r.list LEFT JOIN agent a ON a.id = r.agent
		ORDER BY c.place`, args, func(rows *sql.Rows) error {
		if len(reports) == limit {
			next = cursor(last)
			return nil
		}
		var r tocsin.Report
		var created, published int64
		var agent, name sql.NullString
		var body []byte
		if err := rows.Scan(&last, &r.ID, &created, &published, &r.Source, &agent, &name, &r.Status, &body); err != nil {
			return err
		}
		if err := json.Unmarshal(body, &r.Draft); err != nil {
			return fmt.Errorf("report %s: %w", r.ID, err)
		}
		r.CreatedAt, r.PublishedAt = tocsin.MicroTime(created), tocsin.MicroTime(published)
		if r.Source == "" {
			r.Source = tocsin.Community
		}
		if agent.Valid {
			r.Reporter = &tocsin.Reporter{ID: agent.String}
			if name.Valid {
				r.Reporter.Name = &name.String
			}
		}
		reports = append(reports, r)
		return nil
	})
	return reports, next, err
}

// Cursors say up to which report a list was read. They are the same after a
// restart and in a copy of the database.

func cursor(seq int64) string {
	return base64.RawURLEncoding.EncodeToString(binary.AppendUvarint([]byte{1}, uint64(seq)))
}

func searchCursor(top, skip int64) string {
	return base64.RawURLEncoding.EncodeToString(binary.AppendUvarint(binary.AppendUvarint([]byte{2}, uint64(top)), uint64(skip)))
}

func readCursor(text string) (int64, error) {
	if text == "" {
		return math.MaxInt64, nil
	}
	numbers, err := readNumbers(text, 1, 1)
	if err != nil {
		return 0, err
	}
	return numbers[0], nil
}

func readSearchCursor(text string) (top, skip int64, err error) {
	if text == "" {
		return 0, 0, nil
	}
	numbers, err := readNumbers(text, 2, 2)
	if err != nil {
		return 0, 0, err
	}
	return numbers[0], min(numbers[1], rankWindow), nil
}

func readNumbers(text string, form byte, n int) ([]int64, error) {
	bad := tocsin.Faults([]tocsin.Fault{{Field: "cursor", Reason: "it is not a cursor of this list", Fix: "send the nextCursor of the page before, or leave it off"}})
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(raw) == 0 || raw[0] != form {
		return nil, bad
	}
	numbers := make([]int64, n)
	raw = raw[1:]
	for i := range numbers {
		v, used := binary.Uvarint(raw)
		if used <= 0 || v > math.MaxInt64 {
			return nil, bad
		}
		numbers[i], raw = int64(v), raw[used:]
	}
	if len(raw) > 0 {
		return nil, bad
	}
	return numbers, nil
}
