package siwe

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"tocsin"
	"tocsin/internal/evm"
)

// maxSignature is how long a signature may be, in bytes. That of a key has 65;
// with one that deploys its wallet comes the call that does it (ERC-6492), some 2 KB.
const maxSignature = 16 << 10

const signatureFix = "send what the wallet returned from personal_sign: 0x and an even number of hexadecimal digits"

// ParseSignature reads a signature: 0x and the hexadecimal digits of 1 byte to
// 16 KiB. The error is a *[tocsin.Error].
func ParseSignature(text string) ([]byte, error) {
	digits, ok := strings.CutPrefix(text, "0x")
	if !ok || digits == "" {
		return nil, refuse("", quote(text)+" is not a signature", signatureFix)
	}
	if len(digits) > 2*maxSignature {
		return nil, refuse("", fmt.Sprintf("the signature has %d bytes, %d are allowed", len(digits)/2, maxSignature), "sign with a wallet that is deployed")
	}
	signature, err := hex.DecodeString(digits)
	if err != nil {
		return nil, refuse("", quote(text)+" is not a signature", signatureFix)
	}
	return signature, nil
}

// Verify returns nil if the account "by" signed the exact text of a message:
//
//   - its key did, over the digest of EIP-191, with 65 bytes and an s in the
//     lower half (EIP-2); no chain is asked then; or
//   - its contract says so, by ERC-1271, on the chain of the node, which must be
//     that of the message's chain id; a contract that is not deployed yet, or not
//     ready, is made so for the question alone, as its signature says (ERC-6492).
//
// A key that recovers to another account decides nothing, so that contracts are
// asked about signatures that look like those of keys, as ERC-6492 demands.
//
// Without a node (nil), contract wallets are refused. The error of a signature
// that is not the account's is a *[tocsin.Error]; any other one says why the
// node could not be asked, or could not find out within its limits.
func Verify(ctx context.Context, text string, by tocsin.Address, signature []byte, node *evm.Node) error {
	digest := evm.PersonalDigest([]byte(text))
	if signer, ok := evm.Recover(digest, signature); ok && signer == by {
		if !evm.LowS(signature) {
			return refuse("", "the signature has an s in the upper half of the curve's order, which no wallet makes (EIP-2)", "send the signature as the wallet returned it")
		}
		return nil
	}
	if len(signature) > maxSignature {
		return refuse("", fmt.Sprintf("the signature has %d bytes, %d are allowed", len(signature), maxSignature), "sign with a wallet that is deployed")
	}
	if node == nil {
		return refuse("", fmt.Sprintf("the signature is not by the key of %s, and contract wallets (ERC-1271) cannot be checked by this service", by),
			"sign the exact text of the message, with personal_sign, by an account that has a key")
	}
	q := question{digest: digest, wallet: by, signature: signature}
	if inner, ok := bytes.CutSuffix(signature, wrapped); ok {
		if q.factory, q.deploy, q.signature, ok = unwrap(inner); !ok {
			return refuse("", "the signature ends as one of ERC-6492 but is not laid out as one", "send the signature as the wallet returned it")
		}
	}
	signed, err := q.ask(ctx, node)
	if err != nil {
		return fmt.Errorf("asking the chain about a wallet's signature: %w", err)
	}
	if !signed {
		return refuse("", fmt.Sprintf("the signature is neither by the key of %s nor, on the chain of the message, valid to a contract there (ERC-1271)", by),
			"sign the exact text of the message with that account; a contract wallet must be on the chain that the message names, or wrap its signature (ERC-6492)")
	}
	return nil
}

// wrapped ends a signature of ERC-6492.
var wrapped = bytes.Repeat([]byte{0x64, 0x92}, 16)

// unwrap reads the ABI's (address factory, bytes deploy, bytes signature).
func unwrap(b []byte) (factory tocsin.Address, deploy, signature []byte, ok bool) {
	if len(b) < 3*32 || !bytes.Equal(b[:12], make([]byte, 12)) {
		return factory, nil, nil, false
	}
	deploy, ok = dynamic(b, b[32:64])
	signature, also := dynamic(b, b[64:96])
	return tocsin.Address(b[12:32]), deploy, signature, ok && also
}

// dynamic returns the bytes whose length, and then themselves, stand at the
// offset that an ABI word gives.
func dynamic(b, offset []byte) ([]byte, bool) {
	at, ok := small(offset)
	if !ok || at+32 > len(b) {
		return nil, false
	}
	b = b[at:]
	n, ok := small(b[:32])
	if !ok || n > len(b)-32 {
		return nil, false
	}
	return b[32 : 32+n], true
}

// small reads an ABI word that counts bytes.
func small(word []byte) (int, bool) {
	n := binary.BigEndian.Uint32(word[28:])
	return int(n), bytes.Equal(word[:28], make([]byte, 28)) && n <= maxSignature
}

