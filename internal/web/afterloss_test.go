package web

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestWhoLostTheCodeOfAReportLearnsWhatToDo: beside where it is asked for, with and without an operator to write to.
func TestWhoLostTheCodeOfAReportLearnsWhatToDo(t *testing.T) {
	for contact, says := range map[string]string{
		"mailto:security@tocsin.example": "write to the operator, with the number of the report, rep_",
		"": "Nobody else but the operator can remove it, " +
			"and the operator has given no contact.",
	} {
		s := start(t, func(c *setup) { c.Contact = contact })
		one := s.file(draft{"reportedDomains": []string{"evil.example"}})
		p := s.visitor().get("/reports/" + one.ID)
		p.says("Lost the code?", says)
		want(t, "the receipt", slices.Contains(p.links(), "/reports/"+one.ID+"/receipt"), true)
		mail := func(to string) bool { return strings.HasPrefix(to, contact+"?subject=Lost%20code%3A%20"+one.ID) }
		want(t, "a mail with its number", slices.ContainsFunc(p.links(), mail), contact != "")
	}
}

// TestAReportOfATokenNamesWhoCanFreezeIt: on the receipt, if the report names it in any words, and else not.
func TestAReportOfATokenNamesWhoCanFreezeIt(t *testing.T) {
	const tether, circle = "https://tether.to/en/legal/", "https://www.circle.com/legal/usdc-terms"
	v := start(t).visitor()
	for name, c := range map[string]struct {
		form           fields
		tether, circle bool
	}{
		"in the amount":   {fields{amountField: "3 400 USDT"}, true, false},
		"in the currency": {fields{amountField: "3400", currencyField: "usdc"}, false, true},
		"in the story":    {fields{storyField: "First Tether, then USD Coin."}, true, true},
		"of another chain": {fields{thingsField: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", storyField: "usdt trc20"},
			true, false},
		"of another coin": {fields{amountField: "2 ETH"}, false, false},
	} {
		p := v.post("/report", aForm.with(fields{titleField: "Lost " + name}).with(c.form))
		links := p.links()
		want(t, name, []bool{slices.Contains(links, tether), slices.Contains(links, circle)},
			[]bool{c.tether, c.circle})
		want(t, name+": said", strings.Contains(p.main(), "ask the issuer of a token to freeze it"), c.tether || c.circle)
	}
	help := v.get("/help").links()
	want(t, "help", []bool{slices.Contains(help, tether), slices.Contains(help, circle)}, []bool{true, true})
}

// TestWhoLooksForLostMoneyIsWarnedFirst of those who offer to bring it back, and once.
func TestWhoLooksForLostMoneyIsWarnedFirst(t *testing.T) {
	const warning = "Someone offers to get your money back?"
	v := start(t).visitor()
	for words, warned := range map[string]bool{"hacker recovery": true, "recover your funds": true, "lena gold": false} {
		p := v.get(v.get("/screen?q=" + url.QueryEscape(words)).header.Get("Location"))
		main := p.main()
		at, search := strings.Index(main, warning), strings.Index(main, "Only addresses and websites have a score")
		results := strings.Index(main, "Words in quotes")
		if results < 0 {
			results = strings.Index(main, "Clear the search")
		}
		want(t, words, []any{strings.Count(main, warning), search >= 0 && at > search && at < results}, []any{1, warned})
	}
	long := strings.Repeat("they promised to recover my stolen bitcoin for a fee and ", 20)
	v.get("/screen?q=" + url.QueryEscape(long)).says(warning)
}

// TestBelowAnAlarmTheWayToHelpIsAButton, and elsewhere a line.
func TestBelowAnAlarmTheWayToHelpIsAButton(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	for subject, button := range map[string]bool{thief: true, nobody: false} {
		links := v.get("/screen/" + subject).all("a")
		i := slices.IndexFunc(links, func(a *html.Node) bool {
			return strings.HasPrefix(textOf(a), "Already sent something?")
		})
		want(t, subject, []string{attr(links[i], "href"), attr(links[i], "class")},
			[]string{"/help", map[bool]string{true: "btn"}[button]})
	}
}

// TestTheCaseFileOnPaperHasNoLinkOfSomebodyElse: neither that of its reporter nor that of an owner who objects.
func TestTheCaseFileOnPaperHasNoLinkOfSomebodyElse(t *testing.T) {
	s := start(t)
	v := s.visitor()
	filed := v.post("/report", aForm)
	p := v.get("/reports/" + s.storedReport(filed).ID + "/case")
	want(t, "the page", p.status, 200)
	onPaper := func(n *html.Node) bool {
		for ; n != nil; n = n.Parent {
			if slices.Contains(strings.Fields(attr(n, "class")), "noprint") {
				return false
			}
		}
		return true
	}
	for _, link := range p.all("a") {
		to := attr(link, "href")
		for _, part := range []string{"/receipt", "/withdraw", "/object?", "/account"} {
			if strings.Contains(to, part) && onPaper(link) && inMain(link) {
				t.Errorf("%s is on paper", to)
			}
		}
	}
	want(t, "its code", secret.MatchString(p.html), false)
}

func inMain(n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n.Data == "main" {
			return true
		}
	}
	return false
}

// TestASiteThatOffersToBringMoneyBackIsWarnedOf, by its name, and so is the link to a private chat.
func TestASiteThatOffersToBringMoneyBackIsWarnedOf(t *testing.T) {
	s := start(t)
	v := s.visitor()
	const warning = "Someone offers to get your money back?"
	v.get("/screen/crypto-recovery-experts.com").says(warning)
	v.get("/screen?" + url.Values{"q": {"https://t.me/+AbCdEfGh12345678"}}.Encode()).says(warning)
	if found := v.get("/reports?q=me+han+estafado").main(); !strings.Contains(found, "Where to get help") {
		t.Errorf("who was cheated is not led to help: %s", found)
	}
	if other := v.get("/screen/bookshop.example").main(); strings.Contains(other, warning) {
		t.Errorf("it is said of any site: %s", other)
	}
}
