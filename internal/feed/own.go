package feed

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"tocsin"
	"tocsin/internal/explorer"
)

// ownFormats are files in the formats of Tocsin, and the starter set. Reports of
// the operator have no family unless `import -as` names one: by default all of
// them count as one origin.
func ownFormats() []Source {
	return []Source{{
		List:    tocsin.List{Name: "ndjson"},
		About:   "reports of your own: one JSON object per line with the fields of the API, optionally publishedAt and id",
		Default: "reports.ndjson",
		parts:   []part{{glob: "*.ndjson", read: readNDJSON}},
	}, {
		List:    tocsin.List{Name: "csv"},
		About:   "reports of your own: CSV with the field names of the API as header; spaces or semicolons separate values",
		Default: "reports.csv",
		parts:   []part{{glob: "*.csv", read: readReportCSV}},
	}, {
		List:    tocsin.List{Name: Safelist},
		Title:   "Operator’s own safelist",
		About:   "safe subjects of your own: CSV with the columns subject, category and optionally name and kind",
		Default: "safelist.csv",
		parts:   []part{{glob: "*.csv", read: readSafelist}},
	}, {
		List: tocsin.List{
			Name: StarterList, Family: StarterList,
		},
		Title:   "Tocsin starter set",
		Kinds:   []tocsin.Kind{tocsin.EVM, tocsin.DNS, tocsin.Tron, tocsin.Solana, tocsin.TON},
		About:   "public incidents and well-known subjects, written for Tocsin; loaded by every server (Apache-2.0)",
		Default: "incidents.ndjson",
		parts: []part{
			{glob: "incidents.ndjson", read: readIncidents},
			{glob: "safelist.csv", read: readSafelist},
		},
	}}
}

// fileReport is a report in a file of the operator.
type fileReport struct {
	tocsin.Draft
	PublishedAt text   `json:"publishedAt"`
	CreatedAt   string `json:"createdAt"` // in exports of Tocsin; used if there is no publishedAt
	ID          string `json:"id"`
	Key         string `json:"key"`
}

// text is a string of JSON that may be null: in exports of Tocsin that is a date
// that is not known, where none at all would be one that was left out.
type text struct {
	value string
	null  bool
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *text) UnmarshalJSON(b []byte) error {
	t.null = string(b) == "null"
	return json.Unmarshal(b, &t.value)
}

// readReports reads a file of one JSON object per line. Date may date a report before it is checked.
func (r *reader) readReports(body io.Reader, date func(d *tocsin.Draft)) error {
	return r.readLinesAhead(body, func(n int, line []byte) (take func()) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			return func() {}
		}
		var report fileReport
		if err := json.Unmarshal(line, &report); err != nil {
			return func() { r.refuse(fmt.Sprintf("%s, line %d", r.file, n), badRow, inWords(err)) }
		}
		key, err := report.keyAndDate(string(line))
		if err != nil {
			return func() { r.refuse(key, badReport, err.Error()) }
		}
		date(&report.Draft)
		d, err := r.check(report.Draft)
		return func() { r.emitReportAndListings(key, d, err) }
	})
}

// keyAndDate sets the publication date of a report and returns its key: its key
// or id, or else a hash of its text in the file.
func (report *fileReport) keyAndDate(text string) (key string, err error) {
	if key = cmp.Or(report.Key, report.ID); key == "" {
		sum := sha256.Sum256([]byte(text))
		key = hex.EncodeToString(sum[:16])
	}
	if at := cmp.Or(report.PublishedAt.value, report.CreatedAt); at != "" && !report.PublishedAt.null {
		t, _, fault := tocsin.ParseDay(at)
		if fault != nil {
			return key, fmt.Errorf("publishedAt: %w", fault)
		}
		report.SourceDate = t
	}
	return key, nil
}

func readNDJSON(r *reader, body io.Reader) error {
	return r.readReports(body, func(*tocsin.Draft) {})
}

// columnSetters set the field of a report that a CSV column holds.
var columnSetters = map[string]func(r *fileReport, value string) error{
	"crimeType":            func(r *fileReport, v string) error { r.CrimeType = tocsin.CrimeType(v); return nil },
	"title":                func(r *fileReport, v string) error { r.Title = v; return nil },
	"description":          func(r *fileReport, v string) error { r.Description = v; return nil },
	"scammerAddresses":     func(r *fileReport, v string) error { r.ScammerAddresses = splitValues(v); return nil },
	"reportedDomains":      func(r *fileReport, v string) error { r.ReportedDomains = splitValues(v); return nil },
	"scammerAccounts":      func(r *fileReport, v string) error { r.ScammerAccounts = splitValues(v); return nil },
	"reportedHandles":      func(r *fileReport, v string) error { r.ReportedHandles = splitValues(v); return nil },
	"currency":             func(r *fileReport, v string) error { r.Currency = v; return nil },
	"incidentDate":         func(r *fileReport, v string) error { r.IncidentDate = &v; return nil },
	"subjectProjectName":   func(r *fileReport, v string) error { r.SubjectProjectName = &v; return nil },
	"socialMedia.whatsapp": func(r *fileReport, v string) error { r.SocialMedia.WhatsApp = &v; return nil },
	"socialMedia.telegram": func(r *fileReport, v string) error { r.SocialMedia.Telegram = &v; return nil },
	"socialMedia.facebook": func(r *fileReport, v string) error { r.SocialMedia.Facebook = &v; return nil },
	"socialMedia.other":    func(r *fileReport, v string) error { r.SocialMedia.Other = &v; return nil },
	"evidence.urls":        func(r *fileReport, v string) error { r.Evidence.URLs = splitValues(v); return nil },
	"publishedAt":          func(r *fileReport, v string) error { r.PublishedAt.value = v; return nil },
	"createdAt":            func(r *fileReport, v string) error { r.CreatedAt = v; return nil },
	"id":                   func(r *fileReport, v string) error { r.ID = v; return nil },
	"key":                  func(r *fileReport, v string) error { r.Key = v; return nil },
	"evidence.transactionHashes": func(r *fileReport, v string) error {
		r.Evidence.TransactionHashes = splitValues(v)
		return nil
	},
	"amountLost": func(r *fileReport, v string) error {
		r.AmountLost = new(tocsin.USD)
		return r.AmountLost.UnmarshalJSON([]byte(v))
	},
}

