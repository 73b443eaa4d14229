package web

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/front"
	"tocsin/internal/limits"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// FuzzForm types anything into every box: whatever it is, it is parsed or named
// as wrong, what is filed keeps the rules, and a secret is not shown again.
func FuzzForm(f *testing.F) {
	for _, typed := range []string{"https://etherscan.io/address/0x", "0x", "a,b;c", "hxxp://a[.]b/c,https://d.e",
		"(a.b)", "12.400", "@x", "x@y.z", "1/2", "https://x.y/tx/0x" + strings.Repeat("1", 64),
		"https://x.y/0x" + strings.Repeat("1", 40) + "?z=0x" +
			strings.Repeat("2", 40), "legal winner thank year wave sausage worth useful legal winner thank yellow",
		strings.Repeat("a.b ", 120)} {
		f.Add(typed)
	}
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, typed string) {
		values := url.Values{}
		for _, field := range newForm(english(), nil).Fields {
			values.Set(field.Name, typed)
		}
		for _, kind := range []string{"phishing", typed} {
			values.Set(crimeField, kind)
			for _, sound := range []bool{false, true} {
				if sound { // so that what else there is gets through
					for name, text := range map[string]string{amountField: "", currencyField: "", dateField: "",
						titleField: "A title", hashField: "", thingsField: ""} {
						values.Set(name, text)
					}
				}
				form := newForm(english(), values)
				draft := form.parse(at)
				if form.ProblemCount() == 0 && !form.Unnamed {
					if _, err := draft.Parse(at); err != nil {
						t.Errorf("%q: %v", typed, err)
					}
				}
				for _, field := range form.Fields {
					if tocsin.FindSecret(field.Text) != nil && field.Name != hashField {
						t.Errorf("%s shows %q", field.Name, field.Text)
					}
					for _, p := range field.Problems {
						if p.Text == "" || p.Brief == "" || tocsin.FindSecret(p.Text) != nil {
							t.Errorf("%s: %+v", field.Name, p)
						}
					}
				}
			}
		}
	})
}

// empty is a site over a database that holds nothing.
func empty(t *testing.T) (*Site, *store.DB) {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "t.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	a, err := api.New(db, api.Config{Deployment: front.Deployment{BaseURL: "http://tocsin.example", Quota: 10,
		Limits: limits.Config{Lookups: 3, Filings: 100}, Log: log, Now: time.Now}})
	if err != nil {
		t.Fatal(err)
	}
	site, err := New(db, a)
	if err != nil {
		t.Fatal(err)
	}
	return site, db
}

// behindDoor is the site as it is served.
func behindDoor(site *Site) http.Handler {
	door := front.New(site.config)
	door.Handle("/", site)
	return door
}

