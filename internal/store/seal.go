package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
)

// Seal returns a text that proves, today and tomorrow (UTC), that this service has made another one. It writes
// nothing but the key of a day, which processes on one database share.
func (db *DB) Seal(ctx context.Context, text string) (string, error) {
	keys, err := db.saltsOf(ctx, day(db.Now()))
	if err != nil {
		return "", err
	}
	return sealOf(keys[0], text), nil
}

// IsSeal reports whether a seal is of a text: [DB.Seal] has made it today or yesterday.
func (db *DB) IsSeal(ctx context.Context, seal, text string) (bool, error) {
	keys, err := db.saltsOf(ctx, day(db.Now()))
	if err != nil {
		return false, err
	}
	for _, key := range keys {
		if hmac.Equal([]byte(seal), []byte(sealOf(key, text))) {
			return true, nil
		}
	}
	return false, nil
}

// sealOf begins with what no nonce and no network does, which are hashed under the same keys.
func sealOf(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("text\x00" + text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:15])
}
