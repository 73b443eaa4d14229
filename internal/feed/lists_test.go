package feed

import (
	"fmt"
	"testing"
	"testing/fstest"

	"tocsin"
)

func TestListsAreReadInTheirUpstreamFormats(t *testing.T) {
	for _, c := range []struct {
		source   string
		files    fstest.MapFS
		listings string
		refused  map[string]int
	}{{
		source: "scamsniffer",
		files: tree(
			"domains.json", `["Drainer.example", "www.drainer.example", "1.2.3.4", "http://1.2.3.4:80/x", "pages.dev",
				"x.pages.dev", "medium.com/@thief", "localhost", 7, "a b.example"]`,
			"address.json", `["`+adA+`", "`+badSm+`", "0x12", "`+adA+`0", "`+boat+`"]`,
			"archive.tar.zst", packed(t,
				"archive/2024-02-03.json", `{"domains": ["drainer.example"]}`,
				"archive/2024-01-02.json", `{"domains": ["www.drainer.example", "gone.example"], "address": ["`+adA+`"]}`,
				"archive/readme.json", `no list`)),
		listings: "risk phishing drainer.example since 2024-01-02\n" +
			"risk phishing drainer.example since 2024-01-02\n" +
			"risk phishing x.pages.dev\n" +
			"risk phishing " + adA + " since 2024-01-02\n",
		refused: map[string]int{
			isIP: 2, shared: 1, pageOnly: 1, oneLabel: 1, badRow: 1, notSite: 1, badSum: 1, badLength: 2, notEVM: 1,
		},
	}, {
		source: "polkadot",
		files: tree(
			"all.json", `{"allow": ["*.host.example", "pages.dev"],
				"deny": ["evil.example", "host.example", "a.host.example"], "denySub": ["x.example/evil"]}`,
			"meta/2024-02.json", `[{"date": "2024-02-29", "url": "evil.example"},
				{"date": "2024-02-03", "url": "https://evil.example"}, {"date": "?", "url": "a.host.example"}]`,
			"meta/index.json", `["2024-02"]`),
		listings: "shared hosting host.example\nshared hosting pages.dev\n" +
			"risk phishing evil.example since 2024-02-03\nrisk phishing a.host.example\n",
		refused: map[string]int{pageOnly: 1, exempted: 1},
	}, {
		source: "eth-phishing-detect",
		files: tree("src/config.json", `{"version": 2, "tolerance": 1, "fuzzylist": ["wallet.example"],
			"whitelist": ["valet.example", "web.app"], "blacklist": ["wa11et.example", "valet.example", "gb.net"]}`),
		listings: "safe project wallet.example\nsafe cleared valet.example\n" +
			"shared hosting web.app\nrisk phishing wa11et.example\n",
		refused: map[string]int{exempted: 1, shared: 1},
	}, {
		source: "phantom",
		files: tree(
			"blocklist.yaml", "---\n  - url: evil.example\n  - url: [not, text]\n  - url: EVIL2.example.\n",
			"whitelist.yaml", "---\n  - url: good.example\n    versionTag: \"0.1\"\n"+
				"  - url: \"*.web.app\"\n  - url: \"*.studio.example\"\n"),
		listings: "safe cleared good.example\nshared hosting web.app\nshared hosting studio.example\n" +
			"risk phishing evil.example\nrisk phishing evil2.example\n",
		refused: map[string]int{badRow: 1},
	}, {
		source: "spmedia",
		files: tree(
			"detected_urls.txt", "# Title: a list\n\nExchange.example\nhttps://other.example/register\n",
			"detected_urls.json", `{"detected_urls": ["never-read.example"]}`,
			"history_first_seen.csv", "entry,first_seen\nexchange.example,2025-03-04\n"),
		listings: "risk investment_scam exchange.example since 2025-03-04\n",
		refused:  map[string]int{pageOnly: 1},
	}, {
		source:   "spmedia",
		files:    tree("detected_urls.json", `{"metadata": {}, "detected_urls": ["exchange.example"]}`),
		listings: "risk investment_scam exchange.example\n",
	}, {
		source: "forta",
		files: tree(
			"labels/1/etherscan_malicious_labels.csv", "banned_address,wallet_tag,data_source\n"+
				adA+",Fake_Phishing1,etherscan-phish-hack-list\n"+adB+",Thing Exploiter,etherscan-heist-list\n",
			"labels/1/phishing_scams.csv", "address,etherscan_tag,etherscan_labels,is_contract\n"+
				adA+`,"Coin, for $1",phish-hack,True`+"\n"+adB+",bare \" quote,phish-hack,True\n"+
				badSm+",x,phish-hack,False\n",
			"labels/10/malicious_smart_contracts.csv",
			"contract_address,contract_tag,contract_creator,contract_creator_tag,source,notes\n"+
				adC+",Thing,"+adB+",,explorer,\n"+adC+",Thing,"+adB+",Thing Exploiter,explorer,\n"),
		listings: "risk phishing " + adA + " on eip155:1 (Fake_Phishing1)\n" +
			"risk hack " + adB + " on eip155:1 (Thing Exploiter)\n" +
			"risk phishing " + adA + " on eip155:1 (Coin, for $1)\n" +
			"risk hack " + adC + " on eip155:10 (Thing)\nrisk hack " + adC + " on eip155:10 (Thing)\n" +
			"risk hack " + adB + " on eip155:10 (Thing Exploiter)\n",
		refused: map[string]int{badRow: 1, badSum: 1},
	}, {
		source: "ofac",
		files: tree("data/sanctioned-addresses.json", `{"metadata": {}, "addresses": {
			"`+adB+`": {"type": "ETH", "entries": [
				{"entity": "Z", "program": "P2", "uid": "12", "akas": ["Zed", "A", "The \n Z", "Zed", ""]},
				{"entity": "A", "program": "P2", "uid": 13, "akas": "?"}]},
			"`+adA+`": {"type": "ETH", "entries": []}, "TXyz": {"entries": []}, "`+adC+`": "?"}}`),
		listings: "sanction  " + adA + "\nsanction  " + adB + " (A; Z / P2) also Zed, The Z\n",
		refused:  map[string]int{notAccount: 1, badRow: 1},
	}, {
		source:   "ofac",
		files:    tree("sanctions.csv", "address,name,program\n"+adA+",Somebody,P\n"),
		listings: "sanction  " + adA + " (Somebody / P)\n",
	}, {
		source:   "ofac",
		files:    tree("sanctioned_addresses_ETH.txt", adA+"\n", "sanctioned_addresses_XBT.txt", "1abc\n"),
		listings: "sanction  " + adA + "\n",
		refused:  map[string]int{notAccount: 1},
	}, {
		source: "eth-labels",
		files: tree(
			"accounts.csv", "address,chainId,label,nameTag\n"+
				adA+",1,\"hot-wallet\",\"Exchange 1\"\n"+
				adB+",1,uniswap,Uniswap: Router\n"+adB+",56,phish-hack,\"\"\n"+
				adC+",1,meme,Coin\n"+adC+",x,meme,Coin\n",
			"tokens.csv", "address,chainId,label,name,symbol,website,image\n"+
				adB+",10,stablecoin,\"A \\\"coin\\\"\",C,,\n"+adB+",10,stablecoin,Coin,C,https://www.Coin.example/,\n"+
				adB+",10,stablecoin,Coin,C,https://coin.example,\n"+adB+",10,stablecoin,Coin,C,https://t.me/coin,\n"+
				adC+",10,phish-hack,Coin,C,https://coin-claim.example,\n"),
		listings: "safe token-site coin.example\n" +
			"safe exchange " + adA + " on eip155:1 (Exchange 1)\nsafe dex " + adB + " on eip155:1 (Uniswap: Router)\n" +
			"safe token " + adB + " on eip155:10 (Coin)\nrisk phishing " + adB + " on eip155:56\n" +
			"risk phishing " + adC + " on eip155:10 (Coin)\n",
		refused: map[string]int{unknownLabel: 1, badRow: 2},
	}, {
		source: "eth-labels",
		files: tree("accounts.tar.zst", packed(t,
			"data/basescan/exploit/accounts.json", `[{"address": "`+adA+`", "nameTag": ""}, {"address": 1}]`,
			"data/basescan/exploit/tokens.json", `?`)),
		listings: "risk hack " + adA + " on eip155:8453\n",
		refused:  map[string]int{badRow: 1},
	}, {
		source: "etherscan-labels",
		files: tree("data/optimism/combined/combinedAllLabels.json", `{"": {"name": "Sum of 3 accounts", "labels": ["aave"]},
			"`+adA+`": {"name": "Aave: Pool", "labels": ["aave"]},
			"`+adB+`": {"name": "Fake_Phishing7", "labels": ["aave"]}, "`+adC+`": {"name": 3}}`),
		listings: "safe project " + adA + " on eip155:10 (Aave: Pool)\n" +
			"risk phishing " + adB + " on eip155:10 (Fake_Phishing7)\n",
		refused: map[string]int{notEVM: 1, badRow: 1},
	}, {
		source: "uniswap-default-list",
		files: tree(
			"src/tokens/mainnet.json", `[{"chainId": 1, "address": "`+adA+`", "name": "Coin"},
				{"chainId": 11155111, "address": "`+adB+`", "name": "Test"}, {"address": "`+adC+`"}]`,
			"src/tokens/solana.json", `[{"chainId": 501000101, "address": "5mbK36", "name": "Other"},
				{"chainId": 501000101, "address": "`+mint+`", "name": "Coin"}]`),
		listings: "safe token " + adA + " on eip155:1 (Coin)\n" +
			"safe token " + mint + " on solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp (Coin)\n",
		refused: map[string]int{testnet: 1, badRow: 1, notAccount: 1},
	}, {
		source: "misp-warninglists",
		files: tree(
			"lists/bank-website/list.json", `{"list": [".Bank.example", "pages.dev"]}`,
			"lists/tranco10k/list.json", `{"list": ["short.example", "top.example"]}`,
			"lists/url-shortener/list.json", `{"list": ["short.example", ".pages.dev"]}`,
			"lists/cloudflare-top1m/list.json", `{"list": ["never-read.example"]}`),
		listings: "shared url-shortener short.example\nshared url-shortener pages.dev\n" +
			"safe bank bank.example\nsafe top-site top.example\n",
		refused: map[string]int{shared: 1, exempted: 1},
	}} {
		t.Run(c.source, func(t *testing.T) {
			s, ok := Find(c.source)
			if !ok {
				t.Fatal("there is no such source")
			}
			_, listings, refused, err := collect(s, c.files)
			if err != nil {
				t.Fatal(err)
			}
			if got := lines(listings); got != c.listings {
				t.Errorf("got\n%swant\n%s", got, c.listings)
			}
			if fmt.Sprint(refused) != fmt.Sprint(c.refused) && len(refused)+len(c.refused) > 0 {
				t.Errorf("refused %v, want %v", refused, c.refused)
			}
			for _, l := range listings {
				check(t, c.source, tocsin.Entry{Listing: &l})
			}
		})
	}
}
