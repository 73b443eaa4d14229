package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tocsin/internal/x402/x402test"
)

func TestWithoutAKeyAToolNamesItsPrice(t *testing.T) {
	s := openShop(t)
	for _, revision := range revisions {
		for about, c := range map[string]*client{
			"no key":      s.connect(revision, ""),
			"no such key": s.connect(revision, "toc_"+strings.Repeat("a", 38)),
		} {
			for tool := range calls {
				a := c.call(tool, calls[tool])
				if tool == "file_report" || tool == "my_stats" {
					s.want(about+": "+tool, a.IsError, false)
					continue
				}
				s.want("code", a.in("code"), map[bool]string{true: "payment_required", false: "unknown_key"}[about == "no key"])
				price := "10000"
				if slices.Contains([]string{"check_addresses", "check_domains", "check_subjects"}, tool) {
					price = "400000"
				}
				s.want(about+": "+tool,
					[]any{a.IsError, a.in("x402Version"), a.in("resource.url"), a.in("accepts.0.amount"),
						len(a.in("accepts").([]any))}, []any{true, 2, "mcp://tool/" + tool, price, 1})
				var text map[string]any
				if json.Unmarshal([]byte(a.first()), &text) != nil || fmt.Sprint(text) != fmt.Sprint(a.body) {
					t.Errorf("%s: the first text is %s", tool, a.first())
				}
				s.want("fields", slices.Sorted(maps.Keys(a.body)), []string{"accepts", "code", "detail", "error", "extensions",
					"requestId", "resource", "status", "title", "type", "x402Version"})
				s.want("extensions", slices.Collect(maps.Keys(a.in("extensions").(map[string]any))), "[payment-identifier]")
				s.want("how to pay", strings.Contains(fmt.Sprint(a.in("detail")), "in _meta under x402/payment"), true)
			}
		}
	}
}

func TestAKeyIsUsedUpByToolsAsByTheAPI(t *testing.T) {
	s := openShop(t)
	key := s.key(3)
	c := s.connect("", key)
	s.want("first", c.call("check_address", calls["check_address"]).IsError, false)
	s.get("/screen/"+thief, "x-api-key: "+key)
	s.want("third", c.call("check_domain", calls["check_domain"]).IsError, false)
	a := c.call("search_reports", calls["search_reports"])
	s.want("fourth",
		[]any{a.IsError, a.in("resource.url"), strings.Contains(a.text, "The free calls of today (3) are used up")},
		[]any{true, "mcp://tool/search_reports", true})
	status, _ := s.get("/screen/"+thief, "x-api-key: "+key)
	s.want("the API as well", status, 402)
	s.want("paid instead", c.call("search_reports", calls["search_reports"], s.pay(a)).IsError, false)
}

func TestAPaidCallIsAnsweredWithItsReceipt(t *testing.T) {
	s := openShop(t)
	s.file(report)
	moved := 0
	for _, revision := range revisions {
		c := s.connect(revision, "")
		for _, tool := range []string{"check_address", "check_addresses", "check_domain", "search_reports", "list_reports"} {
			payment := s.pay(c.call(tool, calls[tool]))
			a := c.call(tool, calls[tool], payment)
			receipt, _ := a.Meta["x402/payment-response"].(map[string]any)
			s.want(tool,
				[]any{a.IsError, receipt["success"], strings.ToLower(fmt.Sprint(receipt["payer"])), receipt["network"]},
				[]any{false, true, s.wallet.Address, "eip155:8453"})
			moved++
			again := c.call(tool, calls[tool], payment)
			s.want(tool+": the same again", []any{again.body, again.Meta["x402/payment-response"]}, []any{a.body, receipt})
		}
	}
	s.want("moved", s.facilitator.Counts().Moved, moved)
	a := s.connect("", "").call("file_report", calls["file_report"], map[string]any{"x402Version": 2})
	s.want("a free tool wants no payment", []any{a.IsError, a.Meta["x402/payment-response"]}, []any{false, nil})
}

