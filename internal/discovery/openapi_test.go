package discovery

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

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
		want, ok := map[string]string{
			"fileReport":     "[nothing apiKey bearer]",
			"me":             "[nothing apiKey bearer]",
			"withdrawReport": "[manageToken]",
			"revokeKey":      "[apiKey bearer]",
			"getReport":      "[]",
			"signInNonce":    "[]",
			"signIn":         "[]",
			"leaderboard":    "[]",
			"paymentStatus":  "[]",
			"stats":          "[]",
			"status":         "[]",
		}[op.at("operationId").text()]
		if !ok {
			want = "[apiKey bearer signInWithX x402]"
		}
		s.same(op.at("operationId").text(), fmt.Sprint(ways), want)
	}
}

func TestTheFreeCallsOfTheDeploymentAreInEveryDocument(t *testing.T) {
	s := start(t, options{quota: 2_345_678})
	for path, want := range map[string]string{
		"/openapi.json": "2,345,678 free calls a UTC day", "/openapi.yaml": "2,345,678 free calls a UTC day",
		"/docs": "2,345,678 free calls a day", "/docs/keys": "2,345,678 free calls a day",
		"/docs/screen-address": "1 of your 2,345,678 daily calls",
		"/llms.txt":            "2,345,678 calls a UTC day",
		"/.well-known/agent-skills/check-a-link/SKILL.md": "2,345,678 calls a UTC day",
	} {
		text := s.get(path).text
		s.has(path, text, want)
		s.lacks(path, text, "10 free calls", "10 calls", "2345678")
	}
	one := start(t, options{quota: 1})
	one.has("one call", one.get("/openapi.json").text, "a key has 1 free call a UTC day")
}

func TestDocumentsAreCompressedForClientsThatTakeIt(t *testing.T) {
	s := start(t, everything)
	for _, path := range s.documents.paths() {
		plain := s.call(http.MethodGet, path, "", "Accept-Encoding: identity")
		packed := s.call(http.MethodGet, path, "", "Accept-Encoding: gzip")
		z, err := gzip.NewReader(bytes.NewReader(packed.text))
		must(t, err)
		text, err := io.ReadAll(z)
		must(t, err)
		s.same(path, string(text), string(plain.text))
		tag := packed.header.Get("ETag")
		s.same(path, []any{packed.header.Get("Content-Encoding"), packed.header.Get("Vary"), plain.header.Get("Vary"),
			plain.header.Get("Content-Encoding"), tag != "" && tag != plain.header.Get("ETag"),
			packed.header.Get("Content-Type")},
			[]any{"gzip", "Accept-Encoding", "Accept-Encoding", "", true, plain.header.Get("Content-Type")})
		for headers, want := range map[[2]string]int{
			{"Accept-Encoding: gzip", "If-None-Match: " + tag}:                           304,
			{"Accept-Encoding: identity", "If-None-Match: " + tag}:                       200,
			{"Accept-Encoding: identity", "If-None-Match: " + plain.header.Get("ETag")}:  304,
			{"Accept-Encoding: gzip;q=0", "If-None-Match: " + packed.header.Get("ETag")}: 200,
		} {
			s.same(path+" "+headers[0], s.call(http.MethodGet, path, "", headers[:]...).status, want)
		}
	}
	size := len(s.call(http.MethodGet, "/openapi.json", "", "Accept-Encoding: gzip").text)
	if whole := len(s.get("/openapi.json").text); size > whole/4 {
		t.Errorf("/openapi.json has %d of %d bytes", size, whole)
	}
}

func TestOpenAPIIsThePublishedContract(t *testing.T) {
	s := start(t, everything)
	document := s.json("/openapi.json")
	s.same("version", document.at("openapi"), "3.1.0")
	s.same("servers", document.at("servers"), []any{map[string]any{"url": s.base}})
	s.same("contact", document.at("info", "contact"), map[string]any{"email": "security@tocsin.example"})
	s.same("guide", document.at("x-agentcash-guidance", "llmsTxtUrl"), s.base+"/llms.txt")
	if n := len(document.at("info", "x-guidance").text()); n < 200 || n > 4000 { // readers ignore over 1,000 tokens
		t.Errorf("x-guidance has %d characters", n)
	}
	text := s.get("/openapi.json").text
	s.lacks("openapi.json", text, "x-rest-of-path", "https://tocsin.example", `"<<"`)
	s.has("openapi.json", text, "x-codes")
	var asYAML any
	must(t, yaml.Unmarshal(s.get("/openapi.yaml").text, &asYAML))
	s.same("openapi.yaml", asYAML, document)

	// What callers send is checked for fields that nobody knows; what they are answered may have new ones.
	closed := func(schema string) bool {
		s := document.at("components", "schemas", schema)
		return s.at("additionalProperties").any != nil || s.at("unevaluatedProperties").any != nil
	}
	for schema, want := range map[string]bool{"ReportDraft": true, "Batch": true, "SubjectBatch": true,
		"AddressScreening": false, "RelatedSubjects": false, "ReportPage": false, "Evidence": false} {
		s.same(schema+" is closed", closed(schema), want)
	}

	// Every schema can be compiled, and every example has the form of its schema.
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	raw, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	must(t, err)
	must(t, c.AddResource("openapi.json", raw))
	_, operations := s.operations()
	for _, op := range operations {
		at := "openapi.json#/paths/" + strings.NewReplacer("/", "~1", "{", "%7B", "}", "%7D").Replace(op.path) +
			"/" + strings.ToLower(op.method)
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

// TestManyAtOnceReadTheSameDocuments is what the race detector watches of the documents (test.sh).
func TestManyAtOnceReadTheSameDocuments(t *testing.T) {
	s := start(t, everything)
	var first sync.Map // by path and encoding: what its first reader got
	var readers sync.WaitGroup
	for reader := range 4 {
		readers.Go(func() {
			for i, path := range s.documents.paths() {
				encoding := []string{"identity", "gzip"}[(reader+i)%2]
				text := string(s.call(http.MethodGet, path, "", "Accept-Encoding: "+encoding).text)
				if before, was := first.LoadOrStore(path+" "+encoding, text); was && before != text {
					t.Errorf("%s, %s: two readers got different documents", path, encoding)
				}
			}
		})
	}
	readers.Wait()
}
