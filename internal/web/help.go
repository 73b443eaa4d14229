package web

import (
	"bytes"
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

// everywhere is the code of the whole world (UN M49), for agencies that are open to victims of every country.
const everywhere = "001"

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
	hotlineAgency   agencyKind = "hotline"
	regulatorAgency agencyKind = "regulator"
	consumerAgency  agencyKind = "consumer"
)

// agencyKinds are the kinds in words, in the order in which a victim needs them.
var agencyKinds = []struct {
	kind agencyKind
	says locale.Key
}{
	{policeAgency, "Police: report the crime"},
	{hotlineAgency, "Help line against scams"},
	{regulatorAgency, "Financial supervision: report the firm or the site"},
	{consumerAgency, "Consumer protection"},
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
	Agencies  []agency // of that country
	World     []agency // that are open to everybody
}

// helpFor returns the help for a visitor: the agencies of the country that they chose. If they chose none, that which
// their browser names is only selected in the list: a browser knows a language, and not where somebody lives.
func (s *Site) helpFor(req *request, path string) help {
	h := help{Path: path, World: s.agencies[everywhere]}
	names := display.Regions(language.Make(req.lang.Tag))
	chosen := req.URL.Query().Get("country")
	if list, known := s.agencies[chosen]; known && chosen != everywhere {
		h.Agencies, h.Country = list, names.Name(language.MustParseRegion(chosen))
	} else if chosen == "" {
		chosen = s.guessCountry(req.Header.Get("Accept-Language"))
	}
	for code := range s.agencies {
		if code != everywhere {
			name := names.Name(language.MustParseRegion(code))
			h.Countries = append(h.Countries, country{Code: code, Name: name, Chosen: code == chosen})
		}
	}
	order := collate.New(language.Make(req.lang.Tag)) // not safe for concurrent use
	slices.SortFunc(h.Countries, func(a, b country) int { return order.CompareString(a.Name, b.Name) })
	return h
}

// guessCountry returns the first country with agencies that a browser names in its languages, as in de-AT.
func (s *Site) guessCountry(accepted string) string {
	if len(accepted) > locale.MaxAccepted {
		return ""
	}
	wanted, _, _ := language.ParseAcceptLanguage(accepted) // of nonsense there is none
	for _, tag := range wanted {
		if region, sure := tag.Region(); sure == language.Exact && s.agencies[region.String()] != nil {
			return region.String()
		}
	}
	return ""
}

// help shows where a victim can turn, whether they file a report or not.
func (s *Site) help(req *request) (*page, error) {
	h := s.helpFor(req, "/help")
	title := req.lang.Text("Where to get help")
	if h.Country != "" {
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
