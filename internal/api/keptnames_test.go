package api

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tocsin"
	"tocsin/internal/front"
	"tocsin/internal/limits"
	"tocsin/internal/lookalike"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// TestAKeptAnswerAboutANameFollowsWhatChanges at once: also about names with nothing on record, which are answered from
// the read model, and kept when they are asked for again.
func TestAKeptAnswerAboutANameFollowsWhatChanges(t *testing.T) {
	tocsintest.Parallel(t)
	var clock tocsintest.Clock
	db, err := store.Open(t.Context(), tocsintest.NewDatabase(t), store.Options{Now: clock.Now,
		Silence: tocsintest.Patience, Memory: store.Memory{Model: 32 << 20, Evidence: 64 << 20}})
	tocsintest.Must(t, err)
	t.Cleanup(func() { db.Close() })
	db.LoadModel()
	tocsintest.Eventually(t, "the read model", func() bool { return db.Condition().Model == store.ModelLoaded })
	names := lookalike.NewDetector(tocsintest.Brands(), tocsintest.NameModel(t, "first"))
	a, err := New(db, Config{Names: names, Deployment: front.Deployment{BaseURL: baseURL, Now: clock.Now,
		Log: slog.New(slog.DiscardHandler), Limits: limits.Config{Filings: 10}}})
	tocsintest.Must(t, err)
	door := front.New(a.Deployment())
	door.HandleBelow("/", a)
	quota := 1000
	key := tocsintest.Key(t, db, &quota)
	send := func(method, path, body string) (answer any) {
		r := httptest.NewRequest(method, a.contract.Base+path, strings.NewReader(body))
		r.Header.Set("x-api-key", key)
		r.Header.Set("Content-Type", "application/json")
		to := httptest.NewRecorder()
		door.ServeHTTP(to, r)
		tocsintest.Must(t, json.Unmarshal(to.Body.Bytes(), &answer))
		return answer
	}
	is := func(name string) string {
		body := send(http.MethodGet, "/domains/check/"+name, "")
		at := func(path string) any { return tocsintest.At(body, path) }
		return fmt.Sprintln(at("domain"), at("riskScore"), at("result"), at("prediction.modelVersion"), at("reportCount"))
	}
	for _, c := range []struct {
		about, name, before, after string
		change                     func()
	}{
		{"another model", "metamask-login.io", "25 suspicious first 0", "25 suspicious second 0",
			func() { names.Use(tocsintest.NameModel(t, "second")) }},
		{"a safelist that has its parent", "claim.metamask-login.org", "25 suspicious second 0",
			"0 no_reports <nil> 0", func() {
				tocsintest.List(t, db, "good", "good", tocsin.Safe, "project", "metamask-login.org")
			}},
		{"a list", "metamask-login.com", "25 suspicious second 0", "68 caution second 0", func() {
			tocsintest.List(t, db, "one", "one", tocsin.Risk, "phishing", "metamask-login.com")
		}},
		{"a report", "metamask-login.net", "25 suspicious second 0", "25 caution second 1", func() {
			body, err := json.Marshal(filing("reportedDomains", []string{"metamask-login.net"}))
			tocsintest.Must(t, err)
			send(http.MethodPost, "/community-reports", string(body))
		}},
	} {
		want(t, "another name, which is asked for once", is("a-" + c.name)[:2], "a-")
		for range 4 {
			want(t, "before "+c.about, is(c.name), c.name+" "+c.before+"\n")
		}
		c.change()
		for range 4 {
			want(t, "after "+c.about, is(c.name), c.name+" "+c.after+"\n")
		}
	}
}
