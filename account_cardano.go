package tocsin

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"strings"

	"github.com/btcsuite/btcd/btcutil/bech32"
	"github.com/mr-tron/base58"
)

// readCardano reads addresses of payments and of stake (CIP-19, bech32), and those of the Byron era (base58 of CBOR
// with a CRC-32).
func readCardano(text string) (string, *Error) {
	const chain = "Cardano"
	if strings.HasPrefix(text, "Ae2") || strings.HasPrefix(text, "Ddz") {
		return readByron(text)
	}
	data, version, fault := decodeBech32(chain, text, "addr", "stake")
	if fault != nil {
		return "", fault
	}
	b, err := bech32.ConvertBits(data, 5, 8, false)
	text = strings.ToLower(text)
	if err != nil || version != bech32.Version0 || !isShelley(b, strings.HasPrefix(text, "stake")) {
		return "", noAccount(chain, text)
	}
	return text, nil
}

// isShelley reports whether bytes are an address of the main network by CIP-19: a header, the hash of a key or a
// script, and for some types a second hash or a pointer.
func isShelley(b []byte, stake bool) bool {
	const hash = 28
	if len(b) < 1+hash || b[0]&0xf != 1 { // the main network
		return false
	}
	rest := b[1+hash:]
	switch kind := b[0] >> 4; {
	case kind <= 3:
		return !stake && len(rest) == hash
	case kind <= 5:
		return !stake && isPointer(rest)
	case kind <= 7:
		return !stake && len(rest) == 0
	case kind >= 14:
		return stake && len(rest) == 0
	}
	return false // 8 is of the Byron era, the others are of nothing yet
}

// isPointer reports whether bytes are three numbers, each of at most nine groups of seven bits, without zeros before
// it.
func isPointer(b []byte) bool {
	numbers, size := 0, 0
	for _, c := range b {
		if size++; size == 1 && c == 0x80 || size > 9 {
			return false
		}
		if c < 0x80 {
			numbers, size = numbers+1, 0
		}
	}
	return numbers == 3 && size == 0
}

// readByron reads an array of two: the payload as tagged bytes, and its CRC-32. The payload is an array of three: a
// hash of 28 bytes, attributes and the type.
func readByron(text string) (string, *Error) {
	const least = 3 + 28 + 1 + 1
	b, err := decodeBase58(text, base58.BTCAlphabet)
	if err != nil || len(b) < 5+least+5 || !bytes.Equal(b[:4], []byte{0x82, 0xd8, 0x18, 0x58}) ||
		!bytes.Equal(b[5:8], []byte{0x83, 0x58, 28}) {
		return "", noAccount("Cardano", text)
	}
	size := int(b[4])
	if len(b) != 5+size+5 || b[5+size] != 0x1a {
		return "", noAccount("Cardano", text)
	}
	if crc32.ChecksumIEEE(b[5:5+size]) != binary.BigEndian.Uint32(b[6+size:]) {
		return "", badChecksum("Cardano")
	}
	return text, nil
}
