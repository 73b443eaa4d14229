package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"tocsin"
)

// NewKey is a key that was just created. Its text is not stored and cannot be shown again.
type NewKey struct {
	Key      tocsin.Key
	Agent    tocsin.Agent
	Replaced int // live keys of the same wallet that were revoked
}

// CreateKey creates a key with a quota of free calls a day; nil means the
// server's. With a wallet the key belongs to the wallet's agent and replaces its
// older keys: a wallet has one live key, and the calls used today stay used.
// Without one the key belongs to a new agent. A name, if there is one, becomes
// the agent's. A banned agent gets the error [tocsin.AgentBanned].
func (db *DB) CreateKey(ctx context.Context, wallet *tocsin.Address, name string, quota *int) (NewKey, error) {
	return db.createKey(ctx, wallet, name, quota, false, nil)
}

// IssueKey is CreateKey as an act of the operator.
func (db *DB) IssueKey(
	ctx context.Context, by Operator, wallet *tocsin.Address, name string, quota *int,
) (NewKey, error) {
	return db.createKey(ctx, wallet, name, quota, false, &act{by: by, action: CreatedKey})
}

// RenewKey replaces a wallet's key at the request of its holder. The new key
// inherits the quota of the last one, live or revoked.
func (db *DB) RenewKey(ctx context.Context, wallet tocsin.Address) (NewKey, error) {
	return db.createKey(ctx, &wallet, "", nil, true, nil)
}

func (db *DB) createKey(
	ctx context.Context, wallet *tocsin.Address, name string, quota *int, inherit bool, logged *act,
) (NewKey, error) {
	if err := db.dated(ctx); err != nil {
		return NewKey{}, err
	}
	key, err := tocsin.NewKey(db.random)
	if err != nil {
		return NewKey{}, err
	}
	public, err := tocsin.NewID("agt_", db.random)
	if err != nil {
		return NewKey{}, err
	}
	made := NewKey{Key: key}
	l := accounts
	if wallet != nil && name != "" {
		l = evidence // the reports of an agent are shown with its name
	}
	err = db.writeRecord(ctx, l, true, func(ctx context.Context, s *conn) error {
		now := db.Now()
		if wallet != nil {
			if err := refuseBannedWallet(ctx, s, *wallet); err != nil {
				return err
			}
		}
		if l == evidence {
			var known int64
			err := s.row(ctx, "SELECT id FROM agent WHERE address = $1", []any{wallet.Subject().Value}, &known)
			if err == nil {
				err = logRenamed(ctx, s, now, known, name)
			}
			if err != nil && !missing(err) {
				return err
			}
		}
		// This locks the agent's row: of two renewals at once, the second sees the key of the first.
		id, agent, err := upsertAgent(ctx, s, public, wallet, name, now)
		if err != nil {
			return err
		}
		made.Agent = agent
		own := sql.NullInt64{Valid: quota != nil}
		if quota != nil {
			own.Int64 = int64(*quota)
		} else if inherit {
			// The last key is the live one, or that which was revoked last.
			err := s.row(ctx, `SELECT quota FROM key WHERE agent = $1
				ORDER BY coalesce(revoked, 9223372036854775807) DESC, created DESC LIMIT 1`, []any{id}, &own)
			if err != nil && !missing(err) {
				return err
			}
		}
		replaced, err := affected(s.exec(ctx, "UPDATE key SET revoked = $1 WHERE agent = $2 AND revoked IS NULL",
			now.Micro(), id))
		if err != nil {
			return err
		}
		made.Replaced = int(replaced)
		hash := key.Hash()
		_, err = s.exec(ctx, "INSERT INTO key (hash, prefix, agent, quota, created) VALUES ($1, $2, $3, $4, $5)",
			hash[:], key.Prefix(), id, own, now.Micro())
		if err == nil && logged != nil {
			_, err = logged.log(ctx, s, now, key.Prefix(), agent.ID)
		}
		return err
	})
	db.callers.invalidate()
	return made, err
}

// upsertAgent returns the agent of a wallet. Without a wallet, or if the wallet
// has none, it creates an agent with the public id. A name replaces the old one.
func upsertAgent(
	ctx context.Context, s *conn, public string, wallet *tocsin.Address, name string, now tocsin.Time,
) (id int64, a tocsin.Agent, err error) {
	var address any
	if wallet != nil {
		address = wallet.Subject().Value
	}
	err = s.row(ctx, `INSERT INTO agent (public, address, name, created) VALUES ($1, $2, $3, $4)
		ON CONFLICT (address) DO UPDATE SET name = coalesce(excluded.name, agent.name)
		RETURNING id, public, address, name`,
		[]any{public, address, nullable(name), now.Micro()}, &id, &a.ID, &a.Address, &a.Name)
	a.Address = checksummed(a.Address)
	return id, a, err
}

