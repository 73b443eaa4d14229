package web

import (
	"strings"
	"testing"
	"unicode/utf8"

	"tocsin"
)

// brackets writes pieces with what was sought in brackets.
func brackets(pieces []stretch) string {
	var b strings.Builder
	for _, p := range pieces {
		if p.Hit {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestMarksAreWhereTheIndexFound(t *testing.T) {
	for _, c := range []struct{ query, text, want string }{
		{"approval", "An Approval, APPROVALS and approval.", "An [Approval], APPROVALS and [approval]."},
		{"approv*", "approval, approve, disapprove", "[approval], [approve], disapprove"},
		{`"claim site"`, "a claim-site, a claim, a site", "a [claim-site], a claim, a site"},
		{"claim-site", "the claim site", "the [claim site]"},
		{"cafe", "Café, CAFÉ, cafeteria", "[Café], [CAFÉ], cafeteria"},
		{"café", "cafe\u0301 and cafe", "[cafe\u0301] and [cafe]"},
		{`"a b" "b c"`, "a b c d", "[a b c] d"},
		{"evil.com", "go to evil.com/x", "go to [evil.com]/x"},
		{"0x098B71*", "0x098B716B8Aaf and 0x098", "[0x098B716B8Aaf] and 0x098"},
		{"偽*", "", ""},
		{"b", "<b>b</b>", "<[b]>[b]</[b]>"},
	} {
		terms, fault := tocsin.ParseQuery(c.query)
		if fault != nil {
			terms = nil
		}
		if got := brackets(marked(c.text, needles(terms))); got != c.want {
			t.Errorf("%q in %q: %q, not %q", c.query, c.text, got, c.want)
		}
	}
}

// FuzzMarks looks for anything in anything: the text must come out whole, and an
// excerpt must be readable.
func FuzzMarks(f *testing.F) {
	f.Add("approv* \"a b\"", "An approval, a b c\u0301")
	f.Add("x", strings.Repeat("é", 300)+" x")
	f.Fuzz(func(t *testing.T, query, text string) {
		terms, fault := tocsin.ParseQuery(query)
		if text = tocsin.CleanText(text); fault != nil {
			return
		}
		whole := ""
		for _, p := range marked(text, needles(terms)) {
			whole += p.Text
		}
		if whole != text {
			t.Errorf("%q became %q", text, whole)
		}
		if cut := excerpt(text, needles(terms)); !utf8.ValidString(cut) || len(cut) > 240 {
			t.Errorf("%q is cut to %q", text, cut)
		}
	})
}
