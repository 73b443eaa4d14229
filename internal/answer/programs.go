package answer

import (
	"strings"

	"tocsin/internal/locale"
)

// Program is a sanctions program, by the code that its list gives.
type Program struct {
	Code string
	Name locale.Key // what it is about; "" if that is not known
}

// programNames are the programs of the accounts on OFAC's list, by their codes.
var programNames = map[string]locale.Key{
	"CAATSA - RUSSIA":       "Russia: Countering America’s Adversaries Through Sanctions Act",
	"CYBER2":                malicious,
	"CYBER3":                malicious,
	"CYBER4":                malicious,
	"DPRK2":                 northKorea,
	"DPRK3":                 northKorea,
	"DPRK4":                 northKorea,
	"ELECTION-EO13848":      "Foreign interference in a United States election",
	"FTO":                   "Foreign terrorist organizations",
	"IFSR":                  "Iran: financial sanctions",
	"ILLICIT-DRUGS-EO14059": "Global illicit drug trade",
	"IRAN":                  "Iran: transactions and sanctions",
	"IRAN-EO13902":          "Iran: sectors of its economy",
	"IRGC":                  "Iran: Islamic Revolutionary Guard Corps",
	"NPWMD":                 "Proliferation of weapons of mass destruction",
	"RUSSIA-EO14024":        "Russia: harmful foreign activities",
	"SDGT":                  "Specially designated global terrorists",
	"SDNTK":                 "Foreign narcotics kingpins",
	"TCO":                   "Transnational criminal organizations",
	"UKRAINE-EO13661":       "Russia: the situation in Ukraine",
}

const (
	malicious  locale.Key = "Malicious cyber activities"
	northKorea locale.Key = "North Korea"
)

// Programs are the programs of a sanction, which lists write one after the other.
func Programs(text string) (all []Program) {
	for code := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ';' }) {
		code = strings.TrimSpace(code)
		all = append(all, Program{code, programNames[code]})
	}
	return all
}
