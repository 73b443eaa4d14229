package store

import (
	"context"
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
}

// undated is the date of a story whose source gives none that can be true. It sorts after all dates.
var undated = tocsin.MicroTime(0)

// insertReport records a report and what is found by it. It runs in the evidence
// lane, where the moment after the last report's is nobody else's.
func insertReport(ctx context.Context, s *conn, r *row, now tocsin.Time) error {
	var last int64
	if err := s.row(ctx, "SELECT coalesce(max(created), 0) FROM report", nil, &last); err != nil {
		return err
	}
	r.created = tocsin.MicroTime(max(now.Micro(), last+1))
	if r.list == 0 {
		r.published = r.created
	}
	var err error
	r.seq, err = s.insert(
		ctx,
		"seq",
		`INSERT INTO report (id, created, published, list, list_key, agent, status, crime_type, body, manage)
		VALUES ($1, $2, $3, $4, $5, $6, 'published', $7, $8, $9)`,
		r.id,
		r.created.Micro(),
		r.published.Micro(),
		nullable(r.list),
		nullable(r.key),
		nullable(r.agent),
		string(r.draft.CrimeType),
		string(r.body),
		nullBytes(r.manage),
	)
	if err != nil {
		return err
	}
	if err := findSubjects(ctx, s, r); err != nil {
		return err
	}
	if err := index(ctx, s, r); err != nil {
		return err
	}
	return logReport(ctx, s, r.created, ReportFiled, r)
}

// index makes a report count and be found.
func index(ctx context.Context, s *conn, r *row) error {
	for _, subject := range r.subjects {
		_, err := s.exec(ctx, `INSERT INTO report_subject (subject, report, list, agent, crime_type, published)
			VALUES ($1, $2, $3, $4, $5, $6)`,
			subject, r.seq, nullable(r.list), nullable(r.agent), string(r.draft.CrimeType), r.published.Micro())
		if err != nil {
			return err
		}
	}
	s.index(wordsOfDraft(r.seq, &r.draft))
	return nil
}

// wordsOfDraft returns what a report is found by.
func wordsOfDraft(seq int64, d *tocsin.Draft) wordsOf {
	var handles []string
	media := &d.SocialMedia
	for _, h := range []*string{media.WhatsApp, media.Telegram, media.Facebook, media.Other} {
		if h != nil {
			handles = append(handles, *h)
		}
	}
	handles = append(handles, d.ReportedHandles...)
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
		subjects:    foldText(slices.Concat(d.ScammerAddresses, d.ReportedDomains, accounts)...),
		handles:     foldText(handles...),
	}
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
