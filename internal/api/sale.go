package api

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"

	"tocsin"
	"tocsin/internal/front"
	"tocsin/internal/store"
	"tocsin/internal/x402"
)

// sale is a call that came with a payment.
type sale struct {
	server   *Server
	op       *operation
	call     *call
	payment  *x402.Payment
	offer    x402.Requirements // which of our offers it accepts
	refusal  *x402.Refusal     // why it is not taken; nil if it is
	verified func() bool       // whether the signature is that of the payer
	claim    *store.Claim
	network  netip.Prefix       // of the client
	leave    func(refused bool) // the place of the verification, nil for none: see limits.Verifications
	response response           // what is sent once the payment is settled; see decodeAnswer
}

// servePaid answers a call that came with a payment. The order is what makes
// that safe for both sides (decision 8): the payment is claimed for this one
// request before the facilitator is asked; the response is made before money
// moves and sent after it did; and from the moment that money may move until it is
// known whether it did, everything that is needed to find out is on disk.
func (s *Server) servePaid(op *operation, header string, caller *store.Caller, c *call) (response, error) {
	payment, err := x402.Decode(header)
	if err != nil {
		return response{}, &tocsin.Error{Code: invalidPayment, Detail: "The payment cannot be read: " + err.Error()}
	}
	if err := c.check(op); err != nil {
		return response{}, err
	}
	network := front.Of(c.Context()).Network()
	leave := s.budgets.PaidCalls.EnterNetwork(network, s.budgets.Verifications.Earned(network))
	if leave == nil {
		return response{}, tooManyPaid()
	}
	defer leave()
	p := s.newSale(op, c, payment, caller)
	p.network = network
	if wait := s.budgets.Guesses.Full(payment.ID); wait > 0 && !payment.Secret {
		return response{}, later(tooManyPayments, wait, "Too many requests came with this payment that it does not pay for")
	}

	front.Of(c.Context()).Leave() // it will wait for the facilitator, and PaidCalls bounds it

	// From here on a caller who hangs up must not stop the accounts halfway.
	ctx := x402.ForNetwork(context.WithoutCancel(c.Context()), network)
	defer p.leaveVerification(false)
	result, err := p.take(ctx)
	if err != nil {
		return response{}, err
	}
	switch result {
	case store.Acquired:
		defer s.db.Unlock(p.claim)
		return p.begin(ctx)
	case store.Resumed:
		defer s.db.Unlock(p.claim)
		if err := p.findAnswer(ctx); err != nil {
			return response{}, errors.Join(err, s.db.Return(ctx, p.claim))
		}
		return p.resume(ctx)
	case store.Replayed:
		if err := p.findAnswer(ctx); err != nil {
			p.respond() // it was paid for: the receipt says so
			return response{}, err
		}
		return p.respond(), nil
	}
	if p.claim.Misfit && !payment.Secret {
		s.budgets.Guesses.Take(payment.ID)
	}
	return response{}, p.unclaimed(result)
}

// take claims the payment, and a place to verify it. Without a place only a payment
// that is on record is taken: its answer may be there.
func (p *sale) take(ctx context.Context) (result store.ClaimResult, err error) {
	places := p.server.budgets.Verifications
	leave, free := places.Try(p.network)
	p.leave = leave
	result, err = p.server.db.Claim(ctx, p.claim, p.refusal == nil && free)
	if err != nil || free || p.refusal != nil || result != store.Unknown {
		return result, err
	}
	var wait time.Duration
	if p.leave, wait, err = places.Wait(p.call.Context(), p.network); err != nil {
		return 0, err
	}
	if p.leave == nil {
		return 0, tooManyRefused(wait)
	}
	return p.server.db.Claim(ctx, p.claim, true)
}

// leaveVerification gives the place of the verification back, if it has not been yet.
func (p *sale) leaveVerification(refused bool) {
	if p.leave != nil {
		p.leave(refused)
		p.leave = nil
	}
}

// newSale makes the claim of a payment.
func (s *Server) newSale(op *operation, c *call, payment *x402.Payment, caller *store.Caller) *sale {
	p := &sale{server: s, op: op, call: c, payment: payment}
	p.offer, p.refusal = s.acceptable(op, c, payment)
	p.verified = sync.OnceValue(func() bool { return payment.SignedByPayer(p.offer) })
	p.claim = &store.Claim{
		ID:           payment.ID,
		Request:      c.fingerprint(),
		Payload:      payment.Payload,
		Whole:        payment.Whole,
		PaymentTerms: store.PaymentTerms{Operation: op.ID, Payer: payment.Payer},
		Caller:       caller,
	}
	// A payment that is not taken now may have been taken earlier: its payer must
	// get the response, whatever has become of prices, wallets and dates.
	if p.refusal != nil {
		return p
	}
	p.claim.Payment = payment.Order(p.offer, s.resource(op, c), c.tool.catalogued(op))
	p.claim.Network, p.claim.Asset, p.claim.PayTo = p.offer.Network, p.offer.Asset, p.offer.PayTo
	p.claim.Amount, _ = strconv.ParseInt(p.offer.Amount, 10, 64) // x402.Atomic wrote it
	if payment.Identifier != "" && p.verified() {                // or a forger could use up the names of a payer
		p.claim.Identifier = payment.Identifier
	}
	return p
}

