package web

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// withModel gives the site a database whose read model has all that is on record by now.
func (s *service) withModel(keep store.Keep) {
	s.t.Helper()
	loaded := make(chan store.ModelLoad, 1)
	db, err := store.Open(s.t.Context(), s.at, store.Options{Now: s.Now, Silence: tocsintest.Patience, Keep: keep,
		Memory: store.Memory{Model: 64 << 20}, Loaded: func(l store.ModelLoad) { loaded <- l }})
	tocsintest.Must(s.t, err)
	s.t.Cleanup(func() { db.Close() })
	db.LoadModel()
	<-loaded
	s.site.db = db
}

// TestAnOwnerSeesTheNamesUnderTheDomain that are on record, on the page, in the case file and in its JSON: not those of
// others on a shared host, and no word of nothing to correct.
func TestAnOwnerSeesTheNamesUnderTheDomain(t *testing.T) {
	s := start(t)
	names := []string{"order.shop.example", "order.myshop.example", "a.vercel.app"}
	for n := range 2 * shownUnder {
		names = append(names, fmt.Sprintf("x%02d.many.example", n))
	}
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", names...)
	v := s.visitor()
	v.get("/object?subject=shop.example").says("Names under it may be on record of their own: look each of them up.")
	s.withModel(store.Keep{})
	for _, at := range []string{"/object?subject=shop.example", "/object/case?subject=shop.example"} {
		p := v.get(at)
		p.says("Names under it that are on record (1)", "order.shop[.]example",
			"That does not count in the score of shop[.]example.")
		want(t, at, []bool{strings.Contains(p.main(), "nothing to correct"), strings.Contains(p.main(), "myshop"),
			slices.Contains(p.links(), "/object?subject=order.shop.example")}, []bool{false, false, true})
	}
	v.get("/object?subject=shop.example").says("Find out whether it is true", "Go through the names under it")
	v.get("/object?subject=many.example").says("Names under it that are on record (40)", "x19", "These are the first 20")
	for subject, under := range map[string]*objectedUnder{
		"shop.example": {1, []string{"order.shop.example"}}, "unknown.example": {0, []string{}},
		"b.vercel.app": {0, []string{}}, nobody: nil,
	} {
		var file objectFile
		tocsintest.Must(t, json.Unmarshal([]byte(v.get("/object.json?subject="+subject).html), &file))
		want(t, subject, file.Under, under)
	}
	p := v.get("/object?subject=unknown.example")
	p.says("There is nothing to correct here.")
	want(t, "of a subject without any", strings.Contains(p.main(), "Names under it"), false)
}

// TestAnOwnerLearnsThatASiteMayHaveBeenBrokenInto: before anything else, with copies of the site to look at, and in the
// texts to copy.
func TestAnOwnerLearnsThatASiteMayHaveBeenBrokenInto(t *testing.T) {
	s := start(t)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "shop.example")
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", nobody)
	v := s.visitor()
	p := v.get("/object?subject=shop.example")
	p.says("is the claim of who made it, and no finding of this service",
		"took over an old subdomain", "or: the site was broken into, and what was cleaned and when",
		"It was broken into and is clean again.]")
	for _, to := range []string{"https://urlscan.io/domain/shop.example", "https://web.archive.org/web/*/shop.example"} {
		want(t, to, slices.Contains(p.links(), to), true)
	}
	for _, words := range []string{"broke into", "broken into"} {
		want(t, "of an address", strings.Contains(v.get("/object?subject="+nobody).main(), words), false)
	}
}

// TestAnOwnerLearnsForHowLongTheEndIsShown: as the operator keeps history.
func TestAnOwnerLearnsForHowLongTheEndIsShown(t *testing.T) {
	s := start(t)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "shop.example", "other.example")
	s.Sleep(24 * time.Hour)
	s.list("polkadot", "polkadot", tocsin.Risk, "phishing", "other.example")
	v := s.visitor()
	v.get("/object?subject=shop.example").says("It is shown as Earlier for good")
	v.get("/object?subject=other.example").says("is shown as Earlier for good")
	s.withModel(store.Keep{History: 30 * 24 * time.Hour})
	v.get("/object?subject=shop.example").says("It is shown as Earlier until 4 Apr 2026 at most")
	p := v.get("/object?subject=other.example")
	p.says("What a list has dropped is shown as Earlier for 30 days")
	want(t, "gone", strings.Contains(p.main(), "is gone from here"), false)
}

// TestTheNamesUnderADomainAreCountedUpToAThousand.
func TestTheNamesUnderADomainAreCountedUpToAThousand(t *testing.T) {
	for n, says := range map[int]string{2: "2", maxUnder - 1: "999", maxUnder: "1,000 or more"} {
		page := objectPage{Answer: answer.Answer{Lang: english()}, Under: make([]tocsin.Subject, n)}
		want(t, fmt.Sprint(n), page.UnderCount(), says)
	}
}
