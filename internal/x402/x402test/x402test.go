// Package x402test implements the other two parties of a payment for tests: a wallet
// that pays, and a facilitator that keeps a ledger and can be made to fail. It shares
// no code with package x402, which it is used to test. Tests with the official client
// and facilitator are in /interop.
package x402test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"golang.org/x/crypto/sha3"
)

// Wallet is a key that signs payments.
type Wallet struct {
	Address string // in lower case
	key     *secp256k1.PrivateKey
	now     func() time.Time
}

// NewWallet returns a wallet with a random key. now is the clock by which its payments
// expire.
func NewWallet(now func() time.Time) *Wallet {
	key, err := secp256k1.GeneratePrivateKey()
	if err != nil {
		panic(err)
	}
	hash := keccak(key.PubKey().SerializeUncompressed()[1:])
	return &Wallet{Address: "0x" + hex.EncodeToString(hash[12:]), key: key, now: now}
}

// Pay returns the value of PAYMENT-SIGNATURE for one of PAYMENT-REQUIRED, as clients
// do: it signs an authorization for the first EVM entry of accepts. change, if not nil,
// is called before the payment is signed (signed is false) and after, and may alter it.
// Pay panics if there is no EVM entry.
func (w *Wallet) Pay(required string, change func(payment map[string]any, signed bool)) string {
	text, err := base64.StdEncoding.DecodeString(required)
	if err != nil {
		panic(err)
	}
	var offer struct {
		Resource any              `json:"resource"`
		Accepts  []map[string]any `json:"accepts"`
	}
	if err := json.Unmarshal(text, &offer); err != nil {
		panic(err)
	}
	for _, accepted := range offer.Accepts {
		if strings.HasPrefix(accepted["network"].(string), "eip155:") {
			return w.sign(accepted, offer.Resource, change)
		}
	}
	panic("no EVM entry in " + string(text))
}

// sign returns a payment for an entry of accepts.
func (w *Wallet) sign(accepted map[string]any, resource any, change func(map[string]any, bool)) string {
	nonce := make([]byte, 32)
	rand.Read(nonce)
	end := w.now().Unix() + int64(accepted["maxTimeoutSeconds"].(float64))
	auth := map[string]any{
		"from":        w.Address,
		"to":          accepted["payTo"],
		"value":       accepted["amount"],
		"validAfter":  "0",
		"validBefore": strconv.FormatInt(end, 10),
		"nonce":       "0x" + hex.EncodeToString(nonce),
	}
	payload := map[string]any{"authorization": auth}
	payment := map[string]any{"x402Version": 2, "payload": payload, "accepted": accepted, "resource": resource}
	if change != nil {
		change(payment, false)
	}
	payload["signature"] = w.signature(auth, accepted)
	if change != nil {
		change(payment, true)
	}
	text, err := json.Marshal(payment)
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(text)
}

// signature returns the signature of an authorization (EIP-712, EIP-3009).
func (w *Wallet) signature(auth, accepted map[string]any) string {
	extra := accepted["extra"].(map[string]any)
	domain := keccak(
		keccak([]byte("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")),
		keccak([]byte(extra["name"].(string))), keccak([]byte(extra["version"].(string))),
		number(strings.TrimPrefix(accepted["network"].(string), "eip155:")), bytes32(accepted["asset"]))
	message := keccak(
		keccak([]byte("TransferWithAuthorization("+
			"address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)")),
		bytes32(auth["from"]), bytes32(auth["to"]), number(auth["value"]),
		number(auth["validAfter"]), number(auth["validBefore"]), bytes32(auth["nonce"]))
	compact := ecdsa.SignCompact(w.key, keccak([]byte("\x19\x01"), domain, message), false)
	return "0x" + hex.EncodeToString(append(compact[1:], compact[0]))
}

// number encodes a decimal number as a word of the ABI; one that is malformed as zero.
func number(v any) []byte {
	n, ok := new(big.Int).SetString(v.(string), 10)
	if !ok {
		return make([]byte, 32)
	}
	return n.FillBytes(make([]byte, 32))
}

// bytes32 encodes hexadecimal digits as a word of the ABI.
func bytes32(v any) []byte {
	b, _ := hex.DecodeString(v.(string)[2:])
	return append(make([]byte, 32-len(b)), b...)
}

func keccak(parts ...[]byte) []byte {
	h := sha3.NewLegacyKeccak256()
	h.Write(bytes.Join(parts, nil))
	return h.Sum(nil)
}

// Facilitator is a facilitator on 127.0.0.1. It accepts every payment and keeps a
// ledger, in which it settles each nonce once. It does not check signatures.
type Facilitator struct {
	URL string

	// Verifying and Settling, if not nil, are called before the usual response. If they
	// write another one, they return true. Settling is called twice: before the money
	// moves (moved is false), which it prevents by returning true, and after. Set them
	// with Do.
	Verifying func(w http.ResponseWriter) bool
	Settling  func(w http.ResponseWriter, moved bool) bool

	// Supporting is what Verifying is, for calls to /supported.
	Supporting func(w http.ResponseWriter) bool

	// Calling, if not nil, is called before those for each call about a payment, with
	// the payer as the payment names it. Set it before the first call.
	Calling func(w http.ResponseWriter, payer string) bool

	server *httptest.Server
	mu     sync.Mutex
	counts Counts
	ledger map[string]string // transactions by nonce
	solana string            // the fee payer
}

