package web

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestACaseFileSaysItsLimitsAsTheAnswerDoes: of an address that nothing speaks against, too, on the page and as JSON.
func TestACaseFileSaysItsLimitsAsTheAnswerDoes(t *testing.T) {
	s := start(t)
	s.starter()
	today := s.db.Now().Std().Format("2 Jan 2006")
	limits := []string{"Sanctions are those of one list, OFAC SDN of the United States. The lists of the European " +
		"Union, " +
		"the United Nations and the United Kingdom are not screened. What OFAC SDN dropped before " + today +
		" is not on record here."}
	said := func() (p *response) {
		v := s.visitor()
		p = v.get("/object/case?subject=" + nobody)
		p.says(limits...)
		v.get("/screen/" + nobody).says(limits...)
		var file struct{ Limits []string }
		if err := json.Unmarshal([]byte(v.get("/object.json?subject="+nobody).html), &file); err != nil {
			t.Fatal(err)
		}
		want(t, "the JSON", file.Limits, limits)
		return p
	}
	if strings.Contains(said().main(), "This answer is incomplete.") {
		t.Error("a fresh list is called old")
	}
	s.Sleep(4 * 24 * time.Hour)
	limits = append([]string{"This answer is incomplete. One of our lists is out of date: OFAC SDN. Newer entries and " +
		"removals are missing."}, limits...)
	said()
	s.visitor().get("/object/case?subject=shop.example").says("Limits of the answer",
		"Accounts are compared with sanctions lists, websites are not.")
}
