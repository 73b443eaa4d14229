package x402

import "strings"

// Settlement is one attempt to have an order carried out: what the facilitator
// says of it, or the trouble that it had.
type Settlement struct {
	Success     bool
	Reason      string // why there is no success
	Transaction string // "" if none is known
	Err         *FacilitatorError
}

// Outcome is what an attempt proves.
type Outcome int

// The outcomes of a [Settlement].
const (
	Pending Outcome = iota // nothing: the money may have moved, or may still move
	Settled                // the money moved
	Refused                // it did not, and this attempt will not move it
	Unsent                 // likewise; the facilitator was not even asked
	Spent                  // the payment is used up on the chain, and we have sent it before
)

// String returns the outcome as it stands in the log.
func (o Outcome) String() string {
	return [...]string{"pending", "settled", "refused", "unsent", "spent"}[o]
}

// Outcome says what the attempt proves, given whether the same order was sent
// before: then a refusal says nothing of the earlier attempts, unless it is that
// the chain has carried the payment out.
func (s Settlement) Outcome(sentBefore bool) Outcome {
	switch {
	case s.Err != nil && !s.Err.MayHaveExecuted && !sentBefore:
		return Unsent
	case s.Err != nil:
		return Pending
	case s.Success:
		return Settled
	case !sentBefore && s.definite():
		return Refused
	case !sentBefore:
		return Pending
	case NonceUsed(s.Reason):
		return Spent
	}
	// Among the rest is duplicate_settlement (scheme_exact_svm.md): it says that the
	// facilitator was sent the order before, also of one that never came to the chain.
	return Pending
}

// definite reports whether a refusal says that nothing was sent to the chain:
// what is wrong is seen before. In doubt it may have been.
func (s Settlement) definite() bool {
	if s.Transaction != "" || vague(s.Reason) || Failed(s.Reason) {
		return false
	}
	for _, part := range []string{"payload", "signature", "valid_before", "valid_after", "value", "recipient", "balance", "insufficient", "scheme", "network_mismatch",
		"token_name", "token_version", "simulation", "nonce", "requirements", "factory", "fee_payer", "unsupported", "version", "duplicate_settlement"} {
		if strings.Contains(s.Reason, part) {
			return true
		}
	}
	return false
}

// Failed reports whether a reason says that the payment was refused by the chain
// when it was sent, or that sending it failed. The payer can bring that about by
// using the payment up himself: that it is spent afterwards proves nothing.
func Failed(reason string) bool {
	return strings.Contains(reason, "transaction_failed") || strings.Contains(reason, "transaction_state") || strings.Contains(reason, "failed_to_execute")
}

// vague reports whether a reason tells of trouble rather than of a fault of the payment.
func vague(reason string) bool {
	for _, part := range []string{"unexpected", "unknown", "unavailable", "timed_out", "timeout", "rate_limit", "receipt", "confirm", "node_", "pending"} {
		if strings.Contains(reason, part) {
			return true
		}
	}
	return false
}

// NonceUsed reports whether a reason says that the chain has carried the payment
// out, or voided it, before.
func NonceUsed(reason string) bool { return strings.Contains(reason, "nonce_already_used") }

// ShouldRetry reports whether the identical order should be sent once more at once,
// because the facilitator can know by now what it did not tell.
func (s Settlement) ShouldRetry() bool {
	if s.Err != nil {
		return s.Err.MayHaveExecuted
	}
	return !s.Success && vague(s.Reason)
}
