package paste

import (
	"strings"
	"testing"
)

// TestTheNumberOfAnIdentityPaperIsTakenAsAWhole: with its letter, in each form of those that people write.
func TestTheNumberOfAnIdentityPaperIsTakenAsAWhole(t *testing.T) {
	for text, found := range map[string]string{
		"Mi DNI 12345678Z, y":                              "Mi DNI 12345678Z",
		"Mi DNI 12345678-Z.":                               "Mi DNI 12345678-Z",
		"Mi dni es 12345678z y pagué":                      "Mi dni es 12345678z",
		"DNI: 12.345.678-Z":                                "12.345.678-Z",
		"Le di 12.345.678 Z sin más":                       "12.345.678 Z",
		"le mandé 12345678-Z":                              "12345678-Z",
		"NIE X-1234567-L":                                  "X-1234567-L",
		"le di x1234567l":                                  "x1234567l",
		"me llamo Marta con DNI 12.345.678-Z,":             "me llamo Marta con DNI 12.345.678-Z",
		"Mi pasaporte es PAB123456":                        "PAB123456",
		"Pasaporte nº PAB123456 BBVA":                      "PAB123456",
		"My NI number AB123456C":                           "AB123456C",
		"QQ 12 34 56 C":                                    "",
		"AB 12 34 56 C and":                                "AB 12 34 56 C",
		"my passport number is 533380006":                  "my passport number is 533380006",
		"Passport No. 533380006, sent":                     "533380006",
		"Mein Reisepass ist C01X00T47":                     "C01X00T47",
		"Personalausweis: L01X00T471 geschickt":            "L01X00T471",
		"Steuer-ID 86095742719":                            "86095742719",
		"sécurité sociale : 1 85 05 78 006 084 91 et":      "1 85 05 78 006 084 91",
		"je lui ai donné 185057800608436":                  "",
		"carte d’identité 880692310285":                    "880692310285",
		"CPF 529.982.247-25":                               "529.982.247-25",
		"mandei 52998224725 para ele":                      "52998224725",
		"Meu CPF é 529 982 247 25":                         "Meu CPF é 529 982 247 25",
		"mon numéro 1 85 05 78 006 084 91":                 "mon numéro 1 85 05 78 006 084 91",
		"CURP GALM900101MDFRPR09":                          "GALM900101MDFRPR09",
		"SSN 123-45-6789":                                  "123-45-6789",
		"codice RSSMRA85T10A562S":                          "RSSMRA85T10A562S",
		"身份证号码11010519491231002X，":                         "11010519491231002X",
		"mi cuenta FR14 2004 1010 0505 0001 3M02 606 BBVA": "mi cuenta FR14 2004 1010 0505 0001 3M02 606",
		"er hat nie 12345 Euro gezahlt":                    "",
		"passport: 2026-11-20":                             "",
		"12345678A y 12.345.678":                           "12345678A",
		"12345678-A":                                       "",
		"My NI number QQ 12 34 56 C, and":                  "QQ 12 34 56 C",
		"NINO: QQ123456C":                                  "QQ123456C",
		"dni: 12 345 678 Z":                                "12 345 678 Z",
		"DNI 12345678 Y luego":                             "12345678",
		"licence WHITF705034S99AB":                         "",
		"driving licence WHITF705034S99AB":                 "WHITF705034S99AB",
		"nº SS 28/12345678/40":                             "28/12345678/40",
		"NHS number 943 476 5919":                          "943 476 5919",
		"mon numéro de sécu 2 74 05 78 006 084 91":         "mon numéro de sécu 2 74 05 78 006 084 91",
		"paid 1234 Z":                                      "",
		"11111111111":                                      "11111111111",
	} {
		want(t, text, strings.Join(Personal(text), " | "), found)
	}
	want(t, "what it is about", []string{Core("Mi DNI 12345678-Z"), Core("mi cuenta ES91 2100 0418 4502 0005 1332")},
		[]string{"12345678-Z", "ES91 2100 0418 4502 0005 1332"})
}

// TestTheCheckDigitsOfAnIdentityPaperProveIt.
func TestTheCheckDigitsOfAnIdentityPaperProveIt(t *testing.T) {
	for number, is := range map[string]bool{
		"12345678Z": true, "12345678A": false, "X1234567L": true, "Y1234567X": true, "Z1234567R": true, "X1234567A": false,
		"529.982.247-25": true, "529.982.247-24": false, "11111111111": false, "185057800608491": true,
		"185057800608492": false, "11010519491231002X": true, "110105194912310021": false, "": false, "1Z": false,
		"1X345678Z": false,
	} {
		want(t, number, isPaper(number), is)
	}
}
