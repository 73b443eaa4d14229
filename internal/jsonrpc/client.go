// Package jsonrpc is a client of blockchain nodes (JSON-RPC 2.0 over HTTP).
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

// maxResponse limits the size of a response, in bytes.
const maxResponse = 1 << 20

// Client calls one node. It is safe for concurrent use.
type Client struct {
	url    string
	client *http.Client
}

// New returns a client of the node at a URL (http or https). Each call ends after
// the timeout. New makes no call. Errors never contain the URL, which often holds
// a key.
func New(rpc string, timeout time.Duration) (*Client, error) {
	u, err := url.Parse(rpc)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, errors.New("the URL of a node must be like https://rpc.example")
	}
	noRedirects := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{rpc, &http.Client{Timeout: timeout, CheckRedirect: noRedirects}}, nil
}

// Error is an error object in the response of a node (JSON-RPC 2.0, section 5.1).
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"` // of a call that a contract reverts: what it says; nil for none
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", clip(e.Message, 200), e.Code) }

// Ask calls a method and decodes its result into the value that into points to.
// As in encoding/json, a result of null sets a pointer, map or slice to nil and
// leaves other values unchanged. A response may have 1 MiB. Redirects are not
// followed. If the node responds with an error, the returned one wraps an *[Error].
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
	text, err := io.ReadAll(io.LimitReader(res.Body, maxResponse+1))
	if err != nil {
		return err
	}
	if len(text) > maxResponse {
		return fmt.Errorf("the answer has more than %d bytes", maxResponse)
	}
	var response struct {
		Result json.RawMessage `json:"result"`
		Error  *Error          `json:"error"`
	}
	// Some nodes send the error object with a status of 400 or more, some with 200.
	err = json.Unmarshal(text, &response)
	switch {
	case err == nil && response.Error != nil:
		return response.Error
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("the node answered with status %d", res.StatusCode)
	case err != nil:
		return errors.New("the node's answer is not that of JSON-RPC")
	case response.Result == nil:
		return errors.New("the node's answer has neither a result nor an error")
	}
	if err := json.Unmarshal(response.Result, into); err != nil {
		return errors.New("the result is of another type")
	}
	return nil
}

// withoutURL removes the URL from an error of net/http.
func withoutURL(err error) error {
	var withURL *url.Error
	if errors.As(err, &withURL) {
		return withURL.Err
	}
	return err
}

// clip shortens text of a node to n characters.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
