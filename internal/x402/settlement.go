package x402

import (
	"slices"
	"strings"
)

// Settlement is the result of one attempt to settle an order: the response of the
// facilitator, or the error of the call.
type Settlement struct {
	Success     bool
	Reason      string            // why the facilitator did not settle; "" after success or an error
	Transaction string            // hash or signature; "" if unknown
	Err         *FacilitatorError // nil if there was a valid response
}

// Outcome is what an attempt proves about a payment.
type Outcome int

// The outcomes of a [Settlement].
const (
	Pending Outcome = iota // unknown: the money may have moved, or may still move
	Settled                // the money moved
	Refused                // it did not move, and this attempt will not move it
	Unsent                 // as Refused; the facilitator did not process the order
	Spent                  // the nonce was used on the chain, and we had sent the payment before
)

// String returns the name of the outcome in the log.
func (o Outcome) String() string {
	return [...]string{"pending", "settled", "refused", "unsent", "spent"}[o]
}

// Outcome returns what the attempt proves. sentBefore says that the same order was
// sent in an earlier attempt. A refusal then proves nothing about that attempt,
// unless the reason is that the nonce was used. duplicate_settlement proves nothing
// at any attempt (scheme_exact_svm.md): the facilitator has seen the order before, and
// may have sent it to the chain or not. The table is in
// docs/decisions/0008-a-payment-is-claimed-first.md.
func (s Settlement) Outcome(sentBefore bool) Outcome {
	switch {
	case s.Err != nil && !s.Err.MayHaveExecuted && !sentBefore:
		return Unsent
	case s.Err != nil:
		return Pending
	case s.Success:
		return Settled
	case !sentBefore && s.provesNotSent():
		return Refused
	case !sentBefore:
		return Pending
	case NonceUsed(s.Reason):
		return Spent
	}
	return Pending
}

// provesNotSent reports whether the facilitator refused the payment before it sent
// anything to the chain. Only the exact code of a refusal says so: other words may
// be about the facilitator's own account or about a transaction that was sent.
func (s Settlement) provesNotSent() bool { return s.Transaction == "" && isRefusal(s.Reason) }

// Failed reports whether a reason says that the transaction failed on the chain or
// could not be sent. Payers can cause that themselves by spending the payment in
// another way, so a nonce that is used afterwards does not prove that we were paid.
func Failed(reason string) bool {
	return containsAny(reason, "transaction_failed", "transaction_state", "failed_to_execute")
}

// MayBeExecuted reports whether the reason is also what a facilitator says of a
// payment that has been executed already, perhaps by itself in an attempt of which it
// does not tell. The chain knows.
func MayBeExecuted(reason string) bool {
	return NonceUsed(reason) || reason == "duplicate_settlement" || strings.HasSuffix(reason, "simulation_failed")
}

// isTransient reports whether a reason describes a problem of the facilitator or
// its node rather than of the payment.
func isTransient(reason string) bool {
	return containsAny(reason, "unexpected", "unknown", "unavailable", "timed_out", "timeout", "rate_limit", "receipt",
		"confirm", "node_", "pending")
}

// NonceUsed reports whether a reason says that the nonce of the payment was used on
// the chain before: by this payment, by another one, or by a cancellation.
func NonceUsed(reason string) bool { return strings.Contains(reason, "nonce_already_used") }

// ShouldRetry reports whether the identical order should be sent once more at once:
// the facilitator may by now know the result that it could not give.
func (s Settlement) ShouldRetry() bool {
	if s.Err != nil {
		return s.Err.MayHaveExecuted
	}
	return !s.Success && isTransient(s.Reason)
}

func containsAny(s string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
}
