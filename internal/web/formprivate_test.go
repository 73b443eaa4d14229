package web

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin/internal/paste"
	"tocsin/internal/tocsintest"
)

// choices are the fields that hold one of a few values, and nothing else that is typed.
var choices = []string{crimeField, platformField, hashesField, meField, meantField}

// TestWhatIsTheirsMayBeInTheStory: the form asks once whose a number is, and not about what is named as theirs.
func TestWhatIsTheirsMayBeInTheStory(t *testing.T) {
	s := start(t)
	v := s.visitor()
	form := aForm.with(fields{thingsField: "asked.example\n+52 55 9876 5432\nthief@mail.example",
		storyField: "He wrote from thief@mail.example and " +
			"+52 55 9876 5432, or 55 9876 5432, and wanted it on 4111 1111 1111 1111."})
	asked := v.post("/report", form)
	same(t, "asked", asked.asked(), "4111 1111 1111 1111", "+525598765432", "thief@mail.example")
	want(t, "shown", asked.status, 422)
	filed := v.post("/report", form.with(fields{whoseField: "theirs 4111 1111 1111 1111\ntheirs +525598765432\n" +
		"theirs thief@mail.example"}))
	want(t, "filed", []any{filed.status, s.storedReport(filed).Description}, []any{200, form[storyField]})
}

// TestOnesOwnNumberIsNotReported: what a text calls its writer's own goes into no report, and of every phone and e-mail
// address it is asked whose it is.
func TestOnesOwnNumberIsNotReported(t *testing.T) {
	s := start(t)
	v := s.visitor()
	chat := v.get("/screen?" + url.Values{"q": {"Hola, mi telefono +34 612 345 678 mi email maria.perez@gmail.com, " +
		"escribe a @lena_trades88 en chat.example"}}.Encode())
	chat.says("+34612345678", "You call it your own, so a report leaves it out.")
	only := "/report?" + url.Values{"typed": {"chat.example\n@lena_trades88\n"}}.Encode()
	want(t, "what is theirs is reported", slices.Contains(chat.links(), only), true)

	p := v.post("/report", written(fields{thingsField: "chat.example\nmi telefono +34 612 345 678"}))
	want(t, "called one's own", p.status, 422)
	p.says("Line 2: This line calls a number, an e-mail address or a name your own: +34612345678.")
	form := aForm.with(fields{thingsField: "chat.example\n+34 612 345 678\nana@mail.example"})
	p = v.post("/report", form)
	want(t, "not answered", []any{p.status, p.h1()}, []any{422, "Not public yet: read it once more"})
	same(t, "asked", p.asked(), "+34612345678", "ana@mail.example")
	p = v.post("/report", form.with(fields{whoseField: "theirs +34612345678\nmine ana@mail.example"}))
	want(t, "shown without what is mine", []any{p.status, p.sent()[thingsField]},
		[]any{200, "chat.example\nphone:+34612345678"})
	filed := s.storedReport(v.post("/report", p.sent().with(fields{publishField: "yes"})))
	want(t, "filed", filed.ReportedHandles, []string{"phone:+34612345678"})
}

// TestALakhIsAskedAbout: it is mostly of rupees, unless the form says of what.
func TestALakhIsAskedAbout(t *testing.T) {
	s := start(t)
	v := s.visitor()
	form := aForm.with(fields{thingsField: "lakh.example", amountField: "2 lakh"})
	p := v.post("/report", form)
	want(t, "asked", p.status, 422)
	p.says("Is 2 lakh in rupees? Then write the currency with it: 2 lakh INR.", "200,000 US dollars")
	chosen := s.storedReport(v.post("/report", form.with(fields{meantField: "20000000"})))
	want(t, "chosen", []any{chosen.AmountLost, chosen.Currency}, []any{200000, "USD"})
	said := s.storedReport(v.post("/report", form.with(fields{currencyField: "USDT", titleField: "Of which coin"})))
	want(t, "said", []any{said.AmountLost, said.Currency}, []any{200000, "USDT"})
}

