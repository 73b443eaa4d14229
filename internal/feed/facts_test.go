package feed

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"tocsin"
	"tocsin/internal/explorer"
	"tocsin/internal/tocsintest"
)

// TestWhatIsKnownOfEachList holds where each list is downloaded, what its files and its labels mean, and what its
// categories become.
func TestWhatIsKnownOfEachList(t *testing.T) {
	var b strings.Builder
	for _, s := range Sources() {
		fmt.Fprintf(&b, "%s: %s, family %q, %v, %s\n  about: %s\n", s.Name, s.Title, s.Family, s.Kinds, s.URL, s.About)
		fmt.Fprintf(&b, "  from %s, folder %q, default %q, index %q %q\n", s.Upstream, s.folder, s.Default, s.indexFile,
			s.pathFormat)
		for _, name := range s.Files {
			fmt.Fprintf(&b, "  file %s\n", name)
		}
		for _, url := range s.also {
			fmt.Fprintf(&b, "  also %s\n", url)
		}
		for _, p := range s.parts {
			fmt.Fprintf(&b, "  reads %s, auxiliary %t, fallback %t\n", p.glob, p.auxiliary, p.fallback)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(mispKinds)) {
		fmt.Fprintf(&b, "MISP %s: %s %s\n", name, mispKinds[name].kind, mispKinds[name].category)
	}
	for _, name := range slices.Sorted(maps.Keys(scraped)) {
		site, _ := explorer.Of(chain(scraped[name]))
		fmt.Fprintf(&b, "explorer %s: %d %s\n", name, scraped[name], site.Account(""))
	}
	for _, label := range slices.Sorted(maps.Keys(riskLabels)) {
		fmt.Fprintf(&b, "label %s: %s\n", label, riskLabels[label])
	}
	kinds := map[string][]string{}
	for label, safe := range safeLabels() {
		kind := fmt.Sprintf("%s, not of tokens %t", safe.kind, safe.notTokens)
		kinds[kind] = append(kinds[kind], label)
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprintf(&b, "safe as %s: %s\n", kind, strings.Join(slices.Sorted(slices.Values(kinds[kind])), " "))
	}
	fmt.Fprintln(&b, "test networks:", testnets)
	for _, category := range []string{"Phishing", "Scamming", "Hacked", "Other", ""} {
		for _, sub := range []string{"", "Exchange", "Investment", "Investments", "Trust-Trading", "Ponzi", "Mixer",
			"Generator", "Wallet"} {
			fmt.Fprintf(&b, "CryptoScamDB %q %q: %s, %q\n", category, sub, cryptoScamDBCrime(category, sub),
				cryptoScamDBHeading(category))
		}
	}
	for _, comment := range []string{"A phish", "FAKE", "typosquat", "a clone", "impersonates", "stole a private key",
		"hacked", "exploited", "stolen", "gone", ""} {
		fmt.Fprintf(&b, "MyEtherWallet %q: %s\n", comment, mewCrime(comment, "fallback"))
	}
	for _, tag := range []string{"Fake_Phishing12", "FakePhishing 3", "phishing site", "fake: x", "scam: x", "x Exploiter",
		"x Hacker 2", "Attacker Contract 3", "drainer multisig", "A Scammer: 2", "Scammers", "white hacker", "A Rug Pull",
		"rugger 7", "Rugpull", "SushiSwap: SCAM", ""} {
		fmt.Fprintf(&b, "tag %q: %q\n", tag, crimeOfTag(tag))
	}
	tocsintest.Golden(t, "testdata/facts.txt", b.String())
}

// TestACSVHasAColumnForEachFieldOfAReport compares a file in both formats of the operator's own.
func TestACSVHasAColumnForEachFieldOfAReport(t *testing.T) {
	fields := map[string]string{
		"crimeType": "scam", "title": "T", "description": "D", "scammerAddresses": adA + ";" + adB,
		"reportedDomains": "a.example b.example", "scammerAccounts": boat, "reportedHandles": "telegram:some_name9",
		"currency": "ETH", "incidentDate": "2024-01-02",
		"amountLost":         "7.50",
		"subjectProjectName": "P", "socialMedia.whatsapp": "w", "socialMedia.telegram": "t", "socialMedia.facebook": "f",
		"socialMedia.other": "o", "evidence.urls": "https://a.example/x\nhttps://b.example/y",
		"evidence.transactionHashes": hash32, "publishedAt": "2025-01-02", "createdAt": "2025-06-07", "id": "i", "key": "k",
	}
	var header, row []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		header, row = append(header, name), append(row, `"`+fields[name]+`"`)
	}
	if got, want := slices.Sorted(maps.Keys(fields)), slices.Sorted(maps.Keys(columnSetters)); !slices.Equal(got, want) {
		t.Errorf("the columns are %v, tested are %v", want, got)
	}
	s, _ := Find("csv")
	text := strings.Join(header, " , ") + "\n" + strings.Join(row, ",") + "\n"
	reports, listings, refused, err := collect(s, tree("r.csv", text))
	if err != nil || len(refused) > 0 || len(reports) != 1 {
		t.Fatalf("%v, refused %v, %v", reports, refused, err)
	}
	got, err := json.Marshal(reports["k"])
	const want = `{"crimeType":"scam","title":"T","description":"D","scammerAddresses":["` + adA + `","` + adB + `"],` +
		`"reportedDomains":["a.example","b.example"],` +
		`"scammerAccounts":["bip122:000000000019d6689c085ae165831e93:` + boat + `"],` +
		`"reportedHandles":["telegram:some_name9"],` +
		`"amountLost":7.50,"currency":"ETH","incidentDate":"2024-01-02","subjectProjectName":"P","socialMedia":` +
		`{"whatsapp":"w","telegram":"t","facebook":"f","other":"o"},"evidence":{"urls":["https://a.example/x",` +
		`"https://b.example/y"],"transactionHashes":["` + hash32 + `"]}}`
	if date := reports["k"].SourceDate.String(); err != nil || !strings.EqualFold(string(got), want) ||
		date != "2025-01-02T00:00:00.000000Z" {
		t.Errorf("%s of %s, %v", got, date, err)
	}
	for _, l := range listings {
		if l.URL != "https://a.example/x" || l.Since == nil || l.Since.String() != "2025-01-02T00:00:00.000000Z" {
			t.Errorf("%+v", l)
		}
	}
	if len(listings) != 5 {
		t.Errorf("%d listings", len(listings))
	}
}

