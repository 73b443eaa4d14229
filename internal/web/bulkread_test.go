package web

import (
	"fmt"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/answer"
	"tocsin/internal/front"
	"tocsin/internal/sheet"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// TestAListIsReadAsItWasSent compares what lists are read as with testdata/lists.txt: what is counted before the
// charge, why lines have no subject, and what the page sends along.
func TestAListIsReadAsItWasSent(t *testing.T) {
	s := start(t)
	const solana, another = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T", "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
	s.list("ofac", "ofac", tocsin.Sanction, "", thief, exchange, "solana:"+solana)
	key := strings.Repeat("4c0883a6", 8)
	wide := strings.Repeat("x", 400)
	table := "name;from;to;note\nGamma;" + nobody + ";" + thief + ";like " + exchange + "\nBeta;" +
		strings.ToLower(nobody) + ";;and " + thief + "\n"
	heavy := "chain,address,note\n" + strings.Repeat("SOL,"+solana+","+wide+"\n", 190)
	var said strings.Builder
	for _, c := range []struct {
		about, text string
		form        url.Values
	}{
		{"nothing", "", nil}, {"a workbook", "PK\x03\x04", nil},
		{"lines", "one.example\nONE.example\ntwo.example\n" + strings.ToLower(thief) + "\n0x12\n0x13\n\na@mail-1.example\n" +
			"@lena_trades\n+44 20 7946 0958\nwhatsapp: +44 20 7946 0959\nvitalik.eth\n-\nwords\n" + hashOf(1) + "\n" +
			"x.example y.example\n" + key + "\n" + nobody[:41] + "\n" + strings.Replace(nobody, "aA", "aa", 1) + "\n" +
			strings.Repeat("zzz ", 40) + "\n0x14\n0x15", nil},
		{"a phrase", aPhrase + "\none.example", nil},
		{"a phrase beside", "site,note\none.example," + aPhrase + "\ntwo.example,my key " + key + "\n", nil},
		{"a phrase in cells", "site," + strings.ReplaceAll(aPhrase, " ", ",") + "\none.example\n", nil},
		{"a phrase for a head", aPhrase + ",site\nx,one.example\ny,two.example\n", nil},
		{"a table", table, nil},
		{"its second column", table, url.Values{columnField: {"2", "x"}}},
		{"two columns", table, url.Values{columnField: {"1", "2"}}},
		{"one column of it", "to\n" + thief + "\n", url.Values{separatorField: {";"}}},
		{"by tabs", "site\tnote\none.example\ta\n", url.Values{separatorField: {"tab"}}},
		{"by commas", "one.example,a\n", url.Values{separatorField: {","}}},
		{"by nothing known", "one.example,a\n", url.Values{separatorField: {"|"}}},
		{"accounts of Solana", solana + "\n" + another + "\n", nil},
		{"all read as such", solana + "\n" + another + "\n", url.Values{solanaField: {"yes"}}},
		{"chains", "chain,address\nSOL," + another + "\nTRC20," + nobody + "\nETH," + nobody + "\n", nil},
		{"more than fits", "site\n" + numbered(0, maxBulk+2), nil},
		{"as many as fit", numbered(0, maxBulk), url.Values{restField: {"7"}}},
		{"a rest of nothing", "one.example", url.Values{restField: {"-7"}}},
		{"wide columns", heavy, nil},
		{"a row with more cells", "a,site,b\n" + wide + ",one.example," + wide + ",two.example,x\n" +
			strings.Repeat(wide+",bad.example,"+wide+"\n", 130), nil},
		{"two wide columns", "from,to,b\n" + nobody + "," + exchange + "," + wide + ",x," + thief + "\n" +
			strings.Repeat(nobody+","+exchange+","+wide+"\n", 170), url.Values{columnField: {"0", "1"}}},
		{"two in a cell", "wallet,note\n" + nobody + " and " + exchange + ",x\n" + thief + ",y\n", nil},
		{"one in a cell too many", "note,wallet\nx," + nobody + "," + exchange + "\ny," + thief + "\n", nil},
		{"alike", exchange + "\n" + imitator + "\n" + nobody, nil},
	} {
		r := httptest.NewRequest("POST", "/bulk", strings.NewReader(c.form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		tocsintest.Must(t, r.ParseForm())
		req := aRequest()
		req.Request = r.WithContext(front.With(t.Context(), &front.Request{}))
		fmt.Fprintf(&said, "=== %s\n", c.about)
		s.site.readBulk(req, c.text).describe(&said)
	}
	tocsintest.Golden(t, "testdata/lists.txt", said.String())
}

// describe writes what was read of a list, without what is empty.
func (b bulkPage) describe(out *strings.Builder) {
	say := func(name string, values ...any) {
		text := strings.TrimSuffix(fmt.Sprintln(values...), "\n")
		if !slices.Contains([]string{"", "[]", "false", "0"}, text) {
			fmt.Fprintf(out, "%s: %s\n", name, strings.ReplaceAll(tocsin.Shorten(text, 400), "\n", "\\n"))
		}
	}
	say("wrong", b.Wrong)
	for _, c := range []struct {
		name  string
		count int
	}{
		{"lines", len(b.Lines)}, {"rows", b.Count}, {"the rest", b.Rest}, {"subjects", b.Named}, {"new", b.New},
		{"repeated", b.Repeated}, {"faults", b.Faults}, {"handles", b.Handles}, {"unknown", b.Unknown()},
		{"on record", b.OnRecord}, {"solana", b.Solana}, {"by chain", b.ByChain}, {"beside", b.Beside}, {"pairs", b.Pairs},
		{"calls", b.Calls()}, {"length", len(b.Text)},
	} {
		say(c.name, c.count)
	}
	say("shown", b.Shown)
	say("separator", b.Separator())
	say("dropped", b.Dropped)
	say("as Solana", b.AsSolana)
	say("names", b.Names)
	say("chains", b.Chains())
	say("contrary", b.ContraryLines())
	say("offered", b.Offered())
	say("sources", b.Sources())
	say("choices", b.Choices())
	say("missed", b.Missed())
	for _, l := range b.Sanctioned {
		say("sanctioned", l.Subject.Value, l.Number, l.In)
	}
	for _, g := range b.Problems {
		say("problem", g.Brief, "folded", g.Folded(), "after", g.Fold())
		for _, l := range g.Lines[:min(4, len(g.Lines))] {
			say("  line", l.Number, l.Name(), l.Site, l.Says, l.Secret, l.Hash)
		}
	}
	for i, l := range b.Lines {
		if i < 3 {
			say("kept", tocsin.Shorten(l.Kept(), 120), l.Name(), l.Path())
		}
	}
	say("text", b.Text)
}

// TestATableBeginsWithTheWorst: the highest score first, then what has no answer, then what nothing is known of.
func TestATableBeginsWithTheWorst(t *testing.T) {
	subject := func(n int) tocsin.Subject {
		is, _ := tocsin.ParseSubject(fmt.Sprintf("site-%d.example", n))
		return is
	}
	line := func(n, subjectOf int, a *answer.Answer) bulkLine {
		return bulkLine{Line: sheet.Line{Number: n, Subject: subject(subjectOf)}, Answer: a}
	}
	scored := func(score int, level tocsin.Level, result tocsin.Result) *answer.Answer {
		return &answer.Answer{Lang: english(), Screening: tocsin.Screening{RiskScore: score, RiskLevel: level,
			Result: result}}
	}
	bad := scored(80, tocsin.High, tocsin.Caution)
	lines := []bulkLine{line(1, 1, scored(0, tocsin.Clean, tocsin.NoReports)), line(2, 2, nil),
		line(3, 3, scored(10, tocsin.Low, tocsin.Caution)), line(4, 4, bad), line(5, 5, bad), line(6, 4, bad),
		{Line: sheet.Line{Number: 7, Fault: &tocsin.Error{}}}}
	var order []string
	for _, row := range groupBySubject(lines) {
		text := row.Subject.Value
		for _, same := range row.Same {
			text += fmt.Sprint(" ", same.Number)
		}
		order = append(order, text)
	}
	same(t, "rows", order, "site-4.example 4 6", "site-5.example 5", "site-3.example 3", "site-2.example 2",
		"site-1.example 1")
	list := bulkPage{Lines: append(lines, line(9, 5, bad), line(10, 5, bad), line(12, 5, bad))}
	list.Sections = list.sections()
	var parts []string
	for _, s := range list.Sections {
		parts = append(parts, fmt.Sprint(s.ID, " ", s.Numbers(), " ", s.Count(), " ", s.Loud(), " ", list.Section(s.Answer)))
	}
	same(t, "sections", parts, "level-1 4–6, 9–10, 12 6 true level-1", "level-2 3 1 true level-2",
		"level-3 2 1 true level-3", "level-4 1 1 false level-4")
	quiet := list.Sections[3]
	want(t, "rows of a quiet one, on a light page", len(quiet.Shown(true)), 0)
	past := line(13, 13, lines[0].Answer)
	past.Past, past.Formerly = true, true
	quiet = bulkPage{Lines: []bulkLine{lines[0], past}}.sections()[0]
	shown := quiet.Shown(true)
	want(t, "what a list has said is shown there, and found", []any{len(shown), shown[0].Number, shown[0].First,
		quiet.Numbers(), quiet.Count(), len(quiet.Shown(false))}, []any{1, 13, true, "1", 2, 2})
	want(t, "of a level that none has", list.Section(scored(50, tocsin.Medium, tocsin.Caution)), "")
	lines[1].Number = 1
	lines = append(lines, line(8, 9, bad), line(8, 1, bad))
	want(t, "rows with an answer", bulkPage{Lines: lines}.Answered(), 6)
	var ranks []int
	for _, level := range []tocsin.Level{tocsin.Critical, tocsin.High, tocsin.Medium, tocsin.Low, tocsin.Clean} {
		ranks = append(ranks, levelCount{Answer: scored(0, level, tocsin.Caution)}.rank())
	}
	good := scored(0, tocsin.Clean, tocsin.NoReports)
	good.Listings = []tocsin.Listing{{Kind: tocsin.Safe, Category: "exchange"}}
	want(t, "the loudest first, the known last", append(ranks, levelCount{Answer: good}.rank()), []int{0, 1, 2, 3, 4, 9})
	want(t, "what to do with the known", good.ToDo(),
		"A list knows it, and nobody warns of it. Your other checks go on.")
}

// TestWhatATableTakes of the calls that are left: fifty subjects each, and look-ups beyond them.
func TestWhatATableTakes(t *testing.T) {
	for _, c := range []struct {
		page                      bulkPage
		calls, charge, affordable int
		enough, short             bool
	}{
		{bulkPage{}, 0, 0, 0, true, false},
		{bulkPage{New: 1, Left: 1}, 1, 1, 1, true, false},
		{bulkPage{New: 50, Left: 1}, 1, 1, 50, true, false},
		{bulkPage{New: 51, Left: 1}, 2, 1, 50, false, true},
		{bulkPage{New: 51, Left: 1, Own: 1}, 2, 1, 51, false, false},
		{bulkPage{New: 51, Left: 3}, 2, 2, 51, true, false},
		{bulkPage{New: 5, Own: 4}, 1, 0, 4, false, true},
	} {
		b := c.page
		want(t, fmt.Sprint(b.New, " of ", b.Left, " and ", b.Own),
			[]any{b.Calls(), b.Charge(), b.Affordable(), b.Enough(), b.Short()},
			[]any{c.calls, c.charge, c.affordable, c.enough, c.short})
	}
	at := tocsin.TimeOf(now)
	days := func(n int) tocsin.Time { return tocsin.TimeOf(now.Add(-time.Duration(n) * 24 * time.Hour)) }
	list := func(name string, dated *tocsin.Time, imported tocsin.Time) store.ListStats {
		return store.ListStats{Name: name, URL: "https://lists.example", Imported: imported,
			Version: tocsin.ListVersion{Date: dated}}
	}
	old, fresh := days(40), days(1)
	for _, c := range []struct {
		lists []store.ListStats
		end   string
	}{
		{[]store.ListStats{list("x", nil, old)}, "so no sanction can be found."},
		{[]store.ListStats{list("x", nil, at), list("ofac", &old, at)},
			"The sanctions list is of 11 Oct 2026. Newer sanctions are not found."},
		{[]store.ListStats{list("ofac", nil, fresh)},
			"The sanctions list has no date. Newer sanctions may not be found."},
		{[]store.ListStats{list("x", &old, old), list("ofac", &fresh, fresh)}, ""},
	} {
		says := bulkPage{Stats: stats{store.Stats{AsOf: at, Lists: c.lists}}}.Outdated(english())
		want(t, says, []any{strings.HasSuffix(says, c.end), says == ""}, []any{true, c.end == ""})
	}
	want(t, "nothing is known", bulkPage{}.Outdated(english()), "")
}

// TestLettersInTheWrongCaseHideNoSanction: the line stays an error with its fix, and the page, the CSV and the page of
// a single look-up name the account that it means.
func TestLettersInTheWrongCaseHideNoSanction(t *testing.T) {
	const hit, listed = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin", "TJ9ghEP177X5NVcHfkiu5nEqV14Nfyyx6n"
	s := start(t)
	s.list("ofac", "ofac", tocsin.Sanction, "", "solana:"+hit, thief)
	s.list("one", "one", tocsin.Risk, "phishing", listed)
	v := s.visitor()
	wrong := "0x" + strings.ToUpper(thief[2:20]) + strings.ToLower(thief[20:])
	list := "chain,address\nETH," + wrong + "\nSolana," + strings.ToLower(hit) + "\nTRC20," + strings.ToLower(listed) +
		"\nETH," + strings.Repeat("ab", 20) + "\n"
	p := v.post("/bulk", fields{bulkField: list})
	p.says("2 of the addresses that are not screened are sanctioned.", thief+" Line 2 address", hit+" Line 3 address",
		"3 lines without a subject", "Different subjects 1")
	const fix = "Copy it again from where you have it."
	sanctioned := "Written as " + thief + " it is sanctioned: OFAC SDN: sanctioned"
	p = v.post("/bulk", fields{bulkField: list, "do": "screen"})
	p.says(fix, sanctioned, "Written as "+hit+" it is sanctioned: OFAC SDN: sanctioned",
		"Written as "+listed+" it is on record: one: Phishing", "2 of the addresses that are not screened are sanctioned.")
	var told []string
	for _, row := range v.table(list)[1:] {
		told = append(told, fmt.Sprint(row[5], row[15], strings.Contains(row[6], fix),
			strings.Contains(row[6], "Written as")))
	}
	want(t, "the CSV", strings.Join(told, " "), "erroryestrue true erroryestrue true errornotrue true "+
		"no_reportsnofalse false")
	p = v.get("/screen?q=" + wrong)
	want(t, "one of them", p.status, 400)
	p.says(fix, "Written correctly, this is an address of Somebody, which is sanctioned (OFAC SDN).", thief)
	p = v.get("/screen/solana:" + strings.ToLower(hit[:8]) + hit[8:])
	want(t, "one without a checksum", p.status, 400)
	p.says(fix, "Written correctly, this is an address of Somebody, which is sanctioned (OFAC SDN).", hit)
}

// TestAReportMakesNoOtherAccountUnscreenable: two accounts of Solana that differ in one capital letter are both valid.
func TestAReportMakesNoOtherAccountUnscreenable(t *testing.T) {
	honest, _ := tocsin.ParseSubject("solana:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")
	s := start(t)
	s.file(draft{"scammerAccounts": []string{strings.Replace(honest.String(), "EPj", "EPJ", 1)}})
	v := s.visitor()
	want(t, "one", v.get(screenPath(honest)).status, 200)
	want(t, "a list", v.table(honest.String())[1][4:6], []string{"proceed", "no_reports"})
}

// TestOneRequestTakesFewOfTheHintsOfItsNetwork: a link with many mistyped addresses takes a tenth of those of an hour,
// and one in a page of another site none. What is sanctioned is named all the same.
func TestOneRequestTakesFewOfTheHintsOfItsNetwork(t *testing.T) {
	const right = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	s := start(t)
	s.list("ofac", "ofac", tocsin.Sanction, "", thief)
	v := s.visitor()
	var typed []string
	for i := range 45 { // one character of each is wrong
		typed = append(typed, right[:31]+string("abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"[i])+right[32:])
	}
	typed = append(typed, "0x"+strings.ToUpper(thief[2:20])+strings.ToLower(thief[20:]))
	path := "/screen?q=" + url.QueryEscape(strings.Join(typed, " "))
	budget, network := s.api.Budgets().Hints, netip.MustParsePrefix("127.0.0.0/24")
	v.get(path, "sec-fetch-site: cross-site", "sec-fetch-dest: image")
	_, undo := budget.TakeMany(network, 200)
	want(t, "none was taken", undo != nil, true)
	undo()
	v.get(path).says("written correctly, an address in this is sanctioned")
	_, undo = budget.TakeMany(network, 180)
	want(t, "twenty were", []bool{undo != nil, budget.Full(network) > 0}, []bool{true, true})
}

// TestWhatIsOnRecordIsNotFoundOutForNothing: 200 accounts an hour, and then only what is sanctioned. What was said once
// is said again, or a list would be read in another way after its charge.
func TestWhatIsOnRecordIsNotFoundOutForNothing(t *testing.T) {
	const hit, one, two = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin", "TJ9ghEP177X5NVcHfkiu5nEqV14Nfyyx6n",
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
	const bare = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
	s := start(t)
	s.list("ofac", "ofac", tocsin.Sanction, "", "solana:"+hit, thief)
	const evm = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	s.list("one", "one", tocsin.Risk, "phishing", one, two, "solana:"+bare, evm)
	v := s.visitor()
	right := func(typed string) bool { return strings.Contains(v.get("/screen?q="+typed).main(), one) }
	want(t, "of one that is one character off", right(one[:33]+"p"), true)
	list := "address\n" + strings.ToLower(one) + "\n" + strings.ToLower(hit) + "\n" + bare + "\n"
	v.post("/bulk", fields{bulkField: list}).says("1 address without a prefix is on record")
	budget, network := s.api.Budgets().Hints, netip.MustParsePrefix("127.0.0.0/24")
	_, undo := budget.TakeMany(network, 195)
	want(t, "five were asked about", []bool{undo != nil, budget.Full(network) > 0}, []bool{true, true})
	v.post("/bulk", fields{bulkField: list, "do": "screen"}).says("Written as "+one, "Written as "+hit)
	told := func(text string) bool { return strings.Contains(v.get("/screen?q="+text).main(), "on record") }
	want(t, "again, and another", []bool{told(strings.ToLower(one)), told(strings.ToLower(two))}, []bool{true, false})
	want(t, "another that is one character off", right(one[:33]+"q"), false)
	near := v.get("/screen?q=" + strings.Replace(evm, "9f33", "8f33", 1)).main()
	want(t, "an EVM address, too", strings.Contains(near, evm), false)
	v.get("/screen?q=0x" + strings.ToUpper(thief[2:20]) + strings.ToLower(thief[20:])).says("which is sanctioned")
}
