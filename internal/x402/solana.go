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

// maxTransaction is how many bytes a legacy or version 0 transaction of Solana
// has at most: what goes into one packet of its network.
const maxTransaction = 1232

// The programs that move tokens, and the one that tells where a wallet keeps them.
const (
	tokenProgram           = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
	token2022Program       = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"
	associatedTokenProgram = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
)

// transferChecked is the first byte of the instruction TransferChecked: an
// amount (8 bytes, little-endian) and the decimals of the mint follow.
const transferChecked = 12

// solanaTransfer is what a transaction pays (specs/schemes/exact/scheme_exact_svm.md).
// Accounts are written in base58.
type solanaTransfer struct {
	// Message is the SHA-256 of what is signed. It identifies the payment; the
	// transaction does not, since the fee payer's signature is filled in later.
	Message     [32]byte
	FeePayer    string
	Payer       string // the authority over the tokens: their owner, or a delegate of the owner
	Mint        string
	Destination string // the token account that is paid, not the wallet that owns it: see associatedAccount
	Program     string // the token program: Token or Token-2022
	Amount      uint64 // in atomic units of the mint
	Signed      bool   // the payer's own signature of the message is there and right
}

// readSolana reads a transaction that pays by exactly one TransferChecked:
// standard base64 of a legacy or version 0 transaction, signed by all or some.
// What the network would refuse for its form is refused. What other
// instructions do is not looked at; neither are transfers within other
// programs, by which smart wallets pay.
func readSolana(transaction string) (solanaTransfer, error) {
	raw, err := base64.StdEncoding.Strict().DecodeString(transaction)
	if err != nil || strings.ContainsAny(transaction, "\r\n") {
		return solanaTransfer{}, errors.New("the transaction is not standard base64 (RFC 4648, section 4)")
	}
	if len(raw) > maxTransaction {
		return solanaTransfer{}, fmt.Errorf("the transaction has %d bytes, %d are allowed", len(raw), maxTransaction)
	}
	if len(raw) > 0 && raw[0] >= 0x80 { // later versions begin with the message
		return solanaTransfer{}, unknownVersion(raw[0])
	}
	r := solanaReader{rest: raw}
	signatures := r.take(r.count(ed25519.SignatureSize) * ed25519.SignatureSize)
	text := r.rest
	m, err := r.message()
	if err != nil {
		return solanaTransfer{}, err
	}
	if len(signatures) != m.signers*ed25519.SignatureSize {
		return solanaTransfer{}, errors.New("the transaction has not as many places for signatures as signers")
	}

	var pay *solanaInstruction
	for i, in := range m.instructions {
		if name := m.name(in.program); name != tokenProgram && name != token2022Program || len(in.data) == 0 || in.data[0] != transferChecked {
			continue
		}
		if pay != nil {
			return solanaTransfer{}, errors.New("the transaction holds more than one TransferChecked")
		}
		pay = &m.instructions[i]
	}
	if pay == nil {
		return solanaTransfer{}, errors.New("the transaction holds no TransferChecked of the Token or Token-2022 program")
	}
	// The accounts are source, mint, destination, authority, and perhaps those who sign for it.
	if len(pay.data) != 10 || len(pay.accounts) < 4 {
		return solanaTransfer{}, errors.New("the TransferChecked lacks an account, or its data has not 10 bytes")
	}
	for _, account := range pay.accounts[:4] {
		if int(account) >= len(m.keys) {
			return solanaTransfer{}, errors.New("the TransferChecked takes an account from a lookup table: name all its accounts in the transaction")
		}
	}
	authority := int(pay.accounts[3])
	return solanaTransfer{
		Message:     sha256.Sum256(text),
		FeePayer:    m.name(0),
		Payer:       m.name(pay.accounts[3]),
		Mint:        m.name(pay.accounts[1]),
		Destination: m.name(pay.accounts[2]),
		Program:     m.name(pay.program),
		Amount:      binary.LittleEndian.Uint64(pay.data[1:]),
		Signed:      authority < m.signers && verifySolana(m.keys[authority], text, signatures[authority*ed25519.SignatureSize:][:ed25519.SignatureSize]),
	}, nil
}

func unknownVersion(first byte) error {
	return fmt.Errorf("the transaction is of version %d; send a legacy one or one of version 0", first&0x7f)
}

// verifySolana verifies as strictly as Solana does about the key: one of small
// order, such as the address of the System program, makes signatures that nobody signed.
func verifySolana(key, text, signature []byte) bool {
	point, err := new(edwards25519.Point).SetBytes(key)
	if err != nil || point.MultByCofactor(point).Equal(edwards25519.NewIdentityPoint()) == 1 {
		return false
	}
	return ed25519.Verify(key, text, signature)
}

