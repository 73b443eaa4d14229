package sheet

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"

	"tocsin"
	"tocsin/internal/paste"
)

// holding is what a cell holds.
type holding int

const (
	empty holding = iota
	words
	site
	nearly
	account
)

// blanks are cells that say that there is nothing.
var blanks = regexp.MustCompile(`(?i)^[-–—?./\s]*$|^(?:n/?a|n\.\s?a\.?|none|null|nil|unknown|#N/A|tbd|k\.\s?A\.?)$`)

// IsBlank reports whether a cell says that there is nothing.
func IsBlank(cell string) bool { return len(cell) < 10 && blanks.MatchString(cell) }

// shortest is how many characters an account has at least that has no prefix: one of the XRP Ledger.
const shortest = 25

var (
	// accountForm matches what was probably meant as an account without a prefix. Numbers of bank accounts (IBAN) have
	// capitals, and numbers of things have hyphens.
	accountForm = regexp.MustCompile(`^(?:0x[0-9a-zA-Z]{2,62}|[0-9a-zA-Z]{25,63}|[0-9a-zA-Z]{90,110})$`)
	bankForm    = regexp.MustCompile(`^(?:[A-Z]{2}[0-9]{2}[0-9A-Z]+|[0-9]+|[A-Za-z]+)$`)
)

// One is the line of a text that names one subject, or should, perhaps with a label beside it: "USDT (TRC20): T…". Of
// the options it takes those that are about texts.
func One(text string, o Options) Line {
	l := Line{Text: text}
	if l.Subject, l.Fault = read(text); l.Fault != nil {
		if account, found := labelled(text); found {
			l.Subject, l.Fault = account, nil
		} else if t, ok := paste.ReadTransfer(text); ok && o.Token != nil && o.Token(t) {
			l.Subject, l.Fault = t.Payee, nil
		} else if subject, bare := tocsin.BareSolana(text); bare && o.Solana != nil && o.Solana(subject) {
			l.Subject, l.Fault, l.Solana = subject, nil, true
		}
	}
	if o.Respelled == nil || l.Fault == nil && l.Subject.Kind != tocsin.Solana {
		return l
	}
	typed := text
	if l.Fault != nil {
		typed = cmp.Or(paste.Mistyped(text), text)
	} else if strings.Contains(text, "/") { // a link to an account of Solana
		typed = l.Subject.String()
	}
	if l.Meant = o.Respelled(typed); l.Meant != (tocsin.Subject{}) && l.Fault == nil {
		l.Subject, l.Solana, l.Fault = tocsin.Subject{}, false, tocsin.RespelledFault(l.Meant)
	}
	return l
}

// groups matches the digits of an EVM address, perhaps without 0x and in groups.
var groups = regexp.MustCompile(`^(?:0[xX])?[\s\x{a0}]*((?:[0-9A-Fa-f][\s\x{a0}]*){40})$`)

// read reads a text as [paste.Cell] does, and an EVM address also if its digits have no 0x before them or are in
// groups, as some programs export them and some people write them. In a list nothing else has this form.
func read(text string) (tocsin.Subject, *tocsin.Error) {
	subject, fault := paste.Cell(text)
	if fault == nil || len(text) > maxCell {
		return subject, fault
	}
	if m := groups.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		digits := strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}, m[1])
		return tocsin.ParseSubject("0x" + digits)
	}
	return subject, fault
}

// held returns what a cell holds, and the subject if it is one. A bare address of Solana counts as an account.
func held(cell string) (holding, tocsin.Subject) {
	switch {
	case IsBlank(cell):
		return empty, tocsin.Subject{}
	case len(cell) < shortest && !strings.ContainsAny(cell, ".:") && isASCII(cell):
	case strings.Contains(cell, "@") && !strings.Contains(cell, "/"): // an e-mail address
	default:
		subject, fault := paste.Cell(cell)
		if fault != nil && strings.Contains(cell, " ") { // not without: a checksum of something else has 40 digits, too
			subject, fault = read(cell)
		}
		if fault == nil && subject.IsAddress() {
			return account, subject
		} else if fault == nil {
			return site, subject
		}
		if subject, bare := tocsin.BareSolana(cell); bare {
			return account, subject
		}
		if t, ok := paste.ReadTransfer(cell); ok {
			return account, t.Payee
		}
	}
	if accountForm.MatchString(cell) && !bankForm.MatchString(cell) {
		return nearly, tocsin.Subject{}
	}
	return words, tocsin.Subject{}
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > 127 })
}

// longWord matches what may be an account in a text.
var longWord = regexp.MustCompile(`[0-9A-Za-z:]{25,110}`)

// accountsIn are the accounts that a cell names, also within a text.
func accountsIn(cell string) (all []tocsin.Subject) {
	if len(cell) < shortest {
		return nil
	}
	if h, subject := held(cell); h == account {
		return []tocsin.Subject{subject}
	}
	for _, word := range longWord.FindAllString(cell, maxCells) {
		if h, subject := held(word); h == account {
			all = append(all, subject)
		}
	}
	return all
}

// labelled returns the only account within a text, if it has one, nothing like another one, and no secret.
func labelled(text string) (only tocsin.Subject, found bool) {
	if tocsin.FindSecret(text) != nil || paste.CallsContract(text) {
		return only, false
	}
	for _, word := range longWord.FindAllString(text, maxCells) {
		subject, fault := read(word)
		if fault != nil { // ETH:0x…
			subject, fault = read(word[strings.LastIndexByte(word, ':')+1:])
		}
		switch {
		case fault != nil && !accountForm.MatchString(word) || fault == nil && !subject.IsAddress():
		case fault != nil || found && subject != only: // it is not known which is meant
			return only, false
		default:
			only, found = subject, true
		}
	}
	return only, found
}
