// Package api is Tocsin's JSON API. It serves the operations of package contract: an operation without an endpoint or
// an endpoint without an operation stops the program.
package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"tocsin"
	"tocsin/internal/contract"
	"tocsin/internal/evm"
	"tocsin/internal/front"
	"tocsin/internal/limits"
	"tocsin/internal/store"
)

// maxBody is how large a request body may be, in bytes.
const maxBody = 256 << 10

// Config is what the operator decides.
type Config struct {
	front.Deployment
	Node     *evm.Node // is asked about the signatures of contract wallets of its chain; may be nil
	Payments Payments
}

// Server answers the API.
type Server struct {
	db         *store.DB
	config     Config
	log        *slog.Logger
	contract   *contract.Contract
	operations map[string]*operation // by id
	mux        *http.ServeMux
	lost       http.Handler // answers paths and methods without an operation
	rests      []string     // path prefixes whose last parameter may hold slashes
	tools      []*Tool
	budgets    *limits.Budgets
	buffers    sync.Pool // of *bytes.Buffer, for answers
}

// New builds the API over a database. An error is a fault of the contract.
func New(db *store.DB, config Config) (*Server, error) {
	c, err := contract.Read(contract.Options{
		BaseURL:      config.BaseURL,
		Payments:     config.Payments.taken(),
		PaymentCodes: ofPayments,
		Statuses:     statusOf,
	})
	if err != nil {
		return nil, err
	}
	s := &Server{db: db, config: config, log: config.Log, contract: c, operations: map[string]*operation{}, mux: http.NewServeMux(),
		budgets: limits.New(config.Filings, config.Lookups, func() time.Time { return db.Now().Std() })}
	s.buffers.New = func() any { return new(bytes.Buffer) }
	endpoints := map[string]endpoint{
		"screenAddress":  s.screenAddress,
		"checkAddresses": s.checkAddresses,
		"checkDomain":    s.checkDomain,
		"searchReports":  s.searchReports,
		"listReports":    s.listReports,
		"fileReport":     s.fileReport,
		"getReport":      s.getReport,
		"withdrawReport": s.withdrawReport,
		"signInNonce":    s.signInNonce,
		"signIn":         s.signIn,
		"revokeKey":      s.revokeKey,
		"me":             s.me,
		"leaderboard":    s.leaderboard,
		"stats":          s.stats,
		"paymentStatus":  s.paymentStatus,
	}
	for _, op := range c.Operations() {
		op, err := newOperation(op)
		if err != nil {
			return nil, err
		}
		s.operations[op.ID] = op
		answer, ok := endpoints[op.ID]
		if !ok {
			return nil, fmt.Errorf("openapi.yaml: operation %q has no endpoint", op.ID)
		}
		delete(endpoints, op.ID)
		next := s.checked(op, answer)
		if op.Price != "" {
			next = s.charge(op, next)
		}
		if op.CatchAll {
			s.rests = append(s.rests, op.Path[:strings.LastIndexByte(op.Path, '/')+1])
		}
		s.mux.Handle(op.Method+" "+op.Path, s.serve(next))
		if op.Tool != nil {
			t, err := newTool(op)
			if err != nil {
				return nil, err
			}
			t.answer = func(w *recorder, r *http.Request, about *viaTool) { s.answerTool(w, r, about, next) }
			s.tools = append(s.tools, t)
		}
	}
	for id := range endpoints {
		return nil, fmt.Errorf("openapi.yaml: endpoint %q has no operation", id)
	}
	s.lost = s.serve(s.nowhere)
	s.mux.Handle("/", s.lost)
	return s, nil
}

// Deployment returns what the operator decided.
func (s *Server) Deployment() *front.Deployment { return &s.config.Deployment }

// Budgets returns the limits that the API and everything over it share.
func (s *Server) Budgets() *limits.Budgets { return s.budgets }

// call is one request on its way.
type call struct {
	*http.Request
	id    string
	tool  *viaTool       // nil: it came over HTTP, as itself
	input contract.Input // checked query and headers
	raw   []byte         // body
	bad   error          // what the schema has against the body
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if AllowOrigins(w.Header(), r) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	s.keepSlashes(r.URL)
	if !clean(r.URL) {
		s.lost.ServeHTTP(w, r) // the mux would answer with a redirect in HTML
		return
	}
	s.mux.ServeHTTP(w, r)
}

func clean(u *url.URL) bool {
	at := u.EscapedPath()
	return path.Clean(at) == at || path.Clean(at)+"/" == at
}

