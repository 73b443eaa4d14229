package x402

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Chain is a node of an EVM network, asked what became of a payment of which
// the facilitator does not tell.
type Chain struct {
	url    string
	client *http.Client
}

// NewChain returns the node at a JSON-RPC URL (http or https).
func NewChain(rpc string, timeout time.Duration) (*Chain, error) {
	u, err := url.Parse(rpc)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is not like https://rpc.example", rpc)
	}
	return &Chain{rpc, &http.Client{Timeout: timeout}}, nil
}

// Fate is what became of a payment.
type Fate int

// The fates of a payment.
const (
	Unknown Fate = iota
	Unspent      // not carried out, as of now
	Carried      // carried out
	Voided       // can no longer be carried out: its payer cancelled it
)

// How many blocks are searched for the transaction of a payment: on Base, five
// hours. Public nodes answer for no more at once.
const searched = 9_000

// The events of EIP-3009.
var (
	usedEvent     = "0x" + hex.EncodeToString(keccak([]byte("AuthorizationUsed(address,bytes32)")))
	canceledEvent = "0x" + hex.EncodeToString(keccak([]byte("AuthorizationCanceled(address,bytes32)")))
	stateCall     = hex.EncodeToString(keccak([]byte("authorizationState(address,bytes32)"))[:4])
)

// Fate asks what became of a payment that an order holds, and in which
// transaction. It knows EIP-3009 only.
func (c *Chain) Fate(ctx context.Context, order []byte) (Fate, string, error) {
	var o struct {
		Payment struct {
			Payload struct {
				Authorization *struct{ From, Nonce string }
			}
		} `json:"paymentPayload"`
		Requirements struct{ Asset string } `json:"paymentRequirements"`
	}
	if err := json.Unmarshal(order, &o); err != nil {
		return Unknown, "", err
	}
	a := o.Payment.Payload.Authorization
	if a == nil || !addressForm.MatchString(a.From) || !nonceForm.MatchString(a.Nonce) {
		return Unknown, "", nil
	}
	from := "0x000000000000000000000000" + a.From[2:]
	var used string
	if err := c.ask(ctx, &used, "eth_call", map[string]string{"to": o.Requirements.Asset, "data": "0x" + stateCall + from[2:] + a.Nonce[2:]}, "latest"); err != nil {
		return Unknown, "", err
	}
	if n, err := strconv.ParseUint(lastDigits(used), 16, 64); err != nil || n == 0 {
		return Unspent, "", err
	}
	var head string
	if err := c.ask(ctx, &head, "eth_blockNumber"); err != nil {
		return Unknown, "", err
	}
	at, err := strconv.ParseUint(lastDigits(head), 16, 64)
	if err != nil {
		return Unknown, "", err
	}
	var logs []struct {
		Topics          []string
		TransactionHash string
	}
	err = c.ask(ctx, &logs, "eth_getLogs", map[string]any{"address": o.Requirements.Asset, "fromBlock": fmt.Sprintf("0x%x", at-min(at, searched)), "toBlock": "latest",
		"topics": []any{[]string{usedEvent, canceledEvent}, from, a.Nonce}})
	if err != nil || len(logs) == 0 || len(logs[0].Topics) == 0 {
		return Unknown, "", err // used, but too long ago to see how
	}
	if logs[0].Topics[0] == canceledEvent {
		return Voided, "", nil
	}
	return Carried, logs[0].TransactionHash, nil
}

// lastDigits returns the last 64 bits of a hexadecimal quantity.
func lastDigits(quantity string) string {
	return quantity[max(min(2, len(quantity)), len(quantity)-16):]
}

func (c *Chain) ask(ctx context.Context, into any, method string, params ...any) error {
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := c.client.Do(r)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var answer struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxAnswer)).Decode(&answer); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if answer.Error != nil {
		return errors.New(method + ": " + clip(answer.Error.Message, 200))
	}
	if err := json.Unmarshal(answer.Result, into); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}
