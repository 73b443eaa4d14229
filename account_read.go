package tocsin

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strings"

	"github.com/btcsuite/btcd/btcutil/bech32"
	"github.com/mr-tron/base58"
	"golang.org/x/crypto/sha3"
)

// noAccount is the error for a text that is no address of a chain.
func noAccount(chain, text string) *Error {
	return invalidf("send the whole address, as a wallet shows it", "%s is not an address of %s", quoted(text, 64), chain)
}

// badChecksum is the error for an address in which a character is wrong.
func badChecksum(chain string) *Error {
	return invalidf("copy it again from its source",
		"the checksum of this address of %s does not hold, so at least one character is wrong", chain).by(WrongChecksum)
}

// badBase58 is the error for a text that base58 or its checksum refuses. Some programs write such texts in one case.
// A short one says nothing of that.
func badBase58(chain, text string, fault *Error) *Error {
	if len(text) > 20 && (text == strings.ToLower(text) || text == strings.ToUpper(text)) {
		return invalidf("copy it from its source as it is written there",
			"an address of %s has capital and small letters that differ, and all of these are alike", chain)
	}
	return fault
}

// maxBase58 is how many characters of base58 are read: the longest address has about 110. The time that it takes grows
// with the square of their number.
const maxBase58 = 128

// decodeBase58 decodes base58, of a length that an address can have.
func decodeBase58(text string, alphabet *base58.Alphabet) ([]byte, error) {
	if len(text) > maxBase58 {
		return nil, errors.New("it is longer than any address")
	}
	return base58.DecodeAlphabet(text, alphabet)
}

// decodeBase58Check decodes base58 with a checksum of SHA-256 taken twice, as Bitcoin has it.
func decodeBase58Check(chain, text string, alphabet *base58.Alphabet) ([]byte, *Error) {
	b, err := decodeBase58(text, alphabet)
	if err != nil || len(b) < 5 {
		return nil, badBase58(chain, text, noAccount(chain, text))
	}
	payload, sum := b[:len(b)-4], b[len(b)-4:]
	hash := sha256.Sum256(payload)
	if hash = sha256.Sum256(hash[:]); !bytes.Equal(hash[:4], sum) {
		return nil, badBase58(chain, text, badChecksum(chain))
	}
	return payload, nil
}

// base58Check reads addresses of a version byte and a hash of 20 bytes.
func base58Check(chain string, versions ...byte) func(string) (string, *Error) {
	return func(text string) (string, *Error) {
		b, fault := decodeBase58Check(chain, text, base58.BTCAlphabet)
		if fault == nil && (len(b) != 21 || !slices.Contains(versions, b[0])) {
			fault = noAccount(chain, text)
		}
		return text, fault
	}
}

// segwit reads addresses of base58Check, and those of bech32 (BIP 173) and bech32m (BIP 350) with a prefix.
func segwit(chain, prefix string, versions ...byte) func(string) (string, *Error) {
	older := base58Check(chain, versions...)
	return func(text string) (string, *Error) {
		if len(text) <= len(prefix) || !strings.EqualFold(text[:len(prefix)+1], prefix+"1") {
			return older(text)
		}
		data, version, fault := decodeBech32(chain, text, prefix)
		if fault != nil {
			return "", fault
		}
		program, err := bech32.ConvertBits(data[1:], 5, 8, false)
		n := len(program)
		first := data[0] == 0 && version == bech32.Version0 && (n == 20 || n == 32)
		later := data[0] >= 1 && data[0] <= 16 && version == bech32.VersionM && n >= 2 && n <= 40
		if err != nil || !first && !later {
			return "", noAccount(chain, text)
		}
		return strings.ToLower(text), nil
	}
}

// readLitecoin reads addresses of both kinds. That of a script begins with M. Older programs write the same account as
// Bitcoin does, beginning with 3; without a prefix that is an address of Bitcoin.
func readLitecoin(text string) (string, *Error) {
	value, fault := segwit("Litecoin", "ltc", 0x30, 0x32, 0x05)(text)
	if fault != nil || !strings.HasPrefix(value, "3") {
		return value, fault
	}
	b, _ := decodeBase58Check("Litecoin", value, base58.BTCAlphabet) // which it has passed
	return encodeBase58Check(append([]byte{0x32}, b[1:]...), base58.BTCAlphabet), nil
}

// decodeBech32 decodes bech32 or bech32m with one of the prefixes to at least one group of five bits.
func decodeBech32(chain, text string, prefixes ...string) ([]byte, bech32.Version, *Error) {
	prefix, data, version, err := bech32.DecodeNoLimitWithVersion(text)
	var sum bech32.ErrInvalidChecksum
	switch {
	case errors.As(err, &sum):
		return nil, 0, badChecksum(chain)
	case err != nil || len(data) == 0 || !slices.Contains(prefixes, prefix):
		return nil, 0, noAccount(chain, text)
	}
	return data, version, nil
}

