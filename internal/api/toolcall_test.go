package api

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/front"
	"tocsin/internal/tocsintest"
)

// toolRoom serves requests instead of the API.
type toolRoom struct {
	*Server
	serve http.HandlerFunc
}

func (room toolRoom) ServeHTTP(w http.ResponseWriter, r *http.Request) { room.serve(w, r) }

// call calls a tool, as the MCP endpoint does for a request. Headers are "name: value".
func (s *service) call(tool ToolCall, headers ...string) (result ToolResult) {
	s.t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/", nil)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	door := front.New(s.api.Deployment())
	door.Handle("/", toolRoom{s.api, func(_ http.ResponseWriter, r *http.Request) {
		tool.From = r
		result = s.api.Call(r.Context(), tool)
	}})
	door.ServeHTTP(httptest.NewRecorder(), r)
	return result
}

// TestAToolCallWhoseAnswerCannotBeDecodedCostsNothing: free text is taken out of
// the answer that is kept for a payment. That must not fail after money moved.
func TestAToolCallWhoseAnswerCannotBeDecodedCostsNothing(t *testing.T) {
	s := openShop(t)
	s.file(filing("title", "Mine"))
	screening := ToolCall{Operation: "screenAddress", Parameters: map[string]string{"address": thief, "view": "full"}}
	required := s.call(screening).Required
	payment, err := base64.StdEncoding.DecodeString(s.wallet.Pay(base64.StdEncoding.EncodeToString(required), nil))
	want(t, "payment", err, nil)
	screening.Payment = payment

	endpoint := &s.api.operations["screenAddress"].endpoint
	screen := endpoint.run
	for about, value := range map[string]any{
		"no object":      []int{1},
		"no reports":     map[string]any{"address": thief},
		"reports a text": map[string]any{"reports": "none"},
	} {
		before := s.facilitator.Counts()
		endpoint.run = func(*call) (any, error) { return value, nil }
		failed := s.call(screening)
		want(t, about, []any{failed.Problem != nil && failed.Problem.Code == internal, failed.Receipt == nil},
			[]any{true, true})
		s.counts(about, before.Verified+1, before.Settled, before.Moved)
	}
	endpoint.run = screen
	for range 2 { // the second is replayed
		paid := s.call(screening)
		if paid.Problem != nil || paid.Receipt == nil || len(paid.Reports) != 1 || paid.Reports[0].Title != "Mine" {
			t.Errorf("the same payment: %+v", paid)
		}
		brief := `"reports":[{"id":"` + paid.Reports[0].ID + `","crimeType":"phishing"`
		if body := string(paid.Body); !strings.Contains(body, brief) || strings.Contains(body, "Mine") {
			t.Errorf("the body is %s, without %s", body, brief)
		}
	}
	after := s.facilitator.Counts()
	want(t, "settled, moved", []int{after.Settled, after.Moved}, []int{1, 1})
}

