package mcp

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzMessage looks at a message before the SDK does: what is let through is one, and what is refused is answered.
func FuzzMessage(f *testing.F) {
	s := &Server{tools: []string{"screen_address"}, resources: []string{"tocsin://guide"}}
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"screen_address","arguments":{}}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":"a","error":{"code":-32602,"message":"tocsin://guide"}}`))
	f.Fuzz(func(t *testing.T, message []byte) {
		var any map[string]json.RawMessage
		switch fault := s.validate(bytes.Clone(message)); {
		case fault != nil && !json.Valid(fault.encode()):
			t.Errorf("%q is refused with %s", message, fault.encode())
		case fault == nil && json.Valid(message) && json.Unmarshal(message, &any) != nil:
			t.Errorf("%q is taken", message)
		}
		sanitizeError(message)
	})
}
