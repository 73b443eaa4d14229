package siwe

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/evm"
)

// said returns the one fault of an error as "field | reason | fix".
func said(t testing.TB, err error) string {
	t.Helper()
	if err == nil {
		return "no error"
	}
	var all []string
	for _, f := range faultsOf(t, err) {
		all = append(all, f.Field+" | "+f.Reason+" | "+f.Fix)
	}
	return strings.Join(all, "\n")
}

// TestAFaultOfAMessageSaysHowToMendIt holds the whole text of each fault.
func TestAFaultOfAMessageSaysHowToMendIt(t *testing.T) {
	const order = "; keep the order of EIP-4361"
	for _, c := range []struct{ old, new, want string }{
		{"account:", "account", `domain | line 1: it is not the opening of a sign-in message | begin the message with ` +
			`the domain of the service and "wants you to sign in with your Ethereum account:" (EIP-4361)`},
		{"0xe5A12547", "0xe5a12547", `address | line 2: "0xe5a12547fe4E872D192E3eCecb76F2Ce1aeA4946" has a wrong ` +
			`checksum (EIP-55), so a digit may be mistyped | check it against its source; if the digits are right, write it ` +
			`0xe5A12547fe4E872D192E3eCecb76F2Ce1aeA4946`},
		{"4946\n\n", "4946\n", ` | line 3: it must be empty: one empty line follows the address | ` +
			`lay out the message as EIP-4361 does`},
		{"Take the key.", "a\tb", `statement | line 4: "a\tb" has a character that a statement may not have (EIP-4361) | ` +
			"use ASCII letters, digits, spaces and the punctuation of URIs; none of % \" < > \\ ^ { | } and the backtick"},
		{"URI: ", "Uri: ", `uri | line 6: "URI: " is expected, this is "Uri: https://service.example:8443/login" | ` +
			`write "URI: " and then an absolute URI (RFC 3986), such as https://service.example/login` + order},
		{"Version: 1", "Version: 2", `version | line 7: "2" after "Version: " is not valid | send 1`},
		{"ID: 8453", "ID: x", `chainId | line 8: "x" after "Chain ID: " is not valid | ` +
			`send the id of a chain (EIP-155) in decimal digits, such as 1`},
		{"abcDEF123", "a", `nonce | line 9: "a" after "Nonce: " is not valid | ` +
			`send at least 8 letters and digits, as the service gave it`},
		{"abcDEF123", strings.Repeat("-", 66), `nonce | line 9: "` + tocsin.Clip(strings.Repeat("-", 66), 64) +
			`" after "Nonce: " is not valid | send at least 8 letters and digits, as the service gave it`},
		{"2026-09-01T11:59:00Z", "now", `notBefore | line 12: "now" after "Not Before: " is not valid | ` +
			`send a date and time with an offset (RFC 3339), such as 2026-01-31T09:30:00Z`},
		{"a%20b", "a/b", `requestId | line 13: "a/b" after "Request ID: " is not valid | ` +
			`send letters, digits and the signs that may be in the path of a URI (RFC 3986, pchar)`},
		{"- urn:a", "- a", `resources | line 15: "a" after "- " is not valid | ` +
			`send an absolute URI (RFC 3986), each on a line of its own`},
		{"Take the key.", strings.Repeat("a", maxMessage+14-len(full)), ` | it has 4097 bytes, 4096 are allowed | ` +
			`leave out the statement and the resources, or shorten them`},
		{"Take the key.", strings.Repeat("a", maxMessage+13-len(full)), "no error"},
	} {
		if _, err := Parse(edit(t, c.old, c.new)); said(t, err) != c.want {
			t.Errorf("%q for %q:\n%s, want\n%s", c.new, c.old, said(t, err), c.want)
		}
	}
	short := strings.SplitAfterN(full, "\n", 4)
	for lines, want := range map[string]string{
		strings.Join(short[:3], ""): `uri | line 5: "URI: " is expected, this is "" | write "URI: " and then an ` +
			`absolute URI (RFC 3986), such as https://service.example/login` + order,
		strings.Join(short[:2], ""): ` | line 4: it must be empty: two empty lines come before the URI if there is no ` +
			`statement | lay out the message as EIP-4361 does`,
	} {
		if _, err := Parse(lines); said(t, err) != want {
			t.Errorf("%q:\n%s, want\n%s", lines, said(t, err), want)
		}
	}
}

