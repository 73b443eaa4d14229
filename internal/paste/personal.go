package paste

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

var (
	// mailIn matches an e-mail address, also with a space on both sides of the @, or on one before a known host.
	mailIn = regexp.MustCompile(`(?i)\b[a-z0-9][a-z0-9._%+-]*(?:(?:[@＠]|[ \x{a0}]@[ \x{a0}])[a-z0-9-]+(?:\.[a-z0-9-]+)*` +
		`\.|[ \x{a0}]?@[ \x{a0}]?(?:` + freeMail + `)(?:\.| \. ?))[a-z]{2,}\b`)
	// selfIn matches where somebody says who they are or where they live, and what follows.
	selfIn = regexp.MustCompile(`(?i)(?:^|[^\pL])((?:` + selfWords + `)\s?[^\s.,;，。\[][^\n.,;，。]{1,39})`)
	// selfThen matches the words with which somebody says who they are, at the beginning of a text.
	selfThen = regexp.MustCompile(`(?i)^(?:` + selfWords + `)\s?`)
	// moreOfPlace matches what follows the beginning of an address behind a comma: the floor, the door, the town. Without
	// the number of a house only a name alone does.
	moreOfPlace = regexp.MustCompile(`^(?:, ?` + placeWord + `(?: ` + placeWord + `){0,5})+`)
	nameOfPlace = regexp.MustCompile(`^, ?\p{Lu}[\pL'’-]+` +
		`(?: (?:(?:de|del|la|el|los|am|an der|do|da) )?\p{Lu}[\pL'’-]+){0,2}` +
		`(?:[.,;\n]|$)`)
	// thenHouse matches the number of a house behind a comma.
	thenHouse = regexp.MustCompile(`^, ?(?:n(?:[uú]m(?:ero)?)?[.ºo°]* ?)?[0-9]+\pL?(?:[,.;\n]|$| [0-9]|` +
		` (?:de |\p{Lu}|(?i:piso|puerta|planta|bajo)))`)
	// thenAlso matches what begins another sentence behind who somebody is.
	thenAlso = regexp.MustCompile(` (?:y|e|and|but|pero|und|aber|et|mais|mas) \p{Ll}`)
	// moreOfIt matches how a word or a number goes on that was cut.
	moreOfIt = regexp.MustCompile(`^(?:[\pL\pN]+|[ ./-]?[0-9]+)`)
	// mineIn matches what somebody calls their own, and what it is.
	mineIn = regexp.MustCompile(`(?i)(?:^|[^\pL])((?:(?:my|mi|meine?|mon|ma|meu|minha)\s|我的)\s?` +
		`(?:[\pL.-]+\s?){1,3}[:=]?\s?(@[\w.]{3,40}|[+(]?[0-9](?:[ ()./-]?[0-9]){6,33}|[0-9A-Za-z]{26,70}))`)
)

// freeMail are hosts of e-mail addresses that anybody can have, without their last label.
const freeMail = `gmail|hotmail|outlook|yahoo|icloud|proton|protonmail|gmx|web|live|msn`

// selfWords are words with which somebody says who they are or where they live, in the languages of the pages.
const selfWords = calledWords + `|i live (?:in|at|on)|vivo en|mi direcci[óo]n es|ich wohne|j.habite|` +
	`moro (?:em|na|no)|我住在?|` +
	`i.m living (?:in|at|on)|i reside (?:in|at)|resido e[nm]|domiciliad[oa] en|mi casa est[áa] en|ich lebe in|` +
	`wohnhaft(?: in)?|je vis [àa]|je r[ée]side|vivo em|家住在?`

// placeWord is a word of an address: a number with or without a letter, a name, a part of a building.
const placeWord = `(?:` + postcode + `|[0-9]{1,2}\. ?(?i:etage|stock|og)\b|` +
	`[0-9]+(?:[-/][0-9]+)?(?:[ºª°]| ?[ºª°])?(?:\pL|er|ème|e|th|st|nd|rd)?\b[ºª°]?|` +
	`(?:\p{Lu}\p{Ll}{0,2}\.|\p{Lu}[\pL'’-]*(?:/[A-Z]{2}\b)?)|` +
	`(?i:piso|puerta|planta|bajos?|izq\.?|izd[ao]\.?|dch[ao]\.?|izquierda|derecha|portal|escalera|esc\.|bloque|[aá]tico|` +
	`entresuelo|entlo\.?|primer[oa]|segund[oa]|tercer[oa]|cuart[oa]|quint[oa]|sext[oa]|s[eé]ptim[oa]|octav[oa]|` +
	`noven[oa]|d[eé]cim[oa]|n[uú]m(?:ero)?\.?|floor|flat|apartamento|apto\.?|appt\.?|ap[t.]?\.?|apartment|unit|stock|` +
	`[eéed]g\.|og\.?|etage|étage|appartement|bis|andar|bloco|lote|bairro|n[ºo°.]+|cp|cep)|` +
	`(?:de|del|la|las|los|el|am|an|der|do|da|dos)\b)`

