package siwe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tocsin"
)

// skew is how far the clock of a wallet may be ahead of ours.
const skew = time.Minute

// Expectation is what a service expects of the messages it is sent. What is left
// out is not waived: nothing conforms to the zero Expectation.
type Expectation struct {
	Domain string        // our host, and its port where our URL shows one, as browsers write it: "service.example:8443"
	Origin string        // of our URL: "https://service.example:8443"
	Chains []uint64      // the ids of the chains on which wallets may sign in
	Now    time.Time     // the moment to judge by
	MaxAge time.Duration // how old a message may be: the life of a nonce
}

// Check holds a message against what is expected: it is for us (the domain is
// ours to the letter; the scheme, if given, and the URI's origin are ours), for
// a chain of ours, and for now. It was issued at most a minute ahead of our
// clock and not longer than MaxAge ago; it has not expired and has begun. Of the
// nonce it knows nothing. The error is a *[tocsin.Error] with every fault.
func Check(m Message, want Expectation) error {
	var faults []tocsin.Fault
	fault := func(field, reason, fix string) {
		faults = append(faults, tocsin.Fault{Field: field, Reason: reason, Fix: fix})
	}
	ours := originOf(want.Origin)
	scheme, _, _ := strings.Cut(ours, "://")
	if m.Scheme != "" && strings.ToLower(m.Scheme) != scheme {
		fault("scheme", fmt.Sprintf("the message is for %s, this is %s", quote(m.Scheme), quote(scheme)), "sign a message with our scheme, or with none")
	}
	if m.Domain != want.Domain || m.Domain == "" {
		fault("domain", fmt.Sprintf("the message is for %s, this is %s", quote(m.Domain), quote(want.Domain)), "sign a message for us; if a site that is not ours asked for this one, it may be phishing")
	}
	if originOf(m.URI) != ours {
		fault("uri", fmt.Sprintf("%s is not of our origin", quote(m.URI)), "send a URI that begins with "+want.Origin)
	}
	if m.Version != "1" {
		fault("version", fmt.Sprintf("%s is not a version of EIP-4361", quote(m.Version)), "send 1")
	}
	if !slices.Contains(want.Chains, m.ChainID) {
		ids := make([]string, len(want.Chains))
		for i, id := range want.Chains {
			ids[i] = strconv.FormatUint(id, 10)
		}
		fault("chainId", fmt.Sprintf("nobody can sign in on chain %d here", m.ChainID), "send one of: "+strings.Join(ids, ", "))
	}
	again := "ask for a new nonce and sign a new message"
	switch at := m.IssuedAt.At; {
	case at.After(want.Now.Add(skew)):
		fault("issuedAt", fmt.Sprintf("the message was issued in the future, at %s; here it is %s", m.IssuedAt.Text, want.Now.UTC().Format(time.RFC3339)), "set the clock of the device, and sign a new message")
	case at.Before(want.Now.Add(-want.MaxAge)):
		fault("issuedAt", fmt.Sprintf("the message is older than %s: it was issued at %s, here it is %s", want.MaxAge, m.IssuedAt.Text, want.Now.UTC().Format(time.RFC3339)), again)
	}
	if t := m.ExpirationTime; t.Given() && !want.Now.Before(t.At) {
		fault("expirationTime", "the message expired at "+t.Text, again)
	}
	if t := m.NotBefore; t.Given() && want.Now.Before(t.At) {
		fault("notBefore", "the message is not valid before "+t.Text, "wait until then, or sign a new message")
	}
	return tocsin.Faults(faults)
}
