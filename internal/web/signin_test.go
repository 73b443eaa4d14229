package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/tocsintest"
)

func TestASignInThatIsSentTwiceIsDoneOnce(t *testing.T) {
	s := start(t)
	v, a := s.visitor(), tocsintest.NewAccount(t)
	message := v.message(a)
	form := fields{"message": message, "signature": a.Sign(message)}
	key := v.post("/account/sign-in", form).key()
	p := v.post("/account/sign-in", form)
	want(t, "again, in the same browser", []any{p.status, p.header.Get("Location"), s.me(key).Authenticated},
		[]any{303, "/account", true})
	p = s.visitor().post("/account/sign-in", form)
	want(t, "again, in another", []any{p.status, len(p.cookies), secret.MatchString(p.html)}, []any{400, 0, false})
	p.says("That message is no longer good.")
	want(t, "by somebody else who is signed in", func() int {
		w := s.visitor()
		w.signIn(tocsintest.NewAccount(t))
		return w.post("/account/sign-in", form).status
	}(), 400)
}

func TestTheMessageNamesTheChainOfTheWallet(t *testing.T) {
	s := start(t)
	v := s.visitor()
	for told, named := range map[string]string{"": "8453", "1": "1", "0x1": "1", "8453": "8453", "0x2105": "8453",
		"137": "8453", "0x89": "8453", "-1": "8453", "nonsense": "8453", "99999999999999999999": "8453"} {
		if p := v.post("/account/message", fields{"address": nobody, "chainId": told}); p.status != 200 ||
			!strings.Contains(p.html, "\nChain ID: "+named+"\n") {
			t.Errorf("%q: %s", told, p)
		}
	}
	for _, address := range []string{"", "0x12", "nonsense", nobody + "1"} {
		want(t, address, v.post("/account/message", fields{"address": address}).status, 400)
	}
}

func TestOnlyAMessageForUsAndOfNowIsTaken(t *testing.T) {
	s := start(t)
	v, a := s.visitor(), tocsintest.NewAccount(t)
	change := func(pairs ...string) func(string) string { return strings.NewReplacer(pairs...).Replace }
	for _, c := range []struct {
		about  string
		change func(string) string
		said   string
	}{
		{"another domain", change("tocsin.example wants", "evil.example wants"), "That message is for another site."},
		{"another origin", change("URI: http://tocsin.example", "URI: http://evil.example"),
			"That message is for another site."},
		{"another statement", change("This moves no funds.", "A fine \"day\"."),
			"The message was changed before it was signed."},
		{"another chain", change("Chain ID: 8453", "Chain ID: 137"), "The message was changed before it was signed."},
		{"another version", change("Version: 1", "Version: 2"), "The message was changed before it was signed."},
		{"a line more", func(m string) string { return m + "\n" }, "The message was changed before it was signed."},
		{"a made-up nonce", change("Nonce: ", "Nonce: 00"), "That message is no longer good."},
		{"no message", func(string) string { return "" }, "You are not signed in."},
		{"a long one", func(string) string { return strings.Repeat("x", 5000) },
			"The message was changed before it was signed."},
	} {
		message := c.change(v.message(a))
		for _, by := range []string{"", "hand"} {
			p := v.post("/account/sign-in", fields{"message": message, "signature": a.Sign(message), "by": by})
			want(t, c.about, []any{p.status, len(p.cookies)}, []any{400, 0})
			if !strings.Contains(p.main(), c.said) {
				t.Errorf("%s: %s", c.about, p.main())
			}
		}
	}
	for field, title := range map[string]string{
		"message.nonce": "That message is no longer good.", "message.issuedAt": "That message is no longer good.",
		"message.expirationTime": "That message is no longer good.", "message.notBefore": "That message is no longer good.",
		"message.domain": "That message is for another site.", "message.uri": "That message is for another site.",
		"message.scheme": "That message is for another site.", "signature": "Another account signed that.",
		"message.statement": "The message was changed before it was signed.",
	} {
		said := newSignInError(english(), &tocsin.Error{Fields: []tocsin.Fault{{Field: field}}}, "0x1")
		want(t, field, []any{said.Title, said.Account}, []any{title, map[bool]string{true: "0x1"}[field == "signature"]})
	}
	want(t, "no field", newSignInError(english(), &tocsin.Error{}, "").Title,
		"The message was changed before it was signed.")
	stranger := tocsintest.NewAccount(t)
	message := v.message(a)
	p := v.post("/account/sign-in", fields{"message": message, "signature": stranger.Sign(message)})
	want(t, "another account", []any{p.status, len(p.cookies)}, []any{400, 0})
	p.says("Another account signed it, or yours is a contract", a.Address.String())
	want(t, "the nonce is used up by that", v.post("/account/sign-in",
		fields{"message": message, "signature": a.Sign(message)}).status, 400)
	for _, form := range []fields{{}, {"message": "", "signature": "0x"}, {"signature": "x"}, {"message": message}} {
		want(t, fmt.Sprint(form), v.post("/account/sign-in", form).status, 400)
	}

	message = v.message(a)
	s.Sleep(6 * time.Minute) // somebody went for a coffee
	p = v.post("/account/sign-in", fields{"message": message, "signature": a.Sign(message)})
	want(t, "too old", p.status, 400)
	p.says("That message is no longer good.")
	want(t, "nobody is signed in", v.cookie(), "")
}

