package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"

	"tocsin"
)

// Caller is the agent behind a live key.
type Caller struct {
	id      int64
	key     [32]byte // hash
	Agent   tocsin.Agent
	Prefix  string      // by which people tell the key
	Created tocsin.Time // the key
	Quota   *int        // free calls a day of this key's own, or nil to follow the server's

	mu    sync.Mutex
	day   int64
	used  int // calls of that day, as this process knows; others may have used more
	begun int // admitted and not ended
}

// Begin admits a call if, with those that have begun, the limit of today allows
// it: nobody has more work done than can be answered. It must be ended.
func (db *DB) Begin(c *Caller, limit int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn(day(db.Now()))
	if c.used+c.begun >= limit {
		return false
	}
	c.begun++
	return true
}

// End ends a call that has begun.
func (c *Caller) End(taken bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun--
	if taken {
		c.used++
	}
}

// exhaust records that the database has refused a call on a day: other processes
// have used up the calls that this one still counted on.
func (c *Caller) exhaust(day int64, limit int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.day == day {
		c.used = max(c.used, limit)
	}
}

// turn begins another day.
func (c *Caller) turn(today int64) {
	if c.day != today {
		c.day, c.used = today, 0
	}
}

// callers keeps who holds the keys that were looked up, until keys may have changed.
type callers struct {
	mu         sync.RWMutex
	kept       map[[32]byte]*Caller
	generation int64
}

// maxCallers bounds the memory.
const maxCallers = 10_000

func (k *callers) get(hash [32]byte) (*Caller, int64) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.kept[hash], k.generation
}

// put keeps a caller, unless keys may have changed since generation, and
// returns the one that is kept: calls of one key at once must count together.
func (k *callers) put(hash [32]byte, c *Caller, generation int64) *Caller {
	k.mu.Lock()
	defer k.mu.Unlock()
	if generation != k.generation {
		return c
	}
	if quicker := k.kept[hash]; quicker != nil {
		return quicker
	}
	if k.kept == nil || len(k.kept) >= maxCallers {
		k.kept = map[[32]byte]*Caller{}
	}
	k.kept[hash] = c
	return c
}

func (k *callers) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = nil
	k.generation++
}

// Caller returns who holds a key, or nil if it is unknown or revoked.
func (db *DB) Caller(ctx context.Context, key tocsin.Key) (*Caller, error) {
	return db.callerOf(ctx, key.Hash())
}

func (db *DB) callerOf(ctx context.Context, hash [32]byte) (*Caller, error) {
	kept, generation := db.callers.get(hash)
	if kept != nil {
		return kept, nil
	}
	c := Caller{key: hash}
	var quota sql.NullInt64
	var created int64
	var used int
	today := day(db.Now())
	err := db.read(ctx, primary, func(s *conn) error {
		return s.row(ctx, `SELECT a.id, a.public, a.address, a.name, k.prefix, k.created, k.quota, coalesce(u.used, 0)
			FROM key k JOIN agent a ON a.id = k.agent LEFT JOIN usage u ON u.agent = a.id AND u.day = $2
			WHERE k.hash = $1 AND k.revoked IS NULL`, []any{hash[:], today},
			&c.id, &c.Agent.ID, &c.Agent.Address, &c.Agent.Name, &c.Prefix, &created, &quota, &used)
	})
	if missing(err) {
		return nil, nil // not kept: whoever guesses keys must not fill the memory
	}
	if err != nil {
		return nil, fmt.Errorf("look up key: %w", err)
	}
	c.Agent.Address, c.Created = checksummed(c.Agent.Address), tocsin.MicroTime(created)
	c.day, c.used = today, used
	if quota.Valid {
		n := int(quota.Int64)
		c.Quota = &n
	}
	return db.callers.put(hash, &c, generation), nil
}

// Used returns how many free calls the agent has used today, as far as this
// process knows. Calls in other processes may have used more, never fewer.
func (db *DB) Used(c *Caller) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn(day(db.Now()))
	return c.used
}

// NewKey is a key that was just made. It is the only time that it is seen.
type NewKey struct {
	Key      tocsin.Key
	Agent    tocsin.Agent
	Replaced int // live keys of the same wallet that it replaces
}

// CreateKey makes a key. With a wallet it belongs to the wallet's agent, whose
// older keys are revoked: a wallet has one live key, and today's used calls
// stay used. Without one it belongs to a new agent.
func (db *DB) CreateKey(ctx context.Context, wallet *tocsin.Address, name string, quota *int) (NewKey, error) {
	return db.createKey(ctx, wallet, name, quota, false)
}

