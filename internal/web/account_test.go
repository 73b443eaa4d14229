package web

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin/internal/tocsintest"
)

const https = "https://tocsin.example"

func byHTTPS(c *setup) { c.BaseURL = https }

func TestWhoSignsInGetsAKeyThatWorks(t *testing.T) {
	for _, change := range []func(*setup){func(*setup) {}, byHTTPS} {
		s := start(t, change)
		v, a := s.visitor(), tocsintest.NewAccount(t)
		message := v.message(a)
		form := regexp.MustCompile(`^tocsin\.example wants you to sign in with your Ethereum account:\n` +
			a.Address.String() + `\n\nSign in to Tocsin and get an API key\. This moves no funds\.\n\n` +
			`URI: ` + s.base + `\nVersion: 1\nChain ID: 8453\nNonce: [0-9a-f]{32}\nIssued At: (\S+)\nExpiration Time: (\S+)$`)
		parts := form.FindStringSubmatch(message)
		if parts == nil {
			t.Fatal(message)
		}
		issued, _ := time.Parse(time.RFC3339, parts[1])
		expires, _ := time.Parse(time.RFC3339, parts[2])
		if life := expires.Sub(issued).Round(time.Second); life != 5*time.Minute {
			t.Errorf("the message is good for %v", life)
		}
		p := v.post("/account/sign-in", fields{"message": message, "signature": a.Sign(message)})
		want(t, "sign-in", []any{p.status, p.h1(), textOf(p.class("addr")[0])}, []any{200, "Account", a.Address})
		me := s.me(p.key())
		want(t, "the key", []any{me.Authenticated, me.Agent.Address, me.FreeCalls.Remaining}, []any{true, a.Address, 10})
		p.says("10 of 10")
		want(t, "the next page", v.signedIn(), true)
		want(t, "another visitor", s.visitor().signedIn(), false)
	}
}

func TestTheCookieIsKeptFromScriptsOtherSitesAndPlainHTTP(t *testing.T) {
	for base, form := range map[string]string{
		"http://tocsin.example": `^session=ses_[a-z2-7]{38}; Path=/; Max-Age=604800; HttpOnly; SameSite=Lax$`,
		https:                   `^__Host-session=ses_[a-z2-7]{38}; Path=/; Max-Age=604800; HttpOnly; Secure; SameSite=Lax$`,
	} {
		s := start(t, func(c *setup) { c.BaseURL = base })
		v := s.visitor()
		p := v.signIn(tocsintest.NewAccount(t))
		if cookie := p.header.Get("Set-Cookie"); !regexp.MustCompile(form).MatchString(cookie) {
			t.Errorf("%s: %s", base, cookie)
		}
		out := v.post("/account", fields{"do": "signout"})
		if gone := out.header.Get("Set-Cookie"); !strings.Contains(gone, "session=; Path=/; Max-Age=0; HttpOnly;") ||
			strings.Contains(gone, "Secure") != (base == https) {
			t.Errorf("%s: %s", base, gone)
		}
		want(t, "other cookies", len(v.get("/").cookies)+len(v.get("/account").cookies)+len(v.post("/account/message",
			fields{"address": nobody}).cookies), 0)
	}
	s := start(t, byHTTPS)
	v := s.visitor()
	v.signIn(tocsintest.NewAccount(t))
	name, value, _ := strings.Cut(strings.TrimPrefix(v.cookie(), "cookie: "), "=")
	want(t, "the name of plain http over https",
		s.visitor().signedIn("cookie: "+strings.TrimPrefix(name, "__Host-")+"="+value), false)
}

func TestASessionIsAlwaysANewOne(t *testing.T) {
	s := start(t)
	v, a := s.visitor(), tocsintest.NewAccount(t)
	planted := "cookie: session=ses_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	message := v.message(a)
	v.post("/account/sign-in", fields{"message": message, "signature": a.Sign(message)}, planted)
	first := v.cookie()
	want(t, "the planted one", []any{first == planted, s.visitor().signedIn(planted)}, []any{false, false})
	want(t, "the first", s.visitor().signedIn(first), true)

	again := v.signIn(a)
	second := v.cookie()
	want(t, "again", []any{again.status, again.header.Get("Location"), first == second}, []any{303, "/account", false})
	want(t, "the first one has ended, the second has not",
		[]any{s.visitor().signedIn(first), s.visitor().signedIn(second)}, []any{false, true})

	s.visitor().signIn(a) // in another browser
	want(t, "there are several browsers", s.visitor().signedIn(second), true)
	v.signIn(tocsintest.NewAccount(t))
	want(t, "signing in as somebody else ends it", s.visitor().signedIn(second), false)
}

