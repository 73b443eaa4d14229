package tocsin

import (
	"strings"
	"testing"
)

func TestAHandleHasOneSpelling(t *testing.T) {
	for text, want := range map[string]string{
		"telegram:@Lena_Trades88":                       "telegram:lena_trades88",
		"Telegram: lena_trades88":                       "telegram:lena_trades88",
		"https://t.me/Lena_Trades88?start=1":            "telegram:lena_trades88",
		"https://t.me/lena_trades88?id=10005":           "telegram:lena_trades88",
		"t.me/lena_trades88":                            "telegram:lena_trades88",
		"https://telegram.me/lena_trades88":             "telegram:lena_trades88",
		"https://fb.com/lena.fischer":                   "facebook:lena.fischer",
		"https://m.facebook.com/lena.fischer":           "facebook:lena.fischer",
		"hxxps://t[.]me/lena_trades88":                  "telegram:lena_trades88",
		"https://twitter.com/Lena/status/1":             "x:lena",
		"https://www.instagram.com/lena.fischer/":       "instagram:lena.fischer",
		"https://www.facebook.com/profile.php?id=10005": "facebook:10005",
		"https://wa.me/442079460958":                    "whatsapp:+442079460958",
		"whatsapp:+44 (20) 7946-0958":                   "whatsapp:+442079460958",
		"phone:0044 20 7946 0958":                       "phone:+442079460958",
		"whatsapp:+52 1 55 9876 5432":                   "whatsapp:+525598765432",
		"phone:+52 55 9876 5432":                        "phone:+525598765432",
		"https://wa.me/5491123456789":                   "whatsapp:+541123456789",
		"https://wa.me/+442079460958":                   "whatsapp:+442079460958",
		"phone:+44.20.7946\u00a00958":                   "phone:+442079460958",
		"discord:Lena#1234":                             "discord:lena#1234",
		"mailto:Lena@Mail.Example":                      "email:Lena@mail.example",
		"Lena+x@Mail.Example":                           "email:Lena+x@mail.example",
		"name: Lena\u202e  Fischer ":                    "name:Lena  Fischer",
	} {
		h, err := ParseHandle(text)
		if err != nil || h.String() != want {
			t.Errorf("%q: %q, %v", text, h, err)
		}
		if again, err := ParseHandle(h.String()); err != nil || again != h {
			t.Errorf("%q is parsed as %q, %v", h, again, err)
		}
	}
}

func TestWhatIsNoHandleIsRefusedWithAFix(t *testing.T) {
	for text, want := range map[string]string{
		"lena_trades88":                       "send the service, a colon and the name",
		"@lena_trades88":                      "telegram:",
		"":                                    "send the service",
		"telegram:le":                         "4 to 32 letters",
		"telegram:" + strings.Repeat("a", 33): "4 to 32 letters",
		"x:lena-fischer":                      "1 to 15 letters",
		"whatsapp:020 7946 0958":              "with its country code",
		"phone:+44":                           "with its country code",
		"email:lena@localhost":                "an e-mail address",
		"name:L":                              "2 to 100 characters",
		"https://t.me/+AbCdEf123":             "4 to 32 letters",
		"https://www.facebook.com/groups/123": "send the service",
		"https://facebook.com/profile.php":    "send the service",
		"https://x.com":                       "send the service",
		"name:legal winner thank year wave sausage worth useful legal winner thank yellow": "seed phrase",
		"https://evil.com/lena":          "send the service",
		"evil.com/@lena.example":         "an e-mail address",
		"evil.com?for=lena@mail.example": "an e-mail address",
	} {
		if h, err := ParseHandle(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v", text, h, err)
		}
	}
}

// TestTheNameOfAHandleHasTheLengthOfItsService: the shortest and the longest are read, and none beyond them.
func TestTheNameOfAHandleHasTheLengthOfItsService(t *testing.T) {
	for service, c := range map[string]struct {
		shortest, longest int
		before            string // of each name
	}{
		"telegram": {4, 32, ""}, "x": {1, 15, ""}, "whatsapp": {7, 15, "+"}, "phone": {7, 15, "+"},
		"instagram": {1, 30, ""}, "facebook": {3, 64, ""}, "discord": {2, 32, ""}, "name": {2, 100, ""},
	} {
		character := "g"
		if c.before != "" {
			character = "4"
		}
		for n, good := range map[int]bool{c.shortest - 1: false, c.shortest: true, c.longest: true, c.longest + 1: false} {
			text := service + ":" + c.before + strings.Repeat(character, n)
			if h, err := ParseHandle(text); (err == nil) != good {
				t.Errorf("%d characters: %v, %v", n, h, err)
			}
		}
	}
}

// TestAPageOfAServiceIsNobodysHandleWhateverItsCase: a report would accuse a page of the service.
func TestAPageOfAServiceIsNobodysHandleWhateverItsCase(t *testing.T) {
	for _, link := range []string{"https://x.com/Home", "https://www.facebook.com/Groups/123",
		"https://instagram.com/EXPLORE"} {
		if h, err := ParseHandle(link); err == nil {
			t.Errorf("%s: %v", link, h)
		}
	}
}
