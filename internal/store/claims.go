package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"time"

	"tocsin"
)

// Claim is the lease of a payment for the one request that it may pay for.
// While one caller has the lease, no other can use the payment, in any process.
type Claim struct {
	ID      [32]byte // of the payment: see x402.Payment
	Request [32]byte // hash of method, path, query and body
	Payload [32]byte // hash of the signed part of the payment
	Whole   [32]byte // hash of the payment as it was sent; only a caller who sends the same one gets the answer

	PaymentTerms
	Caller     *Caller // the key that was sent along; nil without one
	Identifier string  // the payer's own name for the payment (x402 payment-identifier); "" without one
	Payment    []byte  // the body of /settle

	// Progress. Filled by [DB.Claim] from earlier requests with the same payment.
	Created         tocsin.Time
	Answer          []byte // the response that is paid for; nil before it is made, and after it was erased
	Tries           int    // calls of /settle, including the one that comes next
	Transaction     string // "" while it is not known
	Reason          string // why the payment is not settled yet
	MayHaveBeenSent bool   // an earlier holder of the lease crashed; it may have called /settle
	Misfit          bool   // with UsedElsewhere: the request or the payment is not the one on record

	flushed *flush // the write of the claim to disk
	token   int64  // of the lease
}

// ClaimResult is the result of [DB.Claim].
type ClaimResult int

// The results of [DB.Claim]. With Acquired and Resumed the caller has the lease.
const (
	Acquired         ClaimResult = iota // the payment was not sent by this or a live process: begin with it
	Resumed                             // the payment was sent, and the outcome is unknown: ask again
	Replayed                            // the payment is settled, and its answer is still kept, unless it was erased
	InProgress                          // another call has the lease
	UsedElsewhere                       // the payment belongs to another request, or its answer is no longer kept
	IdentifierReused                    // another payment of the same payer has the same identifier
	Unknown                             // there is no such claim; only if it may not begin
)

// The states of a claim.
const (
	claimed  = "claimed"
	settling = "settling"
	settled  = "settled"
)

// Claim takes the lease of a payment. It creates the claim if begin is true;
// otherwise only a claim that exists can be continued. With Acquired and
// Resumed the caller must call [DB.Unlock] in the end. With Resumed and
// Replayed the fields of the claim are those on record.
func (db *DB) Claim(ctx context.Context, c *Claim, begin bool) (result ClaimResult, err error) {
	if begin {
		if err := db.dated(ctx); err != nil {
			return 0, fmt.Errorf("claim payment: %w", err)
		}
	}
	if !begin { // reading is mostly enough
		err = db.read(ctx, primary, func(s *conn) error {
			result, err = find(ctx, s, c, db.leaseNow(), false)
			return err
		})
	}
	var l lease
	if begin || err == nil && (result == Resumed || result == Acquired) {
		if l, err = db.newLease(); err != nil {
			return 0, err
		}
		write := db.write
		if begin {
			write = db.writeRecord
		}
		err = write(ctx, accounts, false, func(ctx context.Context, s *conn) (err error) {
			now := db.leaseNow()
			l.until = now + leaseTTL.Microseconds()
			result, err = db.acquire(ctx, s, c, l, now, begin)
			return err
		})
	}
	if err != nil {
		return 0, fmt.Errorf("claim payment: %w", err)
	}
	if result == Acquired || result == Resumed {
		c.token = l.token
		db.leases.add(c.ID, l)
	}
	if result == Acquired {
		c.flushed = db.dialect.flush() // while the payment is verified
	}
	return result, nil
}

// acquire creates a claim with a lease, or takes over one whose lease has ended. The claim in the way of a new one may
// be released before it is looked at (on PostgreSQL each statement sees what was committed before it): then it is tried
// once more.
func (db *DB) acquire(ctx context.Context, s *conn, c *Claim, l lease, now int64, begin bool) (ClaimResult, error) {
	for range 2 {
		if result, err := db.tryAcquire(ctx, s, c, l, now, begin); err != nil || result != Unknown || !begin {
			return result, err
		}
	}
	return InProgress, nil // others come and go
}

