package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"sync"
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

// Claim is the lease of a payment for the one request that it may pay for.
// While one caller has the lease, no other can use the payment, in any process.
type Claim struct {
	ID      [32]byte // of the payment: see x402.Payment
	Request [32]byte // hash of method, path, query and body
	Payload [32]byte // hash of the signed part; only a caller who sends the same one is given the answer

	PaymentTerms
	Caller     *Caller // the key that was sent along; nil without one
	Identifier string  // the payer's own name for the payment (x402 payment-identifier); "" without one
	Payment    []byte  // the body of /settle

	// Progress. Filled by [DB.Claim] from earlier requests with the same payment.
	Created         tocsin.Time
	Answer          []byte // the response that is paid for; nil before it is made
	Tries           int    // calls of /settle, including the one that comes next
	Transaction     string // "" while it is not known
	Reason          string // why the payment is not settled yet
	MayHaveBeenSent bool   // an earlier holder of the lease crashed; it may have called /settle

	flushed    *flush // the write of the claim to disk
	heldSince  int64  // tells holders of the lease apart
	leaseUntil int64
}

// ClaimResult is what became of the wish to hold a payment.
type ClaimResult int

// The results of [DB.Claim].
const (
	Acquired         ClaimResult = iota // it is held, and to be dealt with from the beginning
	Resumed                             // it was sent to be settled and nobody knows how that ended; it is held again
	Replayed                            // it is settled, and its answer is kept
	InProgress                          // somebody is at work on it
	UsedElsewhere                       // it pays, or has paid, for another request; or its answer is no longer kept
	IdentifierReused                    // another payment of the same payer has the same identifier
	Unknown                             // it is not known, and not to be begun; only if it may not
)

// The states of a claim.
const (
	claimed  = "claimed"
	settling = "settling"
	settled  = "settled"
)

// holding is how long a payment is held without a word of its holder, who
// prolongs it while he lives: when he was killed, it is held no longer than that.
const holding = 5 * time.Second

// held are the claims that this process is at work on.
type held struct {
	mu     sync.Mutex
	claims map[*Claim]bool
}

