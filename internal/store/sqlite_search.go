package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"

	"tocsin"
)

// indexWords makes the changes that [conn.index] has collected. FTS5 would write out what it has gathered before each
// statement with several rows.
func (d *sqliteDialect) indexWords(ctx context.Context, s *conn) error {
	for _, w := range s.state.words {
		query, args := `INSERT INTO report_words (rowid, title, description, project, subjects, handles)
			VALUES ($1, $2, $3, $4, $5, $6)`, []any{w.report, w.title, w.description, w.project, w.subjects, w.handles}
		if w.gone {
			query, args = "DELETE FROM report_words WHERE rowid = $1", []any{w.report}
		}
		if _, err := s.exec(ctx, query, args...); err != nil {
			return err
		}
	}
	return nil
}

// stepBack: all of them are one step. FTS5 goes back by itself until it has found enough, and between two matches it
// knows no bounds: it looks for one below a floor too.
func (d *sqliteDialect) stepBack(_, _ int64) int64 { return 1 }

func (d *sqliteDialect) matches(
	ctx context.Context, s *conn, terms []tocsin.Term, crime tocsin.CrimeType, outside bool, floor, top int64, limit int,
	enough func() bool,
) (m matches, err error) {
	match := matchExpression(terms)
	if outside {
		match = "{title project subjects handles} : (" + match + ")"
	}
	query := `SELECT rowid AS seq FROM report_words WHERE report_words MATCH $1 AND rowid BETWEEN $2 AND $3
		ORDER BY rowid DESC LIMIT $4`
	args := []any{match, floor, top, limit}
	// The index has no crime types and no dates: each match is looked at.
	const lookAt = " m CROSS JOIN report r ON r.seq = m.seq"
	switch {
	case crime != "":
		query = "WITH m AS MATERIALIZED (" + query + ") SELECT coalesce(min(seq), 0), count(*), true FROM m UNION ALL " +
			"SELECT * FROM (SELECT m.seq, r.published, false FROM" + lookAt +
			" WHERE r.crime_type = $5 AND r.status = 'published' ORDER BY m.seq DESC LIMIT $6)"
		args = append(args, string(crime), SearchWindow)
	case outside:
		query = "SELECT m.seq, 0, false FROM (" + query + ") m"
	default: // one after the other, as they are found
		query = "SELECT seq, (SELECT published FROM report r WHERE r.seq = m.seq), false FROM (" + query + ") m"
	}
	err = s.each(ctx, query, args, func(rows *sql.Rows) error {
		var at place
		var total bool
		err := rows.Scan(&at.seq, &at.published, &total)
		if total {
			m.last, m.candidates = at.seq, int(at.published)
			return err
		}
		m.found = append(m.found, at)
		if err == nil && crime == "" && !outside && enough() {
			m.last, m.early = at.seq, true
			return errPageFull
		}
		return err
	})
	if errors.Is(err, errPageFull) {
		err = nil
	}
	return m, err
}

// reindexed is the schema that begins with an empty index.
const reindexed = 6

// reindex indexes all published reports.
func (d *sqliteDialect) reindex(ctx context.Context, s *conn) error {
	for last, more := int64(0), true; more; {
		s.state.words = s.state.words[:0]
		err := s.each(ctx, "SELECT seq, body FROM report WHERE seq > $1 AND status = 'published' ORDER BY seq LIMIT 1000",
			[]any{last}, func(rows *sql.Rows) error {
				var body []byte
				var draft tocsin.Draft
				if err := rows.Scan(&last, &body); err != nil {
					return err
				}
				err := json.Unmarshal(body, &draft)
				s.index(wordsOfDraft(last, &draft))
				return err
			})
		if err != nil {
			return err
		}
		if err := d.indexWords(ctx, s); err != nil {
			return err
		}
		more = len(s.state.words) > 0
	}
	return nil
}

// matchExpression writes terms in the query syntax of FTS5. Each term is a
// quoted string, within which nothing is syntax: words and spaces.
func matchExpression(terms []tocsin.Term) string {
	var b strings.Builder
	for i, t := range terms {
		if i > 0 {
			b.WriteString(" AND ")
		}
		b.WriteString(`"` + foldText(t.Text) + `"`)
		if t.Prefix {
			b.WriteString(" *")
		}
	}
	return b.String()
}
