package web

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// TestAnOwnerSeesWhatTheOperatorHasDecided: that an objection is looked into, is accepted, or is refused.
func TestAnOwnerSeesWhatTheOperatorHasDecided(t *testing.T) {
	s := start(t)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "shop.example")
	safelist := func(category string, subjects ...string) *response {
		s.Sleep(24 * time.Hour)
		s.list(feed.Safelist, "safelist", tocsin.Safe, category, subjects...)
		return s.visitor().get("/object?subject=shop.example")
	}
	const refused, something = "The operator looked into an objection and ended the safelist entry on 6 Mar 2026. " +
		"Result: what warns of it stays.", "Write only if you have something new."
	p := safelist(tocsin.UnderReview, "shop.example", "other.example")
	p.says("Wallets and programs that ask us get no advice against it.",
		"The operator is looking into itIt has been under review since 5 Mar 2026. "+something,
		"This is new: [what it is, and a link that shows it]")
	s.Sleep(24 * time.Hour)
	takeOff(s, "shop.example")
	p = s.visitor().get("/object?subject=shop.example")
	p.says(refused, "while the lists decide. "+something, "You ended the entry of your safelist on 6 Mar 2026.")
	s.visitor().get("/object/case?subject=shop.example").says(refused)
	p = safelist("shop", "shop.example", "other.example")
	p.says("It is on the safelist of the operatorThat holds the level at Low. Ask the lists all the same")
	lacks(t, p, something)
	lacks(t, p, "ended the safelist entry")
	s.Sleep(24 * time.Hour)
	takeOff(s, "shop.example")
	s.visitor().get("/object?subject=shop.example").says(
		"It was on the safelist of the operator, who took it off on 8 Mar 2026.")
	lacks(t, s.visitor().get("/object?subject=other.example"), "took it off")
}

// TestAFileDecidesAboutNobody: an entry that ended since a file lacked it was not decided about.
func TestAFileDecidesAboutNobody(t *testing.T) {
	s := start(t)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "shop.example")
	for _, category := range []string{tocsin.UnderReview, "shop"} {
		s.list(feed.Safelist, "safelist", tocsin.Safe, category, "shop.example", "other.example")
		takeOff(s, "shop.example") // which is about the entry before
		s.list(feed.Safelist, "safelist", tocsin.Safe, category, "shop.example", "other.example")
		s.Sleep(24 * time.Hour)
		s.list(feed.Safelist, "safelist", tocsin.Safe, category, "other.example")
		p := s.visitor().get("/object?subject=shop.example")
		p.says("The safelist entry ended on " + s.Now().Format("2 Jan 2006") + ". What warns of it stays.")
		lacks(t, p, "looked into", "You ended", "took it off", "Write only if you have something new.")
	}
}

// takeOff takes a subject off the operator's own safelist, as `safelist remove` does.
func takeOff(s *service, site string) {
	s.t.Helper()
	s.Sleep(time.Second)
	im, err := s.db.Import(s.t.Context(), tocsin.List{Name: feed.Safelist, Family: "safelist"})
	tocsintest.Must(s.t, err)
	defer im.Close()
	subjects := []tocsin.Subject{{Kind: tocsin.DNS, Value: site}}
	want(s.t, "not there", len(im.Change(store.Operator{}, store.RemovedSafe, subjects, subjects)), 0)
	_, err = im.Finish(s.t.Context(), false, nil)
	tocsintest.Must(s.t, err)
	s.Sleep(time.Second)
}

// TestADecisionIsWhatAnOwnerReadsFirst, before the steps: what the operator checked and when, and of a sanction that no
// decision lowers it.
func TestADecisionIsWhatAnOwnerReadsFirst(t *testing.T) {
	s := start(t)
	s.starter()
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "shop.example", "refused.example")
	v := s.visitor()
	s.list(feed.Safelist, "safelist", tocsin.Safe, tocsin.UnderReview, "refused.example")
	s.Sleep(24 * time.Hour)
	takeOff(s, "refused.example")
	s.list(feed.Safelist, "safelist", tocsin.Safe, "shop", "shop.example", "metamask-repairs.io")
	for subject, first := range map[string]string{
		"shop.example":    "The operator checked it on 5 Mar 2026. The level is Low at most.",
		"refused.example": "The operator looked into an objection and ended the safelist entry on 5 Mar 2026.",
	} {
		p := v.get("/object?subject=" + subject)
		p.says(first)
		main := p.main()
		want(t, subject, strings.Index(main, first) < strings.Index(main, "On lists"), true)
	}
	v.get("/object?subject=metamask-repairs.io").says(
		"the word of the operator, not of a public list. The operator checked it on 5 Mar 2026.")
	s.list(feed.Safelist, "safelist", tocsin.Safe, tocsin.UnderReview, thief, "review-metamask.io")
	const sanction = "The operator has been looking into your objection since 5 Mar 2026, but cannot lower a sanction."
	for _, at := range []string{"/object?subject=", "/object/case?subject="} {
		v.get(at + thief).says(sanction)
	}
	v.get("/object?subject=review-metamask.io").says("Nothing has been decided. " +
		"It has been under review since 5 Mar 2026.")
	lacks(t, v.get("/object?subject=metamask-repairs.io"), sanction)
}

// TestOnlyWithAReportOneCanBeHidden: the page offers what the operator can do in this case.
func TestOnlyWithAReportOneCanBeHidden(t *testing.T) {
	s := start(t)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "shop.example")
	s.file(draft{"reportedDomains": []string{"reported.example"}})
	v := s.visitor()
	const hide, stop = "Hide a report that is wrong.", "Stop a reporter who files false reports."
	for _, at := range []string{"/object", "/object?subject=reported.example"} {
		v.get(at).says(hide, stop)
	}
	p := v.get("/object?subject=shop.example")
	lacks(t, p, hide)
	lacks(t, p, stop)
	p.says("Put it on a safelist while a list decides.")
}

