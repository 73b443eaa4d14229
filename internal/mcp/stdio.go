package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Run answers one client until its input ends: one message a line, each way.
// An error is one of reading or writing.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	c := &stdio{out: out, lines: make(chan line), done: make(chan struct{})}
	defer c.Close()
	go c.pump(in)
	return s.sdk.Run(ctx, c)
}

// stdio is the transport on standard input and output. That of the SDK ends at a
// line that is no message, and drops what is still being answered when the input ends.
type stdio struct {
	lines chan line // closed at the end of the input
	done  chan struct{}
	once  sync.Once      // closes done
	open  sync.WaitGroup // calls without an answer yet

	writing sync.Mutex
	out     io.Writer
}

type line struct {
	text []byte
	err  error
}

// patience is how long answers may take once the input has ended: a client that
// withdrew a call gets none.
const patience = 10 * time.Second

func (c *stdio) pump(in io.Reader) {
	defer close(c.lines)
	send := func(l line) bool {
		select {
		case c.lines <- l:
			return true
		case <-c.done:
			return false
		}
	}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxBody)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if !send(line{text: append([]byte(nil), lines.Bytes()...)}) {
			return
		}
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("a message has at most %d bytes", maxBody)
	}
	if err != nil {
		send(line{err: err})
	}
}

// Connect implements [sdk.Transport].
func (c *stdio) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// Read implements [sdk.Connection].
func (c *stdio) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case l, more := <-c.lines:
			if !more {
				c.answered(ctx)
				return nil, io.EOF
			}
			if l.err != nil {
				return nil, l.err
			}
			m, err := jsonrpc.DecodeMessage(l.text)
			if err != nil {
				if err := c.write([]byte(refusal(jsonrpc.CodeParseError, "this line is no message of JSON-RPC 2.0"))); err != nil {
					return nil, err
				}
				continue
			}
			if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
				c.open.Add(1)
			}
			return m, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.done:
			return nil, io.EOF
		}
	}
}

// answered waits until nothing is left to be answered.
func (c *stdio) answered(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	idle := make(chan struct{})
	go func() {
		c.open.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-ctx.Done():
	case <-c.done:
	}
}

// Write implements [sdk.Connection].
func (c *stdio) Write(_ context.Context, m jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(m)
	if err == nil {
		err = c.write(text)
	}
	if _, answers := m.(*jsonrpc.Response); answers {
		c.open.Done()
	}
	return err
}

func (c *stdio) write(message []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(message, '\n'))
	return err
}

// Close implements [sdk.Connection].
func (c *stdio) Close() error {
	c.once.Do(func() { close(c.done) })
	return nil
}

// SessionID implements [sdk.Connection]: there are no sessions.
func (c *stdio) SessionID() string { return "" }
