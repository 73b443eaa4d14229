package tocsin

import (
	"fmt"
	"strings"
	"testing"
)

// TestANearSpellingOfANameIsFound, and not a name that only has a short word or a beginning alike.
func TestANearSpellingOfANameIsFound(t *testing.T) {
	for _, c := range []struct {
		asked, name string
		far         int
		near        bool
	}{
		{"lazarus grp", "LAZARUS GROUP", 1, true}, {"lazaruz group", "Lazarus Group", 1, true},
		{"lasarus", "LAZARUS GROUP", 1, true}, {"garantx", "GARANTEX EUROPE OU", 1, true},
		{"peijnenbrug", "PEIJNENBURG, Alex", 1, true}, {"hui hui wu", "WU, Huihui", 0, false},
		{"potekhin danill", "POTEKHIN, Danil", 1, true}, {"групп лазарус", "ЛАЗАРУС ГРУППА", 1, true},
		{"grp", "GROUP", 0, false}, {"sim", "SIN", 0, false}, {"the group", "LAZARUS GROUP", 0, false},
		{"lazarus lazarus", "LAZARUS GROUP", 0, false}, {"metamask", "METALMARK GROUP", 2, true},
		{"garantex grp", "GARANTEX GRAPES", 1, true}, {"garantex grp", "GARANTEX GRAPPLE", 0, false},
		{"crypto", "CRYPTEX", 0, false}, {"ким", "КИМ Ир Сен", 0, false},
		{"пазарус", "ЛАЗАРУС", 0, false}, {"", "LAZARUS", 0, false}, {"a b c d e f g", "a b c d e f g", 0, false},
		{strings.Repeat("a", 40), strings.Repeat("a", 39), 0, false},
	} {
		far, near := NearName(wordsOf(c.asked), wordsOf(c.name))
		if near != c.near || near && far != c.far {
			t.Errorf("%q of %q: %d, %t", c.asked, c.name, far, near)
		}
	}
}

func wordsOf(text string) (words []string) {
	for _, w := range Words(text) {
		words = append(words, w.Text)
	}
	return words
}

// BenchmarkNearName is the worst case that a search can ask for: six long words, none of which ends the comparison.
func BenchmarkNearName(b *testing.B) {
	var asked, name []string
	for i := range maxNearWords {
		asked = append(asked, strings.Repeat("ab", 15)+fmt.Sprint(i))
		name = append(name, strings.Repeat("ab", 15)+fmt.Sprint(i+10))
	}
	for b.Loop() {
		NearName(asked, name)
	}
}