// TestACallOfAToolIsPricedLikeItsOperation, in the words of tools: with a resource of its own, and nothing for
// catalogues of HTTP.
func TestACallOfAToolIsPricedLikeItsOperation(t *testing.T) {
	s := openShop(t)
	screening := ToolCall{Operation: "screenAddress", Parameters: map[string]string{"address": thief}}
	type priced struct {
		Detail     string
		Resource   struct{ URL, MimeType, Description string }
		Accepts    []struct{ Amount, Network string }
		Extensions map[string]json.RawMessage
	}
	for about, c := range map[string]struct {
		headers []string
		code    tocsin.Code
		left    int
	}{
		"without a key":    {nil, "payment_required", 0},
		"an unknown key":   {[]string{"X-Api-Key: toc_unknown"}, "unknown_key", 0},
		"a key that is up": {[]string{"X-Api-Key: " + s.key(0)}, "free_tier_exhausted", 0},
	} {
		unpaid := s.call(screening, c.headers...)
		var price priced
		tocsintest.Must(t, json.Unmarshal(unpaid.Required, &price))
		want(t, about, []any{unpaid.Problem.Code, unpaid.Problem.Status, unpaid.RetryAfter, unpaid.Receipt == nil,
			unpaid.Body == nil, price.Detail == unpaid.Problem.Detail, price.Resource.URL, price.Resource.MimeType},
			[]any{c.code, 402, 0, true, true, true, "mcp://tool/check_address", "application/json"})
		if !strings.HasSuffix(price.Detail, "send it with the same call, in _meta under x402/payment") {
			t.Errorf("%s: %s", about, price.Detail)
		}
		if len(price.Accepts) != 1 || price.Accepts[0].Amount != "10000" || price.Extensions["payment-identifier"] == nil ||
			price.Extensions["bazaar"] != nil || price.Resource.Description == "" {
			t.Errorf("%s: %s", about, unpaid.Required)
		}
	}
	op := s.api.operations["screenAddress"]
	want(t, "what catalogues of HTTP get", string((*toolCall)(nil).catalogued(op)["bazaar"]), string(op.bazaar))
	want(t, "what they get of a tool", len((&toolCall{}).catalogued(op)), 0)
	key := "X-Api-Key: " + s.key(1)
	free := s.call(screening, key)
	want(t, "with a key", []any{free.Problem == nil, strings.HasPrefix(string(free.Body), `{"address":"`+thief)},
		[]any{true, true})
	want(t, "which is counted", s.call(screening, key).Problem.Code, "free_tier_exhausted")

	local := s.call(ToolCall{Operation: "screenAddress", Parameters: screening.Parameters, Local: true})
	want(t, "of the operator", local.Problem == nil, true)
	for local, words := range map[bool]string{true: "nobody needs a key", false: "/account"} {
		me := s.call(ToolCall{Operation: "me", Local: local})
		if !strings.Contains(string(me.Body), words) || !strings.Contains(string(me.Body), `"authenticated":false`) {
			t.Errorf("local %v: %s", local, me.Body)
		}
	}
}

// TestTheFaultsOfAToolCallAreNamedWithThoseOfItsOperation.
func TestTheFaultsOfAToolCallAreNamedWithThoseOfItsOperation(t *testing.T) {
	s := start(t)
	key := s.key(1)
	for about, c := range map[string]struct {
		call   ToolCall
		fields []string
	}{
		"of an argument": {ToolCall{Faults: []tocsin.Fault{{Field: "detail"}}}, []string{"detail"}},
		"of both": {ToolCall{Faults: []tocsin.Fault{{Field: "detail"}}, Parameters: map[string]string{
			"address": thief, "limit": "0"}}, []string{"detail", "limit"}},
	} {
		if c.call.Operation = "screenAddress"; c.call.Parameters == nil {
			c.call.Parameters = map[string]string{"address": thief}
		}
		failed := s.call(c.call, "X-Api-Key: "+s.key(1))
		var fields []string
		for _, f := range failed.Problem.Errors {
			fields = append(fields, f.Field)
		}
		slices.Sort(fields)
		slices.Sort(c.fields)
		want(t, about, []any{failed.Problem.Status, fields}, []any{400, c.fields})
	}
	var codes []any
	for _, title := range []string{"a", "a", "b"} {
		body, err := json.Marshal(filing("title", title))
		tocsintest.Must(t, err)
		filed := s.call(ToolCall{Operation: "fileReport", Body: body, Parameters: map[string]string{"Idempotency-Key": "1"}},
			"X-Api-Key: "+key)
		codes = append(codes, filed.Problem != nil && filed.Problem.Code == tocsin.IdempotencyReuse)
	}
	want(t, "a parameter that is a header", codes, []any{false, false, true})
	busy := later(tooMany, 0, "busy")
	s.api.operations["me"].endpoint.run = func(*call) (any, error) { return nil, busy }
	want(t, "a wait", s.call(ToolCall{Operation: "me"}).RetryAfter, 1)
}