// TestANumberOfTheirsIsKnownAsItIsDialledAtHome, whatever the length of the code of its country.
func TestANumberOfTheirsIsKnownAsItIsDialledAtHome(t *testing.T) {
	v := start(t).visitor()
	for number, home := range map[string]string{
		"+1 212 736 5000": "212 736 5000", "+52 55 9876 5432": "55 9876 5432", "+593 99 123 4567": "099 123 4567",
	} {
		form := aForm.with(fields{thingsField: "home.example\n" + number, titleField: "From " + number,
			storyField: "He called from " + home + "."})
		same(t, home, v.post("/report", form).asked(), strings.ReplaceAll(number, " ", ""))
		asked := v.post("/report", form.with(fields{thingsField: "home.example"}))
		same(t, home+", of nobody", asked.asked(), number)
	}
}

// TestANumberThatWasLookedUpMayBeOnesOwn: the form names it only if its visitor says that it is theirs.
func TestANumberThatWasLookedUpMayBeOnesOwn(t *testing.T) {
	s := start(t)
	v := s.visitor()
	found := v.get(v.get("/screen?q=" + url.QueryEscape("+34 612 345 678")).header.Get("Location"))
	at := "/report?" + url.Values{"handle": {"phone:+34612345678"}}.Encode()
	want(t, "its link", slices.Contains(found.links(), at), true)
	p := v.get(at)
	p.says("Phone: +34612345678 belongs to whoever cheated me")
	want(t, "not taken for theirs", []string{p.value(thingsField), p.sent()[offeredField]},
		[]string{"", "phone:+34612345678"})
	form := aForm.with(fields{thingsField: "", offeredField: "phone:+34612345678"})
	p = v.post("/report", form)
	want(t, "nothing was said", p.status, 422)
	p.says("belongs to whoever cheated me")
	filed := v.post("/report", form.with(fields{foundField: "phone:+34612345678", whoseField: "theirs +34612345678"}))
	want(t, "theirs", s.storedReport(filed).ReportedHandles, []string{"phone:+34612345678"})
	want(t, "another handle", v.get("/report?handle=telegram:lena_trades88").value(thingsField), "telegram:lena_trades88")
}

// TestAllThatMayBeOnesOwnIsNamed before publishing, and can be taken out at once, but for what is said to be theirs.
func TestAllThatMayBeOnesOwnIsNamed(t *testing.T) {
	v := start(t).visitor()
	var mails []string
	for i := range maxAsked + 2 {
		mails = append(mails, fmt.Sprintf("q%dz@mail.example", i))
	}
	form := written(fields{thingsField: "out.example, ana@mail.example",
		storyField: "From " + strings.Join(mails[:7], " ")})
	p := v.post("/report", form)
	same(t, "asked", p.asked(), append(slices.Clone(mails[:7]), "ana@mail.example")...)
	p.says("Mine or another person’s: take it out")
	p = v.post("/report", p.sent().with(fields{takeOutField: "yes", whoseField: "theirs " + mails[1]}))
	want(t, "taken out", []any{p.status, p.h1(), p.sent()[thingsField], p.sent()[storyField], len(p.asked())},
		[]any{200, "Not public yet: read it once more", "out.example\nemail:" + mails[1],
			"From [e-mail address] " + mails[1] + strings.Repeat(" [e-mail address]", 5), 0})
	p = v.post("/report", form.with(fields{storyField: strings.Join(mails, " ")}))
	want(t, "at a time", len(p.asked()), maxAsked)
	mine := "mine " + strings.Join(mails[:maxAsked], "\nmine ")
	p = v.post("/report", p.sent().with(fields{nextField: "yes", whoseField: mine}))
	same(t, "the others", p.asked(), append(slices.Clone(mails[maxAsked:]), "ana@mail.example")...)
}

