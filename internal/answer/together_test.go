package answer

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/tocsintest"
)

func ago(days int) *tocsin.Time { at := tocsin.TimeOf(now.AddDate(0, 0, -days)); return &at }

func iso(at time.Time) string { return at.Format(time.DateOnly) }

// What may be known of a subject together, each by a word.
var (
	parentOfSite   = tocsin.Subject{Kind: tocsin.DNS, Value: "example"}
	anotherAccount = tocsin.Subject{Kind: tocsin.EVM, Value: "0x" + strings.Repeat("1", 40)}
	evilEvidence   = tocsin.LookalikeEvidence{Part: "evil", Brand: "evi1", Lures: []string{"example"}}

	onChain   = tocsin.Listing{List: "scamsniffer", Kind: tocsin.Risk, Chain: "eip155:56"}
	ofAnother = tocsin.Listing{List: "scamsniffer", Kind: tocsin.Risk, Subject: anotherAccount}

	togetherListed = map[string]tocsin.Listing{
		"sniffed": sniffed, "polkadot": polkadot, "copied": copied, "origin": origin, "token": good,
		"sanction": {List: "ofac", Kind: tocsin.Sanction, Name: "LAZARUS GROUP U.S.A. ab", Program: "DPRK3",
			Since: ago(40)},
		"nameless":     {List: "ofac", Kind: tocsin.Sanction, Program: "DPRK3"},
		"unkept":       {List: feed.Unkept, Kind: tocsin.Risk, Category: "phishing"},
		"unkept dated": {List: feed.Unkept, Kind: tocsin.Risk, Category: "phishing", Since: ago(50)},
		"own":          {List: "a-list", Kind: tocsin.Risk, Category: "phishing", Name: "Ours"},
		"frozen":       {List: "forta", Kind: tocsin.Risk, Category: tocsin.Frozen, Program: "none"},
		"other":        {List: "forta", Kind: tocsin.Risk, Category: "other"},
		"old":          {List: "scamsniffer", Kind: tocsin.Risk, Category: "hack", Since: ago(90)},
		"young":        {List: "polkadot", Kind: tocsin.Risk, Category: "phishing", Since: ago(9)},
		"top":          {List: "misp-warninglists", Kind: tocsin.Safe, Category: tocsin.TopSite, Since: ago(60)},
		"own top":      {List: feed.Safelist, Kind: tocsin.Safe, Category: tocsin.TopSite, Name: "Top"},
		"checked":      {List: feed.Safelist, Kind: tocsin.Safe, Category: "shop", Name: "Checked", Since: ago(30)},
		"review":       {List: feed.Safelist, Kind: tocsin.Safe, Category: tocsin.UnderReview},
		"their review": {List: "misp-warninglists", Kind: tocsin.Safe, Category: tocsin.UnderReview},
		"hosting":      {List: "starter", Kind: tocsin.Shared, Category: "hosting"},
		"short":        {List: "starter", Kind: tocsin.Shared, Category: "url-shortener"},
		"known short":  {List: "starter", Kind: tocsin.Safe, Category: "url-shortener"},
		"own long": {List: "a-list", Kind: tocsin.Risk, Category: "phishing", Since: ago(-5),
			Name: strings.Repeat("ten digits", 11)},
		"long":        {List: "starter", Kind: tocsin.Safe, Category: "contract", Name: strings.Repeat("ten digits", 11)},
		"sold":        {List: "starter", Kind: tocsin.Safe, Category: "exchange", Name: "0"},
		"exchange":    {List: "starter", Kind: tocsin.Safe, Category: "exchange", Name: "Kraken"},
		"hot wallet":  {List: "starter", Kind: tocsin.Safe, Category: "exchange", Name: "Kraken: Hot 4"},
		"unnamed":     {List: "starter", Kind: tocsin.Safe, Category: "exchange"},
		"top above":   {List: "misp-warninglists", Kind: tocsin.Safe, Category: tocsin.TopSite, Subject: parentOfSite},
		"own above":   {List: feed.Safelist, Kind: tocsin.Safe, Category: "shop", Name: "Above", Subject: parentOfSite},
		"risk above":  {List: "polkadot", Kind: tocsin.Risk, Category: "phishing", Name: "Bad", Subject: parentOfSite},
		"on ethereum": {List: "scamsniffer", Kind: tocsin.Risk, Category: "phishing", Chain: ethereum},
		"on polygon":  {List: "polkadot", Kind: tocsin.Risk, Category: "phishing", Chain: "eip155:137", Name: "EVIL"},
		"on base":     {List: "polkadot", Kind: tocsin.Risk, Category: "hack", Chain: "eip155:8453", Name: "Evil"},
	}
	togetherReported = map[string]tocsin.ReporterGroup{
		"anonymous": {Reports: 1}, "crowd": {Reports: 3}, "many": {Reports: 95},
		"account": {Agent: "a", Network: 1, Reports: 1},
		"second":  {Agent: "b", Network: 2, Reports: 2},
		"proven":  {Agent: "c", Network: 3, Reports: 1, ProvenUntil: *ago(-30)},
	}
	togetherNamed = map[string]tocsin.NameFindings{
		"sure":       {Lookalike: &tocsin.Lookalike{Of: "evi1.org", Method: "typo", Sure: true, Evidence: evilEvidence}},
		"sure, bank": {Use: tocsin.SignsIn, Lookalike: &tocsin.Lookalike{Of: "evi1.org", Method: "typo", Sure: true}},
		"unsure": {Lookalike: &tocsin.Lookalike{Of: "evi1.org", Method: "containing", Evidence: evilEvidence},
			Prediction: elevated},
		"unsure, bank": {Use: tocsin.SignsIn, Lookalike: &tocsin.Lookalike{Of: "evi1.org"}, Prediction: elevated},
		"mixed": {Lookalike: &tocsin.Lookalike{Of: "evi1.org", Method: "mixed-scripts", Sure: true,
			Evidence: evilEvidence}},
		"lured": {Lookalike: &tocsin.Lookalike{Of: "evi1.org", Sure: true,
			Evidence: tocsin.LookalikeEvidence{Part: "evil", Brand: "evil", Lures: []string{"example", "l0gin"}}}},
		"in letters": {Lookalike: &tocsin.Lookalike{Of: "evi1.org", Sure: true,
			Evidence: tocsin.LookalikeEvidence{Part: "evil", Brand: "evil", Lures: []string{"l0gin"}}}},
		"no part": {Lookalike: &tocsin.Lookalike{Of: "evi1.org", Sure: true,
			Evidence: tocsin.LookalikeEvidence{Part: "other", Brand: "evi1"}}},
		"in front":      {Lookalike: &evilInFront},
		"in front bank": {Lookalike: &evilInFront, Use: tocsin.SignsIn},
		"predicted":     {Prediction: elevated},
		"bank":          {Prediction: elevated, Use: tocsin.SignsIn},
		"new":           {Near: true, Signals: &tocsin.Signals{RegisteredAt: ago(3)}},
		"known":         {Known: "evil.org"},
		"known, signin": {Known: "evil.org", Use: tocsin.SignsIn},
		"authority":     {Known: "evil.org", Use: tocsin.Authority},
		"called":        {Known: "evil.org", Use: tocsin.Banks, Called: "Evil Bank"},
		"nearly":        {Known: "evils.org", Nearly: true},
		"nearly, bank":  {Known: "evils.org", Nearly: true, Use: tocsin.SignsIn},
		"nearly hosted": {Known: "evils.org", Nearly: true, Host: "pages.dev"},
		"same word":     {SameWord: "evil.org"},
		"word, known":   {SameWord: "evil.org", Known: "evils.org"},
		"registry":      {Registry: true, Shared: true},
	}
	elevated    = &tocsin.Prediction{Level: tocsin.Elevated}
	evilInFront = tocsin.Lookalike{Of: "evil.org", Method: "domain-in-front", Sure: true,
		Evidence: tocsin.LookalikeEvidence{Part: "evil.org", Brand: "evil.org"}}
	aName          = "Kraken"
	aCent          = tocsin.USD(1)
	togetherDigits = map[string]tocsin.Poisoning{
		"like good":   {Status: tocsin.KnownGood, Differ: 27},
		"like named":  {Status: tocsin.KnownGood, Differ: 27, Name: &aName},
		"like bad":    {Status: tocsin.Reported, Differ: 27},
		"like party":  {Status: tocsin.Reported, Differ: 27, Party: "LAZARUS GROUP"},
		"near good":   {Status: tocsin.KnownGood, Differ: 1},
		"near named":  {Status: tocsin.KnownGood, Differ: 1, Name: &aName},
		"near bad":    {Status: tocsin.Reported, Differ: 1},
		"near party":  {Status: tocsin.Reported, Differ: 1, Party: "LAZARUS GROUP"},
		"good, party": {Status: tocsin.KnownGood, Differ: 1, Party: "LAZARUS GROUP"},
	}
	togetherPast = map[string]tocsin.DatedListing{
		"dropped":           {Listing: sniffed, Dropped: ago(5)},
		"dropped again":     {Listing: sniffed, Dropped: ago(25)},
		"removed":           {Listing: sniffed, Dropped: ago(6), Removed: true},
		"older":             {Listing: sniffed, Dropped: ago(7), DroppedIn: ago(20), Older: true},
		"dropped elsewhere": {Listing: polkadot, Dropped: ago(8)},
		"removed elsewhere": {Listing: polkadot, Dropped: ago(8), Removed: true},
		"older elsewhere":   {Listing: polkadot, Dropped: ago(9), DroppedIn: ago(20), Older: true},
		"dropped sanction":  {Listing: sanction, Dropped: ago(10)},
		"removed sanction":  {Listing: sanction, Dropped: ago(10), Removed: true},
		"older sanction":    {Listing: sanction, Dropped: ago(11), DroppedIn: ago(20), Older: true},
		"dropped chain":     {Listing: onChain, Dropped: ago(4)},
		"dropped kind":      {Listing: tocsin.Listing{List: "scamsniffer", Kind: tocsin.Sanction}, Dropped: ago(4)},
		"dropped other":     {Listing: ofAnother, Dropped: ago(4)},
		"back":              {Listing: sniffed, Recorded: ago(2)},
		"back chain":        {Listing: onChain, Recorded: ago(2)},
		"back other":        {Listing: ofAnother, Recorded: ago(2)},
		"undated":           {Listing: polkadot},
	}
	togetherParties = map[string]tocsin.Party{
		"party":         {List: "ofac", Name: "EVIL", Count: 2},
		"party, alias":  {List: "ofac", Name: "EVIL", Alias: "GOOD", Count: 1},
		"party, untold": {List: "ofac", Name: "EVIL", Count: 3, Untaken: []string{"XMR 4"}},
	}
)

