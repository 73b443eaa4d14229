package paste

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// postcode matches a postcode of the United Kingdom.
const postcode = `[A-Z]{1,2}[0-9][0-9A-Z]? ?[0-9][A-Z]{2}\b`

// homeWord is a word of a home address, and homeWords are those that follow the first ones.
const (
	homeWord = `(?:` + postcode + `|(?i:int|ext|col|fracc|apt|apto|depto|dpto|st|av|no|c\.?p)\.|` +
		`(?i:int|interior|ext|exterior|col|colonia|depto|room|suite)\b|` + placeWord + `)`
	homeWords = `(?:` + homeJoint + homeWord + `)*`
	// homeJoint is what is between two of them.
	homeJoint = `(?:, ?| - | – | )`
)

// Words before and behind the name of a street, with the number of a house.
const (
	streetEnglish = `[0-9]{1,5}\pL?,? (?:(?:\p{Lu}[\pL.'’-]+ ){1,3}(?:(?:Lane|Street|Road|Avenue|Drive|Close|` +
		`Court|Crescent|Way|Place|Square|Terrace|Boulevard|Gardens|Grove|Hill|Walk|Mews|Row)\b|` +
		`(?:St|Rd|Ave|Blvd|Dr|Ln)\b\.?)|(?i:(?:[\pL'’-]+ ){1,2}(?:lane|street|road|avenue))\b)`
	streetBefore = `(?:(?i:(?:calle|avenida|avda\.?) |c/ ?)(?:[\pL.'’-]+,? ){1,4}|` +
		`(?i:av\.?|paseo|plaza|plaça|carrer|ronda|camino|carretera|ctra\.?|urb\.?|urbanizaci[óo]n|traves[íi]a|` +
		`rambla|calzada|carrera|rua|r\.|travessa|praça|alameda|largo|estrada) (?:[0-9]{1,2} )?` +
		`(?:(?:de|del|la|las|los|el|da|do|dos|das) )*` +
		`(?:\p{Lu}[\pL.'’-]+,? (?:(?:de|del|la|da|do|dos) )?){1,4})` + houseNumber + `|` +
		`(?i:gran v[íi]a)(?: de \p{Lu}[\pL'’-]*(?: \p{Lu}[\pL'’-]*)?)?,? ` + houseNumber + `|` +
		`(?i:calle|cl\.?|carrera|cra\.?|kr\.?|avenida|av\.?|diagonal|transversal) [0-9]+\pL?(?i: bis| sur| norte)? ?` +
		`(?:#|(?i:no?\.?|n[º°])) ?[0-9]+\pL?(?: ?- ?[0-9]+)?\b`
	houseNumber  = `(?:n(?:[uú]m(?:ero)?)?[.ºo°]* ?|# ?)?[0-9]+\pL?\b`
	streetFrench = `[0-9]{1,4}(?: ?(?:bis|ter))?,? (?i:rue|avenue|boulevard|chemin|impasse|allée|place|quai) ` +
		`(?:(?:(?:de|du|des|la|le|les) |[dl]['’])+\pL[\pL'’-]*|\p{Lu}[\pL'’-]*)`
	streetGerman = `(?:\p{Lu}[\pL-]*(?:stra(?:ß|ss)e|str\.|weg|gasse|platz|allee|damm|ufer)|` +
		`(?:\p{Lu}[\pL-]+ )?(?:Stra(?:ß|ss)e|Str\.)|\p{Lu}[\pL-]+ (?:Platz|Allee|Weg|Ring|Damm|Ufer)) [0-9]+\pL?\b`
	street = `(?:` + streetEnglish + `|` + streetBefore + `|` + streetFrench + `|` + streetGerman + `)`
)

