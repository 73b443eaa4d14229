package web

import (
	"net/http"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
)

// comparePage sets two accounts against each other. They come in a form that is posted, so that no log, no history and
// no link has who somebody pays to; nothing of them is kept.
type comparePage struct {
	Address, Known compareField
	Alike          *answer.Alike // nil before both could be read
	Subject, Other tocsin.Subject
}

// compareField is one of the two fields.
type compareField struct {
	Name         string
	Label        locale.Key
	Typed, Wrong string
}

// compare shows the form, and what differs in the accounts that it holds.
func (s *Site) compare(req *request) (*page, error) {
	v := comparePage{
		Address: compareField{Name: "address", Label: "The address that you were given"},
		Known:   compareField{Name: "known", Label: "The address that you know"},
	}
	p := &page{
		Template:    "compare",
		Title:       req.lang.Text("Compare two addresses"),
		Description: req.lang.Text("Are they the same? Every character that differs is marked."),
	}
	if req.Method == http.MethodPost {
		if err := req.ParseForm(); err != nil {
			return nil, err
		}
		v.Subject = v.Address.read(req)
		v.Other = v.Known.read(req)
		none := tocsin.Subject{}
		if v.Subject != none && v.Other != none && (v.Subject != v.Other || v.Address.Wrong+v.Known.Wrong == "") {
			alike := answer.Compare(v.Subject, v.Other)
			v.Alike = &alike
		} else {
			p.Status = http.StatusBadRequest
		}
	}
	p.Body = v
	return p, nil
}

// read reads the account that was typed into a field. One of EVM whose checksum does not hold is
// compared too: what differs shows the mistake.
func (f *compareField) read(req *request) tocsin.Subject {
	text := strings.TrimSpace(req.PostFormValue(f.Name))
	f.Typed = redisplay(text)
	box := paste.ReadBox(text)
	var accounts []tocsin.Subject
	for _, subject := range box.Subjects {
		token := slices.ContainsFunc(box.Parts, func(part paste.Part) bool {
			return part.Role == paste.Token && part.Subject == subject
		})
		if subject.IsAddress() && !token { // also if the payee of a request cannot be read
			accounts = append(accounts, subject)
		}
	}
	switch {
	case len(accounts) == 1:
		return accounts[0]
	case len(accounts) > 1:
		f.Wrong = subjectText(req.lang, paste.Problem{Kind: paste.SeveralSubjects})
	case box.Problem != nil && mistyped(box.Problem.Kind):
		f.Wrong = whyUnread(req.lang, *box.Problem, noNode)
		if digits, fault := tocsin.ParseAddress(strings.ToLower(box.Problem.Address)); fault == nil {
			return digits.Subject()
		}
	default:
		f.Wrong = req.lang.Text("We cannot read this as an address. Paste all of it, as it was given.")
	}
	return tocsin.Subject{}
}

// mistyped reports whether a problem is of an address, or of a name of one.
func mistyped(kind paste.Kind) bool {
	switch kind {
	case paste.CutShort, paste.WrongLength, paste.WrongDigit, paste.ForeignLetter, paste.Invalid, paste.WrongAccount,
		paste.ENSName, paste.WalletName, paste.SeveralAddresses:
		return true
	}
	return false
}

// noChance is how many equal digits at one end are no chance: one pair of 16 million has six.
const noChance = 6

// OneEnd reports whether so many digits of one end of two EVM addresses are equal that somebody has made one of them
// after the other.
func (v comparePage) OneEnd() bool {
	evm := v.Subject.Kind == tocsin.EVM && v.Other.Kind == tocsin.EVM
	return evm && !v.Alike.Same && (v.Alike.First >= noChance || v.Alike.Last >= noChance)
}

// Title says what came of the comparison.
func (v comparePage) Title(p *locale.Printer) string {
	switch {
	case v.Alike.Same:
		return p.Text("They are the same address.")
	case v.Alike.Differ == 1:
		return p.Text("One character differs. Send nothing.")
	case v.Alike.LooksAlike:
		return p.Text("They look alike, but are different addresses. Send nothing.")
	case v.Subject.Kind != v.Other.Kind:
		return p.Text("They are addresses of different chains.")
	case v.OneEnd():
		return p.Text("They are alike at one end, but are different addresses. Send nothing.")
	}
	return p.Text("They are different addresses.")
}

// alikePair is two addresses that look alike.
type alikePair struct {
	answer.Alike
	One, Other tocsin.Subject
}

// alikeOf returns two accounts of those that were typed together which look alike; nil for none.
func alikeOf(subjects []tocsin.Subject) *alikePair {
	pairs := tocsin.AlikeAmong(addressesOf(subjects))
	if len(pairs) == 0 {
		return nil
	}
	pair := pairOf(pairs[0])
	return &pair
}

func pairOf(pair [2]tocsin.Address) alikePair {
	one, other := pair[0].Subject(), pair[1].Subject()
	return alikePair{answer.Compare(one, other), one, other}
}

// shownPairs is how many pairs of addresses that look alike are shown of a list.
const shownPairs = 3

// findAlike finds the addresses of the list that look alike.
func (b *bulkPage) findAlike() {
	var subjects []tocsin.Subject
	for _, l := range b.Lines {
		subjects = append(subjects, l.Subject)
	}
	pairs := tocsin.AlikeAmong(addressesOf(subjects))
	b.Pairs = len(pairs)
	for _, pair := range pairs[:min(shownPairs, len(pairs))] {
		b.Alike = append(b.Alike, pairOf(pair))
	}
}

// addressesOf are those of the subjects that are EVM addresses.
func addressesOf(subjects []tocsin.Subject) (addresses []tocsin.Address) {
	for _, s := range subjects {
		if a, fault := tocsin.ParseAddress(s.Value); fault == nil && s.Kind == tocsin.EVM {
			addresses = append(addresses, a)
		}
	}
	return addresses
}
