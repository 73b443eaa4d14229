package x402

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mr-tron/base58"
)

// solanaCase is a transaction of testdata/solana.json with the values that it was made from.
type solanaCase struct {
	Name, Transaction                          string
	Error                                      string // or else all of the following
	Message                                    string
	FeePayer, Payer, Mint, PayTo, TokenProgram string
	Destination                                string
	Amount                                     string
	Signed                                     bool
}

func solanaCases(t testing.TB) []solanaCase {
	t.Helper()
	text, err := os.ReadFile("testdata/solana.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Transactions []solanaCase }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Transactions) < 10 {
		t.Fatalf("%d transactions", len(file.Transactions))
	}
	return file.Transactions
}

func TestReadSolana(t *testing.T) {
	for _, c := range solanaCases(t) {
		got, err := parseSolanaTransfer(c.Transaction)
		if c.Error != "" {
			if err == nil || !strings.Contains(err.Error(), c.Error) {
				t.Errorf("%s: got %+v, %v, want an error with %q", c.Name, got, err, c.Error)
			}
			continue
		}
		want := solanaTransfer{
			FeePayer:    c.FeePayer,
			Payer:       c.Payer,
			Mint:        c.Mint,
			Destination: c.Destination,
			Program:     c.TokenProgram,
			Signed:      c.Signed,
		}
		want.Amount, _ = strconv.ParseUint(c.Amount, 10, 64)
		hex.Decode(want.Message[:], []byte(c.Message))
		if err != nil || got != want {
			t.Errorf("%s:\n got %+v, %v\nwant %+v", c.Name, got, err, want)
		}
		if account, err := associatedTokenAccount(c.PayTo, c.Mint, c.TokenProgram); err != nil || account != c.Destination {
			t.Errorf("%s: the account of %s is %s, %v, want %s", c.Name, c.PayTo, account, err, c.Destination)
		}
	}
}

