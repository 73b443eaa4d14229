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

// patience is how long answers may take once the input has ended: a client that
// withdrew a call gets none.
const patience = 10 * time.Second

// Run answers one client until its input ends: one message a line, each way.
// An error is one of reading or writing.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	messages, to := io.Pipe()
	o := &outgoing{w: out}
	go func() { to.CloseWithError(o.admit(ctx, in, to)) }()
	return s.sdk.Run(ctx, &sdk.IOTransport{Reader: messages, Writer: o})
}

// outgoing is the output. The SDK's transport ends at a line that is no message, and drops what
// is still being answered when the input ends: so it is given messages only, and the end when all is answered.
type outgoing struct {
	mu    sync.Mutex
	w     io.Writer
	calls sync.Map       // without an answer yet, by their ids
	open  sync.WaitGroup // as many
}

// admit copies the lines that are messages.
func (o *outgoing) admit(ctx context.Context, in io.Reader, to io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxBody)
	for lines.Scan() {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		fault := unwieldy(line)
		if fault == "" {
			fault = o.begin(line)
		}
		if fault != "" {
			if err := o.write([]byte(refusal(jsonrpc.CodeInvalidRequest, fault) + "\n")); err != nil {
				return err
			}
			continue
		}
		if _, err := to.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a message has at most %d bytes", maxBody)
	}
	idle := make(chan struct{})
	go func() { o.open.Wait(); close(idle) }()
	select {
	case <-idle:
	case <-time.After(patience):
	case <-ctx.Done():
	}
	return lines.Err()
}

// begin notes a call that is to be answered; it says what is wrong with a line that is no message.
func (o *outgoing) begin(line []byte) string {
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return "this line is no message of JSON-RPC 2.0"
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		if _, open := o.calls.LoadOrStore(r.ID, true); open {
			return "another call with this id is not answered yet"
		}
		o.open.Add(1)
	}
	return ""
}

// Write writes one message, as the SDK does.
func (o *outgoing) Write(message []byte) (int, error) {
	err := o.write(message)
	if m, fault := jsonrpc.DecodeMessage(message); fault == nil {
		if r, answers := m.(*jsonrpc.Response); answers {
			if _, open := o.calls.LoadAndDelete(r.ID); open {
				o.open.Done()
			}
		}
	}
	return len(message), err
}

func (o *outgoing) write(message []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, err := o.w.Write(message)
	return err
}

// Close implements [io.Closer].
func (o *outgoing) Close() error { return nil }