// prolong holds the claims that this process is still at work on. Most are
// given back long before. What fails is tried again with the next tick; whoever
// has lost his claim finds out when he wants to settle.
func (db *DB) prolong(ctx context.Context, s *conn) {
	now := db.Now()
	var until int64
	db.held.mu.Lock()
	defer db.held.mu.Unlock()
	var ending []*Claim
	for c := range db.held.claims {
		if time.Duration(c.leaseUntil-now.Micro())*time.Microsecond < holding/2 {
			ending = append(ending, c)
		}
	}
	if len(ending) == 0 {
		return
	}
	err := s.transact(ctx, beginWrite(accounts), func() error {
		until = db.Now().Std().Add(holding).UnixMicro() // now that it is our turn to write
		for _, c := range ending {
			if _, err := s.exec(ctx, "UPDATE claim SET lease_until = $1 WHERE id = $2 AND held_since = $3 AND lease_until > 0", until, c.ID[:], c.heldSince); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		for _, c := range ending {
			c.leaseUntil = until
		}
	}
}

// atWork reports whether this process is at work on the payment.
func (db *DB) atWork(c *Claim) bool {
	db.held.mu.Lock()
	defer db.held.mu.Unlock()
	for other := range db.held.claims {
		if other.ID == c.ID {
			return true
		}
	}
	return false
}

// Claim holds a payment; begin says that it may be new. With Acquired and
// Resumed it is to be given back with [DB.Unlock], whatever happens. With Resumed
// and Replayed the claim is filled with what is known of it.
func (db *DB) Claim(ctx context.Context, c *Claim, begin bool) (result ClaimResult, err error) {
	if !begin { // mostly a look is enough
		err = db.read(ctx, primary, func(s *conn) error {
			result, err = db.find(ctx, s, c, db.Now().Micro())
			return err
		})
	}
	if begin || err == nil && (result == Resumed || result == Acquired) {
		err = db.write(ctx, accounts, false, func(ctx context.Context, s *conn) (err error) {
			result, err = db.claim(ctx, s, c, begin)
			return err
		})
	}
	if err != nil {
		return 0, fmt.Errorf("claim payment: %w", err)
	}
	if result == Acquired || result == Resumed {
		db.held.mu.Lock()
		defer db.held.mu.Unlock()
		if db.held.claims == nil {
			db.held.claims = map[*Claim]bool{}
		}
		db.held.claims[c] = true
	}
	if result == Acquired {
		c.flushed = db.flush() // while the payment is verified
	}
	return result, nil
}

// Unlock ends the work on a claim that is held. One that was neither released
// nor settled nor postponed is held by nobody a few seconds later.
func (db *DB) Unlock(c *Claim) {
	db.held.mu.Lock()
	defer db.held.mu.Unlock()
	delete(db.held.claims, c)
}

func (db *DB) claim(ctx context.Context, s *conn, c *Claim, begin bool) (ClaimResult, error) {
	now := db.Now().Micro()
	c.heldSince, c.leaseUntil, c.MayHaveBeenSent = now, db.Now().Std().Add(holding).UnixMicro(), false
	for begin {
		n, err := affected(s.exec(ctx, `INSERT INTO claim (id, request, payload, state, held_since, lease_until, operation, network, asset, amount, payer, pay_to, agent, identifier, created, updated, payment)
			VALUES ($1, $2, $14, 'claimed', $12, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13) ON CONFLICT DO NOTHING`,
			c.ID[:], c.Request[:], c.leaseUntil, c.Operation, c.Network, c.Asset, c.Amount, c.Payer, c.PayTo, callerID(c.Caller), nullable(c.Identifier), now, c.Payment, c.Payload[:]))
		if err != nil {
			return 0, err
		}
		if n == 1 {
			c.Created = tocsin.MicroTime(now)
			return Acquired, nil
		}
		// An identifier that a process has left behind that died is free again.
		n, err = affected(s.exec(ctx, "UPDATE claim SET identifier = NULL WHERE state = 'claimed' AND lease_until <= $1 AND id <> $2 AND payer = $3 AND identifier = $4",
			now, c.ID[:], c.Payer, nullable(c.Identifier)))
		if err != nil {
			return 0, err
		}
		begin = n > 0
	}
	result, err := db.find(ctx, s, c, now)
	switch {
	case err == nil && (result == Acquired || result == Resumed) && db.atWork(c):
		return InProgress, nil // its lease has ended only because the writer could not prolong it
	case err == nil && result == Acquired:
		c.MayHaveBeenSent = true
	case err == nil && result == Resumed:
		c.Tries++ // the one that is to come
	default:
		return result, err
	}
	_, err = s.exec(ctx, "UPDATE claim SET held_since = $1, lease_until = $2, updated = $1 WHERE id = $3", now, c.leaseUntil, c.ID[:])
	return result, err
}

// find looks up a payment and fills the claim with what is known of it.
func (db *DB) find(ctx context.Context, s *conn, c *Claim, now int64) (ClaimResult, error) {
	var request, payload, payment []byte
	var state string
	var lease, created int64
	err := s.row(ctx, `SELECT request, payload, state, lease_until, created, operation, network, asset, amount, payer, pay_to, tries, coalesce(tx_hash, ''), coalesce(reason, ''), payment, answer
		FROM claim WHERE id = $1`, []any{c.ID[:]},
		&request, &payload, &state, &lease, &created, &c.Operation, &c.Network, &c.Asset, &c.Amount, &c.Payer, &c.PayTo, &c.Tries, &c.Transaction, &c.Reason, &payment, &c.Answer)
	if missing(err) {
		if c.Identifier != "" {
			err = s.row(ctx, "SELECT created FROM claim WHERE payer = $1 AND identifier = $2", []any{c.Payer, c.Identifier}, &created)
			if err == nil {
				return IdentifierReused, nil
			}
		}
		if missing(err) {
			return Unknown, nil
		}
	}
	if err != nil {
		return 0, err
	}
	c.Created, c.Payment = tocsin.MicroTime(created), payment
	busy, same := lease > now, bytes.Equal(request, c.Request[:]) && bytes.Equal(payload, c.Payload[:])
	switch {
	case state == claimed && !busy && same:
		// Its holder died. After a power loss this may be all that is known of a payment that was sent.
		return Acquired, nil
	case !same, state == settled && c.Answer == nil:
		return UsedElsewhere, nil
	case state == settled:
		return Replayed, nil
	case busy:
		return InProgress, nil
	}
	return Resumed, nil
}

func affected(done sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

func callerID(c *Caller) any {
	if c == nil {
		return nil
	}
	return c.id
}

// Release frees a payment that was not taken.
func (db *DB) Release(ctx context.Context, c *Claim) error {
	return db.write(ctx, accounts, false, func(ctx context.Context, s *conn) error {
		_, err := s.exec(ctx, "DELETE FROM claim WHERE id = $1 AND held_since = $2 AND state <> 'settled'", c.ID[:], c.heldSince)
		return err
	})
}

// BeginSettlement records that the payment is about to be sent to be settled,
// and its answer: from here on the claim is not freed unless it is known that no
// money moved. When it returns, the claim is on disk; its answer may be lost
// with the power, and is then made again. It reports whether it was still held.
func (db *DB) BeginSettlement(ctx context.Context, c *Claim) (held bool, err error) {
	tries := 1
	if c.MayHaveBeenSent {
		tries = 2
	}
	err = db.write(ctx, accounts, false, func(ctx context.Context, s *conn) error {
		n, err := affected(s.exec(ctx, `UPDATE claim SET state = 'settling', due = $1, updated = $1, tries = $2, answer = $3 WHERE id = $4 AND held_since = $5 AND state = 'claimed'`,
			db.Now().Micro(), tries, c.Answer, c.ID[:], c.heldSince))
		held = n == 1
		return err
	})
	if err == nil && held {
		db.flush() // goes on while it is settled, and is over long before: nobody waits for it
		c.Tries = tries
		err = c.flushed.wait()
	}
	return held, err
}

// Settled records that the money was moved. It does not wait for that: should it
// fail, the claim is still being settled, and whoever asks next finds out.
func (db *DB) Settled(ctx context.Context, c *Claim, failed func(error)) {
	db.writeLater(ctx, accounts, failed, func(ctx context.Context, s *conn) error {
		_, err := s.exec(ctx, `UPDATE claim SET state = 'settled', lease_until = 0, tries = $1, due = NULL, reason = NULL, payment = NULL, tx_hash = $2, updated = $3 WHERE id = $4`,
			c.Tries, nullable(c.Transaction), db.Now().Micro(), c.ID[:])
		return err
	})
}

// Postpone gives a claim back of which it is still not known how its settlement
// ended, and says why, and when to ask again; with 0 never by itself.
func (db *DB) Postpone(ctx context.Context, c *Claim, again time.Duration) error {
	return db.write(ctx, accounts, false, func(ctx context.Context, s *conn) error {
		now := db.Now()
		var due any
		if again > 0 {
			due = now.Std().Add(again).UnixMicro()
		}
		_, err := s.exec(ctx, "UPDATE claim SET lease_until = 0, tries = $1, due = $2, reason = $3, tx_hash = $4, updated = $5 WHERE id = $6 AND held_since = $7 AND state = 'settling'",
			c.Tries, due, c.Reason, nullable(c.Transaction), now.Micro(), c.ID[:], c.heldSince)
		return err
	})
}

// DueClaims returns claims whose settlement is due to be asked about, and on
// which nobody is at work. Each is to be held with [DB.Claim] first.
func (db *DB) DueClaims(ctx context.Context, limit int) (claims []*Claim, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		return s.each(ctx, "SELECT id, request, payload FROM claim WHERE state <> 'settled' AND state = 'settling' AND due <= $1 AND lease_until <= $1 ORDER BY due LIMIT $2", []any{db.Now().Micro(), limit}, func(rows *sql.Rows) error {
			var id, request, payload []byte
			if err := rows.Scan(&id, &request, &payload); err != nil {
				return err
			}
			claims = append(claims, &Claim{ID: [32]byte(id), Request: [32]byte(request), Payload: [32]byte(payload)})
			return nil
		})
	})
	return claims, err
}

// How long the answer of a settled payment is kept, from when it was claimed: of
// one whose settlement did not end at once, longer, since its payer may have
// gone to ask what happened. And how long a payment is kept whose holder died
// before it was sent.
const (
	answerKept     = 20 * time.Minute
	lateAnswerKept = 72 * time.Hour
	abandonedKept  = 48 * time.Hour
)

// PruneClaims forgets what is no longer needed of claims.
func (db *DB) PruneClaims(ctx context.Context) error {
	return db.write(ctx, accounts, false, func(ctx context.Context, s *conn) error {
		now := db.Now().Std()
		if _, err := s.exec(ctx, "UPDATE claim SET answer = NULL WHERE answer IS NOT NULL AND state = 'settled' AND created < CASE WHEN tries > 1 THEN $1 ELSE $2 END",
			now.Add(-lateAnswerKept).UnixMicro(), now.Add(-answerKept).UnixMicro()); err != nil {
			return err
		}
		_, err := s.exec(ctx, "DELETE FROM claim WHERE state <> 'settled' AND state = 'claimed' AND lease_until < $1", now.Add(-abandonedKept).UnixMicro())
		return err
	})
}

// Payment is a payment as the operator sees it.
type Payment struct {
	At    tocsin.Time `json:"at"`
	State string      `json:"state"` // claimed, settling or settled
	PaymentTerms
	Transaction string `json:"transaction"`
	Reason      string `json:"reason,omitempty"` // why it is not settled yet
}

// Revenue is what settled payments of one day, network, asset and operation came to.
type Revenue struct {
	Day       string `json:"day"` // UTC
	Network   string `json:"network"`
	Asset     string `json:"asset"`
	Operation string `json:"operation"`
	Payments  int    `json:"payments"`
	Amount    int64  `json:"amount"` // atomic units
}

// Payments calls each with the payments since an instant, oldest first, and
// returns what the settled ones came to.
func (db *DB) Payments(ctx context.Context, since tocsin.Time, each func(Payment) error) (takings []Revenue, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		err := s.each(ctx, `SELECT created, state, operation, network, asset, amount, payer, pay_to, coalesce(tx_hash, ''), coalesce(reason, '')
			FROM claim WHERE created >= $1 ORDER BY seq`, []any{since.Micro()}, func(rows *sql.Rows) error {
			var p Payment
			var at int64
			if err := rows.Scan(&at, &p.State, &p.Operation, &p.Network, &p.Asset, &p.Amount, &p.Payer, &p.PayTo, &p.Transaction, &p.Reason); err != nil {
				return err
			}
			p.At = tocsin.MicroTime(at)
			return each(p)
		})
		if err != nil {
			return err
		}
		return s.each(ctx, `SELECT created / 86400000000, network, asset, operation, count(*), sum(amount) FROM claim
			WHERE created >= $1 AND state = 'settled' GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`, []any{since.Micro()}, func(rows *sql.Rows) error {
			var t Revenue
			var day int64
			if err := rows.Scan(&day, &t.Network, &t.Asset, &t.Operation, &t.Payments, &t.Amount); err != nil {
				return err
			}
			t.Day = tocsin.MicroTime(day * int64(24*time.Hour/time.Microsecond)).Std().Format(time.DateOnly)
			takings = append(takings, t)
			return nil
		})
	})
	return takings, err
}