func TestAPaidCallWithDetailKeepsTheWordsOfStrangersApart(t *testing.T) {
	s := openShop(t)
	s.file(report)
	c := s.connect("", "")
	for tool, arguments := range map[string]args{
		"check_address":  {"address": thief, "detail": "full"},
		"check_domain":   {"domain": "evil.example", "detail": "full"},
		"list_reports":   {"detail": "full"},
		"search_reports": {"q": "airdrop", "detail": "full"},
	} {
		payment := s.pay(c.call(tool, arguments))
		for _, about := range []string{"first", "the same again"} {
			a := c.call(tool, arguments, payment)
			s.want(tool+", "+about, []any{a.IsError, a.in("reports.0.title"), a.in("reports.0.reportedDomainCount"),
				a.in("untrusted.0.title")}, []any{false, nil, 1, "Fake airdrop"})
			s.want(tool+", "+about+": in the first text", strings.Contains(a.first(), "Fake airdrop"), false)
		}
	}
}

func TestAPaymentForAToolIsGoodForNothingElse(t *testing.T) {
	s := openShop(t)
	c := s.connect("", "")
	const path = "/screen/" + thief
	fresh := func() map[string]any { return s.pay(c.call("check_address", calls["check_address"])) }
	refused := func(about, reason string, a *answer) {
		t.Helper()
		s.want(about, []any{a.IsError, a.in("error"), a.in("x402Version")}, []any{true, reason, 2})
	}
	refusedOverHTTP := func(about, reason string, payment any) {
		t.Helper()
		status, body := s.get(path, "PAYMENT-SIGNATURE: "+header(payment))
		s.want(about, []any{status, body["error"]}, []any{402, reason})
	}
	// As it was signed, before it was used.
	refusedOverHTTP("unused, over HTTP", "resource_mismatch", fresh())
	refused("unused, another tool", "resource_mismatch", c.call("search_reports", calls["search_reports"], fresh()))
	// Once used, whatever it says of itself.
	used := fresh()
	s.want("used", c.call("check_address", calls["check_address"], used).IsError, false)
	for _, resource := range []any{used["resource"], nil, map[string]any{"url": baseURL + s.api.Contract().Base + path}} {
		altered := maps.Clone(used)
		if altered["resource"] = resource; resource == nil {
			delete(altered, "resource")
		}
		status, body := s.get(path+"?view=compact", "PAYMENT-SIGNATURE: "+header(altered))
		s.want("used, over HTTP", []any{status, body["code"]}, []any{402, "payment_refused"})
		a := c.call("check_domain", calls["check_domain"], altered)
		s.want("used, another tool", []any{a.IsError, a.in("x402Version")}, []any{true, 2})
		a = c.call("check_address", args{"address": payTo}, altered)
		s.want("used, another address", []any{a.IsError, a.in("x402Version")}, []any{true, 2})
	}
	refused("used, with more detail", "payment_already_used",
		c.call("check_address", args{"address": thief, "detail": "full"}, used))
	// One for HTTP is none for a tool.
	res, err := http.Get(s.url + s.api.Contract().Base + path)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	var web map[string]any
	payment := s.wallet.Pay(res.Header.Get("PAYMENT-REQUIRED"), nil)
	decode(t, payment, &web)
	refused("unused, one for HTTP", "resource_mismatch", c.call("check_address", calls["check_address"], web))
	status, _ := s.get(path, "PAYMENT-SIGNATURE: "+payment)
	s.want("over HTTP", status, 200)
	delete(web, "resource")
	refused("used over HTTP", "payment_already_used", c.call("check_address", calls["check_address"], web))
	nameless := fresh()
	delete(nameless, "resource")
	s.want("unused, without what it is for", c.call("check_address", calls["check_address"], nameless).IsError, false)
	s.want("moved", s.facilitator.Counts().Moved, 3)
	s.want("still good for its own", c.call("check_address", calls["check_address"], used).IsError, false)
}

