package tocsin

import (
	"errors"
	"strings"
	"testing"
)

func TestAnErrorNamesItsFaultsInOneLine(t *testing.T) {
	fault := func(field, reason, fix string) Fault { return Fault{Field: field, Reason: reason, Fix: fix} }
	for want, e := range map[string]*Error{
		"No report has this id": {Code: NotFound, Detail: "No report has this id"},
		"a: it is empty (say more); it is bad": {
			Fields: []Fault{fault("a", "it is empty", "say more"), fault("", "it is bad", "")},
		},
	} {
		if e.Error() != want {
			t.Errorf("%q, not %q", e.Error(), want)
		}
	}
	in := (&Error{Fields: []Fault{fault("", "x", ""), fault("b[1]", "y", "")}}).In("a")
	if len(in) != 2 || in[0].Field != "a" || in[1].Field != "a.b[1]" {
		t.Errorf("%+v", in)
	}
}

func TestAFragmentBecomesASentence(t *testing.T) {
	for fragment, want := range map[string]string{
		"": "", "x": "X.", "it is empty": "It is empty.", "élan": "Élan.", "Is it?": "Is it?", "cut…": "Cut…",
		"done.": "Done.",
	} {
		if got := Sentence(fragment); got != want {
			t.Errorf("%q becomes %q", fragment, got)
		}
	}
}

func TestAnErrorListsAHundredFaults(t *testing.T) {
	if err := Faults(nil); err != nil {
		t.Errorf("no fault is %v", err)
	}
	for n, said := range map[int]string{1: "", 100: "", 101: "first 100 of 101", 2000: "100 of 2000"} {
		var e *Error
		if !errors.As(Faults(make([]Fault, n)), &e) || e.Code != Invalid || len(e.Fields) != min(n, 100) ||
			!strings.Contains(e.Detail, said) || strings.Contains(e.Detail, " of ") != (said != "") {
			t.Errorf("%d faults: %d, %q", n, len(e.Fields), e.Detail)
		}
	}
}
