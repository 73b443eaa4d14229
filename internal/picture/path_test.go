package picture

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestAPathGoesWhereItSays: by every command, with every mark between its numbers, and by arcs of circles.
func TestAPathGoesWhereItSays(t *testing.T) {
	for d, want := range map[string]string{
		"": "", " ,\n": "", "M1 2": "M 1,2", "M1,2\n3 4": "M 1,2 L 3,4", "m1 2 3 4": "M 1,2 L 4,6", "M-1-2": "M -1,-2",
		"M1 2L3 4l5 6H7h8V9v1":         "M 1,2 L 3,4 L 8,10 L 7,10 L 15,10 L 15,9 L 15,10",
		"M1 1C1 2 3 4 5 6c1 2 3 4 5 6": "M 1,1 C 1,2 3,4 5,6 C 6,8 8,10 10,12",
		"M1 2l3 0zl1 1":                "M 1,2 L 4,2 L 1,2 L 2,3", "M.5.25": "M 0.5,0.25",
		"M1 2z ,\nM3 4": "M 1,2 L 1,2 M 3,4",
		"M1 2z3":        "error", "M1 2 3": "error", "M1 2A1 1 0 2 0 3 4": "error", "Q1 2 3 4": "error", "1 2": "error",
		"M1 x":     "error",
		"M1.2.3.4": "error", "M1 1A1 1 0 0 0 1 1": "M 1,1", "M1-": "error",
	} {
		p, err := ParsePath(d)
		var all []string
		for _, s := range p.steps {
			name := map[int]string{1: "L", 3: "C"}[s.n]
			if s.move {
				name = "M"
			}
			for _, at := range s.points[:s.n] {
				name += fmt.Sprintf(" %v,%v", at.x, at.y)
			}
			all = append(all, name)
		}
		if err != nil {
			all = []string{"error"}
		}
		if got := strings.Join(all, " "); got != want {
			t.Errorf("%q: %s", d, got)
		}
	}
	for flags, middle := range map[string]point{"0 1": {5, 0}, "0 0": {5, 10}, "1 1": {5, 0}, "1 0": {5, 10}} {
		p, err := ParsePath("M0 5A5 5 0 " + flags + " 10 5") // a half of a circle around 5,5
		if err != nil || len(p.steps) != 47 {
			t.Fatal(flags, err, len(p.steps))
		}
		nearest := math.Inf(1)
		for _, s := range p.steps {
			at := s.points[0]
			if r := math.Hypot(at.x-5, at.y-5); math.Abs(r-5) > 1e-9 {
				t.Errorf("%s: %v is not on the circle", flags, at)
			}
			nearest = min(nearest, math.Hypot(at.x-middle.x, at.y-middle.y))
		}
		if last := p.steps[len(p.steps)-1].points[0]; nearest > .2 || math.Hypot(last.x-10, last.y-5) > 1e-9 {
			t.Errorf("%s: %v from the middle, to %v", flags, nearest, last)
		}
	}
	for flags, parts := range map[string]int{"0 1": 23, "0 0": 23, "1 1": 68, "1 0": 68} { // of a quarter, and three
		p, err := ParsePath("M0 5A5 5 0 " + flags + " 5 0")
		if err != nil || len(p.steps)-1 < parts || len(p.steps)-1 > parts+1 {
			t.Errorf("%s: %d parts, %v", flags, len(p.steps)-1, err)
		}
	}
}
