// Package api is Tocsin's JSON API. It serves the operations of package contract: an operation without an endpoint or
// an endpoint without an operation stops the program.
package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"tocsin"
	"tocsin/internal/contract"
	"tocsin/internal/evm"
	"tocsin/internal/front"
	"tocsin/internal/limits"
	"tocsin/internal/store"
	"tocsin/internal/x402"
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
	budgets    *limits.Budgets
	buffers    sync.Pool // of *bytes.Buffer, for answers

	screen  func(*tocsin.Dossier, time.Time) tocsin.Screening // tocsin.Screen
	encoded reportCache
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
	s := &Server{
		db:         db,
		config:     config,
		log:        config.Log,
		contract:   c,
		operations: map[string]*operation{},
		mux:        http.NewServeMux(),
		budgets:    limits.New(config.Filings, config.Lookups, func() time.Time { return db.Now().Std() }),
		screen:     tocsin.Screen,
	}
	s.buffers.New = func() any { return new(bytes.Buffer) }
	endpoints := s.endpoints()
	for _, op := range c.Operations() {
		op, err := newOperation(op, endpoints[op.ID])
		if err != nil {
			return nil, err
		}
		s.operations[op.ID] = op
		delete(endpoints, op.ID)
		if op.CatchAll {
			s.rests = append(s.rests, op.Path[:strings.LastIndexByte(op.Path, '/')+1])
		}
		s.mux.Handle(op.Method+" "+op.Path, s.serve(func(c *call) (response, error) { return s.run(op, c) }))
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
	id     string
	tool   *toolCall      // nil: it came over HTTP, as itself
	input  contract.Input // checked query and headers
	raw    []byte         // body
	bad    error          // what the schema has against the body
	parsed any            // of the endpoint

	paid    bool          // the response is kept for its payment
	header  http.Header   // of the response
	receipt *x402.Receipt // of a payment that was settled, or failed to
	out     *bytes.Buffer // holds the body of the response
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
	h := w.Header()
	AllowOrigins(h, r)
	h.Set("Cache-Control", "no-store")
	if errors.Is(err, front.ErrPathTooLong) {
		err = &tocsin.Error{Code: tooLong, Detail: "The path is too long: " + err.Error()}
	}
	write(w, s.failure(r.Context(), err).response(h))
}

// serve makes a handler that writes the one response.
func (s *Server) serve(run func(*call) (response, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		out := s.buffers.Get().(*bytes.Buffer)
		defer s.buffers.Put(out)
		c := &call{Request: r, id: front.Of(r.Context()).ID, header: h, out: out}
		res, err := run(c)
		if err != nil {
			res = s.failure(r.Context(), err).response(h)
		}
		if c.receipt != nil {
			h.Set(x402.ReceiptHeader, c.receipt.Header())
		}
		write(w, res)
	})
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
func (s *Server) nowhere(c *call) (response, error) {
	var allowed []string
	for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete} {
		probe := c.Request.Clone(context.Background())
		probe.Method = m
		if _, pattern := s.mux.Handler(probe); clean(c.URL) && pattern != "/" && pattern != "" {
			allowed = append(allowed, m)
		}
	}
	if len(allowed) == 0 {
		return response{}, &tocsin.Error{Code: unknownPath, Detail: "There is nothing at this path; the operations stand under " + s.contract.Base + ", with their subjects in the path, such as " + s.contract.Base + "/screen/0x098B716B8Aaf21512996dC57EB0615e2383E2f96"}
	}
	c.header.Set("Allow", strings.Join(allowed, ", "))
	return response{}, &tocsin.Error{Code: wrongMethod, Detail: "This path answers " + strings.Join(allowed, ", ")}
}
