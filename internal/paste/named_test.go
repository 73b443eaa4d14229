package paste

import "testing"

// TestANameInWordsOfOthersIsAskedAbout: of who has paid, of the family, in a greeting, in the languages of the pages.
func TestANameInWordsOfOthersIsAskedAbout(t *testing.T) {
	for text, found := range map[string][]string{
		"Ordenante MARTA IGLESIAS PEREZ\nBeneficiario LENA ORR": {"Ordenante MARTA IGLESIAS PEREZ"},
		"ORDENANTE\nMARTA IGLESIAS":                             {"ORDENANTE\nMARTA IGLESIAS"},
		"Auftraggeber: Frau Petra Meier":                        {"Auftraggeber: Frau Petra Meier"},
		"Donneur d'ordre : Anne Petit, et":                      {"Donneur d'ordre : Anne Petit"},
		"Pagador: João Silva":                                   {"Pagador: João Silva"},
		"Payer: Brian Holt":                                     {"Payer: Brian Holt"},
		"付款人：王伟":                                                {"付款人：王伟"},
		"Hola Marta! Soy Lena de Kraken":                        {"Hola Marta"},
		"Hola Marta Soy Lena":                                   {"Hola Marta"},
		"Hola Señora Iglesias, soy su asesora":                  {"Hola Señora Iglesias"},
		"Dear Mrs Iglesias,":                                    {"Dear Mrs Iglesias"},
		"Liebe Petra,\nich":                                     {"Liebe Petra"},
		"Bonjour Madame Petit,":                                 {"Bonjour Madame Petit"},
		"Olá Joana, tudo bem":                                   {"Olá Joana"},
		"亲爱的王伟，你好":                                              {"亲爱的王伟"},
		"Mi hijo Pablo trabaja en Toledo":                       {"Mi hijo Pablo"},
		"my son, Tom, paid":                                     {"my son, Tom"},
		"mit meinem Mann Karl":                                  {"meinem Mann Karl"},
		"ma fille Zoé":                                          {"ma fille Zoé"},
		"minha mãe Ana":                                         {"minha mãe Ana"},
		"Un saludo,\nMarta Iglesias":                            {"Un saludo,\nMarta Iglesias"},
		"Me llamo Marta Ruiz. Hola Marta! Hola Petra":           {"Me llamo Marta Ruiz", "Hola Petra"},
		"10:22 Marta Ruiz: Hola Lena\n10:23 Lena: Hola Marta":   nil, // who they are is asked of the senders
		"Hi there, Dear Sir or Madam, Hola Amiga, Hola Buenas":  nil,
		"尊敬的客户，付款人是谁":                                           nil,
		"Perdí todo. Firmado: Marta Iglesias":                   {"Firmado: Marta Iglesias"},
		"Firmado: Marta":                                        {"Firmado: Marta"},
		"Fdo.: Marta Iglesias y":                                {"Fdo.: Marta Iglesias"},
		"Atentamente, Marta Iglesias":                           {"Atentamente, Marta Iglesias"},
		"Yours sincerely,\nSusan Whitfield\nx":                  {"Yours sincerely,\nSusan Whitfield"},
		"Thanks, Susan Whitfield":                               {"Thanks, Susan Whitfield"},
		"Signed: Susan Whitfield":                               {"Signed: Susan Whitfield"},
		"Viele Grüße Petra Meier":                               {"Viele Grüße Petra Meier"},
		"gez. Petra Meier":                                      {"gez. Petra Meier"},
		"Abraços, Joana Silva":                                  {"Abraços, Joana Silva"},
		"Meu nome: Joana Silva":                                 {"Meu nome: Joana Silva"},
		"She already knew my name, Peter Hollis.":               {"my name, Peter Hollis"},
		"He knew my name Peter Hollis.":                         {"my name Peter Hollis"},
		"Ya sabía mi nombre, Marta Iglesias, y mi banco.":       {"mi nombre, Marta Iglesias"},
		"a nombre de Marta Iglesias. Titular: Marta Ruiz":       {"a nombre de Marta Iglesias", "Titular: Marta Ruiz"},
		"It was in the name of Peter Hollis.":                   {"in the name of Peter Hollis"},
		"The account holder name is Peter Hollis.":              {"account holder name is Peter Hollis"},
		"mi prima Rosa, mi amiga Carmen, my cousin Tom, my friend Ann": {"mi prima Rosa", "mi amiga Carmen",
			"my cousin Tom", "my friend Ann"},
		"Estimada Sra. [nombre]: su cuenta": nil, "Dear Mr [name], your account": nil,
		"Dear Mr Hollis, pay.\nYours sincerely, Peter Hollis":  {"Yours sincerely, Peter Hollis"},
		"Yours sincerely, Peter Hollis. Then: Dear Mr Hollis":  {"Yours sincerely, Peter Hollis."},
		"Sie wusste meinen Namen, Petra Meier.":                {"meinen Namen, Petra Meier"},
		"auf den Namen Petra Meier. Kontoinhaber: Karl Meier":  {"auf den Namen Petra Meier", "Kontoinhaber: Karl Meier"},
		"au nom d'Anne Petit. Titulaire du compte : Jean Roux": {"au nom d'Anne Petit", "Titulaire du compte : Jean Roux"},
		"Ele sabia o meu nome, João Silva, e":                  {"meu nome, João Silva"},
		"em nome de João Silva, titular da conta Ana Silva":    {"em nome de João Silva", "titular da conta Ana Silva"},
		"我是王伟，本人王伟":                                            {"我是王伟", "本人王伟"}, "我老婆李娜": {"我老婆李娜"},
		"我是高兴的，我妈妈被骗了，本人被骗": nil, "firmado: el contrato": nil,
		"Thanks, Lena Gold wrote": nil, "Regards to all": nil,
		"mi hijo pagó, hola marta": nil, "in the name of Kraken, my name and my bank": nil, "titular de prensa": nil,
	} {
		want(t, text, Personal(text), found)
	}
	for text, name := range map[string]string{"Ordenante: MARTA IGLESIAS PEREZ": "MARTA IGLESIAS PEREZ",
		"Hola Señora Iglesias": "Iglesias", "Firmado: Marta Iglesias": "Marta Iglesias", "我是王伟": "王伟",
		"my name, Peter Hollis": "Peter Hollis", "Titular: Marta Ruiz": "Marta Ruiz", "au nom d'Anne Petit": "Anne Petit",
		"Thanks, Susan Whitfield": "Susan Whitfield", "Mi hijo Pablo": "Pablo", "付款人：王伟": "王伟"} {
		want(t, text, NameIn(text), name)
	}
}
