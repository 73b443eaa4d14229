package api

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"tocsin"
	"tocsin/internal/x402"
)

// Payments is how the operator is paid. Without accounts no payments are taken.
type Payments struct {
	Accounts    []x402.Account    // at most one a network; clients that can use several take the first
	Facilitator *x402.Facilitator // verifies and settles; nil without accounts
	Chains      map[string]Chain  // by network, those that can be asked; may be nil
}

// taken reports whether the operator takes payments.
func (p Payments) taken() bool { return len(p.Accounts) > 0 }

// Chain finds out what became of a payment when the facilitator does not say.
type Chain interface {
	State(ctx context.Context, order []byte) (state x402.ChainState, transaction string, err error)
}

// offers returns the ways to pay for an operation: on the networks on which the
// facilitator is known to settle. An offer on Solana names who pays the fees; with
// recent, the offers that clients may have been sent before count as well.
func (s *Server) offers(op *operation, recent bool) []x402.Requirements {
	offers := []x402.Requirements{}
	p := s.config.Payments
	if !p.taken() {
		return offers
	}
	health := p.Facilitator.Health()
	for _, a := range p.Accounts {
		if !recent && !health.MaySettle(a.ID) {
			continue
		}
		if !a.IsSolana() {
			offers = append(offers, a.Requirements(op.atomic, ""))
			continue
		}
		feePayers := p.Facilitator.FeePayers(a.ID)
		if !recent {
			feePayers = []string{p.Facilitator.FeePayer(a.ID)}
		}
		for _, feePayer := range feePayers {
			if feePayer != "" {
				offers = append(offers, a.Requirements(op.atomic, feePayer))
			}
		}
	}
	return offers
}

// facilitatorAway reports whether the last call of the facilitator was not answered: a payment is likely to fail.
func (s *Server) facilitatorAway() bool {
	health := s.config.Payments.Facilitator.Health()
	return health.Known && !health.Reachable
}

// maxResourcePath bounds the path in the URL of a resource, in bytes: that URL is in a header.
const maxResourcePath = 200

// resource is what an operation sells to a call. Its URL is made from the base URL
// of the deployment, never from the Host of the request. In place of a long path it
// has the route, as catalogues name it.
func (s *Server) resource(op *operation, c *call) x402.Resource {
	path := c.URL.EscapedPath()
	if len(path) > maxResourcePath {
		path = op.Bazaar().RouteTemplate
	}
	at := s.config.BaseURL + path
	if c.tool != nil {
		at = c.tool.resource()
	}
	return x402.Resource{URL: at, Description: op.Summary, MimeType: "application/json"}
}

// paymentHeader returns the payment that came with a call, "" for none.
func paymentHeader(h http.Header) (string, error) {
	var found []string
	for _, name := range []string{x402.PaymentHeader, x402.PaymentHeaderV1} {
		values := h.Values(name)
		if len(values) > 1 {
			return "", &tocsin.Error{Code: invalidPayment, Detail: "The header " + name + " was sent twice; send one payment"}
		}
		if len(values) == 1 && values[0] != "" {
			found = append(found, strings.TrimSpace(values[0]))
		}
	}
	switch {
	case len(found) == 0:
		return "", nil
	case len(found) == 2 && found[0] != found[1]:
		return "", &tocsin.Error{
			Code:   invalidPayment,
			Detail: x402.PaymentHeader + " and " + x402.PaymentHeaderV1 + " hold different payments; send one",
		}
	}
	return found[0], nil
}

// fingerprint is the hash of the request that a payment pays for. A call of a tool
// is another request than that of its operation over HTTP.
func (c *call) fingerprint() [32]byte {
	body := sha256.Sum256(c.body)
	query := c.URL.RawQuery
	if values, err := url.ParseQuery(query); err == nil {
		query = values.Encode() // in order, so that it is the same request however a client writes it
	}
	method := c.Method
	if c.tool != nil {
		method = c.tool.resource()
	}
	return sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%x", method, c.URL.EscapedPath(), query, body))
}