// RenewKey makes a wallet's key because its holder asks: the quota that the
// operator gave the last one stays.
func (db *DB) RenewKey(ctx context.Context, wallet tocsin.Address) (NewKey, error) {
	return db.createKey(ctx, &wallet, "", nil, true)
}

func (db *DB) createKey(ctx context.Context, wallet *tocsin.Address, name string, quota *int, inherit bool) (NewKey, error) {
	key, err := tocsin.NewKey(db.random)
	if err != nil {
		return NewKey{}, err
	}
	public, err := tocsin.NewID("agt_", db.random)
	if err != nil {
		return NewKey{}, err
	}
	made := NewKey{Key: key}
	err = db.write(ctx, accounts, true, func(ctx context.Context, s *conn) error {
		now := db.Now()
		id, agent, err := enrol(ctx, s, public, wallet, name, now)
		if err != nil {
			return err
		}
		made.Agent = agent
		own := sql.NullInt64{Valid: quota != nil}
		if quota != nil {
			own.Int64 = int64(*quota)
		} else if inherit {
			err := s.row(ctx, "SELECT quota FROM key WHERE agent = $1 ORDER BY created DESC LIMIT 1", []any{id}, &own)
			if err != nil && !missing(err) {
				return err
			}
		}
		replaced, err := affected(s.exec(ctx, "UPDATE key SET revoked = $1 WHERE agent = $2 AND revoked IS NULL", now.Micro(), id))
		if err != nil {
			return err
		}
		made.Replaced = int(replaced)
		hash := key.Hash()
		_, err = s.exec(ctx, "INSERT INTO key (hash, prefix, agent, quota, created) VALUES ($1, $2, $3, $4, $5)", hash[:], key.Prefix(), id, own, now.Micro())
		return err
	})
	db.callers.forget()
	return made, err
}

// enrol returns the agent of a wallet, or makes one: under the public id, with
// the wallet if there is one. A name, if given, is taken on.
func enrol(ctx context.Context, s *conn, public string, wallet *tocsin.Address, name string, now tocsin.Time) (id int64, a tocsin.Agent, err error) {
	var address any
	if wallet != nil {
		address = wallet.Subject().Value
	}
	err = s.row(ctx, `INSERT INTO agent (public, address, name, created) VALUES ($1, $2, $3, $4)
		ON CONFLICT (address) DO UPDATE SET name = coalesce(excluded.name, agent.name) RETURNING id, public, address, name`,
		[]any{public, address, nullable(name), now.Micro()}, &id, &a.ID, &a.Address, &a.Name)
	a.Address = checksummed(a.Address)
	return id, a, err
}

// checksummed writes a wallet as people know it.
func checksummed(lower *string) *string {
	if lower == nil {
		return nil
	}
	s := tocsin.Subject{Kind: tocsin.EVM, Value: *lower}.String()
	return &s
}

// KeyInfo is what is known of a key.
type KeyInfo struct {
	Prefix  string
	Agent   tocsin.Agent
	Quota   *int
	Created tocsin.Time
	Revoked *tocsin.Time
	Used    int // free calls of its agent today
}

// Keys returns every key, oldest first.
func (db *DB) Keys(ctx context.Context) (keys []KeyInfo, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		return s.each(ctx, `SELECT k.prefix, a.public, a.address, a.name, k.quota, k.created, k.revoked, coalesce(u.used, 0)
			FROM key k JOIN agent a ON a.id = k.agent LEFT JOIN usage u ON u.agent = a.id AND u.day = $1 ORDER BY k.created, k.hash`,
			[]any{day(db.Now())}, func(rows *sql.Rows) error {
				var k KeyInfo
				var created int64
				var quota, revoked sql.NullInt64
				if err := rows.Scan(&k.Prefix, &k.Agent.ID, &k.Agent.Address, &k.Agent.Name, &quota, &created, &revoked, &k.Used); err != nil {
					return err
				}
				k.Agent.Address = checksummed(k.Agent.Address)
				k.Created = tocsin.MicroTime(created)
				if quota.Valid {
					n := int(quota.Int64)
					k.Quota = &n
				}
				if revoked.Valid {
					at := tocsin.MicroTime(revoked.Int64)
					k.Revoked = &at
				}
				keys = append(keys, k)
				return nil
			})
	})
	return keys, err
}

// keyPrefixForm is as long as what is stored of a key in clear.
const keyPrefixForm = "toc_abcdefgh"