// Counts are the numbers of calls to a facilitator and of payments in its ledger.
type Counts struct {
	Verified int // calls to /verify
	Settled  int // calls to /settle
	Moved    int // payments that were executed
}

// NewFacilitator starts a facilitator. The caller has to close it.
func NewFacilitator() *Facilitator {
	f := &Facilitator{ledger: map[string]string{}}
	f.server = httptest.NewServer(f)
	f.URL = f.server.URL
	return f
}

// Close stops the facilitator and closes its connections.
func (f *Facilitator) Close() {
	f.server.CloseClientConnections()
	f.server.Close()
}

// Counts returns the counts so far.
func (f *Facilitator) Counts() Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts
}

// OfferSolana sets the fee payer in /supported for Solana. With "" Solana is not
// supported, as at first.
func (f *Facilitator) OfferSolana(feePayer string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.solana = feePayer
}

// Do calls change while no request reads or writes the state of the facilitator.
func (f *Facilitator) Do(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// ServeHTTP implements [http.Handler].
func (f *Facilitator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	var order struct {
		Payment struct {
			Payload struct {
				Authorization struct{ From, Nonce string }
			}
		} `json:"paymentPayload"`
		Requirements struct{ Network string } `json:"paymentRequirements"`
	}
	json.Unmarshal(text, &order)
	auth, network := order.Payment.Payload.Authorization, order.Requirements.Network
	w.Header().Set("Content-Type", "application/json")
	if f.Calling != nil && r.URL.Path != "/supported" && f.Calling(w, strings.ToLower(auth.From)) {
		return
	}
	switch r.URL.Path {
	case "/supported":
		f.mu.Lock()
		hook := f.Supporting
		f.mu.Unlock()
		if hook != nil && hook(w) {
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		solana := ""
		if f.solana != "" {
			solana = fmt.Sprintf(`,{"x402Version":2,"scheme":"exact",`+
				`"network":"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp","extra":{"feePayer":%q}}`, f.solana)
		}
		fmt.Fprintf(w, `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"}%s],`+
			`"extensions":[],"signers":{}}`, solana)
	case "/verify":
		f.mu.Lock()
		f.counts.Verified++
		used, hook := f.ledger[auth.Nonce] != "", f.Verifying
		f.mu.Unlock()
		switch {
		case hook != nil && hook(w):
		case used:
			fmt.Fprintf(w, `{"isValid":false,"invalidReason":"invalid_exact_evm_nonce_already_used","payer":%q}`, auth.From)
		default:
			fmt.Fprintf(w, `{"isValid":true,"payer":%q}`, auth.From)
		}
	case "/settle":
		f.mu.Lock()
		f.counts.Settled++
		hook := f.Settling
		f.mu.Unlock()
		if hook != nil && hook(w, false) {
			return
		}
		f.mu.Lock()
		used := f.ledger[auth.Nonce] != ""
		if !used {
			f.counts.Moved++
			f.ledger[auth.Nonce] = "0x" + hex.EncodeToString(keccak([]byte(auth.Nonce)))
		}
		transaction := f.ledger[auth.Nonce]
		f.mu.Unlock()
		switch {
		case hook != nil && hook(w, true):
		case used:
			fmt.Fprintf(w, `{"success":false,"errorReason":"invalid_exact_evm_nonce_already_used",`+
				`"payer":%q,"transaction":"","network":%q}`, auth.From, network)
		default:
			fmt.Fprintf(w, `{"success":true,"payer":%q,"transaction":%q,"network":%q}`,
				auth.From, transaction, network)
		}
	default:
		http.NotFound(w, r)
	}
}

// hanging is the header by which [Transport] recognizes a call that times out.
const hanging = "X-Hanging"

// Hang is a fault for Verifying, Settling and Supporting: the call gets no response until its
// timeout. For clients with a [Transport] the timeout is at once; others get an empty
// response.
func Hang(w http.ResponseWriter) bool {
	w.Header().Set(hanging, "true")
	return true
}

// Transport returns a transport for clients of a facilitator in tests. A call to which
// the facilitator responds with [Hang] fails with [context.DeadlineExceeded] at once, so
// that no test waits.
func Transport() http.RoundTripper { return transport{http.DefaultTransport.(*http.Transport).Clone()} }

// transport implements the deadline of [Hang].
type transport struct{ *http.Transport }

// RoundTrip implements [http.RoundTripper].
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := t.Transport.RoundTrip(r)
	if err == nil && res.Header.Get(hanging) != "" {
		res.Body.Close()
		return nil, context.DeadlineExceeded
	}
	return res, err
}

// Reset is a fault: the connection is closed without a response.
func Reset(w http.ResponseWriter) bool {
	c, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		c.Close()
	}
	return true
}

// Status is a fault: a response with a status and a body.
func Status(code int, text string) func(w http.ResponseWriter) bool {
	return func(w http.ResponseWriter) bool {
		w.WriteHeader(code)
		io.WriteString(w, text)
		return true
	}
}
