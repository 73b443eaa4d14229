package web

import (
	"strings"
	"testing"

	"tocsin"
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
	page.says("Nobody has reported this address, but it looks like that of Somebody", "score 25 of 100",
		"Send nothing yet",
		"An address that looks like it", "Equal at the beginning: 4. Equal at the end: 4.")
	holds(t, page, `<code>0x28C6<mark>0</mark>0<mark>000000</mark></code>`+
		`<code>0x28C6<mark>c</mark>0<mark>6298d5</mark></code>`, `href="/screen/`+exchange)
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
