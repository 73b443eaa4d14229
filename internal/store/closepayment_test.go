package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tocsin"
)

// TestTheOperatorEndsAPaymentWhoseEndIsNotKnown: with the transaction it is taken money; one that was not paid is gone,
// but not while a server may still find out, or somebody is at work on it.
func TestTheOperatorEndsAPaymentWhoseEndIsNotKnown(t *testing.T) {
	all, clock := handles(t, 1)
	db, ctx := all[0], t.Context()
	open := func(id byte) string {
		c := claims(t, db, claimOf(id, 1), Acquired)
		settle(t, db, c)
		c.Reason, c.Answer = "no_response", []byte("{}")
		do(t, db.Postpone(ctx, c, 0))
		db.Unlock(c)
		return paymentName(c.ID[:])
	}
	closes := func(name, transaction, want string) {
		t.Helper()
		_, err := db.ClosePayment(ctx, Operator{Name: "eve", Reason: "looked"}, name, transaction)
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) {
			t.Errorf("%s %q: %s, want %q", name, transaction, got, want)
		}
	}
	paid, unpaid, spent := open(1), open(2), claims(t, db, claimOf(4, 1), Acquired)
	held := claims(t, db, claimOf(3, 1), Acquired)
	settle(t, db, spent)
	db.Settled(ctx, spent, func(err error) { t.Error(err) }) // as the facilitator says, without a transaction
	db.Unlock(spent)
	closes(paid, "0x1", "")
	closes(unpaid, "", "may still be paid")
	closes(paymentName(held.ID[:]), "0x1", "is being dealt with")
	clock.sleep(SettlementAsked)
	closes(unpaid, "", "")
	closes(paymentName(spent.ID[:]), "", "settled already")
	closes(paymentName(spent.ID[:]), "0x1", "0x1 is the transaction of "+paid)
	closes(paymentName(spent.ID[:]), "0x2", "")
	closes(paid, "0x3", "settled already, in 0x1")
	closes(unpaid, "0x3", "there is no payment "+unpaid)
	for _, name := range []string{"", "pay_", "pay_x", paid[4:], paid[:len(paid)-2], paid + "00"} {
		closes(name, "0x3", "there is no payment")
	}
	var states []string
	takings, err := db.Payments(ctx, tocsin.Time{}, func(p Payment) error {
		states = append(states, p.ID+" "+p.State+" "+p.Transaction+p.Reason)
		return nil
	})
	do(t, err)
	equal(t, "what is on record", states, []string{paid + " settled 0x1", paymentName(spent.ID[:]) + " settled 0x2",
		paymentName(held.ID[:]) + " claimed "})
	equal(t, "takings, unproven", []any{takings.Settled[0].Payments, len(takings.Unproven)}, []any{2, 0})
	equal(t, "orders that are kept", count(t, db, "claim", "payment IS NOT NULL"), 1) // they name who was looked up
	acts, err := db.Acts(ctx, ActFilter{Object: unpaid, Limit: 9})
	do(t, err)
	equal(t, "the log of acts", fmt.Sprintf("%d: %s, %v, %s", len(acts), acts[0].Action, acts[0].Objects, acts[0].Reason),
		fmt.Sprintf("1: payment close, [%s %s: not paid], looked", unpaid, unpaid))
	clock.sleep(keepLateAnswer + time.Minute)
	do(t, db.PruneClaims(ctx))
	equal(t, "answers that are kept", count(t, db, "claim", "answer IS NOT NULL"), 0)
	claims(t, db, claimOf(2, 1), Acquired) // it may begin again: its chain decides whether it is good
}
