package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"tocsin"
	"tocsin/internal/front"
	"tocsin/internal/store"
	"tocsin/internal/x402"
)

// Payments is how the operator is paid. Without accounts he takes none.
type Payments struct {
	Accounts    []x402.Account    // at most one a network; clients that can use several take the first
	Facilitator *x402.Facilitator // verifies and settles; nil without accounts
	Chains      map[string]Chain  // by network, those that can be asked; may be nil
}

// taken reports whether the operator takes payments.
func (p Payments) taken() bool { return len(p.Accounts) > 0 }

// Chain tells what became of a payment when the facilitator does not.
type Chain interface {
	State(ctx context.Context, order []byte) (fate x402.ChainState, transaction string, err error)
}

// offers returns the ways to pay for an operation: on the networks on which the
// facilitator settles, as far as it has said. On Solana one needs to know
// who pays the fees; with recent, what clients may have been told before counts as well.
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

// resource is what an operation sells to a call. Its URL is made of what the
// operator says, never of what the caller does.
func (s *Server) resource(op *operation, c *call) x402.Resource {
	at := s.config.BaseURL + c.URL.EscapedPath()
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
			return "", &tocsin.Error{Code: invalidPayment, Detail: "The header " + name + " stands twice; send one payment"}
		}
		if len(values) == 1 && values[0] != "" {
			found = append(found, strings.TrimSpace(values[0]))
		}
	}
	switch {
	case len(found) == 0:
		return "", nil
	case len(found) == 2 && found[0] != found[1]:
		return "", &tocsin.Error{Code: invalidPayment, Detail: x402.PaymentHeader + " and " + x402.PaymentHeaderV1 + " hold different payments; send one"}
	}
	return found[0], nil
}