// readTron reads the base58 form of an address and the hexadecimal one, which begins with 41. The third form, with
// 0x, is not read: it is also the text of an EVM address.
func readTron(text string) (string, *Error) {
	if b, err := hex.DecodeString(text); err == nil && len(b) == 21 && b[0] == 0x41 {
		return encodeBase58Check(b, base58.BTCAlphabet), nil
	}
	return base58Check("Tron", 0x41)(text)
}

func encodeBase58Check(payload []byte, alphabet *base58.Alphabet) string {
	hash := sha256.Sum256(payload)
	hash = sha256.Sum256(hash[:])
	return base58.EncodeAlphabet(slices.Concat(payload, hash[:4]), alphabet)
}

// readTON reads the raw form of an address, and the friendly ones: bounceable or not, in both alphabets of base64
// (TEP-2). The canonical form is the raw one.
func readTON(text string) (string, *Error) {
	const chain = "TON"
	if rawTON.MatchString(text) {
		return strings.ToLower(text), nil
	}
	b, err := base64.URLEncoding.DecodeString(strings.NewReplacer("+", "-", "/", "_").Replace(text))
	if err != nil || len(b) != 36 || b[0]&^0x40 != 0x11 || b[1] != 0 && b[1] != 0xff { // 0x80 means a test network
		return "", noAccount(chain, text)
	}
	if crc16(b[:34]) != binary.BigEndian.Uint16(b[34:]) {
		return "", badChecksum(chain)
	}
	return fmt.Sprintf("%d:%x", int8(b[1]), b[2:34]), nil
}

var rawTON = regexp.MustCompile(`^(0|-1):[0-9a-fA-F]{64}$`)

// showTON returns the friendly form that is not bounceable, which is the one that wallets show for themselves.
func showTON(value string) string { return friendlyTON(value, 0x51) }

// OtherForm returns another form in which wallets write an account, or "": of TON the bounceable one, of which the
// first letter and the last characters are others than in [Subject.Plain].
func (s Subject) OtherForm() string {
	if s.Kind != TON {
		return ""
	}
	return friendlyTON(s.Value, 0x11)
}

// friendlyTON returns the friendly form with a tag (TEP-2).
func friendlyTON(value string, tag byte) string {
	workchain, digits, _ := strings.Cut(value, ":")
	account, err := hex.DecodeString(digits)
	if err != nil {
		return value
	}
	b := []byte{tag, 0}
	if workchain == "-1" {
		b[1] = 0xff
	}
	b = append(b, account...)
	return base64.URLEncoding.EncodeToString(binary.BigEndian.AppendUint16(b, crc16(b)))
}

// crc16 is the checksum CRC-16/XMODEM.
func crc16(b []byte) (sum uint16) {
	for _, c := range b {
		sum ^= uint16(c) << 8
		for range 8 {
			over := sum&0x8000 != 0
			if sum <<= 1; over {
				sum ^= 0x1021
			}
		}
	}
	return sum
}

var rippleAlphabet = base58.NewAlphabet("rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz")

// readXRP reads a classic address, without its destination tag, and an X-address (XLS-5), of which it returns the
// classic one.
func readXRP(text string) (string, *Error) {
	const chain = "the XRP Ledger"
	address, _, _ := strings.Cut(text, "-")
	b, fault := decodeBase58Check(chain, address, rippleAlphabet)
	switch {
	case fault != nil:
		return "", fault
	case len(b) == 31 && b[0] == 0x05 && b[1] == 0x44: // the main network's, then the account, flags and the tag
		b = append([]byte{0}, b[2:22]...)
	case len(b) != 21 || b[0] != 0:
		return "", noAccount(chain, text)
	}
	return encodeBase58Check(b, rippleAlphabet), nil
}

// readMonero reads standard addresses, subaddresses and integrated addresses, of which it returns the standard one:
// anybody can make as many of them for one account as there are payment ids.
func readMonero(text string) (string, *Error) {
	const chain = "Monero"
	b := decodeMonero(text)
	if b == nil {
		return "", badBase58(chain, text, noAccount(chain, text))
	}
	integrated := len(b) == 77 && b[0] == 19
	if standard := len(b) == 69 && (b[0] == 18 || b[0] == 42); !standard && !integrated {
		return "", noAccount(chain, text)
	}
	payload := b[:len(b)-4]
	if !bytes.Equal(moneroSum(payload), b[len(payload):]) {
		return "", badChecksum(chain)
	}
	if integrated {
		payload = append([]byte{18}, payload[1:65]...) // the two keys, without the payment id
		return encodeMonero(append(payload, moneroSum(payload)...)), nil
	}
	return text, nil
}

