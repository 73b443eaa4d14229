package store

import (
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
		equal(t, "renewed", quota(db.RenewKey(t.Context(), wallet)), 7)
		made, err := db.RenewKey(t.Context(), wallet)
		equal(t, "renewed again", []any{quota(made, err), made.Replaced}, []any{7, 1})
		clock.sleep(time.Second)
		if _, err := db.RevokeKey(t.Context(), string(made.Key)); err != nil {
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
		_, err := all[1].RevokeKey(t.Context(), text)
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
