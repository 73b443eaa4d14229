// Package jsonrpc asks the nodes of chains, which speak JSON-RPC 2.0 over HTTP.
package jsonrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// maxAnswer is how long an answer may be, in bytes.
const maxAnswer = 1 << 20

// Client asks one node. It may be used by many goroutines at once.
type Client struct {
	url    string
	client *http.Client
}

// New returns the client of the node at a URL (http or https), where each call
// may take so long. It asks nothing yet. No error names the URL, which often
// holds a key.
func New(rpc string, timeout time.Duration) (*Client, error) {
	u, err := url.Parse(rpc)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, errors.New("the URL of a node must be like https://rpc.example")
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{rpc, &http.Client{Timeout: timeout, CheckRedirect: stay}}, nil
}

// Error is an error that the node answers with.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", clip(e.Message, 200), e.Code) }

// Ask calls a method and reads its result into what into points to; a result of
// null leaves it as it is, or makes a pointer, map or slice nil. The answer may
// have 1 MiB; a redirect is not followed. If the node answers with an error, an
// *[Error] is in the chain of the one that is returned.
func (c *Client) Ask(ctx context.Context, into any, method string, params ...any) error {
	if err := c.ask(ctx, into, method, params); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

func (c *Client) ask(ctx context.Context, into any, method string, params []any) error {
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return withoutURL(err)
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := c.client.Do(r)
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
		Error  *Error          `json:"error"`
	}
	// Some nodes say what is wrong beside a status of 400 or more, some do not.
	err = json.Unmarshal(text, &answer)
	switch {
	case err == nil && answer.Error != nil:
		return answer.Error
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
