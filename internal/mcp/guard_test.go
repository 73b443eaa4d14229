package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tocsin"
	"tocsin/internal/front"
	"tocsin/internal/limits"
)

func TestAPanicIsAnErrorOfOneCall(t *testing.T) {
	var log strings.Builder
	s := &Server{about: &front.Deployment{Log: slog.New(slog.NewTextHandler(&log, nil))}}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "t", Version: "1"}, nil)
	s.sdk.AddReceivingMiddleware(s.guard)
	s.sdk.AddTool(&sdk.Tool{Name: "crash", InputSchema: map[string]any{"type": "object"}},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			panic("a secret")
		})
	here, there := sdk.NewInMemoryTransports()
	if _, err := s.sdk.Connect(t.Context(), here, nil); err != nil {
		t.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, nil).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.CallTool(t.Context(), &sdk.CallToolParams{Name: "crash"})
	if err == nil || !strings.Contains(err.Error(), "something failed on our side") || strings.Contains(err.Error(),
		"secret") {
		t.Errorf("the error is %v", err)
	}
	if !strings.Contains(log.String(), "a secret") {
		t.Errorf("the log is %q", &log)
	}
	if err := c.Ping(t.Context(), nil); err != nil {
		t.Errorf("after it: %v", err)
	}
}

func TestTidyTextIsOneCutLine(t *testing.T) {
	for in, out := range map[string]string{
		"a\r\nb\u2028c\u2029d\u0085e\vf\fg":        "a b c defg",
		"\u202Ab\u202C\u200Ec\uFEFF\x00\x1b[31m":   "bc[31m",
		strings.Repeat("é", 501):                   strings.Repeat("é", 500) + "…",
		strings.Repeat("é", 500):                   strings.Repeat("é", 500),
		"tag\U000E0041s":                           "tags",
		"می\u200cخواهم ❤\ufe0f\u200d🔥 葛\U000e0100": "میخواهم ❤🔥 葛",
	} {
		if got := oneLine(in); got != out {
			t.Errorf("%q is %q, want %q", in, got, out)
		}
	}
	if nothing := (tocsin.Untrusted{Report: "rep_1", Title: " \n", URLs: []string{"\u200b"},
		SocialMedia: map[string]string{"other": ""}}); clean(&nothing) {
		t.Errorf("%+v is left", nothing)
	}
}

func TestLargeMessagesAreAnsweredAFewAtATime(t *testing.T) {
	s := &Server{large: limits.NewSlots(limits.Shares{All: 1, Network: 1, Sure: 1})}
	read := func(size int) (int, func()) {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(strings.Repeat("x", size)))
		_, done, status, _ := s.body(w, r.WithContext(front.With(r.Context(), &front.Request{})))
		if late := w.Header().Get("Retry-After") == "1"; late != (status == http.StatusServiceUnavailable) {
			t.Errorf("%d bytes: %d, %v", size, status, w.Header())
		}
		return status, done
	}
	_, done := read(largeBody + 1)
	if status, _ := read(largeBody + 1); status != http.StatusServiceUnavailable {
		t.Errorf("a second large one: %d", status)
	}
	if status, _ := read(largeBody); status != 0 {
		t.Errorf("a small one beside it: %d", status)
	}
	done()
	if status, _ := read(largeBody + 1); status != 0 {
		t.Errorf("a large one after it: %d", status)
	}
}

// TestAMessageMeansTheSameHereAndInTheSDK: what was checked is what is carried out.
func TestAMessageMeansTheSameHereAndInTheSDK(t *testing.T) {
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/list","METHOD":"x"}`,
		`{"jsonrpc":"2.0","id":1,"ID":1e300,"id":2,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"params":{"name":"b"},"Params":{"name":"c"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","param\u017f":{"name":"a"},"params":{"name":"b"}}`,
		`{"jsonrpc":"2.0","id":1,"meth\u006fd":"ping"}`,
		`{"jsonrpc":"1.0","jsonrpc":"2.0","id":1,"method":"ping"}`,
	} {
		var here envelope
		if err := read([]byte(message), &here); err != nil {
			t.Errorf("%s: %v", message, err)
			continue
		}
		decoded, err := jsonrpc.DecodeMessage([]byte(message))
		if err != nil {
			t.Errorf("%s: the SDK says %v", message, err)
			continue
		}
		there := decoded.(*jsonrpc.Request)
		if here.Method != there.Method || string(here.Params) != string(there.Params) ||
			string(here.ID) != fmt.Sprint(there.ID.Raw()) {
			t.Errorf("%s: %+v here, %+v there", message, here, there)
		}
	}
}

// TestALargeMessageHasItsPlaceWhileItIsReadByTheSDK, and not only until its bytes have arrived.
func TestALargeMessageHasItsPlaceWhileItIsReadByTheSDK(t *testing.T) {
	s := &Server{large: limits.NewSlots(limits.Shares{All: 1, Network: 1, Sure: 1}),
		about: &front.Deployment{BaseURL: "http://example.com"}}
	free := func() bool {
		leave, ok := s.large.Try(netip.Prefix{})
		if ok {
			leave()
		}
		return ok
	}
	var meanwhile []bool
	s.handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { meanwhile = append(meanwhile, free()) })
	message := `{"jsonrpc":"2.0","id":1,"method":"ping"` + strings.Repeat(" ", largeBody) + "}"
	r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(message))
	s.ServeHTTP(httptest.NewRecorder(), r.WithContext(front.With(r.Context(), &front.Request{})))
	if fmt.Sprint(meanwhile) != "[false]" || !free() {
		t.Errorf("free while it is answered: %v, afterwards: %t", meanwhile, free())
	}
}