// TestEachNumberHasItsOwnAnswer: what is theirs is named, what is the reporter's own is taken out, also where it is
// written in another way, and what is neither stays in the story alone. Beside a first field with something in it the
// story is asked about as well.
func TestEachNumberHasItsOwnAnswer(t *testing.T) {
	s := start(t)
	v := s.visitor()
	p := v.post("/report", written(fields{thingsField: "lena-invest.vip\n+34 612 345 678", storyField: "Lena wrote on " +
		"lena-invest.vip from +44 7700 900123 to +34-612-345-678, card 4111 1111 1111 1111. My wallet " + nobody +
		" paid to " + thief + ", telegram @lena_trades88, and good-news.com wrote of it, press@good-news.com."}))
	same(t, "asked", p.asked(), "My wallet "+nobody, "press@good-news.com", "4111 1111 1111 1111", "+44 7700 900123",
		"+34612345678", "Did you send money to it? "+thief,
		"Is it the site of whoever cheated you? good-news.com", "Telegram: lena_trades88")
	p = v.post("/report", p.sent().with(fields{nextField: "yes", whoseField: "mine My wallet " + nobody + "\n" +
		"mine 4111 1111 1111 1111\ntheirs +447700900123\nmine +34612345678\ntheirs " + thief + "\n" +
		"other good-news.com\ntheirs telegram:lena_trades88\nmine press@good-news.com"}))
	want(t, "shown", []any{p.status, len(p.asked())}, []any{200, 0})
	filed := s.storedReport(v.post("/report", p.sent().with(fields{publishField: "yes"})))
	want(t, "filed", []any{filed.ScammerAddresses, filed.ReportedDomains, filed.ReportedHandles, filed.Description},
		[]any{[]string{thief}, []string{"lena-invest.vip"}, []string{"phone:+447700900123", "telegram:lena_trades88"},
			"Lena wrote on lena-invest.vip from +44 7700 900123 to [phone number], card [account number]. " +
				"My wallet [wallet address] paid to " + thief + ", telegram @lena_trades88, and good-news.com wrote of it, " +
				"[e-mail address]."})
}

// TestASenderOfAConversationMayBeTheReporter: they say which one, and their name is published nowhere.
func TestASenderOfAConversationMayBeTheReporter(t *testing.T) {
	s := start(t)
	v := s.visitor()
	chat := "[12.03.26, 10:22] Maria Gonzalez: Hola\n[12.03.26, 10:23] Lena Gold: Maria, entra en lena-invest.vip\n" +
		"[12.03.26, 10:24] Maria Gonzalez: ok"
	p := v.post("/report", written(fields{thingsField: "chat.example", storyField: chat, titleField: "Maria was cheated"}))
	p.says("Which of these names are yours? Tick all of them.", "Maria Gonzalez", "Lena Gold", "None of them")
	again := v.post("/report", p.sent().with(fields{publishField: "yes"}))
	want(t, "not answered", []any{again.status, strings.Contains(again.html, "autofocus")}, []any{422, true})
	shown := v.post("/report", p.sent().with(fields{nextField: "yes", meField: "Maria Gonzalez",
		whoseField: "theirs lena-invest.vip"}))
	lacks(t, shown, "Maria", "Gonzalez", "Which of these names are yours? Tick all of them.")
	filed := s.storedReport(v.post("/report", shown.sent().with(fields{publishField: "yes"})))
	want(t, "filed", []any{filed.Title, filed.Description, filed.ReportedDomains}, []any{"[my name] was cheated",
		"[12.03.26, 10:22] Me: Hola\n[12.03.26, 10:23] Lena Gold: [my name], entra en lena-invest.vip\n" +
			"[12.03.26, 10:24] Me: ok", []string{"chat.example", "lena-invest.vip"}})
	shown = v.post("/report", p.sent().with(fields{nextField: "yes", meField: nobodyIsMe,
		whoseField: "other lena-invest.vip"}))
	shown.says("Maria Gonzalez")
	lacks(t, shown, "Which of these names are yours? Tick all of them.")
	want(t, "kept", shown.sent()[meField], nobodyIsMe)
}

// TestNothingIsLookedForInAStoryThatIsFarTooLong: each of 8,000 numbers would be compared with all others.
func TestNothingIsLookedForInAStoryThatIsFarTooLong(t *testing.T) {
	var story strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&story, "+49%07d ", i)
	}
	f := newForm(english(), url.Values{storyField: {story.String()}, titleField: {"A title"}, thingsField: {"a.example"}})
	f.parse(tocsintest.Noon)
	want(t, "asked", []any{len(f.Asked), f.ProblemCount() > 0}, []any{0, true})
	f = newForm(english(), url.Values{storyField: {story.String()[:1000]}, titleField: {"A title"},
		thingsField: {"a.example"}})
	f.parse(tocsintest.Noon)
	want(t, "asked of a story", len(f.Asked) > 40, true)
}

