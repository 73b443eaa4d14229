package paste

import "testing"

// TestPasswordsAndBirthDaysAreAskedAbout, and what only sounds like them is not.
func TestPasswordsAndBirthDaysAreAskedAbout(t *testing.T) {
	for text, found := range map[string][]string{
		"Mi contraseña de Binance era Toledo1974! y entró":    {"contraseña de Binance era Toledo1974!"},
		"Contraseña: Toledo1974!":                             {"Contraseña: Toledo1974!"},
		"My password was Toledo1974!. He had it":              {"password was Toledo1974!"},
		"Mein Passwort ist sommer#":                           {"Passwort ist sommer#"},
		"mon mot de passe était Lune_22, et":                  {"mot de passe était Lune_22"},
		"minha senha é gato2020":                              {"senha é gato2020"},
		"我的密码是abc12345":                                       {"密码是abc12345"},
		"I gave them password Kettering1, and paid":           {"password Kettering1"},
		"my password 2 times, password reset":                 nil,
		"my password was stolen, the password is the problem": nil,
		"La contraseña era falsa.":                            nil,
		"I was born on 3 May 1974 in Leeds":                   {"I was born on 3 May 1974"},
		"Nací el 3/5/1974.":                                   {"Nací el 3/5/1974"},
		"nací el 3 de mayo de 1974 en":                        {"nací el 3 de mayo de 1974"},
		"DOB: 1974-05-03":                                     {"DOB: 1974-05-03"},
		"nasci em 03/05/1974":                                 {"nasci em 03/05/1974"},
		"geboren am 3. Mai 1974":                              {"geboren am 3. Mai 1974"},
		"am 3.5.1974 geboren, geb. 03.05.1974":                {"am 3.5.1974 geboren", "geb. 03.05.1974"},
		"nací el 3 de mayo del 74, y":                         {"nací el 3 de mayo del 74"},
		"Anne Petit, née le 3 mai 1974":                       {"née le 3 mai 1974"},
		"nascida em 3 de maio de 1974":                        {"nascida em 3 de maio de 1974"},
		"nacida el 3 de mayo de 1974, y":                      {"nacida el 3 de mayo de 1974"},
		"出生日期：1974年5月3日":                                      {"出生日期：1974年5月3日"},
		"a new scam was born on Telegram":                     nil,
		"On 3/5/2026 I paid":                                  nil,
	} {
		want(t, text, Personal(text), found)
	}
}

// TestAnAccountAMailAndANameInOtherWords are asked about as wholes.
func TestAnAccountAMailAndANameInOtherWords(t *testing.T) {
	for text, found := range map[string][]string{
		"sc 204567 he said":                    {"sc 204567"},
		"SC: 20-45-67":                         {"SC: 20-45-67"},
		"Correo marta.i77 arroba gmail.com, y": {"marta.i77 arroba gmail.com"},
		"marta arroba gmail punto com":         {"marta arroba gmail punto com"},
		"Yo, Marta Iglesias, pagué":            {"Yo, Marta Iglesias"},
		"Un saludo, Marta Iglesias Pérez":      {"Un saludo, Marta Iglesias Pérez"},
		"Kind regards, Brian Holt":             {"Kind regards, Brian Holt"},
		"Mi marido Juan Pérez pagó":            {"Mi marido Juan Pérez"},
		"por 5 arrobas de trigo":               nil,
		"marta.iglesias77 arroba gmail.com":    {"marta.iglesias77 arroba gmail.com"},
		"marta arobase gmail point com":        {"marta arobase gmail point com"},
		"maggie.h at gmail dot com":            {"maggie.h at gmail dot com"},
		"look at gmail.com, 30 at gmail.com":   nil,
		"mi usuario 48291734":                  {"mi usuario 48291734"},
		"Con usuario 48291734 entró":           {"usuario 48291734"},
		"user name 48291734":                   {"user name 48291734"},
		"Kundennummer 4829 1734":               {"Kundennummer 4829 1734"},
		"用户名：48291734":                         {"用户名：48291734"},
		"user 1234 of Telegram":                nil,
	} {
		want(t, text, Personal(text), found)
	}
	want(t, "the name", NameIn("Yo, Marta Iglesias"), "Marta Iglesias")
	want(t, "spelled", holds("a marta.i77 arroba gmail punto com", "marta.i77@gmail.com"), true)
	want(t, "spelled in English", holds("to maggie.h at gmail dot com", "maggie.h@gmail.com"), true)
}
