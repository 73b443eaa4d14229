package feed

import "cmp"

// objections are the pages where lists take objections to their entries, where that is not the page of the list.
var objections = map[string]string{
	"cryptoscamdb":             "https://github.com/CryptoScamDB/blacklist/issues",
	"eth-labels":               "https://github.com/dawsbot/eth-labels/issues",
	"eth-phishing-detect":      "https://github.com/MetaMask/eth-phishing-detect/issues/new/choose",
	"etherscan-labels":         "https://etherscan.io/contactus", // whose labels they are
	"forta":                    "https://github.com/forta-network/labelled-datasets/issues",
	"mew-ethereum-lists":       "https://github.com/MyEtherWallet/ethereum-lists/issues",
	"phantom":                  "https://github.com/phantom/blocklist/issues",
	"polkadot":                 "https://github.com/polkadot-js/phishing/issues",
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