func TestASessionEndsBySigningOutAndAfterSevenDays(t *testing.T) {
	s := start(t)
	v, a := s.visitor(), tocsintest.NewAccount(t)
	key := v.signIn(a).key()
	kept := v.cookie()
	out := v.post("/account", fields{"do": "signout"})
	want(t, "sign out", []any{out.status, out.header.Get("Location"), v.cookie()}, []any{303, "/account", ""})
	want(t, "the session itself", s.visitor().signedIn(kept), false)
	want(t, "the key", s.me(key).Authenticated, true)

	v.signIn(a)
	kept = v.cookie()
	s.Sleep(7*24*time.Hour - time.Minute)
	want(t, "before seven days are over", s.visitor().signedIn(kept), true)
	s.Sleep(2 * time.Minute)
	want(t, "after", s.visitor().signedIn(kept), false)
}

func TestWithoutASessionNothingIsChanged(t *testing.T) {
	s := start(t)
	v := s.visitor()
	key := v.signIn(tocsintest.NewAccount(t)).key()
	stranger := s.visitor()
	for _, what := range []string{"signout", "replace", "revoke", "nonsense"} {
		for _, cookie := range []string{"cookie: theme=dark", "cookie: session=ses_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
			"cookie: session=", "cookie: __Host-" + strings.TrimPrefix(v.cookie(), "cookie: ")} {
			p := stranger.post("/account", fields{"do": what, "confirm": "yes", "key": key[:12]}, cookie)
			want(t, what, []any{p.status, len(p.cookies)}, []any{403, 0})
			p.says("You are not signed in any more.", "Nothing was changed.")
		}
	}
	want(t, "the key and the session", []any{s.me(key).Authenticated, v.signedIn()}, []any{true, true})
	to := stranger.get("/account/sign-in")
	want(t, "whoever comes back to the answer of a sign-in", []any{to.status, to.header.Get("Location")},
		[]any{303, "/account"})
}

func TestTheKeyIsShownOnce(t *testing.T) {
	s := start(t)
	v := s.visitor()
	shown := v.signIn(tocsintest.NewAccount(t))
	key := shown.key()
	want(t, "kept by nobody, and not compressed", []any{shown.header.Get("Cache-Control"),
		shown.header.Get("Content-Encoding")}, []any{"no-store", ""})
	want(t, "shown, and in the first call", strings.Count(shown.html, key), 2)
	for _, path := range []string{"/account", "/", "/leaderboard", "/account/sign-in"} {
		p := v.get(path)
		if secret.MatchString(p.html) || strings.Contains(fmt.Sprint(p.header), key) {
			t.Errorf("the key is shown again: %s", p)
		}
	}
	v.get("/account").says("Your key "+key[:12]+"…", "cannot show it again")
	for _, value := range []string{key, strings.TrimPrefix(v.cookie(), "cookie: session=")} {
		if strings.Contains(s.log.String(), value) {
			t.Errorf("%s is in the log", value)
		}
	}
	for _, line := range []string{"path=/account/message", "path=/account/sign-in", "path=/account "} {
		if !strings.Contains(s.log.String(), line) {
			t.Errorf("no %q in the log, so that nothing was tested", line)
		}
	}
}

func TestSigningInLeavesAKeyThatWorksAlone(t *testing.T) {
	s := start(t)
	a := tocsintest.NewAccount(t)
	key := s.visitor().signIn(a).key()
	second := s.visitor()
	p := second.signIn(a)
	want(t, "again", []any{p.status, p.header.Get("Location"), second.signedIn(), s.me(key).Authenticated},
		[]any{303, "/account", true, true})

	b, quota := tocsintest.NewAccount(t), 5000
	made := s.key(b.Address, "Watchdog", &quota)
	second.signIn(b)
	account := second.get("/account")
	account.says("5,000 of 5,000")
	want(t, "too many for ticks", len(account.class("ticks")), 0)
	want(t, "the operator's key", s.me(made).Authenticated, true)
}

