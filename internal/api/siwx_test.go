package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tocsin/internal/tocsintest"
	"tocsin/internal/x402"
)

// proof signs the message of a 402's extension sign-in-with-x, as the official client does. change may alter what is
// signed.
func (s *shop) proof(a tocsintest.Account, change func(proof map[string]any)) string {
	s.t.Helper()
	extension, _ := s.get("/screen/" + thief).in("extensions").(map[string]any)[signInName].(map[string]any)
	if extension == nil {
		s.t.Fatal("the 402 has no such extension")
	}
	proof := maps.Clone(extension["info"].(map[string]any))
	chain := extension["supportedChains"].([]any)[0].(map[string]any)
	proof["chainId"], proof["type"], proof["address"] = chain["chainId"], chain["type"], a.Address.String()
	if change != nil {
		change(proof)
	}
	statement := ""
	if said := proof["statement"]; said != nil {
		statement = fmt.Sprintln(said)
	}
	text := fmt.Sprintf("%s wants you to sign in with your Ethereum account:\n%s\n\n%s\nURI: %s\nVersion: %s\n"+
		"Chain ID: %s\nNonce: %s\nIssued At: %s\nExpiration Time: %s", proof["domain"], proof["address"],
		statement, proof["uri"], proof["version"], strings.TrimPrefix(proof["chainId"].(string), "eip155:"),
		proof["nonce"], proof["issuedAt"], proof["expirationTime"])
	if named, _ := proof["resources"].([]any); len(named) > 0 {
		text += "\nResources:"
		for _, resource := range named {
			text += fmt.Sprint("\n- ", resource)
		}
	}
	proof["signature"] = a.Sign(text)
	compiler := jsonschema.NewCompiler()
	tocsintest.Must(s.t, compiler.AddResource("proof.json", extension["schema"]))
	tocsintest.Must(s.t, compiler.MustCompile("proof.json").Validate(map[string]any(proof)))
	sent, err := json.Marshal(proof)
	tocsintest.Must(s.t, err)
	return "SIGN-IN-WITH-X: " + base64.StdEncoding.EncodeToString(sent)
}

func TestAWalletSignsInWithTheMessageOfA402(t *testing.T) {
	s := openShop(t)
	a := tocsintest.NewAccount(t)
	for i := range 10 {
		got := s.get("/screen/"+thief, s.proof(a, nil))
		want(t, "a free call", []any{got.status, got.header.Get("X-RateLimit-Remaining-Day")}, []any{200, 9 - i})
	}
	spent := s.get("/screen/"+thief, s.proof(a, nil))
	want(t, "none left", []any{spent.status, spent.text("code"), spent.in("extensions." + signInName)},
		[]any{402, "free_tier_exhausted", nil})
	paid := s.paid(s.sign("GET", "/screen/"+thief), "GET", "/screen/"+thief, nil, s.proof(a, nil))
	s.served("paid for, with a proof that has nothing left", paid)
	me := s.get("/me", "x-api-key: "+s.signIn(a).text("apiKey"))
	want(t, "the key of the wallet", []any{me.number("freeCalls.used"), me.text("agent.address")},
		[]any{10, a.Address.String()})

	other := tocsintest.NewAccount(t)
	key := s.signIn(other).text("apiKey")
	want(t, "a wallet with a key", s.get("/screen/"+thief, s.proof(other, nil)).status, 200)
	me = s.get("/me", "x-api-key: "+key)
	want(t, "keeps it", []any{me.in("authenticated"), me.number("freeCalls.used")}, []any{true, 1})
	for range 9 {
		s.get("/screen/"+thief, "x-api-key: "+key)
	}
	spent = s.get("/screen/"+thief, "x-api-key: "+key)
	want(t, "a key that has none left is offered no other way to use them",
		[]any{spent.status, spent.in("extensions." + signInName)}, []any{402, nil})
}

