package x402

import (
	"encoding/hex"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// transfer is a payment by a Solana transaction that lacks the fee payer's signature.
type transfer struct {
	solanaTransfer
	transaction string // base64
}

// svmPayload is the form of a payload of the scheme "exact" on Solana
// (specs/schemes/exact/scheme_exact_svm.md).
type svmPayload struct {
	Transaction string `json:"transaction"`
}

func (p *Payment) readSolana(payload jsontext.Value) error {
	var in svmPayload
	if err := json.Unmarshal(payload, &in, json.RejectUnknownMembers(true)); err != nil {
		return malformed("payload: %v", plain(err))
	}
	if in.Transaction == "" {
		return malformed("payload.transaction is missing: it is the base64 of a partly signed transaction")
	}
	t, err := readSolana(in.Transaction)
	if err != nil {
		return malformed("payload.transaction: %v", err)
	}
	p.payload, p.Payer = &transfer{t, in.Transaction}, t.Payer
	p.ID = idOf(p.Accepted.Network, hex.EncodeToString(t.Message[:]))
	return nil
}

func (t *transfer) encode() any { return svmPayload{t.transaction} }

// check looks for what is plain to see. That the transaction lands, and what
// else it does, is for the facilitator to say.
func (t *transfer) check(r Requirements, _ time.Time) *Refusal {
	switch {
	case t.Mint != r.Asset:
		return &Refusal{Reason: "invalid_exact_svm_payload_mint_mismatch", Detail: "the transfer is of another token than " + r.Asset}
	case strconv.FormatUint(t.Amount, 10) != r.Amount:
		return &Refusal{Reason: "invalid_exact_svm_payload_amount_mismatch", Detail: "the transfer must be of exactly " + r.Amount}
	case t.FeePayer != r.Extra.FeePayer:
		return &Refusal{Reason: "invalid_exact_svm_fee_payer_mismatch", Detail: "the fee payer of the transaction must be " + r.Extra.FeePayer}
	case t.Payer == t.FeePayer:
		return &Refusal{Reason: "invalid_exact_svm_payload_transaction_fee_payer_transferring_funds", Detail: "the fee payer must not be who pays"}
	}
	if account, err := associatedAccount(r.PayTo, r.Asset, t.Program); err != nil || t.Destination != account {
		return &Refusal{Reason: "invalid_exact_svm_payload_recipient_mismatch", Detail: "the transfer must go to " + account + ", the token account of " + r.PayTo}
	}
	return nil
}

func (t *transfer) signed(Requirements) bool { return t.Signed }
