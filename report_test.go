package tocsin

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// faultsOf returns the faulty fields of a draft.
func faultsOf(t *testing.T, d Draft) (fields []string) {
	t.Helper()
	_, err := d.Parse(now)
	if err == nil {
		return nil
	}
	var fault *Error
	if !errors.As(err, &fault) {
		t.Fatal(err)
	}
	for _, f := range fault.Fields {
		fields = append(fields, f.Field)
	}
	return fields
}

// numbered returns n different texts.
func numbered(n int, format string) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf(format, i)
	}
	return texts
}

// TestALimitAcceptsItsOwnNumber fills each field to its limit, and then once more.
func TestALimitAcceptsItsOwnNumber(t *testing.T) {
	text := func(n int) string { return strings.Repeat("ä", n) }
	optional := func(n int) *string { s := text(n); return &s }
	page := func(n int) []string { return []string{"https://a.example/" + strings.Repeat("a", n-18)} }
	for field, c := range map[string]struct {
		limit int
		fill  func(d *Draft, n int)
	}{
		"title":                      {200, func(d *Draft, n int) { d.Title = text(n) }},
		"description":                {10_000, func(d *Draft, n int) { d.Description = text(n) }},
		"subjectProjectName":         {200, func(d *Draft, n int) { d.SubjectProjectName = optional(n) }},
		"socialMedia.whatsapp":       {200, func(d *Draft, n int) { d.SocialMedia.WhatsApp = optional(n) }},
		"socialMedia.telegram":       {200, func(d *Draft, n int) { d.SocialMedia.Telegram = optional(n) }},
		"socialMedia.facebook":       {200, func(d *Draft, n int) { d.SocialMedia.Facebook = optional(n) }},
		"socialMedia.other":          {200, func(d *Draft, n int) { d.SocialMedia.Other = optional(n) }},
		"scammerAddresses":           {100, func(d *Draft, n int) { d.ScammerAddresses = numbered(n, "0x%040d") }},
		"reportedDomains":            {100, func(d *Draft, n int) { d.ReportedDomains = numbered(n, "evil%d.example") }},
		"reportedHandles":            {20, func(d *Draft, n int) { d.ReportedHandles = numbered(n, "telegram:lena_%d") }},
		"evidence.urls":              {50, func(d *Draft, n int) { d.Evidence.URLs = numbered(n, "https://a.example/%d") }},
		"evidence.urls[0]":           {2048, func(d *Draft, n int) { d.Evidence.URLs = page(n) }},
		"evidence.transactionHashes": {50, func(d *Draft, n int) { d.Evidence.TransactionHashes = numbered(n, "0x%064d") }},
		"currency":                   {10, func(d *Draft, n int) { d.Currency = strings.Repeat("A", n) }},
		"amountLost":                 {1e14, func(d *Draft, n int) { lost := USD(n); d.AmountLost = &lost }},
	} {
		d := story()
		if c.fill(&d, c.limit); len(faultsOf(t, d)) > 0 {
			t.Errorf("%s with %d: faults in %v", field, c.limit, faultsOf(t, d))
		}
		if c.fill(&d, c.limit+1); !slices.Equal(faultsOf(t, d), []string{field}) {
			t.Errorf("%s with %d: faults in %v", field, c.limit+1, faultsOf(t, d))
		}
		_, err := d.Parse(now)
		says := fmt.Sprint(err)
		has, allows := fmt.Sprint(" it has ", c.limit+1, " "), fmt.Sprint(" ", c.limit, " are allowed")
		if strings.Contains(says, " it has ") && (!strings.Contains(says, has) || !strings.Contains(says, allows)) {
			t.Errorf("%s with %d: %s", field, c.limit+1, says)
		}
	}
	for _, required := range []func(d *Draft){
		func(d *Draft) { d.Title = "" }, func(d *Draft) { d.Description = " " }, func(d *Draft) { d.Currency = "A" },
	} {
		d := story()
		if required(&d); len(faultsOf(t, d)) != 1 {
			t.Errorf("%+v is accepted", d)
		}
	}
}

// TestWhatIsOptionalIsKept fills each optional field, whose text is cleaned.
func TestWhatIsOptionalIsKept(t *testing.T) {
	d := story()
	for i, p := range []**string{&d.SubjectProjectName, &d.SocialMedia.WhatsApp, &d.SocialMedia.Telegram,
		&d.SocialMedia.Facebook, &d.SocialMedia.Other} {
		text := fmt.Sprintf(" text\u200b %d", i)
		*p = &text
	}
	lost, day := USD(7), "2026-05-31T10:00:00+02:00"
	d.AmountLost, d.IncidentDate = &lost, &day
	got, err := d.Parse(now)
	if err != nil {
		t.Fatal(err)
	}
	said, err := json.Marshal([]any{got.SubjectProjectName, got.SocialMedia, got.AmountLost, got.IncidentDate})
	const want = `["text 0",{"whatsapp":"text 1","telegram":"text 2","facebook":"text 3","other":"text 4"},0.07,` +
		`"2026-05-31T08:00:00.000000Z"]`
	if err != nil || string(said) != want {
		t.Errorf("%s, %v", said, err)
	}
}

