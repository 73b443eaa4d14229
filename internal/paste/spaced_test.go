package paste

import (
	"strings"
	"testing"
)

// TestANameOfASiteWithASpaceIsMeant, and no words of a sentence.
func TestANameOfASiteWithASpaceIsMeant(t *testing.T) {
	for text, site := range map[string]string{
		"lena-invest. vip": "lena-invest.vip", "lena-invest .vip": "lena-invest.vip", " Lena . gold ": "lena.gold",
		"https://pay.lena. com/x": "pay.lena.com", "lena24. de": "lena24.de",
		"I paid. Then he left": "", "I paid. then": "", "paid. Then": "", "paid. then": "", "paid. me": "", "Gone. So": "",
		"I paid. Now": "", "lena. invest": "", "lena.  vip": "", "lena invest vip": "", "": "", "12. 50": "", "com. ar": "",
		strings.Repeat("a", 5000) + ". vip": "",
	} {
		want(t, text, SpacedSite(text), site)
	}
	for _, text := range []string{"I paid. Then he was gone", "He left. now I wait", "pague. me bloqueo", "Ok. so what"} {
		if b := ReadBox(text); len(b.Subjects) > 0 {
			t.Errorf("%s: %v", text, b.Subjects)
		}
	}
	found := Read(Things, "lena-invest. vip")
	want(t, "in the form", []any{len(found.Items), found.Problems[0].Kind, found.Problems[0].Text},
		[]any{0, SpaceInName, "lena-invest.vip"})
}

// TestAnAccountWithItsServiceIsNoSite, though its name has a point.
func TestAnAccountWithItsServiceIsNoSite(t *testing.T) {
	for text, wanted := range map[string][]any{
		"insta: lena.gold":                            {"", "instagram:lena.gold"},
		"facebook: lena.gold, evil.example":           {"evil.example", "facebook:lena.gold"},
		"escribe a mi IG=@lena.gold y a evil.example": {"evil.example", "instagram:lena.gold"},
		"lena.gold": {"lena.gold", ""},
	} {
		b, subjects := ReadBox(text), []string(nil)
		for _, s := range b.Subjects {
			subjects = append(subjects, s.Plain())
		}
		want(t, text, []any{strings.Join(subjects, " "), strings.Join(b.Handles, " ")}, wanted)
	}
}
