package web

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestAReportIsCorrected by another one with the same fields: it is filed first, and what it corrects is withdrawn then
// and leads to it.
func TestAReportIsCorrected(t *testing.T) {
	s := start(t)
	v := s.visitor()
	form := aForm.with(fields{thingsField: "correct.example\ntelegram: lena_trades88\n" + nobody, amountField: "1,250.50",
		currencyField: "usdt", dateField: "2026-01-31", projectField: "Growing Gold", hashField: aHash,
		linkField: "https://news.example/a"})
	filed := v.post("/report", form)
	first, code := s.storedReport(filed), rawText(filed.id("manage"))
	at := "/reports/" + first.ID
	p := v.do(http.MethodPost, at+"/receipt/correct", nil)
	p.says("You correct your report "+first.ID, "change it in your story too")
	want(t, "prefilled", []any{p.status, p.value(titleField), p.value(storyField), p.value(thingsField),
		p.value(amountField), p.value(currencyField), p.value(dateField), p.value(projectField), p.value(hashField),
		p.value(linkField), p.value(crimeField), p.header.Get("Cache-Control")},
		[]any{200, form[titleField], form[storyField], nobody + "\ncorrect.example\ntelegram:lena_trades88", "1250.5",
			"USDT", "2026-01-31", "Growing Gold", aHash, "https://news.example/a", form[crimeField], "no-store"})
	s.addSecrets(code)

	changed := form.with(p.sent()).with(fields{titleField: "A better title"})
	delete(changed, publishField)
	shown := v.post("/report", changed)
	want(t, "shown", []any{shown.status, v.get(at).status}, []any{200, 200})
	published := v.post("/report", shown.sent().with(fields{publishField: "yes"}))
	second := s.storedReport(published)
	want(t, "filed", []any{second.ID != first.ID, second.Title, second.Description, second.AmountLost},
		[]any{true, "A better title", form[storyField], 1250.5})
	gone := v.get(at)
	want(t, "the first", []any{gone.status, slices.Contains(gone.links(), "/reports/"+second.ID)}, []any{410, true})
	gone.says("This report was corrected", "Corrected on 4 Mar 2026. The report is now "+second.ID+".")
	v.get(at+"/case").says("This report was corrected", "The report is now "+second.ID+".")
	api := v.get("/api/v1/community-reports/" + first.ID)
	want(t, "for programs", strings.Contains(api.html, "corrected this report, which is now "+second.ID), true)
	lacks(t, published, "Your former report is still public.", "Report the same")
	published.says("Your report is corrected.", "Your old code no longer works")
	for _, path := range []string{"/reports/" + second.ID, "/reports/" + second.ID + "/case"} {
		v.get(path).says("First filed", "Corrects "+first.ID)
	}
	file := v.get("/reports/" + second.ID + "/case.json")
	want(t, "as JSON", strings.Contains(file.html, `"id": "`+first.ID+`"`), true)

	again := v.post("/reports/"+second.ID+"/correct", fields{"token": rawText(published.id("manage"))})
	want(t, "once more", []any{again.status, again.value(storyField)}, []any{200, form[storyField]})
	wrong := v.post("/reports/"+second.ID+"/correct", fields{"token": code})
	want(t, "with another code", []any{wrong.status, strings.Contains(wrong.html, `name="title"`)}, []any{403, false})
}

// TestWhatNamesSomethingElseIsNoCorrection: the former report is withdrawn, and leads nowhere.
func TestWhatNamesSomethingElseIsNoCorrection(t *testing.T) {
	s := start(t)
	v := s.visitor()
	filed := v.post("/report", aForm.with(fields{thingsField: "one.example"}))
	first, code := s.storedReport(filed), rawText(filed.id("manage"))
	v.post("/report", aForm.with(fields{thingsField: "two.example", titleField: "Another title", correctsField: first.ID,
		codeField: code}))
	gone := v.get("/reports/" + first.ID)
	want(t, "the first", gone.status, 410)
	gone.says("This report was withdrawn")
}

// TestADuplicateIsNoCorrection: what was sent before may be the report of a stranger.
func TestADuplicateIsNoCorrection(t *testing.T) {
	s := start(t)
	v := s.visitor()
	filed := v.post("/report", aForm.with(fields{thingsField: "one.example"}))
	first, code := s.storedReport(filed), rawText(filed.id("manage"))
	other := aForm.with(fields{thingsField: "one.example", titleField: "Another title"})
	s.visitor().post("/report", other)
	v.post("/report", other.with(fields{correctsField: first.ID, codeField: code}))
	want(t, "the first", v.get("/reports/"+first.ID).status, 200)
}

