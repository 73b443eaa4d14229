package web

import (
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// TestAHiddenEntryIsNotDenied: the list has it still, so the case file does not say that the list does not name it.
// The letter asks to hide it before it is taken off the operator's own list, and its report is the operator's word.
func TestAHiddenEntryIsNotDenied(t *testing.T) {
	s := start(t)
	shop, err := tocsin.ParseSubject("shop.example")
	if err != nil {
		t.Fatal(err)
	}
	im, fault := s.db.Import(t.Context(), tocsin.List{Name: "partner", Family: "partner"})
	tocsintest.Must(t, fault)
	d, fault := tocsin.Draft{CrimeType: tocsin.Phishing, Title: "It took all", Description: "It took all.",
		ReportedDomains: []string{shop.Value}}.Parse(s.Now())
	tocsintest.Must(t, fault)
	tocsintest.Must(t, im.Add(tocsin.Entry{Report: &d, Key: "1", Listing: &tocsin.Listing{Subject: shop,
		Kind: tocsin.Risk, Category: "phishing"}}))
	_, fault = im.Finish(t.Context(), true, nil)
	tocsintest.Must(t, fault)
	found, fault := s.db.Select(t.Context(), store.Selection{Source: "partner"}, 1)
	tocsintest.Must(t, fault)
	v := s.visitor()
	v.get("/object?subject=shop.example").says("I ask you to hide " + found.IDs[0] + " and its entry, and then to take " +
		"it off your own list (partner)")
	p := v.get("/reports/" + found.IDs[0])
	p.says("The operator of this service says so, on a list of their own (partner).")
	lacks(t, p, "Nobody here has checked it")
	v.get("/object?subject="+found.IDs[0]).says("Is it yours?",
		"The report ends when the operator hides it and takes it off the list.")
	tocsintest.Must(t, s.db.Hide(t.Context(), store.Operator{}, found.IDs...))
	for _, at := range []string{"/object?subject=shop.example", "/object/case?subject=shop.example"} {
		p := v.get(at)
		p.says("partner: the operator hid its entry here on 4 Mar 2026. It is the operator’s own list: ask them to " +
			"take it off there, too.")
		lacks(t, p, "The list itself may still name it")
		lacks(t, p, "do not name it: partner")
	}
	if file := v.get("/object.json?subject=shop.example").html; !strings.Contains(file, `"title": "partner"`) {
		t.Errorf("the file says nothing of it: %s", file)
	}
	_, _, fault = s.db.Erase(t.Context(), store.Operator{}, found.IDs...)
	tocsintest.Must(t, fault)
	v.get("/object?subject=shop.example").says("partner: the operator hid its entry here on 4 Mar 2026.")
	v.get("/screen/shop.example").says("Nothing on record warns of it now.")
}

// TestToHideReportsOfSeveralIsAskedForWithWhatItEnds: the operator decides, and knows that the others are cleared, too.
func TestToHideReportsOfSeveralIsAskedForWithWhatItEnds(t *testing.T) {
	s := start(t)
	im, fault := s.db.Import(t.Context(), tocsin.List{Name: "partner", Family: "partner"})
	tocsintest.Must(t, fault)
	for key, names := range map[string][]string{"1": {"shop.example", "other.example"}, "2": {"shop.example"},
		"3": {"one.example", "other.example"}} {
		d, fault := tocsin.Draft{CrimeType: tocsin.Phishing, Title: "It took all " + key, Description: "It took all.",
			ReportedDomains: names}.Parse(s.Now())
		tocsintest.Must(t, fault)
		tocsintest.Must(t, im.Add(tocsin.Entry{Report: &d, Key: key, Listing: &tocsin.Listing{
			Subject: tocsin.Subject{Kind: tocsin.DNS, Value: names[0]}, Kind: tocsin.Risk, Category: "phishing"}}))
	}
	_, fault = im.Finish(t.Context(), true, nil)
	tocsintest.Must(t, fault)
	const some = "Some of these reports name others, too: hiding them ends those entries as well."
	p := s.visitor().get("/object?subject=shop.example")
	p.says("The operator can hide the reports of that list and then take it off the list, or put it on a safelist: the "+
		"level is then Low at most. "+some, "I ask you to hide the reports of your own list (partner) that name it, and "+
		"then to take it off the list, or to put it on a safelist. "+some)
	lacks(t, p, "The report names others")
	s.visitor().get("/object?subject=one.example").says("and its entry, and then to take it off your own list " +
		"(partner), or to put it on a safelist. The report names others, too: hiding it ends their entries as well.")
}

// TestTheCaseFileHasWhatVisitorsRead, and what programs are advised to do.
func TestTheCaseFileHasWhatVisitorsRead(t *testing.T) {
	s := start(t)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "shop.example")
	v := s.visitor()
	const headline = "Polkadot phishing list calls this site a scam. Pay nothing, and connect no wallet."
	v.get("/object/case?subject=shop.example").says("What visitors read "+headline,
		"Programs are advised to block. Wallets and programs that ask us are advised to block it.")
	file := v.get("/object.json?subject=shop.example").html
	want(t, "in the file", []bool{strings.Contains(file, `"headline": "`+headline+`"`),
		strings.Contains(file, `"recommendation": "block"`)}, []bool{true, true})
}
