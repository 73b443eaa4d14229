package web

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/front"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
	"tocsin/internal/store"
)

// maxSeveral is how many subjects, and again how many handles, that were typed into the box together are answered at
// once. More subjects make a list.
const maxSeveral = 5

// severalPage is the answers for what was typed together, such as a site, the address that it gave and a handle.
type severalPage struct {
	Lead    string        // what else matters, such as where the money of a payment request would go; "" for nothing
	Pays    bool          // it is one
	Payless bool          // of which we cannot tell who would get the money
	Alike   *alikePair    // two of the addresses that look alike; nil for none
	Cards   []severalCard // the worst first
	Tokens  []severalCard // of a payment request, of which nobody warns: they say nothing of who gets the money
	Unread  []unreadPart
	Handles []handleCard
	Dropped int    // handles that were not searched for
	Beside  bool   // a transaction, or what may be one, was typed with them
	Lure    string // what to do about the lure in its words; "" for none
	Bank    bool   // it has the number of a bank account
	Support bool   // somebody in it says that they are the support of a company
	Reports []reportRow
	FewLeft string // how many look-ups are left; "" if there are many, and if nothing was looked up
	Share   string // the path of a page with the same answers; "" for none
	typed   string
}

// severalCard is an answer in short, or what was asked for where none was left.
type severalCard struct {
	Subject tocsin.Subject
	Answer  *answer.Answer // nil if no look-up was left for it
	Read    bool           // it was read all the same, and is no alarm
	Verdict answer.Verdict
	Note    string // what it is there for; "" for nothing to say
	part    paste.Part
}

// handleCard is what the reports say of a handle.
type handleCard struct {
	Name  string // with its service
	Path  string // of its search
	Found int    // reports that mention it; -1 if they were not searched
	Own   bool   // the text calls it its writer's own
	lang  *locale.Printer
}

// Mentions says how many reports mention it.
func (c handleCard) Mentions() string {
	switch {
	case c.Found < 0:
		return c.lang.Text("Not searched yet")
	case c.Found == 0:
		return c.lang.Text("No report mentions it")
	}
	return c.lang.Text("%d reports mention it", c.Found)
}

// Noted reports whether a report mentions it, or it was not searched.
func (c handleCard) Noted() bool { return c.Found != 0 }

// Heed reports whether it is a known account that nobody should send anything to.
func (c severalCard) Heed() bool {
	return c.Answer != nil && c.Answer.Misplaced() && c.part.Role != paste.Token
}

// Path is the path of the whole answer.
func (c severalCard) Path() string { return screenPath(c.Subject) }

// The weights of alarms, to which the score is added, and of addresses with a mistake.
const (
	alarmed  = 1000
	mistaken = 500
)

// weight orders the cards: alarms first, then what cannot be read and asks for money, what else speaks against one,
// what nobody should send to, what has no answer, what nothing is known of, and what is known. A site that only leads
// on, without an alarm, comes last.
func (c severalCard) weight() int {
	switch {
	case c.Answer != nil && c.Answer.Alarm():
		return alarmed + c.Answer.RiskScore
	case c.part.Role == paste.Wrapper && (c.Answer == nil || !c.Answer.Alarm()):
		return -4
	case c.Answer == nil:
		return -1
	case c.Answer.Result != tocsin.NoReports:
		return 1 + c.Answer.RiskScore
	case c.Heed():
		return 0
	case c.Answer.KnownGood():
		return -3
	}
	return -2
}

// severalEntry is a card, or a part without an answer.
type severalEntry struct {
	Card   *severalCard
	Unread *unreadPart
	weight int
}

// Entries are the cards and the parts without an answer, the worst first.
func (v severalPage) Entries() (all []severalEntry) {
	for i := range v.Unread {
		all = append(all, severalEntry{Unread: &v.Unread[i], weight: v.Unread[i].weight()})
	}
	for i := range v.Cards {
		all = append(all, severalEntry{Card: &v.Cards[i], weight: v.Cards[i].weight()})
	}
	slices.SortStableFunc(all, func(a, b severalEntry) int { return cmp.Compare(b.weight, a.weight) })
	return all
}

// ReportPath is the path of the form with all of it.
func (v severalPage) ReportPath() string { return insteadPage{Report: v.typed}.ReportPath() }

