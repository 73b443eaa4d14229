package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

const report = `{"crimeType":"phishing","title":"Fake airdrop","description":"It took all.",` +
	`"scammerAddresses":["` + thief + `"],"reportedDomains":["evil.example"]}`

// calls has a good call of every tool.
var calls = map[string]args{
	"check_address":    {"address": thief},
	"check_addresses":  {"addresses": []string{thief}},
	"check_domain":     {"domain": "https://evil.example/a/b?c=d"},
	"check_domains":    {"domains": []string{"evil.example", "no domain", "metamask-login.io"}},
	"check_account":    {"account": "bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"},
	"check_subjects":   {"subjects": []string{thief, "telegram:lena", "evil.example"}, "history": true},
	"related_subjects": {"subject": thief},
	"search_reports":   {"q": "airdrop"},
	"list_reports":     {"limit": 5, "crimeType": "phishing"},
	"file_report": {"crimeType": "hack", "title": "Mine", "description": "Gone.",
		"scammerAddresses": []string{"0x000000000000000000000000000000000000dEaD"}, "idempotencyKey": "one"},
	"my_stats": {},
}

func (s *service) file(text string) (id string) {
	s.Helper()
	res, err := http.Post(s.url+s.api.Contract().Base+"/community-reports", "application/json", strings.NewReader(text))
	if err != nil {
		s.Fatal(err)
	}
	defer res.Body.Close()
	var made struct{ ID string }
	if json.NewDecoder(res.Body).Decode(&made) != nil || made.ID == "" {
		s.Fatalf("%d for %s", res.StatusCode, text)
	}
	return made.ID
}

// TestAToolHasTheHistoryOfListingsOnRequest, in a batch and alone.
func TestAToolHasTheHistoryOfListingsOnRequest(t *testing.T) {
	s := start(t)
	tocsintest.List(t, s.db, "ofac", "ofac", tocsin.Sanction, "", thief)
	c := s.connect(revisions[0], s.key(100))
	for _, history := range []bool{true, false} {
		one := c.call("check_address", args{"address": thief, "history": history}).body
		many := c.call("check_subjects", args{"subjects": []string{thief}, "history": history}).body
		listed := any(nil)
		if history {
			listed = "ofac"
		}
		s.want("on request", []any{tocsintest.At(one, "listHistory.0.list"),
			tocsintest.At(many, "results.0.listHistory.0.list")}, []any{listed, listed})
	}
}