// Personal returns what in a story may be its writer's own, and would help others to rob them a second time: e-mail
// addresses, numbers of phones, of bank accounts (IBAN of ISO 13616, CLABE of Mexico), of cards (ISO/IEC 7812) and of
// identity papers, home addresses, names and places behind "I am called" and "I live in", and what is called "my"
// phone, wallet or account. The numbers of accounts and cards are recognised by their check digits. None is cut.
func Personal(text string) (found []string) {
	seen := map[string]bool{}
	add := func(one string) {
		if one = strings.TrimSpace(one); !seen[one] {
			seen[one], found = true, append(found, one)
		}
	}
	for at := 0; ; {
		m := selfIn.FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		from, to := at+m[2], at+m[2]+endOfSelf(text[at+m[2]:], m[3]-m[2])
		to = endOfNumbers(text, from, to)
		add(text[from:to])
		text = text[:from] + " " + text[to:]
		at = from
	}
	text = withoutHomes(text, add)
	any := func(string, string) bool { return true }
	text = withoutNames(text, found, add) // nothing of it is shown twice
	text = takeOut(mineIn, text, endOfLetter, any, add)
	text = withoutPapers(text, add)
	text = takeOut(passwordIn(), text, endAsIs, any, add)
	text = takeOut(bornIn(), text, endAsIs, any, add)
	for _, mail := range append(mailIn.FindAllString(text, -1), saidMailIn().FindAllString(text, -1)...) {
		add(mail)
	}
	text, numbers := withoutBankNumbers(text)
	for _, number := range numbers {
		add(number)
	}
	said := map[string]bool{}
	rest := taken(phoneIn, text, func(m []string, before, after string) string {
		return phoneHandle(m[0], before, after)
	}, func(handle string) bool { return handle != "" })
	for _, m := range phoneIn.FindAllStringSubmatchIndex(text, -1) {
		if phoneHandle(text[m[2]:m[3]], text[:m[2]], text[m[3]:]) != "" {
			add(text[m[2]:m[3]])
			_, local, _ := strings.Cut(text[m[2]:m[3]], " ")
			said[local] = true // without its country
		}
	}
	for _, number := range localPhones(rest) {
		if !said[number] {
			add(number)
		}
	}
	return found
}

// endAsIs is where a text ends of which so much was matched.
func endAsIs(_ string, cut int) int { return cut }

var (
	// passwordIn matches a password behind a word that says so and "is", or a colon, or behind the word alone if it is
	// letters and then a digit. One that is written as words alone is told from "my password was
	// stolen" by a digit or a sign in it.
	passwordIn = later(`(?i:^|[^\pL]|的)((?i:password|passwort|kennwort|passcode|contrase[ñn]a|senha|mot de passe|` +
		`palavra-passe|密码)(?:(?i:(?: (?:de|of|for|on|en|do|da|du|von|für|bei|pour|no|na) (?:\pL+ )?\pL+)?` +
		`(?: ?[:=：]| (?:is|was|es|era|ist|war|lautet|est|était|é)[:=]?| ?是)) ?` +
		`["“«'„]?(?:[^\s0-9.,;]*[0-9!#$%&*+_@-][^\s,;”»"“]*[^\s.,;”»"“]|[^\s.,;]*[0-9!#$%&*+_@-])|` +
		` ["“«'„]?\pL{3,}[0-9][^\s.,;”»"“]*))`)
	// bornIn matches the day on which somebody says that they were born.
	bornIn = later(`(?:^|[^\pL])((?i:am )?[0-9]{1,2}\. ?(?:[0-9]{1,2}\.|\p{Lu}\pL{2,8}) ?[0-9]{4} geboren\b|` +
		`(?i:(?:i was |i.m |i am )?born(?: on)?|(?:nac[íi]|nacid[oa])(?: el)?(?: d[íi]a)?|` +
		`(?:nasci|nascid[oa])(?: em| no dia| a)?|` +
		`(?:je suis )?née?(?: le)|geb(?:oren|\.)(?: am)?|date of birth(?: is|:)?|dob:?|fecha de nacimiento(?: es|:)?|` +
		`data de nascimento(?: é|:)?|geburtsdatum:?|date de naissance(?: est|:)?|我?(?:出生于|生日是)|出生日期(?:是|：|:)) ?` +
		`(?:the )?(?:[0-9]{1,4}[-/. ][0-9]{1,2}[-/. ][0-9]{1,4}|` +
		`(?i:[0-9]{1,2}(?:st|nd|rd|th|er)?\.?(?: de| of)? \pL{3,10}(?: de| of| del)?,? ['’]?[0-9]{2}(?:[0-9]{2})?\b|` +
		`\pL{3,10} [0-9]{1,2}(?:st|nd|rd|th)?,? [0-9]{4})|` +
		`[0-9]{4}年[0-9]{1,2}月[0-9]{1,2}日))`)
)

