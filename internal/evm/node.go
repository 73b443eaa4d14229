package evm

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
	"strings"
	"time"

	"tocsin"
)

// maxAnswer is how long the answer of a node may be, in bytes.
const maxAnswer = 1 << 20

// Node is a node of an EVM network, asked over JSON-RPC 2.0. It may be used by
// many goroutines at once.
type Node struct {
	url    string
	client *http.Client
}

// NewNode returns the node at a URL (http or https), where each call may take so
// long. It asks nothing yet. No error names the URL, which often holds a key.
func NewNode(rpc string, timeout time.Duration) (*Node, error) {
	u, err := url.Parse(rpc)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, errors.New("the URL of a node must be like https://rpc.example")
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Node{rpc, &http.Client{Timeout: timeout, CheckRedirect: stay}}, nil
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

// Ask calls a method and reads its result into what into points to. The answer
// may have 1 MiB; a redirect is not followed.
func (n *Node) Ask(ctx context.Context, into any, method string, params ...any) error {
	if err := n.ask(ctx, into, method, params); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

func (n *Node) ask(ctx context.Context, into any, method string, params []any) error {
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, n.url, bytes.NewReader(body))
	if err != nil {
		return withoutURL(err)
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := n.client.Do(r)
	if err != nil {
		return withoutURL(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return err
	}
	if len(text) > maxAnswer {
		return fmt.Errorf("the answer has more than %d bytes", maxAnswer)
	}
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	// Some nodes say what is wrong beside a status of 400 or more, some do not.
	err = json.Unmarshal(text, &answer)
	switch {
	case err == nil && answer.Error != nil:
		return fmt.Errorf("%s (%d)", clip(answer.Error.Message, 200), answer.Error.Code)
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("the node answered with status %d", res.StatusCode)
	case err != nil:
		return errors.New("the node's answer is not that of JSON-RPC")
	case answer.Result == nil:
		return errors.New("the node's answer has neither a result nor an error")
	}
	if err := json.Unmarshal(answer.Result, into); err != nil {
		return errors.New("the result is of another type")
	}
	return nil
}

// withoutURL returns what went wrong without the URL to which it happened.
func withoutURL(err error) error {
	if at := (*url.Error)(nil); errors.As(err, &at) {
		return at.Err
	}
	return err
}

// clip shortens what a node sent before it is told on.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
