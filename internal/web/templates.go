package web

import (
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/explorer"
	"tocsin/internal/feed"
	"tocsin/internal/locale"
	"tocsin/internal/manual"
	"tocsin/internal/picture"
	"tocsin/internal/store"
)

// templates are the pages in each language. They are safe for concurrent use.
type templates struct {
	site   *Site
	parsed map[string]func() *template.Template // by name
	mu     sync.Mutex
	made   map[pageKey]*template.Template // those that a visitor has asked for
}

// pageKey is a page in a language.
type pageKey struct {
	name string
	lang *locale.Printer
}

// newTemplates returns the templates of a site.
func newTemplates(s *Site) (*templates, error) {
	parsed, err := parsedTemplates()
	return &templates{site: s, parsed: parsed, made: map[pageKey]*template.Template{}}, err
}

// page returns the template of a page in a language.
func (t *templates) page(name string, lang *locale.Printer) *template.Template {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := pageKey{name, lang}
	if t.made[key] == nil {
		t.made[key] = template.Must(t.parsed[name]().Clone()).Funcs(t.site.functions(lang))
	}
	return t.made[key]
}

// parsedTemplates parses what pages share: the layout and the parts. A page is parsed together with it when it is first
// shown, and then copied for each site and language, which takes less than to parse it.
var parsedTemplates = sync.OnceValues(func() (map[string]func() *template.Template, error) {
	var none *Site // a template is parsed for the names of functions
	shared, err := template.New("").Funcs(none.functions(nil)).
		ParseFS(files, "templates/layout.html", "templates/parts.html", "templates/agencies.html")
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		return nil, err
	}
	copied := func() *template.Template { return template.Must(shared.Clone()) }
	pages := map[string]func() *template.Template{
		"docs": sync.OnceValue(func() *template.Template { return template.Must(copied().Parse(manual.Template)) }),
	}
	for _, file := range names {
		name := strings.TrimSuffix(path.Base(file), ".html")
		if name != "layout" && name != "parts" && name != "agencies" {
			pages[name] = sync.OnceValue(func() *template.Template { return template.Must(copied().ParseFS(files, file)) })
		}
	}
	return pages, nil
})

// moment is a time that a list gives: a day if it is one, which has no time.
func moment(p *locale.Printer, t tocsin.Time) string {
	if at := t.Std().UTC(); !at.Equal(at.Truncate(24 * time.Hour)) {
		return p.Minute(at)
	}
	return p.Day(t.Std())
}

// functions are those of the templates in a language.
func (s *Site) functions(p *locale.Printer) template.FuncMap {
	return template.FuncMap{
		"asset":      func(name string) (string, error) { return s.assets.url(name) },
		"addr":       addressGroups,
		"broken":     broken,
		"ago":        func(t tocsin.Time) string { return p.Span(s.db.Now().Std().Sub(t.Std())) },
		"defangURL":  defangURL,
		"chain":      func(id string) string { return chainName(p, id) },
		"currency":   feed.Currency,
		"day":        func(t tocsin.Time) string { return p.Day(t.Std()) },
		"date":       func(t tocsin.Time) string { return p.Date(t.Std(), s.db.Now().Std()) },
		"defang":     defang,
		"deref":      func(b *bool) bool { return b != nil && *b },
		"iso":        func(t tocsin.Time) string { return t.Std().Format(time.RFC3339) },
		"level":      styleOf,
		"changed":    changeName,
		"list":       func(name string) string { return answer.ListTitle(p, name) },
		"moment":     func(t tocsin.Time) string { return moment(p, t) },
		"minute":     func(t tocsin.Time) string { return p.Minute(t.Std()) },
		"mul":        func(a, b int) int { return a * b },
		"links":      func(of tocsin.Subject) []answer.Link { return answer.LinksTo(p, of) },
		"number":     func(n int) string { return p.Number(int64(n)) },
		"objectPath": objectPath,
		"casePath":   casePathOf,
		"ofacPage":   ofacPage,
		"ofOperator": answer.OfOperator,
		"party":      func(x tocsin.Party) string { return answer.PartyText(p, x) },
		"namesakes":  namesakesPath,
		"programs":   answer.Programs,
		"rich":       func(k locale.Key, args ...any) template.HTML { return ended(p, p.HTML(k, args...)) },
		"said":       func(text string) string { return ended(p, text) }, // of a text that is written in Go
		"path":       screenPath,
		"untaken":    func(rows []string) string { return answer.UntakenText(p, rows) },
		"shared": func(url string) string { // in the language of the page
			if p == s.langs.English() {
				return url
			}
			return inLanguage(url, p.Tag)
		},
		"short":  short,
		"public": store.ListStats.Public,
		"stale":  func(l store.ListStats) bool { return l.OutOfDate(s.db.Now()) },
		"t":      func(k locale.Key, args ...any) string { return ended(p, p.Text(k, args...)) },
		"when":   func(t tocsin.Time) string { return p.When(t.Std(), s.db.Now().Std()) },
	}
}