// acceptable returns which of our offers the payment accepts, or why it is not taken.
func (s *Server) acceptable(op *operation, c *call, payment *x402.Payment) (x402.Requirements, *x402.Refusal) {
	sold := s.resource(op, c).URL
	if named := payment.Resource; named != sold && (isTool(named) || isTool(sold) && named != "") {
		return x402.Requirements{}, &x402.Refusal{
			Reason: "resource_mismatch",
			Detail: "it was signed for " + named + ", and this is " + sold,
		}
	}
	offer, ok := payment.Match(s.offers(op, true))
	if !ok {
		return offer, &x402.Refusal{
			Reason: "No matching payment requirements",
			Detail: "accepted is not one of the ways to pay for this operation; take an entry of accepts, unchanged",
		}
	}
	return offer, payment.Check(offer, s.now())
}

// unclaimed is the error of a payment that could not be claimed.
func (p *sale) unclaimed(result store.ClaimResult) error {
	switch result {
	case store.InProgress:
		return inProgress()
	case store.UsedElsewhere:
		return p.refused("payment_already_used",
			"this payment is for another request, or its answer is no longer kept; sign a new one for this request")
	case store.IdentifierReused:
		return &tocsin.Error{Code: identifierReused, Detail: "Another payment came with the id " + p.payment.Identifier +
			" before: repeat that one, or choose another id"}
	}
	return p.refused(p.refusal.Reason, p.refusal.Detail)
}

// begin deals with a payment that was not sent to be settled by this process:
// it is free again if anything fails before it is.
func (p *sale) begin(ctx context.Context) (response, error) {
	err := tooManyPaid()
	if p.leave == nil { // the payment is that of a process that crashed
		err = tooManyRefused(0)
	} else if leave := p.enterPayer(); leave != nil {
		defer leave() // when it is settled
		if err = p.verify(ctx); err == nil {
			if err = p.refuseBanned(ctx); err == nil {
				err = p.prepareResponse(ctx)
			}
			if err == nil {
				return p.settleAndRespond(ctx)
			}
			p.server.budgets.Verifications.Refused(p.network) // it was verified in vain
		}
	}
	if p.claim.MayHaveBeenSent { // by a process that crashed: keep the only record of it
		return response{}, err
	}
	if err := p.server.db.Release(ctx, p.claim); err != nil {
		p.server.log.LogAttrs(ctx, slog.LevelError, "release payment",
			slog.String("id", p.call.id), slog.String("error", err.Error()))
	}
	return response{}, err
}

// enterPayer takes a place among the calls of the payer. It returns nil if there are too many.
func (p *sale) enterPayer() (leave func()) {
	budgets := p.server.budgets
	return budgets.PaidCalls.EnterPayer(p.network, budgets.Verifications.Earned(p.network), p.payment.Payer, p.verified)
}

// resume asks again what became of a payment that was sent to be settled. Without a
// place for that it is left to the reconciler.
func (p *sale) resume(ctx context.Context) (response, error) {
	if p.leave != nil {
		return p.settleAndRespond(ctx)
	}
	if err := p.server.db.Return(ctx, p.claim); err != nil {
		return response{}, err
	}
	return response{}, stillPending()
}

// verify asks the facilitator whether the payment is good.
func (p *sale) verify(ctx context.Context) error {
	facilitator := p.server.config.Payments.Facilitator
	verdict, trouble := facilitator.Verify(ctx, p.claim.Payment)
	// A connection that fails is not the fault of the payment.
	p.leaveVerification(trouble != nil && trouble.Cause != x402.Unreachable || trouble == nil && !verdict.Valid)
	if trouble != nil {
		return p.server.facilitatorProblem(ctx, p.call.id, "verify", trouble)
	}
	if verdict.Valid {
		return nil
	}
	p.server.log.LogAttrs(ctx, slog.LevelInfo, "payment", slog.String("id", p.call.id), slog.String("outcome", "refused"),
		slog.String("operation", p.op.ID), slog.String("network", p.claim.Network),
		slog.String("payer", p.claim.Payer), slog.String("reason", verdict.Reason))
	if strings.Contains(verdict.Reason, "fee_payer") {
		facilitator.Refresh() // it has another one by now
	}
	if p.claim.MayHaveBeenSent {
		// It may have been settled for us before the process crashed, or have been spent
		// otherwise since. From here on only the chain or a receipt shows which.
		p.claim.Reason = notValid + verdict.Reason
		return nil
	}
	return p.refused(verdict.Reason, "")
}

