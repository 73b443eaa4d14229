package siwe

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"tocsin"
	"tocsin/internal/evm"
)

func signatureOf(t testing.TB, text string) []byte {
	t.Helper()
	signature, err := ParseSignature(text)
	if err != nil {
		t.Fatal(err)
	}
	return signature
}

// key is a key of its own for each number, and its account.
func key(n byte) (*secp256k1.PrivateKey, tocsin.Address) {
	k := secp256k1.PrivKeyFromBytes(bytes.Repeat([]byte{n}, 32))
	return k, tocsin.Address(evm.Keccak256(k.PubKey().SerializeUncompressed()[1:])[12:])
}

// sign is personal_sign.
func sign(k *secp256k1.PrivateKey, text string) []byte {
	s := ecdsa.SignCompact(k, evm.PersonalDigest([]byte(text)), false)
	return append(s[1:], s[0])
}

// wrap is the wrapper of ERC-6492.
func wrap(factory tocsin.Address, deploy, signature []byte) []byte {
	pad := func(b []byte) []byte { return append(b, make([]byte, -len(b)&31)...) }
	out := append(make([]byte, 12), factory[:]...)
	out = append(out, word(96)...)
	out = append(out, word(96+32+(len(deploy)+31)&^31)...)
	out = append(out, word(len(deploy))...)
	out = append(out, pad(slices.Clone(deploy))...)
	out = append(out, word(len(signature))...)
	out = append(out, pad(slices.Clone(signature))...)
	return append(out, wrapped...)
}

// The texts of these tests are no messages: Verify does not read what was signed.
const text = "sign in"

// ownedBy is a wallet that agrees with the key of its owner, and throws if not.
func ownedBy(t testing.TB, owner tocsin.Address) account {
	return func(input []byte, static bool) ([]byte, bool) {
		if !static || len(input) < 100 || len(input)%32 != 4 || !bytes.Equal(input[:4], magic[:4]) ||
			!bytes.Equal(input[36:68], word(64)) {
			t.Errorf("asked %x, static %t", input, static)
			return nil, false
		}
		n, _ := small(input[68:100])
		if signer, ok := evm.Recover(input[4:36], input[100:100+n]); !ok || signer != owner {
			return []byte("no"), false
		}
		return magic, true
	}
}

// says is a contract that answers all with the same.
func says(answer []byte, ok bool) account {
	return func([]byte, bool) ([]byte, bool) { return answer, ok }
}

func TestReferenceSignatures(t *testing.T) {
	vectors := read[reference](t, "reference.json")
	verify := func(f fields) ([]string, error) {
		m, err := Parse(f.text())
		if err != nil {
			return nil, err
		}
		signature, err := ParseSignature(f.Signature)
		if err != nil {
			return nil, err
		}
		now := m.IssuedAt.At
		if f.Time != "" {
			now = at(t, f.Time)
		}
		want := Expectation{
			Domain: m.Domain,
			Origin: m.URI,
			Chains: []uint64{1},
			Now:    now,
			MaxAge: 100 * 366 * 24 * time.Hour,
		}
		if f.DomainBinding != "" {
			want.Domain = f.DomainBinding
		}
		faults := atFault(t, m, want)
		if f.MatchNonce != "" && f.MatchNonce != m.Nonce { // the store's to find out
			faults = append(faults, "nonce")
		}
		return faults, Verify(context.Background(), f.text(), m.Address, signature, nil)
	}
	for about, f := range vectors.Verified {
		faults, err := verify(f)
		if err != nil {
			t.Errorf("%s: %v", about, err)
		}
		// One is judged by a time before it was issued, which the vectors do not mind.
		if about == "expired message" {
			faults = slices.DeleteFunc(faults, func(name string) bool { return name == "issuedAt" })
		}
		if len(faults) != 0 {
			t.Errorf("%s: at fault is %q", about, faults)
		}
	}
	for about, want := range map[string]string{
		"expired message": "expirationTime", "domain binding": "domain", "custom time": "issuedAt expirationTime",
		"custom nonce": "nonce", "not yet valid": "notBefore",
		"malformed signature": "", "wrong signature": "", "invalid issuedAt": "", "invalid notBefore": "",
		"invalid expirationTime": "",
	} {
		f, ok := vectors.NotVerified[about]
		delete(vectors.NotVerified, about)
		faults, err := verify(f)
		if got := strings.Join(faults, " "); !ok || got != want || (err == nil) != (want != "") {
			t.Errorf("%s: at fault is %q, not %q; %v", about, got, want, err)
		}
	}
	if len(vectors.NotVerified) != 0 {
		t.Errorf("not tried: %v", vectors.NotVerified)
	}
}

