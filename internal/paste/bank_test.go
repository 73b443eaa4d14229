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

// TestWhatIsOfABankIsNoSubject: in the form and in the box an account, a branch or a name to pay to at a bank is called
// that, without a check digit too, and is read as no site, no phone and no handle; what is beside it is read as ever.
func TestWhatIsOfABankIsNoSubject(t *testing.T) {
	for _, text := range []string{
		"A/c 1234567890 IFSC HDFC0001234", "a/c no. 50100234567890", "IFSC: SBIN0ABC123", "UPI: name@okhdfc",
		"upi id rahul.k9@ybl", "GPay 9876543210@okaxis", "upi://pay?pa=name@okhdfc&pn=Rahul",
		"account number 00123456 sort code 12-34-56", "Account no: 12345678901 routing 021000021",
		"bank account 1234567890", "cuenta bancaria 0123456789", "número de cuenta: 1234567890", "CBU 2850590940090418135201",
		"Kontonummer 1234567890 BLZ 37040044", "conta corrente 12345678 agência 123456", "银行卡号 6222021234567890",
		"chave pix 123e4567-e89b-12d3-a456-426614174000", "SWIFT HDFCINBB", "BSB 062-000 account 12345678",
	} {
		found := Read(Things, text)
		if len(found.Items) > 0 || len(found.Problems) != 1 || found.Problems[0].Kind != BankNumber {
			t.Errorf("form: %q: %+v", text, found)
		}
		if b := ReadBox(text); b.Problem == nil || b.Problem.Kind != BankNumber || len(b.Handles) > 0 {
			t.Errorf("box: %q: %+v", text, b)
		}
	}
	const site = "https://evil.example/card/4111111111111111"
	for text, item := range map[string]Item{
		"A/c 1234567890 evil.example":         {Domains, 1, "evil.example"},
		"UPI: name@okhdfc, tg @lena_trades88": {Handles, 1, "telegram:lena_trades88"},
	} {
		found := Read(Things, text)
		if len(found.Items) != 1 || found.Items[0] != item || len(found.Problems) != 1 {
			t.Errorf("beside it: %q: %+v", text, found)
		}
	}
	for text, item := range map[string]Item{ // none of it is of a bank
		site:                                     {Domains, 1, site},
		"UPI lena@mail.example":                  {Handles, 1, "email:lena@mail.example"},
		"telegram account 12345678 @lena":        {Handles, 1, "name:@lena"},
		"account opened 2026-11-23 evil.example": {Domains, 1, "evil.example"},
		"account 2026-11-23 evil.example":        {Domains, 1, "evil.example"},
		"24/7 and/or evil.example":               {Domains, 1, "evil.example"},
		"12/2026 +44 20 7946 0958":               {Handles, 1, "phone:+442079460958"},
	} {
		found := Read(Things, text)
		if len(found.Items) != 1 || found.Items[0] != item || len(found.Problems) != 0 {
			t.Errorf("another thing: %q: %+v", text, found)
		}
	}
	if found := Read(Things, "and/or"); len(found.Problems) != 1 || found.Problems[0].Kind != NoThing {
		t.Errorf("words with a slash: %+v", found)
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

// TestWhatFollowsTheNumberOfABankMakesNoDifference: the country says how long an IBAN is, and the day on which a card
// ends may be behind it.
func TestWhatFollowsTheNumberOfABankMakesNoDifference(t *testing.T) {
	for _, number := range []string{
		"ES91 2100 0418 4502 0005 1332", "ES9121000418450200051332", "Es91-2100-0418-4502-0005-1332",
		"DE89 3704 0044 0532 0130 00", "FR14 2004 1010 0505 0001 3M02 606", "PT50 0002 0123 1234 5678 9015 4",
		"BR18 0036 0305 0000 1000 9795 493C 1", "GB82 WEST 1234 5698 7654 32", "MT84 MALT 0110 0001 2345 MTLC AST0 01S",
		"NO93 8601 1117 947", "4111 1111 1111 1111", "032180000118359719", "20-45-67 41234567", "20–45–67, 4123 4567",
		"20 45 67 41234567", "41234567 / 20-45-67",
	} {
		for _, after := range []string{"", " Marta Iglesias. Nada", " BBVA", " titular Marta", " para transferir", " Banco X",
			" 11/27", " 300 euros", "转账", ", y"} {
			text := "Copio: " + number + after
			want(t, text, Personal(text), []string{number})
		}
	}
	for _, text := range []string{
		"ES91 2100 0418 4502 0005 1333 Marta", "ES91 2100 0418 4502 0005 13", "ES91210004184502000513325",
		"ES9121000418450200051332abc", "XX91 2100 0418 4502 0005 1332", "+44 20-45-67 41234567",
		"it12 of my friends and all of those who paid", "de89 and 3704 0044",
	} {
		_, found := withoutBankNumbers(text)
		want(t, text, len(found), 0)
	}
}
