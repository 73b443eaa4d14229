package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/feed"
	"tocsin/internal/paste"
	"tocsin/internal/store"
)

// contested is a report that names a subject, and its part in the score.
type contested struct {
	reportRow
	answer.Share
	Listed bool // the list that it comes from also has an entry of the subject, by which it counts
}

// objectPage says how to object to what is on record about a subject.
type objectPage struct {
	answer.Answer
	Asked   bool // a subject was given
	Wrong   string
	Meant   string // the site that may have been meant by what cannot be read; "" for none
	Search  string // the path of the search for a handle that was asked about; "" for none
	Typed   string
	Name    string // the subject, shortened
	Lists   []objection
	Reports []contested // the newest of those that name it
	Report  *reportPage // what was asked about, if it is a report
	OnPage  string      // what was asked about, if it is a page of a site where anybody can have one; "" otherwise
	Contact string      // a URL of the operator, with a subject and a text for a mail; "" for none
	Letter  string      // what to write to the operator; "" without a contact
	MadeAt  tocsin.Time
	Worth   answer.Worth // of a report in general
	Stats   store.Stats  // of the lists

	Host       string           // the shared host that the site is a page of; "" for none
	Under      []tocsin.Subject // the names under the domain that are on record, at most maxUnder of them
	UnderKnown bool             // Under is all there is to say; otherwise each of them has to be looked up
	Kept       time.Duration    // for how long what lists have dropped is shown; 0 for good

	endedEvidence
	Safelist *store.SafelistEntry // of the operator's own safelist; nil for none

	Dropped []string // ids of the reports about it that their lists have dropped: the operator can hide them
	Service string   // the name under which this service is reached
}

// maxObjected is how many reports the page names one by one. The page of the answer has all of them.
const maxObjected = 10

// How many names under a domain are counted, and how many of them the page names.
const (
	maxUnder   = 1000
	shownUnder = 20
)

// Path is the path of the page about the subject.
func (p objectPage) Path() string { return screenPath(p.Subject) }

// File is the path of the case file as JSON.
func (p objectPage) File() string {
	return objectFilePath + "?" + url.Values{"subject": {p.Subject.String()}}.Encode()
}

// ObjectPath is the path of this page.
func (p objectPage) ObjectPath() string { return objectPath(p.Subject) }

// objectPath is the path of the page for the owner of a subject.
func objectPath(subject tocsin.Subject) string {
	return "/object?" + url.Values{"subject": {subject.String()}}.Encode()
}

// MeantPath is the path of the page about what may have been meant.
func (p objectPage) MeantPath() string { return "/object?" + url.Values{"subject": {p.Meant}}.Encode() }

// Named are the first subjects of the report that was asked about.
func (p objectPage) Named() []tocsin.Subject {
	subjects := p.Report.Subjects()
	return subjects[:min(len(subjects), maxObjected)]
}

// Mail reports whether the operator is written to by mail.
func (p objectPage) Mail() bool { return strings.HasPrefix(p.Contact, "mailto:") }

// Write is the contact of the operator as text: a mail address or a URL; "" for none.
func (p objectPage) Write() string { return contactText(p.Contact) }

// CasePath is the path of the case file to print.
func (p objectPage) CasePath() string { return casePathOf(p.Subject) }

// casePathOf is the path of the case file about a subject.
func casePathOf(subject tocsin.Subject) string {
	return objectCasePath + "?" + url.Values{"subject": {subject.String()}}.Encode()
}

// Earlier is what lists have said of the subject and dropped, the latest first.
func (p objectPage) Earlier() []earlierRow { return listHistory(p.History).earlier(p.Lang, p.Subject) }

// FormerTexts say until when lists named it that do no more, as the page of the answer does.
func (p objectPage) FormerTexts() []string {
	return p.Answer.FormerTexts(p.History, answer.Formerly, p.Lang.Day)
}