func TestTheToolsAreThoseOfTheContract(t *testing.T) {
	s := start(t)
	for _, revision := range revisions {
		c := s.connect(revision, "")
		is := c.InitializeResult()
		s.want("revision", is.ProtocolVersion, revision)
		s.want("server", []any{is.ServerInfo.Name, is.ServerInfo.Title, is.ServerInfo.Version, is.ServerInfo.WebsiteURL},
			[]any{"tocsin", "Tocsin", "0.0.0", baseURL})
		s.want("instructions", strings.Contains(is.Instructions, "If a call fails you know nothing"), true)
		capabilities, _ := json.Marshal(is.Capabilities)
		s.want("capabilities", string(capabilities), `{"resources":{},"tools":{}}`)
		s.want("tools", slices.Sorted(maps.Keys(c.tools)), slices.Sorted(maps.Keys(calls)))
		for name, tool := range c.tools {
			text, _ := json.Marshal(tool)
			for _, odd := range []string{"$ref", "allOf", "unevaluatedProperties", `"example"`, `"view"`, "`/accounts/",
				"percent-encoded"} {
				if strings.Contains(string(text), odd) {
					t.Errorf("%s has %s: %s", name, odd, text)
				}
			}
			if strings.Contains(string(text), `"type":[`) {
				t.Errorf("%s has several types in one place: %s", name, text)
			}
			in, out := tool.InputSchema.(map[string]any), tool.OutputSchema.(map[string]any)
			success := out["anyOf"].([]any)[0].(map[string]any)
			s.want(name,
				[]any{in["type"], in["additionalProperties"], out["type"], success["type"], success["additionalProperties"]},
				[]any{"object", false, "object", "object", nil}) // what is answered may have new fields
			for argument, schema := range in["properties"].(map[string]any) {
				if schema.(map[string]any)["description"] == nil && name != "file_report" {
					t.Errorf("%s.%s is not described", name, argument)
				}
			}
			s.want(name+": read only", tool.Annotations.ReadOnlyHint, name != "file_report")
			s.want(name+": destructive", *tool.Annotations.DestructiveHint, false)
			s.want(name+": idempotent", tool.Annotations.IdempotentHint, true)
			s.want(name+": titles", tool.Title == tool.Annotations.Title && tool.Title != "", true)
			s.want(name+": spaces", strings.Join(strings.Fields(tool.Description), " "), tool.Description)
			free := name == "file_report" || name == "my_stats"
			s.want(name+": says that it is free", strings.Contains(tool.Description, "Free, with or without an API key"), free)
		}
		s.want("a tool in place of a path",
			strings.Contains(c.tools["check_address"].Description, "Solana and others: `check_account`"), true)
		s.want("price while no payments are taken", strings.Contains(c.tools["check_address"].Description, "$"), false)
		properties := c.tools["check_domain"].InputSchema.(map[string]any)["properties"].(map[string]any)
		domain := properties["domain"].(map[string]any)
		s.want("a URL in a tool",
			[]any{strings.Contains(domain["description"].(string), "a whole URL as it is"), domain["examples"]},
			[]any{true, []string{"uniswaplp.com"}})
		s.want("notes",
			[]any{strings.Contains(c.tools["list_reports"].Description, "only with `detail: full`"),
				strings.Contains(c.tools["file_report"].Description, "names at least one address, domain, account or handle")},
			[]any{true, true})
		s.want("needed", c.tools["file_report"].InputSchema.(map[string]any)["required"], "[crimeType title description]")
	}
	c := openShop(t).connect("", "")
	s.want("price", strings.Contains(c.tools["check_addresses"].Description, "or costs $0.40, paid by x402"), true)
}

func TestAToolAnswersWhatItsOperationDoes(t *testing.T) {
	s := start(t)
	s.file(report)
	key := s.key(100)
	for _, revision := range revisions {
		c := s.connect(revision, key)
		for tool, path := range map[string]string{
			"check_address": "/screen/" + thief + "?view=compact", "check_domain": "/domains/check/evil.example?view=compact",
			"search_reports": "/community-reports/search?q=airdrop&view=compact",
			"list_reports":   "/community-reports?limit=5&crimeType=phishing&view=compact",
		} {
			a := c.call(tool, calls[tool])
			_, body := s.get(path, "x-api-key: "+key)
			delete(a.body, "asOf")
			delete(body, "asOf")
			s.want(tool, a.body, body)
			s.want(tool+": reports", len(a.in("reports").([]any)), 1)
			if a.IsError || strings.Contains(a.text, "airdrop") && tool != "search_reports" || strings.Contains(a.text,
				"It took") {
				t.Errorf("%s says %s", tool, a.text)
			}
		}
		s.want("batch", c.call("check_addresses", calls["check_addresses"]).in("results.0.address"), thief)
		filed := c.call("file_report", calls["file_report"])
		again := c.call("file_report", calls["file_report"])
		s.want("the same again", []any{again.in("id"), again.in("duplicate")}, []any{filed.in("id"), true})
		s.want("title of one's own", filed.in("title"), nil)
		stats := c.call("my_stats", nil)
		s.want("mine", []any{stats.in("authenticated"), stats.in("reportCount")}, []any{true, 1})
	}
	s.want("none of it in vain", s.connect("", key).call("my_stats", args{}).in("freeCalls.used"), 2*(4+4+1))
}