// together is the answer about a subject of which all that the words name is known, and the history of lists.
func together(t *testing.T, subject, words string) (Answer, []tocsin.DatedListing) {
	var listings []tocsin.Listing
	var by []tocsin.ReporterGroup
	var name *tocsin.NameFindings
	var digits *tocsin.AddressFindings
	var history []tocsin.DatedListing
	var parties []tocsin.Party
	lapsed, unscored := false, 0
	for word := range strings.SplitSeq(words, "+") {
		if l, is := togetherListed[word]; is {
			if l.Family == "" {
				l.Family = l.List
			}
			listings = append(listings, l)
		} else if g, is := togetherReported[word]; is {
			by = append(by, g)
		} else if n, is := togetherNamed[word]; is {
			name = &n
		} else if p, is := togetherDigits[word]; is {
			p.Resembles, p.SharedPrefix, p.SharedSuffix, p.Strength, p.Source = "0xd8da6bf2000000000000000000000000000a6045",
				8, 4, tocsin.Strong, tocsin.FromLists
			digits = &tocsin.AddressFindings{Poisoning: &p}
		} else if h, is := togetherPast[word]; is {
			history = append(history, h)
		} else if p, is := togetherParties[word]; is {
			parties = append(parties, p)
		} else if word == "unscored" {
			unscored = 1
		} else if lapsed = word == "lapsed"; !lapsed && word != "" {
			t.Fatalf("%q is no word", word)
		}
	}
	a := about(subject, listings, by...)
	for i, l := range listings {
		if l.Subject.Value != "" {
			a.Dossier.Listings[i].Subject = l.Subject
			a.Dossier.Matches = append(a.Dossier.Matches, tocsin.Match{Domain: l.Subject.Value, Match: "parent"})
		}
	}
	for i := range history {
		if history[i].Subject.Value == "" {
			history[i].Subject = a.Subject
		}
	}
	a.Dossier.Name, a.Dossier.Address = name, digits
	a.Dossier.Lists.Dates = map[string]*tocsin.Time{"ofac": ago(1), "scamsniffer": ago(2)}
	a.Dossier.ReportCount += unscored
	a = New(a.Lang, a.Subject, a.Dossier, now)
	a.Lapsed, a.Namesakes = lapsed, parties
	a.AddHistory(history)
	return a, history
}

