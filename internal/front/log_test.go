package front

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
)

// TestTheAccessLogCanBeSampled, but what failed on our side is always in it, and probes only if they fail.
func TestTheAccessLogCanBeSampled(t *testing.T) {
	status := http.StatusOK
	answer := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
	for _, c := range []struct {
		every, status int
		path          string
		logged        int // of 10 requests
	}{
		{0, 200, "/", 10},
		{1, 404, "/", 10},
		{5, 200, "/", 2},
		{5, 404, "/", 2},
		{5, 500, "/", 10},
		{-1, 200, "/", 0},
		{-1, 499, "/", 0},
		{-1, 503, "/", 10},
		{0, 200, "/probe", 0},
		{0, 404, "/probe", 10},
		{-1, 503, "/probe", 10},
	} {
		s := open(answer, answer)
		s.HandleProbe("/probe", &room{Handler: http.HandlerFunc(answer)})
		s.deploy.AccessLog = c.every
		status = c.status
		for range 10 {
			s.get(c.path)
		}
		if n := strings.Count(s.log.String(), "msg=request"); n != c.logged {
			t.Errorf("%+v: %d lines", c, n)
		}
	}
}

// TestTheTraceOfACallerIsLogged if it is one (W3C Trace Context, section 3.2.2).
func TestTheTraceOfACallerIsLogged(t *testing.T) {
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	for sent, logged := range map[string]bool{
		"00-" + id + "-00f067aa0ba902b7-01":                        true,
		"cc-" + id + "-00f067aa0ba902b7-01-what-the-future-may-be": true,
		"00-" + strings.ToUpper(id) + "-00f067aa0ba902b7-01":       false,
		"00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01":   false,
		"00-" + id + "-00f067aa0ba902b7":                           false,
		"x 00-" + id + "-00f067aa0ba902b7-01":                      false,
		"00-" + id[:30] + "\"=-00f067aa0ba902b7-01":                false,
	} {
		s := open(func(http.ResponseWriter, *http.Request) {}, nil)
		s.get("/", "Traceparent: "+sent)
		if got := strings.Contains(s.log.String(), " trace="+id+" "); got != logged {
			t.Errorf("%s: %s", sent, &s.log)
		}
	}
}

// TestALogOfJSONMovesNoTerminal: what was asked for is in it as it was, and with no character that a terminal obeys.
func TestALogOfJSONMovesNoTerminal(t *testing.T) {
	sent := "/\x1b[2J\u009b31m\x7f\u202e\u2066\u2028\n\u0085é\u00a0"
	var b strings.Builder
	long := errors.New(sent + strings.Repeat("\u009b", 2000))
	NewLog(&b, LogOptions{JSON: true}).Info("request", "path", sent, "error", long)
	if i := strings.IndexFunc(strings.TrimSuffix(b.String(), "\n"), func(r rune) bool {
		return unicode.IsControl(r) || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069
	}); i >= 0 {
		t.Errorf("%q", b.String()[i:])
	}
	var line struct{ Path, Error string }
	if err := json.Unmarshal([]byte(b.String()), &line); err != nil || line.Path != sent ||
		!strings.HasPrefix(line.Error, sent) {
		t.Errorf("%v %q", err, b.String())
	}
}

// tally is a meter that writes down what it is told.
type tally struct {
	Uncounted
	lines []string
}

func (c *tally) Served(method, route string, status int, took time.Duration) {
	c.lines = append(c.lines, fmt.Sprint(method, " ", route, " ", status, " ", took))
}

func (c *tally) Refused(what string) { c.lines = append(c.lines, "refused "+what) }

func TestEachRequestIsCounted(t *testing.T) {
	meter := new(tally)
	s := open(nil, nil)
	s.deploy.Meter = meter
	door := New(&s.deploy)
	door.Handle("GET /things/{id}", &room{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.elapsed += 3 * time.Millisecond
		w.WriteHeader(http.StatusTeapot)
	})})
	door.Handle("/", &room{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("at the disco") })})
	s.Door = door
	s.get("/things/7")
	s.get("/elsewhere")
	if want := []string{"GET /things/{id} 418 3ms", "GET / 418 0s"}; !slices.Equal(meter.lines, want) {
		t.Errorf("counted: %q, want %q", meter.lines, want)
	}
}

// TestATextIsLoggedUpToItsBound, and not one byte more.
func TestATextIsLoggedUpToItsBound(t *testing.T) {
	for key, most := range map[string]int{"path": maxLogged, "error": 1 << 10, "stack": 16 << 10} {
		for text, logged := range map[string]string{
			strings.Repeat("a", most):                 strings.Repeat("a", most),
			strings.Repeat("a", most+1):               strings.Repeat("a", most) + "…",
			strings.Repeat("a", most-1) + "é":         strings.Repeat("a", most-1) + "…",
			strings.Repeat("a", most-2) + "é":         strings.Repeat("a", most-2) + "é",
			strings.Repeat("a", most-2) + "éand more": strings.Repeat("a", most-2) + "é…",
		} {
			var b strings.Builder
			NewLog(&b, LogOptions{JSON: true}).Info("request", key, text)
			var line map[string]any
			if err := json.Unmarshal([]byte(b.String()), &line); err != nil || line[key] != logged {
				t.Errorf("%s of %d bytes: %v, %d bytes", key, len(text), err, len(fmt.Sprint(line[key])))
			}
		}
	}
}
