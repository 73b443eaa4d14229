package web

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// TestAnOwnerLearnsWhatToDoInOrder: by what names the subject, and with and without an operator to write to.
func TestAnOwnerLearnsWhatToDoInOrder(t *testing.T) {
	const imitation = "0x098b716b111111111111111111111111183e2f96"
	ask, meanwhile := "Ask each list to remove it", "Ask the operator for a safelist meanwhile"
	about := "Write to the operator about each report that is wrong"
	hacked, ready, again := "Find out whether it is true",
		"Have ready what shows that it is yours", "Look here again"
	find, keep := "Find the operator", "Ask the operator to put it on a safelist"
	const exchange = "Is it an address of an exchange?"
	for contact, all := range map[string]map[string][]string{
		"mailto:security@tocsin.example": {
			"listed.example":    {hacked, ask, meanwhile, ready, again},
			"theirs.vercel.app": {hacked, ask, meanwhile, ready, again},
			"reported.example":  {hacked, about, ready, again},
			"both.example":      {hacked, ask, meanwhile, about, ready, again},
			"dropped.example":   {"Find out who warns of it", "Send them the case file"},
			thief: {"Ask the authority that imposed the sanction", "Ask the operator for a fresh import", ready, exchange,
				again},
			"metamask-login.io": {keep, ready, again},
			imitation:           {"Give those who pay you the whole address", keep, ready, exchange, again},
			"mine.vercel.app":   {"Find out who warns of it", "Send them the case file"},
			"kept.example":      {hacked, "Ask the operator to end the entry", ready, again},
		},
		"": {
			"listed.example":    {hacked, ask, find, meanwhile, ready, again},
			"reported.example":  {hacked, "Ask those who reported it to withdraw it", find, about, ready, again},
			"metamask-login.io": {find, keep, ready, again},
			imitation:           {"Give those who pay you the whole address", find, keep, ready, exchange, again},
			"dropped.example":   {"Find out who warns of it", "Send them the case file"},
		},
	} {
		s := start(t, func(c *setup) { c.Contact = contact })
		s.starter()
		s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "listed.example", "both.example", "dropped.example",
			"theirs.vercel.app")
		s.list("partner", "partner", tocsin.Risk, "scam", "kept.example")
		s.Sleep(time.Hour)
		s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "listed.example", "both.example", "theirs.vercel.app")
		s.file(draft{"reportedDomains": []string{"reported.example"}})
		s.file(draft{"reportedDomains": []string{"both.example"}})
		v := s.visitor()
		for subject, steps := range all {
			p, at := v.get("/object?subject="+subject).html, 0
			want(t, contact+" "+subject, strings.Count(p, "<li><div><strong>"), len(steps))
			for _, step := range steps {
				i := strings.Index(p[at:], "<strong>"+step+"</strong>")
				if i < 0 {
					t.Errorf("%s %s: no %q in its place", contact, subject, step)
				}
				at += max(i, 0)
			}
		}
	}
}

// TestAnOldCopyIsCalledThat: the page of the answer, that of the owner and the case file say that newer removals are
// missing, and whom to ask if there is somebody.
func TestAnOldCopyIsCalledThat(t *testing.T) {
	const old, again = "This copy is out of date: newer entries and removals are missing.",
		"ask the operator to import the list again"
	for _, contact := range []string{"mailto:security@tocsin.example", ""} {
		s := start(t, func(c *setup) { c.Contact = contact })
		date, subject := s.db.Now(), tocsin.Subject{Kind: tocsin.DNS, Value: "shop.example"}
		im, err := s.db.Import(t.Context(), tocsin.List{Name: "polkadot", Family: "polkadot",
			URL: "https://polkadot.js.org/phishing/"})
		tocsintest.Must(t, err)
		defer im.Close()
		im.Version(tocsin.ListVersion{Date: &date, Entries: 1})
		tocsintest.Must(t, im.Add(tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Risk, Category: "phishing",
			Subject: subject}}))
		_, err = im.Finish(t.Context(), false, nil)
		tocsintest.Must(t, err)
		v := s.visitor()
		p := v.get("/object?subject=shop.example")
		p.says("copy of 4 Mar 2026")
		want(t, "a fresh copy is old", strings.Contains(p.main(), "out of date"), false)
		s.Sleep(15 * 24 * time.Hour)
		v.get("/screen/shop.example").says("Newer entries and removals are missing.")
		for _, at := range []string{"/object?subject=shop.example", "/object/case?subject=shop.example"} {
			p := v.get(at)
			p.says(old)
			want(t, at+" "+contact, strings.Contains(p.main(), again), contact != "")
		}
		var file objectFile
		tocsintest.Must(t, json.Unmarshal([]byte(v.get("/object.json?subject=shop.example").html), &file))
		want(t, "in the file", []any{file.Lists[0].Old, *file.Lists[0].Dated}, []any{true, date})
	}
}

// TestATenantIsNoNeighbour: the page of somebody on a shared host says that the others do not count, and a registry is
// no host.
func TestATenantIsNoNeighbour(t *testing.T) {
	s := start(t)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "theirs.vercel.app")
	v := s.visitor()
	v.get("/object?subject=mine.vercel.app").says("Nothing on record speaks against it.",
		"Many unrelated sites share vercel[.]app.", "MetaMask phishing list: Fill in the form", "Open the form (filled in)")
	btc := v.get("/object?subject=bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq")
	if strings.Contains(btc.main(), "lists that wallets read") {
		t.Error("an address of Bitcoin is sent to a list of Ethereum")
	}
	for _, subject := range []string{"shop.co.uk", "shop.example", nobody} {
		if p := v.get("/object?subject=" + subject); strings.Contains(p.main(), "Many unrelated sites") {
			t.Errorf("%s is said to share a host", subject)
		}
	}
}

