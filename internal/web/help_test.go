package web

import (
	"encoding/csv"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/language"

	"tocsin/internal/feed"
	"tocsin/internal/locale"
	"tocsin/internal/tocsintest"
)

// TestTheAgenciesAreWellFormed cannot say whether they answer: the file says how to check that.
func TestTheAgenciesAreWellFormed(t *testing.T) {
	r := csv.NewReader(strings.NewReader(string(agenciesFile)))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	same(t, "columns", rows[0], "country", "kind", "url", "phone", "checked", "how", "name")
	phone := regexp.MustCompile(`^(?:[0-9#][0-9 -]*)?$`)
	seen, countries := map[string]bool{}, map[string][]string{}
	for _, row := range rows[1:] {
		code, kind, link, checked, how, name := row[0], row[1], row[2], row[4], row[5], row[6]
		region, err := language.ParseRegion(code)
		if err != nil || region.String() != code || region.IsCountry() != isCountry(code) {
			t.Errorf("%s is no code of ISO 3166-1", code)
		}
		u, err := url.Parse(link)
		if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery+u.Fragment != "" || seen[link] {
			t.Errorf("%s: %v, or twice", link, err)
		}
		if _, err := time.Parse(time.DateOnly, checked); err != nil {
			t.Errorf("%s: %v", link, err)
		}
		if !slices.Contains([]string{"listed", "known", "opened"}, how) || name == "" || !phone.MatchString(row[3]) {
			t.Errorf("%v", row)
		}
		seen[link] = true
		countries[code] = append(countries[code], kind)
	}
	if len(countries) <= 60 {
		t.Errorf("there are %d countries", len(countries)-2)
	}
	for code, kinds := range countries {
		if isCountry(code) && !slices.Contains(kinds, "police") && !slices.Contains(kinds, "hotline") {
			t.Errorf("%s has no agency to report a crime", code)
		}
	}
	if _, err := readAgencies([]byte("a,b,c,d,e,f,g\nDE,pub,https://pub.example/,,2026-01-01,known,Pub\n")); err == nil {
		t.Error("an unknown kind is read")
	}
	if _, err := readAgencies([]byte("a,b\nc\n")); err == nil {
		t.Error("a row that lacks cells is read")
	}
}

// TestWhereWeSendVictimsIsKnownGood: each agency, or the authority that it is a part of, is in the starter safelist.
func TestWhereWeSendVictimsIsKnownGood(t *testing.T) {
	file, err := feed.Starter().Open("safelist.csv")
	tocsintest.Must(t, err)
	rows, err := csv.NewReader(file).ReadAll()
	tocsintest.Must(t, err)
	known := map[string]bool{}
	for _, row := range rows {
		known[row[0]] = row[1] == "authority"
	}
	all, err := readAgencies(agenciesFile)
	tocsintest.Must(t, err)
	for _, ofCountry := range all {
		for _, a := range ofCountry {
			u, err := url.Parse(a.URL)
			tocsintest.Must(t, err)
			host, good := u.Host, false
			for more := true; more && !good; _, host, more = strings.Cut(host, ".") {
				good = known[host]
			}
			if !good {
				t.Errorf("%s is not known as good", a.URL)
			}
		}
	}
	s := start(t)
	s.starter()
	v := s.visitor()
	for _, site := range []string{"impots.gouv.fr", "cfspart.impots.gouv.fr", "estv.admin.ch", "ssa.gov", "canada.ca",
		"www.tax.service.gov.uk", "agenziaentrate.gov.it", "sat.gob.mx", "sede.agenciatributaria.gob.es"} {
		v.get("/screen/" + strings.TrimPrefix(site, "www.")).says("a well-known site. Nobody has reported it.")
	}
}

// TestThePoliceIsNamedFirst, in whatever order the table names the agencies of a country.
func TestThePoliceIsNamedFirst(t *testing.T) {
	table := "a,b,c,d,e,f,g\n"
	for i := len(agencyKinds) - 1; i >= 0; i-- {
		table += fmt.Sprintf("DE,%s,https://a.example/,,2026-01-01,known,A\n", agencyKinds[i].kind)
	}
	all, err := readAgencies([]byte(table))
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range all["DE"] {
		want(t, "at "+strconv.Itoa(i), one.Kind, agencyKinds[i].kind)
	}
}

// TestAVictimInBritainCanCallSomebody: the police, the bank, and who helps victims.
func TestAVictimInBritainCanCallSomebody(t *testing.T) {
	start(t).visitor().get("/help?country=GB").says("0300 123 2040", "159 (your bank) 159", "08 08 16 89 111",
		"Somebody to talk to: support for victims")
}

// TestAVictimInSpainCanCallThePolice, and finds who helps victims, with a link that dials on a phone.
func TestAVictimInSpainCanCallThePolice(t *testing.T) {
	p := start(t).visitor().get("/help?country=ES", "Accept-Language: es")
	p.says("Policía Nacional 091", "Guardia Civil 062", "INCIBE 017", "Oficinas de Asistencia a las Víctimas")
	for _, to := range []string{"tel:091", "tel:062", "tel:017"} {
		want(t, to, slices.Contains(p.links(), to), true)
	}
}

