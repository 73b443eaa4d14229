// Package evm is what Tocsin needs of Ethereum and its kin: the hash, the
// signatures of accounts, and a node to ask what a chain knows.
package evm

import (
	"strconv"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"golang.org/x/crypto/sha3"

	"tocsin"
)

// Keccak256 returns the 32 bytes of the hash of the parts, one after the other.
// It is the Keccak of Ethereum, whose padding differs from that of SHA-3.
func Keccak256(parts ...[]byte) []byte {
	h := sha3.NewLegacyKeccak256()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum(nil)
}

// PersonalDigest returns the 32 bytes that a wallet signs for a message to a
// person (EIP-191 version 0x45, personal_sign). The length in it counts bytes.
func PersonalDigest(message []byte) []byte {
	return Keccak256([]byte("\x19Ethereum Signed Message:\n"+strconv.Itoa(len(message))), message)
}

// Recover returns the account whose key made the signature of the digest (32
// bytes): 65 bytes, r‖s‖v with a v of 0, 1, 27 or 28. False means that it is no
// such signature. Nearly every one that is well-formed is that of some account,
// so the answer has to be compared.
//
// Of the two signatures that anybody can make of one, with s and with n−s,
// either is taken, as the precompile ecrecover does. So a signature is no name
// for what was signed; whoever wants only one of them asks [LowS] too.
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

// LowS reports whether the s of a signature of 65 bytes is in the lower half of
// the curve's order, as that of every wallet is (EIP-2).
func LowS(signature []byte) bool {
	if len(signature) != 65 {
		return false
	}
	var s secp256k1.ModNScalar
	overflow := s.SetByteSlice(signature[32:64])
	return !overflow && !s.IsOverHalfOrder()
}
