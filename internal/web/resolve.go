package web

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"tocsin"
	"tocsin/internal/evm"
	"tocsin/internal/front"
)

const (
	// resolveTime is how long nodes may take to answer one visitor.
	resolveTime = 4 * time.Second
	// resolutionAge is how long an answer is shown again without asking, and maxResolutions is how many are kept.
	resolutionAge  = 10 * time.Minute
	maxResolutions = 1000
	// resolverFailures is how many failures in a row end the asking for resolverPause.
	resolverFailures = 3
	resolverPause    = 30 * time.Second
)

// resolution is what an ENS name or a transaction leads to.
type resolution struct {
	Name    string // the ENS name; "" for a transaction
	Hash    string // of the transaction; "" for a name
	Chain   string // the CAIP-2 id of its chain
	Token   bool   // it is a transfer of a token to the subject
	Called  bool   // it calls the subject, which may have paid somebody else
	Waiting bool   // it is in no block yet
	At      tocsin.Time
	subject tocsin.Subject
}

// ShortHash is the beginning and the end of the hash.
func (r resolution) ShortHash() string { return r.Hash[:10] + "…" + r.Hash[len(r.Hash)-8:] }

// Why nothing was found out about a name or a transaction.
type unresolved string

const (
	noNode       unresolved = "no node"   // none of the chain is configured
	notPlain     unresolved = "not plain" // the name has letters that others imitate
	noAddress    unresolved = "nothing"   // the node knows no address of it
	keptApart    unresolved = "elsewhere" // the address of the name is not on Ethereum
	nodesSilent  unresolved = "silent"    // no node has answered
	tooManyAsked unresolved = "too many"  // of the network or of all, within the hour
)

// Error implements error.
func (e unresolved) Error() string { return string(e) }

// isHash matches the hash of a transaction.
var isHash = regexp.MustCompile(`^0x[0-9a-f]{64}$`)

// resolver asks nodes what ENS names and transactions lead to. Its methods may be called from any goroutine.
type resolver struct {
	nodes []*evm.Node
	now   func() time.Time

	mu       sync.Mutex
	kept     map[string]keptResolution
	failures int       // in a row
	until    time.Time // when nodes may be asked again
}

// keptResolution is an answer of nodes: a resolution, or why there is none.
type keptResolution struct {
	resolution
	none unresolved
}

// resolve returns what an ENS name or the hash of a transaction leads to. The error is an [unresolved], or one of
// [Site.lookUp] for requests that nobody has typed. Chain is that of the transaction, "" if it is not known.
func (s *Site) resolve(req *request, text, chain string) (resolution, error) {
	if req.Method == http.MethodHead {
		return resolution{}, errHead
	}
	if req.embedded() {
		return resolution{}, errCrossSite
	}
	name, hash := evm.ENSName{}, ""
	key := strings.ToLower(text)
	nothing := key // under which it is kept that there is nothing
	if strings.HasPrefix(key, "0x") {
		if hash = key; !isHash.MatchString(hash) { // a link can say anything
			return resolution{}, noAddress
		}
		nothing += " " + chain // a link chooses the chain; on another one there may be something
	} else {
		var plain bool
		if name, plain = evm.ParseENSName(text); !plain {
			return resolution{}, notPlain
		}
		chain = chainOf(evm.Ethereum)
	}
	nodes := s.resolver.of(chain)
	if len(nodes) == 0 {
		return resolution{}, noNode
	}
	for _, key := range []string{key, nothing} {
		if known, ok := s.resolver.recall(key); ok {
			return known.resolution, known.err()
		}
	}
	if !s.resolver.open() {
		return resolution{}, nodesSilent
	}
	budgets, network := s.api.Budgets(), front.Of(req.Context()).Network()
	leave, ok := budgets.Resolving.Try(network)
	if !ok {
		return resolution{}, nodesSilent
	}
	defer leave()
	front.Of(req.Context()).Leave()
	wait, undo := budgets.Resolutions.Take(network)
	if wait == 0 {
		if wait, _ = budgets.TotalResolutions.Take(network, 1); wait > 0 {
			undo()
		}
	}
	if wait > 0 {
		return resolution{}, tooManyAsked
	}
	ctx, cancel := context.WithTimeout(req.Context(), resolveTime)
	defer cancel()
	found, err := ask(ctx, nodes, name, hash)
	found.At = s.db.Now()
	if none := unresolved(""); err == nil || errors.As(err, &none) {
		if none != "" {
			key = nothing
		}
		s.resolver.keep(key, keptResolution{found, none})
		return found, err
	}
	if req.Context().Err() == nil {
		if !evm.Answered(err) { // a contract can make a node answer with an error, and anybody has one
			s.resolver.fail()
		}
		s.log.Warn("a node does not say where a name or a transaction leads: " + err.Error())
	}
	return resolution{}, nodesSilent
}

// ask asks the nodes one after the other: the first one that knows it.
func ask(ctx context.Context, nodes []*evm.Node, name evm.ENSName, hash string) (resolution, error) {
	if hash == "" {
		a, err := nodes[0].ResolveENS(ctx, name)
		switch {
		case errors.Is(err, evm.ErrNoENSAddress):
			err = noAddress
		case errors.Is(err, evm.ErrENSElsewhere):
			err = keptApart
		}
		return resolution{Name: name.String(), Chain: chainOf(evm.Ethereum), subject: a.Subject()}, err
	}
	var failure error = noAddress
	for _, node := range nodes {
		t, err := node.Transaction(ctx, hash)
		if err != nil {
			failure = err
			continue
		}
		if t != nil {
			return resolution{Hash: hash, Chain: chainOf(node.Chain()), Token: t.Token, Called: t.Called, Waiting: !t.Mined,
				subject: t.To.Subject()}, nil
		}
	}
	return resolution{}, failure
}

// err is why there is no resolution; nil if there is one.
func (k keptResolution) err() error {
	if k.none == "" {
		return nil
	}
	return k.none
}

// of returns the nodes of a chain; of any for "".
func (r *resolver) of(chain string) (nodes []*evm.Node) {
	for _, n := range r.nodes {
		if chain == "" || chain == chainOf(n.Chain()) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// open reports whether nodes may be asked.
func (r *resolver) open() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.now().Before(r.until)
}

// fail counts a failure.
func (r *resolver) fail() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failures++; r.failures >= resolverFailures {
		r.until = r.now().Add(resolverPause)
	}
}

// recall returns an answer that is not too old.
func (r *resolver) recall(key string) (keptResolution, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, ok := r.kept[key]
	return k, ok && r.now().Sub(k.At.Std()) < resolutionAge
}

// keep keeps an answer. Where there is no room, an older one goes; any will do.
func (r *resolver) keep(key string, k keptResolution) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = 0
	if _, known := r.kept[key]; !known && len(r.kept) >= maxResolutions {
		for other := range r.kept {
			delete(r.kept, other)
			break
		}
	}
	r.kept[key] = k
}

// chainOf is the CAIP-2 id of an EVM chain.
func chainOf(id uint64) string { return "eip155:" + strconv.FormatUint(id, 10) }
