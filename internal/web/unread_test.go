package web

import (
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/paste"
	"tocsin/internal/tocsintest"
)

// TestEachMistakeHasItsWords in a form, in the search field, of a part of a text and of an amount, as
// testdata/mistakes.txt has them. Of a part that is meant as a subject the words are those of the search field.
func TestEachMistakeHasItsWords(t *testing.T) {
	source, err := os.ReadFile("../paste/problem.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := regexp.MustCompile(`(?m)^\t\w+ +Kind = "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(kinds) < 20 {
		t.Fatalf("%d kinds", len(kinds))
	}
	p := allLanguages().English()
	said := newTranscript()
	say := func(format string, args ...any) { said.text(fmt.Sprintf(format, args...)) }
	asSubject := []paste.Kind{paste.Invalid, paste.WrongAccount, paste.CutShort, paste.NotDomain, paste.ConnectRequest}
	for _, k := range kinds {
		kind := paste.Kind(k[1])
		wrong := paste.Problem{Kind: kind, Text: "email:lena@some.example/" + strings.Repeat("x", 70), Count: 7,
			Fault: &tocsin.Error{Code: tocsin.Invalid, Detail: "It is invalid",
				Fields: []tocsin.Fault{{Reason: "it is wrong", Fix: "mend it"}}}}
		in, of, part := problemText(p, paste.Things, wrong), subjectText(p, wrong), whyUnread(p, wrong, unresolved(""))
		if in.Text == "" || of == "" || part == "" && kind != paste.ENSName {
			t.Errorf("%s: %q, %q, %q", kind, in.Text, of, part)
		}
		if slices.Contains(asSubject, kind) && part != of {
			t.Errorf("%s: of a part %q, in the search field %q", kind, part, of)
		}
		say("=== %s\n%s\n%s\n%s\n%s\n%s\n%s\n", kind, in.Brief, in.Text, in.Advice, of, part,
			amountText(p, wrong))
	}
	for _, typed := range []fields{
		{thingsField: "words alone\n0x12\n" + nobody + "0\n" + nobody[:41] + "\nvitalik.eth"},
		{thingsField: "lena.sol\n192.0.2.1\ngithub.io\nbuy.stripe.com/x\n+44 7700 900123\n0770 900123"},
		{thingsField: strings.Repeat("0x12\n", maxShown+1) + strings.Replace(nobody, "aAeb", "aaeb", 1)},
		{thingsField: strings.Replace(nobody, "aAeb", "aaeb", 1) + "\n" + aHash + "\n" + strings.Repeat("5J", 32)},
		{thingsField: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u\n7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU\na@b"},
		{thingsField: aPhrase, storyField: aPhrase, titleField: strings.Repeat("t", 201)}, {hashField: aHash},
		{thingsField: "x.example", platformField: "telegram", storyField: strings.Repeat("s", tocsin.MaxDescription+1)},
		{thingsField: "@lena!", platformField: "x"}, {hashField: "words\n0x12\n" + nobody + "\nhttps://x.example"},
		{linkField: "words\nftp://x.example\nhttps://" + strings.Repeat("x", 3000)}, {dateField: "01/02/2026"},
		{dateField: "2030-01-01"}, {currencyField: "much money"}, {amountField: "-1"}, {amountField: "much"},
		{amountField: "1.234"}, {amountField: "99999999999999"}, {amountField: "1 lakh"}, {crimeField: "theft"},
		{projectField: strings.Repeat("p", 300)},
	} {
		values := url.Values{crimeField: {"hack"}, titleField: {"t"}, storyField: {"s"}, thingsField: {"fine.example"}}
		for name, text := range typed {
			values.Set(name, text)
		}
		f := newForm(p, values)
		f.parse(now)
		say("=== %s\n", tocsin.Shorten(fmt.Sprint(typed), 100))
		for _, field := range f.Fields {
			for _, wrong := range field.Problems {
				say("%s %d: %s: %s\n", field.Name, wrong.Line, wrong.Brief, wrong.Text)
			}
			if field.MoreProblems > 0 {
				say("%s: %d more\n", field.Name, field.MoreProblems)
			}
		}
	}
	for _, text := range []string{
		" ", hashOf(1), strings.Repeat("5J", 32), aPhrase, "words", "vitalik.eth", "192.0.2.1", "0x12", nobody[:41],
		"a@some.example", "@lena", "+44 7700 900123", "whatsapp: +44 7700 900123", nobody + " " + other, "name: Lena",
		"7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU", "GB33BUKB20201555555555", "github.io/x",
	} {
		say("=== %s\n%s\n", tocsin.Shorten(text, 60), Unread(p, text))
	}
	tocsintest.Golden(t, "testdata/mistakes.txt", said.String())
}

func TestTheLevelsOfAReportAreShownIfThatOfOneSubjectIs(t *testing.T) {
	for _, rows := range [][]subjectRow{nil, {{Alone: true}}, {{Alone: true}, {Shown: true}}, {{Shown: true}}} {
		shown := slices.ContainsFunc(rows, func(row subjectRow) bool { return !row.Alone })
		want(t, "shown", (&reportPage{Named: rows}).ShowsLevels(), shown)
	}
}
