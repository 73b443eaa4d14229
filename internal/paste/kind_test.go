package paste

import "testing"

// TestTheKindOfWhatIsTakenOutIsTold from its words, so that a word for it can stand in its place.
func TestTheKindOfWhatIsTakenOutIsTold(t *testing.T) {
	kinds := map[Private][]string{
		OfMail: {"I am maggie.h@gmail.com", "maggie.h[at]gmail.com"},
		OfName: {"My name is John Smith", "Soy Marta Iglesias", "mi marido Paco Ruiz", "我叫王伟"},
		OfHome: {"I live at 14 Orchard Lane, Kettering NN16 8QT", "Calle Mayor 14, 3º B", "i live in kettering"},
		OfBank: {"20-45-45 12345678", "account number 12345678", "ES91 2100 0418 4502 0005 1332", "4111 1111 1111 1111",
			"sort code 20-45-45"},
		OfPhone:    {"+34 612 345 678", "My mobile is 07700 900123", "655201947", "Mi teléfono es 612345678"},
		OfPaper:    {"12345678Z"},
		OfBirth:    {"born on 12 March 1972"},
		OfPassword: {"password: hunter2!"},
		OfWallet:   {"My wallet 0x000000000000000000000000000000000000dEaD"},
		Unsaid:     {"14"},
	}
	for kind, texts := range kinds {
		for _, text := range texts {
			want(t, text, PrivateKind(text), kind)
		}
	}
}

// TestATownInSmallLettersIsAskedAbout with the home before it.
func TestATownInSmallLettersIsAskedAbout(t *testing.T) {
	for text, found := range map[string]string{
		"i live in kettering.":                               "i live in kettering",
		"my address is 14 orchard lane kettering\nLena: ok":  "my address is 14 orchard lane kettering",
		"vivo en la calle mayor 14 3B, madrid":               "vivo en la calle mayor 14 3B, madrid",
		"my address is 14 Orchard Lane yesterday.":           "my address is 14 Orchard Lane",
		"my address is 14 orchard lane and i paid 500 euros": "my address is 14 orchard lane",
	} {
		want(t, text, Personal(text)[0], found)
	}
}
