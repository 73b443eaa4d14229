package web

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/store"
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
		" 25 of 100, Medium. Its name resembles metamask.io. Read it letter by letter Visitors who look it up read: "+
		"“Polkadot phishing list calls this site a scam.",
		"Ask to have it kept there: it stays suspicious when no list names it.")
	v.get("/object?subject=paypa1.com").says(alone, "Its name resembles paypal.com.")
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

// operatorSteps are the steps of the page that are done by writing to the operator.
var operatorSteps = regexp.MustCompile(`<li><div><strong>([^<]*)</strong><span>[^<]* <a href="mailto:security@[^>]*>`)

// TestTheLetterAsksForWhatThePageSays, in the same order, whatever is on record.
func TestTheLetterAsksForWhatThePageSays(t *testing.T) {
	s := start(t)
	s.starter()
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "listed.example", "both.example", "metamask-airdrop.io",
		"held.example", "popular.example", "two.example", "older-two.example")
	s.list("partner", "partner", tocsin.Risk, "scam", "own.example", "metamask-token.io", "two.example")
	s.list("safelist", "safelist", tocsin.Safe, "shop", "held.example")
	s.list("misp-warninglists", "misp", tocsin.Safe, tocsin.TopSite, "popular.example")
	source, _ := feed.Find(feed.Unkept)
	im, err := s.db.Import(t.Context(), source.List)
	tocsintest.Must(t, err)
	defer im.Close()
	for _, name := range []string{"old.example", "older.example", "older-two.example", "three.example"} {
		e := tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Risk, Category: "scam",
			Subject: tocsin.Subject{Kind: tocsin.DNS, Value: name}}}
		if !strings.HasPrefix(name, "older") {
			e.Key, e.Report = name, &tocsin.Draft{CrimeType: "scam", Title: "A scam", Description: "A scam of long ago.",
				ReportedDomains: []string{name}}
		}
		if name == "three.example" {
			e.Report.ReportedDomains = append(e.Report.ReportedDomains, "other.example")
		}
		tocsintest.Must(t, im.Add(e))
	}
	_, err = im.Finish(t.Context(), false, nil)
	tocsintest.Must(t, err)
	s.file(draft{"reportedDomains": []string{"reported.example", "metamask-login.io"}})
	s.file(draft{"reportedDomains": []string{"both.example"}})
	v := s.visitor()
	reports, err := s.db.Reports(t.Context(), store.Filter{Source: feed.Unkept, Page: store.Page{Limit: 2}})
	tocsintest.Must(t, err)
	told, ofThree := reports.Reports[1].ID, reports.Reports[0].ID
	if len(reports.Reports[1].Subjects()) > 1 {
		told, ofThree = ofThree, told
	}
	const others = "The report names others, too: hiding it ends their entries as well."
	const imitation = "0x098b716b111111111111111111111111183e2f96"
	const hide, meanwhile = "Write to the operator about each report that is wrong|I ask you to hide the reports that " +
		"are wrong. [One has my name: please erase it.]", "Ask the operator for a safelist meanwhile|" +
		"I ask you to put it on a safelist while the lists decide."
	const end, alone = "Ask the operator to end the entry|",
		"Ask the operator to put it on a safelist|No list and no report "
	for subject, asks := range map[string][]string{
		"listed.example":  {meanwhile},
		"popular.example": {meanwhile},
		"two.example": {meanwhile, end + "I ask you to take it off your own list (partner), or to put it on a " +
			"safelist."},
		"reported.example":    {hide},
		"both.example":        {meanwhile, hide},
		"metamask-airdrop.io": {meanwhile + " Please keep it there afterwards: its name alone is suspected."},
		"metamask-login.io": {hide, "Ask the operator for a safelist, too|I ask you to put it on a safelist, too: its name " +
			"alone is suspected."},
		"metamask-wallet.io": {alone + "names it; only its name is suspected: it looks like that of metamask.io. I ask you " +
			"to put it on a safelist."},
		imitation:     {alone + "names it; it only looks like another address. I ask you to put it on a safelist."},
		"own.example": {end + "I ask you to take it off your own list (partner), or to put it on a safelist."},
		"metamask-token.io": {end + "I ask you to take it off your own list (partner), or to put it on a safelist. Please " +
			"keep it there afterwards: its name alone is suspected."},
		"old.example": {end + "Nobody keeps CryptoScamDB any more. I ask you to hide the report " + told + " and its " +
			"entry, or to put it on a safelist."},
		"three.example": {end + "Nobody keeps CryptoScamDB any more. I ask you to hide the report " + ofThree + " and its " +
			"entry, or to put it on a safelist. " + others},
		"older-two.example": {meanwhile + " Nobody keeps CryptoScamDB any more. Please keep it there afterwards."},
		"older.example": {"Ask the operator for a safelist|Nobody keeps CryptoScamDB any more. " +
			"I ask you to put it on a safelist."},
		"held.example": {"It is on the safelist of the operator|It is on your safelist. I ask you to keep it there."},
		thief: {"Ask the operator for a fresh import|Once the authority has ended the sanction, I ask you to import its " +
			"list again."},
	} {
		p := v.get("/object?subject=" + subject)
		var heads, sentences []string
		for _, a := range asks {
			head, sentence, _ := strings.Cut(a, "|")
			heads, sentences = append(heads, head), append(sentences, sentence)
		}
		var steps []string
		for _, found := range operatorSteps.FindAllStringSubmatch(p.html, -1) {
			steps = append(steps, found[1])
		}
		want(t, subject+": the page", steps, heads)
		mail := p.links()[slices.IndexFunc(p.links(), func(to string) bool { return strings.HasPrefix(to, contact+"?") })]
		u, err := url.Parse(mail)
		tocsintest.Must(t, err)
		parts := strings.Split(u.Query().Get("body"), "\r\n\r\n")
		want(t, subject+": the letter", strings.Split(parts[1], "\r\n"), sentences)
		want(t, subject+": named by mistake", strings.Contains(parts[0], "by mistake"),
			!strings.HasPrefix(asks[0], alone) && subject != thief)
	}
	v.get("/object?subject="+thief).says("[Let a lawyer read this before you send it.] [This address is mine. / I am "+
		"mistaken for its owner.]", "How I show this:")
	v.get("/object?subject=older.example").says(
		"CryptoScamDB any more, so the entry stays; the safelist holds the level at Low.")
	v.get("/object?subject=old.example").says("Nobody keeps CryptoScamDB any more. The operator can hide here what it " +
		"reports, and its entry: they then count nothing. Or the operator can put it on a safelist")
	lacks(t, v.get("/object?subject=old.example"), others)
	v.get("/object?subject=three.example").says(
		"hide here what it reports, and its entry: they then count nothing. " + others)
	v.get("/object?subject=older-two.example").says(
		"while the lists decide. Nobody keeps CryptoScamDB any more, so its entry " +
			"stays: ask to have it kept there.")
	v.get("/object?subject=" + told).says("it will not drop it. Ask the operator to hide the report.")
}

