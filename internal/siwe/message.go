// Package siwe implements Sign-In with Ethereum (EIP-4361): it parses the message
// that a wallet signed, checks it against an expectation, and verifies the
// signature.
//
// A sign-in is [Parse], [Check], the use of the nonce, and [Verify]. Nonces are up
// to the caller, who must accept each of them once.
package siwe

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"tocsin"
)

// maxMessage limits a message, in bytes. Real ones have some 300.
const maxMessage = 4 << 10

// Message is a sign-in message. The fields of one from [Parse] have the form that
// EIP-4361 demands; [Check] checks their values.
type Message struct {
	Scheme         string // of the origin that asks, such as "https"; "" if the message names none
	Domain         string // of the origin that asks: an authority (RFC 3986) with a host
	Address        tocsin.Address
	Statement      *string  // text for the person who signs, in ASCII; nil for none
	URI            string   // the resource that is signed in to (RFC 3986)
	Version        string   // "1"
	ChainID        uint64   // of EIP-155
	Nonce          string   // at least 8 letters and digits
	IssuedAt       Time     // when the message was made
	ExpirationTime Time     // end of validity; optional
	NotBefore      Time     // begin of validity; optional
	RequestID      *string  // nil for none
	Resources      []string // URIs; nil if even their heading is missing

	lowerCase bool // the address is written without its checksum
}

// Time is a time (RFC 3339) together with its text, which is what was signed.
type Time struct {
	At   time.Time
	Text string // "" if the message does not have this time
}

// Given reports whether the message has this time.
func (t Time) Given() bool { return t.Text != "" }

// The fixed texts of a message, in this order (the ABNF of EIP-4361).
const (
	opening        = " wants you to sign in with your Ethereum account:"
	uriLabel       = "URI: "
	versionLabel   = "Version: "
	chainLabel     = "Chain ID: "
	nonceLabel     = "Nonce: "
	issuedLabel    = "Issued At: "
	expiresLabel   = "Expiration Time: "
	beginsLabel    = "Not Before: "
	requestLabel   = "Request ID: "
	resourcesLabel = "Resources:"
	resourceLabel  = "- "
)

