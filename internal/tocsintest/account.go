package tocsintest

import (
	"encoding/hex"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"tocsin"
	"tocsin/internal/evm"
)

// Account is somebody with a key of Ethereum.
type Account struct {
	Address tocsin.Address
	key     *secp256k1.PrivateKey
}

// NewAccount returns an account with a key of its own.
func NewAccount(t testing.TB) Account {
	t.Helper()
	key, err := secp256k1.GeneratePrivateKey()
	Must(t, err)
	a := Account{key: key}
	digest := evm.PersonalDigest(nil)
	address, ok := evm.Recover(digest, a.signDigest(digest))
	if !ok {
		t.Fatal("the key has no address")
	}
	a.Address = address
	return a
}

func (a Account) signDigest(digest []byte) []byte {
	compact := ecdsa.SignCompact(a.key, digest, false)
	return append(compact[1:], compact[0])
}

// Sign signs a text as wallets do (EIP-191, version 0x45), in hexadecimal.
func (a Account) Sign(text string) string {
	return "0x" + hex.EncodeToString(a.signDigest(evm.PersonalDigest([]byte(text))))
}
