package tocsin

import (
	"strings"
	"testing"
)

func TestThePrefixesOfASearchAreLongEnough(t *testing.T) {
	for q, accepted := range map[string]bool{
		"abc*": true, "ab*": false, "äöü*": true, "äö*": false, "12*": false,
		"0xabcd*": true, "0xabc*": false, "0Xabc*": false, "0XABCD*": true,
		"some.abc*": true, "some.thing.ab*": false, "a.0xabc*": false, "a-0xabcd*": true,
		"abc***": true, `"ab*"`: true, "ab": true, "abcd!*": false,
	} {
		terms, err := ParseQuery(q)
		if (err == nil) != accepted {
			t.Errorf("%s: %v, %v", q, terms, err)
		}
		needed := "at least 3 characters"
		if strings.Contains(strings.ToLower(q), "0x") {
			needed = "at least 6 characters"
		}
		if err != nil && !strings.Contains(err.Fields[0].Fix, needed) {
			t.Errorf("%s: %v", q, err)
		}
	}
}

func TestTheLimitsOfASearch(t *testing.T) {
	for q, accepted := range map[string]bool{
		strings.Repeat("ä", 400):                     true,
		strings.Repeat("ä", 401):                     false,
		strings.Repeat("a ", 12):                     true,
		strings.Repeat("a ", 13):                     false,
		"a.b.c.d.e.f.g.h.i.j.k.l":                    true,
		"a.b.c.d.e.f.g.h.i.j.k.l.m":                  false,
		`"a b c d e f" g h i j k l`:                  true,
		`"a b c d e f" g h i j k l m`:                false,
		`"a b" "c d" "e f" g`:                        true,
		`"a b" "c d" "e f" "g h"`:                    false,
		`"a b" c-d e.f g`:                            true,
		`"a b" c-d e.f g_h`:                          false,
		`"a" "b" "c" "d" "e"`:                        true,
		"a - b - c - d - e - f - g - h - i - j - k!": true,
		" " + strings.Repeat("a", 400) + "\n":        true,
	} {
		if terms, err := ParseQuery(q); (err == nil) != accepted {
			t.Errorf("%q: %v, %v", q, terms, err)
		}
	}
	for q, says := range map[string]string{
		strings.Repeat("ä", 402):    "it has 402 characters, 400 are allowed",
		strings.Repeat("a ", 14):    "it has 14 words, 12 are allowed",
		strings.Repeat(`"a b" `, 5): "it has 5 phrases",
		strings.Repeat(`"a b" `, 4): "as in a-b), 3 are allowed",
		`"`:                         "it contains no word",
	} {
		if _, err := ParseQuery(q); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", q, err)
		}
	}
}
