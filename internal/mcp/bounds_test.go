package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/front"
)

func equal(t *testing.T, about string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", about, got, want)
	}
}

func TestAMessageIsBoundedToTheLastPart(t *testing.T) {
	list := func(n int) string { return "{" + strings.TrimSuffix(strings.Repeat(`"x":1,`, n), ",") + "}" }
	for message, bad := range map[string]bool{
		strings.Repeat("{", maxDepth) + strings.Repeat("}", maxDepth):                     false,
		strings.Repeat("{", maxDepth+1) + strings.Repeat("}", maxDepth+1):                 true,
		`{"a":` + strings.Repeat("[", maxDepth-1) + strings.Repeat("]", maxDepth-1) + `}`: false,
		`{"a":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `}`:     true,
		"{" + strings.Repeat("{}[]", maxDepth) + "}":                                      false,
		list(maxParts + 1): false,
		list(maxParts + 2): true,
		`{"` + strings.Repeat(`\"{`, maxDepth+1) + `":1}`: false,
		`{"\\":` + strings.Repeat("[", maxDepth):          true,
		"{}[":                                             false,
		" \n[]":                                           true,
	} {
		equal(t, fmt.Sprintf("%.80s", message), tooComplex([]byte(message)) != "", bad)
	}
}

// TestTheMethodsThatAreServed are these and no others.
func TestTheMethodsThatAreServed(t *testing.T) {
	s := &Server{tools: []string{"a"}, resources: []string{"u"}}
	for method, taken := range map[string]bool{
		"initialize": true, "server/discover": true, "ping": true, "tools/list": true, "tools/call": true,
		"resources/list": true, "resources/templates/list": true, "resources/read": true,
		"notifications/initialized": true, "notifications/cancelled": true, "notifications/progress": true,
		"notifications/roots/list_changed": true, "subscriptions/listen": false, "resources/subscribe": false,
		"prompts/list": false, "completion/complete": false, "logging/setLevel": false, "Ping": false,
	} {
		message := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"name":"a","uri":"u"}}`
		fault := s.validate([]byte(message))
		equal(t, method, fault == nil, taken)
		if fault != nil {
			equal(t, method, fmt.Sprint(fault.code, " ", fault.message),
				fmt.Sprintf("-32601 there is no method %q here", method))
		}
	}
	long := strings.Repeat("x", 100)
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"` + long + `"}`: "-32601 there is no method \"" +
			tocsin.Clip(long, 60) + "\" here",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + long + `"}}`: "-32602 there is no tool \"" +
			tocsin.Clip(long, 60) + "\"; the tools are a",
		`{"jsonrpc":"2.0","id":1,"method":"resources/read"}`: "-32602 there is no such resource; the resources are u",
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`:           "-32600 this is no message of JSON-RPC 2.0",
		`{"jsonrpc":"2.0","id":` + strings.Repeat("1", 30) + `}`: "-32600 an id is a text of at most 256 bytes, " +
			"or a whole number",
	} {
		fault := s.validate([]byte(message))
		equal(t, message, fmt.Sprint(fault.code, " ", fault.message), want)
	}
	equal(t, "a response", s.validate([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`)) == nil, true)
}

func TestAnIdIsOneThatComesBackAsItWasSent(t *testing.T) {
	for id, good := range map[string]bool{
		"0": true, "-1": true, "9007199254740992": true, "-9007199254740992": true,
		"9007199254740993": false, "-9007199254740993": false, "1.0": false, "1e3": false,
		"null": false, "true": false, "[1]": false, "{}": false, `""`: true,
		`"` + strings.Repeat("x", maxID-2) + `"`: true, `"` + strings.Repeat("x", maxID-1) + `"`: false,
	} {
		equal(t, fmt.Sprintf("%.40s", id), goodID([]byte(id)), good)
	}
}

func TestTheStatusOfARefusalIsThatOfTheRevision(t *testing.T) {
	id := json.RawMessage("1")
	for _, c := range []struct {
		id       json.RawMessage
		code     int
		revision string
		want     int
	}{
		{nil, jsonrpc.CodeMethodNotFound, "2025-11-25", 400}, {nil, jsonrpc.CodeMethodNotFound, "2026-07-28", 400},
		{id, jsonrpc.CodeMethodNotFound, "2025-11-25", 200}, {id, jsonrpc.CodeMethodNotFound, "", 200},
		{id, jsonrpc.CodeMethodNotFound, "2026-07-28", 404}, {id, jsonrpc.CodeInvalidParams, "2026-07-28", 400},
		{id, jsonrpc.CodeInvalidParams, "2025-11-25", 200},
	} {
		e := &rpcError{id: c.id, code: c.code}
		equal(t, fmt.Sprint(c), e.status(c.revision), c.want)
	}
}

