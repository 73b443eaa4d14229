// Package x402 is the payment protocol x402, version 2: what a server asks for
// and how it is written into headers. It knows nothing of what is sold.
package x402

import (
	"encoding/base64"
	"encoding/json"
)

// Version is the only protocol version spoken here.
const Version = 2

// RequiredHeader carries a [Required] in a 402 answer (specs/transports-v2/http.md).
const RequiredHeader = "PAYMENT-REQUIRED"

// Required tells a client what it must pay (specs/x402-specification-v2.md, 5.1).
type Required struct {
	X402Version int            `json:"x402Version"`
	Error       string         `json:"error"`
	Resource    Resource       `json:"resource"`
	Accepts     []Requirements `json:"accepts"` // the ways to pay; empty while the service takes no payments
}

// Resource is what the payment is for.
type Resource struct {
	URL         string `json:"url"`                   // absolute
	Description string `json:"description,omitempty"` // at most 500 characters: a facilitator refuses more
	MimeType    string `json:"mimeType,omitempty"`
}

// Requirements is one way to pay.
type Requirements struct {
	Scheme            string         `json:"scheme"`
	Network           string         `json:"network"` // CAIP-2
	Amount            string         `json:"amount"`  // in atomic units of the asset
	Asset             string         `json:"asset"`
	PayTo             string         `json:"payTo"`
	MaxTimeoutSeconds int            `json:"maxTimeoutSeconds"`
	Extra             map[string]any `json:"extra,omitempty"`
}

// Header returns the value of [RequiredHeader]: standard base64 of the JSON.
func (r Required) Header() string {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // only strings and numbers: cannot happen
	}
	return base64.StdEncoding.EncodeToString(text)
}
