package discovery

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"tocsin/internal/mcp"
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

// agreesWithLive402s asks every operation with a price, without a key, and holds
// what is answered against everything that is announced about it.
func (s *origin) agreesWithLive402s(offers int) {
	s.Helper()
	document, operations := s.operations()
	items := s.manifestItems()
	guide := s.get("/llms.txt").text
	s.has("llms.txt", guide, "x-api-key", "X-RateLimit-Remaining-Day", "PAYMENT-REQUIRED", "PAYMENT-SIGNATURE", "PAYMENT-RESPONSE", "X-Payment", "Retry-After", "x402/payment")
	status := s.json("/api/v1/x402/status")
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
		s.same(id+": security", op.at("security"), []any{map[string]any{"apiKey": []any{}}, map[string]any{"x402": []any{}}})
		s.same(id+": credentials", item.at("credentials"), []string{"x-api-key", "PAYMENT-SIGNATURE"})

		accepts := required.at("accepts")
		s.same(id+": offers", len(accepts.items()), offers)
		s.same(id+": accepts in x402.json", item.at("accepts"), accepts)
		atomic, err := x402.Atomic(price.at("amount").text())
		must(s.T, err)
		for i := range accepts.items() {
			offer := accepts.at(i)
			s.same(id+": amount", offer.at("amount"), atomic)
			known := slices.ContainsFunc(status.at("networks").items(), func(n any) bool {
				n2 := value{n}
				return n2.at("network").any == offer.at("network").any && n2.at("asset").any == offer.at("asset").any && n2.at("payTo").any == offer.at("payTo").any && n2.at("offered").any == true
			})
			if !known {
				s.Errorf("%s: /x402/status does not name %v", id, offer.any)
			}
			s.has("llms.txt", guide, offer.at("network").text(), offer.at("asset").text(), offer.at("payTo").text())
		}

		// What is sold, under the URL by which catalogues know it.
		sold := required.at("resource", "url").text()
		bare, _, _ := strings.Cut(path, "?")
		s.same(id+": what is sold", sold, s.base+bare)
		template := regexp.MustCompile(`\{(\w+)\}`).ReplaceAllString(op.path, ":$1")
		s.same(id+": resource of x402.json", item.at("resource", "url"), s.base+template)
		s.same(id+": route", item.at("input", "routeTemplate"), template)
		s.same(id+": method", item.at("input", "method"), op.method)
		s.same(id+": description", item.at("resource", "description"), required.at("resource", "description"))
		s.same(id+": summary", op.at("summary"), required.at("resource", "description"))

		// How it is called.
		bazaar := required.at("extensions", "bazaar")
		s.same(id+": example", item.at("input", "example"), bazaar.at("info", "input"))
		shape := bazaar.at("schema", "properties", "input", "properties")
		for _, part := range []string{"pathParams", "queryParams", "body"} {
			s.same(id+": "+part, item.at("input", part), shape.at(part))
		}
		for _, p := range op.parameters(document) {
			part := map[string]string{"path": "pathParams", "query": "queryParams"}[p.at("in").text()]
			wanted := inlined(p.at("schema").any, document).(map[string]any)
			wanted["description"] = p.at("description").any
			s.same(id+": schema of "+p.at("name").text(), shape.at(part, "properties", p.at("name").text()), wanted)
		}
		if content := op.at("requestBody", "content", "application/json"); content.any != nil {
			s.same(id+": schema of the body", shape.at("body"), inlined(content.at("schema").any, document))
			s.same(id+": example of the body", bazaar.at("info", "input", "body"), content.at("example"))
		}
		answer := op.at("responses", "200", "content", "application/json")
		s.same(id+": example of the answer", item.at("output", "example"), answer.at("example"))
		s.same(id+": schema of the answer", item.at("output", "schema", "$ref"), s.base+"/openapi.json"+answer.at("schema", "$ref").text())

		// What people and their programs read.
		s.has("llms.txt", guide, fmt.Sprintf("`%s %s`, $%s, or one free call", op.method, op.path, price.at("amount").text()))
		page := regexp.MustCompile(`\]\((\S+)\): ` + regexp.QuoteMeta("`"+op.method+" "+op.path+"`")).FindSubmatch(guide)
		if page == nil {
			s.Errorf("llms.txt has no page of %s", id)
			continue
		}
		s.has(string(page[1]), s.get(string(page[1])).text, "$"+price.at("amount").text(), op.method, op.path)
	}
	s.same("operations with a price", asked, 5)
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
	s.lacks("openapi.json", s.get("/openapi.json").text, "facilitator_error", "facilitator_timeout", "too_many_payments", "or pay: sign")
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
			s.same(id+": security", op.at("security"), []any{map[string]any{"apiKey": []any{}}})
		}
	}
	s.same("operations that need a key", priced, 5)
	s.same("ACP", s.json("/.well-known/acp.json").at("capabilities"), map[string]any{"services": []any{}, "supported_locales": []any{"en"}})
	for _, path := range s.documents.paths() {
		// What the contract says of itself may speak of payments, in its examples, too.
		if text := s.get(path).text; !strings.Contains(path, "openapi") && !strings.Contains(path, "llms") {
			s.lacks(path, text, "PAYMENT-SIGNATURE", "@x402/fetch")
		}
	}
	s.has("llms.txt", s.get("/llms.txt").text, "no payments are taken here", "one free call of a key")
	s.lacks("llms.txt", s.get("/llms.txt").text, "$0.")
}