func TestAnErrorOfTheSDKThatRepeatsWhatItWasSentIsRewritten(t *testing.T) {
	message := func(text string) string {
		return `{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"` + text + `"}}`
	}
	for about, c := range map[string]struct {
		response string
		same     bool
	}{
		"a result":              {`{"jsonrpc":"2.0","id":7,"result":{"error":"unmarshaling"}}`, true},
		"a result with errors":  {`{"jsonrpc":"2.0","id":7,"result":{"error":{"message":"unmarshaling"}}}`, true},
		"short":                 {message(strings.Repeat("x", maxMessage)), true},
		"long":                  {message(strings.Repeat("x", maxMessage+1)), false},
		"of reading":            {message("unmarshaling x"), false},
		"no JSON":               {`"error": unmarshaling`, true},
		"an error that is text": {`{"id":7,"error":"unmarshaling"}`, true},
	} {
		got := sanitizeError([]byte(c.response))
		if c.same {
			equal(t, about, string(got), c.response)
			continue
		}
		equal(t, about, string(got), message("the params do not have the form that this method wants")+"\n")
	}
}

func TestAResponseIsSentWholeWithoutALengthThatIsNotItsOwn(t *testing.T) {
	send := func(media, body string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		b := &bufferedWriter{ResponseWriter: w, status: http.StatusOK}
		if media != "" {
			b.Header().Set("Content-Type", media)
		}
		b.Header().Set("Content-Length", "1")
		b.WriteHeader(http.StatusTeapot)
		for _, part := range strings.SplitAfter(body, " ") {
			b.Write([]byte(part))
		}
		equal(t, "sent before the end", w.Body.Len(), 0)
		b.flush()
		equal(t, media, []any{w.Code, w.Header().Get("Content-Length")}, []any{http.StatusTeapot, ""})
		return w
	}
	long := strings.Repeat("long ", maxMessage)
	equal(t, "JSON", send("application/json", `{"a": "`+long+`"}`).Body.String(), `{"a": "`+long+`"}`)
	equal(t, "text", send("text/plain; charset=utf-8", long).Body.String(), tocsin.Clip(long, maxMessage))
	equal(t, "nothing", send("", "").Body.Len(), 0)
}

func TestWhatTheFrontDoorRefusesIsAnErrorOfTheProtocol(t *testing.T) {
	s := &Server{}
	for err, want := range map[error]string{
		front.ErrPathTooLong: `414 application/json {"jsonrpc":"2.0","error":{"code":-32600,"message":"` +
			front.ErrPathTooLong.Error() + `"}}`,
		fmt.Errorf("%w: not here", front.ErrForeign): `403 application/json {"jsonrpc":"2.0","error":{"code":-32600,` +
			`"message":"foreign request: not here"}}`,
		front.ErrBusy: `503 application/json {"jsonrpc":"2.0","error":{"code":-32603,"message":"` + front.ErrBusy.Error() +
			`; send the message again in a few seconds"}}`,
		front.ErrCrowded: `503 application/json {"jsonrpc":"2.0","error":{"code":-32603,"message":"` +
			front.ErrCrowded.Error() + `; send the message again in a few seconds"}}`,
		front.TooFast{Wait: time.Second}: `429 application/json {"jsonrpc":"2.0","error":{"code":-32603,` +
			`"message":"too many requests come from this network; send the message again in a few seconds"}}`,
		errors.New("a secret"): `500 application/json {"jsonrpc":"2.0","error":{"code":-32603,` +
			`"message":"something failed on our side"}}`,
	} {
		w := httptest.NewRecorder()
		s.ServeError(w, nil, err)
		equal(t, err.Error(), fmt.Sprint(w.Code, " ", w.Header().Get("Content-Type"), " ", w.Body), want+"\n")
	}
	cut := httptest.NewRequest(http.MethodPost, "/mcp", iotest.ErrReader(errors.New("reset")))
	_, done, status, fault := s.body(httptest.NewRecorder(), cut)
	done()
	equal(t, "cut off", []any{status, fault.message}, []any{400, "the message was cut off"})
	large := httptest.NewRequest(http.MethodPost, "/mcp", iotest.ErrReader(&http.MaxBytesError{}))
	_, done, status, fault = s.body(httptest.NewRecorder(), large)
	done()
	equal(t, "too large", []any{status, fault == tooLong}, []any{413, true})
}

