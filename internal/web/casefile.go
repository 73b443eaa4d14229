package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
	"tocsin/internal/store"
)

// casePage is the case file of a report, to print: for the police, an exchange or a bank.
type casePage struct {
	caseReport
	MadeAt       tocsin.Time
	ScoreVersion string
	Naming       []store.ListStats // the lists that name something in it: see [listsApart]
	Others       string            // the titles of the others
	Removed      string            // see [stats.RemovedText]
}

// listsApart tells the lists that concern a case file, of which it names the files, from the others: it names those by
// their titles, each with the day on which it was read.
func listsApart(p *locale.Printer, all []store.ListStats, concerned func(store.ListStats) bool) (
	naming []store.ListStats, others string,
) {
	var titles []string
	for _, l := range all {
		if concerned(l) {
			naming = append(naming, l)
		} else {
			titles = append(titles, answer.ListTitle(p, l.Name)+" ("+p.Day(l.Imported.Std())+")")
		}
	}
	return naming, p.List(titles...)
}

// caseReport is a report in a case file, with what its reader can check it by.
type caseReport struct {
	*reportPage
	Source string // the URL of the report in the API
	Hash   string // SHA-256 of what the API answers with there, in hex
}

// caseFile is the case file of a report, as a program reads it. It has nothing that is not public, and what is known of
// a subject only if the page of the report would show it: see [Site.mayShow].
type caseFile struct {
	MadeAt tocsin.Time `json:"madeAt"`
	madeWith
	Page     string          `json:"page"`         // of the report
	Hash     string          `json:"reportSha256"` // of what the API answers with
	Report   json.RawMessage `json:"report"`       // that answer
	Corrects []formerReport  `json:"corrects"`     // the first filed first
	Subjects []caseSubject   `json:"subjects"`
}

// formerReport is a report that another one corrects.
type formerReport struct {
	ID      string      `json:"id"`
	FiledAt tocsin.Time `json:"filedAt"`
}

// madeWith is what the answers of a case file rest on.
type madeWith struct {
	Program      string           `json:"program"` // with its version: "tocsin 0.6.0"
	ScoreVersion string           `json:"scoreVersion"`
	ListsRead    []store.UsedList `json:"listsRead"` // all that answers look into
	// ListsRemoved are those that the operator has taken out.
	ListsRemoved []store.ListRemoval `json:"listsRemoved,omitempty"`
}

func (s *Site) madeWith(st store.Stats) madeWith {
	return madeWith{"tocsin " + s.config.Version, tocsin.ScoreVersion, st.UsedLists(), st.Removed}
}

// caseSubject is a subject that the report names.
type caseSubject struct {
	Subject   string            `json:"subject"`
	Screening *tocsin.Screening `json:"screening"` // when the file was made; null if its reader has not looked it up
	// History is what lists say and have said of the subject, and since when; null with Screening.
	History  []tocsin.DatedListing `json:"listHistory"`
	SeeAlso  []answer.Link         `json:"seeAlso"`  // its pages at block explorers or, of a site, at archives
	ObjectAt string                `json:"objectAt"` // a URL: what its owner can do
}

// casePage shows the case file of a report.
func (s *Site) casePage(req *request) (*page, error) {
	shown, err := s.readReport(req)
	if err != nil {
		return nil, err
	}
	report, err := s.caseReport(shown)
	if err != nil {
		return nil, err
	}
	st, err := s.db.Stats(req.Context())
	if err != nil {
		return nil, err
	}
	p := shown.page()
	p.Template, p.Title = "case", req.lang.Text("Case file – %s", p.Title)
	body := casePage{caseReport: report, MadeAt: s.db.Now(), ScoreVersion: tocsin.ScoreVersion}
	var kinds []tocsin.Kind
	for _, subject := range shown.Subjects() {
		kinds = append(kinds, subject.Kind)
	}
	could := stats{st}.forKind(kinds...)
	body.Naming, body.Others = listsApart(req.lang, could.Lists, func(l store.ListStats) bool {
		return len(l.Version.Untaken) > 0 || shown.Lists[l.Name]
	})
	body.Removed = could.RemovedText(req.lang)
	p.Body = body
	return p, nil
}

// caseReport hashes a report as the API returns it.
func (s *Site) caseReport(p *reportPage) (caseReport, error) {
	document, err := s.api.Document(p.Report)
	return caseReport{reportPage: p, Hash: sha256Of(document),
		Source: s.config.BaseURL + s.api.Contract().Base + "/community-reports/" + p.ID}, err
}

// caseDownload is the case file of a report as JSON.
func (s *Site) caseDownload(req *request) (*page, error) {
	r, err := s.db.Report(req.Context(), req.PathValue("id"))
	if err != nil {
		return nil, err
	}
	document, err := s.api.Document(r)
	if err != nil {
		return nil, err
	}
	st, err := s.db.Stats(req.Context())
	if err != nil {
		return nil, err
	}
	file := caseFile{MadeAt: s.db.Now(), madeWith: s.madeWith(st), Page: s.config.BaseURL + "/reports/" + r.ID,
		Hash:   sha256Of(document),
		Report: document, Corrects: []formerReport{}, Subjects: []caseSubject{}}
	formers, err := s.db.Formers(req.Context(), r.ID)
	if err != nil {
		return nil, err
	}
	for _, f := range formers {
		file.Corrects = append(file.Corrects, formerReport{f.ID, f.Filed})
	}
	screened := 0
	for _, subject := range r.Subjects() {
		one := caseSubject{Subject: subject.String(), ObjectAt: s.config.BaseURL + objectPath(subject),
			SeeAlso: append([]answer.Link{}, answer.LinksTo(req.lang, subject)...)}
		if screened < maxScreened && s.mayShow(req, r, subject) {
			a, err := s.answer(req, subject, store.Page{})
			if err != nil {
				return nil, err
			}
			one.Screening, one.History = &a.Screening, append([]tocsin.DatedListing{}, a.History...)
			screened++
		}
		file.Subjects = append(file.Subjects, one)
	}
	text, err := indented(file)
	if err != nil {
		return nil, err
	}
	return &page{Text: text, Download: "tocsin-" + r.ID + ".json"}, nil
}

func sha256Of(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// mediaOf is the media type of a file that a browser saves.
func mediaOf(name string) string {
	switch path.Ext(name) {
	case ".json":
		return "application/json"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return "text/csv; charset=utf-8"
}
