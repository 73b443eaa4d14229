package tocsin

import (
	"slices"
	"strings"
	"testing"
)

// TestAnAccountInOtherLettersIsMeant: what a spreadsheet has written in small or in capital letters.
func TestAnAccountInOtherLettersIsMeant(t *testing.T) {
	for _, text := range []string{
		"0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "123WBUDmSJv4GctdVEz6Qq6z8nXSKrJ4KX",
		"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "LNf2JDiuunBz7GMDKFYHN4rq5meXWxiwfb",
		"DFFJhnQNZf8rf67tYnesPu7MuGUpYtzv7Z", "XcuGqRfrR85zyDrzVr1gSL5RNjwwpbu2KS", "t1LHesgnkapziGQCJtrfZWYXhyjfTVo1dvh",
		"TA3941fuAFvmVibSkQ6fMJXxmaSNovX86mz", "rnXyVQzgxZe7TR1EPzTkGj2jxH4LMJYh66",
		"6wjqWWra8ombzaw6vhrG5xpQ972jCYF6bbHiFCbWmr4U", "bnb136ns6lfw4zs5hg4n85vdthaad7hq5m4gtkgf23",
	} {
		account, fault := ParseSubject(text)
		if bare, ok := BareSolana(text); ok {
			account, fault = bare, nil
		}
		if fault != nil {
			if account = (Subject{Kind: Tron, Value: text}); !strings.HasPrefix(text, "TA") {
				t.Fatal(text, fault)
			}
		}
		lower := strings.ToLower(account.Plain())
		for _, spelled := range []string{lower[:6] + strings.ToUpper(lower[6:20]) + lower[20:], strings.ToUpper(lower)} {
			if s, fault := ParseSubject(spelled); fault == nil && s.Kind != Solana { // it is right in any case
				continue
			}
			r, ok := ReadRespelled(spelled)
			starts, whole := r.Starts()
			begins := func(start string) bool { return strings.HasPrefix(account.Value, start) }
			short := func(start string) bool { return len(start) != respelledStart } // it would find too many
			if !ok || !r.Means(account) || whole != account.Value && !slices.ContainsFunc(starts, begins) ||
				slices.ContainsFunc(starts, short) {
				t.Errorf("%s is not found by %s: %v, %q or %q", account.Value, spelled, r, whole, starts)
			}
		}
		if r, ok := ReadRespelled("098b716b8Aaf21512996dC57EB0615e2383E2f96"); !ok || r.Kinds[0] != EVM || len(r.Text) != 42 {
			t.Errorf("without 0x: %v", r)
		}
		if r, ok := ReadRespelled(account.String()); ok && r.Means(account) {
			t.Errorf("%s means itself", account)
		}
	}
	for _, text := range []string{"", "evil.example", "0x12", "-", strings.Repeat("a", 200), "one two three",
		"0x098b716b8aaf21512996dc57eb0615e2383e2f96", "EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs"} {
		if r, ok := ReadRespelled(text); ok {
			t.Errorf("%q may be %v", text, r)
		}
	}
}

// TestAMistypedAccountIsCorrectedByItsChecksum, if one character of it is wrong.
func TestAMistypedAccountIsCorrectedByItsChecksum(t *testing.T) {
	for typed, want := range map[string]string{
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6s":         "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
		"tron:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6s":    "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
		"1BoatSLRHtKNngkdXEeobR76b53LETtpyU":         "1BoatSLRHtKNngkdXEeobR76b53LETtpyT",
		"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5": "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLjss":         "",
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t":         "",
		"evil.example":                               "",
	} {
		same, got, ok := Corrected(typed)
		if ok != (want != "") || ok && (got.Value != want || same.Kind != got.Kind || len(same.Value) != len(want)) {
			t.Errorf("%s: %s, want %q", typed, got, want)
		}
	}
}

func BenchmarkCorrected(b *testing.B) {
	for b.Loop() {
		Corrected("TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLjss")
	}
}
