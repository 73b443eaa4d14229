package api

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"tocsin"
	"tocsin/internal/x402"
)

func TestSolanaIsOfferedWhileItsFeesArePaid(t *testing.T) {
	s := openShop(t)
	const path = "/screen/" + thief
	status := func() []any {
		a := s.get("/x402/status")
		return []any{a.in("enabled"), a.in("facilitator.reachable"), a.in("networks.0.settles"), a.in("networks.1.network"),
			a.in("networks.1.offered"), a.in("networks.1.feePayer")}
	}
	want(t, "before the facilitator was asked", status(), []any{true, nil, nil, x402.Solana, false, nil})
	want(t, "offers", s.get(path).count("accepts"), 1)
	tag := s.get("/x402/status").header.Get("ETag")
	kept := s.get("/x402/status", "If-None-Match: "+tag)
	want(t, "the same again", []any{kept.status, len(kept.raw), kept.header.Get("ETag")}, []any{304, 0, tag})
	s.facilitator.OfferSolana(feePayer)
	ask := s.api.config.Payments.Facilitator.Ask
	if trouble := ask(t.Context()); trouble != nil {
		t.Fatal(trouble)
	}
	a := s.get(path)
	want(t, "Base first",
		[]any{a.count("accepts"), a.text("accepts.0.network"), a.text("accepts.1.network"),
			a.text("accepts.1.extra.feePayer"), a.text("accepts.1.amount")},
		[]any{2, x402.Base, x402.Solana, feePayer, 10000})
	want(t, "another ETag", s.get("/x402/status", "If-None-Match: "+tag).status, 200)
	want(t, "with Solana", status(), []any{true, true, true, x402.Solana, true, feePayer})
	s.facilitator.OfferSolana("")
	if trouble := ask(t.Context()); trouble != nil {
		t.Fatal(trouble)
	}
	want(t, "offers without Solana", s.get(path).count("accepts"), 1)
}

func TestWhereNobodySettlesNothingIsOffered(t *testing.T) {
	s := openShop(t, func(c *Config) {
		sepolia, err := x402.ParseNetwork("eip155:84532", "")
		if err != nil {
			t.Fatal(err)
		}
		account, err := sepolia.Account(payTo)
		if err != nil {
			t.Fatal(err)
		}
		c.Payments.Accounts = []x402.Account{account}
	})
	const path = "/screen/" + thief
	want(t, "before it was asked", s.get(path).count("accepts"), 1)
	if trouble := s.api.config.Payments.Facilitator.Ask(t.Context()); trouble != nil {
		t.Fatal(trouble)
	}
	a, status := s.get(path), s.get("/x402/status")
	want(t, "after",
		[]any{a.status, a.count("accepts"), status.in("networks.0.settles"), status.in("networks.0.offered")},
		[]any{402, 0, false, false})
	if detail := a.text("detail"); !strings.HasSuffix(detail, ". Payments cannot be taken at the moment") {
		t.Errorf("the detail is %q", detail)
	}
}

