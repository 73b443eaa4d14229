package evm

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"tocsin"
)

// Transaction is where a transaction leads.
type Transaction struct {
	To     tocsin.Address // who receives it, or its tokens
	Token  bool           // it is a transfer of a token (ERC-20), and To receives the token
	Called bool           // it calls another function of the contract To, which may pay anybody
	Mined  bool           // it is in a block
}

// Transaction returns where a transaction leads, by its hash: 0x and 64 digits. It returns nil if the node does not
// know it, or if it creates a contract.
func (n *Node) Transaction(ctx context.Context, hash string) (*Transaction, error) {
	var found *struct {
		To    *string `json:"to"`
		Input string  `json:"input"`
		Block *string `json:"blockNumber"`
	}
	if err := n.Ask(ctx, &found, "eth_getTransactionByHash", hash); err != nil || found == nil || found.To == nil {
		return nil, err
	}
	to, fault := tocsin.ParseAddress(*found.To)
	if fault != nil {
		return nil, fmt.Errorf("eth_getTransactionByHash: %q is not an address", tocsin.Shorten(*found.To, 60))
	}
	t := &Transaction{To: to, Mined: found.Block != nil}
	input, err := hex.DecodeString(strings.TrimPrefix(found.Input, "0x"))
	if err != nil {
		return nil, fmt.Errorf("eth_getTransactionByHash: %q is not data", tocsin.Shorten(found.Input, 40))
	}
	for signature, at := range map[string]int{"transfer(address,uint256)": 4,
		"transferFrom(address,address,uint256)": 36} {
		if bytes.HasPrefix(input, selector(signature)) && len(input) >= at+64 {
			t.To, t.Token = addressIn(input[at:])
		}
	}
	if !t.Token {
		t.To, t.Called = to, len(input) >= 4
	}
	return t, nil
}