// refuseBanned refuses the wallet of a banned agent, once it is known to be the
// payer: before that, anybody could ask about any wallet.
func (p *sale) refuseBanned(ctx context.Context) error {
	wallet, fault := tocsin.ParseAddress(p.claim.Payer)
	if fault != nil || p.claim.MayHaveBeenSent { // of another chain, or it is paid for already
		return nil
	}
	return p.server.db.RefuseWallet(ctx, wallet)
}

// prepareResponse makes the response and records it with the payment. After an error
// nothing was sent that moves money.
func (p *sale) prepareResponse(ctx context.Context) error {
	if err := p.makeAnswer(); err != nil {
		return err
	}
	if err := p.call.Context().Err(); err != nil {
		return err // the caller has gone, and has paid nothing so far
	}
	held, err := p.server.db.BeginSettlement(ctx, p.claim)
	if err == nil && !held {
		return inProgress() // this took so long that another call has taken the payment over
	}
	return err
}

// settleAndRespond moves the money for a call, and answers it if it moved.
func (p *sale) settleAndRespond(ctx context.Context) (response, error) {
	outcome, trouble := p.server.settle(ctx, p.call.id, p.claim)
	if places := p.server.budgets.Verifications; outcome == x402.Settled {
		places.Settled(p.network)
	} else if trouble == nil || trouble.Cause != x402.Unreachable {
		places.Refused(p.network)
	}
	switch {
	case outcome == x402.Settled:
		return p.respond(), nil
	case outcome == x402.Unsent, outcome == x402.Pending && trouble != nil:
		return response{}, p.server.facilitatorProblem(ctx, p.call.id, "settle", trouble)
	}
	p.call.receipt = p.receipt()
	p.call.receipt.ErrorReason = p.claim.Reason
	if outcome == x402.Refused {
		return response{}, p.refused(p.claim.Reason, "")
	}
	return response{}, stillPending()
}

// respond answers a call whose payment is settled.
func (p *sale) respond() response {
	p.call.receipt = p.receipt()
	p.call.receipt.Success = true
	return p.response
}

func (p *sale) receipt() *x402.Receipt {
	return &x402.Receipt{Transaction: p.claim.Transaction, Network: p.claim.Network, Payer: p.claim.Payer}
}

// refused is the error of a payment that is not taken: the client may sign another.
func (p *sale) refused(reason, detail string) error {
	if detail == "" {
		detail = reason + explainReason(reason)
	}
	detail = "The payment was refused: " + detail
	return p.server.paymentRequired(p.op, p.call, paymentRefused, reason, detail, p.server.offers(p.op, false))
}

// explainReason adds words to the commonest reasons.
func explainReason(reason string) string {
	for _, known := range [][2]string{
		{voided, ": as the chain shows, it was not carried out and no longer can be; sign a new one"},
		{"insufficient", ": the wallet holds too little of the token"},
		{"simulation", ": the transfer would fail: the wallet has too little of the token, or is on another network"},
		{"signature", ": the signature is not that of the payer for this token and network"},
		{"nonce", ": the payment was carried out before"},
	} {
		if strings.Contains(reason, known[0]) {
			return known[1]
		}
	}
	return ""
}

func stillPending() error {
	return later(settlementPending, 0, "Whether the payment went through is not known yet. "+
		"Do not sign another: send the same request with the same payment again. "+
		"If it has expired meanwhile, ask the operator, who sees it")
}

func inProgress() error {
	return later(paymentInProgress, 0,
		"This payment is being dealt with; send the same request with the same payment again")
}

func tooManyPaid() error {
	return later(tooManyPayments, 0,
		"Too many paid calls are in progress; send the same request with the same payment again")
}

func tooManyRefused(wait time.Duration) error {
	return later(tooManyPayments, wait, "Too many payments from your network were refused, or failed to be settled. "+
		"Wait as long as Retry-After says, then send the same request with the same payment")
}

// facilitatorProblem is the error of a paid call when the facilitator fails. It is
// not a 402, after which a client would sign another payment.
func (s *Server) facilitatorProblem(ctx context.Context, requestID, call string, t *x402.FacilitatorError) error {
	s.log.LogAttrs(ctx, slog.LevelWarn, "facilitator",
		slog.String("id", requestID), slog.String("call", call), slog.String("error", t.Error()))
	detail := map[x402.Cause]string{
		x402.Unreachable: "cannot be reached",
		x402.TimedOut:    "did not answer in time",
		x402.BadResponse: "gave no proper answer",
	}[t.Cause]
	return later(tocsin.Code(t.Cause.String()), 0, "The payment service that this service relies on "+detail+
		". Do not sign another payment: send the same request with the same payment again")
}
