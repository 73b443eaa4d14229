package tocsin

import (
	"slices"
	"testing"
)

func TestHandlesInMostReportsComeFirst(t *testing.T) {
	reports := []Outline{{Handles: []string{"x:once", "telegram:thrice"}},
		{Handles: []string{"telegram:thrice", "x:also"}}, {Handles: []string{"telegram:thrice"}}}
	if got := HandlesNamed(reports); !slices.Equal(got, []string{"telegram:thrice", "x:also", "x:once"}) {
		t.Error(got)
	}
}
