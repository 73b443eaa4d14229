package x402

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tocsin"
)

// Network is a chain on which payments can be taken, with the token that is taken.
type Network struct {
	ID    string // CAIP-2
	Name  string // for people
	Asset string // the contract of the token (EVM) or its mint (Solana)
	Extra Extra  // the EIP-712 domain of the token (EVM)
}

// The networks whose USDC is known. Contracts and mints are those that Circle
// publishes; the EIP-712 domains are read from the contracts.
const (
	Base         = "eip155:8453"
	BaseSepolia  = "eip155:84532"
	Solana       = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
	SolanaDevnet = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
)

var networks = map[string]Network{
	Base:         {Base, "Base", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", Extra{Name: "USD Coin", Version: "2"}},
	BaseSepolia:  {BaseSepolia, "Base Sepolia", "0x036CbD53842c5426634e7929541eC2318f3dCF7e", Extra{Name: "USDC", Version: "2"}},
	Solana:       {Solana, "Solana", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", Extra{}},
	SolanaDevnet: {SolanaDevnet, "Solana devnet", "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU", Extra{}},
}

// ParseNetwork returns a known network. With an asset it takes that token
// instead of USDC: a mint, or on EVM networks a contract, whose EIP-712 domain
// follows after colons if it is not that of USDC: 0x…:NAME:VERSION. The token
// must have six decimals and, on EVM networks, EIP-3009.
func ParseNetwork(id, asset string) (Network, error) {
	n, known := networks[id]
	if !known {
		return n, fmt.Errorf("network %q is not known; known are %s", id, strings.Join(slices.Sorted(maps.Keys(networks)), ", "))
	}
	if asset == "" {
		return n, nil
	}
	if n.IsSolana() {
		if err := validSolana(asset); err != nil {
			return n, fmt.Errorf("asset %q: %w", asset, err)
		}
		n.Asset = asset
		return n, nil
	}
	parts := strings.Split(asset, ":")
	if len(parts) == 3 && parts[1] != "" && parts[2] != "" {
		n.Extra = Extra{Name: parts[1], Version: parts[2]}
	} else if len(parts) != 1 {
		return n, fmt.Errorf("asset %q is neither a contract nor CONTRACT:NAME:VERSION", asset)
	}
	contract, fault := tocsin.ParseAddress(parts[0])
	if fault != nil {
		return n, fmt.Errorf("asset: %w", fault)
	}
	n.Asset = contract.String()
	return n, nil
}

// IsSolana reports whether payments are Solana transactions rather than EIP-3009 authorizations.
func (n Network) IsSolana() bool { return strings.HasPrefix(n.ID, "solana:") }

// Account is where the operator is paid: a wallet on a network.
type Account struct {
	Network
	PayTo string
}

// Account returns the account of a wallet on the network.
func (n Network) Account(wallet string) (Account, error) {
	if strings.EqualFold(wallet, n.Asset) {
		return Account{}, fmt.Errorf("wallet %q is that of the token itself, not yours", wallet)
	}
	if n.IsSolana() {
		if err := validSolana(wallet); err != nil {
			return Account{}, fmt.Errorf("wallet %q: %w", wallet, err)
		}
		return Account{n, wallet}, nil
	}
	a, fault := tocsin.ParseAddress(wallet)
	if fault != nil {
		return Account{}, fmt.Errorf("wallet: %w", fault)
	}
	if a == (tocsin.Address{}) {
		return Account{}, fmt.Errorf("wallet %q is the zero address, which nobody owns", wallet)
	}
	return Account{n, a.String()}, nil
}

// Requirements asks for an amount in atomic units. On Solana the fee payer is
// the facilitator's; without one no client can pay.
func (a Account) Requirements(amount, feePayer string) Requirements {
	extra := a.Extra
	extra.FeePayer = feePayer
	return Requirements{"exact", a.ID, amount, a.Asset, a.PayTo, Timeout, extra}
}

// Atomic returns a price in US dollars, such as "0.01", in atomic units of a
// token with six decimals: "10000". It is exact, and refuses what is not.
func Atomic(dollars string) (string, error) {
	whole, fraction, _ := strings.Cut(dollars, ".")
	digits := whole + fraction
	if whole == "" || len(fraction) > 6 || strings.Trim(digits, "0123456789") != "" || strings.Trim(digits, "0") == "" || len(digits) > 15 {
		return "", fmt.Errorf("%q is not a price such as 0.01", dollars)
	}
	return strings.TrimLeft(digits+strings.Repeat("0", 6-len(fraction)), "0"), nil
}