// TestAFaultOfAnExpectationSaysHowToMendIt holds the whole text of each fault.
func TestAFaultOfAnExpectationSaysHowToMendIt(t *testing.T) {
	const again = " | ask for a new nonce and sign a new message"
	for _, c := range []struct{ old, new, want string }{
		{"https://service.example:8443 wants", "f+p://service.example:8443 wants",
			`scheme | the message is for "f+p", this is "https" | sign a message with our scheme, or with none`},
		{"https://service.example:8443 wants", "evil.example wants",
			`domain | the message is for "evil.example", this is "service.example:8443" | ` +
				`sign a message for us; if a site that is not ours asked for this one, it may be phishing`},
		{"https://service.example:8443/login", "https://evil.example/", `uri | "https://evil.example/" is not of our ` +
			`origin | send a URI that begins with https://service.example:8443`},
		{"ID: 8453", "ID: 10", `chainId | nobody can sign in on chain 10 here | send one of: 1, 8453`},
		{"12:00:00.5+02:00", "12:02:00Z", `issuedAt | the message was issued in the future, at 2026-09-01T12:02:00Z; ` +
			`here it is 2026-09-01T12:00:00Z | set the clock of the device, and sign a new message`},
		{"12:00:00.5+02:00", "08:00:00Z", `issuedAt | the message is older than 3h0m0s: it was issued at ` +
			`2026-09-01T08:00:00Z, here it is 2026-09-01T12:00:00Z` + again},
		{"t12:10:00z", "T11:00:00Z", `expirationTime | the message expired at 2026-09-01T11:00:00Z` + again},
		{"T11:59:00Z", "T12:59:00Z", `notBefore | the message is not valid before 2026-09-01T12:59:00Z | ` +
			`wait until then, or sign a new message`},
	} {
		want := ours(t)
		want.Now = want.Now.In(time.FixedZone("UTC+9", 9*3600)) // told in UTC all the same
		if err := Check(parse(t, edit(t, c.old, c.new)), want); said(t, err) != c.want {
			t.Errorf("%q for %q:\n%s, want\n%s", c.new, c.old, said(t, err), c.want)
		}
	}
	m := parse(t, full)
	m.Version = "2"
	if err := Check(m, ours(t)); said(t, err) != `version | "2" is not a version of EIP-4361 | send 1` {
		t.Error(said(t, err))
	}
}

func TestAFaultOfASignatureSaysHowToMendIt(t *testing.T) {
	for text, want := range map[string]string{
		"00":   ` | "00" is not a signature | ` + signatureFix,
		"0xzz": ` | "0xzz" is not a signature | ` + signatureFix,
		"0x" + strings.Repeat("00", maxSignature+1): ` | the signature has 16385 bytes, 16384 are allowed | ` +
			`sign with a wallet that is deployed`,
	} {
		if _, err := ParseSignature(text); said(t, err) != want {
			t.Errorf("%.20s: %s, want %s", text, said(t, err), want)
		}
	}
	by := tocsin.Address{19: 1}
	for _, c := range []struct {
		node *evm.Node
		want string
	}{
		{nil, ` | the signature is not by the key of ` + by.String() + `, and contract wallets (ERC-1271) cannot be ` +
			`checked by this service | sign the exact text of the message, with personal_sign, by an account that has a key`},
		{(&machine{}).node(t), ` | the signature is neither by the key of ` + by.String() + ` nor, on the chain of the ` +
			`message, valid to a contract there (ERC-1271) | sign the exact text of the message with that account; a ` +
			`contract wallet must be on the chain that the message names, or wrap its signature (ERC-6492)`},
	} {
		for _, length := range []int{1, maxSignature} {
			if err := Verify(context.Background(), text, by, make([]byte, length), c.node); said(t, err) != c.want {
				t.Errorf("%s, want %s", said(t, err), c.want)
			}
		}
	}
}

// TestAWalletIsAskedAsERC1271Says holds the selector by its definition.
func TestAWalletIsAskedAsERC1271Says(t *testing.T) {
	selector := evm.Keccak256([]byte("isValidSignature(bytes32,bytes)"))[:4]
	if !bytes.Equal(magic, append(selector, make([]byte, 28)...)) {
		t.Errorf("magic is %x, the selector is %x", magic, selector)
	}
}

