package web

import (
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/paste"
	"tocsin/internal/sheet"
	"tocsin/internal/tocsintest"
)

const (
	exchange = "0x28C6c06298d514Db089934071355E5743bf21d60"
	imitator = "0x28C6000000000000000000000000000000001d60" // of the exchange
)

// holds fails if the source of a page lacks one of the texts.
func holds(t *testing.T, page *response, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page.html, text) {
			t.Errorf("%s lacks %s", page.about, text)
		}
	}
}

// TestAnImitationIsSetBelowItsOriginal: what differs is marked, and what to do comes first.
func TestAnImitationIsSetBelowItsOriginal(t *testing.T) {
	s := start(t)
	v := s.visitor()
	v.get("/screen/" + imitator).says("Nobody has reported this address. That is not the same as safe")
	s.list("known", "known", tocsin.Safe, "exchange", exchange)
	page := v.get("/screen/" + imitator)
	page.says("Send nothing yet. Only the beginning and the end are those of the address of Somebody.", "score 25 of 100",
		"Send nothing yet",
		"An address that looks like it", "Equal at the beginning: 4. Equal at the end: 4.")
	holds(t, page, `<code>0x28c6<mark>0</mark>0<mark>000000</mark></code>`+
		`<code>0x28c6<mark>c</mark>0<mark>6298d5</mark></code>`, `href="/screen/`+exchange)
	s.list("scams", "scams", tocsin.Risk, "phishing", "0x28c6ffffffffffffffffffffffffffffffff1d60")
	known := v.get("/screen/" + exchange)
	known.says("Nobody warns of it")
	if strings.Contains(known.html, "looks like it") {
		t.Error("a known address is said to imitate")
	}
	s.list("known", "known", tocsin.Safe, "exchange", nobody)
	v.get("/screen/"+exchange).says("Nobody has reported this address. That is not", "An address that looks like it",
		"the honest one can be this one")
}

// TestOneWrongCharacterIsTheHeadline, also when no look-up is left.
func TestOneWrongCharacterIsTheHeadline(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.Lookups = 1 })
	listed, _ := tocsin.ParseSubject("0x098b716b8aaf21512996dc57eb0615e2383e2f96")
	s.sanctions(t, listed)
	s.list("known", "known", tocsin.Safe, "exchange", exchange)
	s.list("scams", "scams", tocsin.Risk, "phishing", "0x7c3f1b9a5de2408f6a1c9b3e7d5f20486ac1e9b3")
	v := s.visitor()
	page := func(address string) *response {
		subject, _ := tocsin.ParseSubject(strings.ToLower(address))
		return v.get(screenPath(subject))
	}
	want(t, "the only look-up", v.get("/screen/fine.example").status, 200)
	want(t, "none is left", v.get("/screen/fine-too.example").status, 429)
	p := page("0x098b716b8aaf21512996dc57eb0615e2383e2f95")
	p.says("Send nothing yet. One character differs from an address of A Party, which is sanctioned.",
		"This is a suspicion by the characters alone: all but one are the same.", "Send nothing yet", "score 25 of 100")
	copied := v.get(asking("0x098B716B8Aaf21512996dC57EB0615e2383E2f97")) // whose checksum does not hold
	copied.says("One character differs from an address of A Party, which is sanctioned. If you typed it")
	holds(t, copied, "<h1>Send nothing yet. One character differs from an address of A Party, which is sanctioned.</h1>")
	page("0x7c3f1b9a5de2408f6a1c9b3e7d5f20486ac1e9b2").says(
		"Send nothing yet. One character differs from an address that lists warn of.")
	page(exchange[:len(exchange)-1]+"1").says(
		"Send nothing yet. One character differs from the address of Somebody.", "score 25 of 100")
}

// TestTwoAddressesAreCompared by a form that is posted: they are in no link and in no log.
func TestTwoAddressesAreCompared(t *testing.T) {
	s := start(t)
	v := s.visitor()
	holds(t, v.get("/screen/"+nobody), `method="post" action="/compare"`, "Compare with the one I know")
	v.get("/compare").says("The address that you know")
	for _, c := range []struct{ given, known, want string }{
		{exchange, strings.ToLower(exchange), "They are the same address"},
		{imitator, exchange, "They look alike, but are different addresses. Send nothing"},
		{nobody, exchange, "They are different addresses"},
		{"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", exchange, "They are addresses of different chains"},
		{"4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T", exchange, "They are addresses of different chains"},
		{"0x28c6c0ffffffffffffffffffffffffffffffff00", strings.ToLower(exchange), "They are alike at one end"},
		{"https://basescan.org/address/" + exchange, "base:" + exchange, "They are the same address"},
		{"28C6 c062 98d5 14Db 0899 3407 1355 E574 3bf2 1d60", exchange, "They are the same address"},
		{strings.Replace(exchange, "D", "d", 1), exchange, "Its capital and small letters do not fit together"},
		{exchange + " " + nobody, exchange, "There is more than one address"},
		{"https://etherscan.io/token/" + nobody + "?a=" + exchange, exchange, "They are the same address"},
		{"ethereum:" + exchange + "/transfer?uint256=1", exchange, "We cannot read this as an address"}, // pays nobody
		{" " + exchange + "\n", exchange, "They are the same address"},
		{"ethereum:" + nobody + "/transfer?address=" + exchange, exchange, "They are the same address"}, // not the token
		{"ethereum:" + nobody + "/transfer?address=" + nobody, nobody, "They are the same address"},
		{"ethereum:" + nobody + "/transfer?address=0x7A9F3CD060ab", nobody, "We cannot read this as an address"},
	} {
		v.post("/compare", fields{"address": c.given, "known": c.known}).says(c.want)
	}
	mistyped := v.post("/compare", fields{"address": exchange, "known": exchange[:len(exchange)-1] + "1"})
	mistyped.says("One character differs. Send nothing.", "One is mistyped, or made to be taken for the other.",
		"Its capital and small letters do not fit together", "Characters that differ: 1.")
	lacks(t, mistyped, "no chance")
	wrong := v.post("/compare", fields{"address": exchange, "known": "0x28c6…1d60"})
	wrong.says("The middle of this address is missing.")
	holds(t, wrong, `value="0x28c6…1d60"`)
	if wrong.status != 400 {
		t.Error(wrong.status)
	}
	key := strings.Repeat("4c0883a6", 8)
	secret := v.post("/compare", fields{"address": exchange, "known": key})
	secret.says("We cannot read this")
	if strings.Contains(secret.html, key) {
		t.Error("a key is shown")
	}
	v.post("/compare", fields{}).says("We cannot read this")
}

