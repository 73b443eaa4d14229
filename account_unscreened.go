package tocsin

import (
	"bytes"
	"crypto/sha512"
	"encoding/base32"
	"encoding/binary"
	"regexp"
	"slices"
	"strings"

	"github.com/btcsuite/btcd/btcutil/bech32"
	"github.com/mr-tron/base58"
	"golang.org/x/crypto/blake2b"
)

// unscreened are the forms of accounts of chains that are not screened. A match is likely, not certain; but such a text
// is no name of a site: a form has a checksum, or no word has it.
var unscreened = []struct {
	chain string
	form  *regexp.Regexp
	holds func(text string) bool // its checksum; nil without one
}{
	{"Polkadot", regexp.MustCompile(`^1[1-9A-HJ-NP-Za-km-z]{45,47}$`), isSS58},
	{"Kusama", regexp.MustCompile(`^[C-HJ][1-9A-HJ-NP-Za-km-z]{45,47}$`), isSS58},
	{"Substrate", regexp.MustCompile(`^5[1-9A-HJ-NP-Za-km-z]{46,47}$`), isSS58},
	{"Stellar", regexp.MustCompile(`^[GM][A-Z2-7]{55}(?:[A-Z2-7]{13})?$`), isStrKey},
	{"Algorand", regexp.MustCompile(`^[A-Z2-7]{58}$`), isAlgorand},
	{"Tezos", regexp.MustCompile(`^(?:tz[1-4]|KT1)[1-9A-HJ-NP-Za-km-z]{33}$`), func(text string) bool {
		_, fault := decodeBase58Check("Tezos", text, base58.BTCAlphabet)
		return fault == nil
	}},
	{"Hedera", regexp.MustCompile(`^0\.0\.(?:[1-9][0-9]{3,9}|[3-9][0-9]{2})(?:-[a-z]{5})?$`), nil},
	{"NEAR", regexp.MustCompile(`^(?:[a-z0-9]+[-_.])*[a-z0-9]+\.near$`), nil},
	{"Filecoin", regexp.MustCompile(`^f(?:[12][a-z2-7]{39}|3[a-z2-7]{84})$`), nil},
	{"Kaspa", regexp.MustCompile(`^kaspa:q[02-9ac-hj-np-z]{60}$`), nil},
	{"Aptos or Sui", regexp.MustCompile(`^0x[0-9a-fA-F]{64}::[A-Za-z_][0-9A-Za-z_:<>]*$`), nil},
}

// cosmosChains are the chains by the prefixes of their addresses in bech32.
var cosmosChains = map[string]string{
	"agoric": "Agoric", "akash": "Akash", "axelar": "Axelar", "band": "Band", "celestia": "Celestia", "cosmos": "Cosmos",
	"dydx": "dYdX", "erd": "MultiversX", "evmos": "Evmos", "inj": "Injective", "juno": "Juno", "kava": "Kava",
	"neutron": "Neutron", "noble": "Noble", "osmo": "Osmosis", "persistence": "Persistence", "secret": "Secret Network",
	"sei": "Sei", "stars": "Stargaze", "stride": "Stride", "terra": "Terra", "thor": "THORChain", "zil": "Zilliqa",
}

// OtherChain returns the chain that a text looks like an account of, if that is a chain whose accounts are not
// screened, and "" otherwise. An account of Aptos or Sui alone has the form of a transaction, and is not recognised.
func OtherChain(text string) string {
	text = strings.TrimSpace(text)
	if len(text) < 7 || len(text) > 200 {
		return ""
	}
	for _, u := range unscreened {
		if u.form.MatchString(text) && (u.holds == nil || u.holds(text)) {
			return u.chain
		}
	}
	prefix, _, found := strings.Cut(strings.ToLower(text), "1")
	if chain := cosmosChains[prefix]; found && chain != "" {
		_, data, err := bech32.DecodeNoLimit(text)
		if n := len(data); err == nil && (n == 32 || n == 52) { // 20 or 32 bytes
			return chain
		}
	}
	return ""
}

// isSS58 reports whether the checksum of an address of Substrate holds.
func isSS58(text string) bool {
	b, err := decodeBase58(text, base58.BTCAlphabet)
	if err != nil || len(b) != 35 || !slices.Contains([]byte{0, 2, 42}, b[0]) {
		return false
	}
	sum := blake2b.Sum512(append([]byte("SS58PRE"), b[:33]...))
	return bytes.Equal(sum[:2], b[33:])
}

// base32Plain is base32 without padding.
var base32Plain = base32.StdEncoding.WithPadding(base32.NoPadding)

// isStrKey reports whether the checksum of an address of Stellar holds.
func isStrKey(text string) bool {
	b, err := base32Plain.DecodeString(text)
	return err == nil && len(b) > 2 && crc16(b[:len(b)-2]) == binary.LittleEndian.Uint16(b[len(b)-2:])
}

// isAlgorand reports whether the checksum of an address of Algorand holds.
func isAlgorand(text string) bool {
	b, err := base32Plain.DecodeString(text)
	if err != nil || len(b) != 36 {
		return false
	}
	sum := sha512.Sum512_256(b[:32])
	return bytes.Equal(sum[28:], b[32:])
}

// notScreened is the error for an account of a chain that is not screened.
func notScreened(text, chain string) *Error {
	return invalidf("nothing was checked, so treat it as unknown; screen it elsewhere",
		"%s looks like an address of %s, which is not screened here", quoted(strings.TrimSpace(text), 120), chain)
}
