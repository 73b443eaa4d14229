package paste

import (
	"cmp"
	"math"
	"strings"
	"testing"

	"tocsin"
)

// TestEachWordBesideANumberMultipliesItByWhatItSays, and no other word does.
func TestEachWordBesideANumberMultipliesItByWhatItSays(t *testing.T) {
	n := 0
	for times, list := range map[int64]string{1e3: "mil k tausend tsd thousand mille", 1e4: "万",
		1e5: "lakh lakhs lac lacs", 1e6: "m million millions millones millón millon millionen mio milhões milhoes milhão " +
			"milhao", 1e7: "crore crores"} {
		for word := range strings.FieldsSeq(list) {
			n++
			got, code, ok := beside(word)
			want(t, word, []any{got, code, ok}, []any{times, "", true})
			if is := ofIndia.MatchString("2 " + strings.ToUpper(word)); is != (times == 1e5 || times == 1e7) {
				t.Errorf("%s: of India %t", word, is)
			}
			if problem := amountProblem("2 " + word + " MXN"); problem.Kind != OtherCurrency || problem.Text != "MXN" {
				t.Errorf("%s of pesos: %+v", word, problem)
			}
		}
	}
	want(t, "words", n, len(multipliers))
	for text, times := range map[string]int64{"million million": 1e12, "crore million": 1e12, "mil mil mil": 1e9,
		"crore crore": 1e12, "万 usd": 1e4, "3k": 0} {
		got, _, _ := beside(text)
		want(t, text, got, times)
	}
	if sum, _ := Amount("92233720368547758.07", false); sum.USD != math.MaxInt64 {
		t.Errorf("the most that there is: %d", sum.USD)
	}
	if sum, _ := Amount("92233720368547758.06", false); sum.USD != math.MaxInt64-1 {
		t.Errorf("a cent less: %d", sum.USD)
	}
}

func amountProblem(text string) Problem {
	_, problem := Amount(text, false)
	if problem == nil {
		return Problem{}
	}
	return *problem
}

// TestEveryWordForACurrencyIsKnown, those for none too, each in a list with its code.
func TestEveryWordForACurrencyIsKnown(t *testing.T) {
	n := 0
	for code, list := range map[string]string{"USD": "$ usd us us$ dollar dollars dólares dolares dólar dolar 美元 " +
		"доллар " +
		"долларов", "": "about approx approximately ca circa etwa unos unas environ cerca de d’ d'", "USDT": "usdt tether",
		"USDC": "usdc", "DAI": "dai", "PYUSD": "pyusd", "BTC": "btc bitcoin bitcoins", "ETH": "eth ether", "BNB": "bnb",
		"SOL": "sol", "TRX": "trx", "XRP": "xrp", "LTC": "ltc", "DOGE": "doge", "TON": "ton", "XMR": "xmr", "ADA": "ada",
		"BCH": "bch", "MATIC": "matic", "POL": "pol", "EUR": "€ euro euros 欧元",
		"GBP": "£ pound pounds libra libras pfund livres 英镑", "JPY": "¥ 円 yen yenes 日元", "CHF": "franken 瑞士法郎",
		"CNY": "元 人民币 yuan rmb", "INR": "₹ rs rupee rupees rupias", "RUB": "₽ ruble rubles рублей", "TRY": "₺ lira liras",
		"PLN": "zł złoty złotych", "KRW": "₩", "VND": "₫", "UAH": "₴", "NGN": "₦", "BRL": "r$ real reais",
		"PESOS": "peso pesos", "PEN": "soles", "VES": "bolívares bolivares", "BOB": "bolivianos", "GTQ": "quetzales",
		"CRC": "colones", "HNL": "lempiras", "PYG": "guaraníes guaranies"} {
		for word := range strings.FieldsSeq(list) {
			n++
			times, got, ok := beside(strings.ToUpper(word))
			want(t, word, []any{times, got, ok}, []any{1, code, true})
			_, got, ok = beside("usd " + word + " usd")
			want(t, "dollars, "+word, []any{got, ok}, []any{cmp.Or(code, usDollars), true})
		}
	}
	want(t, "words", n, len(currencies))
	for text, ok := range map[string]bool{"eur usdt": false, "usdt eur": false, "eur euros": true, "usd eur usd": true,
		"chf": true, "eur about usd": true, "xyzzy": false, "usdt usd usdc": false} {
		_, _, got := beside(text)
		want(t, text, got, ok)
	}
}

