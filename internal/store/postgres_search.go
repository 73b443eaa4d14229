package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"tocsin"
)

// The full-text index of PostgreSQL holds our own words, without positions: which words a report has is decided by two
// columns of type tsvector with a GIN index each. Words that must follow each other are then looked for in the text of
// the words, where fields are divided by what is no word.

// maxLexeme is how many bytes of a word are in the index: PostgreSQL takes 2,046. Longer words are also looked for in
// the text.
const maxLexeme = 1000

// between divides fields: no word has it.
const between = " | "

func (d *postgresDialect) index(s *conn, w wordsOf) { s.state.words = append(s.state.words, w) }

// indexWords changes the full-text index as it was asked for since the transaction began.
func (d *postgresDialect) indexWords(ctx context.Context, s *conn) error {
	for _, w := range s.state.words {
		query, args := "DELETE FROM report_words WHERE report = $1", []any{w.report}
		if !w.gone {
			fields := strings.Join([]string{w.title, w.project, w.subjects, w.handles}, between)
			query = `INSERT INTO report_words (report, words, beside, fields, story)
				VALUES ($1, array_to_tsvector($2::text[]), array_to_tsvector($3::text[]), $4, $5)`
			args = []any{w.report, lexemes(fields, w.description), lexemes(fields), " " + fields + " ",
				" " + w.description + " "}
		}
		if _, err := s.exec(ctx, query, args...); err != nil {
			return err
		}
	}
	return nil
}

// lexemes returns the words of folded texts, each once.
func lexemes(texts ...string) []string {
	words := []string{}
	for _, text := range texts {
		for _, word := range strings.Fields(text) {
			if word != strings.TrimSpace(between) {
				words = append(words, lexeme(word))
			}
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// lexeme returns as much of a word as is in the index.
func lexeme(word string) string {
	if len(word) <= maxLexeme {
		return word
	}
	end := maxLexeme
	for !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}

// condition returns what reports must fulfil that have all the terms, with its arguments.
func condition(terms []tocsin.Term, outside bool) (where string, args []any) {
	var query, conditions []string
	column, texts := "words", []string{"fields", "story"}
	if outside {
		column, texts = "beside", texts[:1]
	}
	args = []any{""}
	for _, t := range terms {
		phrase := foldText(t.Text)
		words := strings.Fields(phrase)
		verify := len(words) > 1
		for i, word := range words {
			if len(word) > maxLexeme {
				word, verify = lexeme(word), true
			}
			word = "'" + word + "'" // letters, digits and marks only
			if t.Prefix && i == len(words)-1 {
				word += ":*"
			}
			query = append(query, word)
		}
		if !verify {
			continue
		}
		if phrase = " " + phrase; !t.Prefix {
			phrase += " "
		}
		args = append(args, phrase)
		var either []string
		for _, text := range texts {
			either = append(either, fmt.Sprintf("position($%d IN %s) > 0", len(args), text))
		}
		conditions = append(conditions, "("+strings.Join(either, " OR ")+")")
	}
	args[0] = strings.Join(query, " & ")
	return strings.Join(append([]string{column + " @@ CAST($1 AS text)::tsquery"}, conditions...), " AND "), args
}

func (d *postgresDialect) matches(
	ctx context.Context, s *conn, terms []tocsin.Term, crime tocsin.CrimeType, outside bool, floor, top int64, window int,
) (found []place, err error) {
	where, args := condition(terms, outside)
	arg := func(v any) string {
		args = append(args, v)
		return fmt.Sprintf("$%d", len(args))
	}
	if crime == "" {
		window = SearchWindow
	}
	// Without the fence the planner may walk the reports backwards until it has found enough that match.
	query := "WITH m AS MATERIALIZED (SELECT report FROM report_words WHERE " + where +
		" AND report BETWEEN " + arg(floor) + " AND " + arg(top) + "), n AS MATERIALIZED (SELECT report FROM m" +
		" ORDER BY report DESC LIMIT " + arg(window) + ") "
	switch {
	case crime != "":
		query += "SELECT n.report, r.published FROM n JOIN report r ON r.seq = n.report WHERE r.crime_type = " +
			arg(string(crime)) + " AND r.status = 'published' ORDER BY n.report DESC LIMIT " + arg(SearchWindow)
	case outside:
		query += "SELECT n.report, 0::bigint FROM n ORDER BY n.report DESC"
	default:
		query += "SELECT n.report, r.published FROM n JOIN report r ON r.seq = n.report ORDER BY n.report DESC"
	}
	err = s.each(ctx, query, args, func(rows *sql.Rows) error {
		var at place
		err := rows.Scan(&at.seq, &at.published)
		found = append(found, at)
		return err
	})
	return found, err
}

func (d *postgresDialect) moreMatch(
	ctx context.Context, s *conn, terms []tocsin.Term, top int64, window int,
) (yes bool, err error) {
	where, args := condition(terms, false)
	n := len(args)
	err = s.row(ctx, fmt.Sprintf(`SELECT count(*) > $%d::bigint FROM (SELECT 1 FROM report_words
		WHERE %s AND report <= $%d LIMIT $%d::bigint + 1) m`, n+2, where, n+1, n+2), append(args, top, window), &yes)
	return yes, err
}

// mergeWords: the index has no words of rows that are gone once the table is vacuumed.
func (d *postgresDialect) mergeWords(context.Context, *conn, bool) (more bool, err error) {
	return false, nil
}

// rewrite makes the space of what was deleted free to be used again. What pages, the write-ahead log, replicas and
// backups still have of it is up to the server and its operator (docs/operate.md).
func (d *postgresDialect) rewrite(ctx context.Context) error {
	s, err := d.connect(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	_, err = s.conn.ExecContext(ctx,
		"VACUUM report, report_words, report_subject, subject, named, filing, origin, claim")
	return err
}
