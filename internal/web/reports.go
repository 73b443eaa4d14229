package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
	"tocsin/internal/store"
)

// perPage is how many reports a page of them shows.
const perPage = 20

// reportsPage is a page of reports.
type reportsPage struct {
	lang     *locale.Printer
	Kinds    []reportFilter
	Sources  []reportFilter   // none during a search, which has all of them
	Crime    tocsin.CrimeType // "" for all
	Source   string           // [tocsin.Community] or the name of a list; "" for all
	Query    string           // of the visitor
	Problem  string           // what is wrong with Query; "" if nothing
	Search   bool             // there is a query
	Stuck    string           // what to say to somebody who cannot get their money out; "" to all others
	Cheated  bool             // the words are of somebody who was cheated and looks for help
	Support  bool             // the query is the name of somebody who says that they are the support of a company
	Recovery bool             // the query is of words with which thieves offer to get lost money back
	Abroad   string           // a phone without its country code, with that of the country that is likely; "" for none
	Likely   []string         // the same with those of several countries, if none of them is likelier
	Asked    bool             // it was typed where a subject is asked for, and is none
	Found    int              // reports
	Handle   string           // that the query is, in its canonical form; "" if none
	Partial  bool             // the search has not looked at every match
	Unnamed  bool             // the reports do not name the account that the query is, and have its name as a word
	Summary  string           // of the results
	Subject  string           // the path of its screening, if the query is an address or a domain
	Parties  []partyRow       // whose name on a list of sanctions has the words
	Searched string           // what was searched, names on lists of sanctions included; "" if they were not
	compared bool             // with the names on a list of sanctions
	Near     []string         // names of sanctioned parties that are near spellings of a query that has found nothing
	Days     []reportDay      // newest first; of a search one, best match first
	First    bool             // this is the first page
	Next     string           // the path of the next page; "" for none
}

// reportFilter is a kind or a source of reports to choose.
type reportFilter struct {
	Name, Link string
	Count      int
	Current    bool
}

// Name is what the reports on the page are called, such as "Reports: Phishing".
func (c reportsPage) Name() string {
	if c.Crime == "" {
		return c.lang.Text("Reports")
	}
	return c.lang.Text("Reports: %s", answer.CrimeName(c.lang, c.Crime))
}

// Label is the label of the field to search in them.
func (c reportsPage) Label() string {
	if c.Crime == "" {
		return c.lang.Text("Search the reports")
	}
	return c.lang.Text("Search in this kind: %s", answer.CrimeName(c.lang, c.Crime))
}

// ReportPath is the path of the form, with the handle that was searched for, or else with what was typed.
func (c reportsPage) ReportPath() string {
	if c.Handle == "" {
		return "/report?" + url.Values{"typed": {c.Query}}.Encode()
	}
	return "/report?" + url.Values{"handle": {c.Handle}}.Encode()
}

// Start is the path of the first page.
func (c reportsPage) Start() string { return reportsPath(c.Crime, c.Source, c.Query, "") }

// Unsearched is the path without the search.
func (c reportsPage) Unsearched() string { return reportsPath(c.Crime, c.Source, "", "") }

// AllKinds is the path of the same search in all crime types.
func (c reportsPage) AllKinds() string { return reportsPath("", c.Source, c.Query, "") }

// Feed is the path of the feed of the same kind of reports.
func (c reportsPage) Feed() string { return feedOf(c.Crime, "") }

// Count is how many reports the page shows.
func (c reportsPage) Count() (n int) {
	for _, d := range c.Days {
		n += len(d.Reports)
	}
	return n
}

// reportsPath is the path of a page of reports.
func reportsPath(crime tocsin.CrimeType, source, q, cursor string) string {
	values := url.Values{}
	for name, value := range map[string]string{"crimeType": string(crime), "source": source, "q": q, "cursor": cursor} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if len(values) == 0 {
		return "/reports"
	}
	return "/reports?" + values.Encode()
}

