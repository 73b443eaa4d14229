package x402

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tocsin"
	"tocsin/internal/evm"
)

// authorization is an EIP-3009 authorization of a transfer with its signature.
// Anybody who has it can execute it, once.
type authorization struct {
	from, to                tocsin.Address
	value                   *big.Int // in atomic units
	validAfter, validBefore *big.Int // in seconds since 1970
	nonce                   [32]byte
	signature               []byte // 65 bytes of a key; at least as many of a contract wallet (ERC-1271, ERC-6492)
}

// evmPayload is the JSON of an authorization (specs/schemes/exact/scheme_exact_evm.md).
type evmPayload struct {
	Signature     string            `json:"signature"`
	Authorization *evmAuthorization `json:"authorization"`
}

type evmAuthorization struct {
	From        string `json:"from"`
	To          string `json:"to"`
	Value       string `json:"value"`
	ValidAfter  string `json:"validAfter"`
	ValidBefore string `json:"validBefore"`
	Nonce       string `json:"nonce"`
}

// miningTime is how long an authorization must still be valid, so that it can be
// mined in time. Facilitators require the same.
const miningTime = 6 * time.Second

// The bits of the numbers of an authorization. The token takes each as a uint256
// (EIP-3009). In a larger number the higher bits would not be signed, and facilitators
// fail on it. Some read the times as integers of 64 bits, with a sign.
const (
	amountBits = 256
	timeBits   = 63
)

var (
	decimalPattern   = regexp.MustCompile(`^[0-9]{1,78}$`) // 78 digits hold a uint256
	addressPattern   = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)
	noncePattern     = regexp.MustCompile(`^0x[0-9a-fA-F]{64}$`)
	signaturePattern = regexp.MustCompile(`^0x([0-9a-fA-F]{2}){65,}$`)
)

// parseEVM parses the payload of a payment on an EVM network.
func (p *Payment) parseEVM(payload jsontext.Value) error {
	var in evmPayload
	// A facilitator would settle other members, such as permit2Authorization, instead.
	if err := json.Unmarshal(payload, &in, json.RejectUnknownMembers(true)); err != nil {
		return malformed("payload: %v", describeJSONError(err))
	}
	a := in.Authorization
	if a == nil {
		return malformed("payload.authorization is missing: only EIP-3009 authorizations are taken on this network")
	}
	for _, field := range []struct {
		name, value string
		pattern     *regexp.Regexp
		want        string
	}{
		{"signature", in.Signature, signaturePattern, "0x and the hexadecimal digits of at least 65 bytes"},
		{"authorization.from", a.From, addressPattern, "an EVM address"},
		{"authorization.to", a.To, addressPattern, "an EVM address"},
		{"authorization.value", a.Value, decimalPattern, "a whole number in a string"},
		{"authorization.validAfter", a.ValidAfter, decimalPattern, "seconds since 1970 in a string"},
		{"authorization.validBefore", a.ValidBefore, decimalPattern, "seconds since 1970 in a string"},
		{"authorization.nonce", a.Nonce, noncePattern, "0x and 64 hexadecimal digits"},
	} {
		if !field.pattern.MatchString(field.value) {
			return malformed("payload.%s must be %s", field.name, field.want)
		}
	}
	auth := &authorization{}
	for _, field := range []struct {
		name, value string
		bits        int
		into        **big.Int
	}{
		{"value", a.Value, amountBits, &auth.value},
		{"validAfter", a.ValidAfter, timeBits, &auth.validAfter},
		{"validBefore", a.ValidBefore, timeBits, &auth.validBefore},
	} {
		n := parseDecimal(field.value)
		if n.BitLen() > field.bits {
			return malformed("payload.authorization.%s must be less than 2^%d", field.name, field.bits)
		}
		*field.into = n
	}
	hex.Decode(auth.from[:], []byte(a.From[2:]))
	hex.Decode(auth.to[:], []byte(a.To[2:]))
	hex.Decode(auth.nonce[:], []byte(a.Nonce[2:]))
	auth.signature, _ = hex.DecodeString(in.Signature[2:])
	p.payload, p.Payer = auth, auth.from.String()
	p.ID = paymentID(p.Accepted.Network,
		strings.ToLower(p.Accepted.Asset), strings.ToLower(a.From), strings.ToLower(a.Nonce))
	return nil
}

// parseDecimal parses digits that match decimalPattern.
func parseDecimal(digits string) *big.Int {
	n, _ := new(big.Int).SetString(digits, 10)
	return n
}

func (a *authorization) encode() any {
	return evmPayload{
		Signature: "0x" + hex.EncodeToString(a.signature),
		Authorization: &evmAuthorization{
			From:        a.from.String(),
			To:          a.to.String(),
			Value:       a.value.String(),
			ValidAfter:  a.validAfter.String(),
			ValidBefore: a.validBefore.String(),
			Nonce:       "0x" + hex.EncodeToString(a.nonce[:]),
		},
	}
}

func (a *authorization) check(r Requirements, now time.Time) *Refusal {
	switch {
	case a.to.String() != r.PayTo:
		return &Refusal{
			Reason: "invalid_exact_evm_recipient_mismatch",
			Detail: "the authorization pays to another wallet than " + r.PayTo,
		}
	case a.value.String() != r.Amount:
		return &Refusal{
			Reason: "invalid_exact_evm_payload_authorization_value_mismatch",
			Detail: "the authorization must be for exactly " + r.Amount,
		}
	case a.validAfter.Cmp(big.NewInt(now.Unix())) > 0:
		return &Refusal{
			Reason: "invalid_exact_evm_payload_authorization_valid_after",
			Detail: "the authorization is not valid yet",
		}
	case a.validBefore.Cmp(big.NewInt(now.Add(miningTime).Unix())) < 0:
		return &Refusal{
			Reason: "invalid_exact_evm_payload_authorization_valid_before",
			Detail: "the authorization has expired, or is about to; sign a new one",
		}
	}
	return nil
}

// signed reports whether the key of the wallet "from" signed the authorization in
// the EIP-712 domain of the token. For contract wallets it is false.
func (a *authorization) signed(r Requirements) bool {
	digest, err := a.digest(r)
	if err != nil {
		return false
	}
	signer, ok := evm.Recover(digest, a.signature)
	return ok && signer == a.from
}

var (
	domainType = evm.Keccak256([]byte(
		"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"))
	transferType = evm.Keccak256([]byte("TransferWithAuthorization(" +
		"address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"))
)

// digest returns the 32 bytes that the payer signs (EIP-712, with the type of EIP-3009).
func (a *authorization) digest(r Requirements) ([]byte, error) {
	chain, err := strconv.ParseUint(strings.TrimPrefix(r.Network, "eip155:"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("network %q: %w", r.Network, err)
	}
	contract, fault := tocsin.ParseAddress(r.Asset)
	if fault != nil {
		return nil, fault
	}
	chainID := evm.Word(binary.BigEndian.AppendUint64(nil, chain))
	name, version := evm.Keccak256([]byte(r.Extra.Name)), evm.Keccak256([]byte(r.Extra.Version))
	domain := evm.Keccak256(domainType, name, version, chainID, evm.Word(contract[:]))
	message := evm.Keccak256(transferType, evm.Word(a.from[:]), evm.Word(a.to[:]), evm.Word(a.value.Bytes()),
		evm.Word(a.validAfter.Bytes()), evm.Word(a.validBefore.Bytes()), a.nonce[:])
	return evm.Keccak256([]byte{0x19, 0x01}, domain, message), nil
}