func TestWhereToTurnIsSaidByCountry(t *testing.T) {
	v := start(t).visitor()
	p := v.get("/help?country=GB")
	p.says("Help in your country", "United Kingdom", "0300 123 2040", "Police: report the crime · reportfraud.police.uk")
	links := p.links()
	for _, to := range []string{"https://www.reportfraud.police.uk/", "tel:03001232040", "https://econsumer.gov/"} {
		want(t, to, slices.Contains(links, to), true)
	}
	want(t, "of another country", slices.Contains(links, "https://www.ic3.gov/"), false)
	want(t, "chosen", p.value("country"), "GB")
	want(t, "a number with a sign", slices.Contains(v.get("/help?country=JP").links(), "tel:%239110"), true)
	for _, nonsense := range []string{"XX", "001", "%3Cb%3E", "gb"} {
		p := v.get("/help?country=" + nonsense)
		want(t, nonsense, []any{p.status, p.value("country"), len(p.class("phone"))}, []any{200, "", 0})
	}
}

// TestTheAgenciesOfTheLikelyCountryAreShown, and that nobody chose it: somebody may live elsewhere.
func TestTheAgenciesOfTheLikelyCountryAreShown(t *testing.T) {
	v := start(t).visitor()
	const guessed = "We took this country"
	const europol = "https://www.europol.europa.eu/report-a-crime/report-cybercrime-online"
	for accepted, code := range map[string]string{"de-AT,de;q=0.9,en;q=0.8": "AT", "en;q=0.5, pt-BR": "BR", "de": "DE",
		"en-US;q=0.1,fr-CH": "CH", "es-MX,en-US": "MX", "en-US,es": "US", "es": "", "es-419": "",
		"en": "", "nonsense;;": "", "": "",
		strings.Repeat("de-AT,", 100): "", "zh-Hant-TW": "TW"} {
		p := v.get("/help", "Accept-Language: "+accepted)
		want(t, accepted, []any{p.value("country"), len(below(p.id("agencies"), "h3"))}, []any{code, len(code) / 2})
		inUnion := code == "" || strings.Contains(members, code)
		want(t, "the European Union, "+accepted, slices.Contains(p.links(), europol), inUnion)
		p = v.get("/help?country=FR", "Accept-Language: "+accepted)
		want(t, "who has chosen", []any{p.value("country"), strings.Contains(p.html, guessed)}, []any{"FR", false})
	}
	v.get("/help", "Accept-Language: en-GB").says("Can I get it back? Money seldom comes back.", guessed, "United Kingdom")
}

// TestTheCountryIsGuessedByTheFirstThatFits: one with the language of the page before others, and none of a language
// that is spoken everywhere.
func TestTheCountryIsGuessedByTheFirstThatFits(t *testing.T) {
	all, err := readAgencies(agenciesFile)
	if err != nil {
		t.Fatal(err)
	}
	s := &Site{agencies: all}
	for _, c := range [][3]string{
		{"en", "pt-BR,fr-CH", "BR"}, {"fr", "pt-BR,fr-CH,fr-FR", "CH"}, {"de", "pt-BR", "BR"}, {"de", "", "DE"},
		{"en", "", ""}, {"es", "", ""}, {"pt", "", "BR"}, {"zh-Hans", "", "CN"}, {"en", "en-AQ,en-GB", "GB"},
		{"de", "en-001", "DE"}, {"fr", "fr,de-EU", "FR"}, {"en", "x;q=y", ""},
		{"de", strings.Repeat("x", locale.MaxAccepted-5) + ",de-AT", ""},
		{"en", strings.Repeat(" ", locale.MaxAccepted-5) + "de-AT", "AT"},
	} {
		want(t, c[0]+" "+strings.TrimSpace(c[1]), s.guessCountry(c[0], c[1]), c[2])
	}
	for code := range all {
		if union := language.MustParseRegion(union); isCountry(code) && code != "GB" { // which the table still has
			want(t, code+" in the union", strings.Contains(members, code), union.Contains(language.MustParseRegion(code)))
		}
	}
	want(t, "members", len(strings.Fields(members)), 27)
	for phone, dials := range map[string]string{"0300 123 2040": "tel:03001232040", "#9110": "tel:%239110",
		"+1-800 (x)": "tel:+1800"} {
		want(t, phone, string(agency{Phone: phone}.Dial()), dials)
	}
	want(t, "hosts", []string{agency{URL: "https://www.a.example/x"}.Host(), agency{URL: "https://b.example:1"}.Host(),
		agency{URL: ":"}.Host()}, []string{"a.example", "b.example", ""})
}

func TestCountriesAreInTheOrderOfTheLanguage(t *testing.T) {
	p := start(t).visitor().get("/help", "Accept-Language: es")
	at := func(country string) int { return strings.Index(p.html, ">"+country+"</option>") }
	order := []int{at("Bélgica"), at("Brasil"), at("Bulgaria")}
	want(t, "Bélgica, Brasil, Bulgaria", order[0] > 0 && slices.IsSorted(order), true)
}

// TestWhatBecomesOfAReportIsSaidInFiveSentences, in the language of the reader, where the form and the preview say so.
func TestWhatBecomesOfAReportIsSaidInFiveSentences(t *testing.T) {
	s := start(t)
	v := s.visitor()
	for _, p := range []*response{v.get("/report"), v.post("/report", written(nil))} {
		want(t, p.about, linkOf(t, p, "What becomes of what you write"), "/privacy")
	}
	p := v.get("/privacy")
	p.says("What is published:", "Who sees it:", "How to correct or withdraw it:", "What we keep of you:",
		"What we never ask for:")
	want(t, "links", []any{len(p.class("points")), slices.Contains(p.links(), "/docs/privacy"),
		strings.Contains(p.html, contact)}, []any{1, true, true})
	v.get("/privacy", "Accept-Language: de").says("Was aus dem wird, was Sie schreiben", "Wonach wir nie fragen:")
	v = start(t, func(c *setup) { c.Contact = "" }).visitor()
	v.get("/privacy").says("What is published:", "What we never ask for:")
}