// TestTheOperatorsOwnClaimIsCalledThat, and so is what comes with the program, and what the name alone comes to.
func TestTheOperatorsOwnClaimIsCalledThat(t *testing.T) {
	s := start(t)
	s.starter()
	s.list("partner", "partner", tocsin.Risk, "scam", "own.example", "two.example")
	s.list("polkadot", "polkadot", tocsin.Risk, "scam", "two.example", "listed.example", "metamask-token.io")
	v := s.visitor()
	const claim, own = "An entry or a report is the claim of who made it.",
		"What partner says is the claim of the operator of this service."
	incident := ""
	entries, err := s.db.Entries(t.Context(), feed.StarterList)
	tocsintest.Must(t, err)
	for _, e := range entries {
		if e.Kind == tocsin.Risk {
			incident = e.Subject
		}
	}
	for subject, says := range map[string]string{
		"own.example":       own,
		"two.example":       claim + " " + own,
		"listed.example":    "An entry or a report is the claim of who made it, and no finding of this service.",
		"metamask-token.io": claim + " That its name is suspicious is our own finding, from the name alone.",
		incident:            "says comes with the program that this service runs.",
	} {
		p := v.get("/object?subject=" + subject)
		p.says(says)
		if subject != "listed.example" {
			lacks(t, p, "no finding of this service")
		}
	}
	p := v.get("/object?subject=" + incident)
	p.says("Nobody else can end the entry of", "The operator can hide it, or put it on a safelist")
	lacks(t, p, "take it off their own list")
	v.get("/object?subject=two.example").says("Nobody else can end the entry of partner. The operator can take it " +
		"off their own list")
}

// TestWhatAListHasDroppedCanBeHidden: the owner asks for it by its number, and it is then no longer shown as Earlier.
func TestWhatAListHasDroppedCanBeHidden(t *testing.T) {
	s := start(t)
	imports := func(list string, entries ...tocsin.Entry) {
		im, err := s.db.Import(t.Context(), tocsin.List{Name: list, Family: list})
		tocsintest.Must(t, err)
		defer im.Close()
		for _, e := range entries {
			tocsintest.Must(t, im.Add(e))
		}
		_, err = im.Finish(t.Context(), true, nil)
		tocsintest.Must(t, err)
		s.Sleep(time.Hour)
	}
	d, fault := tocsin.Draft{CrimeType: tocsin.Phishing, Title: "It took all", Description: "It took all.",
		ReportedDomains: []string{"shop.example"}}.Parse(s.Now())
	tocsintest.Must(t, fault)
	named := func(name string) *tocsin.Listing {
		return &tocsin.Listing{Subject: tocsin.Subject{Kind: tocsin.DNS, Value: name}, Kind: tocsin.Risk,
			Category: "phishing"}
	}
	imports("partner", tocsin.Entry{Report: &d, Key: "1", Listing: named("shop.example")},
		tocsin.Entry{Listing: named("bare.example")})
	imports("partner")
	found, err := s.db.Select(t.Context(), store.Selection{Source: "partner", Status: tocsin.Removed}, 1)
	tocsintest.Must(t, err)
	v := s.visitor()
	p := v.get("/object?subject=shop.example")
	p.says("Ask the operator to hide what a list has droppedThe operator can hide or erase its report.",
		"I ask you to hide what a list has dropped: "+found.IDs[0]+".")
	lacks(t, p, "It cannot be hidden sooner")
	p = v.get("/object?subject=bare.example")
	p.says("It cannot be hidden sooner: the operator can hide only what a list tells in a report.")
	lacks(t, p, "Ask the operator to hide")
	tocsintest.Must(t, s.db.Hide(t.Context(), store.Operator{}, found.IDs...))
	lacks(t, v.get("/object?subject=shop.example"), "Earlier")
}

// TestTheOwnerOfAHandleLearnsWhatToDo: reports are searched for it, and the operator is written to with their numbers.
func TestTheOwnerOfAHandleLearnsWhatToDo(t *testing.T) {
	p := start(t).visitor().get("/object?subject=@honestshop")
	p.says("Search the reports. If one is about you, write to the operator with its number.")
	if !strings.Contains(p.html, `href="`+contact) {
		t.Error("there is no link to the operator")
	}
}

// TestAListOfTheOperatorLinksNowhere: its entry has the URL of whoever wrote it, for which nobody vouches.
func TestAListOfTheOperatorLinksNowhere(t *testing.T) {
	s := start(t)
	for _, list := range []tocsin.List{{Name: "partner", Family: "partner"},
		{Name: "scamsniffer", Family: "scamsniffer"}} {
		im, err := s.db.Import(t.Context(), list)
		tocsintest.Must(t, err)
		tocsintest.Must(t, im.Add(tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Risk, Category: "scam",
			URL: "https://" + list.Name + ".example/entry", Subject: tocsin.Subject{Kind: tocsin.DNS, Value: "shop.example"}}}))
		_, err = im.Finish(t.Context(), false, nil)
		tocsintest.Must(t, err)
		im.Close()
	}
	p := s.visitor().get("/screen/shop.example")
	lacks(t, p, `href="https://partner.example`)
	want(t, "a list that the program knows", slices.Contains(p.links(), "https://scamsniffer.example/entry"), true)
}