// TestACorrectionWithoutAChangeIsTheReportItself: nothing former stays public.
func TestACorrectionWithoutAChangeIsTheReportItself(t *testing.T) {
	s := start(t)
	v := s.visitor()
	form := aForm.with(fields{thingsField: "one.example"})
	filed := v.post("/report", form)
	first, code := s.storedReport(filed), rawText(filed.id("manage"))
	again := v.post("/report", form.with(fields{correctsField: first.ID, codeField: code}))
	want(t, "again", []any{again.status, v.get("/reports/" + first.ID).status}, []any{200, 200})
	lacks(t, again, "Your former report is still public.")
}

// TestNothingIsLostIfTheFormerReportStays public: its receipt says so.
func TestNothingIsLostIfTheFormerReportStays(t *testing.T) {
	s := start(t)
	v := s.visitor()
	first := s.file(draft{"reportedDomains": []string{"stays.example"}})
	form := aForm.with(fields{thingsField: "stays.example", correctsField: first.ID,
		codeField: "man_" + strings.Repeat("a", 38)})
	filed := v.post("/report", form)
	want(t, "filed", []any{filed.status, v.get("/reports/" + first.ID).status}, []any{200, 200})
	filed.says("Your former report is still public.")
}

// TestOnlyItsReporterSaysWhatCorrectsAReport: not the text of another one, however soon it comes. The words of a
// story are kept when it is corrected, also with a loss in another currency, and each step leads to the last report.
func TestOnlyItsReporterSaysWhatCorrectsAReport(t *testing.T) {
	s := start(t)
	v := s.visitor()
	const seeAlso = "They took it.\n\nSee also rep_aaaaaaaaaaaaaaaa."
	form := aForm.with(fields{thingsField: "euros.example", storyField: seeAlso, amountField: "500 EUR"})
	filed := v.post("/report", form)
	first := s.storedReport(filed)
	var last string
	for _, title := range []string{"A better title", "The best title"} {
		at, code := "/reports/"+s.storedReport(filed).ID, rawText(filed.id("manage"))
		p := v.post(at+"/correct", fields{"token": code})
		want(t, "prefilled", []string{p.value(storyField), p.value(amountField), p.value(currencyField)},
			[]string{seeAlso, "500 EUR", "EUR"})
		changed := form.with(p.sent()).with(fields{titleField: title, publishField: "yes"})
		filed = v.post("/report", changed)
		report := s.storedReport(filed)
		want(t, title, []string{report.Title, report.Description}, []string{title, seeAlso + "\n\nAmount lost: 500 EUR"})
		last = "/reports/" + report.ID
	}
	liar := s.file(draft{"reportedDomains": []string{"liar.example"},
		"description": "He is honest.\n\nThis corrects the report " + first.ID + "."})
	gone := v.get("/reports/" + first.ID)
	want(t, "the first", []any{gone.status, slices.Contains(gone.links(), last),
		slices.Contains(gone.links(), "/reports/"+liar.ID)}, []any{410, true, false})
	code := rawText(filed.id("manage"))
	if err := s.db.Withdraw(t.Context(), s.storedReport(filed).ID, code); err != nil {
		t.Fatal(err)
	}
	lacks(t, v.get("/reports/"+first.ID), "See the corrected report")
}

// TestWhoReportsTheSameIsGivenAllThatItNames, to take out what they have not met. Another report than a published one
// names nothing.
func TestWhoReportsTheSameIsGivenAllThatItNames(t *testing.T) {
	s := start(t)
	v := s.visitor()
	const says = "The other report names these."
	first := s.storedReport(v.post("/report", aForm.with(fields{thingsField: "quantfx.example\ntelegram: lena_trades88\n" +
		nobody})))
	v.post("/reports/"+first.ID+"/receipt", nil)
	p := v.get("/reports/" + first.ID)
	p = v.get(p.links()[slices.Index(p.links(), "/report?same="+first.ID)])
	want(t, "things", p.value(thingsField), nobody+"\nquantfx.example\ntelegram:lena_trades88")
	p.says(says)
	for _, id := range []string{"", "rep_0", "rep_00000000000000000000000000", first.ID + "x"} {
		p := v.get("/report?same=" + id)
		want(t, id, []any{p.status, p.value(thingsField), strings.Contains(p.html, says)}, []any{200, "", false})
	}
}