func TestSecurityOfOperations(t *testing.T) {
	s := start(t, everything)
	_, operations := s.operations()
	for _, op := range operations {
		var ways []string
		for _, way := range op.at("security").items() {
			for name := range (value{way}).fields() {
				ways = append(ways, name)
			}
			if len((value{way}).fields()) == 0 {
				ways = append(ways, "nothing")
			}
		}
		want, ok := map[string]string{"fileReport": "[nothing apiKey]", "me": "[nothing apiKey]", "withdrawReport": "[manageToken]", "revokeKey": "[apiKey]",
			"getReport": "[]", "signInNonce": "[]", "signIn": "[]", "leaderboard": "[]", "paymentStatus": "[]", "stats": "[]"}[op.at("operationId").text()]
		if !ok {
			want = "[apiKey x402]"
		}
		s.same(op.at("operationId").text(), fmt.Sprint(ways), want)
	}
}

func TestOpenAPIIsThePublishedContract(t *testing.T) {
	s := start(t, everything)
	document := s.json("/openapi.json")
	s.same("version", document.at("openapi"), "3.1.0")
	s.same("servers", document.at("servers"), []any{map[string]any{"url": s.base}})
	s.same("contact", document.at("info", "contact"), map[string]any{"email": "security@tocsin.example"})
	s.same("guide", document.at("x-agentcash-guidance", "llmsTxtUrl"), s.base+"/llms.txt")
	if n := len(document.at("info", "x-guidance").text()); n < 200 || n > 4000 { // readers leave out what is over 1,000 tokens
		t.Errorf("x-guidance has %d characters", n)
	}
	text := s.get("/openapi.json").text
	s.lacks("openapi.json", text, "x-rest-of-path", "https://tocsin.example", `"<<"`)
	s.has("openapi.json", text, "x-codes")
	var asYAML any
	must(t, yaml.Unmarshal(s.get("/openapi.yaml").text, &asYAML))
	s.same("openapi.yaml", asYAML, document)

	// Every schema can be compiled, and every example has the form of its schema.
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must(t, err)
	must(t, c.AddResource("openapi.json", raw))
	_, operations := s.operations()
	for _, op := range operations {
		at := "openapi.json#/paths/" + strings.NewReplacer("/", "~1", "{", "%7B", "}", "%7D").Replace(op.path) + "/" + strings.ToLower(op.method)
		for status := range op.at("responses").fields() {
			if status >= "300" { // of which 304 has no body
				continue
			}
			example := op.at("responses", status, "content", "application/json", "example")
			if example.any == nil && !(op.at("operationId").text() == "fileReport" && status == "200") {
				t.Errorf("%s %s has no example", op.at("operationId").text(), status)
			}
			schema, err := c.Compile(at + "/responses/" + status + "/content/application~1json/schema")
			must(t, err)
			if example.any != nil {
				must(t, schema.Validate(example.any))
			}
		}
	}
}