var (
	// homeIn matches a home address: what somebody calls theirs, a street with the number of a house, words before a
	// postcode.
	homeIn = later(`(?:^|[^\pL\pN/@.])((?:` +
		`(?i:(?:my|our) (?:home |postal )?address(?: is|:)?|(?:mi|nuestr[ao]) (?:direcci[óo]n|domicilio)(?: es|:)?|` +
		`(?:meine|unsere) (?:adresse|anschrift)(?: ist| lautet|:)?|(?:mon|notre) (?:adresse|domicile)(?: est|:)?|` +
		`(?:meu|nosso) endere[cç]o(?: [ée]|:)?|(?:minha|nossa) morada(?: [ée]|:)?) ` +
		`(?:` + street + `|[0-9]+\pL?\b|\p{Lu}[\pL'’-]*)|` + street + `|` +
		`(?:` + homeWord + `(?:, ?| ))*` + postcode + `)(?:` + homeJoint + `(?:` + street + `|` + homeWord +
		`)| (?:à|in|en|em) (?:[0-9]{4,5} )?\p{Lu}\p{Ll}[\pL'’-]*)*)`)
	// homeChineseIn matches what somebody calls theirs in Chinese, and a road with the number of a house and what is
	// before it, from behind "in", "is" or "to".
	homeChineseIn = later(`(我家?的?(?:家庭)?(?:地址|住址)(?:是|在|为|：|:) ?\p{Han}[\p{Han}0-9A-Za-z -]{1,40}|` +
		`(?:[^在是到去址\P{Han}]|[0-9]){0,30}[路街道巷弄][ \p{Han}0-9-]{0,12}?[0-9一二三四五六七八九十百]+ ?[号號]` +
		`(?:[ \p{Han}0-9-]{0,12}[0-9] ?[室楼层樓層号號])?)`)
	// townInSmall matches a town in small letters behind a home address, up to the end of the sentence, and lastInSmall an
	// address whose last word is in small letters, behind which no comma needs to be.
	townInSmall = later(`^(?:,? )(\p{Ll}[\pL'’-]+(?: \p{Ll}[\pL'’-]+)?)(?:[.,;!?\n]|$)`)
	lastInSmall = later(`(?:^|[^\pL\pN])\p{Ll}[\pL'’-]*$`)
	// noTown matches a word that goes on with the sentence instead.
	noTown = later(`^,? (?:h?e|she|they|we|i|you|it|and|but|so|then|who|which|where|when|as|il|elle|on|nous|vous|je|et|` +
		`mais|o[uù]|qui|er|sie|es|wir|ich|und|aber|der|die|wo|[eé]l|ella|ellos|nos|yo|y|pero|que|donde|ele|ela|eu|mas|` +
		`onde|today|yesterday|hoy|ayer|heute|gestern|hier|hoje|ontem|please|thanks)\b`)
	// otherWord matches what follows the beginning of an e-mail address, of a site, or of "number" and "line" in Chinese.
	otherWord = later(`^(?:@|\.[\pL\pN]|[码碼线線])`)
	// askedHome matches a question for somebody's address, and what the next words answer, perhaps behind a name.
	askedHome = later(`(?i:your|t[uú]|su|deine?|ihre|ton|votre|teu|seu|tua|sua) ` +
		`(?i:(?:home )?address|direcci[óo]n|adresse|anschrift|endere[cç]o|morada)[^\n?]{0,30}\?\s*` +
		`(?:[^\n]{0,60}: )?(` + homeWord + homeWords + `)`)
)

// endOfTown is where a home address ends that was read to a place: behind the town, also in small letters.
func endOfTown(text string, at int) int {
	m := townInSmall().FindStringSubmatchIndex(text[at:min(at+maxHome, len(text))])
	if m == nil || noTown().MatchString(text[at:]) || text[at] != ',' && !lastInSmall().MatchString(text[:at]) {
		return at
	}
	return at + m[3]
}

// endOfHome is where the home address ends that begins at a place in a text or before it, or a comma behind; 0 if none
// does.
func endOfHome(text string, at int) (end int) {
	near := text[:min(at+maxHome, len(text))]
	for _, m := range homeIn().FindAllStringSubmatchIndex(near, -1) {
		if m[2] <= at+len(", ") && m[3] > at {
			end = endOfWord(text, m[3])
		}
	}
	return end
}

// maxHome is how many bytes of a home address are behind its beginning at most.
const maxHome = 200

// withoutHomes takes home addresses out of a text, and returns what is left.
func withoutHomes(text string, add func(string)) string {
	is := func(_, after string) bool { return !otherWord().MatchString(after) }
	text = takeOut(askedHome(), text, endOfWord, func(home, after string) bool {
		long := func(word string) bool { return len(word) > longestWord } // the address of an account
		words := strings.Fields(home)
		return len(words) > 1 && strings.ContainsAny(home, "0123456789") && !slices.ContainsFunc(words, long) &&
			is(home, after)
	}, add)
	toTown := func(text string, cut int) int { return endOfTown(text, endOfWord(text, cut)) }
	return takeOut(homeChineseIn(), takeOut(homeIn(), text, toTown, is, add), endOfWord, is, add)
}

// takeOut takes what a form matches out of a text, to the end that it has there and of each number that begins in it.
func takeOut(form *regexp.Regexp, text string, endIn func(text string, cut int) int, is func(match, after string) bool,
	add func(string)) string {
	var places [][2]int
	for _, m := range form.FindAllStringSubmatchIndex(text, -1) {
		end := endOfNumbers(text, m[2], endIn(text, m[3]))
		if is(text[m[2]:end], text[end:]) {
			places = append(places, [2]int{m[2], end})
		}
	}
	return cutOut(text, places, add)
}

// cutOut takes places in their order out of a text, and returns what is left. A place that begins in the one before is
// a part of it.
func cutOut(text string, places [][2]int, add func(string)) string {
	var left strings.Builder
	at := 0
	for _, place := range places {
		if place[0] < at {
			continue
		}
		add(text[place[0]:place[1]])
		left.WriteString(text[at:place[0]] + " ")
		at = place[1]
	}
	return left.String() + text[at:]
}

// endOfWord is where the word ends that a text was cut in; the place of the cut if it is between two words. Chinese
// does not separate words.
func endOfWord(text string, cut int) int {
	isOfWord := func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Han, r) || unicode.IsDigit(r) }
	if last, _ := utf8.DecodeLastRuneInString(text[:cut]); !isOfWord(last) {
		return cut
	}
	return len(text) - len(strings.TrimLeftFunc(text[cut:], isOfWord))
}
