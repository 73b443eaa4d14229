package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"tocsin"
	"tocsin/internal/answer"
)

// objectFilePath is the path of the case file of a subject.
const objectFilePath = "/object.json"

// objectFile is the case file of a subject, as a program reads it: what is on record about it, and what each item adds
// to the score. It has nothing that is not on the page.
type objectFile struct {
	MadeAt tocsin.Time `json:"madeAt"`
	madeWith
	Subject   string            `json:"subject"`
	Page      string            `json:"page"`     // of the answer
	Headline  string            `json:"headline"` // what visitors read first, in the language of the page
	Limits    []string          `json:"limits"`   // what the answer does not hold, in the language of the page
	Contact   *string           `json:"contact"`  // a URL of the operator; null for none
	HeldBy    []answer.Hold     `json:"heldBy"`   // the safelists that hold the score at LOW at most
	Lists     []objectedList    `json:"lists"`
	Parties   []objectedParty   `json:"sanctionedParties"`
	Earlier   []earlierList     `json:"earlier"` // what lists have said and dropped; it has no part in the score
	Reports   []objectedReport  `json:"reports"` // the newest; screening.reportCount counts all
	Hidden    objectedHidden    `json:"hiddenReports"`
	Withdrawn objectedWithdrawn `json:"withdrawnReports"`
	Entries   []hiddenEntry     `json:"hiddenEntries"` // of lists: the operator has hidden them here
	Screening tocsin.Screening  `json:"screening"`
	Under     *objectedUnder    `json:"namesUnder"` // null: not known, or it is no domain of one owner
}

// objectedUnder are the names under a domain that are on record.
type objectedUnder struct {
	Count int      `json:"count"` // at most 1000
	First []string `json:"first"` // at most 20 of them
}

// objectedHidden is how many reports that named the subject were hidden, and when the last was; null for none.
type objectedHidden struct {
	Count int          `json:"count"`
	Last  *tocsin.Time `json:"lastHiddenAt"`
}

// objectedWithdrawn is how many reports that named the subject were withdrawn by those who filed them, and when the
// last was; null for none.
type objectedWithdrawn struct {
	Count int          `json:"count"`
	Last  *tocsin.Time `json:"lastWithdrawnAt"`
}

// hiddenEntry is what a list says of the subject and the operator has hidden here.
type hiddenEntry struct {
	List     string       `json:"list"`
	Title    string       `json:"title"`
	HiddenAt *tocsin.Time `json:"hiddenAt"` // null: unknown
}

// objectedList is a list that names the subject.
type objectedList struct {
	List     string             `json:"list"`
	Title    string             `json:"title"`
	Kind     tocsin.ListingKind `json:"kind"`
	Says     string             `json:"says"`
	Since    *tocsin.Time       `json:"since"`      // null: unknown
	Recorded *tocsin.Time       `json:"recordedAt"` // since when the entry is on record here; null: unknown
	Read     *tocsin.Time       `json:"readAt"`     // when this service read the list; null: unknown
	Dated    *tocsin.Time       `json:"listDate"`   // the list's own date; null: unknown
	Old      bool               `json:"outOfDate"`  // newer entries and removals of the list are missing here
	Program  *string            `json:"program"`    // of a sanction; null for none
	ObjectAt *string            `json:"objectAt"`   // a URL; null if nobody but the operator can help
	HowTo    string             `json:"howTo"`      // in the language of the page
	Score    answer.Share       `json:"score"`
	// RecordedIn and RecordedFiles are of the version of the list in which the entry came, see [tocsin.DatedListing].
	RecordedIn    *tocsin.Time      `json:"recordedListDate,omitempty"`
	RecordedFiles []tocsin.ListFile `json:"recordedListFiles,omitempty"`
	// Copies is the share of the list and of all others of its origin, which count once; null without another one.
	Copies *answer.Share `json:"scoreWithCopies"`
}

// earlierList is a list that has named the subject and does no more.
type earlierList struct {
	List     string             `json:"list"`
	Title    string             `json:"title"`
	Kind     tocsin.ListingKind `json:"kind"`
	Says     string             `json:"says"`
	Since    *tocsin.Time       `json:"since"`                 // the list's own date; null: unknown
	Recorded *tocsin.Time       `json:"recordedAt"`            // null: unknown
	Dropped  tocsin.Time        `json:"droppedAt"`             // when an import found that the list has it no longer
	Removed  bool               `json:"listRemoved,omitempty"` // the operator removed the whole list then

	RecordedIn *tocsin.Time `json:"recordedListDate,omitempty"` // of the version of the list in which an import found it
	DroppedIn  *tocsin.Time `json:"droppedListDate,omitempty"`  // of the one that had it no longer
	Older      bool         `json:"olderVersion,omitempty"`     // which is older than the one before

	RecordedFiles []tocsin.ListFile `json:"recordedListFiles,omitempty"` // see [tocsin.DatedListing]
	DroppedFiles  []tocsin.ListFile `json:"droppedListFiles,omitempty"`
}

