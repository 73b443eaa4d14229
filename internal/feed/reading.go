package feed

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"tocsin"
)

// reading is one run of Read. The readers of the lists tell it what they find;
// it refuses what is no subject and fills in what all entries have in common.
type reading struct {
	source *Source
	out    Sink
	now    time.Time

	file    string // the one being read
	rows    int    // met in it, taken or refused
	entries int    // given to the sink
	refused int
	err     error // of the sink: nothing is given to it afterwards

	since    map[tocsin.Subject]tocsin.Time        // when subjects first stood on the list, from files aside
	exempt   map[tocsin.Subject]tocsin.ListingKind // sites that this very list calls Safe or Shared
	told     map[string]bool                       // keys of reports
	accounts map[account]*labels
}

// The reasons for which rows are refused most. They are counted by, so they are short.
const (
	notEVM    = "not an EVM address"
	badSum    = "wrong checksum"
	badLength = "not 40 digits"
	notSite   = "not a domain name"
	isIP      = "an IP address"
	oneLabel  = "a single label"
	onlyPage  = "a page, not a site"
	shared    = "public suffix or hosting parent"
	badRow    = "malformed row"
	badReport = "not a valid report"
	toldTwice = "the same entry twice"
	exempted  = "exempted by the list itself"
	testnet   = "a test network"
	doubtful  = "label of no known kind"
)

func (r *reading) refuse(row, reason, detail string) {
	r.rows++
	r.refused++
	if r.out.Refuse != nil && r.err == nil {
		r.out.Refuse(row, reason, detail)
	}
}

func (r *reading) give(e tocsin.Entry) {
	if r.err == nil {
		r.entries++
		r.err = r.out.Entry(e)
	}
}

// list gives a listing to the sink.
func (r *reading) list(l tocsin.Listing) {
	r.rows++
	l.List, l.Family = r.source.Name, r.source.Family
	if l.URL == "" {
		l.URL = r.source.URL
	}
	if l.Since == nil {
		if t, ok := r.since[l.Subject]; ok {
			l.Since = &t
		}
	}
	r.give(tocsin.Entry{Listing: &l})
}

// tell gives a report to the sink, and returns it as it was parsed. The key
// names its row within the list.
func (r *reading) tell(key string, d tocsin.Draft) (told *tocsin.Draft, ok bool) {
	r.rows++
	if r.told[key] {
		r.refuse(key, toldTwice, "")
		return nil, false
	}
	published := d.SourceDate
	d, err := d.Parse(r.now)
	if err == nil && published.Std().After(r.now) {
		err = fmt.Errorf("it is dated %s, in the future", published)
	}
	if err != nil {
		r.refuse(key, badReport, err.Error())
		return nil, false
	}
	d.SourceDate = published
	if r.told == nil {
		r.told = map[string]bool{}
	}
	r.told[key] = true
	r.give(tocsin.Entry{Report: &d, Key: key})
	return &d, true
}

// address parses an EVM address, or refuses the row.
func (r *reading) address(text string) (tocsin.Subject, bool) {
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

// host parses a host name, shared or not, or refuses the row.
func (r *reading) host(text string) (tocsin.Domain, bool) {
	d, err := tocsin.ParseDomain(text)
	switch {
	case err != nil:
		r.refuse(text, hostFault(text), err.Error())
	case d.HasPath():
		// What stands on one page says nothing of the host: the hosts of such
		// entries are medium.com, t.me, instagram.com.
		r.refuse(text, onlyPage, "")
	default:
		return d, true
	}
	return tocsin.Domain{}, false
}

// site parses the name of a site that somebody in particular answers for.
func (r *reading) site(text string) (tocsin.Subject, bool) {
	d, ok := r.host(text)
	if ok && d.Shared() {
		r.refuse(text, shared, "")
		return tocsin.Subject{}, false
	}
	return d.Subject(), ok
}

// hostFault tells why no host name can be made of a text.
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

// riskSite lists a site as fraudulent, unless the same list exempts it.
func (r *reading) riskSite(text string, crime tocsin.CrimeType) (tocsin.Subject, bool) {
	s, ok := r.site(text)
	if !ok {
		return s, false
	}
	if kind := r.exempt[s]; kind != "" {
		r.refuse(text, exempted, string(kind))
		return s, false
	}
	r.list(tocsin.Listing{Kind: tocsin.Risk, Category: string(crime), Subject: s})
	return s, true
}

// riskAddress lists an address as fraudulent.
func (r *reading) riskAddress(text string, l tocsin.Listing) (tocsin.Subject, bool) {
	s, ok := r.address(text)
	if ok {
		l.Kind, l.Subject = tocsin.Risk, s
		r.list(l)
	}
	return s, ok
}

// safeSite lists a site as a good one, unless the same list has said that
// strangers use it.
func (r *reading) safeSite(text, category string) {
	s, ok := r.site(strings.TrimPrefix(text, "."))
	switch {
	case !ok:
	case r.exempt[s] == tocsin.Shared:
		r.refuse(text, exempted, string(tocsin.Shared))
	default:
		r.spare(s, tocsin.Safe, category)
	}
}

// service lists a host whose users are strangers to each other. Lists write
// such names as .example.com or *.example.com.
func (r *reading) service(text, category string) {
	if d, ok := r.host(strings.TrimPrefix(strings.TrimPrefix(text, "*"), ".")); ok {
		r.spare(d.Subject(), tocsin.Shared, category)
	}
}

// spare lists a site that the list does not call fraudulent.
func (r *reading) spare(s tocsin.Subject, kind tocsin.ListingKind, category string) {
	if r.exempt == nil {
		r.exempt = map[tocsin.Subject]tocsin.ListingKind{}
	}
	r.exempt[s] = kind
	r.list(tocsin.Listing{Kind: kind, Category: category, Subject: s})
}

// cleared lists what the makers of a blocklist exempt from it: a wildcard or a
// hosting parent as a service of strangers, everything else as a good site.
func (r *reading) cleared(text string) {
	if strings.HasPrefix(text, "*.") {
		r.service(text, "hosting")
	} else if d, err := tocsin.ParseDomain(text); err == nil && d.Shared() {
		r.service(text, "hosting")
	} else {
		r.safeSite(text, "cleared")
	}
}

// seen notes the day on which a subject first stood on the list.
func (r *reading) seen(s tocsin.Subject, day tocsin.Time) {
	if r.since == nil {
		r.since = map[tocsin.Subject]tocsin.Time{}
	}
	if t, ok := r.since[s]; !ok || day.Std().Before(t.Std()) {
		r.since[s] = day
	}
}

// seenSite notes it of a site. What is no site is refused where it is listed.
func (r *reading) seenSite(text string, day tocsin.Time) {
	if d, err := tocsin.ParseDomain(text); err == nil {
		r.seen(d.Subject(), day)
	}
}

// day parses a date in one of the layouts; nil if it is in none of them, or
// in the future.
func (r *reading) day(text string, layouts ...string) *tocsin.Time {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, strings.TrimSpace(text)); err == nil && t.Year() >= 1970 && t.Before(r.now) {
			at := tocsin.TimeOf(t)
			return &at
		}
	}
	return nil
}

// chain is the CAIP-2 name of an EVM chain.
func chain(id int64) string { return fmt.Sprintf("eip155:%d", id) }

// clip shortens a text to n characters, for titles.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
