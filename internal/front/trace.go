package front

import (
	"encoding/hex"
	"log/slog"
	"net/http"
	"regexp"
	"time"
)

// Ended is a request that has ended, for a trace. Of a caller it has nothing but the ids of traceparent: no path, which
// names who was looked up, no header and no address.
type Ended struct {
	ID     string // of the request, see [Request]
	Method string // as it was sent
	Route  string // the pattern that it matched
	Status int    // 0 if nothing was answered
	Start  time.Time
	End    time.Time
	Parent TraceContext // the zero value for none
}

// TraceContext is the header traceparent (W3C Trace Context, section 3.2).
type TraceContext struct {
	Trace   [16]byte // its id
	Span    [8]byte  // the id of the caller's span
	Sampled bool     // the caller records its span
}

// Known reports whether a caller has sent one.
func (c TraceContext) Known() bool { return c.Span != [8]byte{} }

var traceParent = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-|$)`)

// traceContext reads the header traceparent. One that is not valid counts as none.
func traceContext(h http.Header) (c TraceContext) {
	sent := h["Traceparent"]
	if len(sent) != 1 {
		return c
	}
	found := traceParent.FindStringSubmatch(sent[0])
	if found == nil || found[1] == "ff" || found[1] == "00" && found[5] != "" {
		return c
	}
	var flags [1]byte
	hex.Decode(c.Trace[:], []byte(found[2])) // the pattern has hexadecimal digits alone
	hex.Decode(c.Span[:], []byte(found[3]))
	hex.Decode(flags[:], []byte(found[4]))
	if c.Trace == [16]byte{} || c.Span == [8]byte{} {
		return TraceContext{}
	}
	c.Sampled = flags[0]&1 == 1
	return c
}

// trace hands a request that has ended to who makes traces, and returns the attribute of the access log with the trace
// id: that of the trace or, without one, the caller's; empty without either.
func (d *Door) trace(e Ended, h http.Header, probe bool) slog.Attr {
	e.Parent = traceContext(h)
	id := ""
	if e.Parent.Known() {
		id = hex.EncodeToString(e.Parent.Trace[:])
	}
	if d.deployment.Trace != nil && !probe {
		id = d.deployment.Trace(e)
	}
	if id == "" {
		return slog.Attr{}
	}
	return slog.String("trace", id)
}
