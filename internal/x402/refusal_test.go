package x402

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestAPaymentThatCannotBeReadSaysWhatIsWrong, in words that follow the name of the header.
func TestAPaymentThatCannotBeReadSaysWhatIsWrong(t *testing.T) {
	text := signedByViem(t)
	change := func(from, to string) string {
		t.Helper()
		if !strings.Contains(text, from) {
			t.Fatalf("%q is not in %s", from, text)
		}
		return header(strings.Replace(text, from, to, 1))
	}
	field := func(name, value string) string {
		t.Helper()
		_, rest, _ := strings.Cut(text, `"`+name+`":"`)
		was, _, _ := strings.Cut(rest, `"`)
		return change(`"`+name+`":"`+was, `"`+name+`":"`+value)
	}
	named := func(id string) string {
		return change(`"x402Version"`, `"extensions":{"payment-identifier":{"info":{"id":"`+id+`"}}},"x402Version"`)
	}
	solana := func(payload string) string {
		return header(`{"x402Version":2,"accepted":{"network":"` + Solana + `"},"payload":` + payload + `}`)
	}
	pad := header(text + strings.Repeat(" ", 3-len(text)%3))
	room := strings.Repeat(" ", maxHeaderBytes/4*3-len(text))
	for about, c := range map[string]struct{ header, want string }{
		"as signed":         {header(text), ""},
		"without padding":   {strings.TrimRight(header(text+" "), "="), ""},
		"the longest":       {header(text + room), ""},
		"one byte too long": {header(text+room) + "=", "it has 16385 bytes, 16384 are allowed"},
		"not base64":        {"!" + pad, "it is not standard base64 (RFC 4648, section 4)"},
		"not JSON": {
			header("{,"),
			"it is not the JSON of a payment of x402 version 2: invalid at byte 1",
		},
		"a name twice": {
			header(`{"payload":1,"payload":2}`),
			"it is not the JSON of a payment of x402 version 2: a name appears twice in it",
		},
		"a list": {
			header("[]"),
			"it is not the JSON of a payment of x402 version 2: it must be an object",
		},
		"a wrong type": {
			header(`{"accepted":{"extra":{"name":7}}}`),
			"it is not the JSON of a payment of x402 version 2: accepted.extra.name is of the wrong type",
		},
		"version 1": {change(`"x402Version":2`, `"x402Version":1`), "x402Version must be 2"},
		"accepted is missing": {
			change(`"accepted"`, `"excepted"`),
			"accepted is missing: it is the chosen entry of accepts, unchanged",
		},
		"payload is no object": {solana("[]"), "payload must be an object"},
		"a short id": {
			named(strings.Repeat("x", 15)),
			"the id of payment-identifier must be 16 to 128 letters, digits, - or _",
		},
		"a long id": {
			named(strings.Repeat("x", 129)),
			"the id of payment-identifier must be 16 to 128 letters, digits, - or _",
		},
		"an odd id": {
			named("0123456789abcde."),
			"the id of payment-identifier must be 16 to 128 letters, digits, - or _",
		},
		"the shortest id":  {named("0123456789-bcdeF"), ""},
		"the longest id":   {named(strings.Repeat("_", 128)), ""},
		"no authorization": {change(`"authorization"`, `"permission"`), "payload: permission is of the wrong type"},
		"an authorization": {
			header(`{"x402Version":2,"accepted":{"network":"` + Base + `"},"payload":{}}`),
			"payload.authorization is missing: only EIP-3009 authorizations are taken on this network",
		},
		"signature": {
			field("signature", "0x"+strings.Repeat("a", 128)),
			"payload.signature must be 0x and the hexadecimal digits of at least 65 bytes",
		},
		"from": {field("from", "0x12"), "payload.authorization.from must be an EVM address"},
		"to":   {field("to", "0x12"), "payload.authorization.to must be an EVM address"},
		"value": {
			field("value", strings.Repeat("1", 79)),
			"payload.authorization.value must be a whole number in a string",
		},
		"validAfter": {
			field("validAfter", "-1"),
			"payload.authorization.validAfter must be seconds since 1970 in a string",
		},
		"validBefore": {
			field("validBefore", ""),
			"payload.authorization.validBefore must be seconds since 1970 in a string",
		},
		"nonce": {
			field("nonce", "0x12"),
			"payload.authorization.nonce must be 0x and 64 hexadecimal digits",
		},
		"a member too many": {solana(`{"transaction":"AA==","more":1}`), "payload: more is of the wrong type"},
		"no transaction": {
			solana(`{}`),
			"payload.transaction is missing: it is the base64 of a partly signed transaction",
		},
		"a broken transaction": {
			solana(`{"transaction":"AA=="}`),
			"payload.transaction: the transaction is cut off or malformed",
		},
		"an odd transaction": {
			solana(`{"transaction":"!"}`),
			"payload.transaction: the transaction is not standard base64 (RFC 4648, section 4)",
		},
		"a text for a resource": {change(`"resource":{`, `"resource":"x","other":{`), ""},
	} {
		p, err := Decode(c.header)
		var m *Malformed
		if got := fmt.Sprint(err); err == nil && c.want != "" || err != nil && got != c.want ||
			err != nil && (p != nil || !errors.As(err, &m)) {
			t.Errorf("%s: %s, want %s", about, got, c.want)
		}
	}
	p, err := Decode(named("0123456789abcdef"))
	if err != nil || p.Identifier != "0123456789abcdef" ||
		!strings.HasPrefix(p.Resource, "https://tocsin.example/api/v1/screen/0x") {
		t.Errorf("the resource and the id are %+v, %v", p, err)
	}
}

