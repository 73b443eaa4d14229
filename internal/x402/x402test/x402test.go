// Package x402test is the other two parties of a payment, for tests: a wallet
// that pays, and a facilitator with a ledger of its own and any fault that is
// wanted. It shares no code with package x402, which it is there to try. The
// official client and facilitator are in /interop.
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

// NewWallet makes a wallet that goes by a clock.
func NewWallet(now func() time.Time) *Wallet {
	key, err := secp256k1.GeneratePrivateKey()
	if err != nil {
		panic(err)
	}
	hash := keccak(key.PubKey().SerializeUncompressed()[1:])
	return &Wallet{"0x" + hex.EncodeToString(hash[12:]), key, now}
}

// Pay answers a PAYMENT-REQUIRED as clients do: it takes the first EVM entry
// and signs it. change, if not nil, may alter the payload before (when signed
// is false) and after it is signed.
func (w *Wallet) Pay(required string, change func(payload map[string]any, signed bool)) string {
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

func (w *Wallet) sign(accepted map[string]any, resource any, change func(map[string]any, bool)) string {
	nonce := make([]byte, 32)
	rand.Read(nonce)
	auth := map[string]any{"from": w.Address, "to": accepted["payTo"], "value": accepted["amount"], "validAfter": "0",
		"validBefore": strconv.FormatInt(w.now().Unix()+int64(accepted["maxTimeoutSeconds"].(float64)), 10), "nonce": "0x" + hex.EncodeToString(nonce)}
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

// signature signs an authorization (EIP-712, EIP-3009).
func (w *Wallet) signature(auth, accepted map[string]any) string {
	extra := accepted["extra"].(map[string]any)
	domain := keccak(
		keccak([]byte("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")),
		keccak([]byte(extra["name"].(string))), keccak([]byte(extra["version"].(string))),
		number(strings.TrimPrefix(accepted["network"].(string), "eip155:")), bytes32(accepted["asset"]))
	message := keccak(
		keccak([]byte("TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)")),
		bytes32(auth["from"]), bytes32(auth["to"]), number(auth["value"]), number(auth["validAfter"]), number(auth["validBefore"]), bytes32(auth["nonce"]))
	compact := ecdsa.SignCompact(w.key, keccak([]byte("\x19\x01"), domain, message), false)
	return "0x" + hex.EncodeToString(append(compact[1:], compact[0]))
}

func number(v any) []byte {
	n, ok := new(big.Int).SetString(v.(string), 10)
	if !ok {
		return make([]byte, 32)
	}
	return n.FillBytes(make([]byte, 32))
}

func bytes32(v any) []byte {
	b, _ := hex.DecodeString(v.(string)[2:])
	return append(make([]byte, 32-len(b)), b...)
}

func keccak(parts ...[]byte) []byte {
	h := sha3.NewLegacyKeccak256()
	h.Write(bytes.Join(parts, nil))
	return h.Sum(nil)
}

// Facilitator verifies and settles in a ledger of its own: each nonce once.
type Facilitator struct {
	URL string

	// Verifying and Settling, if not nil, are asked before the usual answer is
	// given, and may write another one and return true. Settling is asked twice:
	// before the money is moved, which it can prevent, and after it was. Set them with Do.
	Verifying func(w http.ResponseWriter) bool
	Settling  func(w http.ResponseWriter, moved bool) bool

	server *httptest.Server
	mu     sync.Mutex
	counts Counts
	ledger map[string]string // transactions by nonce
	solana string            // the fee payer
}

// Counts are how often a facilitator was asked, and what it moved.
type Counts struct{ Verified, Settled, Moved int }

// NewFacilitator starts a facilitator. It is to be closed.
func NewFacilitator() *Facilitator {
	f := &Facilitator{ledger: map[string]string{}}
	f.server = httptest.NewServer(f)
	f.URL = f.server.URL
	return f
}

// Close ends the facilitator, and whatever hangs in it.
func (f *Facilitator) Close() {
	f.server.CloseClientConnections()
	f.server.Close()
}

// Counts returns what was done so far.
func (f *Facilitator) Counts() Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts
}

// OfferSolana says who pays fees on Solana; "" for no Solana.
func (f *Facilitator) OfferSolana(feePayer string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.solana = feePayer
}

// Do changes the facilitator while nobody is being answered.
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
	switch r.URL.Path {
	case "/supported":
		f.mu.Lock()
		defer f.mu.Unlock()
		solana := ""
		if f.solana != "" {
			solana = fmt.Sprintf(`,{"x402Version":2,"scheme":"exact","network":"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp","extra":{"feePayer":%q}}`, f.solana)
		}
		fmt.Fprintf(w, `{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:8453"}%s],"extensions":[],"signers":{}}`, solana)
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
			fmt.Fprintf(w, `{"success":false,"errorReason":"invalid_exact_evm_nonce_already_used","payer":%q,"transaction":"","network":%q}`, auth.From, network)
		default:
			fmt.Fprintf(w, `{"success":true,"payer":%q,"transaction":%q,"network":%q}`, auth.From, transaction, network)
		}
	default:
		http.NotFound(w, r)
	}
}

// hanging is the header of an answer that never comes.
const hanging = "X-Hanging"

// Hang is a fault: no answer, until the caller's time is over. For callers
// through [Transport] that is at once.
func Hang(w http.ResponseWriter) bool {
	w.Header().Set(hanging, "true")
	return true
}

// Transport is how a test's client reaches a facilitator: whatever an answer
// takes, it comes in time, and a call that [Hang]s runs out of time at once.
func Transport() http.RoundTripper { return transport{http.DefaultTransport.(*http.Transport).Clone()} }

type transport struct{ *http.Transport }

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := t.Transport.RoundTrip(r)
	if err == nil && res.Header.Get(hanging) != "" {
		res.Body.Close()
		return nil, context.DeadlineExceeded
	}
	return res, err
}

// Reset is a fault: the connection breaks.
func Reset(w http.ResponseWriter) bool {
	c, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		c.Close()
	}
	return true
}

// Status is a fault: an answer of that status and text.
func Status(code int, text string) func(w http.ResponseWriter) bool {
	return func(w http.ResponseWriter) bool {
		w.WriteHeader(code)
		io.WriteString(w, text)
		return true
	}
}
