package x402

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tocsin"
	"tocsin/internal/evm"
)

// EVMChain looks up payments on an EVM network, for which a facilitator gave no
// clear result. It is safe for concurrent use.
type EVMChain struct{ node *evm.Node }

// NewEVMChain returns the chain of a node. It makes no call.
func NewEVMChain(node *evm.Node) *EVMChain { return &EVMChain{node} }

// ChainState is the state of a payment on its chain.
type ChainState int

// The states of a payment.
const (
	Unknown  ChainState = iota
	Unspent             // not executed so far
	Executed            // executed
	Void                // never executed in future: expired, or its nonce was used for something else
)

// maxLogBlocks is how many of the last blocks are searched for the transaction of a
// payment: five hours on Base. Public nodes do not search more in one call.
const maxLogBlocks = 9_000

// The events and the function of EIP-3009 and EIP-20 that are used.
var (
	authorizationUsed     = eventTopic("AuthorizationUsed(address,bytes32)")
	authorizationCanceled = eventTopic("AuthorizationCanceled(address,bytes32)")
	transferEvent         = eventTopic("Transfer(address,address,uint256)")
	authorizationState    = evm.Keccak256([]byte("authorizationState(address,bytes32)"))[:4]
)

func eventTopic(signature string) string { return topic(evm.Keccak256([]byte(signature))) }

// topic returns bytes as a topic of an event: one word in hexadecimal digits.
func topic(b []byte) string { return "0x" + hex.EncodeToString(evm.Word(b)) }

// State returns the state of the payment of an order (see [Payment.Order]), and the
// transaction if it was executed. It is Unknown after an error, for a payment that
// is not an EIP-3009 authorization, and if the nonce was used too long ago to find
// the transaction.
func (c *EVMChain) State(ctx context.Context, order []byte) (ChainState, string, error) {
	var o struct {
		Payment      jsontext.Value `json:"paymentPayload"`
		Requirements Requirements   `json:"paymentRequirements"`
	}
	if err := json.Unmarshal(order, &o); err != nil {
		return Unknown, "", err
	}
	p, err := parsePayment(o.Payment)
	if err != nil {
		return Unknown, "", err
	}
	a, ok := p.payload.(*authorization)
	if !ok {
		return Unknown, "", nil
	}
	asset, fault := tocsin.ParseAddress(o.Requirements.Asset)
	if fault != nil {
		return Unknown, "", fault
	}
	// The chain's clock decides, and it is read before the state: an authorization
	// that is unused after it has expired can never be executed.
	var head struct{ Number, Timestamp string }
	if err := c.node.Ask(ctx, &head, "eth_getBlockByNumber", "latest", false); err != nil {
		return Unknown, "", err
	}
	now, err := evm.ParseQuantity(head.Timestamp)
	if err != nil {
		return Unknown, "", err
	}
	used, err := c.node.Call(ctx, &asset, slices.Concat(authorizationState, evm.Word(a.from[:]), a.nonce[:]))
	if err != nil {
		return Unknown, "", err
	}
	switch n := new(big.Int).SetBytes(used); {
	case len(used) != 32 || n.BitLen() > 1:
		return Unknown, "", errors.New("authorizationState: the result is not a boolean")
	case n.Sign() == 0 && new(big.Int).SetUint64(now).Cmp(a.validBefore) >= 0:
		return Void, "", nil
	case n.Sign() == 0:
		return Unspent, "", nil
	}
	number, err := evm.ParseQuantity(head.Number)
	if err != nil {
		return Unknown, "", err
	}
	return c.nonceUse(ctx, a, asset, number)
}

// event is an entry in the log of a transaction.
type event struct {
	Address         string
	Topics          []string
	Data            string
	TransactionHash string
}

// nonceUse finds out how a used nonce was used: by this payment, by another
// authorization with the same nonce, or by a cancellation. latest is the number of
// the latest block.
func (c *EVMChain) nonceUse(
	ctx context.Context, a *authorization, asset tocsin.Address, latest uint64,
) (ChainState, string, error) {
	var events []event
	err := c.node.Ask(ctx, &events, "eth_getLogs", map[string]any{
		"address":   asset.String(),
		"fromBlock": fmt.Sprintf("0x%x", latest-min(latest, maxLogBlocks)),
		"toBlock":   "latest",
		"topics":    []any{[]string{authorizationUsed, authorizationCanceled}, topic(a.from[:]), topic(a.nonce[:])},
	})
	if err != nil || len(events) == 0 {
		return Unknown, "", err // used before the blocks that were searched
	}
	if len(events[0].Topics) == 0 || events[0].Topics[0] != authorizationUsed {
		return Void, "", nil
	}
	transaction := transactionOf(events[0].TransactionHash)
	var receipt struct {
		Status string
		Logs   []event
	}
	if err := c.node.Ask(ctx, &receipt, "eth_getTransactionReceipt", transaction); err != nil {
		return Unknown, "", err
	}
	if receipt.Status != "0x1" || transaction == "" {
		return Unknown, "", fmt.Errorf("the node has no receipt of the transaction %q", transaction)
	}
	// The token emits AuthorizationUsed and next the Transfer that belongs to it. One
	// transaction may contain several such pairs.
	previousIsOurs := false
	for _, e := range receipt.Logs {
		if !strings.EqualFold(e.Address, asset.String()) || len(e.Topics) != 3 {
			continue
		}
		if previousIsOurs && slices.Equal(e.Topics, []string{transferEvent, topic(a.from[:]), topic(a.to[:])}) &&
			e.Data == topic(a.value.Bytes()) {
			return Executed, transaction, nil
		}
		previousIsOurs = slices.Equal(e.Topics, []string{authorizationUsed, topic(a.from[:]), topic(a.nonce[:])})
	}
	return Void, "", nil
}
