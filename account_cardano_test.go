package tocsin

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/btcsuite/btcd/btcutil/bech32"
	"github.com/mr-tron/base58"
)

// TestOnlyAddressesOfTheLengthsOfTheirTypesAreOfCardano: CIP-19 says which there are.
func TestOnlyAddressesOfTheLengthsOfTheirTypesAreOfCardano(t *testing.T) {
	encoded := func(prefix string, header byte, rest int, pointer ...byte) string {
		b := append([]byte{header}, bytes.Repeat([]byte{7}, rest)...)
		data, err := bech32.ConvertBits(append(b, pointer...), 8, 5, true)
		if err != nil {
			t.Fatal(err)
		}
		text, err := bech32.Encode(prefix, data)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for text, good := range map[string]bool{
		encoded("addr", 0x01, 56): true, encoded("addr", 0x31, 56): true, encoded("addr", 0x61, 28): true,
		encoded("stake", 0xe1, 28): true, encoded("stake", 0xf1, 28): true,
		encoded("addr", 0x41, 28, 0x81, 0x05, 1, 2): true, encoded("addr", 0x51, 28, 0, 0, 0): true,
		encoded("addr", 0x61, 15): false,
		encoded("addr", 0x01, 28): false, encoded("addr", 0x01, 57): false, encoded("addr", 0x61, 29): false,
		encoded("addr", 0x71, 28): true, encoded("stake", 0x41, 28, 1, 2, 3): false,
		encoded("addr", 0x41, 28, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 1, 2):       true,
		encoded("addr", 0x41, 28, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 1, 2): false,
		encoded("addr", 0x61, 56): false, encoded("addr", 0x41, 28): false, encoded("addr", 0x41, 28, 1, 2): false,
		encoded("addr", 0x41, 28, 1, 2, 0x83): false, encoded("addr", 0x41, 28, 1, 2, 3, 4): false,
		encoded("addr", 0x41, 28, 0x80, 1, 2, 3): false, encoded("addr", 0x00, 56): false,
		encoded("addr", 0xe1, 28): false, encoded("stake", 0x61, 28): false, encoded("stake", 0xe1, 56): false,
		encoded("addr", 0x81, 28): false, encoded("addr", 0x91, 56): false,
	} {
		if s, err := ParseAccount(text); (err == nil) != good {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
	for size, good := range map[int]bool{33: true, 40: true, 32: false} {
		payload := append([]byte{0x83, 0x58, 28}, bytes.Repeat([]byte{7}, size-3)...)
		b := append([]byte{0x82, 0xd8, 0x18, 0x58, byte(size)}, payload...)
		b = binary.BigEndian.AppendUint32(append(b, 0x1a), crc32.ChecksumIEEE(payload))
		if _, err := readByron(base58.Encode(b)); (err == nil) != good {
			t.Errorf("a payload of %d bytes: %v", size, err)
		}
	}
}
