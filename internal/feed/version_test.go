package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tocsin"
)

// versionOf reads a list from files of names and texts.
func versionOf(t *testing.T, list string, files ...string) tocsin.ListVersion {
	t.Helper()
	s, _ := Find(list)
	v, err := s.Read(t.Context(), tree(files...), today, Sink{Entry: func(tocsin.Entry) error { return nil }})
	if err != nil {
		t.Error(err)
	}
	return v
}

func TestAListIsOfTheDateThatItsFilesGive(t *testing.T) {
	const addresses = `"addresses": {"` + adA + `": {"type": "Digital Currency Address - ETH", "entries": []}}`
	token := `{"name": "T", "chainId": 1, "address": "` + adA + `"}`
	for _, c := range []struct{ list, file, text, want string }{
		{OFAC, "sanctioned-addresses.json", `{"metadata": {"lastUpdated": "2026-05-22T04:43:26.646Z",
			"sdnListDate": "05/20/2026"}, ` + addresses + `}`, "2026-05-20"},
		{OFAC, "sanctioned-addresses.json", `{"metadata": {"lastUpdated": "2026-05-22T04:43:26Z"}, ` + addresses + `}`,
			"2026-05-22"},
		{OFAC, "sanctioned-addresses.json", `{"metadata": {"sdnListDate": "06/20/2026"}, ` + addresses + `}`, ""},
		{OFAC, "sanctioned-addresses.json", `{"metadata": {"sdnListDate": 5}, ` + addresses + `}`, ""},
		{OFAC, "sanctioned-addresses.json", `{"metadata": 7, ` + addresses + `}`, ""},
		{OFAC, "sanctions.csv", "address,name,program\n" + adA + ",,\n", ""},
		{"misp-warninglists", "bank-website/list.json", `{"list": ["bank.example"], "version": 20260511}`, "2026-05-11"},
		{"misp-warninglists", "bank-website/list.json", `{"list": ["bank.example"], "version": 9}`, ""},
		{"uniswap-default-list", "tokens/mainnet.json", `{"timestamp": "2026-04-03T10:00:00.000+00:00", "tokens": [` +
			token + `]}`, "2026-04-03"},
		{"uniswap-default-list", "tokens/mainnet.json", `{"timestamp": {}, "tokens": [` + token + `]}`, ""},
		{"uniswap-default-list", "tokens/mainnet.json", `[` + token + `]`, ""},
		{"phantom", "blocklist.yaml", "- url: evil.example\n", ""},
	} {
		if v := versionOf(t, c.list, c.file, c.text); v.Day() != c.want || v.Served || v.Entries != 1 {
			t.Errorf("%s: %+v of %q, not of %q", c.text, v, v.Day(), c.want)
		}
	}
	if v := versionOf(t, "misp-warninglists", "bank-website/list.json", `{"list": ["bank.example"], "version": 20260511}`,
		"moz-top500/list.json", `{"list": ["top.example"], "version": 20260320}`); v.Day() != "2026-05-11" {
		t.Errorf("of two files: %s", v.Day())
	}
}

// TestTheVersionSaysWhatWasReadAndWhatWasNotTaken, with the digest of the whole file, also of what is behind its end.
func TestTheVersionSaysWhatWasReadAndWhatWasNotTaken(t *testing.T) {
	text := "\ufeffaddress,name,program\n" + adA + ",,\n" + badSm + ",,\n0x12,,\n"
	sum := sha256.Sum256([]byte(text))
	want := tocsin.ListVersion{Entries: 1, Refused: map[string]int{badSum: 1, badLength: 1},
		Untaken: []string{badSm, "0x12"},
		Files:   []tocsin.ListFile{{Name: "sanctions.csv", SHA256: hex.EncodeToString(sum[:])}}}
	if v := versionOf(t, OFAC, "sanctions.csv", text); !reflect.DeepEqual(v, want) {
		t.Errorf("%+v, not %+v", v, want)
	}
	dated := versionOf(t, "polkadot", "all.json", `{"deny": ["evil.example"]}  `,
		"meta/2024-02.json", `[{"date": "2024-02-03", "url": "evil.example"}]`)
	sum = sha256.Sum256([]byte(`{"deny": ["evil.example"]}  `))
	if f := dated.Files; len(f) != 1 || f[0] != (tocsin.ListFile{Name: "all.json", SHA256: hex.EncodeToString(sum[:])}) {
		t.Errorf("%+v", f)
	}
}

