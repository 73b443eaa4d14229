package feed

import "cmp"

// etherscanRemoval says how an owner has a label removed at Etherscan, whose labels some lists copy.
const etherscanRemoval = "https://info.etherscan.com/public-name-tag-removal"

// objections are the pages where lists take objections to their entries, where that is not the page of the list.
var objections = map[string]string{
	"cryptoscamdb": "https://github.com/CryptoScamDB/blacklist/issues",
	"eth-labels":   etherscanRemoval,
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
