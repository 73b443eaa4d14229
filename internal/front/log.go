package front

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// maxLogged is how many bytes of a caller's text are logged at most. Characters that the log has to escape take up to
// four times as many there.
const maxLogged = 256

// maxLoggedByKey bounds what this program writes itself, which may repeat some text of
// others.
var maxLoggedByKey = map[string]int{slog.MessageKey: 1 << 10, "error": 1 << 10, "stack": 16 << 10}

// LogOptions are what the operator decides about the log. The zero value writes text, from Info up.
type LogOptions struct {
	JSON  bool       // an object a line instead of key=value
	Level slog.Level // of the lines that are written at least
}

// NewLog returns a log of lines. Every value is clipped, so that no caller decides how large the log grows: to
// 256 bytes, messages and errors to 1 KiB, stacks to 16 KiB.
func NewLog(w io.Writer, o LogOptions) *slog.Logger {
	w = &serial{w: w}
	return slog.New(clipping{
		o.handler(w, nil),
		o.handler(w, clipAttr),
	})
}

// escaping writes lines of JSON with the characters escaped that a terminal may obey and JSON allows in a text: DEL,
// the controls from U+0080 to U+009F, and those that turn the direction of a text. slog escapes the others, and all of
// them in the form of text.
type escaping struct{ to io.Writer }

// Write implements [io.Writer].
func (e escaping) Write(line []byte) (int, error) {
	if !obeyed.Match(line) {
		return e.to.Write(line)
	}
	if _, err := e.to.Write(obeyed.ReplaceAllFunc(line, func(found []byte) []byte {
		r, _ := utf8.DecodeRune(found)
		return fmt.Appendf(nil, `\u%04x`, r)
	})); err != nil {
		return 0, err
	}
	return len(line), nil
}

var obeyed = regexp.MustCompile(`[\x{7f}-\x{9f}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}]`)

// handler writes lines in the form of the options, with each value as replace returns it, if it is not nil.
func (o LogOptions) handler(w io.Writer, replace func([]string, slog.Attr) slog.Attr) slog.Handler {
	h := &slog.HandlerOptions{Level: o.Level, ReplaceAttr: replace}
	if o.JSON {
		return slog.NewJSONHandler(escaping{w}, h)
	}
	return slog.NewTextHandler(w, h)
}

// Line writes one record of ours, whose values are short.
func (o LogOptions) Line(w io.Writer, r slog.Record) error {
	return o.handler(w, nil).Handle(context.Background(), r)
}

// clipping writes a record as it is if nothing in it has to be clipped, which most of them are: to look at each value
// while it is written costs more than the writing.
type clipping struct{ plain, clip slog.Handler }

// serial writes the lines of both handlers one after the other.
type serial struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements [io.Writer].
func (s *serial) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.w.Write(line)
}

// Enabled implements [slog.Handler].
func (c clipping) Enabled(ctx context.Context, l slog.Level) bool { return c.plain.Enabled(ctx, l) }

// Handle implements [slog.Handler].
func (c clipping) Handle(ctx context.Context, r slog.Record) error {
	fits := len(r.Message) <= maxLogged
	r.Attrs(func(a slog.Attr) bool {
		switch a.Value.Kind() {
		case slog.KindString:
			fits = fits && len(a.Value.String()) <= maxLogged
		case slog.KindInt64, slog.KindBool:
		default:
			fits = a.Equal(slog.Attr{}) && fits // an empty one is left out
		}
		return fits
	})
	if fits {
		return c.plain.Handle(ctx, r)
	}
	return c.clip.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (c clipping) WithAttrs(attrs []slog.Attr) slog.Handler {
	return clipping{c.clip.WithAttrs(attrs), c.clip.WithAttrs(attrs)} // they are not in the record
}

// WithGroup implements [slog.Handler].
func (c clipping) WithGroup(name string) slog.Handler {
	return clipping{c.plain.WithGroup(name), c.clip.WithGroup(name)}
}

func clipAttr(_ []string, a slog.Attr) slog.Attr {
	text := ""
	switch a.Value.Kind() {
	case slog.KindString:
		text = a.Value.String()
	case slog.KindAny:
		if _, ok := a.Value.Any().(slog.Level); ok { // each line has one
			return a
		}
		text = fmt.Sprint(a.Value.Any())
	}
	most, known := maxLoggedByKey[a.Key]
	if !known {
		most = maxLogged
	}
	if len(text) > most {
		a.Value = slog.StringValue(strings.ToValidUTF8(text[:most], "") + "…") // without half a character
	}
	return a
}

// logRequest writes a line of the access log. Unlike LogAttrs it does not look for the line of code that logs, which
// the log does not show.
func logRequest(ctx context.Context, log *slog.Logger, at time.Time, attrs ...slog.Attr) {
	h := log.Handler()
	if !h.Enabled(ctx, slog.LevelInfo) {
		return
	}
	r := slog.NewRecord(at, slog.LevelInfo, "request", 0)
	r.AddAttrs(attrs...)
	h.Handle(ctx, r) // as LogAttrs: a log that cannot be written is no fault of the request
}