// readings are all that somebody may read of an answer, each with what it is.
func readings(a Answer, history []tocsin.DatedListing) [][2]string {
	v, d := a.Verdict(), a.Dossier
	shares := []any{a.WithoutHold(), a.WithoutReports()}
	for _, l := range d.Listings {
		without := a.WithoutLists(l.List)
		shares = append(shares, l.List, without, without.Now(), without.Some())
	}
	ordered := slices.SortedStableFunc(slices.Values(d.Listings), a.CompareListings)
	var lists, holds, order []any
	for _, r := range a.ListRows() {
		lists = append(lists, r.List, r.Says, r.Counts, r.ListDate)
	}
	for _, l := range ordered {
		order = append(order, l.List)
	}
	for _, l := range a.SanctionListings() {
		lists = append(lists, l.List, l.Name, l.ListDate)
	}
	for _, h := range a.Holds() {
		holds = append(holds, fmt.Sprintf("%+v", h))
	}
	alone, resembled, comparison := "", "", ""
	if n := a.NameAlone(); n != nil {
		alone = fmt.Sprintf("%+v", *n)
	}
	if r := a.Resembled(); r != nil {
		resembled = r.Title + " " + r.Says
	}
	if c := a.Comparison(); c != nil {
		comparison = fmt.Sprintf("%+v", *c)
	}
	line, sums := "", ""
	reports := outlines(slices.Repeat([]int{2, 300, 2, 0, 900}, 20)[:min(a.ReportCount, 90)]...)
	for i := range reports {
		reports[i].AmountLost = []*tocsin.USD{nil, &aCent}[i%2]
	}
	if l := a.Timeline(reports); l != nil {
		line = fmt.Sprintf("%+v", *l)
	}
	if s := a.Sums(reports); s != nil {
		sums = fmt.Sprintf("%+v", *s)
	}
	read, why := a.Caution()
	return [][2]string{{"title", v.Title}, {"lead", v.Lead}, {"found", fmt.Sprint(v.Found)}, {"sure", fmt.Sprint(v.Sure)},
		{"todo", fmt.Sprint(v.ToDo)}, {"word", fmt.Sprint(a.RiskLevel, " ", a.Word(), ", ", a.State())}, {"row", a.ToDo()},
		{"reasons", strings.Join(a.Reasons(history, iso), "; ")},
		{"formerly", strings.Join(a.FormerTexts(history, Formerly, iso), " ")}, {"steps", fmt.Sprintf("%+v", a.Steps())},
		{"lists", fmt.Sprint(lists...)}, {"order", fmt.Sprint(order...)}, {"holds", fmt.Sprint(holds...)},
		{"shares", fmt.Sprint(shares...)}, {"alone", alone}, {"resembled", resembled}, {"compared", comparison},
		{"names", fmt.Sprint(a.Names(), a.CalledByOperator(), a.SanctionsTitle(), a.KnownAs())},
		{"name", fmt.Sprint(a.AboutName(), " ", read, " ", why)}, {"links", fmt.Sprint(a.Links())},
		{"line", line}, {"sums", sums},
		{"flags", fmt.Sprint(a.Unsettled(), a.FormerlySanctioned(history), a.Unconfirmed(), a.AboveToo(), a.LeadsOn(),
			a.Registry(), a.HasPages(), a.Misplaced(), a.Warns(), a.Scored(), a.OneOff(), a.SuspiciousAsNew())}}
}

