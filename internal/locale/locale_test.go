package locale

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func load(t *testing.T) map[string]*Printer {
	t.Helper()
	all, err := Load(Shipped()...)
	if err != nil {
		t.Fatal(err)
	}
	printers := map[string]*Printer{}
	for _, p := range all.All() {
		printers[p.Tag] = p
	}
	return printers
}

func want(t *testing.T, about, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", about, got, want)
	}
}

func TestTimesAndNumbersAreWrittenAsInTheLanguage(t *testing.T) {
	at := time.Date(2026, 5, 3, 9, 5, 0, 0, time.UTC)
	for tag, lines := range map[string]string{
		"en": "3 May 2026|3 May 2026, 09:05 UTC|3 May 2026|today, 09:05|yesterday|1 day|2 days 3 h|2 h 5 min|" +
			"1,234,567|−1,234|12.50",
		"de": "3. Mai 2026|3. Mai 2026, 09:05 UTC|3. Mai 2026|heute, 09:05 Uhr|gestern|1 Tag|2 Tagen und 3 h|" +
			"2 h 5 min|1.234.567|−1.234|12,50",
		"es": "3 may 2026|3 may 2026, 09:05 UTC|3 de mayo de 2026|hoy, 09:05|ayer|1 día|2 días y 3 h|2 h 5 min|" +
			"1\u00a0234\u00a0567|−1\u00a0234|12,50",
		"fr": "3 mai 2026|3 mai 2026, 09:05 UTC|3 mai 2026|aujourd’hui, 09:05|hier|1 jour|2 jours et 3\u00a0h|" +
			"2\u00a0h 5\u00a0min|1\u00a0234\u00a0567|−1\u00a0234|12,50",
		"pt": "3 mai 2026|3 mai 2026, 09:05 UTC|3 de maio de 2026|hoje, 09:05|ontem|1 dia|2 dias e 3 h|2 h 5 min|" +
			"1.234.567|−1.234|12,50",
		"zh-Hans": "2026年5月3日|2026年5月3日 09:05 UTC|2026年5月3日|今天 09:05|昨天|1 天|2 天 3 小时|2 小时 5 分钟|1,234,567|−1,234|12.50",
	} {
		p, midnight := load(t)[tag], at.Truncate(24*time.Hour)
		want(t, tag, strings.Join([]string{p.Day(at), p.Minute(at), p.When(at, at.AddDate(0, 1, 0)), p.When(at, at),
			p.When(midnight, at.AddDate(0, 0, 1)), p.Span(24 * time.Hour), p.Span(51 * time.Hour),
			p.Span(2*time.Hour + 5*time.Minute), p.Number(1_234_567), p.Number(-1234), p.Decimal(12.5, 2)}, "|"), lines)
	}
}

func TestDaysAreNamedInUTC(t *testing.T) {
	p, now := load(t)["en"], time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for at, said := range map[string]string{
		"2026-11-20T11:59:00Z": "today, 11:59", "2026-11-20T00:00:00Z": "today",
		"2026-11-19T23:59:59Z": "yesterday, 23:59", "2026-11-19T00:00:00Z": "yesterday",
		"2026-11-18T23:59:59Z": "18 November 2026", "2026-11-20T00:30:00+01:00": "yesterday, 23:30",
	} {
		moment, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		want(t, at, p.When(moment, now), said)
	}
	for at, said := range map[string]string{"2026-11-20T00:00:00Z": "Today", "2026-11-19T23:59:59Z": "Yesterday",
		"2026-11-19T00:00:00Z": "Yesterday", "2026-11-18T23:59:59Z": "18 November 2026"} {
		moment, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		want(t, "a heading, "+at, p.Date(moment, now), said)
	}
	for d, said := range map[time.Duration]string{25 * time.Hour: "1 day 1 h", 48 * time.Hour: "2 days",
		47*time.Hour + 59*time.Minute: "1 day 23 h", 71 * time.Hour: "2 days 23 h", 73 * time.Hour: "3 days",
		0: "under a minute", -time.Hour: "under a minute", 59 * time.Minute: "59 min", time.Hour: "1 h",
		149 * time.Minute: "2 h 29 min", 24 * time.Hour: "1 day", 50 * time.Hour: "2 days 2 h", 100 * time.Hour: "4 days",
		time.Minute: "1 min", 59 * time.Second: "under a minute", 61 * time.Minute: "1 h 1 min"} {
		want(t, "a while", p.Span(d), said)
	}
}

