package tocsin

import (
	"slices"
	"strings"
	"testing"
)

func TestASubjectIsParsedAsItsKindAndShownAsPeopleWriteIt(t *testing.T) {
	many := "0x" + strings.Repeat("a", 40)
	const evm = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"
	for in, want := range map[string]struct {
		subject Subject
		shown   string
	}{
		evm:                        {Subject{EVM, strings.ToLower(evm)}, evm},
		" " + strings.ToLower(evm): {Subject{EVM, strings.ToLower(evm)}, evm},
		"https://WWW.Evil.com/x":   {Subject{DNS, "evil.com"}, "evil.com"},
		"пример.рф":                {Subject{DNS, "xn--e1afmkfd.xn--p1ai"}, "xn--e1afmkfd.xn--p1ai"},
		"a.b.evil.co.uk":           {Subject{DNS, "a.b.evil.co.uk"}, "a.b.evil.co.uk"},
		many:                       {Subject{EVM, many}, "0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa"},
	} {
		s, err := ParseSubject(in)
		if err != nil || s != want.subject || s.String() != want.shown {
			t.Errorf("%q: %v, shown as %q, %v", in, s, s, err)
		}
		if again, err := ParseSubject(s.String()); err != nil || again != s {
			t.Errorf("%q is parsed as %v, %v", s, again, err)
		}
		if s.IsAddress() != (s.Kind == EVM) || s.IsAddress() != (s.Namespace() == "eip155") {
			t.Errorf("%v: address %v, namespace %q", s, s.IsAddress(), s.Namespace())
		}
	}
	for _, text := range []string{"0x1", evm[2:], "evil", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d35A"} {
		if s, err := ParseSubject(text); err == nil {
			t.Errorf("%q is taken for %v", text, s)
		}
	}
}

func TestTheOwnerOfASubjectIsItsRegistrableDomainOrItself(t *testing.T) {
	for in, want := range map[string]string{
		"a.b.evil.co.uk": "a.b.evil.co.uk b.evil.co.uk evil.co.uk",
		"evil.co.uk":     "evil.co.uk",
		"x.y.pages.dev":  "x.y.pages.dev y.pages.dev",
		"pages.dev":      "pages.dev",
		"0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359": "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359",
	} {
		s, err := ParseSubject(in)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, name := range s.SelfAndParents() {
			names = append(names, name.Value)
			if name.Kind != s.Kind || name.Owner() != s.Owner() {
				t.Errorf("%v has the owner %v, its parent %v %v", s, s.Owner(), name, name.Owner())
			}
		}
		if strings.Join(names, " ") != want || s.Owner().Value != names[len(names)-1] {
			t.Errorf("%s: %v, owned by %v", in, names, s.Owner())
		}
		if d, err := ParseDomain(in); err == nil && !slices.Equal(d.SelfAndParents(), s.SelfAndParents()) {
			t.Errorf("%s: %v, %v", in, d.SelfAndParents(), s.SelfAndParents())
		}
	}
	later := Subject{Kind: "sui", Value: "0x5"}
	if later.String() != later.Value || later.Owner() != later || later.IsAddress() {
		t.Errorf("a kind of a later version is %v", later)
	}
}

func TestTheSubjectsOfADraftAreThoseItNames(t *testing.T) {
	d := story()
	d.ScammerAddresses = []string{"0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"}
	d, err := d.Parse(now)
	want := []Subject{{EVM, "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359"}, {DNS, "evil.com"}}
	if got := d.Subjects(); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
}