// urls are the absolute URLs of this origin in a text.
func (s *origin) urls(text []byte) (found []string) {
	for _, u := range regexp.MustCompile(regexp.QuoteMeta(s.base)+"[^\\s\"'`<>)|,;\\\\]*").FindAllString(string(text), -1) {
		u, _, _ = strings.Cut(strings.TrimRight(u, "."), "#")
		if !slices.Contains(found, u) {
			found = append(found, u)
		}
	}
	return found
}

func TestEveryURLInEveryDocumentAnswers(t *testing.T) {
	for _, o := range []options{everything, {}} {
		s := start(t, o)
		tried := map[string]bool{}
		for _, path := range s.documents.paths() {
			found := s.urls(s.get(path).text)
			if len(found) == 0 {
				t.Errorf("%s names no URL", path)
			}
			for _, u := range found {
				at := strings.NewReplacer("{address}", payTo, "{domain}", "x.example", "{id}", "rep_x", ":id", "rep_x").Replace(strings.TrimPrefix(u, s.base))
				if tried[at] || strings.Contains(at, "/rep_") || strings.HasSuffix(at, "/$REPORT_ID") {
					continue // a report of an example is not there
				}
				tried[at] = true
				status := s.call(http.MethodGet, at, "").status
				fits := status == http.StatusOK
				if strings.HasPrefix(at, "/api/v1/") || at == mcp.Path { // with a price; with input that is missing; for POST
					fits = fits || slices.Contains([]int{400, 401, 402, 405}, status)
				}
				if !fits {
					t.Errorf("%s in %s: %d", u, path, status)
				}
			}
		}
		if len(tried) < 50 {
			t.Errorf("only %d URLs were found", len(tried))
		}
	}
}

