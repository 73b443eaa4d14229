package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tocsin"
)

// TestAScreeningHasTheHistoryOfListingsOnRequest: since when each is on record, and what lists have dropped; of each
// subject of a batch its own, also where the screening itself is kept as JSON, and of nobody who did not ask.
func TestAScreeningHasTheHistoryOfListingsOnRequest(t *testing.T) {
	s := start(t)
	const account, other = "tron:TJ9ghEP177X5NVcHfkiu5nEqV14Nfyyx6n", "tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	s.list("ofac", "ofac", tocsin.Sanction, "", thief, account, "evil.example", "rest.example", other)
	s.Sleep(24 * time.Hour)
	s.list("ofac", "ofac", tocsin.Sanction, "", thief, "rest.example", other)
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", thief, "evil.example")
	const first, second = "2026-03-04T12:00:00.000000Z", "2026-03-05T12:00:00.000000Z"
	said := func(a *answer, at string) string {
		list, given := a.in(at + "listHistory").([]any)
		if !given {
			return "nothing"
		}
		var all []string
		for i := range list {
			l := fmt.Sprint(at, "listHistory.", i, ".")
			text := a.text(l+"subject") + " " + a.text(l+"list") + " " + a.text(l+"kind") + " " + a.text(l+"recordedAt")
			if dropped := a.text(l + "droppedAt"); dropped != "" {
				text += "–" + dropped
			}
			all = append(all, text)
		}
		return strings.Join(all, ", ")
	}
	key := "x-api-key: " + s.key(100)
	ofThief := thief + " ofac sanction " + first + ", " + thief + " scamsniffer risk " + second
	ofSite := "evil.example scamsniffer risk " + second + ", evil.example ofac sanction " + first + "–" + second
	ofAccount := "tron:728126428:" + account[5:] + " ofac sanction " + first + "–" + second
	ask := map[string]any{"addresses": []string{thief, another}, "domains": []string{"no domain", "a.evil.example"},
		"subjects": []string{account, "0x1", thief}}
	post := func(path, field, query string) *answer {
		body := map[string]any{field: ask[field]}
		if query != "" {
			body["history"] = query == "?history=true"
		}
		return s.do("POST", path, body, key)
	}
	for range 3 { // the second and the third are kept
		for query, asked := range map[string]bool{"": false, "?history=false": false, "?history=true": true} {
			or := func(want string) string {
				if asked {
					return want
				}
				return "nothing"
			}
			want(t, "of an address", said(s.get("/screen/"+thief+query, key), ""), or(ofThief))
			want(t, "of an unknown one", said(s.get("/screen/"+another+query, key), ""), or(""))
			want(t, "of a site", said(s.get("/domains/check/a.evil.example"+query, key), ""), or(ofSite))
			want(t, "of an account", said(s.get("/accounts/"+account+query, key), ""), or(ofAccount))
			a := post("/check", "addresses", query)
			want(t, "of addresses", []string{said(a, "results.0."), said(a, "results.1.")}, []string{or(ofThief), or("")})
			want(t, "of sites", said(post("/domains/check", "domains", query), "results.1."), or(ofSite))
			a = post("/subjects/check", "subjects", query)
			want(t, "of several kinds", []string{said(a, "results.0."), said(a, "results.2.")},
				[]string{or(ofAccount), or(ofThief)})
		}
	}
	s.Sleep(24 * time.Hour)
	s.list("ofac", "ofac", tocsin.Sanction, "", thief, account, "rest.example", other)
	want(t, "again", said(s.get("/accounts/"+account+"?history=true", key), ""), "tron:728126428:"+account[5:]+
		" ofac sanction 2026-03-06T12:00:00.000000Z, "+ofAccount)
	a := s.get("/screen/"+thief+"?history=yes", key)
	want(t, "neither true nor false", []any{a.status, a.faulty()}, []any{400, []string{"history"}})
	a = s.do("POST", "/subjects/check", map[string]any{"subjects": []string{thief}, "history": "yes"}, key)
	want(t, "in a body", []any{a.status, a.faulty()}, []any{400, []string{"history"}})
}
