package feed

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"tocsin"
)

// Accounts of documents: those of Satoshi Nakamoto's first block, of the USDT contract on Tron, of the donations of
// Monero, of the genesis of the XRP Ledger, and of BIP 173 and the specification of CashAddr.
const (
	genesis = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
	usdt    = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	donated = "44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A"
	ledger  = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
	segwit  = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	cash    = "qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"
	gold    = "GSruo8yL4FswkBKWHL7mt6RLFwhxBe2GVb" // the key of genesis, on Bitcoin Gold
	verge   = "DBcZSePDaMMduBMLymWHXhkE5ArFEvkagU" // as on Dogecoin
	dash    = "XwnLY9Tf7Zsef8gMGL2fhWA9ZmMjt4KPwg"
)

// TestOFACNamesAccountsOfAllChains in small letters. What they were is in the other files, in the starter set or
// nowhere.
func TestOFACNamesAccountsOfAllChains(t *testing.T) {
	entry := func(text, code string) string {
		return fmt.Sprintf(`"%s": {"type": "Digital Currency Address - %s", "entries": [
			{"type": "Digital Currency Address - %[2]s", "entity": "E", "program": "P", "uid": "1"}]}`,
			strings.ToLower(text), code)
	}
	list := `{"addresses": {` + strings.Join([]string{entry(adA, "ETH"), entry(genesis, "XBT"), entry(boat, "BCH"),
		entry(usdt, "USDT"), entry(donated, "XMR"), entry(ledger, "XRP"), entry(segwit, "XBT"), entry(cash, "BCH"),
		entry(mint, "SOL"), entry("zs1example", "XLM"), entry(strings.Repeat("0a", 32), "XMR"),
		entry("TTgcTTNbNuFdbrhvbjMZVrdU5KALyzDaPw", "TRX")}, ",") + `}}`
	const known = "sanction  " + adA + " (E / P)\nsanction  " + segwit + " (E / P)\nsanction  " + cash + " (E / P)\n" +
		"sanction  TTgcTTNbNuFdbrhvbjMZVrdU5KALyzDaPw (E / P)\n"
	s, _ := Find(OFAC)
	_, listings, refused, err := collect(s, tree("sanctioned-addresses.json", list))
	if got := lines(listings); err != nil || got != known {
		t.Errorf("%v\n%s", err, got)
	}
	want := map[string]int{lostCase: 6, otherChain: 1, notAccount: 1}
	if fmt.Sprint(refused) != fmt.Sprint(want) {
		t.Errorf("refused %v, not %v", refused, want)
	}
	files := tree("sanctioned-addresses.json", list, "2024/sanctioned_addresses_XBT.txt", genesis+"\n"+boat+"\n",
		"2024/sanctioned_addresses_USDT.txt", usdt+"\n", "sanctioned_addresses_XMR.txt", donated+"\r\n",
		"sanctioned_addresses_XRP.txt", ledger, "sanctioned_addresses_SOL.txt", "\n "+mint+" \n")
	_, listings, refused, err = collect(s, files)
	found := map[tocsin.Subject]bool{}
	for _, l := range listings {
		found[l.Subject] = true
	}
	for _, account := range []string{genesis, "bitcoincash:" + boat, usdt, donated, ledger, "solana:" + mint} {
		subject, fault := tocsin.ParseAccount(account)
		if fault != nil || !found[subject] {
			t.Errorf("%s is not sanctioned: %v", account, fault)
		}
	}
	if err != nil || len(listings) != 10 || refused[lostCase] != 0 {
		t.Errorf("%v\n%s%v", err, lines(listings), refused)
	}
}

// TestASanctionOfAnotherChainHoldsForTheAccountWithTheSameKey, and says which currency it was named for.
func TestASanctionOfAnotherChainHoldsForTheAccountWithTheSameKey(t *testing.T) {
	files := tree()
	for code, text := range map[string]string{"BSV": genesis, "BTG": gold, "XVG": verge, "XBT": genesis, "XRP": "?"} {
		files["sanctioned_addresses_"+code+".txt"] = &fstest.MapFile{Data: []byte(text + "\n")}
	}
	s, _ := Find(OFAC)
	var got []string
	v, err := s.Read(t.Context(), files, time.Now(), Sink{Entry: func(e tocsin.Entry) error {
		got = append(got, e.Listing.Category+" "+e.Listing.Subject.ChainName()+" "+e.Listing.Subject.Value)
		return nil
	}})
	want := []string{"BSV Bitcoin " + genesis, "BTG Bitcoin " + genesis, " Bitcoin " + genesis, "XVG Dogecoin " + verge}
	slices.Sort(got)
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) || !slices.Equal(v.Untaken, []string{"? (XRP)"}) {
		t.Errorf("%v, %v, not taken %q", got, err, v.Untaken)
	}
	if Currency("BSV") != "Bitcoin SV" || Currency("ABC") != "ABC" {
		t.Error("the currencies have other names")
	}
}