func TestDocumentsAreServedAsTheirSpecificationsSay(t *testing.T) {
	s := start(t, everything)
	kinds := map[string]string{
		"/openapi.json": "application/json", "/openapi.yaml": "application/yaml", "/llms.txt": "text/plain; charset=utf-8",
		"/robots.txt": "text/plain; charset=utf-8", "/sitemap.xml": "application/xml", "/mcp/server-card": "application/mcp-server-card+json",
		"/.well-known/x402.json": "application/json", "/.well-known/acp.json": "application/json", "/.well-known/mcp/server-card.json": "application/json",
		"/.well-known/ai-catalog.json": "application/ai-catalog+json", "/.well-known/security.txt": "text/plain; charset=utf-8",
		"/api/v1":                                                  `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`,
		"/.well-known/api-catalog":                                 `application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"`,
		"/.well-known/agent-skills/index.json":                     "application/json",
		"/.well-known/agent-skills/check-a-link/SKILL.md":          "text/markdown; charset=utf-8",
		"/.well-known/agent-skills/file-a-report/SKILL.md":         "text/markdown; charset=utf-8",
		"/.well-known/agent-skills/screen-before-you-pay/SKILL.md": "text/markdown; charset=utf-8",
	}
	s.same("documents", len(s.documents.paths()), len(kinds))
	for path, media := range kinds {
		a := s.get(path)
		etag := a.header.Get("ETag")
		age := "public, max-age=3600"
		if strings.HasSuffix(path, "x402.json") {
			age = "public, max-age=300"
		}
		s.same(path, []string{a.header.Get("Content-Type"), a.header.Get("Cache-Control"), a.header.Get("Access-Control-Allow-Origin"), a.header.Get("X-Content-Type-Options"), a.header.Get("Vary")},
			[]string{media, age, "*", "nosniff", ""})
		if !regexp.MustCompile(`^"[0-9a-f]{32}"$`).MatchString(etag) {
			t.Errorf("%s: ETag %s", path, etag)
		}
		for _, known := range []string{etag, `"x", ` + etag, "W/" + etag, "*"} {
			if again := s.call(http.MethodGet, path, "", "If-None-Match: "+known); again.status != http.StatusNotModified || len(again.text) > 0 || again.header.Get("ETag") != etag {
				t.Errorf("%s with If-None-Match: %s: %d, %d bytes", path, known, again.status, len(again.text))
			}
		}
		s.same(path+" has changed", s.call(http.MethodGet, path, "", `If-None-Match: "other"`).status, 200)
		head := s.call(http.MethodHead, path, "")
		s.same(path+": HEAD", []any{head.status, len(head.text), head.header.Get("Content-Length"), head.header.Get("ETag"), head.header.Get("Content-Type")},
			[]any{200, 0, fmt.Sprint(len(a.text)), etag, media})
		if post := s.call(http.MethodPost, path, "{}"); post.status != http.StatusMethodNotAllowed || post.header.Get("Allow") != "GET, HEAD, OPTIONS" {
			t.Errorf("%s: POST %d, Allow %q", path, post.status, post.header.Get("Allow"))
		}
		ask := s.call(http.MethodOptions, path, "", "Origin: https://elsewhere.example", "Access-Control-Request-Method: GET", "Access-Control-Request-Headers: if-none-match")
		if ask.status != http.StatusNoContent || ask.header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(ask.header.Get("Access-Control-Allow-Headers"), "If-None-Match") {
			t.Errorf("%s: OPTIONS %d %v", path, ask.status, ask.header)
		}
	}
	catalog := s.call(http.MethodHead, "/.well-known/api-catalog", "")
	s.same("RFC 9727: Link of HEAD", catalog.header.Get("Link"), "<"+s.base+`/.well-known/api-catalog>; rel="api-catalog"`)
}

