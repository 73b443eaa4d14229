package x402

import (
	"strings"
	"testing"

	"tocsin"
)

// TestAReasonIsOnePrintableLine: it is shown in a log and to people.
func TestAReasonIsOnePrintableLine(t *testing.T) {
	for given, want := range map[[2]string]string{
		{"insufficient_funds", "a message"}: "insufficient_funds",
		{"", "not\n enough \t"}:             "not enough",
		{"a\u202eb\x00c\xffd", ""}:          "a b cd", // a mark that turns the text around
		{"", ""}:                            "refused without a reason",
		{strings.Repeat("x", 300), ""}:      tocsin.Shorten(strings.Repeat("x", 300), 200),
	} {
		if got := cleanReason(given[0], given[1]); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}
