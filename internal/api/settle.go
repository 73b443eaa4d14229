package api

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"tocsin/internal/health"
	"tocsin/internal/store"
	"tocsin/internal/x402"
)

// voided is the reason of a payment of which the chain shows that it was not
// carried out and never will be.
const voided = "payment_voided"

// settle has the money of a claim moved, which is on disk and held, and brings
// the claim up to date. If the outcome is pending or unsent because of trouble
// with the facilitator, it returns that too. The end of ctx ends the asking, not
// the recording.
func (s *Server) settle(
	ctx context.Context, requestID string, c *store.Claim,
) (x402.Outcome, *x402.FacilitatorError) {
	var outcome x402.Outcome
	var attempt x402.Settlement
	distrusted := false
	for range 2 {
		failed := doubtful(c.Reason) // once said, it stays: see there
		attempt = s.config.Payments.Facilitator.Settle(ctx, c.Payment, c.Network)
		outcome = attempt.Outcome(c.Tries > 1)
		if attempt.Transaction != "" {
			c.Transaction = attempt.Transaction
		}
		switch {
		case failed:
			distrusted = outcome == x402.Spent
		case attempt.Err != nil:
			c.Reason = attempt.Err.Cause.String()
		default:
			c.Reason = attempt.Reason
		}
		if outcome != x402.Pending || !attempt.ShouldRetry() {
			break
		}
		c.Tries++
	}
	if outcome == x402.Pending || outcome == x402.Spent ||
		outcome == x402.Refused && x402.MayBeExecuted(attempt.Reason) {
		if outcome = s.askChain(ctx, requestID, c, outcome); outcome == x402.Spent {
			if outcome = x402.Settled; distrusted {
				outcome = x402.Pending
			}
		}
	}
	if err := s.record(context.WithoutCancel(ctx), c, outcome); err != nil {
		// The claim stays as it was: being settled. The next attempt finds out what this one did.
		s.log.LogAttrs(ctx, slog.LevelError, "record payment",
			slog.String("id", requestID), slog.String("error", err.Error()))
		outcome = x402.Pending
	}
	s.config.Count().Settled(c.Network, outcome.String(), c.Amount)
	s.log.LogAttrs(ctx, slog.LevelInfo, "payment", slog.String("id", requestID),
		slog.String("outcome", outcome.String()), slog.String("operation", c.Operation),
		slog.String("network", c.Network), slog.Int64("amount", c.Amount), slog.String("payer", c.Payer),
		slog.String("transaction", c.Transaction), slog.String("reason", c.Reason))
	return outcome, attempt.Err
}

// doubtful reports whether a payment with that reason may be spent without having
// paid us, so that only the chain can say that it has: its transaction failed, or it
// was not valid any more when we first knew of it again.
func doubtful(reason string) bool {
	return x402.Failed(reason) || strings.HasPrefix(reason, notValid)
}

// notValid begins the reason of a payment that was claimed by a process that crashed,
// and of which the facilitator then said that it is not valid.
const notValid = "not_valid_after_restart: "

// askChain asks what became of a payment, where the operator has named a node.
// Without one a payment that is spent after we have sent it counts as spent by
// us; with one it alone says so, because its payer can spend it otherwise, too.
func (s *Server) askChain(ctx context.Context, requestID string, c *store.Claim, outcome x402.Outcome) x402.Outcome {
	chain := s.config.Payments.Chains[c.Network]
	if chain == nil {
		return outcome
	}
	state, transaction, err := chain.State(ctx, c.Payment)
	if err != nil {
		s.log.LogAttrs(ctx, slog.LevelWarn, "chain", slog.String("id", requestID), slog.String("error", err.Error()))
	}
	switch {
	case state == x402.Executed:
		c.Transaction = transaction
		return x402.Settled
	case outcome == x402.Refused && (state == x402.Void || !x402.NonceUsed(c.Reason)):
		return x402.Refused // as the facilitator says
	case state == x402.Void:
		c.Reason = voided
		return x402.Refused
	}
	return x402.Pending
}

func (s *Server) record(ctx context.Context, c *store.Claim, outcome x402.Outcome) error {
	switch outcome {
	case x402.Settled:
		s.db.Settled(ctx, c, func(err error) {
			s.log.Error("record payment", "payer", c.Payer, "transaction", c.Transaction, "error", err)
		})
		return nil
	case x402.Refused, x402.Unsent:
		return s.db.Release(ctx, c)
	}
	return s.db.Postpone(ctx, c, backoff(s.now().Sub(c.Created.Std())))
}

// backoff is how long a payment of that age waits until the reconciler asks again: as
// long as it is old, at least a second and at most an hour. It is 0, never, after two days.
func backoff(age time.Duration) time.Duration {
	if store.Abandoned(age) {
		return 0
	}
	return min(max(age, time.Second), time.Hour)
}

// Reconcile keeps the payments in order until the context ends: it finds out
// what became of those whose settlement did not end, by this process or by one
// that died, and keeps in touch with the facilitator.
func (s *Server) Reconcile(ctx context.Context) {
	if !s.config.Payments.taken() {
		return
	}
	var working sync.WaitGroup
	defer working.Wait()
	working.Go(func() { s.config.Payments.Facilitator.Watch(ctx, s.logFacilitator) })
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for pruned := s.now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s.reconcileDue(ctx)
		if s.now().Sub(pruned) > time.Minute {
			pruned = s.now()
			if err := s.db.PruneClaims(ctx); err != nil && ctx.Err() == nil && !store.Reported(err) {
				s.log.Error("prune payments", "error", err)
			}
		}
	}
}

// reconcileDue settles again what is due to be settled again, and waits for the outcomes.
func (s *Server) reconcileDue(ctx context.Context) {
	due, err := s.db.DueClaims(ctx, 16)
	if err != nil && ctx.Err() == nil && !store.Reported(err) {
		s.log.Error("reconcile payments", "error", err)
	}
	var asking sync.WaitGroup
	for _, claim := range due {
		asking.Go(func() { s.reconcile(ctx, claim) })
	}
	asking.Wait()
}

func (s *Server) reconcile(ctx context.Context, claim *store.Claim) {
	if result, err := s.db.Claim(ctx, claim, false); err != nil || result != store.Resumed {
		return // somebody was quicker
	}
	defer s.db.Unlock(claim)
	s.settle(ctx, "reconciler", claim)
}

// logFacilitator logs a change of the status of the facilitator.
func (s *Server) logFacilitator(trouble *x402.FacilitatorError, networks []string) {
	if trouble != nil {
		s.log.Error("the facilitator does not say what it supports", "error", trouble.Error(),
			"remedy", health.Trouble{Part: health.Facilitator, Reason: health.Unreachable}.Remedy())
		return
	}
	s.log.Info("the facilitator answers", "networks", networks)
	for _, a := range s.config.Payments.Accounts {
		if !s.config.Payments.Facilitator.Health().Settles(a.ID) {
			s.log.Warn("the facilitator does not settle payments on this network, so that nobody can pay there", "network", a.ID)
		}
	}
}
