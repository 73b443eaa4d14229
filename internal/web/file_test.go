package web

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/store"
)

// FuzzForm types anything into every box: whatever it is, it is parsed or named
// as wrong, what is filed keeps the rules, and a secret is not shown again.
func FuzzForm(f *testing.F) {
	for _, typed := range []string{"https://etherscan.io/address/0x", "0x", "a,b;c", "hxxp://a[.]b/c,https://d.e", "(a.b)", "12.400", "@x", "x@y.z", "1/2", "https://x.y/tx/0x" + strings.Repeat("1", 64),
		"https://x.y/0x" + strings.Repeat("1", 40) + "?z=0x" + strings.Repeat("2", 40), "legal winner thank year wave sausage worth useful legal winner thank yellow", strings.Repeat("a.b ", 120)} {
		f.Add(typed)
	}
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, typed string) {
		values := url.Values{}
		for _, b := range newForm(nil).Boxes {
			values.Set(b.Name, typed)
		}
		for _, kind := range []string{"phishing", typed} {
			values.Set(crimeBox, kind)
			for _, sound := range []bool{false, true} {
				if sound { // so that what else there is gets through
					for name, text := range map[string]string{amountBox: "", currencyBox: "", dateBox: "", titleBox: "A title", hashBox: "", addressBox: ""} {
						values.Set(name, text)
					}
				}
				form := newForm(values)
				draft := form.parse(at)
				if form.Wrong() == 0 {
					if _, err := draft.Parse(at); err != nil {
						t.Errorf("%q: %v", typed, err)
					}
				}
				for _, b := range form.Boxes {
					if tocsin.FindSecret(b.Text) != nil && b.Name != hashBox {
						t.Errorf("%s shows %q", b.Name, b.Text)
					}
					for _, p := range b.Problems {
						if p.Text == "" || p.Brief == "" || tocsin.FindSecret(p.Text) != nil {
							t.Errorf("%s: %+v", b.Name, p)
						}
					}
				}
			}
		}
	})
}

// TestNothingTypedIsLostWhenWeFail files where the database is gone.
func TestNothingTypedIsLostWhenWeFail(t *testing.T) {
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "t.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	a, err := api.New(db, api.Config{BaseURL: "http://tocsin.example", Quota: 10, Filings: 10, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	site, err := New(db, a, Config{BaseURL: "http://tocsin.example", Lookups: 3, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, "/report", strings.NewReader(url.Values{crimeBox: {"hack"}, titleBox: {"A long title"}, storyBox: {"A long story"}, domainBox: {"evil.example"}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	site.ServeHTTP(w, r)
	page := w.Body.String()
	if w.Code != http.StatusInternalServerError && w.Code != http.StatusServiceUnavailable {
		t.Errorf("status %d", w.Code)
	}
	for _, kept := range []string{"A long title", "A long story", "evil.example", `value="hack" checked`, "All that you typed is below.", w.Header().Get("X-Request-Id")} {
		if kept == "" || !strings.Contains(page, kept) {
			t.Errorf("%q is not in the page:\n%s", kept, page)
		}
	}
}

// TestALargeFormIsReadAtOnce holds the time that a form as large as it may be takes.
func TestALargeFormIsReadAtOnce(t *testing.T) {
	for _, part := range []string{"a,", "a.b\n", "0xfg/0x"} {
		for _, name := range []string{addressBox, domainBox, linkBox} {
			start := time.Now()
			form := newForm(url.Values{name: {strings.Repeat(part, maxForm/len(part))}})
			if form.parse(start); form.Wrong() == 0 {
				t.Errorf("%q in %s is nothing wrong", part, name)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%q in %s took %v", part, name, took)
			}
		}
	}
}
