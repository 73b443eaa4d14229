package main

import (
	"testing"

	"tocsin"
)

// TestAReportIsToldByWhomItNames: the first, and how many more.
func TestAReportIsToldByWhomItNames(t *testing.T) {
	for want, d := range map[string]tocsin.Draft{
		"-":                        {},
		"evil.com":                 {ReportedDomains: []string{"evil.com"}},
		"0x098B…2f96 +2":           {ScammerAddresses: []string{example}, ReportedDomains: []string{"evil.com", "b.com"}},
		"a-very-lo…ng.example.com": {ReportedDomains: []string{"a-very-long-name-that-is-long.example.com"}},
		"telegram:somebody":        {ReportedHandles: []string{"telegram:somebody"}},
	} {
		if got := namedBy(tocsin.Report{Draft: d}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
