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
func (s *Site) find(v *visit) (*view, error) {
	q := strings.TrimSpace(v.URL.Query().Get("q"))
	if q == "" {
		return &view{To: "/"}, nil
	}
	subject, problem := paste.Subject(q)
	if problem != nil {
		return notASubject(q, *problem), nil
	}
	return &view{To: answerPath(subject)}, nil
}

// answerPath is where the answer about a subject stands, for ever.
func answerPath(subject tocsin.Subject) string {
	return "/screen/" + url.PathEscape(subject.String())
}

// notASubject shows what was typed again, and what is wrong with it. It does not
// repeat a secret.
func notASubject(q string, problem paste.Problem) *view {
	return &view{Page: "mistyped", Title: "This cannot be looked up", Status: http.StatusBadRequest, Body: struct {
		Typed, Wrong string
	}{again(q), subjectText(q, problem)}}
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
	// The sanction, which decides, stands first; a sum does not mind.
	if n := len(list); n > 0 && list[n-1].Class == "critical" {
		list = append([]step{list[n-1]}, list[:n-1]...)
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
	Page    string   // where it stands, for others to be sent
	Guide   string   // of the operation that answers the same to programs
	Pretty  string   // the subject as it is shown in a title
	Shared  bool     // a domain under which strangers live
	Contact string   // a URL of the operator; may be empty
}

// Subject is what the answer is about.
func (a answer) Subject() tocsin.Subject { return a.subject }

// Domain reports whether the answer is about a site.
func (a answer) Domain() bool { return !a.subject.IsAddress() }

// Thing is what the subject is called.
func (a answer) Thing() string { return a.thing() }

// Penalties are the sanctions, with their dates.
func (a answer) Penalties() (list []tocsin.Listing) {
	for _, l := range a.dossier.Listings {
		if l.Kind == tocsin.Sanction {
			list = append(list, l)
		}
	}
	return list
}

// Asked returns the numbers of the lists that know subjects of this kind.
func (a answer) Asked() numbers { return a.Stats.of(a.subject.Kind) }

// Matches returns the names on record that speak for a domain.
func (a answer) Matches() []tocsin.Match { return a.dossier.Matches }

// screen answers what is on record about a subject.
func (s *Site) screen(v *visit) (*view, error) {
	text := v.PathValue("subject")
	subject, fault := tocsin.ParseSubject(text)
	if fault != nil {
		found, problem := paste.Subject(text) // as in the box
		if problem != nil {
			return notASubject(text, *problem), nil
		}
		return &view{To: answerPath(found)}, nil
	}
	cursor := v.URL.Query().Get("cursor")
	if at := answerPath(subject); v.URL.EscapedPath() != at && text != subject.String() {
		return &view{To: at}, nil // one subject, one address
	}
	var a answer
	err := s.lookUp(v, subject.String()+" "+cursor, func() error {
		var err error
		if a.facts, err = s.judge(v.Context(), subject, cursor); err != nil {
			return err
		}
		st, err := s.db.Stats(v.Context())
		a.Stats = numbers{st}
		return err
	})
	if errors.As(err, new(*tocsin.Error)) { // of all that was sent only the cursor can be wrong
		return noSuchPage(), nil
	}
	if err != nil {
		return nil, err
	}
	a.Words, a.Pretty, a.First = a.words(), short(subject), cursor == ""
	a.Entries, a.Stale = entries(a.dossier.Reports, false), staleLists(a.Stats.Stats, s.db.Now())
	if next := a.dossier.NextCursor; next != "" {
		a.Next = answerPath(subject) + "?" + url.Values{"cursor": {next}}.Encode()
	}
	a.Contact = s.config.Contact
	a.Page, a.Guide = s.config.BaseURL+answerPath(subject), "screen-address"
	if a.Domain() {
		a.Guide = "check-domain"
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
func (s *Site) judge(ctx context.Context, subject tocsin.Subject, cursor string) (facts, error) {
	d, err := s.db.AboutSubject(ctx, subject, store.Page{Limit: store.FirstPage, Cursor: cursor})
	if err != nil {
		return facts{}, err
	}
	return facts{subject, d, tocsin.Screen(d, s.db.Now().Std())}, nil
}
