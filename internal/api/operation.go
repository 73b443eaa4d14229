package api

import (
	"encoding/json"
	"fmt"

	"tocsin/internal/contract"
	"tocsin/internal/x402"
)

// operation is an operation of the contract with its price in terms of x402.
type operation struct {
	*contract.Operation
	endpoint   endpoint
	atomic     string                     // in atomic units of USDC; "" for a free one
	bazaar     json.RawMessage            // the extension that says how it is called, for catalogues: whole
	extensions map[string]json.RawMessage // of its 402, bazaar in brief; nil for a free one
}

// endpoint serves one operation. Its two steps are apart so that a payment is
// touched only for a request that can be answered.
type endpoint struct {
	// parse reads what the schemas of the contract do not check, into call.parsed; nil if there is nothing.
	parse func(c *call) error

	// run returns a value. It may set headers but cannot write a body, so that nothing is sent before it is paid for.
	run func(c *call) (any, error)
}

// parsed makes an endpoint of its two steps.
func parsed[T any](parse func(*call) (T, error), run func(*call, T) (any, error)) endpoint {
	return endpoint{
		parse: func(c *call) (err error) {
			c.parsed, err = parse(c)
			return err
		},
		run: func(c *call) (any, error) { return run(c, c.parsed.(T)) },
	}
}

// endpoints returns the endpoints by the operationId of the contract.
func (s *Server) endpoints() map[string]endpoint {
	return map[string]endpoint{
		"screenAddress":   parsed(s.parseAddress, s.screenAddress),
		"checkAddresses":  parsed(s.parseBatch, s.checkAddresses),
		"checkDomain":     parsed(parseDomain, s.checkDomain),
		"checkDomains":    parsed(parseDomains, s.checkDomains),
		"screenAccount":   parsed(s.parseAccount, s.screenAccount),
		"checkSubjects":   parsed(s.parseSubjects, s.checkSubjects),
		"relatedSubjects": parsed(s.parseSubject, s.relatedSubjects),
		"searchReports":   parsed(parseSearch, s.searchReports),
		"listReports":     parsed(parseFilter, s.listReports),
		"fileReport":      {run: s.fileReport},
		"getReport":       {run: s.getReport},
		"withdrawReport":  {run: s.withdrawReport},
		"signInNonce":     {run: s.signInNonce},
		"signIn":          {run: s.signIn},
		"revokeKey":       {run: s.revokeKey},
		"me":              {run: s.me},
		"leaderboard":     {run: s.leaderboard},
		"stats":           {run: s.stats},
		"status":          {run: s.status},
		"paymentStatus":   {run: s.paymentStatus},
	}
}

// identifierExtension says to clients of x402 that they may name a payment, so that they can repeat it safely
// (specs/extensions/payment_identifier.md).
var identifierExtension = json.RawMessage(`{"info":{"required":false},"schema":{` +
	`"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
	`"properties":{"required":{"type":"boolean"},"id":{"type":"string","minLength":16,"maxLength":128}},` +
	`"required":["required"]}}`)

// newOperation prices an operation. An error is a fault of the contract.
func newOperation(op *contract.Operation, endpoint endpoint) (*operation, error) {
	if endpoint.run == nil {
		return nil, fmt.Errorf("openapi.yaml: operation %q has no endpoint", op.ID)
	}
	priced := &operation{Operation: op, endpoint: endpoint}
	if op.Price == "" {
		return priced, nil
	}
	var err error
	if priced.atomic, err = x402.Atomic(op.Price); err != nil {
		return nil, fmt.Errorf("openapi.yaml: price of %s: %w", op.ID, err)
	}
	if priced.bazaar, err = json.Marshal(op.Bazaar()); err != nil {
		return nil, err
	}
	brief, err := json.Marshal(op.Bazaar().Brief())
	priced.extensions = map[string]json.RawMessage{"bazaar": brief, "payment-identifier": identifierExtension}
	return priced, err
}

// Contract returns the contract as this deployment publishes it.
func (s *Server) Contract() *contract.Contract { return s.contract }

// Accepts returns the ways in which an operation can be paid for at the moment, as its 402 offers them. It is empty
// for a free operation. It does not ask the facilitator.
func (s *Server) Accepts(id string) []x402.Requirements {
	if op := s.operations[id]; op != nil && op.Price != "" {
		return s.offers(op, false)
	}
	return []x402.Requirements{}
}
