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

// SolanaChain asks a node of Solana what became of a payment of which the
// facilitator does not tell. It may be used by many goroutines at once.
type SolanaChain struct {
	node *jsonrpc.Client

	mu    sync.Mutex
	asked map[string]uint64 // by blockhash, the finalized slot when it was first asked about
}

// NewSolanaChain returns the chain that the node knows.
func NewSolanaChain(node *jsonrpc.Client) *SolanaChain {
	return &SolanaChain{node: node, asked: map[string]uint64{}}
}

const (
	// maxCandidates is how many transactions of the payer's token account are
	// compared with the payment, from the newest.
	maxCandidates = 100

	// finalityMargin is how many slots must have been finalized since a blockhash
	// was first asked about before "not valid" means that it is too old. It may
	// also mean too new: finalized blocks are 32 slots behind the cluster, and the
	// node may be behind as well, by 128 until it calls itself unhealthy. That costs
	// a payer hardly any time, since a blockhash is good for 150 blocks anyway.
	finalityMargin = 200

	// maxRemembered is how many blockhashes are remembered. Forgetting one delays its end.
	maxRemembered = 1000

	// unsupportedVersion is the error of a node for a transaction of a later version.
	unsupportedVersion = -32015
)

// systemProgram advances durable nonces, by the instruction AdvanceNonceAccount.
const systemProgram = "11111111111111111111111111111111"

// advanceNonce is how the data of AdvanceNonceAccount begins.
var advanceNonce = []byte{4, 0, 0, 0}

// State asks what became of the payment of an order, and in which transaction. It
// knows payments on Solana only; of others it says Unknown.
//
// A transaction is carried out as soon as it is confirmed, which is what
// facilitators go by, and voided only by what is finalized.
func (c *SolanaChain) State(ctx context.Context, ordered []byte) (ChainState, string, error) {
	var o struct {
		Payment jsontext.Value `json:"paymentPayload"`
	}
	if err := json.Unmarshal(ordered, &o); err != nil {
		return Unknown, "", err
	}
	p, err := read(o.Payment)
	if err != nil {
		return Unknown, "", err
	}
	t, ok := p.payload.(*transfer)
	if !ok {
		return Unknown, "", nil
	}
	source, blockhash, durable, err := t.trace()
	if err != nil {
		return Unknown, "", err
	}
	// The clock is read first: what is not to be seen after it has run out never will be.
	slot, over, err := c.over(ctx, blockhash)
	if err != nil {
		return Unknown, "", err
	}
	var listed []struct{ Signature, ConfirmationStatus string }
	if err := c.node.Ask(ctx, &listed, "getSignaturesForAddress", source,
		map[string]any{"commitment": "confirmed", "limit": maxCandidates, "minContextSlot": slot}); err != nil {
		return Unknown, "", err
	}
	if listed == nil || len(listed) > maxCandidates {
		return Unknown, "", errors.New("getSignaturesForAddress: the result is no list, or too long")
	}
	for _, l := range listed {
		message, failed, err := c.landed(ctx, l.Signature)
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
	case !over || durable:
		return Unspent, "", nil
	case len(listed) == maxCandidates:
		return Unknown, "", fmt.Errorf("the payment is not among the last %d transactions of %s, and may be older", maxCandidates, source)
	}
	// On another network nothing of the payment is to be seen, either.
	var genesis string
	if err := c.node.Ask(ctx, &genesis, "getGenesisHash"); err != nil {
		return Unknown, "", err
	}
	if reference := strings.TrimPrefix(p.Accepted.Network, "solana:"); reference == "" || !strings.HasPrefix(genesis, reference) {
		return Unknown, "", fmt.Errorf("the node is not of the network %s", p.Accepted.Network)
	}
	return Void, "", nil
}

// over reports whether a blockhash is too old for any block to come, and the
// finalized slot for which that is so. Only in finalized blocks is that final:
// a block that is not may yet be dropped.
func (c *SolanaChain) over(ctx context.Context, blockhash string) (slot uint64, over bool, err error) {
	var answer struct {
		Context struct{ Slot *uint64 }
		Value   *bool
	}
	if err := c.node.Ask(ctx, &answer, "isBlockhashValid", blockhash, map[string]any{"commitment": "finalized"}); err != nil {
		return 0, false, err
	}
	if answer.Context.Slot == nil || answer.Value == nil {
		return 0, false, errors.New("isBlockhashValid: the result lacks its slot or its value")
	}
	slot = *answer.Context.Slot
	c.mu.Lock()
	defer c.mu.Unlock()
	first, known := c.asked[blockhash]
	if !known {
		if len(c.asked) >= maxRemembered {
			clear(c.asked)
		}
		first, c.asked[blockhash] = slot, slot
	}
	return slot, !*answer.Value && slot >= first && slot-first >= finalityMargin, nil
}

// landed returns the SHA-256 of the message of a transaction, and whether the
// transaction failed. Of a version that no payment has, it returns zeros.
func (c *SolanaChain) landed(ctx context.Context, signature string) (message [32]byte, failed bool, err error) {
	var answer *struct {
		Meta        *struct{ Err jsontext.Value }
		Transaction []string
	}
	err = c.node.Ask(ctx, &answer, "getTransaction", signature,
		map[string]any{"commitment": "confirmed", "encoding": "base64", "maxSupportedTransactionVersion": 0})
	if said := (*jsonrpc.Error)(nil); errors.As(err, &said) && said.Code == unsupportedVersion {
		return message, false, nil
	}
	if err != nil {
		return message, false, err
	}
	if answer == nil || answer.Meta == nil || answer.Meta.Err == nil || len(answer.Transaction) != 2 || answer.Transaction[1] != "base64" {
		return message, false, fmt.Errorf("getTransaction: the node lists %.90q and does not tell of it", signature)
	}
	raw, err := base64.StdEncoding.DecodeString(answer.Transaction[0])
	r := solanaReader{rest: raw}
	signatures := r.take(r.count(ed25519.SignatureSize) * ed25519.SignatureSize)
	if err != nil || len(signatures) == 0 || base58.Encode(signatures[:ed25519.SignatureSize]) != signature {
		return message, false, fmt.Errorf("getTransaction: the node tells of another transaction than %.90q", signature)
	}
	return sha256.Sum256(r.rest), answer.Meta.Err.Kind() != 'n', nil
}

// trace returns by what a transfer is found: the token account that it draws on;
// and by what it ends: its blockhash, or the durable nonce that it has instead,
// by which it can land at any time until the nonce is advanced.
func (t *transfer) trace() (source, lifetime string, durable bool, err error) {
	raw, err := base64.StdEncoding.DecodeString(t.transaction)
	r := solanaReader{rest: raw}
	r.take(r.count(ed25519.SignatureSize) * ed25519.SignatureSize)
	m, malformed := r.message()
	if err = errors.Join(err, malformed); err != nil {
		return "", "", false, err
	}
	for _, in := range m.instructions {
		if m.name(in.program) == t.Program && len(in.data) > 0 && in.data[0] == transferChecked {
			source = m.name(in.accounts[0])
		}
	}
	first := m.instructions[0]
	return source, base58.Encode(m.lifetime), m.name(first.program) == systemProgram && bytes.HasPrefix(first.data, advanceNonce), nil
}
