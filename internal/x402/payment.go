package x402

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxHeader is how long a payment header may be, in bytes: one with a Solana
// transaction and every extension echoed has less than 8 KB.
const maxHeader = 16 << 10

// Payment is what a client pays with (5.2).
type Payment struct {
	Accepted   Requirements // the way to pay that the client says it chose
	Identifier string       // of the extension payment-identifier; "" without one
	Resource   string       // the URL of what it is for, as the client says; nobody has signed that, and "" is as good

	// ID tells this payment from all others, whatever else was changed around
	// it: on EVM networks the network, asset, payer and nonce, on Solana the
	// message that was signed. It is not the signature, of which a payer can make many.
	ID [32]byte
	// Payload is the SHA-256 of the signed part, signature included: whoever sends
	// the same again is who sent it first, while ID and Payer are on the chain for all to see.
	Payload [32]byte
	// Payer is who pays, as the payment says: an address in EIP-55 form, or a
	// Solana wallet. Anybody can say so: see Proven.
	Payer string

	payload scheme
}

// scheme is what a payload of one kind of network knows to say.
type scheme interface {
	// encode returns the payload in one form, whatever form it came in.
	encode() any
	// check compares the payload with what is required, the time last.
	check(r Requirements, now time.Time) *Refusal
	// signed reports whether a key of the payer has surely signed it.
	signed(r Requirements) bool
}

// Malformed is the error of a header that is not a payment.
type Malformed struct{ Reason string }

// Error implements error.
func (e *Malformed) Error() string { return e.Reason }

func malformed(format string, args ...any) error { return &Malformed{fmt.Sprintf(format, args...)} }

// Refusal says why a payment is not taken. The reasons are those of the
// facilitators (9 of the specification, in the spelling of the official code).
type Refusal struct {
	Reason string // for programs
	Detail string // for people
}

// Error implements error.
func (e *Refusal) Error() string { return e.Reason + ": " + e.Detail }

// identifierForm is that of the extension payment-identifier.
var identifierForm = regexp.MustCompile(`^[a-zA-Z0-9_-]{16,128}$`)

// Decode reads a payment header: standard base64, with or without padding, of
// one JSON object of version 2. It is strict, because what is read in two ways
// could be used to pay once for two answers: names are case-sensitive, none
// stands twice, and the payload holds nothing that is not understood. The error
// is a *[Malformed].
func Decode(header string) (*Payment, error) {
	if len(header) > maxHeader {
		return nil, malformed("it has %d bytes, %d are allowed", len(header), maxHeader)
	}
	text, err := base64.RawStdEncoding.Strict().DecodeString(strings.TrimRight(header, "="))
	if err != nil {
		return nil, malformed("it is not standard base64 (RFC 4648, section 4)")
	}
	return read(text)
}

// read reads the JSON of a payment.
func read(text []byte) (*Payment, error) {
	var p struct {
		X402Version int            `json:"x402Version"`
		Resource    jsontext.Value `json:"resource"`
		Accepted    *Requirements  `json:"accepted"`
		Payload     jsontext.Value `json:"payload"`
		Extensions  *struct {
			Identifier *struct {
				Info struct {
					ID *string `json:"id"`
				} `json:"info"`
			} `json:"payment-identifier"`
		} `json:"extensions"`
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return nil, malformed("it is not the JSON of a payment of x402 version 2: %v", plain(err))
	}
	switch {
	case p.X402Version != Version:
		return nil, malformed("x402Version must be %d", Version)
	case p.Accepted == nil:
		return nil, malformed("accepted is missing: it is the chosen entry of accepts, unchanged")
	case p.Payload.Kind() != '{':
		return nil, malformed("payload must be an object")
	}
	payment := &Payment{Accepted: *p.Accepted}
	var resource Resource
	if p.Resource.Kind() == '{' && json.Unmarshal(p.Resource, &resource) == nil {
		payment.Resource = resource.URL
	}
	if p.Extensions != nil && p.Extensions.Identifier != nil && p.Extensions.Identifier.Info.ID != nil {
		payment.Identifier = *p.Extensions.Identifier.Info.ID
		if !identifierForm.MatchString(payment.Identifier) {
			return nil, malformed("the id of payment-identifier must be 16 to 128 letters, digits, - or _")
		}
	}
	understand := payment.readEVM
	if strings.HasPrefix(p.Accepted.Network, "solana:") {
		understand = payment.readSolana
	}
	if err := understand(p.Payload); err != nil {
		return nil, err
	}
	signed, err := json.Marshal(payment.payload.encode())
	payment.Payload = sha256.Sum256(signed)
	return payment, err
}