// TestTheWrapperMayEndWithItsLastByte: nothing is cut off that is there, and
// nothing is read that is not.
func TestTheWrapperMayEndWithItsLastByte(t *testing.T) {
	head := func(deploy, signature int) []byte {
		return append(append(make([]byte, 31), 2), append(word(deploy), word(signature)...)...)
	}
	both := append(head(96, 96), word(3)...)
	for _, c := range []struct {
		about  string
		b      []byte
		deploy string
		ok     bool
	}{
		{"both at one place", append(bytes.Clone(both), "abc"...), "abc", true},
		{"a byte less", append(bytes.Clone(both), "ab"...), "", false},
		{"empty, at the end", append(head(96, 96), word(0)...), "", true},
		{"within the head", append(head(0, 96), append(word(0), 0)...), "", true},
		{"a length that is cut off", append(head(96, 96), word(0)[:31]...), "", false},
		{"the longest", append(append(head(96, 96), word(maxSignature)...), make([]byte, maxSignature)...),
			string(make([]byte, maxSignature)), true},
		{"longer than the longest", append(append(head(96, 96), word(maxSignature+1)...), make([]byte, maxSignature+1)...),
			"", false},
		{"a dirty offset", append(append(bytes.Clone(both[:32]), append(append([]byte{1}, both[33:64]...), both[64:]...)...),
			"abc"...), "", false},
	} {
		factory, deploy, signature, ok := unwrap(c.b)
		if c.about == "within the head" { // its length is the factory's word: 2 bytes follow it
			c.deploy = string(c.b[32:34])
		}
		if ok != c.ok || ok && (factory != tocsin.Address{19: 2} || string(deploy) != c.deploy) {
			t.Errorf("%s: %s, %x, %x, %t", c.about, factory, deploy, signature, ok)
		}
	}
	if _, _, _, ok := unwrap(make([]byte, 96)); !ok {
		t.Error("three words of zeros are two empty values at 0")
	}
	for _, n := range []int{0, 11, 12, 63, 64, 95} {
		if _, _, _, ok := unwrap(make([]byte, n)); ok {
			t.Errorf("%d bytes are three words", n)
		}
	}
	if signedByKey(make([]byte, 32), make([]byte, 65), tocsin.Address{}) {
		t.Error("what nobody has signed is signed by the zero address")
	}
}

// TestTheEdgesOfRFC3986 holds the first and the last of each range of characters.
func TestTheEdgesOfRFC3986(t *testing.T) {
	for _, c := range []struct{ good, bad string }{
		{"urn:azAZ09%af%AF%09", "urn:`"}, {"x:%00", "x:%"}, {"x:%99z", "x:%9"}, {"x:%aa%ff", "x:%ag"}, {"x:%Fa", "x:%/0"},
		{"x:?a/b?c", "x:a[b"}, {"x:#?/", "x:#["}, {"x:a/b", "x:?["}, {"http://[v1.a]", "http://[v1.]"},
		{"http://[::1]:80", "http://[::1%25eth0]"}, {"http://[::1]", "http://[127.0.0.1]"}, {"x:%0a", "x:%0:"},
		{"x:a", "x:{"}, {"x:Z", "1x:a"}, {"x:%41%42", "x:%4%41"}, {"x:", "x"}, {"x:%a0", "x:%`0"}, {"x:%f0", "x:%G0"},
		{"x:%0f", "x:%@0"}, {"x:%90", "x:%0"}, {"http://a%20b/", "http://a%2xb/"}, {"x:~", "x:\x7f"},
		{"x:%ab", "x:\"ab"},
	} {
		if !isURI(c.good) {
			t.Errorf("%q is a URI", c.good)
		}
		if isURI(c.bad) {
			t.Errorf("%q is no URI", c.bad)
		}
	}
}

// TestAValueOfTheABIEndsWithinItsBytes: its length, and what it has.
func TestAValueOfTheABIEndsWithinItsBytes(t *testing.T) {
	word := func(n int) []byte { return append(make([]byte, 30), byte(n>>8), byte(n)) }
	value := slices.Concat(word(0), word(3), []byte("abc"))
	for about, c := range map[string]struct {
		b      []byte
		offset int
		text   string
		ok     bool
	}{
		"whole":                       {value, 32, "abc", true},
		"a byte is missing":           {value[:66], 32, "", false},
		"nothing at the end":          {make([]byte, 64), 32, "", true},
		"the length is cut":           {make([]byte, 63), 32, "", false},
		"the length begins one later": {make([]byte, 64), 33, "", false},
		"behind the end":              {make([]byte, 64), 65, "", false},
	} {
		got, ok := dynamic(slices.Clip(c.b), word(c.offset))
		if string(got) != c.text || ok != c.ok {
			t.Errorf("%s: %q, %t", about, got, ok)
		}
	}
}