func TestAPaymentThatIsNotTakenSaysWhy(t *testing.T) {
	s := openShop(t)
	c := s.connect("", "")
	tool := "check_address"
	fresh := func(change ...func(map[string]any, bool)) map[string]any {
		return s.pay(c.call(tool, calls[tool]), change...)
	}
	for about, payment := range map[string]any{"a text": "abc", "a number": 5, "an object": map[string]any{},
		"a list": []any{}, "version 1": map[string]any{"x402Version": 1},
		"huge": map[string]any{"x402Version": 2, "resource": map[string]any{"url": strings.Repeat("x", 20_000)}}} {
		a := c.call(tool, calls[tool], payment)
		s.want(about, []any{a.IsError, a.in("code"), a.in("status")}, []any{true, "invalid_payment", 400})
	}
	a := c.call(tool, calls[tool], fresh(func(p map[string]any, signed bool) {
		if !signed {
			p["payload"].(map[string]any)["authorization"].(map[string]any)["value"] = "1"
		}
	}))
	s.want("too little", []any{a.IsError, a.in("accepts.0.amount"), a.Meta["x402/payment-response"]},
		[]any{true, "10000", nil})
	s.facilitator.Do(func() { s.facilitator.Verifying = x402test.Status(503, "") })
	payment := fresh()
	a = c.call(tool, calls[tool], payment)
	s.want("facilitator away",
		[]any{a.IsError, a.in("x402Version"), a.in("retryAfter"), a.in("code"),
			strings.Contains(a.first(), "Try again in 1 s.")}, []any{true, nil, 1, "facilitator_error", true})
	s.facilitator.Do(func() {
		s.facilitator.Verifying = nil
		s.facilitator.Settling = func(w http.ResponseWriter, moved bool) bool {
			return !moved && x402test.Status(200,
				`{"success":false,"errorReason":"insufficient_funds","transaction":"","network":"eip155:8453"}`)(w)
		}
	})
	a = c.call(tool, calls[tool], payment)
	receipt, _ := a.Meta["x402/payment-response"].(map[string]any)
	s.want("not settled", []any{a.IsError, a.in("error"), receipt["success"], strings.Contains(a.text, "riskScore")},
		[]any{true, "insufficient_funds", false, false})
	s.facilitator.Do(func() { s.facilitator.Settling = nil })
	s.want("settled at last", c.call(tool, calls[tool], payment).IsError, false)
	s.want("moved", s.facilitator.Counts().Moved, 1)

	// What stands in a header of the message is no payment for a tool.
	r, _ := http.NewRequest("POST", s.url+"/mcp",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call",`+
			`"params":{"name":"check_address","arguments":{"address":"`+thief+`"}}}`))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Payment-Signature": {header(fresh())}}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(res.Body)
	s.want("in a header", strings.Contains(string(text), `"isError":true`), true)
}

func TestACallerWhoHangsUpHasPaidNothing(t *testing.T) {
	s := openShop(t)
	for i, revision := range revisions {
		c := s.connect(revision, "")
		payment := s.pay(c.call("check_address", calls["check_address"]))
		ctx, hangUp := context.WithCancel(t.Context())
		left, ended := make(chan struct{}), make(chan struct{}) // seen by the server; the end of its work
		serving := func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			paid := bytes.Contains(body, []byte("x402/payment"))
			if paid {
				context.AfterFunc(r.Context(), func() { close(left) })
			}
			next.ServeHTTP(w, r)
			if paid {
				close(ended)
			}
		}
		s.facilitator.Do(func() {
			s.facilitator.Verifying = func(http.ResponseWriter) bool {
				hangUp()
				<-left
				return false
			}
		})
		s.serving.Store(&serving)
		if _, err := c.CallTool(ctx,
			&sdk.CallToolParams{Name: "check_address", Arguments: calls["check_address"],
				Meta: sdk.Meta{"x402/payment": payment}}); err == nil {
			t.Errorf("%s: answered after all", revision)
		}
		<-ended
		s.serving.Store(nil)
		s.facilitator.Do(func() { s.facilitator.Verifying = nil })
		a := c.call("check_address", calls["check_address"], payment)
		s.want(revision, []any{a.IsError, s.facilitator.Counts().Moved}, []any{false, i + 1})
		s.want(revision+": hung up", strings.Count(s.logs.String(), "status=503"), i+1)
	}
}
