package store

import (
	"testing"
	"time"
)

func TestASealProvesOneTextUntilTheNextDayEnds(t *testing.T) {
	all, clock := handles(t, 2)
	seal := func(db *DB, text string) string {
		t.Helper()
		s, err := db.Seal(t.Context(), text)
		if err != nil || len(s) != 20 {
			t.Fatalf("%q: %v", s, err)
		}
		return s
	}
	check := func(about, seal, text string, want bool) {
		t.Helper()
		for _, db := range all {
			if got, err := db.IsSeal(t.Context(), seal, text); err != nil || got != want {
				t.Errorf("%s: %v, %v", about, got, err)
			}
		}
	}
	first := seal(all[0], "card 1")
	check("at once, in each process", first, "card 1", true)
	check("of another text", first, "card 10", false)
	check("of no text", first, "", false)
	for i := range first {
		forged := []byte(first)
		forged[i]++
		check("forged", string(forged), "card 1", false)
	}
	check("cut short", first[:19], "card 1", false)
	check("none", "", "card 1", false)
	equal(t, "again", seal(all[1], "card 1"), first)

	midnight := func() time.Duration {
		return 24*time.Hour - time.Duration(all[0].Now().Std().Unix()%86400)*time.Second
	}
	clock.sleep(midnight())
	check("on the next day", first, "card 1", true)
	second := seal(all[0], "card 1")
	if second == first {
		t.Error("the seals of two days are the same")
	}
	clock.sleep(midnight())
	check("on the day after", first, "card 1", false)
	check("of yesterday", second, "card 1", true)
}