// TestWhatIsSaidOfThingsThatAreKnownTogether holds the words about an answer in which several things meet. Of each it
// has what differs from the answer about the same subject without anything.
func TestWhatIsSaidOfThingsThatAreKnownTogether(t *testing.T) {
	table := map[string]string{
		anAddress: `; unscored; unscored+token; unscored+exchange; unscored+checked; unscored+review; many; many+sniffed;
			many+old+young; sanction+old; old+old; old+top; own long; long; sold; sniffed+frozen; top+other;
			lapsed; anonymous; crowd; account; account+second; proven;
			sniffed; sniffed+anonymous; sniffed+polkadot; polkadot+sniffed+lapsed; copied+origin; old+young; young+old;
			old+polkadot; old+young+top; old+young+proven; sanction; nameless; sanction+sniffed; nameless+anonymous;
			sanction+token; sanction+checked; sanction+top; sanction+top+sniffed; unkept; unkept dated; unkept+anonymous;
			unkept+proven; unkept+polkadot; own; own+anonymous; own+proven; own+sniffed; own+unkept; unkept+own; frozen;
			frozen+anonymous; frozen+proven; frozen+other; other; other+account; other+polkadot; token; token+anonymous;
			token+sniffed; token+sniffed+polkadot; token+review; checked; checked+anonymous; checked+sniffed; checked+top;
			checked+sniffed+polkadot; checked+token; checked+token+sniffed; top; top+anonymous; top+sniffed; top+frozen;
			top+checked+sniffed; top+sniffed+polkadot; top+sniffed+proven; review; review+anonymous; review+sniffed;
			review+top; review+account+second; their review; their review+sniffed; hosting; hosting+sniffed; hosting+checked;
			exchange; hot wallet; unnamed; unnamed+exchange; exchange+top; unnamed+top; exchange+sniffed; on ethereum;
			on polygon+on base; on base+on polygon+on ethereum+sniffed; sanction+on polygon+on base+token;
			like good; like good+anonymous; like good+crowd; like good+sniffed; like good+token; like good+lapsed;
			like good+account+second; like named; like named+anonymous; like named+lapsed; like bad; like bad+anonymous;
			like bad+lapsed; like party; near good; near good+anonymous; near good+sniffed; near good+sniffed+polkadot;
			near good+lapsed; near good+top; near named; near named+proven; near bad; near bad+anonymous; near party;
			near party+anonymous; near party+sanction; good, party; dropped; dropped+lapsed; dropped+dropped again;
			dropped+dropped elsewhere; removed; removed+lapsed; removed+dropped elsewhere; removed+anonymous; removed+polkadot;
			removed+token; removed+top; older; older+lapsed; older+anonymous; older+token; older+removed elsewhere;
			older elsewhere; removed elsewhere+older; dropped sanction; removed sanction; older sanction; older sanction+sniffed;
			older+older sanction; dropped sanction+sanction; dropped+sniffed; dropped kind+sniffed; dropped+dropped kind;
			back+sniffed; back+dropped+sniffed; back+removed+sniffed; back+older+sniffed; back+dropped elsewhere+sniffed;
			back+dropped chain+sniffed; back+dropped kind+sniffed; back+dropped other+sniffed; back other+dropped other;
			back+dropped+back chain+dropped chain+sniffed; undated+back+dropped+sniffed+polkadot;
			undated+dropped elsewhere+polkadot; party`,
		aSite: `; unscored; unscored+checked; own top+sniffed; own top+own above; lured; in letters; no part;
			lapsed; anonymous; account+second; sniffed; sniffed+anonymous; unkept+anonymous; own; frozen; other;
			sanction; token; top; top+anonymous; top+sniffed; checked; checked+anonymous; checked+sniffed; own top; review;
			review+anonymous; review+sniffed; hosting; hosting+anonymous; hosting+sniffed; short; short+anonymous;
			short+sniffed; known short; top above; top above+sniffed; top above+sniffed+polkadot; own above;
			own above+top; own above+anonymous; risk above; sure; sure+anonymous; sure+account+second; sure+sniffed;
			sure+sanction; sure+token; sure+lapsed; sure+sniffed+polkadot; sure, bank; sure, bank+sniffed; sure, bank+unkept;
			sure, bank+own; sure, bank+sniffed+polkadot; sure, bank+anonymous; unsure; unsure+anonymous; unsure+lapsed;
			unsure, bank; unsure, bank+anonymous; mixed; mixed+anonymous; in front; in front+anonymous; in front+lapsed;
			in front bank; in front bank+sniffed; predicted; predicted+anonymous; predicted+account+second; predicted+sniffed;
			predicted+top+sniffed; predicted+sniffed+polkadot; bank; new; new+anonymous; new+sniffed; new+lapsed; known;
			known+anonymous; known+top; known, signin; known, signin+lapsed; authority; called; called+top; nearly; nearly, bank;
			nearly+top; nearly hosted; same word; same word+anonymous; same word+top; word, known; registry;
			registry+anonymous; registry+hosting; registry+sniffed; party; party+anonymous; party+sniffed; party+top;
			party, alias; party, untold; party+party, alias; party, untold+sure; removed; removed+sure; removed+top;
			older+sure; dropped+predicted; dropped+lapsed`,
		"bit.ly":                             `; hosting; short; sniffed; lapsed`,
		"link.metamask.io":                   `; hosting`,
		"t.me":                               `; hosting`,
		"github.com":                         `; hosting; top; hosting+sniffed`,
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t": `; token; lapsed; sniffed; anonymous`,
	}
	var all strings.Builder
	named := naming{}
	for _, subject := range sortedKeys(table) {
		plain := [][2]string(nil)
		for words := range strings.SplitSeq(table[subject], ";") {
			words = strings.TrimSpace(words)
			a, history := together(t, subject, words)
			said := readings(a, history)
			if again := readings(a, history); !reflect.DeepEqual(said, again) {
				t.Errorf("%s: a second reading is another", words)
			}
			fmt.Fprintf(&all, "=== %.12s %s\n", subject, words)
			for i, reading := range said {
				if plain == nil || reading != plain[i] {
					fmt.Fprintf(&all, "%s %s\n", reading[0], named.text(reading[1]))
				}
			}
			if plain == nil {
				plain = said
			}
		}
	}
	tocsintest.Golden(t, "testdata/together.txt", all.String())
}
