package tocsin

import (
	"encoding/hex"
	"strings"
	"unicode"

	"golang.org/x/crypto/sha3"
)

// Address is an EVM address. Only [ParseAddress] makes one from text, so an Address is valid.
type Address [20]byte

const addressFix = "send 0x and 40 hexadecimal digits"

// ParseAddress parses an EVM address: 0x and 40 hexadecimal digits, in lower, upper or EIP-55 mixed case. It
// refuses a mixed-case address whose checksum is wrong, because it has most likely been mistyped.
func ParseAddress(text string) (Address, *Error) {
	var a Address
	s := strings.TrimSpace(text)
	if digits := digitsInGroups(s); digits != "" {
		return a, invalidf("send 0x"+digits, "an address is written without spaces")
	}
	if len(s) < 2 || s[0] != '0' || s[1]|0x20 != 'x' {
		if len(s) == 40 && isHex(s) {
			return a, invalidf("send 0x"+s, "the address must begin with 0x")
		}
		if chain := otherChainOf(s); chain != "" {
			return a, invalidf("screen it as an account; in a report, send it in scammerAccounts",
				"this is an address of %s, and here only one of an EVM chain can be given", chain)
		}
		fix := addressFix
		if strings.Contains(s, ".") {
			fix = "send a site as a domain; for a name such as name.eth, send the address that it resolves to"
		}
		return a, invalidf(fix, "%s is not an EVM address", quoted(s, 64))
	}
	digits := s[2:]
	if !isHex(digits) {
		return a, invalidf(addressFix, "%s is not an EVM address: a character in it is not a hexadecimal digit",
			quoted(s, 64))
	}
	if len(digits) != 40 {
		return a, invalidf(addressFix, "an EVM address has 40 hexadecimal digits after 0x, this one has %d", len(digits))
	}
	if _, err := hex.Decode(a[:], []byte(digits)); err != nil {
		return a, invalidf(addressFix, "the address cannot be decoded")
	}
	mixed := strings.ContainsAny(digits, "abcdef") && strings.ContainsAny(digits, "ABCDEF")
	if mixed && a.String()[2:] != digits {
		return Address{}, invalidf("check it against its source; if the digits are right, send "+strings.ToLower(s),
			"the address does not match its EIP-55 checksum, so a digit may be mistyped").by(WrongCase)
	}
	return a, nil
}

// String returns the address with its EIP-55 checksum.
func (a Address) String() string {
	digits := a.lower()
	hash := sha3.NewLegacyKeccak256()
	hash.Write(digits[2:])
	var sum [32]byte
	hash.Sum(sum[:0])
	for i := range 40 {
		nibble := sum[i/2] >> (4 * (1 - i%2)) & 0xf
		if c := digits[2+i]; c >= 'a' && nibble >= 8 {
			digits[2+i] = c - 'a' + 'A'
		}
	}
	return string(digits[:])
}

// Subject returns the address as a subject of reports and lists.
func (a Address) Subject() Subject {
	text := a.lower()
	return Subject{EVM, string(text[:])}
}

// lower returns the address in lower case.
func (a Address) lower() (text [42]byte) {
	copy(text[:], "0x")
	hex.Encode(text[2:], a[:])
	return text
}

// digitsInGroups returns the 40 digits of a text that has them in groups, perhaps with 0x before them; otherwise "".
func digitsInGroups(text string) string {
	if !strings.ContainsFunc(text, unicode.IsSpace) || len(text) > 200 {
		return ""
	}
	digits := strings.Join(strings.Fields(text), "")
	if len(digits) == 42 && digits[0] == '0' && digits[1]|0x20 == 'x' {
		digits = digits[2:]
	}
	if len(digits) != 40 || !isHex(digits) {
		return ""
	}
	return digits
}

// looksLikeAddress reports whether a text is meant as an EVM address, valid or not.
func looksLikeAddress(text string) bool {
	s := strings.TrimSpace(text)
	return len(s) >= 2 && s[0] == '0' && s[1]|0x20 == 'x' && !strings.Contains(s, ".") || len(s) == 40 && isHex(s) ||
		digitsInGroups(s) != ""
}

func isHex(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		if (s[i] < '0' || s[i] > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
