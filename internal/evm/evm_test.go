package evm

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"tocsin"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.TrimPrefix(s, "0x"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestKeccak256(t *testing.T) {
	for _, c := range []struct {
		parts []string
		want  string
	}{
		{nil, "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"},
		{[]string{"abc"}, "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"},
		{[]string{"a", "", "bc"}, "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"},
	} {
		var parts [][]byte
		for _, p := range c.parts {
			parts = append(parts, []byte(p))
		}
		if got := hex.EncodeToString(Keccak256(parts...)); got != c.want {
			t.Errorf("%q: %s, not %s", c.parts, got, c.want)
		}
	}
}

// personal is what viem 2.57.20 made of messages with the second key of every
// local test chain.
var personal = []struct{ message, digest, signature string }{
	{"", "0x5f35dce98ba4fba25530a026ed80b2cecdaa31091ba4958b99b52ea1d068adad",
		"0xc18322a726b4f865da04323fe77b713df8286e67ae6f50fe10aa54519fddaa23" +
			"6c14dadd6b82cedfd527bf3c20dac250a004e3a614095f85c106068f46b3ad431c"},
	{"Tocsin", "0xe3c6e8e4e37fbea63bf28d6e675c0c023815d8267b36df1a8e06f2b0f88d3a6d",
		"0x7d5593074b509a5d31fd58d0ad46dcf24c8c3b6ab815d9780ad70da0f67eae83" +
			"0a74e5393dc467031290f396d7dd31ecda5ae6ab5478fb204a80bacb3f5f4c5e1c"},
	{"Sturmglocke läutet 🔔", "0x5ca5d19d547c6e425d8a53520f2a64586c513ad04af4bbbefc7a0a6fd339f41c",
		"0x6d27b8f8d6bb9f6aad8fb748813ba947532b576518c65bfbe87a4af380c6eca4" +
			"2eb064c046da8462d1bf396d9d128e5c9c7a497f4b6f2df149e97def38bfe2631b"},
}

const signer = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"

func TestPersonalSignaturesRecover(t *testing.T) {
	for _, c := range personal {
		digest := PersonalDigest([]byte(c.message))
		if got := "0x" + hex.EncodeToString(digest); got != c.digest {
			t.Errorf("%q: the digest is %s, not %s", c.message, got, c.digest)
		}
		signature := unhex(t, c.signature)
		if got, ok := Recover(digest, signature); !ok || got.String() != signer {
			t.Errorf("%q: signed by %s, %t", c.message, got, ok)
		}
		if !LowS(signature) {
			t.Errorf("%q: a wallet's s is said to be high", c.message)
		}
	}
}

// TestTheOtherSignature makes of a signature the other one that anybody can make.
func TestTheOtherSignature(t *testing.T) {
	digest, signature := unhex(t, personal[1].digest), unhex(t, personal[1].signature)
	var s secp256k1.ModNScalar
	s.SetByteSlice(signature[32:64])
	negated := s.Negate().Bytes()
	copy(signature[32:64], negated[:])
	signature[64] ^= 27 ^ 28
	if got, ok := Recover(digest, signature); !ok || got.String() != signer {
		t.Errorf("signed by %s, %t", got, ok)
	}
	if LowS(signature) {
		t.Error("its s is said to be low")
	}
}

// TestCompactSignatures has the examples of EIP-2098, both by one key.
func TestCompactSignatures(t *testing.T) {
	r, s := "68a020a209d3d56c46f38cc50a33f704f4a9a10a59377f8dd762ac66910e9b90",
		"7e865ad05c4035ab5792787d4a0297a43617ae897930a6fe4d822b8faea52064"
	r2, s2 := "9328da16089fcba9bececa81663203989f2df5fe1faa6291a45381c81bd17f76",
		"39c6d6b623b42da56557e5e734a43dc83345ddfadec52cbe24d0cc64f550793"
	if got := Expand(unhex(t, r+s)); !bytes.Equal(got, unhex(t, r+s+"1b")) {
		t.Errorf("v of 27: %x", got)
	}
	if got := Expand(unhex(t, r2+"9"+s2)); !bytes.Equal(got, unhex(t, r2+"1"+s2+"1c")) {
		t.Errorf("v of 28: %x", got)
	}
	first, ok := Recover(PersonalDigest([]byte("Hello World")), Expand(unhex(t, r+s)))
	second, also := Recover(PersonalDigest([]byte("It's a small(er) world")), Expand(unhex(t, r2+"9"+s2)))
	if !ok || !also || first != second {
		t.Errorf("by %s and %s", first, second)
	}
	for _, length := range []int{0, 63, 65, 66} {
		if got := Expand(make([]byte, length)); len(got) != length {
			t.Errorf("%d bytes became %d", length, len(got))
		}
	}
}

func TestWhatIsNoSignature(t *testing.T) {
	digest, good := unhex(t, personal[1].digest), unhex(t, personal[1].signature)
	order := unhex(t, "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141")
	with := func(at int, b ...byte) []byte {
		s := append([]byte(nil), good...)
		copy(s[at:], b)
		return s
	}
	for _, v := range []byte{0, 1, 27, 28} {
		want := v == 1 || v == 28
		if got, ok := Recover(digest, with(64, v)); !ok || (got.String() == signer) != want {
			t.Errorf("v of %d: signed by %s, %t", v, got, ok)
		}
	}
	for about, c := range map[string]struct{ digest, signature []byte }{
		"nothing":                  {digest, nil},
		"64 bytes":                 {digest, good[:64]},
		"66 bytes":                 {digest, append(with(0), 0)},
		"a short digest":           {digest[:31], good},
		"no digest":                {nil, good},
		"a v of 2":                 {digest, with(64, 2)},
		"a v of 26":                {digest, with(64, 26)},
		"a v of 29":                {digest, with(64, 29)},
		"a v of 31, compressed":    {digest, with(64, 31)},
		"a v of 255":               {digest, with(64, 255)},
		"an r of 0":                {digest, with(0, make([]byte, 32)...)},
		"an s of 0":                {digest, with(32, make([]byte, 32)...)},
		"an r of the order":        {digest, with(0, order...)},
		"an s of the order":        {digest, with(32, order...)},
		"an r of no point":         {digest, with(0, append(make([]byte, 31), 5)...)},
		"an r and an s of nothing": {digest, make([]byte, 65)},
	} {
		if got, ok := Recover(c.digest, c.signature); ok || got != (tocsin.Address{}) {
			t.Errorf("%s: signed by %s, %t", about, got, ok)
		}
	}
	if LowS(nil) || LowS(with(32, order...)) || LowS(good[:64]) {
		t.Error("no signature is said to have a low s")
	}
}

func FuzzRecover(f *testing.F) {
	for _, c := range personal {
		f.Add(unhex(f, c.digest), unhex(f, c.signature))
	}
	f.Fuzz(func(t *testing.T, digest, signature []byte) {
		if got, ok := Recover(digest, signature); ok == (got == tocsin.Address{}) {
			t.Errorf("%s, %t", got, ok)
		}
		LowS(signature)
	})
}

func TestAWordIsTheLast32Bytes(t *testing.T) {
	for in, want := range map[string]string{
		"":                                       strings.Repeat("00", 32),
		"0102":                                   strings.Repeat("00", 30) + "0102",
		strings.Repeat("a1b2", 16):               strings.Repeat("a1b2", 16),
		"ff" + strings.Repeat("01", 32):          strings.Repeat("01", 32),
		"ffee" + strings.Repeat("02", 31) + "03": strings.Repeat("02", 31) + "03",
	} {
		if got := hex.EncodeToString(Word(unhex(t, in))); got != want {
			t.Errorf("Word(%s) is %s, want %s", in, got, want)
		}
	}
}