func moneroSum(payload []byte) []byte {
	hash := sha3.NewLegacyKeccak256()
	hash.Write(payload)
	return hash.Sum(nil)[:4]
}

const moneroAlphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// encodeMonero encodes 69 bytes as [decodeMonero] reads them.
func encodeMonero(b []byte) string {
	var text []byte
	for block := range slices.Chunk(b, 8) {
		digits := []byte("11111111111")
		if len(block) == 5 {
			digits = digits[:7]
		}
		n := binary.BigEndian.Uint64(append(make([]byte, 8-len(block)), block...))
		for i := len(digits) - 1; i >= 0; i-- {
			digits[i], n = moneroAlphabet[n%58], n/58
		}
		text = append(text, digits...)
	}
	return string(text)
}

// decodeMonero decodes the base58 of Monero: each block of eight bytes, and the rest of five, is a number of its
// own, of eleven and seven digits. It returns nil if a text is not of that form.
func decodeMonero(text string) (b []byte) {
	for block := range slices.Chunk([]byte(text), 11) {
		var n uint64
		for _, c := range block {
			digit := strings.IndexByte(moneroAlphabet, c)
			over, product := bits.Mul64(n, 58)
			sum, carry := bits.Add64(product, uint64(digit), 0)
			if n = sum; digit < 0 || over+carry > 0 {
				return nil
			}
		}
		eight := binary.BigEndian.AppendUint64(nil, n)
		switch {
		case len(block) == 11:
			b = append(b, eight...)
		case len(block) == 7 && n < 1<<40:
			b = append(b, eight[3:]...)
		default:
			return nil
		}
	}
	return b
}

// readBitcoinCash reads a CashAddr without or with its prefix (2017 specification), and the older form, which is
// also that of an address of Bitcoin: it needs the prefix of a chain.
func readBitcoinCash(text string) (string, *Error) {
	const chain, alphabet = "Bitcoin Cash", "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
	const tokens = 16 // set where a wallet says that it takes tokens, too (CHIP-2022-02-CashTokens)
	if b, fault := decodeBase58Check(chain, text, base58.BTCAlphabet); fault == nil && len(b) == 21 {
		kinds := map[byte]byte{0: 0, 5: 8}
		if kind, ok := kinds[b[0]]; ok {
			return encodeCashAddr(append([]byte{kind}, b[1:]...), alphabet), nil
		}
	}
	lower := strings.ToLower(text)
	if len(lower) != 42 || lower != text && strings.ToUpper(text) != text {
		return "", noAccount(chain, text)
	}
	data := make([]byte, len(lower))
	for i := range data {
		digit := strings.IndexByte(alphabet, lower[i])
		if digit < 0 {
			return "", noAccount(chain, text)
		}
		data[i] = byte(digit)
	}
	if cashAddrSum(data) != 0 {
		return "", badChecksum(chain)
	}
	b, err := bech32.ConvertBits(data[:34], 5, 8, false)
	if err != nil || b[0]&^(tokens|8) != 0 {
		return "", noAccount(chain, text)
	}
	b[0] &^= tokens
	return encodeCashAddr(b, alphabet), nil
}

func encodeCashAddr(payload []byte, alphabet string) string {
	data, err := bech32.ConvertBits(payload, 8, 5, true)
	if err != nil {
		panic(err) // bytes always convert
	}
	sum := cashAddrSum(append(slices.Clone(data), 0, 0, 0, 0, 0, 0, 0, 0))
	for i := range 8 {
		data = append(data, byte(sum>>(5*(7-i)))&31)
	}
	for i, digit := range data {
		data[i] = alphabet[digit]
	}
	return string(data)
}

// cashAddrSum is the checksum of a CashAddr with the prefix bitcoincash. It is 0 for data that ends with its own.
func cashAddrSum(data []byte) uint64 {
	sum := uint64(1)
	add := func(digit byte) {
		top := sum >> 35
		sum = sum&0x07ffffffff<<5 ^ uint64(digit)
		for i, g := range [5]uint64{0x98f2bc8e61, 0x79b76d99e2, 0xf33e5fb3c4, 0xae2eabe2a8, 0x1e4f43e470} {
			if top>>i&1 == 1 {
				sum ^= g
			}
		}
	}
	for _, c := range []byte("bitcoincash") {
		add(c & 31)
	}
	add(0)
	for _, digit := range data {
		add(digit)
	}
	return sum ^ 1
}
