package lookalike

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestReasonsAreWordsOrSayThatAWordGoesOn(t *testing.T) {
	for _, c := range []struct {
		text, part, says string
	}{
		{"projectrectapp", "ectrectapp", "projectrectapp"},
		{"thesolitaireclinic", "clin", "…clinic"},
		{"thesolitaireclinic", "esolit", "thesolit…"},
		{"abcdefghijklmnopqrst", "hijk", "…hijk…"},
		{"claim-airdrop", "claim-ai", "claim"},
		{"claim-airdrop", "m-airdrop", "airdrop"},
		{"claim-airdrop", "aim-airdr", "claim-airdrop"},
		{"my.claim-airdrop", "claim", "claim"},
		{"gugu7", "u7", "gugu7"},
		{"grüße-an-alle", "rü", "grüße"},
		{"abcdefghijäklmnopqrst", "\xa4kl", "…äkl…"},
	} {
		from := strings.Index(c.text, c.part)
		from, to := readable(c.text, from, from+len(c.part))
		if got := quoted(c.text, from, to); got != c.says {
			t.Errorf("%q of %s: %q, want %q", c.part, c.text, got, c.says)
		}
	}
}

// TestReasonsAreWhatPeopleSee: a brand as a whole, letters of other scripts, and the words that lure.
func TestReasonsAreWhatPeopleSee(t *testing.T) {
	brands := ShippedBrands()
	for name, says := range map[string]string{
		"hyperliquid-filtering.xyz": "letters hyperliquid 0.50 suffix .xyz 0.50",  // not …liq…
		"xn--uniqu-claim-fbb.xyz":   "words claim 0.50 letters uniqué-claim 0.46", // not unique-claim
		"my-fancy-shop.xyz":         "suffix .xyz 1.00",                           // and no words that lure
	} {
		n, _ := parse(domain(name))
		found := brands.find(&n)
		var f features
		f.extract(&n, brands, found)
		m := &Model{weights: make([]float32, 1<<width+1)}
		for i := range f.n { // what a model might have learnt
			at := strings.Index(n.foldedLabel, "liq")
			letters := f.kind[i] == famLetters && f.size[i] == 3
			switch {
			case f.foreign > 0 && i == f.foreign, f.kind[i] == famLure, letters && at >= 0 && int(f.from[i]) == at:
				m.weights[f.place[i]] = 1
			}
		}
		got := ""
		for _, r := range m.reasons(&n, &f, found, "") {
			got += fmt.Sprintf(" %s %s %.2f", r.Kind, r.Text, r.Share)
		}
		if strings.TrimSpace(got) != says {
			t.Errorf("%s:%s, want %s", name, got, says)
		}
	}
}

// TestReasonsAreOfTheName: each is a part of it, and no letter is in two.
func TestReasonsAreOfTheName(t *testing.T) {
	d, all := NewDetector(ShippedBrands(), trained(t)), 0
	for _, e := range made(600, 0) {
		n, _ := parse(e.Domain)
		v := d.Judge(e.Domain)
		if v.Prediction == nil {
			continue
		}
		last, shares, letters, reasons := 1.0, 0.0, 0, v.Prediction.Reasons
		for _, r := range reasons {
			part := strings.Trim(r.Text, "…")
			switch r.Kind {
			case "letters":
				letters += len(part)
				if !strings.Contains(n.foldedLabel, part) || part == "" {
					t.Errorf("%s: %+v", e.Domain, r)
				}
			case "suffix":
				if r.Text != "."+n.suffix {
					t.Errorf("%s: %+v", e.Domain, r)
				}
			}
			if r.Share > last {
				t.Errorf("%s: not the largest first: %+v", e.Domain, reasons)
			}
			last, shares, all = r.Share, shares+r.Share, all+1
		}
		if letters > len(n.foldedLabel) || shares > 1.0001 || len(reasons) > maxReasons ||
			slices.ContainsFunc(reasons, func(r Reason) bool { return r.Share < minShare }) {
			t.Errorf("%s: %+v", e.Domain, reasons)
		}
	}
	if all < 600 {
		t.Errorf("%d reasons", all)
	}
}
