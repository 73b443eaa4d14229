package api

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"tocsin"
)

const (
	exchange = "0x28C6c06298d514Db089934071355E5743bf21d60"
	imitator = "0x28c6000000000000000000000000000000001d60" // of the exchange
)

func TestAnImitationOfAKnownAddressIsSuspicious(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(1000)
	about := func(a *answer, at string) []any {
		return []any{a.in(at + "riskScore"), a.text(at + "result"), a.text(at + "recommendation"), a.in(at + "poisoning")}
	}
	unknown := []any{0.0, "no_reports", "proceed", nil}
	for range 3 { // what is answered is kept from the second time on, and must not be after it has changed
		want(t, "before", about(s.get("/screen/"+imitator, key), ""), unknown)
	}
	s.list("known", "known", tocsin.Safe, "exchange", exchange)
	found := map[string]any{"resembles": exchange, "name": "Somebody", "status": "safelisted", "sharedPrefix": 4.0,
		"sharedSuffix": 4.0, "differ": 29.0, "strength": "weak", "source": "known"}
	suspicious := []any{25.0, "suspicious", "review", found}
	one := s.get("/screen/"+imitator, key)
	want(t, "by itself", about(one, ""), suspicious)
	want(t, "factor", one.in("factors"), []any{map[string]any{"code": "poisoning", "points": 25.0,
		"detail": "the first 4 and the last 4 digits are those of " + exchange +
			", as in address poisoning; this is no report"}})
	want(t, "as an account", about(s.get("/accounts/"+imitator, key), ""), suspicious)
	batch := s.do("POST", "/check", map[string]any{"addresses": []string{exchange, imitator}}, key)
	want(t, "the known one", about(batch, "results.0."), unknown)
	want(t, "in a batch", about(batch, "results.1."), suspicious)
	mixed := s.do("POST", "/subjects/check", map[string]any{"subjects": []string{"evil.com", imitator}}, key)
	if _, there := mixed.in("results.0").(map[string]any)["poisoning"]; there {
		t.Error("a domain resembles an address")
	}
	want(t, "among others", about(mixed, "results.1."), suspicious)

	s.list("scams", "scams", tocsin.Risk, "phishing", imitator)
	for range 3 {
		a := s.get("/screen/"+imitator, key)
		want(t, "listed", about(a, ""), []any{68.0, "caution", "block", found})
		want(t, "factors", a.count("factors"), 1) // evidence says more already
	}
	s.list("scams", "scams", tocsin.Risk, "phishing", thief)
	want(t, "listed no more", about(s.get("/screen/"+imitator, key), ""), suspicious)
	s.list("known", "known", tocsin.Safe, "exchange", exchange, imitator)
	want(t, "known as well", about(s.get("/screen/"+imitator, key), ""), unknown)
}

// TestAnAddressWithOneWrongDigitIsNoticed, wherever the digit is, and of Solana with one wrong character.
func TestAnAddressWithOneWrongDigitIsNoticed(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(1000)
	const solana = "solana:7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAs"
	about := func(a *answer) []any {
		return []any{a.in("poisoning.differ"), a.text("recommendation"), a.text("factors.0.detail")}
	}
	lower := strings.ToLower(exchange)
	wrong := func(at int) string { return lower[:at] + "0" + lower[at+1:] }
	one := s.get("/screen/"+wrong(3)+"?context="+exchange, key)
	want(t, "of a contact", about(one), []any{1.0, "review", "all characters but one are those of your contact " +
		exchange + ": it is mistyped, or made to be taken for it; this is no report"})
	sum := s.get("/screen/"+exchange[:41]+"1?context="+exchange, key)
	want(t, "with a wrong checksum", []any{sum.status, sum.text("errors.0.fix")},
		[]any{400, "send " + exchange + " if that one is meant"})
	s.list("known", "known", tocsin.Safe, "exchange", exchange, solana+"U")
	for _, at := range []int{3, 20, 40} {
		want(t, "of a known one", about(s.get("/screen/"+wrong(at), key))[:2], []any{1.0, "review"})
	}
	want(t, "two digits", s.get("/screen/"+wrong(3)[:40]+"99", key).in("poisoning"), nil)
	other := s.get("/accounts/"+url.PathEscape(solana+"V"), key)
	want(t, "of Solana", about(other)[:2], []any{1.0, "review"})
	want(t, "which one", strings.HasSuffix(other.text("poisoning.resembles"), "sgAsU"), true)
}

// TestContactsAreComparedAndForgotten: an answer that has one must not be given to anybody else.
func TestContactsAreComparedAndForgotten(t *testing.T) {
	log := new(lockedBuffer)
	s := start(t, logTo(log))
	key := "x-api-key: " + s.key(1000)
	s.list("scams", "scams", tocsin.Risk, "phishing", thief)
	contacts := []string{exchange}
	for i := range 49 {
		contacts = append(contacts, fmt.Sprintf("0x%040x", i+1<<40))
	}
	ask := func(address string, contacts ...string) *answer {
		return s.get("/screen/"+address+"?context="+url.QueryEscape(strings.Join(contacts, ",")), key)
	}
	twin := strings.ToLower(thief[:10] + "0" + thief[11:])
	for range 3 {
		want(t, "none", s.get("/screen/"+imitator, key).in("poisoning"), nil)
		a := ask(imitator, contacts...)
		want(t, "contact", []any{a.text("poisoning.resembles"), a.text("poisoning.status"), a.text("poisoning.source"),
			a.text("poisoning.strength"), a.text("result"), a.number("riskScore")},
			[]any{exchange, "contact", "context", "strong", "suspicious", 25})
		slices.Reverse(contacts)
		contacts[5] = strings.ToLower(contacts[5])
		upper := ask(imitator, "0x"+strings.ToUpper(exchange[2:]))
		want(t, "in capitals", upper.in("poisoning"), a.in("poisoning"))
		want(t, "a contact itself", ask(imitator, append([]string{imitator}, contacts[1:]...)...).in("poisoning"), nil)

		want(t, "a reported address", s.get("/screen/"+thief, key).in("poisoning"), nil)
		listed := ask(thief, twin)
		want(t, "and a contact like it", []any{listed.text("poisoning.status"), listed.number("riskScore")},
			[]any{"contact", 68})
		hint := s.get("/screen/"+twin, key)
		want(t, "like a reported one", []any{hint.text("poisoning.status"), hint.number("riskScore"), hint.text("result")},
			[]any{"reported", 25, "suspicious"})
	}
	for _, c := range []struct {
		about  string
		sent   []string
		faults []string
		fix    string
	}{
		{"51", append(contacts, exchange), []string{"context"}, "send those that you paid"},
		{"no address", []string{exchange, "0x12", "vitalik.eth"}, []string{"context[1]", "context[2]"}, "40 hexadecimal"},
		{"a wrong checksum", []string{strings.Replace(exchange, "C6c", "c6c", 1)}, []string{"context[0]"}, "check it"},
		{"a comma too many", []string{exchange, ""}, []string{"context[1]"}, "send 0x and 40"},
	} {
		a := ask(imitator, c.sent...)
		want(t, c.about, []any{a.status, a.faulty()}, []any{400, c.faults})
		if fix := a.text("errors.0.fix"); !strings.Contains(fix, c.fix) {
			t.Errorf("%s: %s", c.about, fix)
		}
	}
	want(t, "an empty one", s.get("/screen/"+imitator+"?context=", key).status, 200)
	if !log.holds("/screen/") || log.holds(exchange[4:20]) || log.holds("context") {
		t.Error("the log has what was asked with, or nothing")
	}
}