// checksummed returns a wallet's address with the checksum of EIP-55.
func checksummed(lower *string) *string {
	if lower == nil {
		return nil
	}
	s := tocsin.Subject{Kind: tocsin.EVM, Value: *lower}.String()
	return &s
}

// KeyInfo describes a key, live or revoked.
type KeyInfo struct {
	Prefix  string
	Agent   tocsin.Agent
	Quota   *int // free calls a day; nil for the server's
	Created tocsin.Time
	Revoked *tocsin.Time
	Used    int // free calls of the agent today
}

// Keys returns every key, oldest first.
func (db *DB) Keys(ctx context.Context) (keys []KeyInfo, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		return s.each(ctx, `SELECT k.prefix, a.public, a.address, a.name, k.quota, k.created, k.revoked, coalesce(u.used, 0)
			FROM key k JOIN agent a ON a.id = k.agent LEFT JOIN usage u ON u.agent = a.id AND u.day = $1
			ORDER BY k.created, k.hash`,
			[]any{day(db.Now())}, func(rows *sql.Rows) error {
				var k KeyInfo
				var created int64
				var quota, revoked sql.NullInt64
				if err := rows.Scan(&k.Prefix, &k.Agent.ID, &k.Agent.Address, &k.Agent.Name,
					&quota, &created, &revoked, &k.Used); err != nil {
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

// keyPrefixForm is as long as the part of a key that is stored in clear.
const keyPrefixForm = "toc_abcdefgh"

// RevokeKey revokes a live key for the operator, given as its text or the
// beginning of it, and returns its prefix. It is an error (NotFound, Invalid) if no
// live key or more than one begins so.
func (db *DB) RevokeKey(ctx context.Context, by Operator, keyOrPrefix string) (prefix string, err error) {
	begin := keyOrPrefix[:min(len(keyOrPrefix), len(keyPrefixForm))]
	query, arg := "SELECT hash, prefix FROM key WHERE revoked IS NULL AND substr(prefix, 1, length($1)) = $1", any(begin)
	if key, whole := tocsin.ParseKey(keyOrPrefix); whole {
		hash := key.Hash()
		query, arg = "SELECT hash, prefix FROM key WHERE revoked IS NULL AND hash = $1", hash[:]
	} else if len(begin) < len("toc_")+4 {
		return "", &tocsin.Error{
			Code:   tocsin.Invalid,
			Detail: "name the key by at least its first 8 characters, as in toc_abcd",
		}
	}
	err = db.writeRecord(ctx, accounts, true, func(ctx context.Context, s *conn) error {
		var hashes [][]byte
		var prefixes []string
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
		revoked := int64(0)
		switch len(hashes) {
		case 0:
		case 1:
			prefix = prefixes[0]
			revoked, err = affected(s.exec(ctx, "UPDATE key SET revoked = $1 WHERE hash = $2 AND revoked IS NULL",
				db.Now().Micro(), hashes[0]))
		default:
			return &tocsin.Error{
				Code: tocsin.Invalid,
				Detail: fmt.Sprintf("%d keys begin with %q: %s", len(hashes), keyOrPrefix,
					strings.Join(prefixes, ", ")),
			}
		}
		if err == nil && revoked == 0 {
			err = notFound("no live key is or begins with %q", clipKey(keyOrPrefix))
		}
		if err == nil {
			_, err = (&act{by: by, action: RevokedKey}).log(ctx, s, db.Now(), prefix)
		}
		return err
	})
	db.callers.invalidate()
	return prefix, err
}

// Revoke revokes the caller's key if it is live, and ends all sessions of its
// agent except the one with the token keep: with a stolen session one could
// create another key.
func (db *DB) Revoke(ctx context.Context, c *Caller, keep string) error {
	err := db.writeRecord(ctx, accounts, true, func(ctx context.Context, s *conn) error {
		if _, err := s.exec(ctx, "UPDATE key SET revoked = $1 WHERE hash = $2 AND revoked IS NULL",
			db.Now().Micro(), c.key[:]); err != nil {
			return err
		}
		_, err := s.exec(ctx, "DELETE FROM session WHERE agent = $1 AND hash <> $2", c.id, tokenHash(keep))
		return err
	})
	db.callers.invalidate()
	return err
}

// clipKey keeps whole keys out of logs.
func clipKey(s string) string { return s[:min(len(s), 12)] }
