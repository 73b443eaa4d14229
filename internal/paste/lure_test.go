package paste

import "testing"

// TestWhatOnlyFraudAsksForIsRecognised in the languages of the pages, and not in a warning of it, nor in a question of
// somebody about their own.
func TestWhatOnlyFraudAsksForIsRecognised(t *testing.T) {
	for text, lure := range map[string]Lure{
		"Your wallet is suspended. Send us your 12 word recovery phrase to verify.":   AsksPhrase,
		"To unlock it enter your seed phrase at the support desk":                     AsksPhrase,
		"They ask for my recovery phrase, is this normal?":                            AsksPhrase,
		"Bitte geben Sie Ihre Wiederherstellungsphrase ein":                           AsksPhrase,
		"Envíanos tu frase de recuperación para verificar":                            AsksPhrase,
		"Saisissez votre phrase de récupération":                                      AsksPhrase,
		"Digite a sua frase de recuperação":                                           AsksPhrase,
		"请输入您的助记词":                                                                    AsksPhrase,
		"Send 1 ETH to 0x8f3a1cd92b04e7a16bd5c8e12907f4a3cc5b61d9 and get 2 ETH back": Doubles,
		"Sende 1 ETH und du bekommst 2 ETH zurück":                                    Doubles,
		"Envía 1 ETH y recibe el doble":                                               Doubles,
		"Envoyez 1 ETH et recevez le double":                                          Doubles,
		"Envie 1 ETH e receba o dobro":                                                Doubles,
		"发送 1 ETH，获得双倍":                                                               Doubles,
		"This is Binance support. Please move your funds to the safe wallet 0x8f3a":   SafeWallet,
		"Übertragen Sie Ihr Guthaben auf das sichere Konto":                           SafeWallet,
		"Transfiera su saldo a la cuenta segura":                                      SafeWallet,
		"Transférez vos fonds vers le compte sécurisé":                                SafeWallet,
		"Transfira o saldo para a conta segura":                                       SafeWallet,
		"请把资金转到安全账户":                                                                  SafeWallet,
		"Mama, mein Handy ist kaputt, das ist meine neue Nummer 0151 23456789":        NewNumber,
		"Hi mum, this is my new number":                                               NewNumber,
		"Hola mamá, este es mi nuevo número":                                          NewNumber,
		"We never ask you to enter your seed phrase.":                                 "",
		"Do not send us your recovery phrase":                                         "",
		"Gib niemals deine Wiederherstellungsphrase ein":                              "",
		"I lost my recovery phrase":                                                   "",
		"I sent 1 ETH, how do I get it back":                                          "",
		"Move what is left to a new wallet first":                                     "",
		"our support has a new number":                                                "",
		"0x8f3a1cd92b04e7a16bd5c8e12907f4a3cc5b61d9":                                  "",
	} {
		want(t, text, LureIn(text), lure)
	}
}
