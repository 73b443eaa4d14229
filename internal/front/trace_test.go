package front

import (
	"fmt"
	"net/http"
	"testing"
)

// TestATraceParentIsReadAsItsStandardSays: section 3.2.2 of W3C Trace Context.
func TestATraceParentIsReadAsItsStandardSays(t *testing.T) {
	const trace, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for sent, want := range map[string]string{
		"00-" + trace + "-" + span + "-01":                         trace + " " + span + " true",
		"00-" + trace + "-" + span + "-00":                         trace + " " + span + " false",
		"00-" + trace + "-" + span + "-03":                         trace + " " + span + " true",
		"cc-" + trace + "-" + span + "-01-what-is-to-come":         trace + " " + span + " true",
		"00-" + trace + "-" + span + "-01-more":                    "",
		"ff-" + trace + "-" + span + "-01":                         "",
		"00-" + trace + "-0000000000000000-01":                     "",
		"00-00000000000000000000000000000000-" + span + "-01":      "",
		"00-" + "4BF92F3577B34DA6A3CE929D0E0E4736-" + span + "-01": "",
		"00-" + trace + "-" + span:                                 "",
		"":                                                         "",
	} {
		got := ""
		if c := traceContext(http.Header{"Traceparent": {sent}}); c.Known() {
			got = fmt.Sprintf("%x %x %t", c.Trace, c.Span, c.Sampled)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", sent, got, want)
		}
	}
	if traceContext(http.Header{"Traceparent": {"00-" + trace + "-" + span + "-01", "00-" + trace + "-" + span + "-01"}}).
		Known() {
		t.Error("two headers are one")
	}
}