func TestWhatADeploymentDoesNotHaveIsNotThere(t *testing.T) {
	s := start(t, options{})
	for _, path := range []string{"/.well-known/security.txt",
		"/.well-known/", "/.well-known/x402", "/.well-known/agent-card.json", "/.well-known/oauth-protected-resource",
		"/.well-known/agent-skills/", "/.well-known/agent-skills/other/SKILL.md", "/.well-known/../etc/passwd", "/openapi.json/"} {
		if a := s.call(http.MethodGet, path, ""); a.status != http.StatusNotFound && a.status != http.StatusTemporaryRedirect && a.status != http.StatusMovedPermanently {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for _, path := range s.documents.paths() {
		s.lacks(path, s.get(path).text, "security.txt")
	}
	s.same("contact", s.json("/openapi.json").at("info", "contact").any, nil)
	s.lacks("robots.txt", s.get("/robots.txt").text, "Content-Signal")
}

func TestAGuideSaysOfEachOperationWhatItTakes(t *testing.T) {
	s := start(t, everything)
	s.has("llms.txt", s.get("/llms.txt").text,
		"- [Screen up to 50 EVM addresses in one call]("+s.base+"/docs/check-addresses): `POST /api/v1/check`, $0.40, or one free call of a key. "+
			"Body: `addresses`. Such as `{\"addresses\": [\"0x098B716B8Aaf21512996dC57EB0615e2383E2f96\", \"0xd8da6bf26964af9d7eed9e03e53415d37aa96045\"]}`. Answers `count`, `results`. Tool: `check_addresses`.\n",
		"- [The leaderboard]("+s.base+"/docs/leaderboard): `GET /api/v1/leaderboard`, free. Query: `limit`. Answers `count`, `agents`.\n")
	contract := s.get("/openapi.json").text
	s.has("openapi.json", contract, "`/api/v1/auth/verify`")
	s.lacks("openapi.json", contract, "`/auth/verify`", `"note"`, `"BriefReports"`)
}

func TestTheFirstPageLinksToTheDocuments(t *testing.T) {
	s := start(t, everything)
	a := s.get("/")
	rels := map[string]string{}
	for _, link := range regexp.MustCompile(`<([^>]+)>; rel="([^"]+)"(?:; type="([^"]+)")?`).FindAllStringSubmatch(a.header.Get("Link"), -1) {
		rels[link[2]] = link[1]
		target := s.get(link[1])
		if media, _, _ := strings.Cut(target.header.Get("Content-Type"), ";"); link[3] != "" && media != link[3] {
			t.Errorf("%s is %s, not %s", link[1], media, link[3])
		}
	}
	s.same("links", rels, map[string]string{"api-catalog": "/.well-known/api-catalog", "service-desc": "/openapi.json", "service-doc": "/docs", "describedby": "/llms.txt"})
	s.same("other pages", s.get("/docs").header.Get("Link"), "")
	s.has("the footer", a.text, `href="/docs/agents"`)
	s.has("the guide", s.get("/docs/agents").text, `href="/llms.txt"`, `href="/openapi.json"`, `href="/openapi.yaml"`, `href="/.well-known/x402.json"`)
}

func TestTheLinksOfTheCatalogHaveTheirTypes(t *testing.T) {
	s := start(t, everything)
	set := s.json("/.well-known/api-catalog").at("linkset", 0)
	s.same("anchor", set.at("anchor"), s.base+"/api/v1")
	for relation, links := range set.fields() {
		for _, link := range (value{links}).items() {
			media, _, _ := strings.Cut(s.get(value{link}.at("href").text()).header.Get("Content-Type"), ";")
			s.same(relation, value{link}.at("type"), media)
		}
	}
}

// valid holds a document against a schema.
func (s *origin) valid(about string, document value, schema string) {
	s.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	compiled, err := c.Compile(schema)
	must(s.T, err)
	if err := compiled.Validate(document.any); err != nil {
		s.Errorf("%s: %v", about, err)
	}
}

func TestTheCardAndTheCommerceDocumentHaveTheirShapes(t *testing.T) {
	for _, o := range []options{{payments: true}, {}, {base: "http://127.0.0.1:8402", payments: true}, {base: "http://[::1]:8402", payments: true}, {base: "http://localhost"}} {
		s := start(t, o)
		card, commerce := s.json("/mcp/server-card"), s.json("/.well-known/acp.json")
		s.valid("card", card, "testdata/card.schema.json#/$defs/ServerCard")
		s.valid("acp.json", commerce, "testdata/acp.schema.json#/$defs/DiscoveryResponse")
		s.same("extensions", len(commerce.at("capabilities", "extensions").items()), map[bool]int{true: 1}[o.payments])
		s.same("_meta", len(card.at("_meta").fields()), map[bool]int{true: 1}[o.payments])
	}
}

func TestTheCardPointsAtTheEndpoint(t *testing.T) {
	s := start(t, everything)
	card := s.json("/mcp/server-card")
	s.same("the older place", s.json("/.well-known/mcp/server-card.json"), card)
	s.same("name", card.at("name"), "example.tocsin.api/tocsin")
	s.same("remote", card.at("remotes", 0, "url"), s.base+"/mcp")
	for _, revision := range card.at("remotes", 0, "supportedProtocolVersions").items() {
		list := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":%q,`+
			`"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, revision)
		a := s.call(http.MethodPost, card.at("remotes", 0, "url").text(), list, "Accept: application/json, text/event-stream",
			fmt.Sprint("Mcp-Protocol-Version: ", revision), "Mcp-Method: tools/list")
		s.has(fmt.Sprint("tools by ", revision), a.text, `"name":"check_address"`)
	}
	s.same("endpoint", card.at("transport", "endpoint"), "/mcp")
	s.same("versions", []any{card.at("version"), card.at("serverInfo", "version")}, []any{"1.2.3", "1.2.3"})
	entry := s.json("/.well-known/ai-catalog.json").at("entries", 0)
	s.same("catalog", entry, map[string]any{"identifier": "urn:air:api.tocsin.example:mcp:tocsin", "type": "application/mcp-server-card+json", "url": s.base + "/mcp/server-card"})
	s.has("llms.txt", s.get("/llms.txt").text, s.base+"/mcp,", s.base+"/mcp/server-card")
}

func TestDigestsAreOfTheBytesServed(t *testing.T) {
	for _, o := range []options{everything, {}} {
		s := start(t, o)
		index := s.json("/.well-known/agent-skills/index.json")
		s.same("$schema", index.at("$schema"), "https://schemas.agentskills.io/discovery/0.2.0/schema.json")
		s.same("skills", len(index.at("skills").items()), 3)
		for _, i := range index.at("skills").items() {
			skill := value{i}
			text := s.get(skill.at("url").text()).text
			sum := sha256.Sum256(text)
			s.same("digest", skill.at("digest"), "sha256:"+hex.EncodeToString(sum[:]))
			s.same("type", skill.at("type"), "skill-md")
			name, about := skill.at("name").text(), skill.at("description").text()
			if !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(name) || !strings.HasSuffix(skill.at("url").text(), "/"+name+"/SKILL.md") || len(about) < 100 || len(about) > 1024 {
				t.Errorf("%s: %s", name, about)
			}
			if lines := bytes.Count(text, []byte("\n")); lines > 500 || len(text) > 20_000 || bytes.Contains(text, []byte("{{")) || bytes.Contains(text, []byte("<no value>")) {
				t.Errorf("%s has %d lines, %d bytes", name, lines, len(text))
			}
			var head struct {
				Name, Description, License, Compatibility string
				Metadata                                  map[string]string
			}
			must(t, yaml.Unmarshal(bytes.SplitN(text, []byte("---\n"), 3)[1], &head))
			if head.Name != name || head.Description != about || len(head.Compatibility) > 500 || head.Metadata["service"] != s.base {
				t.Errorf("%s: %+v", name, head)
			}
		}
	}
}

// llmstxt.org: a title, a summary, anything but headings, and then sections of links.
func TestTheGuideHasTheFormOfLLMSTxt(t *testing.T) {
	for _, o := range []options{everything, {}} {
		s := start(t, o)
		lines := strings.Split(string(s.get("/llms.txt").text), "\n")
		if lines[0] != "# Tocsin" || !strings.HasPrefix(lines[2], "> ") {
			t.Errorf("it begins with %q", lines[:3])
		}
		section := ""
		for _, line := range lines[1:] {
			switch {
			case strings.HasPrefix(line, "## "):
				section = line
			case strings.HasPrefix(line, "#"), section != "" && line != "" && !regexp.MustCompile(`^- \[[^\]]+\]\(https?://\S+\): .+$`).MatchString(line):
				t.Errorf("%s: %q", section, line)
			}
		}
		s.has("llms.txt", []byte(strings.Join(lines, "\n")), "- 402 `payment_required`: ", "- 429 `too_many_filings`: ")
	}
}

