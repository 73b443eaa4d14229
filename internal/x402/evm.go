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

// authorization is a payment by EIP-3009: whoever has it may carry it out, once.
type authorization struct {
	from, to                tocsin.Address
	value                   *big.Int
	validAfter, validBefore *big.Int // seconds since 1970
	nonce                   [32]byte
	signature               []byte // 65 bytes of a key's owner; of a contract (ERC-1271, ERC-6492) any number
}

// evmPayload is the form of a payload of the scheme "exact" on EVM networks
// (specs/schemes/exact/scheme_exact_evm.md, EIP-3009).
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

// latest is how long before its end an authorization is too late, as the
// facilitators count: it has to be mined.
const latest = 6 * time.Second

var (
	decimalForm = regexp.MustCompile(`^[0-9]{1,78}$`)
	addressForm = regexp.MustCompile(`^0x[0-9a-fA-F]{40}$`)
	nonceForm   = regexp.MustCompile(`^0x[0-9a-fA-F]{64}$`)
	signForm    = regexp.MustCompile(`^0x([0-9a-fA-F]{2}){65,}$`)
)

func (p *Payment) readEVM(payload jsontext.Value) error {
	var in evmPayload
	// A facilitator that finds other members, such as a permit2Authorization, settles those.
	if err := json.Unmarshal(payload, &in, json.RejectUnknownMembers(true)); err != nil {
		return malformed("payload: %v", plain(err))
	}
	a := in.Authorization
	if a == nil {
		return malformed("payload.authorization is missing: only EIP-3009 authorizations are taken on this network")
	}
	for _, field := range []struct {
		name, value string
		form        *regexp.Regexp
		want        string
	}{
		{"signature", in.Signature, signForm, "0x and the hexadecimal digits of at least 65 bytes"},
		{"authorization.from", a.From, addressForm, "an EVM address"},
		{"authorization.to", a.To, addressForm, "an EVM address"},
		{"authorization.value", a.Value, decimalForm, "a whole number in a string"},
		{"authorization.validAfter", a.ValidAfter, decimalForm, "seconds since 1970 in a string"},
		{"authorization.validBefore", a.ValidBefore, decimalForm, "seconds since 1970 in a string"},
		{"authorization.nonce", a.Nonce, nonceForm, "0x and 64 hexadecimal digits"},
	} {
		if !field.form.MatchString(field.value) {
			return malformed("payload.%s must be %s", field.name, field.want)
		}
	}
	auth := &authorization{value: decimal(a.Value), validAfter: decimal(a.ValidAfter), validBefore: decimal(a.ValidBefore)}
	hex.Decode(auth.from[:], []byte(a.From[2:]))
	hex.Decode(auth.to[:], []byte(a.To[2:]))
	hex.Decode(auth.nonce[:], []byte(a.Nonce[2:]))
	auth.signature, _ = hex.DecodeString(in.Signature[2:])
	p.payload, p.Payer = auth, auth.from.String()
	p.ID = idOf(p.Accepted.Network, strings.ToLower(p.Accepted.Asset), strings.ToLower(a.From), strings.ToLower(a.Nonce))
	return nil
}

// decimal reads what decimalForm matches.
func decimal(digits string) *big.Int {
	n, _ := new(big.Int).SetString(digits, 10)
	return n
}

func (a *authorization) encode() any {
	return evmPayload{"0x" + hex.EncodeToString(a.signature), &evmAuthorization{a.from.String(), a.to.String(), a.value.String(),
		a.validAfter.String(), a.validBefore.String(), "0x" + hex.EncodeToString(a.nonce[:])}}
}

func (a *authorization) check(r Requirements, now time.Time) *Refusal {
	if a.to.String() != r.PayTo {
		return &Refusal{Reason: "invalid_exact_evm_recipient_mismatch", Detail: "the authorization pays to another wallet than " + r.PayTo}
	}
	if a.value.String() != r.Amount {
		return &Refusal{Reason: "invalid_exact_evm_payload_authorization_value_mismatch", Detail: "the authorization must be for exactly " + r.Amount}
	}
	if a.validAfter.Cmp(big.NewInt(now.Unix())) > 0 {
		return &Refusal{Reason: "invalid_exact_evm_payload_authorization_valid_after", Detail: "the authorization is not valid yet"}
	}
	if a.validBefore.Cmp(big.NewInt(now.Add(latest).Unix())) < 0 {
		return &Refusal{Reason: "invalid_exact_evm_payload_authorization_valid_before", Detail: "the authorization has expired, or is about to; sign a new one"}
	}
	return nil
}

// signed reports whether the key of the wallet "from" signed the authorization in
// the token's EIP-712 domain. False says nothing of contract wallets.
func (a *authorization) signed(r Requirements) bool {
	if len(a.signature) != 65 {
		return false
	}
	digest, err := a.digest(r)
	if err != nil {
		return false
	}
	signer, ok := evm.Recover(digest, a.signature)
	return ok && signer == a.from
}

var (
	domainType   = evm.Keccak256([]byte("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"))
	transferType = evm.Keccak256([]byte("TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"))
)

// digest is what is signed (EIP-712 over the type of EIP-3009).
func (a *authorization) digest(r Requirements) ([]byte, error) {
	chain, err := strconv.ParseUint(strings.TrimPrefix(r.Network, "eip155:"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("network %q: %w", r.Network, err)
	}
	contract, fault := tocsin.ParseAddress(r.Asset)
	if fault != nil {
		return nil, fault
	}
	var id [32]byte
	binary.BigEndian.PutUint64(id[24:], chain)
	name, version := evm.Keccak256([]byte(r.Extra.Name)), evm.Keccak256([]byte(r.Extra.Version))
	domain := evm.Keccak256(domainType, name, version, id[:], evm.Word(contract[:]))
	message := evm.Keccak256(transferType, evm.Word(a.from[:]), evm.Word(a.to[:]), evm.Word(a.value.Bytes()),
		evm.Word(a.validAfter.Bytes()), evm.Word(a.validBefore.Bytes()), a.nonce[:])
	return evm.Keccak256([]byte{0x19, 0x01}, domain, message), nil
}
