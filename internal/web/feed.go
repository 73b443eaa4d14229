package web

import (
	"encoding/xml"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/store"
)

// feedPath is the path of the feed of the newest reports.
const feedPath = "/reports.atom"

// atomFeed and atomEntry are those of Atom (RFC 4287).
type atomFeed struct {
	XMLName  xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID       string      `xml:"id"`
	Title    string      `xml:"title"`
	Subtitle string      `xml:"subtitle"`
	Updated  string      `xml:"updated"`
	Author   string      `xml:"author>name"`
	Icon     string      `xml:"icon"`
	Links    []atomLink  `xml:"link"`
	Entries  []atomEntry `xml:"entry"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID        string       `xml:"id"`
	Title     string       `xml:"title"`
	Updated   string       `xml:"updated"`
	Published string       `xml:"published,omitempty"`
	Author    string       `xml:"author>name"`
	Link      atomLink     `xml:"link"`
	Category  atomCategory `xml:"category"`
	Summary   string       `xml:"summary"`
}

type atomCategory struct {
	Term  string `xml:"term,attr"`
	Label string `xml:"label,attr"`
}

// feedOf is the path of the feed of reports of a kind or about a subject, of which one may be empty.
func feedOf(crime tocsin.CrimeType, subject string) string {
	values := url.Values{}
	if crime != "" {
		values.Set("crimeType", string(crime))
	}
	if subject != "" {
		values.Set("subject", subject)
	}
	if len(values) == 0 {
		return feedPath
	}
	return feedPath + "?" + values.Encode()
}

// reportsFeed is the feed of the newest reports: all, of a kind, or about a subject. It has what is free on the site:
// the first page of a list, or of a search. It has no text of a reporter: readers keep a feed after a report was
// withdrawn.
func (s *Site) reportsFeed(req *request) (*page, error) {
	crime := tocsin.CrimeType(req.URL.Query().Get("crimeType"))
	about := req.URL.Query().Get("subject")
	if crime != "" && !slices.Contains(tocsin.CrimeTypes(), crime) {
		return nil, &tocsin.Error{Code: tocsin.NotFound}
	}
	self := feedOf(crime, about)
	title, seen := reportsPage{lang: s.langs.English(), Crime: crime}.Name(), reportsPath(crime, "", "", "")
	first := store.Page{Limit: perPage}
	var found store.Listed
	var err error
	if about == "" {
		found, err = s.db.Reports(req.Context(), store.Filter{CrimeType: crime, Page: first})
	} else {
		subject, fault := tocsin.ParseSubject(about)
		if fault != nil {
			return nil, fault
		}
		// A search for a subject has the reports that name it first, the newest before the others.
		terms, fault := tocsin.ParseQuery(`"` + subject.Value + `"`)
		if fault != nil {
			return nil, fault
		}
		title += " about " + short(subject)
		seen = screenPath(subject)
		if found, err = s.search(req, terms, crime, first); errors.Is(err, store.ErrSearchTooLong) {
			return nil, errSearchBusy
		}
		found.Reports = slices.DeleteFunc(found.Reports, func(r tocsin.Report) bool {
			return !slices.Contains(r.Subjects(), subject)
		})
	}
	if err != nil {
		return nil, err
	}
	feed := atomFeed{
		ID:       s.config.BaseURL + self,
		Title:    title + " – Tocsin",
		Subtitle: "A report is one voice. Look up what it names to see what all of them say.",
		Updated:  s.db.Now().Std().Truncate(24 * time.Hour).Format(time.RFC3339), // of an empty feed
		Author:   "Tocsin, " + s.host,
		Icon:     s.config.BaseURL + "/favicon.ico",
		Links: []atomLink{
			{Rel: "self", Type: "application/atom+xml", Href: s.config.BaseURL + self},
			{Rel: "alternate", Type: "text/html", Href: s.config.BaseURL + seen},
		},
	}
	var newest time.Time
	for _, r := range reportRows(s.langs.English(), found.Reports, true) {
		feed.Entries = append(feed.Entries, s.feedEntry(r))
		if at := r.CreatedAt.Std(); at.After(newest) {
			newest = at
			feed.Updated = at.Format(time.RFC3339)
		}
	}
	text, err := xml.MarshalIndent(feed, "", " ") // what XML cannot have becomes U+FFFD
	if err != nil {
		return nil, err
	}
	return &page{File: &file{
		Media: "application/atom+xml; charset=utf-8",
		Keep:  "public, max-age=600",
		Tag:   tagOf(string(text)),
		Body:  append([]byte(xml.Header), text...),
	}}, nil
}

// feedEntry is a report in a feed: the parts of the compact view of the API.
func (s *Site) feedEntry(r reportRow) atomEntry {
	e := atomEntry{
		ID:       s.config.BaseURL + "/reports/" + r.ID,
		Title:    r.CrimeName(),
		Updated:  r.CreatedAt.Std().Format(time.RFC3339),
		Author:   "anonymous",
		Category: atomCategory{string(r.CrimeType), r.CrimeName()},
	}
	e.Link = atomLink{Rel: "alternate", Type: "text/html", Href: e.ID}
	says := []string{}
	if r.PublishedAt != nil {
		e.Published = r.PublishedAt.Std().Format(time.RFC3339)
	}
	switch {
	case r.Reporter != nil:
		e.Author = "a reporter with a key"
	case r.Source != tocsin.Community:
		e.Author = feed.Title(r.Source)
	}
	if r.First != nil {
		e.Title += ": " + short(*r.First)
		says = append(says, "Names "+namedText(r.lang, *r.First, len(r.Subjects()))+".")
	}
	if lost := r.Lost(); lost != "" {
		says = append(says, "About "+lost+" lost.")
	}
	if n := r.EvidenceCount(); n != "" {
		says = append(says, "Evidence: "+n+".")
	}
	e.Summary = strings.Join(append(says, "Read it on the page."), " ")
	return e
}