// Clear reports whether there is nothing to correct: nothing on record speaks against it any more.
func (p objectPage) Clear() bool {
	return p.Result == tocsin.NoReports && p.Resembled() == nil && p.CautionText() == ""
}

// CautionText says what visitors read although nothing is on record, and why; "" if they read no such thing.
func (p objectPage) CautionText() string {
	read, why := p.Caution()
	if read == "" {
		return ""
	}
	return p.Lang.Text("But visitors read “%s”, because %s: our own caution, from the name alone.", read, why)
}

// ListTitles are the titles of the lists that name it, in a sentence; "" for none.
func (p objectPage) ListTitles() string {
	var titles []string
	for _, l := range p.Lists {
		titles = append(titles, l.Title)
	}
	return p.Lang.List(titles...)
}

// AllLists is the share of all lists together; nil if there are fewer than two.
func (p objectPage) AllLists() *answer.Share {
	if len(p.Lists) < 2 {
		return nil
	}
	var names []string
	for _, l := range p.Lists {
		names = append(names, l.List)
	}
	all := p.WithoutLists(names...)
	return &all
}

// Copied reports whether some of the lists are of the same origin.
func (p objectPage) Copied() bool {
	return slices.ContainsFunc(p.Lists, func(o objection) bool { return o.With != "" })
}

// AllReports is the share of all reports that were filed here; nil if there are fewer than two.
func (p objectPage) AllReports() *answer.Share {
	filed := 0
	for _, reporter := range p.Dossier.Reporters {
		filed += reporter.Reports
	}
	if filed < 2 {
		return nil
	}
	all := p.WithoutReports()
	return &all
}

// object shows how to object to what is on record about a subject. It is a look-up like any other.
func (s *Site) object(req *request) (*page, error) {
	v := s.objectPage(req)
	p := &page{
		Template:    "object",
		Title:       req.lang.Text("Is it yours?"),
		Description: req.lang.Text("What to do if an honest address or site is named here by mistake."),
	}
	if objected(req) == "" {
		p.Body = v
		return p, nil
	}
	if id := strings.ToLower(objected(req)); likeReportID.MatchString(id) {
		r, err := s.db.Report(req.Context(), id)
		if isMissing(err) {
			v.Wrong = noReportText(req.lang, id)
			p.Body, p.Status = v, http.StatusNotFound
			return p, nil
		}
		if err != nil {
			return nil, err
		}
		v.Report = s.reportPageOf(req.lang, r)
		v.Contact, v.Letter = contactAbout(v.Contact, req.lang.Text("Objection: %s", r.ID), reportLetter(v.Report))
		p.Body = v
		return p, nil
	}
	if page, site := pageOfUsers(objected(req)); page != "" && searchedInstead(objected(req)) == "" {
		v.OnPage, v.Answer = page, answer.Answer{Subject: site, Lang: req.lang} // it has no score, so nothing is looked up
		p.Body = v
		return p, nil
	}
	subject, wrong := readObjected(req)
	if wrong != "" {
		v.Wrong, v.Meant, v.Search = wrong, meantObject(objected(req)), searchedInstead(objected(req))
		p.Status = http.StatusBadRequest
		p.Body = v
		return p, nil
	}
	if err := s.readObjection(req, subject, &v); err != nil {
		return nil, err
	}
	p.Title, p.Body = req.lang.Text("Is it yours? %s", v.Name), v
	return p, nil
}

// objectPage is the page about nothing yet.
func (s *Site) objectPage(req *request) objectPage {
	return objectPage{Answer: answer.Answer{Lang: req.lang}, Typed: redisplay(objected(req)), Contact: s.config.Contact,
		Service: s.name(), Worth: answer.ReportWorth(s.db.Now().Std())}
}

// name is the name under which this service is reached, which somebody has registered.
func (s *Site) name() string {
	at := url.URL{Host: s.host}
	return at.Hostname()
}

// objected is what was asked about.
func objected(req *request) string { return strings.TrimSpace(req.URL.Query().Get("subject")) }