// splitValues splits the text of a column that holds several values.
func splitValues(value string) []string {
	return strings.FieldsFunc(value, func(c rune) bool { return c == ' ' || c == ';' || c == '\n' || c == '\t' })
}

func readReportCSV(r *reader, body io.Reader) error {
	columns := make([]string, 0, len(columnSetters))
	for name := range columnSetters {
		columns = append(columns, name)
	}
	slices.Sort(columns)
	required := []string{"crimeType", "title", "description"}
	return r.readTable(body, required, columns, func(field func(string) string) {
		var report fileReport
		var text strings.Builder
		for _, name := range columns {
			value := strings.TrimSpace(field(name))
			if value == "" {
				continue
			}
			fmt.Fprintf(&text, "%s=%q ", name, value)
			if err := columnSetters[name](&report, value); err != nil {
				r.refuse(tocsin.Shorten(field("title"), 80), badRow, name+": "+err.Error())
				return
			}
		}
		key, err := report.keyAndDate(text.String())
		if err != nil {
			r.refuse(key, badReport, err.Error())
			return
		}
		d, err := r.check(report.Draft)
		r.emitReportAndListings(key, d, err)
	})
}

// readIncidents reads the reports of the starter set. A report without a
// publication date is dated by its incident.
func readIncidents(r *reader, body io.Reader) error {
	return r.readReports(body, func(d *tocsin.Draft) {
		if d.IncidentDate != nil && d.SourceDate == (tocsin.Time{}) {
			if t, _, err := tocsin.ParseDay(*d.IncidentDate); err == nil {
				d.SourceDate = t
			}
		}
	})
}

// emitReportAndListings passes on a checked report, and lists its subjects: the
// score counts the listings of a list, as one origin, and not its reports.
func (r *reader) emitReportAndListings(key string, report tocsin.Draft, err error) {
	if !r.emitChecked(key, &report, err) {
		return
	}
	listing := tocsin.Listing{Kind: tocsin.Risk, Category: string(report.CrimeType)}
	if report.SourceDate != (tocsin.Time{}) {
		listing.Since = &report.SourceDate
	}
	if len(report.Evidence.URLs) > 0 {
		listing.URL = report.Evidence.URLs[0]
	}
	for _, listing.Subject = range report.Subjects() {
		r.emitListing(listing)
	}
}

// evmChain matches the CAIP-2 id of an EVM chain.
var evmChain = regexp.MustCompile(`^eip155:[1-9][0-9]{0,17}$`)

// readSafelist reads safe subjects with their categories. The column kind may say that a host is shared, the column
// chain (CAIP-2) on which chain an EVM address is the contract that the row names: a row for each chain.
func readSafelist(r *reader, body io.Reader) error {
	columns := []string{"subject", "category", "name", "kind", "chain"}
	return r.readTable(body, columns[:2], columns, func(field func(string) string) {
		text := field("subject")
		s, err := tocsin.ParseSubject(text)
		if err != nil {
			r.refuse(text, badRow, err.Error())
			return
		}
		l := tocsin.Listing{
			Kind: tocsin.Safe, Category: field("category"), Name: field("name"), Subject: s, Chain: field("chain"),
		}
		if l.Chain != "" && (s.Kind != tocsin.EVM || !evmChain.MatchString(l.Chain)) {
			r.refuse(text, badRow, fmt.Sprintf("the chain is %q: leave it empty, or write one such as eip155:8453 for an "+
				"EVM address", l.Chain))
			return
		}
		if e, known := explorer.Of(cmp.Or(l.Chain, s.Chain())); known {
			l.URL = e.Account(s.Plain())
		} else if s.Kind == tocsin.EVM {
			l.URL = explorer.OfAnyEVM().Account(s.String())
		}
		ok := true
		switch kind := tocsin.ListingKind(field("kind")); {
		case kind == tocsin.Shared && s.Kind == tocsin.DNS:
			_, ok = r.parseHost(text)
			l.Kind = tocsin.Shared
		case kind != "" && kind != tocsin.Safe:
			r.refuse(text, badRow, fmt.Sprintf("the kind is %q: leave it empty, or write shared for a host", kind))
			return
		case s.Kind == tocsin.DNS:
			_, ok = r.parseSite(text)
		}
		if !ok {
			return
		}
		r.emitListing(l)
	})
}
