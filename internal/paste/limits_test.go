package paste

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"tocsin"
)

// TestATextIsAStoryFromSoManyWords: each of the numbers that make it one, at it and below it.
func TestATextIsAStoryFromSoManyWords(t *testing.T) {
	w := func(n int) string { return strings.Repeat("wort ", n) }
	for text, story := range map[string]bool{
		w(wordsOfLine): true, w(wordsOfLine - 1): false, w(wordsOfLine-1) + "0x1": false, w(wordsOfLine) + "0x1": true,
		w(4) + "\n" + w(4) + "\n" + w(4): true, w(4) + "\n" + w(4) + "\n" + w(3): false, w(6) + "\n" + w(7): false,
		w(4) + "\n" + w(4) + "\n" + w(4) + "a.de":                         false,
		strings.Repeat(strings.Repeat("a", longestWord)+" ", wordsOfLine): true,
		strings.Repeat(strings.Repeat("a", longestWord+1)+" ", 20):        false,
		"她让我把钱转到这个好网站去":                                                   false, "她让我把钱转到这个好网站去投资赚钱": true,
		"don’t it's don’t it's don’t it's don’t it's": true, "x 09:05\ny 23:59": true, "x 09:05": false,
		"09:05\n23:59":           false,
		"x 9.05 a.m.\ny 9.05 pm": true, "[9:05:30] x\n(9:06) y": true, "9:05, x\n9:06: y": true, "x 39:05\ny 9:65": false,
		"x9:05\ny9:06": false, "x 9:05y\nx 9:06y": false, "x 9:05 p. m\nx 9:05pm": true,
		"9:05 " + strings.Repeat("x", maxThing-5) + "\n9:06 y":  false, // a word that is no word
		"9:05 x" + strings.Repeat(" ", maxThing-6) + "\n9:06 y": true, "9:05 x" + strings.Repeat(" ", maxThing-5) +
			"\n9:06 y": false,
	} {
		if IsStory(text) != story {
			t.Errorf("%.60q: %t", text, !story)
		}
	}
}

// TestAStoryIsCutAtTheEndOfALine, or of a word, or of a letter.
func TestAStoryIsCutAtTheEndOfALine(t *testing.T) {
	for text, parts := range map[string][2]string{
		"abcde": {"abcde", ""}, "abcdef": {"abcde", "f"}, "ab def": {"ab", " def"}, "a\nb def": {"a", "\nb def"},
		"abcd\nf": {"abcd", "\nf"}, "abcde\nf": {"abcde", "\nf"}, " bcdef": {" bcde", "f"}, "\nbcdef": {"\nbcde", "f"},
		"abcdé": {"abcd", "é"}, "abcéf": {"abcé", "f"},
	} {
		part, rest := cutStory(text, 5)
		if (parts != [2]string{part, rest}) || !utf8.ValidString(part) {
			t.Errorf("%q: %q, %q", text, part, rest)
		}
	}
	long := strings.Repeat("a ", maxQuestion/2-8) + "a.com\nb.com"
	want(t, "in two parts", fmt.Sprint(InStory(long)), "[{a.com } {b.com }]")
	want(t, "names that nobody sells", fmt.Sprint(InStory("a.com und.dann b.github.io a.com")),
		"[{a.com } {b.github.io }]")
	want(t, "what a link leads on to", fmt.Sprint(InStory("https://google.com/url?q=https://b.com tg: lena88 a@c.com")),
		"[{b.com } { telegram:lena88} { email:a@c.com}]")
	want(t, "a token", fmt.Sprint(InStory("https://basescan.org/token/"+another+"?a="+account)), "[{"+account+" }]")
}

