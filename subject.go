package tocsin

import (
	"cmp"
	"slices"
	"strings"
)

// Kind is the kind of thing that a report or a list can name.
type Kind string

// The kinds of subject. Readers of the API must accept kinds that they do not know: more will be added.
const (
	EVM Kind = "evm"    // an account or contract on any EVM chain
	DNS Kind = "domain" // a host name

	// Accounts of other chains.
	Bitcoin     Kind = "bitcoin"
	Tron        Kind = "tron"
	TON         Kind = "ton"
	XRP         Kind = "xrp"
	Monero      Kind = "monero"
	Cardano     Kind = "cardano"
	Litecoin    Kind = "litecoin"
	Dogecoin    Kind = "dogecoin"
	BitcoinCash Kind = "bitcoin_cash"
	Dash        Kind = "dash"
	Zcash       Kind = "zcash"      // with transparent addresses; the others hide who is paid
	BNBBeacon   Kind = "bnb_beacon" // the chain that BNB was on besides BNB Chain, which is of the EVM
	Solana      Kind = "solana"
)

// Subject is what a report or a list names: a kind and the one canonical spelling of the value within it, so that
// equal subjects are equal values.
type Subject struct {
	Kind Kind
	// EVM: 0x and 40 lower-case hex digits. DNS: lower-case ASCII, no trailing dot. An account of another chain: its
	// address in the chain's own text form, bech32 in lower case; on TON the raw form.
	Value string
}

// rules are the differences between the kinds of subject.
type rules struct {
	kind      Kind
	name      string                             // of the chain or chains, as people say it; "" for no account
	namespace string                             // of the chains where it is an account (CAIP-2); "" for no account
	chain     string                             // the chain (CAIP-2), if all accounts of the kind are of one
	prefixes  []string                           // what else may come before a colon and an address: URI schemes
	unchecked bool                               // an address has no checksum, so only a prefix makes a text one
	matches   func(text string) bool             // whether a text is meant as a subject of this kind
	read      func(text string) (string, *Error) // the canonical value of what people type and of what show returns
	show      func(value string) string          // the canonical value as people write it
	owner     func(value string) string          // the topmost parent whose evidence applies too, or the value itself
}

// chains are the kinds that are accounts on chains. A new chain is a new entry here or in otherChains. Nothing
// outside of these functions may change the case of an address.
var chains = slices.Concat([]rules{
	{kind: EVM, name: "EVM", namespace: "eip155", matches: looksLikeAddress, read: readEVM, show: showEVM, owner: itself},
}, otherChains)

// kinds are all kinds. The last entry matches any text.
var kinds = slices.Concat(chains, []rules{
	{kind: DNS, matches: func(string) bool { return true }, read: readDNS, show: itself, owner: ownerDNS},
})

func readEVM(text string) (string, *Error) {
	a, err := ParseAddress(text)
	if err != nil {
		return "", err
	}
	return a.Subject().Value, nil
}

func showEVM(value string) string {
	a, err := ParseAddress(value)
	if err != nil {
		return value
	}
	return a.String()
}

func readDNS(text string) (string, *Error) {
	d, err := ParseDomain(text)
	return d.name, err
}

// ownerDNS returns the registrable domain. The parents of a public suffix and of a hosting service say nothing
// about it, so it is its own.
func ownerDNS(name string) string {
	return cmp.Or(registrable(name), name)
}

func itself(value string) string { return value }

// rules returns the entry of the table for the kind of s.
func (s Subject) rules() *rules {
	for i := range kinds {
		if kinds[i].kind == s.Kind {
			return &kinds[i]
		}
	}
	return &rules{show: itself, owner: itself} // of a later version
}

// String returns the text by which the subject is named: an EVM address with its EIP-55 checksum, a domain in ASCII,
// and any other account as CAIP-10. [ParseSubject] reads it.
func (s Subject) String() string {
	r := s.rules()
	if r.chain != "" {
		return r.chain + ":" + strings.ReplaceAll(s.Value, ":", "%3A")
	}
	return r.show(s.Value)
}

