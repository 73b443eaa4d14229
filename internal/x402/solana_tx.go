package x402

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"filippo.io/edwards25519"
	"github.com/mr-tron/base58"
)

// maxTransactionBytes is the maximum size of a legacy or version 0 transaction: one
// packet of Solana's network.
const maxTransactionBytes = 1232

// transferChecked is the first byte of the instruction TransferChecked. An amount (8
// bytes, little-endian) and the decimals of the mint (1 byte) follow.
const transferChecked = 12

// solanaTransfer is what a transaction pays (specs/schemes/exact/scheme_exact_svm.md).
// Accounts are in base58.
type solanaTransfer struct {
	// Message is the SHA-256 of the signed message. It identifies the payment. The
	// transaction does not, since the fee payer's signature is added later.
	Message     [32]byte
	FeePayer    string
	Payer       string // the authority over the tokens: their owner, or a delegate of the owner
	Mint        string
	Destination string // the token account of the recipient, not the wallet: see associatedTokenAccount
	Program     string // Token or Token-2022
	Amount      uint64 // in atomic units of the mint
	Signed      bool   // the payer's signature is present and valid
}

// parseSolanaTransfer parses a transaction that pays by exactly one TransferChecked.
// It is standard base64 of a legacy or version 0 transaction, signed by some or all
// signers. Transactions that the network would refuse for their form are refused.
// Other instructions are not checked. Transfers within other programs, by which smart
// wallets pay, are not found.
func parseSolanaTransfer(transaction string) (solanaTransfer, error) {
	raw, err := base64.StdEncoding.Strict().DecodeString(transaction)
	if err != nil || strings.ContainsAny(transaction, "\r\n") {
		return solanaTransfer{}, errors.New("the transaction is not standard base64 (RFC 4648, section 4)")
	}
	if len(raw) > maxTransactionBytes {
		return solanaTransfer{}, fmt.Errorf("the transaction has %d bytes, %d are allowed", len(raw), maxTransactionBytes)
	}
	if len(raw) > 0 && raw[0] >= 0x80 { // later versions begin with the message
		return solanaTransfer{}, unknownVersion(raw[0])
	}
	r := solanaReader{rest: raw}
	signatures := r.signatures()
	text := r.rest
	m, err := r.message()
	if err != nil {
		return solanaTransfer{}, err
	}
	if len(signatures) != m.signers*ed25519.SignatureSize {
		return solanaTransfer{}, errors.New("the transaction does not have as many places for signatures as signers")
	}
	pay, err := m.payment()
	if err != nil {
		return solanaTransfer{}, err
	}
	payer := int(pay.accounts[3])
	signed := payer < m.signers &&
		verifySolanaSignature(m.keys[payer], text, signatures[payer*ed25519.SignatureSize:][:ed25519.SignatureSize])
	return solanaTransfer{
		Message:     sha256.Sum256(text),
		FeePayer:    m.name(0),
		Payer:       m.name(pay.accounts[3]),
		Mint:        m.name(pay.accounts[1]),
		Destination: m.name(pay.accounts[2]),
		Program:     m.name(pay.program),
		Amount:      binary.LittleEndian.Uint64(pay.data[1:]),
		Signed:      signed,
	}, nil
}

func unknownVersion(first byte) error {
	return fmt.Errorf("the transaction is of version %d; send a legacy one or one of version 0", first&0x7f)
}

// verifySolanaSignature verifies a signature and refuses keys of small order, as
// Solana does. For such a key, which the address of the System program is, anybody
// can make valid signatures.
func verifySolanaSignature(key, text, signature []byte) bool {
	point, err := new(edwards25519.Point).SetBytes(key)
	if err != nil || point.MultByCofactor(point).Equal(edwards25519.NewIdentityPoint()) == 1 {
		return false
	}
	return ed25519.Verify(key, text, signature)
}

// solanaMessage is the signed part of a transaction.
type solanaMessage struct {
	signers      int      // how many of the keys, from the first, have to sign
	keys         [][]byte // the accounts named in the message; the first pays the fee
	lifetime     []byte   // hash of a recent block, or a durable nonce
	instructions []solanaInstruction
}

// solanaInstruction calls a program. Numbers of accounts count the keys of the message
// and then those of its lookup tables. The program is one of the keys.
type solanaInstruction struct {
	program  byte
	accounts []byte
	data     []byte
}

// name returns the address of a key.
func (m solanaMessage) name(key byte) string { return base58.Encode(m.keys[key]) }