func TestAToolSaysThatTheOperatorRefusesIt(t *testing.T) {
	s := start(t)
	key := s.key(100)
	anonymous, keyed := s.connect("", ""), s.connect("", key)
	agent, _ := keyed.call("my_stats", nil).in("agent.id").(string)
	file := func(c *client, code, say string) {
		t.Helper()
		a := c.call("file_report", calls["file_report"])
		s.want(code, []any{a.IsError, a.in("status"), a.in("code")}, []any{true, 403, code})
		if !strings.Contains(a.first(), say) {
			t.Errorf("%s says %q", code, a.first())
		}
	}
	_, err := s.db.SetFiling(t.Context(), store.Operator{}, tocsin.FilingKeysOnly)
	tocsintest.Must(t, err)
	file(anonymous, "filing_needs_key", "with a key only")
	_, err = s.db.SetFiling(t.Context(), store.Operator{}, tocsin.FilingShut)
	tocsintest.Must(t, err)
	file(keyed, "filing_closed", "takes no reports")
	_, err = s.db.Ban(t.Context(), store.Operator{}, agent)
	tocsintest.Must(t, err)
	file(keyed, "banned", "has banned the agent "+agent)
	a := keyed.call("check_address", calls["check_address"])
	s.want("a screening", []any{a.IsError, a.in("code")}, []any{true, "banned"})
}

func TestWrongArgumentsAreNamedAndCostNothing(t *testing.T) {
	s := start(t)
	key := s.key(3)
	c := s.connect("", key)
	for _, bad := range []struct {
		tool   string
		args   any
		faulty string
	}{
		{"check_address", nil, "[address]"}, {"check_address", args{}, "[address]"},
		{"check_address", args{"address": ""}, "[address]"}, {"check_address", args{"address": nil}, "[address]"},
		{"check_address", args{"address": "0x12"}, "[address]"}, {"check_address", args{"address": 12}, "[address]"},
		{"check_address", args{"address": []string{thief}}, "[address]"},
		{"check_address", args{"address": ".."}, "[address]"}, {"check_address", args{"address": "../stats"}, "[address]"},
		{"check_address", args{"address": thief + "?limit=1"}, "[address]"},
		{"check_address", args{"adress": thief}, "[address adress]"},
		{"check_address", args{"address": thief, "view": "full"}, "[view]"},
		{"check_address", args{"address": thief, "detail": "all"}, "[detail]"},
		{"check_address", args{"address": thief, "detail": 1}, "[detail]"},
		{"check_address", args{"address": thief, "detail": "compact"}, "[detail]"},
		{"check_address", args{"address": thief, "limit": 101}, "[limit]"},
		{"check_address", args{"address": thief, "limit": 1.5}, "[limit]"},
		{"check_address", args{"address": thief, "limit": "5"}, "[limit]"},
		{"check_address", args{"address": thief, "limit": 1e300}, "[limit]"},
		{"check_address", args{"address": thief, "limit": -1}, "[limit]"},
		{"check_address", args{"address": thief, "cursor": "x"}, "[cursor]"},
		{"check_address", args{"address": 1, "limit": 0, "x": 1}, "[address limit x]"},
		{"check_domain", args{"domain": ".."}, "[domain]"}, {"check_domain", args{"domain": "co.uk/../x y"}, ""},
		{"check_domain", args{"domain": "not a domain"}, "[domain]"},
		{"check_addresses", args{}, "[addresses]"}, {"check_addresses", args{"addresses": []string{}}, "[addresses]"},
		{"check_addresses", args{"addresses": []any{"0x12", 5}}, "[addresses[0] addresses[1]]"},
		{"check_addresses", args{"addresses": thief}, "[addresses]"},
		{"check_addresses", args{"addresses": slices.Repeat([]string{thief}, 51)}, "[addresses]"},
		{"check_addresses", args{"addresses": []string{thief}, "detail": "brief"}, "[detail]"},
		{"search_reports", args{}, "[q]"}, {"search_reports", args{"q": ""}, "[q]"}, {"search_reports", args{"q": 5}, "[q]"},
		{"list_reports", args{"crimeType": "theft"}, "[crimeType]"}, {"list_reports", args{"since": "yesterday"}, "[since]"},
		{"file_report", args{"title": "x", "foo": 1}, "[crimeType description foo scammerAddresses]"},
		{"file_report", args{"idempotencyKey": strings.Repeat("x", 256)}, "[idempotencyKey]"},
		{"my_stats", args{"who": "me"}, "[who]"},
	} {
		a := c.call(bad.tool, bad.args)
		about := fmt.Sprint(bad.tool, bad.args)
		if bad.faulty == "" {
			s.want(about, []any{a.IsError, a.in("domain")}, []any{false, "co.uk"})
			continue
		}
		s.want(about, []any{a.IsError, a.in("code"), a.in("status"), a.faulty()},
			[]any{true, "invalid_input", 400, bad.faulty})
		for _, field := range a.faulty() {
			if !strings.Contains(a.first(), field+": ") {
				t.Errorf("%s: the text is %q", about, a.first())
			}
		}
	}
	empty, missing := c.call("search_reports", args{"q": ""}).first(), c.call("search_reports", nil).first()
	s.want("required and empty", strings.Contains(empty, "q: it is empty"), true)
	s.want("required and missing", strings.Contains(missing, "q: it is missing"), true)
	s.want("free calls used", c.call("my_stats", nil).in("freeCalls.used"), 1)
	if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "no_such_tool"}); err == nil {
		t.Error("there is a tool that is none")
	}
	a := c.call("check_address", []string{thief})
	s.want("arguments that are a list", []any{a.IsError, a.faulty()}, []any{true, "[address arguments]"})
}

