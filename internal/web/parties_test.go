package web

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/tocsintest"
)

// types shows where the box leads to.
func (v *visitor) types(text string) *response {
	return v.get(v.get("/screen?q=" + url.QueryEscape(text)).header.Get("Location"))
}

// TestTheNameOfASanctionedPartyLeadsToItsAccounts: from the box and from a search of the reports.
func TestTheNameOfASanctionedPartyLeadsToItsAccounts(t *testing.T) {
	s := start(t)
	accounts := tocsintest.Sanction(t, s.db, "CRYPTEX", "CYBER2; RUSSIA-EO14024", 12)
	v := s.visitor()
	p := v.types("Cryptex")
	want(t, "heading", p.h1(), "OFAC SDN names CRYPTEX with 12 accounts")
	p.says("Malicious cyber activities", "Russia: harmful foreign activities", "2 more are on the page of each of these.",
		"A name alone proves nothing.", "No report mentions “Cryptex”",
		"Names have no score. We searched the sanctions list and all reports.",
		"Our copy of the list has no birth date and no country, and does not say whether it is a person or a company. "+
			"Compare birth date and country at OFAC")
	lacks(t, p, "Only addresses and websites have a score.")
	want(t, "it is no scam for all we know", strings.Contains(p.main(), "It may still be a scam"), false)
	want(t, "links", slices.Contains(p.links(), "/screen/"+accounts[9]), true)
	v.get("/reports?q=crypt*").says("OFAC SDN names CRYPTEX with 12 accounts")
	handle := v.types("@cryptex")
	want(t, "the handle", handle.h1(), "No report mentions “@cryptex”")
	handle.says("Only addresses and websites have a score.")
	v.types("Lena Gold").says("Names have no score.")
}

// TestWhichAccountsOfAPartyAreNotScreenedIsSaid, in the search for it and beside its other accounts.
func TestWhichAccountsOfAPartyAreNotScreenedIsSaid(t *testing.T) {
	s := start(t)
	im, err := s.db.Import(t.Context(), tocsin.List{Name: tocsin.SanctionsList, Family: "ofac"})
	tocsintest.Must(t, err)
	defer im.Close()
	im.Version(tocsin.ListVersion{Entries: 2, Refused: map[string]int{"x": 3},
		Untaken: []string{"5be55 (XMR, A PARTY)", "zs1 (ZEC, ANOTHER PARTY)", "?"}})
	var account string
	for _, text := range []string{"0x00000000000000000000000000000000000000aa", nobody} {
		subject, _ := tocsin.ParseSubject(text)
		account = text
		tocsintest.Must(t, im.Add(tocsin.Entry{Listing: &tocsin.Listing{Kind: tocsin.Sanction, Subject: subject,
			Name: "A PARTY", Program: "CYBER2"}}))
	}
	_, err = im.Finish(t.Context(), false, nil)
	tocsintest.Must(t, err)
	const unscreened = "Not screened here: 5be55 (XMR). Compare with these by hand."
	p := s.visitor().types("a party")
	want(t, "heading", p.h1(), "OFAC SDN names A PARTY with 2 accounts and 1 more that is not screened here")
	p.says(unscreened)
	s.visitor().get("/object/case?subject="+account).says("The same party: 1 other account", unscreened)
}

// TestAWordOfANameShowsWhoHasIt first: many parties may have it, and many who are no party.
func TestAWordOfANameShowsWhoHasIt(t *testing.T) {
	s := start(t)
	tocsintest.Sanction(t, s.db, "CRYPTO HOME DMCC", "CYBER2", 1)
	v := s.visitor()
	p := v.types("crypto")
	want(t, "heading", p.h1(), "A sanctioned party has “crypto” in its name")
	p.says("Names on sanctions lists that contain “crypto”", "OFAC SDN names CRYPTO HOME DMCC with 1 account",
		"No report mentions “crypto”", "A name alone proves nothing.")
	for _, name := range []string{"crypto home", "Crypto Home DMCC"} {
		want(t, name, v.types(name).h1(), "OFAC SDN names CRYPTO HOME DMCC with 1 account")
	}
}