// fingerprint tells the request that a payment pays for from all others: what
// is sold as a tool is another thing than the same answer over HTTP.
func (c *call) fingerprint() [32]byte {
	body := sha256.Sum256(c.raw)
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

// servePaid answers a call that a payment came with. The order is what makes
// that safe for both sides (decision 8): the payment is claimed for this one
// request before anybody is asked about it; the answer is made before money
// moves, and given after it did; and from the moment that money may move until
// it is known whether it did, everything that is needed to find out is on disk.
func (s *Server) servePaid(op *operation, header string, caller *store.Caller, c *call) (response, error) {
	payment, err := x402.Decode(header)
	if err != nil {
		return response{}, &tocsin.Error{Code: invalidPayment, Detail: "The payment cannot be read: " + err.Error()}
	}
	if err := c.check(op); err != nil {
		return response{}, err
	}
	leave := s.budgets.PaidCalls.EnterNetwork(front.Of(c.Context()).Network)
	if leave == nil {
		return response{}, tooMuch()
	}
	defer leave()

	// A payment that would not be taken now may have been taken earlier: its payer
	// must find his answer, whatever has become of prices, wallets and dates.
	wanted, refusal := s.acceptable(op, c, payment)
	claim := &store.Claim{
		ID:           payment.ID,
		Request:      c.fingerprint(),
		Payload:      payment.Payload,
		PaymentTerms: store.PaymentTerms{Operation: op.ID, Payer: payment.Payer},
		Caller:       caller,
	}
	if refusal == nil {
		claim.Payment = payment.Order(wanted, s.resource(op, c), c.tool.catalogued(op))
		claim.Network, claim.Asset, claim.PayTo = wanted.Network, wanted.Asset, wanted.PayTo
		if claim.Amount, err = strconv.ParseInt(wanted.Amount, 10, 64); err != nil {
			return response{}, err
		}
		if payment.Identifier != "" && payment.Proven(wanted) { // or anybody could use up another's names
			claim.Identifier = payment.Identifier
		}
	}
	// From here on the caller's hanging up must not stop the accounts halfway.
	ctx := context.WithoutCancel(c.Context())
	result, err := s.db.Claim(ctx, claim, refusal == nil)
	if err != nil {
		return response{}, err
	}
	switch result {
	case store.Replayed:
		return s.deliver(c, claim)
	case store.InProgress:
		return response{}, inProgress()
	case store.UsedElsewhere:
		return response{}, s.refused(op, c, "payment_already_used", "this payment is for another request, or its answer is no longer kept; sign a new one for this request")
	case store.IdentifierReused:
		return response{}, &tocsin.Error{Code: identifierReused, Detail: "Another payment came with the id " + payment.Identifier + " before: repeat that one, or choose another id"}
	case store.Unknown:
		return response{}, s.refused(op, c, refusal.Reason, refusal.Detail)
	}
	defer s.db.Unlock(claim)
	if result == store.Acquired {
		proven := sync.OnceValue(func() bool { return payment.Proven(wanted) })
		err := tooMuch()
		if leave := s.budgets.PaidCalls.EnterPayer(payment.Payer, proven); leave != nil {
			defer leave() // when it is settled
			err = s.earn(ctx, op, proven, claim, c)
		}
		if err != nil {
			if claim.MayHaveBeenSent {
				return response{}, err // not by this call, but by one that died: the claim is all that tells
			}
			if err := s.db.Release(ctx, claim); err != nil {
				s.log.LogAttrs(ctx, slog.LevelError, "release payment", slog.String("id", c.id), slog.String("error", err.Error()))
			}
			return response{}, err
		}
	}
	return s.collect(ctx, op, c, claim)
}

// acceptable returns which of our offers the payment accepts, or why it is not taken.
func (s *Server) acceptable(op *operation, c *call, payment *x402.Payment) (x402.Requirements, *x402.Refusal) {
	sold := s.resource(op, c).URL
	if named := payment.Resource; named != sold && (isTool(named) || isTool(sold) && named != "") {
		return x402.Requirements{}, &x402.Refusal{Reason: "resource_mismatch", Detail: "it was signed for " + named + ", and this is " + sold}
	}
	wanted, ok := payment.Match(s.offers(op, true))
	if !ok {
		return wanted, &x402.Refusal{Reason: "No matching payment requirements", Detail: "accepted is none of the ways to pay for this operation; take an entry of accepts, unchanged"}
	}
	return wanted, payment.Check(wanted, s.now())
}

// earn does what a payment is for, short of taking it: it has the payment
// verified, makes the answer, and records both. After an error it has sent nothing that moves money.
func (s *Server) earn(ctx context.Context, op *operation, proven func() bool, claim *store.Claim, c *call) error {
	verdict, trouble := s.config.Payments.Facilitator.Verify(ctx, claim.Payment, proven)
	if trouble != nil {
		return s.facilitatorProblem(ctx, c.id, "verify", trouble)
	}
	// What cannot be paid any more may have been paid by whoever held this claim before, and died; that is for the settlement to find out.
	if !verdict.Valid && !claim.MayHaveBeenSent {
		s.log.LogAttrs(ctx, slog.LevelInfo, "payment", slog.String("id", c.id), slog.String("outcome", "refused"), slog.String("operation", op.ID), slog.String("network", claim.Network),
			slog.String("payer", claim.Payer), slog.String("reason", verdict.Reason))
		if strings.Contains(verdict.Reason, "fee_payer") {
			s.config.Payments.Facilitator.Refresh() // it has another one by now
		}
		return s.refused(op, c, verdict.Reason, "")
	}
	c.paid = true
	res, err := s.perform(op, c)
	if err != nil {
		return err
	}
	if err := c.Context().Err(); err != nil {
		return err // the caller has gone; so far he has paid nothing
	}
	claim.Answer = bytes.Clone(res.body)
	held, err := s.db.BeginSettlement(ctx, claim)
	if err == nil && !held {
		return inProgress() // this took so long that another call has taken the payment over
	}
	return err
}

// collect moves the money for a call, and answers it if it moved.
func (s *Server) collect(ctx context.Context, op *operation, c *call, claim *store.Claim) (response, error) {
	outcome, trouble := s.settle(ctx, c.id, claim)
	if outcome == x402.Settled {
		return s.deliver(c, claim)
	}
	if outcome == x402.Unsent || outcome == x402.Pending && trouble != nil {
		return response{}, s.facilitatorProblem(ctx, c.id, "settle", trouble)
	}
	c.receipt = &x402.Receipt{ErrorReason: claim.Reason, Transaction: claim.Transaction, Network: claim.Network, Payer: claim.Payer}
	if outcome == x402.Refused {
		return response{}, s.refused(op, c, claim.Reason, "")
	}
	return response{}, &Later{tocsin.Error{Code: settlementPending, Detail: "Whether the payment went through is not known yet. Do not sign another: send the same request with the same payment again. If it has run out meanwhile, ask the operator, who sees it"}, 0}
}

// deliver gives the payer the response, with the receipt.
func (s *Server) deliver(c *call, paid *store.Claim) (response, error) {
	c.receipt = &x402.Receipt{Success: true, Transaction: paid.Transaction, Network: paid.Network, Payer: paid.Payer}
	res := response{status: http.StatusOK, media: "application/json", body: paid.Answer}
	if c.paid = false; c.apart() {
		var err error
		res.body, res.reports, err = s.compactPage(paid.Answer)
		return res, err
	}
	return res, nil
}

// refused is the error of a payment that is not taken: the client may sign another.
func (s *Server) refused(op *operation, c *call, reason, detail string) error {
	if detail == "" {
		detail = reason + explained(reason)
	}
	err := s.required(op, c, paymentRefused, "The payment was refused: "+detail)
	err.required.Error = reason
	return err
}

// explained tells the commonest reasons in words.
func explained(reason string) string {
	for _, known := range [][2]string{
		{voided, ": as the chain shows, it was not carried out and no longer can be; sign a new one"},
		{"insufficient", ": the wallet holds too little of the token"},
		{"simulation", ": the transfer would fail, for want of the token or because the wallet's network is another"},
		{"signature", ": the signature is not that of the payer for this token and network"},
		{"nonce", ": the payment was carried out before"},
	} {
		if strings.Contains(reason, known[0]) {
			return known[1]
		}
	}
	return ""
}

func inProgress() error {
	return &Later{tocsin.Error{Code: paymentInProgress, Detail: "This payment is being dealt with; send the same request with the same payment again"}, 0}
}

func tooMuch() error {
	return &Later{tocsin.Error{Code: tooManyPayments, Detail: "Too many paid calls are in progress; send the same request with the same payment again"}, 0}
}

// facilitatorProblem is the error of a call that the facilitator stands in the
// way of. It is no 402, upon which a client would sign another payment.
func (s *Server) facilitatorProblem(ctx context.Context, requestID, what string, t *x402.FacilitatorError) error {
	s.log.LogAttrs(ctx, slog.LevelWarn, "facilitator", slog.String("id", requestID), slog.String("call", what), slog.String("error", t.Error()))
	detail := map[x402.Cause]string{
		x402.Unreachable: "cannot be reached",
		x402.TimedOut:    "did not answer in time",
		x402.BadResponse: "gave no proper answer",
	}[t.Cause]
	return &Later{tocsin.Error{Code: tocsin.Code(t.Cause.String()), Detail: "The payment service that this service relies on " + detail +
		". Do not sign another payment: send the same request with the same payment again"}, 0}
}