// TestAnArgumentThatThereIsNotLeadsToTheOneThatIsMeant: another name of the API, or another spelling.
func TestAnArgumentThatThereIsNotLeadsToTheOneThatIsMeant(t *testing.T) {
	s := start(t)
	c := s.connect("", s.key(10))
	for wrong, right := range map[[2]string]string{
		{"check_address", "view"}: "detail", {"check_address", "adress"}: "address", {"search_reports", "view"}: "detail",
		{"file_report", "view"}: "detail", {"file_report", "Idempotency-Key"}: "idempotencyKey",
		{"file_report", "idempotency_key"}: "idempotencyKey", {"file_report", "crime_type"}: "crimeType",
		{"file_report", "scammerAddress"}: "scammerAddresses", {"check_address", "x"}: "", {"my_stats", "who"}: "",
	} {
		fix := "remove it, or correct its spelling"
		if right != "" {
			fix = "send " + right + " in its place, or remove it"
		}
		a := c.call(wrong[0], args{wrong[1]: "full"})
		if says := wrong[1] + ": there is no such field; " + fix + "."; !strings.Contains(a.first(), says) {
			t.Errorf("%v: %s", wrong, a.first())
		}
	}
	a := c.call("file_report", args{"evidence": args{"transactionHash": []string{}}})
	s.want("within an argument", strings.Contains(a.first(), "evidence.transactionHash: there is no such field; send "+
		"transactionHashes in its place"), true)
}

// TestWhatAnotherToolTakesIsLedThere: the fix names the tool and its argument, and that call is answered.
func TestWhatAnotherToolTakesIsLedThere(t *testing.T) {
	const bitcoin = "bip122:000000000019d6689c085ae165831e93:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
	s := start(t)
	c := s.connect("", s.key(10))
	for _, wrong := range []struct{ tool, argument, text, right, as, subject string }{
		{"check_address", "address", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "check_account", "account", bitcoin},
		{"check_address", "address", "https://evil.example/a", "check_domain", "domain", "evil.example"},
		{"check_domain", "domain", thief, "check_address", "address", thief},
		{"check_account", "account", "evil.example", "check_domain", "domain", "evil.example"},
	} {
		a := c.call(wrong.tool, args{wrong.argument: wrong.text})
		s.want(wrong.text, []any{a.IsError, a.in("errors.0.field"), a.in("errors.0.fix")},
			[]any{true, wrong.argument, "screen it with " + wrong.right + ", with the " + wrong.as + " " + wrong.subject})
		s.want("the call that is named", c.call(wrong.right, args{wrong.as: wrong.subject}).IsError, false)
	}
	batch := c.call("check_addresses", args{"addresses": []string{"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", thief, "0x12"}})
	s.want("in a batch", []any{batch.in("errors.0.fix"), batch.in("errors.1.fix")},
		[]any{"to screen it with the others, call check_subjects", "send 0x and 40 hexadecimal digits; to get the answers " +
			"for the others, call check_subjects"})
}

