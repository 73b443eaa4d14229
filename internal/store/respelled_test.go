package store

import (
	"strings"
	"testing"

	"tocsin"
)

// TestAnAccountIsFoundByItsLettersInTheWrongCase, unless as much is on record under the spelling that was asked for.
func TestAnAccountIsFoundByItsLettersInTheWrongCase(t *testing.T) {
	s := fresh(t)
	const hit = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"
	account := func(text string) tocsin.Subject {
		subject, fault := tocsin.ParseSubject(text)
		if fault != nil {
			t.Fatal(text, fault)
		}
		return subject
	}
	listed, tron := account("solana:"+hit), account("TJ9ghEP177X5NVcHfkiu5nEqV14Nfyyx6n")
	s.imports(t, "one", listing(listed, nil), listing(tron, nil), listing(account(goodOne), nil))
	lower, other := "solana:"+strings.ToLower(hit), "solana:"+hit[:20]+strings.ToLower(hit[20:21])+hit[21:]
	none := tocsin.Subject{}
	wrong := "0x" + strings.ToUpper(goodOne[2:20]) + goodOne[20:]
	meant, err := s.Respelled(t.Context(), hit, lower, strings.ToUpper(hit), other, strings.ToLower(tron.Value), wrong,
		goodOne, "evil.com", "", strings.ToLower(hit)+"x", "tron:"+hit, strings.Replace(wrong, "8", "9", 1))
	do(t, err)
	equal(t, "meant", meant, []tocsin.Subject{none, listed, listed, listed, tron, account(goodOne), none, none, none,
		none, none, none})
	d := story(t, "It was copied wrong", "evil.com")
	d.ScammerAccounts = []string{other}
	s.files(t, d, nil)
	meant, err = s.Respelled(t.Context(), hit, other)
	do(t, err)
	equal(t, "a report about a wrong spelling hides nothing", meant, []tocsin.Subject{none, listed})
	const honest = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
	d = story(t, "It was named to lead payers there", "evil.com")
	d.ScammerAccounts = []string{"solana:EPJ" + honest[3:]}
	s.files(t, d, nil)
	meant, err = s.Respelled(t.Context(), honest, "solana:"+honest, "EPJ"+honest[3:])
	do(t, err)
	equal(t, "a report displaces no valid account", meant, []tocsin.Subject{none, none, none})
	s.imports(t, "two", listing(account(other), nil))
	meant, err = s.Respelled(t.Context(), hit, other)
	do(t, err)
	equal(t, "two that lists name", meant, []tocsin.Subject{none, none})
}
