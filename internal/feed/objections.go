package feed

import (
	"cmp"
	"net/url"
	"strings"
)

// etherscanRemoval says how an owner has a label removed at Etherscan, whose labels some lists copy.
const etherscanRemoval = "https://info.etherscan.com/public-name-tag-removal"

// objections are the pages where lists take objections to their entries, where that is not the page of the list.
var objections = map[string]string{
	Unkept:       "https://github.com/CryptoScamDB/blacklist/issues",
	"eth-labels": etherscanRemoval,
	"eth-phishing-detect": "https://github.com/MetaMask/eth-phishing-detect/issues/new" +
		"?template=02-blocklist-removal.yaml",
	"etherscan-labels":         etherscanRemoval,
	"forta":                    etherscanRemoval,
	"mew-ethereum-lists":       "https://github.com/MyEtherWallet/ethereum-lists/issues",
	"phantom":                  "https://github.com/phantom/blocklist/issues",
	"polkadot":                 "https://github.com/polkadot-js/phishing/issues/new",
	"revoke-approval-exploits": "https://github.com/RevokeCash/approval-exploit-list/issues",
	"scamsniffer":              "https://github.com/scamsniffer/scam-database/issues",
	"spmedia":                  "https://github.com/spmedia/Crypto-Scam-and-Crypto-Phishing-Threat-Intel-Feed/issues",
	OFAC: "https://ofac.treasury.gov/specially-designated-nationals-list-sdn-list/" +
		"filing-a-petition-for-removal-from-an-ofac-list",
}

// Objections returns the page where the list takes objections to its entries: the page of the list if no other is
// known, and "" for the starter set, which belongs to the service, and for the operator's own lists.
func (s Source) Objections() string {
	if s.Name == StarterList {
		return ""
	}
	return cmp.Or(objections[s.Name], s.URL)
}

// mailboxes are the addresses for objections that lists have published.
var mailboxes = map[string]string{
	"phantom":     "review@phantom.com",
	"scamsniffer": "fun@scamsniffer.io",
	OFAC:          "OFAC.Reconsideration@treasury.gov",
}

// Mailbox returns the e-mail address at which the list takes objections to its entries; "" for none.
func (s Source) Mailbox() string { return mailboxes[s.Name] }

// repository returns the URL of the repository at GitHub in whose issues the list takes objections; "" for none.
func (s Source) repository() string {
	if repository, _, found := strings.Cut(s.Objections(), "/issues"); found {
		return repository
	}
	return ""
}

// NewObjection returns the page where an objection to the entry of a name is written, with its title and its text
// filled in: an issue at GitHub. It returns "" for a list whose page cannot be filled in by a link.
func (s Source) NewObjection(name, title, text string) string {
	if s.repository() == "" {
		return ""
	}
	fields := url.Values{"title": {title}, "body": {text}}
	if page, err := url.Parse(s.Objections()); err == nil && page.Query().Has("template") { // a form, which has no body
		fields = url.Values{"template": page.Query()["template"], "title": {title}, "domains": {name}, "rationale": {text}}
	}
	return s.repository() + "/issues/new?" + fields.Encode()
}

// Discussions returns the page of what was written at the list about a name, by anybody; "" if that is not public.
func (s Source) Discussions(name string) string {
	if s.repository() == "" {
		return ""
	}
	return s.repository() + "/issues?" + url.Values{"q": {`"` + name + `"`}}.Encode()
}