// TestACurrencySaysTheChainOfAnAddress, unless that chain has no such address.
func TestACurrencySaysTheChainOfAnAddress(t *testing.T) {
	for _, c := range []struct{ code, text, want string }{
		{"BTC", genesis, "bitcoin"}, {"BCH", genesis, "bitcoin_cash"}, {"BCH", "bitcoincash:" + cash, "bitcoin_cash"},
		{"LTC", "3CDJNfdWX8m2NwuGUV3nhXHXEeLygMXoAj", "litecoin"}, {"BTC", "3CDJNfdWX8m2NwuGUV3nhXHXEeLygMXoAj", "bitcoin"},
		{"USDT", "3CDJNfdWX8m2NwuGUV3nhXHXEeLygMXoAj", "bitcoin"}, {"USDT", usdt, "tron"}, {"USDT", adA, "evm"},
		{"ADA", usdt, "tron"}, {"SOL", mint, "solana"}, {"", mint, notAccount}, {"", "solana:" + mint, "solana"},
		{"XRP", ledger + "-7", "xrp"}, {"XMR", donated, "monero"}, {"VET", adA, "evm"},
		{"BSV", genesis, otherChainNamed("BSV")}, {"VET", genesis, otherChain}, {"XVG", verge, otherChainNamed("XVG")},
		{"DASH", dash, "dash"}, {"ZEC", "t1VmmGiyjVNeCjxDZzg7vZmd99WyzVby9yC", "zcash"}, {"XBT", dash, "dash"},
		{"BNB", "bnb1grpf0955h0ykzq3ar5nmum7y6gdfl6lxfn46h2", "bnb_beacon"}, {"BNB", adA, "evm"}, {"DASH", mint, notAccount},
		{"BTC", boat[1:], notAccount}, {"BTC", "a.example", notAccount}, {"ETH", "0x12", badLength}, {"BTC", "", notAccount},
		{"BTC", strings.Repeat("1", maxText+1), notAccount},
	} {
		got := ""
		r := &reader{out: Sink{Refuse: func(_, reason, _ string) { got = reason }}}
		if s, ok := r.parseAccount(c.code, c.text); ok {
			got = string(s.Kind)
		}
		if got != c.want {
			t.Errorf("%s %s: %s, not %s", c.code, cut(c.text), got, c.want)
		}
	}
}

// TestTheStarterSetIsReadWhole: each account in it, with a name and a programme.
func TestTheStarterSetIsReadWhole(t *testing.T) {
	s, _ := Find(OFAC)
	_, listings, refused, err := collect(s, Starter())
	if err != nil || len(refused) > 0 {
		t.Fatalf("refused %v, %v", refused, err)
	}
	kinds, seen := map[tocsin.Kind]int{}, map[tocsin.Subject]bool{}
	for _, l := range listings {
		check(t, OFAC, tocsin.Entry{Listing: &l})
		if kinds[l.Subject.Kind]++; l.Name == "" || l.Program == "" || seen[l.Subject] {
			t.Errorf("%s: %q, %q, twice %t", l.Subject, l.Name, l.Program, seen[l.Subject])
		}
		seen[l.Subject] = true
	}
	for kind, least := range map[tocsin.Kind]int{tocsin.EVM: 104, tocsin.Bitcoin: 529, tocsin.Tron: 277,
		tocsin.Litecoin: 13, tocsin.Monero: 8, tocsin.BitcoinCash: 7, tocsin.Solana: 4, tocsin.Dogecoin: 3, tocsin.XRP: 1,
		tocsin.Dash: 5, tocsin.Zcash: 4, tocsin.BNBBeacon: 1} {
		if kinds[kind] < least {
			t.Errorf("%d accounts of %s, at least %d are there", kinds[kind], kind, least)
		}
	}
}

// TestSpellingsAreDownloadedFromElsewhere, and the list is read without those that are not there.
func TestSpellingsAreDownloadedFromElsewhere(t *testing.T) {
	server := host(t, map[string]string{"sanctioned-addresses.json": `{"addresses": {
		"` + strings.ToLower(genesis) + `": {"type": "Digital Currency Address - XBT"},
		"` + strings.ToLower(usdt) + `": {"type": "Digital Currency Address - TRX"}}}`,
		"lists/sanctioned_addresses_XBT.txt": genesis + "\n", "lists/sanctioned_addresses_LTC.txt": "\n",
		"lists/sanctioned_addresses_XMR.txt": "<p>"})
	s, _ := Find(OFAC)
	s.Upstream = server.URL + "/"
	for i, file := range s.also {
		s.also[i] = server.URL + "/lists/" + path.Base(file)
	}
	files, err := s.Open(t.Context(), "", server.Client(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, listings, refused, err := collect(s, files)
	got, want := lines(listings), "sanction  "+genesis+"\n"
	if err != nil || got != want || len(refused) != 1 || refused[lostCase] != 1 {
		t.Errorf("%v\n%s%v", err, got, refused)
	}
}

// TestASanctionLinksToThePartyThatIsNamedFirst, and to the whole list if the page of that party is not known.
func TestASanctionLinksToThePartyThatIsNamedFirst(t *testing.T) {
	s, _ := Find("ofac")
	for uid, want := range map[string]string{`13`: s.URL + "Details.aspx?id=13", `"x1"`: s.URL} {
		_, listings, _, err := collect(s, tree("data/sanctioned-addresses.json", `{"metadata": {}, "addresses": {
			"`+adB+`": {"type": "ETH", "entries": [{"entity": "B", "program": "P", "uid": 14},
				{"entity": "A", "program": "P", "uid": `+uid+`}]}}}`))
		if err != nil || len(listings) != 1 || listings[0].URL != want {
			t.Errorf("%s: %+v, %v", uid, listings, err)
		}
	}
}

// TestAnAddressOfSeveralCurrenciesIsOfTheFirstWhoseChainIsKnown.
func TestAnAddressOfSeveralCurrenciesIsOfTheFirstWhoseChainIsKnown(t *testing.T) {
	s, _ := Find("ofac")
	_, listings, refused, err := collect(s, tree("data/sanctioned-addresses.json", `{"metadata": {}, "addresses": {
		"`+mint+`": {"type": "USDC", "entries": [{"entity": "A", "program": "P", "type": "Digital Currency Address - SOL"}]}
	}}`))
	want := "sanction  " + mint + " (A / P)\n"
	if err != nil || lines(listings) != want || len(refused) > 0 {
		t.Errorf("%s, refused %v, %v, want %s", lines(listings), refused, err, want)
	}
}
