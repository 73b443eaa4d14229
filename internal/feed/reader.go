package feed

import (
	"fmt"
	"net"
	"net/netip"
	"path"
	"strings"
	"time"

	"tocsin"
)

// reader is one run of Read. The parts call its methods with what they find. It
// refuses what is not a subject, and fills in what all entries have in common.
type reader struct {
	source *Source
	out    Sink
	now    time.Time

	file    string            // the path of the file that is being read
	rows    int               // of this file, refused rows included
	entries int               // of all files, passed to the sink
	refused int               // of all files
	reasons map[string]int    // how many of them by reason
	untaken []string          // those of a list of sanctions, cut
	about   string            // of the sanctioned account that is read: its currency and its party; "" for unknown
	files   []tocsin.ListFile // those with entries, so far
	dated   *tocsin.Time      // the list's own date
	served  *tocsin.Time      // when its files were last changed, as their server says
	err     error             // returned by the sink; nothing is passed to it afterwards

	firstSeen  map[tocsin.Subject]tocsin.Time        // the day each subject was first listed, from auxiliary files
	benign     map[tocsin.Subject]tocsin.ListingKind // hosts that this list calls Safe or Shared
	reportKeys map[string]bool                       // keys of the reports so far
	accounts   map[account]*accountLabels
	spellings  map[string]string // addresses with their capital letters, by their small ones
}

// The reasons for refusing a row. Refusals are counted by them.
const (
	notEVM       = "not an EVM address"
	notAccount   = "not an account of a known chain"
	otherChain   = "of a chain that Tocsin does not know"
	lostCase     = "its capital letters are lost in this list"
	badSum       = "wrong checksum"
	badLength    = "not 40 digits"
	notSite      = "not a domain name"
	isIP         = "an IP address"
	oneLabel     = "a single label"
	pageOnly     = "a page, not a site"
	shared       = "public suffix or hosting parent"
	badRow       = "malformed row"
	badReport    = "not a valid report"
	duplicate    = "the same entry twice"
	exempted     = "exempted by the list itself"
	testnet      = "a test network"
	unknownLabel = "no label of a known kind"
)

// Reasons returns why rows are refused, to be translated. [otherChain] may be followed by the chain, in parentheses.
func Reasons() []string {
	return []string{notEVM, notAccount, otherChain, lostCase, badSum, badLength, notSite, isIP, oneLabel, pageOnly, shared,
		badRow, badReport, duplicate, exempted, testnet, unknownLabel}
}

// Limits of what is kept of all files of a list. The largest list has 340,000
// entries, and 36,000 rows of another are refused.
const (
	maxEntries = 500_000 // of a public list; files of the operator's own may have any number
	maxRefused = 200_000
	maxText    = 4096 // bytes of a name, of an address or of a text about an entry
	maxAccount = 512  // characters of an account that was not taken: a unified address of Zcash may have over 300
)

// tooMany ends the reading.
func (r *reader) tooMany(n int, what string) {
	if r.err == nil {
		r.err = fmt.Errorf("%s: more than %d %s, so this is not the list", path.Base(r.file), n, what)
	}
}

// refuse counts a bad row. Row and detail are parts of the file, and cut where they are long.
func (r *reader) refuse(row, reason, detail string) {
	r.rows++
	if r.reasons == nil {
		r.reasons = map[string]int{}
	}
	r.reasons[reason]++
	if r.refused++; r.refused > maxRefused {
		r.tooMany(maxRefused, "rows were refused")
	}
	if r.source != nil && r.source.Name == OFAC && len(r.untaken) < tocsin.MaxUntaken {
		r.untaken = append(r.untaken, r.untakenRow(row))
	}
	if r.out.Refuse != nil && r.err == nil {
		r.out.Refuse(cut(row), reason, cut(detail))
	}
}

// untakenRow names a row of a list of sanctions that was not taken, with what is known of its account. It is public, so
// it is also named if it has the form of a secret, such as a hash of 64 digits.
func (r *reader) untakenRow(row string) string {
	row = tocsin.Shorten(tocsin.CleanText(cut(row)), maxAccount)
	if about := tocsin.Shorten(tocsin.CleanText(cut(r.about)), 128); about != "" {
		return row + " (" + about + ")"
	}
	return row
}

// cut returns the beginning of a long text.
func cut(text string) string {
	if len(text) > maxText {
		return strings.ToValidUTF8(text[:maxText], "") + "…"
	}
	return text
}

