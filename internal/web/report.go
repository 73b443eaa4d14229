package web

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/feed"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
	"tocsin/internal/store"
)

// reportPage is the page of one report.
type reportPage struct {
	reportRow
	Permalink  string
	Story      string // its description without the amount that it ends with
	LostText   string // that amount, in another currency; "" for none
	Paragraphs []string
	Named      []subjectRow
	Lists      map[string]bool  // that name one of them, of those that are shown
	More       []tocsin.Subject // also named, but not screened
	Links      []evidenceLink
	MoreLinks  int // that are not shown: of a report of an older version, which could be larger
	Accounts   []socialAccount
	SourceURL  string         // of the list that the report comes from; "" for none
	Filed      *receipt       // if the visitor has just filed it
	Refused    string         // why it was not withdrawn; "" unless that was asked
	Formers    []store.Former // the reports that it corrects, the first filed first
	Contact    string         // a URL of the operator, for somebody who has lost the code; "" for none
}

// subjectRow is a subject that the report names.
type subjectRow struct {
	tocsin.Subject
	Shown bool         // Known and Level are shown
	Known string       // how many lists and reports name it now
	Level tocsin.Level // "" without a score
	Alone bool         // nothing else than this report names it
}

// socialAccount is an account that the reported person used.
type socialAccount struct{ Service, Name string }

// receipt is what only the person who filed a report sees.
type receipt struct {
	Token     string // to withdraw it; "" for a duplicate of another form
	Duplicate bool
	Former    string          // the report that it corrects and that could not be withdrawn; "" for none
	Keyless   bool            // it is anonymous, though this browser had been signed in
	First     *tocsin.Subject // the first subject it names; nil if it names handles alone
	Help      help            // where the victim can turn
}

// maxScreened is how many of the subjects, and again of the sites that are evidence, the
// page of a report screens at most. A report may name two hundred.
const maxScreened = 5

// report shows a report.
func (s *Site) report(req *request) (*page, error) {
	shown, err := s.readReport(req)
	if isMissing(err) {
		return noReportPage(req.lang, req.PathValue("id")), nil
	}
	if err != nil {
		return nil, err
	}
	return shown.page(), nil
}

// readReport reads the report that a path names, and what its page shows.
func (s *Site) readReport(req *request) (*reportPage, error) {
	r, err := s.db.Report(req.Context(), req.PathValue("id"))
	if err != nil {
		return nil, err
	}
	return s.loadReport(req, r)
}

// loadReport reads what the page of a report shows.
func (s *Site) loadReport(req *request, r tocsin.Report) (*reportPage, error) {
	ctx := req.Context()
	p := s.reportPageOf(req.lang, r)
	p.Contact, _ = contactAbout(s.config.Contact, req.lang.Text("Lost code: %s", r.ID), lostLetter(p))
	subjects := r.Subjects()
	for i, subject := range subjects {
		if i == maxScreened {
			p.More = subjects[i:]
			break
		}
		if !s.mayShow(req, r, subject) {
			p.Named = append(p.Named, subjectRow{Subject: subject})
			continue
		}
		sc, err := s.judge(req, subject)
		if err != nil {
			return nil, err
		}
		for _, l := range sc.Listings {
			p.Lists[l.List] = true
		}
		for _, l := range sc.Sanctions {
			p.Lists[l.List] = true
		}
		row := subjectRow{Subject: subject, Shown: true, Known: sc.SourceCount(), Level: sc.RiskLevel}
		row.Alone = sc.OneReport()
		if row.Level == tocsin.Clean {
			row.Level = ""
		}
		p.Named = append(p.Named, row)
	}
	var err error
	if p.FiledHere() && r.ID != "" {
		if p.Formers, err = s.db.Formers(ctx, r.ID); err != nil {
			return nil, err
		}
	}
	urls, size := r.Evidence.URLs, 0
	for i, one := range urls {
		if size += len(one); size > tocsin.MaxReport {
			urls, p.MoreLinks = urls[:i], len(urls)-i
			break
		}
	}
	if p.Links, err = s.evidenceLinks(req, urls, subjects); err != nil {
		return nil, err
	}
	if r.Source == tocsin.Community {
		unlinkUsers(p.Links)
	}
	m := r.SocialMedia
	for _, a := range []struct {
		where string
		name  *string
	}{{"WhatsApp", m.WhatsApp}, {"Telegram", m.Telegram}, {"Facebook", m.Facebook}, {p.lang.Text("Elsewhere"), m.Other}} {
		if a.name != nil {
			p.Accounts = append(p.Accounts, socialAccount{a.where, *a.name})
		}
	}
	for _, text := range r.ReportedHandles {
		if h, fault := tocsin.ParseHandle(text); fault == nil {
			p.Accounts = append(p.Accounts, socialAccount{p.lang.Text(serviceNames[h.Service]), h.Name})
		}
	}
	if r.Source != tocsin.Community {
		st, err := s.db.Stats(ctx)
		if err != nil {
			return nil, err
		}
		for _, l := range st.Lists {
			if l.Name == r.Source {
				p.SourceURL = l.URL
			}
		}
	}
	return p, nil
}

