package api

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
)

// lockedBuffer is a log that handlers write and a test reads.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// take returns what was written since it was called last.
func (b *lockedBuffer) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.text.Reset()
	return b.text.String()
}

// TestAPanicIsLoggedOnce, under one name, wherever a call panics.
func TestAPanicIsLoggedOnce(t *testing.T) {
	log := new(lockedBuffer)
	s := start(t, func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelError}))
	})
	key := "x-api-key: " + s.key(5)
	op := s.api.operations["screenAddress"]
	whole := op.endpoint
	for about, fail := range map[string]func(){
		"in the endpoint": func() { op.endpoint.run = func(*call) (any, error) { panic("the cause") } },
		"before it":       func() { op.endpoint.parse = func(*call) error { panic("the cause") } },
	} {
		op.endpoint = whole
		fail()
		a := s.get("/screen/"+thief, key)
		want(t, about, []any{a.status, a.text("code"), strings.Contains(string(a.raw), "cause")},
			[]any{500, "internal_error", false})
		text := log.take()
		want(t, about+": lines, panics, stacks, ids", []int{strings.Count(text, "\n"), strings.Count(text, "msg=panic"),
			strings.Count(text, "stack="), strings.Count(text, "id="+a.text("requestId"))}, []int{1, 1, 1, 1})
		want(t, about+": its value", strings.Contains(text, `value="the cause"`), true)
	}
	op.endpoint = whole
	want(t, "used", s.get("/me", key).number("freeCalls.used"), 0)
}
