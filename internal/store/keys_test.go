package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tocsin"
)

func TestARenewedKeyInheritsTheNewestQuota(t *testing.T) {
	for _, pause := range []time.Duration{time.Second, 0} {
		all, clock := handles(t, 1)
		db := all[0]
		wallet := tocsin.Address{19: 7}
		quota := func(made NewKey, err error) any {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			clock.sleep(pause)
			c, err := db.Caller(t.Context(), made.Key)
			if err != nil || c == nil {
				t.Fatal(c, err)
			}
			if c.Quota == nil {
				return nil
			}
			return *c.Quota
		}
		few, many := 5, 7
		equal(t, "the first", quota(db.RenewKey(t.Context(), wallet)), nil)
		equal(t, "five", quota(db.CreateKey(t.Context(), &wallet, "", &few)), 5)
		equal(t, "seven", quota(db.CreateKey(t.Context(), &wallet, "", &many)), 7)
		equal(t, "another's", quota(db.CreateKey(t.Context(), nil, "", &few)), 5)
		equal(t, "renewed", quota(db.RenewKey(t.Context(), wallet)), 7)
		made, err := db.RenewKey(t.Context(), wallet)
		equal(t, "renewed again", []any{quota(made, err), made.Replaced}, []any{7, 1})
		clock.sleep(time.Second)
		if _, err := db.RevokeKey(t.Context(), Operator{}, string(made.Key)); err != nil {
			t.Fatal(err)
		}
		made, err = db.RenewKey(t.Context(), wallet)
		equal(t, "after it was revoked", []any{quota(made, err), made.Replaced}, []any{7, 0})
		equal(t, "by the operator, without", quota(db.CreateKey(t.Context(), &wallet, "", nil)), nil)
	}
}

func TestAKeyIsRevokedOnceByItsTextOrItsBeginning(t *testing.T) {
	all, _ := handles(t, 2)
	revoke := func(text string) bool {
		t.Helper()
		_, err := all[1].RevokeKey(t.Context(), Operator{}, text)
		return err == nil
	}
	var keys []tocsin.Key
	for range 3 {
		made, err := all[0].CreateKey(t.Context(), nil, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, made.Key)
	}
	whole, prefix := string(keys[0]), keys[1].Prefix()
	equal(t, "by its text", []bool{revoke(whole), revoke(whole), revoke(keys[0].Prefix())}, []bool{true, false, false})
	equal(t, "by its beginning", []bool{revoke(prefix), revoke(prefix)}, []bool{true, false})
	equal(t, "too short, unknown", []bool{revoke("toc_"), revoke("toc_aaaaaaaa")}, []bool{false, false})
	c, err := all[1].Caller(t.Context(), keys[2])
	equal(t, "the third is live", []any{c != nil, err}, []any{true, nil})
}

// TestAKeyIsShownAsItIs to its holder, in whichever process, and to the operator.
func TestAKeyIsShownAsItIs(t *testing.T) {
	all, clock := handles(t, 2)
	db, other := all[0], all[1]
	wallet, five := tocsin.Address{19: 0xab}, 5
	var shown []string
	show := func(prefix string, a tocsin.Agent, quota *int, created tocsin.Time, revoked *tocsin.Time, used int) string {
		text := fmt.Sprint(prefix, " ", a.ID, " ", created, " used ", used)
		for _, s := range []*string{a.Address, a.Name} {
			if s != nil {
				text += " " + *s
			}
		}
		if quota != nil {
			text += fmt.Sprint(" quota ", *quota)
		}
		if revoked != nil {
			text += fmt.Sprint(" revoked ", *revoked)
		}
		return text
	}
	create := func(wallet *tocsin.Address, name string, quota *int) NewKey {
		t.Helper()
		clock.sleep(time.Second)
		made, err := db.CreateKey(t.Context(), wallet, name, quota)
		do(t, err)
		return made
	}
	first := create(&wallet, "Watchman", nil)
	begun := db.Now()
	second := create(nil, "", &five)
	third := create(&wallet, "", &five)
	equal(t, "created", second.Agent.ID != first.Agent.ID && third.Agent.ID == first.Agent.ID, true)
	c, err := db.Caller(t.Context(), third.Key)
	do(t, err)
	for range 3 {
		spend(t, db, c, 10)
	}
	revoked := db.Now()
	shown = []string{
		show(first.Key.Prefix(), third.Agent, nil, begun, &revoked, 3),
		show(second.Key.Prefix(), second.Agent, &five, tocsin.TimeOf(begun.Std().Add(time.Second)), nil, 0),
		show(third.Key.Prefix(), third.Agent, &five, revoked, nil, 3),
	}
	equal(t, "name and wallet", []string{*third.Agent.Name, *third.Agent.Address}, []string{"Watchman", wallet.String()})
	keys, err := other.Keys(t.Context())
	do(t, err)
	var got []string
	for _, k := range keys {
		got = append(got, show(k.Prefix, k.Agent, k.Quota, k.Created, k.Revoked, k.Used))
	}
	equal(t, "keys", strings.Join(got, "\n"), strings.Join(shown, "\n"))
	c, err = other.Caller(t.Context(), third.Key)
	if err != nil || c == nil {
		t.Fatal(c, err)
	}
	equal(t, "caller", show(c.Prefix, c.Agent, c.Quota, c.Created, nil, other.Used(c)), shown[2])
	clock.sleep(12 * time.Hour)
	keys, err = other.Keys(t.Context())
	do(t, err)
	equal(t, "used after midnight", []int{keys[0].Used, keys[2].Used, other.Used(c)}, []int{0, 0, 0})
	other.callers.invalidate()
	c, err = other.Caller(t.Context(), third.Key)
	do(t, err)
	equal(t, "used after midnight, read anew", other.Used(c), 0)
}

