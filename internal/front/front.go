// Package front is the front door of the service: the one handler around
// everything that is answered over HTTP. It names each request, bounds its
// size, survives a panic and writes the access log.
package front

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tocsin"
	"tocsin/internal/health"
	"tocsin/internal/limits"
)

// Bounds of a request, in bytes.
const (
	MaxBody = 320 << 10 // rooms may allow less
	MaxPath = 4 << 10   // escaped, without the query
)

// The errors that a room answers for the door; see [Room].
var (
	ErrPathTooLong = errors.New("the path is over " + strconv.Itoa(MaxPath) + " bytes")
	ErrPanic       = errors.New("panic")
	ErrBusy        = errors.New("too many request bodies are in progress")
)

// RetryBusy is the header Retry-After of an answer to ErrBusy. The door sets it.
const RetryBusy = 5 * time.Second

// Seconds is a wait as the header Retry-After has it (RFC 9110, section 10.2.3): in whole seconds, rounded up, and one
// at least.
func Seconds(wait time.Duration) int { return max(1, int((wait+time.Second-1)/time.Second)) }

// Room is a part of the service with its own form of answers: the API, the
// site, the MCP endpoint, the documents.
type Room interface {
	http.Handler

	// ServeError answers a request that the door refuses with ErrPathTooLong
	// or, with status 503, ErrBusy or, with status 403, what wraps [ErrForeign]
	// or [ErrCrowded] or, with status 429, a [TooFast],
	// or whose handler ended with ErrPanic before it answered.
	ServeError(w http.ResponseWriter, r *http.Request, err error)
}

// Request is what the door knows about an HTTP request.
type Request struct {
	ID string // the header X-Request-Id of the response; always ours, so that a caller cannot imitate another call

	number uint64 // of the requests of this process
	door   *Door
	http   *http.Request
	leave  func() // see [Request.Leave]; nil without a place

	refused  int  // how many refused requests of its network its line in the access log counts; 0: it was not refused
	unlogged bool // it was refused, and another line counts it
}

// Network returns the network that limits count the client by; see
// [Deployment.TrustedProxies]. It is the zero prefix for work that did not come
// through the door.
func (r *Request) Network() netip.Prefix {
	if r.http == nil {
		return netip.Prefix{}
	}
	addr, _ := r.client()
	return networkOf(addr)
}

// client returns the address of the client; see [Deployment.remote].
func (r *Request) client() (addr netip.Addr, unknown bool) {
	addr, malformed, unknown := r.door.deployment.remote(r.http)
	switch {
	case malformed != "":
		r.door.warnOfProxy(malformed)
	case unknown && !r.door.warnedUnknown.Swap(true):
		r.door.deployment.Log.Warn("requests carry X-Forwarded-For, but -trusted-proxies does not name the proxy that they " +
			"come from: all its clients count as one network, and share the limits of one (-rate, reports, look-ups). " +
			"This is logged once")
	}
	return addr, unknown
}

type requestKey struct{}

