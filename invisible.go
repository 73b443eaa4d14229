package tocsin

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/unicode/rangetable"
)

const (
	zwnj   = '\u200C' // zero width non-joiner
	zwj    = '\u200D' // zero width joiner
	keycap = '\u20E3'

	// maxMarks is how many marks may stack on one letter.
	maxMarks = 5
)

// hidden are the characters that show nothing: controls, format characters, noncharacters, default ignorables, and
// two that look empty: the braille pattern without dots and the musical note without a head.
var hidden = rangetable.Merge(unicode.Cc, unicode.Cf, unicode.Noncharacter_Code_Point,
	unicode.Other_Default_Ignorable_Code_Point, rangetable.New('\u2800', '\U0001D159'))

// arranging are format characters that show all the same: signs under numbers, and the controls of hieroglyphs.
var arranging = rangetable.Merge(unicode.Prepended_Concatenation_Mark,
	&unicode.RangeTable{R32: []unicode.Range32{{Lo: 0x13430, Hi: 0x13455, Stride: 1}}})

// joining are the scripts in which joiners and variation selectors change how letters look.
var joining = rangetable.Merge(
	unicode.Adlam, unicode.Arabic, unicode.Balinese, unicode.Bengali, unicode.Brahmi, unicode.Chakma,
	unicode.Devanagari, unicode.Grantha, unicode.Gujarati, unicode.Gurmukhi, unicode.Hanifi_Rohingya,
	unicode.Javanese, unicode.Kaithi, unicode.Kannada, unicode.Khmer, unicode.Malayalam, unicode.Mandaic,
	unicode.Manichaean, unicode.Meetei_Mayek, unicode.Modi, unicode.Mongolian, unicode.Myanmar, unicode.Newa,
	unicode.Nko, unicode.Oriya, unicode.Phags_Pa, unicode.Sharada, unicode.Siddham, unicode.Sinhala,
	unicode.Sundanese, unicode.Syriac, unicode.Takri, unicode.Tai_Tham, unicode.Tamil, unicode.Telugu,
	unicode.Tibetan, unicode.Tirhuta,
)

// isInvisible reports whether a character shows nothing wherever it is. Joiners depend on what is around them: see
// [hasEffect].
func isInvisible(r rune) bool {
	return r != '\n' && r != '\t' && r != zwnj && r != zwj && unicode.Is(hidden, r) && !unicode.Is(arranging, r)
}

// dropInvisible drops invisible characters, joiners and variation selectors where they have no effect, and marks
// beyond [maxMarks] on a letter.
func dropInvisible(s string) string {
	var base, last rune // the last character that is not a mark, and the last character
	marks := 0
	s = strings.Map(func(r rune) rune {
		if r >= ' ' && r <= '~' || !isInvisible(r) {
			return r
		}
		return -1
	}, s)
	at := 0
	return strings.Map(func(r rune) rune {
		at += utf8.RuneLen(r)
		joiner, selector := r == zwnj || r == zwj, unicode.Is(unicode.Variation_Selector, r)
		switch {
		case r < 0x300:
			base, marks = r, 0
		case (joiner || selector) && !hasEffect(r, base, last, s[at:]):
			return -1
		case unicode.Is(unicode.M, r):
			if unicode.Is(unicode.Mc, r) && norm.NFC.PropertiesString(string(r)).CCC() == 0 {
				break // it is beside the letter, not on it
			}
			if marks++; marks > maxMarks {
				return -1
			}
		case !joiner:
			base, marks = r, 0
		}
		last = r
		return r
	}, s)
}

// hasEffect reports whether a joiner or a variation selector changes how its neighbours look. It follows base and
// its marks, the last of which is last, and rest follows it.
func hasEffect(r, base, last rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	switch {
	case r == zwnj || r == zwj:
		return last != zwnj && last != zwj && (unicode.Is(joining, base) || r == zwj && isEmoji(base) && isEmoji(next))
	case unicode.Is(unicode.Variation_Selector, last):
		return false
	}
	if r >= 0xE0100 {
		return unicode.Is(unicode.Han, base) // UTS #37; elsewhere these 240 characters could hide a text
	}
	symbol := unicode.Is(unicode.S, base) || strings.ContainsRune("‼⁉〰ℹ", base)
	return unicode.In(base, joining, unicode.Han) || symbol && strings.ContainsRune("\uFE00\uFE0E\uFE0F", r) ||
		next == keycap && last == base && strings.ContainsRune("0123456789#*", base)
}

// isEmoji reports whether a character may be part of an emoji made by joining.
func isEmoji(r rune) bool {
	const headShake, lightSkin, darkSkin = '↔', 0x1F3FB, 0x1F3FF
	return unicode.Is(unicode.So, r) || r == headShake || r >= lightSkin && r <= darkSkin
}