// TestASearchThatFindsNothingSaysWhatWasSearched: nobody is to take it for a check of names.
func TestASearchThatFindsNothingSaysWhatWasSearched(t *testing.T) {
	s := start(t)
	v := s.visitor()
	const searched = "We searched the text of all reports."
	v.types("Nobody Atall").says(searched, "No sanctions list is on record here")
	s.starter()
	s.Sleep(2 * time.Second) // for which numbers are kept
	for about, p := range map[string]*response{
		"box": v.types("Nobody Atall"), "search": v.get("/reports?q=Nobody+Atall"),
	} {
		p.says("the names of the parties with crypto accounts on OFAC SDN.", "Names are found as the list "+
			"spells them. Their aliases, parties "+
			"without crypto accounts and other sanctions lists are not on record here.")
		main := p.main()
		want(t, about+": behind what helps", strings.LastIndex(main, "What we searched, and what not") >
			max(strings.Index(main, "get your money back?"), strings.Index(main, "Report a scam")), true)
		want(t, about, slices.Contains(p.links(), "https://sanctionssearch.ofac.treas.gov/"), true)
	}
	for _, q := range []string{"@nobody_at_all", "i was scammed help"} {
		want(t, q, strings.Contains(v.types(q).main(), "OFAC"), false)
	}
}

// TestAnAliasOfASanctionedPartyLeadsToIt, and the page says which it is, and that aliases were searched.
func TestAnAliasOfASanctionedPartyLeadsToIt(t *testing.T) {
	s := start(t)
	sanctionThief(t, s, tocsin.Listing{Name: "LAZARUS GROUP", Program: "DPRK3",
		Aliases: []string{"HIDDEN APPLEWORM", "OFFICE 91", "APPLEWORM"}})
	v := s.visitor()
	p := v.types("Appleworm")
	want(t, "heading", p.h1(), "OFAC SDN names LAZARUS GROUP (also APPLEWORM) with 1 account")
	p.says("Their aliases were searched, too. Names are found as the list spells them. Parties " +
		"without crypto accounts and other sanctions lists")
	want(t, "the name", v.types("Lazarus group").h1(), "OFAC SDN names LAZARUS GROUP with 1 account")
	const latin = "OFAC SDN spells names in Latin letters."
	for _, q := range []string{"Лазарус", "拉撒路"} {
		v.types(q).says(latin)
		v.get("/reports?q=" + url.QueryEscape(q)).says(latin)
	}
	lacks(t, v.types("Lasarus Лазарус"), latin)
	lacks(t, v.types("Appleworm"), latin)
}

// TestTheCaseFileOfASanctionedAccountHasItsParty: the aliases, and in its JSON the accounts as well.
func TestTheCaseFileOfASanctionedAccountHasItsParty(t *testing.T) {
	s := start(t)
	sanctionThief(t, s, tocsin.Listing{Name: "LAZARUS GROUP", Program: "DPRK3", Aliases: []string{"HIDDEN COBRA",
		"APPLEWORM"}})
	v := s.visitor()
	v.get("/object/case?subject=" + thief).says("Other names HIDDEN COBRA; APPLEWORM")
	var file objectFile
	tocsintest.Must(t, json.Unmarshal([]byte(v.get("/object.json?subject="+thief).html), &file))
	want(t, "in the file", file.Parties, []objectedParty{{List: "ofac", Name: "LAZARUS GROUP", Program: "DPRK3",
		Aliases: []string{"HIDDEN COBRA", "APPLEWORM"}, Count: 1, Accounts: []string{thief}}})
	lacks(t, v.get("/object/case?subject="+nobody), "Other names")
}

// TestANearSpellingOfASanctionedPartyIsOffered where nothing has the name, and says so of both.
func TestANearSpellingOfASanctionedPartyIsOffered(t *testing.T) {
	s := start(t)
	sanctionThief(t, s, tocsin.Listing{Name: "LAZARUS GROUP", Program: "DPRK3", Aliases: []string{"HIDDEN COBRA"}})
	v := s.visitor()
	p := v.types("Lazarus Grp")
	want(t, "heading", p.h1(), "No report, and no party with crypto accounts on OFAC SDN, has the name “Lazarus Grp”")
	for _, p := range []*response{p, v.get("/reports?q=Lazarus+Grp")} {
		p.says("Similar names on a sanctions list LAZARUS GROUP")
		want(t, "a search for it", slices.Contains(p.links(), "/reports?q=LAZARUS+GROUP"), true)
	}
	v.types("Hiden Cobra").says("Similar names on a sanctions list HIDDEN COBRA")
	for _, q := range []string{"Nobody Atall", `"lazarus grp"`, "@lazaruz", "Lazarus Group"} {
		lacks(t, v.types(q), "Similar names")
	}
	s.file(draft{"title": "Fake support of Lazarus Grp", "reportedDomains": []string{"evil.example"}})
	v.types("Lazarus Grp").says("1 report contains", "Similar names on a sanctions list LAZARUS GROUP")
}