// reports lists and searches reports. The first page is free, the others have the price
// that they have in the API.
func (s *Site) reports(req *request) (*page, error) {
	query := req.URL.Query()
	cursor := query.Get("cursor")
	q := tocsin.CleanText(query.Get("q"))
	p := req.lang
	c := reportsPage{
		lang:  p,
		Crime: tocsin.CrimeType(query.Get("crimeType")),
		Query: tocsin.Shorten(q, 1000),
		First: cursor == "",

		Source: query.Get("source"),
	}
	c.Asked = query.Get("asked") != ""
	if h, fault := tocsin.ParseHandle(query.Get("handle")); fault == nil {
		c.Handle = h.String()
	}
	if _, fault := tocsin.ParseCrimeType(string(c.Crime)); fault != nil && c.Crime != "" {
		return errorPage(http.StatusBadRequest, p.Text("There is no such kind of report"),
			p.Text("Look through all of them, and choose a kind there.")), nil
	}
	shown := &page{
		Template:    "reports",
		Title:       c.Name(),
		Feed:        c.Feed(),
		Description: p.Text("Reports from people and public sources: browse, filter by kind, search the text."),
	}
	st, err := s.db.Stats(req.Context())
	if err != nil {
		return nil, err
	}
	if tocsin.FindSecret(q) != nil {
		c.Query, c.Problem = "", p.Text("This looks like a recovery phrase or a private key. "+
			"We did not search for it, and do not show it again, but it is in the address of this page: "+
			"delete it from your history. "+
			"Anyone who has it has the money: if anybody saw it, move what is left to a new wallet. "+
			"If it was a transaction, search for the first ten characters of it, with a * behind them.")
	}
	c.Support = c.Asked && paste.ClaimsSupport(c.Query)
	c.Stuck = stuckText(req.lang, c.Query)
	country := s.guessCountry(req.lang.Tag, req.Header.Get("Accept-Language"))
	if c.Abroad = paste.Abroad(c.Query, country); c.Abroad == "" {
		c.Likely = paste.Likely(c.Query)
	}
	c.Search, c.Recovery, c.Cheated = c.Query != "", paste.OffersRecovery(c.Query), paste.AsksForHelp(c.Query)
	if c.Search {
		c.Source = "" // the API has no search of one source
	} else if c.Source != "" && !slices.Contains(sourceNames(st), c.Source) {
		return errorPage(http.StatusBadRequest, p.Text("There are no reports of this source"),
			p.Text("Look through all reports, and choose a source there.")), nil
	}
	c.Kinds, c.Sources = crimeFilters(st, c), sourceFilters(st, c)
	var terms []tocsin.Term
	var fault *tocsin.Error
	if c.Search {
		if terms, fault = searchFor(c.Query); fault != nil {
			c.Problem = queryProblem(p, c.Query, fault)
		}
	}
	if c.Problem != "" {
		shown.Status, shown.Title, shown.Body = http.StatusBadRequest, p.Text("This cannot be searched for"), c
		return shown, nil
	}
	if c.Search {
		shown.Title = p.Text("%s with “%s”", c.Name(), tocsin.Shorten(c.Query, 60))
		if subject, fault := tocsin.ParseSubject(c.Query); fault == nil {
			c.Subject = screenPath(subject)
		}
	}

	var found store.Listed
	look := func() (err error) {
		page := store.Page{Limit: perPage, Cursor: cursor}
		if c.Search {
			found, err = s.search(req, terms, c.Crime, page)
		} else {
			found, err = s.db.Reports(req.Context(), store.Filter{CrimeType: c.Crime, Source: c.Source, Page: page})
		}
		return err
	}
	if c.First {
		err = look()
	} else {
		err = s.lookUp(req, reportsPath(c.Crime, c.Source, c.Query, cursor),
			func() (alarm bool, err error) { return false, look() })
	}
	if errors.Is(err, store.ErrSearchTooLong) {
		c.Problem = p.Text("That is too much to look through. Add a rarer word, such as a name or a site, or leave the " +
			"quotes off.")
		shown.Status, shown.Title, shown.Body = http.StatusBadRequest, p.Text("More specific, please"), c
		return shown, nil
	}
	if errors.As(err, &fault) && !c.First { // everything else was checked
		return badCursorPage(p), nil
	}
	if err != nil {
		return nil, err
	}
	c.Partial, c.Found, c.Unnamed = found.Partial, found.Found, found.Unnamed
	if err := s.addParties(req, &c, terms, st); err != nil {
		return nil, err
	}
	if c.Asked && c.Search {
		shown.Title = c.Headline()
	}
	c.Summary = c.summary(found.Found)
	if found.NextCursor != "" {
		c.Next = reportsPath(c.Crime, c.Source, c.Query, found.NextCursor)
	}
	rows := reportRows(req.lang, found.Reports, true)
	for i := range rows {
		rows[i].terms = searchTerms(terms)
	}
	if err := s.loadLevels(req, rows); err != nil {
		return nil, err
	}
	if c.Search && len(rows) > 0 {
		c.Days = []reportDay{{Reports: rows}}
	} else {
		c.Days = reportDays(rows)
	}
	shown.Body = c
	return shown, nil
}

// crimeFilters are the crime types with reports, the most frequent first. They have counts where those are of the
// reports that the choice would show: neither during a search, nor of a source.
func crimeFilters(st store.Stats, c reportsPage) []reportFilter {
	filter := func(name string, crime tocsin.CrimeType, count int) reportFilter {
		if c.Search || c.Source != "" {
			count = 0
		}
		return reportFilter{
			Name:    name,
			Link:    reportsPath(crime, c.Source, c.Query, ""),
			Count:   count,
			Current: crime == c.Crime,
		}
	}
	crimes := slices.DeleteFunc(tocsin.CrimeTypes(), func(crime tocsin.CrimeType) bool {
		return st.ByCrime[crime] == 0 && crime != c.Crime
	})
	slices.SortStableFunc(crimes, func(a, b tocsin.CrimeType) int { return st.ByCrime[b] - st.ByCrime[a] })
	list := []reportFilter{filter(c.lang.Text("All kinds"), "", st.Reports)}
	for _, crime := range crimes {
		list = append(list, filter(answer.CrimeName(c.lang, crime), crime, st.ByCrime[crime]))
	}
	return list
}

