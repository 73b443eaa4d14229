package discovery

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func TestTheFirstPageLinksToTheDocuments(t *testing.T) {
	s := start(t, everything)
	a := s.get("/")
	rels := map[string]string{}
	links := regexp.MustCompile(`<([^>]+)>; rel="([^"]+)"(?:; type="([^"]+)")?`)
	for _, link := range links.FindAllStringSubmatch(a.header.Get("Link"), -1) {
		rels[link[2]] = link[1]
		target := s.get(link[1])
		if media, _, _ := strings.Cut(target.header.Get("Content-Type"), ";"); link[3] != "" && media != link[3] {
			t.Errorf("%s is %s, not %s", link[1], media, link[3])
		}
	}
	s.same("links", rels, map[string]string{
		"api-catalog":  "/.well-known/api-catalog",
		"service-desc": "/openapi.json",
		"service-doc":  "/docs",
		"describedby":  "/llms.txt",
	})
	s.same("other pages", s.get("/docs").header.Get("Link"), "")
	s.has("the footer", a.text, `href="/docs/agents"`)
	s.has("the guide", s.get("/docs/agents").text, `href="/llms.txt"`, `href="/openapi.json"`, `href="/openapi.yaml"`,
		`href="/.well-known/x402.json"`)
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

// valid checks a document against a schema.
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
	for _, o := range []options{
		{payments: true},
		{},
		{base: "http://127.0.0.1:8402", payments: true},
		{base: "http://[::1]:8402", payments: true},
		{base: "http://localhost"},
	} {
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
		list := fmt.Sprintf(
			`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":%q,`+
				`"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},`+
				`"io.modelcontextprotocol/clientCapabilities":{}}}}`,
			revision,
		)
		a := s.call(http.MethodPost, card.at("remotes", 0, "url").text(), list, "Accept: application/json, text/event-stream",
			fmt.Sprint("Mcp-Protocol-Version: ", revision), "Mcp-Method: tools/list")
		s.has(fmt.Sprint("tools by ", revision), a.text, `"name":"check_address"`)
	}
	s.same("endpoint", card.at("transport", "endpoint"), "/mcp")
	s.same("versions", []any{card.at("version"), card.at("serverInfo", "version")}, []any{"1.2.3", "1.2.3"})
	entry := s.json("/.well-known/ai-catalog.json").at("entries", 0)
	s.same("catalog", entry, map[string]any{
		"identifier": "urn:air:api.tocsin.example:mcp:tocsin",
		"type":       "application/mcp-server-card+json",
		"url":        s.base + "/mcp/server-card",
	})
	s.has("llms.txt", s.get("/llms.txt").text, s.base+"/mcp,", s.base+"/mcp/server-card")
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
	s.same("pages", len(site.URLs), 37)
	s.has(
		"robots.txt",
		robots,
		"User-agent: *\nContent-Signal: search=yes, ai-input=yes, ai-train=no\n"+
			"Disallow: /screen\nDisallow: /account\nDisallow: /report$\n"+
			"Disallow: /reports?crimeType=\nDisallow: /reports?cursor=\nDisallow: /reports?q=\n",
		"Sitemap: "+s.base+"/sitemap.xml\n",
	)
}

// TestCrawlersThatTakeTheFirstMatchKeepToTheRules: urllib.robotparser, for one, neither takes the longest match nor
// knows wildcards (RFC 9309, section 2.2).
func TestCrawlersThatTakeTheFirstMatchKeepToTheRules(t *testing.T) {
	s := start(t, everything)
	rules := regexp.MustCompile(`(?m)^(Allow|Disallow): (\S+)$`).FindAllSubmatch(s.get("/robots.txt").text, -1)
	allowed := func(path string) bool {
		for _, rule := range rules {
			if strings.HasPrefix(path, string(rule[2])) {
				return string(rule[1]) == "Allow"
			}
		}
		return true
	}
	for path, want := range map[string]bool{
		"/": true, "/reports": true, "/reports/rep_pthow2c3vwna22xs": true, "/docs/keys": true, "/status": true,
		"/screen/0x1": false, "/screen?q=0x1": false, "/account": false, "/reports?cursor=x": false,
		"/reports?q=bridge": false, "/reports?crimeType=hack&cursor=x": false,
	} {
		s.same(path, allowed(path), want)
	}
}

// TestThosePreviewingALinkMayReadAnAnswer, and no other crawler.
func TestThosePreviewingALinkMayReadAnAnswer(t *testing.T) {
	s := start(t, everything)
	text := string(s.get("/robots.txt").text)
	groups := regexp.MustCompile(`(?m)(?:^User-agent: .+\n)+((?:^[A-Z].+\n)+)`).FindAllStringSubmatch(text, -1)
	s.same("groups", len(groups), 2)
	for _, name := range []string{"facebookexternalhit", "Twitterbot", "LinkedInBot", "TelegramBot", "WhatsApp",
		"Slackbot", "Discordbot"} {
		s.same(name, strings.Contains(groups[1][0], "User-agent: "+name+"\n"), true)
	}
	s.same("their rules", groups[1][1], strings.Replace(groups[0][1], "Disallow: /screen\n", "", 1))
}

func TestSecurityTxtExpiresWithinAYear(t *testing.T) {
	s := start(t, everything)
	expiry := func() time.Time {
		text := s.get("/.well-known/security.txt").text
		s.has("security.txt", text, "Contact: mailto:security@tocsin.example\n",
			"Canonical: "+s.base+"/.well-known/security.txt\n")
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
		"":                               "",
		"mailto:security@tocsin.example": "mailto:security@tocsin.example",
		"https://tocsin.example/contact": "https://tocsin.example/contact",
		"security@tocsin.example":        "!", "http://tocsin.example": "!", "https://": "!",
		"mailto:": "!", "mailto:a b@c": "!", "mailto:a@b.example?subject=x": "!",
		"https://u:p@tocsin.example": "!", "tel:+1-201-555-0123": "!", "xmpp:a@b.example": "!",
		"mailto:a@b.example\nExpires: x": "!",
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
		DefaultSignal: DefaultSignal,
		"none":        "",
		"ai-train=no": "ai-train=no", " search=yes,ai-train=yes ": "search=yes, ai-train=yes",
		"": "!", "search": "!", "search=maybe": "!", "ai_train=no": "!",
		"search=yes,search=no": "!", "search=yes\nDisallow: /": "!",
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
