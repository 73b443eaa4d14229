package paste

import (
	"slices"
	"testing"
)

// TestANumberOfABankIsNoPhone: its digits may be the writer's own, and are not repeated.
func TestANumberOfABankIsNoPhone(t *testing.T) {
	const mistyped = "012180015678912345" // which is no phone either
	for _, text := range []string{
		"DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "de89370400440532013000",
		"IBAN: DE25 7004 0041 0123 4567 89",
		"mi cuenta DE89 3704 0044 0532 0130 00", "ES91 2100 0418 4502 0005 1332", "4111 1111 1111 1111",
		"012180015678912342", mistyped, "2012 1800 1567 8912 3412 no",
	} {
		isBank := text[len(text)-2:] != "no"
		found := Read(Things, text)
		is := len(found.Problems) == 1 && found.Problems[0].Kind == BankNumber && found.Problems[0].Text == ""
		if is != isBank || isBank && slices.ContainsFunc(found.Items, func(i Item) bool { return i.Field == Handles }) {
			t.Errorf("form: %q: %+v", text, found)
		}
		b := ReadBox(text)
		is = b.Problem != nil && b.Problem.Kind == BankNumber
		if is != (isBank && text != mistyped) || isBank && len(b.Handles) > 0 {
			t.Errorf("box: %q: %+v", text, b)
		}
	}
	for text, want := range map[string]string{ // the rest is read as ever
		"+44 20 7946 0958, IBAN DE89 3704 0044 0532 0130 00": "phone:+442079460958",
		"@lena_trades DE89 3704 0044 0532 0130 00":           "name:@lena_trades",
		"+411111111111111": "phone:+411111111111111",
	} {
		b := ReadBox(text)
		if len(b.Handles) != 1 || b.Handles[0] != want || b.Problem == nil || !b.Problem.Kind.Searchable() {
			t.Errorf("%q: %+v", text, b)
		}
	}
	if b := ReadBox("DE89 3704 0044 0532 0130 00 evil.com"); len(b.Subjects) != 1 || b.Subjects[0].Value != "evil.com" {
		t.Errorf("a site beside it: %+v", b)
	}
}

// TestANameThatSomebodyGivesAsTheirOwnIsAskedAbout, and no other one.
func TestANameThatSomebodyGivesAsTheirOwnIsAskedAbout(t *testing.T) {
	for text, want := range map[string]string{
		"Hola, soy María López de Puebla": "soy María López", "Ich bin Thomas Müller aus Kassel.": "Ich bin Thomas Müller",
		"I am John Smith": "I am John Smith", "Je suis Anne Petit": "Je suis Anne Petit", "PAN: ABCPE1234F": "ABCPE1234F",
		"I am sorry, he said he is Lena Trades": "", "ich bin traurig": "", "soy víctima": "",
	} {
		if got := Personal(text); want == "" && got != nil || want != "" && !slices.Equal(got, []string{want}) {
			t.Errorf("%q: %q", text, got)
		}
	}
}
