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

// Node is a client of a node of one EVM network. It is safe for concurrent use.
type Node struct {
	client  *jsonrpc.Client
	chain   uint64
	checked atomic.Bool // the node has said that it is of that chain
}

// ErrOtherChain is the error of a node whose chain is not the expected one.
var ErrOtherChain = errors.New("the node is of another chain")

// NewNode returns a client of the node at a URL (http or https) for a chain id
// (EIP-155; 0 accepts any chain). Each call ends after the timeout. NewNode makes
// no call. Errors never contain the URL, which often holds a key.
func NewNode(rpc string, chain uint64, timeout time.Duration) (*Node, error) {
	client, err := jsonrpc.New(rpc, timeout)
	return &Node{client: client, chain: chain}, err
}

// Answered reports whether the error of a call is an answer of the node, and not that there is none.
func Answered(err error) bool { return errors.As(err, new(*jsonrpc.Error)) }

// Chain returns the chain id of the node, 0 if any is accepted.
func (n *Node) Chain() uint64 { return n.chain }

// Ask calls a method as [jsonrpc.Client.Ask] does, after [Node.CheckChain].
func (n *Node) Ask(ctx context.Context, into any, method string, params ...any) error {
	if err := n.CheckChain(ctx); err != nil {
		return err
	}
	return n.client.Ask(ctx, into, method, params...)
}

// CheckChain asks the node for its chain id, until it has answered once with the
// expected one. It returns [ErrOtherChain] for another.
func (n *Node) CheckChain(ctx context.Context) error {
	if n.chain == 0 || n.checked.Load() {
		return nil
	}
	id, err := n.chainID(ctx)
	if err == nil && id != n.chain {
		err = fmt.Errorf("%w: %d, not %d", ErrOtherChain, id, n.chain)
	}
	n.checked.Store(err == nil)
	return err
}

func (n *Node) chainID(ctx context.Context) (uint64, error) {
	var text string
	if err := n.client.Ask(ctx, &text, "eth_chainId"); err != nil {
		return 0, err
	}
	id, err := ParseQuantity(text)
	if err != nil {
		return 0, fmt.Errorf("eth_chainId: %w", err)
	}
	return id, nil
}

// ParseQuantity parses a number as nodes write it: 0x and hexadecimal digits
// (Ethereum JSON-RPC, QUANTITY). It has at most 64 bits.
func ParseQuantity(text string) (uint64, error) {
	digits, ok := strings.CutPrefix(text, "0x")
	n, err := strconv.ParseUint(digits, 16, 64)
	if !ok || err != nil {
		return 0, fmt.Errorf("%q is not a quantity", tocsin.Shorten(text, 40))
	}
	return n, nil
}

// Call executes code on the latest block without changing the chain (eth_call)
// and returns its output. It calls the contract at to with data as input; if to
// is nil, it runs data itself, as the code that creates a contract. A revert is
// an error.
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
		return nil, fmt.Errorf("eth_call: %q is not data", tocsin.Shorten(answer, 40))
	}
	return out, nil
}