// TestNothingIsAskedWhereNothingIsOnRecord: no list is asked to remove what it does not have, and the operator can be
// reached.
func TestNothingIsAskedWhereNothingIsOnRecord(t *testing.T) {
	s := start(t)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "shop.example")
	s.list("phantom", "phantom", tocsin.Risk, "phishing", "shop.example")
	p := s.visitor().get("/object?subject=unknown.example")
	p.says("It did not warn of this when we read it on 4 Mar 2026.", "Write to a list only if a warning names it.",
		"Write to the operator. security@tocsin.example")
	for _, to := range p.links() {
		u, err := url.Parse(to)
		tocsintest.Must(t, err)
		for _, field := range []string{"body", "rationale"} {
			want(t, to, strings.Contains(u.Query().Get(field), "from your list"), false)
		}
	}
}

// TestANameAloneIsOurOwnSuspicion: the page and the case file speak of no entry and no report.
func TestANameAloneIsOurOwnSuspicion(t *testing.T) {
	v := start(t).visitor()
	for _, at := range []string{"/object?subject=metamask-login.io", "/object/case?subject=metamask-login.io"} {
		p := v.get(at)
		p.says("This is our own suspicion, from the name alone. Nobody has looked at your site.")
		want(t, at, strings.Contains(p.main(), "is the claim of who made it"), false)
	}
	want(t, "of nothing", strings.Contains(v.get("/object/case?subject=unknown.example").main(), "the claim of"), false)
}