// If any byte is changed, the transaction is refused or read as another one. Only the fee
// payer's signature may change, since it is added later.
func TestEveryByteOfATransactionCounts(t *testing.T) {
	for _, c := range solanaCases(t) {
		if c.Error != "" || !c.Signed {
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(c.Transaction)
		if err != nil {
			t.Fatal(err)
		}
		want, err := parseSolanaTransfer(c.Transaction)
		if err != nil {
			t.Fatal(err)
		}
		for i := range raw {
			for _, flip := range []byte{1, 2, 0x10, 0x80, 0xff} {
				changed := bytes.Clone(raw)
				changed[i] ^= flip
				got, err := parseSolanaTransfer(base64.StdEncoding.EncodeToString(changed))
				free := i >= 1 && i < 65 && c.Payer != c.FeePayer
				if same := err == nil && got == want; same != free {
					t.Errorf("%s: byte %d ^ %#x: got %+v, %v", c.Name, i, flip, got, err)
				}
			}
			if got, err := parseSolanaTransfer(base64.StdEncoding.EncodeToString(raw[:i])); err == nil {
				t.Errorf("%s: the first %d bytes: got %+v", c.Name, i, got)
			}
		}
		if got, err := parseSolanaTransfer(base64.StdEncoding.EncodeToString(append(raw, 0))); err == nil {
			t.Errorf("%s: a byte too many: got %+v", c.Name, got)
		}
	}
}

func TestTransactionIsStrictBase64(t *testing.T) {
	right := solanaCases(t)[0].Transaction // ends with two =
	if !strings.HasSuffix(right, "AA==") {
		t.Fatalf("…%s", right[len(right)-8:])
	}
	for name, text := range map[string]string{
		"empty":              "",
		"no padding":         strings.TrimRight(right, "="),
		"bits left over":     strings.TrimSuffix(right, "A==") + "B==",
		"a newline":          right[:76] + "\n" + right[76:],
		"a newline after it": right + "\r\n",
		"a space":            " " + right,
		"url form":           strings.NewReplacer("+", "-", "/", "_").Replace(right),
		"too long":           base64.StdEncoding.EncodeToString(make([]byte, maxTransactionBytes+1)),
	} {
		if got, err := parseSolanaTransfer(text); err == nil {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// solanaDraft encodes transactions, including malformed ones.
type solanaDraft struct {
	places       []byte // how many signatures, as it is written; nil for one per signer
	version      []byte
	header       [3]byte
	keys         [][]byte
	hash         [32]byte
	instructions [][]byte
	lookups      []byte
	sign         ed25519.PrivateKey // of the second signer
}

func (d solanaDraft) message() []byte {
	m := slices.Concat(d.version, d.header[:], []byte{byte(len(d.keys))})
	m = append(append(m, slices.Concat(d.keys...)...), d.hash[:]...)
	m = append(append(m, byte(len(d.instructions))), slices.Concat(d.instructions...)...)
	return append(m, d.lookups...)
}

func (d solanaDraft) with(places []byte, signatures, message []byte) string {
	return base64.StdEncoding.EncodeToString(slices.Concat(places, signatures, message))
}

func (d solanaDraft) String() string {
	places, signatures := d.places, make([]byte, 128)
	if places == nil {
		places = []byte{2}
	}
	message := d.message()
	copy(signatures[64:], ed25519.Sign(d.sign, message))
	return d.with(places, signatures, message)
}

// newDraft returns a legacy transaction in which the second of two signers pays.
func newDraft(t *testing.T) solanaDraft {
	t.Helper()
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, 32))
	program, err := solanaKey(tokenProgram)
	if err != nil {
		t.Fatal(err)
	}
	key := func(b byte) []byte { return bytes.Repeat([]byte{b}, 32) }
	return solanaDraft{
		header: [3]byte{2, 1, 2},
		// The fee payer, the payer, source, destination, mint and program.
		keys:         [][]byte{key(1), private.Public().(ed25519.PublicKey), key(3), key(4), key(5), program},
		instructions: [][]byte{payment(5, []byte{2, 4, 3, 1}, 10000)},
		sign:         private,
	}
}

func payment(program byte, accounts []byte, amount uint64) []byte {
	in := slices.Concat([]byte{program, byte(len(accounts))}, accounts, []byte{10, transferChecked})
	return append(binary.LittleEndian.AppendUint64(in, amount), 6)
}

func TestDraftedTransactions(t *testing.T) {
	good, err := parseSolanaTransfer(newDraft(t).String())
	if err != nil || !good.Signed || good.Amount != 10000 || good.Payer != base58.Encode(newDraft(t).keys[1]) {
		t.Fatalf("got %+v, %v", good, err)
	}
	add := func(instruction ...byte) func(*solanaDraft) {
		return func(d *solanaDraft) { d.instructions = append(d.instructions, instruction) }
	}
	pay := func(accounts ...byte) func(*solanaDraft) {
		return func(d *solanaDraft) { d.instructions[0] = payment(5, accounts, 1) }
	}
	table := bytes.Repeat([]byte{9}, 32)
	for name, c := range map[string]struct {
		change func(*solanaDraft)
		want   string // in the error; "" for a transaction that is read, "unsigned" for one that is read as not signed
	}{
		"version 0":                  {func(d *solanaDraft) { d.version, d.lookups = []byte{0x80}, []byte{0} }, ""},
		"version 0 without tables":   {func(d *solanaDraft) { d.version = []byte{0x80} }, "malformed"},
		"version 2":                  {func(d *solanaDraft) { d.version, d.lookups = []byte{0x82}, []byte{0} }, "version 2"},
		"another with no accounts":   {add(5, 0, 0), ""},
		"the signers of a multisig":  {pay(2, 4, 3, 3, 1), "unsigned"},
		"too few places":             {func(d *solanaDraft) { d.places = []byte{1} }, "malformed"},
		"too many places":            {func(d *solanaDraft) { d.places = []byte{3} }, ""}, // see below
		"a length in too many bytes": {func(d *solanaDraft) { d.places = []byte{0x82, 0} }, "version"},
		"no signer":                  {func(d *solanaDraft) { d.header = [3]byte{0, 0, 2} }, "header"},
		"nobody to pay the fee":      {func(d *solanaDraft) { d.header[1] = 2 }, "header"},
		"more readers than accounts": {func(d *solanaDraft) { d.header[2] = 5 }, "header"},
		"an account twice":           {func(d *solanaDraft) { d.keys[2] = d.keys[3] }, "twice"},
		"the fee payer as program":   {add(0, 0, 0), "not there"},
		"no such program":            {add(6, 0, 0), "not there"},
		"no such account":            {add(5, 1, 6, 0), "not there"},
		"more accounts than bytes":   {add(5, 4, 1), "malformed"},
		"an instruction's length":    {add(5, 0x80, 0, 0), "malformed"},
		"the largest length":         {add(5, 0xff, 0xff, 3, 0), "malformed"},
		"a length without end":       {add(5, 0xff, 0xff, 0xff, 0xff, 0), "malformed"},
		"three accounts":             {pay(2, 4, 3), "lacks an account"},
		"no amount": {func(d *solanaDraft) {
			d.instructions[0] = []byte{5, 4, 2, 4, 3, 1, 1, transferChecked}
		}, "10 bytes"},
		"two, the second without all": {add(5, 0, 1, transferChecked), "more than one"},
		"a table": {func(d *solanaDraft) {
			d.version, d.lookups = []byte{0x80}, slices.Concat([]byte{1}, table, []byte{1, 0, 1, 1})
		}, ""},
		"a table that loads nothing": {func(d *solanaDraft) {
			d.version, d.lookups = []byte{0x80}, slices.Concat([]byte{1}, table, []byte{0, 0})
		}, "loads nothing"},
		"the payer from a table": {func(d *solanaDraft) {
			d.version, d.lookups = []byte{0x80}, slices.Concat([]byte{1}, table, []byte{1, 0, 0})
			d.instructions[0] = payment(5, []byte{2, 4, 3, 6}, 1)
		}, "lookup table"},
		"the program from a table": {func(d *solanaDraft) {
			d.version, d.lookups = []byte{0x80}, slices.Concat([]byte{1}, table, []byte{1, 0, 0})
			d.instructions[0] = payment(6, []byte{2, 4, 3, 1}, 1)
		}, "not there"},
		"too many accounts": {func(d *solanaDraft) {
			d.version, d.lookups = []byte{0x80}, slices.Concat([]byte{1}, table, []byte{251, 1}, make([]byte, 251), []byte{0})
		}, "too much"},
		"as many accounts as there may be": {func(d *solanaDraft) {
			d.version, d.lookups = []byte{0x80}, slices.Concat([]byte{1}, table, []byte{250, 1}, make([]byte, 250), []byte{0})
		}, ""},
		"another key's signature":   {func(d *solanaDraft) { d.sign = ed25519.NewKeyFromSeed(make([]byte, 32)) }, "unsigned"},
		"a payer who need not sign": {pay(2, 4, 3, 2), "unsigned"},
		"a payer who is no point": {func(d *solanaDraft) {
			d.keys[1] = append([]byte{2}, make([]byte, 31)...)
		}, "unsigned"},
		"another program's 12": {func(d *solanaDraft) { d.keys[5] = table }, "no TransferChecked"},
		"no instruction":       {func(d *solanaDraft) { d.instructions = nil }, "no TransferChecked"},
		"no account":           {func(d *solanaDraft) { d.keys, d.instructions = nil, nil }, "header"},
	} {
		d := newDraft(t)
		c.change(&d)
		text := d.String()
		if name == "too many places" {
			text, c.want = d.with([]byte{3}, make([]byte, 3*64), d.message()), "as many places"
		}
		got, err := parseSolanaTransfer(text)
		switch c.want {
		case "", "unsigned":
			if err != nil || got.Signed != (c.want == "") {
				t.Errorf("%s: got %+v, %v", name, got, err)
			}
		default:
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got %+v, %v, want an error with %q", name, got, err, c.want)
			}
		}
	}
}

// The System program's address, 32 zero bytes, is a point of order 4. For one message in
// four, a signature that needs no private key verifies.
func TestNobodySignsWithAKeyOfSmallOrder(t *testing.T) {
	d := newDraft(t)
	d.keys[1] = make([]byte, 32)
	signature := make([]byte, 64)
	signature[0] = 1 // R is the neutral point, S is 0
	for n := range byte(100) {
		d.hash[0] = n
		message := d.message()
		if !ed25519.Verify(d.keys[1], message, signature) {
			continue
		}
		got, err := parseSolanaTransfer(d.with([]byte{2}, append(make([]byte, 64), signature...), message))
		if err != nil || got.Signed {
			t.Errorf("got %+v, %v", got, err)
		}
		return
	}
	t.Error("no message was found for which the signature verifies")
}

func TestValidSolana(t *testing.T) {
	for _, address := range []string{
		"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU",
		"11111111111111111111111111111111", "JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG", // 32 times 0, 32 times 0xff
		tokenProgram, token2022Program, associatedTokenProgram,
	} {
		if err := validSolana(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{
		"", "1", "1111111111111111111111111111111", "111111111111111111111111111111111", // 31 and 33 times 0
		"JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH",  // one more than 32 bytes hold
		"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt",    // cut off
		"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1vv", // one too many
		"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt10", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1l",
		" EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1é",
		"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", strings.Repeat("1", 1<<20),
	} {
		if validSolana(address) == nil {
			t.Errorf("%.60q is taken for an address", address)
		}
	}
	account, err := associatedTokenAccount("nobody", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", tokenProgram)
	if err == nil {
		t.Errorf("nobody's account is %s", account)
	}
}

func FuzzReadSolana(f *testing.F) {
	for _, c := range solanaCases(f) {
		raw, err := base64.StdEncoding.DecodeString(c.Transaction)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		text := base64.StdEncoding.EncodeToString(raw)
		got, err := parseSolanaTransfer(text)
		if err != nil {
			if got != (solanaTransfer{}) {
				t.Errorf("%v, and yet %+v", err, got)
			}
			return
		}
		if len(raw) > maxTransactionBytes {
			t.Errorf("%d bytes are read", len(raw))
		}
		if message := raw[1+64*int(raw[0]):]; got.Message != sha256.Sum256(message) {
			t.Errorf("%x is not the hash of the message", got.Message)
		}
		for _, address := range []string{got.FeePayer, got.Payer, got.Mint, got.Destination, got.Program} {
			key, err := solanaKey(address)
			if err != nil || !bytes.Contains(raw, key) {
				t.Errorf("%s is not in the transaction: %v", address, err)
			}
		}
	})
}