// objectedReport is a report that names the subject.
type objectedReport struct {
	ID          string       `json:"id"`
	URL         string       `json:"url"`
	Source      string       `json:"source"`
	Anonymous   bool         `json:"anonymous"`
	PublishedAt *tocsin.Time `json:"publishedAt"`
	Score       answer.Share `json:"score"`
}

// objectFault is the answer to a program that names no subject, in the form of RFC 9457.
type objectFault struct {
	Title  string      `json:"title"`
	Status int         `json:"status"`
	Code   tocsin.Code `json:"code"`
	Detail string      `json:"detail"` // in the language of the page
}

// objectDownload is the case file of a subject as JSON.
func (s *Site) objectDownload(req *request) (*page, error) {
	subject, wrong := readObjected(req)
	if wrong != "" {
		text, err := indented(objectFault{http.StatusText(http.StatusBadRequest), http.StatusBadRequest, tocsin.Invalid,
			wrong})
		return &page{Text: text, Status: http.StatusBadRequest, Media: "application/problem+json"}, err
	}
	v := s.objectPage(req)
	if err := s.readObjection(req, subject, &v); err != nil {
		return nil, err
	}
	file := objectFile{MadeAt: v.MadeAt, madeWith: s.madeWith(v.Stats), Subject: subject.String(),
		Page: s.config.BaseURL + screenPath(subject), Headline: v.Verdict().Title, Limits: v.Limits(),
		Contact: orNull(s.config.Contact), HeldBy: append([]answer.Hold{}, v.Holds()...), Lists: []objectedList{},
		Earlier: []earlierList{}, Reports: []objectedReport{}, Screening: v.Screening,
		Hidden: objectedHidden(v.Hidden), Withdrawn: objectedWithdrawn(v.Withdrawn),
		Entries: []hiddenEntry{}}
	parties, err := s.db.PartiesOf(req.Context(), v.Dossier.Listings)
	if err != nil {
		return nil, err
	}
	file.Parties = objectedParties(parties)
	for _, e := range v.HiddenEntries {
		file.Entries = append(file.Entries, hiddenEntry{e.List, answer.ListTitle(v.Lang, e.List), e.At})
	}
	if v.UnderKnown {
		file.Under = &objectedUnder{Count: len(v.Under), First: []string{}}
		for _, name := range v.FirstUnder() {
			file.Under.First = append(file.Under.First, name.String())
		}
	}
	for _, l := range v.Lists {
		one := objectedList{List: l.List, Title: l.Title, Kind: l.Kind, Says: l.Says,
			Since: l.Since, Recorded: l.Recorded, RecordedIn: l.RecordedIn, RecordedFiles: l.RecordedFiles,
			Read: l.Read, Dated: l.Dated, Old: l.OutOfDate,
			Program: orNull(l.Program), ObjectAt: orNull(l.URL), HowTo: l.How, Score: l.Share}
		if l.With != "" {
			one.Copies = &l.Together
		}
		file.Lists = append(file.Lists, one)
	}
	for _, e := range v.Earlier() {
		file.Earlier = append(file.Earlier, earlierList{List: e.List, Title: answer.ListTitle(v.Lang, e.List), Kind: e.Kind,
			Says: e.Says, Since: e.Since, Recorded: e.Recorded, Dropped: *e.Dropped, Removed: e.Removed,
			RecordedIn: e.RecordedIn, DroppedIn: e.DroppedIn, Older: e.Older,
			RecordedFiles: e.RecordedFiles, DroppedFiles: e.DroppedFiles})
	}
	for _, r := range v.Reports {
		file.Reports = append(file.Reports, objectedReport{ID: r.ID, URL: s.config.BaseURL + "/reports/" + r.ID,
			Source: r.Source, Anonymous: r.Source == tocsin.Community && r.Reporter == nil, PublishedAt: r.PublishedAt,
			Score: r.Share})
	}
	text, err := indented(file)
	if err != nil {
		return nil, err
	}
	req.header.Set("X-Robots-Tag", "noindex")
	return &page{Text: text, Download: "tocsin-case-" + fileName(subject) + ".json"}, nil
}

// fileName is a subject as a part of the name of a file.
func fileName(subject tocsin.Subject) string {
	name := strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, subject.Plain())
	return tocsin.Shorten(name, 100)
}

