package web

import (
	"cmp"
	"net/http"
	"strings"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/front"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
	"tocsin/internal/sheet"
	"tocsin/internal/store"
)

// mistake is what is known of the account that was meant by an address with a mistake.
type mistake struct {
	Meant tocsin.Subject // on record, with its letters in another case; the zero value for none
	Alarm *answer.Answer // about it; nil unless it warns
	// Resembled is the address on record that has all characters but one; nil for none.
	Resembled *answer.Resembled
}

// mistake looks for what was meant by an address with a mistake. Whatever was around it when it was typed, its alarm
// comes from here. What is said of an account on record is charged as an alarm is.
func (s *Site) mistake(req *request, address string) (m mistake, err error) {
	if m.Meant, err = s.meantFor(req, address); err != nil {
		return m, err
	}
	if m.Meant == (tocsin.Subject{}) {
		m.Resembled, err = s.near(req, address)
		return m, err
	}
	alarms, err := s.alarms(req, []tocsin.Subject{m.Meant})
	if a, warns := alarms[m.Meant]; warns {
		m.Alarm = &a
	}
	return m, err
}

// mistakeIn is the mistake in a part of what was typed; the zero value for none.
func (s *Site) mistakeIn(req *request, part paste.Part) (m mistake, err error) {
	switch {
	case part.Problem != nil && part.Problem.Address != "":
		return s.mistake(req, part.Problem.Address)
	case part.Problem == nil && part.Subject.Kind == tocsin.Solana: // which has no checksum that could tell
		return s.mistake(req, part.Subject.String())
	}
	return m, nil
}

// Sanctioned reports whether the account that was meant is sanctioned.
func (m mistake) Sanctioned() bool { return m.Alarm != nil && len(m.Alarm.Sanctions) > 0 }

// MeantText says what is known of the account that was meant, and warns.
func (m mistake) MeantText() string {
	t, names := m.Alarm.Lang.Text, m.Alarm.Names()
	switch {
	case m.Sanctioned() && len(names) > 0:
		return t("Do not send. Written correctly, this is an address of %s, which is sanctioned (%s).", names[0],
			m.Alarm.SanctionsTitle())
	case m.Sanctioned():
		return t("Do not send. Written correctly, this address is sanctioned (%s).", m.Alarm.SanctionsTitle())
	case m.Alarm.Misplaced():
		return t("Written correctly, this is known of it: %s", m.Alarm.Verdict().Title)
	}
	return t("Do not send. Written correctly, this is known of it: %s", m.Alarm.Verdict().Lead)
}

// meantFor returns the account that a text means, if the visitor is told of it; the zero value for none.
func (s *Site) meantFor(req *request, text string) (tocsin.Subject, error) {
	found, err := s.db.Respelled(req.Context(), text)
	if err != nil || found[0] == (tocsin.Subject{}) {
		return tocsin.Subject{}, err
	}
	if free, err := s.saysForNothing(req, found[0]); !free {
		return tocsin.Subject{}, err
	}
	return found[0], nil
}

// saysForNothing reports whether a visitor is told, before any charge, whether an account is on record. That is what
// others pay for: a network is told it of so many accounts an hour, in the web and the API together, and after that of
// those alone that are sanctioned, which is public. An account that it looked up or was told of today is free.
func (s *Site) saysForNothing(req *request, account tocsin.Subject) (bool, error) {
	b, network := s.api.Budgets(), front.Of(req.Context()).Network()
	told := "told for nothing: " + network.String() // beside what counts for the network
	if s.hasLookedUp(req, account) || b.UncountedLookups.Seen(told, account.String()) {
		return true, nil
	}
	if s.hint(req) {
		b.UncountedLookups.Remember(told, account.String())
		return true, nil
	}
	sanctioned, err := s.sanctioned(req, []tocsin.Subject{account})
	return len(sanctioned) > 0, err
}

// hintsOfPage and hintsOfList are how many hints a request takes at most, so that no few of them use up those of a
// network: what a link may ask for, and a list that was sent.
const (
	hintsOfPage = 20
	hintsOfList = 100
)

// hint takes one of the hints of the visitor's network, and reports whether there was one for this request. There is
// none for what another site shows within its pages.
func (s *Site) hint(req *request) bool {
	most := hintsOfPage
	if req.Method == http.MethodPost {
		most = hintsOfList
	}
	if req.hints >= most || req.embedded() {
		return false
	}
	wait, _ := s.api.Budgets().Hints.Take(front.Of(req.Context()).Network())
	if wait == 0 {
		req.hints++
	}
	return wait == 0
}

// Titles of pages about a text that is no address.
const (
	wrongCharacter = "Do not send: this address was not copied correctly"
	wrongAddress   = "Do not send: this address has a mistake"
)

