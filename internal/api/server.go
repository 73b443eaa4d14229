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
	"sync/atomic"
	"time"

	"tocsin"
	"tocsin/internal/contract"
	"tocsin/internal/evm"
	"tocsin/internal/front"
	"tocsin/internal/limits"
	"tocsin/internal/lookalike"
	"tocsin/internal/store"
	"tocsin/internal/x402"
)

// maxBody is how large a request body may be, in bytes.
const maxBody = 256 << 10

// Config is what the operator decides.
type Config struct {
	front.Deployment
	Chain    uint64    // EIP-155 id of the network that payments are made on; 0 is Base
	Node     *evm.Node // is asked about the signatures of contract wallets of its chain; may be nil
	Payments Payments
	Names    *lookalike.Detector // judges the names of domains; nil for nobody
	Refused  func() string       // why a model was not given to Names, "" if none was refused; nil for nobody to say
	// Signals returns what services say about a domain, as far as it is known. It must not wait. Nil asks nobody.
	Signals func(tocsin.Domain) *tocsin.Signals
	Refresh Refresh // the lists that this process imports by itself
}

// Server answers the API.
type Server struct {
	db         *store.DB
	config     Config
	log        *slog.Logger
	contract   *contract.Contract
	operations map[string]*operation // by id
	mux        *http.ServeMux
	notFound   http.Handler // answers paths and methods without an operation
	catchAll   []string     // path prefixes whose last parameter may hold slashes
	budgets    *limits.Budgets
	buffers    sync.Pool // of *bytes.Buffer, for answers; see recycle
	unknown    atomic.Pointer[unknownScreening]

	screen func(*tocsin.Dossier, time.Time) tocsin.Screening // tocsin.Screen
	asOf   func(now time.Time) time.Time                     // store.DB.AsOf
}

// New builds the API over a database. An error is a fault of the contract.
func New(db *store.DB, config Config) (*Server, error) {
	c, err := contract.Read(contract.Options{
		BaseURL:      config.BaseURL,
		Quota:        config.Quota,
		Payments:     config.Payments.taken(),
		PaymentCodes: paymentCodes,
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
		budgets:    limits.New(config.Limits, func() time.Time { return db.Now().Std() }),
		screen:     tocsin.Screen,
		asOf:       db.AsOf,
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
			s.catchAll = append(s.catchAll, op.Path[:strings.LastIndexByte(op.Path, '/')+1])
		}
		s.mux.Handle(op.Method+" "+op.Path, s.serve(func(c *call) (response, error) { return s.run(op, c) }))
	}
	for id := range endpoints {
		return nil, fmt.Errorf("openapi.yaml: endpoint %q has no operation", id)
	}
	s.notFound = s.serve(s.serveNotFound)
	s.mux.Handle("/", s.notFound)
	return s, nil
}

// Deployment returns what the operator decided.
func (s *Server) Deployment() *front.Deployment { return &s.config.Deployment }

// Names returns what judges domain names; nil if nothing does.
func (s *Server) Names() *lookalike.Detector { return s.config.Names }

// RefusedModel returns why the file of the model of names is not in use; "" if it is.
func (s *Server) RefusedModel() string {
	if s.config.Refused == nil {
		return ""
	}
	return s.config.Refused()
}

// Budgets returns the limits that the API and everything over it share.
func (s *Server) Budgets() *limits.Budgets { return s.budgets }

// ShareLimits makes the limits those of all processes on the database, if it is one of several machines. It must be
// called before anything is served, and run until nothing is.
func (s *Server) ShareLimits(ctx context.Context) (run func(context.Context), err error) {
	ledger, secret, err := s.db.Ledger(ctx)
	if err != nil || ledger == nil {
		return func(context.Context) {}, err
	}
	if run, err = s.budgets.Share(ctx, ledger, secret); err != nil {
		s.log.Warn("limits of other processes are not known yet: " + err.Error())
	}
	return run, nil
}

// call is one call of an operation.
type call struct {
	*http.Request
	id        string
	tool      *toolCall      // nil for a request over HTTP
	input     contract.Input // checked query and headers
	body      []byte         // as it was sent; nil before it is read
	value     any            // the body, decoded
	schemaErr error          // the faults that the schema finds in the body
	parsed    any            // what the parse step of the endpoint returned

	paid           bool          // the response is kept for its payment
	uncharged      bool          // it failed with a key, and took no free call
	responseHeader http.Header   // that of the request is Header
	receipt        *x402.Receipt // of a payment that was settled, or failed to
	out            *bytes.Buffer // holds the body of the response
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if AllowOrigins(w.Header(), r) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	s.escapeCatchAll(r.URL)
	if !clean(r.URL) {
		s.notFound.ServeHTTP(w, r) // the mux would answer with a redirect in HTML
		return
	}
	s.mux.ServeHTTP(w, r)
}

func clean(u *url.URL) bool {
	at := u.EscapedPath()
	return path.Clean(at) == at || path.Clean(at)+"/" == at
}

