package web

import (
	"net/http"
	"strings"
	"testing"

	"tocsin"
)

// TestASecretOfAnyFormIsInNoAddress: nor is it shown again, and a report does not publish it.
func TestASecretOfAnyFormIsInNoAddress(t *testing.T) {
	key, err := tocsin.NewKey(strings.NewReader(strings.Repeat("k", 20)))
	if err != nil {
		t.Fatal(err)
	}
	s := start(t)
	const own, phrase = "Is this your key or your code?", "Is this your recovery phrase?"
	for secret, title := range map[string]string{
		string(key): own, "man_" + string(key)[4:]: own, "[174" + strings.Repeat(",47", 63) + "]": phrase,
		"的 一 是 在 不 了 有 和 人 这 中 大":                                                                          phrase,
		"abaco abbaglio abbinato abete abisso abolire abrasivo abrogato accadere accenno accusato acetone": phrase,
	} {
		v := s.visitor()
		p := v.post("/screen", fields{"q": secret})
		want(t, secret, []any{p.status, p.h1(), strings.Contains(p.html, secret)},
			[]any{http.StatusBadRequest, title, false})
		sent := v.post("/report", fields{crimeField: "phishing", titleField: "Robbed", thingsField: "evil.example",
			storyField: "They wanted this: " + secret})
		want(t, "in a story", strings.Contains(sent.html, secret), false)
	}
}
