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

// maxHeaderBytes is the maximum length of a payment header. One with a Solana
// transaction and all extensions repeated is shorter than 8 KB.
const maxHeaderBytes = 16 << 10

// Payment is a payment as a client sends it (section 5.2).
type Payment struct {
	Accepted   Requirements // the way to pay that the client chose, as the client says
	Identifier string       // id of the extension payment-identifier; "" without one
	Resource   string       // URL of what is paid for, as the client says: unsigned, and "" is allowed

	// ID identifies the payment, however its other fields are changed: on EVM
	// networks it is a hash of the network, asset, payer and nonce, on Solana of the
	// network and the signed message. The signature is not part of it, since a
	// payer can make many for the same payment.
	ID [32]byte
	// Payload is the SHA-256 of the signed part and its signature. All of that is
	// public once the payment is on its chain.
	Payload [32]byte
	// Whole is the SHA-256 of the JSON of the payment, exactly as it was sent. A client
	// that repeats its request sends the same bytes.
	Whole [32]byte
	// Secret reports whether the payment holds a ticket (see [Extra]). Then only its
	// sender can repeat it; otherwise it can be guessed from what the chain shows.
	Secret bool
	// Payer is the paying wallet as the payment names it: an address in EIP-55
	// form, or a Solana wallet. Only SignedByPayer shows that it is true.
	Payer string

	payload payload
}

// payload is the signed part of a payment, in the form of its network.
type payload interface {
	// encode returns the payload in canonical form.
	encode() any
	// check compares the payload with the requirements. The time comes last.
	check(r Requirements, now time.Time) *Refusal
	// signed reports whether the key of the payer made the signature.
	signed(r Requirements) bool
}

// Malformed is the error of a header that is not a valid payment.
type Malformed struct {
	Reason string // for people, to follow the name of the header
}

// Error implements error.
func (e *Malformed) Error() string { return e.Reason }

func malformed(format string, args ...any) error { return &Malformed{fmt.Sprintf(format, args...)} }

// Refusal says why a payment is not accepted. The reasons are the error codes of
// section 9, in the spelling of the official facilitator.
type Refusal struct {
	Reason string // for programs
	Detail string // for people
}

// Error implements error.
func (e *Refusal) Error() string { return e.Reason + ": " + e.Detail }

// identifierPattern is the form of an id (specs/extensions/payment_identifier.md).
var identifierPattern = regexp.MustCompile(`^[a-zA-Z0-9_-]{16,128}$`)

// Decode parses a payment header of at most 16 KiB: standard base64, with or
// without padding, of a JSON object (section 5.2). The error is a *[Malformed].
//
// It is strict, because a payment that two parsers understand differently could
// pay for two calls: names are case-sensitive and unique, and the payload has no
// unknown members.
func Decode(header string) (*Payment, error) {
	if len(header) > maxHeaderBytes {
		return nil, malformed("it has %d bytes, %d are allowed", len(header), maxHeaderBytes)
	}
	text, err := base64.RawStdEncoding.Strict().DecodeString(strings.TrimRight(header, "="))
	if err != nil {
		return nil, malformed("it is not standard base64 (RFC 4648, section 4)")
	}
	payment, err := parsePayment(text)
	if err == nil {
		payment.Whole = sha256.Sum256(text)
		payment.Secret = len(payment.Accepted.Extra.Ticket) >= minTicket
	}
	return payment, err
}

// minTicket is the length of the shortest ticket that counts as a secret: 96 bits in
// base64.
const minTicket = 16

// parsePayment parses the JSON of a payment.
func parsePayment(text []byte) (*Payment, error) {
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
		return nil, malformed("it is not the JSON of a payment of x402 version 2: %v", describeJSONError(err))
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
		if !identifierPattern.MatchString(payment.Identifier) {
			return nil, malformed("the id of payment-identifier must be 16 to 128 letters, digits, - or _")
		}
	}
	parse := payment.parseEVM
	if strings.HasPrefix(p.Accepted.Network, "solana:") {
		parse = payment.parseSolana
	}
	if err := parse(p.Payload); err != nil {
		return nil, err
	}
	signed, err := json.Marshal(payment.payload.encode())
	payment.Payload = sha256.Sum256(signed)
	return payment, err
}

// describeJSONError describes an error of the decoder without its Go types.
func describeJSONError(err error) string {
	if semantic, ok := err.(*json.SemanticError); ok {
		if semantic.JSONPointer != "" {
			path := strings.ReplaceAll(strings.TrimPrefix(string(semantic.JSONPointer), "/"), "/", ".")
			return fmt.Sprintf("%s is of the wrong type", path)
		}
		return "it must be an object"
	}
	if syntax, ok := err.(*jsontext.SyntacticError); ok {
		if syntax.Err == jsontext.ErrDuplicateName {
			return "a name appears twice in it"
		}
		return fmt.Sprintf("invalid at byte %d", syntax.ByteOffset)
	}
	return "it is invalid"
}

// Match returns the first of our offers that the payment accepted. Scheme, network,
// amount, asset, recipient and fee payer must be equal. Addresses of EVM networks
// are compared without regard to case.
func (p *Payment) Match(offers []Requirements) (Requirements, bool) {
	for _, r := range offers {
		a := p.Accepted
		equal := func(x, y string) bool { return x == y }
		if strings.HasPrefix(r.Network, "eip155:") {
			equal = strings.EqualFold
		}
		if a.Scheme == r.Scheme && a.Network == r.Network && a.Amount == r.Amount && equal(a.Asset, r.Asset) &&
			equal(a.PayTo, r.PayTo) && a.Extra.FeePayer == r.Extra.FeePayer {
			return r, true
		}
	}
	return Requirements{}, false
}

// Check compares what the payload pays, to whom and when, with the requirements
// that the payment matched. It returns nil if they agree. It does not check the
// signature or the balance: those are left to the facilitator.
func (p *Payment) Check(r Requirements, now time.Time) *Refusal { return p.payload.check(r, now) }

// SignedByPayer reports whether the key of the payer signed the payment. It is
// false for contract wallets, whose signatures only the chain can verify. On EVM
// networks it costs more than all other checks together, so call it only if the
// result matters.
func (p *Payment) SignedByPayer(r Requirements) bool { return p.payload.signed(r) }

// order is the body of a call to /verify or /settle (section 7.1).
type order struct {
	X402Version  int          `json:"x402Version"`
	Payment      orderPayment `json:"paymentPayload"`
	Requirements Requirements `json:"paymentRequirements"`
}

type orderPayment struct {
	X402Version int                       `json:"x402Version"`
	Resource    Resource                  `json:"resource"`
	Accepted    Requirements              `json:"accepted"`
	Payload     any                       `json:"payload"`
	Extensions  map[string]jsontext.Value `json:"extensions,omitempty"`
}

// Order returns the body with which a facilitator is asked to verify and to settle
// the payment (section 7.1). Only the payload comes from the client, encoded anew.
// The resource and the extensions are ours, because facilitators publish them in
// catalogues.
func (p *Payment) Order(r Requirements, resource Resource, extensions map[string]jsontext.Value) []byte {
	text, err := json.Marshal(order{
		X402Version: Version,
		Payment: orderPayment{
			X402Version: Version,
			Resource:    resource,
			Accepted:    r,
			Payload:     p.payload.encode(),
			Extensions:  extensions,
		},
		Requirements: r,
	})
	if err != nil {
		panic(err) // every part was decoded from valid JSON
	}
	return text
}

// paymentID hashes the parts that identify a payment.
func paymentID(parts ...string) [32]byte { return sha256.Sum256([]byte(strings.Join(parts, "|"))) }
