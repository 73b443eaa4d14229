// Package ops is what those who run the service see of it: the probes of load balancers and supervisors, metrics and
// profiles. The probes are on the service's own address, all else on another one (serve -admin).
package ops

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"tocsin/internal/front"
	"tocsin/internal/health"
	"tocsin/internal/store"
)

// Paths of the probes.
const (
	AlivePath = "/healthz"
	ReadyPath = "/readyz"
)

// Mount serves the probes. Both answer GET and HEAD, cost no calls and need no key.
func Mount(d *front.Door, db *store.DB, board *health.Board, now func() time.Time) {
	d.HandleProbe(AlivePath, alive{})
	d.HandleProbe(ReadyPath, &ready{db: db, board: board, now: now})
}

// alive answers as long as the process does: a supervisor should not restart one whose database is away, since it
// recovers by itself.
type alive struct{ errorPage }

// ServeHTTP implements [http.Handler].
func (alive) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !onlyRead(w, r) {
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write([]byte("ok\n"))
}

// ready says whether requests should be sent to this process: 200 or 503.
type ready struct {
	errorPage
	db    *store.DB
	board *health.Board
	now   func() time.Time

	mu   sync.Mutex
	at   time.Time
	last readiness
}

// readiness is the body of an answer of /readyz.
type readiness struct {
	Ready  bool    `json:"ready"`
	Checks []check `json:"checks"`
}

// check is one thing that /readyz looks at.
type check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"` // why it is not ok, or what is to be known of it though it is
}

const (
	// readyKept is how long an answer is kept: anybody may ask, and each costs a read of the database.
	readyKept = 500 * time.Millisecond
	// readyTimeout is how long the database may take.
	readyTimeout = 3 * time.Second
)

// ServeHTTP implements [http.Handler].
func (h *ready) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !onlyRead(w, r) {
		return
	}
	state := h.current(r.Context())
	text, err := json.Marshal(state)
	if err != nil {
		h.ServeError(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if !state.Ready {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	w.Write(append(text, '\n'))
}

// current returns an answer that is at most readyKept old. While one caller finds it out the others wait.
func (h *ready) current(ctx context.Context) readiness {
	h.mu.Lock()
	defer h.mu.Unlock()
	if age := h.now().Sub(h.at); age < 0 || age >= readyKept {
		// The caller may give up, but others wait for the answer.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout)
		defer cancel()
		h.last = h.look(ctx)
		h.at = h.now()
	}
	return h.last
}

func (h *ready) look(ctx context.Context) readiness {
	condition := h.db.Condition()
	err := h.db.Probe(ctx)
	if err == nil {
		err = h.db.Readable(ctx)
	}
	database, schema := databaseChecks(err)
	events := check{Name: "events", OK: condition.Outage == nil || condition.Outage.Part != health.Events}
	if !events.OK {
		events.Detail = condition.Outage.Public()
	}
	model := check{Name: "readModel", OK: condition.Model != store.ModelLoading, Detail: string(condition.Model)}
	switch fault := condition.ModelFault; {
	case model.OK || fault == nil:
	case store.Damaged(fault):
		model.Detail = "It cannot be loaded: the database is damaged"
	default:
		model.Detail = "It could not be loaded, and is tried again"
	}
	disk := check{Name: "disk", OK: true} // a warning: look-ups work, and other processes have no other disk
	for _, t := range h.board.Troubles() {
		if t.Lasting && t.Part == health.Disk {
			disk.Detail = t.String()
		}
	}
	now := readiness{Ready: true, Checks: []check{database, schema, events, model, disk}}
	for _, c := range now.Checks {
		now.Ready = now.Ready && c.OK
	}
	return now
}

// databaseChecks say what the error of [store.DB.Probe] or [store.DB.Readable] means: whether the database can be read,
// and whether its schema is one that this program knows.
func databaseChecks(err error) (database, schema check) {
	database, schema = check{Name: "database", OK: true}, check{Name: "schema", OK: true}
	var outage *store.Outage
	var newer store.NewerSchema
	switch {
	case errors.As(err, &newer):
		schema.OK, schema.Detail = false, newer.Error()
	case errors.As(err, &outage):
		database.OK, database.Detail = false, outage.Public()
	case store.Damaged(err):
		database.OK, database.Detail = false, "The database is damaged: some of it cannot be read"
	case err != nil:
		database.OK, database.Detail = false, "The database does not answer" // its own words may name hosts and users
	}
	return database, schema
}

// onlyRead answers requests with other methods than GET and HEAD. Answers are those of this moment.
func onlyRead(w http.ResponseWriter, r *http.Request) bool {
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	http.Error(w, "Send GET or HEAD.", http.StatusMethodNotAllowed)
	return false
}

// errorPage answers what the door refuses.
type errorPage struct{}

// ServeError implements [front.Room].
func (errorPage) ServeError(w http.ResponseWriter, _ *http.Request, err error) {
	status := http.StatusInternalServerError
	switch {
	case errors.Is(err, front.ErrForeign):
		status = http.StatusForbidden
	case errors.Is(err, front.ErrBusy):
		status = http.StatusServiceUnavailable
	}
	http.Error(w, http.StatusText(status), status)
}
