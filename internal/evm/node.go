package evm

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"tocsin"
	"tocsin/internal/jsonrpc"
)

// Node is a node of one EVM network. It may be used by many goroutines at once.
type Node struct {
	client *jsonrpc.Client
	chain  uint64
	known  atomic.Bool // that it is of that chain
}

// ErrOtherChain is the error of a node that is of another chain than the one it
// is asked about. What it says is true elsewhere.
var ErrOtherChain = errors.New("the node is of another chain")

// NewNode returns the node of a chain (EIP-155; 0 is any) at a URL (http or
// https), where each call may take so long. It asks nothing yet. No error names the URL, which
// often holds a key.
func NewNode(rpc string, chain uint64, timeout time.Duration) (*Node, error) {
	client, err := jsonrpc.New(rpc, timeout)
	return &Node{client: client, chain: chain}, err
}

// Chain returns the chain that the node is of.
func (n *Node) Chain() uint64 { return n.chain }

// Ask calls a method, as [jsonrpc.Client.Ask] does, of a node that has said at
// least once which chain it is of.
func (n *Node) Ask(ctx context.Context, into any, method string, params ...any) error {
	if err := n.CheckChain(ctx); err != nil {
		return err
	}
	return n.client.Ask(ctx, into, method, params...)
}

// CheckChain asks the node which chain it is of, unless it has said so before, and
// returns [ErrOtherChain] if it is of another.
func (n *Node) CheckChain(ctx context.Context) error {
	if n.chain == 0 || n.known.Load() {
		return nil
	}
	id, err := n.chainID(ctx)
	if err == nil && id != n.chain {
		err = fmt.Errorf("%w: %d, not %d", ErrOtherChain, id, n.chain)
	}
	n.known.Store(err == nil)
	return err
}

func (n *Node) chainID(ctx context.Context) (uint64, error) {
	var quantity string
	if err := n.client.Ask(ctx, &quantity, "eth_chainId"); err != nil {
		return 0, err
	}
	digits, ok := strings.CutPrefix(quantity, "0x")
	id, err := strconv.ParseUint(digits, 16, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("eth_chainId: %q is no quantity", tocsin.Shorten(quantity, 40))
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
		return nil, fmt.Errorf("eth_call: %q is no data", tocsin.Shorten(answer, 40))
	}
	return out, nil
}