// tryAcquire is one attempt of acquire. Every statement repeats its condition, so that it succeeds for one caller only,
// without a lock and whatever was read before.
func (db *DB) tryAcquire(ctx context.Context, s *conn, c *Claim, l lease, now int64, begin bool) (ClaimResult, error) {
	c.MayHaveBeenSent = false
	for begin {
		n, err := affected(s.exec(ctx, `INSERT INTO claim (id, request, payload, whole, state, lease_token, lease_until,
				operation, network, asset, amount, payer, pay_to, agent, identifier, created, updated, payment)
			VALUES ($1, $2, $3, $4, 'claimed', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15, $16)
			ON CONFLICT DO NOTHING`,
			c.ID[:], c.Request[:], c.Payload[:], c.Whole[:], l.token, l.until, c.Operation, c.Network, c.Asset, c.Amount,
			c.Payer, c.PayTo, callerID(c.Caller), nullable(c.Identifier), now, c.Payment))
		if err != nil {
			return 0, err
		}
		if n == 1 {
			c.Created = tocsin.MicroTime(now)
			return Acquired, nil
		}
		if begin = c.Identifier != ""; begin { // an identifier that a crashed process has left behind is free again
			n, err := affected(s.exec(ctx, `UPDATE claim SET identifier = NULL
				WHERE payer = $1 AND identifier = $2 AND id <> $3 AND state = 'claimed' AND lease_until <= $4`,
				c.Payer, c.Identifier, c.ID[:], now))
			if err != nil {
				return 0, err
			}
			begin = n > 0
		}
	}
	taken := false
	if !db.leases.heldHere(c.ID) {
		n, err := affected(s.exec(ctx, `UPDATE claim SET lease_token = $1, lease_until = $2, updated = $3
			WHERE id = $4 AND request = $5 AND payload = $6 AND coalesce(whole, $7) = $7
				AND state <> 'settled' AND lease_until <= $3`,
			l.token, l.until, now, c.ID[:], c.Request[:], c.Payload[:], c.Whole[:]))
		if err != nil {
			return 0, err
		}
		taken = n == 1
	}
	result, err := find(ctx, s, c, now, taken)
	switch {
	case err != nil:
		return 0, err
	case !taken && (result == Acquired || result == Resumed):
		return InProgress, nil
	case result == Acquired:
		c.MayHaveBeenSent = true
	case result == Resumed:
		c.Tries++ // the one that comes next
	}
	return result, nil
}

// find looks up a claim and fills in what is on record. With Acquired and
// Resumed the lease is free, or the caller has just taken it.
func find(ctx context.Context, s *conn, c *Claim, now int64, taken bool) (ClaimResult, error) {
	var request, payload, whole, payment []byte
	var state string
	var until, created int64
	err := s.row(ctx, `SELECT request, payload, coalesce(whole, $2), state, lease_until, created,
			operation, network, asset, amount, payer, pay_to, tries,
			coalesce(tx_hash, ''), coalesce(reason, ''), payment, answer
		FROM claim WHERE id = $1`, []any{c.ID[:], c.Whole[:]},
		&request, &payload, &whole, &state, &until, &created, &c.Operation, &c.Network, &c.Asset, &c.Amount,
		&c.Payer, &c.PayTo, &c.Tries, &c.Transaction, &c.Reason, &payment, &c.Answer)
	if missing(err) {
		if c.Identifier != "" {
			err = s.row(ctx, "SELECT created FROM claim WHERE payer = $1 AND identifier = $2",
				[]any{c.Payer, c.Identifier}, &created)
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
	free := taken || until <= now
	same := bytes.Equal(request, c.Request[:]) && bytes.Equal(payload, c.Payload[:]) && bytes.Equal(whole, c.Whole[:])
	c.Misfit = !same
	switch {
	case state == claimed && free && same:
		// The holder crashed. After a power loss even a payment that was sent may be on record as claimed.
		return Acquired, nil
	case !same, state == settled && c.Answer == nil && now-created > answerKept(c.Tries).Microseconds():
		return UsedElsewhere, nil
	case state == settled:
		return Replayed, nil
	case !free:
		return InProgress, nil
	}
	return Resumed, nil
}

// affected returns how many rows a statement has changed.
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

// Release deletes the claim of a payment that was not executed. It changes
// nothing if the lease was lost.
func (db *DB) Release(ctx context.Context, c *Claim) error {
	return db.write(ctx, accounts, false, func(ctx context.Context, s *conn) error {
		_, err := s.exec(ctx, "DELETE FROM claim WHERE id = $1 AND lease_token = $2 AND state <> 'settled'",
			c.ID[:], c.token)
		return err
	})
}

// BeginSettlement records that the payment is about to be sent to /settle, and
// its answer. From then on the claim is released only when it is known that the
// payment was not executed. When BeginSettlement returns, the claim is on disk;
// the answer may be lost with the power, and is then made again. If held is
// false, the lease was lost and the payment must not be sent.
func (db *DB) BeginSettlement(ctx context.Context, c *Claim) (held bool, err error) {
	tries := 1
	if c.MayHaveBeenSent {
		tries = 2
	}
	err = db.write(ctx, accounts, false, func(ctx context.Context, s *conn) error {
		n, err := affected(s.exec(ctx,
			`UPDATE claim SET state = 'settling', due = $1, updated = $1, tries = $2, answer = $3, reason = $4
			WHERE id = $5 AND lease_token = $6 AND state = 'claimed'`,
			db.Now().Micro(), tries, c.Answer, nullable(c.Reason), c.ID[:], c.token))
		held = n == 1
		return err
	})
	if err == nil && held {
		db.dialect.flush() // nobody waits for this one: it ends long before the settlement
		c.Tries = tries
		err = c.flushed.wait()
	}
	return held, err
}

// Return gives up the lease of a claim that is being settled, and changes nothing else.
func (db *DB) Return(ctx context.Context, c *Claim) error {
	return db.write(ctx, accounts, false, func(ctx context.Context, s *conn) error {
		_, err := s.exec(ctx, "UPDATE claim SET lease_until = 0 WHERE id = $1 AND lease_token = $2", c.ID[:], c.token)
		return err
	})
}

// Settled records that the payment was executed. Whether the lease was lost
// does not matter: the transfer is a fact, and the next holder need not find it
// out. Settled returns at once and calls failed with an error of the write; the
// claim is then still being settled, and is asked about again.
func (db *DB) Settled(ctx context.Context, c *Claim, failed func(error)) {
	ended := func(err error) {
		if err != nil {
			failed(err)
		}
	}
	db.writeLater(ctx, accounts, ended, func(ctx context.Context, s *conn) error {
		_, err := s.exec(ctx, `UPDATE claim SET state = 'settled', lease_until = 0, tries = $1, due = NULL,
				reason = NULL, payment = NULL, tx_hash = $2, updated = $3
			WHERE id = $4 AND state = 'settling'`,
			c.Tries, nullable(c.Transaction), db.Now().Micro(), c.ID[:])
		return err
	})
}

// Postpone gives up the lease of a claim whose outcome is still unknown, and
// records c.Reason. The claim is due after a delay; with 0 it is never due and
// only the payer can continue it. Postpone changes nothing if the lease was lost.
func (db *DB) Postpone(ctx context.Context, c *Claim, delay time.Duration) error {
	return db.write(ctx, accounts, false, func(ctx context.Context, s *conn) error {
		now := db.Now()
		var due any
		if delay > 0 {
			due = now.Std().Add(delay).UnixMicro()
		}
		_, err := s.exec(ctx,
			`UPDATE claim SET lease_until = 0, tries = $1, due = $2, reason = $3, tx_hash = $4, updated = $5
			WHERE id = $6 AND lease_token = $7 AND state = 'settling'`,
			c.Tries, due, c.Reason, nullable(c.Transaction), now.Micro(), c.ID[:], c.token)
		return err
	})
}

// DueClaims returns claims whose outcome is due to be asked about and that
// nobody works on, the longest due first. Pass each to [DB.Claim] first.
func (db *DB) DueClaims(ctx context.Context, limit int) (claims []*Claim, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		// state <> 'settled' is there for the index claim_open.
		return s.each(ctx, `SELECT id, request, payload, whole FROM claim
			WHERE state <> 'settled' AND state = 'settling' AND due <= $1 AND lease_until <= $2 ORDER BY due LIMIT $3`,
			[]any{db.Now().Micro(), db.leaseNow(), limit}, func(rows *sql.Rows) error {
				var id, request, payload, whole []byte
				if err := rows.Scan(&id, &request, &payload, &whole); err != nil {
					return err
				}
				c := &Claim{ID: [32]byte(id), Request: [32]byte(request), Payload: [32]byte(payload)}
				copy(c.Whole[:], whole)
				claims = append(claims, c)
				return nil
			})
	})
	return claims, err
}

