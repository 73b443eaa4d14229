package web

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/store"
)

// entry is a report in a row of them.
type entry struct {
	tocsin.Report
	First *tocsin.Subject // what it names first; nil where the page is about that
	Level tocsin.Level    // of First now; "" where the page does not say

	sought []needle // to be marked in its texts
}

// Kind is the crime type.
func (e entry) Kind() string { return crimeName(e.CrimeType) }

// By says who told it.
func (e entry) By() string {
	switch {
	case e.Reporter != nil && e.Reporter.Name != nil:
		return *e.Reporter.Name
	case e.Reporter != nil:
		return "a reporter with a key"
	case e.Source == tocsin.Community:
		return "anonymous"
	}
	return listTitle(e.Source)
}

// Lost is the amount, "" if none is told.
func (e entry) Lost() string {
	if e.AmountLost == nil || *e.AmountLost == 0 {
		return ""
	}
	return money(*e.AmountLost)
}

// Heading is the title.
func (e entry) Heading() []stretch { return marked(e.Title, e.sought) }

// Excerpt is how the story begins, or what stands around the words sought.
func (e entry) Excerpt() []stretch { return marked(excerpt(e.Description, e.sought), e.sought) }

// Exhibits says what backs it.
func (e entry) Exhibits() string {
	var parts []string
	if n := len(e.Evidence.URLs); n > 0 {
		parts = append(parts, plural(n, "link"))
	}
	if n := len(e.Evidence.TransactionHashes); n > 0 {
		parts = append(parts, plural(n, "transaction"))
	}
	return strings.Join(parts, ", ")
}

func entries(reports []tocsin.Report, named bool) []entry {
	list := make([]entry, len(reports))
	for i, r := range reports {
		list[i].Report = r
		if subjects := r.Subjects(); named && len(subjects) > 0 {
			list[i].First = &subjects[0]
		}
	}
	return list
}

// home shows the box, the numbers and what was filed last.
func (s *Site) home(v *visit) (*view, error) {
	if s.config.Links != "" {
		v.header.Set("Link", s.config.Links)
	}
	st, err := s.db.Stats(v.Context())
	if err != nil {
		return nil, err
	}
	last, err := s.db.Reports(v.Context(), store.Filter{Page: store.Page{Limit: 3}})
	if err != nil {
		return nil, err
	}
	newest := entries(last.Reports, true)
	if err := s.weigh(v.Context(), newest); err != nil {
		return nil, err
	}
	return &view{Page: "home", Title: "Tocsin: has the bell rung for this address?",
		Description: "Look up an EVM address or a website in sanctions lists, public scam lists and community reports.",
		Body: struct {
			Stats   numbers
			Last    *tocsin.Time
			Reports []entry
		}{numbers{st}, lastImport(st), newest}}, nil
}

// find sends what was typed into a box to its answer.
func (s *Site) find(v *visit) (*view, error) {
	q := strings.TrimSpace(v.URL.Query().Get("q"))
	if q == "" {
		return &view{To: "/"}, nil
	}
	subject, fault := tocsin.ParseSubject(q)
	if fault != nil {
		return notASubject(q, fault), nil
	}
	return &view{To: answerPath(subject)}, nil
}

// answerPath is where the answer about a subject stands, for ever.
func answerPath(subject tocsin.Subject) string {
	return "/screen/" + url.PathEscape(subject.String())
}

// notASubject shows what was typed again, and what is wrong with it.
func notASubject(q string, fault *tocsin.Error) *view {
	wrong := tocsin.Fault{Reason: fault.Detail}
	if len(fault.Fields) > 0 {
		wrong = fault.Fields[0]
	}
	if len(q) > 300 {
		q = strings.ToValidUTF8(q[:300], "")
	}
	return &view{Page: "mistyped", Title: "This cannot be looked up", Status: http.StatusBadRequest, Body: struct {
		Typed, Reason, Fix string
	}{tocsin.CleanText(q), sentence(wrong.Reason), sentence(wrong.Fix)}}
}

// step is one line of the sum.
type step struct {
	Name, Detail, Class string
	Points, Width       int
}

// steps are the factors of the score, in the words of the site.
func (f facts) steps() (list []step) {
	largest := 1
	for _, x := range f.Factors {
		largest = max(largest, x.Points)
	}
	for _, x := range f.Factors {
		one := step{Name: factorName(x.Code), Detail: f.detail(x), Points: x.Points, Width: max(0, x.Points*100/largest)}
		if x.Points < 0 {
			one.Class = "less"
		} else if x.Code == "sanctioned" {
			one.Class = "critical"
		}
		list = append(list, one)
	}
	return list
}

