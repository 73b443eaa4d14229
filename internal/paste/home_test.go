package paste

import (
	"fmt"
	"testing"
)

// TestAHomeAddressMayBeTheWritersOwn as a whole: no piece of a word is left of it.
func TestAHomeAddressMayBeTheWritersOwn(t *testing.T) {
	for text, found := range map[string][]string{
		"[14:02] Maggie Holloway: 14 Orchard Lane, Kettering NN16 8QT": {"14 Orchard Lane, Kettering NN16 8QT"},
		"My address is 14 Orchard Lane, Kettering NN16 8QT. He came": {
			"My address is 14 Orchard Lane, Kettering NN16 8QT"},
		"¿Cuál es tu dirección?\nCalle Durango 245 int 3, Col. Roma Norte, 06700 CDMX\nGracias": {
			"Calle Durango 245 int 3, Col. Roma Norte, 06700 CDMX"},
		"I live at 14 Orchard Lane, Kettering, NN16 8QT and she wrote": {
			"I live at 14 Orchard Lane, Kettering, NN16 8QT"},
		"What is your address?\nMaggie: Rose Cottage 3, Kettering\nok": {"Rose Cottage 3, Kettering"},
		"sent it to Rose Cottage, Kettering NN16 8QT and":              {"Rose Cottage, Kettering NN16 8QT"},
		"C/ Mayor, 14, 3º B. Avda. de América 5":                       {"C/ Mayor, 14, 3º B. Avda. de América 5"},
		"C/ Mayor 14. Calle Roble 5":                                   {"C/ Mayor 14", "Calle Roble 5"},
		"at 14 orchard lane, he said":                                  {"14 orchard lane"},
		"Mi dirección es Insurgentes Sur 300, CDMX y luego":            {"Mi dirección es Insurgentes Sur 300, CDMX"},
		"Meine Adresse ist Lindenstraße 12, 10969 Berlin, er kam": {
			"Meine Adresse ist Lindenstraße 12, 10969 Berlin"},
		"Er kam in die Lindenstraße 12a, 10969 Berlin.": {"Lindenstraße 12a, 10969 Berlin"},
		"Mon adresse est 12 rue de la Paix, 75002 Paris, il": {
			"Mon adresse est 12 rue de la Paix, 75002 Paris"},
		"chez moi, 12 bis rue des Lilas, 75020 Paris.":      {"12 bis rue des Lilas, 75020 Paris"},
		"Meu endereço é Rua das Flores 45, 4000-123 Porto.": {"Meu endereço é Rua das Flores 45, 4000-123 Porto"},
		"I wrote 14 Orchard Lane. My email":                 {"14 Orchard Lane"},
		"at 14 Oak Avenue Apt. 4B, Salem, IL 62704. Then":   {"14 Oak Avenue Apt. 4B, Salem, IL 62704"},
		"vivo en Calle Durango 245, Col. Roma, 06700 CDMX. Me llamó": {
			"vivo en Calle Durango 245, Col. Roma, 06700 CDMX"},
		"Av. Reforma 222, Col. Juárez, CDMX. Y":           {"Av. Reforma 222, Col. Juárez, CDMX"},
		"en Carrera 7 # 12-45, Bogotá":                    {"Carrera 7 # 12-45, Bogotá"},
		"Mi domicilio es Insurgentes 300, y":              {"Mi domicilio es Insurgentes 300"},
		"moro na Rua das Flores, 45, apto 3, Santos. Ela": {"moro na Rua das Flores, 45, apto 3, Santos"},
		"I live in Spain, 3 months ago he came":           {"I live in Spain"},
		"na Rua 7 de Setembro 100.":                       {"Rua 7 de Setembro 100"},
		"am Alten Weg 5, 12345 Ort, aber Platz 3 von 5":   {"Alten Weg 5, 12345 Ort"},
		"3 place de la bourse":                            {"3 place de la bourse"},
		"我的地址是北京市朝阳区建国路88号5号楼301室，他来了":                    {"我的地址是北京市朝阳区建国路88号5号楼301室"},
		"我的地址是阳光花园3栋501，他来了":                              {"我的地址是阳光花园3栋501"},
		"他说公司在广州市天河路123号他们骗人":                             {"广州市天河路123号"},
		"通过这条道路我付了100号码，他坐3号线在路上，在网络上付了3号":                nil,
		"What is your address? " + tron:                   nil,
		"My address is Lena.Perez@mail.example":           {"My address is Lena.Perez@mail.example"},
		"My address is " + tron:                           {"My address is " + tron},
		"He called from 212 736 5000":                     {"212 736 5000"},
		"in 3 days I lost 2000 on the way, 5 USDT a day":  nil,
		"en la calle me dijo que tenía que pagar 300":     nil,
		"a wallet address, his address is known, 10 May":  nil,
	} {
		if got := Personal(text); fmt.Sprint(got) != fmt.Sprint(found) {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// TestNoHalfOfAHomeIsLeft: the number, the floor and the town behind a comma are a part of it.
func TestNoHalfOfAHomeIsLeft(t *testing.T) {
	for _, home := range []string{
		"Vivo en la calle Mayor, 14 3B de Madrid", "Vivo en la calle Mayor, número 14, tercero B, Madrid",
		"Vivo en c/ Mayor nº 14, 3º izda, 28013 Madrid", "Plaza de España 3, ático", "Calle Mayor 14 en Madrid",
		"vivo en Gran Vía, 32, 5º C, Madrid", "mi casa está en Gran Vía 32, 5º C",
		"Resido en Carrer de Balmes, 20, Barcelona",
		"paseo de la Castellana, 120, 4º dcha", "I live at number 14 Orchard Lane, Leeds LS1 4AP",
		"I'm living at Flat 2, 14 Orchard Lane, Leeds", "Ich wohne in der Lindenstr. 12, 10969 Berlin",
		"wohnhaft Lindenstraße 12 in 10969 Berlin", "Lindenstraße 12, 2. Etage, 10969 Berlin",
		"J’habite au 12, rue des Lilas, 75020 Paris", "12, rue des Lilas à Paris",
		"j'habite 12 rue Victor Hugo, appt 4, Lyon",
		"Moro na rua das Flores, 45, ap. 3, Santos", "Rua das Flores, 45 - ap 3 - Santos/SP, CEP 11010-000",
		"家住上海市浦东新区张江镇",
	} {
		for _, after := range []string{"", ", y me llamó", " y me llamó"} {
			want(t, home+after, Personal(home+after), []string{home})
		}
	}
	for _, text := range []string{"Calle de la amargura", "3 de mayo, 14 horas", "en la calle, 3 personas"} {
		want(t, text, Personal(text), []string(nil))
	}
}
