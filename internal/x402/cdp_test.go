package x402

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// vendorKey is a key of testdata/cdp.json with tokens that the platform's library made
// with it.
type vendorKey struct {
	Alg, ID string
	Secrets []string // the same key in several forms
	Tokens  []struct{ Method, URL, Token string }
}

func vendorKeys(t *testing.T) (now time.Time, keys []vendorKey) {
	t.Helper()
	text, err := os.ReadFile("testdata/cdp.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Now  int64
		Keys []vendorKey
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Keys) != 2 {
		t.Fatalf("%d keys", len(file.Keys))
	}
	return time.Unix(file.Now, 999), file.Keys
}

// verifyToken verifies the signature of a JWT and returns its parts.
func verifyToken(t *testing.T, c *Credentials, token string) (header, claims []byte) {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is not a JWT", token)
	}
	var raw [3][]byte
	for i, part := range parts {
		var err error
		if raw[i], err = base64.RawURLEncoding.Strict().DecodeString(part); err != nil {
			t.Fatal(err)
		}
	}
	text, signature := []byte(parts[0]+"."+parts[1]), raw[2]
	if len(signature) != 64 {
		t.Fatalf("a signature of %d bytes", len(signature))
	}
	right := false
	switch key := c.key.Public().(type) {
	case ed25519.PublicKey:
		right = ed25519.Verify(key, text, signature)
	case *ecdsa.PublicKey:
		digest := sha256.Sum256(text)
		right = ecdsa.Verify(key, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
	}
	if !right {
		t.Fatalf("the signature of %s is wrong", token)
	}
	return raw[0], raw[1]
}

func TestTokenIsTheVendors(t *testing.T) {
	now, keys := vendorKeys(t)
	for _, k := range keys {
		secrets := k.Secrets
		for _, s := range k.Secrets {
			secrets = append(secrets, strings.ReplaceAll(s, "\n", `\n`), " "+strings.TrimSpace(s)+"\r\n")
		}
		for i, secret := range secrets {
			c, err := ParseCredentials(k.ID+"\n", secret)
			if err != nil {
				t.Fatalf("%s, secret %d: %v", k.Alg, i, err)
			}
			for _, vendor := range k.Tokens {
				header, _ := verifyToken(t, c, vendor.Token)
				var h struct{ Nonce string }
				if err := json.Unmarshal(header, &h); err != nil {
					t.Fatal(err)
				}
				nonce, err := hex.DecodeString(h.Nonce)
				if err != nil {
					t.Fatal(err)
				}
				u, err := url.Parse(vendor.URL)
				if err != nil {
					t.Fatal(err)
				}
				token, err := c.token(vendor.Method, u, now, bytes.NewReader(nonce))
				if err != nil {
					t.Fatal(err)
				}
				ourHeader, ourClaims := verifyToken(t, c, token)
				if k.Alg == "EdDSA" { // is deterministic, ES256 of the vendor is not
					if token != vendor.Token {
						t.Errorf("%s %s\n got %s %s\nwant %s", vendor.Method, vendor.URL, ourHeader, ourClaims, vendor.Token)
					}
					continue
				}
				if signed := token[:strings.LastIndex(token, ".")+1]; !strings.HasPrefix(vendor.Token, signed) {
					t.Errorf("%s %s\n got %s %s\nwant %s", vendor.Method, vendor.URL, ourHeader, ourClaims, vendor.Token)
				}
				if again, _ := c.token(vendor.Method, u, now, bytes.NewReader(nonce)); again != token {
					t.Error("the same moment and nonce gave another token")
				}
			}
		}
	}
}

func TestTokenNeedsItsNonce(t *testing.T) {
	_, keys := vendorKeys(t)
	c, err := ParseCredentials(keys[0].ID, keys[0].Secrets[0])
	if err != nil {
		t.Fatal(err)
	}
	u := &url.URL{Host: "pay.example", Path: "/supported"}
	if token, err := c.token("GET", u, time.Unix(0, 0), bytes.NewReader(make([]byte, 15))); err == nil {
		t.Errorf("15 bytes of randomness gave %s", token)
	}
}

func TestFaultyCredentials(t *testing.T) {
	_, keys := vendorKeys(t)
	ed, pkcs8, sec1 := keys[0].Secrets[0], keys[1].Secrets[0], keys[1].Secrets[1]
	raw, _ := base64.StdEncoding.DecodeString(ed)
	damaged := bytes.Clone(raw)
	damaged[63] ^= 1
	encode := base64.StdEncoding.EncodeToString
	inPEM := func(key any) string {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	}
	nonsense := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}))
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ id, secret, want string }{
		"no id":                {" ", ed, "CDP_API_KEY_ID is empty"},
		"no secret":            {"id", "\n", "CDP_API_KEY_SECRET is empty"},
		"in quotes":            {"id", `"` + ed + `"`, "without quotes"},
		"cut off":              {"id", ed[:84], "has 63 bytes"},
		"the seed alone":       {"id", encode(raw[:32]), "has 32 bytes"},
		"damaged":              {"id", encode(damaged), "is damaged"},
		"the halves exchanged": {"id", encode(append(bytes.Clone(raw[32:]), raw[:32]...)), "is damaged"},
		"PEM without its end":  {"id", pkcs8[:100], "not whole PEM"},
		"PEM in one line":      {"id", strings.ReplaceAll(sec1, "\n", " "), "not whole PEM"},
		"PEM of another curve": {"id", inPEM(p384), "no unencrypted EC key on P-256"},
		"PEM of Ed25519":       {"id", inPEM(ed25519.PrivateKey(raw)), "no unencrypted EC key on P-256"},
		"PEM of nonsense":      {"id", nonsense, "no unencrypted EC key on P-256"},
	} {
		got, err := ParseCredentials(c.id, c.secret)
		if err == nil || got != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, %v, want an error with %q", name, got, err, c.want)
			continue
		}
		for i := 0; i+6 <= len(c.secret); i++ {
			part := c.secret[i : i+6]
			if !strings.Contains("-----BEGIN PRIVATE KEY-----", part) && strings.Contains(err.Error(), part) {
				t.Errorf("%s: the error shows %q of the secret: %v", name, part, err)
			}
		}
	}
}

func TestCredentialsDoNotShowTheirKey(t *testing.T) {
	_, keys := vendorKeys(t)
	for _, k := range keys {
		c, err := ParseCredentials(k.ID, k.Secrets[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, shown := range []string{fmt.Sprint(c), fmt.Sprintf("%+v %#v %x %q", c, c, c, c), fmt.Sprintf("%#v", *c)} {
			if strings.ReplaceAll(strings.ReplaceAll(shown, "CDP API key "+k.ID, ""), " ", "") != "" {
				t.Errorf("shown as %q", shown)
			}
		}
	}
}
