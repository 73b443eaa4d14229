package tocsin_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// asSent are faults without what they are translated by.
func asSent(faults []tocsin.Fault) (sent []struct{ Field, Reason, Fix string }) {
	for _, f := range faults {
		sent = append(sent, struct{ Field, Reason, Fix string }{f.Field, f.Reason, f.Fix})
	}
	return sent
}

// TestHowEachTextIsRead holds what the parsers make of texts that are good, and of those on the edge of being so: the
// value, or every word of the error.
func TestHowEachTextIsRead(t *testing.T) {
	const bare = "5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"
	var said strings.Builder
	read := func(as, text string, value any, fault *tocsin.Error) {
		if fault != nil {
			value = fault
		}
		got, err := json.Marshal(value)
		tocsintest.Must(t, err)
		if fault != nil {
			got = fmt.Appendf(nil, "%s %v", fault.Code, asSent(fault.Fields))
		}
		fmt.Fprintf(&said, "%s %.100q: %s\n", as, text, got)
	}
	long := strings.Repeat("a", 63)
	for _, text := range []string{
		"", " ", "0", "0x", "x", "00" + bare, "0X" + bare, "0x" + bare, bare, strings.ToUpper(bare), bare + "0",
		bare[1:],
		"0x" + bare[1:], "0x" + bare + "0", "0x" + bare[:39] + "g", "0x" + bare[:39] + "/", "0x" + bare[:39] + ":",
		"0x" + bare[:39] + "@", "0x" + bare[:39] + "`", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
		"0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0x" + strings.ToUpper(bare), strings.Repeat("z", 65),
		"0x" + strings.Repeat("z", 63), "0x" + strings.Repeat("1", 64), strings.Repeat("1", 64), "0x.example",
		"0x12.example",
		"vitalik.eth", "a.sol", "name.crypto", "a.x", "DWYHyB9Bw9xLfDS3NoWmkEqzsvGsqYLYBJCPnUoeUuKX",
		"evil.example", "EVIL.Example.", "www.evil.example", "www.www.evil.example", "www.com", "www.co.uk", "evil",
		"evil.example/", "evil.example/a?b#c", "https://u:p@evil.example:8443/x", "https://evil.example:x/",
		"hxxps[:]//evil[.]example", "evil(dot)example", "evil{.}example", "ftp://evil.example", "//evil.example",
		"javascript:alert(1)", "mailto:a@evil.example", "a@evil.example", "a b.example", "a_b.example",
		"a.b_c.example",
		"-a.example", "a-.example", "a..example", ".example", "1.2.3.4", "[2001:db8::1]", "http://1.2.3.4/x",
		"0x7f.1",
		"github.io", "a.github.io", "co.uk", "a.co.uk", "com", "пример.рф", "xn--e1afmkfd.xn--p1ai",
		"xn--a-ecp.example",
		"exa\u00admple.com", "evil.example\u200b", long + ".example", long + "a.example",
		strings.Repeat(long+".", 3) + "example.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		strings.Repeat("a.", 512) + "b", strings.Repeat("a.", 511) + "bb", strings.Repeat("é", 513) + ".example",
		"evil.example/" + strings.Repeat("x", 3000), "telegram:lena_trades88", " Telegram: lena", "telegrams:lena",
		"telegram",
		"mailto:", "ä_.example", "\u0378x.example", "a\u200d.example", "MailTo:a", "a@b", "a@evil.example/x",
	} {
		if !strings.Contains(text, ".") {
			a, fault := tocsin.ParseAddress(text)
			read("address", text, a.String(), fault)
		}
		d, fault := tocsin.ParseDomain(text)
		read("domain", text, []any{d.String(), d.Registrable(), d.Shared(), d.HasPath()}, fault)
		s, fault := tocsin.ParseSubject(text)
		read("subject", text, s, fault)
	}
	for _, text := range []string{
		"", ":", "a", "lena", "@lena", "lena@evil.example", "mailto:Lena.Gold@Evil.Example",
		"email:lena@evil.example",
		"telegram:abc", "telegram:abcd", "telegram:" + long[:32], "telegram:" + long[:33], "telegram: @Lena_1",
		"TELEGRAM:lena",
		"telegram:lena.1", "telegram:", "t.me/lena", "https://t.me/Lena_1?x", "t.me/joinchat/x",
		"t.me/+4915112345678",
		"whatsapp:+4915112345678", "whatsapp:004915112345678", "whatsapp:+49 151 123-45678", "whatsapp:0151",
		"wa.me/4915112345678",
		"twitter:lena", "x:lena", "x:" + long[:15], "x:" + long[:16], "x.com/lena", "instagram:lena.gold",
		"instagram:" + long[:31],
		"instagram.com/p/x", "facebook:lena", "facebook.com/profile.php?id=1", "discord:lena", "discord:lena#1234",
		"signal:lena.01",
		"telegram.me/lena", "twitter.com/lena", "www.fb.com/lena", "m.facebook.com/lena", "evil.example/lena",
		"tiktok:lena", "phone:+4915112345678", "name:Lena Gold", "nothing:lena",
	} {
		h, fault := tocsin.ParseHandle(text)
		read("handle", text, h, fault)
	}
	for _, text := range []string{
		"lena.eth", " Sub.Lena.SOL ", "lena.x", "lena.bnb", "lena.com", "lena.wallet", ".eth", "eth", "lena.eth/",
		"lena.eth:80",
		"lena.eth?", "lena.eth#", "le na.eth",
	} {
		chain, ok := tocsin.WalletName(text)
		read("wallet", text, []any{chain, ok}, nil)
	}
	for _, page := range strings.Fields("addstickers c events explore groups hashtag home i intent joinchat login " +
		"marketplace messages p pages people photo photo.php reel reels s search send settings share sharer sharer.php " +
		"stories watch") {
		h, _ := tocsin.ParseHandle("facebook.com/" + page + "/abcd")
		tocsintest.Want(t, "the name of "+page, h, tocsin.Handle{})
	}
	for _, text := range []string{
		"", "2026-01-31", "2026-02-29", "2024-02-29", "1969-12-31", "0001-01-01", "9999-12-31", "10000-01-01",
		"26-01-31",
		"2026-1-31", "2026-01-31T23:59:59Z", "2026-01-31T23:59:59+14:00", "2026-01-31T23:59:59.1234567Z",
		"2026-01-31T24:00:00Z", "2026-01-31 23:59:59", "now",
	} {
		at, day, fault := tocsin.ParseDay(text)
		read("day", text, []any{at, day}, fault)
		at, fault = tocsin.ParseTime(text)
		read("time", text, at, fault)
	}
	for _, c := range tocsin.CrimeTypes() {
		read("crime", string(c), []string{c.Name(), c.About()}, nil)
	}
	for _, text := range []string{"", "Phishing", "phishing ", strings.Repeat("x", 41)} {
		c, fault := tocsin.ParseCrimeType(text)
		read("crime", text, c, fault)
	}
	for _, text := range []string{
		"", "a", "ab", "abc", "a*", "ab*", "abc*", "дв*", "*", "\"", "\"a b\"", "\"a b", "a \"b c\" d*", "a*b", "?!",
		"evil.example", "0x" + bare, strings.Repeat("word ", 20), strings.Repeat("word ", 21),
		strings.Repeat("x", 200), strings.Repeat("x", 201), strings.Repeat("é", 200), strings.Repeat("é", 201),
	} {
		terms, fault := tocsin.ParseQuery(text)
		read("query", text, terms, fault)
	}
	for _, text := range []string{"", "a", "A.", "wait", "why?", "no!", "so:", "it is…", "“quoted.”"} {
		read("sentence", text, tocsin.Sentence(text), nil)
	}
	for _, text := range []string{"", "abc", "abcd", "éééé", "abc\u0301d", "ab  cd"} {
		for n := range 5 {
			if n > 0 {
				read(fmt.Sprint("in ", n), text, []string{tocsin.Shorten(text, n), tocsin.Clip(text, n)}, nil)
			}
		}
	}
	late, amount := "2999-01-01", tocsin.USD(-1)
	for _, d := range []tocsin.Draft{{}, {
		CrimeType: "theft", ScammerAddresses: []string{"0x12"}, ReportedDomains: []string{"evil", "ftp://x.example"},
		ScammerAccounts: []string{"evil.com"}, ReportedHandles: []string{"lena"}, AmountLost: &amount, Currency: "dollars!",
		IncidentDate: &late, Evidence: tocsin.Attachments{URLs: []string{"ftp://x", "javascript:1", "https://"},
			TransactionHashes: []string{"0x12", "x"}},
	}} {
		_, err := d.Parse(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC))
		fault, _ := errors.AsType[*tocsin.Error](err)
		read("draft", string(d.CrimeType), nil, fault)
	}
	for _, path := range []string{
		"/", "/api/v1/screen/0x" + bare, "/reports/man_" + long, "/x/toc_" + long, "/" + strings.Repeat("1", 64),
		"/a\nb", "/é", "/" + strings.Repeat("x", 3000),
	} {
		read("path", path, tocsin.LogPath(path), nil)
	}
	tocsintest.Golden(t, "testdata/parsed.txt", said.String())
}
