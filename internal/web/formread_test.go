package web

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/locale"
	"tocsin/internal/tocsintest"
)

// TestAFormIsReadAsItWasTyped compares what forms are read as with testdata/forms.txt: the report, what is wrong, and
// what is asked before it is published.
func TestAFormIsReadAsItWasTyped(t *testing.T) {
	german, err := locale.Load("de")
	tocsintest.Must(t, err)
	long := strings.TrimSpace(strings.Repeat(aChat+"\n", tocsin.MaxDescription/len(aChat)+1))
	many := func(format string, n int) string {
		var all strings.Builder
		for i := range n {
			fmt.Fprintf(&all, format, i)
		}
		return all.String()
	}
	const both = "maria@home.example and +52 55 9876 5432"
	var said strings.Builder
	for _, typed := range []fields{
		{}, {thingsField: "", storyField: "My story", titleField: "My title"},
		{thingsField: "", amountField: "a lot"}, {thingsField: "", hashField: hashOf(1)},
		{thingsField: nobody + "\nevil.example/x, https://fine.example\nnext to the bank: a.example\n@lena\nt.me/lena_1",
			hashField: hashOf(1), linkField: "https://news.example/a", dateField: "2026-03-04",
			projectField: "Gold Ltd", currencyField: "$ETH", amountField: "12,400"},
		{thingsField: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t\n" + hashOf(2) + "\n" + many("word%d here\n", 7)},
		{thingsField: "my wallet " + nobody}, {thingsField: "evil.example\nmy email maria@home.example"},
		{thingsField: hashOf(3)}, {thingsField: hashOf(3)[2:]},
		{thingsField: "x.example\n" + hashOf(3)[2:], hashesField: "tx"},
		{thingsField: "x.example", hashesField: "yes", meantField: "1a", platformField: "fax"},
		{thingsField: "@lena", platformField: ""}, {thingsField: "@lena", platformField: "x"},
		{thingsField: "+52 55 9876 5432\nwhatsapp: +593 99 123 4567\nemail: eve@evil.example\nt.me/lena_1",
			storyField: "From 55 9876 5432 or +593 99 123 4567, not 4111 1111 1111 1111, eve@evil.example or " + both,
			titleField: "A call from +1 212 736 5000"},
		{thingsField: "x.example", storyField: both, whoseField: "mine maria@home.example\ntheirs +525598765432\nmine of 1"},
		{thingsField: "x.example\n+52 55 9876 5432", storyField: aChat, meField: "Lena",
			whoseField: "mine +525598765432\nother lena-invest.vip"},
		{thingsField: "x.example", storyField: aChat, meField: nobodyIsMe},
		{thingsField: "x.example\nana@mail.example\n" + hashOf(5), hashField: hashOf(6), linkField: "https://news.example/b"},
		{thingsField: "x.example", storyField: many("a%d@home.example ", 7)},
		{thingsField: aChat}, {thingsField: aChat, storyField: "Before."}, {thingsField: aChat, storyField: "soy Lena"},
		{thingsField: aChat + "\n" + aPhrase}, {thingsField: long}, {thingsField: long + "\n" + aPhrase},
		{thingsField: "", storyField: aChat},
		{thingsField: aChat + "\n" + strings.Repeat("é", tocsin.MaxDescription-len(aChat)-1), storyField: ""},
		{thingsField: aChat + "\n" + strings.Repeat("é", tocsin.MaxDescription-len(aChat)), storyField: ""},
		{thingsField: "", storyField: strings.Repeat("x", tocsin.MaxDescription-9) + " evil.com"},
		{thingsField: "", storyField: strings.Repeat("x", tocsin.MaxDescription-8) + " evil.com"},
		{thingsField: "", storyField: "He sent " + nobody + " and @lena on Telegram: t.me/lena_1, " +
			"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"},
		{thingsField: "", storyField: "See " + many("site-%d.com ", maxOfStory+1)},
		{foundField: "lena-invest.vip\ntelegram:lena_1"},
		{amountField: "1,234.56"}, {amountField: "0.05 btc"}, {amountField: "100 mil pesos", storyField: ""},
		{amountField: "1.234"}, {amountField: "1.234", meantField: "123400"},
		{amountField: "1.234", meantField: "999"},
		{amountField: "1.234,5", "lang": "de"}, {amountField: "1.234", "lang": "de"}, {amountField: "1,234", "lang": "de"},
		{amountField: "2 lakh", currencyField: "USDT"}, {amountField: "2 lakh"}, {amountField: "5 $", currencyField: "DAI"},
		{amountField: "much", currencyField: "DAI"}, {amountField: "EUR 5,00"}, {currencyField: "US dollars"},
		{amountField: "3.400,00", currencyField: "EUR"}, {amountField: "3.400", currencyField: "euros"},
		{thingsField: aPhrase, linkField: aPhrase, storyField: aPhrase}, {thingsField: "https://x.example/" + hashOf(4)},
		{thingsField: "x.example\n0x12\n0x13\n0x14\n0x15\n0x16\n0x17\n0x18"}, {thingsField: "\n0x12", titleField: " "},
		{dateField: "2026-13-01"}, {linkField: "words"}, {hashField: "words"}, {projectField: strings.Repeat("p", 201)},
		{storyField: strings.Repeat("A line of about forty characters, as here.\n", 4)},
		{storyField: strings.Repeat("x", 38*11), titleField: strings.Repeat("x", 38*2-1)},
	} {
		p, values := english(), url.Values{crimeField: {"hack"}, titleField: {"A title"}, storyField: {"A story"},
			thingsField: {"x.example"}}
		for name, text := range typed {
			values.Set(name, text)
		}
		if typed["lang"] == "de" {
			p = german.All()[0]
		}
		if typed[titleField] == "A call from +1 212 736 5000" {
			values.Set(platformField, "")
		}
		about, err := json.Marshal(typed)
		tocsintest.Must(t, err)
		f := newForm(p, values)
		d := f.parse(now)
		fmt.Fprintf(&said, "=== %s\n", tocsin.Shorten(string(about), 160))
		f.describe(&said, d)
	}
	tocsintest.Golden(t, "testdata/forms.txt", said.String())
}

// describe writes what was read of a form, without what is empty.
func (f *form) describe(b *strings.Builder, d tocsin.Draft) {
	say := func(name string, values ...any) {
		if text := fmt.Sprint(values...); !slices.Contains([]string{"", "[]", "false", "0", "<nil>", "map[]"}, text) {
			fmt.Fprintf(b, "%s: %s\n", name, strings.ReplaceAll(tocsin.Shorten(text, 600), "\n", "\\n"))
		}
	}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	say("report", []any{d.CrimeType, tocsin.Shorten(d.Title, 40)})
	say("story", tocsin.Shorten(d.Description, 300))
	say("addresses", d.ScammerAddresses)
	say("accounts", d.ScammerAccounts)
	say("domains", d.ReportedDomains)
	say("handles", d.ReportedHandles)
	if d.AmountLost != nil {
		say("cents", fmt.Sprint(int64(*d.AmountLost)))
	}
	say("currency", d.Currency)
	say("date", text(d.IncidentDate))
	say("project", text(d.SubjectProjectName))
	say("links", d.Evidence.URLs)
	say("transactions", d.Evidence.TransactionHashes)
	if f.ProblemCount() > 0 {
		say("title", f.ProblemTitle())
	}
	say("aside", f.AsideList())
	for _, one := range f.Asked {
		say("asked", one.Said(), " ", []any{one.Key, one.Value, one.Subject != nil, one.Private, one.Named, one.Answer})
	}
	asks, asksWhose := f.Asks(), f.AsksWhose()
	say("senders", f.Senders)
	if rows := f.Rows(); len(rows) > 0 {
		say("rows", len(rows), f.Many())
	}
	f.takeAllOut()
	if left, changed := f.answered(); changed {
		for _, field := range f.Fields {
			if text := left.Get(field.Name); text != field.Text {
				say("without", field.Name, ": ", text)
			}
		}
	}
	say("sums", f.Sums)
	say("nameless", f.Nameless())
	for i, is := range []bool{f.Nothing, f.Hashes, f.Moved, asks, asksWhose, f.AsksPlatform(), f.More(),
		f.Cut, f.AsksMe(), f.Unnamed} {
		if is {
			say("it", []string{"names nothing", "may have a key", "was moved", "asks", "asks whose", "asks for a platform",
				"shows more", "was cut", "asks who is me", "is unnamed"}[i])
		}
	}
	var typed []string
	for _, field := range f.Typed() {
		typed = append(typed, fmt.Sprint(field.Name, " ", field.Rows()))
	}
	say("typed", strings.Join(typed, ", "))
	for _, field := range f.Fields {
		for _, p := range field.Problems {
			say("wrong", fmt.Sprintf("%s: %s (%s)", field.Location(p), p.Text, p.Brief))
		}
		say("more problems", field.MoreProblems)
	}
}

// TestTheSameFormSentTwiceIsOneFiling: by what it has at random, and by what it says.
func TestTheSameFormSentTwiceIsOneFiling(t *testing.T) {
	one, another := tocsin.Draft{Title: "a"}, tocsin.Draft{Title: "b"}
	key := func(once string, d *tocsin.Draft) string { return (&form{Once: once}).idempotencyKey(d) }
	ticket, other := strings.Repeat("a", 16), strings.Repeat("b", 16)
	want(t, "too short", key(ticket[1:], &one), "")
	want(t, "the same", key(ticket, &one), key(ticket, &one))
	want(t, "others", []any{len(key(ticket, &one)), key(ticket, &one) == key(ticket, &another),
		key(ticket, &one) == key(other, &one)}, []any{64, false, false})
}

// TestCrimeTypesAreOfferedByTheMostFrequent: each once, with what it means.
func TestCrimeTypesAreOfferedByTheMostFrequent(t *testing.T) {
	var all []string
	for _, c := range newForm(english(), nil).Choices() {
		all = append(all, c.Name)
	}
	want(t, "how many", len(all), len(tocsin.CrimeTypes()))
	tocsintest.Golden(t, "testdata/crimes.txt", strings.Join(all, "\n")+"\n")
}

// TestWhatWasTypedElsewhereIsAThingANameOrAStory.
func TestWhatWasTypedElsewhereIsAThingANameOrAStory(t *testing.T) {
	for typed, in := range map[string][2]string{
		"": {}, aPhrase: {}, "evil.example": {"evil.example", ""}, "Lena Gold": {"name: Lena Gold", ""},
		"a b c d": {"name: a b c d", ""}, "words and more words here": {"", "words and more words here"},
		"one\ntwo": {"", "one\ntwo"}, aChat: {"", aChat}, "evil.example and words": {"evil.example and words", ""},
	} {
		thing, story := typedInto(typed)
		want(t, typed, [2]string{thing, story}, in)
	}
	for text, typed := range map[string]string{nobody: nobody, "evil.example": "evil.example",
		"solana:4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:" +
			"4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"} {
		subject, _ := tocsin.ParseSubject(text)
		want(t, text, thing(subject), typed)
	}
	want(t, "digits", []string{digitsOf("+0 (049) 1"), digitsOf("00"), digitsOf("1a"), digitsOf("9-0")},
		[]string{"491", "", "", "90"})
}
