package web

import (
	"fmt"
	"html/template"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/manual"
)

// readTemplates parses each page together with the layout and the parts that
// pages share.
func (s *Site) readTemplates() (map[string]*template.Template, error) {
	shared, err := template.New("").Funcs(template.FuncMap{
		"asset":     func(name string) (string, error) { return s.assets.url(name) },
		"addr":      addressGroups,
		"ago":       func(t tocsin.Time) string { return ago(s.db.Now().Std().Sub(t.Std())) },
		"defangURL": defangURL,
		"crime":     tocsin.CrimeType.Name,
		"day":       day,
		"defang":    defang,
		"deref":     func(b *bool) bool { return b != nil && *b },
		"iso":       func(t tocsin.Time) string { return t.Std().Format(time.RFC3339) },
		"level":     styleOf,
		"list":      listTitle,
		"minute":    minute,
		"number":    number[int],
		"plural":    plural,
		"short":     short,
		"when":      func(t tocsin.Time) string { return when(t.Std(), s.db.Now().Std()) },
	}).ParseFS(files, "templates/layout.html", "templates/parts.html")
	if err != nil {
		return nil, err
	}
	pages := map[string]*template.Template{}
	names, err := fs.Glob(files, "templates/*.html")
	for _, file := range names {
		name := strings.TrimSuffix(path.Base(file), ".html")
		if name == "layout" || name == "parts" {
			continue
		}
		set, err := shared.Clone()
		if err != nil {
			return nil, err
		}
		if pages[name], err = set.ParseFS(files, file); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	pages["docs"], err = template.Must(shared.Clone()).Parse(manual.Template)
	return pages, err
}

// groups cuts an address into groups of four, so that its middle can be compared.
func addressGroups(address string) []string {
	digits := strings.TrimPrefix(address, "0x")
	list := []string{"0x" + digits[:4]}
	for i := 4; i < len(digits); i += 4 {
		list = append(list, digits[i:min(i+4, len(digits))])
	}
	return list
}

// short is a subject as lists show it: of an address 8 digits and the last 6.
func short(s tocsin.Subject) string {
	if text := s.String(); s.IsAddress() {
		return text[:10] + "…" + text[len(text)-6:]
	}
	return defang(s.Value)
}

// defang writes a domain so that nothing makes a link of it: evil[.]com.
func defang(domain string) string {
	if i := strings.LastIndexByte(domain, '.'); i >= 0 {
		return domain[:i] + "[.]" + domain[i+1:]
	}
	return domain
}

// bare is a URL as text that nothing makes a link of.
func defangURL(url string) string {
	scheme, rest, found := strings.Cut(url, "://")
	if !found {
		return defang(url)
	}
	host, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	return strings.Replace(strings.ToLower(scheme), "http", "hxxp", 1) + "://" + defang(host) + path
}

// badge is a level as it is shown: its class in the stylesheet, its word, its
// shape, and how far the bell swings.
type levelStyle struct {
	Class, Word, Mark string
	Arcs, Swing       int
}

var levelStyles = map[tocsin.Level]levelStyle{
	tocsin.Clean:    {"clean", "No reports", "m0", 0, 0},
	tocsin.Low:      {"low", "Low", "m1", 1, 5},
	tocsin.Medium:   {"medium", "Medium", "m2", 2, 9},
	tocsin.High:     {"high", "High", "m3", 3, 13},
	tocsin.Critical: {"critical", "Critical", "m4", 4, 17},
}

// levelOf takes a tocsin.Level, and from a template the text of one.
func styleOf(l any) levelStyle { return levelStyles[tocsin.Level(fmt.Sprint(l))] }

// Quiet reports whether the nth arc of the bell, from 1, is silent.
func (b levelStyle) Quiet(n int) bool { return n > b.Arcs }

// listTitle is the name of a list as people write it.
func listTitle(name string) string {
	if name == tocsin.Community {
		return "Community reports"
	}
	if source, found := feed.Find(name); found && source.Title != "" {
		return source.Title
	}
	return name
}

// capital returns a text in ASCII with a capital first letter.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// number writes a whole number with its thousands apart.
func number[N int | int64](n N) string {
	if n < 0 {
		return "−" + number(-n)
	}
	text := strconv.FormatInt(int64(n), 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

func plural(n int, noun string) string {
	text := number(n) + " " + noun
	if n == 1 {
		return text
	}
	return text + "s"
}

// money writes an amount of US dollars; cents only where there are few dollars.
func money(u tocsin.USD) string {
	if u%100 != 0 && u < 100_000 {
		return fmt.Sprintf("%s.%02d USD", number(int64(u/100)), u%100)
	}
	return number(int64(math.Round(float64(u)/100))) + " USD"
}

// day, minute and when write a moment in UTC.
func day(t tocsin.Time) string    { return t.Std().Format("2 Jan 2006") }
func minute(t tocsin.Time) string { return t.Std().Format("2 Jan 2006, 15:04") + " UTC" }

func when(t, now time.Time) string {
	today := now.UTC().Truncate(24 * time.Hour)
	switch at := t.UTC(); {
	case !at.Before(today):
		return "today, " + at.Format("15:04")
	case !at.Before(today.Add(-24 * time.Hour)):
		return "yesterday, " + at.Format("15:04")
	default:
		return at.Format("2 January 2006")
	}
}

// ago says how long something took, in the one or two units that matter.
func ago(d time.Duration) string {
	d = max(d, 0)
	days, hours, minutes := int(d.Hours())/24, int(d.Hours())%24, int(d.Minutes())%60
	switch {
	case days >= 3 || days > 0 && hours == 0:
		return plural(days, "day")
	case days > 0:
		return fmt.Sprintf("%s %d h", plural(days, "day"), hours)
	case hours > 0 && minutes > 0:
		return fmt.Sprintf("%d h %d min", hours, minutes)
	case hours > 0:
		return fmt.Sprintf("%d h", hours)
	case minutes == 0:
		return "under a minute"
	}
	return fmt.Sprintf("%d min", minutes)
}
