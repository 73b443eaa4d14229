package web

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/feed"
	"tocsin/internal/tocsintest"
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
		"Thieves answer such requests too.", "There is no form and no promised date.")
	for _, to := range []string{
		`https://github.com/MetaMask/eth-phishing-detect/issues?q=%22shop.example%22`,
		"/screen/pay.shop.example",
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
	v.get("/object").says("Your address or site", "Write to the operator", "Is only your name the same")
}

// TestWithoutAContactNobodyIsSentToOne: the page says what can be done without the operator, and links to no dead end.
func TestWithoutAContactNobodyIsSentToOne(t *testing.T) {
	s := start(t, func(c *setup) { c.Contact = "" })
	s.list("partner", "partner", tocsin.Risk, "scam", "shop.example")
	s.list(feed.Unkept, feed.Unkept, tocsin.Risk, "scam", "shop.example")
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "shop.example")
	for n := range maxObjected + 1 {
		s.file(draft{"reportedDomains": []string{"shop.example"}, "title": "One more " + strconv.Itoa(n)})
	}
	p := s.visitor().get("/object?subject=shop.example")
	p.says("The operator of this service keeps this list. The operator has given no contact.", "Open an issue on GitHub",
		"Nobody keeps this list any more", "withdraw it on its page, with the code", "nobody here takes objections",
		"All reports that name it (11)")
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
	p.says("Look up who registered tocsin.example (WHOIS)", "A text to copy", "Nobody keeps CryptoScamDB any more.",
		"Reports in all: 11, to be read at http://tocsin.example/screen/shop.example")
	s.list(feed.Unkept, feed.Unkept, tocsin.Risk, "scam", "old.example")
	p = s.visitor().get("/object?subject=old.example")
	for _, words := range []string{"You can ask the lists", "To ask does no harm"} {
		if strings.Contains(p.main(), words) {
			t.Errorf("of a list that nobody keeps it says %q", words)
		}
	}
}

