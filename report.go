package tocsin

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Limits of a report. Texts count characters.
const (
	MaxTitle       = 200
	MaxDescription = 10_000
	MaxProject     = 200
	MaxHandle      = 200
	MaxSubjects    = 100 // addresses, and again domains, and again accounts
	MaxHandles     = 20  // handles of the fraudster
	MaxEvidence    = 50  // URLs, those of ReportedDomains included, and again transaction hashes
	MaxURL         = 2048

	MaxReport = 48 << 10 // bytes of the JSON of the draft, which is what is stored; see [Draft.Size]
)

// Draft is the content of a report, which never changes. Its JSON form is that of the API, of files of reports and of
// the database. Fields that were added later are left out of it where they are empty, so that reports on record keep
// their text.
type Draft struct {
	CrimeType          CrimeType   `json:"crimeType"`
	Title              string      `json:"title"`
	Description        string      `json:"description"`
	ScammerAddresses   []string    `json:"scammerAddresses"` // EIP-55
	ReportedDomains    []string    `json:"reportedDomains"`
	ScammerAccounts    []string    `json:"scammerAccounts,omitempty"` // of chains that are not of the EVM: CAIP-10
	ReportedHandles    []string    `json:"reportedHandles,omitempty"` // see [Handle]
	AmountLost         *USD        `json:"amountLost"`
	Currency           string      `json:"currency"`     // of the loss; AmountLost is in US dollars regardless
	IncidentDate       *string     `json:"incidentDate"` // a date or a time
	SubjectProjectName *string     `json:"subjectProjectName"`
	SocialMedia        SocialMedia `json:"socialMedia"`
	Evidence           Attachments `json:"evidence"`

	SourceDate Time `json:"-"` // of a list's story: the date of the source; zero means that it gives none
}

// SocialMedia has the accounts that the fraudster used.
type SocialMedia struct {
	WhatsApp *string `json:"whatsapp"`
	Telegram *string `json:"telegram"`
	Facebook *string `json:"facebook"`
	Other    *string `json:"other"`
}

// Attachments are the evidence for a report. Tocsin never opens the URLs.
type Attachments struct {
	URLs              []string `json:"urls"`
	TransactionHashes []string `json:"transactionHashes"`
}

// Status says whether a report is visible. Only published reports are visible, and only they count in scores.
type Status string

// The states of a report.
const (
	Published Status = "published"
	Hidden    Status = "hidden"    // by the operator
	Withdrawn Status = "withdrawn" // by its reporter
	Removed   Status = "gone"      // its list has removed or changed it
	Banned    Status = "banned"    // it was published when its agent was banned, and is again when the ban is lifted
	Erased    Status = "erased"    // by the operator, for good: nothing is left but its id and dates
)

// Community is the source of reports filed here rather than imported from a list.
const Community = "community"

// Report is a report that was filed here or imported from a list.
type Report struct {
	ID string `json:"id"`
	Draft
	Status      Status    `json:"status"`
	Source      string    `json:"source"`      // Community, or the name of a list
	Reporter    *Reporter `json:"reporter"`    // nil: anonymous, or from a list
	CreatedAt   Time      `json:"createdAt"`   // when it was recorded: unique, in the order of recording
	PublishedAt *Time     `json:"publishedAt"` // the date of the source, from which its age is counted; nil: not known
	URL         string    `json:"url"`
}

// Reporter is the public part of an agent. Its wallet is not public.
type Reporter struct {
	ID   string  `json:"id"`
	Name *string `json:"name"`
}

// USD is an amount of US dollars, in cents. In JSON it is a number of dollars.
type USD int64

// MaxUSD is the largest amount of a report: a trillion dollars.
const MaxUSD USD = 1e14

// MarshalJSON writes dollars, with cents if there are any.
func (u USD) MarshalJSON() ([]byte, error) {
	if u%100 == 0 {
		return fmt.Appendf(nil, "%d", u/100), nil
	}
	return fmt.Appendf(nil, "%d.%02d", u/100, u%100), nil
}

// UnmarshalJSON reads a number of dollars and rounds it to the cent.
func (u *USD) UnmarshalJSON(text []byte) error {
	var f float64
	if err := json.Unmarshal(text, &f); err != nil {
		return err
	}
	*u = USD(math.Round(min(max(f*100, -1), float64(MaxUSD)+1))) // Draft.Parse refuses what is out of range
	return nil
}

// Subjects returns what the draft names, addresses first, except for handles. The draft must have been parsed: text
// that is no address is left out.
func (d *Draft) Subjects() []Subject {
	subjects := make([]Subject, 0, len(d.ScammerAddresses)+len(d.ReportedDomains)+len(d.ScammerAccounts))
	for _, a := range slices.Concat(d.ScammerAddresses, d.ScammerAccounts) {
		if s, err := parseAs(chains, a); err == nil {
			subjects = append(subjects, s)
		}
	}
	for _, n := range d.ReportedDomains {
		subjects = append(subjects, Subject{DNS, n})
	}
	return subjects
}

