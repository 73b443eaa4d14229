package paste

import "testing"

// TestAStorySaysHowMoneyWasLost, in the languages of the pages.
func TestAStorySaysHowMoneyWasLost(t *testing.T) {
	for story, wanted := range map[string]Loss{
		"I sent it to DE89 3704 0044 0532 0130 00.": {Bank: true},
		"I made a bank transfer, then bought USDT on binance and KRAKEN": {Bank: true, Crypto: true,
			Exchanges: []string{"Binance", "Kraken"}},
		"Hice una transferencia a su cuenta":              {Bank: true},
		"Hice una transferencia de 3400 USDT":             {Crypto: true},
		"Pagué con mi tarjeta":                            {Bank: true},
		"Ich habe das Geld überwiesen":                    {Bank: true},
		"J’ai fait un virement":                           {Bank: true},
		"Fiz um pix":                                      {Bank: true},
		"我用银行卡付了钱":                                        {Bank: true},
		"I typed my 12 words":                             {Phrase: true},
		"Le di mi frase de recuperación":                  {Phrase: true},
		"Ich gab ihm die Wiederherstellungsphrase":        {Phrase: true},
		"J’ai donné ma phrase de récupération":            {Phrase: true},
		"Passei a minha frase de recuperação":             {Phrase: true},
		"我把助记词告诉了他":                                       {Phrase: true},
		"It came from support@binance.com, binance-x.vip": {},
		"She wrote. Then it was gone.":                    {},
	} {
		want(t, story, ReadLoss(story, "", false), wanted)
	}
	for code, bank := range map[string]bool{"EUR": true, "PESOS": true, "USD": true, "USDT": false,
		"XRP": false, "": false} {
		want(t, code, ReadLoss("Gone.", code, false).Bank, bank)
	}
	want(t, "dollars, by an address", ReadLoss("Gone.", "USD", true), Loss{Crypto: true})
}
