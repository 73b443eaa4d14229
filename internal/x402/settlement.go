package x402

import "strings"

// Settlement is one attempt to have an order carried out: what the facilitator
// says of it, or the trouble that it had.
type Settlement struct {
	Success     bool
	Reason      string // why there is no success
	Transaction string // "" if none is known
	Trouble     *Trouble
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

// Outcome says what the attempt proves, given whether the same order was sent
// before: then a refusal says nothing of the earlier attempts, unless it is that
// the chain has carried the payment out.
func (s Settlement) Outcome(sentBefore bool) Outcome {
	switch {
	case s.Trouble != nil && !s.Trouble.MayDone && !sentBefore:
		return Unsent
	case s.Trouble != nil:
		return Pending
	case s.Success:
		return Settled
	case s.underWay():
		return Pending
	case !sentBefore:
		return Refused
	case strings.Contains(s.Reason, "nonce_already_used"):
		return Spent
	}
	// Among the rest is duplicate_settlement (scheme_exact_svm.md): it says that the
	// facilitator was sent the order before, also of one that never came to the chain.
	return Pending
}

func (s Settlement) underWay() bool {
	return s.Reason == "settlement_pending" || s.Reason == "unexpected_settle_error"
}

// Unclear reports whether the identical order should be sent once more at once,
// because the facilitator can know by now what it did not tell.
func (s Settlement) Unclear() bool {
	if s.Trouble != nil {
		return s.Trouble.Cause == Faulty && s.Trouble.MayDone
	}
	return s.underWay()
}
