package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tocsin"
)

// The full-text index of PostgreSQL holds our own words, without positions: which words a report has is decided by
// two columns of type tsvector with a GIN index each. Words that must follow each other are then looked for in the
// text of the words, where fields are divided by what is no word.

// blocks are sizes of groups of reports that follow each other. GIN finds all reports that have a word, in no
// order: of a common word there are very many, and only the newest are wanted. So each report also has a word for
// each of its blocks, and a search goes back in steps of which each looks into some blocks. What it costs depends
// on how many reports are wanted, not on how many there are.
var blocks = []int64{1 << 11, 1 << 14, 1 << 17}

// blockOf is the word for a block of a report. No word of a text begins so.
func blockOf(size int, report int64) string {
	return strings.Repeat("#", size+1) + strconv.FormatInt(report/blocks[size], 10)
}

// stepBack ends steps where blocks end: it goes through the rest of a larger block before it takes whole ones.
func (d *postgresDialect) stepBack(top, size int64) int64 {
	from := max(top-size+1, 0)
	for i := len(blocks) - 1; i > 0; i-- {
		if block := blocks[i]; size >= block && (top+1)%block != 0 {
			return top / block * block
		}
	}
	for i := len(blocks) - 1; i > 0; i-- {
		if size >= blocks[i] {
			return from / blocks[i] * blocks[i]
		}
	}
	return from / blocks[0] * blocks[0]
}

// maxBlocks is how many blocks a query may name: the parser of tsquery takes some thousands.
const maxBlocks = 128

// blocksOf returns the words for blocks that have all reports from one to another, and few others; none if there are
// too many.
func blocksOf(from, to int64) (words []string) {
	size := 0
	for size < len(blocks)-1 && to-from >= blocks[size+1]-1 {
		size++
	}
	if to/blocks[size]-from/blocks[size] >= maxBlocks {
		return nil
	}
	for at := from / blocks[size]; at <= to/blocks[size]; at++ {
		words = append(words, blockOf(size, at*blocks[size]))
	}
	return words
}

// maxLexeme is how many bytes of a word are in the index: PostgreSQL takes 2,046. Longer words are also looked for
// in the text.
const maxLexeme = 1000

// indexWords makes the changes that [conn.index] has collected, in that order.
func (d *postgresDialect) indexWords(ctx context.Context, s *conn) error {
	var added []any
	add := func() error {
		err := s.insertAs(ctx, addWords, wordColumns, added, "", wordRows, nil)
		added = nil
		return err
	}
	for _, w := range s.state.words {
		if !w.gone {
			added = append(added, indexed(w)...)
			continue
		}
		if err := add(); err != nil {
			return err
		}
		if _, err := s.exec(ctx, "DELETE FROM report_words WHERE report = $1", w.report); err != nil {
			return err
		}
	}
	return add()
}

// The statement that adds the words of reports to the index is addWords, VALUES and wordRows.
const (
	addWords    = "INSERT INTO report_words (report, words, beside, fields, story)"
	wordColumns = 5
)

func wordRows(rows, _ int) string {
	return numbered(rows, "($%d, array_to_tsvector($%d::text[]), array_to_tsvector($%d::text[]), $%d, $%d)")
}

// indexed returns the row of a report in the index.
func indexed(w wordsOf) []any {
	fields := w.fields()
	var within []string
	for size := range blocks {
		within = append(within, blockOf(size, w.report))
	}
	place := strings.Join(within, " ")
	return []any{w.report, lexemes(fields, w.description, place), lexemes(fields, place), fields,
		" " + w.description + " "}
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
	ctx context.Context, s *conn, terms []tocsin.Term, crime tocsin.CrimeType, outside bool, floor, top int64, limit int,
	_ func() bool,
) (m matches, err error) {
	where, args := condition(terms, outside)
	if within := blocksOf(floor, top); within != nil {
		args[0] = args[0].(string) + " & ('" + strings.Join(within, "' | '") + "')"
	}
	args = append(args, floor, top, limit)
	n := len(args)
	// The planner is not to look for the newest reports first, and at their words then.
	query := "WITH m AS MATERIALIZED (SELECT report FROM report_words WHERE " + where + "), " + fmt.Sprintf(
		"n AS MATERIALIZED (SELECT report FROM m WHERE report BETWEEN $%d AND $%d ORDER BY report DESC LIMIT $%d) ",
		n-2, n-1, n)
	const lookAt = " FROM n JOIN report r ON r.seq = n.report ORDER BY n.report DESC"
	switch {
	case crime != "":
		query += fmt.Sprintf("SELECT n.report, r.published, r.crime_type = $%d AND r.status = 'published'", n+1) + lookAt
		args = append(args, string(crime))
	case outside:
		query += "SELECT n.report, 0::bigint, true FROM n ORDER BY n.report DESC"
	default:
		query += "SELECT n.report, r.published, true" + lookAt
	}
	err = s.each(ctx, query, args, func(rows *sql.Rows) error {
		var at place
		var counts bool
		err := rows.Scan(&at.seq, &at.published, &counts)
		if counts {
			m.found = append(m.found, at)
		}
		m.candidates++
		m.last = at.seq
		return err
	})
	return m, err
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
