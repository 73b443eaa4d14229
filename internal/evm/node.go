package evm

import (
	"context"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/jsonrpc"
)

// Node is a node of an EVM network. It may be used by many goroutines at once.
type Node struct{ *jsonrpc.Client }

// NewNode returns the node at a URL (http or https), where each call may take so
// long. It asks nothing yet. No error names the URL, which often holds a key.
func NewNode(rpc string, timeout time.Duration) (*Node, error) {
	client, err := jsonrpc.New(rpc, timeout)
	return &Node{client}, err
}

// ChainID asks which chain the node is of (EIP-155): 1 is Ethereum, 8453 Base.
func (n *Node) ChainID(ctx context.Context) (uint64, error) {
	var quantity string
	if err := n.Ask(ctx, &quantity, "eth_chainId"); err != nil {
		return 0, err
	}
	digits, ok := strings.CutPrefix(quantity, "0x")
	id, err := strconv.ParseUint(digits, 16, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("eth_chainId: %q is no quantity", clip(quantity, 40))
	}
	return id, nil
}

// Call runs code on the latest block without leaving a trace (eth_call), and
// returns what it returns: the contract at to with data as its input; or, where
// to is nil, data itself, as if it created a contract. A revert is an error.
func (n *Node) Call(ctx context.Context, to *tocsin.Address, data []byte) ([]byte, error) {
	call := map[string]string{"data": "0x" + hex.EncodeToString(data)}
	if to != nil {
		call["to"] = to.String()
	}
	var answer string
	if err := n.Ask(ctx, &answer, "eth_call", call, "latest"); err != nil {
		return nil, err
	}
	digits, ok := strings.CutPrefix(answer, "0x")
	out, err := hex.DecodeString(digits)
	if !ok || err != nil {
		return nil, fmt.Errorf("eth_call: %q is no data", clip(answer, 40))
	}
	return out, nil
}

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
