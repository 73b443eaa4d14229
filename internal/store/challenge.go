package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"time"

	"tocsin"
)

// A sealed nonce is issued without a row: it holds its own time (4 bytes, Unix seconds) and 6 random bytes, and 6 bytes
// of a keyed hash prove that it was issued here. So nonces can be given to callers who only ask for a price: most of
// them are never used, and a flood of such calls writes nothing.
const (
	sealedTime, sealedHead, sealedLength = 4, 10, 16
)

// SealedNonce issues a nonce of 128 bits that [DB.UseSealedNonce] accepts once. It writes nothing.
func (db *DB) SealedNonce(ctx context.Context) (nonce string, at tocsin.Time, err error) {
	at = db.Now()
	keys, err := db.saltsOf(ctx, day(at))
	if err != nil {
		return "", at, err
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(at.Std().Unix()))
	head = append(head, make([]byte, sealedHead-sealedTime)...)
	if _, err := io.ReadFull(db.random, head[sealedTime:]); err != nil {
		return "", at, err
	}
	return hex.EncodeToString(append(head, seal(keys[0], head)...)), at, nil
}

// UseSealedNonce records the use of a nonce of [DB.SealedNonce], and reports whether it was valid: issued by this
// service at most life ago, and not used before, in any process.
func (db *DB) UseSealedNonce(ctx context.Context, nonce string, life time.Duration) (fresh bool, err error) {
	raw, err := hex.DecodeString(nonce)
	if err != nil || len(raw) != sealedLength {
		return false, nil
	}
	now := db.Now()
	keys, err := db.saltsOf(ctx, day(now))
	if err != nil {
		return false, err
	}
	head := raw[:sealedHead]
	issued := time.Unix(int64(binary.BigEndian.Uint32(head)), 0)
	expires := issued.Add(life)
	sealed := false
	for _, key := range keys { // yesterday's at the beginning of a day
		sealed = sealed || hmac.Equal(raw[sealedHead:], seal(key, head))
	}
	if !sealed || issued.After(now.Std()) || !now.Std().Before(expires) {
		return false, nil
	}
	err = db.write(ctx, accounts, false, func(ctx context.Context, s *conn) error {
		if _, err := s.exec(ctx, "DELETE FROM nonce WHERE expires <= $1", now.Micro()); err != nil {
			return err
		}
		// No message can hold this name: a nonce has letters and digits only.
		n, err := affected(s.exec(ctx, "INSERT INTO nonce (value, expires) VALUES ($1, $2) ON CONFLICT DO NOTHING",
			"used "+hex.EncodeToString(raw), expires.UnixMicro()))
		fresh = n == 1
		return err
	})
	return fresh, err
}

func seal(key, head []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("sealed nonce"))
	mac.Write(head)
	return mac.Sum(nil)[:sealedLength-sealedHead]
}

// CallerOf returns the caller with the live key of a wallet. A wallet without one gets one, as by [DB.RenewKey].
func (db *DB) CallerOf(ctx context.Context, wallet tocsin.Address) (*Caller, error) {
	c, err := db.keyedCaller(ctx, wallet)
	if c != nil || err != nil {
		return c, err
	}
	if _, err := db.RenewKey(ctx, wallet); err != nil {
		return nil, err
	}
	return db.keyedCaller(ctx, wallet)
}

// keyedCaller returns the caller with the live key of a wallet, nil if the wallet has none.
func (db *DB) keyedCaller(ctx context.Context, wallet tocsin.Address) (*Caller, error) {
	var hash []byte
	err := db.read(ctx, primary, func(s *conn) error {
		return s.row(ctx, `SELECT k.hash FROM agent a JOIN key k ON k.agent = a.id AND k.revoked IS NULL
			WHERE a.address = $1`, []any{wallet.Subject().Value}, &hash)
	})
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return db.callerOf(ctx, [32]byte(hash))
}
