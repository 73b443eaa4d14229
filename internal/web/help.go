package web

import (
	"bytes"
	"cmp"
	_ "embed" // for the agencies
	"encoding/csv"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"tocsin/internal/locale"
)

// agenciesFile lists the agencies. It says where they come from, and how to check them.
//
//go:embed agencies.csv
var agenciesFile []byte

// everywhere is the code of the whole world (UN M49), for agencies that are open to victims of every country, and union
// that of the European Union, for those of its members.
const (
	everywhere = "001"
	union      = "EU"
)

// members are the members of the [union].
const members = "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK"

// agency is a public authority where a victim of fraud can turn.
type agency struct {
	Kind  agencyKind
	URL   string
	Phone string // as it is dialled in the country; "" for none
	Name  string // in a language of the country
}

// agencyKind is what an agency is for.
type agencyKind string

// The kinds of agency.
const (
	policeAgency    agencyKind = "police"
	directoryAgency agencyKind = "directory"
	hotlineAgency   agencyKind = "hotline"
	supportAgency   agencyKind = "support"
	regulatorAgency agencyKind = "regulator"
	consumerAgency  agencyKind = "consumer"
	abroadAgency    agencyKind = "abroad"
)

// agencyKinds are the kinds in words, in the order in which a victim needs them.
var agencyKinds = []struct {
	kind agencyKind
	says locale.Key
}{
	{policeAgency, "Police: report the crime"},
	{directoryAgency, "Police: where to report it in each country of the European Union"},
	{hotlineAgency, "Help line against scams"},
	{supportAgency, "Somebody to talk to: support for victims"},
	{regulatorAgency, "Financial supervision: report the firm or the site"},
	{consumerAgency, "Consumer protection"},
	{abroadAgency, "Consumer protection: complaints about firms in other countries"},
}

// Says is what the agency is for, in words.
func (k agencyKind) Says() locale.Key {
	for _, one := range agencyKinds {
		if one.kind == k {
			return one.says
		}
	}
	return ""
}

// Host is where the link leads.
func (d agency) Host() string {
	u, err := url.Parse(d.URL)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(u.Hostname(), "www.")
}

// Dial is the link that dials the phone number. It is safe in a page: it has digits, # and + only.
func (d agency) Dial() template.URL {
	return template.URL("tel:" + url.PathEscape(strings.Map(func(r rune) rune {
		if strings.ContainsRune("+#0123456789", r) {
			return r
		}
		return -1
	}, d.Phone)))
}

// agencies are the agencies of each country, by its code in ISO 3166-1, and of [everywhere].
type agencies map[string][]agency

// readAgencies reads the agencies. An error is a fault of the file.
func readAgencies(file []byte) (agencies, error) {
	r := csv.NewReader(bytes.NewReader(file))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	all := agencies{}
	for _, row := range rows[1:] {
		d := agency{Kind: agencyKind(row[1]), URL: row[2], Phone: row[3], Name: row[6]}
		if d.Kind.Says() == "" {
			return nil, fmt.Errorf("%s is of the unknown kind %q", d.URL, d.Kind)
		}
		all[row[0]] = append(all[row[0]], d)
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b agency) int { return rank(a.Kind) - rank(b.Kind) })
	}
	return all, nil
}

// rank is the place of a kind in the order of agencies.
func rank(k agencyKind) int {
	for i, one := range agencyKinds {
		if one.kind == k {
			return i
		}
	}
	return len(agencyKinds)
}

// country is a country to choose.
type country struct {
	Code, Name string
	Chosen     bool
}

// help is the part of a page that says where a victim can turn.
type help struct {
	Path      string // of the page that shows the agencies of a country
	Countries []country
	Country   string   // whose agencies are shown; "" for none
	Guessed   bool     // nobody has chosen it
	Agencies  []agency // of that country
	World     []agency // that are open to everybody there
}

// helpFor returns the help for a visitor: the agencies of the country that they chose. If they chose none, it is that
// which their languages suggest, and the page says so: a browser knows a language, and not where somebody lives.
func (s *Site) helpFor(req *request, path string) help {
	h := help{Path: path}
	names := display.Regions(language.Make(req.lang.Tag))
	chosen := req.URL.Query().Get("country")
	if chosen == "" {
		chosen = s.guessCountry(req.lang.Tag, req.Header.Get("Accept-Language"))
		h.Guessed = chosen != ""
	}
	if list, known := s.agencies[chosen]; known && isCountry(chosen) {
		h.Agencies, h.Country = list, names.Name(language.MustParseRegion(chosen))
	}
	if h.Country == "" || strings.Contains(members, chosen) {
		h.World = append(h.World, s.agencies[union]...)
	}
	h.World = append(h.World, s.agencies[everywhere]...)
	for code := range s.agencies {
		if isCountry(code) {
			name := names.Name(language.MustParseRegion(code))
			h.Countries = append(h.Countries, country{Code: code, Name: name, Chosen: code == chosen})
		}
	}
	order := collate.New(language.Make(req.lang.Tag)) // not safe for concurrent use
	slices.SortFunc(h.Countries, func(a, b country) int { return order.CompareString(a.Name, b.Name) })
	return h
}

func isCountry(code string) bool { return code != everywhere && code != union }

// guessCountry returns the country with agencies that a visitor probably lives in, by the language of the page and
// those of the browser: the first one that these name, as in de-AT, if possible with the language of the page. If they
// name none, it is where most speakers of the language of the page live, but for English, spoken everywhere.
func (s *Site) guessCountry(tag, accepted string) (guess string) {
	if len(accepted) > locale.MaxAccepted {
		return ""
	}
	page := language.Make(tag)
	wanted, _, _ := language.ParseAcceptLanguage(accepted) // of nonsense there is none
	for _, one := range wanted {
		region, sure := one.Region()
		if sure != language.Exact || !isCountry(region.String()) || s.agencies[region.String()] == nil {
			continue
		}
		if sameBase(one, page) {
			return region.String()
		}
		guess = cmp.Or(guess, region.String())
	}
	spread := sameBase(page, language.English) || sameBase(page, language.Spanish) // over many countries alike
	if region, _ := page.Region(); guess == "" && !spread && s.agencies[region.String()] != nil {
		return region.String()
	}
	return guess
}

// sameBase reports whether two tags are of one language, whatever their scripts and regions.
func sameBase(a, b language.Tag) bool {
	x, _ := a.Base()
	y, _ := b.Base()
	return x == y
}

// help shows where a victim can turn, whether they file a report or not.
func (s *Site) help(req *request) (*page, error) {
	h := s.helpFor(req, "/help")
	title := req.lang.Text("Where to get help")
	if h.Country != "" && !h.Guessed {
		title = req.lang.Text("Where to get help: %s", h.Country)
	}
	return &page{
		Template: "help",
		Title:    title,
		Description: req.lang.Text("Police, help lines and financial supervision by country, " +
			"for victims of fraud with crypto."),
		Body: h,
	}, nil
}

// privacy says in five sentences what becomes of a report and of who files it.
func (s *Site) privacy(req *request) (*page, error) {
	var body struct{ Contact string } // "" for none
	body.Contact, _ = contactAbout(s.config.Contact, "Tocsin", "")
	return &page{
		Template:    "privacy",
		Title:       req.lang.Text("What becomes of what you write"),
		Description: req.lang.Text("What is published of a report, who sees it, and what is kept of who files it."),
		Body:        body,
	}, nil
}
