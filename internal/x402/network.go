package x402

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"tocsin"
)

// Network is a blockchain network and the token in which it is paid.
type Network struct {
	ID    string // CAIP-2
	Name  string // for people
	Asset string // contract (EVM) or mint (Solana) of the token, which has six decimals
	Extra Extra  // EIP-712 domain of the token (EVM)
}

// The networks whose USDC is known, as CAIP-2 identifiers. Circle publishes the
// contracts and mints; the EIP-712 domains were read from the contracts.
const (
	Base         = "eip155:8453"
	BaseSepolia  = "eip155:84532"
	Solana       = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"
	SolanaDevnet = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
)

var networks = map[string]Network{
	Base: {
		ID:    Base,
		Name:  "Base",
		Asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
		Extra: Extra{Name: "USD Coin", Version: "2"},
	},
	BaseSepolia: {
		ID:    BaseSepolia,
		Name:  "Base Sepolia",
		Asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
		Extra: Extra{Name: "USDC", Version: "2"},
	},
	Solana: {
		ID:    Solana,
		Name:  "Solana",
		Asset: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
	},
	SolanaDevnet: {
		ID:    SolanaDevnet,
		Name:  "Solana devnet",
		Asset: "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU",
	},
}

// ParseNetwork returns the network with a CAIP-2 identifier. It returns an error
// if the network is not one of those above.
//
// An asset that is not empty replaces USDC: a mint on Solana, a contract on EVM
// networks. A contract whose EIP-712 domain differs from that of USDC is written
// with it: 0x…:NAME:VERSION. The token must have six decimals and, on EVM
// networks, implement EIP-3009; neither is checked.
func ParseNetwork(id, asset string) (Network, error) {
	n, known := networks[id]
	if !known {
		all := strings.Join(slices.Sorted(maps.Keys(networks)), ", ")
		return n, fmt.Errorf("network %q is not known; known are %s", id, all)
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

// IsSolana reports whether payments on the network are Solana transactions rather
// than EIP-3009 authorizations.
func (n Network) IsSolana() bool { return strings.HasPrefix(n.ID, "solana:") }

// Account is the wallet that receives payments on a network.
type Account struct {
	Network
	PayTo string // address in EIP-55 form (EVM) or in base58 (Solana)
}

// Account returns the account of a wallet on the network. It returns an error if
// the wallet is not an address of the network, is the token itself, or is the zero
// address.
func (n Network) Account(wallet string) (Account, error) {
	if strings.EqualFold(wallet, n.Asset) {
		return Account{}, fmt.Errorf("wallet %q is the token itself, not a wallet", wallet)
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

// Requirements returns the requirements for an amount in atomic units (section
// 5.1.2). On Solana, feePayer is a wallet of the facilitator, without which no
// client can pay. On EVM networks it is empty.
func (a Account) Requirements(amount, feePayer string) Requirements {
	extra := a.Extra
	extra.FeePayer = feePayer
	return Requirements{
		Scheme:            "exact",
		Network:           a.ID,
		Amount:            amount,
		Asset:             a.Asset,
		PayTo:             a.PayTo,
		MaxTimeoutSeconds: Timeout,
		Extra:             extra,
	}
}

// Atomic converts a price in US dollars, such as "0.01", to atomic units of a token
// with six decimals, such as "10000". It returns an error unless the price is
// written in decimal digits, is above zero, and has at most six decimals and 15
// digits.
func Atomic(dollars string) (string, error) {
	whole, fraction, _ := strings.Cut(dollars, ".")
	digits := whole + fraction
	isNumber := whole != "" && strings.Trim(digits, "0123456789") == ""
	isZero := strings.Trim(digits, "0") == ""
	if !isNumber || isZero || len(fraction) > 6 || len(digits) > 15 {
		return "", fmt.Errorf("%q is not a price such as 0.01", dollars)
	}
	return strings.TrimLeft(digits+strings.Repeat("0", 6-len(fraction)), "0"), nil
}