// TestAPieceOfAnAddressIsKnownByItsLetters.
func TestAPieceOfAnAddressIsKnownByItsLetters(t *testing.T) {
	for text, piece := range map[string]bool{
		"aB1cD2eF3g": true, "aB1cD2eF3": false, "aBcDeFgHiJ": false, "aB1cDEFGHJJ": false, "aB1cD2eFGHJ": true,
		"aB1cD2FGHJJKLMN":  false,
		"1111aaaa2222bbbb": true, "1111aaaa2222bbb": false, "12AB34AB56AB78AB": true, "12aB34ab56ab78ab": true,
		"1234abcdabcdabcd": true, "123abcdabcdabcda": false, "123412341234abcd": true, "1234123412341abc": false,
		"0B1cD2eF3gH": false, "hello": false, "(aB1cD2eF3g).": true,
	} {
		got := pieceIn("his " + text + " x")
		if want := strings.Trim(text, "()."); (got == want) != piece || got != "" && got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestADividedAddressIsJoined from words that may be parts of one, at most so many.
func TestADividedAddressIsJoined(t *testing.T) {
	hex := account[2:]
	for text, whole := range map[string]string{
		hex[:20] + " " + hex[20:]:                                                         account,
		"to " + hex[:20] + "\n" + hex[20:] + " thanks":                                    "to " + account + " thanks",
		tron[:10] + " " + tron[10:20] + " " + tron[20:] + " " + hex[:30] + " " + hex[30:]: tron + " " + account,
		tron + " " + tron:                                     tron + " " + tron,
		"x " + tron[:33] + " " + tron[33:]:                    "x " + tron[:33] + " " + tron[33:], // a part of one character
		"xy " + tron[:32] + " " + tron[32:]:                   "xy " + tron,
		tron[:20] + " " + tron[20:] + " " + tron:              tron + " " + tron,
		strings.Repeat("a. ", 98) + tron[:9] + " " + tron[9:]: strings.Repeat("a. ", 98) + tron,
		strings.Repeat("a. ", 99) + tron[:9] + " " + tron[9:]: strings.Repeat("a. ", 99) + tron[:9] + " " + tron[9:],
	} {
		if got := joined(text); strings.TrimSpace(got) != whole {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestANumberOfARequestIsReadToItsLastDigit.
func TestANumberOfARequestIsReadToItsLastDigit(t *testing.T) {
	for text, whole := range map[string]string{"": "", "0": "0", "7": "7", "007": "7", "2e3": "2000", "2.5e1": "25",
		"2.5":    "",
		"2.55e1": "", ".5e1": "5", "2E2": "200", "2e": "", "e2": "", "1e100": "", "2.014e18": "2014000000000000000",
		"0e5": "0",
		"-1":  "", "1e+2": "", strings.Repeat("1", 60): strings.Repeat("1", 60), strings.Repeat("1", 61): ""} {
		want(t, text, units(text), whole)
	}
	for amount, text := range map[string]string{"": "", "0": "0", "5": "0.005", "50": "0.05", "1000": "1", "1050": "1.05",
		"123456": "123.456"} {
		want(t, amount, Decimal(amount, 3), text)
	}
	want(t, "no decimals", []string{Decimal("50", 0), Decimal("50", -1)}, []string{"50", ""})
	for text, all := range map[string]bool{"9e33": false, "1e34": true, "0x1000000000000000000000000000000": true,
		"0xff": false, "x": false} {
		want(t, text, unlimited(text), all)
	}
}

// TestEachTextIsReadUpToItsLimit.
func TestEachTextIsReadUpToItsLimit(t *testing.T) {
	pad := func(n int, text string) string { return strings.Repeat(" ", n-len(text)) + text }
	for n, too := range map[int]bool{maxQuestion: false, maxQuestion + 1: true} {
		text := pad(n, "evil.com")
		b := ReadBox(text)
		want(t, "box", []any{len(b.Subjects), b.Problem != nil && b.Problem.Kind == TooMany, b.Text == text},
			map[bool][]any{false: {1, false, false}, true: {0, true, true}}[too])
		_, problem := Subject(text)
		want(t, "subject", problem != nil && problem.Kind == TooMany, too)
		want(t, "parts", len(Parts(text)), map[bool]int{false: 1}[too])
		cell, _ := Cell(pad(n, "https://etherscan.io/address/"+account))
		want(t, "cell", cell.Kind, map[bool]tocsin.Kind{false: tocsin.EVM, true: tocsin.DNS}[too])
	}
	var many []string
	for i := range maxParts + 1 {
		many = append(many, fmt.Sprintf("a%d.com", i))
	}
	want(t, "parts", len(Parts(strings.Join(many, " "))), maxParts)
	line := "tg: lena88 " + strings.Repeat("x", 50)
	for n, handles := range map[int]int{maxThing: 1, maxThing + 1: 0} {
		want(t, "a line", len(Read(Things, line+strings.Repeat(" ", n-len(line))).Items), handles)
		own := "evil.com my mail is a@b.com"
		own += strings.Repeat(" ", n-len(own))
		want(t, "an own handle", len(Read(Things, own).Items), 2-handles)
	}
	number := "+4420794609580"
	for n, phone := range map[int]bool{15: true, 16: false} {
		text := number + strings.Repeat("1", n-len(number)+1)
		want(t, text, Phone(text) != "", phone)
	}
	for n, kind := range map[int]Kind{maxPhone: NoCountryCode, maxPhone + 1: BankNumber} {
		want(t, "digits", Read(Things, strings.Repeat("12", n)[:n]).Problems[0].Kind, kind)
	}
	if p := (Problem{Kind: Invalid, Fault: &tocsin.Error{}}); p.WrongCase() {
		t.Error("a fault of no field is one of its case")
	}
	for text, is := range map[string]bool{strings.Replace(account, "Ae", "ae", 1): true, "-.example": false,
		"hello": false} {
		_, problem := Subject(text)
		want(t, text, problem.WrongCase(), is)
	}
}
