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
		"until it is tried again":         {openInterval, 500 * time.Millisecond},
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
			"{eip155:8453 Base 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 {USD Coin 2 }}"},
		"Base Sepolia": {networks[BaseSepolia],
			"{eip155:84532 Base Sepolia 0x036CbD53842c5426634e7929541eC2318f3dCF7e {USDC 2 }}"},
		"Solana": {networks[Solana],
			"{solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp Solana EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v {  }}"},
		"Solana devnet": {networks[SolanaDevnet],
			"{solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1 Solana devnet 4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU {  }}"},
	} {
		if fmt.Sprint(c.got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", about, c.got, c.want)
		}
	}
	if len(networks) != 4 {
		t.Errorf("%d networks", len(networks))
	}
}
