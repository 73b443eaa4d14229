package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/front"
)

type requestKey struct{}

// requestOf returns the HTTP request that a call came in.
func requestOf(ctx context.Context) *http.Request { return ctx.Value(requestKey{}).(*http.Request) }

// ServeHTTP implements [http.Handler]: the streamable HTTP transport, without sessions.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	told := &teller{ResponseWriter: w, status: http.StatusOK}
	s.answer(told, r)
	told.flush()
}

func (s *Server) answer(told *teller, r *http.Request) {
	h := told.Header()
	if s.local { // what comes over a network is never the operator's own
		deny(told, http.StatusNotFound, refuse("this server speaks on standard input and output"))
		return
	}
	if fault := s.stranger(r); fault != "" {
		deny(told, http.StatusForbidden, refuse(fault))
		return
	}
	if api.AllowOrigins(h, r) {
		told.WriteHeader(http.StatusNoContent)
		return
	}
	if r.Method != http.MethodPost {
		h.Set("Allow", http.MethodPost)
		deny(told, http.StatusMethodNotAllowed, refuse("POST one message of the Model Context Protocol; "+s.about.BaseURL+"/docs/agents says how a client is told of this address"))
		return
	}
	body, done, status, fault := s.body(told, r)
	defer done()
	if fault == nil {
		if fault = s.unfit(body); fault != nil {
			status = fault.status(r.Header.Get("Mcp-Protocol-Version"))
		}
	}
	if fault != nil {
		deny(told, status, fault)
		return
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.handler.ServeHTTP(told, r.WithContext(context.WithValue(r.Context(), requestKey{}, r)))
}

// largeBody is the length in bytes from which messages are answered a few at a
// time: what is made of one takes some ten times its length.
const largeBody = 32 << 10

// body reads a message. Its memory is free once done is called.
func (s *Server) body(w http.ResponseWriter, r *http.Request) (body []byte, done func(), status int, fault *rpcError) {
	done = func() {}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, done, http.StatusRequestEntityTooLarge, tooLong
	case err != nil:
		return nil, done, http.StatusBadRequest, refuse("the message broke off")
	case len(body) <= largeBody:
		return body, done, 0, nil
	}
	leave, ok := s.large.Try() // after the reading, or slow callers would keep others out
	if !ok {
		w.Header().Set("Retry-After", "1")
		return nil, done, http.StatusServiceUnavailable, refuse("too many large messages at once: send it again in a second")
	}
	return body, leave, 0, nil
}

// ServeError implements [front.Room].
func (s *Server) ServeError(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, front.ErrPathTooLong) {
		deny(w, http.StatusRequestURITooLong, refuse(err.Error()))
		return
	}
	deny(w, http.StatusInternalServerError, &rpcError{code: jsonrpc.CodeInternalError, message: "something failed on our side"})
}

// deny answers what is not for the SDK.
func deny(w http.ResponseWriter, status int, e *rpcError) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(e.encode(), '\n')) // a caller who has gone away is no fault
}

// stranger says why a request is not let in, "" if it is. A browser that was told
// that a stranger's name is this machine's (DNS rebinding) still sends that name.
func (s *Server) stranger(r *http.Request) string {
	at, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	here := at != nil && isLoopback(at.String())
	if !s.isBase(r.Host) && !(here && isLoopback(r.Host)) {
		return "the Host of this server is " + s.base.Host
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return ""
	}
	origin, err := url.Parse(origins[0])
	if err == nil && len(origins) == 1 && origins[0] == origin.Scheme+"://"+origin.Host && (origin.Scheme == "http" || origin.Scheme == "https") && (origin.Scheme == s.base.Scheme && s.isBase(origin.Host) || here && isLoopback(origin.Host)) {
		return ""
	}
	return "pages of this origin may not call this server"
}

// isBase reports whether a Host is that of the base URL.
func (s *Server) isBase(host string) bool {
	usual := map[string]string{"http": ":80", "https": ":443"}[s.base.Scheme]
	return strings.EqualFold(strings.TrimSuffix(host, usual), strings.TrimSuffix(s.base.Host, usual))
}

// isLoopback reports whether a host, with or without a port, is this machine by whatever name.
func isLoopback(host string) bool {
	if name, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return false
		}
		host = name
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && a.Unmap().IsLoopback()
}

// teller remembers the status for the log, and holds the answer back until it is whole.
type teller struct {
	http.ResponseWriter
	status int
	answer bytes.Buffer
}

// WriteHeader implements [http.ResponseWriter].
func (t *teller) WriteHeader(status int) { t.status = status }

// Write implements [http.ResponseWriter].
func (t *teller) Write(p []byte) (int, error) { return t.answer.Write(p) }

// flush sends the answer.
func (t *teller) flush() {
	answer := t.answer.Bytes()
	switch media := t.Header().Get("Content-Type"); {
	case strings.HasPrefix(media, "application/json"):
		answer = tame(answer)
	case len(answer) > 0:
		answer = []byte(tocsin.Clip(string(answer), maxMessage)) // an error of the SDK in words
	}
	t.Header().Del("Content-Length")
	t.ResponseWriter.WriteHeader(t.status)
	t.ResponseWriter.Write(answer) // a caller who has gone away is no fault
}
