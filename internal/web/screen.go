package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/paste"
	"tocsin/internal/store"
)

// find sends what was typed into a box to its answer.
func (s *Site) find(req *request) (*page, error) {
	q := strings.TrimSpace(req.URL.Query().Get("q"))
	if q == "" {
		return &page{Location: "/"}, nil
	}
	subject, problem := paste.Subject(q)
	if problem != nil {
		return badSubjectPage(q, *problem), nil
	}
	return &page{Location: screenPath(subject)}, nil
}

// answerPath is where the answer about a subject stands, for ever.
func screenPath(subject tocsin.Subject) string {
	return "/screen/" + url.PathEscape(subject.String())
}

// notASubject shows what was typed again, and what is wrong with it. It does not
// repeat a secret.
func badSubjectPage(q string, problem paste.Problem) *page {
	return &page{Template: "mistyped", Title: "This cannot be looked up", Status: http.StatusBadRequest, Body: struct {
		Typed, Wrong string
	}{redisplay(q), subjectText(q, problem)}}
}

// step is one line of the sum.
type scoreStep struct {
	Name, Detail, Class string
	Points, Width       int
}

// steps are the factors of the score, in the words of the site.
func (f screening) steps() (list []scoreStep) {
	largest := 1
	for _, x := range f.Factors {
		largest = max(largest, x.Points)
	}
	for _, x := range f.Factors {
		one := scoreStep{Name: factorName(x.Code), Detail: f.factorText(x), Points: x.Points, Width: max(0, x.Points*100/largest)}
		if x.Points < 0 {
			one.Class = "less"
		} else if x.Code == "sanctioned" {
			one.Class = "critical"
		}
		list = append(list, one)
	}
	// The sanction, which decides, stands first; a sum does not mind.
	if n := len(list); n > 0 && list[n-1].Class == "critical" {
		list = append([]scoreStep{list[n-1]}, list[:n-1]...)
	}
	return list
}

// Signed writes the points as a sum does.
func (s scoreStep) Signed() string {
	if s.Points > 0 {
		return "+" + number(s.Points)
	}
	return number(s.Points)
}

// row is one list that names the subject.
type listingRow struct {
	tocsin.Listing
	Says, Counts string
}

// answer is what the page of a screening shows.
type screenPage struct {
	screening
	Verdict   verdict
	Steps   []scoreStep
	ListRows    []listingRow
	Reports []reportRow
	Next    string // the following page of reports
	First   bool   // this is the first one
	Stats   stats
	Stale   []string // lists whose silence is worth little
	Permalink    string   // where it stands, for others to be sent
	Manual   string   // of the operation that answers the same to programs
	Name  string   // the subject as it is shown in a title
	Shared  bool     // a domain under which strangers live
	Contact string   // a URL of the operator; may be empty
}

// Subject is what the answer is about.
func (a screenPage) Subject() tocsin.Subject { return a.subject }

// Domain reports whether the answer is about a site.
func (a screenPage) Domain() bool { return !a.subject.IsAddress() }

// Thing is what the subject is called.
func (a screenPage) Noun() string { return a.noun() }

// Penalties are the sanctions, with their dates.
func (a screenPage) SanctionListings() (list []tocsin.Listing) {
	for _, l := range a.dossier.Listings {
		if l.Kind == tocsin.Sanction {
			list = append(list, l)
		}
	}
	return list
}

// Asked returns the numbers of the lists that know subjects of this kind.
func (a screenPage) ListStats() stats { return a.Stats.forKind(a.subject.Kind) }

// Matches returns the names on record that speak for a domain.
func (a screenPage) Matches() []tocsin.Match { return a.dossier.Matches }

// screen answers what is on record about a subject.
func (s *Site) screen(req *request) (*page, error) {
	text := req.PathValue("subject")
	subject, fault := tocsin.ParseSubject(text)
	if fault != nil {
		found, problem := paste.Subject(text) // as in the box
		if problem != nil {
			return badSubjectPage(text, *problem), nil
		}
		return &page{Location: screenPath(found)}, nil
	}
	cursor := req.URL.Query().Get("cursor")
	if at := screenPath(subject); req.URL.EscapedPath() != at && text != subject.String() {
		return &page{Location: at}, nil // one subject, one address
	}
	var a screenPage
	err := s.lookUp(req, subject.String()+" "+cursor, func() error {
		var err error
		if a.screening, err = s.screening(req.Context(), subject, cursor); err != nil {
			return err
		}
		st, err := s.db.Stats(req.Context())
		a.Stats = stats{st}
		return err
	})
	if errors.As(err, new(*tocsin.Error)) { // of all that was sent only the cursor can be wrong
		return badCursorPage(), nil
	}
	if err != nil {
		return nil, err
	}
	a.Verdict, a.Name, a.First = a.verdict(), short(subject), cursor == ""
	a.Reports, a.Stale = reportRows(a.dossier.Reports, false), staleLists(a.Stats.Stats, s.db.Now())
	if next := a.dossier.NextCursor; next != "" {
		a.Next = screenPath(subject) + "?" + url.Values{"cursor": {next}}.Encode()
	}
	a.Contact = s.config.Contact
	a.Permalink, a.Manual = s.config.BaseURL+screenPath(subject), "screen-address"
	if a.Domain() {
		a.Manual = "check-domain"
		if d, fault := tocsin.ParseDomain(subject.Value); fault == nil {
			a.Shared = d.Shared()
		}
	}
	a.Steps = a.steps()
	a.ListRows = listingRows(a.dossier.Listings)
	b := styleOf(a.RiskLevel)
	return &page{Template: "screen", Title: b.Word + ": " + a.Name, Description: a.Verdict.Title + " " + a.Verdict.Lead, Body: a}, nil
}

// rows says of each listing what it says and whether it counts: of a family of
// lists that copy each other the first one does.
func listingRows(listings []tocsin.Listing) (list []listingRow) {
	listings = slices.Clone(listings)
	slices.SortStableFunc(listings, func(a, b tocsin.Listing) int { return strings.Compare(a.List, b.List) })
	counted := map[string]bool{}
	for _, l := range listings {
		r := listingRow{Listing: l, Says: l.Name, Counts: "yes"}
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
			r.Says = tocsin.CrimeType(l.Category).Name()
		}
		if l.Name != "" {
			r.Says += " (" + l.Name + ")"
		}
		list = append(list, r)
	}
	return list
}

// judge screens a subject, with the page of its reports that begins at a cursor.
// What was asked lately is in memory.
func (s *Site) screening(ctx context.Context, subject tocsin.Subject, cursor string) (screening, error) {
	d, err := s.db.AboutSubject(ctx, subject, store.Page{Limit: store.FirstPage, Cursor: cursor})
	if err != nil {
		return screening{}, err
	}
	return screening{subject, d, tocsin.Screen(d, s.db.Now().Std())}, nil
}