// How long claims keep what, from their creation. The answer of a payment whose
// settlement took several attempts is kept longer: its payer may have gone to
// ask what happened. A claim whose holder crashed before it sent the payment is
// deleted in the end.
const (
	keepAnswer     = 20 * time.Minute
	keepLateAnswer = 72 * time.Hour
	keepAbandoned  = 48 * time.Hour
)

// answerKept is how long the answer of a payment is kept that was sent so many times.
func answerKept(tries int) time.Duration {
	if tries > 1 {
		return keepLateAnswer
	}
	return keepAnswer
}

// KeepAnswer keeps an answer that was made again, of a payment whose answer was erased.
func (db *DB) KeepAnswer(ctx context.Context, c *Claim) error {
	return db.write(ctx, accounts, false, func(ctx context.Context, s *conn) error {
		_, err := s.exec(ctx, "UPDATE claim SET answer = $1 WHERE id = $2 AND state <> 'claimed' AND answer IS NULL",
			c.Answer, c.ID[:])
		return err
	})
}

// PruneClaims deletes answers and claims that are no longer needed.
func (db *DB) PruneClaims(ctx context.Context) error {
	if db.dated(ctx) != nil {
		return nil // how old they are is not known
	}
	return db.write(ctx, accounts, false, func(ctx context.Context, s *conn) error {
		now := db.Now().Std()
		if _, err := s.exec(ctx, `UPDATE claim SET answer = NULL WHERE answer IS NOT NULL AND state = 'settled'
				AND (tries > 1 AND created < $1 OR tries <= 1 AND created < $2)`,
			now.Add(-keepLateAnswer).UnixMicro(), now.Add(-keepAnswer).UnixMicro()); err != nil {
			return err
		}
		_, err := s.exec(ctx, "DELETE FROM claim WHERE state <> 'settled' AND state = 'claimed' AND lease_until < $1",
			now.Add(-keepAbandoned).UnixMicro())
		return err
	})
}
