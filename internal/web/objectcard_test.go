package web

import (
	"slices"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/feed"
)

// TestWhereAnOwnerFindsTheWayToObject: a card on each answer that speaks against the subject, and on no other.
func TestWhereAnOwnerFindsTheWayToObject(t *testing.T) {
	s := start(t)
	s.starter()
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "listed.example")
	s.file(draft{"reportedDomains": []string{"reported.example"}})
	v := s.visitor()
	for subject, card := range map[string]bool{"listed.example": true, "reported.example": true, thief: true,
		"metamask-login.io": true, "unknown.example": false, nobody: false} {
		p := v.get("/screen/" + subject)
		want(t, subject, []bool{strings.Contains(p.main(), "Is it yours?"),
			slices.Contains(p.links(), "/object?subject="+subject)}, []bool{card, card})
	}
}

// TestATenantOfASharedHostShowsItWithAPage: it has no DNS record and no mailbox of its own.
func TestATenantOfASharedHostShowsItWithAPage(t *testing.T) {
	s := start(t)
	s.list("blocklist", "blocklist", tocsin.Shared, "hosting", "tumblr.com", "wordpress.com", "medium.com")
	tenants := []string{"mine.vercel.app", "mine.tumblr.com", "shop.mine.wordpress.com", "mine.medium.com"}
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", tenants...)
	v := s.visitor()
	for _, tenant := range tenants {
		p := v.get("/object?subject=" + tenant)
		p.says("Ask each list to remove it", "or had the same name at ",
			"A file or a text on the page, with words that they choose.",
			"a file or a text on the page, with words that you choose", "put a text on it, and say where")
		lacks(t, p, "DNS")
		lacks(t, p, "a mailbox of the domain")
		lacks(t, p, "old subdomain")
		lacks(t, v.get("/object/case?subject="+tenant), "DNS")
	}
	v.get("/object?subject=yours.tumblr.com").says("Many unrelated sites share tumblr[.]com.")
	lacks(t, v.get("/object?subject=tumblr.com"), "Names under it may be on record")
}

// TestASanctionNamesItsProgrammeAndHowToFindIt: the page of OFAC is a search, so what to enter there is said.
func TestASanctionNamesItsProgrammeAndHowToFindIt(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	const search = "Their page is a search: paste the address into “ID #”"
	v.get("/object?subject="+thief).says("Programme: DPRK3", search)
	v.get("/screen/"+thief).says(search, "DPRK3")
	want(t, "an entry", strings.Contains(v.get("/screen/"+thief).main(), "Opens the entry"), false)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "shop.example")
	want(t, "of another list", strings.Contains(v.get("/object?subject=shop.example").main(), search), false)
}

// TestASafelistHoldsTheSecondOfAReportToo: the owner of what a report names second finds it, and what holds the score.
func TestASafelistHoldsTheSecondOfAReportToo(t *testing.T) {
	s := start(t)
	filed := s.file(draft{"reportedDomains": []string{"first.example", "shop.example"}})
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "shop.example")
	s.list("safelist", "safelist", tocsin.Safe, "shop", "shop.example")
	v := s.visitor()
	links := v.get("/object?subject=" + filed.ID).links()
	for _, subject := range []string{"first.example", "shop.example"} {
		want(t, subject, slices.Contains(links, "/object?subject="+subject), true)
	}
	v.get("/object?subject=shop.example").says(filed.ID, "The operator checked it on 4 Mar 2026.",
		"The level is Low at most.")
	want(t, "the first", strings.Contains(v.get("/object?subject=first.example").main(), "checked it"), false)
}

// TestACautionFromTheNameAloneCanBeEnded: visitors are told not to connect yet, so the owner is told why, whom to ask,
// and is given the text to send.
func TestACautionFromTheNameAloneCanBeEnded(t *testing.T) {
	s := start(t)
	v := s.visitor()
	const site = "uniswap-foundation.org"
	p := v.get("/screen/" + site)
	want(t, "the link", slices.Contains(p.links(), "/object?subject="+site), true)
	p = v.get("/object?subject=" + site)
	p.says("No list and no report names it.",
		"But visitors read “Do not connect yet: the site we know by this name is uniswap.org”, because its name contains "+
			"that of uniswap.org: our own caution, from the name alone.",
		"Ask the operator to put it on a safelist", "The caution then ends within a second.",
		"No list and no report names it; but visitors read “Do not connect yet", "I ask you to put it on a safelist.")
	want(t, "that there is nothing to correct", strings.Contains(p.main(), "nothing to correct"), false)
	v.get("/object/case?subject=" + site).says("This is our own caution, from the name alone.")
	s.list(feed.Safelist, feed.Safelist, tocsin.Safe, "checked", site)
	v.get("/object?subject=" + site).says("There is nothing to correct here.")
}