// TestNoListFillsTheMemory holds the bounds of what is kept of a list, at each and beyond it.
func TestNoListFillsTheMemory(t *testing.T) {
	public := &Source{Upstream: "https://a.example/"}
	nothing := Sink{Entry: func(tocsin.Entry) error { return nil }}
	labels := func(r *reader, n int) {
		for i := range 2 * n { // each of them twice
			r.addLabel(1, adA, "", strconv.Itoa(i/2), false)
		}
	}
	for about, c := range map[string]struct {
		r     *reader
		do    func(r *reader)
		fails bool
	}{
		"500,000 entries": {&reader{source: public, entries: 499_999}, func(r *reader) { r.emit(tocsin.Entry{}) }, false},
		"500,001 entries": {&reader{source: public, entries: 500_000}, func(r *reader) { r.emit(tocsin.Entry{}) }, true},
		"500,001 of one's own": {&reader{source: &Source{}, entries: 500_000}, func(r *reader) { r.emit(tocsin.Entry{}) },
			false},
		"200,000 refusals": {&reader{source: public, refused: 199_999}, func(r *reader) { r.refuse("a", "b", "c") }, false},
		"200,001 refusals": {&reader{source: public, refused: 200_000}, func(r *reader) { r.refuse("a", "b", "c") }, true},
		"1,000 labels":     {&reader{source: public}, func(r *reader) { labels(r, 1000) }, false},
		"1,001 labels":     {&reader{source: public}, func(r *reader) { labels(r, 1001) }, true},
	} {
		c.r.out = nothing
		if c.do(c.r); (c.r.err != nil) != c.fails {
			t.Errorf("%s: %v", about, c.r.err)
		}
	}
	for n, want := range map[int]error{maxRows - 1: nil, maxRows: errTooMany} {
		if err := bounded(n, 0); !errors.Is(err, want) {
			t.Errorf("%d rows and one more: %v", n, err)
		}
	}
	array := func(n int) string { return "[" + strings.Repeat("7,", n) + `"a.example"]` }
	s, _ := Find("scamsniffer")
	for about, c := range map[string]struct{ text, fails string }{
		"1,000 elements of another shape": {array(1000), ""},
		"1,001 elements of another shape": {array(1001), "more than 1000 rows have another shape"},
	} {
		_, _, _, err := collect(s, tree("domains.json", c.text))
		if (err == nil) != (c.fails == "") || !strings.Contains(fmt.Sprint(err), c.fails) {
			t.Errorf("%s: %v", about, err)
		}
	}
	var list rows[string]
	if err := json.Unmarshal([]byte(array(1000)), &list); err != nil || len(list.values) != 1 || len(list.faults) != 1000 {
		t.Errorf("in an object: %d faults, %v", len(list.faults), err)
	}
	if err := json.Unmarshal([]byte(array(1001)), &list); !errors.Is(err, errNotOfList) {
		t.Errorf("in an object: %v", err)
	}
	block := func(n int) string { return "- url: a.example\n- url: b.example\n  x: " + strings.Repeat("y", n) + "\n" }
	s, _ = Find("phantom")
	for n, refused := range map[int]int{maxBlock - 100: 0, maxBlock + 1: 1} {
		if _, _, found, err := collect(s, tree("blocklist.yaml", block(n))); err != nil || found[badRow] != refused {
			t.Errorf("an entry of %d bytes: refused %v, %v", n, found, err)
		}
	}
	s, _ = Find("forta")
	const header = "address,etherscan_tag\n"
	for n, fails := range map[int]bool{maxLine - 100_000: false, maxLine + 200_000: true} {
		text := header + adA + ",\"" + strings.Repeat("\n", n) + "\"\n" + adB + ",x\n"
		if _, _, _, err := collect(s, tree("labels/1/phishing_scams.csv", text)); (err != nil) != fails {
			t.Errorf("a record of %d bytes: %v", n, err)
		}
	}
}