func TestSigningByHand(t *testing.T) {
	s := start(t)
	v, a := s.visitor(), tocsintest.NewAccount(t)
	phrase := aPhrase
	private := "0x" + strings.Repeat("4c0883a6", 8)
	for _, c := range []struct{ typed, said, kept string }{
		{"0x123", "0x and 40 digits", "0x123"},
		{nobody[:41] + "g", "0x and 40 digits", nobody[:41] + "g"},
		{strings.Replace(nobody, "aA", "Aa", 1), "checksum", strings.Replace(nobody, "aA", "Aa", 1)},
		{"<script>alert(1)</script>", "0x and 40 digits", "<script>alert(1)</script>"},
		{"", "0x", ""},
		{strings.Repeat("é", 400), "0x and 40 digits", strings.Repeat("é", 300) + "…"},
		{"0x12\u202E\u0007", "", "0x12"},
		{private, "private key", ""}, {private[2:], "private key", ""}, {" " + strings.ToUpper(private[2:]) + "\n",
			"private key", ""},
		{phrase, "recovery phrase", ""}, {strings.ReplaceAll(phrase, " ", ", "), "recovery phrase", ""},
		{strings.ToUpper(phrase) + " " + phrase, "recovery phrase", ""},
	} {
		p := v.post("/account", fields{"address": c.typed})
		field := p.id("address")
		want(t, c.typed, []any{p.status, attr(field, "value"), attr(field, "aria-invalid"), attr(field, "aria-describedby")},
			[]any{400, c.kept, "true", "address-e"})
		if said := textOf(p.id("address-e")); !strings.Contains(said, c.said) {
			t.Errorf("%q: %s", c.typed, said)
		}
		if c.kept == "" && c.typed != "" && (strings.Contains(p.html, strings.TrimSpace(c.typed)) ||
			strings.Contains(strings.ToLower(p.html), "winner")) {
			t.Errorf("%q is shown", c.typed)
		}
	}

	p := v.post("/account", fields{"address": " " + strings.ToLower(a.Address.String()) + "\n"})
	want(t, "an address", []any{p.status, p.h1()}, []any{200, "Sign by hand"})
	message := rawText(p.id("message"))
	if !strings.Contains(message, "\n"+a.Address.String()+"\n") {
		t.Errorf("the message is %q", message)
	}
	hidden := func(p *response) string {
		for _, n := range p.all("input") {
			if attr(n, "name") == "message" {
				return attr(n, "value")
			}
		}
		return ""
	}
	want(t, "what is sent is what is shown", hidden(p), message)
	whole := fields{"by": "hand", "message": strings.ReplaceAll(message, "\n", "\r\n")} // as forms end their lines
	signature := a.Sign(message)
	for _, c := range []struct{ typed, said, kept string }{
		{"", "Paste here", ""}, {"12345", "begins with 0x", "12345"}, {"0x12345", "130 digits after 0x", "0x12345"},
		{signature[2:120], "begins with 0x", signature[2:120]},
		{signature[:120], "this has 118 characters", signature[:120]}, {"<b>", "begins with 0x", "<b>"},
		{private, "private key", ""}, {phrase, "recovery phrase", ""}, {"0x my phrase: " + phrase, "", ""},
		{"\"" + private + "\"", "private key", ""},
	} {
		p := v.post("/account/sign-in", whole.with(fields{"signature": c.typed}))
		field := p.id("signature")
		want(t, c.typed, []any{p.status, rawText(field), attr(field, "aria-invalid"), rawText(p.id("message"))},
			[]any{400, c.kept, "true", message}) // nothing was used up
		if said := textOf(p.id("signature-e")); !strings.Contains(said, c.said) {
			t.Errorf("%q: %s", c.typed, said)
		}
		if c.kept == "" && c.typed != "" && (strings.Contains(p.html, strings.Trim(c.typed, `"`)) ||
			strings.Contains(p.html, "winner")) {
			t.Errorf("%q is shown", c.typed)
		}
	}

	p = v.post("/account/sign-in", whole.with(fields{"signature": tocsintest.NewAccount(t).Sign(message)}))
	want(t, "another account", []any{p.status, hidden(p) != message, rawText(p.id("signature"))}, []any{400, true, ""})
	p.says("Another account signed it, or yours is a contract", a.Address.String())

	for about, wrap := range map[string]func(string) string{
		"as it is": func(s string) string { return s }, "in quotes": func(s string) string { return `"` + s + `"` },
		"without 0x":             func(s string) string { return s[2:] },
		"as a terminal wraps it": func(s string) string { return s[2:60] + "\r\n" + s[60:] + "\r\n" },
	} {
		v, b := s.visitor(), tocsintest.NewAccount(t)
		message := rawText(v.post("/account", fields{"address": b.Address.String()}).id("message"))
		p := v.post("/account/sign-in", fields{"by": "hand", "message": message, "signature": wrap(b.Sign(message))})
		want(t, about, []any{p.status, s.me(p.key()).Agent.Address}, []any{200, b.Address})
	}
}