// With returns a context for work that did not come through the door, such as
// a call on standard input.
func With(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// Of returns what the door knows of the request that the context belongs to.
// It panics if the request did not come through the door: a room is never
// served without it.
func Of(ctx context.Context) *Request {
	r, ok := ctx.Value(requestKey{}).(*Request)
	if !ok {
		panic("front: the request did not come through the front door")
	}
	return r
}

// Door sends each request to its room. Register all rooms before it serves.
type Door struct {
	deployment *Deployment
	meter      Meter
	mux        *http.ServeMux
	below      map[string]Room // by path prefix, past the mux
	probes     map[string]bool // patterns of HandleProbe
	process    string          // start of the request ids of this process
	requests   atomic.Uint64
	bodies     bodies
	warned     atomic.Bool // of an entry in X-Forwarded-For
	hammering  hammering

	warnedUnknown atomic.Bool // of a proxy that is not trusted

	requestBudget *limits.Window[netip.Prefix] // nil for no bound
	crowd         *crowd                       // nil for no bound
}

// New returns a door without rooms.
func New(d *Deployment) *Door {
	d.parsed = d.base()
	return &Door{
		deployment: d,
		meter:      d.Count(),
		mux:        http.NewServeMux(),
		below:      map[string]Room{},
		probes:     map[string]bool{},
		process:    strconv.FormatInt(d.Now().UnixMicro(), 36),
	}
}

// Handle serves a pattern of [http.ServeMux] from a room.
func (d *Door) Handle(pattern string, room Room) { d.mux.Handle(pattern, room) }

// HandleProbe serves a pattern that is asked every few seconds for ever: the access log has only the answers that are
// not 200.
func (d *Door) HandleProbe(pattern string, room Room) {
	d.mux.Handle(pattern, room)
	d.probes[pattern] = true
}

// HandleBelow serves every path below a prefix from a room, exactly as it was
// sent. The mux would redirect a path that holds a URL with its two slashes.
func (d *Door) HandleBelow(prefix string, room Room) { d.below[prefix] = room }

// ServeHTTP implements [http.Handler].
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := d.deployment.Now()
	about := d.newRequest(r)
	r = r.WithContext(With(r.Context(), about))
	handler, route := d.find(r)
	probe := d.probes[route]
	out := &response{ResponseWriter: w, about: about, to: connectionOf(r)}
	out.Header().Set("X-Request-Id", about.ID)
	out.Header().Set("X-Content-Type-Options", "nosniff")
	path := r.URL.Path // a room may change it
	defer func() {
		cutOff := false
		if crash := recover(); crash != nil {
			if crash == http.ErrAbortHandler {
				panic(crash)
			}
			cutOff = out.status != 0
			d.deployment.Log.LogAttrs(r.Context(), slog.LevelError, "panic", slog.String("id", about.ID),
				slog.Any("value", crash), slog.String("stack", string(debug.Stack())))
			if room, ok := handler.(Room); ok && !cutOff {
				room.ServeError(out, r, ErrPanic)
			}
		}
		if r.Pattern != "" && r.Pattern != "/" {
			route = r.Pattern // of the room's own mux, which is more precise
		}
		if _, path, found := strings.Cut(route, " "); found {
			route = path // the method is there already
		}
		end := d.deployment.Now()
		d.meter.Served(r.Method, route, out.status, end.Sub(start))
		var callerID slog.Attr // empty ones are left out
		if id := plainID(r.Header.Get("X-Request-Id")); id != "" {
			callerID = slog.String("callerId", id)
		}
		trace := d.trace(Ended{ID: about.ID, Method: r.Method, Route: route, Status: out.status, Start: start, End: end},
			r.Header, probe)
		var refused slog.Attr
		if about.refused > 0 {
			refused = slog.Int("refused", about.refused)
		}
		if d.logs(probe, out.status, about) {
			logRequest(r.Context(), d.deployment.Log, end, slog.String("id", about.ID), callerID, trace, d.tag(about),
				slog.String("method", r.Method), slog.String("path", tocsin.LogPath(path)), slog.String("route", route),
				slog.Int("status", out.status), slog.Int64("us", end.Sub(start).Microseconds()), refused)
		}
		if cutOff {
			panic(http.ErrAbortHandler) // or half a response would look like a whole one
		}
	}()
	if !probe && !d.admit(out, r, handler, about) {
		return
	}
	if room, ok := handler.(Room); ok && len(r.URL.EscapedPath()) > MaxPath {
		room.ServeError(out, r, ErrPathTooLong)
		return
	}
	if err := d.deployment.checkForeign(r); err != nil {
		refuse(out, r, handler, http.StatusForbidden, err)
		return
	}
	release := func() {}
	if r.Body != http.NoBody {
		leave, err := d.receive(out, r)
		if err != nil {
			d.deployment.refused(health.Bodies)
			out.Header().Set("Retry-After", strconv.Itoa(Seconds(RetryBusy)))
			refuse(out, r, handler, http.StatusServiceUnavailable, err)
			return
		}
		release = sync.OnceFunc(leave)
		defer release()
		BoundBody(out, r, MaxBody)
	} else if c := connectionOf(r); c != nil && !c.origin.IsValid() {
		c.requests(about.Network(), false) // of a client of a trusted proxy
	}
	if !probe {
		if about.leave = d.crowd.enter(); about.leave == nil {
			d.deployment.refused(health.Overload)
			release() // nobody works on the body
			time.Sleep(d.crowd.turnOfRefusal())
			out.Header().Set("Retry-After", strconv.Itoa(Seconds(RetryCrowded)))
			answer(out, r, handler, http.StatusServiceUnavailable, ErrCrowded) // the body has been read
			return
		}
		defer about.Leave()
	}
	handler.ServeHTTP(out, r)
}

