package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/netip"
	"sync"

	"tocsin"
)

// keptSecret is a key of the database: random, made when it is first needed, and kept.
type keptSecret struct {
	mu  sync.Mutex
	key []byte
}

// secret returns the kept key of a name.
func (db *DB) secret(ctx context.Context, kept *keptSecret, name string) ([]byte, error) {
	kept.mu.Lock()
	defer kept.mu.Unlock()
	if kept.key != nil {
		return kept.key, nil
	}
	fresh := make([]byte, 32)
	if _, err := io.ReadFull(db.random, fresh); err != nil {
		return nil, err
	}
	var key []byte
	err := db.write(ctx, accounts, false, func(ctx context.Context, s *conn) (err error) {
		key, err = keepMeta(ctx, s, name, fresh)
		return err
	})
	if err != nil {
		return nil, err
	}
	kept.key = key
	return key, nil
}

// networkNumber returns a number from 1 to 256 for a network, always the same, and 0 for none. Numbers that differ
// prove that the networks do. A number does not tell the network, not even to those who have the key: each belongs to
// 65,000 networks of IPv4 (docs/decisions/0020-proof-needs-precision.md).
func (db *DB) networkNumber(ctx context.Context, network netip.Prefix) (int, error) {
	if !network.IsValid() {
		return 0, nil
	}
	key, err := db.secret(ctx, &db.networkSecret, metaNetworks)
	if err != nil {
		return 0, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(network.String()))
	return int(mac.Sum(nil)[0]) + 1, nil
}

// NetworkTags returns a function that names networks in logs: always the same 12 hexadecimal digits for one network, on
// all processes of the database, from which the address cannot be found without the key that is kept there. The zero
// prefix has the tag "-".
func (db *DB) NetworkTags(ctx context.Context) (func(netip.Prefix) string, error) {
	key, err := db.secret(ctx, &db.networkSecret, metaNetworks)
	if err != nil {
		return nil, err
	}
	return func(network netip.Prefix) string {
		if !network.IsValid() {
			return "-"
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte("log " + network.String()))
		return hex.EncodeToString(mac.Sum(nil)[:6])
	}, nil
}

// setNetwork records from which network an agent filed first.
func setNetwork(ctx context.Context, s *conn, agent int64, number int, now tocsin.Time) error {
	if number == 0 {
		return nil
	}
	n, err := affected(s.exec(ctx, "UPDATE agent SET network = $1 WHERE id = $2 AND network IS NULL", number, agent))
	if err != nil || n == 0 {
		return err
	}
	known, err := standings(ctx, s, agent)
	for key := range known { // it was proven before it had a network
		if err := logAgent(ctx, s, now, AgentProven, agent, key.kind); err != nil {
			return err
		}
	}
	return err
}
