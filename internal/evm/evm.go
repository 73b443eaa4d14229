// Package evm holds what Tocsin needs of Ethereum and compatible networks: the
// hash, words of the ABI, signatures of accounts, and a client of their nodes.
package evm

import (
	"slices"
	"strconv"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"golang.org/x/crypto/sha3"

	"tocsin"
)

// Keccak256 returns the hash (32 bytes) of the concatenated parts. It is the
// Keccak of Ethereum, whose padding differs from that of SHA-3.
func Keccak256(parts ...[]byte) []byte {
	h := sha3.NewLegacyKeccak256()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// Word returns b as one word of the ABI: 32 bytes, filled up with zeros on the
// left. Longer input is truncated to its last 32 bytes.
func Word(b []byte) []byte {
	w := make([]byte, 32)
	copy(w[32-min(len(b), 32):], b[max(0, len(b)-32):])
	return w
}

// PersonalDigest returns the 32 bytes that a wallet signs for a text message
// (EIP-191 version 0x45, personal_sign). The length in it counts bytes.
func PersonalDigest(message []byte) []byte {
	return Keccak256([]byte("\x19Ethereum Signed Message:\n"+strconv.Itoa(len(message))), message)
}

// Recover returns the account whose key signed a digest of 32 bytes. The
// signature has 65 bytes: r‖s‖v with a v of 0, 1, 27 or 28. False means that it
// is not well-formed. Nearly every well-formed signature recovers to some
// account, so compare the result.
//
// Anybody can turn a signature with s into a second one with n−s. Recover
// accepts both, as the precompile ecrecover does: a signature does not identify
// what was signed. [LowS] accepts one of the two.
func Recover(digest, signature []byte) (tocsin.Address, bool) {
	if len(digest) != 32 || len(signature) != 65 {
		return tocsin.Address{}, false
	}
	v := signature[64]
	if v < 27 {
		v += 27
	}
	if v != 27 && v != 28 {
		return tocsin.Address{}, false
	}
	key, _, err := ecdsa.RecoverCompact(append([]byte{v}, signature[:64]...), digest)
	if err != nil {
		return tocsin.Address{}, false
	}
	return tocsin.Address(Keccak256(key.SerializeUncompressed()[1:])[12:]), true
}

// Expand returns a signature of 64 bytes in the form of 65 that [Recover] takes: EIP-2098 has the parity of v in the
// highest bit of s, which is 0 in each s of the lower half. Any other length is returned as it is.
func Expand(signature []byte) []byte {
	if len(signature) != 64 {
		return signature
	}
	whole := append(slices.Clone(signature), 27+signature[32]>>7)
	whole[32] &= 0x7f
	return whole
}

// LowS reports whether the s of a signature of 65 bytes is in the lower half of
// the curve's order (EIP-2), as in the signatures of all wallets.
func LowS(signature []byte) bool {
	if len(signature) != 65 {
		return false
	}
	var s secp256k1.ModNScalar
	overflow := s.SetByteSlice(signature[32:64])
	return !overflow && !s.IsOverHalfOrder()
}
