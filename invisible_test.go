package tocsin

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestNothingInvisibleIsKept(t *testing.T) {
	for _, r := range "\u3164\u2800\u034F\u180E\u115F\u1160\uFFA0\u00AD\u200B\u200E\u202E\u2060\u2061\u2064" +
		"\u2066\u206A\u206F\uFEFF\uFFF9\uFFFB\U0001D159\U0001D173\U0001D17A" +
		"\U000E0041\U000E0100\uFE0F\u200C\u200D" {
		for in, want := range map[string]string{string(r): "", " " + string(r) + "\u200D" + string(r): "",
			"dra" + string(r) + "iner": "drainer", "a " + string(r): "a"} {
			if got := CleanText(in); got != want {
				t.Errorf("%U: %q becomes %q, not %q", r, in, got, want)
			}
		}
	}
	if got := CleanText("\u0301\u0489\u00A0\u200D"); got != "" {
		t.Errorf("marks on nothing are %q", got)
	}
}

func TestWhatAScriptNeedsIsKept(t *testing.T) {
	for _, text := range []string{
		"می\u200cخواهم", "ه\u200d.ش", "क्\u200dष and क्\u200cष", "ശ്രീലങ്കന്\u200d", "ශ්\u200dරී", "ᠠ\u180b",
		// Persian, Devanagari, Malayalam, Sinhala, Mongolian
		"🧑\u200d🚒", "👩🏽\u200d❤\ufe0f\u200d💋\u200d👩🏻", "🙂\u200d↔\ufe0f", "🏳\ufe0f\u200d🌈", "1\ufe0f⃣ #\ufe0f⃣",
		"‼\ufe0f ℹ\ufe0f ❤\ufe0e", "葛\U000e0100", "≨\ufe00",
		"မြွှော်", "Tiếng Việt", "שָׁלוֹם", "ཧྐྵྨྴ", "\uE000",
	} {
		if got := CleanText(text); got != norm.NFC.String(text) {
			t.Errorf("%q (%+q) becomes %+q", text, text, got)
		}
	}
	for in, want := range map[string]string{
		"\u0645\u200C\u200D\u200C\u06CC": "\u0645\u200C\u06CC", "1\uFE0F2": "12", "a\u200D\u0301": "\u00E1",
		"\u0644\u0627 a\u200Cb": "\u0644\u0627 ab",
		"❤\uFE0F\uFE0F\u200D!":  "❤\uFE0F!", "=\U000E0139+\uFE05": "=+", "Z" + strings.Repeat("\u0334",
			180): "Z" + strings.Repeat("\u0334", 5),
		"م" + strings.Repeat("\u064B\u064B\u064B\u200D", 9): "م\u064B\u064B\u064B\u200D\u064B\u064B\u200D",
	} {
		if got := CleanText(in); got != want {
			t.Errorf("%+q becomes %+q, not %+q", in, got, want)
		}
	}
}

// The checksums are those of the files in the BIP-39 repository.
func TestTheSeedWordsAreThoseOfBIP39(t *testing.T) {
	for list, want := range map[string]string{
		bip39English:    "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda",
		bip39Spanish:    "46846a5a0139d1e3cb77293e521c2865f7bcdb82c44e8d0a06a2cd0ecba48c0b",
		bip39French:     "ebc3959ab7801a1df6bac4fa7d970652f1df76b683cd2f4003c941c63d517e59",
		bip39Portuguese: "2685e9c194c82ae67e10ba59d9ea5345a23dc093e92276fc5361f6667d79cd3f",
		bip39Italian:    "d392c49fdb700a24cd1fceb237c1f65dcc128f6b34a8aacb58b59384b5c648c2",
		bip39Czech:      "7e80e161c3e93d9554c2efb78d4e3cebf8fc727e9c52e03b83b94406bdcc95fc",
		bip39Korean:     "9e95f86c167de88f450f0aaf89e87f6624a57f973c67b516e338e8e8b8897f60",
	} {
		if got := fmt.Sprintf("%x", sha256.Sum256([]byte(list))); got != want {
			t.Errorf("the list of %.8q has SHA-256 %s, want %s", list, got, want)
		}
		if n := len(strings.Fields(list)); n != 2048 {
			t.Errorf("the list of %.8q has %d words, want 2048", list, n)
		}
	}
}

func TestEachLetterMayHaveMarksOfItsOwn(t *testing.T) {
	thai, signs := strings.Repeat("กิ้", 9), "\u0600١٢ \U00013080\U00013430\U00013081"
	for _, text := range []string{thai, signs} { // signs show under numbers and between hieroglyphs
		if got := CleanText(text); got != text {
			t.Errorf("%+q becomes %+q", text, got)
		}
	}
	// U+0344 becomes two marks in normalization form C.
	if got := CleanText("q" + strings.Repeat("\u0344", 4)); utf8.RuneCountInString(got) != 1+5 {
		t.Errorf("eight marks become %+q", got)
	}
	if got := CleanText("a\r\nb\rc\td"); got != "a\nbc\td" {
		t.Errorf("line ends become %q", got)
	}
}

func FuzzCleanText(f *testing.F) {
	for _, s := range []string{"", "a\u200D\u0301", "\u2ADC\uFE0F", "1\u0344\u0344\uFE0F\u20E3",
		"\U0001D15E\uFE0F\u200D\U0001D15E", strings.Repeat("\U0001D165", 70), "é\u302E" + strings.Repeat("\u302E", 60),
		"\u1100" + strings.Repeat("\u0315", 9) + "\u1161", "م\u064B\u200D\u064B\u200C\u0301",
		"\u034F\u0301" + strings.Repeat("\u0344", 40), "👩\u0301\u200D❤\uFE0F", "ᬓ" + strings.Repeat("\u1B44", 50), "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := CleanText(s)
		if twice := CleanText(once); twice != once {
			t.Errorf("%+q becomes %+q, and that %+q", s, once, twice)
		}
		if !utf8.ValidString(once) || !norm.NFC.IsNormalString(once) || strings.TrimSpace(once) != once ||
			strings.ContainsFunc(once, isInvisible) {
			t.Errorf("%+q becomes %+q", s, once)
		}
	})
}
