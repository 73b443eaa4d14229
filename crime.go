package tocsin

import (
	"fmt"
	"strings"
)

// CrimeType says what kind of fraud a report or a listing is about.
type CrimeType string

// The crime types.
const (
	PigButchering   CrimeType = "pig_butchering"
	Hack            CrimeType = "hack"
	Phishing        CrimeType = "phishing"
	AddressPoison   CrimeType = "address_poison"
	Scam            CrimeType = "scam"
	RugPull         CrimeType = "rug_pull"
	RomanceScam     CrimeType = "romance_scam"
	RecoveryScam    CrimeType = "recovery_scam"
	InvestmentScam  CrimeType = "investment_scam"
	Impersonation   CrimeType = "impersonation"
	Ransomware      CrimeType = "ransomware"
	MoneyLaundering CrimeType = "money_laundering"
	OtherCrime      CrimeType = "other"
)

// crimes is all that is said about crime types, in the order in which documents list them.
var crimes = []struct {
	crime                    CrimeType
	name, about, description string
}{
	{
		crime: PigButchering, name: "Romance or investment fraud (“pig butchering”)",
		about:       "a long friendship or romance that ends in a fake investment",
		description: "A new friend, weeks of talk, then a trading site",
	},
	{
		crime: Hack, name: "Hack",
		about:       "funds taken by breaking into a contract, a bridge, an exchange or a wallet",
		description: "A contract, wallet or service was broken into",
	},
	{
		crime: Phishing, name: "Phishing",
		about:       "a site or message that imitates another and takes keys, signatures or approvals",
		description: "A page or message took an approval or a recovery phrase",
	},
	{
		crime: AddressPoison, name: "Address poisoning",
		about:       "transfers from an address made to look like one that the victim uses",
		description: "I copied a look-alike address from my own history",
	},
	{
		crime: Scam, name: "Scam",
		about:       "fraud of any other kind, or of an unknown kind",
		description: "It was fraud, and none of these fits",
	},
	{
		crime: RugPull, name: "Rug pull",
		about:       "a project whose makers take the funds of its users and leave",
		description: "The project’s makers left with the money",
	},
	{
		crime: RomanceScam, name: "Romance scam",
		about:       "feigned love, and requests for money",
		description: "Love first, then money",
	},
	{
		crime: RecoveryScam, name: "Recovery scam",
		about:       "an offer to bring back what others took, for a fee",
		description: "Offered to get my lost money back, for a fee",
	},
	{
		crime: InvestmentScam, name: "Investment scam",
		about:       "promised returns, fake trading platforms, Ponzi schemes",
		description: "Promised returns; paying out always needs one more fee",
	},
	{
		crime: Impersonation, name: "Impersonation",
		about:       "pretending to be a person, a brand, a support desk or an authority",
		description: "Posed as support, a company, or someone I know",
	},
	{
		crime: Ransomware, name: "Ransomware or extortion",
		about:       "extortion for data that was encrypted or stolen",
		description: "Pay, or lose your files or your name",
	},
	{
		crime: MoneyLaundering, name: "Money laundering",
		about:       "moving or hiding the proceeds of crime",
		description: "Moves or hides what others stole",
	},
	{
		crime: OtherCrime, name: "Something else",
		about:       "none of these",
		description: "Tell us below in your own words",
	},
}

// CrimeTypes returns every crime type, in the order in which documents list them.
func CrimeTypes() []CrimeType {
	types := make([]CrimeType, len(crimes))
	for i, c := range crimes {
		types[i] = c.crime
	}
	return types
}

// ParseCrimeType parses the text of a crime type.
func ParseCrimeType(text string) (CrimeType, *Error) {
	for _, c := range crimes {
		if string(c.crime) == text {
			return c.crime, nil
		}
	}
	var names []string
	for _, c := range crimes {
		names = append(names, string(c.crime))
	}
	return "", invalid(fmt.Sprintf("%q is not a crime type", Clip(text, 40)), "send one of "+strings.Join(names, ", "))
}

// Name returns the crime type as people write it, such as "Rug pull". The name of an unknown type is its text with
// spaces.
func (c CrimeType) Name() string {
	for _, known := range crimes {
		if known.crime == c {
			return known.name
		}
	}
	return strings.ReplaceAll(string(c), "_", " ")
}

// About returns one line that defines the crime type, for documents, or "" if the type is unknown.
func (c CrimeType) About() string {
	for _, known := range crimes {
		if known.crime == c {
			return known.about
		}
	}
	return ""
}

// Description returns one line in the words of a victim who has to choose a crime type, or "" if the type is
// unknown.
func (c CrimeType) Description() string {
	for _, known := range crimes {
		if known.crime == c {
			return known.description
		}
	}
	return ""
}