// TestAReportIsAtMost48KBAsItIsStored: a report costs everybody who reads it, and its filer nothing.
func TestAReportIsAtMost48KBAsItIsStored(t *testing.T) {
	for field, fill := range map[string]func(d *Draft, room int){
		"evidence.urls": func(d *Draft, room int) {
			d.Evidence.URLs = numbered(24, "https://a.example/"+strings.Repeat("a", room/24-30)+"/%02d")
		},
		"description": func(d *Draft, room int) { d.Description = strings.Repeat("<", room/6-10) }, // stored as \u003c
		"reportedDomains": func(d *Draft, room int) {
			label := strings.Repeat("a", 60)
			d.ReportedDomains = numbered(100, "n%02d."+strings.Repeat(label+".", 3)+label+".com")
			d.Description = strings.Repeat("😀", (room-100*len(`"n00.`+strings.Repeat(label+".", 4)+`com",`))/4-20)
		},
	} {
		d, err := story().Parse(now)
		if err != nil {
			t.Fatal(err)
		}
		fill(&d, MaxReport-d.Size())
		d.Title += strings.Repeat("-", MaxReport-d.Size())
		parsed, err := d.Parse(now)
		if err != nil || parsed.Size() != 49_152 {
			t.Errorf("%s, %d bytes: %v", field, parsed.Size(), err)
		}
		if d.Title += "-"; !slices.Equal(faultsOf(t, d), []string{field}) {
			t.Errorf("%s, one byte more: faults in %v", field, faultsOf(t, d))
		}
		if _, err := d.Parse(now); !strings.Contains(fmt.Sprint(err), "has 49153 bytes as JSON, 49152 are allowed") {
			t.Errorf("%s, one byte more: %v", field, err)
		}
	}
}

// TestURLsGivenAsDomainsCountAsEvidence: each of them becomes a URL of the evidence.
func TestURLsGivenAsDomainsCountAsEvidence(t *testing.T) {
	d := story()
	d.Evidence.URLs = numbered(30, "https://a.example/%d")
	d.ReportedDomains = append(numbered(20, "https://evil%d.example/claim"), numbered(50, "evil%d.example")...)
	parsed, err := d.Parse(now)
	if err != nil || len(parsed.Evidence.URLs) != 50 {
		t.Errorf("%d URLs, %v", len(parsed.Evidence.URLs), err)
	}
	d.ReportedDomains = append(d.ReportedDomains, "https://evil.example/claim")
	if fields := faultsOf(t, d); !slices.Equal(fields, []string{"evidence.urls"}) {
		t.Errorf("51 URLs: faults in %v", fields)
	}
	d.Evidence.URLs = append(d.Evidence.URLs[:29], "https://evil.example/claim") // the same one
	if fields := faultsOf(t, d); len(fields) > 0 {
		t.Errorf("a URL that is given twice: faults in %v", fields)
	}
}

func TestAnIncidentMayNotLieInTheFuture(t *testing.T) {
	for text, accepted := range map[string]bool{
		"2026-06-01": true, "2026-06-02": true, "2026-06-03": false, // the 2nd has begun east of Greenwich
		"2026-06-01T12:05:00Z": true, "2026-06-01T12:05:01Z": false, "2026-06-01T14:04:00+02:00": true,
		"1970-01-01": true, "1969-12-31": false, "1970-01-01T00:00:00Z": true,
	} {
		d := story()
		d.IncidentDate = &text
		if fields := faultsOf(t, d); (len(fields) == 0) != accepted {
			t.Errorf("%s: %v", text, fields)
		}
	}
	begins := time.Date(2026, 6, 1, 10, 0, 0, 0, time.UTC) // when the 2nd begins in the easternmost time zone, UTC+14
	d, tomorrow := story(), "2026-06-02"
	d.IncidentDate = &tomorrow
	if _, err := d.Parse(begins); err != nil {
		t.Errorf("the 2nd of June is refused where it has begun: %v", err)
	}
	if _, err := d.Parse(begins.Add(-time.Second)); err == nil {
		t.Error("the 2nd of June is accepted before it has begun anywhere")
	}
}

func TestAmountsAreDollarsInJSONAndCentsInside(t *testing.T) {
	for in, want := range map[string]struct {
		cents USD
		out   string
	}{
		"12": {1200, "12"}, "12.5": {1250, "12.50"}, "0.05": {5, "0.05"}, "0.999": {100, "1"}, "1.994": {199, "1.99"},
		"-3": {-1, "0.-1"}, "1e30": {MaxUSD + 1, "1000000000000.01"}, "0": {0, "0"},
	} {
		var u USD
		if err := json.Unmarshal([]byte(in), &u); err != nil || u != want.cents {
			t.Errorf("%s: %d, %v", in, u, err)
		}
		if out, err := json.Marshal(u); u >= 0 && (err != nil || string(out) != want.out) {
			t.Errorf("%s: %s, %v", in, out, err)
		}
	}
	var u USD
	if json.Unmarshal([]byte(`"12"`), &u) == nil {
		t.Error("a text is taken for an amount")
	}
}

