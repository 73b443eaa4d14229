package x402

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"filippo.io/edwards25519"
	"github.com/mr-tron/base58"
)

// The programs that move tokens, and the one that derives the token accounts of
// wallets.
const (
	tokenProgram           = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
	token2022Program       = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"
	associatedTokenProgram = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
)

// validSolana returns nil if the text is an address of Solana. It may be that of a
// wallet, a mint, a token account or a program: the text does not show which. Addresses
// have no checksum, so a mistyped one may pass.
func validSolana(address string) error {
	_, err := solanaKey(address)
	return err
}

// solanaKey decodes an address.
func solanaKey(address string) ([]byte, error) {
	if len(address) <= 44 { // the longest base58 of 32 bytes
		if key, err := base58.Decode(address); err == nil && len(key) == 32 {
			return key, nil
		}
	}
	return nil, errors.New("not an address of Solana, which is base58 of 32 bytes: " +
		"32 to 44 letters and digits without 0, O, I and l")
}

// associatedTokenAccount returns the account in which a wallet (owner) keeps the
// tokens of a mint, and to which x402 pays. The associated token program derives its
// address from the owner, the token program and the mint, with the highest bump for
// which the address is not on the curve and so has no private key
// (https://solana.com/docs/core/pda).
func associatedTokenAccount(owner, mint, program string) (string, error) {
	var seeds []byte
	for _, address := range []string{owner, program, mint, associatedTokenProgram} {
		key, err := solanaKey(address)
		if err != nil {
			return "", fmt.Errorf("%q: %w", address, err)
		}
		seeds = append(seeds, key...)
	}
	for bump := 255; bump >= 0; bump-- {
		seed := slices.Concat(seeds[:96], []byte{byte(bump)}, seeds[96:], []byte("ProgramDerivedAddress"))
		account := sha256.Sum256(seed)
		if _, err := new(edwards25519.Point).SetBytes(account[:]); err != nil {
			return base58.Encode(account[:]), nil
		}
	}
	return "", errors.New("no account can be derived") // has a probability of about 2^-256
}
