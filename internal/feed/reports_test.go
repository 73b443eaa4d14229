package feed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// told returns all that a list says of its files, as text: each listing with all of its fields, each report, each
// refusal, what is missing, and the error.
func told(t *testing.T, source string, files fstest.MapFS) string {
	t.Helper()
	s, ok := Find(source)
	if !ok {
		t.Fatal(source)
	}
	var b strings.Builder
	_, err := s.Read(t.Context(), files, today, Sink{
		Entry: func(e tocsin.Entry) error {
			if l := e.Listing; l != nil {
				since := ""
				if l.Since != nil {
					since = " since " + l.Since.String()
				}
				fmt.Fprintf(&b, "%s %q %s%s, chain %q, name %q, program %q, of %s %q, %s\n", l.Kind, l.Category, l.Subject.Value,
					since, l.Chain, l.Name, l.Program, l.List, l.Family, l.URL)
			}
			if r := e.Report; r != nil {
				text, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "report %s of %s: %s\n", e.Key, r.SourceDate, text)
			}
			return nil
		},
		Refuse:  func(row, reason, detail string) { fmt.Fprintf(&b, "refused %.120s: %s: %.120s\n", row, reason, detail) },
		Missing: func(file string) { fmt.Fprintf(&b, "missing %s\n", file) },
	})
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	}
	return b.String()
}

// sample is files of a list, with good rows and bad ones.
type sample struct {
	source string
	files  fstest.MapFS
}