// TestAnOwnerLearnsThatReportsWereHidden: how many and when, on the page, in the case file and in its JSON, and not
// what they said.
func TestAnOwnerLearnsThatReportsWereHidden(t *testing.T) {
	s := start(t)
	one := s.file(draft{"reportedDomains": []string{"shop.example"}, "title": "A slander"})
	two := s.file(draft{"reportedDomains": []string{"shop.example"}, "title": "A libel"})
	tocsintest.Must(t, s.db.Hide(t.Context(), store.Operator{}, one.ID, two.ID))
	v := s.visitor()
	for _, at := range []string{"/object?subject=shop.example", "/object/case?subject=shop.example"} {
		p := v.get(at)
		p.says("2 reports that named it were hidden here.", "Hidden reports count in no score")
		for _, words := range []string{one.ID, "slander", "libel"} {
			if strings.Contains(p.html, words) {
				t.Errorf("%s says %q", at, words)
			}
		}
	}
	var file objectFile
	tocsintest.Must(t, json.Unmarshal([]byte(v.get("/object.json?subject=shop.example").html), &file))
	want(t, "in the file", []any{file.Hidden.Count, file.Hidden.Last != nil}, []any{2, true})
	want(t, "of another one", strings.Contains(v.get("/object?subject=other.example").main(), "hidden here"), false)
	three := s.file(draft{"reportedDomains": []string{"other.example"}})
	tocsintest.Must(t, s.db.Withdraw(t.Context(), three.ID, three.ManageToken))
	for _, at := range []string{"/object?subject=other.example", "/object/case?subject=other.example"} {
		v.get(at).says("1 report that named it was withdrawn by the person who filed it. The last of them was withdrawn on " +
			"4 Mar 2026.")
	}
	tocsintest.Must(t, json.Unmarshal([]byte(v.get("/object.json?subject=other.example").html), &file))
	want(t, "withdrawn", []any{file.Hidden.Count, file.Withdrawn.Count, file.Withdrawn.Last != nil}, []any{0, 1, true})
}

// TestTheNumberOfAReportLeadsOn: in any case of letters, and if no report has it to what can be done.
func TestTheNumberOfAReportLeadsOn(t *testing.T) {
	s := start(t)
	filed := s.file(draft{"reportedDomains": []string{"shop.example"}})
	v := s.visitor()
	want(t, "in capitals", v.get("/screen?q="+strings.ToUpper(filed.ID)).header.Get("Location"), "/reports/"+filed.ID)
	v.get("/object?subject=" + strings.ToUpper(filed.ID)).says("Is one of these yours?")
	for id, says := range map[string]string{
		"rep_nowhere": "16 characters: small letters, and digits from 2 to 7", "rep_aaaaaaaaaaaaaaaa": "was mistyped",
	} {
		want(t, id, v.get("/screen?q="+id).header.Get("Location"), "/reports/"+id)
		p := v.get("/reports/" + id)
		p.says(says)
		want(t, "ways on", []bool{slices.Contains(p.links(), "/reports?q="+id), slices.Contains(p.links(), "/object")},
			[]bool{true, true})
		p = v.get("/object?subject=" + id)
		want(t, id, p.status, 404)
		p.says(says)
	}
}

// TestTheOperatorsWordIsCalledThat: an own safelist makes no site well-known.
func TestTheOperatorsWordIsCalledThat(t *testing.T) {
	s := start(t)
	s.list("safelist", "safelist", tocsin.Safe, "checked", "shop.example", "listed.example")
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "listed.example")
	v := s.visitor()
	v.get("/screen/shop.example").says("The operator of this service has checked shop.example.", "Checked by the operator",
		"the word of the operator", "Operator’s own safelist", "a site that the operator of this service has checked")
	v.get("/screen/listed.example").says("The operator vouches for it",
		"The operator of this service has checked it and put it on a safelist.")
	v.get("/object?subject=shop.example").says("That is the word of the operator")
	s.list("safelist", "safelist", tocsin.Safe, tocsin.UnderReview, "shop.example", "listed.example")
	for _, at := range []string{"/screen/listed.example", "/object?subject=listed.example"} {
		p := v.get(at)
		p.says("The operator holds the level at Low while an objection is looked into. Nothing has been decided.")
		lacks(t, p, "has checked")
	}
}

// TestOnlyChainsWithContractsAreToldOfThem: there is none on Bitcoin that somebody made.
func TestOnlyChainsWithContractsAreToldOfThem(t *testing.T) {
	s := start(t)
	const bitcoin, contract = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "For a contract, sign with the account that made it."
	const evm = "0x1111111111111111111111111111111111111111"
	s.list("polkadot", "polkadot", tocsin.Risk, "scam", evm)
	im, err := s.db.Import(t.Context(), tocsin.List{Name: "scamsniffer", Family: "scamsniffer"})
	tocsintest.Must(t, err)
	defer im.Close()
	subject, _ := tocsin.ParseSubject(bitcoin)
	tocsintest.Must(t, im.Add(tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Risk, Category: "scam",
		Subject: subject}}))
	_, err = im.Finish(t.Context(), false, nil)
	tocsintest.Must(t, err)
	s.visitor().get("/object?subject=" + evm).says(contract)
	p := s.visitor().get("/object?subject=" + bitcoin)
	p.says("A message that you sign with the address")
	lacks(t, p, contract)
}
