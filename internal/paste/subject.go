package paste

import (
	"regexp"
	"slices"
	"strings"

	"tocsin"
)

// maxQuestion is how many bytes the text for [Subject] may have.
const maxQuestion = 2000

var (
	// otherTx matches the hash of a transaction without 0x, as Bitcoin, Tron and Solana have it, in a link to it or
	// behind a word that says what it is. Without one it may be a private key.
	otherTx = regexp.MustCompile(`(?:^|\b)(?i:tx|txid|transaction|hash)s?[/:=# ]+` +
		`([0-9A-Fa-f]{64}|[1-9A-HJ-NP-Za-km-z]{86,88})\b`)
	// phone matches a number of a phone with its country code.
	phone = regexp.MustCompile(`^(?:(?i)(tel|phone|sms|whatsapp)[: ]+)?` +
		`((?:\+|00|\(\+|\(00)[0-9][0-9 ()./\x{a0}\x{2010}-\x{2013}-]{5,30})$`)
)

// Phone returns the handle of a text that is a number of a phone, with + or 00 and the country code before it, however
// its digits are grouped; otherwise "".
func Phone(text string) string {
	m := phone.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return ""
	}
	service := "phone"
	if strings.EqualFold(m[1], "whatsapp") {
		service = "whatsapp"
	}
	number := strings.ReplaceAll(m[2], "(0)", "") // it is not dialled after a country code
	number = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r == '+' {
			return r
		}
		return -1
	}, number)
	h, fault := tocsin.ParseHandle(service + ":" + number)
	if fault != nil {
		return ""
	}
	return h.String()
}

// Subject returns the one address or domain in a text: also out of a link to a block
// explorer, out of groups of four digits, or out of a sentence.
func Subject(text string) (tocsin.Subject, *Problem) {
	if len(text) > maxQuestion {
		return tocsin.Subject{}, &Problem{Kind: TooMany}
	}
	rest, numbers := withoutBankNumbers(withoutDotted(text))
	subject, problem := subjectIn(rest)
	if len(numbers) > 0 && problem != nil && problem.Kind.Searchable() {
		problem = &Problem{Kind: BankNumber}
	}
	return subject, problem
}

// subjectIn is [Subject] without numbers of banks.
func subjectIn(text string) (tocsin.Subject, *Problem) {
	none := tocsin.Subject{}
	text = WithoutConnects(tocsin.CleanText(text))
	if strings.TrimSpace(text) == connectMark {
		return none, &Problem{Kind: ConnectRequest}
	}
	switch said, hash := saidHash(text); {
	case said:
		return none, &Problem{Kind: OnlyTransaction, Text: hash}
	case hash != "":
		return none, &Problem{Kind: MaybeKey, Text: hash}
	case tocsin.FindSecret(text) != nil:
		return none, &Problem{Kind: Secret}
	}
	if chain := tocsin.OtherChain(text); chain != "" {
		return none, &Problem{Kind: OtherChain, Text: chain}
	}
	digits := strings.TrimPrefix(strings.Join(strings.Fields(text), ""), "0x") // of groups of four
	if bareHex.MatchString(digits) {
		text = "0x" + digits
	}
	if number := Phone(text); number != "" {
		return none, &Problem{Kind: OnlyHandle, Text: number}
	}
	found := Read(Addresses, text)
	var subjects []tocsin.Subject
	handle, transaction, other := "", "", ""
	if m := otherTx.FindStringSubmatch(text); m != nil { // of a chain that is not of the EVM
		if _, aside, _ := setAside(text); aside {
			return none, &Problem{Kind: OnlyTransaction, Text: m[1]}
		}
		other = m[1]
	}
	for _, item := range found.Items {
		if item.Field == Transactions {
			transaction = item.Text
			continue
		}
		if item.Field == Handles {
			handle = item.Text
			continue
		}
		subject, fault := tocsin.ParseSubject(item.Text)
		if fault != nil {
			return none, &Problem{Kind: Invalid, Text: item.Text, Address: item.Text, Fault: fault}
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
	case other != "": // in a link to another site than a known block explorer
		return none, &Problem{Kind: OnlyTransaction, Text: other}
	case handle != "":
		return none, &Problem{Kind: OnlyHandle, Text: handle}
	case transaction != "":
		return none, &Problem{Kind: OnlyTransaction, Text: transaction}
	case len(found.Problems) > 0:
		return none, &found.Problems[0]
	}
	return none, &Problem{Kind: NoSubject}
}
