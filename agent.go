package tocsin

import (
	"crypto/sha256"
	"encoding/base32"
	"hash/crc32"
	"io"
	"strings"
)

// Agent is the holder of a key: a person, a program or a company.
type Agent struct {
	ID      string  `json:"id"`      // public
	Address *string `json:"address"` // the wallet that signed in, EIP-55; shown to the agent alone
	Name    *string `json:"name"`
}

// Key is an API key in plain text: toc_ and 38 characters of base32 (RFC 4648, lower case). The last 6 are a
// checksum, so that a mistyped key is refused without a look-up, and secret scanners recognize keys. Only its hash
// is stored.
type Key string

const (
	keyPrefix   = "toc_"
	tokenPrefix = "man_" // of manage tokens
	keyBytes    = 20     // 160 random bits
	keyText     = 32     // 20 bytes in base32
	sumText     = 6
)

var lower32 = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// NewKey makes a key from 160 random bits. It fails only if random does.
func NewKey(random io.Reader) (Key, error) {
	key, err := NewSecret(keyPrefix, random)
	return Key(key), err
}

// NewManageToken makes the secret that a report is withdrawn with. It fails only if random does.
func NewManageToken(random io.Reader) (string, error) { return NewSecret(tokenPrefix, random) }

// NewSecret makes a secret like a key that begins with what it is for. It fails only if random does.
func NewSecret(prefix string, random io.Reader) (string, error) {
	var b [keyBytes]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", err
	}
	body := lower32.EncodeToString(b[:])
	return prefix + body + keySum(body), nil
}

// ParseKey parses a key and verifies its checksum. It reports false for any other text.
func ParseKey(text string) (Key, bool) {
	body, ok := strings.CutPrefix(text, keyPrefix)
	if !ok || len(body) != keyText+sumText || keySum(body[:keyText]) != body[keyText:] {
		return "", false
	}
	return Key(text), true
}

// Hash returns the SHA-256 of the key, which is what the database stores and compares.
func (k Key) Hash() [32]byte { return sha256.Sum256([]byte(k)) }

// Prefix returns the first 12 characters, by which people recognize their keys. 120 of the 160 bits remain secret.
func (k Key) Prefix() string { return string(k[:len(keyPrefix)+8]) }

// keySum is the CRC-32 of the body with a bit of zero padding, in base32.
func keySum(body string) string {
	c := crc32.ChecksumIEEE([]byte(body))
	return lower32.EncodeToString([]byte{byte(c >> 24), byte(c >> 16), byte(c >> 8), byte(c)})[:sumText]
}

// NewID makes a public identifier: the prefix and 80 random bits in base32. It fails only if random does.
func NewID(prefix string, random io.Reader) (string, error) {
	var b [10]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", err
	}
	return prefix + lower32.EncodeToString(b[:]), nil
}