// Signed writes the points as a sum does.
func (s step) Signed() string {
	if s.Points > 0 {
		return "+" + number(s.Points)
	}
	return number(s.Points)
}

// row is one list that names the subject.
type row struct {
	tocsin.Listing
	Says, Counts string
}

// answer is what the page of a screening shows.
type answer struct {
	facts
	Words   words
	Steps   []step
	Rows    []row
	Entries []entry
	Next    string // the following page of reports
	First   bool   // this is the first one
	Stats   numbers
	Stale   []string // lists whose silence is worth little
	JSON    string
	Pretty  string // the subject as it is shown in a title
	Shared  bool   // a domain under which strangers live
}

// Subject is what the answer is about.
func (a answer) Subject() tocsin.Subject { return a.subject }

// Domain reports whether the answer is about a site.
func (a answer) Domain() bool { return a.subject.Kind == tocsin.DNS }

// Thing is what the subject is called.
func (a answer) Thing() string { return a.thing() }

// Matches returns the names on record that speak for a domain.
func (a answer) Matches() []tocsin.Match { return a.dossier.Matches }

// screen answers what is on record about a subject.
func (s *Site) screen(v *visit) (*view, error) {
	text := v.PathValue("subject")
	subject, fault := tocsin.ParseSubject(text)
	if fault != nil {
		return notASubject(text, fault), nil
	}
	cursor := v.URL.Query().Get("cursor")
	if at := answerPath(subject); v.URL.EscapedPath() != at && text != subject.String() {
		return &view{To: at}, nil // one subject, one address
	}
	if v.Method == http.MethodHead {
		return &view{Page: "error", Title: "An answer", Body: ""}, nil // nothing told, nothing charged
	}
	var a answer
	err := s.lookUp(v, subject.String()+" "+cursor, func() error {
		d, err := s.db.AboutSubject(v.Context(), subject, store.Page{Limit: store.FirstPage, Cursor: cursor})
		if err != nil {
			return err
		}
		a.facts = facts{subject, d, tocsin.Screen(d, s.db.Now().Std())}
		a.Stats.Stats, err = s.db.Stats(v.Context())
		return err
	})
	if err != nil {
		return nil, err
	}
	a.Words, a.Pretty, a.First = a.words(), short(subject), cursor == ""
	a.Entries, a.Stale = entries(a.dossier.Reports, false), staleLists(a.Stats.Stats, s.db.Now())
	if next := a.dossier.NextCursor; next != "" {
		a.Next = answerPath(subject) + "?" + url.Values{"cursor": {next}}.Encode()
	}
	a.JSON = "/api/v1/screen/" + subject.String()
	if a.Domain() {
		a.JSON = "/api/v1/domains/check/" + subject.String()
		if d, fault := tocsin.ParseDomain(subject.Value); fault == nil {
			a.Shared = d.Shared()
		}
	}
	a.Steps = a.steps()
	a.Rows = rows(a.dossier.Listings)
	b := levelOf(a.RiskLevel)
	return &view{Page: "screen", Title: b.Word + ": " + a.Pretty, Description: a.Words.Title + " " + a.Words.Lead, Body: a}, nil
}

// rows says of each listing what it says and whether it counts: of a family of
// lists that copy each other the first one does.
func rows(listings []tocsin.Listing) (list []row) {
	listings = slices.Clone(listings)
	slices.SortStableFunc(listings, func(a, b tocsin.Listing) int { return strings.Compare(a.List, b.List) })
	counted := map[string]bool{}
	for _, l := range listings {
		r := row{Listing: l, Says: l.Name, Counts: "yes"}
		switch {
		case l.Kind == tocsin.Sanction:
			continue
		case l.Kind == tocsin.Shared:
			r.Says, r.Counts = "a service that strangers share", "holds the score down"
		case l.Kind == tocsin.Safe:
			r.Says, r.Counts = "good: "+l.Category, "holds the score down"
		case counted[l.Family]:
			r.Counts = "no, same origin"
		}
		if l.Kind == tocsin.Risk {
			counted[l.Family] = true
			r.Says = crimeName(tocsin.CrimeType(l.Category))
		}
		if l.Name != "" {
			r.Says += " (" + l.Name + ")"
		}
		list = append(list, r)
	}
	return list
}
