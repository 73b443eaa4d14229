package feed

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"tocsin"
)

func TestAFileThatIsNotAListIsAnError(t *testing.T) {
	for _, c := range []struct{ source, file, text, want string }{
		{"scamsniffer", "domains.json", "", "empty"},
		{"scamsniffer", "domains.json", " \n", "empty"},
		{"scamsniffer", "domains.json", "<!DOCTYPE html><p>Not found", "web page"},
		{"scamsniffer", "domains.json", "404: Not Found", "not the JSON"},
		{"scamsniffer", "domains.json", `["evil.example", "ev`, "not the JSON"},
		{"scamsniffer", "domains.json", `{"message": "rate limit"}`, "not the JSON"},
		{"scamsniffer", "domains.json", `[]`, "no row"},
		{"scamsniffer", "domains.json", `["com"]`, "no entry could be read"},
		{"scamsniffer", "domains.json", `["evil.example"] ["x"]`, "after the end"},
		{"scamsniffer", "readme.txt", "x", "no file of this list"},
		{"polkadot", "all.json", `{"message": "rate limit"}`, "no row"},
		{"phantom", "eth-blocklist.yaml", "404: Not Found", "no row"},
		{"spmedia", "detected_urls.txt", "# only a header\n", "no row"},
		{"forta", "labels/1/phishing_scams.csv", "404: Not Found", "no column"},
		{"forta", "labels/1/phishing_scams.csv",
			"address,etherscan_tag\n" + adA + ",x\n" + adB + ",\"never closed\n" + adC + ",x\n", "quote"},
		{"eth-labels", "accounts.tar.zst", "no archive", "archive"},
		{"etherscan-labels", "combinedAllLabels.json", "{}", "explorer"},
		{"uniswap-default-list", "tokens/mainnet.json", `"x"`, "not a list of tokens"},
		{"revoke-approval-exploits", "exploits/a.json", `[]`, "not the JSON"},
		{"ndjson", "a.ndjson", "hello\n", "no entry could be read"},
	} {
		s, _ := Find(c.source)
		_, _, _, err := collect(s, tree(c.file, c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.source+": ") {
			t.Errorf("%s of %q: %v, want it to say %q", c.source, c.text, err, c.want)
		}
	}
}

func TestReadingEndsWithAnErrorOfTheSinkOrTheContext(t *testing.T) {
	s, _ := Find("spmedia")
	files := tree("detected_urls.txt", "a.example\nb.example\n")
	full := errors.New("the disk is full")
	n := 0
	_, err := s.Read(t.Context(), files, today, Sink{Entry: func(tocsin.Entry) error { n++; return full }})
	if !errors.Is(err, full) || n != 1 {
		t.Errorf("%v after %d entries", err, n)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Read(gone, files, today, Sink{Entry: func(tocsin.Entry) error { return nil }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled context: %v", err)
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
	want := []string{"cryptoscamdb", "csv", "eth-labels", "eth-phishing-detect", "etherscan-labels", "forta",
		"mew-ethereum-lists", "misp-warninglists", "ndjson", "ofac", "phantom", "polkadot", "revoke-approval-exploits",
		"safelist", "scamsniffer", "spmedia", "starter", "uniswap-default-list"}
	if !slices.Equal(names, want) {
		t.Errorf("got %v", names)
	}
	if _, ok := Find("nothing"); ok {
		t.Error("a source was found that does not exist")
	}
}

// The score counts the lists of one family as one origin (docs/risk.md), so that a
// finding that is copied from list to list does not count several times.
func TestListsThatCopyEachOtherAreOneFamily(t *testing.T) {
	families := map[string]string{
		"cryptoscamdb":             "ethereum-community",
		"eth-labels":               "ethereum-community",
		"eth-phishing-detect":      "ethereum-community",
		"etherscan-labels":         "ethereum-community",
		"forta":                    "ethereum-community",
		"mew-ethereum-lists":       "ethereum-community",
		"phantom":                  "ethereum-community",
		"misp-warninglists":        "misp",
		"ofac":                     "ofac",
		"polkadot":                 "polkadot",
		"scamsniffer":              "scamsniffer",
		"spmedia":                  "spmedia",
		"starter":                  "starter",
		"uniswap-default-list":     "uniswap",
		"revoke-approval-exploits": "", // it has reports only
		"csv":                      "", // files of the operator are one origin until -as names them
		"ndjson":                   "",
		"safelist":                 "",
	}
	for _, s := range Sources() {
		family, known := families[s.Name]
		if !known || s.Family != family {
			t.Errorf("%s is of family %q, want %q (known: %v)", s.Name, s.Family, family, known)
		}
		delete(families, s.Name)
	}
	if len(families) > 0 {
		t.Errorf("sources that do not exist: %v", families)
	}
}

func TestEveryListingHasTheListAndFamilyOfItsSource(t *testing.T) {
	s, _ := Find("phantom")
	_, listings, _, err := collect(s, tree("blocklist.yaml", "- url: evil.example\n"))
	if err != nil || len(listings) != 1 || listings[0].List != "phantom" || listings[0].Family != familyEth {
		t.Errorf("%+v, %v", listings, err)
	}
}

func TestAListWithoutATitleGoesByItsName(t *testing.T) {
	for name, title := range map[string]string{tocsin.Community: "Community reports", "scamsniffer": "ScamSniffer",
		"mine": "mine"} {
		if got := Title(name); got != title {
			t.Errorf("%s is called %s, want %s", name, got, title)
		}
	}
}

// TestTheSitesOfTheStarterSetAreThoseItKnowsAsGood, and no host of many strangers.
func TestTheSitesOfTheStarterSetAreThoseItKnowsAsGood(t *testing.T) {
	sites := StarterSites()
	for site, want := range map[string]bool{"uniswap.org": true, "binance.com": true, "angelfire.com": false} {
		if slices.Contains(sites, site) != want {
			t.Errorf("%s: %v", site, !want)
		}
	}
}
