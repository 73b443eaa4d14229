package x402

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/mr-tron/base58"

	"tocsin/internal/jsonrpc"
)

// SolanaChain looks up payments on a network of Solana, for which a facilitator gave
// no clear result. It is safe for concurrent use.
type SolanaChain struct {
	node *jsonrpc.Client

	mu        sync.Mutex
	firstSeen map[string]uint64 // by blockhash, the finalized slot at the first question about it
}

// NewSolanaChain returns the chain of a node. It makes no call.
func NewSolanaChain(node *jsonrpc.Client) *SolanaChain {
	return &SolanaChain{node: node, firstSeen: map[string]uint64{}}
}

const (
	// maxCandidates is how many transactions of the payer's token account are
	// compared with the payment, from the newest.
	maxCandidates = 100

	// finalityMargin is how many slots must have been finalized since the first
	// question about a blockhash before an invalid blockhash counts as expired. It may
	// also be too new: finalized blocks are 32 slots behind the cluster, and a node may
	// be another 128 behind before it reports itself unhealthy. The margin hardly delays
	// a payer, since a blockhash is valid for 150 blocks anyway.
	finalityMargin = 200

	// maxBlockhashes is how many blockhashes are remembered. One that was forgotten
	// takes longer to expire.
	maxBlockhashes = 1000

	// unsupportedVersion is the error code of a node for a transaction whose version
	// is above maxSupportedTransactionVersion.
	unsupportedVersion = -32015
)

// systemProgram advances durable nonces, by the instruction AdvanceNonceAccount.
const systemProgram = "11111111111111111111111111111111"

// advanceNonce is the beginning of the data of AdvanceNonceAccount.
var advanceNonce = []byte{4, 0, 0, 0}

// State returns the state of the payment of an order (see [Payment.Order]), and the
// transaction if it was executed. It is Unknown after an error and for a payment that
// is not on Solana.
//
// A payment is Executed as soon as its transaction is confirmed, as for facilitators.
// It is Void only by what is finalized.
func (c *SolanaChain) State(ctx context.Context, order []byte) (ChainState, string, error) {
	var o struct {
		Payment jsontext.Value `json:"paymentPayload"`
	}
	if err := json.Unmarshal(order, &o); err != nil {
		return Unknown, "", err
	}
	p, err := parsePayment(o.Payment)
	if err != nil {
		return Unknown, "", err
	}
	t, ok := p.payload.(*transfer)
	if !ok {
		return Unknown, "", nil
	}
	source, blockhash, durable, err := t.locate()
	if err != nil {
		return Unknown, "", err
	}
	// The expiry is read before the transactions: a payment that is not listed after
	// its blockhash has expired can never be executed.
	slot, expired, err := c.expired(ctx, blockhash)
	if err != nil {
		return Unknown, "", err
	}
	var listed []struct{ Signature, ConfirmationStatus string }
	if err := c.node.Ask(ctx, &listed, "getSignaturesForAddress", source,
		map[string]any{"commitment": "confirmed", "limit": maxCandidates, "minContextSlot": slot}); err != nil {
		return Unknown, "", err
	}
	if listed == nil || len(listed) > maxCandidates {
		return Unknown, "", errors.New("getSignaturesForAddress: the result is not a list, or too long")
	}
	for _, l := range listed {
		message, failed, err := c.fetchMessage(ctx, l.Signature)
		switch {
		case err != nil:
			return Unknown, "", err
		case message != t.Message:
		case !failed:
			return Executed, l.Signature, nil
		case l.ConfirmationStatus == "finalized" && !durable:
			return Void, "", nil
		default:
			return Unspent, "", nil
		}
	}
	switch {
	case !expired || durable:
		return Unspent, "", nil
	case len(listed) == maxCandidates:
		return Unknown, "", fmt.Errorf("the payment is not among the last %d transactions of %s, and may be older",
			maxCandidates, source)
	}
	// A node of another network would not list the payment either.
	var genesis string
	if err := c.node.Ask(ctx, &genesis, "getGenesisHash"); err != nil {
		return Unknown, "", err
	}
	reference := strings.TrimPrefix(p.Accepted.Network, "solana:")
	if reference == "" || !strings.HasPrefix(genesis, reference) {
		return Unknown, "", fmt.Errorf("the node is not of the network %s", p.Accepted.Network)
	}
	return Void, "", nil
}