// TestAnAuthorizationPaysThePriceInTime, or is refused for the first of the reasons in this order: the time comes last.
func TestAnAuthorizationPaysThePriceInTime(t *testing.T) {
	p, err := Decode(header(signedByViem(t)))
	if err != nil {
		t.Fatal(err)
	}
	a := p.payload.(*authorization)
	account, err := networks[Base].Account("0x209693bc6afc0c5328ba36faf03c514ef312287c")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, _ := networks[Base].Account(a.from.String())
	right, dear := account.Requirements("10000", ""), account.Requirements("10001", "")
	begin, end := time.Unix(a.validAfter.Int64(), 0), time.Unix(a.validBefore.Int64(), 0)
	const payload = "invalid_exact_evm_payload_authorization_"
	for about, c := range map[string]struct {
		offer  Requirements
		at     time.Time
		reason string
	}{
		"in time":                 {right, then, ""},
		"at its beginning":        {right, begin, ""},
		"before its beginning":    {right, begin.Add(-time.Second), payload + "valid_after"},
		"six seconds are left":    {right, end.Add(-6 * time.Second), ""},
		"five seconds are left":   {right, end.Add(-5 * time.Second), payload + "valid_before"},
		"another price, too late": {dear, end, payload + "value_mismatch"},
		"another wallet, another price": {elsewhere.Requirements("10001", ""), end,
			"invalid_exact_evm_recipient_mismatch"},
	} {
		refusal := p.Check(c.offer, c.at)
		if (refusal == nil) != (c.reason == "") || refusal != nil && (refusal.Reason != c.reason || refusal.Detail == "" ||
			refusal.Error() != refusal.Reason+": "+refusal.Detail) {
			t.Errorf("%s: %v, want %s", about, refusal, c.reason)
		}
	}
	for _, change := range []func(r *Requirements){
		func(r *Requirements) { r.Network = "base" }, func(r *Requirements) { r.Network = BaseSepolia },
		func(r *Requirements) { r.Asset = "USDC" }, func(r *Requirements) { r.Extra.Name = "USDC" },
		func(r *Requirements) { r.Extra.Version = "1" }, func(r *Requirements) { r.Asset = account.PayTo },
	} {
		other := right
		if change(&other); p.SignedByPayer(other) {
			t.Errorf("the signature is for %+v, too", other)
		}
	}
	for _, change := range []func(r *Requirements){
		func(r *Requirements) { r.Scheme = "upto" }, func(r *Requirements) { r.Network = BaseSepolia },
		func(r *Requirements) { r.Amount = "1" }, func(r *Requirements) { r.Asset = r.PayTo },
		func(r *Requirements) { r.PayTo = r.Asset }, func(r *Requirements) { r.Extra.FeePayer = "x" },
	} {
		other := Payment{Accepted: right}
		change(&other.Accepted)
		if got, ok := other.Match([]Requirements{right}); ok || got != (Requirements{}) {
			t.Errorf("%+v is taken for %+v", other.Accepted, right)
		}
	}
}

