package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"tocsin"
	"tocsin/internal/front"
)

// Limits of a message: its bytes, as many as the largest body that the API takes
// and a payment; how deep it is nested, and how many fields and entries it has (the
// largest report has some 400, six deep); and the bytes of what it is called.
const (
	maxBody  = front.MaxBody
	maxDepth = 32
	maxParts = 2000
	maxID    = 256

	maxMessage = 300 // characters of an error of the SDK
)

// rpcError is an answer to a message that the SDK does not see.
type rpcError struct {
	id      json.RawMessage // nil if it has none, or none that could be told back
	code    int
	message string
}

// refuse makes an error of a message that is none.
func refuse(message string) *rpcError {
	return &rpcError{code: jsonrpc.CodeInvalidRequest, message: message}
}

var tooLong = refuse(fmt.Sprintf("a message has at most %d bytes", maxBody))

func (e *rpcError) encode() []byte {
	return []byte(encoded(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id,omitempty"`
		Error   any             `json:"error"`
	}{"2.0", e.id, map[string]any{"code": e.code, "message": e.message}}))
}

// status is that of HTTP. Since 2026-07-28 an unknown method has one of its own;
// before, an error that answers a message was an answer like others.
func (e *rpcError) status(revision string) int {
	switch {
	case e.id == nil:
		return http.StatusBadRequest
	case revision < "2026-07-28":
		return http.StatusOK
	case e.code == jsonrpc.CodeMethodNotFound:
		return http.StatusNotFound
	}
	return http.StatusBadRequest
}

// served are the methods that are answered. The SDK knows more, such as a
// subscription, which would hold a connection for ever, and nothing would come.
var served = map[string]bool{"initialize": true, "server/discover": true, "ping": true, "tools/list": true, "tools/call": true,
	"resources/list": true, "resources/templates/list": true, "resources/read": true,
	"notifications/initialized": true, "notifications/cancelled": true, "notifications/progress": true, "notifications/roots/list_changed": true}

// unfit looks at a message before the SDK does, which answers much with all of
// what it was sent, and some things not at all. It returns nil for one that is good.
func (s *Server) unfit(message []byte) *rpcError {
	if fault := unwieldy(message); fault != "" {
		return refuse(fault)
	}
	var m struct {
		JSONRPC string
		ID      json.RawMessage
		Method  string
		Params  json.RawMessage
	}
	if json.Unmarshal(message, &m) != nil || m.JSONRPC != "2.0" {
		return refuse("this is no message of JSON-RPC 2.0")
	}
	if ambiguous(message, "jsonrpc", "id", "method", "params") || ambiguous(m.Params, "name", "uri", "arguments", "cursor", "_meta") {
		return refuse("a name stands in it twice, or in other letters than it has")
	}
	if len(m.ID) > 0 && !goodID(m.ID) {
		return refuse(fmt.Sprintf("an id is a text of at most %d bytes, or a whole number", maxID))
	}
	fault := func(code int, format string, args ...any) *rpcError {
		return &rpcError{m.ID, code, fmt.Sprintf(format, args...)}
	}
	var p struct{ Name, URI string }
	json.Unmarshal(m.Params, &p) // what does not fit is for the SDK
	switch {
	case m.Method == "": // an answer; nothing was asked
	case !served[m.Method]:
		return fault(jsonrpc.CodeMethodNotFound, "there is no method %q here", tocsin.Clip(m.Method, 60))
	case m.Method == "tools/call" && !slices.Contains(s.tools, p.Name):
		return fault(jsonrpc.CodeInvalidParams, "there is no tool %q; the tools are %s", tocsin.Clip(p.Name, 60), strings.Join(s.tools, ", "))
	case m.Method == "resources/read" && !slices.Contains(s.resources, p.URI):
		return fault(jsonrpc.CodeInvalidParams, "there is no such resource; the resources are %s", strings.Join(s.resources, ", "))
	}
	return nil
}

// ambiguous reports whether readers could understand an object in two ways: some
// take names in any case, and of two the first or the last.
func ambiguous(object []byte, known ...string) bool {
	in := json.NewDecoder(bytes.NewReader(object))
	if start, err := in.Token(); err != nil || start != json.Delim('{') {
		return false
	}
	seen := map[string]bool{}
	for in.More() {
		token, _ := in.Token() // it was read before
		var value json.RawMessage
		in.Decode(&value)
		name, _ := token.(string)
		lower := strings.ToLower(name)
		if slices.Contains(known, lower) {
			if name != lower || seen[lower] {
				return true
			}
			seen[lower] = true
		}
	}
	return false
}

// goodID reports whether an id comes back as it was sent.
func goodID(id json.RawMessage) bool {
	if id[0] == '"' {
		return len(id) <= maxID
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && n >= -1<<53 && n <= 1<<53
}

// unwieldy says what is wrong with a message that would be dear to read, "" if
// nothing is. The SDK reads what is nested once for each level; and later
// revisions have done away with batches, which are of use to nobody but a flood.
func unwieldy(message []byte) string {
	if bytes.HasPrefix(bytes.TrimSpace(message), []byte("[")) {
		return "send one message at a time"
	}
	depth, parts, quoted := 0, 0, false
	for i := 0; i < len(message); i++ {
		switch c := message[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ',':
			parts++
		}
		if depth > maxDepth || parts > maxParts {
			return fmt.Sprintf("a message is nested at most %d deep and has at most %d fields and entries", maxDepth, maxParts)
		}
	}
	return ""
}

// tame rewrites an error of the SDK that tells back what it was sent: it may be
// long, and is not for whoever else reads it.
func tame(answer []byte) []byte {
	var m struct {
		ID    json.RawMessage
		Error *struct {
			Code    int
			Message string
		}
	}
	if json.Unmarshal(answer, &m) != nil || m.Error == nil {
		return answer
	}
	if said := m.Error.Message; !strings.Contains(said, "unmarshaling") && tocsin.Clip(said, maxMessage) == said {
		return answer
	}
	e := rpcError{m.ID, m.Error.Code, "the params do not have the form that this method wants"}
	return append(e.encode(), '\n')
}