func samples(t *testing.T) []sample {
	const labels = "address,chainId,label,nameTag\n"
	long := strings.Repeat("ab ", 100)
	return []sample{
		{"cryptoscamdb", tree("urls.yaml", `
- name: Gift.example
  url: https://Gift.example
  category: Scamming
  subcategory: Trust-Trading
  description: Gives nothing back
  addresses: {ETH: ["`+adA+`"], BTC: [1abc, 1def]}
- name: page.example
  url: https://medium.com/@thief
  category: Phishing
  description: "Is it real?"
  addresses: {ETH: ["`+adB+`"]}
- name: silent.example
- name: ""
  description: nothing
- name: `+long+`
  url: long.example
  subcategory: `+long+`
  description: "It shouts!"
- name: "x y"
  url: "x y"
  description: Only the address is known
  addresses: {ETH: ["`+adC+`"]}
- name: "y z"
  description: Nothing is known
- name: two.example
- url: three.example
`)},
		{"cryptoscamdb", tree("urls.yaml", "- url: first.example\n- name: x.example\n")},
		{"mew-ethereum-lists", tree("addresses/addresses-darklist.json",
			`[{"address": "`+adA+`", "comment": " Fake sale. ", "date": "2017-08-09"}, {"address": "`+adB+`"}, {"address": "?"},
			{"address": "`+adC+`", "comment": "`+long+`", "date": "2031-01-01"}]`,
			"addresses/addresses-lightlist.json", `[{"address": "`+adC+`", "comment": " Ours "}, {"address": "?"}]`,
			"urls/urls-lightlist.json", `[{"id": ".own.example", "comment": "Ours"}, {"id": "pages.dev"}, 7]`,
			"urls/urls-darklist.json", `[{"id": "Stolen.example", "comment": "exploit!"}, {"id": "own.example"}, 7]`)},
		{"revoke-approval-exploits", tree("exploits/vault.json", `{"name": " Vault ", "description": " Emptied. ",
			"date": "2022-03-20", "amount": 1000000, "addresses": [{"address": "`+adA+`"}, {"address": "`+adB+`"}, 7],
			"metaArticleUrls": ["https://news.example/a", "/no", ":", 7]}`,
			"exploits/cents.json", `{"name": "`+long+`", "description": "D", "date": "soon", "amount": 999999.999999996,
			"addresses": [{"address": "`+adA+`"}]}`,
			"exploits/none.json", `{"name": "None", "description": "D", "amount": 0, "addresses": [{"address": "`+adA+`"}]}`)},
		{"forta", tree("labels/1/etherscan_malicious_labels.csv", "banned_address,wallet_tag,data_source\n"+
			adA+",Tag A,etherscan-exploit\n"+adB+",Tag B,etherscan-phish-hack\n"+adC+",Tag C,etherscan-heist\n",
			"labels/10/malicious_smart_contracts.csv", "contract_address,contract_tag,contract_creator,contract_creator_tag,"+
				"source,notes,contract_creator_etherscan_label,contract_creation_tx\n"+
				adC+",Thing,"+adB+",Thing Exploiter,explorer,\"20230102 It steals\",,"+hash32+"\n"+
				adA+",,"+adB+",,https://x.example/a,Says so!,,\n"+
				adB+",Lure,"+adA+",,,20231302 No day,phish-hack,\n"+
				"?,Bad,"+adA+",x Exploiter,,,heist,\n"+
				adA+",Made,?,x Exploiter,,,heist,\n")},
		{"ofac", tree("data/sanctioned-addresses.json", `{"addresses": {"`+adA+`": {"entries": [
			{"entity": "Z", "program": "P", "uid": "12"}, {"entity": "", "program": "P", "uid": "x"}]},
			"`+adB+`": {"entries": [{"entity": "B", "program": "P", "uid": 14}, {"entity": "A", "program": "Q", "uid": "x1"},
			{"entity": "A", "program": "P", "uid": 13}, {"entity": 7}]},
			"`+adC+`": {"entries": [{"entity": "C", "uid": ""}]}}}`)},
		{"ofac", tree("sanctions.csv", "address,name,program\n"+adA+",Somebody,P\n?,Else,P\n"+adB+"\n")},
		{"ofac", tree("sanctioned_addresses_ETH.txt", "\n "+adA+"\n\n?\n")},
		{"eth-labels", tree("accounts.csv", labels+
			adB+",10,exchange,Exchange 2\n"+adB+",1,exchange,\n"+adA+",1,exchange,\n"+adA+",1,exchange,Exchange 1\n"+
			adA+",1,dex,Later name\n"+adA+",1,exchange,\n"+adC+",1,blocked,\n"+
			"0x01000000000000000000000000000000000000aa,1,blocked,\n0x01000000000000000000000000000000000000aa,10,x,Named\n"+
			"0x02000000000000000000000000000000000000aa,1,blocked,\n"+
			"0x02000000000000000000000000000000000000aa,1,ofac-sanctions-lists,\n"+
			"0x03000000000000000000000000000000000000aa,7,uniswap,Uniswap\n"+
			"0x04000000000000000000000000000000000000aa,1,exchange,Coin (C)\n"+
			"0x05000000000000000000000000000000000000aa,1,uniswap,Coin (C)\n"+
			"0x06000000000000000000000000000000000000aa,1,x,Coin (Exploiter)\n"+
			"0x07000000000000000000000000000000000000aa,1,exchange,Hacked exchange\n"+
			"0x08000000000000000000000000000000000000aa,1,x,Fake_Phishing1\n"+
			"0x09000000000000000000000000000000000000aa,1,x,white hat exploiter\n"+
			"0x0a000000000000000000000000000000000000aa,1,heist,A\n"+
			adA+",0,x,y\n"+adA+",-1,x,y\n"+adA+",x,x,y\n"+adA+"\n?,1,x,y\n",
			"tokens.csv", "address,chainId,label,name\n"+
				"0x0b000000000000000000000000000000000000aa,1,x,Drainer\n"+
				"0x0c000000000000000000000000000000000000aa,1,exchange,Coin\n"+
				"0x0d000000000000000000000000000000000000aa,1,stablecoin,Coin\n")},
		{"etherscan-labels", tree("bscscan/combined/combinedAllLabels.json",
			`{"`+adA+`": {"name": "Fake_Phishing1", "labels": ["phish-hack", 7]}, "`+adB+`": 7}`)},
		{"etherscan-labels", tree("nowhere.combinedAllLabels.json", `{"`+adA+`": {"name": "A", "labels": ["heist"]}}`)},
		{"etherscan-labels", tree("etherscan.combinedAllLabels.json", `{"`+adA+`": {"name": "A", "labels": ["heist"]}}`)},
		{"eth-labels", tree("accounts.tar.zst", packed(t, "data/nowhere/heist/accounts.json", `[{"address": "`+adA+`"}]`,
			"data/basescan/heist/other.json", `[{"address": "`+adA+`"}]`,
			"data/basescan/heist/accounts.json", `[{"address": "`+adB+`", "nameTag": "B"}]`))},
		{"uniswap-default-list", tree("tokens/mainnet.json", `{"tokens": [{"chainId": 1, "address": "`+adA+`", "name": "C"},
			{"chainId": 1.5, "address": "`+adA+`"}, {"chainId": 0, "address": "`+adA+`"}, {"chainId": -1, "address": "`+adA+`"},
			{"chainId": 3, "address": "`+adA+`"}, 7]}`)},
		{"misp-warninglists", tree("bank-website/list.json", `{"list": [".Bank.example", "pages.dev", 7]}`,
			"url-shortener/list.json", `{"list": ["*.short.example", "medium.com/@thief", 7]}`,
			"tranco10k/list.json", `{"list": ["short.example", "top.example"]}`)},
		{"polkadot", tree("all.json", `{"allow": ["*.host.example", 7], "deny": ["evil.example", 7, "host.example"],
			"denySub": ["sub.example", "x.example/evil", 7]}`, "meta/2024-02.json", `[{"date": "2024-02-29",
			"url": "sub.example"}, {"date": "2024-02-03", "url": "x y"}, 7]`)},
		{"eth-phishing-detect", tree("config.json", `{"fuzzylist": ["wallet.example", 7], "whitelist": ["valet.example", 7,
			"*.studio.example"], "blacklist": ["valet.example", 7, "a.studio.example", "studio.example"]}`)},
		{"phantom", tree("blocklist.yaml", "---\n- name: x\n- url: evil.example\n- name: y\n- url: b.example\n",
			"eth-blocklist.yaml", "- url: c.example\n", "whitelist.yaml", "- url: b.example\n- url: d.example\n")},
		{"spmedia", tree("detected_urls.txt", "# A list\na.example\n b.example \n")},
		{"spmedia", tree("detected_urls.json", `{"detected_urls": ["a.example", 7]}`,
			"history_first_seen.csv", "entry,first_seen\na.example,soon\na.example,2025-03-04\n")},
		{"scamsniffer", tree("domains.json", `["a.example", 7]`, "address.json",
			`["`+adA+`", "`+adB+`", 7, "0x`+strings.Repeat("zz", 20)+`"]`,
			"archive/2024-02-03.json", `{"domains": ["a.example", 7], "address": ["`+adA+`", 7, "?"]}`,
			"archive/readme.json", "?")},
		{"ndjson", tree("r.ndjson", `{"key": "j", "id": "i", "crimeType": "scam", "title": "T", "description": "D", `+
			`"reportedDomains": ["a.example"]}`+"\n"+`{"key": "k", "id": "i", "crimeType": "scam", "title": "T", `+
			`"description": "D", "reportedDomains": ["a.example", "b.example"], "evidence": {"urls": ["https://x.example/1", `+
			`"https://x.example/2"]}, "publishedAt": "2025-06-07"}`+"\n\n"+
			`{"id": "i", "crimeType": "scam", "title": "T", "description": "D", "reportedDomains": ["c.example"]}`+"\n"+
			strings.Join([]string{`{"id": 7}`, `{"publishedAt": 7}`, `{"incidentDate": 7}`, `{"scammerAddresses": 7}`,
				`{"evidence": 7}`, `7`}, "\n")+"\n"+
			`{"id": "future", "publishedAt": "2026-06-02", "crimeType": "scam", "title": "T", "description": "D", `+
			`"reportedDomains": ["c.example"]}`)},
		{"csv", tree("r.csv", "crimeType,title,description,reportedDomains,createdAt,id\n"+
			"scam,T,D,a.example,2025-06-07,1\n\"scam\n\"x,T,D,b.example,,2\nscam,T,D,c.example,,3\nsc\"am,T\n")},
		{"csv", tree("r.csv", "id,crimeType,title,description,scammerAddresses,reportedDomains,publishedAt,incidentDate,"+
			"amountLost\n,scam,T,D,\""+adA+"\t"+adB+"\n"+adC+"\",a.example;b.example,2025-01-02,2024-01-01\n"+
			"2,scam,T,D,"+adA+",,soon,\n3,scam,T,D,"+adA+",,,soon\n4,scam,"+long+",D,"+adA+",,,,much\n5,scam\n"+
			"6,sc\"am,T\n7,scam,T,\"D\"x\n8,scam,T,D,"+adA+"\n")},
		{"starter", tree("safelist.csv", "subject,category,name\n"+adA+",token,Coin\nbank.example,bank,Bank\n",
			"incidents.ndjson", `{"id": "1", "crimeType": "hack", "title": "T", "description": "D", "scammerAddresses": ["`+
				adA+`"], "incidentDate": "2022-01-01"}`+"\n"+`{"id": "2", "crimeType": "hack", "title": "T", "description": "D", `+
				`"scammerAddresses": ["`+adA+`"], "incidentDate": "2022-01-01", "publishedAt": "2022-02-03"}`+"\n"+
				`{"id": "3", "crimeType": "hack", "title": "T", "description": "D", "scammerAddresses": ["`+adA+`"]}`)},
		{"safelist", tree("s.csv", "subject,category,kind,name\nhost.example,hosting,shared,Host\nbank.example,bank,safe,\n"+
			adA+",token,shared,\nevil.example,x,risk,\n?,x,,\npages.dev,x,,\nhttps://medium.com/@x,x,,\n"+
			"https://medium.com/@x,x,shared,\n"+adB+",token,,Coin\n")},
	}
}

