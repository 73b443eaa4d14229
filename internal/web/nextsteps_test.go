package web

import (
	"slices"
	"strings"
	"testing"

	"tocsin"
)

// titlesOf are the titles of the steps for a report, and what all of them say.
func titlesOf(d tocsin.Draft) (titles []string, all string) {
	p := reportPage{reportRow: reportRow{Report: tocsin.Report{Draft: d}, lang: english()}}
	for _, step := range p.NextSteps() {
		titles = append(titles, step.Title)
		all += step.Title + " " + step.Text + "\n"
	}
	return titles, all
}

func TestWhatToDoNextDependsOnTheCrime(t *testing.T) {
	for _, crime := range tocsin.CrimeTypes() {
		titles, all := titlesOf(tocsin.Draft{CrimeType: crime})
		first := map[tocsin.CrimeType]string{tocsin.Ransomware: "Do not pay, and do not answer.",
			tocsin.AddressPoison: "Tell the exchange at once.", tocsin.RecoveryScam: "Pay nothing, and block them."}[crime]
		if first == "" && strings.HasSuffix(string(crime), "scam") ||
			slices.Contains([]tocsin.CrimeType{tocsin.PigButchering, tocsin.Impersonation, tocsin.RugPull}, crime) {
			first = "Tell the exchange at once."
		}
		if first == "" {
			first = "Take back what you approved."
		}
		revokes := strings.Contains(all, "token approval checker")
		if titles[0] != first || revokes != (crime != tocsin.Ransomware && crime != tocsin.AddressPoison) ||
			!strings.Contains(all, "Tell the police") {
			t.Errorf("%s: %s", crime, all)
		}
	}
}

// TestTheFirstStepIsWhatStillStopsTheMoney: a new wallet if the phrase was given away, a call to the bank, a word to
// the exchange; then the police, and the wallet last. What was not lost is not named.
func TestTheFirstStepIsWhatStillStopsTheMoney(t *testing.T) {
	lost := tocsin.USD(340000)
	const (
		move     = "Move what is left to a new wallet now."
		bank     = "Call your bank now; ask it to recall the transfer."
		bought   = "If you paid by card or bank transfer, call your bank today and ask to recall the payment."
		binance  = "Tell Binance now."
		stop     = "Pay nothing more."
		exchange = "Tell the exchange at once."
		revoke   = "Take back what you approved."
		rest     = "Move what is left to a new wallet."
		keep     = "Keep the traces."
		police   = "Tell the police."
	)
	for about, c := range map[string]struct {
		draft tocsin.Draft
		steps []string
	}{
		"an IBAN": {tocsin.Draft{Description: "To DE89 3704 0044 0532 0130 00"}, []string{bank, police, stop, keep}},
		"euros":   {tocsin.Draft{Currency: "EUR"}, []string{bank, police, stop, keep}},
		"dollars, with no coin": {tocsin.Draft{Currency: "USD", AmountLost: &lost, ReportedDomains: []string{"a.example"}},
			[]string{bank, police, stop, keep}},
		"dollars, to an address": {tocsin.Draft{Currency: "USD", AmountLost: &lost, ScammerAddresses: []string{thief}},
			[]string{exchange, police, stop, keep, revoke, rest}},
		"from an exchange": {tocsin.Draft{Currency: "USDT", Description: "Lo mandé desde Binance"},
			[]string{binance, police, stop, keep, revoke, rest}},
		"from a bank and an exchange": {tocsin.Draft{Description: "A bank transfer to Binance, then USDT"},
			[]string{bought, binance, police, stop, keep, revoke, rest}},
		"of a coin, with a word of a bank": {tocsin.Draft{Currency: "USDT", Description: "Me pidió mi cuenta bancaria"},
			[]string{bought, exchange, police, stop, keep, revoke, rest}},
		"with the phrase": {tocsin.Draft{Currency: "USDT", Title: "Le di mi frase de recuperación"},
			[]string{move, exchange, police, stop, keep, revoke}},
	} {
		c.draft.CrimeType = tocsin.InvestmentScam
		titles, _ := titlesOf(c.draft)
		same(t, about, titles, c.steps...)
	}
}

// TestWhoHasLostNothingToARecoveryScamIsToldToPayNothing, before anything about a payment that they may have made.
func TestWhoHasLostNothingToARecoveryScamIsToldToPayNothing(t *testing.T) {
	nothing, lost := tocsin.USD(0), tocsin.USD(90000)
	for amount, first := range map[*tocsin.USD]string{nil: "Pay nothing, and block them.",
		&nothing: "Pay nothing, and block them.", &lost: "Tell the exchange at once."} {
		titles, all := titlesOf(tocsin.Draft{CrimeType: tocsin.RecoveryScam, Currency: "USD", AmountLost: amount,
			ScammerAddresses: []string{thief}})
		want(t, first, []any{titles[0], strings.Contains(all, "Pay nothing more.")}, []any{first, amount == &lost})
	}
}

// TestACardPaymentMayStillBeDisputedMonthsLater: of a transfer alone it is said that hours count.
func TestACardPaymentMayStillBeDisputedMonthsLater(t *testing.T) {
	_, all := titlesOf(tocsin.Draft{CrimeType: tocsin.Scam, Currency: "EUR"})
	for _, said := range []string{"A transfer can be recalled within hours",
		"dispute the payment: that is often possible for months"} {
		want(t, said, strings.Contains(all, said), true)
	}
}