// endOfSelf is where a text ends in which somebody says who they are or where they live, of which so much was matched.
func endOfSelf(text string, end int) int {
	if m := thenAlso.FindStringIndex(text[:min(end+maxBefore, len(text))]); m != nil && m[0] < end {
		return m[0]
	}
	for end < len(text) {
		more := moreOfIt.FindString(text[end:])
		last, _ := utf8.DecodeLastRuneInString(text[:end])
		begins := more != "" && strings.IndexByte(" ./-", more[0]) >= 0 // another word
		if more == "" || begins && !unicode.IsDigit(last) || !unicode.IsLetter(last) && !unicode.IsDigit(last) {
			break
		}
		end += len(more)
	}
	if home := endOfHome(text, end); home > end {
		return endOfTown(text, home)
	}
	if strings.ContainsAny(text[:end], "0123456789") || thenHouse.MatchString(text[end:]) {
		end = endOfWord(text, end+len(strings.TrimRight(moreOfPlace.FindString(text[end:]), ".")))
		return endOfTown(text, end)
	}
	return end + len(strings.TrimRight(nameOfPlace.FindString(text[end:]), ".,;\n"))
}

// Core is what somebody's own words are about: the number behind "my phone is", the place behind "I live in"; "" if it
// may be a word of any text, and of a name, which [NameIn] finds.
func Core(text string) string {
	if m := mineIn.FindStringSubmatchIndex(text); m != nil && m[2] == 0 && endOfLetter(text, m[3]) == len(text) {
		from := m[4]
		for _, one := range slices.Concat(ibansIn(text), papersIn(text)) {
			from = min(from, one[0])
		}
		return text[from:]
	}
	if at := selfThen.FindStringIndex(text); at != nil && NameIn(text) == "" &&
		strings.Contains(strings.TrimSpace(text[at[1]:]), " ") {
		return strings.TrimSpace(text[at[1]:])
	}
	return ""
}

// PersonalInLink returns what in a link may be its writer's own: e-mail addresses, and in what follows the path numbers
// of phones, accounts and cards.
func PersonalInLink(link string) (found []string) {
	text := unescaped(link)
	at := strings.IndexAny(text, "?#")
	if at < 0 {
		return mailIn.FindAllString(text, -1)
	}
	found = mailIn.FindAllString(text[:at], -1)
	asked := strings.NewReplacer("?", " ", "#", " ", "&", " ", "=", " ", ";", " ", "/", " ").Replace(text[at:])
	found = append(found, mailIn.FindAllString(asked, -1)...)
	asked, numbers := withoutBankNumbers(asked)
	found = append(found, numbers...)
	for _, m := range phoneIn.FindAllStringSubmatchIndex(asked, -1) {
		if phoneHandle(asked[m[2]:m[3]], asked[:m[2]], asked[m[3]:]) != "" {
			found = append(found, asked[m[2]:m[3]])
		}
	}
	return found
}

// IsMail reports whether a text is an e-mail address, perhaps with spaces beside the @.
func IsMail(text string) bool { return mailIn.FindString(text) == text && text != "" }

// Spelling is a text as it is compared with others: its letters without accents, in small letters, its digits and @
// alone. Capitals, spaces and hyphens make no difference, nor how an @ is written, nor whether it is escaped.
type Spelling string

// SpellingOf returns that of a text.
func SpellingOf(text string) Spelling {
	text = norm.NFKD.String(unescaped(text))
	text = saidMailIn().ReplaceAllStringFunc(text, func(mail string) string {
		return saidDot.ReplaceAllString(saidAt.ReplaceAllString(mail, "@"), ".")
	})
	return Spelling(strings.Map(func(r rune) rune {
		if r == '@' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text))
}

// Holds reports whether a text has another in any spelling.
func (s Spelling) Holds(what Spelling) bool {
	return what != "" && strings.Contains(string(s), string(what))
}

// SameNumber reports whether one of two texts has the number of the other, with or without the code of a country.
func (s Spelling) SameNumber(as Spelling) bool {
	one, other := strings.TrimLeft(string(s), "0"), strings.TrimLeft(string(as), "0")
	if len(one) > len(other) {
		one, other = other, one
	}
	return strings.Contains(other, one) && countDigits(one) >= MinPhone && !strings.Contains(other, "@")
}

// MinPhone is how many digits the number of a phone has at least, without the code of its country.
const MinPhone = 7

// WithoutInLinks returns a text in which no link has something: what follows the path is cut, or the link is left out.
func WithoutInLinks(text string, has func(link string) bool) string {
	return links.ReplaceAllStringFunc(text, func(link string) string {
		if !has(link) {
			return link
		}
		if at := strings.IndexAny(link, "?#"); at >= 0 {
			if link = link[:at]; !has(link) {
				return link
			}
		}
		return ""
	})
}

// links matches the words of a text that may be links.
var links = regexp.MustCompile(`[^\s]*(?:/|\?)[^\s]*`)