// TestASanctionedAccountShowsTheOthersOfItsParty, also in its case file, and no look-up is counted for them.
func TestASanctionedAccountShowsTheOthersOfItsParty(t *testing.T) {
	s := start(t)
	accounts := tocsintest.Sanction(t, s.db, "CRYPTEX", "CYBER2", 12)
	v := s.visitor()
	for _, path := range []string{"/screen/" + accounts[0], "/object/case?subject=" + accounts[0]} {
		p := v.get(path)
		p.says("The same party: 11 other accounts", "OFAC SDN names these accounts of CRYPTEX.", "1 more")
		for _, other := range accounts[1:] {
			want(t, path+" "+other, slices.Contains(p.links(), "/screen/"+other), true)
			p.says("CYBER2 Malicious cyber activities")
		}
	}
	tocsintest.Sanction(t, s.db, "CRYPTEX", "CYBER2", 1)
	want(t, "of the only one", strings.Contains(v.get("/screen/"+accounts[0]).main(), "The same party"), false)
}

// TestALinkToTheEntryOfAPartyIsCalledThat, and not a search.
func TestALinkToTheEntryOfAPartyIsCalledThat(t *testing.T) {
	s := start(t)
	sanctionThief(t, s, tocsin.Listing{Name: "LAZARUS", Program: "DPRK3",
		URL: "https://sanctionssearch.ofac.treas.gov/Details.aspx?id=27307"})
	v := s.visitor()
	for _, path := range []string{"/screen/" + thief, "/object?subject=" + thief} {
		p := v.get(path)
		p.says("Opens the entry of this party.")
		want(t, path, strings.Contains(p.main(), "Their page is a search"), false)
	}
}

// TestADomainThatIsTheNameOfASanctionedPartySaysSo: on its page, in a table and in its case file, and its score and
// what is recommended stay. A domain that is like the name says nothing.
func TestADomainThatIsTheNameOfASanctionedPartySaysSo(t *testing.T) {
	s := start(t)
	sanctionThief(t, s, tocsin.Listing{Name: "BLENDER.IO", Program: "CYBER2", Aliases: []string{"MIXER.IO"}})
	v := s.visitor()
	const says, not = "OFAC SDN names BLENDER.IO with 1 account", "websites are not"
	p := v.types("BLENDER.IO")
	p.says("No reports", says, not, "See their accounts")
	want(t, "no sanctions entry", strings.Contains(p.main(), "No sanctions entry"), false)
	want(t, "links", slices.Contains(p.links(), "/reports?q=BLENDER.IO"), true)
	v.types("mixer.io").says("OFAC SDN names BLENDER.IO (also MIXER.IO) with 1 account")
	v.get("/object/case?subject=blender.io").says(says, not)
	list := "blender.io\nblender.example\n"
	v.post("/bulk", fields{bulkField: list, "do": "screen"}).says(says + ": accounts are compared with that list")
	rows := v.table(list)
	want(t, "the table", []string{rows[1][3], rows[1][4], rows[1][5], rows[1][6]}, []string{"0", "proceed", "no_reports",
		says + ": accounts are compared with that list, websites are not; Nothing on record, which does not make it safe"})
	want(t, "of another domain", strings.Contains(rows[2][6], "BLENDER"), false)
	want(t, "its page", strings.Contains(v.get("/screen/blender.example").main(), "OFAC SDN names"), false)
}

// sanctionThief imports a list of sanctions that names the thief as a listing says.
func sanctionThief(t *testing.T, s *service, l tocsin.Listing) {
	t.Helper()
	im, err := s.db.Import(t.Context(), tocsin.List{Name: tocsin.SanctionsList, Family: "ofac"})
	tocsintest.Must(t, err)
	defer im.Close()
	l.Kind = tocsin.Sanction
	l.Subject, _ = tocsin.ParseSubject(thief)
	tocsintest.Must(t, im.Add(tocsin.Entry{Listing: &l}))
	_, err = im.Finish(t.Context(), false, nil)
	tocsintest.Must(t, err)
}