// What a skill tells its reader to send works as it stands there.
func TestTheCallsOfSkillsWork(t *testing.T) {
	s := start(t, everything)
	text := s.get("/.well-known/agent-skills/file-a-report/SKILL.md").text
	body := regexp.MustCompile(`(?s)-d '(\{.*?\})'`).FindSubmatch(text)
	a := s.call(http.MethodPost, "/api/v1/community-reports", string(body[1]))
	if a.status != http.StatusCreated {
		t.Fatalf("%d %s", a.status, a.text)
	}
	filed := decode(t, a.text)
	gone := s.call(http.MethodDelete, "/api/v1/community-reports/"+filed.at("id").text(), "", "x-manage-token: "+filed.at("manageToken").text())
	s.same("withdrawn", gone.status, 200)

	for _, name := range []string{"screen-before-you-pay", "check-a-link"} {
		text := s.get("/.well-known/agent-skills/" + name + "/SKILL.md").text
		for _, call := range regexp.MustCompile(`(?s)(http\S+/api/v1/\S+)(?: \\\n  -d '(\{.*?\})')?\n`).FindAllSubmatch(text, -1) {
			if bytes.Contains(call[1], []byte("/auth/")) {
				continue
			}
			method := http.MethodGet
			if len(call[2]) > 0 {
				method = http.MethodPost
				must(t, json.Unmarshal(call[2], new(any)))
			}
			s.same(string(call[1]), s.call(method, string(call[1]), string(call[2])).status, http.StatusPaymentRequired)
		}
	}
}

