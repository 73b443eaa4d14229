package front

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"tocsin/internal/limits"
)

// Bounds of the request bodies in progress.
const (
	maxBodies        = 32 << 20 // bytes that have arrived, of all networks
	maxNetworkBodies = 8 << 20  // bytes that have arrived, of one network
	sureBodies       = 1 << 20  // bytes that have arrived, of one network in the last half of those of all
	maxArriving      = 32       // bodies of one network that have not arrived as a whole
	smallBody        = 16 << 10 // bytes of each body that are not counted: only maxArriving bounds them
	bodyStep         = 16 << 10 // bytes that are counted at once
)

var bodyShares = limits.Shares{All: maxBodies, Network: maxNetworkBodies, Sure: sureBodies}

// smallBodyTime is how long the first smallBody bytes of a body may take. The server bounds how long all of it may.
const smallBodyTime = 5 * time.Second

// bodies counts the request bodies in progress. A place is held while a body arrives. Its bytes are counted as they
// arrive, whatever was announced, until the request is answered, since rooms keep a body until then.
type bodies struct {
	mu        sync.Mutex
	all       int64
	byNetwork map[netip.Prefix]inProgress
}

// inProgress is what is counted for one network.
type inProgress struct {
	arriving int
	bytes    int64
}

// change counts bodies that begin or have arrived, and bytes. It counts nothing and is not ok if there would be too
// many.
func (b *bodies) change(network netip.Prefix, arriving int, bytes int64) (ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := b.byNetwork[network]
	if arriving > 0 && n.arriving+arriving > maxArriving ||
		bytes > 0 && !bodyShares.Room(int(b.all), int(n.bytes), int(bytes)) {
		return false
	}
	n.arriving += arriving
	n.bytes += bytes
	b.all += bytes
	if b.byNetwork == nil {
		b.byNetwork = map[netip.Prefix]inProgress{}
	}
	if b.byNetwork[network] = n; n == (inProgress{}) {
		delete(b.byNetwork, network)
	}
	return true
}

// body is one body that arrives.
type body struct {
	bodies  *bodies
	network netip.Prefix
	counted int64 // bytes
}

// leave ends the count of its bytes.
func (b *body) leave() {
	if b.counted > 0 {
		b.bodies.change(b.network, 0, -b.counted)
	}
}

// receive reads the body of a request into memory, MaxBody bytes of it at most, before a room begins to work on it: so
// a slow one takes nothing but its place here. The room reads what has arrived and then the error, if there was one.
// It is ErrBusy if there are too many bodies. Leave is to be called when the request is answered.
func (d *Door) receive(w http.ResponseWriter, r *http.Request) (leave func(), err error) {
	arriving := &body{bodies: &d.bodies, network: Of(r.Context()).Network()}
	if !d.bodies.change(arriving.network, 1, 0) {
		return nil, ErrBusy
	}
	defer d.bodies.change(arriving.network, -1, 0)
	connection := connectionOf(r)
	connection.requests(arriving.network, true)
	slow := time.AfterFunc(smallBodyTime, func() {
		http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) // ends the reading
	})
	text, err := arriving.read(r.Body, r.ContentLength, slow)
	slow.Stop()
	if errors.Is(err, ErrBusy) {
		arriving.leave()
		return nil, err
	}
	rest := r.Body
	if err != nil { // io.EOF as a rule
		rest = &ended{err, r.Body}
	}
	if errors.Is(err, io.EOF) {
		connection.requests(arriving.network, false)
	}
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(text), rest), r.Body}
	return arriving.leave, nil
}

// read reads a body of n bytes, -1 if that is unknown, to its end, or a little more than MaxBody. It stops the timer
// when more than smallBody bytes have arrived.
func (b *body) read(from io.Reader, n int64, slow *time.Timer) (text []byte, err error) {
	if n < 0 {
		n = 1 << 10
	}
	text = make([]byte, 0, min(n, smallBody)+1)
	for err == nil && len(text) <= MaxBody {
		if len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
		var got int
		got, err = from.Read(text[len(text):cap(text)])
		if text = text[:len(text)+got]; len(text) > smallBody {
			slow.Stop()
		}
		for int64(len(text)) > smallBody+b.counted {
			if !b.bodies.change(b.network, 0, bodyStep) {
				return nil, ErrBusy
			}
			b.counted += bodyStep
		}
	}
	return text, err
}

// ended is the rest of a body that cannot be read any further.
type ended struct {
	err error
	io.Closer
}

// Read implements [io.Reader].
func (e *ended) Read([]byte) (int, error) { return 0, e.err }
