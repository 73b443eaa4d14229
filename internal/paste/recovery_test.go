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
