package store

import (
	"testing"

	"tocsin"
)

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

func TestASearchForAWholeNameLeavesOutLongerOnes(t *testing.T) {
	s := fresh(t)
	for _, title := range []string{"Ask @lena on Telegram", "Ask @lena_trades on Telegram"} {
		if _, err := s.FileReport(t.Context(), Filing{Draft: story(t, title, "evil.com"), Network: network}); err != nil {
			t.Fatal(err)
		}
	}
	for whole, want := range map[bool]int{true: 1, false: 2} {
		found, err := s.Search(t.Context(), []tocsin.Term{{Text: "lena", Whole: whole}}, "", Page{Limit: 10})
		if err != nil || found.Found != want || len(found.Reports) != want ||
			whole && found.Reports[0].Title != "Ask @lena on Telegram" {
			t.Errorf("whole %v: %d of %d, %v", whole, len(found.Reports), found.Found, err)
		}
	}
}

// TestANumberOfWhatsAppIsFoundInItsForm, and as it was written.
func TestANumberOfWhatsAppIsFoundInItsForm(t *testing.T) {
	s := fresh(t)
	written, form := "+44 (20) 7946-0958", "+442079460958"
	d := story(t, "She asked for money", "evil.com")
	d.SocialMedia.WhatsApp = &written
	if _, err := s.FileReport(t.Context(), Filing{Draft: d, Network: network}); err != nil {
		t.Fatal(err)
	}
	equal(t, "handles", handlesOf(&d), []string{written, form})
	for _, term := range []tocsin.Term{{Text: form, Whole: true}, {Text: form}, {Text: written}} {
		found, err := s.Search(t.Context(), []tocsin.Term{term}, "", Page{Limit: 10})
		if err != nil || found.Found != 1 {
			t.Errorf("%+v: %d, %v", term, found.Found, err)
		}
	}
}

// TestAnAccountIsNamedWithAnAtOrInALink, and not where its name is a word or a part of a link to something else.
func TestAnAccountIsNamedWithAnAtOrInALink(t *testing.T) {
	for text, want := range map[string]bool{
		"ask @MetaMask.": true, "@metamask": true, "https://t.me/MetaMask?start=1": true, "(x.com/metamask)": true,
		"drained my MetaMask wallet": false, "fat.me/metamask": false, "github.com/metamask": false,
		"https://not-t.me/metamask": false, "my-x.com/metamask": false,
		"pay me@metamask": false, "@metamask_help": false, "@MetaMask.io": false,
	} {
		if got := namesAccount(text, "MetaMask"); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for handle, want := range map[string]bool{
		"telegram:metamask": true, "@MetaMask": true, "MetaMask": true, "name:MetaMask": false, "MetaMask support": false,
	} {
		if got := isHandleOf(handle, "MetaMask"); got != want {
			t.Errorf("%q: %v", handle, got)
		}
	}
}