// escapeCatchAll escapes the slashes of a last parameter that may be a URL, so that
// the mux does not clean them away.
func (s *Server) escapeCatchAll(u *url.URL) {
	for _, prefix := range s.catchAll {
		if rest, ok := strings.CutPrefix(u.Path, prefix); ok && rest != "" {
			u.RawPath = prefix + url.PathEscape(rest)
		}
	}
}

// ServeError implements [front.Room].
func (s *Server) ServeError(w http.ResponseWriter, r *http.Request, err error) {
	h := w.Header()
	if AllowOrigins(h, r) {
		w.WriteHeader(http.StatusNoContent) // or a browser would not send the request, and not see why
		return
	}
	h.Set("Cache-Control", "no-store")
	if errors.Is(err, front.ErrPathTooLong) {
		err = &tocsin.Error{Code: tooLong, Detail: "The path is too long: " + err.Error()}
	}
	if errors.Is(err, front.ErrForeign) {
		err = &tocsin.Error{Code: foreignRequest, Detail: tocsin.Sentence(err.Error())}
	}
	if errors.Is(err, front.ErrCrowded) {
		err = later(unavailable, front.RetryCrowded, "Too many requests are being answered; send the same request again")
	}
	if errors.Is(err, front.ErrBusy) {
		err = later(unavailable, front.RetryBusy,
			"Too many large request bodies are in progress; send the same request again")
	}
	if fast := (front.TooFast{}); errors.As(err, &fast) {
		err = later(tooFast, fast.Wait, "Too many requests come from your network; send the same request again later")
	}
	write(w, s.failure(r.Context(), err).response(h))
}

// serve makes a handler that writes the one response.
func (s *Server) serve(run func(*call) (response, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		out := s.buffers.Get().(*bytes.Buffer)
		defer s.recycle(out)
		c := &call{Request: r, id: front.Of(r.Context()).ID, responseHeader: h, out: out}
		res, err := run(c)
		if err != nil {
			res = s.failureOf(c, err).response(h)
		}
		if c.receipt != nil {
			h.Set(x402.ReceiptHeader, c.receipt.Header())
		}
		write(w, res)
	})
}

// maxPooled is how large a buffer for answers may be to be used again, in bytes. Most
// answers are smaller. A pool of larger ones would keep as many of them as there were
// slow readers at once.
const maxPooled = 64 << 10

// recycle keeps a buffer for another answer, unless it is large.
func (s *Server) recycle(b *bytes.Buffer) {
	if b.Cap() <= maxPooled {
		s.buffers.Put(b)
	}
}

// checkBody reads a JSON body. The faults that its schema finds stay in c.schemaErr,
// so that an endpoint can add its own and name all at once.
func (c *call) checkBody(op *contract.Operation) error {
	if front.IsCoded(c.Request) {
		c.responseHeader.Set("Accept-Encoding", "identity") // RFC 9110, section 15.5.16
		return &tocsin.Error{
			Code:   wrongMedia,
			Detail: "The body is compressed, which is not understood here: send it as it is, without Content-Encoding",
		}
	}
	media, _, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || media != "application/json" {
		return &tocsin.Error{
			Code:   wrongMedia,
			Detail: "The body must be JSON: send the header Content-Type: application/json",
		}
	}
	if err := c.readBody(); err != nil {
		return err
	}
	var malformed error
	c.value, malformed, c.schemaErr = op.CheckBody(c.body)
	return malformed
}

// readBody reads the body as it is, once.
func (c *call) readBody() error {
	if c.body != nil {
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(c.Body, maxBody+1))
	if err != nil {
		return &tocsin.Error{Code: tocsin.Invalid, Detail: "The request body was cut off"}
	}
	if len(raw) > maxBody {
		return &tocsin.Error{Code: tooLarge, Detail: fmt.Sprintf("The body is over %d bytes", maxBody)}
	}
	c.body = raw
	return nil
}

// serveNotFound answers requests without an operation: 404 for a path that does not
// exist, 405 for one that exists for other methods.
func (s *Server) serveNotFound(c *call) (response, error) {
	var allowed []string
	for _, m := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodDelete} {
		probe := c.Request.Clone(context.Background())
		probe.Method = m
		if _, pattern := s.mux.Handler(probe); clean(c.URL) && pattern != "/" {
			allowed = append(allowed, m)
		}
	}
	if len(allowed) == 0 {
		return response{}, &tocsin.Error{
			Code: unknownPath,
			Detail: "No such path. The operations are under " + s.contract.Base + ", with their subjects in the path, such as " +
				s.contract.Base + "/screen/0x098B716B8Aaf21512996dC57EB0615e2383E2f96; all are in " +
				s.config.BaseURL + "/docs and " + s.config.BaseURL + "/openapi.json",
		}
	}
	c.responseHeader.Set("Allow", strings.Join(allowed, ", "))
	return response{}, &tocsin.Error{Code: wrongMethod, Detail: "This path answers " + strings.Join(allowed, ", ")}
}
