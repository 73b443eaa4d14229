package web

import (
	"net/netip"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/store"
)

// issue makes a key as the operator does, with a quota.
func (s *service) issue(quota int) tocsin.Key {
	s.t.Helper()
	made, err := s.db.CreateKey(s.t.Context(), nil, "Desk", &quota)
	if err != nil {
		s.t.Fatal(err)
	}
	s.addSecrets(string(made.Key))
	return made.Key
}

func TestAKeyOfTheOperatorSignsIn(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.Lookups = 1 })
	key := s.issue(1000)
	v := s.visitor()
	want(t, "the field", attr(v.get("/account").id(keyField), "type"), "password")
	p := v.post("/account/key", fields{keyField: "x-api-key: " + string(key) + "\n", "next": "/bulk"})
	want(t, "signed in", []any{p.status, p.header.Get("Location"), len(p.cookies)}, []any{303, "/bulk", 1})
	want(t, "the cookie", []any{p.cookies[0].HttpOnly, strings.Contains(p.cookies[0].Value, string(key))},
		[]any{true, false})
	p = v.get("/account")
	p.says("Signed in with the key "+key.Prefix()+"…", "Desk", "1,000 of 1,000")
	want(t, "what is not theirs", strings.Contains(p.html, "Replace the key"), false)
	for _, do := range []string{"replace", "revoke"} {
		v.post("/account", fields{"do": do, "key": key.Prefix(), "confirm": "yes"})
	}
	v.post("/bulk", fields{bulkField: numbered(0, 60), "do": "screen"}).says("60 lines looked up", "998 calls left today")
	want(t, "its calls", s.me(string(key)).FreeCalls.Used, 2)
	v.post("/account", fields{"do": "signout"})
	want(t, "signed out", v.get("/account").id(keyField) != nil, true)
}

func TestAKeyOnThePageOfManyKeepsTheList(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.Lookups = 1 })
	key := s.issue(1000)
	v := s.visitor()
	const list = "site,note\none.example,a\ntwo.example,b\n"
	p := v.post("/bulk", fields{bulkField: list, keyField: "toc_wrong", "do": "key"})
	p.says("This is no key of Tocsin.")
	want(t, "the list is still there", []any{p.status, p.carried()}, []any{400, list})
	p = v.post("/bulk", fields{bulkField: list, keyField: string(key), "do": "screen"})
	p.says("Calls left today: 1,000.")
	want(t, "nothing is charged before it was said", []any{p.carried(), s.me(string(key)).FreeCalls.Used},
		[]any{list, 0})
	w := s.visitor()
	p = w.post("/account/key", fields{bulkField: list, keyField: string(key)})
	want(t, "over the page of the account", p.carried(), list)
	x := s.visitor()
	want(t, "without a list", x.post("/bulk", fields{keyField: string(key)}).header.Get("Location"), "/bulk")
	x.get("/bulk").says("Calls left today: 1,000 of 1,000.")
}

// TestAKeyThatDoesNotWorkSignsNobodyIn: it is never shown again, and the tries of a network are counted.
func TestAKeyThatDoesNotWorkSignsNobodyIn(t *testing.T) {
	s := start(t)
	key := s.issue(10)
	v, other := s.visitor(), s.visitor()
	v.post("/account/key", fields{keyField: string(key)})
	planted := v.cookie()
	if _, err := s.db.RevokeKey(t.Context(), store.Operator{Name: "eve"}, string(key)); err != nil {
		t.Fatal(err)
	}
	want(t, "signed out at once", v.get("/account").id(keyField) != nil, true)
	for typed, said := range map[string]string{
		"": "Paste the key here.", string(key[:20]): "This is no key of Tocsin.", string(key): "unknown or revoked",
		aPhrase: "recovery phrase", "0x" + strings.Repeat("ab", 32): "private key",
	} {
		p := other.post("/account/key", fields{keyField: typed})
		p.says(said)
		shown := typed != "" && strings.Contains(p.html, typed)
		want(t, typed, []any{p.status, len(p.cookies), shown}, []any{400, 0, false})
	}
	again := s.issue(10)
	v.post("/account/key", fields{keyField: string(again)})
	want(t, "another session", v.cookie() != planted, true)
	for network := netip.MustParsePrefix("127.0.0.0/24"); ; {
		if wait, _ := s.api.Budgets().SignIns.Take(network); wait > 0 {
			break
		}
	}
	want(t, "too many tries", other.post("/account/key", fields{keyField: string(again)}).status, 429)
	message := s.visitor().post("/account/message", fields{"address": nobody})
	want(t, "and a message, with the wait for the script", []any{message.status, message.html,
		message.header.Get("Retry-After") != ""}, []any{429, "1 h", true})
	want(t, "and on the page of many", other.post("/bulk", fields{keyField: string(again)}).status, 429)
	p := other.post("/account/key", fields{keyField: string(again)}, "origin: http://evil.example",
		"sec-fetch-site: cross-site")
	want(t, "a form of another site", []any{p.status, len(p.cookies)}, []any{403, 0})
}
