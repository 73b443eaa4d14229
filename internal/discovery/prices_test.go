package discovery

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin/internal/x402"
)

// everything is a deployment with all that it can have.
var everything = options{contact: "mailto:security@tocsin.example", signal: DefaultSignal, payments: true}

// manifestItems returns the items of x402.json by operation.
func (s *origin) manifestItems() map[string]value {
	items := map[string]value{}
	for _, i := range s.json("/.well-known/x402.json").at("items").items() {
		items[value{i}.at("operationId").text()] = value{i}
	}
	return items
}

// agreesWithLive402s calls every operation with a price, without a key, and compares the 402 with everything that is
// announced about the operation.
func (s *origin) agreesWithLive402s(offers int) {
	s.Helper()
	document, operations := s.operations()
	items := s.manifestItems()
	guide := s.get("/llms.txt").text
	s.has("llms.txt", guide, "x-api-key", "X-RateLimit-Remaining-Day", "PAYMENT-REQUIRED", "PAYMENT-SIGNATURE",
		"PAYMENT-RESPONSE", "X-Payment", "Retry-After", "x402/payment")
	status := s.json(s.api + "/x402/status")
	if len(items) != len(operations) {
		s.Errorf("x402.json has %d items, openapi.json %d operations", len(items), len(operations))
	}
	asked := 0
	for _, op := range operations {
		id := op.at("operationId").text()
		item := items[id]
		path, body := op.example(document)
		live := s.call(op.method, path, body)
		if op.at("x-payment-info").any == nil {
			if live.status == http.StatusPaymentRequired {
				s.Errorf("%s is announced as free: %s", id, live.text)
			}
			s.same(id+" is free in x402.json", []any{item.at("price", "amount"), len(item.at("accepts").items())}, []any{"0", 0})
			continue
		}
		asked++
		if live.status != http.StatusPaymentRequired {
			s.Errorf("%s without a key: %d %s", id, live.status, live.text)
			continue
		}
		required := decode(s.T, live.text)
		price := op.at("x-payment-info", "price")
		s.same(id+": price in openapi.json and x402.json", item.at("price"), price)
		s.same(id+": protocols", op.at("x-payment-info", "protocols"), []any{map[string]any{"x402": map[string]any{}}})
		s.same(id+": security", op.at("security"), schemes("apiKey", "bearer", "signInWithX", "x402"))
		s.same(id+": credentials", item.at("credentials"),
			[]string{"x-api-key", "Authorization", "SIGN-IN-WITH-X", "PAYMENT-SIGNATURE"})

		accepts := required.at("accepts")
		for i := range accepts.items() { // each 402 has a ticket of its own, which no document can name
			extra := accepts.at(i).at("extra").any.(map[string]any)
			if ticket, _ := extra["ticket"].(string); ticket == "" {
				s.Errorf("%s: an offer has no ticket", id)
			}
			delete(extra, "ticket")
		}
		s.same(id+": offers", len(accepts.items()), offers)
		s.same(id+": accepts in x402.json", item.at("accepts"), accepts)
		atomic, err := x402.Atomic(price.at("amount").text())
		must(s.T, err)
		for i := range accepts.items() {
			offer := accepts.at(i)
			s.same(id+": amount", offer.at("amount"), atomic)
			known := slices.ContainsFunc(status.at("networks").items(), func(item any) bool {
				n := value{item}
				return n.at("network").any == offer.at("network").any && n.at("asset").any == offer.at("asset").any &&
					n.at("payTo").any == offer.at("payTo").any && n.at("offered").any == true
			})
			if !known {
				s.Errorf("%s: /x402/status does not name %v", id, offer.any)
			}
			s.has("llms.txt", guide, offer.at("network").text(), offer.at("asset").text(), offer.at("payTo").text())
		}

		// What is sold, under the URL by which catalogues know it.
		sold := required.at("resource", "url").text()
		plain, _, _ := strings.Cut(path, "?")
		s.same(id+": what is sold", sold, s.base+plain)
		template := regexp.MustCompile(`\{(\w+)\}`).ReplaceAllString(op.path, ":$1")
		s.same(id+": resource of x402.json", item.at("resource", "url"), s.base+template)
		s.same(id+": route", item.at("input", "routeTemplate"), template)
		s.same(id+": method", item.at("input", "method"), op.method)
		s.same(id+": description", item.at("resource", "description"), required.at("resource", "description"))
		s.same(id+": summary", op.at("summary"), required.at("resource", "description"))

		// How it is called: in the header of a 402 without words and limits.
		bazaar := required.at("extensions", "bazaar")
		s.same(id+": example", item.at("input", "example"), bazaar.at("info", "input"))
		shape := bazaar.at("schema", "properties", "input", "properties")
		for _, part := range []string{"pathParams", "queryParams", "body"} {
			s.same(id+": "+part, bare(item.at("input", part).any), shape.at(part))
		}
		for _, p := range op.parameters(document) {
			part := map[string]string{"path": "pathParams", "query": "queryParams"}[p.at("in").text()]
			wanted := inlined(p.at("schema").any, document).(map[string]any)
			wanted["description"] = p.at("description").any
			s.same(id+": schema of "+p.at("name").text(), item.at("input", part, "properties", p.at("name").text()),
				wanted)
		}
		if content := op.at("requestBody", "content", "application/json"); content.any != nil {
			s.same(id+": schema of the body", item.at("input", "body"), inlined(content.at("schema").any, document))
			s.same(id+": example of the body", bazaar.at("info", "input", "body"), content.at("example"))
		}
		answer := op.at("responses", "200", "content", "application/json")
		s.same(id+": example of the answer", item.at("output", "example"), answer.at("example"))
		s.same(id+": schema of the answer", item.at("output", "schema", "$ref"),
			s.base+"/openapi.json"+answer.at("schema", "$ref").text())

		// What people and their programs read.
		s.has("llms.txt", guide, fmt.Sprintf("`%s %s`, $%s, or one free call", op.method, op.path, price.at("amount").text()))
		page := regexp.MustCompile(`\]\((\S+)\): ` + regexp.QuoteMeta("`"+op.method+" "+op.path+"`")).FindSubmatch(guide)
		if page == nil {
			s.Errorf("llms.txt has no page of %s", id)
			continue
		}
		s.has(string(page[1]), s.get(string(page[1])).text, "$"+price.at("amount").text(), op.method, op.path)
	}
	s.same("operations with a price", asked, 9)
}