// TestWhatIsSaidOfAFilingNamesTheArgument, and no header.
func TestWhatIsSaidOfAFilingNamesTheArgument(t *testing.T) {
	s := start(t)
	c := s.connect("", "toc_mistyped")
	report := maps.Clone(calls["file_report"])
	filed := c.call("file_report", report)
	s.want("notice", filed.in("notice"), "The key that you sent is mistyped, so this report is anonymous and does not "+
		"count for your agent. Check the key with my_stats. To file under it, withdraw this report with its manageToken, "+
		"and send it again with the right key. Without an API key, only an idempotencyKey of at least 16 characters gives "+
		"the manageToken again.")
	report["title"] = "Another"
	reused := c.call("file_report", report)
	s.want("used again", []any{reused.in("code"), reused.in("errors.0.field"), strings.Contains(reused.text, "-Key")},
		[]any{"idempotency_reuse", "idempotencyKey", false})
}

func TestWhatAModelFillsInForNothingIsNothing(t *testing.T) {
	s := start(t)
	for i := range 12 {
		s.file(strings.Replace(report, `"title":"`, fmt.Sprintf(`"title":"%d `, i), 1))
	}
	c := s.connect("", s.key(10))
	s.want("ten are enough for a model", c.call("list_reports", nil).in("count"), 10)
	for tool, arguments := range map[string]args{"list_reports": {"cursor": "", "since": "", "source": "",
		"crimeType": "", "detail": "", "limit": nil},
		"file_report": {"crimeType": "scam", "title": "t", "description": "d", "reportedDomains": []string{"x.example"},
			"idempotencyKey": ""}} {
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments}) // the schema says otherwise
		if err != nil || r.IsError {
			t.Errorf("%s: %v, %+v", tool, err, r)
		}
	}
	s.want("more for the asking", c.call("list_reports", args{"limit": 12}).in("count"), 12)
}

func TestArgumentsAreReadAsTheyStand(t *testing.T) {
	s := start(t)
	key := "X-Api-Key: " + s.key(10)
	for arguments, wanted := range map[string]string{
		`{"limit":5.0}`: `"count":0`, `{"limit":null,"cursor":null}`: `"count":0`, `null`: `"count":0`,
		`{"limit":1e1000000}`: `limit: the number is out of all bounds`,
		strings.Repeat(`{"a":`, 13) + "1" + strings.Repeat("}", 13): `is nested too deep`,
		`{"w":1,"x":1,"y":1,"z":1,"limit":"5"}`:                     `send a whole number`,
	} {
		_, _,
			body := s.post("POST",
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_reports","arguments":`+arguments+`}}`, key)
		s.want(arguments, strings.Contains(body, wanted), true)
	}
	var many []string
	for i := range 600 {
		many = append(many, fmt.Sprintf(`"%d":1`, i))
	}
	_, _, body := s.post("POST",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_reports","arguments":{`+strings.Join(many,
			",")+`}}}`, key)
	s.want("600 arguments", []any{strings.Contains(body, "arguments: it has 600 entries"), len(body) < 1000},
		[]any{true, true})
}

func TestResourcesAreTheScoreAndTheCrimeTypes(t *testing.T) {
	s := start(t)
	for _, revision := range revisions {
		c := s.connect(revision, "")
		list, err := c.ListResources(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		s.want("resources", len(list.Resources), 2)
		texts := map[string]string{}
		for _, r := range list.Resources {
			read, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: r.URI})
			if err != nil {
				t.Fatal(err)
			}
			texts[r.URI] = read.Contents[0].Text
			s.want(r.URI, []any{read.Contents[0].MIMEType, int64(len(read.Contents[0].Text))}, []any{"text/markdown", r.Size})
		}
		s.want("the score", strings.HasPrefix(texts["tocsin://risk"], "# The score"), true)
		for _, crime := range tocsin.CrimeTypes() {
			s.want(string(crime),
				strings.Contains(texts["tocsin://crime-types"],
					fmt.Sprintf("- `%s`: %s\n", crime, crime.About())) && crime.About() != "", true)
		}
	}
}

// TestTheReadmeNamesEachTool: an agent that reads it finds all that there are.
func TestTheReadmeNamesEachTool(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range calls {
		if !bytes.Contains(readme, []byte("`"+name+"`")) {
			t.Errorf("README.md does not name %s", name)
		}
	}
}
