package store

import (
	"strings"
	"testing"
	"time"

	"tocsin"
)

func TestANonceIsForOneUseWithinItsLife(t *testing.T) {
	all, clock := handles(t, 1)
	s := all[0]
	use := func(nonce string) bool {
		t.Helper()
		fresh, err := s.UseNonce(t.Context(), nonce)
		if err != nil {
			t.Fatal(err)
		}
		return fresh
	}
	issue := func() string {
		t.Helper()
		nonce, expires, err := s.NewNonce(t.Context(), time.Minute)
		if err != nil || expires.Std().Sub(s.Now().Std()) > time.Minute {
			t.Fatal(expires, err)
		}
		return nonce
	}
	first, second, third, fourth := issue(), issue(), issue(), issue()
	equal(t, "first, again, second, made up",
		[]bool{use(first), use(first), use(second), use("00")}, []bool{true, false, true, false})
	clock.sleep(time.Minute - time.Microsecond)
	equal(t, "at the last moment", use(third), true)
	clock.sleep(time.Microsecond)
	equal(t, "expired", use(fourth), false)
	issue()
	equal(t, "the expired ones are deleted", count(t, s, "nonce"), 1)
}

func TestASessionIsSomebodyUntilItEnds(t *testing.T) {
	all, clock := handles(t, 1)
	s := all[0]
	wallet := tocsin.Address{19: 7}
	begin := func() string {
		t.Helper()
		token, err := s.NewSession(t.Context(), wallet, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	who := func(token string) *Session {
		t.Helper()
		found, err := s.Session(t.Context(), token)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	first, second := begin(), begin()
	equal(t, "two sessions of one wallet",
		[]any{who(first).Agent.ID == who(second).Agent.ID, *who(first).Agent.Address, who(first).Caller == nil},
		[]any{true, wallet.String(), true})
	made, err := s.RenewKey(t.Context(), wallet)
	if err != nil {
		t.Fatal(err)
	}
	by, err := s.Caller(t.Context(), made.Key)
	equal(t, "the session and the key are one caller", []any{who(first).Caller == by, err}, []any{true, nil})
	if err := s.Revoke(t.Context(), by, first); err != nil {
		t.Fatal(err)
	}
	equal(t, "signed in without a key", []any{who(first) != nil, who(first).Caller == nil}, []any{true, true})
	equal(t, "elsewhere no more", who(second) == nil, true)
	second = begin()
	if err := s.EndSession(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	equal(t, "one ended, one not, one made up",
		[]bool{who(first) == nil, who(second) == nil, who("ses_") == nil}, []bool{true, false, true})
	clock.sleep(time.Hour)
	equal(t, "over", who(second) == nil, true)
}

// TestASessionOfAKeyEndsWithTheKey: also when the wallet of its agent has another one, and nobody can make one of a
// session of somebody else.
func TestASessionOfAKeyEndsWithTheKey(t *testing.T) {
	all, clock := handles(t, 1)
	s := all[0]
	wallet := tocsin.Address{19: 7}
	issued := func(owner *tocsin.Address) tocsin.Key {
		t.Helper()
		made, err := s.CreateKey(t.Context(), owner, "Desk", nil)
		if err != nil {
			t.Fatal(err)
		}
		return made.Key
	}
	begin := func(key tocsin.Key) string {
		t.Helper()
		token, err := s.NewKeySession(t.Context(), key, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	prefix := func(token string) string {
		t.Helper()
		found, err := s.Session(t.Context(), token)
		if err != nil {
			t.Fatal(err)
		}
		if found == nil {
			return ""
		}
		equal(t, "it has no wallet", found.Wallet == nil, true)
		return found.Caller.Prefix
	}
	desk, owned := issued(nil), issued(&wallet)
	atDesk, ofOwned, late := begin(desk), begin(owned), begin(issued(nil))
	equal(t, "signed in", []string{prefix(atDesk), prefix(ofOwned)}, []string{desk.Prefix(), owned.Prefix()})
	equal(t, "the key is not in the token", strings.Contains(atDesk, string(desk)), false)
	mark := strings.Index(atDesk, keyMark)
	equal(t, "the key of somebody else, none, and half of one", []string{
		prefix(atDesk[:mark] + ofOwned[strings.Index(ofOwned, keyMark):]), prefix(atDesk[:mark]), prefix(atDesk[:mark+9])},
		[]string{"", "", ""})
	issued(&wallet)
	equal(t, "replaced", prefix(ofOwned), "")
	equal(t, "a key that is replaced, and one that never was", []string{begin(owned), begin(tocsin.Key("toc_"))},
		[]string{"", ""})
	if _, err := s.RevokeKey(t.Context(), Operator{Name: "eve"}, string(desk)); err != nil {
		t.Fatal(err)
	}
	equal(t, "revoked", prefix(atDesk), "")
	clock.sleep(time.Hour - time.Microsecond)
	equal(t, "at the last moment", prefix(late) != "", true)
	clock.sleep(time.Microsecond)
	equal(t, "expired", prefix(late), "")
}