// A HEAD is answered without a body, and nothing that could be signed for it.
func TestOnlyACallThatGetsAnAnswerIsOfferedASignIn(t *testing.T) {
	s := openShop(t)
	for _, c := range []struct {
		method  string
		offered bool
	}{{"GET", true}, {"HEAD", false}} {
		a := s.do(c.method, "/screen/"+thief, nil)
		required, err := base64.StdEncoding.DecodeString(a.header.Get(x402.RequiredHeader))
		tocsintest.Must(t, err)
		want(t, c.method, []any{a.status, bytes.Contains(required, []byte(`"`+signInName+`"`))}, []any{402, c.offered})
	}
}

func TestAProofThatIsNotTakenIsAnsweredWithThePrice(t *testing.T) {
	s := openShop(t)
	a, b := tocsintest.NewAccount(t), tocsintest.NewAccount(t)
	used := s.proof(a, nil)
	want(t, "used", s.get("/screen/"+thief, used).status, 200)
	early := s.proof(a, nil)
	s.Sleep(4 * time.Minute)
	late := s.proof(a, nil)
	s.Sleep(2 * time.Minute)
	altered := s.proof(a, func(p map[string]any) { p["nonce"] = strings.Repeat("0", 32) })
	for about, header := range map[string]string{
		"used before":       used,
		"too old":           early,
		"made-up nonce":     altered,
		"another domain":    s.proof(a, func(p map[string]any) { p["domain"] = "evil.example" }),
		"another origin":    s.proof(a, func(p map[string]any) { p["uri"] = "https://evil.example" }),
		"another chain":     s.proof(a, func(p map[string]any) { p["chainId"] = "eip155:137" }),
		"Solana":            s.proof(a, func(p map[string]any) { p["chainId"] = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp" }),
		"another's address": s.proof(a, func(p map[string]any) { p["address"] = b.Address.String() }),
		"two lines in one":  s.proof(a, func(p map[string]any) { p["statement"] = "x\n\nURI: https://evil.example" }),
		"no base64":         "SIGN-IN-WITH-X: {}",
		"no proof":          "SIGN-IN-WITH-X: " + base64.StdEncoding.EncodeToString([]byte("[]")),
		"nothing in it":     "SIGN-IN-WITH-X: " + base64.StdEncoding.EncodeToString([]byte("{}")),
	} {
		got := s.get("/screen/"+thief, header)
		want(t, about, []any{got.status, got.text("code"), got.count("accepts"), got.in("extensions." + signInName)},
			[]any{402, "sign_in_refused", 1, nil})
		if !strings.HasPrefix(got.text("error"), "The sign-in in SIGN-IN-WITH-X is not taken: ") {
			t.Errorf("%s: %s", about, got.raw)
		}
	}
	want(t, "in time", s.get("/screen/"+thief, late).status, 200)
	for about, header := range map[string]string{
		"without a statement": s.proof(a, func(p map[string]any) { delete(p, "statement") }),
		"with resources": s.proof(a, func(p map[string]any) {
			p["resources"] = []any{"https://one.example", "https://two.example"}
		}),
	} {
		want(t, about, s.get("/screen/"+thief, header).status, 200)
	}
	s.served("paid for, with a bad proof", s.paid(s.sign("GET", "/screen/"+thief), "GET", "/screen/"+thief, nil,
		used))
	key := s.key(5)
	got := s.get("/screen/"+thief, used, "x-api-key: "+key)
	want(t, "with a key", []any{got.status, got.header.Get("X-RateLimit-Remaining-Day")}, []any{200, 4})
}

func TestWithoutPaymentsNobodySignsInByA402(t *testing.T) {
	shop := openShop(t)
	proof := shop.proof(tocsintest.NewAccount(t), nil)
	s := start(t)
	got := s.get("/screen/"+thief, proof)
	want(t, "402", []any{got.status, got.text("code"), got.in("extensions")}, []any{402, "payment_required", nil})
}
