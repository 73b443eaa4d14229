package web

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// choices are the fields that hold one of a few values, and nothing else that is typed.
var choices = []string{crimeField, platformField, hashesField, theirsField, meantField}

// TestWhatIsTheirsMayBeInTheStory: the form asks once whose a number is, and not about what is named as theirs.
func TestWhatIsTheirsMayBeInTheStory(t *testing.T) {
	s := start(t)
	v := s.visitor()
	form := aForm.with(fields{thingsField: "asked.example\n+52 55 9876 5432\nthief@mail.example",
		storyField: "He wrote from thief@mail.example and " +
			"+52 55 9876 5432, or 55 9876 5432, and wanted it on 4111 1111 1111 1111."})
	asked := v.post("/report", form)
	asked.says("Everybody will see 4111 1111 1111 1111, +525598765432, thief@mail.example. If it is yours")
	want(t, "asked", []any{asked.status, strings.Contains(asked.html, `name="theirs" value="all"`)}, []any{422, true})
	filed := v.post("/report", form.with(fields{theirsField: "all"}))
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
	p.says("Is any of this yours?", "Everybody will see +34612345678, ana@mail.example.")
	filed := s.storedReport(v.post("/report", form.with(fields{theirsField: "all"})))
	want(t, "filed", filed.ReportedHandles, []string{"phone:+34612345678", "email:ana@mail.example"})
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
		v.post("/report", form).says("Everybody will see " + strings.ReplaceAll(number, " ", "") + ". If it is yours")
		asked := v.post("/report", form.with(fields{thingsField: "home.example"}))
		want(t, home+", of nobody", []any{asked.status, strings.Contains(asked.main(), home)}, []any{422, true})
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
	filed := v.post("/report", form.with(fields{foundField: "phone:+34612345678", theirsField: "all"}))
	want(t, "theirs", s.storedReport(filed).ReportedHandles, []string{"phone:+34612345678"})
	want(t, "another handle", v.get("/report?handle=telegram:lena_trades88").value(thingsField), "telegram:lena_trades88")
}

// TestAllThatMayBeOnesOwnIsNamed before publishing, and can be taken out at once.
func TestAllThatMayBeOnesOwnIsNamed(t *testing.T) {
	v := start(t).visitor()
	var mails []string
	for i := range maxPrivate + 2 {
		mails = append(mails, fmt.Sprintf("q%dz@mail.example", i))
	}
	form := written(fields{thingsField: "out.example, ana@mail.example",
		storyField: "From " + strings.Join(mails[:7], " ")})
	p := v.post("/report", form)
	p.says("Everybody will see " + strings.Join(mails[:7], ", ") + ", ana@mail.example.")
	p = v.post("/report", p.sent().with(fields{takeOutField: "yes"}))
	want(t, "taken out", []any{p.status, p.h1(), p.sent()[thingsField], p.sent()[storyField]},
		[]any{200, "Not public yet: read it once more", "out.example", "From" + strings.Repeat(" […]", 7)})
	lacks(t, p, "Is any of this yours?")
	chat := written(fields{thingsField: "", storyField: "I wrote from +34 612 345 678 to +44 7700 900123."})
	p = v.post("/report", chat.with(fields{takeOutField: "yes", foundField: "phone:+447700900123"}))
	want(t, "but what was chosen", []any{p.sent()[thingsField], p.sent()[storyField]},
		[]any{"phone:+447700900123", "I wrote from […] to +44 7700 900123."})
	p = v.post("/report", form.with(fields{storyField: strings.Join(mails, " ")}))
	p.says(mails[maxPrivate-1] + ", 3 more. If it is yours")
}
