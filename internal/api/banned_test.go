package api

import (
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

var operator = store.Operator{Name: "warden"}

func TestABannedAgentIsRefusedWhateverItAsksFor(t *testing.T) {
	s := start(t, func(c *Config) { c.Contact = "mailto:ops@tocsin.example" })
	a := tocsintest.NewAccount(t)
	in := s.signIn(a)
	key := "x-api-key: " + in.text("apiKey")
	agent := s.get("/me", key).text("agent.id")
	filed := s.file(filing(), key)
	message := s.message(a.Address) // asked for before the ban
	_, err := s.db.Ban(t.Context(), operator, agent)
	tocsintest.Must(t, err)
	refused := func(about string, a *answer) {
		t.Helper()
		want(t, about, []any{a.status, a.text("code")}, []any{403, "banned"})
	}
	for about, path := range map[string]string{
		"an address": "/screen/" + thief, "a domain": "/domains/check/evil.example", "a list": "/community-reports",
		"a search": "/community-reports/search?q=x", "itself": "/me",
	} {
		refused(about, s.get(path, key))
	}
	refused("a batch", s.do("POST", "/check", map[string]any{"addresses": []string{thief}}, key))
	refused("a filing", s.file(filing("title", "more"), key))
	refused("the same filing", s.file(filing(), key))
	refused("its own key", s.do("DELETE", "/me/key", nil, key))
	refused("a message of before", s.verify(message, a.Sign(message)))
	last := s.signIn(a)
	refused("a new sign-in", last)
	want(t, "what it is told", last.text("detail"), "The operator of this service has banned the agent "+agent+
		": its keys and its wallet are refused, and its reports do not count. To object, write to mailto:ops@tocsin.example")
	want(t, "its report", s.get("/community-reports/"+filed.text("id")).status, 410)
	want(t, "a stranger who asks for a nonce", s.get("/auth/nonce").status, 200)

	_, err = s.db.Unban(t.Context(), operator, agent)
	tocsintest.Must(t, err)
	want(t, "after it", s.get("/screen/"+thief, key).status, 200)
	want(t, "its report after it", s.get("/community-reports/"+filed.text("id")).status, 200)
}

// Nobody learns from a payment that is not signed whether a wallet is banned.
func TestTheWalletOfABannedAgentCannotPay(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	wallet, fault := tocsin.ParseAddress(s.wallet.Address)
	if fault != nil {
		t.Fatal(fault)
	}
	made, err := s.db.CreateKey(t.Context(), &wallet, "", nil)
	tocsintest.Must(t, err)
	payment := s.sign("GET", path)
	_, err = s.db.Ban(t.Context(), operator, made.Agent.ID)
	tocsintest.Must(t, err)
	refused := s.paid(payment, "GET", path, nil)
	want(t, "banned", []any{refused.status, refused.text("code")}, []any{403, "banned"})
	s.counts("banned", 1, 0, 0)
	_, err = s.db.Unban(t.Context(), operator, made.Agent.ID)
	tocsintest.Must(t, err)
	s.served("the same payment after it", s.paid(payment, "GET", path, nil))
}

func TestAFilingThatIsNotTakenSaysWhatToDo(t *testing.T) {
	s := start(t, func(c *Config) { c.Limits.Filings = 2 })
	key := "x-api-key: " + s.key(-1)
	first := s.file(filing())
	for state, c := range map[tocsin.FilingState]struct {
		anonymous, keyed []any
	}{
		tocsin.FilingKeysOnly: {[]any{403, "filing_needs_key"}, []any{201, ""}},
		tocsin.FilingShut:     {[]any{403, "filing_closed"}, []any{403, "filing_closed"}},
	} {
		_, err := s.db.SetFiling(t.Context(), operator, state)
		tocsintest.Must(t, err)
		for range 3 { // it takes nothing of the budget
			a := s.file(filing("title", "anonymous"))
			want(t, string(state), []any{a.status, a.text("code")}, c.anonymous)
			want(t, string(state)+": how to send a key", strings.Contains(a.text("detail"), "x-api-key"),
				a.text("code") == "filing_needs_key")
		}
		k := s.file(filing("title", "keyed "+string(state)), key)
		want(t, string(state)+" with a key", []any{k.status, k.text("code")}, c.keyed)
		want(t, "again what was filed before", s.file(filing()).text("id"), first.text("id"))
	}
	_, err := s.db.SetFiling(t.Context(), operator, tocsin.FilingOpen)
	tocsintest.Must(t, err)
	want(t, "open", s.file(filing("title", "anonymous")).status, 201)
	_, err = s.db.SetFiling(t.Context(), operator, tocsin.FilingShut)
	tocsintest.Must(t, err)
	over := s.file(filing("title", "over the limit"))
	want(t, "to wait would not help", []any{over.status, over.text("code")}, []any{403, "filing_closed"})
}

func TestAfterACrashThePaymentOfAWalletThatWasBannedSinceIsServed(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	header := s.sign("GET", path)
	s.crashed(header, path)
	s.banWallet()
	s.served("after the crash", s.paid(header, "GET", path, nil))
}

// banWallet bans the agent of the shop's wallet.
func (s *shop) banWallet() {
	s.t.Helper()
	wallet, fault := tocsin.ParseAddress(s.wallet.Address)
	if fault != nil {
		s.t.Fatal(fault)
	}
	made, err := s.db.CreateKey(s.t.Context(), &wallet, "", nil)
	tocsintest.Must(s.t, err)
	_, err = s.db.Ban(s.t.Context(), operator, made.Agent.ID)
	tocsintest.Must(s.t, err)
}
