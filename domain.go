package tocsin

import (
	"cmp"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// Domain is a host name in canonical form: lower-case ASCII (IDNA A-labels), without a trailing dot, and without a
// leading "www." if a registrable name remains, because both are one site (decision 5). Only [ParseDomain] makes
// one; the zero value is not a domain.
type Domain struct {
	name        string
	registrable string
	path        bool
}

const domainFix = "send a host name such as example.com, or a URL"

// walletNames are endings that look like top-level domains. Wallets resolve them and DNS does not. To answer that
// nothing is on record for them would mislead.
var walletNames = map[string]string{
	"eth": "ENS", "sol": "the Solana Name Service", "bnb": "Space ID", "ton": "TON DNS", "btc": "the Bitcoin Name System",
	"trx":     "a name service of Tron",
	"bitcoin": unstoppable, "blockchain": unstoppable, "crypto": unstoppable, "dao": unstoppable, "nft": unstoppable,
	"polygon": unstoppable, "wallet": unstoppable, "x": unstoppable, "zil": unstoppable,
}

const unstoppable = "Unstoppable Domains"

// walletChains are the chains of the endings that are of one chain.
var walletChains = map[string]string{
	"eth": "Ethereum", "sol": "Solana", "bnb": "BNB Chain", "ton": "TON", "btc": "Bitcoin", "trx": "Tron",
}

// WalletName reports whether a text is a name that wallets resolve to an account, and DNS does not resolve, such as
// lena.sol. The chain is that of the account, "" if it may be of several.
func WalletName(text string) (chain string, ok bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	at := strings.LastIndexByte(text, '.')
	if at < 1 || strings.ContainsAny(text, "/:?# ") {
		return "", false
	}
	_, delegated := publicsuffix.PublicSuffix(text)
	ending := text[at+1:]
	return walletChains[ending], walletNames[ending] != "" && !delegated
}

// hosts converts what people type to the ASCII form that resolvers use (UTS #46, non-transitional), and refuses
// what no IDNA rule allows.
var hosts = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.StrictDomainName(false))

// ParseDomain parses a host name or a URL. It accepts upper case, a trailing dot, Unicode (IDNA), user information,
// a port, a path and defanged text ([Refang]), and reduces them to the host. It refuses IP addresses and names of
// one label.
//
// It accepts a name in xn-- form that IDNA 2008 does not allow, because registries sold such names, and they
// resolve.
func ParseDomain(text string) (Domain, *Error) {
	text = strings.TrimSpace(text)
	if len(text) > 4096 { // checked first, since of other faults all of the text is searched for secrets
		return Domain{}, invalidf(domainFix, "the domain is longer than 4096 characters")
	}
	d, fault := parseDomain(text)
	if fault != nil && mayHoldSecret(text) { // a message with a part of it in lower case would not show that
		fault = invalidf(domainFix, "it is not a domain name")
	}
	return d, fault
}

// refused returns the error for a name, which is put into the reason.
func refused(name, format, fix string) *Error { return invalidf(fix, format, quoted(name, 80)) }