// wrongCase says what a checksum of EIP-55 that does not hold means.
const wrongCase = "Its capital and small letters do not fit together, as they do in every address that is copied " +
	"whole: perhaps a character was changed."

// otherCase says what the wrong case means of an account whose chain has no such checksum.
const otherCase = "This differs only in capital and small letters from an account that is on record, so it is " +
	"another account. Copy it again from where you have it."

// mistypedTitle is the title of a page about an address with a mistake; "" for another problem.
func mistypedTitle(p *locale.Printer, wrong paste.Problem) string {
	character := wrong.WrongCase() || wrong.Kind == paste.WrongDigit || wrong.Kind == paste.ForeignLetter
	account := wrong.Kind == paste.WrongAccount
	switch {
	case wrong.Kind == paste.ForeignName:
		return p.Text("Do not send: this name has a letter of another alphabet")
	case character || account && wrong.Fault.Fields[0].Cause == tocsin.WrongChecksum:
		return p.Text(wrongCharacter)
	case account || wrong.Kind == paste.WrongLength:
		return p.Text(wrongAddress)
	}
	return ""
}

// page is the page about a text that has a mistake: what is wrong with it, and what is known of the account that was
// meant.
func (m mistake) page(p *locale.Printer, text string, problem paste.Problem) *page {
	title, wrong := mistypedTitle(p, problem), ""
	if m.Meant != (tocsin.Subject{}) {
		title, wrong = p.Text(wrongCharacter), UnreadLine(p, sheet.Line{Text: text, Meant: m.Meant}, nil)
	} else {
		wrong = subjectText(p, problem)
	}
	if near := m.Resembled; near != nil && near.Party != "" { // sanctioned: that comes first
		title = near.Title
	}
	return &page{
		Template: "mistyped",
		Title:    cmp.Or(title, p.Text("This cannot be looked up")),
		Status:   http.StatusBadRequest,
		Body:     mistypedPage{Typed: redisplay(text), Wrong: wrong, mistake: m},
	}
}

// meantText says what is known of an account that a text means.
func meantText(p *locale.Printer, meant *answer.Answer) string {
	if len(meant.Sanctions) > 0 {
		return p.Text("Written as %s it is sanctioned: %s", meant.Subject.Plain(), meant.Because())
	}
	return p.Text("Written as %s it is on record: %s", meant.Subject.Plain(), meant.Because())
}

// near returns the address that lists know as good or warn of and that has all characters of an address with a mistake
// but one; nil if there is none, or the visitor is not told of it.
func (s *Site) near(req *request, address string) (*answer.Resembled, error) {
	if digits, fault := tocsin.ParseAddress(strings.ToLower(address)); fault == nil {
		found, err := s.db.AddressFindings(req.Context(), []tocsin.Subject{digits.Subject()}, []*store.Dossier{{}}, nil)
		if err != nil || found[0].Poisoning == nil || found[0].Poisoning.Differ != 1 {
			return nil, err
		}
		if meant, fault := tocsin.ParseSubject(found[0].Poisoning.Resembles); fault == nil &&
			found[0].Poisoning.Status != tocsin.KnownGood { // that it is on record is what others pay for
			if free, err := s.saysForNothing(req, meant); !free {
				return nil, err
			}
		}
		return s.resembled(req, digits.Subject(), *found[0].Poisoning), nil
	}
	_, fault := tocsin.ParseAccount(address)
	if fault == nil || fault.Fields[0].Cause != tocsin.WrongChecksum || req.Method == http.MethodHead {
		return nil, nil
	}
	// The search for it takes milliseconds of a processor, whether it finds something or not.
	if !s.hint(req) {
		return nil, nil
	}
	typed, meant, found := tocsin.Corrected(address)
	if !found {
		return nil, nil
	}
	if free, err := s.saysForNothing(req, meant); !free {
		return nil, err
	}
	known, err := s.judge(req, meant)
	if err != nil || !known.KnownGood() && !known.Alarm() {
		return nil, err
	}
	near := tocsin.Poisoning{Resembles: meant.String(), Status: tocsin.KnownGood, Differ: 1}
	if known.Alarm() {
		near.Status = tocsin.Reported
	}
	if names := known.Names(); len(names) > 0 {
		near.Name = &names[0]
		if len(known.Sanctions) > 0 {
			near.Party = names[0]
		}
	}
	return s.resembled(req, typed, near), nil
}

// resembled sets an address against the one that it resembles.
func (s *Site) resembled(req *request, typed tocsin.Subject, near tocsin.Poisoning) *answer.Resembled {
	a := answer.Answer{Subject: typed, Lang: req.lang}
	a.AddressFindings = &tocsin.AddressFindings{Poisoning: &near}
	return a.Resembled()
}