// reportPageOf is the page of a report with what the report itself says: its facts and its words.
func (s *Site) reportPageOf(p *locale.Printer, r tocsin.Report) *reportPage {
	story, lost := s.splitAmount(r)
	return &reportPage{
		reportRow:  reportRows(p, []tocsin.Report{r}, true)[0],
		Permalink:  s.config.BaseURL + "/reports/" + r.ID,
		Story:      story,
		LostText:   lost,
		Paragraphs: paragraphs(story),
		Lists:      map[string]bool{r.Source: true},
	}
}

// ReceiptPath is the path of the page that came after the filing, for the browser that has sent it.
func (p *reportPage) ReceiptPath() string { return "/reports/" + url.PathEscape(p.ID) + "/receipt" }

// tokenNames match the names of tokens in the words of a report.
var tokenNames = []struct {
	token issuer
	names *regexp.Regexp
}{
	{issuer{"Tether (USDT)", "https://tether.to/en/legal/"}, regexp.MustCompile(`(?i)\b(?:usdt|usd₮|tether)\b`)},
	{issuer{"Circle (USDC)", "https://www.circle.com/legal/usdc-terms"}, regexp.MustCompile(`(?i)\b(?:usdc|usd coin)\b`)},
}

// issuer is who can freeze a token at an address, and its public page with the terms for that.
type issuer struct{ Name, URL string }

// Issuers are those of the tokens that the report names, on any chain.
func (p *reportPage) Issuers() (list []issuer) {
	for _, one := range tokenNames {
		if one.names.MatchString(p.Currency + "\n" + p.Title + "\n" + p.Description) {
			list = append(list, one.token)
		}
	}
	return list
}

// serviceNames are the services of handles, for people.
var serviceNames = map[string]locale.Key{
	"telegram": "Telegram", "x": "X", "whatsapp": "WhatsApp", "phone": "Phone", "instagram": "Instagram",
	"facebook": "Facebook", "discord": "Discord", "email": "E-mail", "name": "Name",
}

// paragraphs splits a text at blank lines.
func paragraphs(text string) (list []string) {
	var b []string
	end := func() {
		if len(b) > 0 {
			list = append(list, strings.Join(b, "\n"))
			b = nil
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			end()
			continue
		}
		b = append(b, strings.TrimRight(line, " \t"))
	}
	end()
	return list
}

