package web

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// written is a form that was not yet seen as everybody will see it.
func written(with fields) fields {
	form := aForm.with(with)
	delete(form, publishField)
	return form
}

// sent is what the form of a page sends without a script, but for its buttons and what is asked.
func (p *response) sent() fields {
	values := fields{}
	for _, field := range p.all("input") {
		if kind := attr(field, "type"); kind == "hidden" || kind == "radio" && has(field, "checked") {
			name := attr(field, "name")
			if values[name] != "" {
				values[name] += "\n"
			}
			values[name] += attr(field, "value")
		}
	}
	return values
}

// filled is what the form that is shown once more sends.
func (p *response) filled() fields {
	values := p.sent()
	for _, name := range []string{thingsField, crimeField, titleField, storyField} {
		values[name] = p.value(name)
	}
	return values
}

// asked is what a page asks about: whose it is.
func (p *response) asked() (names []string) {
	for _, field := range p.all("select") {
		if attr(field, "name") == whoseField {
			names = append(names, strings.ReplaceAll(textOf(p.labelOf(attr(field, "id"))), "[.]", "."))
		}
	}
	return names
}

// labelOf is the label of a field.
func (p *response) labelOf(id string) *html.Node {
	for _, label := range p.all("label") {
		if attr(label, "for") == id {
			return label
		}
	}
	return nil
}

// TestAReportIsSeenBeforeItIsPublic: as it will be shown, with what is left out. Nothing is written before it is
// published, and what is published is what was shown.
func TestAReportIsSeenBeforeItIsPublic(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	count := func() int {
		reports, err := s.db.Reports(t.Context(), store.Filter{Source: "community", Page: store.Page{Limit: 5}})
		tocsintest.Must(t, err)
		return len(reports.Reports)
	}
	form := written(fields{thingsField: "Main wallet: " + nobody + "\ntelegram: lena_trades88\nhttps://seen.example/pay",
		amountField: "3 400 USDT", onceField: "0123456789abcdef", storyField: "She wrote.\n\nThen it was gone."})
	p := v.post("/report", form)
	want(t, "shown", []any{p.status, p.h1(), count()}, []any{200, "Not public yet: read it once more", 0})
	p.says("A page took my approval", "Phishing", "about 3,400 USD, in USDT", "anonymous", "She wrote.",
		"Then it was gone.", nobody, "seen[.]example", "Telegram", "lena_trades88", "“Main wallet” from the first field",
		"Your network address.")
	again := p.sent()
	want(t, "against sending it twice", again[onceField], form[onceField])

	changed := v.post("/report", again.with(fields{changeField: "yes"}))
	want(t, "to change it", []any{changed.status, changed.h1(), count()}, []any{200, "Report a scam", 0})
	want(t, "its number", changed.hidden(onceField), form[onceField])
	delete(form, onceField)
	changed.keeps(form)

	filed := v.post("/report", again.with(fields{publishField: "yes"}))
	one := s.storedReport(filed)
	want(t, "published", []any{filed.h1(), count(), one.ScammerAddresses, one.ReportedDomains, one.ReportedHandles,
		one.AmountLost, one.Description}, []any{"Your report is public.", 1, []string{nobody}, []string{"seen.example"},
		[]string{"telegram:lena_trades88"}, 3400, form[storyField]})
	twice := v.post("/report", again.with(fields{publishField: "yes"}))
	want(t, "sent twice", []any{s.storedReport(twice).ID, count()}, []any{one.ID, 1})
}