// solanaMessage is the part of a transaction that is signed.
type solanaMessage struct {
	signers      int      // the first keys, which have to sign
	keys         [][]byte // the accounts that it names itself; the first pays the fee
	lifetime     []byte   // the hash of a recent block, or a durable nonce
	instructions []solanaInstruction
}

// solanaInstruction calls a program. Accounts are counted over the keys of the
// message and then over those of its lookup tables; the program is one of the keys.
type solanaInstruction struct {
	program  byte
	accounts []byte
	data     []byte
}

func (m solanaMessage) name(key byte) string { return base58.Encode(m.keys[key]) }

// solanaReader takes a transaction apart. After something was missing or
// malformed it is broken, and gives only zeros.
type solanaReader struct {
	rest   []byte
	broken bool
}

func (r *solanaReader) take(n int) []byte {
	if r.broken || n > len(r.rest) {
		r.broken = true
		return nil
	}
	taken := r.rest[:n:n]
	r.rest = r.rest[n:]
	return taken
}

func (r *solanaReader) one() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// count reads how many things follow, each of at least size bytes, and breaks
// if so many cannot. It is a "compact-u16": 7 bits a byte, the low ones first,
// in as few bytes as possible.
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

// message reads all that is left, in the form of
// https://solana.com/docs/core/transactions, and holds it against the rules
// that the network has for every message.
func (r *solanaReader) message() (m solanaMessage, err error) {
	versioned := len(r.rest) > 0 && r.rest[0] >= 0x80
	if versioned {
		if first := r.one(); first != 0x80 {
			return m, unknownVersion(first)
		}
	}
	m.signers = int(r.one())
	readonlySigners, readonlyOthers := int(r.one()), int(r.one())
	twice := false
	for range r.count(32) {
		key := r.take(32)
		twice = twice || slices.ContainsFunc(m.keys, func(k []byte) bool { return bytes.Equal(k, key) })
		m.keys = append(m.keys, key)
	}
	m.lifetime = r.take(32)
	for range r.count(3) {
		m.instructions = append(m.instructions, solanaInstruction{r.one(), r.take(r.count(1)), r.take(r.count(1))})
	}
	accounts, empty := len(m.keys), false
	if versioned {
		for range r.count(32 + 2) {
			r.take(32) // the table
			loaded := r.count(1)
			r.take(loaded) // to be written
			n := r.count(1)
			r.take(n) // to be read
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
	case twice:
		return m, errors.New("the transaction names an account twice")
	case empty || accounts > 256:
		return m, errors.New("a lookup table of the transaction loads nothing, or they load too much")
	}
	for _, in := range m.instructions {
		if in.program == 0 || int(in.program) >= len(m.keys) || len(in.accounts) > 0 && int(slices.Max(in.accounts)) >= accounts {
			return m, errors.New("an instruction of the transaction calls a program or an account that is not there")
		}
	}
	return m, nil
}

// validSolana returns nil if the address is one of Solana: a wallet, a mint, a
// token account or a program; which, is not to be seen. Addresses have no
// checksum, so a mistyped one may pass.
func validSolana(address string) error {
	_, err := solanaKey(address)
	return err
}

func solanaKey(address string) ([]byte, error) {
	if len(address) <= 44 { // what 32 bytes need at most
		if key, err := base58.Decode(address); err == nil && len(key) == 32 {
			return key, nil
		}
	}
	return nil, errors.New("not an address of Solana, which is base58 of 32 bytes: 32 to 44 letters and digits without 0, O, I and l")
}

// associatedAccount returns the account in which a wallet keeps the tokens of a
// mint, if it keeps them where x402 pays to: the address that the
// associated token program derives from owner, token program and mint, with the
// highest bump at which it is no point of the curve and so has no private key.
func associatedAccount(owner, mint, program string) (string, error) {
	var seeds []byte
	for _, address := range []string{owner, program, mint, associatedTokenProgram} {
		key, err := solanaKey(address)
		if err != nil {
			return "", fmt.Errorf("%q: %w", address, err)
		}
		seeds = append(seeds, key...)
	}
	for bump := 255; bump >= 0; bump-- {
		seed := slices.Concat(seeds[:96], []byte{byte(bump)}, seeds[96:], []byte("ProgramDerivedAddress"))
		account := sha256.Sum256(seed)
		if _, err := new(edwards25519.Point).SetBytes(account[:]); err != nil {
			return base58.Encode(account[:]), nil
		}
	}
	return "", errors.New("no account can be derived") // of 2^256 triples perhaps one
}
