package paste

import (
	"regexp"
	"strings"
	"sync"
)

var (
	// numberIn matches digits, perhaps in groups, that may be the number of a card or of an account.
	numberIn = regexp.MustCompile(`\b[0-9](?:[ -]?[0-9]){14,17}\b`)
	// sortCodeIn matches the sort code of a British bank with the number of an account beside it.
	sortCodeIn = later(`\b(?:` + sortCode + `|[0-9]{2} [0-9]{2} [0-9]{2})[ ,/]{1,3}[0-9]{4}[ -]?[0-9]{4}\b|` +
		`\b[0-9]{4}[ -]?[0-9]{4}[ ,/]{1,3}` + sortCode + `\b`)
	// abroad matches the code of a country and what follows it, before other digits of the number of a phone.
	abroad = regexp.MustCompile(`\+[0-9 ()-]*$`)
	// bankWordsIn matches a number behind words that call it one of a bank, in the languages of the pages: of an account,
	// a branch, a card, a customer, or the name of a user.
	bankWordsIn = later(`(?i)(?:\b(?:a/c|s/c|acct|acc|account|ac (?:no|number)|sort ?code|sc|routing|aba|` +
		`bsb|ifsc|iban|cbu|cvu|clabe|blz|rib|konto|kontonummer|kto|bankleitzahl|cuenta|tarjeta|conta|ag[eê]ncia|` +
		`cart[aã]o|compte|carte|card|user(?: ?name| ?id)?|login|customer|usuario|cliente|benutzer(?:name|kennung)?|` +
		`nutzername|anmeldename|kundennummer|utilisateur|identifiant|client|usu[aá]rio|utilizador)|` +
		`银行(?:账|帐)[号户]|银行卡号?|收款(?:账|帐)号|卡号|用户名|客户号|登录名)` +
		`(?: bancaria| banc[aá]ria| bancaire| corrente| corriente)?` +
		`(?: ?(?:n[oº°r]|num|number|n[uú]mero|nummer|code|is|es|ist|é|est))*` +
		`[ \t.:：=#-]*(?:[A-Z]{2})?[0-9](?:[ -]?[0-9xX]){5,22}\b`)
	// bankCodeIn matches codes of banks with letters: IFSC of India, and BIC (ISO 9362) behind a word that says so.
	bankCodeIn = later(`(?:\bIFSC(?:(?i: code))?[ \t.:=-]*(?i:[A-Z]{4}0[0-9A-Z]{6})|\b[A-Z]{4}0[0-9]{6}|` +
		`\b(?i:bic|swift)(?i:[ /](?:code|bic|swift))*[ \t.:=-]*[A-Z]{6}[0-9A-Z]{2}(?:[0-9A-Z]{3})?)\b`)
	// bankHandleIn matches what people pay to without the number of an account: a UPI ID of India, also as a link, and
	// a random key of Pix in Brazil.
	bankHandleIn = later(`(?i)(?:\bupi://\S+|\b(?:upi|vpa|bhim|g ?pay|google ?pay|phone ?pe|paytm)(?: ?id)?` +
		`[ \t:=-]*[0-9a-z._-]{2,}@[a-z][0-9a-z]+\b|` +
		`\bpix\b[^\n@]{0,20}?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b)`)
	// goesOn matches what is behind the name in an e-mail address, and is not behind a UPI ID.
	goesOn = regexp.MustCompile(`^(?:\.[\pL\pN]|@)`)
	// dayIn matches a day, which is no number of an account.
	dayIn = regexp.MustCompile(`(?:\b\d{4}-\d\d?-\d\d?|\b\d\d?-\d\d?-\d{4})$`)
	// ofService matches words that say that an account is not one of a bank.
	ofService = later(`(?i)\b(?:whats ?app|telegram|tg|phone|tel|mobile|instagram|insta|ig|facebook|fb|` +
		`messenger|discord|twitter|x|qq|wechat|wallet)\b`)
)

// sortCode is the number of a branch of a British bank.
const sortCode = `[0-9]{2}[-\x{2010}-\x{2013}][0-9]{2}[-\x{2010}-\x{2013}][0-9]{2}`

// later compiles a form when it is first needed: every command would wait for it at its start.
func later(form string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(form) })
}

// withoutBankNumbers takes the numbers of bank accounts (IBAN of ISO 13616, CLABE of Mexico) and of cards (ISO/IEC
// 7812) out of a text, which are told by their check digits, British sort codes with an account, and what words beside
// it call the account, the branch or the payment handle of a bank. It comes before numbers of phones are looked for,
// since some of their digits have the form of one: they may be the writer's own, and must not become public as
// somebody's phone.
func withoutBankNumbers(text string) (rest string, found []string) {
	add := func(number string) { found = append(found, number) }
	rest = cutOut(text, ibansIn(text), add)
	take := func(form *regexp.Regexp, of func(before, match, after string) (length int)) {
		var places [][2]int
		for _, m := range form.FindAllStringIndex(rest, -1) {
			if n := of(rest[:m[0]], rest[m[0]:m[1]], rest[m[1]:]); n > 0 {
				places = append(places, [2]int{m[0], m[0] + n})
			}
		}
		rest = cutOut(rest, places, add)
	}
	take(numberIn, func(before, match, _ string) int {
		if strings.HasSuffix(before, "+") {
			return 0
		}
		for n := len(match); n > 0; n = strings.LastIndexAny(match[:n], " -") { // the day it ends may be behind a card
			digits := strings.NewReplacer(" ", "", "-", "").Replace(match[:n])
			if isCard(digits) || isCLABE(digits) {
				return n
			}
		}
		return 0
	})
	take(sortCodeIn(), func(before, match, _ string) int {
		if abroad.MatchString(before[max(0, len(before)-maxBefore):]) {
			return 0
		}
		return len(match)
	})
	for _, form := range []*regexp.Regexp{bankHandleIn(), bankCodeIn(), bankWordsIn()} {
		take(form, func(before, match, after string) int {
			line := before[strings.LastIndexByte(before, '\n')+1:]
			if ofService().MatchString(line[max(0, len(line)-maxBefore):]) || goesOn.MatchString(after) ||
				dayIn.MatchString(match) {
				return 0
			}
			return len(match)
		})
	}
	return rest, found
}
