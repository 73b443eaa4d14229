package paste

import (
	"regexp"
	"strings"
)

var (
	mailIn = regexp.MustCompile(`(?i)\b[a-z0-9][a-z0-9._%+-]*@[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}\b`)
	// localPhoneIn matches what may be the number of a phone as people write it in their own country.
	localPhoneIn = regexp.MustCompile(`(?:^|[\s(,:;])(\(?[0-9](?:[ ()./-]?[0-9]){8,10})(?:$|[\s),.;])`)
	// paperIn matches numbers of identity papers that have a form of their own: CURP of Mexico, DNI and NIE of Spain, CPF
	// of Brazil, PAN of India.
	paperIn = regexp.MustCompile(`\b(?:[A-Z]{4}[0-9]{6}[HMX][A-Z]{5}[0-9A-Z][0-9]|[0-9XYZ][0-9]{7}[A-Z]|` +
		`[A-Z]{3}[ABCFGHLJPT][A-Z][0-9]{4}[A-Z]|` +
		`[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2})\b`)
	// selfIn matches where somebody says who they are or where they live, and what follows.
	selfIn = regexp.MustCompile(`(?i)(?:^|[^\pL])((?:my name is|i am called|i live (?:in|at|on)|me llamo|mi nombre es|` +
		`vivo en|mi direcci[óo]n es|ich hei(?:ß|ss)e|mein name ist|ich wohne|je m.appelle|mon nom est|j.habite|me chamo|` +
		`meu nome [ée]|moro (?:em|na|no)|我叫|我住在?)\s?[^\n.,;，。]{2,40})`)
	// mineIn matches what somebody calls their own, and what it is.
	mineIn = regexp.MustCompile(`(?i)(?:^|[^\pL])((?:(?:my|mi|meine?|mon|ma|meu|minha)\s|我的)\s?` +
		`(?:[\pL.-]+\s?){1,3}[:=]?\s?(?:@[\w.]{3,40}|[+(]?[0-9](?:[ ()./-]?[0-9]){6,20}|[0-9A-Za-z]{26,70}))`)
	// nameIsIn matches where somebody gives a name of two words or more as their own.
	nameIsIn = regexp.MustCompile(`(?:^|[^\pL])((?i:soy|sou|i am|i.m|ich bin|je suis) \p{Lu}\pL+(?: \p{Lu}\pL+){1,3})`)
)

// Personal returns what in a story may be its writer's own, and would help others to rob them a second time: e-mail
// addresses, numbers of phones, of bank accounts (IBAN of ISO 13616, CLABE of Mexico), of cards (ISO/IEC 7812) and of
// identity papers, names and places behind "I am called" and "I live in", and what is called "my" phone, wallet or
// account. The numbers of accounts and cards are recognised by their check digits.
func Personal(text string) (found []string) {
	seen := map[string]bool{}
	add := func(one string) {
		if one = strings.TrimSpace(one); !seen[one] {
			seen[one], found = true, append(found, one)
		}
	}
	for _, form := range []*regexp.Regexp{selfIn, nameIsIn, mineIn, paperIn} {
		text = form.ReplaceAllStringFunc(text, func(one string) string {
			add(strings.TrimLeft(one, " \n\t.,;:(¡¿"))
			return " " // nothing of it is shown twice
		})
	}
	for _, mail := range mailIn.FindAllString(text, -1) {
		add(mail)
	}
	text, numbers := withoutBankNumbers(text)
	for _, number := range numbers {
		add(number)
	}
	said := map[string]bool{}
	for _, m := range phoneIn.FindAllStringSubmatchIndex(text, -1) {
		if phoneHandle(text[m[2]:m[3]], text[:m[2]], text[m[3]:]) != "" {
			add(text[m[2]:m[3]])
			_, local, _ := strings.Cut(text[m[2]:m[3]], " ")
			said[local] = true // without its country
		}
	}
	for _, m := range localPhoneIn.FindAllStringSubmatch(text, -1) {
		if !day.MatchString(m[1]) && !strings.Contains(m[1], ".") && !said[m[1]] {
			add(m[1])
		}
	}
	return found
}
