package feed

import (
	"fmt"
	"strings"
	"testing"

	"tocsin"
)

func TestCryptoScamDBHasReportsAndLosesOnlyTheEntryThatIsNotYAML(t *testing.T) {
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
    - `+boat+`
    ZIL:
    - zil1abc
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
	want := "risk phishing " + boat + "\nrisk phishing " + adA + "\nrisk phishing wallet-login.example\nrisk scam " + adB +
		"\nrisk investment_scam exchange.example\nrisk phishing wallet-login.example\n"
	if got := lines(listings); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if fmt.Sprint(refused) != fmt.Sprint(map[string]int{badRow: 1, otherChain: 1, pageOnly: 1, duplicate: 1}) {
		t.Errorf("refused %v", refused)
	}
	if len(reports) != 2 {
		t.Fatalf("%d reports", len(reports))
	}
	r := reports["http://wallet-login.example"]
	if r.Title != "Phishing: wallet-login.example (Wallet)" ||
		!strings.Contains(r.Description, "Fake wallet. Addresses on other chains: ZIL zil1abc.") ||
		fmt.Sprint(r.ScammerAccounts) != "[bip122:000000000019d6689c085ae165831e93:"+boat+"]" {
		t.Errorf("%q: %q", r.Title, r.Description)
	}
	r = reports["https://social.example/thief"]
	if len(r.ReportedDomains) != 0 || r.Evidence.URLs[0] != "https://social.example/thief" {
		t.Errorf("a page on a host of others: %+v", r)
	}
}

func TestMewCommentsAreReportsWithDatesInBothStyles(t *testing.T) {
	s, _ := Find("mew-ethereum-lists")
	reports, listings, _, err := collect(s, tree(
		"src/addresses/addresses-darklist.json", `[
			{"address": "`+adA+` ", "comment": "Fake sale", "date": "7/8/17"},
			{"address": "`+adB+`", "comment": "", "date": "2018-03-04"},
			{"address": "`+adC+`", "comment": "Stole funds", "date": ""}]`,
		"src/urls/urls-darklist.json", `[
			{"id": "evil.example", "comment": "Phish: wallet"}, {"id": "own.example", "comment": ""},
			{"id": "bad.example", "comment": "Keep away"}]`,
		"src/urls/urls-lightlist.json", `[{"id": "https://own.example", "comment": "Ours"}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := "safe project own.example\nrisk phishing " + adA + " since 2017-07-08\n" +
		"risk scam " + adB + " since 2018-03-04\nrisk hack " + adC + "\nrisk phishing evil.example\n" +
		"risk phishing bad.example\n"
	if got := lines(listings); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if len(reports) != 4 || *reports[adA].IncidentDate != "2017-07-08" || reports[adA].SourceDate.Std().Year() != 2017 {
		t.Errorf("%+v", reports)
	}
}

func TestFortaReportsOnlyContractsWithANote(t *testing.T) {
	s, _ := Find("forta")
	reports, _, _, err := collect(s, tree("labels/1/malicious_smart_contracts.csv",
		"contract_address,contract_tag,contract_creator,contract_creation_tx,contract_creator_tag,source,notes,"+
			"contract_creator_etherscan_label\n"+
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

func TestRevokeReportsExploitsAndListsNothing(t *testing.T) {
	s, _ := Find("revoke-approval-exploits")
	reports, listings, refused, err := collect(s, tree("exploits/vault.json", `{
		"name": "Vault Hack", "description": "It was emptied.", "date": "2022-03-20", "amount": 0.6,
		"addresses": [{"chainId": 1, "address": "`+adA+`"}, {"chainId": 10, "address": "`+adA+`"}, {"address": "?"}],
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