// Plain returns the subject as people write it, without the name of the chain: what a wallet shows.
func (s Subject) Plain() string { return s.rules().show(s.Value) }

// Unicode returns a domain as a browser may show it, or "" if that is its ASCII form: see [Domain.Unicode].
func (s Subject) Unicode() string {
	if s.Kind != DNS {
		return ""
	}
	return Domain{name: s.Value}.Unicode()
}

// IsAddress reports whether the subject is an account on a chain, rather than a domain.
func (s Subject) IsAddress() bool { return s.Namespace() != "" }

// Namespace returns the CAIP-2 namespace of the chains on which the subject is an account, such as "eip155", or ""
// if it is no account.
func (s Subject) Namespace() string { return s.rules().namespace }

// Chain returns the CAIP-2 id of the chain that the subject is an account of, or "" if it is a domain, or an EVM
// account, which exists on every EVM chain.
func (s Subject) Chain() string { return s.rules().chain }

// ChainName returns the name of the chain that the subject is an account of, such as "Bitcoin", "EVM" for all EVM
// chains, and "" for a domain.
func (s Subject) ChainName() string { return s.rules().name }

// Owner returns the subject that those which share evidence have in common: the registrable domain of a domain, and
// every other subject itself. A change of evidence about a subject affects only subjects with the same owner.
func (s Subject) Owner() Subject { return Subject{s.Kind, s.rules().owner(s.Value)} }

// SelfAndParents returns the subjects whose evidence applies to s: itself, then its parents up to its owner,
// nearest first. Only domains have parents.
func (s Subject) SelfAndParents() []Subject { return upTo(s, s.Owner()) }

func upTo(s, owner Subject) []Subject {
	subjects := []Subject{s}
	for s != owner {
		_, s.Value, _ = strings.Cut(s.Value, ".")
		subjects = append(subjects, s)
	}
	return subjects
}

// ParseSubject parses an account of any chain or a domain, whichever the text looks like. Use it for what a person
// types into a single field.
func ParseSubject(text string) (Subject, *Error) {
	if fault := notThePayee(strings.TrimSpace(text)); fault != nil {
		return Subject{}, fault
	}
	s, fault := parseAs(kinds, text)
	if fault == nil && s.Kind != DNS {
		return s, nil
	}
	if chain := OtherChain(text); chain != "" {
		return Subject{}, notScreened(text, chain)
	}
	if fault == nil {
		return s, nil
	}
	const most = 4096 // of a longer text only the beginning is searched: no message repeats more
	switch secret := FindSecret(text[:min(len(text), most)]); {
	case secret != nil:
		fault = secret
	case strings.TrimSpace(text) == "":
		fault = invalidf("send an address or a domain", "it is empty")
	case looksLikeHandle(text) && !looksLikeAddress(text):
		fault = invalidf("search the reports for it; of an e-mail address, the domain can be screened",
			"%s is a handle, and handles are not screened", quoted(CleanText(text), 64))
	}
	return Subject{}, fault
}

// parseAs parses a text by the entry whose prefix it has, or else by the first entry that matches it. If none does,
// the first entry says what is wrong.
func parseAs(table []rules, text string) (Subject, *Error) {
	r, rest := prefixed(table, strings.TrimSpace(text))
	if r == nil {
		r = &table[0]
		if i := slices.IndexFunc(table, func(r rules) bool { return r.matches(strings.TrimSpace(text)) }); i >= 0 {
			r = &table[i]
		}
		if r.unchecked {
			return Subject{}, invalidf("if it is one, send "+r.prefixes[0]+":"+Clip(rest, 64),
				"%s may be an address of %s, which has no checksum to tell", quoted(rest, 64), r.name)
		}
	}
	value, err := r.read(rest)
	if err != nil {
		return Subject{}, err
	}
	return Subject{r.kind, value}, nil
}