// paidOnSolana opens a shop and pays for a path with a transaction that the official client made.
func paidOnSolana(t *testing.T, path string) (s *shop, payment, payer string) {
	t.Helper()
	text, err := os.ReadFile("../x402/testdata/solana.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Transactions []struct{ Transaction, FeePayer, Payer, PayTo string }
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	made := file.Transactions[0]
	s = openShop(t, func(c *Config) { c.Payments.Accounts[1].PayTo = made.PayTo })
	s.facilitator.OfferSolana(made.FeePayer)
	if trouble := s.api.config.Payments.Facilitator.Ask(t.Context()); trouble != nil {
		t.Fatal(trouble)
	}
	accepted := s.get(path).in("accepts.1")
	signed, err := json.Marshal(map[string]any{"x402Version": 2, "accepted": accepted,
		"payload": map[string]any{"transaction": made.Transaction}})
	if err != nil {
		t.Fatal(err)
	}
	return s, base64.StdEncoding.EncodeToString(signed), made.Payer
}

func TestASolanaCallIsPaid(t *testing.T) {
	const path = "/screen/" + thief
	s, payment, payer := paidOnSolana(t, path)
	for range 2 {
		a := s.paid(payment, "GET", path, nil)
		want(t, "paid on Solana",
			[]any{a.status, a.decoded(t, "PAYMENT-RESPONSE")["payer"], a.decoded(t, "PAYMENT-RESPONSE")["network"]},
			[]any{200, payer, x402.Solana})
	}
	s.counts("once", 1, 1, 1)
}

func TestTheFeePayerThatWasJustOfferedIsTaken(t *testing.T) {
	const path = "/screen/" + thief
	s, payment, _ := paidOnSolana(t, path)
	s.facilitator.OfferSolana(payToSolana) // the facilitator has another wallet by now
	if trouble := s.api.config.Payments.Facilitator.Ask(t.Context()); trouble != nil {
		t.Fatal(trouble)
	}
	s.Sleep(time.Minute - time.Second)
	want(t, "now offered", s.get(path).text("accepts.1.extra.feePayer"), payToSolana)
	want(t, "paid as offered before", s.paid(payment, "GET", path, nil).status, 200)
	s.counts("once", 1, 1, 1)
}

func TestEveryPriceIsAdvertisedAsTheContractSays(t *testing.T) {
	s := openShop(t)
	for _, op := range s.api.operations {
		if op.Price == "" {
			continue
		}
		path := strings.NewReplacer("{address}", thief, "{domain}",
			"evil.com").Replace(strings.TrimPrefix(op.Path, s.api.contract.Base))
		var body any
		if op.TakesBody() {
			body = map[string]any{}
		}
		a := s.do(op.Method, path, body)
		want(t, op.ID,
			[]any{a.text("accepts.0.amount"), a.text("accepts.0.payTo"), a.text("accepts.0.extra.name"),
				a.text("extensions.bazaar.info.input.method")}, []any{op.atomic, payTo, "USD Coin", op.Method})
		for name, extension := range a.in("extensions").(map[string]any) {
			if name == signInName { // its schema is that of what a client sends (siwx_test.go)
				continue
			}
			e := extension.(map[string]any)
			compiler := jsonschema.NewCompiler()
			if err := compiler.AddResource("extension.json", e["schema"]); err != nil {
				t.Fatal(err)
			}
			if err := compiler.MustCompile("extension.json").Validate(e["info"]); err != nil {
				t.Errorf("%s: %s: its info is not of its schema: %v", op.ID, name, err)
			}
		}
	}
}

func TestPagesOfOtherOriginsMayCall(t *testing.T) {
	s := openShop(t)
	r, err := http.NewRequest("OPTIONS", s.http.URL+s.api.contract.Base+"/check", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", "https://wallet.example")
	r.Header.Set("Access-Control-Request-Method", "POST")
	res, err := s.http.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	want(t, "preflight", []any{res.StatusCode, res.Header.Get("Access-Control-Allow-Origin")}, []any{204, "*"})
	for _, header := range []string{"PAYMENT-SIGNATURE", "X-PAYMENT", "Access-Control-Expose-Headers", "x-api-key",
		"Content-Type", "x-manage-token", "Idempotency-Key"} {
		if !strings.Contains(res.Header.Get("Access-Control-Allow-Headers"), header) {
			t.Errorf("%s may not be sent", header)
		}
	}
	for _, path := range []string{"/screen/" + thief, "/stats", "/nothing"} {
		a := s.get(path)
		want(t, path,
			[]any{a.header.Get("Access-Control-Allow-Origin"),
				strings.Contains(a.header.Get("Access-Control-Expose-Headers"), "PAYMENT-REQUIRED, PAYMENT-RESPONSE"),
				a.header.Get("Vary")},
			[]any{"*", true, "x-api-key, Authorization, PAYMENT-SIGNATURE, X-PAYMENT, SIGN-IN-WITH-X"})
	}
}

func TestWithoutAWalletNoPaymentIsTaken(t *testing.T) {
	shop := openShop(t)
	payment := shop.sign("GET", "/screen/"+thief)
	s := start(t)
	a := s.get("/screen/"+thief, "PAYMENT-SIGNATURE: "+payment)
	want(t, "402",
		[]any{a.status, a.count("accepts"), a.in("extensions"), strings.Contains(a.text("detail"), "takes no payments")},
		[]any{402, 0, nil, true})
	status := s.get("/x402/status")
	want(t, "status", []any{status.in("enabled"), status.in("facilitator"), status.count("networks")},
		[]any{false, nil, 0})
}

func TestTheStatusOfThePaymentsNamesWalletsAndFacilitator(t *testing.T) {
	s := openShop(t)
	s.facilitator.OfferSolana(feePayer)
	network := func(id, name, asset, wallet string, offered bool, settles, feePayer any) map[string]any {
		return map[string]any{"network": id, "name": name, "asset": asset, "payTo": wallet, "offered": offered,
			"settles": settles, "feePayer": feePayer}
	}
	status := func(base, solana map[string]any, reachable, asOf any) map[string]any {
		return map[string]any{"enabled": true, "x402Version": 2.0, "networks": []any{base, solana},
			"facilitator": map[string]any{"url": s.facilitator.URL, "reachable": reachable, "asOf": asOf},
			"asOf":        s.db.Now().String()}
	}
	const usdc, mint = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
	want(t, "before it was asked", s.get("/x402/status").body, status(
		network(x402.Base, "Base", usdc, payTo, true, nil, nil),
		network(x402.Solana, "Solana", mint, payToSolana, false, nil, nil), nil, nil))
	if trouble := s.api.config.Payments.Facilitator.Ask(t.Context()); trouble != nil {
		t.Fatal(trouble)
	}
	at := tocsin.TimeOf(s.Now()).String()
	s.Sleep(time.Minute)
	want(t, "after it", s.get("/x402/status").body, status(
		network(x402.Base, "Base", usdc, payTo, true, true, nil),
		network(x402.Solana, "Solana", mint, payToSolana, true, true, feePayer), true, at))
}
