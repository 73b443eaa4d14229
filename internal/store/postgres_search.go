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

// step is a part of the reports that a search looks into.
type step struct {
	from, to int64
	blocks   []string // which have all of them
}

// steps returns the parts of the reports from floor to top, the newest first, of which each is about as large as
// those before it together: two of the smallest blocks, four, and the rest of a larger block; one, two and four of
// those, and the rest of one of the largest; then one of these, two, four and so on.
func steps(floor, top int64) (all []step) {
	floor = max(floor, 0)
	add := func(size int, from int64) {
		if from > top || top < floor {
			return
		}
		st := step{from: max(from, floor), to: top}
		for at := st.from / blocks[size]; at <= top/blocks[size]; at++ {
			st.blocks = append(st.blocks, blockOf(size, at*blocks[size]))
		}
		all = append(all, st)
		top = from - 1
	}
	back := func(size int, n int64) int64 { return (top/blocks[size] - n + 1) * blocks[size] } // where n blocks begin
	for size := range blocks {
		last := size == len(blocks)-1
		n := int64(1)
		if size == 0 {
			n = 2
		}
		for ; top >= floor && (last || n <= 4); n *= 2 {
			add(size, max(back(size, n), 0))
		}
		if !last && (top+1)%blocks[size+1] != 0 {
			add(size, top/blocks[size+1]*blocks[size+1])
		}
	}
	return all
}

// maxLexeme is how many bytes of a word are in the index: PostgreSQL takes 2,046. Longer words are also looked for
// in the text.
const maxLexeme = 1000

// between divides fields: no word has it.
const between = " | "

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
	fields := strings.Join([]string{w.title, w.project, w.subjects, w.handles}, between)
	var within []string
	for size := range blocks {
		within = append(within, blockOf(size, w.report))
	}
	place := strings.Join(within, " ")
	return []any{w.report, lexemes(fields, w.description, place), lexemes(fields, place), " " + fields + " ",
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
	ctx context.Context, s *conn, terms []tocsin.Term, crime tocsin.CrimeType, outside bool, floor, top int64, window int,
) (found []place, err error) {
	if crime == "" {
		window = SearchWindow
	}
	where, args := condition(terms, outside)
	words, n := args[0].(string), len(args)
	// The planner is not to look for the newest reports first, and at their words then.
	query := "WITH m AS MATERIALIZED (SELECT report FROM report_words WHERE " + where + "), " + fmt.Sprintf(
		"n AS MATERIALIZED (SELECT report FROM m WHERE report BETWEEN $%d AND $%d ORDER BY report DESC LIMIT $%d) ",
		n+1, n+2, n+3)
	const lookAt = " FROM n JOIN report r ON r.seq = n.report ORDER BY n.report DESC"
	switch {
	case crime != "":
		query += fmt.Sprintf("SELECT n.report, r.published, r.crime_type = $%d AND r.status = 'published'", n+4) + lookAt
	case outside:
		query += "SELECT n.report, 0::bigint, true FROM n ORDER BY n.report DESC"
	default:
		query += "SELECT n.report, r.published, true" + lookAt
	}
	for _, st := range steps(floor, top) {
		args = append(args[:n:n], st.from, st.to, window)
		if crime != "" {
			args = append(args, string(crime))
		}
		args[0] = words + " & ('" + strings.Join(st.blocks, "' | '") + "')"
		err := s.each(ctx, query, args, func(rows *sql.Rows) error {
			var at place
			var counts bool
			err := rows.Scan(&at.seq, &at.published, &counts)
			if counts && len(found) < SearchWindow {
				found = append(found, at)
			}
			window--
			return err
		})
		if err != nil || window == 0 || len(found) == SearchWindow {
			return found, err
		}
	}
	return found, nil
}

func (d *postgresDialect) moreMatch(
	ctx context.Context, s *conn, terms []tocsin.Term, top int64, window int,
) (yes bool, err error) {
	where, args := condition(terms, false)
	words, n := args[0].(string), len(args)
	query := fmt.Sprintf(`WITH m AS MATERIALIZED (SELECT report FROM report_words WHERE %s)
		SELECT count(*) FROM m WHERE report BETWEEN $%d AND $%d`, where, n+1, n+2)
	total := 0
	for _, st := range steps(0, top) {
		args = append(args[:n:n], st.from, st.to)
		args[0] = words + " & ('" + strings.Join(st.blocks, "' | '") + "')"
		more := 0
		if err := s.row(ctx, query, args, &more); err != nil {
			return false, err
		}
		if total += more; total > window {
			return true, nil
		}
	}
	return false, nil
}

// mergeWords: the index has no words of rows that are gone once the table is vacuumed.
func (d *postgresDialect) mergeWords(context.Context, *conn, bool) (more bool, err error) {
	return false, nil
}

// shrink: autovacuum does it.
func (d *postgresDialect) shrink(context.Context, *conn, bool) (more bool, err error) {
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
		"VACUUM report, report_words, report_subject, subject, named, filing, origin, claim, agent, key, usage, session")
	return err
}
