package tocsin

import (
	"fmt"
	"strings"
)

// CrimeType says what kind of fraud a report or a listing is about.
type CrimeType string

// The crime types, in the order in which documents list them.
const (
	PigButchering   CrimeType = "pig_butchering"
	Hack            CrimeType = "hack"
	Phishing        CrimeType = "phishing"
	AddressPoison   CrimeType = "address_poison"
	Scam            CrimeType = "scam"
	RugPull         CrimeType = "rug_pull"
	RomanceScam     CrimeType = "romance_scam"
	InvestmentScam  CrimeType = "investment_scam"
	Impersonation   CrimeType = "impersonation"
	Ransomware      CrimeType = "ransomware"
	MoneyLaundering CrimeType = "money_laundering"
	OtherCrime      CrimeType = "other"
)

// CrimeTypes returns every crime type.
func CrimeTypes() []CrimeType {
	return []CrimeType{PigButchering, Hack, Phishing, AddressPoison, Scam, RugPull, RomanceScam,
		InvestmentScam, Impersonation, Ransomware, MoneyLaundering, OtherCrime}
}

// ParseCrimeType parses the name of a crime type.
func ParseCrimeType(text string) (CrimeType, *Error) {
	for _, c := range CrimeTypes() {
		if string(c) == text {
			return c, nil
		}
	}
	names := make([]string, 0, 12)
	for _, c := range CrimeTypes() {
		names = append(names, string(c))
	}
	return "", invalid(fmt.Sprintf("%q is not a crime type", Clip(text, 40)), "send one of "+strings.Join(names, ", "))
}

// About says in a line what a crime type means.
func (c CrimeType) About() string { return aboutCrimes[c] }

var aboutCrimes = map[CrimeType]string{
	PigButchering:   "a long friendship or romance that ends in a fake investment",
	Hack:            "funds taken by breaking into a contract, a bridge, an exchange or a wallet",
	Phishing:        "a site or message that passes for another and takes keys, signatures or approvals",
	AddressPoison:   "transfers from an address made to look like one that the victim uses",
	Scam:            "fraud of any other kind, or of a kind not known",
	RugPull:         "a project whose makers take the funds of its users and leave",
	RomanceScam:     "feigned love, and requests for money",
	InvestmentScam:  "promised returns, fake trading platforms, Ponzi schemes",
	Impersonation:   "passing for a person, a brand, a support desk or an authority",
	Ransomware:      "extortion for data that was encrypted or stolen",
	MoneyLaundering: "moving or hiding the proceeds of crime",
	OtherCrime:      "none of these",
}
