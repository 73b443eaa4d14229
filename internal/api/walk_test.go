package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/contract"
)

// walker makes up calls of operations from nothing but the contract: right ones
// and wrong ones, by chance that can be repeated.
type walker struct {
	*service
	*rand.Rand
	live   string            // a key
	known  []string          // what answers told, and may be sent: cursors, subjects
	ids    []string          // of reports
	tokens map[string]string // by the id of a report
}

// calls of each operation; TOCSIN_WALK_SEED repeats a walk.
const callsEach = 300

// TestEveryOperationKeepsTheContractWhateverIsSent walks through every operation
// with generated input. The harness holds each answer against the contract, so
// that what remains is to tell an answer that blames us, and a walk that never
// got past the door.
func TestEveryOperationKeepsTheContractWhateverIsSent(t *testing.T) {
	seed := uint64(1)
	if text := os.Getenv("TOCSIN_WALK_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	s := openShop(t, func(c *Config) { c.Limits.Filings = 100_000; c.Quota = 1_000_000 })
	s.list("walked", "walked", tocsin.Risk, "phishing", thief, "walked.example")
	w := &walker{service: s.service, Rand: rand.New(rand.NewPCG(seed, 0)), tokens: map[string]string{}, live: s.key(-1)}
	w.known = []string{thief, "walked.example", w.live}
	answered := map[string]map[int]int{} // by operation and status
	for range callsEach {
		for _, op := range s.api.contract.Operations() {
			a := w.call(op)
			if answered[op.ID] == nil {
				answered[op.ID] = map[int]int{}
			}
			answered[op.ID][a.status]++
			if a.status >= 500 {
				t.Errorf("seed %d, %s: %d %s", seed, op.ID, a.status, a.raw)
			}
		}
	}
	for _, op := range s.api.contract.Operations() {
		seen := answered[op.ID]
		t.Logf("%-15s %v", op.ID, seen)
		if seen[200]+seen[201] == 0 && op.ID != "signIn" { // which needs a signature
			t.Errorf("seed %d: no call of %s was answered: %v", seed, op.ID, seen)
		}
		if op.Price != "" && (seen[400] == 0 || seen[402] == 0) {
			t.Errorf("seed %d: no call of %s was wrong or unpaid: %v", seed, op.ID, seen)
		}
	}
}

type schema = map[string]any

// call makes one call of an operation.
func (w *walker) call(op *contract.Operation) *answer {
	w.t.Helper()
	wild := w.IntN(3) == 0 // then anything may be wrong
	path, query, headers := strings.TrimPrefix(op.Path, w.api.contract.Base), []string{}, []string{}
	for _, p := range op.Parameters {
		name := p.Name
		value := fmt.Sprint(w.parameter(p, wild))
		switch p.In {
		case "path":
			if value == "" || value == "." || value == ".." {
				value = "-"
			}
			path = strings.Replace(path, "{"+name+"}", url.PathEscape(value), 1)
		case "query":
			times := w.times(p.Required, wild)
			if !wild && p.Example == nil && p.Default == "" && w.IntN(4) > 0 {
				times = 0 // a cursor, say, which chance does not meet
			}
			for range times {
				query = append(query, url.QueryEscape(name)+"="+url.QueryEscape(value))
			}
		case "header":
			if w.times(false, wild) > 0 {
				headers = append(headers, name+": "+strings.Map(visible, value))
			}
		}
	}
	if wild && w.IntN(8) == 0 {
		query = append(query, w.pick("nonsense=1", "limit=1&limit=2", "%zz", "=", "q=%00", "q=%ff"))
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	headers = append(headers, w.credentials(wild)...)
	if id := path[strings.LastIndexByte(path, '/')+1:]; w.tokens[id] != "" && !wild {
		headers = append(headers, "x-manage-token: "+w.tokens[id])
	}
	var body any
	if op.TakesBody() {
		body = w.body(op.Body, wild)
		if wild && w.IntN(10) == 0 {
			headers = append(headers,
				"Content-Type: "+w.pick("text/plain", "", "application/json; charset=utf-8", "application/jso"))
		}
	}
	method := op.Method
	if wild && w.IntN(30) == 0 {
		method = http.MethodHead
	}
	a := w.do(method, path, body, headers...)
	for _, at := range []string{"nextCursor", "nextSince", "nonce"} {
		if text := a.text(at); text != "" && w.IntN(20) == 0 {
			w.known = append(w.known, text)
		}
	}
	if token := a.text("manageToken"); token != "" {
		w.ids, w.tokens[a.text("id")] = append(w.ids, a.text("id")), token
	}
	if op.ID == "revokeKey" && a.status == http.StatusOK {
		w.live = w.key(-1)
	}
	return a
}

// credentials are mostly a good key; a payment is one that nobody signed.
func (w *walker) credentials(wild bool) []string {
	if !wild {
		return []string{"x-api-key: " + w.live}
	}
	var headers []string
	for _, name := range []string{"x-api-key", "x-manage-token", "PAYMENT-SIGNATURE", "X-PAYMENT", "Idempotency-Key",
		"X-Request-Id", "X-Forwarded-For"} {
		if w.IntN(4) == 0 {
			headers = append(headers,
				name+": "+strings.Map(visible, w.pick(w.text(40), w.pick(w.known...), "", "e30=", "eyJ4NDAyVmVyc2lvbiI6Mn0=")))
		}
	}
	return headers
}

// visible drops what no header may hold.
func visible(r rune) rune {
	if r < ' ' || r > '~' {
		return -1
	}
	return r
}

func (w *walker) pick(from ...string) string { return from[w.IntN(len(from))] }

// times is how often a parameter is sent.
func (w *walker) times(required, wild bool) int {
	switch {
	case wild && w.IntN(6) == 0:
		return w.IntN(3)
	case required:
		return 1
	}
	return w.IntN(2)
}

// parameter is a value for a parameter: its example, something that is known, or what its schema lets through or not.
func (w *walker) parameter(p contract.Field, wild bool) any {
	switch n := w.IntN(6); {
	case wild && n < 3:
		return w.wrong()
	case n < 5 && p.Name == "id" && len(w.ids) > 0: // that of the example is nobody's
		return w.pick(w.ids...)
	case p.Example != nil && n < 5:
		return p.Example.Any()
	}
	return w.value(p.Value.Any().(schema), false)
}

// body is a body: the example, the example with changes, or what the schema says.
func (w *walker) body(content contract.Field, wild bool) any {
	if wild && w.IntN(10) == 0 {
		return w.pick("", "{", "null", "[]", `"text"`, "1e999", `{"a":`+strings.Repeat("[", 50)+strings.Repeat("]", 50)+"}",
			"\xff", `{"title":"a","title":"b"}`)
	}
	made := w.value(content.Value.Any().(schema), wild)
	fields, ok := made.(schema)
	if !ok || w.IntN(3) == 0 {
		return made
	}
	example := content.Example.Any().(schema)
	for _, name := range slices.Sorted(maps.Keys(example)) { // so that some of it is good
		if w.IntN(4) > 0 {
			fields[name] = example[name]
		}
	}
	return fields
}

// value makes what a schema describes; with wild also what it does not.
func (w *walker) value(of schema, wild bool) any {
	if wild && w.IntN(12) == 0 {
		return w.wrong()
	}
	if listed, ok := of["enum"].([]any); ok {
		return listed[w.IntN(len(listed))]
	}
	if fixed, ok := of["const"]; ok {
		return fixed
	}
	kind, _ := of["type"].(string)
	if kinds, ok := of["type"].([]any); ok {
		kind = kinds[w.IntN(len(kinds))].(string)
	}
	limit := func(name string, usual int) int {
		if n, ok := of[name].(json.Number); ok {
			whole, err := n.Int64()
			if err == nil {
				return int(whole)
			}
		}
		return usual
	}
	switch kind {
	case "null":
		return nil
	case "boolean":
		return w.IntN(2) == 0
	case "integer", "number":
		low, high := limit("minimum", -1000), limit("maximum", 1_000_000)
		edge := w.IntN(4)
		switch {
		case edge == 0:
			return low
		case edge == 1:
			return high
		case wild && edge == 2:
			return high + 1
		}
		return low + w.IntN(high-low+1)
	case "string":
		least, most := limit("minLength", 0), limit("maxLength", 200)
		switch {
		case w.IntN(3) == 0:
			return w.pick(w.known...)
		case wild && w.IntN(6) == 0:
			return strings.Repeat("x", most+1)
		case w.IntN(20) == 0:
			return strings.Repeat("y", most)
		}
		text := w.text(min(most, 60))
		for len(text) < least {
			text += "z"
		}
		return text
	case "array":
		least, most := limit("minItems", 0), limit("maxItems", 20)
		n := least + w.IntN(min(most, 6)-least+1)
		if wild && w.IntN(10) == 0 {
			n = most + 1
		}
		list := make([]any, n)
		for i := range list {
			list[i] = w.value(of["items"].(schema), wild)
		}
		return list
	case "object":
		made := schema{}
		required, _ := of["required"].([]any)
		properties, _ := of["properties"].(schema)
		names := make([]string, 0, len(properties))
		for name := range properties {
			names = append(names, name)
		}
		slices.Sort(names) // chance must not depend on the order of a map
		for _, name := range names {
			if wild && w.IntN(8) == 0 || !slices.Contains(required, any(name)) && w.IntN(2) == 0 {
				continue
			}
			made[name] = w.value(properties[name].(schema), wild)
		}
		if wild && w.IntN(10) == 0 {
			made[w.text(10)] = w.wrong()
		}
		return made
	}
	return w.text(40)
}

// alphabet has letters, what texts are made of that break things, and what is only looked like.
var alphabet = []rune("abcxyz0189ABCF.-_/:@%&=+?#'\"*()[]{}<>|\\ \t\n\x00" +
	"\u00e9\u0301\u202e\u200b\ufeff\uff0e\u3002\u0130\U0001F514\ufffd偽")

func (w *walker) text(most int) string {
	switch w.IntN(5) {
	case 0:
		return fmt.Sprintf("0x%040x", w.Uint64())
	case 1:
		return fmt.Sprintf("site%d.example", w.IntN(1000))
	}
	text := make([]rune, w.IntN(most+1))
	for i := range text {
		text[i] = alphabet[w.IntN(len(alphabet))]
	}
	return string(text)
}

// wrong is a value of any type.
func (w *walker) wrong() any {
	values := []any{nil, true, -1, 0, 101, 1e300, 2.5, "", " ", "null", "0x", thief[:41], thief + "0",
		strings.Repeat("a", 5000), "http://[::1]:99999/%", "xn--", "..", "2026-02-30", "9999-12-31T23:59:59Z",
		"' OR 1=1 --", "\"", "*", "NEAR(", []any{}, schema{}, []any{nil, schema{"a": 1}}, w.text(300)}
	return values[w.IntN(len(values))]
}