// RevokeKey revokes the live key that the text is, or the one that begins with it.
func (db *DB) RevokeKey(ctx context.Context, keyOrPrefix string) (prefix string, err error) {
	err = db.write(ctx, accounts, true, func(ctx context.Context, s *conn) error {
		var hashes [][]byte
		var prefixes []string
		begin := keyOrPrefix[:min(len(keyOrPrefix), len(keyPrefixForm))]
		if _, whole := tocsin.ParseKey(keyOrPrefix); !whole && len(begin) < len("toc_")+4 {
			return &tocsin.Error{Code: tocsin.Invalid, Detail: "name the key by at least its first 8 characters, as in toc_abcd"}
		}
		query, arg := "SELECT hash, prefix FROM key WHERE revoked IS NULL AND substr(prefix, 1, length($1)) = $1", any(begin)
		if key, ok := tocsin.ParseKey(keyOrPrefix); ok {
			hash := key.Hash()
			query, arg = "SELECT hash, prefix FROM key WHERE revoked IS NULL AND hash = $1", hash[:]
		}
		err := s.each(ctx, query, []any{arg}, func(rows *sql.Rows) error {
			var h []byte
			var p string
			if err := rows.Scan(&h, &p); err != nil {
				return err
			}
			hashes, prefixes = append(hashes, h), append(prefixes, p)
			return nil
		})
		if err != nil {
			return err
		}
		switch {
		case len(hashes) == 0:
			return notFound("no live key is or begins with %q", clipKey(keyOrPrefix))
		case len(hashes) > 1:
			return &tocsin.Error{Code: tocsin.Invalid, Detail: fmt.Sprintf("%d keys begin with %q: %s", len(hashes), keyOrPrefix, strings.Join(prefixes, ", "))}
		}
		prefix = prefixes[0]
		_, err = s.exec(ctx, "UPDATE key SET revoked = $1 WHERE hash = $2", db.Now().Micro(), hashes[0])
		return err
	})
	db.callers.forget()
	return prefix, err
}

// Revoke revokes the caller's key, which must be live, and ends the sessions of
// its agent but one: whoever has stolen a session could make another key.
func (db *DB) Revoke(ctx context.Context, c *Caller, keep string) error {
	err := db.write(ctx, accounts, true, func(ctx context.Context, s *conn) error {
		if _, err := s.exec(ctx, "UPDATE key SET revoked = $1 WHERE hash = $2 AND revoked IS NULL", db.Now().Micro(), c.key[:]); err != nil {
			return err
		}
		_, err := s.exec(ctx, "DELETE FROM session WHERE agent = $1 AND hash <> $2", c.id, tokenHash(keep))
		return err
	})
	db.callers.forget()
	return err
}

// clipKey keeps a whole key out of logs.
func clipKey(s string) string { return s[:min(len(s), 12)] }

// Account is what an agent sees of itself.
type Account struct {
	Calls        int // answered calls of paid operations, free and paid for, ever
	Used         int // of them today's free ones
	Reports      int // published
	Corroborated int // subjects that it reported and others named later
	Rank         int // on the leaderboard, from 1; 0: not on it
}

// Account returns the numbers of an agent.
func (db *DB) Account(ctx context.Context, agent tocsin.Agent) (Account, error) {
	var a Account
	// A payment is recorded behind the answer that it was for: whoever has that
	// answer finds it counted.
	if err := db.write(ctx, accounts, false, func(context.Context, *conn) error { return nil }); err != nil {
		return a, err
	}
	err := db.read(ctx, primary, func(s *conn) error {
		var id int64
		if err := s.row(ctx, "SELECT id FROM agent WHERE public = $1", []any{agent.ID}, &id); err != nil {
			return err
		}
		err := s.row(ctx, "SELECT coalesce(sum(used), 0), coalesce(sum(CASE WHEN day = $2 THEN used END), 0) FROM usage WHERE agent = $1",
			[]any{id, day(db.Now())}, &a.Calls, &a.Used)
		if err != nil {
			return err
		}
		paid := 0
		if err := s.row(ctx, "SELECT count(*) FROM claim WHERE agent = $1 AND state = 'settled'", []any{id}, &paid); err != nil {
			return err
		}
		a.Calls += paid
		return s.row(ctx, "SELECT count(*) FROM report WHERE agent = $1 AND status = 'published'", []any{id}, &a.Reports)
	})
	if err != nil {
		return a, err
	}
	board, err := db.Leaderboard(ctx)
	for i, r := range board {
		if r.ID == agent.ID {
			a.Corroborated, a.Rank = r.Corroborated, i+1
		}
	}
	return a, err
}
