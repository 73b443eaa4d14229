package paste

import (
	"strings"
	"testing"
)

// FuzzRead reads what people paste, in each field and in the search box.
func FuzzRead(f *testing.F) {
	f.Add("He sent 0.5 ETH from " + account + " to hxxps://evil[dot]example/x, see https://etherscan.io/tx/" + transaction)
	f.Add("@some_name on Telegram, +49 170 1234567\n1.234,56 €; abandon abandon abandon")
	f.Fuzz(func(t *testing.T, text string) {
		lines := 1 + strings.Count(text, "\n")
		for field := Prose; field <= Handles; field++ {
			for _, item := range Read(field, text).Items {
				if item.Line < 1 || item.Line > lines || item.Text == "" {
					t.Errorf("field %d of %q has %+v", field, text, item)
				}
			}
			ContainsSecret(field, text)
		}
		ReadBox(text)
		Subject(text)
		Cell(text)
		Phone(text)
		Parts(WithoutConnects(text))
		Amount(text, true)
		Amount(text, false)
	})
}
