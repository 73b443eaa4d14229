package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// drainTimeout is how long responses may take once the input has ended: a call
// that the client cancelled gets none.
const drainTimeout = 10 * time.Second

// Run answers one client until its input ends: one message a line, each way.
// An error is one of reading or writing.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	messages, to := io.Pipe()
	o := &outgoing{w: out}
	go func() { to.CloseWithError(s.admit(ctx, in, to, o)) }()
	return s.sdk.Run(ctx, &sdk.IOTransport{Reader: messages, Writer: o})
}

// outgoing is the output, and counts the calls without a response.
//
// SDK: its transport stops at the first malformed line (issue 1209) and drops the
// responses that are pending when the input ends (issue 1061). So it is given
// valid messages only, and the end of the input when every call is answered.
type outgoing struct {
	mu    sync.Mutex
	w     io.Writer
	calls sync.Map       // without a response yet, by their ids
	open  sync.WaitGroup // as many
}

// admit copies the lines that are messages.
func (s *Server) admit(ctx context.Context, in io.Reader, to io.Writer, o *outgoing) error {
	lines := bufio.NewReaderSize(in, maxBody)
	for {
		line, cut, err := lines.ReadLine()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		fault := tooLong
		for ; cut && err == nil; _, cut, err = lines.ReadLine() {
			line = nil
		}
		if line != nil {
			if line = bytes.TrimSpace(line); len(line) == 0 {
				continue
			}
			if fault = s.validate(line); fault == nil {
				fault = o.begin(line)
			}
		}
		if fault != nil {
			err = o.write(append(fault.encode(), '\n'))
		} else {
			// One line, whatever it was written on.
			var compact bytes.Buffer
			json.Compact(&compact, line) // it is JSON
			compact.WriteByte('\n')
			_, err = to.Write(compact.Bytes())
		}
		if err != nil {
			return err
		}
	}
	idle := make(chan struct{})
	go func() { o.open.Wait(); close(idle) }()
	select {
	case <-idle:
	case <-time.After(drainTimeout):
	case <-ctx.Done():
	}
	return nil
}

// begin notes a call that is to be answered. It refuses what the SDK cannot read,
// and a call whose id is in use.
func (o *outgoing) begin(line []byte) *rpcError {
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return invalidRequest("this is no message of JSON-RPC 2.0")
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		if _, open := o.calls.LoadOrStore(r.ID, true); open {
			return invalidRequest("another call with this id is not answered yet")
		}
		o.open.Add(1)
	}
	return nil
}

// Write writes one message, as the SDK does.
func (o *outgoing) Write(message []byte) (int, error) {
	if m, err := jsonrpc.DecodeMessage(message); err == nil {
		if r, answers := m.(*jsonrpc.Response); answers {
			// From here on the id is free: the client may use it again once it has the response.
			if _, open := o.calls.LoadAndDelete(r.ID); open {
				defer o.open.Done()
			}
		}
	}
	return len(message), o.write(sanitizeError(message))
}

func (o *outgoing) write(message []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	_, err := o.w.Write(message)
	return err
}

// Close implements [io.Closer].
func (o *outgoing) Close() error { return nil }