// TestWhatAComparisonSaysDependsOnBothEnds: six equal digits at one end are no chance, and five are.
func TestWhatAComparisonSaysDependsOnBothEnds(t *testing.T) {
	const five, six, solana = "28C6c", "28C6c0", "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
	subject := func(text string) tocsin.Subject {
		is, fault := tocsin.ParseSubject(text)
		if fault != nil {
			t.Fatal(text, fault)
		}
		return is
	}
	of := func(begin, end string) string {
		return "0x" + strings.ToLower(begin+strings.Repeat("e", 40-len(begin+end))+end)
	}
	const same, alike, chains, end, others = "They are the same address.",
		"They look alike, but are different addresses. Send nothing.", "They are addresses of different chains.",
		"They are alike at one end, but are different addresses. Send nothing.", "They are different addresses."
	for _, c := range []struct {
		one, another, title string
		oneEnd              bool
	}{
		{exchange, exchange, same, false}, {exchange, imitator, alike, false}, {exchange, "solana:" + solana, chains, false},
		{exchange, of(five, ""), others, false}, {exchange, of(six, ""), end, true},
		{exchange, of("", "21d60"), others, false}, {exchange, of("", "f21d60"), end, true},
		{exchange, nobody, others, false},
		{"solana:" + solana, "solana:" + solana, same, false},
		{"solana:" + solana, "solana:9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM", others, false},
	} {
		v := comparePage{Subject: subject(c.one), Other: subject(c.another)}
		compared := answer.Compare(v.Subject, v.Other)
		v.Alike = &compared
		want(t, c.another, []any{v.Title(english()), v.OneEnd()}, []any{c.title, c.oneEnd})
	}
	var b bulkPage
	want(t, "none", []any{alikeOf(nil) == nil, alikeOf([]tocsin.Subject{subject(exchange)}) == nil}, []any{true, true})
	list := []tocsin.Subject{subject("x.example"), subject("solana:" + solana)}
	for n := range 4 {
		for _, middle := range []string{"a", "b"} {
			list = append(list, subject(fmt.Sprintf("0x%d1c2e3%s4f5a6%d", n, strings.Repeat(middle, 28), n)))
		}
	}
	for _, subject := range list {
		b.Lines = append(b.Lines, bulkLine{Line: sheet.Line{Subject: subject}})
	}
	b.findAlike()
	pair := alikeOf(list)
	want(t, "pairs", []any{b.Pairs, len(b.Alike), b.Alike[1].One, b.Alike[1].Other, b.Alike[1].Differ, *pair},
		[]any{4, 3, list[4], list[5], 28, b.Alike[0]})
}

// TestOnlyAMistypedAddressIsExplained: of what is no address at all, nothing more is known.
func TestOnlyAMistypedAddressIsExplained(t *testing.T) {
	for typed, wrong := range map[string]string{
		nobody[:40]:                 "This has 38 digits after 0x; an address has 40.",
		nobody + "0":                "This has 41 digits after 0x; an address has 40.",
		nobody[:41] + "g":           "“g”",
		nobody[:10] + "…":           "The middle of this address is missing.",
		"vitalik.eth":               "ENS name",
		"lena.crypto":               "lena.crypto",
		nobody + " " + exchange:     "There is more than one address",
		"evil.example":              "We cannot read this as an address. Paste all of it, as it was given.",
		"":                          "We cannot read this as an address. Paste all of it, as it was given.",
		hashOf(1):                   "We cannot read this as an address. Paste all of it, as it was given.",
		" " + exchange + " ":        "",
		"base:" + exchange:          "",
		"@lena " + exchange + " hi": "",
	} {
		r := aRequest()
		r.Form, r.PostForm = url.Values{"address": {typed}}, url.Values{"address": {typed}}
		f := compareField{Name: "address"}
		subject := f.read(r)
		if is := subject == (tocsin.Subject{}); is != (wrong != "") || !strings.Contains(f.Wrong, wrong) ||
			f.Typed != strings.TrimSpace(typed) {
			t.Errorf("%q is %v, %q: %s", typed, subject, f.Typed, f.Wrong)
		}
	}
	var kinds []paste.Kind
	source, err := os.ReadFile("../paste/problem.go")
	tocsintest.Must(t, err)
	for _, k := range regexp.MustCompile(`(?m)^\t\w+ +Kind += "(\w+)"`).FindAllSubmatch(source, -1) {
		if kind := paste.Kind(k[1]); mistyped(kind) {
			kinds = append(kinds, kind)
		}
	}
	want(t, "mistyped", kinds, []paste.Kind{paste.CutShort, paste.WrongDigit, paste.ForeignLetter, paste.WrongLength,
		paste.WrongAccount, paste.SeveralAddresses, paste.ENSName, paste.WalletName, paste.Invalid})
}