// question is what a chain is asked about a signature.
type question struct {
	digest    []byte
	wallet    tocsin.Address
	signature []byte         // without the wrapper of ERC-6492
	factory   tocsin.Address // what deploys the wallet or makes it ready; zero if there was no wrapper
	deploy    []byte         // what the factory is called with
}

// magic is what isValidSignature(bytes32,bytes) returns, which is also its own
// selector. All of the word is compared: a contract that returns its input, as
// the precompile at 0x…04 does, begins its answer like one that agrees.
var magic = append([]byte{0x16, 0x26, 0xba, 0x7e}, make([]byte, 28)...)

// ask puts the question in one eth_call without a destination, whose data runs
// as the code of a contract's creation. The code stays with no chain. It catches
// what the wallet and the factory throw, so that an error is the node's alone.
func (q question) ask(ctx context.Context, node *evm.Node) (bool, error) {
	answer, err := node.Call(ctx, nil, q.code())
	if err != nil {
		return false, err
	}
	if len(answer) != 1 || answer[0] > 1 {
		return false, fmt.Errorf("eth_call without a destination: the node answered %d bytes instead of a 0 or a 1", len(answer))
	}
	return answer[0] == 1, nil
}

// Instructions of the EVM.
const (
	opDiv            = 0x04
	opGt             = 0x11
	opEq             = 0x14
	opAnd            = 0x16
	opOr             = 0x17
	opCodeCopy       = 0x39
	opReturnDataSize = 0x3d
	opPop            = 0x50
	opMLoad          = 0x51
	opMStore8        = 0x53
	opGas            = 0x5a
	opPush1          = 0x60
	opCall           = 0xf1
	opReturn         = 0xf3
	opStaticCall     = 0xfa
)

// code returns what is run. In the words of Solidity:
//
//	bool signed = wallet.isValidSignature(digest, signature) == magic;
//	if (factory != 0) {
//		factory.call(deploy);
//		signed = wallet.isValidSignature(digest, signature) == magic || signed;
//	}
//	return signed;
//
// That is the order of ERC-6492: a deployed wallet is asked as it is, and only
// what this leaves open is asked again behind the factory. Whether the factory
// fails does not matter, since the wallet alone decides. isValidSignature is
// called statically (STATICCALL), the factory once, and by nobody in particular:
// it can do nothing that a stranger could not do on the chain.
func (q question) code() []byte {
	var input []byte
	input = append(input, magic[:4]...)
	input = append(input, q.digest...)
	input = append(input, word(64)...) // where the signature is: after these two words
	input = append(input, word(len(q.signature))...)
	input = append(input, q.signature...)
	input = append(input, make([]byte, -len(q.signature)&31)...)

	// In memory, the answer is at 0, the input at 32, and what the factory is
	// called with behind it. They are copied from the end of the code, whose
	// length is known once it has been written.
	write := func(length int) (c code) {
		c.push(number(len(input)+len(q.deploy)), number(length), number(32)).do(opCodeCopy)
		c.valid(q.wallet, len(input))
		if q.factory != (tocsin.Address{}) {
			c.push(number(0), number(0), number(len(q.deploy)), number(32+len(input)), number(0), q.factory[:])
			c.half().do(opCall, opPop)
			c.valid(q.wallet, len(input))
			c.do(opOr)
		}
		c.push(number(0)).do(opMStore8)
		c.push(number(1), number(0)).do(opReturn)
		return c
	}
	c := write(len(write(0)))
	return append(append(c, input...), q.deploy...)
}

// code is a program of the EVM.
type code []byte

func (c *code) do(instructions ...byte) { *c = append(*c, instructions...) }

// push puts values on the stack, the last one on top.
func (c *code) push(values ...[]byte) *code {
	for _, v := range values {
		c.do(byte(opPush1 - 1 + len(v)))
		c.do(v...)
	}
	return c
}

// valid puts 1 on the stack if the wallet answers the input with magic, else 0:
// it did not revert, it returned a word at least, and the word is that.
func (c *code) valid(wallet tocsin.Address, input int) {
	c.push(number(32), number(0), number(input), number(32), wallet[:])
	c.half().do(opStaticCall)
	c.push(number(0)).do(opMLoad)
	c.push(magic).do(opEq, opAnd)
	c.push(number(31)).do(opReturnDataSize, opGt, opAnd)
}

// half puts half of the gas that is left on the stack, for a call: whoever is
// called may use up all of it, and there is enough left to answer.
func (c *code) half() *code {
	c.push(number(2)).do(opGas, opDiv)
	return c
}

// number is a value of three bytes, so that the length of the code does not
// depend on it.
func number(n int) []byte { return []byte{byte(n >> 16), byte(n >> 8), byte(n)} }

// word returns a number as a word of the ABI.
func word(n int) []byte { return evm.Word(binary.BigEndian.AppendUint64(nil, uint64(n))) }
