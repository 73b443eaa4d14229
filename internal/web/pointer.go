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
	// pointerTime is how long nodes may take to answer one visitor.
	pointerTime = 4 * time.Second
	// pointerAge is how long an answer is shown again without asking, and maxPointers is how many are kept.
	pointerAge  = 10 * time.Minute
	maxPointers = 1000
	// pointerFailures is how many failures in a row end the asking for pointerPause.
	pointerFailures = 3
	pointerPause    = 30 * time.Second
)

// pointer is what an ENS name or a transaction leads to.
type pointer struct {
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
func (p pointer) ShortHash() string { return p.Hash[:10] + "…" + p.Hash[len(p.Hash)-8:] }

// Why nothing was found out about a name or a transaction.
type noPointer string

const (
	noNode       noPointer = "no node"   // none of the chain is configured
	notPlain     noPointer = "not plain" // the name has letters that others imitate
	noAddress    noPointer = "nothing"   // the node knows no address of it
	keptApart    noPointer = "elsewhere" // the address of the name is not on Ethereum
	nodesSilent  noPointer = "silent"    // no node has answered
	tooManyAsked noPointer = "too many"  // of the network or of all, within the hour
)

// Error implements error.
func (e noPointer) Error() string { return string(e) }

// isHash matches the hash of a transaction.
var isHash = regexp.MustCompile(`^0x[0-9a-f]{64}$`)

// pointers asks nodes what ENS names and transactions lead to. Its methods may be called from any goroutine.
type pointers struct {
	nodes []*evm.Node
	now   func() time.Time

	mu       sync.Mutex
	kept     map[string]keptPointer
	failures int       // in a row
	until    time.Time // when nodes may be asked again
}

// keptPointer is an answer of nodes: a pointer, or why there is none.
type keptPointer struct {
	pointer
	none noPointer
}

// point returns what an ENS name or the hash of a transaction leads to. The error is a [noPointer], or one of
// [Site.lookUp] for requests that nobody has typed. Chain is that of the transaction, "" if it is not known.
func (s *Site) point(req *request, text, chain string) (pointer, error) {
	if req.Method == http.MethodHead {
		return pointer{}, errHead
	}
	if req.embedded() {
		return pointer{}, errCrossSite
	}
	name, hash := evm.ENSName{}, ""
	key := strings.ToLower(text)
	nothing := key // under which it is kept that there is nothing
	if strings.HasPrefix(key, "0x") {
		if hash = key; !isHash.MatchString(hash) { // a link can say anything
			return pointer{}, noAddress
		}
		nothing += " " + chain // a link chooses the chain; on another one there may be something
	} else {
		var plain bool
		if name, plain = evm.ParseENSName(text); !plain {
			return pointer{}, notPlain
		}
		chain = chainOf(evm.Ethereum)
	}
	nodes := s.pointers.of(chain)
	if len(nodes) == 0 {
		return pointer{}, noNode
	}
	for _, key := range []string{key, nothing} {
		if known, ok := s.pointers.recall(key); ok {
			return known.pointer, known.err()
		}
	}
	if !s.pointers.open() {
		return pointer{}, nodesSilent
	}
	budgets, network := s.api.Budgets(), front.Of(req.Context()).Network()
	leave, ok := budgets.Pointing.Try(network)
	if !ok {
		return pointer{}, nodesSilent
	}
	defer leave()
	wait, undo := budgets.Pointers.Take(network)
	if wait == 0 {
		if wait, _ = budgets.TotalPointers.Take(network, 1); wait > 0 {
			undo()
		}
	}
	if wait > 0 {
		return pointer{}, tooManyAsked
	}
	ctx, cancel := context.WithTimeout(req.Context(), pointerTime)
	defer cancel()
	found, err := ask(ctx, nodes, name, hash)
	found.At = s.db.Now()
	if none := noPointer(""); err == nil || errors.As(err, &none) {
		if none != "" {
			key = nothing
		}
		s.pointers.keep(key, keptPointer{found, none})
		return found, err
	}
	if req.Context().Err() == nil {
		if !evm.Answered(err) { // a contract can make a node answer with an error, and anybody has one
			s.pointers.fail()
		}
		s.log.Warn("a node does not say where a name or a transaction leads: " + err.Error())
	}
	return pointer{}, nodesSilent
}

// ask asks the nodes one after the other: the first one that knows it.
func ask(ctx context.Context, nodes []*evm.Node, name evm.ENSName, hash string) (pointer, error) {
	if hash == "" {
		a, err := nodes[0].ResolveENS(ctx, name)
		switch {
		case errors.Is(err, evm.ErrNoENSAddress):
			err = noAddress
		case errors.Is(err, evm.ErrENSElsewhere):
			err = keptApart
		}
		return pointer{Name: name.String(), Chain: chainOf(evm.Ethereum), subject: a.Subject()}, err
	}
	var failure error = noAddress
	for _, node := range nodes {
		t, err := node.Transaction(ctx, hash)
		if err != nil {
			failure = err
			continue
		}
		if t != nil {
			return pointer{Hash: hash, Chain: chainOf(node.Chain()), Token: t.Token, Called: t.Called, Waiting: !t.Mined,
				subject: t.To.Subject()}, nil
		}
	}
	return pointer{}, failure
}

// err is why there is no pointer; nil if there is one.
func (k keptPointer) err() error {
	if k.none == "" {
		return nil
	}
	return k.none
}

// of returns the nodes of a chain; of any for "".
func (p *pointers) of(chain string) (nodes []*evm.Node) {
	for _, n := range p.nodes {
		if chain == "" || chain == chainOf(n.Chain()) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// open reports whether nodes may be asked.
func (p *pointers) open() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.now().Before(p.until)
}

// fail counts a failure.
func (p *pointers) fail() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failures++; p.failures >= pointerFailures {
		p.until = p.now().Add(pointerPause)
	}
}

// recall returns an answer that is not too old.
func (p *pointers) recall(key string) (keptPointer, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k, ok := p.kept[key]
	return k, ok && p.now().Sub(k.At.Std()) < pointerAge
}

// keep keeps an answer. Where there is no room, an older one goes; any will do.
func (p *pointers) keep(key string, k keptPointer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failures = 0
	if _, known := p.kept[key]; !known && len(p.kept) >= maxPointers {
		for other := range p.kept {
			delete(p.kept, other)
			break
		}
	}
	p.kept[key] = k
}

// chainOf is the CAIP-2 id of an EVM chain.
func chainOf(id uint64) string { return "eip155:" + strconv.FormatUint(id, 10) }
