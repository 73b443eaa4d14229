package feed

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/klauspost/compress/zstd"

	"tocsin"
)

var today = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

// Addresses that nobody has.
const (
	adA    = "0x00000000000000000000000000000000000000aa"
	adB    = "0x00000000000000000000000000000000000000bb"
	adC    = "0x00000000000000000000000000000000000000cc"
	badSm  = "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" // EIP-55's first example, one letter in the wrong case
	hash32 = "0x1111111111111111111111111111111111111111111111111111111111111111"
)

// collect reads everything, and returns the reports by key, the listings and
// the reasons for refusals, each with how often it was given.
func collect(s Source, files fs.FS) (reports map[string]tocsin.Draft, listings []tocsin.Listing, refused map[string]int, err error) {
	reports, refused = map[string]tocsin.Draft{}, map[string]int{}
	err = s.Read(context.Background(), files, today, Sink{
		Entry: func(e tocsin.Entry) error {
			if e.Report != nil {
				reports[e.Key] = *e.Report
			}
			if e.Listing != nil {
				listings = append(listings, *e.Listing)
			}
			return nil
		},
		Refuse: func(_, reason, _ string) { refused[reason]++ },
	})
	return reports, listings, refused, err
}

// tree makes a file system of names and texts.
func tree(files ...string) fstest.MapFS {
	t := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		t[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return t
}

// packed makes a tar.zst of names and texts.
func packed(t testing.TB, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for i := 0; i < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: files[i], Size: int64(len(files[i+1])), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// lines writes listings so that they can be compared.
func lines(listings []tocsin.Listing) string {
	var b strings.Builder
	for _, l := range listings {
		fmt.Fprintf(&b, "%s %s %s", l.Kind, l.Category, l.Subject.Value)
		if l.Chain != "" {
			fmt.Fprintf(&b, " on %s", l.Chain)
		}
		if l.Since != nil {
			fmt.Fprintf(&b, " since %s", l.Since.Std().Format(time.DateOnly))
		}
		if l.Name+l.Program != "" {
			fmt.Fprintf(&b, " (%s)", strings.Trim(l.Name+" / "+l.Program, " /"))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestListsAreReadInTheirUpstreamFormats(t *testing.T) {
	for _, c := range []struct {
		source   string
		files    fstest.MapFS
		listings string
		refused  map[string]int
	}{{
		source: "scamsniffer",
		files: tree(
			"domains.json", `["Drainer.example", "www.drainer.example", "1.2.3.4", "http://1.2.3.4:80/x", "pages.dev", "x.pages.dev", "medium.com/@thief", "localhost", 7, "a b.example"]`,
			"address.json", `["`+adA+`", "`+badSm+`", "0x12", "`+adA+`0", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT"]`,
			"archive.tar.zst", packed(t,
				"archive/2024-02-03.json", `{"domains": ["drainer.example"]}`,
				"archive/2024-01-02.json", `{"domains": ["www.drainer.example", "gone.example"], "address": ["`+adA+`"]}`,
				"archive/readme.json", `no list`)),
		listings: "risk phishing drainer.example since 2024-01-02\n" +
			"risk phishing drainer.example since 2024-01-02\n" +
			"risk phishing x.pages.dev\n" +
			"risk phishing " + adA + " since 2024-01-02\n",
		refused: map[string]int{isIP: 2, shared: 1, onlyPage: 1, oneLabel: 1, badRow: 1, notSite: 1, badSum: 1, badLength: 2, notEVM: 1},
	}, {
		source: "polkadot",
		files: tree(
			"all.json", `{"allow": ["*.host.example", "pages.dev"], "deny": ["evil.example", "host.example", "a.host.example"], "denySub": ["x.example/evil"]}`,
			"meta/2024-02.json", `[{"date": "2024-02-29", "url": "evil.example"}, {"date": "2024-02-03", "url": "https://evil.example"}, {"date": "?", "url": "a.host.example"}]`,
			"meta/index.json", `["2024-02"]`),
		listings: "shared hosting host.example\nshared hosting pages.dev\n" +
			"risk phishing evil.example since 2024-02-03\nrisk phishing a.host.example\n",
		refused: map[string]int{onlyPage: 1, exempted: 1},
	}, {
		source: "eth-phishing-detect",
		files: tree("src/config.json", `{"version": 2, "tolerance": 1, "fuzzylist": ["wallet.example"],
			"whitelist": ["valet.example", "web.app"], "blacklist": ["wa11et.example", "valet.example", "gb.net"]}`),
		listings: "safe project wallet.example\nsafe cleared valet.example\nshared hosting web.app\nrisk phishing wa11et.example\n",
		refused:  map[string]int{exempted: 1, shared: 1},
	}, {
		source: "phantom",
		files: tree(
			"blocklist.yaml", "---\n  - url: evil.example\n  - url: [not, text]\n  - url: EVIL2.example.\n",
			"whitelist.yaml", "---\n  - url: good.example\n    versionTag: \"0.1\"\n  - url: \"*.web.app\"\n  - url: \"*.studio.example\"\n"),
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
		refused:  map[string]int{onlyPage: 1},
	}, {
		source:   "spmedia",
		files:    tree("detected_urls.json", `{"metadata": {}, "detected_urls": ["exchange.example"]}`),
		listings: "risk investment_scam exchange.example\n",
	}, {
		source: "forta",
		files: tree(
			"labels/1/etherscan_malicious_labels.csv", "banned_address,wallet_tag,data_source\n"+adA+",Fake_Phishing1,etherscan-phish-hack-list\n"+adB+",Thing Exploiter,etherscan-heist-list\n",
			"labels/1/phishing_scams.csv", "address,etherscan_tag,etherscan_labels,is_contract\n"+adA+`,"Coin, for $1",phish-hack,True`+"\n"+adB+",bare \" quote,phish-hack,True\n"+badSm+",x,phish-hack,False\n",
			"labels/10/malicious_smart_contracts.csv", "contract_address,contract_tag,contract_creator,contract_creator_tag,source,notes\n"+adC+",Thing,"+adB+",,explorer,\n"+adC+",Thing,"+adB+",Thing Exploiter,explorer,\n"),
		listings: "risk phishing " + adA + " on eip155:1 (Fake_Phishing1)\nrisk hack " + adB + " on eip155:1 (Thing Exploiter)\n" +
			"risk phishing " + adA + " on eip155:1 (Coin, for $1)\n" +
			"risk hack " + adC + " on eip155:10 (Thing)\nrisk hack " + adC + " on eip155:10 (Thing)\nrisk hack " + adB + " on eip155:10 (Thing Exploiter)\n",
		refused: map[string]int{badRow: 1, badSum: 1},
	}, {
		source: "ofac",
		files: tree("data/sanctioned-addresses.json", `{"metadata": {}, "addresses": {
			"`+adB+`": {"type": "ETH", "entries": [{"entity": "Z", "program": "P2", "uid": "12"}, {"entity": "A", "program": "P2", "uid": 13}]},
			"`+adA+`": {"type": "ETH", "entries": []}, "TXyz": {"entries": []}, "`+adC+`": "?"}}`),
		listings: "sanction  " + adA + "\nsanction  " + adB + " (A; Z / P2)\n",
		refused:  map[string]int{notEVM: 1, badRow: 1},
	}, {
		source:   "ofac",
		files:    tree("sanctions.csv", "address,name,program\n"+adA+",Somebody,P\n"),
		listings: "sanction  " + adA + " (Somebody / P)\n",
	}, {
		source:   "ofac",
		files:    tree("sanctioned_addresses_ETH.txt", adA+"\n", "sanctioned_addresses_XBT.txt", "1abc\n"),
		listings: "sanction  " + adA + "\n",
		refused:  map[string]int{notEVM: 1},
	}, {
		source: "eth-labels",
		files: tree(
			"accounts.csv", "address,chainId,label,nameTag\n"+
				adA+",1,\"hot-wallet\",\"Exchange 1\"\n"+
				adB+",1,uniswap,Uniswap: Router\n"+adB+",56,phish-hack,\"\"\n"+
				adC+",1,meme,Coin\n"+adC+",x,meme,Coin\n",
			"tokens.csv", "address,chainId,label,name,symbol,website,image\n"+adB+",10,stablecoin,\"A \\\"coin\\\"\",C,,\n"+adB+",10,stablecoin,Coin,C,,\n"),
		listings: "safe exchange " + adA + " on eip155:1 (Exchange 1)\nsafe dex " + adB + " on eip155:1 (Uniswap: Router)\n" +
			"safe token " + adB + " on eip155:10 (Coin)\nrisk phishing " + adB + " on eip155:56\n",
		refused: map[string]int{doubtful: 1, badRow: 2},
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
			"`+adA+`": {"name": "Aave: Pool", "labels": ["aave"]}, "`+adB+`": {"name": "Fake_Phishing7", "labels": ["aave"]}, "`+adC+`": {"name": 3}}`),
		listings: "safe project " + adA + " on eip155:10 (Aave: Pool)\nrisk phishing " + adB + " on eip155:10 (Fake_Phishing7)\n",
		refused:  map[string]int{notEVM: 1, badRow: 1},
	}, {
		source: "uniswap-default-list",
		files: tree(
			"src/tokens/mainnet.json", `[{"chainId": 1, "address": "`+adA+`", "name": "Coin"}, {"chainId": 11155111, "address": "`+adB+`", "name": "Test"}, {"address": "`+adC+`"}]`,
			"src/tokens/solana.json", `[{"chainId": 501000101, "address": "5mbK36", "name": "Other"}]`),
		listings: "safe token " + adA + " on eip155:1 (Coin)\n",
		refused:  map[string]int{testnet: 1, badRow: 1, notEVM: 1},
	}, {
		source: "misp-warninglists",
		files: tree(
			"lists/bank-website/list.json", `{"list": [".Bank.example", "pages.dev"]}`,
			"lists/tranco10k/list.json", `{"list": ["short.example", "top.example"]}`,
			"lists/url-shortener/list.json", `{"list": ["short.example", ".pages.dev"]}`,
			"lists/cloudflare-top1m/list.json", `{"list": ["never-read.example"]}`),
		listings: "shared url-shortener short.example\nshared url-shortener pages.dev\nsafe bank bank.example\nsafe top-site top.example\n",
		refused:  map[string]int{shared: 1, exempted: 1},
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

func TestLabelsSpeakForOrAgainstAnAccountOrAreDoubtful(t *testing.T) {
	for _, c := range []struct {
		labels
		named bool
		want  string
	}{
		{labels{name: "Fake_Phishing12", labels: []string{"synthetix"}}, true, "phishing"},
		{labels{name: "Thing Exploiter 2: Contract", labels: []string{"bridge"}}, true, "hack"},
		{labels{name: "Thing Exploiter (Whitehat)", labels: []string{"x"}}, true, ""},
		{labels{name: "White Hat Hacker", labels: []string{"x"}}, true, ""},
		{labels{name: "Thing Rug Pull", labels: []string{"x"}}, true, "rug_pull"},
		{labels{name: "Hackerspace", labels: []string{"exchange"}}, true, ""},
		{labels{name: "SushiSwap: SCAM", labels: []string{"sushiswap"}}, true, ""},
		{labels{name: "Some Hacker", labels: []string{"stablecoin"}, token: true}, true, ""},
		{labels{name: "Aave (AAVE)", labels: []string{"aave", "phish-hack"}}, true, "phishing"},
		{labels{labels: []string{"blocked"}}, false, "other"},
		{labels{labels: []string{"blocked"}}, true, ""},
		{labels{labels: []string{"blocked", "ofac-sanctions-lists"}}, false, ""},
		{labels{name: "Tornado.Cash: Router", labels: []string{"ofac-sanctions-lists"}}, true, ""},
		{labels{labels: []string{"exchange"}}, false, ""}, // nobody has put a name to it
		{labels{name: "Exchange 3", labels: []string{"exchange"}}, true, "exchange"},
		{labels{name: "Exchange Coin (EXC)", labels: []string{"exchange"}}, true, ""},
		{labels{name: "Aave (AAVE)", labels: []string{"aave"}}, true, "project"},
		{labels{name: "Coin", labels: []string{"defi", "meme"}}, true, ""},
	} {
		got := string(c.crime(c.named))
		if got == "" {
			got = c.kind(goodLabels())
		}
		if got != c.want {
			t.Errorf("%q with %v is %q, want %q", c.name, c.labels.labels, got, c.want)
		}
	}
}

func TestCryptoScamDBTellsStoriesAndLosesOnlyTheEntryThatIsNoYAML(t *testing.T) {
	s, _ := Find("cryptoscamdb")
	reports, listings, refused, err := collect(s, tree("data/uris.yaml", `---
- name: wallet-login.example
  url: http://wallet-login.example
  category: Phishing
  subcategory: Wallet
  description: Fake wallet
  addresses:
    ETH:
    - "`+adA+`"
    BTC:
    - 1BoatSLRHtKNngkdXEeobR76b53LETtpyT
- name: social.example/thief
  url: https://social.example/thief
  category: Scamming
  subcategory: Trust-Trading
  description: Send one, get two!
  addresses:
    ETH: ["`+adB+`"]
  - name: social.example/badly-indented
  url: https://social.example/badly-indented
  category: Scamming
- name: exchange.example
  url: http://exchange.example
  category: Scamming
  subcategory: Exchange
- name: wallet-login.example
  url: http://wallet-login.example
  category: Phishing
  description: Once more
`))
	if err != nil {
		t.Fatal(err)
	}
	want := "risk phishing " + adA + "\nrisk phishing wallet-login.example\nrisk scam " + adB +
		"\nrisk investment_scam exchange.example\nrisk phishing wallet-login.example\n"
	if got := lines(listings); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if fmt.Sprint(refused) != fmt.Sprint(map[string]int{badRow: 1, notEVM: 1, onlyPage: 1, toldTwice: 1}) {
		t.Errorf("refused %v", refused)
	}
	if len(reports) != 2 {
		t.Fatalf("%d reports", len(reports))
	}
	r := reports["http://wallet-login.example"]
	if r.Title != "Phishing: wallet-login.example (Wallet)" || !strings.Contains(r.Description, "Fake wallet. Addresses on other chains: BTC 1Boat") {
		t.Errorf("%q: %q", r.Title, r.Description)
	}
	if r = reports["https://social.example/thief"]; len(r.ReportedDomains) != 0 || r.Evidence.URLs[0] != "https://social.example/thief" {
		t.Errorf("a page on a host of others: %+v", r)
	}
}

func TestMewCommentsAreToldWithTheDatesInBothStyles(t *testing.T) {
	s, _ := Find("mew-ethereum-lists")
	reports, listings, _, err := collect(s, tree(
		"src/addresses/addresses-darklist.json", `[{"address": "`+adA+` ", "comment": "Fake sale", "date": "7/8/17"}, {"address": "`+adB+`", "comment": "", "date": "2018-03-04"}, {"address": "`+adC+`", "comment": "Stole funds", "date": ""}]`,
		"src/urls/urls-darklist.json", `[{"id": "evil.example", "comment": "Phish: wallet"}, {"id": "own.example", "comment": ""}]`,
		"src/urls/urls-lightlist.json", `[{"id": "https://own.example", "comment": "Ours"}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := "safe project own.example\nrisk phishing " + adA + " since 2017-07-08\nrisk scam " + adB + " since 2018-03-04\nrisk hack " + adC + "\nrisk phishing evil.example\n"
	if got := lines(listings); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if len(reports) != 3 || *reports[adA].IncidentDate != "2017-07-08" || reports[adA].SourceDate.Std().Year() != 2017 {
		t.Errorf("%+v", reports)
	}
}

func TestFortaTellsOnlyNotes(t *testing.T) {
	s, _ := Find("forta")
	reports, _, _, err := collect(s, tree("labels/1/malicious_smart_contracts.csv",
		"contract_address,contract_tag,contract_creator,contract_creation_tx,contract_creator_tag,source,notes,contract_creator_etherscan_label\n"+
			adA+",Tag,"+adB+","+hash32+",,https://notes.example/x,20221011 Some Vault - No check,exploit\n"+
			adC+",Tag,"+adB+",,,table,,exploit\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, ok := reports[adA]
	if len(reports) != 1 || !ok || r.Title != "Some Vault - No check" || *r.IncidentDate != "2022-10-11" ||
		len(r.ScammerAddresses) != 2 || len(r.Evidence.URLs) != 2 || len(r.Evidence.TransactionHashes) != 1 {
		t.Errorf("%+v", reports)
	}
}

func TestRevokeTellsExploitsAndListsNothing(t *testing.T) {
	s, _ := Find("revoke-approval-exploits")
	reports, listings, refused, err := collect(s, tree("exploits/vault.json", `{"name": "Vault Hack", "description": "It was emptied.",
		"date": "2022-03-20", "amount": 0.6, "addresses": [{"chainId": 1, "address": "`+adA+`"}, {"chainId": 10, "address": "`+adA+`"}, {"address": "?"}],
		"metaArticleUrls": ["https://news.example/vault", "no link"]}`, "index.json", `["vault"]`))
	if err != nil {
		t.Fatal(err)
	}
	r := reports["vault"]
	if len(listings) != 0 || refused[notEVM] != 1 || r.CrimeType != tocsin.Hack || *r.AmountLost != 60_000_000 ||
		len(r.ScammerAddresses) != 1 || len(r.Evidence.URLs) != 1 || r.SourceDate.String() != "2022-03-20T00:00:00.000000Z" {
		t.Errorf("%v %v %+v", listings, refused, r)
	}
}

func TestOwnFormsKeepTheirIDsAndDates(t *testing.T) {
	s, _ := Find("ndjson")
	reports, _, refused, err := collect(s, tree("reports.ndjson", `{"id": "a1", "publishedAt": "2025-01-02T03:04:05Z", "crimeType": "scam", "title": "T", "description": "D", "reportedDomains": ["https://evil.example/x"], "amountLost": 12.5}

{"crimeType": "scam", "title": "T2", "description": "D", "scammerAddresses": ["`+adA+`"], "status": "published", "reporter": null}
{"crimeType": "theft", "title": "T", "description": "D", "scammerAddresses": ["`+adA+`"]}
{"id": "late", "publishedAt": "2031-01-01", "crimeType": "scam", "title": "T", "description": "D", "scammerAddresses": ["`+adA+`"]}
{"id": "a1", "crimeType": "scam", "title": "T", "description": "D", "scammerAddresses": ["`+adA+`"]}
{"title": 
`))
	if err != nil {
		t.Fatal(err)
	}
	r := reports["a1"]
	if len(reports) != 2 || r.SourceDate.String() != "2025-01-02T03:04:05.000000Z" || *r.AmountLost != 1250 || r.Evidence.URLs[0] != "https://evil.example/x" {
		t.Errorf("%+v", reports)
	}
	if fmt.Sprint(refused) != fmt.Sprint(map[string]int{badReport: 2, badRow: 1, toldTwice: 1}) {
		t.Errorf("refused %v", refused)
	}

	s, _ = Find("csv")
	reports, _, refused, err = collect(s, tree("r.csv", "\ufeffid,crimeType,title,description,scammerAddresses,evidence.urls,socialMedia.telegram,amountLost,note\n"+
		"c1,hack,T,\"two\nlines\","+adA+"; "+adB+",https://a.example https://b.example,@thief,7.50,ignored\n"+
		"c2,hack,T,D,"+adA+",,,much,\n"))
	if err != nil {
		t.Fatal(err)
	}
	r = reports["c1"]
	if len(reports) != 1 || len(r.ScammerAddresses) != 2 || len(r.Evidence.URLs) != 2 || *r.SocialMedia.Telegram != "@thief" || *r.AmountLost != 750 || refused[badRow] != 1 {
		t.Errorf("%+v %v", reports, refused)
	}
}

func TestTheStarterSetIsWhole(t *testing.T) {
	s, _ := Find(OFAC)
	_, listings, refused, err := collect(s, Starter())
	if err != nil || len(listings) < 100 || len(refused) > 0 {
		t.Errorf("%d sanctions, refused %v, %v", len(listings), refused, err)
	}
	s, _ = Find(StarterList)
	reports, listings, refused, err := collect(s, Starter())
	if err != nil || len(reports) < 40 || len(refused) > 0 {
		t.Errorf("%d incidents, refused %v, %v", len(reports), refused, err)
	}
	for _, l := range listings {
		check(t, StarterList, tocsin.Entry{Listing: &l})
	}
	for key, r := range reports {
		check(t, StarterList, tocsin.Entry{Report: &r, Key: key})
		if len(r.Evidence.URLs) == 0 {
			t.Errorf("%q names no source", r.Title)
		}
	}
}

func TestAFileOfReportsListsWhatItNames(t *testing.T) {
	s, _ := Find("ndjson")
	reports, listings, _, err := collect(s, tree("reports.ndjson", `{"id":"1","crimeType":"scam","title":"T","description":"D","scammerAddresses":["`+adA+`"],"reportedDomains":["evil.example"]}
`+strings.Repeat("x", maxLine+1)+`
{"id":"2","crimeType":"nonsense","title":"T","description":"D","reportedDomains":["other.example"]}
`))
	if err != nil || len(reports) != 1 || lines(listings) != "risk scam "+adA+"\nrisk scam evil.example\n" {
		t.Errorf("%d reports, %v\n%s", len(reports), err, lines(listings))
	}
}

func TestTheStarterSafelistIsReadIfItIsThere(t *testing.T) {
	s, _ := Find(StarterList)
	_, listings, _, err := collect(s, tree("safelist.csv", "subject,category,name\n"+adA+",token,Coin\nbank.example,bank,Bank\npages.dev,top-site,\n"))
	if want := "safe token " + adA + " (Coin)\nsafe bank bank.example (Bank)\n"; err != nil || lines(listings) != want {
		t.Errorf("%v\n%s", err, lines(listings))
	}
}

func TestAFileThatIsNoListIsAnError(t *testing.T) {
	for _, c := range []struct{ source, file, text, want string }{
		{"scamsniffer", "domains.json", "", "empty"},
		{"scamsniffer", "domains.json", " \n", "empty"},
		{"scamsniffer", "domains.json", "<!DOCTYPE html><p>Not found", "web page"},
		{"scamsniffer", "domains.json", "404: Not Found", "not the JSON"},
		{"scamsniffer", "domains.json", `["evil.example", "ev`, "not the JSON"},
		{"scamsniffer", "domains.json", `{"message": "rate limit"}`, "not the JSON"},
		{"scamsniffer", "domains.json", `[]`, "no row"},
		{"scamsniffer", "domains.json", `["com"]`, "not one entry"},
		{"scamsniffer", "domains.json", `["evil.example"] ["x"]`, "after the end"},
		{"scamsniffer", "readme.txt", "x", "no file of this list"},
		{"polkadot", "all.json", `{"message": "rate limit"}`, "no row"},
		{"phantom", "eth-blocklist.yaml", "404: Not Found", "no row"},
		{"spmedia", "detected_urls.txt", "# only a header\n", "no row"},
		{"forta", "labels/1/phishing_scams.csv", "404: Not Found", "no column"},
		{"forta", "labels/1/phishing_scams.csv", "address,etherscan_tag\n" + adA + ",x\n" + adB + ",\"never closed\n" + adC + ",x\n", "quote"},
		{"eth-labels", "accounts.tar.zst", "no archive", "archive"},
		{"etherscan-labels", "combinedAllLabels.json", "{}", "explorer"},
		{"uniswap-default-list", "tokens/mainnet.json", `"x"`, "no list of tokens"},
		{"revoke-approval-exploits", "exploits/a.json", `[]`, "not the JSON"},
		{"ndjson", "a.ndjson", "hello\n", "not one entry"},
	} {
		s, _ := Find(c.source)
		_, _, _, err := collect(s, tree(c.file, c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.source+": ") {
			t.Errorf("%s of %q: %v, want it to say %q", c.source, c.text, err, c.want)
		}
	}
}

func TestReadingEndsWithTheSinkOrTheCaller(t *testing.T) {
	s, _ := Find("spmedia")
	files := tree("detected_urls.txt", "a.example\nb.example\n")
	full := errors.New("the disk is full")
	n := 0
	err := s.Read(t.Context(), files, today, Sink{Entry: func(tocsin.Entry) error { n++; return full }})
	if !errors.Is(err, full) || n != 1 {
		t.Errorf("%v after %d entries", err, n)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Read(gone, files, today, Sink{Entry: func(tocsin.Entry) error { return nil }}); !errors.Is(err, context.Canceled) {
		t.Errorf("a reading for nobody: %v", err)
	}
}

func TestSourcesAreSortedAndComplete(t *testing.T) {
	all := Sources()
	var names []string
	for _, s := range all {
		names = append(names, s.Name)
		if s.About == "" || len(s.parts) == 0 || (s.Upstream == "") != (len(s.Files) == 0) {
			t.Errorf("%s is incomplete: %+v", s.Name, s)
		}
		if s.Upstream != "" && (s.URL == "" || !strings.HasSuffix(s.Upstream, "/")) {
			t.Errorf("%s: URL %q, upstream %q", s.Name, s.URL, s.Upstream)
		}
	}
	want := []string{"cryptoscamdb", "csv", "eth-labels", "eth-phishing-detect", "etherscan-labels", "forta", "mew-ethereum-lists",
		"misp-warninglists", "ndjson", "ofac", "phantom", "polkadot", "revoke-approval-exploits", "safelist", "scamsniffer", "spmedia", "starter", "uniswap-default-list"}
	if !slices.Equal(names, want) {
		t.Errorf("got %v", names)
	}
	if _, ok := Find("nothing"); ok {
		t.Error("a source was found that is not there")
	}
}

// host serves files as upstream would.
func host(t *testing.T, files map[string]string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := files[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if strings.HasPrefix(text, "<") {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
		} else {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		}
		if text == "cut off" {
			w.Header().Set("Content-Length", "1000")
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	return server
}

func TestDownloadsFollowTheIndexAndReportTheirProgress(t *testing.T) {
	server := host(t, map[string]string{
		"list/all.json": `{"deny": ["evil.example"]}`, "list/meta/index.json": `["2024-02", "../../etc"]`,
		"list/meta/2024-02.json": `[{"date": "2024-02-03", "url": "evil.example"}]`,
	})
	s, _ := Find("polkadot")
	s.Upstream = server.URL + "/list/"
	var done int64
	files, err := s.Open(t.Context(), "", server.Client(), func(n, _ int64) { done = n })
	if err != nil {
		t.Fatal(err)
	}
	if done == 0 {
		t.Error("no progress was reported")
	}
	_, listings, _, err := collect(s, files)
	if want := "risk phishing evil.example since 2024-02-03\n"; err != nil || lines(listings) != want {
		t.Errorf("%v\n%s", err, lines(listings))
	}
}

func TestADownloadThatFailsNamesItsURL(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "404 Not Found",
		"<html>Sign in</html>":    "web page",
		"cut off":                 "unexpected EOF",
		`{"not": "the index yet"`: "not a list of files",
	} {
		files := map[string]string{}
		if text != "" {
			files["index.json"] = text
		}
		server := host(t, files)
		s, _ := Find("revoke-approval-exploits")
		s.Upstream = server.URL + "/"
		_, err := s.Open(t.Context(), "", server.Client(), nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), server.URL+"/index.json") {
			t.Errorf("%q: %v", text, err)
		}
	}
	s, _ := Find("ndjson")
	if _, err := s.Open(t.Context(), "", nil, nil); err == nil {
		t.Error("a list without upstream was downloaded")
	}
}

func TestASingleFileIsTakenForWhatItsNameSays(t *testing.T) {
	for _, c := range []struct{ source, path, want string }{
		{"scamsniffer", "/x/address.json", "address.json"},
		{"scamsniffer", "/x/my-list.json", "domains.json"},
		{"forta", "/x/labels/10/malicious_smart_contracts.csv", "labels/10/malicious_smart_contracts.csv"},
		{"forta", "/x/phishing_scams.csv", "labels/1/phishing_scams.csv"},
		{"mew-ethereum-lists", "/x/urls-darklist.json", "urls/urls-darklist.json"},
		{"misp-warninglists", "/x/lists/url-shortener/list.json", "url-shortener/list.json"},
		{"etherscan-labels", "/x/bscscan.combinedAllLabels.json", "bscscan.combinedAllLabels.json"},
		{"etherscan-labels", "/x/data/bscscan/combined/combinedAllLabels.json", "bscscan/combined/combinedAllLabels.json"},
		{"revoke-approval-exploits", "/x/vault.json", "exploits/vault.json"},
		{"ofac", "/x/sanctions.csv", "sanctions.csv"},
		{"polkadot", "/x/some.json", "all.json"},
		{"ndjson", "/x/mine.jsonl", "reports.ndjson"},
		{"csv", "/x/mine.csv", "mine.csv"},
	} {
		s, _ := Find(c.source)
		if got := s.nameOf(c.path); got != c.want {
			t.Errorf("%s of %s is read as %s, want %s", c.path, c.source, got, c.want)
		}
	}
}

func TestASingleFileIsReadFromDiskAndFromAURL(t *testing.T) {
	const text = `["evil.example"]`
	file := filepath.Join(t.TempDir(), "whatever.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	server := host(t, map[string]string{"whatever.json": text})
	s, _ := Find("scamsniffer")
	for _, from := range []string{file, server.URL + "/whatever.json?raw=1"} {
		files, err := s.Open(t.Context(), from, server.Client(), nil)
		if err != nil {
			t.Fatal(err)
		}
		_, listings, _, err := collect(s, files)
		if err != nil || lines(listings) != "risk phishing evil.example\n" {
			t.Errorf("%s: %v\n%s", from, err, lines(listings))
		}
	}
	if _, err := s.Open(t.Context(), filepath.Join(t.TempDir(), "nothing"), nil, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}
