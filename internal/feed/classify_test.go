package feed

import (
	"testing"
)

func TestLabelsMakeAnAccountRiskSafeOrNeither(t *testing.T) {
	for _, c := range []struct {
		accountLabels
		named bool
		want  string
	}{
		{accountLabels{name: "Fake_Phishing12", labels: []string{"synthetix"}}, true, "phishing"},
		{accountLabels{name: "Thing Exploiter 2: Contract", labels: []string{"bridge"}}, true, "hack"},
		{accountLabels{name: "Thing Exploiter (Whitehat)", labels: []string{"x"}}, true, ""},
		{accountLabels{name: "White Hat Hacker", labels: []string{"x"}}, true, ""},
		{accountLabels{name: "Thing Rug Pull", labels: []string{"x"}}, true, "rug_pull"},
		{accountLabels{name: "Hackerspace", labels: []string{"exchange"}}, true, ""},
		{accountLabels{name: "SushiSwap: SCAM", labels: []string{"sushiswap"}}, true, ""},
		{accountLabels{name: "Some Hacker", labels: []string{"stablecoin"}, token: true}, true, ""},
		{accountLabels{name: "Aave (AAVE)", labels: []string{"aave", "phish-hack"}}, true, "phishing"},
		{accountLabels{labels: []string{"blocked"}}, false, "frozen"},
		{accountLabels{labels: []string{"blocked"}}, true, ""},
		{accountLabels{labels: []string{"blocked", "ofac-sanctions-lists"}}, false, ""},
		{accountLabels{name: "Tornado.Cash: Router", labels: []string{"ofac-sanctions-lists"}}, true, ""},
		{accountLabels{labels: []string{"exchange"}}, false, ""}, // nobody has put a name to it
		{accountLabels{name: "Exchange 3", labels: []string{"exchange"}}, true, "exchange"},
		{accountLabels{name: "Exchange Coin (EXC)", labels: []string{"exchange"}}, true, ""},
		{accountLabels{name: "Aave (AAVE)", labels: []string{"aave"}}, true, "project"},
		{accountLabels{name: "Coin", labels: []string{"defi", "meme"}}, true, ""},
	} {
		got := c.risk(c.named)
		if got == "" {
			got = c.safeKind(safeLabels())
		}
		if got != c.want {
			t.Errorf("%q with %v is %q, want %q", c.name, c.accountLabels.labels, got, c.want)
		}
	}
}

// TestTheNameOfATokenStaysThatOfAToken, whatever file says more of the account.
func TestTheNameOfATokenStaysThatOfAToken(t *testing.T) {
	var r reader
	r.addLabel(1, adA, "Some Hacker", "stablecoin", true)
	r.addLabel(1, adA, "", "erc20", false)
	for at, l := range r.accounts {
		if category := l.risk(true); category != "" || len(l.labels) != 2 {
			t.Errorf("%v with %v is called %q after its name", at, l.labels, category)
		}
	}
	if len(r.accounts) != 1 {
		t.Errorf("%d accounts", len(r.accounts))
	}
}
