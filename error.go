package tocsin

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Code is a stable, machine-readable name for an error of the caller. Codes are part of the API: new ones may be
// added, none may be renamed.
type Code string

// The codes of the rules and the store. Package api maps them to HTTP statuses.
const (
	Invalid          Code = "invalid_input"     // the request is invalid; Fields says where
	NotFound         Code = "not_found"         // nothing has that name, or it may not be shown
	ReportWithdrawn  Code = "report_withdrawn"  // the reporter has withdrawn the report
	ReportHidden     Code = "report_hidden"     // the operator has hidden the report
	ReportDropped    Code = "report_dropped"    // the list that the report comes from has it no longer
	Forbidden        Code = "forbidden"         // a wrong manage token
	IdempotencyReuse Code = "idempotency_reuse" // the same Idempotency-Key with another body
	AgentBanned      Code = "banned"            // the operator has banned the agent of this key or wallet
	FilingClosed     Code = "filing_closed"     // the operator takes no reports at the moment
	FilingNeedsKey   Code = "filing_needs_key"  // the operator takes reports with a key only at the moment
)

// Error is an error of the caller: what is wrong with the request and how to fix it. Any other error is internal:
// it is logged and never shown.
type Error struct {
	Code   Code
	Detail string  // one sentence for a person
	Fields []Fault // the invalid parts of the request, if known
	At     *Time   // since when a report is gone; nil if that is not known, and for other codes
}

// Fault names one invalid part of a request.
type Fault struct {
	Field  string `json:"field"`  // a path such as "scammerAddresses[3]"
	Reason string `json:"reason"` // what is wrong with it
	Fix    string `json:"fix"`    // what to send instead

	// Cause is what is wrong, for programs that do something of their own about it; "" for most faults.
	Cause Cause `json:"-"`

	// Format is the Reason before its Args are put into it, with %s and %d: a fixed text, so that it can be translated. It
	// is "" where the Reason alone is known.
	Format string `json:"-"`
	Args   []any  `json:"-"`
}

// Cause names what is wrong with a part of a request.
type Cause string

// The causes.
const (
	WrongChecksum Cause = "checksum" // the checksum of an account does not hold: a character is wrong
	WrongCase     Cause = "case"     // that of an EVM address, which is in its capital letters (EIP-55)
	HoldsSecret   Cause = "secret"   // the text seems to hold a seed phrase or a private key
	InFuture      Cause = "future"   // the time lies in the future
)

// Error returns the faults in one line, for logs and for the command line.
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

// maxFaults caps the faults listed in one error. It is enough for a full batch.
const maxFaults = 100

// Faults returns an error that lists the first hundred of the faults, or nil if there are none.
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

// invalid returns the error for a single value. A parser does not know which field the value came from: its caller
// adds that with [Error.In].
func invalid(reason, fix string) *Error {
	return &Error{Code: Invalid, Detail: "The request has invalid input", Fields: []Fault{{Reason: reason, Fix: fix}}}
}

// invalidf is [invalid] with a reason that can be translated. Its formats are constants with %s and %d.
func invalidf(fix, format string, args ...any) *Error {
	e := invalid(fmt.Sprintf(format, args...), fix)
	e.Fields[0].Format, e.Fields[0].Args = format, args
	return e
}

// by sets the cause of the error for a single value.
func (e *Error) by(c Cause) *Error {
	e.Fields[0].Cause = c
	return e
}

// quoted is the beginning of a text in quotes, to be put into a reason.
func quoted(text string, most int) string { return strconv.Quote(Clip(text, most)) }

// In returns the faults of e, an error of a Parse function, as faults of the named field of a request: a fault
// without a field gets the name, a fault of a part gets it as a prefix.
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

// Sentence returns a fragment, such as the reason of a [Fault], as a sentence: with a capital first letter and a
// full stop.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if last, _ := utf8.DecodeLastRuneInString(text); !strings.ContainsRune(".?…", last) {
		text += "."
	}
	return text
}
