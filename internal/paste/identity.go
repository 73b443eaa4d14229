package paste

import (
	"regexp"
	"slices"
)

// paperWords are the words for identity papers and what people are known by to the state, in the languages of the
// pages, and paperThen what is between them and the number.
const (
	paperWords = `(?i:passport|pasaporte|reisepass(?:nummer)?|passeport|passaporte|dni|nif|c[eé]dula|curp|rfc|cpf|` +
		`(?:documento|carn[eé]t?) de (?:identidad|conducir)|(?:licencia|permiso) de conducir|` +
		`(?:cart[aã]o de cidad[aã]o|bilhete de identidade|carta de condu[cç][aã]o)|(?:personal)?ausweis(?:nummer)?|` +
		`steuer-?(?:id|identifikationsnummer)|sozialversicherungsnummer|f[uü]hrerschein(?:nummer)?|` +
		`s[eé]curit[eé] sociale|num[eé]ro de s[eé]cu|seguridad social|` +
		`carte (?:nationale )?d.identit[eé]|titre de s[eé]jour|permis de conduire|` +
		`driv(?:ing|er.?s) licen[cs]e|(?:id|identity) card|ssn|social security|national insurance|aadhaar)|` +
		`NIE|NI|NINO|NHS|SS|RG|BI|CC|CNI|护照|身份证`
	paperThen = `(?i: ?(?:n[oº°r]\.?|num|number|n[uú]mero|nummer|num[eé]ro|card|is|was|es|era|ist|lautet|est|était|é|` +
		`号码?|是)(?:[ .:：=#]|$|\b))*[ \t.:：=#-]{0,3}`
	paperNumber = `(?:[A-Z]{2}(?: ?[0-9]{2}){3} ?[A-D]\b|[A-Z]{0,5}[ .-]?[0-9](?:[ ./-]?[0-9]|[.-]?[A-Z]){4,19})`
)

var (
	// namedPaperIn matches the number of an identity paper behind a word for one.
	namedPaperIn = later(`(?:^|[^\pL])(?:` + paperWords + `)` + paperThen + `(` + paperNumber + `)`)
	// paperIn matches numbers of identity papers that have a form of their own: CURP of Mexico, DNI and NIE of Spain, CPF
	// of Brazil, PAN of India, National Insurance of the United Kingdom, codice fiscale of Italy.
	paperIn = later(`\b([A-Z]{4}[0-9]{6}[HMX][A-Z]{5}[0-9A-Z][0-9]|[0-9XYZ][0-9]{7}[A-Z]|` +
		`[A-Z]{3}[ABCFGHLJPT][A-Z][0-9]{4}[A-Z]|[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}|` +
		`[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]|` +
		`[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z])\b`)
	// provenPaperIn matches what is the number of an identity paper if its check digits hold: DNI and NIE, CPF, the
	// social security number of France, the identity number of China.
	provenPaperIn = later(`\b((?:[0-9]{1,2}[. ]?[0-9]{3}[. ]?[0-9]{3}|[XYZxyz][ .-]?[0-9]{7})(?:[.-]?[A-Za-z]| [A-Z])|` +
		`[0-9]{3}[. ]?[0-9]{3}[. ]?[0-9]{3}[-/ ]?[0-9]{2}|` +
		`[12] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[0-9]{3} ?[0-9]{3} ?[0-9]{2}|[1-9][0-9]{16}[0-9Xx])\b`)
)

// papersIn returns where numbers of identity papers are in a text, each as a whole, in their order.
func papersIn(text string) (found [][2]int) {
	for _, form := range []*regexp.Regexp{namedPaperIn(), paperIn(), provenPaperIn()} {
		for _, m := range form.FindAllStringSubmatchIndex(text, -1) {
			number := text[m[2]:m[3]]
			before := text[max(0, m[2]-maxBefore):m[2]]
			if form == namedPaperIn() && (countDigits(number) < 4 || dayIn.MatchString(number)) ||
				form == provenPaperIn() && (!isPaper(number) || abroad.MatchString(before)) {
				continue
			}
			found = append(found, [2]int{m[2], endOfLetter(text, m[3])})
		}
	}
	slices.SortFunc(found, func(a, b [2]int) int { return a[0] - b[0] })
	kept := found[:0]
	for _, one := range found {
		if n := len(kept); n > 0 && one[0] < kept[n-1][1] {
			kept[n-1][1] = max(kept[n-1][1], one[1])
			continue
		}
		kept = append(kept, one)
	}
	return kept
}

// checkLetter matches the letter of a number behind a point or a hyphen.
var checkLetter = regexp.MustCompile(`^[.-][A-Za-z]\b`)

// endOfLetter is where a number ends of which so much was matched: with its letter, at the end of the word.
func endOfLetter(text string, end int) int {
	end = endOfWord(text, end)
	return end + len(checkLetter.FindString(text[end:]))
}

// endOfNumbers is where a part of a text ends that holds all of each number of an account or of an identity paper that
// begins in it.
func endOfNumbers(text string, from, end int) int {
	near := text[from:min(end+maxBefore, len(text))]
	for _, one := range slices.Concat(ibansIn(near), papersIn(near)) {
		if from+one[0] < end && from+one[1] > end {
			end = from + one[1]
		}
	}
	return end
}

// withoutPapers takes the numbers of identity papers out of a text, and returns what is left.
func withoutPapers(text string, add func(string)) string { return cutOut(text, papersIn(text), add) }
