package limits

import (
	"crypto/hmac"
	"crypto/sha256"
	"net/netip"
)

// Key is the name under which a budget counts: that of a network, a caller or a payment. In a budget that processes
// share it is a hash under a secret of the database, so that what is kept there does not tell networks.
type Key [16]byte

// keyOf returns the name of a network, a text or a hash. Secret is nil in a budget of one process.
func keyOf(secret []byte, of any) (key Key) {
	switch of := of.(type) {
	case netip.Prefix:
		if secret != nil {
			text, _ := of.MarshalBinary() // it has no failures
			return mac(secret, text)
		}
		key = of.Addr().As16() // the networks of a family that are counted are of one length
	case string:
		if secret != nil {
			return mac(secret, []byte(of))
		}
		sum := sha256.Sum256([]byte(of))
		key = Key(sum[:])
	case [32]byte: // it is a hash
		key = Key(of[:])
	}
	return key
}

func mac(secret, text []byte) Key {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("limits "))
	h.Write(text)
	return Key(h.Sum(nil))
}