// Amount is the amount lost, in words; "" if unknown.
func (p *reportPage) Amount() string {
	other := p.Currency != "" && p.Currency != "USD"
	switch {
	case p.LostText != "":
		return p.LostText
	case p.AmountLost == nil && other:
		return p.lang.Text("an unknown amount, in %s", p.Currency)
	case p.AmountLost == nil:
		return ""
	case *p.AmountLost == 0:
		return p.lang.Text("nothing")
	case other:
		return p.lang.Text("about %s, in %s", exact(p.lang, *p.AmountLost)+" USD", p.Currency)
	}
	return p.lang.Text("about %s", exact(p.lang, *p.AmountLost)+" USD")
}

// splitAmount parts a description and the amount in another currency with which it ends, as [form.amount] writes it in
// any language; "" for none.
func (s *Site) splitAmount(r tocsin.Report) (story, amount string) {
	end := strings.LastIndexByte(r.Description, '\n')
	if end < 0 || r.AmountLost != nil {
		return r.Description, ""
	}
	for _, lang := range s.langs.All() {
		amount, is := strings.CutPrefix(r.Description[end+1:], lang.Text("Amount lost: %s", ""))
		sum, wrong := paste.Amount(amount, true)
		if is && wrong != nil && wrong.Kind == paste.OtherCurrency && sum.Currency == r.Currency {
			return strings.TrimSpace(r.Description[:end]), amount
		}
	}
	return r.Description, ""
}

// Incident is the date of the incident; nil if unknown.
func (p *reportPage) Incident() *dateText {
	if p.IncidentDate == nil {
		return nil
	}
	at, text, fault := tocsin.ParseDay(*p.IncidentDate)
	if fault != nil {
		return nil
	}
	if len(text) == len("2026-01-31") {
		return &dateText{p.lang.Long(at.Std()), text}
	}
	return &dateText{p.lang.Minute(at.Std()), text}
}

// dateText is a date for people and for machines (RFC 3339).
type dateText struct{ Text, ISO string }

// ShowsLevels reports whether the level of any subject is shown.
func (p *reportPage) ShowsLevels() bool {
	return slices.ContainsFunc(p.Named, func(row subjectRow) bool { return row.Shown })
}

// WhoSays is whose claim the report is.
func (p *reportPage) WhoSays() string {
	unchecked := p.lang.Text("Nobody here has checked it.")
	switch {
	case p.OfOperator():
		return p.lang.Text("The operator of this service says so, on a list of their own (%s).", p.By())
	case !p.FiledHere():
		return p.lang.Sentences(p.lang.Text("The list %s says so.", p.By()), unchecked)
	case p.Reporter != nil:
		return p.lang.Sentences(p.lang.Text("One reporter with a key says so."), unchecked)
	}
	return p.lang.Sentences(p.lang.Text("One person says so."), unchecked)
}

// FiledHere reports whether it was filed here, rather than imported from a list.
func (p *reportPage) FiledHere() bool { return p.Source == tocsin.Community }

// Abandoned reports whether it comes from a list that nobody keeps any more.
func (p *reportPage) Abandoned() bool { return p.Source == feed.Unkept }

// OfOperator reports whether it comes from a list that the operator made.
func (p *reportPage) OfOperator() bool { return !p.FiledHere() && answer.OfOperator(p.Source) }

func (p *reportPage) page() *page {
	parts := []string{p.CrimeName()}
	if at := p.Incident(); at != nil {
		parts = append(parts, at.Text)
	}
	if p.Lost() != "" {
		parts = append(parts, p.lang.Text("about %s", p.Lost()))
	}
	about := p.lang.List(parts...)
	if p.First != nil {
		about = p.lang.Text("%s. It names %s.", about, namedText(p.lang, *p.First, len(p.Named)+len(p.More)))
	}
	return &page{Template: "report", Title: p.Title, Description: about, Card: "/reports/" + p.ID + "/card.png", Body: p}
}

// namedText names the first of the subjects of a report.
func namedText(p *locale.Printer, first tocsin.Subject, all int) string {
	if all < 2 {
		return short(first)
	}
	return p.Text("%s and %d more", short(first), all-1)
}
