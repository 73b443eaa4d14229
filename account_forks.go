package tocsin

import (
	"regexp"
	"strings"

	"github.com/btcsuite/btcd/btcutil/bech32"
	"github.com/mr-tron/base58"
)

// bitcoinGold is the form of an address of Bitcoin Gold, whose chain has no id.
const bitcoinGold = `[Gg][0-9A-Za-z]{32,34}|(?i:btg1)[0-9A-Za-z]{6,87}`

var isBitcoinGold = regexp.MustCompile(`^(?:` + bitcoinGold + `)$`)

// readBitcoin reads addresses of Bitcoin, and those of Bitcoin Gold as the one of Bitcoin that has the same key: who
// has it owns both.
func readBitcoin(text string) (string, *Error) {
	if !isBitcoinGold.MatchString(text) {
		return segwit("Bitcoin", "bc", 0x00, 0x05)(text)
	}
	const chain, prefix = "Bitcoin Gold", "btg"
	value, fault := segwit(chain, prefix, 0x26)(text) // that of a script begins with A, as on Dogecoin
	if fault != nil {
		return "", fault
	}
	if strings.HasPrefix(value, prefix) {
		_, data, version, err := bech32.DecodeNoLimitWithVersion(value)
		encode := map[bech32.Version]func(string, []byte) (string, error){
			bech32.Version0: bech32.Encode, bech32.VersionM: bech32.EncodeM,
		}[version]
		if err == nil {
			value, err = encode("bc", data)
		}
		if err != nil {
			return "", noAccount(chain, text)
		}
		return value, nil
	}
	b, _ := decodeBase58Check(chain, value, base58.BTCAlphabet) // which it has passed
	b[0] = 0
	return encodeBase58Check(b, base58.BTCAlphabet), nil
}

// readZcash reads transparent addresses: two bytes of a version and a hash of 20 bytes.
func readZcash(text string) (string, *Error) {
	b, fault := decodeBase58Check("Zcash", text, base58.BTCAlphabet)
	if fault == nil && (len(b) != 22 || b[0] != 0x1c || b[1] != 0xb8 && b[1] != 0xbd) {
		fault = noAccount("Zcash", text)
	}
	return text, fault
}

// readBNBBeacon reads bech32 of a hash of 20 bytes.
func readBNBBeacon(text string) (string, *Error) {
	const chain = "BNB Beacon Chain"
	data, version, fault := decodeBech32(chain, text, "bnb")
	if fault != nil {
		return "", fault
	}
	if hash, err := bech32.ConvertBits(data, 5, 8, false); err != nil || len(hash) != 20 || version != bech32.Version0 {
		return "", noAccount(chain, text)
	}
	return strings.ToLower(text), nil
}

// readSolana reads the base58 of 32 bytes. They need not be a point of the curve: the accounts of programs are none.
func readSolana(text string) (string, *Error) {
	b, err := decodeBase58(text, base58.BTCAlphabet)
	if err != nil || len(b) != 32 {
		return "", noAccount("Solana", text)
	}
	return text, nil
}

// isSolana reports whether a text has the form of an address of Solana.
func isSolana(text string) bool {
	_, fault := readSolana(text)
	return fault == nil
}
