package x402

import (
	"regexp"
	"strings"
	"testing"
)

// TestANonceInCapitalsIsTheSamePayment: the chain knows bytes, not digits.
func TestANonceInCapitalsIsTheSamePayment(t *testing.T) {
	text := signedByViem(t)
	p, err := Decode(header(text))
	if err != nil {
		t.Fatal(err)
	}
	capitals := regexp.MustCompile(`"nonce": *"0x[0-9a-f]{64}"`).ReplaceAllStringFunc(text, func(nonce string) string {
		return nonce[:len(nonce)-65] + strings.ToUpper(nonce[len(nonce)-65:])
	})
	again, err := Decode(header(capitals))
	if capitals == text || err != nil || again.ID != p.ID {
		t.Errorf("it is another payment: %v", err)
	}
}
