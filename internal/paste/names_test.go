package paste

import (
	"strings"
	"testing"
)

// TestTheNameThatSomebodyGivesIsRead, in the languages of the pages, without the place where they are from.
func TestTheNameThatSomebodyGivesIsRead(t *testing.T) {
	for text, name := range map[string]string{
		"Soy Marta Iglesias": "Marta Iglesias", "me llamo Marta": "Marta", "sou a Joana Silva": "Joana Silva",
		"Ich heiße Jörg von der Heide aus Köln": "Jörg von der Heide", "je m’appelle Anne-Marie Petit": "Anne-Marie Petit",
		"My name is Marta Iglesias de Madrid": "Marta Iglesias", "我叫王伟": "王伟", "我叫王伟住在北京市": "",
		"my name is not known": "", "I live in Madrid": "", "my bank ES91 2100": "", "I am X": "", "": "",
	} {
		want(t, text, NameIn(text), name)
	}
	want(t, "asked about", Personal("Sou o João Silva. Soy Marta de la Cruz. My name is [my name], I am A."),
		[]string{"Sou o João Silva", "Soy Marta de la Cruz"})
}

// TestANameIsTakenOutWhereverItIsAWord: whole, with further surnames, and its parts with a capital letter.
func TestANameIsTakenOutWhereverItIsAWord(t *testing.T) {
	marta := PeopleOf([]string{"Marta Iglesias"}, []string{"Lena Iglesias", "Marta Iglesias"}, false)
	for text, left := range map[string]string{
		"a nombre de Marta Iglesias Ruiz de la Paz. Y": "a nombre de […]. Y",
		"Marta Iglesias Ruiz Paz Sol":                  "[…] Sol", "MÁRTA  iglesias y": "[…] y",
		"marta iglesias ruiz":          "[…] ruiz",
		"Querida Marta, soy yo":        "Querida […], soy yo",
		"Marta's bank, (Marta)":        "[…]'s bank, ([…])",
		"marta, Martapura, laMarta":    "marta, Martapura, laMarta",
		"@Marta #Marta Marta_88 x@y":   "@Marta #Marta Marta_88 x@y",
		"https://Marta.vip/Marta":      "https://Marta.vip/Marta",
		"t.me/Marta, Marta.com":        "t.me/Marta, Marta.com",
		"Marta@mail.example":           "Marta@mail.example",
		"Hola.Marta mira":              "Hola.[…] mira",
		"Lena Iglesias, Sra Iglesias":  "Lena Iglesias, Sra Iglesias",
		"Marta Lena Iglesias":          "[…] Lena Iglesias",
		"Marta Iglesias Lena Iglesias": "[…] Lena Iglesias",
	} {
		want(t, text, marta.Without(text, "[…]"), left)
	}
	for text, in := range map[string]bool{"name:Marta Iglesias": true, "https://a.example/?q=Marta+Iglesias%20x": true,
		"https://martaiglesias.example": false, "Marta": false, "marta.iglesias": false, "Marta Iglesias88": false} {
		want(t, text, marta.In(text), in)
	}
	for name, left := range map[string]string{
		"Will Smith": "Will you? […], […]", "Ed Li": "Will you? Smith, Will Smith", "Smith": "Will you? […], Will […]",
		"Will": "Will you? Smith, Will Smith", "smith": "Will you? […], Will […]",
	} {
		want(t, name, PeopleOf([]string{name}, nil, false).Without("Will you? Smith, Will Smith", "[…]"), left)
	}
	want(t, "first", PeopleOf([]string{"Marta"}, nil, false).Without("Marta Ruiz y marta", "[…]"), "[…] y marta")
	want(t, "Chinese", PeopleOf([]string{"王伟"}, nil, false).Without("他说王伟转账", "[…]"), "他说[…]转账")
	long := "E" + strings.Repeat("e", maxNameBytes)
	want(t, "too long to be a name", []any{NameIn("My name is " + long), NameIn("My name is " + long[:maxNameBytes])},
		[]any{"", long[:maxNameBytes]})
	want(t, "of a sender, too", PeopleOf([]string{long + "x " + long + "y"}, nil, true).In(long), false)
	want(t, "nobody", PeopleOf(nil, nil, false).Without("Marta", "[…]"), "Marta")
	want(t, "nobody is in it", PeopleOf(nil, nil, false).In("Marta"), false)
}

// TestTwoSendersMayBeOne, of two copies of a conversation, which name them in two ways.
func TestTwoSendersMayBeOne(t *testing.T) {
	text := "10:22 Marta Iglesias: Hola\n10:23 Lena: Marta, manda\n10:24 Marta: soy Marta Iglesias Ruiz"
	want(t, "both", WithoutSenders(text, []string{"Marta", "Marta Iglesias"}, Senders(text), "Me", "[name]"),
		"10:22 Me: Hola\n10:23 Lena: [name], manda\n10:24 Me: soy [name]")
	want(t, "one", strings.Contains(WithoutSenders(text, []string{"Marta Iglesias"}, Senders(text), "Me", "[name]"),
		"10:24 Marta: soy [name]"), true)
}
