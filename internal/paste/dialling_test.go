package paste

import "testing"

// TestANumberIsDialledFromAbroadWithTheCodeOfItsCountry, without the zero before it.
func TestANumberIsDialledFromAbroadWithTheCodeOfItsCountry(t *testing.T) {
	for _, c := range []struct{ number, country, abroad string }{
		{"07700 900123", "GB", "+44 7700 900123"}, {"(0171) 234-5678", "DE", "+49 171 234-5678"},
		{"612 34 56 78", "ES", "+34 612 34 56 78"}, {"06.12.34.56.78", "FR", "+33 6.12.34.56.78"},
		{"02 1234 5678", "IT", "+39 02 1234 5678"}, {"8 912 345-67-89", "RU", "+7 912 345-67-89"},
		{"212 736 5000", "US", "+1 212 736 5000"},
		{"07700 900123", "", ""}, {"07700 900123", "XX", ""}, {"123456", "ES", ""}, {"lena 612345678", "ES", ""},
	} {
		want(t, c.number, Abroad(c.number, c.country), c.abroad)
	}
}
