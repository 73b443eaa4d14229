package web

import (
	"net/http"
	"strings"
	"testing"

	"tocsin"
)

// TestAReloadAfterFilingKeepsTheToken and files nothing twice. The token is for this browser alone, until it is
// dismissed.
func TestAReloadAfterFilingKeepsTheToken(t *testing.T) {
	s := start(t)
	s.starter()
	v := s.visitor()
	form := aForm.with(fields{thingsField: thief + "\nreceipt-one.example",
		onceField: v.get("/report").hidden(onceField)})
	sent := v.do(http.MethodPost, "/report", form)
	at := sent.header.Get("Location")
	want(t, "sent", []any{sent.status, strings.HasSuffix(at, "/receipt"), len(sent.cookies)}, []any{303, true, 1})
	c := sent.cookies[0]
	want(t, "the cookie", []any{c.Path, c.HttpOnly, c.SameSite, c.MaxAge > 0},
		[]any{at, true, http.SameSiteLaxMode, true})
	want(t, "the alarm", v.get("/screen/"+thief).status, 200)
	first, reloaded := v.get(at), v.get(at)
	want(t, "levels on the receipt", len(first.class("level")), 0)
	token := rawText(first.id("manage"))
	want(t, "reloaded", []any{rawText(reloaded.id("manage")), reloaded.header.Get("Cache-Control"), token != ""},
		[]any{token, "no-store", true})
	again := v.do(http.MethodPost, "/report", form) // the response was lost
	want(t, "sent again", []any{again.status, again.header.Get("Location")}, []any{303, at})
	want(t, "with its token", rawText(v.get(at).id("manage")), token)
	want(t, "reports", len(v.get("/reports?q=receipt-one.example").class("entry")), 1)

	report := strings.TrimSuffix(at, "/receipt")
	other := s.visitor().get(at)
	want(t, "for somebody else", []any{other.status, other.header.Get("Location"), strings.Contains(other.html, "man_")},
		[]any{303, report, false})
	forged := s.visitor().get(at, "Cookie: receipt=man_wrong")
	want(t, "with another token", []any{forged.status, forged.header.Get("Location")}, []any{303, report})
	file := v.get(at + "/code.txt")
	want(t, "as a file", []any{file.header.Get("Content-Disposition"), strings.Contains(file.html, "\n"+token+"\n"),
		strings.Contains(file.html, s.base+report+"\n")},
		[]any{`attachment; filename="tocsin-` + strings.TrimPrefix(report, "/reports/") + `.txt"`, true, true})
	none := s.visitor().get(at + "/code.txt")
	want(t, "as a file for somebody else", []any{none.status, none.header.Get("Location")}, []any{303, report})
	dismissed := v.post(at, fields{})
	want(t, "dismissed", []any{dismissed.status, dismissed.header.Get("Location")}, []any{303, report})
	want(t, "then", v.get(at).header.Get("Location"), report)
	if err := s.db.Withdraw(t.Context(), strings.TrimPrefix(report, "/reports/"), token); err != nil {
		t.Error(err)
	}
}

// TestAFormThatIsSentAgainAfterItsReportWasWithdrawn publishes nothing, and says so. Sent once more it is
// another report.
func TestAFormThatIsSentAgainAfterItsReportWasWithdrawn(t *testing.T) {
	s := start(t)
	v := s.visitor()
	form := aForm.with(fields{thingsField: "withdrawn-again.example", onceField: v.get("/report").hidden(onceField)})
	filed := v.post("/report", form)
	first, code := s.storedReport(filed), rawText(filed.id("manage"))
	if err := s.db.Withdraw(t.Context(), first.ID, code); err != nil {
		t.Fatal(err)
	}
	again := v.post("/report", form)
	again.says("Nothing was published.")
	want(t, "sent again", []any{again.status, again.value(storyField)}, []any{410, form[storyField]})
	anew := s.storedReport(v.post("/report", form.with(again.sent()).with(fields{publishField: "yes"})))
	want(t, "sent once more", []any{anew.ID != first.ID, anew.Title}, []any{true, form[titleField]})
}

// TestAFormThatIsChangedAndSentAgainIsAnotherReport, though it is the same form.
func TestAFormThatIsChangedAndSentAgainIsAnotherReport(t *testing.T) {
	draft := tocsin.Draft{Title: "a"}
	f := &form{Once: "0123456789abcdef"}
	one := f.idempotencyKey(&draft)
	want(t, "the same", f.idempotencyKey(&draft), one)
	draft.Title = "b"
	if two := f.idempotencyKey(&draft); two == one || len(two) < 16 {
		t.Errorf("%q and %q", one, two)
	}
	want(t, "without", (&form{}).idempotencyKey(&draft), "")
}
