package paste

import (
	"strings"
	"testing"
)

// TestEveryWordOfALossSaysWhatItSays: of a bank, of any payment, of a coin, of a recovery phrase, in the languages of
// the pages, and within no other word.
func TestEveryWordOfALossSaysWhatItSays(t *testing.T) {
	for list, loss := range map[string]Loss{
		"my bank,our banks,his bank,her bank,their bank,the bank,bank account,bank accounts,bank transfer,bank details," +
			"bank card,wire transfer,wire transfers,wired,iban,sepa,zelle,debit card,credit cards,my card,by card,direct " +
			"debit," +
			"mi banco,su banco,un banco,el banco,cuenta bancaria,cuentas bancarias,cuenta corriente,cuenta de banco," +
			"transferencia bancaria,transferencias bancarias,tarjeta,tarjetas,bizum,spei,clabe,cbu,cvu," +
			"meine bank,seine bank,ihre bank,die bank,einer bank,bankkonto,banküberweisung,bankueberweisung,kreditkarte," +
			"lastschrift,überweisung,überwiesen,ma banque,sa banque,leur banque,la banque,une banque,virement,virements," +
			"compte bancaire,comptes bancaires,carte bancaire,carte bleue,carte de crédit,carte de credit," +
			"meu banco,seu banco,do banco,o banco,um banco,conta bancária,contas bancarias,conta corrente," +
			"transferência bancária,transferencias bancarias,cartão,cartao,pix,boleto,银行,信用卡,汇款," +
			"transfer,transferred,transferencia,transferí,transferi,deposit,deposited,deposito,deposité,deposite," +
			"depósito,transferência,dépôt,depot,einzahlung,转账,转帐": {Bank: true},
		"crypto,cryptocurrency,kryptowährung,criptomoneda,criptomonedas,criptomoeda,criptomoedas,bitcoin,bitcoins,btc,eth," +
			"ether,ethereum,usdt,usdc,tether,tron,trx,trc20,trc-20,erc20,erc-20,bep20,bep-20,bnb,solana,litecoin,monero," +
			"stablecoin,stablecoins,wallet,billetera,carteira,portefeuille,加密货币,虚拟货币,比特币,以太坊,泰达币," +
			"钱包": {Crypto: true},
		"recovery phrase,seed phrases,secret words,backup phrase,recoveryphrase,seed,mnemonic,mnemonics,private key," +
			"private keys,12 words,24 words,twelve words,twenty-four words,frase semilla,frases secretas,frase secreta," +
			"frase de recuperación,frase de recuperacion,palabra semilla,palabras secretas,palabra secreta,semilla," +
			"clave privada,claves privadas,12 palabras,24 palabras,doce palabras,veinticuatro palabras," +
			"wiederherstellungsphrase,seedphrase,seed-phrase,private key,privaten schlüssel,privater schluessel," +
			"privates key,privatem key,12 wörter,24 woerter,zwölf wörter,zwolf woerter,phrase de récupération," +
			"phrases de recuperation,phrase secrète,phrase secrete,clé privée,cles privees,12 mots,24 mots,douze mots," +
			"vingt-quatre mots,frase de recuperação,frase de recuperacao,frases-secreta,frase-semente,chave privada," +
			"chaves privadas,doze palavras,12 palavras,24 palavras,vinte e quatro palavras,助记词,私钥": {Phrase: true},
	} {
		for word := range strings.SplitSeq(list, ",") {
			for _, story := range []string{word, "Dann " + strings.ToUpper(word) + "."} {
				want(t, story, ReadLoss(story, "", false), loss)
			}
			if !strings.Contains(word, " ") && word[0] < 0x80 {
				want(t, "x"+word, ReadLoss("x"+word, "", false), Loss{})
			}
		}
	}
	for word := range strings.SplitSeq("transfer,transferred,transferencia,deposit,depósito,einzahlung,转账", ",") {
		want(t, word, ReadLoss(word+" usdt", "", false), Loss{Crypto: true}) // which may be of the coin
		want(t, word, ReadLoss(word, "", true), Loss{Crypto: true})
	}
	for code := range strings.FieldsSeq("USDT USDC DAI PYUSD BTC ETH BNB SOL TRX XRP LTC DOGE TON XMR ADA BCH MATIC " +
		"POL") {
		want(t, code, ReadLoss("Gone.", code, false), Loss{Crypto: true})
	}
	want(t, "dollars", ReadLoss("Gone.", "USD", false), Loss{Bank: true})
	want(t, "euros, and a coin", ReadLoss("Gone.", "EUR", true), Loss{Bank: true, Crypto: true})
	want(t, "no currency", ReadLoss("Gone.", "XYZ", false), Loss{})
}

// TestEveryExchangeIsNamedAsItWritesItself, once, three at most, and not in the name of a site.
func TestEveryExchangeIsNamedAsItWritesItself(t *testing.T) {
	names := strings.Split("Binance,Coinbase,Kraken,KuCoin,OKX,Bybit,Bitso,Crypto.com,Bitstamp,Bitfinex,Gate.io,Huobi,"+
		"HTX,"+
		"MEXC,Bitget,BingX,Gemini,eToro,Robinhood,Revolut,Bitpanda,Bit2Me,Mercado Bitcoin,Lemon Cash,Ripio,Buda.com,"+
		"Foxbit,Upbit,Bithumb,Coinone,WazirX,CoinDCX,CoinSwitch,CoinSpot,Swyftx,Luno,Paxful,NDAX,Bitvavo,Coinhouse,"+
		"Paymium,Cash App,MoonPay", ",")
	for _, name := range names {
		for _, typed := range []string{name, strings.ToLower(name), strings.ToUpper(name) + "."} {
			want(t, typed, ReadLoss("On "+typed+", then", "", false).Exchanges, []string{name})
		}
		for _, other := range []string{"a@" + name, "x" + name, name + "s", name + "-x.vip", "/" + name} {
			want(t, other, ReadLoss(other, "", false).Exchanges, []string(nil))
		}
	}
	want(t, "twice", ReadLoss("OKX, okx, Luno OKX HTX", "", false).Exchanges, []string{"OKX", "Luno", "HTX"})
	want(t, "too many", ReadLoss("Luno, HTX, OKX, Bybit", "", false).Exchanges, []string{"Luno", "HTX", "OKX"})
}
