package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// TestAKeptScreeningIsThatOfTheMoment compares responses about subjects that are asked for again and again, alone with
// several limits and in batches, with a screening made anew.
func TestAKeptScreeningIsThatOfTheMoment(t *testing.T) {
	s := start(t, judging)
	s.list("one", "one", tocsin.Risk, "phishing", payTo, "evil.example")
	s.list("two", "two", tocsin.Safe, "shop", "evil.example")
	const unknown = "0x52908400098527886E0F7030069857D2E4169EE7"
	key := "x-api-key: " + s.key(1000)
	for _, title := range []string{"one", "two", "three"} {
		s.file(filing("title", title)) // about the thief, whose score depends on the moment
	}
	made := 0
	s.api.screen = func(d *tocsin.Dossier, now time.Time) tocsin.Screening {
		made++
		return tocsin.Screen(d, now)
	}
	check := func(about, text string, got any, subject map[string]any) {
		t.Helper()
		parsed, fault := tocsin.ParseSubject(text)
		if fault != nil {
			t.Fatal(fault)
		}
		d, err := s.db.AboutSubject(t.Context(), parsed, store.Page{})
		tocsintest.Must(t, err)
		judged, err := s.api.Judged(t.Context(), []tocsin.Subject{parsed}, []*store.Dossier{d}, nil)
		tocsintest.Must(t, err)
		whole, err := json.Marshal(tocsin.Screen(judged[0], s.Clock.Now()))
		tocsintest.Must(t, err)
		wanted := subject
		tocsintest.Must(t, json.Unmarshal(whole, &wanted))
		have := maps.Clone(got.(map[string]any))
		at, fault := tocsin.ParseTime(have["asOf"].(string))
		if age := s.Clock.Now().Sub(at.Std()); fault != nil || age < 0 || age > 24*time.Hour { // the days are long here
			t.Errorf("%s: it is of %v, %v", about, at, fault)
		}
		for _, other := range []string{"asOf", "reports", "nextCursor", "matches"} {
			delete(have, other)
			delete(wanted, other)
		}
		want(t, about, have, wanted)
	}
	for range 4 {
		for _, query := range []string{"?limit=1", "?limit=3", "?limit=2&view=compact", "?limit=20"} {
			for _, a := range []string{thief, payTo, unknown} {
				check(a+query, a, s.get("/screen/"+a+query, key).body, map[string]any{"address": a})
			}
			check("site", "pay.evil.example", s.get("/domains/check/pay.evil.example"+query, key).body,
				map[string]any{"domain": "pay.evil.example", "registrableDomain": "evil.example"})
		}
		all := []string{payTo, thief, payTo, unknown}
		batch := s.do("POST", "/check", map[string]any{"addresses": all}, key)
		want(t, "count", batch.number("count"), len(all))
		for i, a := range all {
			check(fmt.Sprint("of a batch ", i), a, batch.in(fmt.Sprint("results.", i)), map[string]any{"address": a})
		}
		s.Sleep(300 * 24 * time.Hour)
	}
	// Of 80 screenings 20 are of the thief. The other subjects were screened until they were asked for again.
	if made < 20 || made > 35 {
		t.Errorf("%d screenings were made", made)
	}
}

// TestEncodedReportsAreJSONInEveryEncoder: encoding/json writes bytes as base64.
func TestEncodedReportsAreJSONInEveryEncoder(t *testing.T) {
	text, err := json.Marshal(page{Reports: encodedReports{json.RawMessage(`{"id":"a"}`)}})
	want(t, "page", []any{string(text), err}, []any{`{"reports":[{"id":"a"}],"nextCursor":null}`, nil})
}