func TestSignaturesOfClients(t *testing.T) {
	for _, c := range read[clients](t, "clients.json").Signed {
		m := parse(t, c.Message)
		if err := Verify(context.Background(), c.Message, m.Address, signatureOf(t, c.Signature), nil); err != nil {
			t.Errorf("%s, %s: %v", c.By, c.About, err)
		}
		if err := Verify(context.Background(), c.Message+" ", m.Address, signatureOf(t, c.Signature), nil); err == nil {
			t.Errorf("%s, %s: another text passes", c.By, c.About)
		}
	}
}

// TestReferenceContractWallets asks a chain on which the two wallets agree with
// their signatures, as they did on Ethereum; their contracts are not at hand.
func TestReferenceContractWallets(t *testing.T) {
	for about, c := range read[reference](t, "reference.json").OfContractWallet {
		m := parse(t, c.Message)
		signature := signatureOf(t, c.Signature)
		chain := &machine{accounts: map[tocsin.Address]account{m.Address: func(input []byte, _ bool) ([]byte, bool) {
			n, _ := small(input[68:100])
			return magic, bytes.Equal(input[4:36], evm.PersonalDigest([]byte(c.Message))) &&
				bytes.Equal(input[100:100+n], signature)
		}}}
		if err := Verify(context.Background(), c.Message, m.Address, signature, chain.node(t)); err != nil {
			t.Errorf("%s: %v", about, err)
		}
		if err := Verify(context.Background(), c.Message+" ", m.Address, signature, chain.node(t)); err == nil {
			t.Errorf("%s: another text passes", about)
		}
		err := Verify(context.Background(), c.Message, m.Address, signature, nil)
		if err == nil ||
			!strings.Contains(faultsOf(t, err)[0].Reason, "contract wallets (ERC-1271) cannot be checked by this service") {
			t.Errorf("%s, without a node: %v", about, err)
		}
	}
}

func TestTheKeyAsksNoChain(t *testing.T) {
	k, owner := key(1)
	signature := sign(k, text)
	chain := &machine{says: "broken"}
	for v, old := range []byte{27, 28} {
		if signature[64] != old {
			continue
		}
		for _, as := range []byte{byte(v), old} {
			signature[64] = as
			if err := Verify(context.Background(), text, owner, signature, chain.node(t)); err != nil {
				t.Errorf("v of %d: %v", as, err)
			}
		}
	}
	var s secp256k1.ModNScalar
	s.SetByteSlice(signature[32:64])
	high := s.Negate().Bytes()
	signature = slices.Concat(signature[:32], high[:], []byte{signature[64] ^ 27 ^ 28})
	if err := Verify(context.Background(), text, owner, signature, chain.node(t)); err == nil ||
		!strings.Contains(faultsOf(t, err)[0].Reason, "upper half") {
		t.Errorf("a high s: %v", err)
	}
	if chain.calls != 0 {
		t.Errorf("the chain was asked %d times", chain.calls)
	}
}

