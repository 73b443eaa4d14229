package web

import (
	"bytes"
	_ "embed" // for the doors
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

// doorsFile lists the doors. It says where they come from, and how to check them.
//
//go:embed doors.csv
var doorsFile []byte

// everywhere is the code of the whole world (UN M49), for doors that are open to victims of every country.
const everywhere = "001"

// door is a public authority where a victim of fraud can turn.
type door struct {
	Kind  doorKind
	URL   string
	Phone string // as it is dialled in the country; "" for none
	Name  string // in a language of the country
}

// doorKind is what a door is for.
type doorKind string

// The kinds of door.
const (
	policeDoor    doorKind = "police"
	hotlineDoor   doorKind = "hotline"
	regulatorDoor doorKind = "regulator"
	consumerDoor  doorKind = "consumer"
)

// doorKinds are the kinds in words, in the order in which a victim needs them.
var doorKinds = []struct {
	kind doorKind
	says locale.Key
}{
	{policeDoor, "Police: report the crime"},
	{hotlineDoor, "Help line against scams"},
	{regulatorDoor, "Financial supervision: report the firm or the site"},
	{consumerDoor, "Consumer protection"},
}

// Says is what the door is for, in words.
func (k doorKind) Says() locale.Key {
	for _, one := range doorKinds {
		if one.kind == k {
			return one.says
		}
	}
	return ""
}

// Host is where the link leads.
func (d door) Host() string {
	u, err := url.Parse(d.URL)
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(u.Hostname(), "www.")
}

// Dial is the link that dials the phone number. It is safe in a page: it has digits, # and + only.
func (d door) Dial() template.URL {
	return template.URL("tel:" + url.PathEscape(strings.Map(func(r rune) rune {
		if strings.ContainsRune("+#0123456789", r) {
			return r
		}
		return -1
	}, d.Phone)))
}

// doors are the doors of each country, by its code in ISO 3166-1, and of [everywhere].
type doors map[string][]door

// readDoors reads the doors. An error is a fault of the file.
func readDoors(file []byte) (doors, error) {
	r := csv.NewReader(bytes.NewReader(file))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	all := doors{}
	for _, row := range rows[1:] {
		d := door{Kind: doorKind(row[1]), URL: row[2], Phone: row[3], Name: row[6]}
		if d.Kind.Says() == "" {
			return nil, fmt.Errorf("%s is of the unknown kind %q", d.URL, d.Kind)
		}
		all[row[0]] = append(all[row[0]], d)
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b door) int { return rank(a.Kind) - rank(b.Kind) })
	}
	return all, nil
}

// rank is the place of a kind in the order of doors.
func rank(k doorKind) int {
	for i, one := range doorKinds {
		if one.kind == k {
			return i
		}
	}
	return len(doorKinds)
}

// country is a country to choose.
type country struct {
	Code, Name string
	Chosen     bool
}

// help is the part of a page that says where a victim can turn.
type help struct {
	Path      string // of the page that shows the doors of a country
	Countries []country
	Country   string // whose doors are shown; "" for none
	Doors     []door // of that country
	World     []door // that are open to everybody
}

// helpFor returns the help for a visitor: the doors of the country that they chose. If they chose none, that which
// their browser names is only selected in the list: a browser knows a language, and not where somebody lives.
func (s *Site) helpFor(req *request, path string) help {
	h := help{Path: path, World: s.doors[everywhere]}
	names := display.Regions(language.Make(req.lang.Tag))
	chosen := req.URL.Query().Get("country")
	if list, known := s.doors[chosen]; known && chosen != everywhere {
		h.Doors, h.Country = list, names.Name(language.MustParseRegion(chosen))
	} else if chosen == "" {
		chosen = s.guessCountry(req.Header.Get("Accept-Language"))
	}
	for code := range s.doors {
		if code != everywhere {
			name := names.Name(language.MustParseRegion(code))
			h.Countries = append(h.Countries, country{Code: code, Name: name, Chosen: code == chosen})
		}
	}
	order := collate.New(language.Make(req.lang.Tag)) // not safe for concurrent use
	slices.SortFunc(h.Countries, func(a, b country) int { return order.CompareString(a.Name, b.Name) })
	return h
}

// guessCountry returns the first country that a browser names in its languages, as in de-AT, if there are doors of it.
func (s *Site) guessCountry(accepted string) string {
	if len(accepted) > locale.MaxAccepted {
		return ""
	}
	wanted, _, _ := language.ParseAcceptLanguage(accepted) // of nonsense there is none
	for _, tag := range wanted {
		if region, sure := tag.Region(); sure == language.Exact && s.doors[region.String()] != nil {
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