// send fills in the form and publishes it.
func send(site *Site, typed url.Values) *httptest.ResponseRecorder {
	typed.Set(publishField, "yes")
	r := httptest.NewRequest(http.MethodPost, "/report", strings.NewReader(typed.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	behindDoor(site).ServeHTTP(w, r)
	return w
}

// receiptOf fills in the form, sends it, and follows to the receipt as a new browser does.
func receiptOf(site *Site, typed url.Values) string {
	sent := send(site, typed)
	r := httptest.NewRequest(http.MethodGet, sent.Header().Get("Location"), nil)
	for _, c := range sent.Result().Cookies() {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	behindDoor(site).ServeHTTP(w, r)
	return w.Body.String()
}

// TestNothingTypedIsLostWhenWeFail files where the database is gone.
func TestNothingTypedIsLostWhenWeFail(t *testing.T) {
	site, db := empty(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	w := send(site, url.Values{crimeField: {"hack"}, titleField: {"A long title"}, storyField: {"A long story"},
		thingsField: {"evil.example"}})
	page, id := w.Body.String(), w.Header().Get("X-Request-Id")
	if w.Code != http.StatusInternalServerError && w.Code != http.StatusServiceUnavailable {
		t.Errorf("status %d", w.Code)
	}
	for _, kept := range []string{"A long title", "A long story", "evil.example", `value="hack" selected`,
		`role="alert" tabindex="-1" autofocus`, id + " All that you typed is below."} {
		if id == "" || !strings.Contains(page, kept) {
			t.Errorf("%q is not in the page:\n%s", kept, page)
		}
	}
}

// TestALargeFormTakesLittle holds what a form as large as it may be costs.
func TestALargeFormTakesLittle(t *testing.T) {
	many := func(part string) string { return strings.Repeat(part, maxForm/len(part)) }
	for typed, first := range map[string]string{
		strings.Repeat("@a\n", 990) + many("\n")[3*990:] + "a": "more than we can read",
		many("@a\n"):                     "more than we can read",
		strings.Repeat("\n", 999) + "@a": "", // CleanText removes the empty lines
		strings.Repeat("@a\n", 999):      "it has 999 entries, 20 are allowed",
		many("a "):                       "longer than a story can be",
		many("\","):                      "it names nothing of theirs",
		many("0xfg/0x"):                  "too long",
		many(strings.Repeat("/tx/0x", 600) + "\n"): "",
		many("/tx/0x/address/0x"):                  "too long",
		many(strings.Repeat("偽", 330) + ".com\n"):  "",
		many(strings.Repeat("ab", 32) + "\n"):      "more than we can read",
		many("é\u0315\u0300\u0344"):                "",
		many("+4915112345678 "):                    "",
	} {
		for _, name := range []string{thingsField, linkField, hashField, storyField} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			form := newForm(english(), url.Values{name: {typed}})
			form.parse(now)
			for _, field := range form.Fields {
				field.Rows()
			}
			runtime.ReadMemStats(&after)
			if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 1<<30 {
				// in truth 60 MB, and 540 with the race detector, where pools forget what they hold, so that each search
				// of an expression allocates; what splits the text again and again takes tens of gigabytes
				t.Fatalf("%.20q in %s took %d MB", typed, name, bytes>>20)
			}
			field := form.Field(name)
			if len(field.Problems) > maxShown+2 || name == thingsField && first != "" && field.Problems[0].Brief != first {
				t.Errorf("%.20q in %s: %+v", typed, name, field.Problems)
			}
		}
	}
}

func TestWhoCannotFileIsToldFirstWhereToTurn(t *testing.T) {
	const tron = "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"
	for _, c := range []struct {
		name  string
		typed url.Values
		want  bool
	}{
		{"nothing", nil, true},
		{"an address of Tron", url.Values{thingsField: {tron}}, false},
		{"a link to an account", url.Values{thingsField: {"https://t.me/thief"}}, false},
		{"an account of theirs", url.Values{thingsField: {"@thief"}}, false},
		{"a project", url.Values{projectField: {"Thief Ltd"}}, true},
		{"a transaction", url.Values{thingsField: {aHash}}, true},
		{"an address that is cut short", url.Values{thingsField: {"0x12…34"}}, false},
	} {
		form := newForm(english(), c.typed)
		form.parse(tocsintest.Noon)
		if form.Nothing != c.want {
			t.Errorf("%s: %+v", c.name, form.Field(thingsField).Problems)
		}
	}
	site, _ := empty(t)
	page, at := send(site, url.Values{crimeField: {"romance_scam"}, titleField: {"She is gone"},
		storyField: {"We wrote\nevery day."}}).Body.String(), 0
	for _, part := range []string{`id="errors" role="alert" tabindex="-1" autofocus`, "We cannot publish this yet</h2>",
		"ask it to stop the payment", `<a href="/help">`, "What you wrote is still below", "it names nothing of theirs",
		`<div class="print"><h2>She is gone</h2><p class="typed">We wrote`, `value="romance_scam" selected`,
		`value="She is gone"`, "every day.</textarea>"} {
		i := strings.Index(page[at:], part)
		if i < 0 {
			t.Fatalf("%q does not follow:\n%s", part, page)
		}
		at += i
	}
}

// TestAReceiptHasTheCodeFirst, since it is shown once, and then the next step.
func TestAReceiptHasTheCodeFirst(t *testing.T) {
	site, _ := empty(t)
	typed := url.Values{crimeField: {"romance_scam"}, titleField: {"A title"}, storyField: {"A story"},
		thingsField: {"evil.example"}}
	page, at := receiptOf(site, typed), 0
	for _, part := range []string{"<h1>Your report is public.", `id="h-token">`, `<output id="manage">man_`,
		"receipt/code.txt", "What to do now</h2>", "Pay nothing more.", "Keep the traces.", "A title</h2>", "Facts</h2>",
		"Your report counts in the score"} {
		i := strings.Index(page[at:], part)
		if i < 0 {
			t.Fatalf("%q does not follow:\n%s", part, page)
		}
		at += i
	}
	if strings.Index(page, "<h1") > strings.Index(page, "<h2") {
		t.Error("the headings are out of order")
	}
	again := receiptOf(site, typed)
	if !strings.Contains(again, "The same one came from your network, <time") || strings.Contains(again, "You sent") ||
		strings.Contains(again, "h-token") {
		t.Errorf("of a double it says:\n%s", again)
	}
}

func TestALongLinkIsStillALink(t *testing.T) {
	long := strings.Repeat("偽", 70)
	for typed, want := range map[string]string{"https://evil.example?" + long: "", "https://" + long + "@evil.example/" +
		long: "", "evil.example/" + long: "", `https://evil.example\` + long: "", long + ".example": "no website"} {
		form := newForm(english(), url.Values{thingsField: {typed}})
		form.parse(tocsintest.Noon)
		got := ""
		for _, p := range form.Field(thingsField).Problems {
			got = p.Brief
		}
		if got != want {
			t.Errorf("%s: %q", typed, got)
		}
	}
}

func TestALinkToTheFormNamesTheSubject(t *testing.T) {
	v := start(t).visitor()
	for query, things := range map[string]string{
		"": "", "?subject=" + strings.ToLower(nobody): nobody,
		"?subject=https://Evil.example/x&subject=nonsense": "evil.example",
		"?subject=" + nobody + "&subject=nonsense&subject=evil.example&subject=" + other: nobody +
			"\nevil.example\n" + other,
		"?handle=telegram:Lena_Trades88":                             "telegram:lena_trades88",
		"?subject=tron:728126428:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t": "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
		"?subject=%3Cscript%3E":                                      "", "?handle=nonsense": "",
	} {
		p := v.get("/report" + query)
		want(t, p.about, p.value(thingsField), things)
	}
}
