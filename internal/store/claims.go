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

// Claim is a payment that somebody brought, bound to the one request that it
// may pay for. While it is held nobody else can use it, in any process.
type Claim struct {
	ID         [32]byte // of the payment, whatever it is wrapped in
	Request    [32]byte // hash of method, path, query and body
	Operation  string
	Network    string
	Asset      string
	Amount     int64 // atomic units of the asset
	Payer      string
	PayTo      string
	Caller     *Caller // whose key came along, or nil
	Identifier string  // of the payer's choosing, or ""
	Expires    tocsin.Time

	// What is known once it has been sent to be settled:
	Payment     []byte // what is sent
	Answer      []byte // what the payer gets
	Tries       int    // settlements that were sent, with the one that is about to be
	Transaction string
	Reason      string // why it is not settled yet

	holder int64 // proves that it is held by whoever has this value
	lease  int64
}

// Hold is what became of the wish to hold a payment.
type Hold int

// The ends of [DB.Claim].
const (
	Held     Hold = iota // it is free, and now held
	Resumed              // it was sent to be settled and nobody knows how that ended; it is now held again
	Answered             // it is settled, and its answer is kept
	Busy                 // somebody is at work on it
	Taken                // it pays, or has paid, for another request; or its answer is no longer kept
	Reused               // another payment of the same payer has the same identifier
	Absent               // it is not known, and not to be begun
)

// holding is how long a payment is held without a word of its holder, who
// prolongs it while he lives: when he was killed, it is held no longer than that.
const holding = 5 * time.Second

// held are the claims that this process is at work on.
type held struct {
	mu     sync.Mutex
	claims map[*Claim]bool
}

func (h *held) add(c *Claim) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.claims == nil {
		h.claims = map[*Claim]bool{}
	}
	h.claims[c] = true
}

func (h *held) remove(c *Claim) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.claims, c)
}

// ending returns the claims whose time is running out; most are given back long before.
func (h *held) ending(now tocsin.Time) (ending []*Claim) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.claims {
		if time.Duration(c.lease-now.Micro())*time.Microsecond < holding/2 {
			ending = append(ending, c)
		}
	}
	return ending
}

// prolong holds the claims that this process is still at work on. What it
// cannot do now it tries again at once; whoever lost his claim finds out when he wants to settle.
func (db *DB) prolong(ctx context.Context, s *session) {
	now := db.Now()
	for _, c := range db.held.ending(now) {
		until := now.Std().Add(holding).UnixMicro()
		if _, err := s.exec(ctx, "UPDATE claim SET lease = $1 WHERE id = $2 AND holder = $3 AND lease > 0", until, c.ID[:], c.holder); err == nil {
			db.held.mu.Lock()
			c.lease = until
			db.held.mu.Unlock()
		}
	}
}

