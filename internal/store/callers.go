package store

import (
	"context"
	"database/sql"
	"fmt"
	"sync"

	"tocsin"
)

// Caller is the agent behind a live key.
type Caller struct {
	id      int64
	key     [32]byte // hash
	Agent   tocsin.Agent
	Prefix  string      // the part of the key that may be shown
	Created tocsin.Time // of the key
	Quota   *int        // free calls a day with this key; nil for the server's

	mu         sync.Mutex
	day        int64
	used       int   // calls of that day that this process knows of; other processes may have used more
	inProgress int   // calls between Begin and End
	refused    int64 // when the quota was found to be used up, in ticks of quotaQueue
}

// Begin admits a call if the calls used today and those in progress are fewer
// than limit: no more work is done at once than there are calls left to charge.
// A call that was admitted must end with [Caller.End].
//
// When a quota is used up, other processes may hold a part of it in reserve and give that back. So one call a second is
// admitted nevertheless, for [DB.Spend] to ask the database. Of a small quota nothing is reserved. But if the agent had
// a larger one before, more calls may be charged than the small one has, and some of them may be given back.
func (db *DB) Begin(c *Caller, limit int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.startDay(day(db.Now()))
	if c.used+c.inProgress >= limit {
		now := db.quota.ticks.Load()
		if c.inProgress > 0 || !reservable(limit) && c.used <= limit || now-c.refused < reserveTicks {
			return false
		}
		c.refused = now
	}
	c.inProgress++
	return true
}

// End ends a call that Begin has admitted, and says whether [DB.Spend] charged it.
func (c *Caller) End(charged bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inProgress--
	if charged {
		c.used++
	}
}

// learn takes over what has become of a call of a day. If it was refused, other
// processes have used the calls that this one still counted on. If it was granted
// beyond what was known to be left, others have given calls back.
func (c *Caller) learn(day int64, limit int, call *charge, now int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.day != day:
	case !call.granted:
		c.used, c.refused = max(call.used, limit), now
	case c.used >= limit:
		c.used = call.used - 1 // and this one, at its end
	}
}

// startDay starts the count again when the day has changed.
func (c *Caller) startDay(today int64) {
	if c.day != today {
		c.day, c.used = today, 0
	}
}

// Used returns how many free calls the agent has used today, as far as this
// process knows: calls in other processes may be missing.
func (db *DB) Used(c *Caller) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.startDay(day(db.Now()))
	return c.used
}

// callers is a cache of the callers by the hashes of their keys. It is cleared
// whenever a key may have changed.
type callers struct {
	bound int // bytes that are kept at most, of callers without a call in progress

	mu         sync.RWMutex
	kept       map[[32]byte]*Caller
	size       int   // bytes
	generation int64 // how often it was cleared
}

func (k *callers) get(hash [32]byte) (*Caller, int64) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.kept[hash], k.generation
}

// put adds a caller that was read in a generation, unless the cache was cleared
// since. It returns the cached caller: concurrent calls with one key must share
// their counts.
func (k *callers) put(hash [32]byte, c *Caller, generation int64) *Caller {
	k.mu.Lock()
	defer k.mu.Unlock()
	if generation != k.generation {
		return c
	}
	if earlier := k.kept[hash]; earlier != nil {
		return earlier
	}
	if k.kept == nil {
		k.kept = map[[32]byte]*Caller{}
	}
	size := c.bytes()
	for hash, other := range k.kept { // in no order: any will do
		if k.size+size <= k.bound {
			break
		}
		if !other.busy() {
			k.size -= other.bytes()
			delete(k.kept, hash)
		}
	}
	k.kept[hash] = c
	k.size += size
	return c
}

// busy reports whether a call is in progress. The caller must then stay in memory, since new calls see its used calls.
func (c *Caller) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.inProgress > 0
}

func (k *callers) invalidate() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept, k.size = nil, 0
	k.generation++
}

// Caller returns the caller with a key, or nil if the key is unknown or revoked.
// The error has the code [tocsin.AgentBanned] if the agent is banned.
func (db *DB) Caller(ctx context.Context, key tocsin.Key) (*Caller, error) {
	return db.callerOf(ctx, key.Hash())
}

func (db *DB) callerOf(ctx context.Context, hash [32]byte) (*Caller, error) {
	kept, generation := db.callers.get(hash)
	if kept != nil {
		return kept, nil
	}
	today := day(db.Now())
	c := Caller{key: hash, day: today}
	var quota sql.NullInt64
	var created int64
	var banned bool
	err := db.read(ctx, primary, func(s *conn) error {
		return s.row(ctx, `SELECT a.id, a.public, a.address, a.name, k.prefix, k.created, k.quota, coalesce(u.used, 0),
				a.banned IS NOT NULL
			FROM key k JOIN agent a ON a.id = k.agent LEFT JOIN usage u ON u.agent = a.id AND u.day = $2
			WHERE k.hash = $1 AND k.revoked IS NULL`, []any{hash[:], today},
			&c.id, &c.Agent.ID, &c.Agent.Address, &c.Agent.Name, &c.Prefix, &created, &quota, &c.used,
			&banned)
	})
	if missing(err) {
		return nil, nil // not cached: wrong keys must not fill the memory
	}
	if err != nil {
		return nil, fmt.Errorf("look up key: %w", err)
	}
	if banned {
		return nil, bannedError(c.Agent.ID) // not cached: after the ban is lifted the next call is answered
	}
	c.used = db.quota.usedOf(c.id, today, c.used)
	c.Agent.Address, c.Created = checksummed(c.Agent.Address), tocsin.MicroTime(created)
	if quota.Valid {
		n := int(quota.Int64)
		c.Quota = &n
	}
	return db.callers.put(hash, &c, generation), nil
}
