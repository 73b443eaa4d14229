package feed

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"tocsin"
)

// ownForms are reports in Tocsin's own shape, and the starter set.
func ownForms() []Source {
	return []Source{{
		List:    tocsin.List{Name: "ndjson"},
		About:   "reports in Tocsin's own shape: a JSON object a line, as the API takes them, with publishedAt and id if you like",
		Default: "reports.ndjson",
		parts:   []part{{glob: "*.ndjson", read: ndjson}},
	}, {
		List:    tocsin.List{Name: "csv"},
		About:   "reports in Tocsin's own shape: CSV with the API's field names as header, several values separated by spaces or semicolons",
		Default: "reports.csv",
		parts:   []part{{glob: "*.csv", read: reportTable}},
	}, {
		List:    tocsin.List{Name: "safelist"},
		About:   "subjects that you know as good: CSV with the columns subject, category and, if you like, name",
		Default: "safelist.csv",
		parts:   []part{{glob: "*.csv", read: safelist}},
	}, {
		List: tocsin.List{
			Name: StarterList, Family: StarterList,
		},
		Title:   "Tocsin starter set",
		Names:   []tocsin.Kind{tocsin.EVM, tocsin.DNS},
		About:   "publicly documented incidents, written for Tocsin; every empty database begins with them (Apache-2.0)",
		Default: "incidents.ndjson",
		parts: []part{
			{glob: "incidents.ndjson", read: incidents},
			{glob: "safelist.csv", read: safelist},
		},
	}}
}

// story is a report in our own shape, as it stands in files.
type story struct {
	tocsin.Draft
	PublishedAt string `json:"publishedAt"`
	CreatedAt   string `json:"createdAt"` // in what Tocsin exports; the second choice
	ID          string `json:"id"`
	Key         string `json:"key"`
}

// stories reads a file of one JSON object a line.
func (r *reading) stories(body io.Reader, each func(key string, d tocsin.Draft)) error {
	return r.lines(body, func(n int, line []byte) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			return
		}
		var s story
		if err := json.Unmarshal(line, &s); err != nil {
			r.refuse(fmt.Sprintf("%s, line %d", r.file, n), badRow, err.Error())
			return
		}
		if key, ok := r.date(&s, string(line)); ok {
			each(key, s.Draft)
		}
	})
}

// date puts the date of publication into the draft, and returns the key of the
// story: its id, or else a hash of how it stands in the file.
func (r *reading) date(s *story, text string) (key string, ok bool) {
	sum := sha256.Sum256([]byte(text))
	key = cmp.Or(s.Key, s.ID, hex.EncodeToString(sum[:16]))
	if at := cmp.Or(s.PublishedAt, s.CreatedAt); at != "" {
		t, _, err := tocsin.ParseDay(at)
		if err != nil {
			r.refuse(key, badReport, "publishedAt: "+err.Error())
			return "", false
		}
		s.SourceDate = t
	}
	return key, true
}

func ndjson(r *reading, body io.Reader) error { return r.stories(body, r.accuse) }