// schemes is the security of an operation that takes any one of these.
func schemes(names ...string) (ways []any) {
	for _, name := range names {
		ways = append(ways, map[string]any{name: []any{}})
	}
	return ways
}

// bare is a schema with its structure alone.
func bare(schema any) any {
	whole, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	left := map[string]any{}
	for name, value := range whole {
		switch list, _ := value.([]any); {
		case name == "type", name == "required" && len(list) > 0:
			left[name] = value
		case name == "items":
			left[name] = bare(value)
		case name == "properties":
			inner := map[string]any{}
			for property, its := range value.(map[string]any) {
				inner[property] = bare(its)
			}
			left[name] = inner
		}
	}
	return left
}

func TestEveryDocumentSaysWhatALive402Says(t *testing.T) {
	s := start(t, everything)
	s.agreesWithLive402s(1) // Base; who pays the fees on Solana was not asked yet
	before := s.get("/.well-known/x402.json")

	s.bank.OfferSolana(feePayer)
	if trouble := s.facilitator.Ask(t.Context()); trouble != nil {
		t.Fatal(trouble)
	}
	s.agreesWithLive402s(2)
	after := s.get("/.well-known/x402.json")
	s.Sleep(time.Minute)
	again := s.get("/.well-known/x402.json")
	s.same("the ETag of the same offers", again.header.Get("ETag"), after.header.Get("ETag"))
	s.has("x402.json", after.text, feePayer)
	if before.header.Get("ETag") == after.header.Get("ETag") {
		t.Error("the ETag is that of other offers")
	}
	s.bank.OfferSolana(payToSolana) // another one from now on; the first is still taken, and no longer offered
	if trouble := s.facilitator.Ask(t.Context()); trouble != nil {
		t.Fatal(trouble)
	}
	s.agreesWithLive402s(2)
	s.lacks("x402.json", s.get("/.well-known/x402.json").text, feePayer)
	s.Sleep(time.Hour) // nobody has confirmed the fee payer since
	s.agreesWithLive402s(1)
}

func TestWhereNoPaymentsAreTakenNothingSaysSo(t *testing.T) {
	s := start(t, options{})
	document, operations := s.operations()
	s.same("the scheme x402", document.at("components", "securitySchemes", "x402").any, nil)
	s.has("the description", []byte(document.at("info", "description").text()), "takes no payments")
	s.lacks("openapi.json", s.get("/openapi.json").text,
		"facilitator_error", "facilitator_timeout", "too_many_payments", "or pay: sign")
	items := s.manifestItems()
	priced := 0
	for _, op := range operations {
		id := op.at("operationId").text()
		s.same(id+": x-payment-info", op.at("x-payment-info").any, nil)
		s.lacks(id+": security", fmt.Append(nil, op.at("security").any), "x402")
		s.same(id+": accepts", items[id].at("accepts"), []any{})
		s.lacks(id+": credentials", fmt.Append(nil, items[id].at("credentials").any), "PAYMENT")
		path, body := op.example(document)
		if live := s.call(op.method, path, body); live.status == http.StatusPaymentRequired {
			priced++
			s.same(id+": live accepts", decode(t, live.text).at("accepts"), []any{})
			s.same(id+": security", op.at("security"), schemes("apiKey", "bearer"))
		}
	}
	s.same("operations that need a key", priced, 9)
	s.same("ACP", s.json("/.well-known/acp.json").at("capabilities"),
		map[string]any{"services": []any{}, "supported_locales": []any{"en"}})
	for _, path := range s.documents.paths() {
		// What the contract says of itself may speak of payments, in its examples, too.
		if text := s.get(path).text; !strings.Contains(path, "openapi") && !strings.Contains(path, "llms") {
			s.lacks(path, text, "PAYMENT-SIGNATURE", "@x402/fetch")
		}
	}
	s.has("llms.txt", s.get("/llms.txt").text, "no payments are taken here", "one free call of a key")
	s.lacks("llms.txt", s.get("/llms.txt").text, "$0.")
}
