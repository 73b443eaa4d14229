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
	At    tocsin.Time `json:"at"`
	State string      `json:"state"` // claimed, settling or settled
	PaymentTerms
	Transaction string `json:"transaction"`
	Reason      string `json:"reason,omitempty"` // why it is not settled yet
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
) (total []Revenue, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		err := s.each(ctx, `SELECT created, state, operation, network, asset, amount, payer, pay_to,
				coalesce(tx_hash, ''), coalesce(reason, '')
			FROM claim WHERE created >= $1 ORDER BY seq`, []any{since.Micro()}, func(rows *sql.Rows) error {
			var p Payment
			var at int64
			if err := rows.Scan(&at, &p.State, &p.Operation, &p.Network, &p.Asset, &p.Amount, &p.Payer, &p.PayTo,
				&p.Transaction, &p.Reason); err != nil {
				return err
			}
			p.At = tocsin.MicroTime(at)
			return each(p)
		})
		if err != nil {
			return err
		}
		return s.each(ctx, `SELECT created / 86400000000, network, asset, operation, count(*), sum(amount) FROM claim
			WHERE created >= $1 AND state = 'settled' GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
			[]any{since.Micro()}, func(rows *sql.Rows) error {
				var t Revenue
				var day int64
				if err := rows.Scan(&day, &t.Network, &t.Asset, &t.Operation, &t.Payments, &t.Amount); err != nil {
					return err
				}
				t.Day = tocsin.MicroTime(day * int64(24*time.Hour/time.Microsecond)).Std().Format(time.DateOnly)
				total = append(total, t)
				return nil
			})
	})
	return total, err
}
