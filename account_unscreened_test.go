package tocsin

import (
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcutil/bech32"
)

// TestAnAccountOfAChainThatIsNotScreenedIsNamed: it is refused with the chain, and never read as a site.
func TestAnAccountOfAChainThatIsNotScreenedIsNamed(t *testing.T) {
	cosmos := func(groups int) string {
		text, err := bech32.Encode("cosmos", make([]byte, groups))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	for text, chain := range map[string]string{
		"15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5": "Polkadot",
		"HNZata7iMYWmk5RvZRTiAsSDhV8366zq2YGb3tLH5Upf74F":  "Kusama",
		"5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY": "Substrate",
		"cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh":    "Cosmos",
		"osmo1fl48vsnmsdzcv85q5d2q4z5ajdha8yu3aq6l09":      "Osmosis",
		cosmos(52): "Cosmos", cosmos(31): "", cosmos(33): "", // 32 bytes, and no account
		"osmo1fl48vsnmsdzcv85q5d2q4z5ajdha8yu3aq6l08":                "", // a wrong checksum
		"GDQP2KPQGKIHYJGXNUIYOMHARUARCA7DJT5FO2FFOOKY3B2WSQHG4W37":   "Stellar",
		"GDQP2KPQGKIHYJGXNUIYOMHARUARCA7DJT5FO2FFOOKY3B2WSQHG4W38":   "",
		"VCMJKWOY5P5P7SKMZFFOCEROPJCZOTIJMNIYNUCKH7LRO45JMJP6UYBIJA": "Algorand",
		"tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb":                       "Tezos",
		"tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjc":                       "",
		"0.0.98765":                                                  "Hedera",
		"0.0.98765-abcde":                                            "Hedera",
		"0.0.0.1":                                                    "",
		" bob.near ":                                                 "NEAR",
		"app.bob.near":                                               "NEAR",
		"near.org":                                                   "",
		"bob.near.example":                                           "",
		"f1abjxfbp274xpdqcpuaykwkfb43omjotacm2p3za":                  "Filecoin",
		"kaspa:qypfcu5d8w3vl2ex6rkhs4t7zn9jmg0yaq2d8w3vl2ex6rkhs4t7zn9": "",
		"0x2::sui::SUI": "",
		"0x" + strings.Repeat("a1", 32) + "::coin::COIN": "Aptos or Sui",
		"0x" + strings.Repeat("a1", 32):                  "",
		"0.0.299":                                        "",
		"0.0.300":                                        "Hedera", "0.0.999": "Hedera", "0.0.1000": "Hedera",
		"0.0.9999999999":  "Hedera",
		"0.0.10000000000": "",
		"0x098b716b8aaf21512996dc57eb0615e2383e2f96": "", "evil.example": "", "GAMES": "", "secret1": "",
		"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq": "",
	} {
		if got := OtherChain(text); got != chain {
			t.Errorf("%s is of %q, want %q", text, got, chain)
		}
		_, fault := ParseSubject(text)
		if refused := fault != nil && strings.Contains(fault.Error(), "is not screened here"); refused != (chain != "") {
			t.Errorf("%s: %v", text, fault)
		}
	}
}
