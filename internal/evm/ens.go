package evm

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/jsonrpc"
)

// Ethereum is the chain id of Ethereum (EIP-155), the only chain that ENS is on.
const Ethereum = 1

// universalResolver finds the resolver of a name and asks it, also where a name above it answers for it (ENSIP-10).
// The address is the one that ENS keeps stable (docs.ens.domains, "Universal Resolver").
var universalResolver = tocsin.Address{0xee, 0xee, 0xee, 0xee, 0x14, 0xd7, 0x18, 0xc2, 0xb4, 0x7d,
	0x99, 0x23, 0xde, 0xab, 0x13, 0x35, 0xe1, 0x44, 0xee, 0xee}

// Why [Node.ResolveENS] returns no address though the node has answered.
var (
	ErrNoENSAddress = errors.New("the name points to no address on Ethereum")
	ErrENSElsewhere = errors.New("the address of the name is not kept on Ethereum")
)

// ENSName is a normalized name of ENS that ends with .eth, made by [ParseENSName].
type ENSName struct{ text string }

// String returns the name.
func (n ENSName) String() string { return n.text }

// ensLabel matches the labels that ENSIP-15 leaves as they are and that hold ASCII alone; it allows no hyphens in third
// and fourth place, which [ParseENSName] checks.
var ensLabel = regexp.MustCompile(`^_*[a-z0-9-]{1,63}$`)

// ParseENSName returns the normalized form of a name that ends with .eth. Capitals become small letters (ENSIP-15).
// Names with anything else than letters of ASCII, digits, hyphens and underscores at the beginning of a label are
// refused: most letters of other scripts have look-alikes, and their rules are a table of thousands of lines.
func ParseENSName(text string) (ENSName, bool) {
	name := strings.ToLower(text)
	labels := strings.Split(name, ".")
	if len(name) > 200 || len(labels) < 2 || labels[len(labels)-1] != "eth" || len(name) != len(text) {
		return ENSName{}, false
	}
	for _, label := range labels {
		if !ensLabel.MatchString(label) || len(label) > 3 && label[2:4] == "--" {
			return ENSName{}, false
		}
	}
	return ENSName{name}, true
}

// node is the hash by which contracts know the name (EIP-137, namehash).
func (n ENSName) node() []byte {
	hash := make([]byte, 32)
	for _, label := range slices.Backward(strings.Split(n.text, ".")) {
		hash = Keccak256(hash, Keccak256([]byte(label)))
	}
	return hash
}

// wire is the name as ENSIP-10 passes it to a contract: labels with their length before them, as in DNS.
func (n ENSName) wire() (b []byte) {
	for label := range strings.SplitSeq(n.text, ".") {
		b = append(append(b, byte(len(label))), label...)
	}
	return append(b, 0)
}

// ResolveENS returns the address that a name points to now. The node must be of [Ethereum]. The error is
// [ErrNoENSAddress], [ErrENSElsewhere] for a name whose address only a server of its owner tells (EIP-3668), which is
// not asked, or that of a node that does not answer.
func (n *Node) ResolveENS(ctx context.Context, name ENSName) (tocsin.Address, error) {
	addr := append(selector("addr(bytes32)"), name.node()...)
	call := append(selector("resolve(bytes,bytes)"), packBytes(name.wire(), addr)...)
	out, err := n.Call(ctx, &universalResolver, call)
	if err != nil {
		return tocsin.Address{}, ensFailure(err)
	}
	answer, ok := unpackBytes(out)
	if !ok {
		return tocsin.Address{}, fmt.Errorf("the resolver of ENS answers with %d bytes", len(out))
	}
	a, ok := addressIn(answer)
	if !ok || a == (tocsin.Address{}) {
		return tocsin.Address{}, ErrNoENSAddress
	}
	return a, nil
}

// ensFailure says what a revert of the resolver means.
func ensFailure(err error) error {
	var failure *jsonrpc.Error
	if !errors.As(err, &failure) {
		return err
	}
	reverts := func(signature string) bool {
		return bytes.Contains(failure.Data, []byte("0x"+hex.EncodeToString(selector(signature))))
	}
	if reverts("OffchainLookup(address,string[],bytes,bytes4,bytes)") {
		return ErrENSElsewhere
	}
	for _, signature := range []string{"ResolverNotFound(bytes)", "ResolverNotContract(bytes,address)",
		"ResolverError(bytes)", "UnsupportedResolverProfile(bytes4)"} {
		if reverts(signature) {
			return ErrNoENSAddress
		}
	}
	return err
}

// selector returns the four bytes with which a call of a function begins, or the data of an error.
func selector(signature string) []byte { return slices.Clone(Keccak256([]byte(signature))[:4]) }

// packBytes encodes arguments of the type bytes (Contract ABI Specification, "Use of Dynamic Types").
func packBytes(arguments ...[]byte) []byte {
	var head, tail []byte
	for _, a := range arguments {
		head = append(head, number(32*len(arguments)+len(tail))...)
		tail = append(append(tail, number(len(a))...), a...)
		tail = append(tail, make([]byte, -len(a)&31)...)
	}
	return append(head, tail...)
}

// unpackBytes returns the first of some results, which is of the type bytes.
func unpackBytes(out []byte) ([]byte, bool) {
	at, ok := length(out, 0)
	if !ok {
		return nil, false
	}
	n, ok := length(out, at)
	if !ok || at+32+n > len(out) {
		return nil, false
	}
	return out[at+32 : at+32+n], true
}

// length reads a number that may be a place or a length in a text.
func length(out []byte, at int) (int, bool) {
	if at+32 > len(out) || !bytes.Equal(out[at:at+28], make([]byte, 28)) {
		return 0, false
	}
	n := binary.BigEndian.Uint32(out[at+28 : at+32])
	return int(n), n < 1<<24
}

// number returns a word of the ABI.
func number(n int) []byte { return Word(binary.BigEndian.AppendUint32(nil, uint32(n))) }

// addressIn reads an address from the first word of a text.
func addressIn(out []byte) (tocsin.Address, bool) {
	if len(out) < 32 || !bytes.Equal(out[:12], make([]byte, 12)) {
		return tocsin.Address{}, false
	}
	return tocsin.Address(out[12:32]), true
}
