package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"tocsin/internal/api"
)

// maxBody is how large a message may be, in bytes: the largest body that the
// API takes, and a payment.
const maxBody = 320 << 10

type requestKey struct{}

// requestOf returns the HTTP request that a call came in.
func requestOf(ctx context.Context) *http.Request { return ctx.Value(requestKey{}).(*http.Request) }

// ServeHTTP implements [http.Handler]: the streamable HTTP transport, without sessions.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := s.api.RequestID(r)
	told := &teller{ResponseWriter: w, status: http.StatusOK}
	defer func() {
		s.config.Log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("id", id), slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", told.status))
	}()
	h := w.Header()
	h.Set("X-Request-Id", id)
	h.Set("X-Content-Type-Options", "nosniff")
	if s.config.Local { // what comes over a network is never the operator's own
		deny(told, http.StatusNotFound, "this server speaks on standard input and output")
		return
	}
	if fault := s.stranger(r); fault != "" {
		deny(told, http.StatusForbidden, fault)
		return
	}
	if api.CORS(h, r) {
		told.WriteHeader(http.StatusNoContent)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(told, r.Body, maxBody))
	if err != nil {
		status := http.StatusBadRequest
		if errors.As(err, new(*http.MaxBytesError)) {
			status = http.StatusRequestEntityTooLarge
		}
		deny(told, status, fmt.Sprintf("a message has at most %d bytes", maxBody))
		return
	}
	if fault := unwieldy(body); fault != "" {
		deny(told, http.StatusBadRequest, fault)
		return
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.Header.Set("X-Request-Id", id)
	s.handler.ServeHTTP(told, r.WithContext(context.WithValue(r.Context(), requestKey{}, r)))
}

// Limits of a message beside its length: how deep it is nested, and how many
// fields and entries it has. The largest report has some 400, six deep.
const (
	maxDepth = 32
	maxParts = 2000
)

// unwieldy says what is wrong with a message that would be dear to read, "" if
// nothing is. The SDK reads what is nested once for each level; and later
// revisions have done away with batches, which are of use to nobody but a flood.
func unwieldy(message []byte) string {
	if bytes.HasPrefix(bytes.TrimSpace(message), []byte("[")) {
		return "send one message at a time"
	}
	depth, parts, quoted := 0, 0, false
	for i := 0; i < len(message); i++ {
		switch c := message[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ',':
			parts++
		}
		if depth > maxDepth || parts > maxParts {
			return fmt.Sprintf("a message is nested at most %d deep and has at most %d fields and entries", maxDepth, maxParts)
		}
	}
	return ""
}

// deny answers what is not for the SDK, with an error of JSON-RPC that has no id.
func deny(w http.ResponseWriter, status int, fault string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintln(w, refusal(jsonrpc.CodeInvalidRequest, fault))
}

// refusal is an error of JSON-RPC about what has no id that could be read.
func refusal(code int, fault string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","error":{"code":%d,"message":%s}}`, code, encoded(fault))
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
	if err == nil && len(origins) == 1 && origins[0] == origin.Scheme+"://"+origin.Host && strings.HasPrefix(origin.Scheme, "http") && (origin.Scheme == s.base.Scheme && s.isBase(origin.Host) || here && isLoopback(origin.Host)) {
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

// teller remembers the status for the log.
type teller struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (t *teller) WriteHeader(status int) {
	t.status = status
	t.ResponseWriter.WriteHeader(status)
}

// Unwrap is for [http.ResponseController].
func (t *teller) Unwrap() http.ResponseWriter { return t.ResponseWriter }
