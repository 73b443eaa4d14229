package front

import (
	"net/netip"
	"sync"
)

// Bounds of the request bodies in progress, in bytes as announced; a body without a length counts as MaxBody.
const (
	maxBodies        = 32 << 20
	maxNetworkBodies = 8 << 20
	smallBody        = 16 << 10 // not counted: only connections bound how many there are
)

// bodies counts the request bodies in progress, from the headers of a request to the end of its answer, since rooms
// keep a body until then. Small ones are not counted: no flood of large bodies keeps a report out.
type bodies struct {
	mu        sync.Mutex
	all       int64
	byNetwork map[netip.Prefix]int64
}

// enter counts a body of n bytes, -1 if that is unknown, until it leaves. It is not ok if there are too many already.
func (b *bodies) enter(network netip.Prefix, n int64) (leave func(), ok bool) {
	if n >= 0 && n <= smallBody {
		return func() {}, true
	}
	if n < 0 || n > MaxBody {
		n = MaxBody
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.all+n > maxBodies || b.byNetwork[network]+n > maxNetworkBodies {
		return nil, false
	}
	if b.byNetwork == nil {
		b.byNetwork = map[netip.Prefix]int64{}
	}
	b.all += n
	b.byNetwork[network] += n
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.all -= n
		if b.byNetwork[network] -= n; b.byNetwork[network] == 0 {
			delete(b.byNetwork, network)
		}
	}, true
}
