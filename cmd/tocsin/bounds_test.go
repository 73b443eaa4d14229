package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestAListOfLargeReportsIsWhole: the store returns them in pages of 256 KB.
func TestAListOfLargeReportsIsWhole(t *testing.T) {
	m := newMachine(t)
	var lines []string
	for i := range 12 {
		d := story(fmt.Sprint("Report ", i), "evil.com")
		d["key"], d["description"] = fmt.Sprint(i), strings.Repeat("😀", 10_000)
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(text))
	}
	m.must("import", "ndjson", "-from", m.write("large.ndjson", lines...), "-as", "partner")
	for limit, count := range map[string]int{"10": 10, "50": 12} {
		list := m.must("report", "list", "-json", "-limit", limit)
		m.want("reports of "+limit, strings.Count(list, "\n"), count)
		for i := range count {
			m.want("once each", strings.Count(list, fmt.Sprintf(`"title":"Report %d"`, 11-i)), 1)
		}
	}
}
