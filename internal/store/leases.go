package store

import (
	"context"
	"encoding/binary"
	"io"
	"sync"
	"time"
)

// leaseTTL is how long a lease lasts without renewal. A live holder renews it
// long before; after a crash other processes can take it over this much later.
const leaseTTL = 5 * time.Second

// lease is the right to work on one claim. It is valid as long as the row of
// the claim has its token: every write of a holder repeats the token, so that a
// holder whose lease was taken over changes nothing.
type lease struct {
	token int64 // random: unlike a clock's reading, never the same twice
	until int64 // in microseconds, by leaseNow
}

// leases holds the leases of this process by the ID of their claim, to renew them.
type leases struct {
	mu   sync.Mutex
	held map[[32]byte]lease
}

// leaseNow returns the time that leases are compared with, in microseconds.
// Processes that share a database must share this clock. Those that share a
// SQLite file run on one machine, so it is the injected clock. Those that share a
// database server use the server's clock: clocks of hosts differ by more than a
// lease may.
func (db *DB) leaseNow() int64 {
	if now, known := db.dialect.now(); known {
		return now
	}
	return db.Now().Micro()
}

// newLease returns a lease with a new token. Its term begins when the claim is written.
func (db *DB) newLease() (lease, error) {
	var token [8]byte
	_, err := io.ReadFull(db.random, token[:])
	return lease{token: int64(binary.LittleEndian.Uint64(token[:]))}, err
}

func (h *leases) add(id [32]byte, l lease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.held == nil {
		h.held = map[[32]byte]lease{}
	}
	h.held[id] = l
}

// heldHere reports whether this process works on the claim. It may then have
// lost its lease only because the writer could not renew it in time.
func (h *leases) heldHere(id [32]byte) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, yes := h.held[id]
	return yes
}

// ending returns the leases with less than half of their time left.
func (h *leases) ending(now int64) map[[32]byte]lease {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found map[[32]byte]lease
	for id, l := range h.held {
		if l.until-now < leaseTTL.Microseconds()/2 {
			if found == nil {
				found = map[[32]byte]lease{}
			}
			found[id] = l
		}
	}
	return found
}

// renewed records how long leases last now, except those that ended meanwhile.
func (h *leases) renewed(done map[[32]byte]lease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, l := range done {
		if old, held := h.held[id]; held && old.token == l.token {
			h.held[id] = l
		}
	}
}

// renewLeases renews the leases of this process that end soon. Few claims last
// that long. After an error the next tick tries again. A lease that another
// process has taken over is not renewed: BeginSettlement will tell its holder.
//
// No lock is held during the transaction, which may wait for other processes.
func (db *DB) renewLeases(ctx context.Context, s *conn) {
	ending := db.leases.ending(db.leaseNow())
	if len(ending) == 0 {
		return
	}
	done := map[[32]byte]lease{}
	err := db.transact(ctx, s, accounts, false, func() error {
		until := db.leaseNow() + leaseTTL.Microseconds() // the transaction may have waited
		for id, l := range ending {
			n, err := affected(s.exec(ctx,
				"UPDATE claim SET lease_until = $1 WHERE id = $2 AND lease_token = $3 AND lease_until > 0",
				until, id[:], l.token))
			if err != nil {
				return err
			}
			if n == 1 {
				done[id] = lease{token: l.token, until: until}
			}
		}
		return nil
	})
	if err == nil {
		db.leases.renewed(done)
	}
}

// Unlock ends the work on a claim. The lease of a claim that was neither
// released nor settled nor postponed ends a few seconds later.
func (db *DB) Unlock(c *Claim) {
	db.leases.mu.Lock()
	defer db.leases.mu.Unlock()
	if db.leases.held[c.ID].token == c.token {
		delete(db.leases.held, c.ID)
	}
}