var (
	nonceForm = regexp.MustCompile(`^[A-Za-z0-9]{8,}$`)
	timeForm  = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?` +
		`([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$`)
)

// String returns the text of the message. If it is from [Parse], that is the
// parsed text, byte for byte.
func (m Message) String() string {
	var b strings.Builder
	if m.Scheme != "" {
		b.WriteString(m.Scheme + "://")
	}
	address := m.Address.String()
	if m.lowerCase {
		address = strings.ToLower(address)
	}
	b.WriteString(m.Domain + opening + "\n" + address + "\n\n")
	if m.Statement != nil {
		b.WriteString(*m.Statement + "\n")
	}
	b.WriteString("\n" + uriLabel + m.URI)
	b.WriteString("\n" + versionLabel + m.Version)
	b.WriteString("\n" + chainLabel + strconv.FormatUint(m.ChainID, 10))
	b.WriteString("\n" + nonceLabel + m.Nonce)
	b.WriteString("\n" + issuedLabel + m.IssuedAt.Text)
	if m.ExpirationTime.Given() {
		b.WriteString("\n" + expiresLabel + m.ExpirationTime.Text)
	}
	if m.NotBefore.Given() {
		b.WriteString("\n" + beginsLabel + m.NotBefore.Text)
	}
	if m.RequestID != nil {
		b.WriteString("\n" + requestLabel + *m.RequestID)
	}
	if m.Resources != nil {
		b.WriteString("\n" + resourcesLabel)
	}
	for _, r := range m.Resources {
		b.WriteString("\n" + resourceLabel + r)
	}
	return b.String()
}

// Parse parses a message of at most 4 KiB. It is as strict as the ABNF of
// EIP-4361, and stricter in four points: the domain has a host; an address with
// upper-case letters has its EIP-55 checksum, which the standard demands "where
// applicable"; the chain id has at most 64 bits and no leading zero; and no time
// is a leap second. The error is a *[tocsin.Error] with one fault, which names
// the line.
func Parse(text string) (Message, error) {
	if len(text) > maxMessage {
		return Message{}, refuse("", fmt.Sprintf("it has %d bytes, %d are allowed", len(text), maxMessage),
			"leave out the statement and the resources, or shorten them")
	}
	r := reader{lines: strings.Split(text, "\n")}
	var m Message
	m.Scheme, m.Domain = r.origin()
	m.Address, m.lowerCase = r.address()
	r.empty("one empty line follows the address")
	m.Statement = r.statement()
	m.URI, _ = r.field("uri", uriLabel, required, isURI,
		"an absolute URI (RFC 3986), such as https://service.example/login")
	m.Version, _ = r.field("version", versionLabel, required, func(s string) bool { return s == "1" }, "1")
	m.ChainID = r.chain()
	m.Nonce, _ = r.field("nonce", nonceLabel, required, nonceForm.MatchString,
		"at least 8 letters and digits, as the service gave it")
	m.IssuedAt = r.time("issuedAt", issuedLabel, required)
	m.ExpirationTime = r.time("expirationTime", expiresLabel, optional)
	m.NotBefore = r.time("notBefore", beginsLabel, optional)
	isSegment := func(s string) bool { return consistsOf(s, pchar) }
	if id, ok := r.field("requestId", requestLabel, optional, isSegment,
		"letters, digits and the signs that may be in the path of a URI (RFC 3986, pchar)"); ok {
		m.RequestID = &id
	}
	m.Resources = r.resources()
	r.end()
	if r.fault != nil {
		return Message{}, r.fault
	}
	return m, nil
}

// refuse returns the error of one faulty field; the field "" is the whole message.
func refuse(field, reason, fix string) *tocsin.Error {
	return &tocsin.Error{
		Code:   tocsin.Invalid,
		Detail: "The request has invalid input",
		Fields: []tocsin.Fault{{Field: field, Reason: reason, Fix: fix}},
	}
}

// reader reads a message line by line. It stops at the first fault.
type reader struct {
	lines []string
	next  int // index of the line that is read next
	fault *tocsin.Error
}

const (
	required = true
	optional = false
)

// wrong records a fault of the line that is read next, unless there was one before.
func (r *reader) wrong(field, reason, fix string) {
	if r.fault == nil {
		r.fault = refuse(field, fmt.Sprintf("line %d: %s", r.next+1, reason), fix)
	}
}

// line returns the line that is read next; false if there is no other line.
func (r *reader) line() (string, bool) {
	if r.fault != nil || r.next >= len(r.lines) {
		return "", false
	}
	line := r.lines[r.next]
	if strings.HasSuffix(line, "\r") {
		r.wrong("", "it ends in a carriage return", "end each line with a line feed alone")
		return "", false
	}
	return line, true
}

func (r *reader) origin() (scheme, domain string) {
	line, _ := r.line()
	origin, ok := strings.CutSuffix(line, opening)
	if !ok {
		r.wrong("domain", "it is not the opening of a sign-in message",
			`begin the message with the domain of the service and "`+opening[1:]+`" (EIP-4361)`)
	}
	domain = origin
	if before, after, ok := strings.Cut(origin, "://"); ok {
		if scheme, domain = before, after; !isScheme(scheme) {
			r.wrong("scheme", fmt.Sprintf("%s is not a scheme (RFC 3986)", quote(scheme)),
				"send https, or leave out the scheme and its ://")
		}
	}
	if !isAuthority(domain) || !hasHost(domain) {
		r.wrong("domain", fmt.Sprintf("%s is not a domain: an authority (RFC 3986) with a host", quote(domain)),
			"name the host of the service, and its port if the URL shows one")
	}
	r.next++
	return scheme, domain
}

func (r *reader) address() (address tocsin.Address, lowerCase bool) {
	line, _ := r.line()
	address, err := tocsin.ParseAddress(strings.ToLower(line))
	switch {
	case err != nil:
		r.wrong("address", quote(line)+" is not an EVM address",
			"write 0x and 40 hexadecimal digits, in lower case or in the mixed case of EIP-55")
	case address.String() != line && strings.ToLower(line) != line:
		r.wrong("address", quote(line)+" has a wrong checksum (EIP-55), so a digit may be mistyped",
			"check it against its source; if the digits are right, write it "+address.String())
	}
	r.next++
	return address, address.String() != line
}

func (r *reader) empty(why string) {
	if line, ok := r.line(); !ok || line != "" {
		r.wrong("", "it must be empty: "+why, "lay out the message as EIP-4361 does")
	}
	r.next++
}

// statement reads "[ statement LF ] LF". An empty line is an empty statement only
// if another empty line follows.
func (r *reader) statement() *string {
	line, _ := r.line()
	if line == "" && (r.next+1 >= len(r.lines) || r.lines[r.next+1] != "") {
		r.empty("two empty lines come before the URI if there is no statement")
		return nil
	}
	if !consistsOf(line, gendelims+" ") || strings.Contains(line, "%") {
		r.wrong("statement", quote(line)+" has a character that a statement may not have (EIP-4361)",
			`use ASCII letters, digits, spaces and the punctuation of URIs; none of % " < > \ ^ { | } and the backtick`)
	}
	r.next++
	r.empty("one empty line comes between the statement, which has one line, and the URI; " +
		"without a statement there are two")
	return &line
}

// field reads the value after a label, if the line begins with the label. An
// invalid value is a fault, and so is a line without a required label.
func (r *reader) field(name, label string, must bool, valid func(string) bool, want string) (string, bool) {
	line, _ := r.line()
	value, ok := strings.CutPrefix(line, label)
	switch {
	case !ok && must:
		r.wrong(name, fmt.Sprintf("%q is expected, this is %s", label, quote(line)),
			"write "+strconv.Quote(label)+" and then "+want+"; keep the order of EIP-4361")
	case !ok:
		return "", false
	case !valid(value):
		r.wrong(name, fmt.Sprintf("%s after %q is not valid", quote(value), label), "send "+want)
	}
	r.next++
	return value, true
}

func (r *reader) chain() uint64 {
	var id uint64
	r.field("chainId", chainLabel, required, func(s string) bool {
		n, err := strconv.ParseUint(s, 10, 64)
		id = n
		return err == nil && strconv.FormatUint(n, 10) == s
	}, "the id of a chain (EIP-155) in decimal digits, such as 1")
	return id
}

func (r *reader) time(name, label string, must bool) Time {
	var t Time
	t.Text, _ = r.field(name, label, must, func(s string) bool {
		at, err := time.Parse(time.RFC3339, strings.ToUpper(s)) // it wants a large T and Z, and accepts more than timeForm
		t.At = at.UTC()
		return err == nil && timeForm.MatchString(s)
	}, "a date and time with an offset (RFC 3339), such as 2026-01-31T09:30:00Z")
	return t
}

func (r *reader) resources() []string {
	if line, _ := r.line(); line != resourcesLabel {
		return nil
	}
	r.next++
	all := []string{}
	for {
		resource, ok := r.field("resources", resourceLabel, optional, isURI,
			"an absolute URI (RFC 3986), each on a line of its own")
		if !ok || r.fault != nil {
			return all
		}
		all = append(all, resource)
	}
}

func (r *reader) end() {
	line, ok := r.line()
	switch {
	case !ok:
	case line == "" && r.next == len(r.lines)-1:
		r.wrong("", "the message ends in a line feed", "leave it out")
	default:
		r.wrong("", quote(line)+" is not expected here",
			`keep the order of EIP-4361: after "Issued At: " come "Expiration Time: ", "Not Before: ", `+
				`"Request ID: " and "Resources:", each at most once`)
	}
}

// quote quotes what was sent for an error message.
func quote(s string) string { return strconv.Quote(tocsin.Clip(s, 64)) }
