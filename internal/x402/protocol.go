// Package x402 is the payment protocol x402, version 2: what a server asks for,
// what a client pays with, how both are written into headers, and how a
// facilitator is asked to verify and settle. It knows nothing of what is sold.
//
// The sections named in comments are those of specs/x402-specification-v2.md
// and specs/transports-v2/http.md of the x402 foundation.
package x402

import (
	"encoding/base64"
	"encoding/json"
)

// Version is the only protocol version spoken here.
const Version = 2

// The headers of the HTTP transport.
const (
	RequiredHeader  = "PAYMENT-REQUIRED"  // carries a [Required] in a 402 answer
	PaymentHeader   = "PAYMENT-SIGNATURE" // carries a [Payment]: what every client of version 2 sends
	PaymentHeaderV1 = "X-Payment"         // carries one as well: what users of the service were told to send
	ReceiptHeader   = "PAYMENT-RESPONSE"  // carries a [Receipt]
)

// Timeout is how long a payment stays valid after it was signed, in seconds.
// It has to outlast a verification and two settlements.
const Timeout = 300

// Required tells a client what it must pay (5.1).
type Required struct {
	X402Version int                        `json:"x402Version"`
	Error       string                     `json:"error"` // why the call is not answered; of a refused payment, the reason
	Resource    Resource                   `json:"resource"`
	Accepts     []Requirements             `json:"accepts"` // the ways to pay, the preferred one first; empty while the service takes no payments
	Extensions  map[string]json.RawMessage `json:"extensions,omitempty"`
}

// Resource is what the payment is for.
type Resource struct {
	URL         string `json:"url"`                   // absolute
	Description string `json:"description,omitempty"` // at most 500 characters: a facilitator refuses more
	MimeType    string `json:"mimeType,omitempty"`
}

// Requirements is one way to pay (5.1.2).
type Requirements struct {
	Scheme            string `json:"scheme"`
	Network           string `json:"network"` // CAIP-2
	Amount            string `json:"amount"`  // in atomic units of the asset
	Asset             string `json:"asset"`   // contract of the token (EVM), its mint (Solana)
	PayTo             string `json:"payTo"`
	MaxTimeoutSeconds int    `json:"maxTimeoutSeconds"`
	Extra             Extra  `json:"extra,omitzero"`
}

// Extra is what the scheme "exact" adds to [Requirements]: on EVM networks the
// EIP-712 domain of the token, on Solana who pays the fees.
type Extra struct {
	Name     string `json:"name,omitempty"`
	Version  string `json:"version,omitempty"`
	FeePayer string `json:"feePayer,omitempty"`
}

// Receipt says what became of a payment (5.3.2).
type Receipt struct {
	Success     bool   `json:"success"`
	ErrorReason string `json:"errorReason,omitempty"`
	Transaction string `json:"transaction"` // its hash; "" if there is none, or none is known
	Network     string `json:"network"`
	Payer       string `json:"payer,omitempty"`
}

// Header returns the value of [RequiredHeader].
func (r Required) Header() string { return encode(r) }

// Header returns the value of [ReceiptHeader].
func (r Receipt) Header() string { return encode(r) }

// encode writes a header: standard base64 of the JSON.
func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // only strings and numbers: cannot happen
	}
	return base64.StdEncoding.EncodeToString(text)
}