// TestWhatIsMineIsPublishedNowhere: in whichever field it is, and however it is written there.
func TestWhatIsMineIsPublishedNowhere(t *testing.T) {
	s := start(t)
	v := s.visitor()
	const mail, phone, iban = "marta.i84@gmail.com", "0034 655 20 19 47", "ES91 2100 0418 4502 0005 1332"
	all := written(fields{thingsField: "https://own.example/login?user=" + mail + "\n" + mail + "\n+34655201947",
		titleField: "From " + mail, projectField: mail,
		storyField: "I am MARTA.i84 @ gmail.com, " + phone + ", 655201947, my bank " + iban + ".",
		linkField: "https://a.example/?u=marta.i84%40gmail.com&t=%2B34655201947\nhttps://b.example/" + mail + "/x\n" +
			"https://c.example/d#iban=" + strings.ReplaceAll(iban, " ", "")})
	check := func(about string, form fields) {
		t.Helper()
		p := v.post("/report", form)
		if len(p.asked()) == 0 {
			t.Errorf("%s: nothing is asked", about)
			return
		}
		shown := v.post("/report", p.sent().with(fields{takeOutField: "yes"}))
		published := v.post("/report", shown.sent().with(fields{publishField: "yes"}))
		want(t, about, []int{shown.status, published.status}, []int{200, 200})
		shown.says("We asked only about what we recognised")
		lacks(t, shown, "We did not recognise anything private")
		report, err := json.Marshal(s.storedReport(published))
		if err != nil {
			t.Fatal(err)
		}
		for _, own := range []string{mail, "gmail", "655201947", "55201947", "0005 1332", "00051332"} {
			for _, text := range []string{string(report), published.main()} {
				if paste.SpellingOf(text).Holds(paste.SpellingOf(own)) {
					t.Errorf("%s: %s is public in %s", about, own, text)
				}
			}
		}
	}
	check("all", all)
	check("a page of theirs", written(fields{thingsField: "https://page.example/login?user=" + mail}))
	for _, field := range []string{titleField, storyField, projectField, linkField} {
		check(field, written(fields{thingsField: "of-" + strings.ToLower(field) + ".example", field: all[field]}))
	}
	p := v.post("/report", all)
	want(t, "each once", len(p.asked()), 4)
	again := aForm.with(fields{thingsField: "yes.example", titleField: "A link", whoseField: "mine of-it.example",
		linkField: "https://of-it.example/a"})
	left := v.post("/report", again)
	want(t, "left out", left.sent()[linkField], "")
	filed := s.storedReport(v.post("/report", left.sent().with(fields{publishField: "yes"})))
	want(t, "a whole link", len(filed.Evidence.URLs), 0)
	stays := v.post("/report", aForm.with(fields{thingsField: "of-it.example", whoseField: "mine of-it.example"}))
	want(t, "what cannot be taken out is not published", stays.status, 422)
	stays.says("it is still in this field, perhaps written in another way: of-it.example.")
}

// TestAProjectThatIsTooLongIsNotSearched for addresses: each would be a question.
func TestAProjectThatIsTooLongIsNotSearched(t *testing.T) {
	f := newForm(english(), url.Values{projectField: {strings.Repeat("a1@b.co ", 8600)}, thingsField: {"a.example"}})
	f.parse(time.Time{})
	want(t, "questions", len(f.Asked), 0)
}

// TestAHomeIsTakenOutAndTheirsIsKept: what the reporter wrote in many ways is nowhere in the report, and the address
// that the fraudster gives stays in it.
func TestAHomeIsTakenOutAndTheirsIsKept(t *testing.T) {
	s := start(t)
	v := s.visitor()
	p := v.post("/report", written(fields{thingsField: "invest.example", storyField: "My name is Maggie Holloway, I " +
		"live at 14 Orchard Lane, Kettering NN16 8QT. He asked: what is your address? I wrote 14 Orchard Lane. My email " +
		"maggie.h[at]gmail.com, maggie.h@gmail.com. Theirs is Invest House, 14 Baker Street, London. He left."}))
	same(t, "asked", p.asked(), "My name is Maggie Holloway", "I live at 14 Orchard Lane, Kettering NN16 8QT",
		"14 Orchard Lane", "14 Baker Street, London", "maggie.h@gmail.com")
	p = v.post("/report", p.sent().with(fields{takeOutField: "yes", whoseField: "theirs 14 Baker Street, London"}))
	filed := s.storedReport(v.post("/report", p.sent().with(fields{publishField: "yes"})))
	want(t, "filed", filed.Description, "My name is [name], I live at [home address]. He asked: what is your "+
		"address? I wrote [home address]. My email [e-mail address], [e-mail address]. Theirs is "+
		"Invest House, 14 Baker Street, London. He left.")
}

