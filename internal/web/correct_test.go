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
	p.says("You correct your report " + first.ID)
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
		[]any{true, "A better title", form[storyField] + "\n\nThis corrects the report " + first.ID + ".", 1250.5})
	gone := v.get(at)
	want(t, "the first", []any{gone.status, slices.Contains(gone.links(), "/reports/"+second.ID)}, []any{410, true})
	lacks(t, published, "Your former report is still public.")

	again := v.post("/reports/"+second.ID+"/correct", fields{"token": rawText(published.id("manage"))})
	want(t, "once more", []any{again.status, again.value(storyField)}, []any{200, form[storyField]})
	wrong := v.post("/reports/"+second.ID+"/correct", fields{"token": code})
	want(t, "with another code", []any{wrong.status, strings.Contains(wrong.html, `name="title"`)}, []any{403, false})
}

// TestNothingIsLostIfTheFormerReportStays public: its receipt says so. A report that only says that it corrects another
// one is not linked to.
func TestNothingIsLostIfTheFormerReportStays(t *testing.T) {
	s := start(t)
	v := s.visitor()
	first := s.file(draft{"reportedDomains": []string{"stays.example"}})
	form := aForm.with(fields{thingsField: "stays.example", correctsField: first.ID,
		codeField: "man_" + strings.Repeat("a", 38)})
	filed := v.post("/report", form)
	want(t, "filed", []any{filed.status, v.get("/reports/" + first.ID).status}, []any{200, 200})
	filed.says("Your former report is still public.")
	s.Sleep(2 * withdrawnWithin)
	if err := s.db.Withdraw(t.Context(), first.ID, first.ManageToken); err != nil {
		t.Fatal(err)
	}
	gone := v.get("/reports/" + first.ID)
	want(t, "no link", []any{gone.status, slices.Contains(gone.links(), "/reports/"+s.storedReport(filed).ID)},
		[]any{410, false})
}