// TestALineOfAMillionBytesIsOne, and one that is longer is refused without the next.
func TestALineOfAMillionBytesIsOne(t *testing.T) {
	said := ""
	r := &reader{file: "f", out: Sink{Refuse: func(row, reason, detail string) {
		said += fmt.Sprintf("%s: %s: %s, ", row, reason, detail)
	}}}
	text := strings.Repeat("x", maxLine-1) + "\n" + strings.Repeat("x", maxLine) + "\nlast"
	err := r.readLines(strings.NewReader(text), func(n int, line []byte) { said += fmt.Sprintf("%d: %d, ", n, len(line)) })
	if want := "1: 1048575, f, line 2: malformed row: the line is too long, 3: 4, "; err != nil || said != want {
		t.Errorf("%s %v", said, err)
	}
}

// TestARecordIsBoundedAndAFileIsNot: that is what the number of rows is for.
func TestARecordIsBoundedAndAFileIsNot(t *testing.T) {
	s, _ := Find("spmedia")
	dates := "entry,first_seen\n" + strings.Repeat("a.example,2025-03-04"+strings.Repeat(" ", 1000)+"\n", 2*maxLine/1000)
	_, listings, _, err := collect(s, tree("detected_urls.txt", "a.example\n", "history_first_seen.csv", dates))
	if err != nil || len(listings) != 1 {
		t.Errorf("%v, %v", listings, err)
	}
}

