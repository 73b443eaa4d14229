package x402

import (
	"fmt"
	"testing"
	"time"
)

// TestTheNumbersOfThePaymentsAreThose: clients, facilitators and chains rely on them, and so does the documentation.
// Other tests use them by name and would not see a change.
func TestTheNumbersOfThePaymentsAreThose(t *testing.T) {
	for about, c := range map[string]struct{ got, want any }{
		"version of the protocol":         {Version, 2},
		"header of the price":             {RequiredHeader, "PAYMENT-REQUIRED"},
		"header of the payment":           {PaymentHeader, "PAYMENT-SIGNATURE"},
		"the same in version 1":           {PaymentHeaderV1, "X-Payment"},
		"header of the receipt":           {ReceiptHeader, "PAYMENT-RESPONSE"},
		"seconds a payment is valid":      {Timeout, 300},
		"bytes of a payment":              {maxHeaderBytes, 16_384},
		"time to mine":                    {miningTime, 6 * time.Second},
		"life of a token":                 {tokenLifetime, 2 * time.Minute},
		"idle connections":                {idleTimeout, 4 * time.Second},
		"failures before it is left":      {maxFailures, 5},
		"until it is tried again":         {askInterval, 500 * time.Millisecond},
		"bytes of a response":             {maxResponseBytes, 1_048_576},
		"between questions":               {refreshInterval, 5 * time.Minute},
		"after a failure":                 {retryInterval, 5 * time.Second},
		"age of a fee payer":              {maxSupportedAge, 15 * time.Minute},
		"blocks that are searched":        {maxLogBlocks, 9_000},
		"transactions that are compared":  {maxCandidates, 100},
		"slots until a blockhash is over": {finalityMargin, 200},
		"blockhashes in memory":           {maxBlockhashes, 1_000},
		"bytes of a Solana transaction":   {maxTransactionBytes, 1_232},
		"Base": {networks[Base],
			"{eip155:8453 Base 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 {USD Coin 2  }}"},
		"Base Sepolia": {networks[BaseSepolia],
			"{eip155:84532 Base Sepolia 0x036CbD53842c5426634e7929541eC2318f3dCF7e {USDC 2  }}"},
		"Solana": {networks[Solana],
			"{solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp Solana EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v {   }}"},
		"Solana devnet": {networks[SolanaDevnet],
			"{solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1 Solana devnet 4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU {   }}"},
	} {
		if fmt.Sprint(c.got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", about, c.got, c.want)
		}
	}
	if len(networks) != 4 {
		t.Errorf("%d networks", len(networks))
	}
}

// TestAnOfferIsWhole, as clients get it.
func TestAnOfferIsWhole(t *testing.T) {
	const mint = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
	for _, c := range []struct{ id, asset, wallet, feePayer, want string }{
		{Base, "", "0x209693bc6afc0c5328ba36faf03c514ef312287c", "",
			"{exact eip155:8453 7 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 " +
				"0x209693Bc6afc0C5328bA36FaF03C514EF312287C 300 {USD Coin 2  }}"},
		{Solana, mint, "CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5", "EVHeoZ8ZchkjtHJiSmWWjY3NctQVcCzD8yYfuw1qkXqm",
			"{exact " + Solana + " 7 " + mint +
				" CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5 300 {  EVHeoZ8ZchkjtHJiSmWWjY3NctQVcCzD8yYfuw1qkXqm }}"},
	} {
		n, err := ParseNetwork(c.id, c.asset)
		if err != nil {
			t.Fatal(err)
		}
		account, err := n.Account(c.wallet)
		if got := fmt.Sprint(account.Requirements("7", c.feePayer)); err != nil || got != c.want {
			t.Errorf("%s, %v, want %s", got, err, c.want)
		}
	}
	for _, asset := range []string{"0x036cbd53842c5426634e7929541ec2318f3dcf7e::1",
		"0x036cbd53842c5426634e7929541ec2318f3dcf7e:Token:"} {
		if n, err := ParseNetwork(Base, asset); err == nil {
			t.Errorf("%s is taken as %+v", asset, n)
		}
	}
	if got, err := Atomic("999999999.999999"); got != "999999999999999" || err != nil {
		t.Errorf("the highest price is %s, %v", got, err)
	}
}

// TestAPaymentHasTheSameIDInEveryVersion: one that was made before an upgrade must be found after it.
func TestAPaymentHasTheSameIDInEveryVersion(t *testing.T) {
	solana := fmt.Sprintf(`{"x402Version":2,"accepted":{"network":%q},"payload":{"transaction":%q}}`,
		Solana, solanaCases(t)[0].Transaction)
	for text, want := range map[string]string{
		signedByViem(t): "e7dad333e436ef5a e65447ab479cfd86",
		solana:          "71ae960cab18d40a baf487e0086a8071",
	} {
		p, err := Decode(header(text))
		if got := fmt.Sprintf("%x %x", p.ID[:8], p.Payload[:8]); err != nil || got != want {
			t.Errorf("the id and the payload are %s, %v, want %s", got, err, want)
		}
	}
}
