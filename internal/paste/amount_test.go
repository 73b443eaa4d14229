package paste

import (
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
	}
	for _, word := range strings.Fields("$ usd us dollars dólares 美元 долларов about circa etwa environ d’") {
		if _, code, ok := beside(word); !ok || code != "" {
			t.Errorf("%s: %q, %t", word, code, ok)
		}
	}
}
