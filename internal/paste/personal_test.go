package paste

import (
	"fmt"
	"testing"
)

func TestWhatMayBeTheWritersOwnIsFoundInAStory(t *testing.T) {
	for text, found := range map[string][]string{
		"Write to maria.perez@gmail.com, or maria.perez@gmail.com.": {"maria.perez@gmail.com"},
		"My number is +52 55 9876 5432 0xabc":                       {"+52 55 9876 5432"},
		"To DE89 3704 0044 0532 0130 00, GB82WEST12345698765432": {
			"DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432"},
		"GB83WEST12345698765432":                                  nil,
		"mi cuenta BBVA 032180000118359719":                       {"032180000118359719"},
		"mi cuenta BBVA 032180000118359718":                       nil,
		"card 4111 1111 1111 1111, 3782-822463-10005":             {"4111 1111 1111 1111", "3782-822463-10005"},
		"card 4111 1111 1111 1112, 1111111111111117":              nil,
		"on 2026-11-20 14:30:00 I sent 12,400.50 USDT to " + tron: nil,
		"see https://medium.com/@lena/a and " + transaction:       nil,
		"": nil,
	} {
		if got := Personal(text); fmt.Sprint(got) != fmt.Sprint(found) {
			t.Errorf("%s: %q", text, got)
		}
	}
}
