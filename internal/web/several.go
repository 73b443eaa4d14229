package web

import (
	"cmp"
	"errors"
	"slices"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/paste"
	"tocsin/internal/store"
)

// maxSeveral is how many subjects that were typed into the box together are answered at once. More make a list.
const maxSeveral = 5

// severalPage is the answers for subjects that were typed together, such as a site and the address that it gave.
type severalPage struct {
	Cards []severalCard // the worst first
}

// severalCard is an answer in short, or what was asked for where none was left.
type severalCard struct {
	Subject tocsin.Subject
	Answer  *answer.Answer // nil if no look-up was left for it
	Read    bool           // it was read all the same, and is no alarm
	Verdict answer.Verdict
}

// Path is the path of the whole answer.
func (c severalCard) Path() string { return screenPath(c.Subject) }

// weight orders the cards: the highest score first, and what has no answer before what nothing is known of.
func (c severalCard) weight() int { return bulkLine{Answer: c.Answer}.weight() }

// severalSubjects are the subjects in a text with more than one.
func severalSubjects(q string) (subjects []tocsin.Subject) {
	for _, item := range paste.Read(paste.Addresses, tocsin.CleanText(q)).Items {
		subject, fault := tocsin.ParseSubject(item.Text)
		if fault == nil && !slices.Contains(subjects, subject) {
			subjects = append(subjects, subject)
		}
	}
	return subjects
}

// several answers for a few subjects on one page. Each is a look-up like that of its own page, and an alarm is shown
// though none is left.
func (s *Site) several(req *request, subjects []tocsin.Subject) (*page, error) {
	typed := *req
	typed.typed = true
	var v severalPage
	for _, subject := range subjects {
		card := severalCard{Subject: subject}
		err := s.lookUp(&typed, lookUpOf(subject, ""), func() (alarm bool, err error) {
			a, err := s.answer(req, subject, store.Page{Limit: store.FirstPage})
			card.Answer = &a
			return a.Alarm(), err
		})
		var spent *quotaError
		switch {
		case errors.As(err, &spent):
			card.Answer, card.Read = nil, spent.read
		case err != nil:
			return nil, err
		default:
			card.Verdict = card.Answer.Verdict()
		}
		v.Cards = append(v.Cards, card)
	}
	slices.SortStableFunc(v.Cards, func(a, b severalCard) int { return cmp.Compare(b.weight(), a.weight()) })
	return &page{Template: "several", Title: req.lang.Text("Several answers"), Body: v}, nil
}
