// Package x402 implements version 2 of the payment protocol x402: payment
// requirements, payments, their HTTP headers, and the calls to a facilitator that
// verifies and settles payments. It does not know what is sold.
//
// The sections named in comments are those of specs/x402-specification-v2.md in
// https://github.com/x402-foundation/x402, if no other document is named. HTTP
// headers are described in specs/transports-v2/http.md.
package x402

import (
	"encoding/base64"
	"encoding/json"
)

// Version is the protocol version that this package implements.
const Version = 2

// The headers of the HTTP transport. Each value is base64 of a JSON object.
const (
	RequiredHeader  = "PAYMENT-REQUIRED"  // a [Required], in a response with status 402
	PaymentHeader   = "PAYMENT-SIGNATURE" // a [Payment], in a request
	PaymentHeaderV1 = "X-Payment"         // the same under the name of version 1, which some clients send
	ReceiptHeader   = "PAYMENT-RESPONSE"  // a [Receipt], in a response to a payment
)

// Timeout is how long a payment stays valid after it was signed, in seconds. It
// has to be longer than one verification and two settlements take.
const Timeout = 300

// Required tells a client how it can pay (section 5.1).
type Required struct {
	X402Version int      `json:"x402Version"`
	Error       string   `json:"error"` // why payment is required, or the reason why a payment was refused
	Resource    Resource `json:"resource"`
	// Accepts lists the ways to pay, the preferred one first. It is empty while
	// the service cannot take payments.
	Accepts    []Requirements             `json:"accepts"`
	Extensions map[string]json.RawMessage `json:"extensions,omitempty"`
}

// Resource describes what is paid for (section 5.1).
type Resource struct {
	URL         string `json:"url"`                   // absolute
	Description string `json:"description,omitempty"` // at most 500 characters: facilitators refuse more
	MimeType    string `json:"mimeType,omitempty"`
}

// Requirements is one way to pay (section 5.1.2).
type Requirements struct {
	Scheme            string `json:"scheme"`
	Network           string `json:"network"` // CAIP-2
	Amount            string `json:"amount"`  // in atomic units of the asset
	Asset             string `json:"asset"`   // contract (EVM) or mint (Solana) of the token
	PayTo             string `json:"payTo"`   // wallet of the recipient
	MaxTimeoutSeconds int    `json:"maxTimeoutSeconds"`
	Extra             Extra  `json:"extra,omitzero"`
}

// Extra holds the fields that the scheme "exact" adds to [Requirements]: on EVM
// networks the name and version in the EIP-712 domain of the token, on Solana the
// wallet that pays the transaction fee.
//
// Ticket is ours: random, and another one in each 402. Clients send the chosen entry
// back unchanged (section 5.2), so it is a part of the payment that is not on the chain
// and that nobody else knows. Facilitators are not sent it.
type Extra struct {
	Name     string `json:"name,omitempty"`
	Version  string `json:"version,omitempty"`
	FeePayer string `json:"feePayer,omitempty"`
	Ticket   string `json:"ticket,omitempty"`
}

// Receipt is the result of a settlement, as the client gets it (section 5.3.2).
type Receipt struct {
	Success     bool   `json:"success"`
	ErrorReason string `json:"errorReason,omitempty"`
	Transaction string `json:"transaction"` // hash or signature; "" if there is no transaction, or it is unknown
	Network     string `json:"network"`     // CAIP-2
	Payer       string `json:"payer,omitempty"`
}

// Header returns the value of [RequiredHeader].
func (r Required) Header() string { return encode(r) }

// Header returns the value of [ReceiptHeader].
func (r Receipt) Header() string { return encode(r) }

// encode returns the value of a header: standard base64 of JSON.
func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings, numbers and valid JSON always marshal
	}
	return base64.StdEncoding.EncodeToString(text)
}