// refuse answers a request whose body is not read.
func refuse(w http.ResponseWriter, r *http.Request, handler http.Handler, status int, err error) {
	if r.Body != http.NoBody {
		w.Header().Set("Connection", "close") // or net/http would read the body before it answers
	}
	answer(w, r, handler, status, err)
}

// answer has the room of a request say why it is refused.
func answer(w http.ResponseWriter, r *http.Request, handler http.Handler, status int, err error) {
	if room, ok := handler.(Room); ok {
		room.ServeError(w, r, err)
		return
	}
	http.Error(w, err.Error(), status)
}

// BoundBody lets a room read at most n bytes of the body, if it allows less than
// MaxBody. Reading more is a [*http.MaxBytesError], and closes the connection.
func BoundBody(w http.ResponseWriter, r *http.Request, n int64) {
	if out, ok := w.(*response); ok {
		w = out.ResponseWriter // net/http closes the connection only if it is given its own writer
	}
	r.Body = http.MaxBytesReader(w, r.Body, n)
}

// find returns the handler of a request and the pattern that it matched.
func (d *Door) find(r *http.Request) (http.Handler, string) {
	for prefix, room := range d.below {
		if strings.HasPrefix(r.URL.Path, prefix) {
			return room, prefix
		}
	}
	return d.mux.Handler(r)
}

// warnOfProxy logs, once in the life of the process, that a trusted proxy writes
// something else than addresses. The log shows the form of the entry without its
// digits: no addresses are logged.
func (d *Door) warnOfProxy(entry string) {
	if d.warned.Swap(true) {
		return
	}
	form := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return '0'
		}
		return r
	}, tocsin.Shorten(entry, 40))
	d.deployment.Log.Warn("an entry of X-Forwarded-For from a trusted proxy is not an IP address; "+
		"limits count its clients as one network. This is logged once", "form", form)
}

// newRequest numbers a request.
func (d *Door) newRequest(r *http.Request) *Request {
	n := d.requests.Add(1)
	return &Request{ID: d.process + "-" + strconv.FormatUint(n, 36), number: n, door: d, http: r}
}

// logs reports whether a request belongs in the access log. What failed on our side always does; of the requests that
// the rate of their network refuses, there is one a second.
func (d *Door) logs(probe bool, status int, about *Request) bool {
	switch every := d.deployment.AccessLog; {
	case status >= http.StatusInternalServerError:
		return true
	case probe && status == http.StatusOK, every < 0, about.unlogged:
		return false
	default:
		return every <= 1 || about.refused > 0 || about.number%uint64(every) == 0
	}
}

// tag is the attribute of the access log that names the network, empty if none is wanted.
func (d *Door) tag(r *Request) slog.Attr {
	if d.deployment.Tag == nil {
		return slog.Attr{}
	}
	return slog.String("net", d.deployment.Tag(r.Network()))
}

// plainID returns a caller's own id of a request if it is short and plain, otherwise "".
func plainID(id string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	if len(id) > 64 || strings.Trim(id, plain) != "" {
		return ""
	}
	return id
}

// response notes the status of a response for the access log.
type response struct {
	http.ResponseWriter
	status int // 0: nothing was written yet
	about  *Request
	to     *connection // nil if the listener bounds none
}

// WriteHeader implements [http.ResponseWriter].
func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
		w.about.Leave() // a reader may be slow
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (w *response) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
		w.about.Leave()
	}
	if w.to != nil {
		w.to.writing = true
		defer func() { w.to.writing = false }()
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets [http.ResponseController] reach the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }
