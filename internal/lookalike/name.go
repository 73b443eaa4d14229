// Package lookalike says why a domain name that nobody has reported is not to be trusted: it imitates a brand, or it is
// composed as fraudulent names are. It is pure: names in, verdicts out.
//
// A server makes one [Detector] of the brand list and, if there is one, of a trained [Model], and calls
// [Detector.Judge] for each domain. That is safe for concurrent use, and [Detector.Use] exchanges the model meanwhile.
// [Train] makes a model of names that lists call fraudulent or innocent, and [Evaluate] measures one.
package lookalike

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"go.mau.fi/util/confusable"
	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/unicode/norm"

	"tocsin"
)

// name is a domain name taken apart, for comparison with brands and for the model. Its texts are lower-case.
type name struct {
	ascii  string // canonical
	suffix string // what the name was registered or given out under: "com", "co.uk", "pages.dev"
	label  string // the label before the suffix, as people see it
	sub    string // the labels before that one, as people see them
	hosted bool   // the suffix belongs to a provider that gives names to its users

	foldedLabel, foldedSub string // with the ASCII letters that each character looks like
}

// registries sell names under private suffixes as others do under "com".
var registries = wordSet(`ae.org africa.com br.com cn.com co.com com.de com.se de.com eu.com gb.net gr.com hu.com hu.net
	in.net it.com jp.net jpn.com mex.com qc.com ru.com sa.com se.net uk.com uk.net us.com us.org za.bz za.com co.nl co.no
	co.pl com.kz radio.am radio.fm`)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

// parse takes a domain apart. It returns false for a public suffix, a shared host, and what DNS itself uses (.arpa):
// nobody owns these, and nothing is said about them.
func parse(d tocsin.Domain) (name, bool) {
	registrable := d.Registrable()
	dot := strings.IndexByte(registrable, '.')
	if dot < 0 {
		return name{}, false
	}
	n := name{ascii: d.String(), suffix: registrable[dot+1:], label: registrable[:dot]}
	if n.suffix == "arpa" || strings.HasSuffix(n.suffix, ".arpa") {
		return name{}, false
	}
	if len(n.ascii) > len(registrable) {
		n.sub = n.ascii[:len(n.ascii)-len(registrable)-1]
	}
	if strings.Contains(n.suffix, ".") { // the others are of registries
		listed, icann := publicsuffix.PublicSuffix(n.ascii)
		n.hosted = !(icann && n.suffix == listed) && !registries[n.suffix]
	}
	n.foldedLabel, n.foldedSub = n.label, n.sub
	if strings.Contains(n.ascii, "xn--") {
		n.label, n.sub = decoded(n.label), decoded(n.sub)
		n.foldedLabel, n.foldedSub = fold(n.label), fold(n.sub)
	}
	return n, true
}

// Hosted reports whether a domain is a name that a provider gives to one of its users.
func Hosted(d tocsin.Domain) bool {
	n, ok := parse(d)
	return ok && n.hosted
}

// decoded returns labels in xn-- form as people see them. A label that does not decode stays as it is.
func decoded(labels string) string {
	text, err := idna.Punycode.ToUnicode(labels)
	if err != nil || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return labels
	}
	return strings.ToLower(text)
}

// fold replaces each character that looks like ASCII letters by those letters (Unicode UTS #39, confusables), and drops
// accents. ASCII stays as it is.
func fold(text string) string {
	if isASCII(text) {
		return text
	}
	var b strings.Builder
	mixed := strings.ContainsFunc(text, isLatin)
	for _, r := range text {
		b.WriteString(foldRune(r, mixed))
	}
	return b.String()
}

// foldRune is fold of one character. Mixed: there are Latin letters in the text, so that others among them are to be
// taken for such.
func foldRune(r rune, mixed bool) string {
	if r < utf8.RuneSelf {
		return string(r)
	}
	var like strings.Builder
	for _, r := range norm.NFD.String(string(r)) {
		if as := confusable.GetReplacement(r); r >= utf8.RuneSelf && as != "" {
			like.WriteString(as)
		} else {
			like.WriteRune(r)
		}
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		if r = unicode.ToLower(r); mixed && capitals[r] != 0 {
			return capitals[r]
		}
		return r
	}, norm.NFD.String(like.String()))
}

func isLatin(r rune) bool { return unicode.Is(unicode.Latin, r) }

// capitals are small letters that have the form of an ASCII capital, such as the Cyrillic м, which UTS #39 compares
// with each other alone. Words of other scripts have them, so they count only beside Latin letters.
var capitals = map[rune]rune{'ᴀ': 'a', 'ʙ': 'b', 'ƅ': 'b', 'ᴅ': 'd', 'ᴇ': 'e', 'ꞓ': 'e', 'ɢ': 'g', 'ʜ': 'h', 'ᴊ': 'j',
	'ȷ': 'j', 'ĸ': 'k', 'ʟ': 'l', 'ʍ': 'm', 'ɴ': 'n', 'ᴘ': 'p', 'ʀ': 'r', 'ᴛ': 't', 'ω': 'w', 'χ': 'x'}

// origin says of which characters fold has made a text.
type origin struct {
	seen, folded string
	from, to     []int // in seen: the ends of the character that each byte was made of
}

func originOf(seen string) *origin {
	o := &origin{seen: seen}
	var folded strings.Builder
	mixed := strings.ContainsFunc(seen, isLatin)
	for at, r := range seen {
		like := foldRune(r, mixed)
		folded.WriteString(like)
		for range len(like) {
			o.from, o.to = append(o.from, at), append(o.to, at+utf8.RuneLen(r))
		}
	}
	o.folded, o.from = folded.String(), append(o.from, len(seen))
	return o
}

// seenAs returns what people see of a part of the folded text. Of several that look so it is the first with other
// characters than ASCII. It is "" if there is none.
func (o *origin) seenAs(part string) (as string) {
	for i := 0; ; i++ {
		at := strings.Index(o.folded[i:], part)
		if at < 0 || part == "" {
			return as
		}
		i += at
		end := i + len(part)
		text := o.seen[o.from[i]:max(o.to[end-1], o.from[end])] // with the accents after it
		if as == "" {
			as = text
		}
		if !isASCII(text) {
			return text
		}
	}
}

// accented reports whether the letters of a text are those of ASCII, some with accents as they have in words: é, and
// no i without a dot.
func accented(text string) bool {
	for _, r := range norm.NFC.String(text) {
		if r >= utf8.RuneSelf && norm.NFD.String(string(r))[0] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// canonical returns a text in which characters that are mistaken for each other are one: digits for letters, l for i,
// rn for m, vv for w.
func canonical(text []byte, into []byte) []byte {
	for i := 0; i < len(text); i++ {
		c := text[i]
		next := byte(0)
		if i+1 < len(text) {
			next = text[i+1]
		}
		switch {
		case c == 'r' && next == 'n':
			c = 'm'
			i++
		case c == 'v' && next == 'v':
			c = 'w'
			i++
		default:
			c = alike[c]
		}
		into = append(into, c)
	}
	return into
}

// alike has for each byte the one that stands for all that look like it.
var alike = func() (table [256]byte) {
	for i := range table {
		table[i] = byte(i)
	}
	for i, c := range []byte("01345789i") {
		table[c] = "oleastbgl"[i]
	}
	return table
}()

// tokens calls visit with each part of a text between hyphens, dots and underscores.
func tokens(text string, visit func(token string)) {
	from := 0
	for i := 0; i <= len(text); i++ {
		if i == len(text) || text[i] == '-' || text[i] == '.' || text[i] == '_' {
			if i > from {
				visit(text[from:i])
			}
			from = i + 1
		}
	}
}
