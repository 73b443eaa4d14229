package paste

import (
	"strings"
	"testing"
)

// TestAPhoneIsAskedAboutHoweverItIsDivided, as people write it in Spain, Britain, Germany, France, Brazil, China and
// the United States, at the end of a sentence too.
func TestAPhoneIsAskedAboutHoweverItIsDivided(t *testing.T) {
	for text, found := range map[string]string{
		"Si sabes algo llámame al 612.34.56.78 o al 612.345.678.": "612.34.56.78 | 612.345.678",
		"WhatsApp 612.345.678":                   "612.345.678",
		"o al 612.345.678, gracias":              "612.345.678",
		"o al 612·345·678; 612_345_678":          "612·345·678 | 612_345_678",
		"612345678! 613 345 678? «614 345 678»":  "612345678 | 613 345 678 | 614 345 678",
		"612345678 612345679,612345680":          "612345678 | 612345679 | 612345680",
		"612–345–678.Luego me fui":               "612–345–678",
		"(612 34 56 78), Tel. 91.345.67.89":      "612 34 56 78 | 91.345.67.89",
		"fijo 91.234.56.78":                      "", // which may be the number of a computer
		"tfno: 91.234.56.78":                     "91.234.56.78",
		"el 12.11.2026 612 345 678":              "612 345 678",
		"a 612.345.000 no, llámame 612.345.000":  "612.345.000",
		"ring me on 07700.900.123.":              "07700.900.123",
		"ring (01632) 960 123 or 01632 960-124":  "(01632) 960 123 | 01632 960-124",
		"0171.2345678, 030 / 1234 5678":          "0171.2345678 | 030 / 1234 5678",
		"Tel.: 0171 - 234 56 78, 0176 1234 5678": "0171 - 234 56 78 | 0176 1234 5678",
		"appelez-moi au 06.12.34.56.78":          "06.12.34.56.78",
		"au 06/12/34/56/79.":                     "06/12/34/56/79",
		"me liga no (11) 98765-4321":             "(11) 98765-4321",
		"zap 11.98765.4321, fixo 3456-7890":      "11.98765.4321",
		"tel 3456-7890":                          "3456-7890",
		"电话138-1234-5678，手机：13812345678他":        "138-1234-5678 | 13812345678",
		"call 212.736.5000 or (212) 736-5001":    "212.736.5000 | (212) 736-5001",
		"call 612345678 try later":               "612345678",
	} {
		want(t, text, strings.Join(Personal(text), " | "), found)
	}
}

// TestAnAmountAVersionAndAComputerAreNoPhones, nor are a day, a block, a transaction and a link.
func TestAnAmountAVersionAndAComputerAreNoPhones(t *testing.T) {
	for _, text := range []string{
		"612.345.678 USDT, 612.345.678 euros, 612345678€", "€612.345.678, $ 612345678, USD 712,345,678", "R$ 900.000.000",
		"612.345.678,50 y 1,612345678", "700.000.000 COP", "12.345.678.901", "1.234.567.890", "0.612345678 ETH, 1.612345678",
		"version 10.0.19045.3930", "203.0.113.195, 185.199.108.153 and 88.198.24.108", "12.11.2026 14:03, 03.05.2026 14",
		"12/11/2026 14 h, 2026.11.20 1234", "block 19.345.678, block number 19345678", "612345678.com, x=612345678",
		"https://x.example/612345678 " + transaction, "1.2.3.4.5.6.7.8.9", "a612345678, 612345678a, #612345678",
		"10:22:33 12345", "order number 1234567", "99.99.99.9999999%",
	} {
		want(t, text, Personal(text), []string(nil))
	}
}