// orNull is a text, or null in JSON if it is empty.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// indented is JSON for people, which begins a line for each field.
func indented(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return b.String(), err
}

// maxLetter is how many bytes of a letter a link holds at most: programs for mail cut longer links off.
const maxLetter = 1500

// letter is what an owner writes to the operator: what they ask for, and what the operator needs to find the case. The
// owner adds the rest. It is "" if there is nothing to ask the operator for.
func letter(v objectPage, answerURL string) string {
	asks := v.operatorRequests()
	if len(asks) == 0 {
		return ""
	}
	t := v.Lang.Text
	mine := t("This address is mine, and is named by mistake:")
	wrong, shown := t("What is wrong, and a link that shows it:"), t("How I show that it is mine:")
	switch {
	case len(v.Sanctions) > 0: // to say that it is yours may have consequences: a lawyer reads it first
		shown = t("How I show this:")
		mine = t("[Let a lawyer read this before you send it.]") + "\r\n" +
			t("[This address is mine. / I am mistaken for its owner.]")
	case v.Unreported():
		mine = v.of("This site is mine:", "This address is mine:")
		wrong = t("What it is for, and a link that shows it:")
	case v.Domain():
		mine = t("This site is mine. [It is named by mistake. / It was broken into and is clean again.]")
		wrong = t("What is wrong, or what happened and what was cleaned, and a link that shows it:")
	}
	lines := []string{
		mine, v.Subject.String(), answerURL,
		t("Score: %s of 100 (%s)", v.Lang.Number(int64(v.RiskScore)), v.RiskLevel), "",
	}
	for _, ask := range asks {
		lines = append(lines, ask.Letter)
	}
	if len(v.Lists)+len(v.Reports) > 0 {
		lines = append(lines, "")
	}
	for _, l := range v.Lists {
		since := t("date unknown")
		if l.Since != nil {
			since = v.Lang.Day(l.Since.Std())
		} else if l.Recorded != nil {
			since = t("on record here since %s", v.Lang.Day(l.Recorded.Std()))
		}
		lines = append(lines, t("List: %s, %s, %s", l.Title, l.Says, since))
	}
	for _, r := range v.Reports {
		lines = append(lines, t("Report: %s", r.ID))
	}
	if len(v.Reports) > 0 && v.ReportCount > len(v.Reports) {
		lines = append(lines, t("Reports in all: %d, to be read at %s", v.ReportCount, answerURL))
	}
	room := maxLetter
	for i, line := range lines {
		if room -= len(line) + 2; room < 0 {
			lines = append(lines[:i], "…")
			break
		}
	}
	return strings.Join(append(lines, "", wrong, "", shown, ""), "\r\n")
}

// reportLetter is what somebody writes to the operator whom a report is about.
func reportLetter(p *reportPage) string {
	t := p.lang.Text
	return strings.Join([]string{t("Report: %s", p.ID), p.Permalink,
		t("I ask you to hide this report."),
		t("[It has my name: please erase it.]"), "", t("What is wrong, and a link that shows it:"), "",
		t("How I show that it is mine:"), ""}, "\r\n")
}

// lostLetter is what somebody writes to the operator who has lost the code of a report.
func lostLetter(p *reportPage) string {
	t := p.lang.Text
	return strings.Join([]string{t("Report: %s", p.ID), p.Permalink, "",
		t("I sent this report, have lost its code, and ask you to hide it."), "",
		t("How I show that it is mine:"), ""}, "\r\n")
}

// contactText is a URL of the operator as people read it: the address of a mail, or the URL.
func contactText(contact string) string {
	if to, mail := strings.CutPrefix(contact, "mailto:"); mail {
		address, _, _ := strings.Cut(to, "?")
		return address
	}
	return contact
}

// contactAbout is the URL of the operator, and the letter to copy. If the contact is a mail, the URL also sets the
// subject line and the text, unless the operator has set them.
func contactAbout(contact, subject, text string) (link, letter string) {
	to, set, more := strings.Cut(contact, "?")
	fields, err := url.ParseQuery(set)
	letter = strings.ReplaceAll(text, "\r\n", "\n")
	switch {
	case contact == "":
		return "", letter
	case !strings.HasPrefix(to, "mailto:") || err != nil:
		return contact, letter
	}
	for _, field := range [][2]string{{"subject", subject}, {"body", text}} {
		if fields.Has(field[0]) || field[1] == "" {
			continue
		}
		mark := "?"
		if more {
			mark = "&"
		}
		contact += mark + field[0] + "=" + strings.ReplaceAll(url.QueryEscape(field[1]), "+", "%20")
		more = true
	}
	return contact, letter
}
