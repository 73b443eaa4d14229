package paste

import (
	"fmt"
	"strings"
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

// TestAStoryOfNumbersIsReadOnce: of what is before a number little is looked at, since a story may have thousands.
func TestAStoryOfNumbersIsReadOnce(t *testing.T) {
	const number = "+4915112345678"
	for before, handle := range map[string]string{
		"WhatsApp: ":                                "whatsapp:" + number,
		"my WhatsApp is (":                          "whatsapp:" + number,
		strings.Repeat("é ", maxBefore):             "phone:" + number,
		"WhatsApp" + strings.Repeat(" ", maxBefore): "phone:" + number,
	} {
		if got := phoneHandle(number, before, ""); got != handle {
			t.Errorf("%s: %s", before, got)
		}
	}
	var story strings.Builder
	for i := range 16 << 10 {
		fmt.Fprintf(&story, "+49151%08d ", 11111111+i)
	}
	if n := len(Personal(story.String())); n != 16<<10 {
		t.Errorf("%d numbers", n)
	}
}
