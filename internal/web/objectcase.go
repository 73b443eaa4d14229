package web

import (
	"net/url"
	"slices"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/store"
)

// objectCasePath is the path of the case file of a subject, to print.
const objectCasePath = "/object/case"

// maxCaseText is how many bytes of the words of reports the case file of a subject holds. What is left out is named,
// and where it can be read.
const maxCaseText = 24 << 10

// objectCase is the case file of a subject, to print: for records, an auditor, a regulator or a lawyer.
type objectCase struct {
	objectPage
	Cases   []objectedCase
	Same    sameParty
	Parties []tocsin.Party    // that sanctions on the subject are on
	Naming  []store.ListStats // the lists that concern it: see [objectCase.concerned]
	Others  string            // the titles of the others
	Removed string            // see [stats.RemovedText]
	Page    string            // the URL of the answer
	Self    string            // the URL of this page
}

// objectedCase is a report in it.
type objectedCase struct {
	caseReport
	answer.Share
	Listed bool // see [contested]
	Cut    bool // its words go on where it is public
}

// concerned reports whether a list says anything about the subject or has said it, also if that is hidden here, or may,
// in what is not screened.
func (c objectCase) concerned(list store.ListStats) bool {
	return len(list.Version.Untaken) > 0 || c.hides(list.Name) ||
		slices.ContainsFunc(c.Dossier.Reports, func(r tocsin.Report) bool { return r.Source == list.Name }) ||
		slices.ContainsFunc(c.Dossier.Listings, func(l tocsin.Listing) bool { return l.List == list.Name }) ||
		slices.ContainsFunc(c.Earlier(), func(e earlierRow) bool { return e.List == list.Name })
}

// objectCase shows the case file of a subject. It says what was found and how sure that is, so that the file of a
// subject that nothing speaks against is no certificate.
func (s *Site) objectCase(req *request) (*page, error) {
	of := url.Values{"subject": {objected(req)}}.Encode()
	subject, wrong := readObjected(req)
	if wrong != "" {
		return &page{Location: "/object?" + of}, nil
	}
	v := objectCase{objectPage: s.objectPage(req), Page: s.config.BaseURL + screenPath(subject)}
	if err := s.readObjection(req, subject, &v.objectPage); err != nil {
		return nil, err
	}
	var err error
	if v.Same, err = s.sameParty(req, v.Answer); err != nil {
		return nil, err
	}
	if v.Parties, err = s.db.PartiesOf(req.Context(), v.Dossier.Listings); err != nil {
		return nil, err
	}
	v.Self = s.config.BaseURL + v.CasePath()
	could := stats{v.Stats}.forKind(subject.Kind)
	v.Naming, v.Others = listsApart(req.lang, could.Lists, v.concerned)
	v.Removed = could.RemovedText(req.lang)
	room := maxCaseText
	for _, r := range v.Reports {
		c := objectedCase{Share: r.Share, Listed: r.Listed}
		var err error
		if c.caseReport, err = s.caseReport(s.reportPageOf(req.lang, r.Report)); err != nil {
			return nil, err
		}
		for i, text := range c.Paragraphs {
			if len(text) > room {
				c.Paragraphs, c.Cut = append(c.Paragraphs[:i], tocsin.Shorten(text, max(1, room))), true
				room = 0
				break
			}
			room -= len(text)
		}
		v.Cases = append(v.Cases, c)
	}
	return &page{Template: "objectcase", Title: req.lang.Text("Case file – %s", v.Name), Body: v}, nil
}
