package x402

import "strings"

// refusals are the codes with which the official facilitators refuse a payment
// before they send anything to the chain. They are those of
//
//   - section 9 of the specification, without invalid_transaction_state and the
//     unexpected_… errors, which say nothing about what was sent
//   - typescript/packages/mechanisms/evm/src/exact/facilitator (errors.ts, eip3009.ts)
//     and mechanisms/svm/src/exact/facilitator/scheme.ts, up to 2.27.0
//   - go/mechanisms/evm/exact/facilitator/errors.go and svm/exact/facilitator/errors.go
//   - python/x402/mechanisms/evm/constants.py and svm/constants.py
//   - typescript/packages/legacy/x402/src/types/verify/x402Specs.ts, the codes of
//     version 1, which facilitators still send
//
// of https://github.com/x402-foundation/x402, as far as they belong to the scheme
// "exact" with EIP-3009 or on Solana. Left out are transaction_failed and its
// relatives, failures to wait for a receipt or a confirmation, failures of a node,
// settlement_pending and duplicate_settlement: after them something may have been sent.
//
// A code that is missing here costs a wait. A code that should not be here costs a
// payer money, who would be asked to sign again.
var refusals = map[string]bool{
	// The specification, section 9, and version 1.
	"insufficient_funds":           true,
	"invalid_network":              true,
	"invalid_payload":              true,
	"invalid_payment":              true,
	"invalid_payment_requirements": true,
	"invalid_scheme":               true,
	"invalid_x402_version":         true,
	"payment_expired":              true,
	"unsupported_scheme":           true,
	"invalid_exact_evm_payload_authorization_valid_after":    true,
	"invalid_exact_evm_payload_authorization_valid_before":   true,
	"invalid_exact_evm_payload_authorization_value":          true,
	"invalid_exact_evm_payload_authorization_value_mismatch": true,
	"invalid_exact_evm_payload_signature":                    true,
	"invalid_exact_evm_payload_recipient_mismatch":           true,

	// EVM networks.
	"invalid_exact_evm_scheme":                          true,
	"invalid_exact_evm_network_mismatch":                true,
	"invalid_exact_evm_payload":                         true,
	"invalid_exact_evm_payload_missing_signature":       true,
	"invalid_exact_evm_missing_eip712_domain":           true,
	"missing_eip712_domain":                             true,
	"invalid_exact_evm_recipient_mismatch":              true,
	"invalid_exact_evm_authorization_value":             true,
	"invalid_exact_evm_required_amount":                 true,
	"invalid_exact_evm_nonce_already_used":              true,
	"invalid_exact_evm_insufficient_balance":            true,
	"invalid_exact_evm_signature_format":                true,
	"invalid_exact_evm_signature":                       true,
	"invalid_exact_evm_failed_to_parse_signature":       true,
	"invalid_exact_evm_payload_undeployed_smart_wallet": true,
	"invalid_exact_evm_token_name_mismatch":             true,
	"invalid_exact_evm_token_version_mismatch":          true,
	"invalid_exact_evm_eip3009_not_supported":           true,
	"invalid_exact_evm_transaction_simulation_failed":   true,
	"unsupported_payload_type":                          true,
	"unsupported_asset_transfer_method":                 true,

	// Solana, as TypeScript and Python write them; the others are in svmRefusals.
	"network_mismatch":                     true,
	"fee_payer_not_managed_by_facilitator": true,
	"transaction_simulation_failed":        true,
}

// svmRefusals are the codes of Solana without the prefix, which is invalid_exact_svm_
// (TypeScript, Python) or invalid_exact_solana_ (Go).
var svmRefusals = map[string]bool{
	"unsupported_scheme":                                         true,
	"network_mismatch":                                           true,
	"fee_payer_mismatch":                                         true,
	"invalid_fee_payer":                                          true,
	"fee_payer_not_managed_by_facilitator":                       true,
	"transaction_simulation_failed":                              true,
	"payload":                                                    true,
	"payload_missing_fee_payer":                                  true,
	"payload_transaction":                                        true,
	"payload_transaction_could_not_be_decoded":                   true,
	"payload_transaction_instructions":                           true,
	"payload_transaction_instructions_length":                    true,
	"payload_transaction_instructions_compute_limit_instruction": true,
	"payload_transaction_instructions_compute_limit_instruction_too_high": true,
	"payload_transaction_instructions_compute_price_instruction":          true,
	"payload_transaction_instructions_compute_price_instruction_too_high": true,
	"payload_transaction_fee_payer_included_in_instruction_accounts":      true,
	"payload_transaction_fee_payer_transferring_funds":                    true,
	"payload_transaction_simulation_failed":                               true,
	"payload_transaction_amount_mismatch":                                 true,
	"payload_transaction_receiver_ata_not_found":                          true,
	"payload_transaction_sender_ata_not_found":                            true,
	"payload_transaction_transfer_to_incorrect_ata":                       true,
	"payload_unknown_fourth_instruction":                                  true,
	"payload_unknown_fifth_instruction":                                   true,
	"payload_unknown_sixth_instruction":                                   true,
	"payload_unknown_seventh_instruction":                                 true,
	"payload_unknown_optional_instruction":                                true,
	"payload_no_transfer_instruction":                                     true,
	"payload_signature_invalid":                                           true,
	"payload_excessive_signers":                                           true,
	"payload_mint_mismatch":                                               true,
	"payload_recipient_mismatch":                                          true,
	"payload_amount_mismatch":                                             true,
	"payload_amount_insufficient":                                         true,
	"payload_memo_count":                                                  true,
	"payload_memo_mismatch":                                               true,
}

// isRefusal reports whether a facilitator answers with the code before it sends
// anything to the chain.
func isRefusal(code string) bool {
	for _, prefix := range []string{"invalid_exact_svm_", "invalid_exact_solana_"} {
		if rest, ok := strings.CutPrefix(code, prefix); ok {
			return svmRefusals[rest]
		}
	}
	return refusals[code]
}
