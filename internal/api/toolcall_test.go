package api

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"testing"

	"tocsin/internal/front"
)

// toolRoom serves requests instead of the API.
type toolRoom struct {
	*Server
	serve http.HandlerFunc
}

func (room toolRoom) ServeHTTP(w http.ResponseWriter, r *http.Request) { room.serve(w, r) }

// call calls a tool, as the MCP endpoint does for a request.
func (s *service) call(tool ToolCall) (result ToolResult) {
	s.t.Helper()
	door := front.New(s.api.Deployment())
	door.Handle("/", toolRoom{s.api, func(_ http.ResponseWriter, r *http.Request) {
		tool.From = r
		result = s.api.Call(r.Context(), tool)
	}})
	door.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", nil))
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
	}
	after := s.facilitator.Counts()
	want(t, "settled, moved", []int{after.Settled, after.Moved}, []int{1, 1})
}
