package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"tocsin"
	"tocsin/internal/contract"
	"tocsin/internal/front"
)

// Limits of a message: its bytes, as many as the largest body that the API takes
// and a payment; how deep it is nested, and how many fields and entries it has (the
// largest report has some 400, six deep); and the bytes of its id.
const (
	maxBody  = front.MaxBody
	maxDepth = 32
	maxParts = 2000
	maxID    = 256

	maxMessage = 300 // characters of an error of the SDK
)

// rpcError is a response to a message that the SDK does not see.
type rpcError struct {
	id      json.RawMessage // nil if the message has none, or none that can be sent back
	code    int
	message string
}

// invalidRequest is the error of a message that is not one of the protocol.
func invalidRequest(message string) *rpcError {
	return &rpcError{code: jsonrpc.CodeInvalidRequest, message: message}
}

var tooLong = invalidRequest(fmt.Sprintf("a message has at most %d bytes", maxBody))

func (e *rpcError) encode() []byte {
	return []byte(encoded(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id,omitempty"`
		Error   any             `json:"error"`
	}{"2.0", e.id, map[string]any{"code": e.code, "message": e.message}}))
}

// status is that of HTTP. Since 2026-07-28 an unknown method has one of its own;
// before, an error that answers a message was a response like others.
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

// served are the methods that are answered.
//
// SDK: it serves subscriptions/listen whatever the capabilities of the server, and
// holds the connection until the client leaves (mcp/server.go, subscriptionsListen;
// nothing switches it off).
var served = map[string]bool{
	"initialize":               true,
	"server/discover":          true,
	"ping":                     true,
	"tools/list":               true,
	"tools/call":               true,
	"resources/list":           true,
	"resources/templates/list": true,
	"resources/read":           true,

	"notifications/initialized":        true,
	"notifications/cancelled":          true,
	"notifications/progress":           true,
	"notifications/roots/list_changed": true,
}

// validate looks at a message before the SDK does. It returns nil for a good one.
//
// SDK: it repeats methods, names of tools and URIs of any length in its errors
// (mcp/server.go, callTool and readResource); it takes an id of any length, and
// rounds one that is a fraction (internal/jsonrpc2/messages.go, MakeID).
func (s *Server) validate(message []byte) *rpcError {
	if fault := tooComplex(message); fault != "" {
		return invalidRequest(fault)
	}
	var m envelope
	switch err := read(message, &m); {
	case err != nil || m.JSONRPC != "2.0":
		return invalidRequest("this is no message of JSON-RPC 2.0")
	case len(m.ID) > 0 && !goodID(m.ID):
		return invalidRequest(fmt.Sprintf("an id is a text of at most %d bytes, or a whole number", maxID))
	}
	fault := func(code int, format string, args ...any) *rpcError {
		return &rpcError{json.RawMessage(m.ID), code, fmt.Sprintf(format, args...)}
	}
	switch name := contract.RepeatedName(message); {
	case name == "id":
		return invalidRequest("id is given more than once; send it once")
	case name != "":
		return fault(jsonrpc.CodeInvalidRequest, "%s is given more than once; send it once", name)
	}
	var p struct {
		Name string `json:"name"`
		URI  string `json:"uri"`
	}
	if m.Params != nil {
		read(m.Params, &p) // what does not fit is for the SDK
	}
	switch {
	case m.Method == "": // a response; nothing was asked
	case !served[m.Method]:
		return fault(jsonrpc.CodeMethodNotFound, "there is no method %q here", tocsin.Clip(m.Method, 60))
	case m.Method == "tools/call" && !slices.Contains(s.tools, p.Name):
		return fault(jsonrpc.CodeInvalidParams, "there is no tool %q; the tools are %s",
			tocsin.Clip(p.Name, 60), strings.Join(s.tools, ", "))
	case m.Method == "resources/read" && !slices.Contains(s.resources, p.URI):
		return fault(jsonrpc.CodeInvalidParams, "there is no such resource; the resources are %s",
			strings.Join(s.resources, ", "))
	}
	return nil
}

// envelope is a message of JSON-RPC 2.0.
type envelope struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Method  string         `json:"method"`
	Params  jsontext.Value `json:"params"`
}

// read reads JSON as the SDK does: names in exactly their letters (issue 805), and
// the last of those that occur twice, which is refused only when the id is known.
// So no message can mean one thing here and another there.
func read(text []byte, into any) error {
	return jsonv2.Unmarshal(text, into, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// goodID reports whether an id comes back as it was sent.
func goodID(id []byte) bool {
	if id[0] == '"' {
		return len(id) <= maxID
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	return err == nil && n >= -1<<53 && n <= 1<<53
}

// tooComplex says why a message would cost too much to read, "" if it would not.
// Later revisions have no batches.
//
// SDK: it reads what is nested once for each level, down to a thousand
// (internal/json/json.go, checkMaxDepth; pull request 1207 bounds the bytes only).
func tooComplex(message []byte) string {
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

// sanitizeError rewrites an error of the SDK that repeats what it was sent, which
// may be long or confidential.
//
// SDK: it puts params that do not fit into the message of its error, whole
// (mcp/shared.go, newMethodInfo; pull request 1087 kept that).
func sanitizeError(response []byte) []byte {
	if !bytes.Contains(response, []byte(`"error":`)) {
		return response
	}
	var m struct {
		ID    json.RawMessage
		Error *struct {
			Code    int
			Message string
		}
	}
	if json.Unmarshal(response, &m) != nil || m.Error == nil {
		return response
	}
	if said := m.Error.Message; !strings.Contains(said, "unmarshaling") && tocsin.Clip(said, maxMessage) == said {
		return response
	}
	e := rpcError{m.ID, m.Error.Code, "the params do not have the form that this method wants"}
	return append(e.encode(), '\n')
}