func parseDomain(text string) (Domain, *Error) {
	host, path, err := hostOf(text)
	if err != nil {
		return Domain{}, err
	}
	if len(host) > 1024 { // bytes, more than 253 characters have; punycode is slow with long names
		return Domain{}, invalidf(domainFix, "the domain name is longer than 253 characters (RFC 1035, 2.3.4)")
	}
	name, bad := hosts.ToASCII(host)
	if bad != nil {
		if !isASCII(host) {
			return Domain{}, refused(host, "%s is not a valid internationalized domain name (IDNA)", domainFix)
		}
		name = host
	}
	if strings.ContainsFunc(name, notInHosts) { // after IDNA, which maps look-alikes to such characters
		return Domain{}, refused(host, "%s is not a domain name: it contains a character that host names cannot have",
			domainFix)
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	if fault := checkLabels(name); fault != nil {
		return Domain{}, fault
	}
	suffix, delegated := publicsuffix.PublicSuffix(name) // only ICANN suffixes: private ones may allow underscores
	if !delegated {
		suffix = name[strings.LastIndexByte(name, '.')+1:]
	}
	below := strings.TrimSuffix(name, "."+suffix)
	if sold := below[strings.LastIndexByte(below, '.')+1:]; strings.Contains(sold+suffix, "_") {
		return Domain{}, refused(name, "%s is not a domain name: a registered name has no underscore (RFC 1123, 2.1)",
			domainFix)
	}
	if system := walletNames[suffix]; system != "" && !delegated {
		return Domain{}, invalidf("send the address that it resolves to",
			"%s is a name of %s, which resolves to an address, not a domain name", quoted(name, 80), system)
	}
	for {
		rest, ok := strings.CutPrefix(name, "www.")
		if !ok || registrable(rest) == "" {
			break
		}
		name = rest
	}
	return Domain{name, registrable(name), path}, nil
}

// Unicode returns the domain as a browser may show it, such as bücher.example for xn--bcher-kva.example, or "" if that
// is its ASCII form. A label that does not decode, or would have invisible characters, stays in ASCII.
func (d Domain) Unicode() string {
	if !strings.Contains(d.name, "xn--") {
		return ""
	}
	labels := strings.Split(d.name, ".")
	for i, label := range labels {
		text, err := idna.Punycode.ToUnicode(label)
		if err == nil && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsGraphic(r) }) {
			labels[i] = strings.ToLower(text)
		}
	}
	if text := strings.Join(labels, "."); text != d.name {
		return text
	}
	return ""
}

var (
	fangedDot    = regexp.MustCompile(`(?i)\[(?:\.|dot)\]|\((?:\.|dot)\)|\{(?:\.|dot)\}`)
	fangedColon  = strings.NewReplacer("[:]", ":", "[://]", "://")
	fangedScheme = regexp.MustCompile(`(?i)\bhxxp(s?:)`)
)

// Refang undoes the ways in which analysts write dangerous names so that nobody follows them by accident, such as
// hxxps://evil[.]com and evil[dot]com. Other text stays as it is.
func Refang(text string) string {
	if strings.ContainsAny(text, "[({") {
		text = fangedColon.Replace(fangedDot.ReplaceAllString(text, "."))
	}
	if strings.Contains(strings.ToLower(text), "hxxp") {
		text = fangedScheme.ReplaceAllString(text, "http$1")
	}
	return text
}

// hostOf returns the host of a URL or of a bare name, and whether anything that selects a page followed it.
func hostOf(text string) (host string, path bool, fault *Error) {
	if !utf8.ValidString(text) {
		return "", false, invalidf(domainFix, "it is not valid UTF-8")
	}
	text = strings.ReplaceAll(Refang(text), "\\", "/") // browsers read a backslash so (WHATWG URL, 4.4)
	url := false
	// Browsers accept one slash.
	if scheme, rest, ok := strings.Cut(text, ":/"); ok && !strings.ContainsAny(scheme, "/?#.") {
		url = true
		if s := strings.ToLower(scheme); s != "http" && s != "https" {
			return "", false, invalidf(domainFix, "%s is not an http or https URL", strconv.Quote(Clip(scheme, 20)+":/"))
		}
		text = rest
	}
	text = strings.TrimLeft(text, "/")
	if i := strings.IndexAny(text, "/?#"); i >= 0 {
		path = text[i:] != "/"
		text = text[:i]
	}
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		if !url {
			return "", false, refused(text, "%s is an email address, not a domain name",
				"send the host name of a site; an email address belongs in socialMedia.other")
		}
		text = text[i+1:] // user information: https://bank.com@evil.com is evil.com
	}
	if h, port, ok := strings.Cut(text, ":"); ok && !strings.ContainsAny(port, ":") {
		if strings.Trim(port, "0123456789") != "" {
			return "", false, invalidf(domainFix, "%s is not a port", quoted(port, 20))
		}
		text = h
	}
	if text == "" {
		return "", false, invalidf(domainFix, "the domain is empty")
	}
	return text, path, nil
}

