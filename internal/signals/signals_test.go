package signals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// asked is a source whose answers a test decides, and what became of the questions.
type asked struct {
	*source
	clock *tocsintest.Clock

	mu       sync.Mutex
	outcomes []Outcome
}

func newAsked(ask func(ctx context.Context, name string) (answer, error)) *asked {
	a := &asked{clock: &tocsintest.Clock{}}
	a.source = newSource(Options{Now: a.clock.Now, Done: func(_ string, o Outcome, _ error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.outcomes = append(a.outcomes, o)
	}}, Registered, func(ctx context.Context, name string, _ time.Time) (answer, error) { return ask(ctx, name) },
		terms{timeout: tocsintest.Patience, fresh: 7 * 24 * time.Hour, unknown: 6 * time.Hour, workers: 4})
	return a
}

// done returns what became of the questions.
func (a *asked) done() []Outcome {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.outcomes)
}

// answerAll answers what is waiting.
func (a *asked) answerAll(t *testing.T) {
	for len(a.queue) > 0 {
		a.once(t.Context(), <-a.queue)
	}
}

func at(n int64) answer {
	is := tocsin.MicroTime(n)
	return answer{at: &is}
}

// TestAnAnswerIsNotWaitedFor, and a name is asked about once, however many look it up meanwhile.
func TestAnAnswerIsNotWaitedFor(t *testing.T) {
	release := make(chan struct{})
	var questions atomic.Int64
	a := newAsked(func(context.Context, string) (answer, error) {
		questions.Add(1)
		<-release
		return at(1), nil
	})
	working, end := context.WithCancel(t.Context())
	var over sync.WaitGroup
	over.Go(func() { (&Asker{registered: a.source}).Run(working) })
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for range 100 {
				if is := a.about("example.com"); is != (answer{}) {
					t.Errorf("known before it was answered: %v", is)
				}
			}
		})
	}
	callers.Wait() // while nobody has been answered
	close(release)
	tocsintest.Eventually(t, "it is known", func() bool { return a.about("example.com").at != nil })
	end()
	over.Wait()
	want(t, "questions", []any{questions.Load(), a.done()}, []any{1, "[known]"})
}

func TestAnswersAgeAndAreAskedForAnew(t *testing.T) {
	var says answer
	var fails error
	a := newAsked(func(context.Context, string) (answer, error) { return says, fails })
	step := func(about string, pass time.Duration, is *tocsin.Time, asks int) {
		t.Helper()
		a.clock.Sleep(pass)
		got := a.about("example.com").at
		want(t, about, []any{got, len(a.queue)}, []any{is, asks})
		a.answerAll(t)
	}
	first, second := at(1), at(2)
	says = first
	step("at first", 0, nil, 1)
	step("once it was answered", time.Hour, first.at, 0)
	fails = errors.New("gone")
	step("at half of its time it is asked for anew", 84*time.Hour, first.at, 1)
	step("not at once after a failure", 9*time.Minute, first.at, 0)
	fails, says = nil, second
	step("but a while after it", time.Minute, first.at, 1)
	step("another answer", 0, second.at, 0)
	fails, says = errors.New("gone"), answer{}
	step("when its time is over it is not used", 7*24*time.Hour, nil, 1)
	fails = nil
	step("after another failure", 10*time.Minute, nil, 1)
	step("what the service does not know is not asked for again", 5*time.Hour, nil, 0)
	step("for some hours", time.Hour, nil, 1)
	want(t, "outcomes", a.done(), "[known failed known failed unknown unknown]")
}

// TestWhatWaitsAndWhatIsKeptIsBounded: names beyond it are dropped, and asked about when they are looked up again.
func TestWhatWaitsAndWhatIsKeptIsBounded(t *testing.T) {
	a := newAsked(func(context.Context, string) (answer, error) { return at(1), nil })
	for i := range maxWaiting + 3 {
		a.about(fmt.Sprintf("site%d.com", i))
	}
	want(t, "waiting, kept, dropped", []any{len(a.queue), len(a.kept), a.done()},
		[]any{maxWaiting, maxWaiting, "[dropped dropped dropped]"})
	for i := range maxKept {
		a.answerAll(t)
		a.about(fmt.Sprintf("other%d.com", i))
	}
	want(t, "kept", len(a.kept), maxKept)
	a.answerAll(t)
	a.about("site0.com")
	want(t, "kept, with the last one", len(a.kept), maxKept)
}

// TestTheEndOfAProcessIsNoFailure: what was being asked then is not counted.
func TestTheEndOfAProcessIsNoFailure(t *testing.T) {
	asking := make(chan struct{})
	a := newAsked(func(ctx context.Context, _ string) (answer, error) {
		close(asking)
		<-ctx.Done()
		return answer{}, ctx.Err()
	})
	ctx, end := context.WithCancel(t.Context())
	var over sync.WaitGroup
	over.Go(func() { (&Asker{registered: a.source}).Run(ctx) })
	a.about("example.com")
	<-asking
	end()
	over.Wait()
	want(t, "outcomes", a.done(), "[]")
}

func TestNobodyIsAskedUnlessTheOperatorSaysSo(t *testing.T) {
	want(t, "no service", New(Options{}) == nil, true)
	a := &Asker{}
	want(t, "signals", *a.About(domain(t, "example.com")), tocsin.Signals{})
}

// TestEachServiceIsAskedAboutItsPartOfAName: a DNS server about all of it, the others about the name that somebody has
// registered, and the registry of a suffix about no name below a domain of somebody else.
func TestEachServiceIsAskedAboutItsPartOfAName(t *testing.T) {
	for name, asks := range map[string][]string{
		"example.com":      {"example.com", "example.com", "example.com"},
		"pay.example.com":  {"example.com", "example.com", "pay.example.com"},
		"a.user.pages.dev": {"", "user.pages.dev", "a.user.pages.dev"},
		"pages.dev":        {"", "", ""},
	} {
		a := &Asker{registered: newAsked(nil).source, certificate: newAsked(nil).source, resolves: newAsked(nil).source}
		a.About(domain(t, name))
		got := make([]string, 0, len(asks))
		for _, s := range a.sources() {
			close(s.queue)
			got = append(got, <-s.queue)
		}
		want(t, name, got, asks)
	}
}