// TestNobodyHasRegisteredAnAddressOrThisMachine, so WHOIS knows nothing of who runs a service there.
func TestNobodyHasRegisteredAnAddressOrThisMachine(t *testing.T) {
	for host, registered := range map[string]bool{"tocsin.example": true, "tocsin.example:8402": true,
		"127.0.0.1:8402": false, "localhost:8402": false, "[::1]:8402": false, "192.0.2.7": false} {
		p := objectPage{Service: (&Site{host: host}).name()}
		p.Lang = aRequest().lang
		want(t, host, []bool{strings.Contains(p.WhereOperator(), "(WHOIS)"),
			strings.Contains(p.WhereOperator(), "Nothing here changes unless the operator acts.")}, []bool{registered, true})
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

// TestTheOperatorGetsALetter: in the link of a mail, and to copy.
func TestTheOperatorGetsALetter(t *testing.T) {
	for contact, want2 := range map[string][2]string{
		"mailto:a@b.example":            {"mailto:a@b.example?subject=On%20x&body=text%0D%0Amore", "text\nmore"},
		"https://b.example/c":           {"https://b.example/c", "text\nmore"},
		"mailto:a@b.example?cc=c":       {"mailto:a@b.example?cc=c&subject=On%20x&body=text%0D%0Amore", "text\nmore"},
		"mailto:a@b.example?subject=my": {"mailto:a@b.example?subject=my&body=text%0D%0Amore", "text\nmore"},
		"":                              {"", "text\nmore"},
	} {
		link, letter := contactAbout(contact, "On x", "text\r\nmore")
		want(t, contact, [2]string{link, letter}, want2)
	}
	s := start(t, func(c *setup) { c.Contact = "https://operator.example/form" })
	s.starter()
	filed := s.file(draft{"scammerAddresses": []string{nobody}})
	for subject, says := range map[string]string{thief: s.base + "/screen/" + thief, filed.ID: "Report: " + filed.ID} {
		p := s.visitor().get("/object?subject=" + subject)
		want(t, subject, slices.Contains(p.links(), "https://operator.example/form"), true)
		p.says("A text to copy", says, "How I show th")
	}
	want(t, "about nothing", strings.Contains(s.visitor().get("/object").html, "A text to copy"), false)
}

// TestALetterToTheOperatorHasTheCase: lists, reports, and where the answer is, in the language of the page.
func TestALetterToTheOperatorHasTheCase(t *testing.T) {
	s := start(t)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "shop.example")
	filed := s.file(draft{"reportedDomains": []string{"shop.example"}})
	for language, words := range map[string][]string{
		"en": {"Objection: shop", "named by mistake", "Score: 76 of 100 (HIGH)", "List: Polkadot phishing list, Phish"},
		"de": {"Einspruch: shop", "List"},
	} {
		p := s.visitor().get("/object?subject=shop.example", "Accept-Language: "+language)
		i := slices.IndexFunc(p.links(), func(to string) bool { return strings.HasPrefix(to, "mailto:") })
		if i < 0 {
			t.Fatalf("%s: no mail among %s", language, p.links())
		}
		u, err := url.Parse(p.links()[i])
		tocsintest.Must(t, err)
		letter := u.Query().Get("subject") + "\r\n" + u.Query().Get("body")
		for _, words := range append(words, filed.ID, "http://tocsin.example/screen/shop.example", "\r\n") {
			if !strings.Contains(letter, words) {
				t.Errorf("%s: no %q in %q", language, words, letter)
			}
		}
	}
	for n := range 30 {
		s.list("list-"+strconv.Itoa(n), "x", tocsin.Risk, "phishing", "shop.example")
	}
	for _, to := range s.visitor().get("/object?subject=shop.example").links() {
		if len(to) > 3000 {
			t.Errorf("a link of %d bytes", len(to))
		}
	}
}

// TestAListBesideASanctionHasItsPointsInTheSum: they are in it, though the score would be 100 without them.
func TestAListBesideASanctionHasItsPointsInTheSum(t *testing.T) {
	s := start(t)
	subject, _ := tocsin.ParseSubject(nobody)
	s.sanctions(t, subject)
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", nobody)
	const without = " without it the sanction alone makes the score 100"
	v := s.visitor()
	for _, path := range []string{"/object/case?subject=", "/object?subject="} {
		v.get(path+nobody).says("68 points in the sum"+without, "Without it: 68 of 100, High now 100")
	}
}

// TestAnOwnerSeesWhatEachItemAdds: points and what would remain, on the page and in the case file.
func TestAnOwnerSeesWhatEachItemAdds(t *testing.T) {
	s := start(t, func(c *setup) { c.Contact = "" })
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "shop.example")
	s.list("spmedia", "spmedia", tocsin.Risk, "phishing", "shop.example")
	s.file(draft{"reportedDomains": []string{"shop.example"}})
	s.file(draft{"reportedDomains": []string{"shop.example"}, "title": "A second one"})
	v := s.visitor()
	v.get("/object?subject=shop.example").says("93 of 100", "Without it: 76 of 100, High now 93",
		"Without all of these lists the score would be 8 of 100", "nothing by itself without it: 93 of 100, Critical",
		"Without all reports that were filed here the score would be 85 of 100",
		"One anonymous report adds 8 points of 100, all anonymous reports together at most 11.",
		"adds 12 points if the account is new, 22 after 30 days, and 38", "with the code from its receipt",
		"has published no contact")
	r := v.get("/object.json?subject=shop.example")
	want(t, "status", []any{r.status, r.header.Get("X-Robots-Tag")}, []any{200, "noindex"})
	var file objectFile
	tocsintest.Must(t, json.Unmarshal([]byte(r.html), &file))
	want(t, "file", []any{file.Subject, file.Contact, len(file.Lists), len(file.Reports), file.Screening.RiskScore,
		file.Lists[0].List, file.Lists[0].Score, *file.Lists[0].ObjectAt},
		[]any{"shop.example", (*string)(nil), 2, 2, 93, "polkadot", answer.Share{Adds: 17, Left: 76, Level: tocsin.High},
			"https://github.com/polkadot-js/phishing/issues/new"})
}

