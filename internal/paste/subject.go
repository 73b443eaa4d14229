package paste

import (
	"slices"
	"strings"

	"tocsin"
)

// maxQuestion is how many bytes the text for [Subject] may have.
const maxQuestion = 2000

// Subject returns the one address or domain in a text: also out of a link to a block
// explorer, out of groups of four digits, or out of a sentence.
func Subject(text string) (tocsin.Subject, *Problem) {
	none := tocsin.Subject{}
	if len(text) > maxQuestion {
		return none, &Problem{Kind: TooMany}
	}
	if text = tocsin.CleanText(text); tocsin.FindSecret(text) != nil {
		return none, &Problem{Kind: Secret}
	}
	digits := strings.TrimPrefix(strings.Join(strings.Fields(text), ""), "0x") // of groups of four
	if bareHex.MatchString(digits) {
		text = "0x" + digits
	}
	found := Read(Addresses, text)
	var subjects []tocsin.Subject
	var transaction bool
	handle := ""
	for _, item := range found.Items {
		if item.Field == Transactions {
			transaction = true
			continue
		}
		if item.Field == Handles {
			handle = item.Text
			continue
		}
		subject, fault := tocsin.ParseSubject(item.Text)
		if fault != nil {
			return none, &Problem{Kind: Invalid, Fault: fault}
		}
		if !slices.Contains(subjects, subject) {
			subjects = append(subjects, subject)
		}
	}
	switch {
	case len(subjects) == 1:
		return subjects[0], nil
	case len(subjects) > 1:
		return none, &Problem{Kind: SeveralSubjects}
	case handle != "":
		return none, &Problem{Kind: OnlyHandle, Text: handle}
	case transaction:
		return none, &Problem{Kind: OnlyTransaction}
	case len(found.Problems) > 0:
		return none, &found.Problems[0]
	}
	return none, &Problem{Kind: NoSubject}
}
