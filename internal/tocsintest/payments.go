package tocsintest

import (
	"testing"

	"tocsin/internal/x402"
	"tocsin/internal/x402/x402test"
)

// The wallets that payments go to, and one that pays fees on Solana.
const (
	PayTo       = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
	PayToSolana = "CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5"
	FeePayer    = "2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4"
)

// PayAccount is the wallet of the operator on a network.
func PayAccount(t testing.TB, id, wallet string) x402.Account {
	t.Helper()
	network, err := x402.ParseNetwork(id, "")
	Must(t, err)
	account, err := network.Account(wallet)
	Must(t, err)
	return account
}

// Facilitator starts a facilitator, closed at the end of the test, and returns
// it with the client of it that a server is given. The client never times out
// by itself: only where the facilitator hangs ([x402test.Hang]) it does, at once.
func Facilitator(t testing.TB, clock *Clock) (*x402test.Facilitator, *x402.Facilitator) {
	t.Helper()
	f := x402test.NewFacilitator()
	t.Cleanup(f.Close)
	client, err := x402.NewFacilitator(f.URL, x402.Options{
		Timeout:   Patience,
		Now:       clock.Now,
		Transport: x402test.Transport(),
	})
	Must(t, err)
	return f, client
}