// sourceNames are the sources with reports: what was filed here first, then the lists with the most reports.
func sourceNames(st store.Stats) (names []string) {
	lists := slices.Clone(st.Lists)
	slices.SortStableFunc(lists, func(a, b store.ListStats) int { return b.Reports - a.Reports })
	if st.Filed > 0 {
		names = append(names, tocsin.Community)
	}
	for _, l := range lists {
		if l.Reports > 0 {
			names = append(names, l.Name)
		}
	}
	return names
}

// sourceFilters are the sources to choose from; none if there is one, or during a search.
func sourceFilters(st store.Stats, c reportsPage) []reportFilter {
	names := sourceNames(st)
	if c.Search || len(names) < 2 {
		return nil
	}
	counts := map[string]int{"": st.Reports, tocsin.Community: st.Filed}
	for _, l := range st.Lists {
		counts[l.Name] = l.Reports
	}
	var list []reportFilter
	for _, name := range append([]string{""}, names...) {
		f := reportFilter{
			Name:    c.lang.Text("All sources"),
			Link:    reportsPath(c.Crime, name, "", ""),
			Current: name == c.Source,
		}
		switch {
		case name == tocsin.Community:
			f.Name = c.lang.Text("Filed here")
		case name != "":
			f.Name = answer.ListTitle(c.lang, name)
		}
		if c.Crime == "" {
			f.Count = counts[name]
		}
		list = append(list, f)
	}
	return list
}

// queryProblem describes the fault of a search.
func queryProblem(p *locale.Printer, q string, fault *tocsin.Error) string {
	words, letters := len(tocsin.Words(q)), len([]rune(q))
	switch {
	case words == 0:
		return p.Text("There is no word in it. Type at least one, such as drainer.")
	case letters > tocsin.MaxQuery:
		return p.Text("It has %d characters; %d are allowed. Search for fewer words.", letters, tocsin.MaxQuery)
	case words > tocsin.MaxWords:
		return p.Text("It has %d words; %d are allowed. Search for fewer.", words, tocsin.MaxWords)
	case strings.Contains(q, "*"):
		return p.Text("That beginning would match too many words. Write more letters before the *.")
	}
	return explain(p, fault)
}

// summary says how many reports a search has found.
func (c reportsPage) summary(found int) string {
	p, q := c.lang, tocsin.Shorten(c.Query, 60)
	switch {
	case !c.Search || found == 0:
		return ""
	case c.Unnamed:
		word := tocsin.Shorten(wholeName(c.Query), 60)
		says := []string{p.Text("%s.", c.Mentions()),
			p.Text("%d reports contain the word “%s”: they may be about other things.", found, word)}
		if c.Partial {
			says = append(says, c.Looked())
		}
		return p.Sentences(says...)
	case found >= store.SearchWindow:
		return p.Text("At least %d reports contain “%s”: these are those recorded last, best match first.", found, q)
	case c.Partial:
		return p.Sentences(p.Text("At least %d reports contain “%s”, best match first.", found, q), c.Looked())
	}
	return p.Text("%d reports contain “%s”, best match first.", found, q)
}

// Headline is that of an answer for what was typed where a subject is asked for: sanctions come first.
func (c reportsPage) Headline() string {
	found, q := c.Called(), tocsin.Shorten(c.Query, 60)
	if len(found) == 1 {
		return found[0].Says()
	}
	if len(found) == 0 {
		found = c.Parties
	}
	switch len(found) {
	case 0:
		return c.nothingNamed()
	case 1:
		return c.lang.Text("A sanctioned party has “%s” in its name", q)
	}
	return c.lang.Text("%d sanctioned parties have “%s” in their names", len(found), q)
}

// Mentions says how many reports mention what was typed where a subject is asked for.
func (c reportsPage) Mentions() string {
	what := tocsin.Shorten(c.Query, 60)
	if c.Unnamed {
		return c.lang.Text("No report names the account %s", tocsin.Shorten(accountName(c.Query), 60))
	}
	if c.Found == 0 {
		return c.lang.Text("No report mentions “%s”", what)
	}
	return c.lang.Text("%d reports mention “%s”", c.Found, what)
}

// LocalNumber reports whether the query may be a number of a phone without its country code.
func (c reportsPage) LocalNumber() bool { return paste.IsLocalNumber(c.Query) }

// Looked says how many reports a partial search has looked at.
func (c reportsPage) Looked() string {
	window := store.KindWindow
	if c.Crime == "" && wholeName(c.Query) != "" {
		window = store.SearchWindow
	}
	return c.lang.Text("We looked at the last %d reports of any kind with these words; there are more.", window)
}

// badCursorPage is the page for a cursor that we did not make.
func badCursorPage(p *locale.Printer) *page {
	return errorPage(http.StatusBadRequest, p.Text("This page is not there"),
		p.Text("The link to it was cut off or changed. Begin with the newest reports."))
}