func (r *reader) emit(e tocsin.Entry) {
	if r.entries++; r.entries > maxEntries && r.source.Upstream != "" {
		r.tooMany(maxEntries, "entries")
	}
	if r.err == nil {
		r.err = r.out.Entry(e)
	}
}

// emitListing passes a listing to the sink.
func (r *reader) emitListing(l tocsin.Listing) {
	r.rows++
	l.List, l.Family = r.source.Name, r.source.Family
	l.Name, l.Program, l.Category, l.URL = cut(l.Name), cut(l.Program), cut(l.Category), cut(l.URL)
	for i, alias := range l.Aliases {
		l.Aliases[i] = cut(alias)
	}
	if l.URL == "" {
		l.URL = r.source.URL
	}
	if l.Since == nil {
		if t, ok := r.firstSeen[l.Subject]; ok {
			l.Since = &t
		}
	}
	r.emit(tocsin.Entry{Listing: &l})
}

// emitReport passes a report to the sink and returns it as it was parsed. The
// key identifies the row within the list.
func (r *reader) emitReport(key string, d tocsin.Draft) (report *tocsin.Draft, ok bool) {
	d, err := r.check(d)
	return &d, r.emitChecked(key, &d, err)
}

// check parses a report. It may be called beside anything else.
func (r *reader) check(d tocsin.Draft) (tocsin.Draft, error) {
	published := d.SourceDate
	d, err := d.Parse(r.now)
	if err == nil && published.Std().After(r.now) {
		err = fmt.Errorf("it is dated %s, which is in the future", published)
	}
	d.SourceDate = published
	return d, err
}

// emitChecked passes a report to the sink that was parsed, or refuses it for the error of that.
func (r *reader) emitChecked(key string, d *tocsin.Draft, err error) (ok bool) {
	r.rows++
	if r.reportKeys[key] {
		r.refuse(key, duplicate, "")
		return false
	}
	if err != nil {
		r.refuse(key, badReport, err.Error())
		return false
	}
	if r.reportKeys == nil {
		r.reportKeys = map[string]bool{}
	}
	r.reportKeys[key] = true
	r.emit(tocsin.Entry{Report: d, Key: key})
	return true
}

// parseAddress parses an EVM address, or refuses the row.
func (r *reader) parseAddress(text string) (tocsin.Subject, bool) {
	if len(text) > maxText {
		r.refuse(text, notEVM, "it is too long")
		return tocsin.Subject{}, false
	}
	a, err := tocsin.ParseAddress(text)
	if err == nil {
		return a.Subject(), true
	}
	digits, prefixed := strings.CutPrefix(strings.ToLower(strings.TrimSpace(text)), "0x")
	reason := notEVM
	switch {
	case !prefixed || strings.Trim(digits, "0123456789abcdef") != "":
	case len(digits) != 40:
		reason = badLength
	default:
		reason = badSum
	}
	r.refuse(text, reason, err.Error())
	return tocsin.Subject{}, false
}

// parseHost parses a host name, shared or not, or refuses the row.
func (r *reader) parseHost(text string) (tocsin.Domain, bool) {
	if len(text) > maxText {
		r.refuse(text, notSite, "it is too long")
		return tocsin.Domain{}, false
	}
	d, err := tocsin.ParseDomain(text)
	switch {
	case err != nil:
		r.refuse(text, hostFault(text), err.Error())
	case d.HasPath():
		// One bad page does not make the host bad: the hosts of such entries
		// are medium.com, t.me, instagram.com.
		r.refuse(text, pageOnly, "")
	default:
		return d, true
	}
	return tocsin.Domain{}, false
}

// parseSite parses the name of a host that has one owner, or refuses the row.
func (r *reader) parseSite(text string) (tocsin.Subject, bool) {
	d, ok := r.parseHost(text)
	if ok && d.Shared() {
		r.refuse(text, shared, "a public suffix or a host of many strangers")
		return tocsin.Subject{}, false
	}
	return d.Subject(), ok
}

// hostFault returns the reason why a text is not a host name.
func hostFault(text string) string {
	host := strings.TrimSpace(text)
	if _, rest, ok := strings.Cut(host, "://"); ok {
		host = rest
	}
	host, _, _ = strings.Cut(host, "/")
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	switch _, err := netip.ParseAddr(host); {
	case err == nil:
		return isIP
	case host != "" && !strings.Contains(host, "."):
		return oneLabel
	}
	return notSite
}