// TestLongTextsOfAListAreCut: a name, an address and a site have at most 4 KiB.
func TestLongTextsOfAListAreCut(t *testing.T) {
	long := strings.Repeat("é", 3000)
	s, _ := Find("forta")
	var rows []string
	var name string
	_, err := s.Read(t.Context(), tree("labels/1/phishing_scams.csv", "address,etherscan_tag\n"+adA+","+long+"\n"+
		long+",x\n"), today, Sink{
		Entry:  func(e tocsin.Entry) error { name = e.Listing.Name; return nil },
		Refuse: func(row, reason, _ string) { rows = append(rows, reason+" "+row) },
	})
	if err != nil || name != long[:4096]+"…" || fmt.Sprint(rows) != "["+notEVM+" "+long[:4096]+"…]" {
		t.Errorf("%d bytes, refused %d, %v", len(name), len(rows), err)
	}
	s, _ = Find("spmedia")
	if whole := long[:4096]; cut(whole) != whole {
		t.Error("a text of 4 KiB is cut")
	}
	path := "https://a.example/"
	for n, reason := range map[int]string{4096: pageOnly, 4097: notSite} {
		text := path + strings.Repeat("x", n-len(path)) + "\nb.example\n"
		if _, _, refused, err := collect(s, tree("detected_urls.txt", text)); err != nil || refused[reason] != 1 {
			t.Errorf("a URL of %d bytes: %v, %v", n, refused, err)
		}
	}
}

// TestAnIndexNamesAtMost2000Files: each is a request of ours.
func TestAnIndexNamesAtMost2000Files(t *testing.T) {
	for n, fault := range map[int]string{1999: "", 2000: "the index names more than 2000 files"} {
		server := host(t, map[string]string{"index.json": `["a"` + strings.Repeat(`,"a"`, n) + `]`})
		s, _ := Find("revoke-approval-exploits")
		s.Upstream, s.pathFormat = server.URL+"/", "../%s" // these are not asked for
		want := "<nil>"
		if fault != "" {
			want = "GET " + server.URL + "/index.json: " + fault
		}
		if _, err := s.Open(t.Context(), "", server.Client(), nil); fmt.Sprint(err) != want {
			t.Errorf("%v, not %s", err, want)
		}
	}
}

// TestOfAListTheEarliestDayCounts, within the years from 1970 until now.
func TestOfAListTheEarliestDayCounts(t *testing.T) {
	s, _ := Find("spmedia")
	names := "a.example\nb.example\nc.example\nd.example\n"
	files := fstest.MapFS{"detected_urls.txt": {Data: []byte(names)}, "history_first_seen.csv": {Data: []byte(
		"entry,first_seen\na.example,2025-03-04\na.example,2025-03-03\na.example,2025-03-05\nb.example,1969-12-31\n" +
			"c.example,1970-01-01\nd.example,2026-06-02\n")}}
	_, listings, _, err := collect(s, files)
	want := "risk investment_scam a.example since 2025-03-03\nrisk investment_scam b.example\n" +
		"risk investment_scam c.example since 1970-01-01\nrisk investment_scam d.example\n"
	if err != nil || lines(listings) != want {
		t.Errorf("%v\n%s", err, lines(listings))
	}
}

// TestWhatIsNotAHostSaysWhy in words by which refusals are counted.
func TestWhatIsNotAHostSaysWhy(t *testing.T) {
	for text, reason := range map[string]string{
		"1.2.3.4": isIP, "http://1.2.3.4/x": isIP, "1.2.3.4:80": isIP, "[2001:db8::1]:80": isIP, "localhost": oneLabel,
		"https://localhost/x": oneLabel, "a b.example": notSite, "": notSite, "https://": notSite,
	} {
		if got := hostFault(text); got != reason {
			t.Errorf("%q: %s, not %s", text, got, reason)
		}
	}
}

// TestTheArchiveOfAListIsBoundedFileByFile: a compressed file can be a bomb.
func TestTheArchiveOfAListIsBoundedFileByFile(t *testing.T) {
	for size, fails := range map[int]bool{maxPacked: false, maxPacked + 1: true} {
		read := 0
		err := readArchive(strings.NewReader(packed(t, "a.json", strings.Repeat(" ", size))),
			func(_ string, file io.Reader) error {
				n, err := io.Copy(io.Discard, file)
				read += int(n)
				return err
			})
		if (err != nil) != fails || !fails && read != size {
			t.Errorf("a file of %d bytes: %d were read, %v", size, read, err)
		}
	}
}
