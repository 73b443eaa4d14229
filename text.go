package tocsin

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// CleanText makes text that somebody wrote safe to show. It returns valid UTF-8 in normalization form C, trimmed,
// without control characters (line feeds and tabs stay), without characters that are invisible or change how the
// text around them reads (Unicode UTS #55), and with at most five marks on a letter. Text with nothing visible in
// it becomes empty.
func CleanText(s string) string {
	s = dropInvisible(strings.ToValidUTF8(s, "\uFFFD"))
	if !norm.NFC.IsNormalString(s) {
		s = dropInvisible(norm.NFC.String(s)) // what this drops does not make the rest compose again
	}
	if !strings.ContainsFunc(s, isVisible) {
		return ""
	}
	return strings.TrimSpace(s)
}

// isVisible reports whether a character shows something by itself. Private use characters may.
func isVisible(r rune) bool {
	return !unicode.In(r, unicode.M, unicode.Z, unicode.C) || unicode.Is(unicode.Co, r)
}

// Grouped puts commas between the thousands of a whole number.
func Grouped(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Shorten returns s if it has at most n characters, and otherwise its first n−1 and an ellipsis. Use [Clip] for
// what a caller sent.
func Shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// Clip shortens what a caller sent, as [Shorten] does, for a message that repeats it. Messages are shown, logged
// and read by models, so of a text that may hold a secret it returns an ellipsis alone. It looks for one in the part
// that is shown and at least 1,024 bytes after it, since to look at all of a large body takes tens of milliseconds.
func Clip(s string, n int) string {
	s = s[:min(len(s), utf8.UTFMax*n+1024)]
	if mayHoldSecret(s) {
		return "…"
	}
	return Shorten(s, n)
}

// parseText cleans a text and refuses it if it is longer than limit, in characters, or holds a secret.
func parseText(s string, limit int) (string, *Error) {
	s = CleanText(s)
	if n := utf8.RuneCountInString(s); n > limit {
		return "", invalidf("shorten it", "it has %d characters, %d are allowed", n, limit)
	}
	return s, FindSecret(s)
}