func TestAKeyIsReplacedOrRevokedByWhoeverMeansIt(t *testing.T) {
	s := start(t)
	a := tocsintest.NewAccount(t)
	v := s.visitor()
	key := v.signIn(a).key()
	for range 3 {
		s.call(http.MethodGet, "/screen/"+nobody, nil, "x-api-key: "+key)
	}
	for _, form := range []fields{
		{"do": "replace"}, {"do": "revoke"}, {"do": "replace", "confirm": "yes"}, {"do": "revoke", "confirm": "yes"},
		{"do": "revoke", "confirm": "yes", "key": key[:11]}, {"do": "replace", "confirm": "yes", "key": key},
		{"do": "nonsense", "confirm": "yes", "key": key[:12]}, {"confirm": "yes", "key": key[:12]}, {},
	} {
		p := v.post("/account", form)
		want(t, fmt.Sprint(form), []any{p.status, p.header.Get("Location")}, []any{303, "/account"})
	}
	for what, title := range map[string]string{"replace": "Replace your key?", "revoke": "Revoke your key?"} {
		for _, confirm := range []string{"", "no", "YES"} {
			p := v.post("/account", fields{"do": what, "key": key[:12], "confirm": confirm})
			want(t, what, []any{p.status, p.h1()}, []any{200, title})
			form := fields{}
			for _, n := range below(p.all("main")[0], "input") {
				form[attr(n, "name")] = attr(n, "value")
			}
			want(t, "what is asked", form, fields{"do": what, "confirm": "yes", "key": key[:12]})
		}
	}
	want(t, "so far", s.me(key).Authenticated, true)

	elsewhere, third := s.visitor(), s.visitor()
	elsewhere.signIn(a)
	want(t, "another browser", elsewhere.signedIn(), true)
	replace := fields{"do": "replace", "confirm": "yes", "key": key[:12]}
	p := v.post("/account", replace)
	next := p.key()
	p.says("Your old key stopped working", "7 of 10")
	want(t, "the old one and the new one", []bool{s.me(key).Authenticated, s.me(next).Authenticated}, []bool{false, true})
	want(t, "used calls stay used", s.me(next).FreeCalls.Used, 3)
	want(t, "whoever has stolen a session has it no more", []bool{v.signedIn(), elsewhere.signedIn()}, []bool{true, false})
	elsewhere.signIn(a)
	third.signIn(tocsintest.NewAccount(t))
	for _, form := range []fields{replace, replace.with(fields{"do": "revoke"})} {
		// sent twice, or from a page that is out of date
		p := v.post("/account", form)
		want(t, "again", []any{p.status, p.header.Get("Location"), s.me(next).Authenticated}, []any{303, "/account", true})
	}

	revoke := fields{"do": "revoke", "confirm": "yes", "key": next[:12]}
	for range 2 {
		p = v.post("/account", revoke)
		want(t, "revoked", []any{p.status, p.header.Get("Location"), s.me(next).Authenticated, v.signedIn()},
			[]any{303, "/account", false, true})
	}
	want(t, "here too", []bool{elsewhere.signedIn(), third.signedIn()}, []bool{false, true})
	v.get("/account").says("You have no key that works.")
	want(t, "nothing to revoke", v.post("/account", fields{"do": "revoke", "key": ""}).status, 303)
	p = v.post("/account", fields{"do": "replace", "key": ""})
	another := p.key()
	if strings.Contains(p.main(), "old key") {
		t.Error("there was no old key")
	}
	want(t, "the calls of today", s.me(another).FreeCalls.Used, 3)
	want(t, "get one, sent twice", []any{v.post("/account", fields{"do": "replace", "key": ""}).status,
		s.me(another).Authenticated}, []any{303, true})
	v.post("/account", fields{"do": "revoke", "confirm": "yes", "key": another[:12]})
	fourth := s.visitor().signIn(a).key() // signing in makes a key for an account without one
	want(t, "after a revoked one", s.me(fourth).FreeCalls.Used, 3)
}

func TestOnesOwnReportsAndNumbers(t *testing.T) {
	s := start(t)
	v := s.visitor()
	key := v.signIn(tocsintest.NewAccount(t)).key()
	v.get("/account").says("None yet. What you file", "Rank none yet")
	for n := range 21 {
		s.file(draft{"title": fmt.Sprintf("<b>Report</b> %d", n+1),
			"reportedDomains": []string{fmt.Sprintf("own-%d.example", n+1)}}, "x-api-key: "+key)
		s.Sleep(time.Millisecond)
	}
	p := v.get("/account")
	rows := below(p.all("tbody")[0], "tr")
	want(t, "rows", len(rows), 20)
	want(t, "the newest", textOf(rows[0]), "<b>Report</b> 21 Phishing own-21[.]example "+day(s.db.Now()))
	if to := attr(below(rows[0], "a")[0], "href"); !strings.HasPrefix(to, "/reports/rep_") {
		t.Error(to)
	}
	p.says("The newest 20 of 21", "Reports 21")
	for _, mine := range []bool{true, false} {
		w := s.visitor()
		w.signIn(tocsintest.NewAccount(t))
		if !mine && slices.ContainsFunc(w.get("/account").links(),
			func(to string) bool { return strings.HasPrefix(to, "/reports/rep_") }) {
			t.Error("somebody else's reports are shown")
		}
	}
}

func TestAServiceWithoutPaymentsOrLookUpsSaysSo(t *testing.T) {
	s := start(t, func(c *setup) { c.Quota, c.Limits.Lookups = 0, 0 })
	v := s.visitor()
	v.get("/account").says("Filing and reading reports need neither")
	v.signIn(tocsintest.NewAccount(t))
	p := v.get("/account")
	p.says("0 of 0")
	if strings.Contains(p.main(), "with x402") { // an address may begin with 0x402
		t.Error("nothing can be paid here")
	}
	want(t, "a look-up", v.get("/screen/"+nobody).status, 429)
}
