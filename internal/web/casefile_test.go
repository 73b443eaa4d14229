package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/answer"
)

// TestACaseFileHasTheReportAndItsHash for whoever asks, and never its code.
func TestACaseFileHasTheReportAndItsHash(t *testing.T) {
	s := start(t)
	s.starter()
	s.list("quiet", "quiet", tocsin.Risk, "scam", "quiet.example")
	all := everything()
	all["scammerAddresses"], all["reportedHandles"] = []string{thief, nobody}, []string{"telegram:lena_88"}
	all["scammerAccounts"] = []string{"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"}
	one := s.file(all)
	path := s.api.Contract().Base + "/community-reports/" + one.ID
	w := httptest.NewRecorder()
	s.http.Config.Handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	sum := sha256.Sum256(w.Body.Bytes())
	hash := hex.EncodeToString(sum[:])

	v := s.visitor()
	p := v.get("/reports/" + one.ID + "/case")
	want(t, "the page", []any{p.status, p.h1()}, []any{200, "Case file"})
	p.says("Answers also look into these lists:")
	p.says(one.ID, s.base+"/reports/"+one.ID, s.base+path, hash, story1[:40], "28 Feb 2026, 23:59 UTC", "Growing Gold",
		"about 999,999,999,999.99 USD, in ETH", "Tocsin 1.2.3", thief, "everything[.]example", "lena_88", aHash,
		"hxxps://evidence[.]example/thread?id=1&page=2#last", "not looked up")
	want(t, "nothing is screened for free", len(p.class("level")), 0)
	want(t, "linked from the report", slices.Contains(v.get("/reports/"+one.ID).links(), "/reports/"+one.ID+"/case"), true)

	v.get("/screen/" + thief)
	p = v.get("/reports/" + one.ID + "/case")
	want(t, "what was looked up", textOf(p.class("level")...), "Critical")
	p.says("Lists used", "OFAC", "Answers also look into these lists: quiet (4 Mar 2026).")
	want(t, "the lists that name it, with their files", len(below(p.id("h-used").Parent, "tr")), 3)
	d := v.get("/reports/" + one.ID + "/case.json")
	want(t, "saved", []string{d.header.Get("Content-Type"), d.header.Get("Content-Disposition"),
		d.header.Get("Cache-Control")}, []string{"application/json", `attachment; filename="tocsin-` + one.ID + `.json"`,
		"no-store"})
	var file struct {
		Page, MadeAt, ReportSHA256 string
		Program                    string
		ListsRead                  []struct{ Files []struct{ SHA256 string } }
		Report                     json.RawMessage
		Subjects                   []struct {
			Subject   string
			Screening *struct{ RiskLevel, AsOf string }
			History   []struct{ List, RecordedAt string } `json:"listHistory"`
			SeeAlso   []answer.Link
			ObjectAt  string
		}
	}
	if err := json.Unmarshal([]byte(d.html), &file); err != nil {
		t.Fatal(err)
	}
	want(t, "what it rests on", []any{file.Program, len(file.ListsRead) > 0}, []any{"tocsin 1.2.3", true})
	want(t, "JSON", []any{file.Page, file.ReportSHA256, file.MadeAt != "", len(file.Subjects)},
		[]any{s.base + "/reports/" + one.ID, hash, true, 5})
	var ours, theirs any
	if json.Unmarshal(file.Report, &ours) != nil || json.Unmarshal(w.Body.Bytes(), &theirs) != nil {
		t.Fatal(string(file.Report))
	}
	want(t, "the report", ours, theirs)
	want(t, "what is known", []any{file.Subjects[0].Subject, file.Subjects[0].Screening.RiskLevel,
		file.Subjects[1].Screening == nil}, []any{thief, "CRITICAL", true})
	var history []string
	for _, l := range file.Subjects[0].History {
		history = append(history, l.List+" "+l.RecordedAt[:10])
	}
	want(t, "since when", []any{history, file.Subjects[1].History == nil},
		[]any{[]string{"ofac 2026-03-04", "starter 2026-03-04"}, true})
	tron := file.Subjects[2]
	want(t, "links", []any{len(file.Subjects[0].SeeAlso), tron.SeeAlso, tron.ObjectAt}, []any{2,
		[]answer.Link{{Name: "Tronscan", URL: "https://tronscan.org/#/address/TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"}},
		s.base + "/object?subject=tron%3A728126428%3ATR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"})
	for _, to := range []string{tron.SeeAlso[0].URL, "https://etherscan.io/address/" + thief,
		"https://urlscan.io/domain/everything.example"} {
		want(t, to, slices.Contains(p.links(), to), true)
	}
	for _, text := range []string{p.html, d.html} {
		if secret.MatchString(text) || strings.Contains(text, one.ManageToken) {
			t.Error("the code is in the case file")
		}
	}
	want(t, "of no report", []int{v.get("/reports/rep_nowhere/case").status,
		v.get("/reports/rep_nowhere/case.json").status},
		[]int{404, 404})
	// A field of one line joins the lines of the file that the receipt offers.
	pasted := "Código: " + one.ManageToken + "Tu reporte: https://tocsin.example/reports/" + one.ID
	wrong := fields{"token": "man_" + strings.Repeat("a", 38), sureField: "yes"}
	want(t, "another code", v.post("/reports/"+one.ID+"/withdraw", wrong).status, 403)
	want(t, "withdrawn", v.post("/reports/"+one.ID+"/withdraw", fields{"token": pasted, sureField: "yes"}).status, 200)
	want(t, "then", []int{v.get("/reports/" + one.ID + "/case").status, v.get("/reports/" + one.ID + "/case.json").status},
		[]int{410, 410})
}

func TestAfterFilingThereAreAgenciesAndACaseFile(t *testing.T) {
	s := start(t)
	v := s.visitor()
	p := v.post("/report", aForm)
	id := s.storedReport(p).ID
	links := p.links()
	for _, to := range []string{"/reports/" + id + "/case", "/reports/" + id + "/case.json"} {
		want(t, to, slices.Contains(links, to), true)
	}
	p.says("Your code to correct or remove the report", "Help in your country", "This cannot be undone.")
	p = v.get("/reports/" + id + "/receipt?country=DE")
	p.says("Germany", "BaFin", "Your code to correct or remove the report")
	want(t, "for others", strings.Contains(s.visitor().get("/reports/"+id).html, "Help in your country"), false)
}
