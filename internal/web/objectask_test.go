package web

import (
	"net/url"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// TestAnObjectionToAListIsFilledIn: in a mail and in an issue, with the name that the list has and the letter, also for
// a sanction.
func TestAnObjectionToAListIsFilledIn(t *testing.T) {
	s := start(t)
	s.starter()
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "shop.example")
	for subject, fields := range map[string]map[string][]string{
		"pay.shop.example": {
			"https://github.com/scamsniffer/scam-database/issues/new": {"title", "body"},
			"mailto:fun@scamsniffer.io":                               {"subject", "body"},
		},
		thief: {"mailto:OFAC.Reconsideration@treasury.gov": {"subject", "body"}},
	} {
		named, letter := "shop.example", "Please remove shop.example from your list."
		if subject == thief {
			named, letter = thief, "Please remove "+thief+" from the entry of LAZARUS GROUP on the list."
		}
		for _, to := range s.visitor().get("/object?subject=" + subject).links() {
			page, query, _ := strings.Cut(to, "?")
			names := fields[page]
			if names == nil {
				continue
			}
			values, err := url.ParseQuery(query)
			tocsintest.Must(t, err)
			want(t, to, values.Get(names[0]), "Removal request: "+named)
			want(t, to, strings.HasPrefix(values.Get(names[1]), letter), true)
			delete(fields, page)
		}
		want(t, subject+": not linked to", len(fields), 0)
	}
}