// Size returns how large the draft is as it is stored: in bytes of JSON, where <, > and & take six bytes each.
func (d *Draft) Size() int { return sizeOf(d) }

func sizeOf(value any) int {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // texts and numbers
	}
	return len(text)
}

// largestPart returns the field that has the most bytes of the draft's JSON.
func (d *Draft) largestPart() (field string) {
	most := 0
	for _, part := range []struct {
		field string
		value any
	}{
		{"description", d.Description},
		{"scammerAddresses", d.ScammerAddresses},
		{"reportedDomains", d.ReportedDomains},
		{"scammerAccounts", d.ScammerAccounts},
		{"reportedHandles", d.ReportedHandles},
		{"evidence.urls", d.Evidence.URLs},
		{"evidence.transactionHashes", d.Evidence.TransactionHashes},
	} {
		if size := sizeOf(part.value); size > most {
			field, most = part.field, size
		}
	}
	return field
}

// Parse validates a draft and returns it in canonical form: texts cleaned, addresses and domains parsed, duplicates
// removed. A domain that was given as a URL is also added to the evidence as that URL, and counts there. The error
// lists each invalid field. now is the latest possible incident.
func (d Draft) Parse(now time.Time) (Draft, error) {
	var faults []Fault
	fail := func(field string, err *Error) { faults = append(faults, err.In(field)...) }
	text := func(field string, s *string, limit int, required bool) {
		t, err := parseText(*s, limit)
		if err == nil && t == "" && required {
			err = invalid("it is empty", "say in your own words what happened")
		}
		if err != nil {
			fail(field, err)
		}
		*s = t
	}
	optional := func(field string, p **string, limit int) {
		if *p == nil {
			return
		}
		s := **p
		text(field, &s, limit, false)
		if *p = &s; s == "" {
			*p = nil
		}
	}

	if _, err := ParseCrimeType(string(d.CrimeType)); err != nil {
		fail("crimeType", err)
	}
	text("title", &d.Title, MaxTitle, true)
	text("description", &d.Description, MaxDescription, true)
	optional("subjectProjectName", &d.SubjectProjectName, MaxProject)
	optional("socialMedia.whatsapp", &d.SocialMedia.WhatsApp, MaxHandle)
	optional("socialMedia.telegram", &d.SocialMedia.Telegram, MaxHandle)
	optional("socialMedia.facebook", &d.SocialMedia.Facebook, MaxHandle)
	optional("socialMedia.other", &d.SocialMedia.Other, MaxHandle)

	if len(d.ScammerAddresses)+len(d.ReportedDomains)+len(d.ScammerAccounts)+len(d.ReportedHandles) == 0 {
		fail("scammerAddresses", invalid("the report names no address, no domain, no account and no handle",
			"send at least one of scammerAddresses, reportedDomains, scammerAccounts and reportedHandles"))
	}
	atMost := func(field string, values *[]string, limit int) {
		if n := len(*values); n > limit {
			fail(field, invalidf("file the rest in a second report", "it has %d entries, %d are allowed", n, limit))
			*values = nil // not worth parsing
		}
	}
	atMost("scammerAddresses", &d.ScammerAddresses, MaxSubjects)
	atMost("reportedDomains", &d.ReportedDomains, MaxSubjects)
	atMost("scammerAccounts", &d.ScammerAccounts, MaxSubjects)
	atMost("reportedHandles", &d.ReportedHandles, MaxHandles)
	atMost("evidence.urls", &d.Evidence.URLs, MaxEvidence)
	atMost("evidence.transactionHashes", &d.Evidence.TransactionHashes, MaxEvidence)

	d.ScammerAddresses = each("scammerAddresses", d.ScammerAddresses, &faults, func(s string) (string, *Error) {
		a, err := ParseAddress(s)
		return a.String(), err
	})
	d.ScammerAccounts = each("scammerAccounts", d.ScammerAccounts, &faults, func(s string) (string, *Error) {
		account, err := ParseAccount(s)
		return account.String(), err
	})
	isEVM := func(account string) bool { s, err := ParseAccount(account); return err == nil && s.Kind == EVM }
	for _, account := range d.ScammerAccounts { // an EVM account has one place, whichever field it came in
		if isEVM(account) && !slices.Contains(d.ScammerAddresses, account) {
			d.ScammerAddresses = append(d.ScammerAddresses, account)
		}
	}
	if d.ScammerAccounts = slices.DeleteFunc(d.ScammerAccounts, isEVM); len(d.ScammerAccounts) == 0 {
		d.ScammerAccounts = nil // which leaves it out of what is stored
	}
	d.ReportedHandles = each("reportedHandles", d.ReportedHandles, &faults, func(s string) (string, *Error) {
		h, err := ParseHandle(s)
		return h.String(), err
	})
	if len(d.ReportedHandles) == 0 {
		d.ReportedHandles = nil
	}
	var pages []string
	d.ReportedDomains = each("reportedDomains", d.ReportedDomains, &faults, func(s string) (string, *Error) {
		name, err := ParseDomain(s)
		if err != nil {
			return "", err
		}
		if name.Shared() {
			return "", invalidf(
				"report the full host name of the site, or put the URL of the page into evidence.urls",
				"%s is a public suffix or a hosting service, shared by unrelated users", name)
		}
		if page := strings.ReplaceAll(strings.TrimSpace(Refang(s)), " ", "%20"); strings.Contains(page, "/") {
			if !strings.Contains(page, "://") {
				page = "http://" + page
			}
			pages = append(pages, page)
		}
		return name.String(), nil
	})
	d.Evidence.URLs = each("evidence.urls", d.Evidence.URLs, &faults, parseURL)
	for _, p := range pages {
		if u, err := parseURL(p); err == nil && !slices.Contains(d.Evidence.URLs, u) {
			d.Evidence.URLs = append(d.Evidence.URLs, u)
		}
	}
	if n := len(d.Evidence.URLs); n > MaxEvidence {
		fail("evidence.urls", invalidf("file the rest in a second report",
			"it has %d entries, the URLs in reportedDomains included; %d are allowed", n, MaxEvidence))
	}
	hashes := d.Evidence.TransactionHashes
	d.Evidence.TransactionHashes = each("evidence.transactionHashes", hashes, &faults, ParseHash)

	if d.AmountLost != nil && (*d.AmountLost < 0 || *d.AmountLost > MaxUSD) {
		fail("amountLost", invalid("it must be between 0 and a trillion US dollars",
			"send the loss in US dollars at the time"))
	}
	if d.Currency == "" {
		d.Currency = "USD"
	}
	if d.Currency = strings.ToUpper(strings.TrimSpace(d.Currency)); !currency.MatchString(d.Currency) {
		fail("currency", invalid(fmt.Sprintf("%q is not a currency code", Clip(d.Currency, 20)),
			"send 2 to 10 letters or digits, such as USD or USDT"))
	}
	if d.IncidentDate != nil {
		at, canonical, err := ParseDay(*d.IncidentDate)
		ahead := 5 * time.Minute // for clocks that differ
		if len(canonical) == len(time.DateOnly) {
			ahead = 14 * time.Hour // the time zone furthest ahead
		}
		if err == nil && at.Std().After(now.Add(ahead)) {
			err = invalid("it is in the future", "send the date on which it happened").by(InFuture)
		}
		if err != nil {
			fail("incidentDate", err)
		}
		d.IncidentDate = &canonical
	}
	if len(faults) > 0 {
		return d, Faults(faults)
	}
	if n := d.Size(); n > MaxReport {
		fail(d.largestPart(), invalidf("shorten it, or file the rest in a second report",
			"the report has %d bytes as JSON, %d are allowed, and this is its largest part", n, MaxReport))
	}
	return d, Faults(faults)
}

