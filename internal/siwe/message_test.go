package siwe

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"tocsin"
)

// fields are those of a message in the vectors, with what they say beside it.
type fields struct {
	Scheme, Domain, Address, Statement, URI, Version string
	ChainID                                          any
	Nonce, IssuedAt, ExpirationTime, NotBefore       string
	RequestID                                        *string
	Resources                                        []string

	Signature, Time, DomainBinding, MatchNonce string
}

// text lays the fields out without a look at them.
func (f fields) text() string {
	var b strings.Builder
	put := func(label, value string) {
		if value != "" {
			b.WriteString("\n" + label + value)
		}
	}
	if f.Scheme != "" {
		b.WriteString(f.Scheme + "://")
	}
	b.WriteString(f.Domain + opening + "\n" + f.Address + "\n")
	put("", f.Statement)
	b.WriteString("\n")
	put(uriLabel, f.URI)
	put(versionLabel, f.Version)
	if id, err := json.Marshal(f.ChainID); err == nil && f.ChainID != nil {
		put(chainLabel, strings.Trim(string(id), `"`))
	}
	put(nonceLabel, f.Nonce)
	put(issuedLabel, f.IssuedAt)
	put(expiresLabel, f.ExpirationTime)
	put(beginsLabel, f.NotBefore)
	if f.RequestID != nil {
		b.WriteString("\n" + requestLabel + *f.RequestID)
	}
	if f.Resources != nil {
		b.WriteString("\n" + resourcesLabel)
	}
	for _, r := range f.Resources {
		b.WriteString("\n" + resourceLabel + r)
	}
	return b.String()
}

// fieldsOf tells a message in the words of the vectors.
func fieldsOf(m Message) fields {
	f := fields{
		Scheme: m.Scheme, Domain: m.Domain, Address: m.Address.String(), URI: m.URI, Version: m.Version,
		ChainID: float64(m.ChainID), Nonce: m.Nonce,
		IssuedAt: m.IssuedAt.Text, ExpirationTime: m.ExpirationTime.Text, NotBefore: m.NotBefore.Text,
		RequestID: m.RequestID, Resources: m.Resources,
	}
	if m.Statement != nil {
		f.Statement = *m.Statement
	}
	return f
}

type signed struct {
	About, By, Message, Signature string
	Fields                        fields
}

// reference are the vectors of the library whose makers wrote EIP-4361.
type reference struct {
	Positive         map[string]signed `json:"parsing_positive"`
	Negative         map[string]string `json:"parsing_negative"`
	NegativeObjects  map[string]fields `json:"parsing_negative_objects"`
	Verified         map[string]fields `json:"verification_positive"`
	NotVerified      map[string]fields `json:"verification_negative"`
	OfContractWallet map[string]signed `json:"eip1271"`
}

// clients are messages that other libraries composed and signed.
type clients struct {
	Signed  []signed
	Wrapped struct{ Message, Factory, Deploy, Inner, Signature string }
}

