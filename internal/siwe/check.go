package siwe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tocsin"
)

// skew is how far the clock of a wallet's device may be ahead of ours.
const skew = time.Minute

// Expectation is what a service expects of a message. Every field is required: no
// message conforms to the zero Expectation.
type Expectation struct {
	Domain string        // host of the service, with the port if its URL has one: "service.example:8443"
	Origin string        // of the service's URL: "https://service.example:8443"
	Chains []uint64      // ids of the chains whose wallets may sign in (EIP-155)
	Now    time.Time     // the current time
	MaxAge time.Duration // maximum age of a message: the life of a nonce
}

// Check checks a message against an expectation:
//
//   - The domain is equal to that of the service, and so is the origin of the
//     URI and the scheme, if there is one.
//   - The chain is one of those expected.
//   - The message was issued at most MaxAge ago and at most a minute ahead of the
//     service's clock, has not expired, and is valid already.
//
// The caller has to check the nonce. The error is a *[tocsin.Error] with every fault.
func Check(m Message, want Expectation) error {
	var faults []tocsin.Fault
	fault := func(field, reason, fix string) {
		faults = append(faults, tocsin.Fault{Field: field, Reason: reason, Fix: fix})
	}
	ours := originOf(want.Origin)
	scheme, _, _ := strings.Cut(ours, "://")
	if m.Scheme != "" && strings.ToLower(m.Scheme) != scheme {
		fault("scheme", fmt.Sprintf("the message is for %s, this is %s", quote(m.Scheme), quote(scheme)),
			"sign a message with our scheme, or with none")
	}
	if m.Domain != want.Domain || m.Domain == "" {
		fault("domain", fmt.Sprintf("the message is for %s, this is %s", quote(m.Domain), quote(want.Domain)),
			"sign a message for us; if a site that is not ours asked for this one, it may be phishing")
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
		fault("chainId", fmt.Sprintf("nobody can sign in on chain %d here", m.ChainID),
			"send one of: "+strings.Join(ids, ", "))
	}
	const again = "ask for a new nonce and sign a new message"
	now := want.Now.UTC().Format(time.RFC3339)
	switch at := m.IssuedAt.At; {
	case at.After(want.Now.Add(skew)):
		fault("issuedAt",
			fmt.Sprintf("the message was issued in the future, at %s; here it is %s", m.IssuedAt.Text, now),
			"set the clock of the device, and sign a new message")
	case at.Before(want.Now.Add(-want.MaxAge)):
		fault("issuedAt",
			fmt.Sprintf("the message is older than %s: it was issued at %s, here it is %s", want.MaxAge, m.IssuedAt.Text, now),
			again)
	}
	if t := m.ExpirationTime; t.Given() && !want.Now.Before(t.At) {
		fault("expirationTime", "the message expired at "+t.Text, again)
	}
	if t := m.NotBefore; t.Given() && want.Now.Before(t.At) {
		fault("notBefore", "the message is not valid before "+t.Text, "wait until then, or sign a new message")
	}
	return tocsin.Faults(faults)
}
