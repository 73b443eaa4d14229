package web

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/locale"
	"tocsin/internal/paste"
	"tocsin/internal/sheet"
)

// problemGroup are the lines of a list that have no subject for the same reason.
type problemGroup struct {
	Brief string
	Lines []problemLine
}

// problemLine is a line without a subject.
type problemLine struct {
	bulkLine
	Says string // why
	Site string // the domain of the e-mail address that it has; "" for none
}

// shownFirst is how many lines of a group are shown; the others are folded.
const shownFirst = 3

// Fold is the number of lines before the first one that is folded.
func (problemGroup) Fold() int { return shownFirst }

// Folded is how many lines are folded.
func (g problemGroup) Folded() int { return max(0, len(g.Lines)-shownFirst) }

// groupProblems groups the lines without a subject, the largest group first, and counts those with a handle.
func (b *bulkPage) groupProblems(p *locale.Printer) {
	at := map[string]int{}
	b.Problems, b.Handles = nil, 0
	for _, l := range b.Lines {
		if l.Fault == nil {
			continue
		}
		brief, handle := l.brief(p)
		if handle != "" {
			b.Handles++
		}
		i, known := at[brief]
		if !known {
			i = len(b.Problems)
			at[brief], b.Problems = i, append(b.Problems, problemGroup{Brief: brief})
		}
		b.Problems[i].Lines = append(b.Problems[i].Lines, problemLine{l, l.Why(p), siteOfMail(handle)})
	}
	slices.SortStableFunc(b.Problems, func(x, y problemGroup) int { return cmp.Compare(len(y.Lines), len(x.Lines)) })
}

// brief says in a few words why the line has no subject, and which handle it has; "" for none.
func (l bulkLine) brief(p *locale.Printer) (brief, handle string) {
	problem := problemOf(l.Text)
	switch {
	case l.Meant != (tocsin.Subject{}):
		return p.Text("wrong capital or small letters"), ""
	case l.Hash || isHashOrKey(l.Text):
		return p.Text("a transaction or a private key?"), ""
	case l.Secret || tocsin.FindSecret(l.Text) != nil:
		return p.Text("it held a recovery phrase or a private key"), ""
	case strings.TrimSpace(l.Text) == "":
		return p.Text("an empty cell"), ""
	case sheet.IsBlank(l.Text):
		return p.Text("a cell that says there is none"), ""
	case l.Chain != "":
		return p.Text("the chain contradicts the address"), ""
	case problem == nil:
		return p.Text("no address"), ""
	case problem.Kind == paste.ChatName:
		return p.Text("a handle"), problem.Text
	case problem.Kind == paste.OnlyHandle:
		switch service, _, _ := strings.Cut(problem.Text, ":"); service {
		case "email":
			return p.Text("an e-mail address"), problem.Text
		case "phone", "whatsapp":
			return p.Text("a phone number"), problem.Text
		}
		return p.Text("a handle"), problem.Text
	case problem.Kind == paste.Invalid:
		return p.Text("a digit may be mistyped"), ""
	case problem.Kind == paste.SeveralSubjects:
		return p.Text("more than one address or site"), ""
	case problem.Kind == paste.OnlyTransaction:
		return p.Text("a transaction, not an address"), ""
	}
	return problemText(p, paste.Addresses, *problem).Brief, ""
}

// lowerMark is behind the number of a row whose address is in small letters in the list.
const lowerMark = "l"

// evmForm matches what may be an EVM address.
var evmForm = regexp.MustCompile(`0x[0-9a-fA-F]{40}`)

// Kept is the line as the table keeps it, for [typedRows]. An address in small letters has its checksum, as in the link
// beside it: two spellings of 400 addresses would take 7 KB more.
func (l bulkLine) Kept() string {
	row, mark := l.Row(), ""
	if l.Fault == nil && l.Subject.Kind == tocsin.EVM && len(evmForm.FindAllString(row, -1)) == 1 {
		if checked := strings.Replace(row, l.Subject.Value, l.Subject.String(), 1); checked != row {
			row, mark = checked, lowerMark
		}
	}
	return strconv.Itoa(l.Number) + mark + " " + row
}

// UnreadLine is [Unread] of a line, with what is known of the account that it means; meant is nil if that was not
// looked up.
func UnreadLine(p *locale.Printer, l sheet.Line, meant *answer.Answer) string {
	why := Unread(p, l.Text)
	if note := l.Note(p); note != "" {
		why = p.Sentences(note, why)
	}
	if l.Meant == (tocsin.Subject{}) {
		return why
	}
	if l.Meant.Kind != tocsin.EVM { // whose wrong checksum says as much
		why = p.Text(otherCase)
	}
	if meant == nil {
		return why
	}
	return p.Sentences(why, meantText(p, meant))
}

// Unread says why a text names no subject, and what to do: on the page of many, in its CSV, and by `tocsin screen`.
func Unread(p *locale.Printer, text string) string {
	switch {
	case strings.TrimSpace(text) == "":
		return p.Text("There is no address in this row.")
	case sheet.IsBlank(text):
		return p.Text("There is no address in this row: the cell says “%s”.", text)
	}
	if isHashOrKey(text) {
		return hashText(p)
	}
	if tocsin.FindSecret(text) != nil {
		return p.Text(secretText)
	}
	problem := problemOf(text)
	if problem == nil || problem.Kind == paste.NoSubject {
		return p.Text("This is no address and no website that we can read.")
	}
	switch problem.Kind {
	case paste.BankNumber: // of a customer, as a rule, and of no thief
		return p.Text("A bank account, a card or a name to pay to at a bank: such numbers are not screened here.")
	case paste.ENSName, paste.IPAddress, paste.MaybeSolana, paste.WrongLength:
		if says := problemText(p, paste.Addresses, *problem); says.Advice != "" {
			return p.Sentences(says.Text, says.Advice)
		}
	}
	return subjectText(p, *problem)
}