var (
	txHash   = regexp.MustCompile(`^(?:0x)?[0-9a-f]{64}$`)
	solanaTx = regexp.MustCompile(`^[1-9A-HJ-NP-Za-km-z]{86,88}$`)
	currency = regexp.MustCompile(`^[A-Z0-9]{2,10}$`)
)

// each parses every element, reports invalid ones by their index, and removes duplicates.
func each(field string, in []string, faults *[]Fault, parse func(string) (string, *Error)) []string {
	out := make([]string, 0, len(in))
	for i, s := range in {
		v, err := parse(s)
		if err != nil {
			*faults = append(*faults, err.In(fmt.Sprintf("%s[%d]", field, i))...)
		} else if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// parseURL validates the URL of evidence. It keeps the URL as written, because it may be the only trace of a site
// that no longer exists.
func parseURL(s string) (string, *Error) {
	const fix = "send an http or https URL without spaces"
	s = CleanText(s)
	u, err := url.Parse(s)
	isWeb := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
	if !isWeb || strings.ContainsAny(s, " \t\n\"<>`\\") {
		return "", invalidf(fix, "%s is not an http or https URL", quoted(s, 80))
	}
	if len(s) > MaxURL {
		return "", invalidf("remove its query string", "it has %d bytes, %d are allowed", len(s), MaxURL)
	}
	words, err := url.PathUnescape(s)
	if err != nil {
		words = s
	}
	return s, FindSecret(betweenWords.Replace(words))
}

// ParseHash parses the hash of a transaction: on EVM chains with 0x, on others such as Bitcoin and Tron without, on
// Solana its first signature.
func ParseHash(s string) (string, *Error) {
	if s = strings.TrimSpace(s); solanaTx.MatchString(s) {
		return s, nil
	}
	if s = strings.ToLower(s); !txHash.MatchString(s) {
		return "", invalidf("send 64 hexadecimal digits, on EVM chains 0x before them, or the signature of a transaction of "+
			"Solana", "%s is not the hash of a transaction", quoted(s, 80))
	}
	return s, nil
}

// betweenWords replaces what separates words in a URL by spaces.
var betweenWords = strings.NewReplacer("/", " ", "=", " ", "&", " ", "+", " ", "-", " ", "_", " ")
