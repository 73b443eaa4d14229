package paste

import (
	"cmp"
	"regexp"
	"strings"

	"tocsin"
)

var (
	// spoken is a handle as people write one: the service, perhaps a colon, the name.
	spoken = regexp.MustCompile(`(?i)^(?:(telegram|tg|whats ?app|wa|phone|tel|mobile|instagram|insta|ig|facebook|fb|` +
		`messenger|discord|twitter|e-?mail)(?:\s*[:=–-]\s*|\s+)|(x|` + nameWords + `)\s*[:=：]\s*)(.+)$`)
	number = regexp.MustCompile(`^\(?(\+|00)?[0-9][0-9 ().-]{5,20}$`)
	// localIn matches what may be the number of a phone without the code of a country within a text.
	localIn = regexp.MustCompile(`(?:^|\s)(\(?[0-9](?:[ ()-]{0,2}[0-9]){8,12})(?:$|[\s,;])`)
)

// nameWords are what people write before a name, in the languages of the pages.
const nameWords = `name|nombre|usuario|nome|usuário|nom|utilisateur|benutzer|姓名|名字|用户名`

// spokenServices are services of handles by other names that people call them.
var spokenServices = map[string]string{
	"tg": "telegram", "whats app": "whatsapp", "wa": "whatsapp", "tel": "phone", "mobile": "phone", "insta": "instagram",
	"ig": "instagram", "fb": "facebook", "messenger": "facebook", "twitter": "x", "e-mail": "email",
}

// readHandles takes the handles of a line that are more than a word: a phone number with spaces, a name with the
// service before it. It returns the words that are left. In a link nothing is looked for.
func (r *reader) readHandles(line string, words []string) []string {
	if len(line) > maxThing {
		return words
	}
	var links, others []string
	for word := range strings.FieldsSeq(line) {
		if isLink(word) {
			links = append(links, word)
		} else {
			others = append(others, word)
		}
	}
	line, numbers := withoutBankNumbers(strings.Join(others, " "))
	if len(numbers) > 0 {
		r.wrong(Problem{Kind: BankNumber})
	}
	var rest []string
	for _, part := range separators.Split(r.phones(line), -1) {
		part = strings.TrimSpace(part)
		service, name := "", part
		if m := spoken.FindStringSubmatch(part); m != nil {
			if service, name = strings.ToLower(m[1]+m[2]), m[3]; m[2] != "" && service != "x" {
				service = "name"
			}
		} else if m := number.FindStringSubmatch(part); m != nil && !strings.Contains(part, ".") {
			service = "phone"
			if m[1] == "" {
				if countDigits(part) > maxPhone { // with a wrong digit, perhaps
					r.wrong(Problem{Kind: BankNumber})
				} else {
					r.wrong(Problem{Kind: NoCountryCode, Text: part})
				}
				continue
			}
		}
		if service != "" {
			h, fault := tocsin.ParseHandle(cmp.Or(spokenServices[service], service) + ":" + name)
			if fault == nil {
				r.found(Handles, h.String())
				continue
			}
		}
		rest = append(rest, part)
	}
	left := strings.Join(rest, " ")
	if m := localIn.FindStringSubmatch(left); m != nil && !day.MatchString(m[1]) {
		r.wrong(Problem{Kind: NoCountryCode, Text: m[1]})
	}
	return append(split(strings.Join(links, " "), maxThings), split(left, maxThings)...)
}

// isLink reports whether a word is a link, or a part of one, rather than words such as A/c and 24/7.
func isLink(word string) bool {
	return strings.Contains(word, "/") && strings.ContainsAny(tocsin.Refang(trimPunctuation(word)), ".:") &&
		!bankHandleIn.MatchString(word)
}

// maxPhone is how many digits the number of a phone has at most, with the code of its country: ITU-T E.164, section 6.
const maxPhone = 15

func countDigits(text string) (n int) {
	for i := range len(text) {
		if text[i] >= '0' && text[i] <= '9' {
			n++
		}
	}
	return n
}

// phones takes the numbers of phones with the code of a country out of a line, and returns what is left.
func (r *reader) phones(line string) (rest string) {
	at := 0
	for _, m := range phoneIn.FindAllStringSubmatchIndex(line, -1) {
		if h := phoneHandle(line[m[2]:m[3]], line[:m[2]], line[m[3]:]); h != "" && !spoken.MatchString(line[:m[3]]) {
			r.found(Handles, h)
			rest, at = rest+line[at:m[2]]+" ", m[3]
		}
	}
	return rest + line[at:]
}