// TestTheCaseFileOfAnOwnerStandsAlone: what is printed has full times, the texts of reports, and every address as text.
func TestTheCaseFileOfAnOwnerStandsAlone(t *testing.T) {
	s := start(t)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "shop.example")
	s.list("partner", "partner", tocsin.Risk, "scam", "shop.example")
	s.list("phantom", "phantom", tocsin.Risk, "phishing", "other.example")
	filed := s.file(draft{"reportedDomains": []string{"shop.example"}, "description": "They took it.\n\nThen they left."})
	v := s.visitor()
	at := "/object/case?subject=shop.example"
	want(t, "from the page", slices.Contains(v.get("/object?subject=shop.example").links(), at), true)
	p := v.get(at)
	want(t, "the page", []any{p.status, p.h1()}, []any{200, "Case file"})
	stored, err := s.db.Report(t.Context(), filed.ID)
	tocsintest.Must(t, err)
	document, err := s.api.Document(stored)
	tocsintest.Must(t, err)
	p.says("shop[.]example", "Service Tocsin 1.2.3, "+s.base, s.base+"/screen/shop.example", s.base+at,
		"Its operator security@tocsin.example", "Page of the list https://lists.example/polkadot",
		"Where https://github.com/polkadot-js/phishing/issues/new", "date unknown",
		"They took it.", "Then they left.", filed.ID, s.base+"/reports/"+filed.ID, sha256Of(document),
		"Without it: 76 of 100, High now 93", "Named by another list",
		"Levels by points: Low from 1,", "on record here since 4 Mar 2026",
		"These lists could name it, too, and do not: Phantom blocklist (4 Mar 2026).",
		"This file made "+s.Now().UTC().Format("2 Jan 2006, 15:04 UTC"))
	want(t, "kept by no search engine", strings.Contains(p.html, `<meta name="robots" content="noindex">`), true)

	for n := range 3 {
		s.file(draft{"reportedDomains": []string{"shop.example"}, "title": "Long " + strconv.Itoa(n),
			"description": strings.Repeat("It goes on and on. ", 500) + "\n\nThe end."})
	}
	p = v.get(at)
	p.says("The report goes on where it is public.")
	if words := len(textOf(p.class("prose")...)); words < maxCaseText-100 || words > maxCaseText+100 {
		t.Errorf("the words of all reports have %d bytes", words)
	}
	want(t, "of what cannot be read", v.get("/object/case?subject=0x12").header.Get("Location"),
		"/object?subject=0x12")
	const unknown = "/object/case?subject=unknown.example" // of which the answer says nothing else about its owner
	want(t, "from the answer", slices.Contains(v.get("/screen/unknown.example").links(), unknown), true)
	p = v.get(unknown)
	p.says("What the service answers", "No sanctions entry, no list, no report.", "a regulator or a lawyer")
	want(t, "it speaks to nobody who is accused", strings.Contains(textOf(p.id("main")), "Is it yours?"), false)
	p = v.get("/object/case?subject=" + nobody)
	p.says("These lists could name it, too, and do not: partner (")
	want(t, "lists of sites alone", strings.Contains(p.html, "Phantom"), false)
	v.get("/object/case?subject=paypa1.com").says("its name resembles paypal.com")
}