// several answers for a few subjects and handles on one page. Each subject is a look-up like that of its own page, and
// an alarm is shown though none is left. Each handle is a search: a report that has one of them is shown.
func (s *Site) several(req *request, box paste.Box) (*page, error) {
	typed := *req
	typed.typed = true
	v := severalPage{Beside: box.Aside, Support: len(box.Handles) > 0 && paste.ClaimsSupport(box.Text),
		Lure: lureText(req.lang, box.Text), Bank: paste.HasIBAN(box.Text)}
	shared := "" // the subjects and names of a link to this page
	for _, part := range box.Parts {
		from, err := s.partFrom(req, &part)
		if err != nil {
			return nil, err
		}
		m, err := s.mistakeIn(req, part)
		if err != nil {
			return nil, err
		}
		if part.Problem != nil || m.Meant != (tocsin.Subject{}) {
			v.addUnread(req.lang, part, from, m)
			continue
		}
		line := part.Subject.String() + "\n"
		v.typed += line
		if part.Role != paste.Token && part.Role != paste.Wrapper { // alone they would pass for what is asked about
			shared += line
		}
		v.Pays = v.Pays || part.Role == paste.Recipient
		card := severalCard{Subject: part.Subject, Note: partNote(req.lang, part, from), part: part}
		if err := s.answerCardOf(&typed, &card); err != nil {
			return nil, err
		}
		v.Cards = append(v.Cards, card)
	}
	v.Alike = alikeOf(box.Subjects)
	for i, handle := range box.Handles {
		own := slices.Contains(box.Own, handle)
		if !own {
			v.typed += asTyped(handle) + "\n"
			shared += asTyped(handle) + "\n"
		}
		if i >= maxSeveral {
			v.Dropped++
			continue
		}
		if err := s.addHandle(req, &v, handle, own); err != nil {
			return nil, err
		}
	}
	if err := s.addMailSites(req, &v, box); err != nil {
		return nil, err
	}
	slices.SortStableFunc(v.Cards, func(a, b severalCard) int { return cmp.Compare(b.weight(), a.weight()) })
	headlines := v.headlines(req.lang, box.Parts)
	v.Lead = v.lead(req.lang, box.Parts, headlines)
	title := v.title(req.lang, headlines)
	switch {
	case v.Lead != "":
	case v.Lure != "":
		v.Lead = req.lang.Text("Below is what we know of the addresses and names in it. That says nothing about the message.")
	case v.calm():
		v.Lead = req.lang.Text("If one of them is bad, trust none of them.")
	}
	v.Share = sharePath(box, shared)
	p := &page{Template: "several", Title: title, Shared: v.Share, Description: v.summary(req.lang)}
	if p.Description != "" && v.Share != "" {
		p.Card = s.severalCard(req, v, box.Parts)
	}
	v.setTokensAside()
	if len(v.Cards) > 0 && !v.withheld() {
		v.FewLeft = s.fewLeft(req)
	}
	if v.withheld() {
		wait := s.api.Midnight().Std().Sub(s.db.Now().Std())
		v.Lead = req.lang.Sentences(v.Lead, req.lang.Text("New look-ups come at midnight UTC, in %s.", req.lang.Span(wait)),
			req.lang.Text("Until then, send nothing to these, and connect no wallet."))
		p.Status = http.StatusTooManyRequests
		req.header.Set("Retry-After", strconv.Itoa(front.Seconds(wait)))
	}
	p.Body = v
	return p, nil
}

// addMailSites adds the sites behind the e-mail addresses that we warn of. The others are not shown, and no look-up is
// counted for them: who looks up an address does not ask about everybody who is named beside it.
func (s *Site) addMailSites(req *request, v *severalPage, box paste.Box) error {
	theirs := slices.DeleteFunc(slices.Clone(box.Handles), func(h string) bool { return slices.Contains(box.Own, h) })
	for _, site := range paste.MailSites(theirs[:min(len(theirs), maxSeveral)]) {
		if slices.ContainsFunc(v.Cards, func(c severalCard) bool { return c.Subject == site }) {
			continue
		}
		a, err := s.answer(req, site, store.Page{Limit: store.FirstPage})
		if err != nil {
			return err
		}
		if !a.Warns() || !s.freeOfCharge(req, lookUpOf(site, "")) {
			continue
		}
		part := paste.Part{Subject: site, Role: paste.MailSite}
		v.Cards = append(v.Cards, severalCard{Subject: site, Answer: &a, Verdict: a.Verdict(), part: part,
			Note: partNote(req.lang, part, resolution{})})
	}
	return nil
}