func TestAResultSaysWhatTheOperationDid(t *testing.T) {
	problem := &api.Problem{Status: 400, Code: "invalid_input", Detail: "It is wrong.", Errors: []tocsin.Fault{
		{Field: "a", Reason: "it is bad", Fix: "send a good one"}, {Field: "b", Reason: "it is too long", Fix: "shorten it"}}}
	price, receipt := json.RawMessage(`{"x402Version":2}`), json.RawMessage(`{"success":true}`)
	const words = "It is wrong. a: it is bad; send a good one. b: it is too long; shorten it."
	priced, paid := []string{string(price), "It is wrong."}, sdk.Meta{receiptKey: receipt}
	for about, c := range map[string]struct {
		of    api.ToolResult
		texts []string
		body  string // what it has
		meta  sdk.Meta
	}{
		"success":           {api.ToolResult{Body: json.RawMessage(" {}\n")}, []string{"{}"}, "{}", nil},
		"paid":              {api.ToolResult{Body: price, Receipt: receipt}, priced[:1], "2", paid},
		"a problem":         {api.ToolResult{Problem: problem}, []string{words}, `"code":"invalid_input"`, nil},
		"a price":           {api.ToolResult{Problem: problem, Required: price}, priced, string(price), nil},
		"a price, not paid": {api.ToolResult{Problem: problem, Required: price, Receipt: receipt}, priced, "2", paid},
		"for a moment": {api.ToolResult{Problem: problem, RetryAfter: 7}, []string{words + " Try again in 7 s."},
			`"retryAfter":7`, nil},
	} {
		r := result(c.of)
		var texts []string
		for _, block := range r.Content {
			texts = append(texts, block.(*sdk.TextContent).Text)
		}
		equal(t, about, []any{r.IsError, strings.Join(texts, "|"), r.Meta},
			[]any{c.of.Problem != nil, strings.Join(c.texts, "|"), c.meta})
		body, err := json.Marshal(r.StructuredContent)
		if err != nil || !bytes.Contains(body, []byte(c.body)) {
			t.Errorf("%s: %s, %v", about, body, err)
		}
		equal(t, about+": says when to try again", bytes.Contains(body, []byte("retryAfter")), c.of.RetryAfter > 0)
	}
}

func TestAnyTextThatIsLeftIsShown(t *testing.T) {
	for i, u := range []tocsin.Untrusted{
		{Title: "x"}, {Description: "x"}, {SubjectProjectName: "x"}, {ReporterName: "x"},
		{SocialMedia: map[string]string{"telegram": "x", "other": "\u200b"}},
		{URLs: []string{"\n", "x"}}, {ReportedDomains: []string{"x"}}, {Handles: []string{"x"}},
		{SocialMedia: map[string]string{"x": "x"}, URLs: []string{"x"}},
		{URLs: []string{"x"}, ReportedDomains: []string{"x"}}, {ReportedDomains: []string{"x"}, Handles: []string{"x"}},
	} {
		if !clean(&u) {
			t.Errorf("%d: %+v is left out", i, u)
		}
		if len(u.SocialMedia) > 1 || len(u.URLs) > 1 {
			t.Errorf("%+v has what is empty", u)
		}
	}
	six := strings.Split("1 2 3 4 5 6", " ")
	u := tocsin.Untrusted{URLs: six, ReportedDomains: six, Title: strings.Repeat("x", maxText+1)}
	clean(&u)
	equal(t, "at most", []int{len(u.URLs), len(u.ReportedDomains), len([]rune(u.Title))}, []int{5, 5, 501})
}

func TestOnlyListsHavePages(t *testing.T) {
	for _, p := range []sdk.Params{&sdk.ListToolsParams{Cursor: "x"}, &sdk.ListResourcesParams{Cursor: "x"},
		&sdk.ListResourceTemplatesParams{Cursor: "x"}} {
		equal(t, fmt.Sprintf("%T", p), cursor(p), "x")
	}
	for _, p := range []sdk.Params{nil, (*sdk.ListToolsParams)(nil), (*sdk.ListResourcesParams)(nil),
		(*sdk.ListResourceTemplatesParams)(nil), &sdk.PingParams{}} {
		equal(t, fmt.Sprintf("%T", p), cursor(p), "")
	}
}

// TestTheGuardRefusesWhatValidateWouldHave, should the SDK read a message otherwise.
func TestTheGuardRefusesWhatValidateWouldHave(t *testing.T) {
	called := 0
	guarded := (&Server{}).guard(func(context.Context, string, sdk.Request) (sdk.Result, error) {
		called++
		return nil, nil
	})
	for method, code := range map[string]int64{"subscriptions/listen": jsonrpc.CodeMethodNotFound,
		"": jsonrpc.CodeMethodNotFound, "tools/list": jsonrpc.CodeInvalidParams} {
		_, err := guarded(t.Context(), method, &sdk.ListToolsRequest{Params: &sdk.ListToolsParams{Cursor: "x"}})
		var refusal *jsonrpc.Error
		if !errors.As(err, &refusal) || refusal.Code != code {
			t.Errorf("%q: %v", method, err)
		}
	}
	equal(t, "called", called, 0)
	_, err := guarded(t.Context(), "tools/list", &sdk.ListToolsRequest{Params: &sdk.ListToolsParams{}})
	equal(t, "a good one", []any{called, err}, []any{1, nil})
}
