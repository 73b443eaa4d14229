package web

import (
	"net/http"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
	"tocsin/internal/sheet"
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
