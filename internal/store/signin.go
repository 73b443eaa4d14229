package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"tocsin"
)

// NewNonce issues a nonce of 128 random bits (EIP-4361) that can be used once
// until it expires.
func (db *DB) NewNonce(ctx context.Context, life time.Duration) (nonce string, expires tocsin.Time, err error) {
	if err := db.dated(ctx); err != nil {
		return "", expires, err
	}
	random := make([]byte, 16)
	if _, err := io.ReadFull(db.random, random); err != nil {
		return "", expires, err
	}
	nonce = hex.EncodeToString(random)
	err = db.writeRecord(ctx, accounts, false, func(ctx context.Context, s *conn) error {
		now := db.Now()
		expires = tocsin.TimeOf(now.Std().Add(life))
		if _, err := s.exec(ctx, "DELETE FROM nonce WHERE expires <= $1", now.Micro()); err != nil {
			return err
		}
		_, err := s.exec(ctx, "INSERT INTO nonce (value, expires) VALUES ($1, $2)", nonce, expires.Micro())
		return err
	})
	return nonce, expires, err
}

// UseNonce deletes a nonce and reports whether it was valid: issued by this
// service, not expired, and not used before, in any process.
func (db *DB) UseNonce(ctx context.Context, nonce string) (fresh bool, err error) {
	err = db.write(ctx, accounts, false, func(ctx context.Context, s *conn) error {
		n, err := affected(s.exec(ctx, "DELETE FROM nonce WHERE value = $1 AND expires > $2",
			nonce, db.Now().Micro()))
		fresh = n == 1
		return err
	})
	return fresh, err
}

// KnowsWallet reports whether a wallet has an agent, banned or not.
func (db *DB) KnowsWallet(ctx context.Context, wallet tocsin.Address) (known bool, err error) {
	err = db.read(ctx, primary, func(s *conn) error {
		return s.row(ctx, "SELECT EXISTS (SELECT 1 FROM agent WHERE address = $1)",
			[]any{wallet.Subject().Value}, &known)
	})
	return known, err
}

// Session is who is signed in to the site: with a wallet, or with a key.
type Session struct {
	Agent  tocsin.Agent
	Wallet *tocsin.Address // that signed in; nil if a key did
	Caller *Caller         // of the agent's live key or of that which signed in; nil without one
}

// NewSession signs a wallet in and returns the token of the session, which ends
// after life. It creates the wallet's agent but no key. A banned agent gets the
// error [tocsin.AgentBanned].
func (db *DB) NewSession(ctx context.Context, wallet tocsin.Address, life time.Duration) (token string, err error) {
	if err := db.dated(ctx); err != nil {
		return "", err
	}
	if token, err = tocsin.NewSecret("ses_", db.random); err != nil {
		return "", err
	}
	public, err := tocsin.NewID("agt_", db.random)
	if err != nil {
		return "", err
	}
	err = db.writeRecord(ctx, accounts, true, func(ctx context.Context, s *conn) error {
		if err := refuseBannedWallet(ctx, s, wallet); err != nil {
			return err
		}
		id, _, err := upsertAgent(ctx, s, public, &wallet, "", db.Now())
		if err != nil {
			return err
		}
		_, err = s.exec(ctx, "INSERT INTO session (hash, agent, expires) VALUES ($1, $2, $3)",
			tokenHash(token), id, db.Now().Std().Add(life).UnixMicro())
		return err
	})
	return token, err
}

// NewKeySession signs the holder of a key in, and returns the token of the session, which ends after life or once the
// key is revoked. It returns "" if the key is unknown or revoked. A banned agent gets the error [tocsin.AgentBanned].
//
// The token ends with the hash of the key. Nobody can put another one there, since the database has the hash of the
// whole token.
func (db *DB) NewKeySession(ctx context.Context, key tocsin.Key, life time.Duration) (token string, err error) {
	if err := db.dated(ctx); err != nil {
		return "", err
	}
	c, err := db.Caller(ctx, key)
	if c == nil || err != nil {
		return "", err
	}
	if token, err = tocsin.NewSecret("ses_", db.random); err != nil {
		return "", err
	}
	token += keyMark + hex.EncodeToString(c.key[:])
	err = db.writeRecord(ctx, accounts, true, func(ctx context.Context, s *conn) error {
		_, err := s.exec(ctx, "INSERT INTO session (hash, agent, expires) VALUES ($1, $2, $3)",
			tokenHash(token), c.id, db.Now().Std().Add(life).UnixMicro())
		return err
	})
	return token, err
}

// keyMark is before the hash of a key in the token of a session.
const keyMark = "."

// Session returns the session with a token, or nil if there is none or it has ended.
func (db *DB) Session(ctx context.Context, token string) (*Session, error) {
	var found Session
	var key []byte
	err := db.read(ctx, primary, func(s *conn) error {
		return s.row(ctx, `SELECT a.public, a.address, a.name, k.hash
			FROM session JOIN agent a ON a.id = session.agent
				LEFT JOIN key k ON k.agent = a.id AND k.revoked IS NULL
			WHERE session.hash = $1 AND session.expires > $2 AND a.banned IS NULL LIMIT 1`,
			[]any{tokenHash(token), db.Now().Micro()},
			&found.Agent.ID, &found.Agent.Address, &found.Agent.Name, &key)
	})
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if _, hash, byKey := strings.Cut(token, keyMark); byKey {
		return db.keySession(ctx, hash)
	}
	if found.Agent.Address == nil {
		return nil, errors.New("session: its agent has no wallet")
	}
	wallet, fault := tocsin.ParseAddress(*found.Agent.Address)
	if fault != nil {
		return nil, fmt.Errorf("session: %w", fault)
	}
	found.Wallet, found.Agent.Address = &wallet, checksummed(found.Agent.Address)
	if key != nil {
		found.Caller, err = db.callerOf(ctx, [32]byte(key))
	}
	return &found, err
}

// keySession is the session of a key, by its hash in hex; nil once the key is revoked.
func (db *DB) keySession(ctx context.Context, hash string) (*Session, error) {
	var key [32]byte
	if n, err := hex.Decode(key[:], []byte(hash)); err != nil || n != len(key) {
		return nil, errors.New("session: its token has no hash of a key")
	}
	c, err := db.callerOf(ctx, key)
	if c == nil || err != nil {
		return nil, err
	}
	return &Session{Agent: c.Agent, Caller: c}, nil
}

// EndSession ends the session with a token, if there is one.
func (db *DB) EndSession(ctx context.Context, token string) error {
	return db.write(ctx, accounts, true, func(ctx context.Context, s *conn) error {
		_, err := s.exec(ctx, "DELETE FROM session WHERE hash = $1", tokenHash(token))
		return err
	})
}
