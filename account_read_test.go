package tocsin

import (
	"bytes"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcutil/bech32"
	"github.com/mr-tron/base58"
)

// TestAnAddressHasTheLengthAndTheVersionsOfItsChain makes addresses whose checksums hold.
func TestAnAddressHasTheLengthAndTheVersionsOfItsChain(t *testing.T) {
	checked := func(alphabet *base58.Alphabet, version byte, rest int) string {
		return encodeBase58Check(append([]byte{version}, bytes.Repeat([]byte{7}, rest)...), alphabet)
	}
	bech := func(encode func(string, []byte) (string, error), prefix string, size int, version ...byte) string {
		data, err := bech32.ConvertBits(bytes.Repeat([]byte{7}, size), 8, 5, true)
		if err != nil {
			t.Fatal(err)
		}
		text, err := encode(prefix, append(version, data...))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	segwit := func(version byte, size int) string {
		if version == 0 {
			return bech(bech32.Encode, "bc", size, version)
		}
		return bech(bech32.EncodeM, "bc", size, version)
	}
	monero := func(version byte, rest int) string {
		payload := append([]byte{version}, bytes.Repeat([]byte{7}, rest)...)
		return "monero:" + encodeMonero(append(payload, moneroSum(payload)...))
	}
	for text, good := range map[string]bool{
		checked(base58.BTCAlphabet, 0, 20): true, checked(base58.BTCAlphabet, 5, 20): true,
		checked(base58.BTCAlphabet, 0, 19): false, checked(base58.BTCAlphabet, 5, 21): false,
		"bitcoin:" + checked(base58.BTCAlphabet, 1, 20): false,
		checked(rippleAlphabet, 0, 20):                  true, checked(rippleAlphabet, 0, 19): false,
		"xrp:" + checked(rippleAlphabet, 0, 21): false, "xrp:" + checked(rippleAlphabet, 1, 20): false,
		"xrp:" + encodeBase58Check(append([]byte{5, 0x44}, make([]byte, 29)...), rippleAlphabet): true,
		"xrp:" + encodeBase58Check(append([]byte{5, 0x93}, make([]byte, 29)...), rippleAlphabet): false, // a test network
		"xrp:" + encodeBase58Check(append([]byte{5, 0x44}, make([]byte, 19)...), rippleAlphabet): false,
		segwit(0, 20): true, segwit(0, 32): true, segwit(0, 21): false, segwit(0, 40): false,
		segwit(1, 2): true, segwit(1, 1): false, segwit(16, 40): true, segwit(1, 41): false, segwit(17, 32): false,
		bech(bech32.Encode, "bnb", 20): true, bech(bech32.Encode, "bnb", 32): false, bech(bech32.EncodeM, "bnb", 20): false,
		monero(18, 64): true, monero(42, 64): true, monero(53, 64): false, monero(19, 64): false,
	} {
		if s, err := ParseAccount(text); (err == nil) != good {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
}

// TestABlockOfMoneroIsANumberOfItsBytes: a larger one would be a second spelling.
func TestABlockOfMoneroIsANumberOfItsBytes(t *testing.T) {
	for text, good := range map[string]bool{
		"jpXCZedGfVQ": true, "jpXCZedGfVR": false, "zzzzzzzzzzz": false, // 2^64-1, and more
		"VtB5VXc": true, "VtB5VXd": false, "1111111": true, "111111": false, "l111111": false, // 2^40-1
	} {
		if b := decodeMonero(text); (b != nil) != good {
			t.Errorf("%s: %x", text, b)
		}
	}
}

// TestTheBitsThatFillACashAddrAreZero: other bits would make another spelling.
func TestTheBitsThatFillACashAddrAreZero(t *testing.T) {
	const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	for fill := range byte(4) {
		data := append(bytes.Repeat([]byte{0}, 33), fill, 0, 0, 0, 0, 0, 0, 0, 0)
		sum := cashAddrSum(data)
		for i := range 8 {
			data[34+i] = byte(sum>>(5*(7-i))) & 31
		}
		text := ""
		for _, digit := range data {
			text += string(alphabet[digit])
		}
		if s, err := ParseAccount("bitcoincash:" + text); (err == nil) != (fill == 0) {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
}

// TestWhatACashAddrIsOf: a key or a script of 20 bytes, and whether it takes tokens, which is not kept.
func TestWhatACashAddrIsOf(t *testing.T) {
	const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	for kind, canonical := range map[byte]int{0: 0, 8: 8, 16: 0, 24: 8, 1: -1, 32: -1, 64: -1, 128: -1} {
		text := "bitcoincash:" + encodeCashAddr(append([]byte{kind}, make([]byte, 20)...), alphabet)
		s, err := ParseAccount(text)
		if (err == nil) != (canonical >= 0) ||
			err == nil && s.Value != encodeCashAddr(append([]byte{byte(canonical)}, make([]byte, 20)...), alphabet) {
			t.Errorf("kind %d: %v, %v", kind, s, err)
		}
	}
}

// TestAnAddressOfTONIsReadInBothAlphabets of base64.
func TestAnAddressOfTONIsReadInBothAlphabets(t *testing.T) {
	s, err := ParseAccount("0:" + strings.Repeat("fb", 32))
	if err != nil || !strings.ContainsAny(s.Plain(), "_") || !strings.ContainsAny(s.Plain(), "-") {
		t.Fatalf("%v, %v", s.Plain(), err)
	}
	other := strings.NewReplacer("-", "+", "_", "/").Replace(s.Plain())
	if again, err := ParseAccount(other); err != nil || again != s {
		t.Errorf("%s: %v, %v", other, again, err)
	}
}

// TestAnAddressOfBitcoinGoldIsThatOfItsKey on Bitcoin, in bech32 and in bech32m.
func TestAnAddressOfBitcoinGoldIsThatOfItsKey(t *testing.T) {
	for version, encode := range []func(string, []byte) (string, error){bech32.Encode, bech32.EncodeM} {
		data, err := bech32.ConvertBits(bytes.Repeat([]byte{7}, 20), 8, 5, true)
		if err != nil {
			t.Fatal(err)
		}
		data = append([]byte{byte(version)}, data...)
		gold, _ := encode("btg", data)
		bitcoin, _ := encode("bc", data)
		if s, err := ParseAccount(gold); err != nil || s != (Subject{Bitcoin, bitcoin}) {
			t.Errorf("%s: %v, %v", gold, s, err)
		}
	}
}

// TestOnlyOnTONAnAccountHasTwoForms, and only a text without a prefix may be a bare address of Solana.
func TestOnlyOnTONAnAccountHasTwoForms(t *testing.T) {
	for text, other := range map[string]string{"0:" + strings.Repeat("fb", 32): "EQ", contact: "",
		"1BoatSLRHtKNngkdXEeobR76b53LETtpyT": ""} {
		s, err := ParseAccount(text)
		if got := s.OtherForm(); err != nil || !strings.HasPrefix(got, other) || (got == "") != (other == "") {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	const solana = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
	for text, bare := range map[string]bool{solana: true, " " + solana + " ": true, "solana:" + solana: false,
		"bitcoin:" + solana: false, contact: false} {
		if s, is := BareSolana(text); is != bare {
			t.Errorf("%q: %v", text, s)
		}
	}
}
