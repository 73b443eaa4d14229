package web

import (
	"cmp"
	"fmt"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/store"
)

func TestTicksAreTheCallsThatWereUsed(t *testing.T) {
	want(t, "one of three is left", accountPage{Quota: 3, Numbers: store.Account{Used: 2}}.Ticks(),
		[]bool{true, true, false})
	want(t, "none was used", accountPage{Quota: 2}.Ticks(), []bool{false, false})
	want(t, "at most thirty are drawn", []int{len(accountPage{Quota: 30}.Ticks()), len(accountPage{Quota: 31}.Ticks())},
		[]int{30, 0})
}

func TestARowOfAReportSaysWhoseItIs(t *testing.T) {
	evidence := reportRow{lang: english()}
	evidence.Evidence.URLs, evidence.Evidence.TransactionHashes = []string{"a"}, []string{"b", "c"}
	want(t, "evidence", evidence.EvidenceCount(), "1 link, 2 transactions")
	name, cent := "Ada", tocsin.USD(1)
	by := func(r tocsin.Report) string { return reportRow{lang: english(), Report: r}.By() }
	want(t, "by", []string{
		by(tocsin.Report{Source: tocsin.Community, Reporter: &tocsin.Reporter{Name: &name}}),
		by(tocsin.Report{Source: tocsin.Community, Reporter: &tocsin.Reporter{}}),
		by(tocsin.Report{Source: tocsin.Community}), by(tocsin.Report{Source: "scamsniffer"}),
	}, []string{"Ada", "a reporter with a key", "anonymous", "ScamSniffer"})
	lost := reportRow{lang: english(), Report: tocsin.Report{Draft: tocsin.Draft{AmountLost: &cent}}}
	want(t, "a cent", lost.Lost(), "0.01 USD")
}

// TestANameStandsForWhatItNames: a token for its unit, a service for its name, and a message for its signer.
func TestANameStandsForWhatItNames(t *testing.T) {
	for name, unit := range map[string]string{
		"USD Coin on Base": "USDC 6", "Bridged USD Coin on Arbitrum": "USDC.e 6", "Tether USD": "USDT 6",
		"Euro Coin on Base": "EURC 6", "PayPal USD on Ethereum": "PYUSD 6", "Wrapped Ether on Base": "WETH 18",
		"Dai Stablecoin on Ethereum": "DAI 18", "Wrapped BTC on Ethereum": "WBTC 8",
		"Coinbase Wrapped BTC on Base": "cbBTC 8",
		"Binance-Peg USD Coin":         "USDC 18", "Some Coin on Base": "Some Coin -1",
	} {
		symbol, decimals := tokenUnit(name)
		want(t, name, fmt.Sprint(symbol, " ", decimals), unit)
	}
	want(t, "services", serviceNames, map[string]locale.Key{
		"telegram": "Telegram", "x": "X", "whatsapp": "WhatsApp", "phone": "Phone", "instagram": "Instagram",
		"facebook": "Facebook", "discord": "Discord", "email": "E-mail", "name": "Name",
	})
	for message, signer := range map[string]string{
		"x\n" + nobody: nobody, "x\n" + nobody + "\ny\nz": nobody, nobody: "", "x\ny": "", "": "",
	} {
		account, named := signerIn(message)
		want(t, message, []any{account.String(), named},
			[]any{cmp.Or(signer, tocsin.Address{}.String()), signer != ""})
	}
}

func TestCrimeTypesAreFilteredByTheMostFrequent(t *testing.T) {
	st := store.Stats{Reports: 9, ByCrime: map[tocsin.CrimeType]int{tocsin.Scam: 2, tocsin.Phishing: 4, tocsin.Hack: 3}}
	draw := func(c reportsPage) (lines []string) {
		for _, f := range crimeFilters(st, c) {
			lines = append(lines, fmt.Sprint(f.Name, " ", f.Count, " ", f.Current, " ", f.Link))
		}
		return lines
	}
	same(t, "all", draw(reportsPage{lang: english()}),
		"All kinds 9 true /reports", "Phishing 4 false /reports?crimeType=phishing",
		"Hack 3 false /reports?crimeType=hack", "Scam 2 false /reports?crimeType=scam")
	same(t, "one that has none, in a search", draw(reportsPage{lang: english(), Crime: tocsin.RugPull, Query: "x",
		Search: true}),
		"All kinds 0 false /reports?q=x", "Phishing 0 false /reports?crimeType=phishing&q=x",
		"Hack 0 false /reports?crimeType=hack&q=x", "Scam 0 false /reports?crimeType=scam&q=x",
		"Rug pull 0 true /reports?crimeType=rug_pull&q=x")
	c := reportsPage{lang: english(), Crime: tocsin.Hack, Query: "a b"}
	same(t, "paths", []string{c.Start(), c.Unsearched(), c.AllKinds(), c.Name(), c.Label()},
		"/reports?crimeType=hack&q=a+b", "/reports?crimeType=hack", "/reports?q=a+b", "Reports: Hack",
		"Search in this kind: Hack")
}

func TestAPublicListIsOldThreeDaysAfterItWasRead(t *testing.T) {
	list := func(name, url string, age time.Duration) store.ListStats {
		return store.ListStats{Name: name, URL: url, Imported: tocsin.TimeOf(now.Add(-age))}
	}
	const days, url = 3 * 24 * time.Hour, "https://lists.example"
	same(t, "old", staleLists(english(), store.Stats{Lists: []store.ListStats{list("scamsniffer", url, days),
		list("starter", "", 2*days), list("polkadot", url, days+time.Second), list("partner", "", 2*days)}},
		tocsin.TimeOf(now)), "Polkadot phishing list")
}