// addressGroups splits an address into groups of four characters, which are easier to compare.
func addressGroups(address string) []string {
	var list []string
	if digits, ok := strings.CutPrefix(address, "0x"); ok && len(digits) > 4 {
		list, address = append(list, "0x"+digits[:4]), digits[4:]
	}
	for i := 0; i < len(address); i += 4 {
		list = append(list, address[i:min(i+4, len(address))])
	}
	return list
}

// chainName is the name of a chain, by its CAIP-2 id.
func chainName(p *locale.Printer, id string) string {
	if _, known := explorer.Of(id); !known {
		if number, evm := strings.CutPrefix(id, "eip155:"); evm {
			return p.Text("EVM chain %s", number)
		}
	}
	return explorer.ChainName(id)
}

// short shortens a subject: an address to its first 10 and its last 6 characters.
func short(s tocsin.Subject) string {
	if text := s.Plain(); s.IsAddress() {
		return text[:10] + "…" + text[len(text)-6:]
	}
	return defang(s.Value)
}

// defang changes a domain so that no program makes a link of it: evil[.]com. Behind one in Punycode it says how a
// browser may show it.
func defang(domain string) string {
	name := broken(domain)
	if readable := (tocsin.Subject{Kind: tocsin.DNS, Value: domain}).Unicode(); readable != "" {
		name += " (" + broken(readable) + ")"
	}
	return name
}

// broken is a domain with its last dot in brackets.
func broken(domain string) string {
	if i := strings.LastIndexByte(domain, '.'); i >= 0 {
		return domain[:i] + "[.]" + domain[i+1:]
	}
	return domain
}

// defangURL changes a URL so that no program makes a link of it.
func defangURL(url string) string {
	scheme, rest, found := strings.Cut(url, "://")
	if !found {
		return broken(url)
	}
	host, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	return strings.Replace(strings.ToLower(scheme), "http", "hxxp", 1) + "://" + broken(host) + path
}

// levelStyle is how a level is shown (docs/site.md): its class in the stylesheet, its
// mark, how many arcs of its gauge are drawn, and a score of the level.
type levelStyle struct {
	Level       tocsin.Level
	Class, Mark string
	Arcs, Score int
}

var levelStyles = map[tocsin.Level]levelStyle{
	tocsin.Clean:    {Class: "clean", Mark: "m0"},
	tocsin.Low:      {Class: "low", Mark: "m1", Arcs: 1, Score: 12},
	tocsin.Medium:   {Class: "medium", Mark: "m2", Arcs: 2, Score: 37},
	tocsin.High:     {Class: "high", Mark: "m3", Arcs: 3, Score: 65},
	tocsin.Critical: {Class: "critical", Mark: "m4", Arcs: 4, Score: 100},
}

// styleOf takes a tocsin.Level, or the text of one, as in home.html.
func styleOf(l any) levelStyle {
	level := tocsin.Level(fmt.Sprint(l))
	style := levelStyles[level]
	style.Level = level
	return style
}

// Word is the name of the level.
func (b levelStyle) Word() locale.Key { return answer.LevelName(b.Level) }

// Scored is the style with a score.
func (b levelStyle) Scored(score int) levelStyle {
	b.Score = score
	return b
}

// Quiet reports whether the nth arc of the gauge, from 1, is silent.
func (b levelStyle) Quiet(n int) bool { return n > b.Arcs }

// Clapper is by how many degrees the clapper of the gauge has swung.
func (b levelStyle) Clapper() int { return picture.Clapper(b.Score) }

// Swing is by how many degrees the bell of the gauge has swung.
func (b levelStyle) Swing() int { return picture.Swing(b.Score) }

// day writes a day in UTC, in English, for what is the same for all visitors.
func day(t tocsin.Time) string { return t.Std().Format("2 Jan 2006") }
