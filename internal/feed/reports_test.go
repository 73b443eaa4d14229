package feed

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"tocsin"
)

// told returns the reports, the pages of the listings and the refusals of a list, as text.
func told(t *testing.T, source string, files ...string) string {
	t.Helper()
	s, ok := Find(source)
	if !ok {
		t.Fatal(source)
	}
	var b strings.Builder
	err := s.Read(t.Context(), tree(files...), today, Sink{
		Entry: func(e tocsin.Entry) error {
			if l := e.Listing; l != nil {
				fmt.Fprintf(&b, "%s %s %s\n", l.Kind, l.Subject.Value, l.URL)
			}
			if r := e.Report; r != nil {
				text, err := json.Marshal(struct {
					Crime                       tocsin.CrimeType
					Title, Text, Date, Incident string
					Subjects                    []tocsin.Subject
					URLs                        []string
				}{r.CrimeType, r.Title, r.Description, r.SourceDate.String(), deref(r.IncidentDate),
					r.Subjects(), r.Evidence.URLs})
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "%s %s\n", e.Key, text)
			}
			return nil
		},
		Refuse: func(row, reason, detail string) { fmt.Fprintf(&b, "refused %.80s: %s: %.80s\n", row, reason, detail) },
	})
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	}
	return b.String()
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// TestTheReportsOfEachList holds what a list makes of its entries, word by word.
func TestTheReportsOfEachList(t *testing.T) {
	var got strings.Builder
	for _, c := range []struct {
		source string
		files  []string
	}{
		{"cryptoscamdb", []string{"urls.yaml", `
- name: Gift.example
  url: https://Gift.example
  category: Scamming
  subcategory: Trust-Trading
  description: Gives nothing back
  addresses: {ETH: ["` + adA + `"], BTC: [1abc, 1def]}
- name: page.example
  url: https://medium.com/@thief
  category: Phishing
  description: "Is it real?"
  addresses: {ETH: ["` + adB + `"]}
- name: silent.example
- name: ""
  description: nothing
`}},
		{"mew-ethereum-lists", []string{"addresses/addresses-darklist.json",
			`[{"address": "` + adA + `", "comment": " Fake sale. ", "date": "2017-08-09"}, {"address": "` + adB + `"}]`,
			"urls/urls-darklist.json", `[{"id": "Stolen.example", "comment": "exploit!"}]`}},
		{"revoke-approval-exploits", []string{"exploits/vault.json", `{"name": " Vault ", "description": " Emptied. ",
			"date": "2022-03-20", "amount": 1000000, "addresses": [{"address": "` + adA + `"}],
			"metaArticleUrls": ["https://news.example/a", "/no", ":"]}`}},
		{"forta", []string{"labels/10/malicious_smart_contracts.csv",
			"contract_address,contract_tag,contract_creator,contract_creator_tag,source,notes\n" +
				adC + ",Thing," + adB + ",Thing Exploiter,explorer,\"20230102 It steals\"\n" +
				adA + ",," + adB + ",,https://x.example/a,Says so!\n"}},
		{"ofac", []string{"data/sanctioned-addresses.json", `{"addresses": {"` + adA + `": {"entries": [
			{"entity": "Z", "program": "P", "uid": "12"}, {"entity": "", "program": "P", "uid": "x"}]}}}`}},
		{"etherscan-labels", []string{"bscscan/combined/combinedAllLabels.json",
			`{"` + adA + `": {"name": "Fake_Phishing1", "labels": ["phish-hack"]}}`}},
		{"csv", []string{"r.csv",
			"id,crimeType,title,description,scammerAddresses,reportedDomains,publishedAt,incidentDate\n" +
				",scam,T,D,\"" + adA + "\t" + adB + "\n" + adC + "\",a.example;b.example,2025-01-02,2024-01-01\n" +
				"2,scam,T,D," + adA + ",,soon,\n" + "3,scam,T,D," + adA + ",,,soon\n"}},
		{"starter", []string{"safelist.csv", "subject,category,name\n" + adA + ",token,Coin\nbank.example,bank,Bank\n"}},
	} {
		fmt.Fprintf(&got, "=== %s\n%s", c.source, told(t, c.source, c.files...))
	}
	golden, err := os.ReadFile("testdata/reports.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(string(golden), "\n")
	for i, line := range strings.Split(got.String(), "\n") {
		if i >= len(want) || line != want[i] {
			t.Fatalf("line %d of testdata/reports.txt differs:\n%s", i+1, line)
		}
	}
	if got.Len() != len(golden) {
		t.Errorf("%d bytes, want %d", got.Len(), len(golden))
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
