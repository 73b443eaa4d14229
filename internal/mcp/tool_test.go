package mcp

import (
	"reflect"
	"testing"

	"tocsin/internal/api"
	"tocsin/internal/contract"
)

// A payment is bound to the request that the arguments of its call make, so that the same arguments must make the same
// request in every version.
func TestArgumentsBecomeARequest(t *testing.T) {
	c, err := contract.Read(contract.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for arguments, want := range map[string]api.ToolCall{
		`{"address":"0x1"}`: {
			Operation:  "screenAddress",
			Parameters: map[string]string{"address": "0x1", "limit": "10", "view": "compact"},
		},
		`{"address":"0x1","cursor":"","limit":null}`: {
			Operation:  "screenAddress",
			Parameters: map[string]string{"address": "0x1", "limit": "10", "view": "compact"},
		},
		`{"detail":"full","limit":5.0,"domain":"https://a.example/b?c"}`: {
			Operation:  "checkDomain",
			Parameters: map[string]string{"domain": "https://a.example/b?c", "limit": "5", "view": "full"},
		},
		`{ "addresses":["0x1"]}`: {
			Operation:  "checkAddresses",
			Parameters: map[string]string{},
			Body:       []byte(`{"addresses":["0x1"]}`),
		},
	} {
		tool, err := newTool(c.Operation(want.Operation))
		if err != nil {
			t.Fatal(err)
		}
		if got := tool.read([]byte(arguments)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", arguments, got, want)
		}
	}
}