func read[T any](t testing.TB, name string) T {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var v T
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// parse reads a message that must be valid.
func parse(t testing.TB, text string) Message {
	t.Helper()
	m, err := Parse(text)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return m
}

// faultsOf returns the faults that an error names.
func faultsOf(t testing.TB, err error) []tocsin.Fault {
	t.Helper()
	var fault *tocsin.Error
	if !errors.As(err, &fault) || fault.Code != tocsin.Invalid || len(fault.Fields) == 0 {
		t.Fatalf("no fault of the caller: %v", err)
	}
	for _, f := range fault.Fields {
		if f.Reason == "" || f.Fix == "" {
			t.Errorf("%v does not say how to mend it", f)
		}
	}
	return fault.Fields
}

func TestReferenceMessagesParse(t *testing.T) {
	for about, c := range read[reference](t, "reference.json").Positive {
		m := parse(t, c.Message)
		if got := fieldsOf(m); !reflect.DeepEqual(got, c.Fields) {
			t.Errorf("%s:\n%+v, not\n%+v", about, got, c.Fields)
		}
		if m.String() != c.Message {
			t.Errorf("%s: String gives\n%s", about, m)
		}
	}
}

func TestReferenceMessagesAreRefused(t *testing.T) {
	vectors := read[reference](t, "reference.json")
	for about, text := range vectors.Negative {
		if about == "address not EIP-55" { // it is in lower case, to which EIP-4361's "where applicable" need not apply
			continue
		}
		m, err := Parse(text)
		if err == nil {
			t.Errorf("%s: %+v", about, m)
			continue
		}
		if faults := faultsOf(t, err); len(faults) != 1 || !strings.HasPrefix(faults[0].Reason, "line ") {
			t.Errorf("%s: %v", about, err)
		}
	}
	for about, f := range vectors.NegativeObjects {
		if m, err := Parse(f.text()); err == nil {
			t.Errorf("%s: %+v", about, m)
		}
	}
}

func TestMessagesOfClientsParse(t *testing.T) {
	for _, c := range read[clients](t, "clients.json").Signed {
		m := parse(t, c.Message)
		if got, want := fieldsOf(m), c.Fields; !reflect.DeepEqual(got.Resources, want.Resources) ||
			got.text() != want.text() || got.text() != c.Message {
			t.Errorf("%s, %s:\n%+v, not\n%+v", c.By, c.About, got, want)
		}
		if m.String() != c.Message {
			t.Errorf("%s, %s: String gives\n%s", c.By, c.About, m)
		}
	}
}

// full has every field.
const full = `https://service.example:8443 wants you to sign in with your Ethereum account:
0xe5A12547fe4E872D192E3eCecb76F2Ce1aeA4946

Take the key.

URI: https://service.example:8443/login
Version: 1
Chain ID: 8453
Nonce: abcDEF123
Issued At: 2026-09-01T12:00:00.5+02:00
Expiration Time: 2026-09-01t12:10:00z
Not Before: 2026-09-01T11:59:00Z
Request ID: a%20b
Resources:
- urn:a
- https://service.example/?q#f`

// edit returns full with one part in place of another.
func edit(t testing.TB, old, new string) string {
	t.Helper()
	if strings.Count(full, old) != 1 {
		t.Fatalf("%q is not once in the message", old)
	}
	return strings.Replace(full, old, new, 1)
}

func TestEveryField(t *testing.T) {
	m := parse(t, full)
	statement, id := "Take the key.", "a%20b"
	want := Message{
		Scheme: "https", Domain: "service.example:8443", Address: m.Address, Statement: &statement,
		URI: "https://service.example:8443/login", Version: "1",
		ChainID: 8453, Nonce: "abcDEF123", RequestID: &id, Resources: []string{"urn:a", "https://service.example/?q#f"},
		IssuedAt:       Time{time.Date(2026, 9, 1, 10, 0, 0, 500_000_000, time.UTC), "2026-09-01T12:00:00.5+02:00"},
		ExpirationTime: Time{time.Date(2026, 9, 1, 12, 10, 0, 0, time.UTC), "2026-09-01t12:10:00z"},
		NotBefore:      Time{time.Date(2026, 9, 1, 11, 59, 0, 0, time.UTC), "2026-09-01T11:59:00Z"},
	}
	if !reflect.DeepEqual(m, want) || m.Address.String() != "0xe5A12547fe4E872D192E3eCecb76F2Ce1aeA4946" {
		t.Errorf("%+v", m)
	}
	if m.String() != full {
		t.Errorf("String gives\n%s", m)
	}
}

// TestUnusualMessages holds Parse to what EIP-4361 allows and hardly anybody writes.
func TestUnusualMessages(t *testing.T) {
	for _, text := range []string{
		edit(t, "0xe5A12547fe4E872D192E3eCecb76F2Ce1aeA4946", "0xe5a12547fe4e872d192e3ececb76f2ce1aea4946"),
		edit(t, "Take the key.\n\n", "\n"),         // no statement
		edit(t, "Take the key.", ""),               // an empty one
		edit(t, "Take the key.", " "),              // a blank one
		edit(t, "Take the key.", "URI: https://x"), // one that looks like a field
		edit(t, "Take the key.", `-._~:/?#[]@!$&'()*+,;= aZ09`),
		edit(t, "ID: a%20b", "ID: "), // an empty request id
		edit(t, "ID: a%20b", "ID: -._~!$&'()*+,;=:@%aF"),
		edit(t, "\n- urn:a\n- https://service.example/?q#f", ""), // a heading alone
		edit(t, "- urn:a", "- a:"),                               // the shortest URI
		edit(t, "- urn:a", "- file:///etc"),                      // an empty host
		edit(t, "- urn:a", "- x+y-z.1:/a//b"),
		edit(t, "- urn:a", "- ldap://[2001:db8::7]/c=GB?objectClass?one"),
		edit(t, "- urn:a", "- http://[v1.fe:a]:/"),
		edit(t, "- urn:a", "- http://u:p%20w@[::ffff:1.2.3.4]:80"),
		edit(t, "- urn:a", "- http://?#"),
		edit(t, "https://service.example:8443 wants", "a+b-c.1://%65xample wants"),
		edit(t, "https://service.example:8443 wants", "service.example: wants"), // an empty port
		edit(t, "https://service.example:8443 wants", "user:@999.1.1.1:99999 wants"),
		edit(t, "ID: 8453", "ID: 18446744073709551615"),
		edit(t, "ID: 8453", "ID: 0"),
		edit(t, "2026-09-01T12:00:00.5+02:00", "0000-02-29T23:59:59.123456789012345-00:00"),
		edit(t, "2026-09-01T12:00:00.5+02:00", "9999-12-31T00:00:00+23:59"),
	} {
		if got := parse(t, text).String(); got != text {
			t.Errorf("String gives\n%s, not\n%s", got, text)
		}
	}
}

func TestTheFaultIsNamed(t *testing.T) {
	for _, c := range []struct{ old, new, field, reason string }{
		{full, "", "domain", "line 1: it is not the opening"},
		{full, "service.example" + opening, "address", `line 2: "" is not an EVM address`},
		{" wants you to sign in", " wants you to Sign in", "domain", "line 1: it is not the opening"},
		{"account:", "account: ", "domain", "line 1: it is not the opening"},
		{"https://service.example:8443 wants", " wants", "domain", `line 1: "" is not a domain`},
		{"https://service.example:8443 wants", ":80 wants", "domain", `line 1: ":80" is not a domain`},
		{"https://service.example:8443 wants", "user@ wants", "domain", `line 1: "user@" is not a domain`},
		{"https://service.example:8443 wants", "a@b@c wants", "domain", `line 1: "a@b@c" is not a domain`},
		{"https://service.example:8443 wants", "a:b wants", "domain", `line 1: "a:b" is not a domain`},
		{"https://service.example:8443 wants", "[::1 wants", "domain", `line 1: "[::1" is not a domain`},
		{"https://service.example:8443 wants", "[::1%25eth0] wants", "domain", `line 1: "[::1%25eth0]" is not a domain`},
		{"https://service.example:8443 wants", "[1.2.3.4] wants", "domain", `line 1: "[1.2.3.4]" is not a domain`},
		{"https://service.example:8443 wants", "[::1]x wants", "domain", `line 1: "[::1]x" is not a domain`},
		{"https://service.example:8443 wants", "sérvice.example wants", "domain",
			`line 1: "sérvice.example" is not a domain`},
		{"https://service.example:8443 wants", "https:///x wants", "domain", `line 1: "/x" is not a domain`},
		{"https://service.example:8443 wants", "://x wants", "scheme", `line 1: "" is not a scheme`},
		{"https://service.example:8443 wants", "1http://x wants", "scheme", `line 1: "1http" is not a scheme`},
		{"0xe5A1", " 0xe5A1", "address", "line 2: "},
		{"0xe5A1", "0XE5A1", "address", `line 2: "0XE5A12547fe4E872D192E3eCecb76F2Ce1aeA4946" has a wrong checksum`},
		{"0xe5A12547fe4E872D192E3eCecb76F2Ce1aeA4946", "0xE5A12547FE4E872D192E3ECECB76F2CE1AEA4946", "address", "line 2: "},
		{"4946\n\n", "4946\n", "", "line 3: it must be empty"},
		{"Take the key.\n\n", "", "", "line 5: it must be empty: one empty line comes between"},
		{"Take the key.\n\n", "Take the key.\n", "", "line 5: it must be empty"},
		{"Take the key.", "Take\nthe key.", "", "line 5: it must be empty"},
		{"Take the key.", "\n", "uri", `line 6: "URI: " is expected`},
		{"Take the key.", `Take "it"`, "statement", "line 4: "},
		{"Take the key.", "100%25", "statement", "line 4: "},
		{"Take the key.", "Nimm den Schlüssel", "statement", "line 4: "},
		{"Take the key.", "a\tb", "statement", "line 4: "},
		{"URI: ", "Uri: ", "uri", `line 6: "URI: " is expected`},
		{"URI: https://service.example:8443/login", "URI: /login", "uri", "line 6: "},
		{"URI: https://service.example:8443/login", "URI: https://a b", "uri", "line 6: "},
		{"URI: https://service.example:8443/login", "URI: https://a/%2", "uri", "line 6: "},
		{"URI: https://service.example:8443/login", "URI: https://a/%2x", "uri", "line 6: "},
		{"URI: https://service.example:8443/login", "URI: https://a/#b#c", "uri", "line 6: "},
		{"URI: https://service.example:8443/login", "URI: https://a/[b]", "uri", "line 6: "},
		{"URI: https://service.example:8443/login", "URI: https://a@b@c", "uri", "line 6: "},
		{"URI: https://service.example:8443/login", "URI: https://a[b@c", "uri", "line 6: "},
		{"URI: https://service.example:8443/login", "URI: https://[::g]", "uri", "line 6: "},
		{"Version: 1", "Version: 01", "version", "line 7: "},
		{"Version: 1\n", "", "version", `line 7: "Version: " is expected, this is "Chain ID: 8453"`},
		{"ID: 8453", "ID: 08453", "chainId", "line 8: "},
		{"ID: 8453", "ID: +1", "chainId", "line 8: "},
		{"ID: 8453", "ID: 18446744073709551616", "chainId", "line 8: "},
		{"ID: 8453", "ID: ", "chainId", "line 8: "},
		{"ID: 8453", "ID: 0x1", "chainId", "line 8: "},
		{"abcDEF123", "abcDEF1", "nonce", "line 9: "},
		{"abcDEF123", "abcDEF12-", "nonce", "line 9: "},
		{"abcDEF123", "", "nonce", "line 9: "},
		{"12:00:00.5+02:00", "12:00:00.5", "issuedAt", "line 10: "},
		{"12:00:00.5+02:00", "12:00:00,5Z", "issuedAt", "line 10: "},
		{"12:00:00.5+02:00", "12:00:00.Z", "issuedAt", "line 10: "},
		{"12:00:00.5+02:00", "2:00:00Z", "issuedAt", "line 10: "},
		{"12:00:00.5+02:00", "24:00:00Z", "issuedAt", "line 10: "},
		{"12:00:00.5+02:00", "23:59:60Z", "issuedAt", "line 10: "},
		{"12:00:00.5+02:00", "12:00:00+24:00", "issuedAt", "line 10: "},
		{"12:00:00.5+02:00", "12:00:00+0200", "issuedAt", "line 10: "},
		{"2026-09-01T12:00:00.5+02:00", "2026-02-29T12:00:00Z", "issuedAt", "line 10: "},
		{"2026-09-01T12:00:00.5+02:00", "2026-09-01 12:00:00Z", "issuedAt", "line 10: "},
		{"2026-09-01T12:00:00.5+02:00", "", "issuedAt", "line 10: "},
		{"2026-09-01t12:10:00z", "never", "expirationTime", "line 11: "},
		{"2026-09-01T11:59:00Z", "", "notBefore", "line 12: "},
		{"a%20b", "a b", "requestId", "line 13: "},
		{"a%20b", "a/b", "requestId", "line 13: "},
		{"a%20b", "a%b", "requestId", "line 13: "},
		{"Resources:", "Resources: ", "", `line 14: "Resources: " is not expected here`},
		{"- urn:a", "-urn:a", "", `line 15: "-urn:a" is not expected here`},
		{"- urn:a", "- ", "resources", "line 15: "},
		{"- urn:a", "- urn:a - urn:b", "resources", "line 15: "},
		{"q#f", "q#f\n", "", "line 17: the message ends in a line feed"},
		{"q#f", "q#f\n\n", "", `line 17: "" is not expected here`},
		{"q#f", "q#f\nRequest ID: 1", "", `line 17: "Request ID: 1" is not expected here`},
		{"account:", "account:\r", "", "line 1: it ends in a carriage return"},
		{"Version: 1", "Version: 1\r", "", "line 7: it ends in a carriage return"},
		{"Take the key.", strings.Repeat("a", maxMessage), "", "it has "},
		{"Take the key.", "\xff", "statement", "line 4: "},
		{"abcDEF123", "abcDEF123\x00", "nonce", "line 9: "},
	} {
		m, err := Parse(edit(t, c.old, c.new))
		if err == nil {
			t.Errorf("%q for %q: %+v", c.new, c.old, m)
			continue
		}
		if faults := faultsOf(t, err); len(faults) != 1 || faults[0].Field != c.field ||
			!strings.HasPrefix(faults[0].Reason, c.reason) {
			t.Errorf("%q for %q: %v", c.new, c.old, err)
		}
		if len(err.Error()) > 600 {
			t.Errorf("%q for %q: the error has %d bytes", c.new, c.old, len(err.Error()))
		}
	}
}

// FuzzParse holds Parse to giving back what it was given, whatever that is.
func FuzzParse(f *testing.F) {
	vectors := read[reference](f, "reference.json")
	for _, c := range vectors.Positive {
		f.Add(c.Message)
	}
	for _, text := range vectors.Negative {
		f.Add(text)
	}
	for _, c := range read[clients](f, "clients.json").Signed {
		f.Add(c.Message)
	}
	f.Add(full)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Parse(text)
		if err != nil {
			faultsOf(t, err)
			return
		}
		if m.String() != text {
			t.Fatalf("String gives\n%q, not\n%q", m, text)
		}
		if again, err := Parse(m.String()); err != nil || !reflect.DeepEqual(again, m) {
			t.Fatalf("parsed again: %+v, %v", again, err)
		}
		Check(m, Expectation{Domain: m.Domain, Origin: m.URI, Chains: []uint64{m.ChainID}})
	})
}
