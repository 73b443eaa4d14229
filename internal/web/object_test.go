package web

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"tocsin"
)

// TestAnOwnerLearnsWhoCanCorrectWhat: each list by its own page, reports by the operator, and nothing where nothing is.
func TestAnOwnerLearnsWhoCanCorrectWhat(t *testing.T) {
	s := start(t)
	s.list("eth-phishing-detect", "ethereum-community", tocsin.Risk, "phishing", "shop.example")
	s.list("partner", "partner", tocsin.Risk, "scam", "shop.example")
	filed := s.file(draft{"reportedDomains": []string{"shop.example"}})
	v := s.visitor()
	want(t, "from the answer", slices.Contains(v.get("/screen/pay.shop.example").links(),
		"/object?subject=pay.shop.example"), true)
	p := v.get("/object?subject=pay.shop.example")
	p.says("Is it yours?", "MetaMask phishing list", "Fill in the form “Request blocklist removal”",
		"it names shop[.]example, above it",
		"partner", "The operator of this service keeps this list. Ask the operator", filed.ID,
		"write from a mailbox of the domain",
		"What nobody here can do",
		"Thieves answer such requests too.", "This service has no form for objections yet")
	for _, to := range []string{
		"https://github.com/MetaMask/eth-phishing-detect/issues/new?template=02-blocklist-removal.yaml",
		contact + "?subject=Objection%3A%20pay.shop%5B.%5Dexample", "/screen/pay.shop.example",
		"/reports/" + filed.ID} {
		if !slices.Contains(p.links(), to) {
			t.Errorf("no link to %s among %s", to, p.links())
		}
	}
	for _, to := range p.links() {
		if strings.HasPrefix(to, "https://shop.example") {
			t.Errorf("a link to a reported site: %s", to)
		}
	}
	v.get("/object?subject=unknown.example").says("Nothing on record speaks against it.")
	v.get("/object").says("Your address or site", "write to the operator")
	p = v.get("/object?subject=0x12")
	want(t, "a mistyped one", p.status, 400)
	p.says("We cannot read this as an address or a site.")
}

// TestWithoutAContactNobodyIsSentToOne: the page says what can be done without the operator, and links to no dead end.
func TestWithoutAContactNobodyIsSentToOne(t *testing.T) {
	s := start(t, func(c *setup) { c.Contact = "" })
	s.list("partner", "partner", tocsin.Risk, "scam", "shop.example")
	s.list(abandoned, abandoned, tocsin.Risk, "scam", "shop.example")
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "shop.example")
	for n := range maxObjected + 1 {
		s.file(draft{"reportedDomains": []string{"shop.example"}, "title": "One more " + strconv.Itoa(n)})
	}
	p := s.visitor().get("/object?subject=shop.example")
	p.says("The operator of this service keeps this list. The operator has given no contact.", "Open an issue on GitHub",
		"Nobody keeps this list any more", "withdraw it on its page, with the code", "nobody takes objections here",
		"All reports that name it (6)")
	reports := 0
	for _, to := range p.links() {
		if strings.HasPrefix(to, "mailto:") || strings.Contains(strings.ToLower(to), "cryptoscamdb") {
			t.Errorf("a link to %q", to)
		}
		if strings.HasPrefix(to, "/reports/rep_") {
			reports++
		}
	}
	want(t, "reports that are linked to", reports, maxObjected)
	for _, words := range []string{"Ask the operator", "rite to the operator"} {
		if strings.Contains(p.main(), words) {
			t.Errorf("it says %q", words)
		}
	}
}

// TestAnObjectionIsALookUp: the page says what an answer says, so it counts as one, and once with it.
func TestAnObjectionIsALookUp(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.Lookups = 1 })
	v := s.visitor()
	want(t, "the answer", v.get("/screen/one.example").status, 200)
	want(t, "to object to it", v.get("/object?subject=one.example").status, 200)
	want(t, "to another one", v.get("/object?subject=two.example").status, 429)
}

func TestAMailToTheOperatorHasASubject(t *testing.T) {
	for contact, to := range map[string]string{
		"mailto:a@b.example": "mailto:a@b.example?subject=On%20x", "https://b.example/c": "https://b.example/c",
		"mailto:a@b.example?cc=c": "mailto:a@b.example?cc=c", "": "",
	} {
		want(t, contact, contactAbout(contact, "On x"), to)
	}
	want(t, "of nothing", contactAbout("mailto:a@b.example", ""), "mailto:a@b.example")
}
