package store

import "testing"

func TestAWholeNameIsNoPartOfALongerOne(t *testing.T) {
	for text, want := range map[string]bool{
		"lena": true, "@Lena": true, "telegram:lena": true, "see t.me/lena, or call": true, "It was lena.": true,
		"(lena)": true, "ask lena-": true, "not lena_trades but lena": true, "https://t.me/lena?start=1": true,
		"lena_trades": false, "my_lena": false, "lena.fischer": false, "x-lena": false, "lena2": false,
		"lena@mail.example": false, "éléna": false, "": false,
	} {
		if got := hasWhole(text, "lena"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for text, want := range map[string]bool{
		"mail to lena@mail.example.": true, "lena@mail.example.com": false, "x.lena@mail.example": false,
	} {
		if got := hasWhole(text, "lena@mail.example"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
