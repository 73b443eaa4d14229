package store

import (
	"context"
	"database/sql"
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

func (d *sqliteDialect) matches(
	ctx context.Context, s *conn, terms []tocsin.Term, crime tocsin.CrimeType, outside bool, floor, top int64, window int,
) (found []place, err error) {
	match := matchExpression(terms)
	if outside {
		match = "{title project subjects handles} : (" + match + ")"
	}
	query := `SELECT rowid AS seq FROM report_words WHERE report_words MATCH $1 AND rowid BETWEEN $2 AND $3
		ORDER BY rowid DESC LIMIT $4`
	args := []any{match, floor, top, SearchWindow}
	// The index has no crime types and no dates: each match is looked at.
	const lookAt = ") m CROSS JOIN report r ON r.seq = m.seq"
	switch {
	case crime != "":
		query = "SELECT m.seq, r.published FROM (" + query + lookAt +
			" WHERE r.crime_type = $5 AND r.status = 'published' ORDER BY m.seq DESC LIMIT $6"
		args = []any{match, floor, top, window, string(crime), SearchWindow}
	case outside:
		query = "SELECT m.seq, 0 FROM (" + query + ") m"
	default:
		query = "SELECT m.seq, r.published FROM (" + query + lookAt + " ORDER BY m.seq DESC"
	}
	err = s.each(ctx, query, args, func(rows *sql.Rows) error {
		var at place
		err := rows.Scan(&at.seq, &at.published)
		found = append(found, at)
		return err
	})
	return found, err
}

func (d *sqliteDialect) moreMatch(
	ctx context.Context, s *conn, terms []tocsin.Term, top int64, window int,
) (yes bool, err error) {
	err = s.row(ctx, `SELECT EXISTS (SELECT 1 FROM report_words WHERE report_words MATCH $1 AND rowid <= $2
		ORDER BY rowid DESC LIMIT 1 OFFSET $3)`, []any{matchExpression(terms), top, window}, &yes)
	return yes, err
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
