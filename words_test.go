package tocsin

import (
	"slices"
	"strings"
	"testing"
)

func texts(words []Word) (list []string) {
	for _, w := range words {
		list = append(list, w.Text)
	}
	return list
}

func TestWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		" – … !":                "",
		"Fake claim-site":       "fake claim site",
		"0xAbC 12,5 a_b":        "0xabc 12 5 a b",
		"aAzZ09 @A[ `a{ /0:":    "aazz09 a a 0", // the ends of each range, and what is beside them
		"Bäckerei, BÄCKEREI":    "backerei backerei",
		"Ba\u0308ckerei":        "backerei",
		"ΟΔΟΣ οδός":             "οδοσ οδοσ",
		"Йод Ёлка":              "иод елка",
		"İstanbul ISTANBUL":     "istanbul istanbul",
		"Ångström Đ":            "angstrom đ",
		"हिन्दी":                "हिन्दी",
		"กิน กัน":               "กิน กัน",
		"مُحَمَّد محمد":         "محمد محمد",
		"שָׁלוֹם":               "שלום",
		"한국어 東京":                "한국어 東京",
		"\u0301 x":              "x",
		"evil.com/a?b=c @scams": "evil com a b c scams",
	} {
		if got := strings.Join(texts(Words(text)), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"Fake claim-site", "Bäckerei", "ΟΔΟΣ", "\u0345\u0301", "ẞ ŉ ǰ ΐ", "\xff a", "ͅa", "한국어"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := Words(text)
		at := 0
		for _, w := range words {
			if w.From < at || w.To <= w.From || w.To > len(text) {
				t.Fatalf("%q: %+v", text, words)
			}
			at = w.To
		}
		again := Words(strings.Join(texts(words), " "))
		if !slices.Equal(texts(words), texts(again)) {
			t.Errorf("%q: %q, and of those %q", text, texts(words), texts(again))
		}
	})
}

// TestMarksDoNotMakeAPrefixLonger: a search compares words without their marks,
// so that the least length of a prefix is that of the folded word.
func TestMarksDoNotMakeAPrefixLonger(t *testing.T) {
	for query, ok := range map[string]bool{
		"abc*": true, "ab*": false, "a\u0331\u0332\u0333*": false, "ab\u0331*": false, "a\u0331bc*": true,
		"0xabcd*": true, "0xabc*": false, "0x\u0331\u0332\u0333\u0331*": false, "0X\u0331abc*": false, "(x)*": false,
	} {
		if _, err := ParseQuery(query); (err == nil) != ok {
			t.Errorf("%+q: %v", query, err)
		}
	}
}