func TestTheMapOfTheSiteLeadsToPages(t *testing.T) {
	s := start(t, everything)
	var site struct {
		URLs []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
	}
	must(t, xml.Unmarshal(s.get("/sitemap.xml").text, &site))
	robots := s.get("/robots.txt").text
	for _, u := range site.URLs {
		a := s.get(u.Loc)
		if !strings.HasPrefix(u.Loc, s.base+"/") || !strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s is %s", u.Loc, a.header.Get("Content-Type"))
		}
		for _, rule := range regexp.MustCompile(`(?m)^Disallow: (\S+)$`).FindAllSubmatch(robots, -1) {
			prefix, whole := strings.CutSuffix(string(rule[1]), "$")
			if path := strings.TrimPrefix(u.Loc, s.base); path == prefix || !whole && strings.HasPrefix(path, prefix) {
				t.Errorf("%s is disallowed by %s", u.Loc, rule[1])
			}
		}
	}
	s.same("pages", len(site.URLs), 25)
	s.has("robots.txt", robots, "User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=no\nAllow: /\nDisallow: /screen\nDisallow: /account\nDisallow: /report$\n", "Sitemap: "+s.base+"/sitemap.xml\n")
}

func TestSecurityTxtExpiresWithinAYear(t *testing.T) {
	s := start(t, everything)
	expiry := func() time.Time {
		text := s.get("/.well-known/security.txt").text
		s.has("security.txt", text, "Contact: mailto:security@tocsin.example\n", "Canonical: "+s.base+"/.well-known/security.txt\n")
		at, err := time.Parse(time.RFC3339, string(regexp.MustCompile(`(?m)^Expires: (\S+)$`).FindSubmatch(text)[1]))
		must(t, err)
		return at
	}
	first := expiry()
	if left := first.Sub(s.Now()); left < 100*24*time.Hour || left > 365*24*time.Hour {
		t.Errorf("it expires in %v", left)
	}
	s.Sleep(400 * 24 * time.Hour) // the program has run for long
	if got := expiry().Sub(first); got != 400*24*time.Hour {
		t.Errorf("400 days later it expires %v later", got)
	}
}

func TestContactsAndSignals(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "mailto:security@tocsin.example": "mailto:security@tocsin.example", "https://tocsin.example/contact": "https://tocsin.example/contact",
		"security@tocsin.example": "!", "http://tocsin.example": "!", "https://": "!", "mailto:": "!", "mailto:a b@c": "!", "mailto:a@b.example?subject=x": "!",
		"https://u:p@tocsin.example": "!", "tel:+1-201-555-0123": "!", "mailto:a@b.example\nExpires: x": "!",
	} {
		got, err := ParseContact(text)
		if err != nil {
			got = "!"
		}
		if got != want {
			t.Errorf("contact %q: %q, not %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		DefaultSignal: DefaultSignal, "none": "", "ai-train=no": "ai-train=no", " search=yes,ai-train=yes ": "search=yes, ai-train=yes",
		"": "!", "search": "!", "search=maybe": "!", "ai_train=no": "!", "search=yes,search=no": "!", "search=yes\nDisallow: /": "!",
	} {
		got, err := ParseSignal(text)
		if err != nil {
			got = "!"
		}
		if got != want {
			t.Errorf("signal %q: %q, not %q", text, got, want)
		}
	}
}
