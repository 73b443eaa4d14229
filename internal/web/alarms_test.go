package web

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// alarms lets every network look up some subjects, and has ten sites that two lists name.
func alarms(t *testing.T, lookups int) *service {
	s := start(t, func(c *setup) { c.Limits.Lookups = lookups })
	var bad []string
	for n := range 10 {
		bad = append(bad, fmt.Sprintf("bad-%d.example", n))
	}
	for _, list := range []string{"scamsniffer", "polkadot"} {
		s.list(list, list, tocsin.Risk, "phishing", bad...)
	}
	return s
}

// paths are the paths of the pages of numbered sites.
func paths(name string, from, to int) (all []string) {
	for n := from; n < to; n++ {
		all = append(all, fmt.Sprintf("/screen/%s-%d.example", name, n))
	}
	return all
}

// times is a status several times.
func times(n, status int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = status
	}
	return all
}

func TestAnAlarmIsNeverWithheld(t *testing.T) {
	s := alarms(t, 2)
	v := s.visitor()
	want(t, "alarms cost nothing", v.statuses(nil, paths("bad", 0, 3)...), times(3, 200))
	want(t, "two look-ups", v.statuses(nil, paths("fine", 0, 3)...), []int{200, 200, 429})
	p := v.get("/screen/bad-3.example")
	want(t, "an alarm when none is left", p.status, 200)
	p.says("score", "[.]example")
	want(t, "and again", v.statuses(nil, "/screen/bad-3.example", "/screen/bad-0.example"), times(2, 200))
}

// TestNobodyReadsAllLevelsForNothing: beside two look-ups a network is shown eight subjects, whichever way it says that
// it came, and whatever the answers are.
func TestNobodyReadsAllLevelsForNothing(t *testing.T) {
	s := alarms(t, 2)
	v := s.visitor()
	want(t, "look-ups", v.statuses(nil, paths("fine", 0, 2)...), times(2, 200))
	want(t, "read in vain", v.statuses(nil, paths("fine", 2, 6)...), times(4, 429))
	link := []string{"sec-fetch-site: same-origin", "sec-fetch-dest: document"}
	want(t, "by links", v.statuses(link, paths("linked", 0, 2)...), times(2, 200))
	want(t, "what was read in vain is not shown", v.get("/screen/fine-3.example").status, 429)
	want(t, "alarms", v.statuses(nil, paths("bad", 0, 2)...), times(2, 200))
	p := v.get("/screen/bad-2.example")
	want(t, "the ninth", p.status, 429)
	p.says("We have not looked at this one.")
	want(t, "by a link neither", v.get("/screen/bad-2.example", link...).status, 429)
	signed := s.visitor()
	key := signed.signIn(tocsintest.NewAccount(t)).key()
	want(t, "with a key", signed.statuses(nil, "/screen/bad-2.example", "/screen/bad-0.example"), times(2, 200))
	want(t, "what the network has seen costs a key nothing", s.me(key).FreeCalls.Used, 1)
}

func TestALinkWithinTheSiteIsNoLookUp(t *testing.T) {
	s := alarms(t, 1)
	v := s.visitor()
	link := []string{"sec-fetch-site: same-origin", "sec-fetch-dest: document"}
	want(t, "links", v.statuses(link, paths("linked", 0, 2)...), times(2, 200))
	typed := v.get("/screen?q=typed.example", link...).header.Get("Location")
	want(t, "what is typed counts, and a reload does not", v.statuses(link, typed, typed, "/screen/typed.example"),
		times(3, 200))
	next := v.get("/screen?q=typed-too.example", link...).header.Get("Location")
	want(t, "the second", v.get(next, link...).status, 429)
}

// On plain http a browser sends no Sec-Fetch-Site, and the Referer as Referrer-Policy says.
func TestALinkOnPlainHTTPIsNoLookUp(t *testing.T) {
	s := alarms(t, 1)
	v := s.visitor()
	want(t, "links", []int{v.get("/screen/linked-0.example", "referer: http://tocsin.example/reports").status,
		v.get("/screen/linked-1.example", "referer: http://tocsin.example/").status}, times(2, 200))
	for n, other := range []string{"http://evil.example/", "http://tocsin.example.evil.example/", "", "%"} {
		want(t, "a link of "+other, v.get(fmt.Sprintf("/screen/other-%d.example", n), "referer: "+other).status,
			map[bool]int{true: 200, false: 429}[n == 0])
	}
	want(t, "what is typed", v.get("/screen/typed.example?asked=1", "referer: http://tocsin.example/").status, 429)
	want(t, "a browser that says otherwise", v.get("/screen/more.example", "referer: http://tocsin.example/",
		"sec-fetch-site: none").status, 429)
}