func TestThePartsOfADraftAreCanonical(t *testing.T) {
	hash := "0x" + strings.Repeat("Ab", 32)
	d := story()
	d.Currency = " usdt "
	d.Evidence.TransactionHashes = []string{hash, strings.ToLower(hash), " " + hash + "\n"}
	d.Evidence.URLs = []string{"https://a.example/x", " https://a.example/\u200bx", "https://evil.com/a%20b"}
	d.ReportedDomains = []string{" evil.com/a b ", "https://evil.com/a b", "other.example/", "https://pay.example/?q=1"}
	got, err := d.Parse(now)
	if err != nil {
		t.Fatal(err)
	}
	if got.Currency != "USDT" || !slices.Equal(got.Evidence.TransactionHashes, []string{strings.ToLower(hash)}) {
		t.Errorf("%q, %q", got.Currency, got.Evidence.TransactionHashes)
	}
	domains := []string{"evil.com", "other.example", "pay.example"}
	urls := []string{"https://a.example/x", "https://evil.com/a%20b", "http://evil.com/a%20b", "http://other.example/",
		"https://pay.example/?q=1"}
	if !slices.Equal(got.Evidence.URLs, urls) || !slices.Equal(got.ReportedDomains, domains) {
		t.Errorf("%q, %q", got.Evidence.URLs, got.ReportedDomains)
	}
}

func TestAnEVMAccountHasOnePlace(t *testing.T) {
	const first, second = "0x00000000000000000000000000000000000000a1", "0x0000000000000000000000000000000000000022"
	const bitcoin = "bip122:000000000019d6689c085ae165831e93:1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"
	a, _ := ParseAddress(first)
	checksummed := a.String()
	d := Draft{CrimeType: Scam, Title: "T", Description: "D", ScammerAddresses: []string{first},
		ScammerAccounts: []string{"eip155:1:" + first, "eip155:8453:" + second, bitcoin}}
	for range 2 { // what was parsed is parsed as the same again
		parsed, err := d.Parse(now)
		if err != nil || !slices.Equal(parsed.ScammerAddresses, []string{checksummed, second}) ||
			!slices.Equal(parsed.ScammerAccounts, []string{bitcoin}) {
			t.Errorf("%q, %q, %v", parsed.ScammerAddresses, parsed.ScammerAccounts, err)
		}
		d = parsed
	}
}

func TestAURLHoldsNoSecret(t *testing.T) {
	const phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	for _, between := range []string{"/", "=", "&", "+", "-", "_", "%20", "%2B", "/x=1&"} {
		d := story()
		d.Evidence.URLs = []string{"https://a.example/?" + strings.ReplaceAll(phrase, " ", between)}
		fields := faultsOf(t, d)
		if refused := slices.Equal(fields, []string{"evidence.urls[0]"}); refused == (between == "/x=1&") {
			t.Errorf("words with %q between them: %v", between, fields)
		}
	}
	d := story()
	d.Evidence.URLs = []string{"https://a.example/key_" + privateKey}
	if fields := faultsOf(t, d); !slices.Equal(fields, []string{"evidence.urls[0]"}) {
		t.Errorf("a private key behind an underscore: %v", fields)
	}
	for _, url := range []string{"https://a.example/?q=100%", "http://a.example"} {
		d := story()
		d.Evidence.URLs = []string{url}
		if fields := faultsOf(t, d); len(fields) > 0 {
			t.Errorf("%s: %v", url, fields)
		}
	}
	for _, url := range []string{
		"ftp://a.example", "https:///x", "https://a.example/a b", `https://a.example/\x`, "https://a.example/<x>",
		"a.example",
	} {
		d := story()
		d.Evidence.URLs = []string{url}
		if fields := faultsOf(t, d); !slices.Equal(fields, []string{"evidence.urls[0]"}) {
			t.Errorf("%s: %v", url, fields)
		}
	}
}

// TestTheLargestPartOfALargeReportIsToBeShortened: whichever it is.
func TestTheLargestPartOfALargeReportIsToBeShortened(t *testing.T) {
	many := []string{strings.Repeat("x", 100), strings.Repeat("y", 100)}
	for field, d := range map[string]Draft{
		"description":                {Description: strings.Repeat("x", 300), ReportedDomains: many},
		"scammerAddresses":           {ScammerAddresses: many, Description: "x"},
		"reportedDomains":            {ReportedDomains: many, ReportedHandles: many[:1]},
		"scammerAccounts":            {ScammerAccounts: many},
		"reportedHandles":            {ReportedHandles: many, ScammerAccounts: many[:1]},
		"evidence.urls":              {Evidence: Attachments{URLs: many, TransactionHashes: many[:1]}},
		"evidence.transactionHashes": {Evidence: Attachments{URLs: many[:1], TransactionHashes: many}},
	} {
		if got := d.largestPart(); got != field {
			t.Errorf("%s: %s", field, got)
		}
	}
}
