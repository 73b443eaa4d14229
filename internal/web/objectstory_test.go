package web

import (
	"strings"
	"testing"

	"tocsin"
)

// TestAReportOfAListIsNoEntryOfIt: the report counts for nothing, and the list is not among those that do not name the
// subject.
func TestAReportOfAListIsNoEntryOfIt(t *testing.T) {
	s := start(t)
	s.list("phantom", "phantom", tocsin.Risk, "phishing", "other.example")
	s.tells("revoke-approval-exploits", "A bridge was robbed", "bridge.example", tocsin.Time{})
	const nothing, listed = "nothing: its list names it in reports only", "counts by its list"
	v := s.visitor()
	v.get("/object?subject=bridge.example").says(nothing)
	p := v.get("/object/case?subject=bridge.example")
	p.says(nothing, "Revoke.cash exploits", "do not: Phantom blocklist (4 Mar 2026).")
	want(t, "it counts", strings.Contains(p.main(), listed), false)
	s.starter()
	for _, at := range []string{"/object?subject=", "/object/case?subject="} {
		v.get(at + thief).says(listed)
	}
}
