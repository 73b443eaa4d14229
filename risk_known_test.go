package tocsin

import (
	"fmt"
	"strings"
	"testing"
)

// TestASubjectThatIsOnlyKnownIsHeldUntilASecondFamilyAgrees: one list cannot block a popular site, and popularity does
// not shield a site that two lists name.
func TestASubjectThatIsOnlyKnownIsHeldUntilASecondFamilyAgrees(t *testing.T) {
	p := published(t, `stays at (\d+), too, until (two) independent families name it \(.known_site.\)`)
	most, families := int(p[0]), int(p[1])
	var names []string
	for _, category := range []string{TopSite, TokenSite} {
		if !strings.Contains(paper(t), "`"+category+"`") {
			t.Errorf("docs/risk.md does not name %s", category)
		}
		known := Listing{List: "ranking", Family: "ranking", Kind: Safe, Category: category}
		if a := assess(keys(9, 9, 0), known); a.Score != most || !a.Safelisted || a.Held {
			t.Errorf("%s with reports alone: %+v", category, a)
		}
		names = nil
		for n := 1; n < 4; n++ {
			names = append(names, fmt.Sprintf("family %d", n))
			with, without := assess(nil, append(listed(names...), known)...), assess(nil, listed(names...)...)
			want := without.Score
			if n < families {
				want = most
			}
			isHeld := n < families
			if with.Score != want || with.Safelisted || with.Held != isHeld || points(with, "known_site") < 0 != isHeld {
				t.Errorf("%s and %d families: %+v, not %d", category, n, with, want)
			}
			s := Screen(recorded(append(listed(names...), known)...), now)
			if (s.Recommendation == Block) != (n >= families) || s.Recommendation == Proceed {
				t.Errorf("%s and %d families: %s", category, n, s.Recommendation)
			}
		}
	}
	vouched := Listing{List: "good", Family: "good", Kind: Safe, Category: "exchange"}
	if a := assess(nil, append(listed(names...), vouched)...); a.Score != most || !a.Safelisted || !a.Held {
		t.Errorf("vouched for: %+v", a)
	}
}
