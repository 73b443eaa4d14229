package store

import (
	"context"
	"database/sql"
	"time"

	"tocsin"
)

// PaymentTerms says what a payment pays for, and what is transferred to whom.
type PaymentTerms struct {
	Operation string `json:"operation"` // operationId of the contract
	Network   string `json:"network"`   // CAIP-2
	Asset     string `json:"asset"`     // contract or mint of the token
	Amount    int64  `json:"amount"`    // atomic units of the asset
	Payer     string `json:"payer"`
	PayTo     string `json:"payTo"`
}

// Payment is a payment as the operator sees it.
type Payment struct {
	ID    string      `json:"id"` // for [DB.ClosePayment]
	At    tocsin.Time `json:"at"`
	State string      `json:"state"` // claimed, settling or settled
	PaymentTerms
	Transaction string `json:"transaction"`
	Reason      string `json:"reason,omitempty"` // why it is not settled yet
}

// Takings are the sums of the settled payments.
type Takings struct {
	Settled []Revenue // those whose transaction is known
	// Those whose transaction is not known: the facilitator said only that they cannot
	// be used any more. Their payers may have used them otherwise.
	Unproven []Revenue
}

// OpenPayments counts the unsettled payments in one state.
type OpenPayments struct {
	State    string // claimed or settling
	Payments int
	Amount   int64 // atomic units
}

// OpenPayments returns the numbers of unsettled payments, by state.
func (db *DB) OpenPayments(ctx context.Context) ([]OpenPayments, error) {
	open := []OpenPayments{{State: "claimed"}, {State: "settling"}}
	err := db.read(ctx, replica, func(s *conn) error {
		return s.each(ctx, "SELECT state, count(*), sum(amount) FROM claim WHERE state <> 'settled' GROUP BY state", nil,
			func(rows *sql.Rows) error {
				var payments OpenPayments
				err := rows.Scan(&payments.State, &payments.Payments, &payments.Amount)
				for i := range open {
					if open[i].State == payments.State {
						open[i] = payments
					}
				}
				return err
			})
	})
	return open, err
}

// Revenue is the sum of the settled payments of one day, network, asset and operation.
type Revenue struct {
	Day       string `json:"day"` // UTC
	Network   string `json:"network"`
	Asset     string `json:"asset"`
	Operation string `json:"operation"`
	Payments  int    `json:"payments"`
	Amount    int64  `json:"amount"` // atomic units
}

// Payments calls each with every payment since a time, oldest first, and
// returns the sums of the settled ones. An error of each ends it.
func (db *DB) Payments(
	ctx context.Context, since tocsin.Time, each func(Payment) error,
) (t Takings, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		err := s.each(ctx, "SELECT "+paymentColumns+" FROM claim WHERE created >= $1 ORDER BY seq", []any{since.Micro()},
			func(rows *sql.Rows) error {
				p, _, err := scanPayment(rows)
				if err != nil {
					return err
				}
				return each(p)
			})
		if err != nil {
			return err
		}
		return s.each(ctx, `SELECT created / 86400000000, network, asset, operation, tx_hash IS NOT NULL,
				count(*), sum(amount) FROM claim
			WHERE created >= $1 AND state = 'settled' GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5`,
			[]any{since.Micro()}, func(rows *sql.Rows) error {
				var r Revenue
				var day int64
				var proven bool
				if err := rows.Scan(&day, &r.Network, &r.Asset, &r.Operation, &proven, &r.Payments, &r.Amount); err != nil {
					return err
				}
				r.Day = tocsin.MicroTime(day * int64(24*time.Hour/time.Microsecond)).Std().Format(time.DateOnly)
				if proven {
					t.Settled = append(t.Settled, r)
				} else {
					t.Unproven = append(t.Unproven, r)
				}
				return nil
			})
	})
	return t, err
}

// paymentColumns are what scanPayment reads.
const paymentColumns = `id, created, state, operation, network, asset, amount, payer, pay_to, coalesce(tx_hash, ''),
	coalesce(reason, '')`

// scanPayment reads a payment and its whole id, and what the columns before them have.
func scanPayment(rows *sql.Rows, before ...any) (p Payment, id []byte, err error) {
	var at int64
	err = rows.Scan(append(before, &id, &at, &p.State, &p.Operation, &p.Network, &p.Asset, &p.Amount, &p.Payer, &p.PayTo,
		&p.Transaction, &p.Reason)...)
	p.ID, p.At = paymentName(id), tocsin.MicroTime(at)
	return p, id, err
}
