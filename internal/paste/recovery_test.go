package paste

import "testing"

// TestWordsOfThoseWhoOfferToBringMoneyBackAreKnown, in the languages of the pages, and told from a recovery phrase.
func TestWhoWasCheatedIsKnownByTheirWords(t *testing.T) {
	for text, is := range map[string]bool{
		"me han estafado que hago": true, "policia": true, "I was scammed what do I do": true, "被骗了怎么办": true,
		"lena gold": false, "fake police badge": false, "": false,
	} {
		want(t, text, AsksForHelp(text), is)
	}
}

// TestSitesOfThoseWhoOfferToBringMoneyBackAreKnownByTheirNames, also where their words are one.
func TestSitesOfThoseWhoOfferToBringMoneyBackAreKnownByTheirNames(t *testing.T) {
	for name, is := range map[string]bool{
		"crypto-recovery-experts.com": true, "recoverfunds.example": true, "refund-help.example": true,
		"recuperarfondos.example": true, "fundsback.example": true, "geldrückerstattung.example": true,
		"uniswap.org": false, "feedback.example": false, "backpack.app": false,
	} {
		want(t, name, IsRecoverySite(name), is)
	}
}

func TestWordsOfThoseWhoOfferToBringMoneyBackAreKnown(t *testing.T) {
	for _, text := range []string{"recover your funds", "hacker recovery", "fund recovery expert", "hire a hacker",
		"how to get my money back", "Crypto Recovery Services Ltd", "recuperar mi dinero", "recuperación de fondos",
		"récupérer mon argent", "recuperar dinheiro do golpe", "Geld zurück nach Betrug", "追回资金", "被骗的钱能找回吗"} {
		if !OffersRecovery(text) {
			t.Errorf("%q is not known", text)
		}
	}
	for _, text := range []string{"recovery phrase", "my seed phrase to recover funds", "hacker", "lena gold",
		"frase de recuperación", "fake airdrop", "money", "scam", ""} {
		if OffersRecovery(text) {
			t.Errorf("%q is taken for it", text)
		}
	}
}

// TestWhoCannotGetTheirMoneyOutIsKnown, and who is asked for a fee before, in the languages of the pages.
func TestWhoCannotGetTheirMoneyOutIsKnown(t *testing.T) {
	for text, is := range map[string][2]bool{
		"I sent money to a man called Daniel and now I cannot withdraw, is it a scam?": {true, false},
		"I can't get my money out": {true, false}, "they won't let me withdraw": {true, false},
		"My withdrawal was rejected":                                  {true, false},
		"no me dejan retirar mi dinero":                               {true, false},
		"Ich kann mein Geld nicht auszahlen":                          {true, false},
		"je ne peux pas retirer mon argent":                           {true, false},
		"não consigo sacar o meu dinheiro":                            {true, false},
		"平台不能提现怎么办":                                                   {true, false},
		"You must pay a 15% tax to unlock the withdrawal":             {false, true},
		"Debe pagar un impuesto del 15 % para desbloquear el retiro.": {false, true},
		"Vor der Auszahlung müssen Sie 15 % Steuer zahlen":            {false, true},
		"Vous devez payer des frais pour débloquer le retrait":        {false, true},
		"Precisa pagar a taxa para liberar o saque":                   {false, true},
		"提现前需要先支付15%的税":                                               {false, true},
		"Lena wrote to me on Telegram and sent a photo":               {}, "Taxes are due in April": {}, "": {},
		"I will withdraw my money": {},
	} {
		want(t, text, [2]bool{CannotGetOut(text), AsksForFee(text)}, is)
	}
}

// TestWhoSaysThatTheyAreSupport: of a company. Those who help victims are support as well.
func TestWhoSaysThatTheyAreSupport(t *testing.T) {
	for text, claims := range map[string]bool{
		"@metamask_support": true, "Your support team": true, "MetaMask Support": true, "Soporte Binance": true,
		"Victim Support": false, "unsupported token": false, "lena": false,
	} {
		want(t, text, ClaimsSupport(text), claims)
	}
}