// Claim holds a payment until it is given back; begin says that it may be new.
// With Held and Resumed it must be given back: by Release, Settled or
// Undecided. With Resumed and Answered the claim is filled with what is known.
func (db *DB) Claim(ctx context.Context, c *Claim, begin bool) (hold Hold, err error) {
	err = db.write(ctx, false, func(ctx context.Context, s *session) error {
		now := db.Now()
		until := now.Std().Add(holding).UnixMicro()
		if begin {
			// The identifier is free again when the payment that had it was never sent.
			done, err := s.exec(ctx, `INSERT INTO claim (id, request, state, holder, lease, operation, network, asset, amount, payer, pay_to, agent, identifier, created, updated, expires)
				VALUES ($1, $2, 'claimed', $12, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $13) ON CONFLICT DO NOTHING`,
				c.ID[:], c.Request[:], until, c.Operation, c.Network, c.Asset, c.Amount, c.Payer, c.PayTo, callerID(c.Caller), nullable(c.Identifier), now.Micro(), c.Expires.Micro())
			if err != nil {
				return err
			}
			if n, err := done.RowsAffected(); err != nil || n == 1 {
				hold, c.holder, c.lease = Held, now.Micro(), until
				return err
			}
		}
		var request []byte
		var state string
		var lease int64
		err := s.row(ctx, `SELECT request, state, lease, tries, coalesce(chain_hash, ''), coalesce(reason, ''), payment, answer FROM claim WHERE id = $1`, []any{c.ID[:]},
			&request, &state, &lease, &c.Tries, &c.Transaction, &c.Reason, &c.Payment, &c.Answer)
		if missing(err) {
			if hold = Absent; begin {
				hold = Reused // nothing else stands in the way of an insertion
			}
			return nil
		}
		if err != nil {
			return err
		}
		busy, same := lease > now.Micro(), bytes.Equal(request, c.Request[:])
		switch {
		case state == settled && same && c.Answer != nil:
			hold = Answered
			return nil
		case state == settled, state == settling && !same:
			hold = Taken
			return nil
		case busy && !same:
			hold = Taken
			return nil
		case busy:
			hold = Busy
			return nil
		}
		// Nobody is at work on it: its holder has given up, or died.
		c.holder, c.lease = now.Micro(), until
		if state == settling {
			hold = Resumed
			c.Tries++ // the one that is to come
			_, err = s.exec(ctx, "UPDATE claim SET holder = $1, lease = $2, updated = $1 WHERE id = $3", now.Micro(), until, c.ID[:])
			return err
		}
		hold = Held
		_, err = s.exec(ctx, `UPDATE claim SET lease = $1, request = $2, operation = $3, amount = $4, agent = $5, expires = $6, holder = $7, updated = $7 WHERE id = $8`,
			until, c.Request[:], c.Operation, c.Amount, callerID(c.Caller), c.Expires.Micro(), now.Micro(), c.ID[:])
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("claim payment: %w", err)
	}
	if hold == Held || hold == Resumed {
		db.held.add(c)
	}
	return hold, nil
}

// The states of a claim.
const (
	claimed  = "claimed"
	settling = "settling"
	settled  = "settled"
)

func callerID(c *Caller) any {
	if c == nil {
		return nil
	}
	return c.id
}

// Release frees a payment that was not taken.
func (db *DB) Release(ctx context.Context, c *Claim) error {
	db.held.remove(c)
	return db.write(ctx, false, func(ctx context.Context, s *session) error {
		_, err := s.exec(ctx, "DELETE FROM claim WHERE id = $1 AND holder = $2 AND state <> 'settled'", c.ID[:], c.holder)
		return err
	})
}

// Settling records on disk that the payment is about to be sent to be settled,
// with all that is needed to find out how that ended and to answer: from here
// on the claim is not freed unless it is known that no money moved. It reports
// whether the claim was still held.
func (db *DB) Settling(ctx context.Context, c *Claim) (held bool, err error) {
	err = db.write(ctx, true, func(ctx context.Context, s *session) error {
		now := db.Now()
		done, err := s.exec(ctx, `UPDATE claim SET state = 'settling', due = $1, updated = $1, tries = 1, payment = $2, answer = $3 WHERE id = $4 AND holder = $5 AND state <> 'settled'`,
			now.Micro(), c.Payment, c.Answer, c.ID[:], c.holder)
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		if held = n == 1; held {
			c.Tries = 1
		}
		return err
	})
	return held, err
}

// Settled records that the money was moved.
func (db *DB) Settled(ctx context.Context, c *Claim) error {
	db.held.remove(c)
	return db.write(ctx, false, func(ctx context.Context, s *session) error {
		_, err := s.exec(ctx, `UPDATE claim SET state = 'settled', lease = 0, tries = $1, due = NULL, reason = NULL, payment = NULL, chain_hash = $2, updated = $3 WHERE id = $4`,
			c.Tries, nullable(c.Transaction), db.Now().Micro(), c.ID[:])
		return err
	})
}

// Undecided gives a claim back of which it is still not known how its
// settlement ended, and says why, and when to ask again; with 0 never by itself.
func (db *DB) Undecided(ctx context.Context, c *Claim, again time.Duration) error {
	db.held.remove(c)
	return db.write(ctx, false, func(ctx context.Context, s *session) error {
		now := db.Now()
		var due any
		if again > 0 {
			due = now.Std().Add(again).UnixMicro()
		}
		_, err := s.exec(ctx, "UPDATE claim SET lease = 0, tries = $1, due = $2, reason = $3, chain_hash = $4, updated = $5 WHERE id = $6 AND holder = $7 AND state = 'settling'",
			c.Tries, due, c.Reason, nullable(c.Transaction), now.Micro(), c.ID[:], c.holder)
		return err
	})
}

// Unsettled returns claims whose settlement is due to be asked about, and on
// which nobody is at work. Each is to be held with [DB.Claim] first.
func (db *DB) Unsettled(ctx context.Context, limit int) (claims []*Claim, err error) {
	err = db.view(ctx, func(s *session) error {
		return s.each(ctx, `SELECT id, request, operation, network, asset, amount, payer, pay_to, expires FROM claim
			WHERE state <> 'settled' AND due <= $1 AND lease <= $1 ORDER BY due LIMIT $2`, []any{db.Now().Micro(), limit}, func(rows *sql.Rows) error {
			c := new(Claim)
			var id, request []byte
			var expires int64
			if err := rows.Scan(&id, &request, &c.Operation, &c.Network, &c.Asset, &c.Amount, &c.Payer, &c.PayTo, &expires); err != nil {
				return err
			}
			copy(c.ID[:], id)
			copy(c.Request[:], request)
			c.Expires = tocsin.MicroTime(expires)
			claims = append(claims, c)
			return nil
		})
	})
	return claims, err
}

// How long the answer of a settled payment is kept: of one whose settlement did
// not end at once, longer, since its payer may have gone to ask what happened.
// And how long a payment is kept whose holder died before it was sent.
const (
	answerKept     = 15 * time.Minute
	lateAnswerKept = 24 * time.Hour
	abandoned      = time.Hour
)

// ForgetAnswers empties what is no longer needed of claims.
func (db *DB) ForgetAnswers(ctx context.Context) error {
	return db.write(ctx, false, func(ctx context.Context, s *session) error {
		now := db.Now().Std()
		if _, err := s.exec(ctx, "UPDATE claim SET answer = NULL WHERE state = 'settled' AND answer IS NOT NULL AND updated < CASE WHEN tries > 1 THEN $1 ELSE $2 END",
			now.Add(-lateAnswerKept).UnixMicro(), now.Add(-answerKept).UnixMicro()); err != nil {
			return err
		}
		_, err := s.exec(ctx, "DELETE FROM claim WHERE state = 'claimed' AND created < $1 AND lease < $1", now.Add(-abandoned).UnixMicro())
		return err
	})
}

// Payment is a payment as the operator sees it.
type Payment struct {
	At          tocsin.Time `json:"at"`
	State       string      `json:"state"` // claimed, settling or settled
	Operation   string      `json:"operation"`
	Network     string      `json:"network"`
	Asset       string      `json:"asset"`
	Amount      int64       `json:"amount"` // atomic units
	Payer       string      `json:"payer"`
	PayTo       string      `json:"payTo"`
	Transaction string      `json:"transaction"`
	Reason      string      `json:"reason,omitempty"` // why it is not settled
}

// Takings is what settled payments of one day, network, asset and operation came to.
type Takings struct {
	Day       string `json:"day"` // UTC
	Network   string `json:"network"`
	Asset     string `json:"asset"`
	Operation string `json:"operation"`
	Payments  int    `json:"payments"`
	Amount    int64  `json:"amount"` // atomic units
}

// Payments calls each with the payments since an instant, oldest first, and
// returns what the settled ones came to.
func (db *DB) Payments(ctx context.Context, since tocsin.Time, each func(Payment) error) (takings []Takings, err error) {
	err = db.view(ctx, func(s *session) error {
		err := s.each(ctx, `SELECT created, state, operation, network, asset, amount, payer, pay_to, coalesce(chain_hash, ''), coalesce(reason, '')
			FROM claim WHERE created >= $1 ORDER BY created, id`, []any{since.Micro()}, func(rows *sql.Rows) error {
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
			var t Takings
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
