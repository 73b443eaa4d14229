package tocsin

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of [NearName], which a search asks about every name on a list.
const (
	maxNearWords   = 6  // of what somebody asks for
	maxNearLetters = 32 // of a word
)

// NearName reports whether a name, in the words of [Words], is perhaps what somebody asks for in another spelling, such
// as LAZARUS GROUP for Lazarus Grp, and how many letters differ. Each word that is asked for must have a word of the
// name of its own: the same, one with a letter or two more, less or changed, or one that it shortens. One of them must
// be more than a shortened or a short word, since those fit many names.
func NearName(asked, name []string) (far int, near bool) {
	if len(asked) == 0 || len(asked) > maxNearWords || len(name) < len(asked) {
		return 0, false
	}
	name, sure := slices.Clone(name), false
	for _, word := range asked {
		best, at, short := 0, -1, false
		for i, other := range name {
			if d, only, ok := nearWord(word, other); ok && (at < 0 || d < best) {
				best, at, short = d, i, only
			}
		}
		if at < 0 {
			return 0, false
		}
		sure = sure || utf8.RuneCountInString(word) >= 4 && !short
		far += best
		name[at] = "" // taken
	}
	return far, sure
}

// nearWord reports whether two words are the same, differ in few letters behind the first or, and if it is only that,
// one shortens the other.
func nearWord(a, b string) (far int, short, near bool) {
	if a == b {
		return 0, false, true
	}
	first, _ := utf8.DecodeRuneInString(a)
	if other, _ := utf8.DecodeRuneInString(b); a == "" || first != other {
		return 0, false, false
	}
	m, n := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	most := 0
	switch least := min(m, n); {
	case max(m, n) > maxNearLetters:
		return 0, false, false
	case least >= 8:
		most = 2
	case least >= 4:
		most = 1
	}
	if m-n <= most && n-m <= most && most > 0 {
		if far := differ([]rune(a), []rune(b)); far <= most {
			return far, false, true
		}
	}
	short = shortens(a, b) || shortens(b, a)
	return 1, short, short
}

// shortens reports whether a word of three letters or more is another one with letters left out behind the first, at
// most half of them: grp and group.
func shortens(short, long string) bool {
	n := utf8.RuneCountInString(short)
	if n < 3 || n >= utf8.RuneCountInString(long) || 2*n < utf8.RuneCountInString(long) {
		return false
	}
	for _, r := range short {
		i := strings.IndexRune(long, r)
		if i < 0 {
			return false
		}
		long = long[i+utf8.RuneLen(r):]
	}
	return true
}

// differ is in how many letters two words differ: letters that one has more, other ones, and neighbours that have
// changed places (the optimal string alignment distance).
func differ(a, b []rune) int {
	var rows [3][maxNearLetters + 1]int
	before, last, row := rows[0][:], rows[1][:], rows[2][:len(b)+1]
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