func TestAnAlarmCostsAKeyNothingOnTheSite(t *testing.T) {
	s := alarms(t, 2)
	v := s.visitor()
	quota := 1
	a := tocsintest.NewAccount(t)
	s.key(a.Address, "", &quota)
	v.signIn(a)
	want(t, "the look-ups of the network", v.statuses(nil, paths("fine", 2, 4)...), times(2, 200))
	want(t, "an alarm, a call, and no call", v.statuses(nil, "/screen/bad-0.example", "/screen/fine-0.example",
		"/screen/fine-1.example", "/screen/bad-1.example"), []int{200, 200, 429, 200})
}

func TestSigningInLeadsBack(t *testing.T) {
	s := start(t, few, func(c *setup) { c.Limits.Lookups = 0 })
	v := s.visitor()
	spent := v.get("/screen/" + nobody)
	signIn := attr(spent.class("btn")[len(spent.class("btn"))-1], "href")
	want(t, "the way", signIn, "/account?next=%2Fscreen%2F"+nobody)
	hidden := `name="next" value="/screen/` + nobody + `"`
	want(t, "kept in the forms", strings.Count(v.get(signIn).html, hidden), 3)
	a := tocsintest.NewAccount(t)
	send := func(next string) *response {
		message := v.message(a)
		return v.post("/account/sign-in", fields{"message": message, "signature": a.Sign(message), "next": next})
	}
	made := send("/screen/" + nobody)
	found := false
	for _, n := range made.class("btn") {
		found = found || attr(n, "href") == "/screen/"+nobody
	}
	want(t, "beside the new key", []any{made.status, found}, []any{200, true})
	for next, to := range map[string]string{
		"/screen/" + nobody: "/screen/" + nobody, "/reports?q=a": "/reports?q=a", "/bulk": "/bulk", "": "/account",
		"//evil.example/screen/": "/account", "https://evil.example/screen/x": "/account", "/\\evil.example": "/account",
		"/screen/\r\nSet-Cookie: a=b": "/account", "javascript:alert(1)": "/account", "/account": "/account",
		"/screenevil": "/account", "/reports/../../x": "/reports/../../x", "screen/x": "/account",
		"/reports?q=" + strings.Repeat("x", 1989): "/reports?q=" + strings.Repeat("x", 1989),
		"/reports?q=" + strings.Repeat("x", 1990): "/account",
	} {
		p := send(next)
		want(t, next, []any{p.status, p.header.Get("Location")}, []any{http.StatusSeeOther, to})
	}
}

// TestACautionByTheNameIsShownWithoutALookUp, and costs none: it is no level, and says not to connect yet.
func TestACautionByTheNameIsShownWithoutALookUp(t *testing.T) {
	s := start(t, func(c *setup) { c.Limits.Lookups = 1 })
	v := s.visitor()
	want(t, "a caution and a look-up", v.statuses(nil, "/screen/uniswap-v5.app", "/screen/one.example",
		"/screen/two.example"), []int{200, 200, 429})
	v.get("/screen/uniswap-v6.app").says("Do not connect yet: the site we know by this name is uniswap.org.")
}

// TestAnAnswerSaysThatFewLookUpsAreLeft, while there are any, and not to those whose key has calls.
func TestAnAnswerSaysThatFewLookUpsAreLeft(t *testing.T) {
	s := start(t, few, func(c *setup) { c.Limits.Lookups = 12 })
	v := s.visitor()
	lacks(t, v.get("/screen/one.example"), "left for your network")
	v.get("/screen/two.example").says("10 look-ups are left for your network today.")
	v.get("/screen?q=three.example+four.example").says("8 look-ups are left for your network today.")
	for i := range 7 {
		v.get(fmt.Sprintf("/screen/%d.example", i))
	}
	v.get("/screen/last.example").says("No look-ups are left for your network today. Warnings are still shown.")
	lacks(t, v.get("/screen/more.example"), "Warnings are still shown")
	v.signIn(tocsintest.NewAccount(t))
	lacks(t, v.get("/screen/last.example"), "left for your network")
}