// payment returns the only TransferChecked of the message. Its first four accounts are
// keys of the message: source, mint, destination and authority.
func (m solanaMessage) payment() (pay solanaInstruction, err error) {
	found := false
	for _, in := range m.instructions {
		program := m.name(in.program)
		isToken := program == tokenProgram || program == token2022Program
		if !isToken || len(in.data) == 0 || in.data[0] != transferChecked {
			continue
		}
		if found {
			return pay, errors.New("the transaction holds more than one TransferChecked")
		}
		pay, found = in, true
	}
	if !found {
		return pay, errors.New("the transaction holds no TransferChecked of the Token or Token-2022 program")
	}
	if len(pay.data) != 10 || len(pay.accounts) < 4 {
		return pay, errors.New("the TransferChecked lacks an account, or its data is not 10 bytes long")
	}
	for _, account := range pay.accounts[:4] {
		if int(account) >= len(m.keys) {
			return pay, errors.New("the TransferChecked takes an account from a lookup table: " +
				"name all its accounts in the transaction")
		}
	}
	return pay, nil
}

// solanaReader reads the parts of a transaction. Once a part is missing or malformed,
// broken is set and all further reads return zeros.
type solanaReader struct {
	rest   []byte
	broken bool
}

// take reads n bytes.
func (r *solanaReader) take(n int) []byte {
	if r.broken || n > len(r.rest) {
		r.broken = true
		return nil
	}
	taken := r.rest[:n:n]
	r.rest = r.rest[n:]
	return taken
}

// one reads a byte.
func (r *solanaReader) one() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// signatures reads the signatures before the message, each of 64 bytes.
func (r *solanaReader) signatures() []byte {
	return r.take(r.count(ed25519.SignatureSize) * ed25519.SignatureSize)
}

// count reads the number of items that follow, each of at least size bytes. The
// transaction is malformed if so many cannot follow. The number is a "compact-u16": 7
// bits per byte, the lowest first, in as few bytes as possible.
func (r *solanaReader) count(size int) int {
	n := 0
	for shift := 0; ; shift += 7 {
		b := r.one()
		n |= int(b&0x7f) << shift
		if b < 0x80 {
			if b == 0 && shift > 0 || n*size > len(r.rest) {
				r.broken = true
			}
			break
		}
		if shift == 14 {
			r.broken = true
			break
		}
	}
	if r.broken {
		return 0
	}
	return n
}

// message reads the rest as a message (https://solana.com/docs/core/transactions), and
// checks the rules that the network has for every message.
func (r *solanaReader) message() (m solanaMessage, err error) {
	versioned := len(r.rest) > 0 && r.rest[0] >= 0x80
	if versioned {
		if first := r.one(); first != 0x80 {
			return m, unknownVersion(first)
		}
	}
	m.signers = int(r.one())
	readonlySigners, readonlyOthers := int(r.one()), int(r.one())
	duplicate := false
	for range r.count(32) {
		key := r.take(32)
		isKey := func(k []byte) bool { return bytes.Equal(k, key) }
		duplicate = duplicate || slices.ContainsFunc(m.keys, isKey)
		m.keys = append(m.keys, key)
	}
	m.lifetime = r.take(32)
	for range r.count(3) {
		m.instructions = append(m.instructions, solanaInstruction{r.one(), r.take(r.count(1)), r.take(r.count(1))})
	}
	accounts, empty := len(m.keys), false
	if versioned {
		for range r.count(32 + 2) {
			r.take(32) // the address of the table
			loaded := r.count(1)
			r.take(loaded) // writable accounts
			n := r.count(1)
			r.take(n) // read-only accounts
			loaded += n
			empty = empty || loaded == 0
			accounts += loaded
		}
	}
	switch {
	case r.broken:
		return m, errors.New("the transaction is cut off or malformed")
	case len(r.rest) > 0:
		return m, fmt.Errorf("the transaction has %d bytes too many", len(r.rest))
	case readonlySigners >= m.signers || m.signers+readonlyOthers > len(m.keys):
		return m, errors.New("the header of the transaction does not fit its accounts")
	case duplicate:
		return m, errors.New("the transaction names an account twice")
	case empty || accounts > 256:
		return m, errors.New("a lookup table of the transaction loads nothing, or the tables load too much")
	}
	for _, in := range m.instructions {
		badAccount := len(in.accounts) > 0 && int(slices.Max(in.accounts)) >= accounts
		if in.program == 0 || int(in.program) >= len(m.keys) || badAccount {
			return m, errors.New("an instruction of the transaction names a program or an account that is not there")
		}
	}
	return m, nil
}