func TestContractWallets(t *testing.T) {
	k, owner := key(1)
	stranger, _ := key(2)
	good, bad := sign(k, text), sign(stranger, text)
	wallet, factory := tocsin.Address{1, 19: 1}, tocsin.Address{2, 19: 2}
	deployWith := []byte("deploy, please")
	counterfactual := wrap(factory, deployWith, good)
	agrees := ownedBy(t, owner)

	for _, c := range []struct {
		about     string
		by        account // nobody if nil
		factory   account
		signature []byte
		valid     bool
	}{
		{"its owner's", agrees, nil, good, true},
		{"a stranger's", agrees, nil, bad, false},
		{"another one's, of any length", says(magic, true), nil, []byte{1}, true},
		{"none", agrees, nil, nil, false},
		{"nobody is there", nil, nil, good, false},
		{"it throws what it should answer", says(magic, false), nil, good, false},
		{"it answers 4 bytes", says(magic[:4], true), nil, good, false},
		{"it answers 31 bytes", says(magic[:31], true), nil, good, false},
		{"it answers more than a word", says(append(slices.Clone(magic), 1, 2, 3), true), nil, good, true},
		{"it answers another word", says(bytes.Repeat([]byte{255}, 32), true), nil, good, false},
		{"it answers true", says(word(1), true), nil, good, false},
		{"it answers a word that begins well", says(append(slices.Clone(magic[:31]), 1), true), nil, good, false},
		{"it answers what it is asked, as the precompile at 4",
			func(input []byte, _ bool) ([]byte, bool) { return input, true }, nil, good, false},
		{"it answers with bytes that no code may begin with", says(bytes.Repeat([]byte{0xef}, 32), true), nil, good, false},

		{"deployed since, its owner's", agrees, says(nil, false), counterfactual, true},
		{"deployed since, a stranger's", agrees, says(nil, true), wrap(factory, deployWith, bad), false},
		{"nobody is there, nor a factory", nil, nil, counterfactual, false},
		{"wrapped without a factory", agrees, nil, wrap(tocsin.Address{}, nil, good), true},
		{"wrapped without a factory or a wallet", nil, nil, wrap(tocsin.Address{}, nil, good), false},
		{"wrapped twice", agrees, says(nil, true), wrap(factory, deployWith, counterfactual), false},
		{"the factory agrees, the wallet does not", agrees, says(magic, true), wrap(factory, deployWith, bad), false},
		{"the factory throws, the wallet throws magic", says(magic, false), says(magic, false), counterfactual, false},
		{"not a multiple of a word", agrees, says(nil, true),
			wrap(factory, make([]byte, 33), append([]byte(nil), good...)), true},
	} {
		chain := &machine{accounts: map[tocsin.Address]account{}}
		if c.by != nil {
			chain.accounts[wallet] = c.by
		}
		if c.factory != nil {
			chain.accounts[factory] = c.factory
		}
		err := Verify(context.Background(), text, wallet, c.signature, chain.node(t))
		if (err == nil) != c.valid {
			t.Errorf("%s: %v", c.about, err)
		}
		if err != nil {
			faultsOf(t, err)
		}
		if chain.calls != 1 {
			t.Errorf("%s: the chain was asked %d times", c.about, chain.calls)
		}
	}
}

// TestAWalletIsDeployedForTheQuestion lets a factory deploy the wallet, and
// another call make a deployed one ready.
func TestAWalletIsDeployedForTheQuestion(t *testing.T) {
	k, owner := key(1)
	stranger, _ := key(2)
	wallet, factory := tocsin.Address{1, 19: 1}, tocsin.Address{2, 19: 2}
	deployWith := bytes.Repeat([]byte("deploy"), 99)
	for _, before := range []account{nil, says(nil, false), says(make([]byte, 32), true)} {
		for _, by := range []*secp256k1.PrivateKey{k, stranger} {
			chain := &machine{accounts: map[tocsin.Address]account{wallet: before}}
			called := 0
			chain.accounts[factory] = func(input []byte, static bool) ([]byte, bool) {
				if called++; static || !bytes.Equal(input, deployWith) {
					t.Errorf("the factory is called with %x, static %t", input, static)
				}
				chain.accounts[wallet] = ownedBy(t, owner)
				return word(1), true
			}
			err := Verify(context.Background(), text, wallet, wrap(factory, deployWith, sign(by, text)), chain.node(t))
			if (err == nil) != (by == k) || called != 1 {
				t.Errorf("%v, the factory was called %d times", err, called)
			}
		}
	}
}

// TestTheWrapperOfAClient reads what viem wrapped.
func TestTheWrapperOfAClient(t *testing.T) {
	w := read[clients](t, "clients.json").Wrapped
	signature, ok := bytes.CutSuffix(signatureOf(t, w.Signature), wrapped)
	factory, deploy, inner, whole := unwrap(signature)
	if !ok || !whole || factory.String() != w.Factory || !bytes.Equal(deploy, signatureOf(t, w.Deploy)) ||
		!bytes.Equal(inner, signatureOf(t, w.Inner)) {
		t.Errorf("%s, %x, %x, %t", factory, deploy, inner, whole)
	}
	if again := wrap(factory, deploy, inner); !bytes.Equal(again, signatureOf(t, w.Signature)) {
		t.Errorf("wrapped again: %x", again)
	}
}