// readObjected reads the subject that was asked about as the search box does, or says why it is none.
func readObjected(req *request) (subject tocsin.Subject, wrong string) {
	p, q := req.lang, objected(req)
	if problem := problemOf(q); problem != nil && problem.Kind == paste.OnlyHandle { // of a mail the page offers the site
		return subject, Unread(p, q)
	}
	if subject, fault := tocsin.ParseSubject(q); fault == nil {
		return subject, ""
	}
	box := paste.ReadBox(q)
	switch {
	case len(box.Subjects) == 1:
		return box.Subjects[0], ""
	case len(box.Subjects) > 1:
		return subject, subjectText(p, paste.Problem{Kind: paste.SeveralSubjects})
	case box.Problem.Kind == paste.Piece:
		return subject, pieceText(p, box.Problem.Text)
	case box.Problem.Kind == paste.NoAddress:
		return subject, p.Text("This is no address and no website that we can read.")
	case box.Problem.WrongCase(): // nobody sends to their own
		return subject, p.Sentences(p.Text("Copy it again from where you have it."), p.Text(wrongCase))
	}
	return subject, Unread(p, q)
}

// searchedInstead is the search for the handle that was asked about, which is in no list and has no score; "" for none.
func searchedInstead(q string) string {
	if box := paste.ReadBox(q); len(box.Subjects) == 0 && len(box.Handles) == 1 && tocsin.FindSecret(q) == nil {
		return handlePath(box.Handles[0])
	}
	return ""
}

// meantObject is the site that was meant by a mistyped one, or that an e-mail address belongs to; "" for none.
func meantObject(q string) string {
	if problem := problemOf(q); problem != nil && problem.Kind == paste.OnlyHandle && siteOfMail(problem.Text) != "" {
		return siteOfMail(problem.Text)
	}
	return meantSite(q)
}

// readObjection looks a subject up, and fills in what its owner needs.
func (s *Site) readObjection(req *request, subject tocsin.Subject, v *objectPage) error {
	err := s.lookUp(req, lookUpOf(subject, ""), func() (alarm bool, err error) {
		if v.Answer, err = s.answer(req, subject, store.Page{Limit: maxObjected}); err != nil {
			return false, err
		}
		if err = s.addNamesakes(req, &v.Answer); err != nil {
			return false, err
		}
		if v.endedEvidence, err = s.endedEvidence(req, subject); err != nil {
			return false, err
		}
		if v.Safelist, err = s.db.SafelistEntry(req.Context(), feed.Safelist, subject); err != nil {
			return false, err
		}
		if v.Dropped, err = s.db.DroppedReports(req.Context(), subject); err != nil {
			return false, err
		}
		v.Lapsed = v.Unreported() && (v.Ended() || len(v.Former(v.History)) > 0)
		if v.Host, err = s.sharedHost(req, subject); err != nil {
			return false, err
		}
		v.Stats, err = s.db.Stats(req.Context())
		return v.Warns(), err
	})
	if err != nil {
		return err
	}
	v.Asked, v.Name, v.MadeAt = true, short(subject), v.AsOf
	v.Kept = s.db.KeepsHistory()
	if v.ownsNames() {
		v.Under, v.UnderKnown = s.db.NamesUnder(subject, maxUnder)
	}
	v.Lists = objections(v.Answer, v.Host, v.Stats)
	for _, row := range reportRows(req.lang, v.Dossier.Reports, false) {
		listed := slices.ContainsFunc(v.Dossier.Listings, func(l tocsin.Listing) bool { return l.List == row.Source })
		v.Reports = append(v.Reports, contested{reportRow: row, Share: v.WithoutReport(row.Report), Listed: listed})
	}
	v.Contact, v.Letter = contactAbout(s.config.Contact, req.lang.Text("Objection: %s", v.Name),
		letter(*v, s.config.BaseURL+screenPath(subject)))
	return nil
}