func TestAnAmountIsReadToItsLastMark(t *testing.T) {
	for text, sum := range map[string]tocsin.USD{
		"~5": 500, "≈ 5": 500, "1": 100, "0.5": 50, "5.05": 505, "5,5": 550, "999,99": 99999, "12,400.5": 1240050,
		"1,25,000.50": 12500050, "12.400,5": 1240050, "1.250.500": 125050000, "1,250,500": 125050000, "123,456," +
			"789": 12345678900,
		"1 25 000": 12500000, "12'400": 1240000, "12’400.50": 1240050, "12\u00a0400": 1240000, "12\u202f400": 1240000,
		"12\u2009400,5": 1240050, "12400.507": 1240050, "0.500": 50, "1234.567": 123456, "0,507": 50,
	} {
		if got, problem := Amount(text, false); problem != nil || got.USD != sum {
			t.Errorf("%s: %+v, %+v", text, got, problem)
		}
	}
	for text, readings := range map[string][]tocsin.USD{"3.400": {340000, 340}, "100.500": {10050000, 10050},
		"1.5 lakh": {15000000}, "3.400 lakh": {34000000000, 34000000}} {
		want(t, text, amountProblem(text).Readings, readings)
	}
	for text, kind := range map[string]Kind{"1,2500": UnclearAmount, "1.25.000": UnclearAmount, "12 4000": UnclearAmount,
		"1234 567": UnclearAmount, "1,234.567": UnclearAmount, "1.234,567": UnclearAmount, "12 34,5": UnclearAmount,
		"": NoNumber, "-": Negative, "-x": Negative, "x5": ExtraText, "5x": ExtraText, "1,2,3": UnclearAmount,
		"5 000 6": UnclearAmount, "1234,567,890": UnclearAmount, "0123.456.789,50": UnclearAmount} {
		want(t, text, amountProblem(text).Kind, kind)
	}
	problem := amountProblem("12 34 EUR")
	want(t, "the text of a problem", problem.Text, "12 34")
	want(t, "its currency", amountProblem("12 345 EUR").Text, "EUR")
	want(t, "all of it", amountProblem(" 2 lakh ").Text, "2 lakh")
}

// TestWhoOffersRecoveryIsKnownByAnyTwoWords, in the languages of the pages, and by the name of a site.
func TestWhoOffersRecoveryIsKnownByAnyTwoWords(t *testing.T) {
	back := strings.Split("recover,retrieve,reclaim,refund,chargeback,tracing,récupérer,recuperar,récuperer,recupérer,"+
		"hire,"+
		"reverse,get it back,getting it back,give back,bring back,win back,zurück,zuruck,rückholung,ruckholung", ",")
	for _, word := range back {
		want(t, word, []bool{OffersRecovery(word + " money"), OffersRecovery(word)}, []bool{true, false})
	}
	lost := "fund funds money crypto cryptocurrency bitcoin bitcoins btc eth usdt asset assets coin coins stolen lost " +
		"scam scammed scammer transaction transactions hacker hackers expert experts specialist specialists agent agents " +
		"service services company companies lawyer lawyers dinero fondos cripto criptos estafa robado dinheiro fundos " +
		"golpe " +
		"argent fonds escroquerie arnaque geld verloren betrug"
	for word := range strings.FieldsSeq(lost) {
		want(t, word, []bool{OffersRecovery("recover " + word), OffersRecovery("recover x" + word)}, []bool{true, false})
	}
	for word := range strings.FieldsSeq("追回 找回 挽回 追款") {
		want(t, word, []bool{OffersRecovery("黑客" + word), IsRecoverySite(word + ".example")}, []bool{true, true})
	}
	for word := range strings.FieldsSeq("钱 资金 币 款 损失 被骗 黑客") {
		want(t, word, OffersRecovery("找回"+word), true)
	}
	for word := range strings.FieldsSeq("phrase frase seed wiederherstellungsphrase mnemonic 助记词") {
		want(t, word, OffersRecovery("recover money "+word), false)
	}
	for word := range strings.FieldsSeq("recover retriev reclaim refund chargeback recuper récuper recupér récupér " +
		"reembols " +
		"rembours fundback fundsback funds-back moneyback cashback cryptoback coinback coinsback get-back rückhol ruckhol " +
		"rueckhol rückerstatt rueckzahl geldzurück geld-zurueck geldzuruck") {
		want(t, word, IsRecoverySite("my-"+word+"-x.example"), true)
	}
	for word := range strings.FieldsSeq("scammed estafado estafada estafados estafadas timado timada timados arnaqué " +
		"arnaquée arnaque escroqué escroquée abgezockt betrogen enganado enganada police policía policia polizei 被骗 报警 警察") {
		want(t, word, AsksForHelp("X "+strings.ToUpper(word)), true)
	}
	want(t, "police in a name", AsksForHelp("police badge"), false)
	long := strings.Repeat("a", maxQuestion-14) + " recover money"
	want(t, "as long as it may be", []bool{OffersRecovery(long), OffersRecovery("a" + long)}, []bool{true, false})
	long = strings.Repeat("a", maxQuestion-8) + " scammed"
	want(t, "as long as it may be", []bool{AsksForHelp(long), AsksForHelp("a" + long)}, []bool{true, false})
}