func TestAmountsBelowAThousandHaveCents(t *testing.T) {
	p := load(t)["en"]
	for cents, said := range map[int64]string{5: "0.05 USD", 100: "1 USD", 1250: "12.50 USD", 10_001: "100.01 USD",
		99_950: "999.50 USD", 99_999: "999.99 USD", 100_000: "1,000 USD", 100_049: "1,000 USD", 100_050: "1,001 USD",
		125_050: "1,251 USD", 62_000_000_000: "620,000,000 USD"} {
		want(t, "an amount", p.Dollars(cents), said)
	}
	for n, said := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1_234_567: "1,234,567", -79: "−79"} {
		want(t, "a number", p.Number(n), said)
	}
}

// TestAnAmountOfAnyLengthIsWrittenInThousands, with all its digits.
func TestAnAmountOfAnyLengthIsWrittenInThousands(t *testing.T) {
	p := load(t)["en"]
	for amount, said := range map[string]string{"": "", "12400.5": "12,400.5", "1000.50": "1,000.50",
		"100000000000000000000":      "100,000,000,000,000,000,000",
		"1000000000000000000000.125": "1,000,000,000,000,000,000,000.125"} {
		want(t, "an amount", p.Amount(amount), said)
	}
}

// TestPunctuationOfFrenchStaysOnItsLine: a space that may break is not before : ; ? ! », nor after «.
func TestPunctuationOfFrenchStaysOnItsLine(t *testing.T) {
	fr, err := Read("fr")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range fr.Texts {
		for _, text := range append(slices.Collect(maps.Values(e.Forms())), e.Text) {
			if breaks.MatchString(text) {
				t.Errorf("%q", text)
			}
		}
	}
}

var breaks = regexp.MustCompile(` [:;?!»]|« `)

// TestALanguageIsChosen: what a visitor chose comes before what their browser asks for.
func TestALanguageIsChosen(t *testing.T) {
	all, err := Load(Shipped()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ chosen, accepted, tag string }{
		{"", "", "en"}, {"", "es-MX,es;q=0.9,en;q=0.8", "es"}, {"", "ja,es;q=0.5", "es"}, {"", "en-GB,es;q=0.9", "en"},
		{"", "pt-BR,pt;q=0.9,en;q=0.8", "pt"}, {"", "pt-PT", "pt"}, {"", "pt-AO,pt;q=0.9", "pt"}, {"pt", "es", "pt"},
		{"", "zh-CN,zh;q=0.9", "zh-Hans"}, {"", "zh", "zh-Hans"}, {"", "zh-SG", "zh-Hans"}, {"", "ja", "en"},
		{"", "fr-CA,fr;q=0.9,en;q=0.8", "fr"}, {"", "de-AT,de;q=0.9,en;q=0.8", "de"},
		{"", "*", "en"}, {"", ";;;q=x", "en"}, {"", strings.Repeat("es,", 200), "en"},
		{"es", "zh", "es"}, {"xx", "zh", "zh-Hans"}, {"es-MX", "zh", "es"}, {"en", "es", "en"},
		{"zh", "es", "zh-Hans"}, {"ja", "es", "es"}, {strings.Repeat("e", 50), "es", "es"},
	} {
		want(t, c.chosen+" "+c.accepted, all.Choose(c.chosen, c.accepted).Tag, c.tag)
	}
}

func TestArgumentsOfATextWithTagsAreEscaped(t *testing.T) {
	p := load(t)["en"]
	const link = `<a href="%s" title="%s">%s</a>`
	for target, kept := range map[string]bool{"/reports?q=a&b": true, "https://a.example": true,
		"mailto:a@b.example": true,
		"#top":               true, "javascript:alert(1)": false, "JAVASCRIPT:alert(1)": false, " javascript:alert(1)": false,
		"data:text/html,x": false, "": false} {
		href := "#"
		if kept {
			href = strings.ReplaceAll(target, "&", "&amp;")
		}
		want(t, target, string(p.HTML(link, target, `"`, "<b>")), `<a href="`+href+`" title="&#34;">&lt;b&gt;</a>`)
	}
	want(t, "in another order", string(p.HTML(`%[2]s <a href="%[1]s">x</a>`, "vbscript:x", "vbscript:x")),
		`vbscript:x <a href="#">x</a>`)
	want(t, "behind a percent sign", string(p.HTML(`5 %% <a href="%s">x</a>`, "vbscript:x")), `5 % <a href="#">x</a>`)
	want(t, "a key and a number", string(p.HTML("%d %s", 1200, Key("a & b"))), "1,200 a &amp; b")
}