// TestASanctionThatIsNotTakenIsNamedWithItsParty, also if it has the form of a private key.
func TestASanctionThatIsNotTakenIsNamedWithItsParty(t *testing.T) {
	hash := strings.Repeat("5be5543ff73456ab", 4)
	got := versionOf(t, OFAC, "sanctioned-addresses.json", `{"addresses": {"`+adA+`": {"type": "X - ETH", "entries": []},
		"`+hash+`": {"type": "Digital Currency Address - ZEC", "entries": [{"entity": "A PARTY", "type": "X - ZEC"}]},
		"0x12": {"type": "", "entries": []}}}`)
	if want := []string{"0x12", hash + " (ZEC, A PARTY)"}; !slices.Equal(got.Untaken, want) {
		t.Errorf("%q, not %q", got.Untaken, want)
	}
}

// TestEverySanctionThatIsNotTakenIsNamedWhole, so that a program has the complete list.
func TestEverySanctionThatIsNotTakenIsNamedWhole(t *testing.T) {
	want := []string{"u1" + strings.Repeat("q", 330)} // like a unified address of Zcash
	for i := range 40 {
		want = append(want, fmt.Sprintf("unread%02d", i))
	}
	got := versionOf(t, OFAC, "sanctions.csv", "address,name,program\n"+adA+",,\n"+strings.Join(want, ",,\n")+",,\n")
	if !slices.Equal(got.Untaken, want) {
		t.Errorf("%q, not %q", got.Untaken, want)
	}
}

// TestOnlySoManySanctionsThatAreNotTakenAreNamed, and no rows of other lists.
func TestOnlySoManySanctionsThatAreNotTakenAreNamed(t *testing.T) {
	rows := func(n int) string {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "unread%03d,,\n", i)
		}
		return "address,name,program\n" + adA + ",,\n" + text.String()
	}
	for n, want := range map[int]int{tocsin.MaxUntaken - 1: tocsin.MaxUntaken - 1, tocsin.MaxUntaken: tocsin.MaxUntaken,
		tocsin.MaxUntaken + 1: tocsin.MaxUntaken} {
		if got := len(versionOf(t, OFAC, "sanctions.csv", rows(n)).Untaken); got != want {
			t.Errorf("%d of %d are named", got, n)
		}
	}
	if got := versionOf(t, "spmedia", "detected_urls.txt", "https://a.example/\n-\n").Untaken; len(got) > 0 {
		t.Errorf("%q", got)
	}
}

func TestWithoutADateOfItsOwnADownloadIsOfItsLastModification(t *testing.T) {
	header := http.Header{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name := range header {
			w.Header().Set(name, header.Get(name))
		}
		w.Write([]byte("- url: evil.example\n"))
	}))
	defer server.Close()
	s, _ := Find("phantom")
	for _, c := range []struct{ modified, sent, want string }{
		{"Wed, 20 May 2026 10:11:12 GMT", "Sun, 31 May 2026 12:00:00 GMT", "2026-05-20"},
		{"Sun, 31 May 2026 11:59:59 GMT", "Sun, 31 May 2026 12:00:00 GMT", ""}, // made for the response
		{"Wed, 20 May 2099 10:11:12 GMT", "Sun, 31 May 2099 12:00:00 GMT", ""},
		{"Thu, 01 Jan 1970 00:00:00 GMT", "Sun, 31 May 2026 12:00:00 GMT", ""},
		{"yesterday", "Sun, 31 May 2026 12:00:00 GMT", ""},
	} {
		header.Set("Last-Modified", c.modified)
		header.Set("Date", c.sent)
		files, err := s.Open(t.Context(), server.URL+"/blocklist.yaml", server.Client(), nil)
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Read(t.Context(), files, today, Sink{Entry: func(tocsin.Entry) error { return nil }})
		if v.Day() != c.want || v.Served != (c.want != "") || err != nil {
			t.Errorf("%s: %s, %+v, %v", c.modified, v.Day(), v, err)
		}
	}
}

func TestADateOfTheMomentIsNotThatOfAFile(t *testing.T) {
	for modifiedAt, known := range map[string]bool{
		"Mon, 02 Mar 2026 11:59:00 GMT": true, "Mon, 02 Mar 2026 11:59:01 GMT": false, "Mon, 02 Mar 2026 12:00:00 GMT": false,
		"Thu, 01 Jan 2009 00:00:00 GMT": true, "Wed, 31 Dec 2008 23:59:59 GMT": false, "yesterday": false, "": false,
	} {
		at := modified(http.Header{"Last-Modified": {modifiedAt}, "Date": {"Mon, 02 Mar 2026 12:00:00 GMT"}})
		if (at != nil) != known || known && at.Std().Format(http.TimeFormat) != modifiedAt {
			t.Errorf("%s: %v", modifiedAt, at)
		}
	}
}
