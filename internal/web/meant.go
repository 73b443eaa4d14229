package web

import (
	"net/http"
	"strings"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
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
	found, err := s.db.Respelled(req.Context(), text)
	if err != nil || found[0] == (tocsin.Subject{}) {
		return nil, err
	}
	alarms, err := s.alarms(req, found)
	m := &meantAccount{Subject: found[0]}
	if a, warns := alarms[m.Subject]; warns {
		m.alarm = &a
	}
	return m, err
}

// page says that a text is wrong, and what is known of the account that it means.
func (m *meantAccount) page(p *locale.Printer, text string) *page {
	return &page{
		Template: "mistyped",
		Title:    p.Text("This cannot be looked up"),
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
