package feed

import (
	"encoding/csv"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/explorer"
)

func TestOwnFormatsKeepTheirIDsAndDates(t *testing.T) {
	s, _ := Find("ndjson")
	reports, _, refused, err := collect(s, tree("reports.ndjson",
		`{"id": "a1", "publishedAt": "2025-01-02T03:04:05Z", "crimeType": "scam", "title": "T", "description": "D", `+
			`"reportedDomains": ["https://evil.example/x"], "amountLost": 12.5}

{"crimeType": "scam", "title": "T2", "description": "D", "scammerAddresses": ["`+adA+`"], `+
			`"status": "published", "reporter": null}
{"crimeType": "theft", "title": "T", "description": "D", "scammerAddresses": ["`+adA+`"]}
{"id": "late", "publishedAt": "2031-01-01", "crimeType": "scam", "title": "T", "description": "D", `+
			`"scammerAddresses": ["`+adA+`"]}
{"id": "a1", "crimeType": "scam", "title": "T", "description": "D", "scammerAddresses": ["`+adA+`"]}
{"title": 
`))
	if err != nil {
		t.Fatal(err)
	}
	r := reports["a1"]
	if len(reports) != 2 || r.SourceDate.String() != "2025-01-02T03:04:05.000000Z" || *r.AmountLost != 1250 ||
		r.Evidence.URLs[0] != "https://evil.example/x" {
		t.Errorf("%+v", reports)
	}
	if fmt.Sprint(refused) != fmt.Sprint(map[string]int{badReport: 2, badRow: 1, duplicate: 1}) {
		t.Errorf("refused %v", refused)
	}

	s, _ = Find("csv")
	reports, _, refused, err = collect(s, tree("r.csv", "\ufeff"+
		"id,crimeType,title,description,scammerAddresses,evidence.urls,socialMedia.telegram,amountLost,note\n"+
		"c1,hack,T,\"two\nlines\","+adA+"; "+adB+",https://a.example https://b.example,@thief,7.50,ignored\n"+
		"c2,hack,T,D,"+adA+",,,much,\n"))
	if err != nil {
		t.Fatal(err)
	}
	r = reports["c1"]
	if len(reports) != 1 || len(r.ScammerAddresses) != 2 || len(r.Evidence.URLs) != 2 ||
		*r.SocialMedia.Telegram != "@thief" || *r.AmountLost != 750 || refused[badRow] != 1 {
		t.Errorf("%+v %v", reports, refused)
	}
}

