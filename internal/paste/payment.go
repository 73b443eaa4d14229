package paste

import (
	"net/url"
	"regexp"
	"strings"
)

// request matches a payment request of ERC-681: its target, its chain, the function that it calls, its parameters.
var request = regexp.MustCompile(`^(?:pay-)?([^@/?]+)(?:@([0-9]+))?(?:/(\w+))?(?:\?(.*))?$`)

// payment adds the parts of a payment request (ERC-681), and reports false if a word is none.
func (r *partReader) payment(word string) bool {
	rest, is := cutFold(word, "ethereum:")
	if !is {
		_, link, found := strings.Cut(word, "://")
		host, path, _ := strings.Cut(link, "/")
		if rest, is = strings.CutPrefix(path, "send/"); !found || !is || !opensWallets(host) {
			return false
		}
	}
	m := request.FindStringSubmatch(rest)
	if m == nil {
		return false
	}
	target, function := m[1], m[3]
	values, err := url.ParseQuery(m[4])
	if err != nil {
		return false
	}
	switch function {
	case "":
		r.recipient(target, Asked{units(values.Get("value")), true})
	case "transfer":
		r.recipient(values.Get("address"), Asked{units(values.Get("uint256")), false})
		r.word(target, Token)
	default: // another function of a contract, such as one that lets somebody take tokens
		r.word(target, "")
		for _, address := range values["address"] {
			r.word(address, "")
		}
	}
	return true
}

// recipient adds who would get the money.
func (r *partReader) recipient(text string, amount Asked) {
	before := len(r.parts)
	r.word(text, Recipient)
	if len(r.parts) > before {
		r.parts[before].Role, r.parts[before].Asked = Recipient, amount
	}
}

// cutFold is [strings.CutPrefix] without regard to case.
func cutFold(text, prefix string) (rest string, is bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return text, false
	}
	return text[len(prefix):], true
}

// number681 matches a number of ERC-681, such as 2.014e18.
var number681 = regexp.MustCompile(`^([0-9]{0,60})(?:\.([0-9]{1,60}))?(?:[eE]([0-9]{1,2}))?$`)

// units returns a number of ERC-681 as a whole number, or "" if it is none.
func units(text string) string {
	m := number681.FindStringSubmatch(text)
	if m == nil || m[1]+m[2] == "" {
		return ""
	}
	exponent := 0
	for _, c := range m[3] {
		exponent = 10*exponent + int(c-'0')
	}
	if len(m[2]) > exponent {
		return ""
	}
	whole := strings.TrimLeft(m[1]+m[2]+strings.Repeat("0", exponent-len(m[2])), "0")
	if whole == "" {
		return "0"
	}
	return whole
}