func TestAFaultyWrapper(t *testing.T) {
	k, _ := key(1)
	factory := tocsin.Address{2}
	chain := &machine{}
	for about, change := range map[string]func(b []byte) []byte{
		"nothing but its end":     func(b []byte) []byte { return nil },
		"cut off in its head":     func(b []byte) []byte { return b[:95] },
		"cut off in the deploy":   func(b []byte) []byte { return b[:96+32+5] },
		"cut off in its end":      func(b []byte) []byte { return b[:len(b)-40] },
		"a dirty address":         func(b []byte) []byte { b[3] = 1; return b },
		"an offset past its end":  func(b []byte) []byte { copy(b[32:], word(len(b))); return b },
		"an offset at its end":    func(b []byte) []byte { copy(b[64:], word(len(b)-31)); return b },
		"a huge offset":           func(b []byte) []byte { copy(b[32:], bytes.Repeat([]byte{255}, 32)); return b },
		"an offset of 2^32 and 5": func(b []byte) []byte { copy(b[32:], word(1<<32+96)); return b },
		"a length past its end":   func(b []byte) []byte { copy(b[96:], word(len(b))); return b },
		"a huge length":           func(b []byte) []byte { copy(b[96:], bytes.Repeat([]byte{255}, 32)); return b },
	} {
		b := change(bytes.TrimSuffix(wrap(factory, make([]byte, 64), sign(k, text)), wrapped))
		err := Verify(context.Background(), text, tocsin.Address{1}, append(b, wrapped...), chain.node(t))
		if err == nil || !strings.Contains(faultsOf(t, err)[0].Reason, "not laid out as one") {
			t.Errorf("%s: %v", about, err)
		}
	}
	if chain.calls != 0 {
		t.Errorf("the chain was asked %d times", chain.calls)
	}
}

func TestTheFaultOfANodeIsOurs(t *testing.T) {
	for _, says := range []string{
		"no JSON", `{"error":{"code":-32000,"message":"out of gas"}}`, `{"result":"0x"}`, `{"result":"0x02"}`,
		`{"result":"0x0001"}`, `{"result":null}`,
	} {
		chain := &machine{says: says}
		err := Verify(context.Background(), text, tocsin.Address{1}, []byte{1}, chain.node(t))
		if err == nil || errors.As(err, new(*tocsin.Error)) ||
			!strings.HasPrefix(err.Error(), "asking the chain about a wallet's signature: eth_call") {
			t.Errorf("%s: %v", says, err)
		}
	}
}

func TestTheFormOfASignature(t *testing.T) {
	long := "0x" + strings.Repeat("00", maxSignature)
	for _, bad := range []string{"", "0x", "0x1", "0xzz", "00", "0X00", " 0x00", "0x00 ", long + "00"} {
		signature, err := ParseSignature(bad)
		if err == nil {
			t.Errorf("%.20q is %x", bad, signature)
			continue
		}
		faultsOf(t, err)
	}
	for good, want := range map[string]int{"0x00": 1, "0xaBcD": 2, long: maxSignature} {
		if signature, err := ParseSignature(good); err != nil || len(signature) != want {
			t.Errorf("%.20q: %d bytes, %v", good, len(signature), err)
		}
	}
	chain := &machine{}
	err := Verify(context.Background(), text, tocsin.Address{1}, make([]byte, maxSignature+1), chain.node(t))
	if err == nil || chain.calls != 0 {
		t.Errorf("a signature that is too long: %v", err)
	}
}

// FuzzVerify lets anything be a signature: it must not panic, and nobody may sign
// for an account whose key is not used and which has no contract.
func FuzzVerify(f *testing.F) {
	k, _ := key(1)
	f.Add(sign(k, text))
	f.Add(wrap(tocsin.Address{2}, []byte("deploy"), sign(k, text)))
	w := read[clients](f, "clients.json").Wrapped
	f.Add(signatureOf(f, w.Signature))
	chain := &machine{}
	node := chain.node(f)
	f.Fuzz(func(t *testing.T, signature []byte) {
		if err := Verify(context.Background(), text, tocsin.Address{1}, signature, node); err == nil ||
			!errors.As(err, new(*tocsin.Error)) {
			t.Errorf("%s: %v", hex.EncodeToString(signature), err)
		}
	})
}
