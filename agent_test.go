package tocsin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"testing"
)

func TestAKeyIsRandomAndOnlyItsHashIsKept(t *testing.T) {
	random := make([]byte, 20)
	for i := range random {
		random[i] = byte(i)
	}
	key, err := NewKey(bytes.NewReader(random))
	if err != nil || !regexp.MustCompile(`^toc_[a-z2-7]{38}$`).MatchString(string(key)) {
		t.Fatal(key, err)
	}
	if body, err := lower32.DecodeString(string(key[4:36])); err != nil || !bytes.Equal(body, random) {
		t.Errorf("%s holds %x, %v", key, body, err)
	}
	if sum := sha256.Sum256([]byte(key)); key.Hash() != sum {
		t.Errorf("the hash of %s is %s", key, hex.EncodeToString(sum[:]))
	}
	if key.Prefix() != string(key[:12]) {
		t.Errorf("the prefix of %s is %s", key, key.Prefix())
	}
	for _, text := range []string{string(key) + "a", string(key[:41]), " " + string(key), string(key[4:]), ""} {
		if _, ok := ParseKey(text); ok {
			t.Errorf("%q is taken for a key", text)
		}
	}
	if key, err := NewKey(bytes.NewReader(random[:19])); err == nil {
		t.Errorf("19 random bytes make the key %s", key)
	}
}

func TestAnIdentifierHasEightyRandomBits(t *testing.T) {
	random := []byte("0123456789")
	id, err := NewID("rep_", bytes.NewReader(random))
	if err != nil || len(id) != 4+16 || !strings.HasPrefix(id, "rep_") {
		t.Fatal(id, err)
	}
	if bits, err := lower32.DecodeString(id[4:]); err != nil || !bytes.Equal(bits, random) {
		t.Errorf("%s holds %q, %v", id, bits, err)
	}
	if id, err := NewID("rep_", bytes.NewReader(random[:9])); err == nil {
		t.Errorf("nine random bytes make %s", id)
	}
}