// TestAnswersAreKeptWhileTheFormIsChanged, also in another language, but for what is not among theirs any more.
func TestAnswersAreKeptWhileTheFormIsChanged(t *testing.T) {
	v := start(t).visitor()
	form := written(fields{storyField: "Hola Marta! said lena@mail.example of kept-site.com, on +52 55 9876 5432.\n\n" +
		"ORDENANTE\nMARTA IGLESIAS"})
	p := v.post("/report", form)
	same(t, "asked about", p.asked(), "ORDENANTE MARTA IGLESIAS", "lena@mail.example", "+52 55 9876 5432",
		"Is it the site of whoever cheated you? kept-site.com")
	answers := "mine ORDENANTE MARTA IGLESIAS\ntheirs lena@mail.example\ntheirs +525598765432\nother kept-site.com"
	p = v.post("/report", p.sent().with(fields{whoseField: answers}))
	want(t, "asked", len(p.asked()), 0)
	p.says("Hola [name]! said")

	changed := v.post("/report", p.sent().with(fields{changeField: "yes"}))
	changed = v.post("/report", changed.filled().with(fields{"language": "de"}))
	changed = v.post("/report", changed.filled().with(fields{"language": "en"}))
	again := changed.filled()
	want(t, "asked again", len(v.post("/report", again).asked()), 0)
	again[thingsField] = "claim-one.example"
	same(t, "what was taken out", v.post("/report", again).asked(), "lena@mail.example", "+52 55 9876 5432")
}

// TestTheNameThatIsTheirsIsNotAskedAbout in a greeting or as that of a sender; another is.
func TestTheNameThatIsTheirsIsNotAskedAbout(t *testing.T) {
	p := start(t).visitor().post("/report", written(fields{thingsField: "name: Lena Gold\nasked-2.example",
		storyField: "I wrote: Hola Lena! She said: soy Lena Gold. Hola Marta!"}))
	same(t, "asked about", p.asked(), "Hola Marta")
}

// TestTheFormComesBackWithWhatWasTyped: a browser that goes back leaves empty what it may not complete.
func TestTheFormComesBackWithWhatWasTyped(t *testing.T) {
	p := start(t).visitor().get("/report")
	for _, tag := range []string{"input", "textarea"} {
		for _, field := range p.all(tag) {
			if name := attr(field, "name"); name != "q" {
				want(t, name, attr(field, "autocomplete"), "")
			}
		}
	}
}

// TestWhatIsAskedIsOnThePageBeforePublishing: whose a number is and where a name is, once, and nothing is filed before.
func TestWhatIsAskedIsOnThePageBeforePublishing(t *testing.T) {
	s := start(t)
	v := s.visitor()
	form := written(fields{thingsField: "asked.example\n@lena_trades88",
		storyField: "He called me on +52 55 9876 5432."})
	p := v.post("/report", form)
	p.says("Whose is it?", "On which platform is @lena_trades88?")
	same(t, "asked about", p.asked(), "+52 55 9876 5432")
	want(t, "asked", p.status, 200)
	again := v.post("/report", p.sent().with(fields{nextField: "yes", platformField: "telegram"}))
	want(t, "not answered", []any{again.status, again.h1()}, []any{422, "Not public yet: read it once more"})
	same(t, "asked again", again.asked(), "+52 55 9876 5432")
	shown := v.post("/report", again.sent().with(fields{nextField: "yes", whoseField: "theirs +525598765432"}))
	want(t, "with all of it", []any{shown.status, len(shown.asked())}, []any{200, 0})
	shown.says("Phone", "+525598765432")
	filed := v.post("/report", shown.sent().with(fields{publishField: "yes"}))
	want(t, "filed", s.storedReport(filed).ReportedHandles, []string{"telegram:lena_trades88", "phone:+525598765432"})

	s.starter()
	p = v.post("/report", written(fields{thingsField: "uniswap.org"}))
	want(t, "a well-known site, before it is shown", []any{p.status, p.h1()}, []any{422, "Report a scam"})
	p.says("so it cannot be reported as a whole")
	for name, text := range map[string]string{titleField: "From DE89 3704 0044 0532 0130 00",
		storyField: "I am maria.perez@mail.example"} {
		_, private, _ := strings.Cut(text, "m ")
		same(t, name, v.post("/report", written(fields{name: text})).asked(), private)
	}
}
