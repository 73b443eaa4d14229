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

// maxSignature limits a signature, in bytes. That of a key has 65. One of ERC-6492
// has some 2 KB, since it contains the call that deploys the wallet.
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
		return nil, tooLong(len(digits) / 2)
	}
	signature, err := hex.DecodeString(digits)
	if err != nil {
		return nil, refuse("", quote(text)+" is not a signature", signatureFix)
	}
	return signature, nil
}

func tooLong(length int) error {
	return refuse("", fmt.Sprintf("the signature has %d bytes, %d are allowed", length, maxSignature),
		"sign with a wallet that is deployed")
}

// Verify returns nil if the account "by" signed the exact text of a message:
//
//   - with its key, over the digest of EIP-191, in 65 bytes or the 64 of EIP-2098, and with an s in the
//     lower half (EIP-2); the node is not asked then; or
//   - with its contract (ERC-1271) on the chain of the node, which must be that
//     of the message's chain id. A contract that is not deployed or not ready is
//     deployed for this call only, as its signature says (ERC-6492).
//
// A signature that recovers to another account may still be one of a contract, so
// the node is asked about it, as ERC-6492 demands.
//
// Without a node (nil), contract wallets are refused. If the signature is not the
// account's, the error is a *[tocsin.Error]. Any other error says why the node
// could not be asked, or could not answer within its limits.
func Verify(ctx context.Context, text string, by tocsin.Address, signature []byte, node *evm.Node) error {
	digest := evm.PersonalDigest([]byte(text))
	if own := evm.Expand(signature); signedByKey(digest, own, by) {
		if !evm.LowS(own) {
			return refuse("",
				"the signature has an s in the upper half of the curve's order, which no wallet makes (EIP-2)",
				"send the signature as the wallet returned it")
		}
		return nil
	}
	if len(signature) > maxSignature {
		return tooLong(len(signature))
	}
	if node == nil {
		return refuse("",
			fmt.Sprintf("the signature is not by the key of %s, and contract wallets (ERC-1271) "+
				"cannot be checked by this service", by),
			"sign the exact text of the message, with personal_sign, by an account that has a key")
	}
	q := question{digest: digest, wallet: by, signature: signature}
	if inner, ok := bytes.CutSuffix(signature, wrapped); ok {
		if q.factory, q.deploy, q.signature, ok = unwrap(inner); !ok {
			return refuse("", "the signature ends as one of ERC-6492 but is not laid out as one",
				"send the signature as the wallet returned it")
		}
	}
	signed, err := q.ask(ctx, node)
	if err != nil {
		return fmt.Errorf("asking the chain about a wallet's signature: %w", err)
	}
	if !signed {
		return refuse("",
			fmt.Sprintf("the signature is neither by the key of %s nor, on the chain of the message, "+
				"valid to a contract there (ERC-1271)", by),
			"sign the exact text of the message with that account; a contract wallet must be on the chain "+
				"that the message names, or wrap its signature (ERC-6492)")
	}
	return nil
}

// signedByKey reports whether a signature of 65 bytes is by the key of an account.
func signedByKey(digest, signature []byte, by tocsin.Address) bool {
	signer, ok := evm.Recover(digest, signature)
	return ok && signer == by
}

// wrapped is the suffix of a signature of ERC-6492.
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

// dynamic reads a value of the ABI's type bytes: at the offset that a word gives
// are its length and then its bytes.
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

// small reads a word of the ABI that is an offset or a length within a signature.
func small(word []byte) (int, bool) {
	n := binary.BigEndian.Uint32(word[28:])
	return int(n), bytes.Equal(word[:28], make([]byte, 28)) && n <= maxSignature
}

// question is a question to a chain whether a signature is valid.
type question struct {
	digest    []byte
	wallet    tocsin.Address
	signature []byte         // without the wrapper of ERC-6492
	factory   tocsin.Address // deploys the wallet or makes it ready; zero without a wrapper
	deploy    []byte         // input of the call of the factory
}

// magic is the word that isValidSignature(bytes32,bytes) returns for a valid
// signature: its own selector and zeros. The whole word is compared, since a
// contract that returns its input, such as the precompile at 0x…04, returns the
// selector too.
var magic = append([]byte{0x16, 0x26, 0xba, 0x7e}, make([]byte, 28)...)

// ask asks the question in one eth_call without a destination, which runs its data
// as creation code and stores nothing. The code catches reverts of the wallet and
// the factory, so that any error is one of the node.
func (q question) ask(ctx context.Context, node *evm.Node) (bool, error) {
	answer, err := node.Call(ctx, nil, q.code())
	if err != nil {
		return false, err
	}
	if len(answer) != 1 || answer[0] > 1 {
		return false, fmt.Errorf("eth_call without a destination: the node answered %d bytes instead of a 0 or a 1",
			len(answer))
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

// code returns the code that is run. In Solidity:
//
//	bool signed = wallet.isValidSignature(digest, signature) == magic;
//	if (factory != 0) {
//		factory.call(deploy);
//		signed = wallet.isValidSignature(digest, signature) == magic || signed;
//	}
//	return signed;
//
// That is the order of ERC-6492: a deployed wallet is asked first as it is, then
// again after the call of the factory. It does not matter whether the factory
// fails, since the wallet alone decides. isValidSignature is called with
// STATICCALL. The factory is called once, by an account without rights: it can do
// nothing that anybody could not do on the chain.
func (q question) code() []byte {
	var input []byte
	input = append(input, magic[:4]...)
	input = append(input, q.digest...)
	input = append(input, word(64)...) // where the signature is: after these two words
	input = append(input, word(len(q.signature))...)
	input = append(input, q.signature...)
	input = append(input, make([]byte, -len(q.signature)&31)...)

	// In memory, the answer is at 0, the input at 32, and the input of the factory
	// after it. Both are copied from the end of the code, whose length is known
	// once it has been written.
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

// valid pushes 1 if the wallet answers the input with magic, else 0: the call did
// not revert, returned at least one word, and the first word is magic.
func (c *code) valid(wallet tocsin.Address, input int) {
	c.push(number(32), number(0), number(input), number(32), wallet[:])
	c.half().do(opStaticCall)
	c.push(number(0)).do(opMLoad)
	c.push(magic).do(opEq, opAnd)
	c.push(number(31)).do(opReturnDataSize, opGt, opAnd)
}

// half pushes half of the remaining gas, for a call: even if the callee uses all
// of it, enough is left to return the answer.
func (c *code) half() *code {
	c.push(number(2)).do(opGas, opDiv)
	return c
}

// number encodes n in three bytes, so that the length of the code does not depend on n.
func number(n int) []byte { return []byte{byte(n >> 16), byte(n >> 8), byte(n)} }

// word returns a number as a word of the ABI.
func word(n int) []byte { return evm.Word(binary.BigEndian.AppendUint64(nil, uint64(n))) }
