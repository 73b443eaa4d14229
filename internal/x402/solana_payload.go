package x402

import (
	"encoding/hex"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// transfer is a Solana transaction that pays and still lacks the signature of the
// fee payer.
type transfer struct {
	solanaTransfer
	transaction string // base64
}

// solanaPayload is the JSON of a transfer (specs/schemes/exact/scheme_exact_svm.md).
type solanaPayload struct {
	Transaction string `json:"transaction"`
}

// parseSolana parses the payload of a payment on Solana.
func (p *Payment) parseSolana(payload jsontext.Value) error {
	var in solanaPayload
	if err := json.Unmarshal(payload, &in, json.RejectUnknownMembers(true)); err != nil {
		return malformed("payload: %v", describeJSONError(err))
	}
	if in.Transaction == "" {
		return malformed("payload.transaction is missing: it is the base64 of a partly signed transaction")
	}
	t, err := parseSolanaTransfer(in.Transaction)
	if err != nil {
		return malformed("payload.transaction: %v", err)
	}
	p.payload, p.Payer = &transfer{t, in.Transaction}, t.Payer
	p.ID = paymentID(p.Accepted.Network, hex.EncodeToString(t.Message[:]))
	return nil
}

func (t *transfer) encode() any { return solanaPayload{t.transaction} }

// check compares what the transfer itself says. Whether the transaction would
// succeed, and what its other instructions do, is left to the facilitator.
func (t *transfer) check(r Requirements, _ time.Time) *Refusal {
	switch {
	case t.Mint != r.Asset:
		return &Refusal{
			Reason: "invalid_exact_svm_payload_mint_mismatch",
			Detail: "the transfer is of another token than " + r.Asset,
		}
	case strconv.FormatUint(t.Amount, 10) != r.Amount:
		return &Refusal{
			Reason: "invalid_exact_svm_payload_amount_mismatch",
			Detail: "the transfer must be of exactly " + r.Amount,
		}
	case t.FeePayer != r.Extra.FeePayer:
		return &Refusal{
			Reason: "invalid_exact_svm_fee_payer_mismatch",
			Detail: "the fee payer of the transaction must be " + r.Extra.FeePayer,
		}
	case t.Payer == t.FeePayer:
		return &Refusal{
			Reason: "invalid_exact_svm_payload_transaction_fee_payer_transferring_funds",
			Detail: "the fee payer must not be the payer",
		}
	}
	account, err := associatedTokenAccount(r.PayTo, r.Asset, t.Program)
	if err != nil || t.Destination != account {
		return &Refusal{
			Reason: "invalid_exact_svm_payload_recipient_mismatch",
			Detail: "the transfer must go to " + account + ", the token account of " + r.PayTo,
		}
	}
	return nil
}

func (t *transfer) signed(Requirements) bool { return t.Signed }
