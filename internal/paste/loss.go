package paste

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/currency"
)

// Loss is how money was lost, as far as a story says it.
type Loss struct {
	Bank      bool     // it left a bank account or a card
	Crypto    bool     // it was of a coin
	Phrase    bool     // a recovery phrase or a private key plays a part
	Exchanges []string // that the story names, at most [maxExchanges]
}

// maxExchanges is how many exchanges of a story are named.
const maxExchanges = 3

var (
	// bankIn matches words of payments from a bank or a card, in the languages of the pages.
	bankIn = later(`(?i)\b(?:(?:my|our|his|her|their|the) banks?|bank (?:account|transfer|details|card)s?|` +
		`wire transfers?|wired|iban|sepa|zelle|(?:debit|credit) cards?|my card|by card|direct debit|` +
		`(?:mi|su|un|el) banco|cuentas? (?:bancarias?|corriente|de banco)|transferencias? bancarias?|tarjetas?|bizum|spei|` +
		`clabe|cbu|cvu|` +
		`(?:meine|seine|ihre|die|einer) bank|bankkonto|bank(?:ü|ue)berweisung|kreditkarte|lastschrift|` +
		`(?:ma|sa|leur|la|une) banque|virements?|comptes? bancaires?|carte (?:bancaire|bleue|de cr[ée]dit)|` +
		`(?:meu|seu|do|o|um) banco|contas? (?:banc[áa]rias?|corrente)|transfer[êe]ncias? banc[áa]rias?|` +
		`cart[ãa]o|pix|boleto)` +
		`(?:\PL|$)|(?:^|\PL)(?:überweisung|überwiesen)(?:\PL|$)|银行|信用卡|汇款`)
	// movedIn matches words of payments that may be of a coin as well.
	movedIn = later(`(?i)\b(?:transfer(?:red)?|transferencia|transfer[íi]|deposit(?:ed|o|[ée])?|dep[óo]sito|` +
		`transfer[êe]ncia|d[ée]p[ôo]t|einzahlung)(?:\PL|$)|转账|转帐`)
	// coinIn matches coins, and what is said of them alone.
	coinIn = later(`(?i)\b(?:crypto\w*|kryptow\pL+|criptomonedas?|criptomoedas?|bitcoins?|btc|eth|ether(?:eum)?|` +
		`usdt|usdc|tether|tron|trx|trc-?20|erc-?20|bep-?20|bnb|solana|litecoin|monero|stablecoins?|wallet|billetera|` +
		`carteira|portefeuille)\b|加密货币|虚拟货币|比特币|以太坊|泰达币|钱包`)
	// phraseIn matches what gives access to a wallet.
	phraseIn = later(`(?i)\b(?:(?:recovery|seed|secret|backup) ?(?:phrases?|words)|seed|mnemonics?|private keys?|` +
		`(?:12|24|twelve|twenty-four) words|` +
		`frases? (?:semilla|secretas?|de recuperaci[óo]n)|palabras? (?:semilla|secretas?)|semilla|claves? privadas?|` +
		`(?:12|24|doce|veinticuatro) palabras|` +
		`(?:wiederherstellungs|seed-?)phrase|private[nrms]? (?:key|schl(?:ü|ue)ssel)|(?:12|24|zw[öo]lf) w(?:ö|oe)rter|` +
		`phrases? (?:de r[ée]cup[ée]ration|secr[èe]te)|cl[ée]s? priv[ée]es?|(?:12|24|douze|vingt-quatre) mots|` +
		`frases?[- ](?:de recupera[çc][ãa]o|secreta|semente)|chaves? privadas?|(?:12|24|doze|vinte e quatro) palavras)` +
		`(?:\PL|$)|助记词|私钥`)
	// exchangeIn matches the name of an exchange.
	exchangeIn = later(`(?i)(?:^|[^\pL\pN./@_-])(` + strings.ReplaceAll(exchangeNames, ".", `\.`) +
		`)(?:[^\pL\pN@_-]|$)`)
)

// exchangeNames are the names of exchanges as they write them. Those that are words of a language have more to them.
const exchangeNames = `Binance|Coinbase|Kraken|KuCoin|OKX|Bybit|Bitso|Crypto.com|Bitstamp|Bitfinex|Gate.io|Huobi|HTX|` +
	`MEXC|Bitget|BingX|Gemini|eToro|Robinhood|Revolut|Bitpanda|Bit2Me|Mercado Bitcoin|Lemon Cash|Ripio|Buda.com|` +
	`Foxbit|Upbit|Bithumb|Coinone|WazirX|CoinDCX|CoinSwitch|CoinSpot|Swyftx|Luno|Paxful|NDAX|Bitvavo|Coinhouse|` +
	`Paymium|Cash App|MoonPay`

// ReadLoss reads how money was lost: from the words of a story, and from the currency that was named, "" for none.
// Coin means that the loss is known to be of a coin, such as by an address that was paid to.
func ReadLoss(story, code string, coin bool) Loss {
	l := Loss{Phrase: phraseIn().MatchString(story)}
	l.Crypto = coin || isCoin(code) || coinIn().MatchString(story)
	_, numbers := withoutBankNumbers(story)
	l.Bank = len(numbers) > 0 || bankIn().MatchString(story) || isMoney(code) && (code != usDollars || !l.Crypto) ||
		!l.Crypto && movedIn().MatchString(story)
	for rest := story; len(l.Exchanges) < maxExchanges; {
		m := exchangeIn().FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		name := exchangeName(rest[m[2]:m[3]])
		if !slices.Contains(l.Exchanges, name) {
			l.Exchanges = append(l.Exchanges, name)
		}
		rest = rest[m[3]:]
	}
	return l
}

// exchangeName is a name as its exchange writes it.
func exchangeName(typed string) string {
	for name := range strings.SplitSeq(exchangeNames, "|") {
		if strings.EqualFold(name, typed) {
			return name
		}
	}
	return typed
}

// isMoney reports whether a code is of the money of a country.
func isMoney(code string) bool {
	_, err := currency.ParseISO(code)
	return code == "PESOS" || err == nil && !isCoin(code)
}

// isCoin reports whether a code is of a coin.
func isCoin(code string) bool { return coins.MatchString(code) }

// coins matches the codes of coins.
var coins = regexp.MustCompile(`^(?:USDT|USDC|DAI|PYUSD|BTC|ETH|BNB|SOL|TRX|XRP|LTC|DOGE|TON|XMR|ADA|BCH|MATIC|POL)$`)