// TestEveryWayToSayWhoOneIsIsFound, in the languages of the pages, and each number of an identity paper.
func TestEveryWayToSayWhoOneIsIsFound(t *testing.T) {
	for _, said := range strings.Split("my name is,i am called,i live in,i live at,i live on,me llamo,mi nombre es,"+
		"vivo en,"+
		"mi dirección es,mi direccion es,ich heiße,ich heisse,mein name ist,ich wohne,je m'appelle,mon nom est,j'habite,"+
		"me chamo,meu nome é,meu nome e,moro em,moro na,moro no,我叫,我住,我住在", ",") {
		want(t, said, Personal("x. "+said+" Puebla, y"), []string{said + " Puebla"})
		want(t, said, Personal("x "+strings.ToUpper(said)+" Puebla. y"), []string{strings.ToUpper(said) + " Puebla"})
	}
	for my := range strings.FieldsSeq("my mi mein meine mon ma meu minha 我的") {
		for _, what := range []string{"mail 612 345 678", "tel: +44 7700 900123", "tg = @lena.g", "bank.no 0171-2345678",
			"very own wallet " + tron, "id (612)3456"} {
			want(t, my, Personal("x "+my+" "+what+", y"), []string{my + " " + what})
		}
		want(t, my, Personal("x "+my+" four words are too many 55a"), []string(nil))
	}
	for _, said := range strings.Split("soy,sou,I am,I'm,ich bin,je suis,SOY", ",") {
		for _, name := range []string{"Lena Gold", "Lena Gold de", "Lena Maria Gold Puebla"} {
			full := strings.TrimSuffix(name, " de")
			want(t, said, Personal("x "+said+" "+name), []string{said + " " + full})
		}
		want(t, said, Personal(said+" Lena"), []string(nil))
	}
	for paper, is := range map[string]bool{"GALM900101HDFRPR09": true, "GALM900101MDFRPRA9": true,
		"GALM900101XDFRPR09": true, "GALM900101ADFRPR09": false, "12345678Z": true, "X1234567L": true, "Y1234567L": true,
		"Z1234567L": true,
		"A1234567L": false, "ABCPE1234F": true, "ABCDE1234F": false, "123.456.789-01": true, "123.456.7-01": false} {
		want(t, paper, Personal("a "+paper+" b"), map[bool][]string{true: {paper}}[is])
	}
	for letter := range strings.SplitSeq("ABCFGHLJPT", "") {
		want(t, letter, Personal("ABC"+letter+"E1234F"), []string{"ABC" + letter + "E1234F"})
	}
}

// TestTheNumberOfAPhoneIsShownOnce: one with a country is not shown again without it.
func TestTheNumberOfAPhoneIsShownOnce(t *testing.T) {
	for text, found := range map[string][]string{
		"(55)9876 5432, 55-9876-5432; 55 9876 5432.": {"(55)9876 5432", "55-9876-5432", "55 9876 5432"},
		"+52 55 9876 5432 and 55 9876 5432 again":    {"+52 55 9876 5432"},
		"+52 55 9876 5432 and 55 9876 5433 again":    {"+52 55 9876 5432", "55 9876 5433"},
		"12345678": nil, "123456789": {"123456789"}, "12345678901": {"12345678901"}, "123456789012": nil,
		"2026-11-201": nil, "12.34.56.78.9": nil, "a123456789": nil,
		"A lena@mail.example, b@c.mail.example; c+d_e%f@x-y.museum": {"lena@mail.example", "b@c.mail.example",
			"c+d_e%f@x-y.museum"},
		"a@b, @lena, a@b.c": nil,
	} {
		want(t, text, Personal(text), found)
	}
}