// answerCardOf looks up the subject of a card.
func (s *Site) answerCardOf(req *request, card *severalCard) error {
	err := s.lookUp(req, lookUpOf(card.Subject, ""), func() (alarm bool, err error) {
		a, err := s.answer(req, card.Subject, store.Page{Limit: store.FirstPage})
		if err == nil {
			err = s.addNamesakes(req, &a)
		}
		card.Answer = &a
		return a.Warns(), err
	})
	var spent *quotaError
	switch {
	case errors.As(err, &spent):
		card.Answer, card.Read = nil, spent.read
	case err != nil:
		return err
	default:
		card.Verdict = card.Answer.Verdict()
	}
	return nil
}

// withheld reports whether there are subjects, and no look-up was left for any of them.
func (v severalPage) withheld() bool {
	answered := func(c severalCard) bool { return c.Answer != nil }
	return len(v.Cards) > 0 && !slices.ContainsFunc(v.Cards, answered)
}

// calm reports whether all of it was looked up, and nothing speaks against any of it.
func (v severalPage) calm() bool {
	noted := func(c severalCard) bool { return c.Answer == nil || c.Answer.Warns() }
	unclear := slices.ContainsFunc(v.Cards, noted) || slices.ContainsFunc(v.Handles, handleCard.Noted)
	return len(v.Cards) > 0 && len(v.Unread) == 0 && !unclear && v.Dropped == 0
}

// addHandle searches the reports for a handle.
func (s *Site) addHandle(req *request, v *severalPage, handle string, own bool) error {
	card := handleCard{Name: handleText(req.lang, handle), Path: handlePath(handle), Found: -1, Own: own, lang: req.lang}
	terms, fault := searchFor(asSearched(handle))
	if fault == nil {
		found, err := s.search(req, terms, "", store.Page{Limit: maxSeveral})
		switch {
		case unsearched(err): // a link is left
		case err != nil:
			return err
		default:
			card.Found = found.Found
		}
		if found.Unnamed { // they have the name as a word, and may be about anything
			card.Found, found.Reports = 0, nil
		}
		for _, row := range reportRows(req.lang, found.Reports, true) {
			row.terms = searchTerms(terms)
			same := func(other reportRow) bool { return other.ID == row.ID }
			if !slices.ContainsFunc(v.Reports, same) && len(v.Reports) < 2*maxSeveral {
				v.Reports = append(v.Reports, row)
			}
		}
	}
	v.Handles = append(v.Handles, card)
	return nil
}

// sharePath is the path of a page with the same answers: for a link alone with all that it says, for a text with its
// subjects and names, without the words around them, which may be private. It is "" if nothing is left.
func sharePath(box paste.Box, named string) string {
	text := strings.TrimSpace(box.Text)
	if strings.ContainsFunc(text, unicode.IsSpace) {
		text = strings.TrimSpace(named)
	}
	if text == "" {
		return ""
	}
	return findPath(text)
}

// NamedFirst reports whether what reports say of a handle comes before the answers, of which none warns.
func (v severalPage) NamedFirst() bool {
	named := slices.ContainsFunc(v.Handles, func(c handleCard) bool { return c.Found > 0 })
	warns := slices.ContainsFunc(v.Cards, func(c severalCard) bool { return c.Answer != nil && c.Answer.Warns() })
	meant := slices.ContainsFunc(v.Unread, func(u unreadPart) bool { return u.Alarm != nil })
	return named && !warns && !meant
}

// title is that of the page: what matters most.
func (v severalPage) title(p *locale.Printer, headlines []string) string {
	searched := !slices.ContainsFunc(v.Handles, handleCard.Noted)
	onward := slices.IndexFunc(v.Cards, func(c severalCard) bool { return c.part.Role == paste.Onward })
	if len(headlines) > 0 {
		return headlines[0]
	}
	switch {
	case onward >= 0:
		return p.Text("This link leads on to %s", short(v.Cards[onward].Subject))
	case v.withheld():
		return p.Text("No look-up is left for these today")
	case v.calm() && v.Bank && len(v.Cards) == 1:
		return p.Text("We could look up only a part of this")
	case v.calm():
		return p.Text("Nobody warns of these. That is not the same as safe.")
	case len(v.Cards) > 0:
		return p.Text("Several answers")
	case len(v.Unread) > 0 && len(v.Handles) == 0:
		return p.Text("None of these can be looked up")
	case searched:
		return p.Text("No report mentions any of these")
	}
	return p.Text("What the reports say of these")
}

// searchFor returns the terms of a search that somebody typed. A handle must not be found within a longer one.
func searchFor(q string) ([]tocsin.Term, *tocsin.Error) {
	if name := wholeName(q); name != "" {
		return []tocsin.Term{{Text: name, Whole: true, Account: accountName(q) != ""}}, nil
	}
	return tocsin.ParseQuery(q)
}
