// Package signals asks services that the operator has named about domains: the registry for the day of registration
// (RDAP), a search of certificate logs for the first certificate, a DNS server for an address. Nobody waits for them:
// [Asker.About] returns what is known and remembers what is to be asked, which [Asker.Run] does. A caller decides the
// name that is asked about, and nothing else: not which host is asked, nor where an answer leads.
package signals

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"

	"tocsin"
)

// The names of the signals, as metrics have them.
const (
	Registered       = "registered"
	FirstCertificate = "first_certificate"
	Resolves         = "resolves"
)

// Outcome is what became of a question.
type Outcome string

// The outcomes.
const (
	Known   Outcome = "known"
	Unknown Outcome = "unknown" // the service does not know the name, or nobody is there to be asked about its suffix
	Failed  Outcome = "failed"
	// Dropped: nobody was asked, because too many names are waiting, or the host has failed and is left alone for a
	// while. It is asked when the name is looked up again.
	Dropped Outcome = "dropped"
)

// Options are what the operator decides. Services that are not named are not asked.
type Options struct {
	Registries   *Bootstrap     // of the dates of registration
	Certificates *CertSearch    // of the first certificates
	Resolver     netip.AddrPort // of addresses: a DNS server
	Now          func() time.Time
	// Done is called with each outcome, from any goroutine; err says why it failed. It may be nil.
	Done func(signal string, o Outcome, err error)
}

// Asker knows what services have answered. Its methods may be called from any goroutine.
type Asker struct {
	registered, certificate, resolves *source // nil for nobody
}

// New returns an asker, nil if nobody is to be asked. It asks nothing before [Asker.Run].
func New(o Options) *Asker {
	a := &Asker{}
	if o.Registries != nil {
		a.registered = newSource(o, Registered, o.Registries.registration, terms{
			timeout: 5 * time.Second, fresh: 7 * 24 * time.Hour, unknown: 6 * time.Hour, pause: time.Second / 2, workers: 4,
		})
	}
	if o.Certificates != nil {
		a.certificate = newSource(o, FirstCertificate, o.Certificates.first, terms{
			timeout: 15 * time.Second, fresh: 7 * 24 * time.Hour, unknown: 6 * time.Hour, pause: time.Second, workers: 2,
		})
	}
	if o.Resolver.IsValid() {
		a.resolves = newSource(o, Resolves, resolver(o.Resolver), terms{
			timeout: 3 * time.Second, fresh: time.Hour, unknown: time.Hour, workers: 8,
		})
	}
	if len(a.sources()) == 0 {
		return nil
	}
	return a
}

func (a *Asker) sources() []*source {
	return slices.DeleteFunc([]*source{a.registered, a.certificate, a.resolves}, func(s *source) bool { return s == nil })
}

// About returns what is known about a domain now, and has asked what is not. It does not wait.
func (a *Asker) About(d tocsin.Domain) *tocsin.Signals {
	owned := d.Registrable()
	if owned == "" {
		return &tocsin.Signals{}
	}
	s := &tocsin.Signals{FirstCertificateAt: a.certificate.about(owned).at, Resolves: a.resolves.about(d.String()).yes}
	if _, registry := publicsuffix.PublicSuffix(owned); registry { // who sells names below a domain of his own has no RDAP
		s.RegisteredAt = a.registered.about(owned).at
	}
	return s
}

// Run asks until the context ends.
func (a *Asker) Run(ctx context.Context) {
	var working sync.WaitGroup
	for _, s := range a.sources() {
		for range s.workers {
			working.Go(func() { s.work(ctx) })
		}
	}
	working.Wait()
}

const (
	maxWaiting = 200              // names that one service is still to be asked about
	maxKept    = 20_000           // names of which one service's answer is kept
	retryAfter = 10 * time.Minute // of a question that failed
)

// terms are how one service is asked.
type terms struct {
	timeout time.Duration
	fresh   time.Duration // for which an answer is used; it is asked for anew when half of that is over
	unknown time.Duration // after which a name is asked about again that the service did not know
	pause   time.Duration // of a worker after each question that it has put to a host
	workers int           // questions at a time
}

// answer is what a service says about a name. All nil: it does not know.
type answer struct {
	at  *tocsin.Time
	yes *bool
}

// errNobody is the error of a name that no service answers for.
var errNobody = errors.New("nobody is there to be asked")

// source is one service: what it has answered, and what it is to be asked.
type source struct {
	terms
	signal string
	ask    func(ctx context.Context, name string, now time.Time) (answer, error)
	now    func() time.Time
	done   func(signal string, o Outcome, err error)
	queue  chan string

	mu   sync.Mutex
	kept map[string]*kept
}

// kept is what is known about a name.
type kept struct {
	answer
	until  time.Time // the answer is used
	again  time.Time // it is not asked again before
	asking bool      // it is in the queue or being asked
}

func newSource(
	o Options, signal string, ask func(context.Context, string, time.Time) (answer, error), t terms,
) *source {
	s := &source{terms: t, signal: signal, ask: ask, now: o.Now, done: o.Done, queue: make(chan string, maxWaiting),
		kept: map[string]*kept{}}
	if s.done == nil {
		s.done = func(string, Outcome, error) {}
	}
	return s
}

// about returns what is known about a name, and queues it if it is time to ask. One worker at a time asks about a name.
func (s *source) about(name string) answer {
	if s == nil {
		return answer{}
	}
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.kept[name]
	if k == nil {
		k = &kept{}
	}
	if !k.asking && !now.Before(k.again) {
		select {
		case s.queue <- name:
			k.asking = true
			s.keep(name, k)
		default:
			s.done(s.signal, Dropped, nil)
		}
	}
	if now.Before(k.until) {
		return k.answer
	}
	return answer{}
}

// keep keeps what is known about a name. Where there is no room, another goes that is not being asked about; any will
// do.
func (s *source) keep(name string, k *kept) {
	if s.kept[name] == nil && len(s.kept) >= maxKept {
		for other, o := range s.kept {
			if !o.asking {
				delete(s.kept, other)
				break
			}
		}
	}
	s.kept[name] = k
}

// work asks one question after the other.
func (s *source) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case name := <-s.queue:
			if s.once(ctx, name) && s.pause > 0 {
				select {
				case <-ctx.Done():
					return
				case <-time.After(s.pause):
				}
			}
		}
	}
}

// once asks about a name, and keeps the answer. It reports whether somebody was asked.
func (s *source) once(ctx context.Context, name string) (asked bool) {
	bounded, cancel := context.WithTimeout(ctx, s.timeout)
	found, err := s.ask(bounded, name, s.now())
	cancel()
	var left *leftAlone
	asked = !errors.Is(err, errNobody) && !errors.As(err, &left)
	if !asked {
		err = nil
	}
	if ctx.Err() != nil {
		return false // the process ends
	}
	now := s.now()
	s.mu.Lock()
	k := s.kept[name]
	k.asking = false
	outcome := Known
	switch {
	case left != nil:
		outcome = Dropped
		k.again = left.until // the name waits as long as the host
	case err != nil:
		outcome = Failed
		k.again = now.Add(retryAfter) // what was known stays until its time is over
	case found == answer{}:
		outcome = Unknown
		k.answer, k.again = found, now.Add(s.unknown)
	default:
		k.answer, k.until, k.again = found, now.Add(s.fresh), now.Add(s.fresh/2)
	}
	s.mu.Unlock()
	s.done(s.signal, outcome, err)
	return asked
}
