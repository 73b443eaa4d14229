package x402

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/url"
	"strings"
	"time"
)

// tokenLifetime is how long a token is valid. The libraries of the Coinbase Developer
// Platform use the same.
const tokenLifetime = 2 * time.Minute

// Credentials are an API key of the Coinbase Developer Platform. Its facilitator
// requires a new token, signed with the key, for every call.
type Credentials struct {
	id  string
	alg string        // EdDSA or ES256
	key crypto.Signer // of Ed25519 or of P-256
}

// ParseCredentials parses the values that the platform calls CDP_API_KEY_ID and
// CDP_API_KEY_SECRET. The secret is base64 of an Ed25519 key (64 bytes: seed and public
// key), or an EC key on P-256 in PEM (PKCS #8 or SEC 1), in which a newline may be
// written \n. Errors say what is wrong and contain no part of the secret.
func ParseCredentials(id, secret string) (*Credentials, error) {
	id, secret = strings.TrimSpace(id), strings.TrimSpace(secret)
	switch {
	case id == "":
		return nil, errors.New("CDP_API_KEY_ID is empty: set it to the id of the API key")
	case secret == "":
		return nil, errors.New("CDP_API_KEY_SECRET is empty: set it to the secret of the API key")
	}
	if strings.HasPrefix(secret, "-----BEGIN") {
		key, err := parseEC(strings.ReplaceAll(secret, `\n`, "\n"))
		if err != nil {
			return nil, err
		}
		return &Credentials{id, "ES256", key}, nil
	}
	raw, err := base64.StdEncoding.DecodeString(secret)
	if err != nil {
		return nil, errors.New("CDP_API_KEY_SECRET is neither base64 nor PEM: " +
			"set it as the platform showed it, without quotes")
	}
	if len(raw) != ed25519.PrivateKeySize {
		return nil, fmt.Errorf("CDP_API_KEY_SECRET has %d bytes once decoded, an Ed25519 key has %d: set the whole secret",
			len(raw), ed25519.PrivateKeySize)
	}
	key := ed25519.NewKeyFromSeed(raw[:ed25519.SeedSize])
	if !key.Equal(ed25519.PrivateKey(raw)) {
		return nil, errors.New("CDP_API_KEY_SECRET is damaged: " +
			"its public half does not belong to its private half; set it again")
	}
	return &Credentials{id, "EdDSA", key}, nil
}

// parseEC parses an EC key on P-256 in PEM.
func parseEC(text string) (crypto.Signer, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("CDP_API_KEY_SECRET is not whole PEM: " +
			"set it with its BEGIN and END lines, the newlines as they are or as \\n")
	}
	key, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		other, _ := x509.ParsePKCS8PrivateKey(block.Bytes)
		key, _ = other.(*ecdsa.PrivateKey)
	}
	if key == nil || key.Curve != elliptic.P256() {
		return nil, errors.New("CDP_API_KEY_SECRET holds PEM, but no unencrypted EC key on P-256: make a new API key")
	}
	return key, nil
}

// Format implements [fmt.Formatter]. It writes only the id for every verb, so that no
// log contains the key.
func (c Credentials) Format(to fmt.State, _ rune) { io.WriteString(to, "CDP API key "+c.id) }

// token returns a JWT (RFC 7519) for one call of u, issued now, with a nonce of 16 bytes
// from random. It has the same fields as those of generateJwt in the platform's npm
// package @coinbase/cdp-sdk 1.57.0. The query of u is not part of it.
func (c *Credentials) token(method string, u *url.URL, now time.Time, random io.Reader) (string, error) {
	var nonce [16]byte
	if _, err := io.ReadFull(random, nonce[:]); err != nil {
		return "", fmt.Errorf("nonce: %w", err)
	}
	header := struct {
		Alg   string `json:"alg"`
		Kid   string `json:"kid"`
		Typ   string `json:"typ"`
		Nonce string `json:"nonce"`
	}{Alg: c.alg, Kid: c.id, Typ: "JWT", Nonce: hex.EncodeToString(nonce[:])}
	claims := struct {
		Sub  string   `json:"sub"`
		Iss  string   `json:"iss"`
		URIs []string `json:"uris"`
		Iat  int64    `json:"iat"` // this and the next two in seconds since 1970
		Nbf  int64    `json:"nbf"`
		Exp  int64    `json:"exp"`
	}{
		Sub:  c.id,
		Iss:  "cdp",
		URIs: []string{method + " " + u.Host + u.EscapedPath()},
		Iat:  now.Unix(),
		Nbf:  now.Unix(),
		Exp:  now.Add(tokenLifetime).Unix(),
	}
	text := segment(header) + "." + segment(claims)
	signature, err := c.sign(text)
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// segment encodes a part of a JWT (RFC 7515, section 3.1).
func segment(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers always marshal
	}
	return base64.RawURLEncoding.EncodeToString(text)
}

// sign returns the signature of a text: ES256 (RFC 7518, section 3.4) or EdDSA (RFC
// 8037, section 3.1). Neither uses randomness: for ES256 the nonce is that of RFC 6979.
func (c *Credentials) sign(text string) ([]byte, error) {
	if c.alg == "EdDSA" {
		return c.key.Sign(nil, []byte(text), crypto.Hash(0))
	}
	digest := sha256.Sum256([]byte(text))
	der, err := c.key.Sign(nil, digest[:], crypto.SHA256)
	if err != nil {
		return nil, err
	}
	var s struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(der, &s); err != nil {
		return nil, err
	}
	var raw [64]byte
	s.R.FillBytes(raw[:32])
	s.S.FillBytes(raw[32:])
	return raw[:], nil
}
