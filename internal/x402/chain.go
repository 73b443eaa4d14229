package x402

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tocsin"
	"tocsin/internal/evm"
)

// Chain asks a node of an EVM network what became of a payment of which the
// facilitator does not tell.
type Chain struct{ node *evm.Node }

// NewChain returns the chain that the node knows.
func NewChain(node *evm.Node) *Chain { return &Chain{node} }

// ChainState is what became of a payment.
type ChainState int

// The fates of a payment.
const (
	Unknown  ChainState = iota
	Unspent             // not carried out so far
	Executed            // carried out
	Void                // not carried out, and it never will be: it ran out, or its payer has used it up otherwise
)

// How many blocks are searched for the transaction of a payment: on Base, five
// hours. Public nodes answer for no more at once.
const searched = 9_000

// The events and the call of EIP-3009 and EIP-20 that are needed.
var (
	usedEvent     = hash("AuthorizationUsed(address,bytes32)")
	canceledEvent = hash("AuthorizationCanceled(address,bytes32)")
	transferEvent = hash("Transfer(address,address,uint256)")
	stateCall     = evm.Keccak256([]byte("authorizationState(address,bytes32)"))[:4]
)

func hash(signature string) string { return hex32(evm.Keccak256([]byte(signature))) }

// hex32 writes bytes as a topic of a log.
func hex32(b []byte) string { return "0x" + hex.EncodeToString(evm.Word(b)) }

// State asks what became of the payment of an order, and in which transaction.
// It knows payments by EIP-3009 only; of others it says Unknown.
func (c *Chain) State(ctx context.Context, ordered []byte) (ChainState, string, error) {
	var o struct {
		Payment      jsontext.Value `json:"paymentPayload"`
		Requirements Requirements   `json:"paymentRequirements"`
	}
	if err := json.Unmarshal(ordered, &o); err != nil {
		return Unknown, "", err
	}
	p, err := read(o.Payment)
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
	// The clock is that of the chain, and it is read first: what was not carried
	// out after it had run out never will be.
	var head struct{ Number, Timestamp string }
	if err := c.node.Ask(ctx, &head, "eth_getBlockByNumber", "latest", false); err != nil {
		return Unknown, "", err
	}
	at, err := evm.ParseQuantity(head.Timestamp)
	if err != nil {
		return Unknown, "", err
	}
	used, err := c.node.Call(ctx, &asset, append(append(append([]byte{}, stateCall...), evm.Word(a.from[:])...), a.nonce[:]...))
	if err != nil {
		return Unknown, "", err
	}
	switch n := new(big.Int).SetBytes(used); {
	case len(used) != 32 || n.BitLen() > 1:
		return Unknown, "", errors.New("authorizationState: the answer is no boolean")
	case n.Sign() == 0 && new(big.Int).SetUint64(at).Cmp(a.validBefore) >= 0:
		return Void, "", nil
	case n.Sign() == 0:
		return Unspent, "", nil
	}
	number, err := evm.ParseQuantity(head.Number)
	if err != nil {
		return Unknown, "", err
	}
	return c.how(ctx, a, asset, number)
}

// log is an entry of a transaction's log.
type log struct {
	Address         string
	Topics          []string
	Data            string
	TransactionHash string
}

// how finds out how a nonce was used: by this payment, or by another one of the
// same nonce, which its payer may have signed to somebody else or cancelled.
func (c *Chain) how(ctx context.Context, a *authorization, asset tocsin.Address, number uint64) (ChainState, string, error) {
	var logs []log
	err := c.node.Ask(ctx, &logs, "eth_getLogs", map[string]any{"address": asset.String(), "fromBlock": fmt.Sprintf("0x%x", number-min(number, searched)), "toBlock": "latest",
		"topics": []any{[]string{usedEvent, canceledEvent}, hex32(a.from[:]), hex32(a.nonce[:])}})
	if err != nil || len(logs) == 0 {
		return Unknown, "", err // too long ago to see
	}
	if len(logs[0].Topics) == 0 || logs[0].Topics[0] != usedEvent {
		return Void, "", nil
	}
	transaction := transactionOf(logs[0].TransactionHash)
	var receipt struct {
		Status string
		Logs   []log
	}
	if err := c.node.Ask(ctx, &receipt, "eth_getTransactionReceipt", transaction); err != nil {
		return Unknown, "", err
	}
	if receipt.Status != "0x1" || transaction == "" {
		return Unknown, "", fmt.Errorf("the transaction %q is not to be seen", transaction)
	}
	// The token says that the nonce is used, and next what it has moved for it. One
	// transaction may hold several of such pairs.
	paired := false
	for _, l := range receipt.Logs {
		if !strings.EqualFold(l.Address, asset.String()) || len(l.Topics) != 3 {
			continue
		}
		if paired && l.Topics[0] == transferEvent && l.Topics[1] == hex32(a.from[:]) && l.Topics[2] == hex32(a.to[:]) && l.Data == hex32(a.value.Bytes()) {
			return Executed, transaction, nil
		}
		paired = l.Topics[0] == usedEvent && l.Topics[1] == hex32(a.from[:]) && l.Topics[2] == hex32(a.nonce[:])
	}
	return Void, "", nil
}