// TestAnOwnerLearnsThatAListDroppedIt: until when it was named, on the page, in the case file and in its JSON.
func TestAnOwnerLearnsThatAListDroppedIt(t *testing.T) {
	s := start(t)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "shop.example", "other.example")
	s.Sleep(24 * time.Hour)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "other.example")
	v := s.visitor()
	p := v.get("/object?subject=shop.example")
	p.says("Polkadot phishing list named it until 5 Mar 2026 and no longer does.", "Send them the case file.")
	want(t, "as if nothing had happened", strings.Contains(p.main(), "nothing to correct here"), false)
	v.get("/object/case?subject=shop.example").says("For these times lists named it.", "until 5 Mar 2026, 12:00 UTC",
		"no report. No safelist knows it either. On record here from Polkadot phishing list until 5 Mar 2026.",
		"Tocsin 1.2.3, http", "Version of the score "+tocsin.ScoreVersion, "Lists used", "5 Mar 2026, 12:00 UTC")
	var file objectFile
	tocsintest.Must(t, json.Unmarshal([]byte(v.get("/object.json?subject=shop.example").html), &file))
	want(t, "the name of the file", v.get("/object.json?subject=shop.example").header.Get("Content-Disposition"),
		`attachment; filename="tocsin-case-shop.example.json"`)
	want(t, "in the file", []any{len(file.Lists), file.Earlier[0].List, file.Earlier[0].Recorded != nil},
		[]any{0, "polkadot", true})
	want(t, "what it rests on", []any{file.Program, file.ScoreVersion, file.ListsRead[0].Name, file.ListsRead[0].ReadAt},
		[]any{"tocsin 1.2.3", tocsin.ScoreVersion, "polkadot", tocsin.TimeOf(s.Now())})
}

// TestAListsOwnDateStaysWhenItDropsAnEntry: on the page, in the case file and in its JSON.
func TestAListsOwnDateStaysWhenItDropsAnEntry(t *testing.T) {
	s := start(t)
	since := tocsin.TimeOf(time.Date(2024, 12, 11, 0, 0, 0, 0, time.UTC))
	for _, names := range [][]string{{"shop.example", "other.example"}, {"other.example"}} {
		im, err := s.db.Import(t.Context(), tocsin.List{Name: "polkadot", Family: "polkadot"})
		tocsintest.Must(t, err)
		defer im.Close()
		for _, name := range names {
			tocsintest.Must(t, im.Add(tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Risk, Category: "phishing",
				Since: &since, Subject: tocsin.Subject{Kind: tocsin.DNS, Value: name}}}))
		}
		_, err = im.Finish(t.Context(), true, nil)
		tocsintest.Must(t, err)
	}
	v := s.visitor()
	for _, at := range []string{"/object?subject=shop.example", "/object/case?subject=shop.example",
		"/screen/shop.example"} {
		v.get(at).says("listed by them since 11 Dec 2024")
	}
	var file objectFile
	tocsintest.Must(t, json.Unmarshal([]byte(v.get("/object.json?subject=shop.example").html), &file))
	want(t, "in the file", *file.Earlier[0].Since, since)
}

// TestAnOwnerSeesWhatHoldsTheScore: a safelist of the operator is the reason, not lists that copy each other; copies
// count together.
func TestAnOwnerSeesWhatHoldsTheScore(t *testing.T) {
	s := start(t)
	s.list("eth-phishing-detect", "ethereum-community", tocsin.Risk, "phishing", "shop.example")
	s.list("phantom", "ethereum-community", tocsin.Risk, "phishing", "shop.example")
	v := s.visitor()
	at := "/object?subject=shop.example"
	p := v.get(at)
	p.says("68 points together with Phantom blocklist without them: 0 of 100", "Lists that copy each other count once")
	var file objectFile
	tocsintest.Must(t, json.Unmarshal([]byte(v.get("/object.json?subject=shop.example").html), &file))
	want(t, "copies", []any{len(file.HeldBy), *file.Lists[0].Copies},
		[]any{0, answer.Share{Adds: 68, Left: 0, Level: tocsin.Clean}})

	s.list("safelist", "safelist", tocsin.Safe, "shop")
	s.Sleep(24 * time.Hour)
	s.list("safelist", "safelist", tocsin.Safe, "shop", "shop.example")
	p = v.get(at)
	p.says("24 of 100", "The operator checked it on 5 Mar 2026.", "The level is Low at most.",
		"Without it the score would be 68 of 100.", "nothing while a safelist holds the score")
	want(t, "the wrong reason", strings.Contains(p.main(), "copy each other"), false)
	v.get("/object/case?subject=shop.example").says("The level is Low at most.")
	tocsintest.Must(t, json.Unmarshal([]byte(v.get("/object.json?subject=shop.example").html), &file))
	want(t, "held by", []any{len(file.HeldBy), file.HeldBy[0].List, file.HeldBy[0].Own, file.HeldBy[0].Since != nil},
		[]any{1, "safelist", true, true})
}

