package web

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// TestAnObjectionToAListIsFilledIn: in a mail and in an issue, with the name that the list has and the letter, also for
// a sanction.
func TestAnObjectionToAListIsFilledIn(t *testing.T) {
	s := start(t)
	s.starter()
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "shop.example")
	for subject, fields := range map[string]map[string][]string{
		"pay.shop.example": {
			"https://github.com/scamsniffer/scam-database/issues/new": {"title", "body"},
			"mailto:fun@scamsniffer.io":                               {"subject", "body"},
		},
		thief: {"mailto:OFAC.Reconsideration@treasury.gov": {"subject", "body"}},
	} {
		named, letter := "shop.example", "Please remove shop.example from your list."
		if subject == thief {
			named, letter = thief, "Please remove "+thief+" from the entry of LAZARUS GROUP on the list."
		}
		for _, to := range s.visitor().get("/object?subject=" + subject).links() {
			page, query, _ := strings.Cut(to, "?")
			names := fields[page]
			if names == nil {
				continue
			}
			values, err := url.ParseQuery(query)
			tocsintest.Must(t, err)
			want(t, to, values.Get(names[0]), "Removal request: "+named)
			want(t, to, strings.HasPrefix(values.Get(names[1]), letter), true)
			delete(fields, page)
		}
		want(t, subject+": not linked to", len(fields), 0)
	}
}

// TestAnOwnerLearnsWhatTheNameAloneComesTo: also without its lists and reports it is suspicious, so they are not all
// there is to ask for; where a safelist holds it, or the name is innocent, nothing is said.
func TestAnOwnerLearnsWhatTheNameAloneComesTo(t *testing.T) {
	s := start(t)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "metamask-login.io", "paypa1.com", "held-metamask.io",
		"shop.example")
	s.list("safelist", "safelist", tocsin.Safe, "shop", "held-metamask.io")
	s.file(draft{"reportedDomains": []string{"metamask-airdrop.io", "metamask-login.io"}})
	v := s.visitor()
	const alone = "Without any list and any report the score would still be"
	v.get("/object?subject=metamask-login.io").says("On lists: Polkadot phishing list In reports: 1 "+alone+
		" 25 of 100, Medium. Its name imitates metamask.io. Read it letter by letter Visitors who look it up read: "+
		"“Very likely a scam.",
		"Ask to have it kept there: it stays suspicious when no list names it.")
	v.get("/object?subject=paypa1.com").says(alone, "Its name imitates paypal.com.")
	v.get("/object/case?subject=paypa1.com").says(alone)
	v.get("/object?subject=metamask-airdrop.io").says(alone, "Ask the operator for a safelist, too")
	for _, subject := range []string{"held-metamask.io", "shop.example", "metamask-wallet.io"} {
		p := v.get("/object?subject=" + subject).main()
		want(t, subject, strings.Contains(p, alone) || strings.Contains(p, "stays suspicious"), false)
	}
}

// TestAPageOfASharedHostIsNotItsHost: its owner is sent to the reports and to the lists of wallets, and told that a
// page has no score; what is said of the whole host is a link. The name of an account is searched for.
func TestAPageOfASharedHostIsNotItsHost(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	for _, site := range []string{"github.com", "sites.google.com"} {
		p := v.get("/object?subject=" + url.QueryEscape("https://"+site+"/view/lamps"))
		p.says("Anyone can have a page on "+broken(site)+".", "A single page has no score here.",
			"A file or a text on the page")
		for _, to := range []string{"/object?subject=" + site, "/reports?q=" + url.QueryEscape(site+"/view/lamps")} {
			want(t, to, slices.Contains(p.links(), to), true)
		}
		want(t, "in the form", slices.ContainsFunc(p.links(), func(to string) bool {
			u, err := url.Parse(to)
			return err == nil && u.Query().Get("domains") == site+"/view/lamps"
		}), true)
		want(t, "of the host", strings.Contains(p.main(), "nothing to correct"), false)
	}
	p := v.get("/object?subject=" + url.QueryEscape("https://www.instagram.com/lamps"))
	p.says("Search the reports")
	want(t, "an account", []any{p.status, slices.Contains(p.links(), handlePath("instagram:lamps"))}, []any{400, true})
}

// TestTheLetterSaysWhatIsAskedOfTheOperator: a safelist while lists decide, and reports to be hidden.
func TestTheLetterSaysWhatIsAskedOfTheOperator(t *testing.T) {
	s := start(t)
	s.starter()
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "listed.example")
	filed := s.file(draft{"reportedDomains": []string{"reported.example"}})
	const meanwhile, hide, one = "a safelist while the lists decide.", "hide the reports that are wrong.",
		"hide this report."
	for subject, asks := range map[string][]bool{"listed.example": {true, false, false},
		"reported.example": {false, true, false}, filed.ID: {false, false, true}, thief: {false, false, false}} {
		p := textOf(s.visitor().get("/object?subject=" + subject).class("code")...)
		want(t, subject, []bool{strings.Contains(p, "I ask you to put it on "+meanwhile),
			strings.Contains(p, "I ask you to "+hide), strings.Contains(p, "I ask you to "+one)}, asks)
	}
}
