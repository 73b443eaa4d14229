package feed

import (
	"context"
	"testing"
	"testing/fstest"

	"tocsin"
)

// fuzz reads any text with the part of a source that reads the file. It must not
// panic, and must emit only what the store accepts.
func fuzz(f *testing.F, source, file string, seeds ...string) {
	s, ok := Find(source)
	if !ok {
		f.Fatal("there is no source " + source)
	}
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Add([]byte("[]"))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		files := fstest.MapFS{file: {Data: text}}
		entries := 0
		_, err := s.Read(context.Background(), files, today, Sink{Entry: func(e tocsin.Entry) error {
			entries++
			check(t, source, e)
			return nil
		}})
		if err == nil && entries == 0 {
			t.Error("there were no entries and no error")
		}
	})
}

func FuzzScamSniffer(f *testing.F) {
	fuzz(f, "scamsniffer", "domains.json", `["evil.example", "https://x.pages.dev/a", "xn--a-ecp.example", 3]`)
}

func FuzzScamSnifferAddresses(f *testing.F) {
	fuzz(f, "scamsniffer", "address.json", `["`+adA+`", "`+badSm+`", null]`)
}

func FuzzPolkadot(f *testing.F) {
	fuzz(f, "polkadot", "all.json",
		`{"allow": ["*.host.example"], "deny": ["evil.example"], "denySub": ["x.example/y"]}`)
}

func FuzzEthPhishingDetect(f *testing.F) {
	fuzz(f, "eth-phishing-detect", "config.json",
		`{"fuzzylist": ["a.example"], "whitelist": ["b.example", "*.c.example"], "blacklist": ["d.example"]}`)
}

func FuzzPhantom(f *testing.F) {
	fuzz(f, "phantom", "whitelist.yaml", "---\n  - url: \"*.web.app\"\n  - url: a.example\n    versionTag: 1\n")
}

func FuzzSpmedia(f *testing.F) {
	fuzz(f, "spmedia", "detected_urls.txt", "# Title\n\nExchange.example\n")
}

func FuzzCryptoScamDB(f *testing.F) {
	fuzz(f, "cryptoscamdb", "urls.yaml", `- name: a.example
  url: http://a.example
  category: Phishing
  subcategory: X
  description: Y
  addresses:
    ETH:
    - "`+adA+`"
`)
}

func FuzzMew(f *testing.F) {
	fuzz(f, "mew-ethereum-lists", "addresses/addresses-darklist.json",
		`[{"address": "`+adA+`", "comment": "Fake", "date": "7/8/17"}]`)
}

func FuzzForta(f *testing.F) {
	fuzz(f, "forta", "labels/1/malicious_smart_contracts.csv",
		"contract_address,contract_creator,notes,contract_creation_tx,source\n"+
			adA+","+adB+",20220101 Note,"+hash32+",https://a.example\n")
}

func FuzzOFAC(f *testing.F) {
	fuzz(f, "ofac", "sanctioned-addresses.json",
		`{"addresses": {"`+adA+`": {"entries": [{"entity": "A", "program": "P", "uid": "1"}]}}}`)
}

func FuzzRevoke(f *testing.F) {
	fuzz(f, "revoke-approval-exploits", "exploits/a.json",
		`{"name": "N", "description": "D", "date": "2022-01-01", "amount": 0.5,
		"addresses": [{"address": "`+adA+`"}], "metaArticleUrls": ["https://a.example"]}`)
}

func FuzzEthLabels(f *testing.F) {
	fuzz(f, "eth-labels", "accounts.csv",
		"address,chainId,label,nameTag\n"+adA+",1,exchange,Exchange 1\n"+adB+",1,phish-hack,\n")
}

func FuzzEthLabelsArchive(f *testing.F) {
	fuzz(f, "eth-labels", "accounts.tar.zst",
		packed(f, "data/etherscan/exploit/accounts.json", `[{"address": "`+adA+`", "nameTag": "X"}]`))
}

func FuzzEtherscanLabels(f *testing.F) {
	fuzz(f, "etherscan-labels", "etherscan.combinedAllLabels.json",
		`{"`+adA+`": {"name": "Exchange 1", "labels": ["exchange"]}}`)
}

func FuzzUniswap(f *testing.F) {
	fuzz(f, "uniswap-default-list", "tokens/mainnet.json",
		`[{"chainId": 1, "address": "`+adA+`", "name": "Coin"}]`,
		`{"tokens": [{"chainId": 1, "address": "`+adA+`"}]}`)
}

func FuzzMISP(f *testing.F) {
	fuzz(f, "misp-warninglists", "url-shortener/list.json", `{"list": [".short.example", "pages.dev"]}`)
}

func FuzzNDJSON(f *testing.F) {
	fuzz(f, "ndjson", "reports.ndjson",
		`{"id": "a", "publishedAt": "2025-01-02", "crimeType": "scam", "title": "T", "description": "D", `+
			`"scammerAddresses": ["`+adA+`"]}`)
}

func FuzzCSV(f *testing.F) {
	fuzz(f, "csv", "reports.csv",
		"id,crimeType,title,description,reportedDomains,amountLost\na,scam,T,D,evil.example,5\n")
}

func FuzzStarter(f *testing.F) {
	fuzz(f, "starter", "incidents.ndjson",
		`{"crimeType": "hack", "title": "T", "description": "D", "scammerAddresses": ["`+adA+`"], `+
			`"incidentDate": "2022-01-01"}`)
}
