package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"tocsin"
)

// SettlementAsked is how long a server asks by itself what became of a payment that was sent, and for how long
// [DB.ClosePayment] does not take it for unpaid.
const SettlementAsked = 48 * time.Hour

// Abandoned reports whether no server asks any more what became of an open payment of that age.
func Abandoned(age time.Duration) bool { return age >= SettlementAsked }

// Abandoned reports whether no server asks any more what became of the payment, if it is open.
func (p Payment) Abandoned(now tocsin.Time) bool { return Abandoned(now.Std().Sub(p.At.Std())) }

// paymentPrefix begins the name of a payment.
const paymentPrefix = "pay_"

// paymentNameBytes is how much of its id is in the name of a payment.
const paymentNameBytes = 8

// paymentName names a payment for the operator, by the beginning of its id.
func paymentName(id []byte) string {
	return paymentPrefix + hex.EncodeToString(id[:min(paymentNameBytes, len(id))])
}

// ClosePayment ends a payment by hand, after the operator has looked for it in the wallet: with the transaction in
// which its money arrived, or "" if it did not arrive. One that arrived is settled, and in the takings. One that did
// not is deleted, as if it had been refused, once no server asks about it any more. A payment that is settled without a
// transaction can get one. The returned payment is as it was before. The error is NotFound if there is none with that
// name, and Invalid if it cannot be closed so.
func (db *DB) ClosePayment(ctx context.Context, by Operator, name, transaction string) (p Payment, err error) {
	id, fault := hex.DecodeString(strings.TrimPrefix(name, paymentPrefix))
	if fault != nil || len(id) != paymentNameBytes || !strings.HasPrefix(name, paymentPrefix) {
		return p, notFound("there is no payment %.50q: name it as tocsin payments shows it, like pay_0123456789abcdef", name)
	}
	err = db.writeRecord(ctx, accounts, true, func(ctx context.Context, s *conn) error {
		var found []Payment
		var ids [][]byte
		var until int64
		err := s.each(ctx, "SELECT lease_until, "+paymentColumns+" FROM claim WHERE id BETWEEN $1 AND $2",
			[]any{id, append(bytes.Clone(id), bytes.Repeat([]byte{0xff}, 32)...)}, func(rows *sql.Rows) error {
				one, id, err := scanPayment(rows, &until)
				found, ids = append(found, one), append(ids, id)
				return err
			})
		if err != nil {
			return err
		}
		switch len(found) {
		case 0:
			return notFound("there is no payment %s: name it as tocsin payments shows it", name)
		case 1:
		default:
			return fmt.Errorf("%d payments have the name %s", len(found), name)
		}
		p = found[0]
		if err := mayClose(p, transaction, until > db.leaseNow(), db.Now()); err != nil {
			return err
		}
		var other []byte
		err = s.row(ctx, "SELECT id FROM claim WHERE tx_hash = $1 AND network = $2 AND id <> $3 LIMIT 1",
			[]any{transaction, p.Network, ids[0]}, &other)
		switch {
		case err == nil:
			return &tocsin.Error{Code: tocsin.Invalid, Detail: fmt.Sprintf("%s is the transaction of %s: each payment has "+
				"its own", transaction, paymentName(other))}
		case !missing(err):
			return err
		}
		query, args := "DELETE FROM claim WHERE id = $1", []any{ids[0]}
		object := p.ID + ": not paid"
		if transaction != "" {
			query = `UPDATE claim SET state = 'settled', lease_until = 0, due = NULL, reason = NULL, payment = NULL,
				tx_hash = $2, updated = $3 WHERE id = $1`
			args, object = append(args, transaction, db.Now().Micro()), p.ID+": paid"
		}
		if _, err = s.exec(ctx, query, args...); err == nil {
			_, err = (&act{by: by, action: ClosedPayment}).log(ctx, s, db.Now(), p.ID, object)
		}
		return err
	})
	return p, err
}

// mayClose returns why a payment cannot be closed so, nil if it can.
func mayClose(p Payment, transaction string, held bool, now tocsin.Time) error {
	because := func(format string, args ...any) error {
		return &tocsin.Error{Code: tocsin.Invalid, Detail: fmt.Sprintf("%s "+format, append([]any{p.ID}, args...)...)}
	}
	switch {
	case p.State == settled && transaction == "":
		return because("is settled already: nothing is open")
	case p.State == settled && p.Transaction != "":
		return because("is settled already, in %s: nothing is open", p.Transaction)
	case held:
		return because("is being dealt with at this moment: see in a minute how that ended")
	case transaction == "" && !p.Abandoned(now):
		return because("may still be paid: its end is found out by the server until %sZ. If it is open after that, close it",
			p.At.Std().Add(SettlementAsked).UTC().Format("2006-01-02T15:04:05"))
	}
	return nil
}