// emitRiskSite lists a site as fraudulent, unless the same list calls it benign.
func (r *reader) emitRiskSite(text string, crime tocsin.CrimeType) (tocsin.Subject, bool) {
	s, ok := r.parseSite(text)
	if !ok {
		return s, false
	}
	if kind := r.benign[s]; kind != "" {
		r.refuse(text, exempted, string(kind))
		return s, false
	}
	r.emitListing(tocsin.Listing{Kind: tocsin.Risk, Category: string(crime), Subject: s})
	return s, true
}

// emitRiskAddress lists an address as fraudulent.
func (r *reader) emitRiskAddress(text string, l tocsin.Listing) (tocsin.Subject, bool) {
	s, ok := r.parseAddress(text)
	if ok {
		l.Kind, l.Subject = tocsin.Risk, s
		r.emitListing(l)
	}
	return s, ok
}

// emitRiskAccount lists an account of any chain as fraudulent.
func (r *reader) emitRiskAccount(code, text string, l tocsin.Listing) (tocsin.Subject, bool) {
	s, ok := r.parseAccount(code, text)
	if ok {
		l.Kind, l.Subject = tocsin.Risk, s
		r.emitListing(l)
	}
	return s, ok
}

// emitSafeSite lists a site as safe, unless the same list calls it shared.
func (r *reader) emitSafeSite(text, category string) {
	s, ok := r.parseSite(strings.TrimPrefix(text, "."))
	switch {
	case !ok:
	case r.benign[s] == tocsin.Shared:
		r.refuse(text, exempted, string(tocsin.Shared))
	default:
		r.emitBenign(s, tocsin.Safe, category)
	}
}

// emitShared lists a host that unrelated users share, such as a hosting
// provider. Lists write such names as .example.com or *.example.com.
func (r *reader) emitShared(text, category string) {
	if d, ok := r.parseHost(strings.TrimPrefix(strings.TrimPrefix(text, "*"), ".")); ok {
		r.emitBenign(d.Subject(), tocsin.Shared, category)
	}
}

// emitBenign lists a host as safe or shared, and exempts it from the risk
// entries of the same list.
func (r *reader) emitBenign(s tocsin.Subject, kind tocsin.ListingKind, category string) {
	if r.benign == nil {
		r.benign = map[tocsin.Subject]tocsin.ListingKind{}
	}
	r.benign[s] = kind
	r.emitListing(tocsin.Listing{Kind: kind, Category: category, Subject: s})
}

// emitExempted lists an entry that the authors of a blocklist exempt from it: a
// wildcard or a hosting parent as shared, everything else as a safe site.
func (r *reader) emitExempted(text string) {
	if strings.HasPrefix(text, "*.") {
		r.emitShared(text, "hosting")
	} else if d, err := tocsin.ParseDomain(cut(text)); err == nil && d.Shared() {
		r.emitShared(text, "hosting")
	} else {
		r.emitSafeSite(text, "cleared")
	}
}

// setFirstSeen records a day on which a subject was on the list. The earliest counts.
func (r *reader) setFirstSeen(s tocsin.Subject, day tocsin.Time) {
	if r.firstSeen == nil {
		r.firstSeen = map[tocsin.Subject]tocsin.Time{}
	}
	if t, ok := r.firstSeen[s]; !ok || day.Std().Before(t.Std()) {
		r.firstSeen[s] = day
	}
	if len(r.firstSeen) > maxEntries {
		r.tooMany(maxEntries, "dated entries")
	}
}

// setSiteFirstSeen does so for a site. A bad name is skipped here, and refused
// where it is listed.
func (r *reader) setSiteFirstSeen(text string, day tocsin.Time) {
	if len(text) > maxText {
		return
	}
	if d, err := tocsin.ParseDomain(text); err == nil {
		r.setFirstSeen(d.Subject(), day)
	}
}

// parseDay parses a date in one of the layouts. It returns nil if no layout
// matches, or if the date is before 1970 or in the future.
func (r *reader) parseDay(text string, layouts ...string) *tocsin.Time {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, strings.TrimSpace(text)); err == nil && t.Year() >= 1970 && t.Before(r.now) {
			at := tocsin.TimeOf(t)
			return &at
		}
	}
	return nil
}

// chain returns the CAIP-2 identifier of an EVM chain.
func chain(id int64) string { return fmt.Sprintf("eip155:%d", id) }