// TestTheNameOfTheReporterIsPublishedNowhere once they said that it is theirs: whole, with a further surname and the
// first name alone. That of the fraudster stays, and so does what has the name in it and is named as theirs.
func TestTheNameOfTheReporterIsPublishedNowhere(t *testing.T) {
	s := start(t)
	v := s.visitor()
	form := written(fields{thingsField: "invest.example\nname: Lena Iglesias\ninstagram: marta_iglesias_real",
		titleField: "Me engañaron, Marta Iglesias", storyField: "Soy Marta Iglesias de Madrid. La cuenta está a nombre " +
			"de Marta Iglesias Ruiz. Lena Iglesias me escribía: querida Marta. Ve a https://Marta.invest.example."})
	p := v.post("/report", form)
	same(t, "asked", p.asked()[:1], "Soy Marta Iglesias")
	shown := v.post("/report", p.sent().with(fields{takeOutField: "yes"}))
	filed := s.storedReport(v.post("/report", shown.sent().with(fields{publishField: "yes"})))
	want(t, "filed", []any{filed.Title, filed.Description, filed.ReportedHandles}, []any{"Me engañaron, [name]",
		"Soy [name] de Madrid. La cuenta está a nombre de [name]. Lena Iglesias me escribía: querida [name]. " +
			"Ve a https://Marta.invest.example.", []string{"name:Lena Iglesias", "instagram:marta_iglesias_real"}})
	again := v.post("/report", shown.sent().with(fields{publishField: "yes", storyField: "Marta wrote again"}))
	want(t, "added later", []any{again.h1(), again.sent()[storyField]},
		[]any{"Not public yet: read it once more", "[name] wrote again"})
	refused := v.post("/report", shown.sent().with(fields{publishField: "yes", thingsField: "name: Marta Iglesias"}))
	want(t, "named as theirs", refused.status, 422)
	refused.says("it is still in this field, perhaps written in another way: Marta Iglesias.")
}

// TestSeveralSendersMayBeTheReporter: two copies of a conversation may name them in two ways.
func TestSeveralSendersMayBeTheReporter(t *testing.T) {
	site, _ := empty(t)
	w := send(site, url.Values{crimeField: {"hack"}, titleField: {"A title"}, thingsField: {"invest.example"},
		meField: {"Marta", "Marta Iglesias", "-"}, storyField: {"[12.03.26, 10:22] Marta Iglesias: Hola\n" +
			"[12.03.26, 10:23] Lena: Marta, entra\n[14.03.26, 09:10] Marta: soy Marta Iglesias Ruiz"}})
	want(t, "shown", []bool{strings.Contains(w.Body.String(), "Marta"), strings.Contains(w.Body.String(), "Iglesias"),
		strings.Contains(w.Body.String(), "soy [my name]")}, []bool{false, false, true})
}

// TestThePreviewPromisesNothing: it says what was not recognised, and what to look for.
func TestThePreviewPromisesNothing(t *testing.T) {
	v := start(t).visitor()
	p := v.post("/report", written(fields{thingsField: "invest.example"}))
	p.says("We did not recognise anything private, but we do not recognise everything. Look for your name,")
	lacks(t, p, "We asked only about what we recognised")
}

// TestWhatIsInTwoFieldsIsAskedAboutOnce, also where so much is asked about that not all is compared.
func TestWhatIsInTwoFieldsIsAskedAboutOnce(t *testing.T) {
	var mails []string
	for i := range maxCompared + 10 {
		mails = append(mails, fmt.Sprintf("q%dz@mail.example", i))
	}
	f := newForm(english(), url.Values{storyField: {strings.Join(mails, " ")}, titleField: {"A title"},
		thingsField: {"a.example"}, projectField: {mails[len(mails)-1]}})
	f.parse(tocsintest.Noon)
	want(t, "asked", len(f.Asked), len(mails))
}
