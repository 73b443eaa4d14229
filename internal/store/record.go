package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"tocsin"
)

// row is a report on its way into the table, or out of sight.
type row struct {
	seq       int64
	id        string
	draft     tocsin.Draft
	subjects  []int64 // of the draft, once they are looked up
	fresh     []bool  // which of them nothing on record had ever named
	body      []byte
	created   tocsin.Time // set by insertReport
	published tocsin.Time // or undated
	list      int64       // 0: filed here
	key       string
	agent     int64 // 0: anonymous
	manage    []byte
	words     *wordsOf // or nil: they are looked for when they are needed
}

// undated is the date of a story whose source gives none that can be true. It sorts after all dates.
var undated = tocsin.MicroTime(0)

// insertReports records reports, and what is found by them. It runs in the evidence
// lane, where the moment after the last report's is nobody else's.
func insertReports(ctx context.Context, s *conn, reports []*row, now tocsin.Time) error {
	var last int64
	if err := s.row(ctx, "SELECT coalesce(max(created), 0) FROM report", nil, &last); err != nil {
		return err
	}
	if err := recordSubjects(ctx, s, reports); err != nil {
		return err
	}
	var values, named, events []any
	byID := make(map[string]*row, len(reports))
	for _, r := range reports {
		last = max(now.Micro(), last+1)
		r.created = tocsin.MicroTime(last)
		if r.list == 0 {
			r.published = r.created
		}
		byID[r.id] = r
		values = append(values, r.id, last, r.published.Micro(), nullable(r.list), nullable(r.key), nullable(r.agent),
			string(tocsin.Published), string(r.draft.CrimeType), string(r.body), nullBytes(r.manage))
	}
	err := s.insertRows(ctx, `INSERT INTO report
			(id, created, published, list, list_key, agent, status, crime_type, body, manage)`, 10, values,
		"RETURNING seq, id", func(rows *sql.Rows) error {
			var seq int64
			var id string
			err := rows.Scan(&seq, &id)
			if r := byID[id]; r != nil {
				r.seq = seq
			}
			return err
		})
	if err != nil {
		return err
	}
	for _, r := range reports {
		named = append(named, mentions(r)...)
		for i, subject := range r.draft.Subjects() {
			events = append(events, r.created.Micro(), string(ReportFiled), r.subjects[i], r.seq, nullable(r.list))
			s.written.subjects = append(s.written.subjects, subject)
		}
		indexText(s, r)
	}
	if err := s.insertRows(ctx, insertMentions, 6, named, "", nil); err != nil {
		return err
	}
	return logAll(ctx, s, "INSERT INTO event (at, op, subject, report, list)", 5, events)
}

// recordSubjects looks up what reports name, and records what was never named before.
func recordSubjects(ctx context.Context, s *conn, reports []*row) error {
	ids := map[tocsin.Subject]int64{}
	var all []tocsin.Subject
	for _, r := range reports {
		for _, subject := range r.draft.Subjects() {
			if _, seen := ids[subject]; !seen {
				ids[subject], all = 0, append(all, subject)
			}
		}
	}
	fresh, err := subjectIDs(ctx, s, all, ids)
	if err != nil {
		return err
	}
	for _, r := range reports {
		r.subjects, r.fresh = r.subjects[:0], r.fresh[:0]
		for _, subject := range r.draft.Subjects() {
			r.subjects, r.fresh = append(r.subjects, ids[subject]), append(r.fresh, fresh[subject])
			delete(fresh, subject) // the next report is not the first to name it
		}
	}
	return nil
}

// index makes a report count and be found.
func index(ctx context.Context, s *conn, r *row) error {
	indexText(s, r)
	return s.insertRows(ctx, insertMentions, 6, mentions(r), "", nil)
}

const insertMentions = "INSERT INTO report_subject (subject, report, list, agent, crime_type, published)"

// mentions returns the rows of a report for insertMentions.
func mentions(r *row) (values []any) {
	for _, subject := range r.subjects {
		values = append(values, subject, r.seq, nullable(r.list), nullable(r.agent), string(r.draft.CrimeType),
			r.published.Micro())
	}
	return values
}

func indexText(s *conn, r *row) {
	if r.words == nil {
		r.words = new(wordsOfDraft(0, &r.draft))
	}
	r.words.report = r.seq
	s.index(*r.words)
}

// wordsOfDraft returns what a report is found by.
func wordsOfDraft(seq int64, d *tocsin.Draft) wordsOf {
	accounts := make([]string, len(d.ScammerAccounts))
	for i, account := range d.ScammerAccounts {
		if s, err := tocsin.ParseAccount(account); err == nil { // as people search for it: without its chain
			accounts[i] = s.Plain()
		}
	}
	project := ""
	if d.SubjectProjectName != nil {
		project = *d.SubjectProjectName
	}
	return wordsOf{
		report:      seq,
		title:       foldText(d.Title),
		description: foldText(d.Description),
		project:     foldText(project),
		subjects:    foldText(slices.Concat(d.ScammerAddresses, d.ReportedDomains, accounts, transactionsOf(d))...),
		handles:     foldText(handlesOf(d)...),
	}
}

// transactionsOf returns the transactions that a report names, also those of which its evidence has links.
func transactionsOf(d *tocsin.Draft) []string {
	hashes := slices.Clone(d.Evidence.TransactionHashes)
	for _, link := range d.Evidence.URLs {
		for _, word := range tocsin.Words(link) {
			if n := len(word.Text); n == 64 || n == 66 || n >= 86 && n <= 88 {
				hashes = append(hashes, word.Text)
			}
		}
	}
	return hashes
}

// foldText returns the words of texts, as the index and searches compare them.
func foldText(texts ...string) string {
	var words []string
	for _, t := range texts {
		for _, w := range tocsin.Words(t) {
			words = append(words, w.Text)
		}
	}
	return strings.Join(words, " ")
}

// unindex makes a report neither count nor be found.
func unindex(ctx context.Context, s *conn, r *row) error {
	for _, subject := range r.subjects {
		_, err := s.exec(ctx, "DELETE FROM report_subject WHERE report = $1 AND subject = $2", r.seq, subject)
		if err != nil {
			return err
		}
	}
	s.index(wordsOf{report: r.seq, gone: true})
	return nil
}

// findSubjects looks up what a report names, and records what was never named before.
func findSubjects(ctx context.Context, s *conn, r *row) error {
	r.subjects, r.fresh = r.subjects[:0], r.fresh[:0]
	for _, subject := range r.draft.Subjects() {
		id, fresh, err := upsertSubject(ctx, s, subject)
		if err != nil {
			return err
		}
		r.subjects, r.fresh = append(r.subjects, id), append(r.fresh, fresh)
	}
	return nil
}

// upsertSubject returns the id of a subject, and whether it was recorded just now.
func upsertSubject(ctx context.Context, s *conn, subject tocsin.Subject) (id int64, fresh bool, err error) {
	id, err = s.insert(ctx, "id", "INSERT INTO subject (kind, value) VALUES ($1, $2) ON CONFLICT DO NOTHING",
		string(subject.Kind), subject.Value)
	if err != nil || id != 0 {
		return id, true, err
	}
	err = s.row(ctx, "SELECT id FROM subject WHERE kind = $1 AND value = $2",
		[]any{string(subject.Kind), subject.Value}, &id)
	return id, false, err
}