// keepSlashes escapes what stands in the place of a parameter that may be a
// URL: its slashes belong to it, and must not be cleaned away.
func (s *Server) keepSlashes(u *url.URL) {
	for _, prefix := range s.rests {
		if rest, ok := strings.CutPrefix(u.Path, prefix); ok && rest != "" {
			u.RawPath = prefix + url.PathEscape(rest)
		}
	}
}

// ServeError implements [front.Room].
func (s *Server) ServeError(w http.ResponseWriter, r *http.Request, err error) {
	AllowOrigins(w.Header(), r)
	w.Header().Set("Cache-Control", "no-store")
	if errors.Is(err, front.ErrPathTooLong) {
		err = &tocsin.Error{Code: tooLong, Detail: "The path is too long: " + err.Error()}
	}
	s.fail(w, r, front.Of(r.Context()).ID, err)
}

// serve turns an endpoint into a handler that writes the one answer.
func (s *Server) serve(next endpoint) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, nil, next) })
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, tool *viaTool, next endpoint) {
	id := front.Of(r.Context()).ID
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	answer, err := next(h, &call{Request: r, id: id, tool: tool})
	if err != nil {
		s.fail(w, r, id, err)
		return
	}
	if _, ok := answer.(unchanged); ok {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	code := http.StatusOK
	if c, ok := answer.(created); ok {
		code, answer = http.StatusCreated, c.body
	}
	s.write(w, code, "application/json", answer)
}

// created is the answer of an endpoint that has made something.
type created struct{ body any }

// unchanged is the answer of an endpoint to whoever has its answer already.
type unchanged struct{}

// encoder is an answer that writes its own JSON.
type encoder interface {
	encode(b *bytes.Buffer) error
}

func encodeJSON(b *bytes.Buffer, value any) error {
	if own, ok := value.(encoder); ok {
		return own.encode(b)
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return e.Encode(value)
}

// write sends one answer. Encoding cannot fail: the types are ours.
func (s *Server) write(w http.ResponseWriter, status int, media string, body any) {
	b := s.buffers.Get().(*bytes.Buffer)
	defer s.buffers.Put(b)
	b.Reset()
	if err := encodeJSON(b, body); err != nil {
		panic(err)
	}
	h := w.Header()
	h.Set("Content-Type", media)
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	w.Write(b.Bytes()) // a caller who has gone away is no fault
}

// checked holds the input of a call against the contract before the endpoint sees it.
func (s *Server) checked(op *operation, next endpoint) endpoint {
	return func(h http.Header, c *call) (any, error) {
		var err error
		c.input, err = op.Read(c.Request)
		if err := merge(c.tool.fault(), err); err != nil {
			return nil, err
		}
		if op.TakesBody() {
			if err := c.readBody(op.Operation); err != nil {
				return nil, err
			}
		}
		return next(h, c)
	}
}

// readBody reads a JSON body. What its schema has against it stays in c.bad,
// so that an endpoint can add its own findings and name all faults at once.
func (c *call) readBody(op *contract.Operation) error {
	media, _, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return &tocsin.Error{Code: wrongMedia, Detail: "The body must be JSON: send the header Content-Type: application/json"}
	}
	if err := c.readRaw(); err != nil {
		return err
	}
	malformed, invalid := op.CheckBody(c.raw)
	c.bad = invalid
	return malformed
}

// readRaw reads the body as it is, once.
func (c *call) readRaw() error {
	if c.raw != nil {
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(c.Body, maxBody+1))
	if err != nil {
		return &tocsin.Error{Code: tocsin.Invalid, Detail: "The body broke off"}
	}
	if len(raw) > maxBody {
		return &tocsin.Error{Code: tooLarge, Detail: fmt.Sprintf("The body is over %d bytes", maxBody)}
	}
	c.raw = raw
	return nil
}

// nowhere answers what no operation stands for: a path that does not exist, or
// one that exists for other methods.
func (s *Server) nowhere(h http.Header, c *call) (any, error) {
	var allowed []string
	for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete} {
		probe := c.Request.Clone(context.Background())
		probe.Method = m
		if _, pattern := s.mux.Handler(probe); clean(c.URL) && pattern != "/" && pattern != "" {
			allowed = append(allowed, m)
		}
	}
	if len(allowed) == 0 {
		return nil, &tocsin.Error{Code: unknownPath, Detail: "There is nothing at this path; the operations stand under " + s.contract.Base + ", with their subjects in the path, such as " + s.contract.Base + "/screen/0x098B716B8Aaf21512996dC57EB0615e2383E2f96"}
	}
	h.Set("Allow", strings.Join(allowed, ", "))
	return nil, &tocsin.Error{Code: wrongMethod, Detail: "This path answers " + strings.Join(allowed, ", ")}
}
