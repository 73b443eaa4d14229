package front

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"tocsin/internal/health"
	"tocsin/internal/tocsintest"
)

// upload is a body that has sent some bytes and goes on when it is told to.
type upload struct {
	io.Reader
	more chan bool
}

func (u *upload) Read(p []byte) (int, error) {
	if n, _ := u.Reader.Read(p); n > 0 {
		return n, nil
	}
	<-u.more
	return 0, io.EOF
}

// sender sends bodies to a service of this package.
type sender struct {
	*service
	t       *testing.T
	more    chan bool
	answers chan int
	held    int
}

func newSender(t *testing.T) *sender {
	t.Helper()
	s := open(nothing, nothing)
	s.deploy.Health = health.New(s.deploy.Now, nil)
	return &sender{service: s, t: t, more: make(chan bool), answers: make(chan int, 1000)}
}

func (s *sender) post(announced int64, sent int, from string, end bool) *httptest.ResponseRecorder {
	body := &upload{strings.NewReader(strings.Repeat("x", sent)), s.more}
	if end {
		body.more = make(chan bool)
		close(body.more)
	}
	r := httptest.NewRequest(http.MethodPost, "/", body)
	r.ContentLength, r.RemoteAddr = announced, from
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// hold sends a body that does not end until release.
func (s *sender) hold(announced int64, sent int, from string) {
	s.t.Helper()
	arrived := func() (bytes int64, bodies int) {
		s.bodies.mu.Lock()
		defer s.bodies.mu.Unlock()
		for _, n := range s.bodies.byNetwork {
			bodies += n.arriving
		}
		return s.bodies.all, bodies
	}
	bytes, bodies := arrived()
	bytes += int64(max(0, sent-smallBody)+bodyStep-1) / bodyStep * bodyStep
	go func() { s.answers <- s.post(announced, sent, from, false).Code }()
	s.held++
	tocsintest.Eventually(s.t, "a body arrives", func() bool {
		b, n := arrived()
		return b == bytes && n == bodies+1
	})
}

// release ends all that are held, which are then answered.
func (s *sender) release() {
	s.t.Helper()
	close(s.more)
	for range s.held {
		if code := <-s.answers; code != http.StatusOK {
			s.t.Errorf("a body that was held is answered with %d", code)
		}
	}
	if s.bodies.all != 0 || len(s.bodies.byNetwork) != 0 {
		s.t.Errorf("at the end %d bytes of %d networks are counted", s.bodies.all, len(s.bodies.byNetwork))
	}
}

// TestBodiesInProgressAreBounded fills the room of one network, and then that of all, with bodies that do not end. Two
// networks take half of it, and 18 others, of which each gets little, the rest.
func TestBodiesInProgressAreBounded(t *testing.T) {
	s := newSender(t)
	const large = MaxBody
	const counted = large - smallBody
	for i := range 2 + 18 {
		network, room := fmt.Sprintf("192.0.%d.1:1", i), sureBodies
		if i < 2 {
			room = maxNetworkBodies
		}
		for range room / counted {
			s.hold(large, large-1, network)
		}
		if i >= 4 {
			continue
		}
		for _, n := range []int64{large, -1} {
			w := s.post(n, large, network, true)
			if w.Code != http.StatusTeapot || w.Header().Get("Retry-After") != "5" || w.Header().Get("Connection") != "close" ||
				!errors.Is(s.site.errors[len(s.site.errors)-1], ErrBusy) {
				t.Fatalf("a body of %d bytes too many: %d %v", n, w.Code, w.Header())
			}
		}
	}
	for s.bodies.all+counted <= maxBodies {
		s.hold(-1, large, "8.8.8.8:1")
	}
	if n := s.bodies.all; n > maxBodies {
		t.Errorf("%d bytes of bodies are in progress", n)
	}
	if w := s.post(large, large, "9.9.9.9:1", true); w.Code != http.StatusTeapot {
		t.Errorf("a body beyond the bound of all networks: %d", w.Code)
	}
	for _, n := range []int64{smallBody, -1} {
		if w := s.post(n, smallBody, "192.0.2.1:1", true); w.Code != http.StatusOK {
			t.Errorf("a small body, announced with %d: %d", n, w.Code)
		}
	}
	if troubles := s.deploy.Health.Troubles(); len(troubles) != 1 || troubles[0].Count != 9 {
		t.Errorf("reported: %v", troubles)
	}
	if n := strings.Count(s.log.String(), "clients are refused"); n != 1 {
		t.Errorf("the log says %d times that clients are refused", n)
	}
	s.release()
}

// TestOneNetworkSendsSoManyBodiesAtOnce: however small they are.
func TestOneNetworkSendsSoManyBodiesAtOnce(t *testing.T) {
	s := newSender(t)
	for range maxArriving {
		s.hold(10, 1, "192.0.2.1:1")
	}
	if w := s.post(10, 10, "192.0.2.2:1", true); w.Code != http.StatusTeapot || w.Header().Get("Connection") != "close" {
		t.Errorf("one too many: %d", w.Code)
	}
	if w := s.post(10, 10, "198.51.100.1:1", true); w.Code != http.StatusOK {
		t.Errorf("another network: %d", w.Code)
	}
	s.release()
	if w := s.post(10, 10, "192.0.2.2:1", true); w.Code != http.StatusOK {
		t.Errorf("later: %d", w.Code)
	}
}

// TestAChunkedBodyCountsWhatHasArrived: what five networks announce as unknown keeps nobody out.
func TestAChunkedBodyCountsWhatHasArrived(t *testing.T) {
	s := newSender(t)
	for _, network := range []string{"192.0.2.1:1", "198.51.100.1:1", "203.0.113.1:1", "10.9.9.9:1", "10.9.8.9:1"} {
		for range 25 {
			s.hold(-1, 1, network)
		}
	}
	for _, n := range []int{10, 20_000, MaxBody} {
		if w := s.post(-1, n, "8.8.8.8:1", true); w.Code != http.StatusOK {
			t.Errorf("a chunked body of %d bytes: %d", n, w.Code)
		}
	}
	s.release()
}

// TestTheFirst16KBOfABodyHaveFiveSeconds: only a body of which more has arrived has longer.
func TestTheFirst16KBOfABodyHaveFiveSeconds(t *testing.T) {
	for n, ends := range map[int]bool{10: true, smallBody: true, smallBody + 1: false} {
		synctest.Test(t, func(t *testing.T) {
			s := newSender(t)
			w := &deadlined{ResponseRecorder: httptest.NewRecorder()}
			r := httptest.NewRequest(http.MethodPost, "/", &upload{strings.NewReader(strings.Repeat("x", n)), s.more})
			r.ContentLength = MaxBody
			go s.ServeHTTP(w, r)
			time.Sleep(smallBodyTime - 1)
			if synctest.Wait(); w.ended.Load() {
				t.Errorf("after %d bytes it is ended early", n)
			}
			time.Sleep(time.Nanosecond)
			if synctest.Wait(); w.ended.Load() != ends {
				t.Errorf("after %d bytes it is ended: %t", n, w.ended.Load())
			}
			close(s.more)
		})
	}
}

// TestABodyThatHasArrivedIsNotEndedLater, however long its answer takes: that would end the request.
func TestABodyThatHasArrivedIsNotEndedLater(t *testing.T) {
	for _, n := range []int{0, 10, smallBody + 1} {
		synctest.Test(t, func(t *testing.T) {
			s := newSender(t)
			w := &deadlined{ResponseRecorder: httptest.NewRecorder()}
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", n)))
			s.ServeHTTP(w, r)
			time.Sleep(2 * smallBodyTime)
			if synctest.Wait(); w.ended.Load() || w.Code != http.StatusOK {
				t.Errorf("after %d bytes it is ended: %t, %d", n, w.ended.Load(), w.Code)
			}
		})
	}
}

// deadlined is a response whose request cannot be read any further after a deadline.
type deadlined struct {
	*httptest.ResponseRecorder
	ended atomic.Bool
}

func (d *deadlined) SetReadDeadline(time.Time) error {
	d.ended.Store(true)
	return nil
}

// TestAConnectionIsAnsweredOnceItsBodyHasArrived: until then it is one of those whose places others may take, and one
// whose body cannot be read any further stays one.
func TestAConnectionIsAnsweredOnceItsBodyHasArrived(t *testing.T) {
	for about, c := range map[string]struct {
		body io.Reader
		want activity
	}{
		"a body":              {strings.NewReader("x"), answering},
		"a body that is late": {iotest.ErrReader(os.ErrDeadlineExceeded), reading},
	} {
		s := newSender(t)
		on := &connection{listener: s.deploy.Limit(nil, 10)}
		r := httptest.NewRequest(http.MethodPost, "/", io.MultiReader(readingOf(t, on), c.body))
		r = r.WithContext(context.WithValue(r.Context(), connectionKey{}, on))
		r = r.WithContext(With(r.Context(), &Request{door: s.Door, http: r}))
		leave, err := s.receive(httptest.NewRecorder(), r)
		if err != nil || on.activity != c.want {
			t.Errorf("%s: %v, %v", about, on.activity, err)
		}
		leave()
		text, err := io.ReadAll(r.Body)
		if (err == nil) != (c.want == answering) || (string(text) == "x") != (c.want == answering) {
			t.Errorf("%s: the room reads %q, %v", about, text, err)
		}
	}
}

// readingOf is an empty body that says so if its connection is not reading.
func readingOf(t *testing.T, c *connection) io.Reader {
	return readerFunc(func([]byte) (int, error) {
		if c.activity != reading {
			t.Error("while its body arrives a connection is answered")
		}
		return 0, io.EOF
	})
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
