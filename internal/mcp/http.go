package mcp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/front"
)

type requestKey struct{}

// readKey is for the function to call once the arguments of a call are read: what is made of a large message to read it
// is free then, and the call may take long.
type readKey struct{}

// requestOf returns the HTTP request that a call came in.
func requestOf(ctx context.Context) *http.Request { return ctx.Value(requestKey{}).(*http.Request) }

// ServeHTTP implements [http.Handler]: the streamable HTTP transport, without sessions.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b := &bufferedWriter{ResponseWriter: w, status: http.StatusOK}
	s.answer(b, r)
	b.flush()
}

func (s *Server) answer(w *bufferedWriter, r *http.Request) {
	h := w.Header()
	if s.local { // what comes over a network is never the operator's own
		writeError(w, http.StatusNotFound, invalidRequest("this server speaks on standard input and output"))
		return
	}
	// A browser that was misled about whose address a name has (DNS rebinding) still sends that name.
	//
	// SDK: it protects servers on localhost only, by the Host (mcp/streamable.go,
	// ServeHTTP), and no [http.CrossOriginProtection] knows which pages are of this machine.
	if err := cmp.Or(s.about.CheckHost(r), s.about.CheckOrigin(r)); err != nil {
		s.ServeError(w, r, err)
		return
	}
	if api.AllowOrigins(h, r) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if r.Method != http.MethodPost {
		h.Set("Allow", http.MethodPost)
		writeError(w, http.StatusMethodNotAllowed, invalidRequest("POST one message of the Model Context Protocol; "+
			s.about.BaseURL+"/docs/agents says how to add this address to a client"))
		return
	}
	if front.IsCoded(r) {
		h.Set("Accept-Encoding", "identity") // RFC 9110, section 15.5.16
		writeError(w, http.StatusUnsupportedMediaType, invalidRequest("send the message without a Content-Encoding"))
		return
	}
	body, done, status, fault := s.body(w, r)
	defer done()
	if fault == nil {
		if fault = s.validate(body); fault != nil {
			status = fault.status(r.Header.Get("Mcp-Protocol-Version"))
		}
	}
	if fault != nil {
		writeError(w, status, fault)
		return
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	ctx := context.WithValue(context.WithValue(r.Context(), requestKey{}, r), readKey{}, done)
	s.handler.ServeHTTP(w, r.WithContext(ctx))
}

// largeBody is the length in bytes from which messages are answered a few at a
// time: what is made of one takes some ten times its length.
const largeBody = 32 << 10

// body reads a message. Done is to be called once nothing more is made of it; another call of it does nothing.
func (s *Server) body(w http.ResponseWriter, r *http.Request) (body []byte, done func(), status int, fault *rpcError) {
	done = func() {}
	body, err := io.ReadAll(r.Body) // the front door bounds it
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, done, http.StatusRequestEntityTooLarge, tooLong
	case err != nil:
		return nil, done, http.StatusBadRequest, invalidRequest("the message was cut off")
	case len(body) <= largeBody:
		return body, done, 0, nil
	}
	leave, ok := s.large.Try(front.Of(r.Context()).Network()) // after the reading, or slow callers would keep others out
	if !ok {
		w.Header().Set("Retry-After", "1")
		return nil, done, http.StatusServiceUnavailable,
			invalidRequest("too many large messages at once: send it again in a second")
	}
	return body, leave, 0, nil
}

// ServeError implements [front.Room].
func (s *Server) ServeError(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, front.ErrPathTooLong) {
		writeError(w, http.StatusRequestURITooLong, invalidRequest(err.Error()))
		return
	}
	if errors.Is(err, front.ErrForeign) {
		writeError(w, http.StatusForbidden, invalidRequest(err.Error()))
		return
	}
	if errors.Is(err, front.ErrBusy) || errors.Is(err, front.ErrCrowded) {
		writeError(w, http.StatusServiceUnavailable,
			&rpcError{code: jsonrpc.CodeInternalError, message: err.Error() + "; send the message again in a few seconds"})
		return
	}
	if errors.As(err, new(front.TooFast)) {
		writeError(w, http.StatusTooManyRequests,
			&rpcError{code: jsonrpc.CodeInternalError, message: err.Error() + "; send the message again in a few seconds"})
		return
	}
	fault := &rpcError{code: jsonrpc.CodeInternalError, message: "something failed on our side"}
	writeError(w, http.StatusInternalServerError, fault)
}

// writeError answers what is not for the SDK.
func writeError(w http.ResponseWriter, status int, e *rpcError) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(e.encode(), '\n')) // a caller who has gone away is no fault
}

// bufferedWriter holds a response back until it is complete, so that
// [sanitizeError] sees all of it.
type bufferedWriter struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

// WriteHeader implements [http.ResponseWriter].
func (b *bufferedWriter) WriteHeader(status int) { b.status = status }

// Write implements [http.ResponseWriter].
func (b *bufferedWriter) Write(p []byte) (int, error) { return b.body.Write(p) }

// flush sends the response.
//
// SDK: an error before a message is read is plain text, which may repeat a header
// (mcp/streamable.go, ServeHTTP and servePOST).
func (b *bufferedWriter) flush() {
	body := b.body.Bytes()
	switch media := b.Header().Get("Content-Type"); {
	case strings.HasPrefix(media, "application/json"):
		body = sanitizeError(body)
	case len(body) > 0:
		body = []byte(tocsin.Clip(string(body), maxMessage))
	}
	b.Header().Del("Content-Length")
	b.ResponseWriter.WriteHeader(b.status)
	b.ResponseWriter.Write(body) // a caller who has gone away is no fault
}
