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

// accountServices are services of handles as people call them, but for x, which is also a word of one letter.
const accountServices = `telegram|tg|instagram|insta|ig|facebook|fb|messenger|discord|twitter`

// plainName matches a name that nobody takes for a word: with an @, or with a digit or an underscore in it.
const plainName = `@[0-9A-Za-z_.]*[0-9A-Za-z_]|[A-Za-z]+[0-9_][0-9A-Za-z_]*`

var (
	// serviceThen and thenService match a service and such a name without a mark between them, in both orders.
	serviceThen = regexp.MustCompile(`(?i)(?:^|[\s(,;])(` + accountServices + `)\s+(` + plainName + `)`)
	thenService = regexp.MustCompile(`(?i)(?:^|[\s(,;])(` + plainName + `)` +
		`(?:\s*[(–-]\s*|\s+(?:(?:on|en|auf|sur|em|no|via|por|par|bei)\s+)?)(` + accountServices + `)\b`)
	// takenName matches such a name at the end of a text, and the service before it.
	takenName = regexp.MustCompile(`(?i)(?:^|[\s(,;])(?:(` + accountServices + `)[\s:=]+)?(?:` + plainName + `)[\s(–-]*$`)
	// thenWhatsApp matches what is behind a number that is one of WhatsApp, and what follows that.
	thenWhatsApp = regexp.MustCompile(`(?i)^[ \x{a0}]*[(–-]?[ \x{a0}]*(?:(?:on|en|auf|sur|em|no|via|por|par|bei) )?` +
		`(?:whats ?app|wa)\b[ :(\x{a0}]*([+0]?)`)
	// besideHandle matches the words beside a handle that are said with it.
	besideHandle = regexp.MustCompile(`(?i)^(?:` + accountServices + `|whats ?app|wa|phone|tel|mobile|e-?mail|` +
		`on|en|auf|sur|em|no|via|por|par|bei|and|y|und|et|e|&|和)$`)
)

// maxName is how many bytes a name of an account has at most that is read without a mark between it and its service: an
// address, which may look the same, has more.
const maxName = 32

// besideService returns the handle of a name that is beside its service; "" if it is none.
func besideService(service, name string) string {
	if len(name) > maxName || isAccount(name) {
		return ""
	}
	service = strings.ToLower(service)
	return handleOf(cmp.Or(spokenServices[service], service) + ":" + name)
}

// spokenForms are the ways to name the account of a service within a text, in the order in which they are read, and how
// the handle is made of what they match and what is before it; "" for none.
var spokenForms = []struct {
	form *regexp.Regexp
	read func(m []string, before, after string) string
}{
	{serviceIn, func(m []string, _, after string) string {
		if strings.HasPrefix(after, "@") {
			return "" // an e-mail address
		}
		service := strings.ToLower(m[0])
		return handleOf(cmp.Or(spokenServices[service], service) + ":" + m[1])
	}},
	{serviceThen, func(m []string, before, _ string) string {
		if taken := takenName.FindStringSubmatch(before[max(0, len(before)-2*maxName):]); taken != nil && taken[1] == "" {
			return "" // the service is that of the name before it
		}
		return besideService(m[0], m[1])
	}},
	{thenService, func(m []string, _, _ string) string { return besideService(m[1], m[0]) }},
}

// taken takes what a form matches out of a text, if it is a handle, and returns what is left.
func taken(
	form *regexp.Regexp, text string, read func(m []string, before, after string) string, add func(string) bool,
) string {
	var places [][2]int
	for _, m := range form.FindAllStringSubmatchIndex(text, -1) {
		var groups []string
		for i := 2; i < len(m); i += 2 {
			groups = append(groups, text[m[i]:m[i+1]])
		}
		if add(read(groups, text[:m[2]], text[m[1]:])) {
			places = append(places, [2]int{m[0], m[1]})
		}
	}
	return cutOut(text, places, func(string) {})
}

// withoutDotted takes the names of accounts that may be taken for names of sites out of a text, such as lena.gold in
// "insta: lena.gold". Only what has its service before it is sure to be one.
func withoutDotted(text string) string {
	return taken(serviceIn, text, func(m []string, _, after string) string {
		if !strings.Contains(m[1], ".") || strings.HasPrefix(after, "/") || strings.HasPrefix(after, ":") {
			return ""
		}
		return besideService(m[0], m[1])
	}, func(handle string) bool { return handle != "" })
}

// nameWords are what people write before a name, in the languages of the pages.
const nameWords = `name|nombre|usuario|nome|usuário|nom|utilisateur|benutzer|姓名|名字|用户名`

var (
	// loneName matches a word that is a name of an account and nothing else, such as lena_trades88: it has letters first,
	// and is no longer than the names of most services.
	loneName = regexp.MustCompile(`^[A-Za-z][A-Za-z_]{2}[0-9A-Za-z_]{1,21}$`)
	// lowerLetter and markOfName match what such a name has, and a word or a code such as USDT500 has not.
	lowerLetter = regexp.MustCompile(`[a-z]`)
	markOfName  = regexp.MustCompile(`[0-9_]`)
)

// isLoneName reports whether a line is such a name alone, without its service and without an @.
func isLoneName(line string) bool {
	line = strings.TrimSpace(line)
	return loneName.MatchString(line) && lowerLetter.MatchString(line) && markOfName.MatchString(line) &&
		!hexRow.MatchString(line)
}

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
		for _, one := range spokenForms {
			part = taken(one.form, part, one.read, func(handle string) bool {
				if handle != "" {
					r.found(Handles, handle)
				}
				return handle != ""
			})
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
		!bankHandleIn().MatchString(word)
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

// phones takes the numbers of phones with the code of a country out of a line, each with the service before it at the
// beginning of the line, and returns what is left. A number that is all that is said of a service is left there.
func (r *reader) phones(line string) (rest string) {
	at := 0
	for _, m := range phoneIn.FindAllStringSubmatchIndex(line, -1) {
		from, typed := m[2], line[m[2]:m[3]]
		if said := spoken.FindStringSubmatch(line[:m[3]]); said != nil && said[3] == typed {
			if more := separators.Split(line[m[3]:], 2)[0]; strings.TrimSpace(more) == "" {
				continue
			}
			from = 0
		}
		if h := phoneHandle(typed, line[:m[2]], line[m[3]:]); h != "" {
			r.found(Handles, h)
			rest, at = rest+line[at:from]+" ", m[3]
		}
	}
	return rest + line[at:]
}
