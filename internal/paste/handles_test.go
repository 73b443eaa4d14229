package paste

import (
	"slices"
	"strings"
	"testing"
)

// TestAServiceMayComeBeforeOrBehindTheName: without a mark between them, in the form and in the box.
func TestAServiceMayComeBeforeOrBehindTheName(t *testing.T) {
	const tron, number = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "+525512345678"
	for text, handles := range map[string]string{
		"lena_trades88 telegram":                           "telegram:lena_trades88",
		"telegram lena_trades88":                           "telegram:lena_trades88",
		"tg @lena":                                         "telegram:lena",
		"@lena tg":                                         "telegram:lena",
		"@lena on Telegram":                                "telegram:lena",
		"lena_trades88 (telegram)":                         "telegram:lena_trades88",
		"whatsapp +52 1 55 1234 5678":                      "whatsapp:" + number,
		"+52 1 55 1234 5678 whatsapp":                      "whatsapp:" + number,
		"+52 55 1234 5678 (WhatsApp)":                      "whatsapp:" + number,
		"wa +52 55 1234 5678":                              "whatsapp:" + number,
		"+52 55 1234 5678 en WhatsApp":                     "whatsapp:" + number,
		"+44 7700 900123 whatsapp +52 55 1234 5678":        "phone:+447700900123 whatsapp:" + number,
		"his telegram lena_trades88":                       "telegram:lena_trades88",
		"lena_88 telegram gold_55 instagram":               "telegram:lena_88 instagram:gold_55",
		"telegram lena_88 instagram gold_55":               "telegram:lena_88 instagram:gold_55",
		"WhatsApp +52 55 1234 5678 and Telegram @sofia_88": "whatsapp:" + number + " telegram:sofia_88",
		"WhatsApp +525512345678 y Telegram @sofia_88":      "whatsapp:" + number + " telegram:sofia_88",
		"WhatsApp: +52 55 1234 5678 Telegram @sofia_88":    "whatsapp:" + number + " telegram:sofia_88",
		"WhatsApp +44 7700 900123 and +52 55 1234 5678":    "whatsapp:+447700900123 phone:" + number,
		"lena_88 telegram, whatsapp +52 1 55 1234 5678":    "whatsapp:" + number + " telegram:lena_88",
	} {
		var found []string
		read := Read(Things, text)
		for _, item := range read.Items {
			found = append(found, item.Text)
		}
		wanted := strings.Fields(handles)
		slices.Sort(wanted)
		if slices.Sort(found); !slices.Equal(found, wanted) || len(read.Problems) > 0 {
			t.Errorf("form: %q: %+v", text, read)
		}
		box := ReadBox(text)
		if slices.Sort(box.Handles); !slices.Equal(box.Handles, wanted) || box.Problem == nil ||
			!box.Problem.Kind.Searchable() {
			t.Errorf("box: %q: %q, %+v", text, box.Handles, box.Problem)
		}
	}
	if found := Read(Things, "+52 55 1234 5678 en WhatsApp\nMain wallet: "+tron+" (USDT)"); len(found.Aside) != 1 ||
		found.Aside[0] != "Main wallet USDT" {
		t.Errorf("left out: %q", found.Aside)
	}
	beside := Read(Things, "WhatsApp +44 7700 900123 and Telegram @sofia_88 evil1.example")
	if len(beside.Items) != 3 || len(beside.Problems)+len(beside.Aside) > 0 {
		t.Errorf("with a site: %+v", beside)
	}
	for text, subject := range map[string]string{ // which are no names
		tron + " telegram": tron, "evil1.example instagram": "evil1.example", tron + " facebook": tron,
	} {
		if b := ReadBox(text); len(b.Handles) > 0 || len(b.Subjects) != 1 || b.Subjects[0].Plain() != subject {
			t.Errorf("box: %q: %+v", text, b)
		}
	}
	for _, text := range []string{"telegram scam", "lost 3400 telegram", "the telegram group", "4000 usdt facebook"} {
		if b := ReadBox(text); len(b.Handles) > 0 {
			t.Errorf("box: %q: %q", text, b.Handles)
		}
	}
}