// expired reports whether a blockhash is too old for any future block, and the
// finalized slot at which that was asked. Blocks that are not finalized prove nothing,
// because they may be dropped.
func (c *SolanaChain) expired(ctx context.Context, blockhash string) (slot uint64, expired bool, err error) {
	var result struct {
		Context struct{ Slot *uint64 }
		Value   *bool
	}
	options := map[string]any{"commitment": "finalized"}
	if err := c.node.Ask(ctx, &result, "isBlockhashValid", blockhash, options); err != nil {
		return 0, false, err
	}
	if result.Context.Slot == nil || result.Value == nil {
		return 0, false, errors.New("isBlockhashValid: the result lacks its slot or its value")
	}
	slot = *result.Context.Slot
	c.mu.Lock()
	defer c.mu.Unlock()
	first, known := c.firstSeen[blockhash]
	if !known {
		if len(c.firstSeen) >= maxBlockhashes {
			clear(c.firstSeen)
		}
		first, c.firstSeen[blockhash] = slot, slot
	}
	return slot, !*result.Value && slot >= first && slot-first >= finalityMargin, nil
}

// fetchMessage returns the SHA-256 of the message of a transaction, and whether the
// transaction failed. For a transaction of a later version, which no payment has, it
// returns zeros.
func (c *SolanaChain) fetchMessage(ctx context.Context, signature string) (message [32]byte, failed bool, err error) {
	var result *struct {
		Meta        *struct{ Err jsontext.Value }
		Transaction []string
	}
	err = c.node.Ask(ctx, &result, "getTransaction", signature,
		map[string]any{"commitment": "confirmed", "encoding": "base64", "maxSupportedTransactionVersion": 0})
	if e := (*jsonrpc.Error)(nil); errors.As(err, &e) && e.Code == unsupportedVersion {
		return message, false, nil
	}
	if err != nil {
		return message, false, err
	}
	if result == nil || result.Meta == nil || result.Meta.Err == nil ||
		len(result.Transaction) != 2 || result.Transaction[1] != "base64" {
		return message, false, fmt.Errorf("getTransaction: the node lists %.90q but does not return it", signature)
	}
	raw, err := base64.StdEncoding.DecodeString(result.Transaction[0])
	r := solanaReader{rest: raw}
	signatures := r.signatures()
	if err != nil || len(signatures) == 0 || base58.Encode(signatures[:ed25519.SignatureSize]) != signature {
		return message, false, fmt.Errorf("getTransaction: the node returned another transaction than %.90q", signature)
	}
	return sha256.Sum256(r.rest), result.Meta.Err.Kind() != 'n', nil
}

// locate returns where to look for a transfer, and how long it can be executed. source
// is the token account that it draws on. lifetime is its blockhash. If durable is true,
// lifetime is a durable nonce instead, with which the transfer can be executed at any
// time until the nonce is advanced.
func (t *transfer) locate() (source, lifetime string, durable bool, err error) {
	raw, err := base64.StdEncoding.DecodeString(t.transaction)
	r := solanaReader{rest: raw}
	r.signatures()
	m, malformed := r.message()
	if err = errors.Join(err, malformed); err != nil {
		return "", "", false, err
	}
	pay, err := m.payment()
	if err != nil {
		return "", "", false, err
	}
	first := m.instructions[0]
	durable = m.name(first.program) == systemProgram && bytes.HasPrefix(first.data, advanceNonce)
	return m.name(pay.accounts[0]), base58.Encode(m.lifetime), durable, nil
}