// TestWhatEachListSays holds what a list makes of its rows, the good ones and the bad ones, word by word.
func TestWhatEachListSays(t *testing.T) {
	var got strings.Builder
	for _, c := range samples(t) {
		fmt.Fprintf(&got, "=== %s\n%s", c.source, told(t, c.source, c.files))
	}
	tocsintest.Golden(t, "testdata/reports.txt", got.String())
}

// failing is a file system in which one file cannot be read to its end. It counts the files that are open.
type failing struct {
	fs.FS
	name string
	open int
}

// failingFile fails where it ends, if it fails.
type failingFile struct {
	fs.File
	of    *failing
	fails bool
}

var errDisk = errors.New("the disk failed")

// Open implements [fs.FS].
func (f *failing) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if err != nil {
		return nil, err
	}
	f.open++
	return failingFile{file, f, name == f.name}, nil
}

// Stat implements [fs.StatFS].
func (f *failing) Stat(name string) (fs.FileInfo, error) { return fs.Stat(f.FS, name) }

// ReadDir implements [fs.ReadDirFS].
func (f *failing) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(f.FS, name) }

// Read implements [io.Reader].
func (f failingFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if err == io.EOF && f.fails {
		err = errDisk
	}
	return n, err
}

// Close implements [io.Closer].
func (f failingFile) Close() error {
	f.of.open--
	return f.File.Close()
}