// TestReportsAreTakenInTheOrderOfTheirLines: they are parsed on several processors. Of two with one key the first one
// counts.
func TestReportsAreTakenInTheOrderOfTheirLines(t *testing.T) {
	const lines = 5 * batchLines
	var text strings.Builder
	var want []string
	for n := range lines {
		id, title := fmt.Sprint("id", n), strings.Repeat("stolen, ", n%7*2)+"title"
		switch n % 10 {
		case 3:
			id = fmt.Sprint("id", n-1) // the same again
			want = append(want, id+" "+duplicate)
		case 6:
			title = ""
			want = append(want, id+" "+badReport)
		default:
			want = append(want, id)
		}
		fmt.Fprintf(&text, `{"id": %q, "crimeType": "scam", "title": %q, "description": "D", `, id, title)
		fmt.Fprintf(&text, `"reportedDomains": ["n%d.example"]}`+"\n", n)
	}
	var got []string
	s, _ := Find("ndjson")
	_, err := s.Read(t.Context(), tree("reports.ndjson", text.String()), today, Sink{
		Entry: func(e tocsin.Entry) error {
			if e.Report != nil {
				got = append(got, e.Key)
			}
			return nil
		},
		Refuse: func(row, reason, _ string) { got = append(got, row+" "+reason) },
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\ngot  %v\nwant %v", err, got, want)
	}
}

func TestAReportIsDatedByItsPublicationOrElseByItsRecording(t *testing.T) {
	const report = `"crimeType": "scam", "title": "T", "description": "D", "reportedDomains": ["evil.example"]`
	s, _ := Find("ndjson")
	reports, _, refused, err := collect(s, tree("reports.ndjson",
		`{"id": "both", "publishedAt": "2025-01-02", "createdAt": "2026-03-04T05:06:07Z", `+report+`}
{"id": "recorded", "createdAt": "2026-03-04T05:06:07Z", `+report+`}
{"id": "neither", `+report+`}
{"id": "unknown", "publishedAt": null, "createdAt": "2026-03-04T05:06:07Z", `+report+`}
`))
	if err != nil || len(reports) != 4 {
		t.Fatalf("%d reports, refused %v, %v", len(reports), refused, err)
	}
	for key, want := range map[string]string{
		"both": "2025-01-02T00:00:00.000000Z", "recorded": "2026-03-04T05:06:07.000000Z", "neither": tocsin.Time{}.String(),
		"unknown": tocsin.Time{}.String(), // as in an export
	} {
		if got := reports[key].SourceDate.String(); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
}

func TestTheStarterSetIsComplete(t *testing.T) {
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

func TestAFileOfReportsListsItsSubjects(t *testing.T) {
	s, _ := Find("ndjson")
	reports, listings, _, err := collect(s, tree("reports.ndjson",
		`{"id":"1","crimeType":"scam","title":"T","description":"D","scammerAddresses":["`+adA+`"],`+
			`"reportedDomains":["evil.example"]}
`+strings.Repeat("x", maxLine+1)+`
{"id":"2","crimeType":"nonsense","title":"T","description":"D","reportedDomains":["other.example"]}
`))
	if err != nil || len(reports) != 1 || lines(listings) != "risk scam "+adA+"\nrisk scam evil.example\n" {
		t.Errorf("%d reports, %v\n%s", len(reports), err, lines(listings))
	}
}

func TestTheStarterSafelistIsReadIfPresent(t *testing.T) {
	s, _ := Find(StarterList)
	_, listings, _, err := collect(s, tree("safelist.csv",
		"subject,category,name\n"+adA+",token,Coin\nbank.example,bank,Bank\npages.dev,top-site,\n"))
	if want := "safe token " + adA + " (Coin)\nsafe bank bank.example (Bank)\n"; err != nil || lines(listings) != want {
		t.Errorf("%v\n%s", err, lines(listings))
	}
}

func TestASafelistSaysOnWhichChainAnAddressIsWhatItNames(t *testing.T) {
	s, _ := Find(Safelist)
	_, listings, refused, err := collect(s, tree(s.Default, "subject,category,name,chain\n"+
		adA+",token,Coin,eip155:10\n"+adA+",token,Coin,eip155:8453\n"+
		adA+",token,Coin,base\nbank.example,bank,Bank,eip155:1\n"))
	if want := "safe token " + adA + " on eip155:10 (Coin)\nsafe token " + adA + " on eip155:8453 (Coin)\n"; err != nil ||
		lines(listings) != want || refused[badRow] != 2 {
		t.Errorf("%v, refused %v\n%s", err, refused, lines(listings))
	}
}

// categories are those of the sites in the starter safelist, as docs/operate.md describes them.
const categories = "authority bank dapp exchange explorer hosting media press project search shop social software " +
	"token-site wallet"

func TestTheStarterSafelistHasTheSitesThatEverybodyUses(t *testing.T) {
	file, err := Starter().Open("safelist.csv")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	seen, used := map[string]bool{}, map[string]int{}
	for _, row := range rows[1:] {
		name, category, title, kind, chain := row[0], row[1], row[2], row[3], row[4]
		if s, fault := tocsin.ParseSubject(name); fault == nil && s.IsAddress() {
			if want := map[string]string{
				"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t":           "Tether USD on Tron",
				"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v": "USD Coin on Solana",
			}[s.Plain()]; seen[s.String()+chain] || want != "" && (category != "token" || want != title) {
				t.Errorf("%s is %s, %q", name, category, title)
			}
			if _, known := explorer.Of(chain); known != (s.Kind == tocsin.EVM && category == "token") {
				t.Errorf("%s, %s, is of the chain %q", name, category, chain)
			}
			seen[s.String()+chain] = true
			continue
		}
		d, fault := tocsin.ParseDomain(name)
		switch {
		case fault != nil:
			t.Error(fault)
			continue
		case d.String() != name || seen[name]:
			t.Errorf("%s is not canonical, or is there twice", name)
		case d.Shared():
			t.Errorf("%s is a public suffix or a shared host already", name)
		case title == "":
			t.Errorf("%s has no name", name)
		}
		if isShared := kind == string(tocsin.Shared); isShared != (category == "hosting") || !isShared && kind != "" {
			t.Errorf("%s is %q of kind %q", name, category, kind)
		}
		seen[name] = true
		used[category]++
	}
	if got := strings.Join(slices.Sorted(maps.Keys(used)), " "); got != categories {
		t.Errorf("the categories are %s", got)
	}
	if len(seen) < 400 {
		t.Errorf("%d sites", len(seen))
	}
	manual, err := os.ReadFile("../../docs/operate.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range strings.Fields(categories) {
		if !strings.Contains(string(manual), "`"+c+"`") {
			t.Errorf("docs/operate.md does not describe the category %s", c)
		}
	}
	for _, name := range strings.Fields("x.com bing.com decentraland.org coinw.com github.com netlify.com") {
		if !seen[name] {
			t.Errorf("%s is not in the starter safelist", name)
		}
	}
}

func TestASafelistSaysWhichHostsAreShared(t *testing.T) {
	s, _ := Find("safelist")
	_, listings, refused, err := collect(s, tree("safelist.csv", "subject,category,kind\n"+
		"host.example,hosting,shared\nbank.example,bank,safe\n"+adA+",token,shared\nevil.example,x,risk\n"))
	want := "shared hosting host.example\nsafe bank bank.example\n"
	if err != nil || lines(listings) != want || refused[badRow] != 2 {
		t.Errorf("%v, refused %v\n%s", err, refused, lines(listings))
	}
}