func TestAnAmbiguousOrUnknownKeyIsNotRevoked(t *testing.T) {
	s := fresh(t)
	firstKey, err := s.CreateKey(t.Context(), nil, "", nil)
	do(t, err)
	first, err := s.Caller(t.Context(), firstKey.Key)
	do(t, err)
	s.agent(t)
	other, err := tocsin.NewKey(rand.Reader)
	do(t, err)
	unknown, begin := string(other), string(other[:len("toc_aaaa")])
	do(t, s.write(t.Context(), accounts, false, func(ctx context.Context, c *conn) error {
		_, err := c.exec(ctx, "UPDATE key SET prefix = CASE agent WHEN $1 THEN $2 ELSE $3 END",
			first.id, other.Prefix(), begin+"1111")
		return err
	}))
	for text, code := range map[string]tocsin.Code{
		"": tocsin.Invalid, "toc_": tocsin.Invalid, begin[:7]: tocsin.Invalid, begin: tocsin.Invalid,
		begin + "0": tocsin.NotFound, "x" + begin: tocsin.NotFound, unknown: tocsin.NotFound,
	} {
		prefix, err := s.RevokeKey(t.Context(), Operator{}, text)
		var fault *tocsin.Error
		if !errors.As(err, &fault) || fault.Code != code || prefix != "" || strings.Contains(fault.Detail, unknown) {
			t.Errorf("%q: %q, %v", text, prefix, err)
		}
	}
	equal(t, "live", count(t, s.DB, "key", "revoked IS NULL"), 2)
	prefix, err := s.RevokeKey(t.Context(), Operator{}, unknown[:len("toc_aaaabb")])
	equal(t, "revoked", []any{prefix, err}, []any{other.Prefix(), nil})
	c, err := s.Caller(t.Context(), firstKey.Key)
	equal(t, "a revoked key is nobody's", []any{c == nil, err}, []any{true, nil})
	equal(t, "live", count(t, s.DB, "key", "revoked IS NULL"), 1)
	equal(t, "revoked", count(t, s.DB, "key", "revoked IS NOT NULL", fmt.Sprint("agent = ", first.id)), 1)
}

// TestAKeyThatIsUnknownIsNotRepeatedWhole: an operator may have pasted one of another server.
func TestAKeyThatIsUnknownIsNotRepeatedWhole(t *testing.T) {
	s := fresh(t)
	key, err := tocsin.NewKey(rand.Reader)
	do(t, err)
	for _, typed := range []string{string(key), "toc_zzzzzzzz", "toc_zzzz"} {
		_, err := s.RevokeKey(t.Context(), Operator{}, typed)
		if err == nil || err.Error() != fmt.Sprintf("no live key is or begins with %q", typed[:min(len(typed), 12)]) {
			t.Errorf("%s: %v", typed, err)
		}
	}
}
