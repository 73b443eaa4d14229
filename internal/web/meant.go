package web

import (
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

// meantAccount is the account on record of which a text has the letters in the wrong case.
type meantAccount struct {
	tocsin.Subject
	alarm *answer.Answer // nil unless it warns
}

// meant returns the account that a text means if it is right but for the case of its letters; nil for none. What it
// says of that account is charged as an alarm is.
func (s *Site) meant(req *request, text string) (*meantAccount, error) {
	found, err := s.meantFor(req, text)
	if err != nil || found == (tocsin.Subject{}) {
		return nil, err
	}
	alarms, err := s.alarms(req, []tocsin.Subject{found})
	m := &meantAccount{Subject: found}
	if a, warns := alarms[m.Subject]; warns {
		m.alarm = &a
	}
	return m, err
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
	if wait, _ := b.Unprefixed.Take(network); wait == 0 {
		b.UncountedLookups.Remember(told, account.String())
		return true, nil
	}
	sanctioned, err := s.sanctioned(req, []tocsin.Subject{account})
	return len(sanctioned) > 0, err
}

// Titles of pages about a text that is no address.
const (
	wrongCharacter = "Do not send: a character of this address is wrong"
	wrongAddress   = "Do not send: this address has a mistake"
)

// mistypedTitle is the title of a page about an address with a mistake; "" for another problem.
func mistypedTitle(p *locale.Printer, wrong paste.Problem) string {
	character := wrong.WrongCase() || wrong.Kind == paste.WrongDigit || wrong.Kind == paste.ForeignLetter
	account := wrong.Kind == paste.WrongAccount
	switch {
	case character || account && wrong.Fault.Fields[0].Cause == tocsin.WrongChecksum:
		return p.Text(wrongCharacter)
	case account || wrong.Kind == paste.WrongLength:
		return p.Text(wrongAddress)
	}
	return ""
}

// page says that a text is wrong, and what is known of the account that it means.
func (m *meantAccount) page(p *locale.Printer, text string) *page {
	return &page{
		Template: "mistyped",
		Title:    p.Text(wrongCharacter),
		Status:   http.StatusBadRequest,
		Body: mistypedPage{Typed: redisplay(text), Alarm: m.alarm,
			Wrong: UnreadLine(p, sheet.Line{Text: text, Meant: m.Subject}, nil)},
	}
}

// MeantText says what is known of the account that a text means.
func (m mistypedPage) MeantText() string { return meantText(m.Alarm.Lang, m.Alarm) }

// meantText says what is known of an account that a text means.
func meantText(p *locale.Printer, meant *answer.Answer) string {
	if len(meant.Sanctions) > 0 {
		return p.Text("Written as %s it is sanctioned: %s", meant.Subject.Plain(), meant.Because())
	}
	return p.Text("Written as %s it is on record: %s", meant.Subject.Plain(), meant.Because())
}

// addCorrected adds to the page about an account with a wrong checksum the one that it names if one character is
// another, if lists know that as good or warn of it.
func (s *Site) addCorrected(req *request, bad *page, typed string) error {
	body, shows := bad.Body.(mistypedPage)
	if !shows || req.Method == http.MethodHead {
		return nil
	}
	// The search for it takes milliseconds of a processor, whether it finds something or not.
	if wait, _ := s.api.Budgets().Unprefixed.Take(front.Of(req.Context()).Network()); wait > 0 {
		return nil
	}
	meant, found := tocsin.Corrected(typed)
	if !found {
		return nil
	}
	if free, err := s.saysForNothing(req, meant); !free {
		return err
	}
	known, err := s.judge(req, meant)
	if err != nil || !known.KnownGood() && !known.Alarm() {
		return err
	}
	near := tocsin.Poisoning{Resembles: meant.String(), Status: tocsin.KnownGood, Differ: 1}
	if known.Alarm() {
		near.Status = tocsin.Reported
	}
	if names := known.Names(); len(names) > 0 {
		near.Name = &names[0]
	}
	a := answer.Answer{Subject: tocsin.Subject{Kind: meant.Kind, Value: strings.TrimSpace(typed)}, Lang: req.lang}
	a.AddressFindings = &tocsin.AddressFindings{Poisoning: &near}
	body.Resembled = a.Resembled()
	bad.Body = body
	return nil
}

// addNear adds to the page about an address with a wrong checksum which one on record has all its digits but one.
func (s *Site) addNear(req *request, bad *page, typed string) error {
	digits, fault := tocsin.ParseAddress(strings.ToLower(typed))
	body, shows := bad.Body.(mistypedPage)
	if fault != nil || !shows {
		return nil
	}
	found, err := s.db.AddressFindings(req.Context(), []tocsin.Subject{digits.Subject()}, []*store.Dossier{{}}, nil)
	if err != nil || found[0].Poisoning == nil || found[0].Poisoning.Differ != 1 {
		return err
	}
	a := answer.Answer{Subject: digits.Subject(), Lang: req.lang}
	a.AddressFindings = found[0]
	body.Resembled = a.Resembled()
	bad.Body = body
	return nil
}