// plain tells a JSON error without the innards of the decoder.
func plain(err error) string {
	if semantic, ok := err.(*json.SemanticError); ok {
		if semantic.JSONPointer != "" {
			return fmt.Sprintf("%s is of the wrong type", strings.ReplaceAll(strings.TrimPrefix(string(semantic.JSONPointer), "/"), "/", "."))
		}
		return "it must be an object"
	}
	if syntax, ok := err.(*jsontext.SyntacticError); ok {
		if syntax.Err == jsontext.ErrDuplicateName {
			return "a name stands twice in it"
		}
		return fmt.Sprintf("faulty at byte %d", syntax.ByteOffset)
	}
	return "it is faulty"
}

// Match returns the one of our own requirements that the payment accepted. Scheme,
// network, amount, asset, wallet and fee payer decide; addresses are compared as
// their network does.
func (p *Payment) Match(offers []Requirements) (Requirements, bool) {
	for _, r := range offers {
		a := p.Accepted
		same := func(x, y string) bool { return x == y }
		if strings.HasPrefix(r.Network, "eip155:") {
			same = strings.EqualFold
		}
		if a.Scheme == r.Scheme && a.Network == r.Network && a.Amount == r.Amount && same(a.Asset, r.Asset) && same(a.PayTo, r.PayTo) &&
			a.Extra.FeePayer == r.Extra.FeePayer {
			return r, true
		}
	}
	return Requirements{}, false
}

// Check compares the payment with the requirements that it matched: what it
// really pays, to whom and when. It returns nil, or why the payment is refused
// before a facilitator was asked.
func (p *Payment) Check(r Requirements, now time.Time) *Refusal { return p.payload.check(r, now) }

// Proven reports whether a key of the payer has surely signed the payment. A
// contract wallet's signature can be judged by the chain alone. On EVM networks
// this costs more than all else that is looked at, so it is asked only when it matters.
func (p *Payment) Proven(r Requirements) bool { return p.payload.signed(r) }

// order is what a facilitator is asked to verify and to settle (7.1).
type order struct {
	X402Version  int          `json:"x402Version"`
	Payment      paid         `json:"paymentPayload"`
	Requirements Requirements `json:"paymentRequirements"`
}

type paid struct {
	X402Version int                       `json:"x402Version"`
	Resource    Resource                  `json:"resource"`
	Accepted    Requirements              `json:"accepted"`
	Payload     any                       `json:"payload"`
	Extensions  map[string]jsontext.Value `json:"extensions,omitempty"`
}

// Order returns what a facilitator is asked to verify and to settle. Only the
// payload is the client's, written anew as it was understood here. All else is
// ours: what a stranger says that he pays for ends up in public catalogues.
func (p *Payment) Order(r Requirements, what Resource, extensions map[string]jsontext.Value) []byte {
	text, err := json.Marshal(order{Version, paid{Version, what, r, p.payload.encode(), extensions}, r})
	if err != nil {
		panic(err) // the parts were decoded: cannot happen
	}
	return text
}

func idOf(parts ...string) [32]byte { return sha256.Sum256([]byte(strings.Join(parts, "|"))) }
