package web

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"tocsin"
	"tocsin/internal/paste"
)

// TestEachKindOfProblemHasItsWords in a form, in the search field and of a part of a text. Of a part that is meant as a
// subject the words are those of the search field.
func TestEachKindOfProblemHasItsWords(t *testing.T) {
	source, err := os.ReadFile("../paste/problem.go")
	if err != nil {
		t.Fatal(err)
	}
	kinds := regexp.MustCompile(`(?m)^\t\w+ +Kind = "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(kinds) < 20 {
		t.Fatalf("%d kinds", len(kinds))
	}
	p := allLanguages().English()
	asSubject := []paste.Kind{paste.Invalid, paste.WrongAccount, paste.CutShort, paste.NotDomain, paste.ConnectRequest}
	for _, k := range kinds {
		kind := paste.Kind(k[1])
		wrong := paste.Problem{Kind: kind, Text: "lena.example", Count: 7, Fault: &tocsin.Error{Code: tocsin.Invalid,
			Detail: "It is invalid", Fields: []tocsin.Fault{{Reason: "it is wrong", Fix: "mend it"}}}}
		in, of, part := problemText(p, paste.Things, wrong), subjectText(p, wrong), whyUnread(p, wrong, unresolved(""))
		if in.Text == "" || of == "" || part == "" && kind != paste.ENSName {
			t.Errorf("%s: %q, %q, %q", kind, in.Text, of, part)
		}
		if slices.Contains(asSubject, kind) && part != of {
			t.Errorf("%s: of a part %q, in the search field %q", kind, part, of)
		}
	}
}

func TestTheLevelsOfAReportAreShownIfThatOfOneSubjectIs(t *testing.T) {
	for _, rows := range [][]subjectRow{nil, {{Alone: true}}, {{Alone: true}, {Shown: true}}, {{Shown: true}}} {
		shown := slices.ContainsFunc(rows, func(row subjectRow) bool { return !row.Alone })
		want(t, "shown", (&reportPage{Named: rows}).ShowsLevels(), shown)
	}
}
