package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/netip"
	"sync"
)

// NewTicket returns a random text of 96 bits for a payment to be made: see x402.Extra.
func (db *DB) NewTicket() (string, error) {
	var b [12]byte
	if _, err := io.ReadFull(db.random, b[:]); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

func tokenHash(token string) []byte {
	h := sha256.Sum256([]byte(token))
	return h[:]
}

// salts are the keys under which networks are hashed: one a day, forgotten
// after two, so that nobody can tell later who filed what.
type salts struct {
	mu   sync.Mutex
	day  int64
	keys [2][]byte // of today and of yesterday
}

// callerNames returns the names that identify a caller: of an agent its id; of
// an anonymous caller the hash of the network under today's salt
// and, so that a day's memory survives midnight, under yesterday's.
func (db *DB) callerNames(ctx context.Context, by *Caller, network netip.Prefix, today int64) ([]string, error) {
	if by != nil {
		return []string{"agent " + by.Agent.ID}, nil
	}
	keys, err := db.saltsOf(ctx, today)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(keys))
	for i, k := range keys {
		mac := hmac.New(sha256.New, k)
		mac.Write([]byte(network.String()))
		names[i] = "network " + string(mac.Sum(nil))
	}
	return names, nil
}

func (db *DB) saltsOf(ctx context.Context, today int64) ([2][]byte, error) {
	db.salts.mu.Lock()
	defer db.salts.mu.Unlock()
	if db.salts.day == today && db.salts.keys[0] != nil {
		return db.salts.keys, nil
	}
	var keys [2][]byte
	err := db.write(ctx, accounts, false, func(ctx context.Context, s *conn) (err error) {
		for i := range keys {
			fresh := make([]byte, 32)
			if _, err := io.ReadFull(db.random, fresh); err != nil {
				return err
			}
			if keys[i], err = keepMeta(ctx, s, salt(today-int64(i)), fresh); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		db.salts.day, db.salts.keys = today, keys
	}
	return keys, err
}

func salt(day int64) string { return fmt.Sprint(metaSalt, day) }
