package tocsin

import (
	"strings"
	"testing"

	"github.com/mr-tron/base58"
)

// accounts are addresses from the specifications of their chains, with what else people write for them.
var accounts = []struct {
	kind  Kind
	plain string   // as a wallet shows it
	id    string   // CAIP-10
	other []string // the same account
}{
	{Bitcoin, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
		"bip122:000000000019d6689c085ae165831e93:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
		[]string{"bitcoin:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?amount=0.1&label=a:b"}},
	{Bitcoin, "35PBEaofpUeH8VnnNSorM1QZsadrZoQp4N",
		"bip122:000000000019d6689c085ae165831e93:35PBEaofpUeH8VnnNSorM1QZsadrZoQp4N", nil},
	{Bitcoin, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
		"bip122:000000000019d6689c085ae165831e93:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
		[]string{"btc:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
			"BITCOIN:BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4"}},
	{Bitcoin, "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
		"bip122:000000000019d6689c085ae165831e93:bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", nil},
	{Tron, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "tron:728126428:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
		[]string{"41a614f803b6fd780986a42c78ec9c7f77e6ded13c", "tron:0x2b6653dc:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
			"tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "trx:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"}},
	{TON, "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA",
		"tvm:-239:0%3Aca6e321c7cce9ecedf0a8ca2492ec8592494aa5fb5ce0387dff96ef6af982a3e",
		[]string{"EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF", "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff+W72r5gqPrHF",
			"0:CA6E321C7CCE9ECEDF0A8CA2492EC8592494AA5FB5CE0387DFF96EF6AF982A3E",
			"ton://transfer/UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA?amount=1"}},
	{TON, "Uf8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMxYA", // of the masterchain: the elector of validators
		"tvm:-239:-1%3A3333333333333333333333333333333333333333333333333333333333333333",
		[]string{"Ef8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM0vF",
			"-1:3333333333333333333333333333333333333333333333333333333333333333"}},
	{XRP, "rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY", "xrpl:0:rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY",
		[]string{"xrpl:0:rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY-495", "xrp:rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY",
			"ripple:rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY", "XV5sbjUmgPpvXv4ixFWZ5ptAYZ6PD2q1qM6owqNbug8W6KV"}},
	{Monero, "4AdUndXHHZ6cfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2684Rge",
		"monero:418015bb9ae982a1975da7d79277c270:" +
			"4AdUndXHHZ6cfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2684Rge",
		[]string{"4LL9oSLmtpccfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5Uzq" +
			"tReoS44qo9mtmXCqY45DJ852K5Jv2bYXZKKQePHES9khPK"}},
	{Monero, "888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H",
		"monero:418015bb9ae982a1975da7d79277c270:" +
			"888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H", nil},
	{Cardano, "addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x",
		"cip34:1-764824073:" +
			"addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x", nil},
	{Cardano, "stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw",
		"cip34:1-764824073:stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw",
		[]string{"ada:stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw"}},
	{Cardano, "Ae2tdPwUPEZFRbyhz3cpfC2CumGzNkFBN2L42rcUc2yjQpEkxDbkPodpMAi",
		"cip34:1-764824073:Ae2tdPwUPEZFRbyhz3cpfC2CumGzNkFBN2L42rcUc2yjQpEkxDbkPodpMAi",
		[]string{"cardano:Ae2tdPwUPEZFRbyhz3cpfC2CumGzNkFBN2L42rcUc2yjQpEkxDbkPodpMAi?amount=1"}},
	{Cardano, "DdzFFzCqrhsw3prhfMFDNFowbzUku3QmrMwarfjUbWXRisodn97R436SHc1rimp4MhPNmbdYb1aTdqtGSJixMVMi5MkArDQJ6Sc1n3Ez",
		"cip34:1-764824073:" +
			"DdzFFzCqrhsw3prhfMFDNFowbzUku3QmrMwarfjUbWXRisodn97R436SHc1rimp4MhPNmbdYb1aTdqtGSJixMVMi5MkArDQJ6Sc1n3Ez", nil},
	{Litecoin, "ltc1q8c6fshw2dlwun7ekn9qwf37cu2rn755u9ym7p0",
		"bip122:12a765e31ffd4059bada1e25190f6e98:ltc1q8c6fshw2dlwun7ekn9qwf37cu2rn755u9ym7p0", nil},
	{Litecoin, "MJRSgZ3UUFcTBTBAaN38XAXvZLwRe8WVw7",
		"bip122:12a765e31ffd4059bada1e25190f6e98:MJRSgZ3UUFcTBTBAaN38XAXvZLwRe8WVw7",
		[]string{"ltc:MJRSgZ3UUFcTBTBAaN38XAXvZLwRe8WVw7", "litecoin:3CDJNfdWX8m2NwuGUV3nhXHXEeLygMXoAj",
			"bip122:12a765e31ffd4059bada1e25190f6e98:3CDJNfdWX8m2NwuGUV3nhXHXEeLygMXoAj"}},
	{Dogecoin, "DBcZSePDaMMduBMLymWHXhkE5ArFEvkagU",
		"bip122:1a91e3dace36e2be3bf030a65679fe82:DBcZSePDaMMduBMLymWHXhkE5ArFEvkagU",
		[]string{"doge:DBcZSePDaMMduBMLymWHXhkE5ArFEvkagU"}},
	{BitcoinCash, "qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a",
		"bip122:000000000000000000651ef99cb9fcbe:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a",
		[]string{"bch:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a",
			"bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", "bitcoincash:1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu",
			"QPM2QSZNHKS23Z7629MMS6S4CWEF74VCWVY22GDX6A"}},
	{BitcoinCash, "ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq",
		"bip122:000000000000000000651ef99cb9fcbe:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq",
		[]string{"bitcoincash:3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC"}},
	{BitcoinCash, "qr7fzmep8g7h7ymfxy74lgc0v950j3r2959lhtxxsl",
		"bip122:000000000000000000651ef99cb9fcbe:qr7fzmep8g7h7ymfxy74lgc0v950j3r2959lhtxxsl",
		[]string{"bitcoincash:zr7fzmep8g7h7ymfxy74lgc0v950j3r295z4y4gq0v"}},
	{Bitcoin, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", // of Bitcoin Gold
		"bip122:000000000019d6689c085ae165831e93:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
		[]string{"GSruo8yL4FswkBKWHL7mt6RLFwhxBe2GVb"}},
	{Dash, "XwnLY9Tf7Zsef8gMGL2fhWA9ZmMjt4KPwg",
		"bip122:00000ffd590b1485b3caadc19b22e637:XwnLY9Tf7Zsef8gMGL2fhWA9ZmMjt4KPwg",
		[]string{"dash:XwnLY9Tf7Zsef8gMGL2fhWA9ZmMjt4KPwg?amount=1"}},
	{Dash, "7gnwGHt17heGpG9Crfeh4KGpYNFugPhJdh",
		"bip122:00000ffd590b1485b3caadc19b22e637:7gnwGHt17heGpG9Crfeh4KGpYNFugPhJdh", nil},
	{Zcash, "t1VmmGiyjVNeCjxDZzg7vZmd99WyzVby9yC",
		"bip122:00040fe8ec8471911baa1db1266ea15d:t1VmmGiyjVNeCjxDZzg7vZmd99WyzVby9yC",
		[]string{"zcash:t1VmmGiyjVNeCjxDZzg7vZmd99WyzVby9yC"}},
	{Zcash, "t3Vz22vK5z2LcKEdg16Yv4FFneEL1zg9ojd",
		"bip122:00040fe8ec8471911baa1db1266ea15d:t3Vz22vK5z2LcKEdg16Yv4FFneEL1zg9ojd", nil},
	{BNBBeacon, "bnb1grpf0955h0ykzq3ar5nmum7y6gdfl6lxfn46h2",
		"cosmos:Binance-Chain-Tigris:bnb1grpf0955h0ykzq3ar5nmum7y6gdfl6lxfn46h2",
		[]string{"BNB1GRPF0955H0YKZQ3AR5NMUM7Y6GDFL6LXFN46H2"}},
	{EVM, "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
		[]string{"eip155:8453:0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359",
			"ethereum:0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359@1?value=1",
			"eth:0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", "arb1:0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359",
			"bnb:0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359"}},
	{Solana, "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
		"solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
		[]string{"solana:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v?amount=1",
			"sol:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"}},
}

// TestAPaymentRequestIsNotScreenedByItsToken: the address of a request for a payment in a token is the token's
// (EIP-681).
func TestAPaymentRequestIsNotScreenedByItsToken(t *testing.T) {
	const usdc, payee = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	request, lower := "thereum:"+usdc, strings.ToLower(payee)
	const also = ", and the contract by itself"
	for text, fix := range map[string]string{
		"e" + request + "/transfer?address=" + payee + "&uint256=1e6":         "send " + payee + also,
		" E" + request + "@1/transfer?uint256=1&address=" + lower:             "send " + payee + also,
		"ethereum:pay-" + usdc + "/transfer?address=" + payee:                 "send " + payee + also,
		"e" + request + "@8453/approve?uint256=1":                             "send the address that gets the money",
		"e" + request + "/transferFrom?address=" + usdc + "&address=" + payee: "send the address that gets the money",
	} {
		_, err := ParseSubject(text)
		if err == nil || err.Fields[0].Fix != fix {
			t.Errorf("%s: %v", text, err)
		}
		if _, err := ParseAccount(text); err == nil || err.Fields[0].Fix != fix {
			t.Errorf("%s as an account: %v", text, err)
		}
	}
}

func TestAnAccountOfAnyChainHasOneSpelling(t *testing.T) {
	for _, a := range accounts {
		texts := append([]string{a.id, " " + a.id + "\n"}, a.other...)
		if a.kind != Solana {
			texts = append(texts, a.plain)
		}
		for _, text := range texts {
			s, err := ParseSubject(text)
			if err != nil || s.Kind != a.kind || s.String() != a.id || s.Plain() != a.plain {
				t.Errorf("%s: %v %q, %q, %v", text, s.Kind, s, s.Plain(), err)
			}
			if again, err := ParseAccount(text); err != nil || again != s {
				t.Errorf("%s: %v, %v", text, again, err)
			}
			if !s.IsAddress() || s.Owner() != s || s.ChainName() == "" {
				t.Errorf("%s: %v, owned by %v, on %q", text, s, s.Owner(), s.ChainName())
			}
		}
	}
}

// TestAnAccountWithOneWrongCharacterIsRefused changes each character of each account that has a checksum. A changed
// prefix may make it another chain's, whose checksum does not hold either.
func TestAnAccountWithOneWrongCharacterIsRefused(t *testing.T) {
	for _, a := range accounts {
		if a.kind == Solana || a.kind == EVM && a.plain == strings.ToLower(a.plain) {
			continue
		}
		for i := range len(a.plain) {
			for _, c := range "x3Kw" {
				wrong := a.plain[:i] + string(c) + a.plain[i+1:]
				if s, err := ParseSubject(wrong); err == nil && s.Plain() != a.plain {
					t.Errorf("%s was read as %v", wrong, s)
				}
			}
		}
	}
}

func TestNothingLongerThanAnAddressIsDecoded(t *testing.T) {
	if _, err := decodeBase58(strings.Repeat("1", maxBase58), base58.BTCAlphabet); err != nil {
		t.Error(err)
	}
	if _, err := decodeBase58(strings.Repeat("1", maxBase58+1), base58.BTCAlphabet); err == nil {
		t.Error("it is decoded")
	}
}

func TestWhatIsWrongWithAnAccountIsNamed(t *testing.T) {
	for _, x := range []struct{ text, reason string }{
		{"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u", "of Tron does not hold, so at least one character is wrong"},
		{"tr7nhqjekqxgtci8q8zy4pl8otszgjlj6t", "capital and small letters that differ"},
		{"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb", "of Bitcoin does not hold"},
		{"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", "of Bitcoin does not hold"},
		{"bc1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "is not an address of Bitcoin"},
		// Those of BIP 350 whose checksum is that of bech32 where bech32m is due, and the other way round; without a
		// program, and with one that is too long for its version.
		{"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd", "is not an address of Bitcoin"},
		{"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh", "is not an address of Bitcoin"},
		{"bc1pw5dgrnzv", "is not an address of Bitcoin"},
		{"bc1qr508d6qejxtdg4y5r3zarvaryv98gj9p", "is not an address of Bitcoin"},
		{"tron:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "is not an address of Tron"},
		{"kQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPgpP", "is not an address of TON"}, // of a test network
		{"UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwB", "of TON does not hold"},
		{"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "may be an address of Solana"},
		{"solana:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTD", "is not an address of Solana"},
		{"addr_test1vz2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzerspjrlsz", "not"},
		{"bip122:000000000933ea01ad0ee984209779ba:mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", "not"},
		{"evil.com", "is a domain"},
		{"tron:41a614f803b6fd780986a42c78ec9c7f77e6ded13c0", "capital and small letters"}, // a digit too many
		{"ton:UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwAx", "is not an address of TON"},
		{"bitcoincash:Qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", "is not an address of Bitcoin Cash"},
		{"bitcoincash:qqpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a", "is not an address of Bitcoin Cash"},
		{"litecoin:3CDJNfdWX8m2NwuGUV3nhXHXEeLygMXoAk", "of Litecoin does not hold"},
		{strings.ToLower("4AdUndXHHZ6cfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2684Rge"),
			"capital and small letters that differ"},
	} {
		if s, err := ParseAccount(x.text); err == nil || !strings.Contains(err.Error(), x.reason) {
			t.Errorf("%s: %v, %v", x.text, s, err)
		}
	}
	for _, a := range accounts { // the routes and fields that take EVM addresses alone
		_, err := ParseAddress(a.id)
		if named := err != nil && strings.Contains(err.Error(), "scammerAccounts"); named != (a.kind != EVM) {
			t.Errorf("%s: %v", a.id, err)
		}
	}
}