// setters put the columns of a CSV file into a story.
var setters = map[string]func(s *story, value string) error{
	"crimeType":                  func(s *story, v string) error { s.CrimeType = tocsin.CrimeType(v); return nil },
	"title":                      func(s *story, v string) error { s.Title = v; return nil },
	"description":                func(s *story, v string) error { s.Description = v; return nil },
	"scammerAddresses":           func(s *story, v string) error { s.ScammerAddresses = several(v); return nil },
	"reportedDomains":            func(s *story, v string) error { s.ReportedDomains = several(v); return nil },
	"currency":                   func(s *story, v string) error { s.Currency = v; return nil },
	"incidentDate":               func(s *story, v string) error { s.IncidentDate = &v; return nil },
	"subjectProjectName":         func(s *story, v string) error { s.SubjectProjectName = &v; return nil },
	"socialMedia.whatsapp":       func(s *story, v string) error { s.SocialMedia.WhatsApp = &v; return nil },
	"socialMedia.telegram":       func(s *story, v string) error { s.SocialMedia.Telegram = &v; return nil },
	"socialMedia.facebook":       func(s *story, v string) error { s.SocialMedia.Facebook = &v; return nil },
	"socialMedia.other":          func(s *story, v string) error { s.SocialMedia.Other = &v; return nil },
	"evidence.urls":              func(s *story, v string) error { s.Evidence.URLs = several(v); return nil },
	"evidence.transactionHashes": func(s *story, v string) error { s.Evidence.TransactionHashes = several(v); return nil },
	"publishedAt":                func(s *story, v string) error { s.PublishedAt = v; return nil },
	"createdAt":                  func(s *story, v string) error { s.CreatedAt = v; return nil },
	"id":                         func(s *story, v string) error { s.ID = v; return nil },
	"key":                        func(s *story, v string) error { s.Key = v; return nil },
	"amountLost": func(s *story, v string) error {
		s.AmountLost = new(tocsin.USD)
		return s.AmountLost.UnmarshalJSON([]byte(v))
	},
}

// several splits a column that holds several values.
func several(value string) []string {
	return strings.FieldsFunc(value, func(c rune) bool { return c == ' ' || c == ';' || c == '\n' || c == '\t' })
}

func reportTable(r *reading, body io.Reader) error {
	columns := make([]string, 0, len(setters))
	for name := range setters {
		columns = append(columns, name)
	}
	slices.Sort(columns)
	return r.table(body, []string{"crimeType", "title", "description"}, func(field func(string) string) {
		var s story
		var text strings.Builder
		for _, name := range columns {
			value := strings.TrimSpace(field(name))
			if value == "" {
				continue
			}
			fmt.Fprintf(&text, "%s=%q ", name, value)
			if err := setters[name](&s, value); err != nil {
				r.refuse(clip(field("title"), 80), badRow, name+": "+err.Error())
				return
			}
		}
		if key, ok := r.date(&s, text.String()); ok {
			r.accuse(key, s.Draft)
		}
	})
}

// incidents reads the stories of the starter set: each is a report, and lists
// what it names. Its age counts from the incident.
func incidents(r *reading, body io.Reader) error {
	return r.stories(body, func(key string, d tocsin.Draft) {
		since := d.SourceDate
		if d.IncidentDate != nil && since == (tocsin.Time{}) {
			if t, _, err := tocsin.ParseDay(*d.IncidentDate); err == nil {
				since = t
			}
		}
		d.SourceDate = since
		r.accuse(key, d)
	})
}

// accuse tells a story, and lists what it names: a list that tells stories
// scores by its listings, all of them as one origin.
func (r *reading) accuse(key string, d tocsin.Draft) {
	told, ok := r.tell(key, d)
	if !ok {
		return
	}
	listing := tocsin.Listing{Kind: tocsin.Risk, Category: string(told.CrimeType)}
	if told.SourceDate != (tocsin.Time{}) {
		listing.Since = &told.SourceDate
	}
	if len(told.Evidence.URLs) > 0 {
		listing.URL = told.Evidence.URLs[0]
	}
	for _, listing.Subject = range told.Subjects() {
		r.list(listing)
	}
}

// safelist reads good subjects, each with what it is.
func safelist(r *reading, body io.Reader) error {
	return r.table(body, []string{"subject", "category"}, func(field func(string) string) {
		s, err := tocsin.ParseSubject(field("subject"))
		if err != nil {
			r.refuse(field("subject"), badRow, err.Error())
			return
		}
		l := tocsin.Listing{Kind: tocsin.Safe, Category: field("category"), Name: field("name"), Subject: s, URL: "https://etherscan.io/address/" + s.String()}
		if s.Kind == tocsin.DNS {
			if _, ok := r.site(field("subject")); !ok {
				return
			}
			l.URL = "https://" + s.Value
		}
		r.list(l)
	})
}
