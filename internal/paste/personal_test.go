package paste

import (
	"fmt"
	"strings"
	"testing"
)

func TestWhatMayBeTheWritersOwnIsFoundInAStory(t *testing.T) {
	for text, found := range map[string][]string{
		"Write to maria.perez@gmail.com, or maria.perez@gmail.com.": {"maria.perez@gmail.com"},
		"His number is +52 55 9876 5432 0xabc":                      {"+52 55 9876 5432"},
		"Mi teléfono es 5598765432":                                 {"Mi teléfono es 5598765432"},
		"Luego mi WhatsApp es 612 345 678.":                         {"mi WhatsApp es 612 345 678"},
		"Meine Nummer ist 0171 2345678, er rief an":                 {"Meine Nummer ist 0171 2345678"},
		"Mi cédula es 1712345678, mi cel 0991234567":                {"Mi cédula es 1712345678", "mi cel 0991234567"},
		"DNI 12345678Z, CURP GALM900101MDFRPR09":                    {"12345678Z", "GALM900101MDFRPR09"},
		"me llamo María García López, vivo en Calle Roble 12, P. Y": {
			"me llamo María García López", "vivo en Calle Roble 12, P. Y"},
		"Sent from my bank ES91 2100 0418 4502 0005 1332.": {"my bank ES91 2100 0418 4502 0005 1332"},
		"mi cuenta ES91 2100 0418 4502 0005 1332 y":        {"mi cuenta ES91 2100 0418 4502 0005 1332"},
		"I live in Calle Mayor 14, 3B, Zaragoza and wrote": {"I live in Calle Mayor 14, 3B, Zaragoza"},
		"Vivo en Calle Mayor 14, 3º B, 50001 Zaragoza y me": {
			"Vivo en Calle Mayor 14, 3º B, 50001 Zaragoza"},
		"Vivo en Zaragoza y mi móvil es 0034 655 20 19 47, Daniel": {
			"Vivo en Zaragoza", "mi móvil es 0034 655 20 19 47"},
		"I live in Madrid, Spain. Ich wohne in Köln, er schrieb":     {"I live in Madrid, Spain", "Ich wohne in Köln"},
		"marta.iglesias84 @ gmail.com, lena @gmail.com":              {"marta.iglesias84 @ gmail.com", "lena @gmail.com"},
		"on telegram @lena.gold":                                     nil,
		"y mi Telegram es @maria_g_puebla":                           {"mi Telegram es @maria_g_puebla"},
		"Sent from my wallet " + tron:                                {"my wallet " + tron},
		"He drained my wallet, all 12 coins, and my savings of 4000": nil,
		"Call 55 9876 5432 today":                                    {"55 9876 5432"},
		"To DE89 3704 0044 0532 0130 00, GB82WEST12345698765432": {
			"DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"},
		"GB83WEST12345698765432":                                  nil,
		"mi cuenta BBVA 032180000118359719":                       {"mi cuenta BBVA 032180000118359719"},
		"a su 032180000118359718, cuenta 032180000118359718":      {"cuenta 032180000118359718"},
		"card 4111 1111 1111 1111, 3782-822463-10005":             {"4111 1111 1111 1111", "3782-822463-10005"},
		"card 4111 1111 1111 1112, 1111111111111117":              {"card 4111 1111 1111 1112"},
		"on 2026-11-20 14:30:00 I sent 12,400.50 USDT to " + tron: nil,
		"see https://medium.com/@lena/a and " + transaction:       nil,
		"": nil,
	} {
		if got := Personal(text); fmt.Sprint(got) != fmt.Sprint(found) {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// TestALinkMayHaveItsWritersOwn data behind its path, however they are escaped.
func TestALinkMayHaveItsWritersOwn(t *testing.T) {
	for link, found := range map[string][]string{
		"https://x.example/login?user=marta.i84@gmail.com": {"marta.i84@gmail.com"},
		"https://x.example/a/marta%40mail.example?tel=%2B34655201947#ana@b.example": {
			"marta@mail.example", "ana@b.example", "+34655201947"},
		"https://medium.com/@lena/a?id=1700000000000": nil,
		"https://x.example/%zz":                       nil,
	} {
		if got := PersonalInLink(link); fmt.Sprint(got) != fmt.Sprint(found) {
			t.Errorf("%s: %q", link, got)
		}
	}
	want(t, "escaped", []bool{holds("https://x.example/?q=Marta%40Mail.example", "marta@mail.example"),
		holds("ES91-2100", "es91 2100"), holds("a", ""), holds("abcoin", "a@b.co")}, []bool{true, true, false, false})
	for _, spelled := range []string{"ana.perez[at]gmail.com", "ana.perez (AT) gmail (dot) com", "ana.perez＠gmail.com",
		"aná.perez@gmail.com"} {
		want(t, spelled, holds("to "+spelled+".", "ana.perez@gmail.com"), true)
	}
	want(t, "cut", WithoutInLinks("see https://x.example/a?u=ana https://x.example/ana?b ana", func(link string) bool {
		return holds(link, "ana")
	}), "see https://x.example/a  ana")
	want(t, "what it is about", []string{Core("my bank ES91 2100 0418"), Core("me llamo Marta Ruiz"),
		Core("me llamo Marta"), Core("my Telegram is @marta_i")}, []string{"91 2100 0418", "", "", "@marta_i"})
}

// TestAStoryOfNumbersIsReadOnce: of what is before a number little is looked at, since a story may have thousands.
func TestAStoryOfNumbersIsReadOnce(t *testing.T) {
	const number = "+4915112345678"
	for before, handle := range map[string]string{
		"WhatsApp: ":                                "whatsapp:" + number,
		"my WhatsApp is (":                          "whatsapp:" + number,
		strings.Repeat("é ", maxBefore):             "phone:" + number,
		"WhatsApp" + strings.Repeat(" ", maxBefore): "phone:" + number,
	} {
		if got := phoneHandle(number, before, ""); got != handle {
			t.Errorf("%s: %s", before, got)
		}
	}
	var story strings.Builder
	for i := range 16 << 10 {
		fmt.Fprintf(&story, "+49151%08d ", 11111111+i)
	}
	if n := len(Personal(story.String())); n != 16<<10 {
		t.Errorf("%d numbers", n)
	}
}

// TestTheNumberOfEachSchemeIsACard, with the digits that the schemes publish for tests.
func TestTheNumberOfEachSchemeIsACard(t *testing.T) {
	for digits, card := range map[string]bool{
		"2223000048400011": true, "378282246310005": true, "4111111111111111": true, "5555555555554444": true,
		"6011111111111117": true,
		"1111111111111117": false, "7000000000000005": false, "4111111111111112": false, "30569309025904": false,
		"41111111111111113": false,
	} {
		want(t, digits, isCard(digits), card)
	}
}

// TestOnlyAMailAddressAloneIsOne: in a sentence it is only a part.
func TestOnlyAMailAddressAloneIsOne(t *testing.T) {
	for text, is := range map[string]bool{"lena@mail.example": true, "lena @ mail.example": true, "": false,
		"write to lena@mail.example": false, "lena": false} {
		want(t, text, IsMail(text), is)
	}
}

// TestAMailAddressIsAskedAboutHoweverItIsWritten.
func TestAMailAddressIsAskedAboutHoweverItIsWritten(t *testing.T) {
	want(t, "asked", Personal("maggie.h[at]gmail.com, maggie (AT) x (dot) com, m@x [punto] com, or [at] home."),
		[]string{"maggie.h[at]gmail.com", "maggie (AT) x (dot) com", "m@x [punto] com"})
}

// TestAMailAddressThatIsSpelledOutIsAskedAboutAsAWhole, and no site that is spelled so.
func TestAMailAddressThatIsSpelledOutIsAskedAboutAsAWhole(t *testing.T) {
	for _, mail := range []string{
		"marta punto iglesias77 arroba gmail punto com", "susan dot whitfield at btinternet dot com",
		"susan.whitfield at btinternet.com", "petra punkt meier at gmx punkt de", "maggie at gmail dot com",
		"anne point petit arobase laposte point net", "anne.petit at orange.fr", "marta @ gmail punto com",
		"joana ponto silva arroba uol ponto com ponto br", "marta_iglesias @ hotmail . es", "wangwei艾特qq点com",
		"susanw [@] gmail.com", "susan.w＠gmail.com", "s.w＠mail.example",
	} {
		want(t, mail, Personal("x, "+mail+". Then"), []string{mail})
		plain := strings.NewReplacer(" punto ", ".", " dot ", ".", " punkt ", ".", " point ", ".", " ponto ", ".", "点", ".",
			" arroba ", "@", " arobase ", "@", "艾特", "@", " at ", "@", " @ ", "@", " [@] ", "@", "＠", "@",
			" . ", ".").Replace(mail)
		want(t, "spelled "+mail, holds("to "+mail+".", plain), true)
	}
	for _, text := range []string{"look at scam dot com", "I wrote to them at binance dot com", "visit quantfx dot pro",
		"telegram @free.money", "punto final, punto com", "I am at a loss"} {
		want(t, text, Personal(text), []string(nil))
	}
}

// holds reports whether a text has another in any spelling.
func holds(text, what string) bool { return SpellingOf(text).Holds(SpellingOf(what)) }
