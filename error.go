package tocsin

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Code is a stable, machine-readable name for a fault of the caller. Codes are
// part of the API: they may be added to, never renamed.
type Code string

// The codes that the rules and the store answer with. What each means over
// HTTP is decided in one place, internal/api.
const (
	Invalid          Code = "invalid_input"     // something in the call is wrong; Fields says what
	NotFound         Code = "not_found"         // nothing of that name, or nothing that may be shown
	ReportWithdrawn  Code = "report_withdrawn"  // it was there and its reporter took it back
	Forbidden        Code = "forbidden"         // a wrong manage token
	IdempotencyReuse Code = "idempotency_reuse" // the same Idempotency-Key with another body
)

// Error is a fault of the caller: what is wrong and how to mend the call. Every
// other error is Tocsin's own, is logged, and is never shown.
type Error struct {
	Code   Code
	Detail string  // one sentence for a person
	Fields []Fault // the faulty parts of the call, if it has parts
}

// Fault names one faulty part of a call.
type Fault struct {
	Field  string `json:"field"`  // a path such as "scammerAddresses[3]"
	Reason string `json:"reason"` // what is wrong with it
	Fix    string `json:"fix"`    // what to send instead
}

// Error tells the fault in one line, for logs and for the command line.
func (e *Error) Error() string {
	if len(e.Fields) == 0 {
		return e.Detail
	}
	var b strings.Builder
	for i, f := range e.Fields {
		if i > 0 {
			b.WriteString("; ")
		}
		if f.Field != "" {
			b.WriteString(f.Field + ": ")
		}
		b.WriteString(f.Reason)
		if f.Fix != "" {
			b.WriteString(" (" + f.Fix + ")")
		}
	}
	return b.String()
}

// maxFaults is how many faults are told: of a batch all, of a flood not.
const maxFaults = 100

// Faults returns the error that names these faulty fields, the first hundred of
// them, or nil for none.
func Faults(faults []Fault) error {
	if len(faults) == 0 {
		return nil
	}
	detail := "The request has invalid input"
	if n := len(faults); n > maxFaults {
		faults, detail = faults[:maxFaults], fmt.Sprintf("%s; these are the first %d of %d faults", detail, maxFaults, n)
	}
	return &Error{Code: Invalid, Detail: detail, Fields: faults}
}

// invalid returns the error for a single value. The parser does not know the
// field that the value came in: its caller adds that with [Error.In].
func invalid(reason, fix string) *Error {
	return &Error{Code: Invalid, Detail: "The request has invalid input", Fields: []Fault{{Reason: reason, Fix: fix}}}
}

// In returns the faults of e, an error of a Parse function, as those of the
// named field of a call: a fault without a field gets the name, a fault of a
// part gets it as a prefix.
func (e *Error) In(field string) []Fault {
	faults := make([]Fault, len(e.Fields))
	for i, f := range e.Fields {
		if f.Field == "" {
			f.Field = field
		} else {
			f.Field = field + "." + f.Field
		}
		faults[i] = f
	}
	return faults
}

// Sentence returns a fragment, such as the reason of a [Fault], as a sentence:
// with a capital first letter and a full stop.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.ContainsAny(text[len(text)-1:], ".?…") {
		text += "."
	}
	return text
}