// notInHosts reports whether an ASCII character never occurs in a host name. Underscores do, below the registrable
// part.
func notInHosts(r rune) bool {
	return r < 0x80 && !isWord(r) && r != '-' && r != '.' && r != '_'
}

func checkLabels(name string) *Error {
	if _, err := netip.ParseAddr(name); err == nil {
		return refused(name, "%s is an IP address, not a domain name", "send the host name of the site")
	}
	labels := strings.Split(name, ".")
	last := labels[len(labels)-1]
	switch {
	case len(name) > 253:
		return invalidf(domainFix, "the domain name is longer than 253 characters (RFC 1035, 2.3.4)")
	case len(name) == 42 && strings.HasPrefix(name, "0x") && isHex(name[2:]):
		return invalidf("send it as an address", "%s is an EVM address, not a domain name", quoted(name, 80))
	case len(labels) < 2:
		return refused(name, "%s is a single label, not a public domain name", domainFix)
	case strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x"):
		return refused(name, "%s is not a domain name: no top-level domain is a number", "send the host name of the site")
	}
	for _, l := range labels {
		switch {
		case l == "":
			return refused(name, "%s has an empty label", domainFix)
		case len(l) > 63:
			return invalidf(domainFix, "the label %s is longer than 63 characters (RFC 1035, 2.3.4)", quoted(l, 80))
		case l[0] == '-' || l[len(l)-1] == '-':
			return invalidf(domainFix, "the label %s begins or ends with a hyphen", quoted(l, 63))
		case !isASCII(l):
			return refused(name, "%s is not a valid internationalized domain name (IDNA)", domainFix)
		}
	}
	return nil
}

// registrable returns the label before the public suffix with that suffix (eTLD+1), where the private section of
// the Public Suffix List and shared_hosts.txt count too, and of several such suffixes the longest: a bucket is below
// s3.amazonaws.com, not below amazonaws.com. It is "" for a name that is itself a public suffix or shared host.
func registrable(name string) string {
	owned, err := publicsuffix.EffectiveTLDPlusOne(name)
	if err != nil {
		return ""
	}
	for at := 0; ; {
		if _, shared := sharedHosts[name[at:]]; shared {
			if at == 0 {
				return ""
			}
			below := name[strings.LastIndexByte(name[:at-1], '.')+1:]
			if len(below) > len(owned) {
				return below
			}
			return owned
		}
		next := strings.IndexByte(name[at:], '.')
		if next < 0 {
			return owned
		}
		at += next + 1
	}
}

// String returns the canonical name.
func (d Domain) String() string { return d.name }

// Subject returns the domain as a subject of reports and lists.
func (d Domain) Subject() Subject { return Subject{DNS, d.name} }

// Registrable returns the registrable part of the domain: eTLD+1 by the Public Suffix List, with its private
// section, and by shared_hosts.txt. It is "" if the domain is itself a public suffix or a shared host.
func (d Domain) Registrable() string { return d.registrable }

// Shared reports whether the domain is a public suffix or a shared host, whose users are unrelated. It can be
// neither reported nor listed.
func (d Domain) Shared() bool { return d.registrable == "" }

// HasPath reports whether the domain was parsed from a URL of a page rather than of a whole site.
func (d Domain) HasPath() bool { return d.path }

// SelfAndParents returns the names whose reports and listings apply to the domain: itself, then its parents down to
// the registrable one, but never a public suffix or a shared host above it.
func (d Domain) SelfAndParents() []Subject {
	return upTo(d.Subject(), Subject{DNS, cmp.Or(d.registrable, d.name)})
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
