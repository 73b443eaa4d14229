package tocsin

import (
	"regexp"
	"slices"
	"strings"
)

// Respelled is a text that may be an account on record with capital letters in other places: a spreadsheet or a person
// has changed them. Most chains have a checksum that such a text fails. An address of Solana has none, so the text may
// be a valid address, of which nothing is on record.
type Respelled struct {
	Kinds []Kind // that the account may be of
	Text  string // the address, without the name of a chain
}

// respelledForm matches what may be an account in the text form of any chain but TON, whose canonical form is another.
var respelledForm = regexp.MustCompile(`^(?:0[xX][0-9A-Fa-f]{40}|[0-9A-Za-z]{25,110})$`)

// ReadRespelled returns what to look for if a text is not right as it is; ok is false if it is right, or no account.
func ReadRespelled(text string) (r Respelled, ok bool) {
	text = strings.TrimSpace(text)
	if s, fault := ParseSubject(text); fault == nil && s.Kind != Solana || notThePayee(text) != nil {
		return r, false
	}
	named, rest := prefixed(chains, text)
	if digits := digitsInGroups(rest); digits != "" {
		rest = digits
	}
	if !respelledForm.MatchString(rest) {
		return r, false
	}
	r.Text = rest
	if named != nil {
		r.Kinds = []Kind{named.kind}
		return r, true
	}
	if looksLikeAddress(rest) {
		r.Kinds, r.Text = []Kind{EVM}, "0x"+rest[len(rest)-40:]
		return r, true
	}
	lower, upper := strings.ToLower(rest), strings.ToUpper(rest)
	for _, chain := range otherChains {
		maySolana := chain.kind == Solana && len(rest) >= 32 && len(rest) <= 44
		for _, spelled := range []string{rest, lower, upper, upper[:1] + lower[1:], lower[:1] + upper[1:]} {
			if maySolana || chain.kind != Solana && chain.matches(spelled) {
				r.Kinds = append(r.Kinds, chain.kind)
				break
			}
		}
	}
	return r, len(r.Kinds) > 0
}

// Means reports whether an account has the characters of the text in another case.
func (r Respelled) Means(account Subject) bool {
	return (account.Kind == EVM || account.Value != r.Text) && slices.Contains(r.Kinds, account.Kind) &&
		strings.EqualFold(account.Value, r.Text)
}

// respelledStart is how many characters decide in [Respelled.Starts].
const respelledStart = 4

// Starts are the beginnings that the account may have, so that it is found by an index of values; and its whole value
// if it is in lower case. An address of bech32, of which thousands begin alike, is always in lower case.
func (r Respelled) Starts() (starts []string, lower string) {
	lower = strings.ToLower(r.Text)
	hrp, _, _ := strings.Cut(lower, "1")
	if _, bech32 := versions[hrp]; bech32 || r.Kinds[0] == EVM {
		return nil, lower
	}
	starts = []string{""}
	for i := range respelledStart {
		var longer []string
		for _, start := range starts {
			longer = append(longer, start+lower[i:i+1])
			if c := lower[i]; c >= 'a' && c <= 'z' {
				longer = append(longer, start+strings.ToUpper(lower[i:i+1]))
			}
		}
		starts = longer
	}
	return starts, lower
}

// RespelledFault is the fault of a valid address that has the characters of an account on record, but not their case. A
// second account with the same characters does not occur by chance, so this one was copied wrong.
func RespelledFault(meant Subject) *Error {
	return invalidf("copy it again from its source; if it is that account, send "+meant.String(),
		"it differs only in capital and small letters from an account on record, %s", meant.Plain())
}

// maxCorrected is the length of the longest text that is corrected: that of bech32 addresses of 32 bytes.
const maxCorrected = 62

// The characters of addresses: of base58, and of bech32 (BIP 173), which is in lower case.
const (
	base58Characters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	bech32Characters = "023456789acdefghjklmnpqrstuvwxyz"
)

// Corrected returns the account that a text names if one character of it is another one, where its checksum shows that
// it is wrong, and the text as it would be written as an account of the same kind. There is hardly ever a second. It
// takes milliseconds: every such text is tried.
func Corrected(text string) (typed, meant Subject, found bool) {
	_, fault := ParseAccount(text)
	named, text := prefixed(otherChains, strings.TrimSpace(text))
	if fault == nil || fault.Fields[0].Cause != WrongChecksum || len(text) > maxCorrected {
		return typed, meant, false
	}
	characters := base58Characters
	if text == strings.ToLower(text) {
		characters = bech32Characters
	}
	for _, chain := range otherChains {
		if named != nil && chain.kind != named.kind || !chain.matches(text) || chain.unchecked {
			continue
		}
		for i := range text {
			for _, c := range []byte(characters) {
				if value, fault := chain.read(text[:i] + string(c) + text[i+1:]); fault == nil {
					return Subject{chain.kind, text}, Subject{chain.kind, value}, true
				}
			}
		}
	}
	return typed, meant, false
}
