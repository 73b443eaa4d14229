package web

import (
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

func TestTheFormSaysThatFilingIsClosedBeforeAnybodyTypes(t *testing.T) {
	s := start(t)
	keyed := s.visitor()
	keyed.signIn(tocsintest.NewAccount(t))
	form := func(p *response) bool { return strings.Contains(p.html, `id="title"`) }
	for _, c := range []struct {
		state            tocsin.FilingState
		anonymous, keyed bool // see the form
		says             string
	}{
		{tocsin.FilingOpen, true, true, "Report a scam"},
		{tocsin.FilingKeysOnly, false, true, "Reports are taken with a key only at the moment."},
		{tocsin.FilingShut, false, false, "The operator takes no reports at the moment."},
	} {
		_, err := s.db.SetFiling(t.Context(), store.Operator{}, c.state)
		tocsintest.Must(t, err)
		p := s.visitor().get("/report")
		p.says(c.says, "Just happened? Stop the loss first")
		want(t, string(c.state), []any{p.status, form(p), form(keyed.get("/report"))}, []any{200, c.anonymous, c.keyed})
		want(t, "a way to a key", strings.Contains(p.html, `class="btn" href="/account"`), c.state == tocsin.FilingKeysOnly)
		if c.state == tocsin.FilingOpen {
			continue
		}
		sent := s.visitor().post("/report", aForm) // whoever had the form open
		sent.says(c.says, "All that you typed is below.", "Your report was not taken.")
		want(t, "what was typed", []any{sent.status, sent.value(titleField)}, []any{403, aForm[titleField]})
	}
}

func TestABannedAccountIsSignedOutAndCannotSignIn(t *testing.T) {
	s := start(t)
	v, a := s.visitor(), tocsintest.NewAccount(t)
	key := v.signIn(a).key()
	_, err := s.db.Ban(t.Context(), store.Operator{}, agentOf(t, s, a))
	tocsintest.Must(t, err)
	want(t, "signed in", v.signedIn(), false)
	p := v.signIn(a)
	want(t, "again", []any{p.status, p.h1()}, []any{403, "This account is banned"})
	status, _ := s.call("GET", "/me", nil, "x-api-key: "+key)
	want(t, "its key", status, 403)
}

func agentOf(t *testing.T, s *service, a tocsintest.Account) string {
	t.Helper()
	agent, err := s.db.FindAgent(t.Context(), a.Address.String())
	tocsintest.Must(t, err)
	return agent.ID
}
