package paste

import (
	"cmp"
	"strings"

	"tocsin"
)

// Private is what kind of thing a text is that may be its writer's own.
type Private uint8

// The kinds of what [Personal] finds.
const (
	Unsaid Private = iota // it cannot be told from the text alone
	OfMail
	OfPhone
	OfName
	OfHome
	OfBank
	OfPaper
	OfBirth
	OfPassword
	OfWallet
)

// PrivateKind returns the kind of what [Personal] has found. What somebody calls theirs is of the kind of what follows:
// the number in "my phone is …".
func PrivateKind(text string) Private {
	_, bank := withoutBankNumbers(text)
	matches := func(found []string) bool { return len(found) > 0 }
	switch {
	case mailIn.MatchString(text), saidMailIn().MatchString(text):
		return OfMail
	case passwordIn().MatchString(text):
		return OfPassword
	case bornIn().MatchString(text):
		return OfBirth
	case len(papersIn(text)) > 0:
		return OfPaper
	case NameIn(text) != "":
		return OfName
	case selfThen.MatchString(text), homeIn().MatchString(text), homeChineseIn().MatchString(text):
		return OfHome
	case isWallet(text):
		return OfWallet
	case matches(bank):
		return OfBank
	case Phone(text) != "", matches(localPhones(text)), isPhoneOf(text):
		return OfPhone
	}
	return Unsaid
}

// LeadOf returns the words before what is private in a text that [Personal] has found, as in "My name is "; "" for
// none.
func LeadOf(text string) string {
	what := cmp.Or(NameIn(text), Core(text))
	if what == "" {
		return ""
	}
	return text[:strings.LastIndex(text, what)]
}

// isWallet reports whether a text is the address of an account behind words that call it somebody's own.
func isWallet(text string) bool {
	_, fault := tocsin.ParseAccount(Core(text))
	return fault == nil
}

// isPhoneOf reports whether a text is the number of a phone behind words that call it somebody's own.
func isPhoneOf(text string) bool {
	number := Core(text)
	said := strings.TrimSuffix(text, number)
	return number != "" && number != text && (Phone(number) != "" || phoneWordsThen().MatchString(said))
}
