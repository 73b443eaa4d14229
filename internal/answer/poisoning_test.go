package answer

import (
	"strings"
	"testing"

	"tocsin"
)

// TestWhatToDoWithALookAlikeComesFirst: also once it is on record no more, and if the other one is reported.
func TestWhatToDoWithALookAlikeComesFirst(t *testing.T) {
	name := "Binance 14"
	alike := func(status tocsin.ResembledStatus) Answer {
		a := about(anAddress, nil)
		a.Dossier.Address = &tocsin.AddressFindings{Poisoning: &tocsin.Poisoning{Name: &name, Status: status,
			Resembles: "0x28C6c06298d514Db089934071355E5743bf21d60", SharedPrefix: 5, SharedSuffix: 4, Differ: 31,
			Strength: "strong"}}
		a.Screening = tocsin.Screen(a.Dossier, now)
		return a
	}
	a := alike(tocsin.KnownGood)
	const title = "Send nothing yet. Only the beginning and the end are those of the address of Binance 14."
	want(t, "the headline", a.Verdict().Title, title)
	a.Lapsed = true
	v := a.Verdict()
	want(t, "once it was named", []any{v.Title, strings.HasPrefix(v.Lead, "Nothing on record warns of it now.")},
		[]any{title, true})
	a = alike(tocsin.Reported)
	want(t, "a reported one", []any{a.RiskLevel, a.Verdict().ToDo.Head}, []any{tocsin.Clean, "Send nothing yet"})
}