// TestASanctionIsNotCountedTogetherWithAList of the same origin: no list can take it back.
func TestASanctionIsNotCountedTogetherWithAList(t *testing.T) {
	s := start(t)
	s.list(tocsin.SanctionsList, "treasury", tocsin.Sanction, "sanctions", thief)
	s.list("phantom", "treasury", tocsin.Risk, "phishing", thief)
	p := s.visitor().get("/object?subject=" + thief)
	p.says("OFAC SDN", "Phantom blocklist")
	want(t, "together", strings.Contains(p.main(), "together with"), false)
}

// TestAnOwnerWhoMistypesLearnsWhat: with the reasons of the box, on the page and as JSON.
func TestAnOwnerWhoMistypesLearnsWhat(t *testing.T) {
	v := start(t).visitor()
	for typed, says := range map[string]string{
		nobody[:41]:                          "This has 39 digits after 0x; an address has 40. Was one lost when you",
		nobody[:41] + "E":                    "Copy it again from where you have it. Its capital and small letters do not",
		"shop,example":                       "Did you mean shop[.]example?",
		"info@shop.example":                  "This is an e-mail address, which has no score. Its domain is shop.example",
		"+44 7700 900123":                    "This is a phone number, which has no score.",
		"just words":                         "This is no address and no website that we can read.",
		"vitalik.eth":                        "This is an ENS name: vitalik.eth.",
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u": "This looks like an address of Tron, but its checksum",
		"TR7NHqjeKQxGTCi8q8ZY4":              "is too short for a whole address, or something in it is wrong.",
		nobody + " " + thief:                 "There is more than one address or site in it.",
	} {
		of := "?" + url.Values{"subject": {typed}}.Encode()
		p := v.get("/object" + of)
		want(t, typed, p.status, 400)
		p.says(says)
		r := v.get("/object.json" + of)
		var fault objectFault
		tocsintest.Must(t, json.Unmarshal([]byte(r.html), &fault))
		want(t, typed, []any{r.status, r.header.Get("Content-Type"), fault.Status, fault.Code, fault.Detail != ""},
			[]any{400, "application/problem+json", 400, tocsin.Invalid, true})
	}
	want(t, "the way on", slices.Contains(v.get("/object?subject=info@shop.example").links(),
		"/object?subject=shop.example"), true)
	p := v.get("/object?subject=" + url.QueryEscape("it is "+nobody+" and mine"))
	want(t, "an address in a sentence", p.status, 200)
	p.says("Nothing on record speaks against it.")
}

// TestWhomAReportIsAboutLearnsWhatToDo: from its page, by its number, also if it names a handle alone.
func TestWhomAReportIsAboutLearnsWhatToDo(t *testing.T) {
	s := start(t)
	filed := s.file(draft{"reportedDomains": []string{"shop.example"},
		"reportedHandles": []string{"telegram:lena_trades88"}})
	at := "/object?subject=" + filed.ID
	v := s.visitor()
	want(t, "from the report", slices.Contains(v.get("/reports/"+filed.ID).links(), at), true)
	p := v.get(at)
	p.says(filed.ID, "The operator can hide it if it is wrong.", "a name or a phone number in it")
	want(t, "its subject", slices.Contains(p.links(), "/object?subject=shop.example"), true)
	want(t, "a letter with its number", slices.ContainsFunc(p.links(), func(to string) bool {
		return strings.HasPrefix(to, contact+"?subject=Objection%3A%20"+filed.ID)
	}), true)
	want(t, "of none", v.get("/object?subject=rep_aaaaaaaaaaaaaaaa").status, 404)
}

// TestAnOwnerHasATextForEachList: with what is listed, how to show who owns it, and when to look again.
func TestAnOwnerHasATextForEachList(t *testing.T) {
	s := start(t)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "shop.example")
	s.visitor().get("/object?subject=shop.example").says("Please remove shop.example from your list.",
		"a DNS TXT record of shop.example", "Do not write your name there.", "We do not know how long they take.",
		"To ask does no harm")
}
