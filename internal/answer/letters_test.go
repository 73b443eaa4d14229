package answer

import (
	"slices"
	"strings"
	"testing"

	"tocsin"
)

// marked writes runs with brackets around what is marked.
func marked(runs []Run) string {
	var b strings.Builder
	for _, r := range runs {
		if r.Marked {
			b.WriteString("[" + r.Text + "]")
		} else {
			b.WriteString(r.Text)
		}
	}
	return b.String()
}

func TestANameIsComparedLetterByLetter(t *testing.T) {
	for _, c := range []struct{ domain, unicode, of, part, brand, lures, name, is, says string }{
		{"metarnask.io", "", "metamask.io", "metarnask", "metamask", "", "meta[rn]ask.io", "meta[m]ask.io",
			"It has “rn” where the real name has “m”. The site of the brand is metamask.io."},
		{"xn--unswap-q9a.org", "unıswap.org", "uniswap.org", "unıswap", "uniswap", "", "un[ı]swap.org", "un[i]swap.org",
			"It has “ı” where the real name has “i”: the letters only look the same. The site of the brand is uniswap.org."},
		{"uniswaap.org", "", "uniswap.org", "uniswaap", "uniswap", "", "uniswa[a]p.org", "uniswap.org",
			"“a” was added. The site of the brand is uniswap.org."},
		{"unswap.org", "", "uniswap.org", "unswap", "uniswap", "", "unswap.org", "un[i]swap.org",
			"“i” is missing. The site of the brand is uniswap.org."},
		{"my-ledger-live-update.com", "", "ledger.com", "ledger", "ledger", "update live",
			"my-ledger-[live]-[update].com", "ledger.com", "The brand’s name is spelled right, but this was " +
				"added: live, update. The site of the brand is ledger.com."},
		{"ledger-live-update.com", "", "ledger.com", "ledger-live", "ledgerlive", "update", "ledger-live-[update].com",
			"ledger.com", "The brand’s name is spelled right, but this was added: update. The site of the " +
				"brand is ledger.com."},
		{"happy-metamask-app.io", "", "metamask.io", "metamask", "metamask", "app", "happy-metamask-[app].io", "metamask.io",
			"The brand’s name is spelled right, but this was added: app. The site of the brand is " +
				"metamask.io."},
		{"secure8-coinbase.com", "", "coinbase.com", "coinbase", "coinbase", "secure", "[secure8]-coinbase.com",
			"coinbase.com", "The brand’s name is spelled right, but this was added: secure8. The site of the brand is " +
				"coinbase.com."},
		{"meta-mask.example", "", "metamask.io", "meta-mask", "metamask", "", "meta[-]mask.example", "metamask.io",
			"“-” was added. The site of the brand is metamask.io."},
		{"my-m-etama-sk.example", "", "metamask.io", "m-etama-sk", "metamask", "", "my-m[-]etama[-]sk.example", "metamask.io",
			"“-” was added. The site of the brand is metamask.io."},
		{"meta--mask-app.example", "", "metamask.io", "meta--mask", "metamask", "app", "meta--mask-[app].example",
			"metamask.io", "The brand’s name is spelled right, but this was added: app. The site of the " +
				"brand is metamask.io."},
		{"metamask.pages.dev", "", "metamask.io", "metamask", "metamask", "", "metamask.pages.dev", "metamask.io",
			"The name is spelled right, but this is another site. The site of the brand is metamask.io."},
		{"trezor.example", "", "satoshilabs.com", "trezor", "trezor", "", "trezor.example", "satoshilabs.com",
			"The name is spelled right, but this is another site. The site of the brand is satoshilabs.com."},
	} {
		a := Answer{Subject: tocsin.Subject{Kind: tocsin.DNS, Value: c.domain}, Lang: english()}
		a.NameFindings = &tocsin.NameFindings{Lookalike: &tocsin.Lookalike{Of: c.of, Evidence: tocsin.LookalikeEvidence{
			Part: c.part, Brand: c.brand, Lures: strings.Fields(c.lures)}}}
		if c.unicode != "" {
			a.Unicode = &c.unicode
		}
		is := a.Comparison()
		if is == nil {
			t.Errorf("%s: no comparison", c.domain)
			continue
		}
		if got := []string{marked(is.Name), marked(is.Of), is.Says}; !slices.Equal(got, []string{c.name, c.is, c.says}) {
			t.Errorf("%s: %q", c.domain, got)
		}
	}
	mixed, readable := Answer{Subject: tocsin.Subject{Kind: tocsin.DNS, Value: "xn--o"}, Lang: english()}, "сoolshop.com"
	mixed.NameFindings = &tocsin.NameFindings{Unicode: &readable, Lookalike: &tocsin.Lookalike{Of: "coolshop.com",
		Method: "mixed-scripts", Evidence: tocsin.LookalikeEvidence{Part: "сoolshop", Brand: "coolshop"}}}
	if is := mixed.Comparison(); marked(is.Name) != "[с]oolshop.com" || marked(is.Of) != "[c]oolshop.com" ||
		is.Says != "It has “с” where the real name has “c”: the letters only look the same." {
		t.Errorf("what is no brand: %+v", is)
	}
	a := Answer{Subject: tocsin.Subject{Kind: tocsin.DNS, Value: "a.example"}, Lang: english()}
	if a.Comparison() != nil || a.Clues() != nil {
		t.Error("a name without findings is compared")
	}
	a.NameFindings = &tocsin.NameFindings{Prediction: &tocsin.Prediction{Level: tocsin.Elevated,
		Reasons: []tocsin.PredictionReason{{Kind: "letters", Text: "claim", Share: .744}, {Kind: "shape", Share: .256}}}}
	want := []Clue{{"The letters “claim”", 74}, {"Its length, its digits and its hyphens", 26}}
	if got := a.Clues(); !slices.Equal(got, want) {
		t.Errorf("clues: %v", got)
	}
	if a.Prediction.Level = tocsin.LowPrediction; a.Clues() != nil {
		t.Error("what is not suspected has clues")
	}
}

func TestWhatResemblesNothingIsNotCompared(t *testing.T) {
	for _, subject := range []string{anAddress, aSite} {
		if r := about(subject, nil).Resembled(); r != nil {
			t.Errorf("%s: %+v", subject, r)
		}
	}
}