// TestAFileThatCannotBeReadToItsEndFailsTheList, whatever its format: what follows would be withdrawn.
func TestAFileThatCannotBeReadToItsEndFailsTheList(t *testing.T) {
	for _, c := range samples(t) {
		s, _ := Find(c.source)
		for name, file := range c.files {
			whole := maps.Clone(c.files)
			whole[name] = &fstest.MapFile{Data: append(slices.Clone(file.Data), strings.Repeat("\n", 1000)...)}
			files := &failing{whole, name, 0}
			if strings.HasSuffix(name, ".zst") { // an archive says itself where it ends
				files.FS = tree(name, string(file.Data[:len(file.Data)/2]))
			}
			_, err := s.Read(t.Context(), files, today, Sink{Entry: func(tocsin.Entry) error { return nil }})
			if name != "archive/readme.json" && (err == nil || !strings.Contains(err.Error(), path.Base(name)+": ")) {
				t.Errorf("%s of %s: %v", name, c.source, err)
			}
			if files.open > 0 {
				t.Errorf("%d files of %s are left open", files.open, c.source)
			}
		}
	}
}

// TestTheSafeLabels holds a label of each category that makes a named account safe.
func TestTheSafeLabels(t *testing.T) {
	all := safeLabels()
	for category, labels := range map[string]string{
		"exchange": "exchange binance wirex", "dex": "router uniswap", "bridge": "layer-2 zksync arbitrum-one",
		"token": "stablecoin tether", "contract": "system-contract factory-contract", "project": "oracle aave",
	} {
		for _, label := range strings.Fields(labels) {
			if all[label].kind != category {
				t.Errorf("%s is %q, want %s", label, all[label].kind, category)
			}
		}
	}
	for label, notTokens := range map[string]bool{"exchange": true, "dex": true, "uniswap": false, "bridge": true,
		"arbitrum": false, "stablecoin": false, "proxy-contract": true, "oracle": true, "aave": false} {
		if all[label].notTokens != notTokens {
			t.Errorf("%s on a token: %t", label, !notTokens)
		}
	}
	for _, label := range []string{"defi", "meme", "gaming", "finance", "ftx", ""} {
		if kind := all[label].kind; kind != "" {
			t.Errorf("%s is %s", label, kind)
		}
	}
}