func TestAFaultOfATranslationIsFound(t *testing.T) {
	es, err := Read("es")
	if err != nil {
		t.Fatal(err)
	}
	for _, good := range []Entry{
		{Key: "%s of %s", Text: "de %[2]s %[1]s"}, {Key: "100 %%", Text: "el 100 %%"}, {Key: "not yet"},
		{Key: "%s: %d <b>reports</b>", One: "%[1]s: un <b>informe</b>", Other: "%s: %d <b>informes</b>"},
		{Key: `5 %% in <a href="%s">b</a>`, Text: `<a href="%s">b</a>: 5 %%`},
		{Key: "%d things", Text: "Cosas: %d"}, {Key: `<a href="%s">%s</a>`, Text: `%[2]s <a href="%[1]s"></a>`},
		{Key: `%d in <a href="%s">b</a>`, One: `uno en <a href="%[2]s">b</a>`, Other: `%d en <a href="%s">b</a>`},
	} {
		if err := check(good, es.Plurals()); err != nil {
			t.Errorf("%v: %v", good, err)
		}
		if _, counted, _ := Placeholders(string(good.Key)); counted == 2 { // of a name
			es.Texts = []Entry{good}
			if text := New(es).English().Text(good.Key, "a", 1); strings.Contains(text, "%!") {
				t.Errorf("%v is printed as %s", good, text)
			}
		}
	}
	for _, bad := range []Entry{
		{Key: "%s of %s", Text: "%s"}, {Key: "%s", Text: "%d"}, {Key: "%s", Text: "%[2]s"}, {Key: "%v", Text: "%v"},
		{Key: "100 %", Text: "100 %"}, {Key: "%[1]s %s", Text: "%s %s"}, {Key: "a <b>b</b>", Text: "a b"},
		{Key: `<a href="/x">b</a>`, Text: `<a href="/y">b</a>`},
		{Key: `<a href="%s">%s</a>`, Text: `<a href="%[2]s">%[1]s</a>`},
		{Key: "%d reports", Other: "%d informes"},
		{Key: "%d reports", One: "%d informe"}, {Key: "reports", One: "informe", Other: "informes"},
		{Key: "%d reports", One: "uno", Few: "%d", Other: "%d"}, {Key: "%s %d", One: "%d", Other: "%s %d"},
		{Key: "%s: %d reports", One: "%s: un informe", Other: "%s: %d informes"},
		{Key: "a", Text: " a"}, {Key: "a", Text: "${a}"}, {Key: "%[1]s: %[1]d", Text: "%[1]s: %[1]d"},
		{Key: "%d reports", Text: "%d", One: "%d informe", Other: "%d informes"},
	} {
		if check(bad, es.Plurals()) == nil {
			t.Errorf("%v passes", bad)
		}
	}
}

// TestAnArgumentThatIsATextIsTranslatedToo and stays as it is for the caller.
func TestAnArgumentThatIsATextIsTranslatedToo(t *testing.T) {
	args := []any{Key("Today"), "Today"}
	for tag, said := range map[string]string{"en": "Today, Today", "de": "Heute, Today", "es": "Hoy, Today"} {
		want(t, tag, load(t)[tag].Text("%s, %s", args...), said)
	}
	if args[0] != Key("Today") {
		t.Errorf("the caller has %v", args[0])
	}
}

// TestATextIsInACatalogueOnce: the second one would win.
func TestATextIsInACatalogueOnce(t *testing.T) {
	for _, tag := range Shipped() {
		c, err := Read(tag)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[Key]bool{}
		for _, e := range c.Texts {
			if seen[e.Key] {
				t.Errorf("%s: %q is there twice", tag, e.Key)
			}
			seen[e.Key] = true
		}
	}
}
