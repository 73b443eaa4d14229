package x402

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// signedByViem returns a payment that viem has signed.
func signedByViem(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/evm.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Payment map[string]any }
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	text, err = json.Marshal(file.Payment)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func header(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

var then = time.Unix(1_800_000_000, 0)

func TestASignatureIsThatOfItsPayer(t *testing.T) {
	text := signedByViem(t)
	account, err := networks[Base].Account("0x209693bc6afc0c5328ba36faf03c514ef312287c")
	if err != nil {
		t.Fatal(err)
	}
	wanted := account.Requirements("10000", "")
	ids := map[[32]byte]bool{}
	for _, c := range []struct {
		about, from, to string
		proven          bool
	}{
		{"as signed", "", "", true},
		{"the address in lower case",
			"0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "0x70997970c51812dc3a010c7d01b50e0d17dc79c8", true},
		{"another signature", "0xd05ad2", "0xd05ad3", false},
		{"another parity", `97b261c"`, `97b261b"`, false},
		{"parity as 0 and 1", `97b261c"`, `97b2601"`, true},
		{"a contract's signature, perhaps", `97b261c"`, `97b261c00"`, false},
		{"another end", `"validBefore":"4`, `"validBefore":"5`, false},
		{"another nonce", "0x5a5a", "0x5b5a", false},
		{"another payer", "dc79C8", "dc79C9", false},
	} {
		altered := strings.Replace(text, c.from, c.to, 1)
		if (altered == text) != (c.from == "") {
			t.Fatalf("%s: %q is not in %s", c.about, c.from, text)
		}
		p, err := Decode(header(altered))
		if err != nil {
			t.Fatalf("%s: %v", c.about, err)
		}
		if refusal := p.Check(wanted, then); refusal != nil || p.SignedByPayer(wanted) != c.proven {
			t.Errorf("%s: signed %v, %v", c.about, p.SignedByPayer(wanted), refusal)
		}
		ids[p.ID] = true
	}
	p, err := Decode(header(strings.NewReplacer("0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
		"0x0000000000000000000000000000000000000000", `97b261c"`, `97b2605"`).Replace(text)))
	if err != nil || p.Payer != "0x0000000000000000000000000000000000000000" || p.SignedByPayer(wanted) {
		t.Errorf("a signature of nobody is that of the zero address: %v, %v", p, err)
	}
	if len(ids) != 3 { // the payment, that of another nonce, and that of another payer
		t.Errorf("%d different payments", len(ids))
	}
}

func TestAFacilitatorIsSentTheSignedPartAndOtherwiseOurOwnWords(t *testing.T) {
	text := strings.Replace(signedByViem(t), `"x402Version"`,
		`"extensions":{"bazaar":{"info":{"input":"theirs"}}},"Payload":{},"x402Version"`, 1)
	p, err := Decode(header(text))
	if err != nil {
		t.Fatal(err)
	}
	account, _ := networks[Base].Account("0x209693bc6afc0c5328ba36faf03c514ef312287c")
	wanted, what := account.Requirements("10000", ""), Resource{URL: "https://tocsin.example/x", Description: "ours"}
	text = string(p.Order(wanted, what, map[string]jsontext.Value{"bazaar": jsontext.Value(`{"info":"ours"}`)}))
	var order, payment map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &order); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(order["paymentPayload"], &payment); err != nil {
		t.Fatal(err)
	}
	var signed, sent struct{ Payload json.RawMessage }
	original := strings.Replace(signedByViem(t), `,"payload"`, `,"Payload"`, 1)
	if err := json.Unmarshal([]byte(original), &signed); err != nil {
		t.Fatal(err)
	}
	sent.Payload = payment["payload"]
	if !sameJSON(t, signed.Payload, sent.Payload) || !sameJSON(t, order["paymentRequirements"], payment["accepted"]) ||
		strings.Contains(text, "theirs") || strings.Count(text, "ours") != 2 ||
		strings.Contains(text, `"Payload"`) || string(order["x402Version"]) != "2" {
		t.Errorf("the order is %s", text)
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

// TestWhatASettlementProves checks the rows of the table in decision 8.
func TestWhatASettlementProves(t *testing.T) {
	for _, c := range []struct {
		about         string
		got           Settlement
		first, repeat Outcome // when the order was not sent before, and when it was
		unclear       bool
	}{
		{"success", Settlement{Success: true, Transaction: "0x1"}, Settled, Settled, false},
		{"refused", Settlement{Reason: "invalid_exact_evm_insufficient_balance"}, Refused, Pending, false},
		{"spent", Settlement{Reason: "invalid_exact_evm_nonce_already_used"}, Refused, Spent, false},
		{"sent before", Settlement{Reason: "duplicate_settlement"}, Pending, Pending, false},
		{"refused after it was sent",
			Settlement{Reason: "invalid_exact_evm_transaction_failed", Transaction: "0x1"}, Pending, Pending, false},
		{"refused with a transaction",
			Settlement{Reason: "invalid_exact_evm_insufficient_balance", Transaction: "0x1"}, Pending, Pending, false},
		{"failed to be sent", Settlement{Reason: "invalid_exact_evm_transaction_failed"}, Pending, Pending, false},
		{"not confirmed in time",
			Settlement{Reason: "settle_exact_svm_transaction_confirmation_timed_out"}, Pending, Pending, true},
		{"no receipt", Settlement{Reason: "invalid_exact_evm_failed_to_get_receipt"}, Pending, Pending, true},
		{"a reason of its own", Settlement{Reason: "something_else"}, Pending, Pending, false},
		{"under way", Settlement{Reason: "settlement_pending"}, Pending, Pending, true},
		{"nobody knows", Settlement{Reason: "unexpected_settle_error"}, Pending, Pending, true},
		{"not reached", Settlement{Err: &FacilitatorError{Cause: Unreachable}}, Unsent, Pending, false},
		{"turned away", Settlement{Err: &FacilitatorError{Cause: BadResponse}}, Unsent, Pending, false},
		{"no answer in time",
			Settlement{Err: &FacilitatorError{Cause: TimedOut, MayHaveExecuted: true}}, Pending, Pending, true},
		{"garbage", Settlement{Err: &FacilitatorError{Cause: BadResponse, MayHaveExecuted: true}}, Pending, Pending, true},
	} {
		first, repeat := c.got.Outcome(false), c.got.Outcome(true)
		if first != c.first || repeat != c.repeat || c.got.ShouldRetry() != c.unclear {
			t.Errorf("%s: %d, repeated %d, unclear %v", c.about, first, repeat, c.got.ShouldRetry())
		}
	}
}

// TestOnlyTheCodesOfARefusalAreOne: other words may be those of a facilitator that has
// sent the payment, about its own account or about the transaction.
func TestOnlyTheCodesOfARefusalAreOne(t *testing.T) {
	for _, reason := range []string{
		"nonce too low: next nonce 811, tx nonce 810", // geth, of the facilitator's account
		"insufficient funds for gas * price + value",
		"replacement transaction underpriced",
		"invalid signature values", "value", "balance", "signature", "version", "unsupported", "requirements",
		"invalid_exact_evm_nonce_already_used ", "Invalid_exact_evm_signature", "xinvalid_exact_evm_signature",
		"invalid_exact_evm_signature: retried", "invalid_exact_svm_", "invalid_exact_svm_insufficient_funds?",
		"invalid_exact_evm_transfer_event_mismatch", "post_settlement_transfer_not_confirmed",
		"transaction_failed", "invalid_exact_evm_transaction_failed", "invalid_exact_svm_transaction_failed",
		"invalid_exact_evm_failed_to_execute_transfer", "smart_wallet_deployment_failed", "invalid_transaction_state",
		"unexpected_settle_error", "duplicate_settlement", "settlement_pending",
		"settle_exact_svm_block_height_exceeded", "refused without a reason",
	} {
		if got := (Settlement{Reason: reason}).Outcome(false); got != Pending {
			t.Errorf("%q is %v", reason, got)
		}
	}
	codes := slices.Collect(maps.Keys(refusals))
	for code := range svmRefusals {
		codes = append(codes, "invalid_exact_svm_"+code, "invalid_exact_solana_"+code)
	}
	for _, code := range codes {
		if got := (Settlement{Reason: code}).Outcome(false); got != Refused {
			t.Errorf("%q is %v", code, got)
		}
	}
	// Every code costs a payer money if it is wrong, so each is listed a second time.
	slices.Sort(codes)
	codes = slices.DeleteFunc(codes, func(code string) bool { return strings.HasPrefix(code, "invalid_exact_solana_") })
	list, err := os.ReadFile("testdata/refusals.txt")
	if got := strings.Join(codes, "\n") + "\n"; err != nil || got != string(list) {
		t.Errorf("testdata/refusals.txt is not these codes (%v):\n%s", err, got)
	}
}

func TestANumberThatDoesNotFitIsMalformed(t *testing.T) {
	text := signedByViem(t)
	two := func(bits uint) string { return new(big.Int).Lsh(big.NewInt(1), bits).String() }
	most := func(bits uint) string {
		n := new(big.Int).Lsh(big.NewInt(1), bits)
		return n.Sub(n, big.NewInt(1)).String()
	}
	for _, c := range []struct{ field, number, want string }{
		{"value", most(256), ""}, {"value", two(256), "payload.authorization.value must be less than 2^256"},
		{"value", strings.Repeat("9", 78), "payload.authorization.value must be less than 2^256"},
		{"validAfter", most(63), ""}, {"validAfter", two(256), "payload.authorization.validAfter must be less than 2^63"},
		{"validBefore", most(63), ""}, {"validBefore", two(63), "payload.authorization.validBefore must be less than 2^63"},
	} {
		altered := regexp.MustCompile(`"`+c.field+`":"\d+"`).ReplaceAllString(text, `"`+c.field+`":"`+c.number+`"`)
		if !strings.Contains(altered, c.number) {
			t.Fatalf("%s is not in %s", c.field, text)
		}
		_, err := Decode(header(altered))
		if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && got != c.want {
			t.Errorf("%s %s: %v, want %q", c.field, c.number, err, c.want)
		}
	}
}

// TestASolanaPaymentIsItsMessage reads a payment that the official client made.
func TestASolanaPaymentIsItsMessage(t *testing.T) {
	c := solanaCases(t)[0]
	account, err := networks[Solana].Account(c.PayTo)
	if err != nil {
		t.Fatal(err)
	}
	wanted := account.Requirements(c.Amount, c.FeePayer)
	decode := func(transaction string) *Payment {
		t.Helper()
		payload := map[string]string{"transaction": transaction}
		text, err := json.Marshal(map[string]any{"x402Version": 2, "accepted": wanted, "payload": payload})
		if err != nil {
			t.Fatal(err)
		}
		p, err := Decode(header(string(text)))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := decode(c.Transaction)
	if r, ok := p.Match([]Requirements{wanted}); !ok || r != wanted {
		t.Error("it does not match what it was made for")
	}
	if refusal := p.Check(wanted, then); refusal != nil || !p.SignedByPayer(wanted) || p.Payer != c.Payer {
		t.Errorf("payer %s, %v", p.Payer, refusal)
	}
	raw, _ := base64.StdEncoding.DecodeString(c.Transaction)
	raw[1] ^= 1 // in the place of the fee payer's signature, which is filled in later
	if other := decode(base64.StdEncoding.EncodeToString(raw)); other.ID != p.ID {
		t.Error("the fee payer's signature makes another payment of it")
	}
	elsewhere, _ := networks[Solana].Account(c.Payer)
	otherMint := Requirements{Network: Solana, Amount: c.Amount, Asset: c.PayTo, PayTo: c.PayTo, Extra: wanted.Extra}
	for reason, other := range map[string]Requirements{
		"invalid_exact_svm_payload_amount_mismatch":    account.Requirements("20000", c.FeePayer),
		"invalid_exact_svm_fee_payer_mismatch":         account.Requirements(c.Amount, c.Payer),
		"invalid_exact_svm_payload_recipient_mismatch": elsewhere.Requirements(c.Amount, c.FeePayer),
		"invalid_exact_svm_payload_mint_mismatch":      otherMint,
	} {
		if refusal := p.Check(other, then); refusal == nil || refusal.Reason != reason {
			t.Errorf("%v, want %s", refusal, reason)
		}
	}
}

func TestPricesAreExact(t *testing.T) {
	for dollars, want := range map[string]string{
		"0.01": "10000", "0.40": "400000", "1": "1000000", "0.000001": "1", "12.5": "12500000",
		"": "", "0": "", "0.00": "", "-1": "", "0.0000001": "", "1e3": "", ".5": "", "1.2.3": "", "9999999999999999": "",
	} {
		if got, err := Atomic(dollars); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", dollars, got, err)
		}
	}
}

func TestWalletsAndNetworksAreChecked(t *testing.T) {
	for _, c := range [][3]string{
		{Base, "", "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"},
		{BaseSepolia, "", "0x209693bc6afc0c5328ba36faf03c514ef312287c"},
		{Solana, "", "CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5"},
		{Base, "0x036CbD53842c5426634e7929541eC2318f3dCF7e:Token:1", "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"},
		{Base, "0x036CbD53842c5426634e7929541eC2318f3dCF7e", "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"},
		{Solana, "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU", "CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5"},
	} {
		n, err := ParseNetwork(c[0], c[1])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := n.Account(c[2]); err != nil {
			t.Error(err)
		}
	}
	n, _ := ParseNetwork(Base, "0x036cbd53842c5426634e7929541ec2318f3dcf7e:Token:1")
	if n.Asset != "0x036CbD53842c5426634e7929541eC2318f3dCF7e" || n.Extra != (Extra{Name: "Token", Version: "1"}) {
		t.Errorf("the asset is %+v", n)
	}
	for _, c := range [][2]string{
		{"base", ""}, {"eip155:1", ""}, {"", ""}, {Base, "0x12"},
		{Base, "0x036CbD53842c5426634e7929541eC2318f3dCF7e:Token"},
		{Solana, "0x036CbD53842c5426634e7929541eC2318f3dCF7e"},
	} {
		if _, err := ParseNetwork(c[0], c[1]); err == nil {
			t.Errorf("%q is taken", c)
		}
	}
	for _, c := range [][2]string{
		{Base, ""},
		{Base, "0x209693Bc6afc0C5328bA36FaF03C514EF312287"},
		{Base, "0x209693bc6afc0C5328bA36FaF03C514EF312287C"},
		{Base, "0x0000000000000000000000000000000000000000"},
		{Base, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"}, // the token itself
		{Base, "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"},
		{Base, "CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5"},
		{Solana, "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"},
		{Solana, "CKPKJWNd"},
	} {
		if _, err := networks[c[0]].Account(c[1]); err == nil {
			t.Errorf("%q is taken", c)
		}
	}
}

// FuzzDecode looks for headers that crash the parser, and for payments that are another
// one in the order that we send.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(signedByViem(f)))
	f.Add(fmt.Appendf(nil, `{"x402Version":2,"accepted":{"network":"solana:x"},"payload":{"transaction":%q}}`,
		solanaCases(f)[0].Transaction))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Decode(header(string(text)))
		if err != nil {
			if _, ok := err.(*Malformed); !ok {
				t.Errorf("%T %v", err, err)
			}
			return
		}
		p.Check(p.Accepted, then)
		var order struct{ PaymentPayload json.RawMessage }
		if err := json.Unmarshal(p.Order(p.Accepted, Resource{}, nil), &order); err != nil {
			t.Fatal(err)
		}
		again, err := Decode(header(string(order.PaymentPayload)))
		if err != nil || again.ID != p.ID || again.Payer != p.Payer {
			t.Errorf("passed on, it is another payment: %v", err)
		}
	})
}

func TestAddressesOfEVMNetworksMatchInAnyCase(t *testing.T) {
	account, err := networks[Base].Account("0x209693bc6afc0c5328ba36faf03c514ef312287c")
	if err != nil {
		t.Fatal(err)
	}
	offer := account.Requirements("10000", "")
	for _, change := range []func(string) string{strings.ToLower, strings.ToUpper} {
		p := Payment{Accepted: offer}
		p.Accepted.PayTo, p.Accepted.Asset = change(offer.PayTo), change(offer.Asset)
		if got, ok := p.Match([]Requirements{offer}); !ok || got != offer {
			t.Errorf("%+v does not match %+v", p.Accepted, offer)
		}
	}
	account, err = networks[Solana].Account("CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5")
	if err != nil {
		t.Fatal(err)
	}
	offer = account.Requirements("10000", "EVHeoZ8ZchkjtHJiSmWWjY3NctQVcCzD8yYfuw1qkXqm")
	for _, field := range []func(*Requirements) *string{
		func(r *Requirements) *string { return &r.PayTo },
		func(r *Requirements) *string { return &r.Asset },
		func(r *Requirements) *string { return &r.Extra.FeePayer },
	} {
		p := Payment{Accepted: offer}
		if _, ok := p.Match([]Requirements{offer}); !ok {
			t.Error("an offer does not match itself")
		}
		text := field(&p.Accepted)
		*text = strings.ToLower(*text)
		if _, ok := p.Match([]Requirements{offer}); ok {
			t.Errorf("on Solana %q is not another address", *text)
		}
	}
}
