package paste

import (
	"slices"
	"strings"
	"testing"
)

func TestACurrencyIsKnownByItsWords(t *testing.T) {
	pairs := strings.Fields("usdt USDT tether USDT usdc USDC dai DAI pyusd PYUSD btc BTC Bitcoins BTC eth ETH " +
		"ether ETH bnb BNB sol SOL trx TRX xrp XRP ltc LTC doge DOGE ton TON xmr XMR ada " +
		"ADA bch BCH matic MATIC pol POL € EUR euros EUR £ GBP pounds GBP ¥ JPY 円 JPY yen " +
		"JPY 元 CNY 人民币 CNY yuan CNY rmb CNY ₹ INR rupees INR ₽ RUB rubles RUB рублей RUB " +
		"₺ TRY liras TRY zł PLN złotych PLN ₩ KRW ₫ VND ₴ UAH ₦ NGN r$ BRL reais BRL " +
		"pesos PESOS soles PEN bolívares VES bolivianos BOB quetzales GTQ colones CRC " +
		"lempiras HNL guaraníes PYG guaranies PYG")
	for i := 0; i < len(pairs); i += 2 {
		if _, code, ok := beside(pairs[i]); !ok || code != pairs[i+1] {
			t.Errorf("%s: %q", pairs[i], code)
		}
		dollar := slices.Contains([]string{"USDT", "USDC", "DAI", "PYUSD"}, pairs[i+1])
		sum, problem := Amount("3400 "+pairs[i], false)
		if taken := problem == nil && sum == (Sum{340000, pairs[i+1]}); taken != dollar {
			t.Errorf("3400 %s: %+v, %+v", pairs[i], sum, problem)
		}
	}
	for _, word := range strings.Fields("$ usd us dollars dólares 美元 долларов about circa etwa environ d’") {
		if _, code, ok := beside(word); !ok || code != "" && code != usDollars {
			t.Errorf("%s: %q, %t", word, code, ok)
		}
	}
}

// TestASumIsReadRightOrAskedAbout: never as another one.
func TestASumIsReadRightOrAskedAbout(t *testing.T) {
	for text, sum := range map[string]Sum{
		"3 400 USDT": {340000, "USDT"}, "USDT 3,400": {340000, "USDT"}, "3\u00a0400,50\u00a0USDT": {340050, "USDT"},
		"usdt3400": {340000, "USDT"}, "1 25 000 $": {12500000, ""}, "2 lakh USDT": {20000000, "USDT"},
		"1.5 crore dollars": {1500000000, ""}, "$3.4k USDC": {340000, "USDC"}, "USD 3400 USDT": {340000, "USDT"},
	} {
		if got, problem := Amount(text, false); got != sum || problem != nil {
			t.Errorf("%s: %+v, %+v", text, got, problem)
		}
	}
	for text, kind := range map[string]Kind{
		"3.400,50 €": OtherCurrency, "₹2 lakh": OtherCurrency, "Rs. 2 lakh": OtherCurrency, "2 lakh INR": OtherCurrency,
		"2 lakh": UnclearCurrency, "1.5 crores": UnclearCurrency, "about 2 lakhs": UnclearCurrency,
		"12 50": UnclearAmount, "3 400 50": UnclearAmount, "1'2": UnclearAmount, "34 00 USDT": UnclearAmount,
		"3.400 USDT": Ambiguous, "1,250 million": Ambiguous, "USDT 3400 EUR": ExtraText, "3400 USDT, 500 EUR": ExtraText,
		"3,400-3,500": ExtraText,
	} {
		if got, problem := Amount(text, false); got.USD != 0 || problem == nil || problem.Kind != kind {
			t.Errorf("%s: %+v, %+v", text, got, problem)
		}
	}
}

// TestTheCurrencyOfACountryBelongsToTheAmount, as if it was typed there; a coin is what the dollars were lost in.
func TestTheCurrencyOfACountryBelongsToTheAmount(t *testing.T) {
	for typed, text := range map[string]string{
		"3.400,00|EUR": "3.400,00 EUR", "3400|euros": "3400 EUR", "3.400|€": "3.400 EUR", "3400|英镑": "3400 GBP",
		"$85,000|MXN": "$85,000 MXN", "3 mil|pesos": "3 mil PESOS", "3400 €|EUR": "3400 €", "5|Pfund": "5 GBP",
	} {
		amount, lost, _ := strings.Cut(typed, "|")
		got, sum, problem := AmountIn(amount, lost, false)
		if problem == nil || problem.Kind != OtherCurrency || got != text || sum.Currency != National(lost) {
			t.Errorf("%s: %s, %+v, %+v", typed, got, sum, problem)
		}
	}
	for typed, sum := range map[string]Sum{
		"3400|USDT": {340000, ""}, "3400|SOL": {340000, ""}, "3400|$": {340000, ""}, "3400|": {340000, ""},
		"3400 USD|EUR": {340000, ""}, "3400 USDC|EUR": {340000, "USDC"}, "3400|gold": {340000, ""},
	} {
		amount, lost, _ := strings.Cut(typed, "|")
		if got, read, problem := AmountIn(amount, lost, false); got != amount || read != sum || problem != nil {
			t.Errorf("%s: %s, %+v, %+v", typed, got, read, problem)
		}
	}
}

// TestTheCoinOfEachChainIsSaid: of those that an explorer shows.
func TestTheCoinOfEachChainIsSaid(t *testing.T) {
	const to = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	chains := strings.Fields("1 ETH 10 ETH 56 BNB 100 xDAI 130 ETH 137 POL 250 FTM 324 ETH 480 ETH 8453 ETH 42161 ETH " +
		"42220 CELO 43114 AVAX 59144 ETH 81457 ETH 534352 ETH 7777777 ETH")
	want(t, "chains", len(evmCoins), len(chains)/2+1) // the first is that of a request that names none
	for i := 0; i < len(chains); i += 2 {
		parts := Parts("ethereum:" + to + "@" + chains[i] + "?value=15e17")
		if len(parts) != 1 || parts[0].Asked.Amount != "1.5" || parts[0].Asked.Coin != chains[i+1] {
			t.Errorf("chain %s: %+v", chains[i], parts)
		}
	}
	schemes := strings.Fields("bitcoin BTC litecoin LTC dogecoin DOGE bitcoincash BCH monero XMR tron TRX dash DASH " +
		"zcash ZEC solana SOL ton TON xrpl XRP xrp XRP ripple XRP cardano ADA web+cardano ADA")
	want(t, "schemes", len(uriCoins), len(schemes)/2)
	for i := 0; i < len(schemes); i += 2 {
		want(t, schemes[i], uriCoins[schemes[i]], schemes[i+1])
	}
}