// TestATransferPaysThePriceToTheWallet, and not with the money of who pays the fee.
func TestATransferPaysThePriceToTheWallet(t *testing.T) {
	const wallet, payer, feePayer = "CKPKJWNdJEqa81x7CkZ14BVPiY6y16Sxs7owznqtWYp5",
		"2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4", "EVHeoZ8ZchkjtHJiSmWWjY3NctQVcCzD8yYfuw1qkXqm"
	account, err := networks[Solana].Account(wallet)
	if err != nil {
		t.Fatal(err)
	}
	wanted := account.Requirements("10000", feePayer)
	to, err := associatedTokenAccount(wallet, wanted.Asset, tokenProgram)
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*transfer){
		"<nil>": func(*transfer) {},
		"mint_mismatch: the transfer is of another token than " + wanted.Asset: func(p *transfer) { p.Mint = wallet },
		"amount_mismatch: the transfer must be of exactly 10000":               func(p *transfer) { p.Amount++ },
		"fee_payer_mismatch: the fee payer of the transaction must be " + feePayer: func(p *transfer) {
			p.FeePayer = payer
		},
		"transaction_fee_payer_transferring_funds: the fee payer must not be the payer": func(p *transfer) {
			p.Payer = feePayer
		},
		"recipient_mismatch: the transfer must go to " + to + ", the token account of " + wallet: func(p *transfer) {
			p.Destination = wallet
		},
	} {
		p := &transfer{solanaTransfer: solanaTransfer{FeePayer: feePayer, Payer: payer, Mint: wanted.Asset, Destination: to,
			Program: tokenProgram, Amount: 10000}}
		change(p)
		got := "<nil>"
		if refusal := p.check(wanted, then); refusal != nil {
			got = strings.TrimPrefix(strings.TrimPrefix(refusal.Error(), "invalid_exact_svm_"), "payload_")
		}
		if got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
	for n, tooLong := range map[int]bool{maxTransactionBytes: false, maxTransactionBytes + 1: true} {
		_, err := parseSolanaTransfer(base64.StdEncoding.EncodeToString(make([]byte, n)))
		if err == nil || strings.Contains(err.Error(), "has 1233 bytes, 1232 are allowed") != tooLong {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// TestEachReasonOfAFacilitatorHasItsMeaning, in the spellings of the official one: whether it shows that nothing was
// sent to the chain, and whether to ask once more.
func TestEachReasonOfAFacilitatorHasItsMeaning(t *testing.T) {
	for meaning, reasons := range map[string]string{
		"not sent": `invalid_payload invalid_exact_evm_payload_signature
			invalid_exact_evm_payload_authorization_valid_before invalid_exact_evm_payload_authorization_valid_after
			invalid_exact_evm_authorization_value invalid_exact_evm_recipient_mismatch invalid_exact_evm_insufficient_balance
			insufficient_funds unsupported_scheme invalid_scheme network_mismatch invalid_exact_evm_token_name_mismatch
			invalid_exact_evm_token_version_mismatch transaction_simulation_failed invalid_exact_evm_nonce_already_used
			invalid_payment_requirements invalid_exact_svm_fee_payer_mismatch invalid_x402_version`,
		"ask again": `unexpected_error unknown_error unavailable timed_out timeout rate_limited no_receipt
			not_confirmed node_error settlement_pending unexpected_payload unknown_signature timeout_simulation`,
		"failed": `transaction_failed invalid_transaction_state failed_to_execute_transfer
			transaction_failed_insufficient_funds`,
		"nothing": `refused mismatch duplicate_settlement invalid_exact_evm_value balance_too_low simulation_failed
			nonce_used requirements_mismatch factory_not_allowed fee_payer_mismatch unsupported`,
	} {
		for _, reason := range strings.Fields(reasons) {
			s := Settlement{Reason: reason}
			if (s.Outcome(false) == Refused) != (meaning == "not sent") || s.Outcome(true) == Refused ||
				s.ShouldRetry() != (meaning == "ask again") || Failed(reason) != (meaning == "failed") {
				t.Errorf("%s (%s): %v, again %v", reason, meaning, s.Outcome(false), s.ShouldRetry())
			}
		}
	}
	want := "pending settled refused unsent spent facilitator_unavailable facilitator_timeout facilitator_error"
	if got := fmt.Sprint(Pending, Settled, Refused, Unsent, Spent, Unreachable, TimedOut, BadResponse); got != want {
		t.Errorf("in the log and in the API they are %s, want %s", got, want)
	}
	for value, want := range map[string]string{
		Required{X402Version: 2, Error: "<e>", Accepts: []Requirements{}}.Header(): `{"x402Version":2,"error":` +
			`"\u003ce\u003e","resource":{"url":""},"accepts":[]}`,
		Receipt{Success: true, Transaction: "0x1", Network: Base, Payer: "p"}.Header(): `{"success":true,` +
			`"transaction":"0x1","network":"eip155:8453","payer":"p"}`,
	} {
		if text, err := base64.StdEncoding.DecodeString(value); err != nil || string(text) != want {
			t.Errorf("the header is %s, %v, want %s", text, err, want)
		}
	}
}

// TestWhatMayHaveBeenExecutedIsAskedOfTheChain, and nothing else.
func TestWhatMayHaveBeenExecutedIsAskedOfTheChain(t *testing.T) {
	for reason, want := range map[string]bool{
		"invalid_exact_evm_nonce_already_used":                    true,
		"duplicate_settlement":                                    true,
		"invalid_exact_evm_transaction_simulation_failed":         true,
		"invalid_exact_svm_payload_transaction_simulation_failed": true,
		"transaction_simulation_failed":                           true,
		"transaction_simulation_failed_twice":                     false,
		"duplicate_settlement_id":                                 false,
		"insufficient_funds":                                      false,
		"invalid_exact_evm_payload_authorization_valid_before":    false,
		"": false,
	} {
		if got := MayBeExecuted(reason); got != want {
			t.Errorf("%q: %v", reason, got)
		}
	}
}

// TestATicketOfSixteenCharactersIsASecret, and no shorter one.
func TestATicketOfSixteenCharactersIsASecret(t *testing.T) {
	for ticket, want := range map[string]bool{"": false, strings.Repeat("t", 15): false, strings.Repeat("t", 16): true} {
		text := strings.Replace(signedByViem(t), `"extra":{`, `"extra":{"ticket":"`+ticket+`",`, 1)
		p, err := Decode(header(text))
		if err != nil || p.Accepted.Extra.Ticket != ticket || p.Secret != want {
			t.Errorf("%q: %+v, %v", ticket, p, err)
		}
	}
}
