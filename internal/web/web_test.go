package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/api"
	"tocsin/internal/tocsintest"
)

func TestFormsOfOtherSitesAreRefused(t *testing.T) {
	s := start(t)
	v := s.visitor()
	key := v.signIn(tocsintest.NewAccount(t)).key()
	stranger := tocsintest.NewAccount(t)
	message := v.message(stranger)
	signature := stranger.Sign(message)
	report := s.file(draft{"reportedDomains": []string{"withdrawn.example"}})
	for _, foreign := range [][]string{
		{"origin: https://evil.example", "sec-fetch-site: cross-site"}, {"origin: https://evil.example"},
		{"sec-fetch-site: cross-site"}, {"sec-fetch-site: same-site"},
		{"origin: null"}, {"origin: http://tocsin.example.evil.example"}, {"origin: http://sub.tocsin.example"},
	} {
		for path, forms := range map[string][]fields{
			"/account": {{"do": "signout"}, {"do": "revoke", "confirm": "yes", "key": key[:12]},
				{"do": "replace", "confirm": "yes", "key": key[:12]}, {"address": nobody}},
			"/account/message": {{"address": nobody}},
			"/account/sign-in": {{"message": message, "signature": signature}},
			// which would sign the visitor in as somebody else
			"/theme":                              {{"theme": "dark"}},
			"/language":                           {{"language": "es"}},
			"/report":                             {aForm},
			"/reports/" + report.ID + "/withdraw": {{"token": report.ManageToken}},
		} {
			for _, form := range forms {
				p := v.post(path, form, foreign...)
				if p.status != http.StatusForbidden || len(p.cookies) > 0 || p.h1() != "This came from another site" {
					t.Errorf("%s %v %v: %d %v", path, form, foreign, p.status, p.cookies)
				}
			}
		}
	}
	want(t, "nothing has happened", []any{v.signedIn(), s.me(key).Authenticated, v.get("/reports/" + report.ID).status},
		[]any{true, true, 200})
	own := v.post("/theme", fields{"theme": "dark"}, "host: 127.0.0.1:8402",
		"origin: http://tocsin.example") // a proxy has changed the host
	want(t, "our own form behind a proxy", own.status, 303)
	own = v.post("/theme", fields{"theme": "dark"}, "origin: http://evil.example", "sec-fetch-site: same-origin",
		"host: tocsin.example")
	want(t, "what the browser says is believed first", own.status, 303)
	want(t, "the nonce was not used up", v.post("/account/sign-in",
		fields{"message": message, "signature": signature}).key() != "", true)
}

func TestTheThemeIsKeptAndTheVisitorStays(t *testing.T) {
	s := start(t)
	for from, to := range map[string]string{
		"http://tocsin.example/reports?q=a%20b&crimeType=hack": "/reports?q=a%20b&crimeType=hack",
		"http://tocsin.example/status#lists":                   "/status", "": "/", "https://evil.example/x": "/x",
		"https://tocsin.example//evil.example": "/", `https://tocsin.example/\evil.example`: "/%5Cevil.example",
		"evil.example": "/", "://": "/", "data:text/html,x": "/", "http://tocsin.example": "/",
	} {
		v := s.visitor()
		p := v.post("/theme", fields{"theme": "dark"}, "referer: "+from)
		want(t, from, []any{p.status, p.header.Get("Location")}, []any{303, to})
		want(t, from, p.header.Get("Set-Cookie"), "theme=dark; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax")
		want(t, "the next page", attr(v.get("/").all("html")[0], "data-theme"), "dark")
		for _, choice := range []string{"system", "purple", ""} {
			p = v.post("/theme", fields{"theme": choice})
			want(t, choice, p.header.Get("Set-Cookie"), "theme=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax")
		}
		want(t, "the system's", has(v.get("/").all("html")[0], "data-theme"), false)
	}
}

func TestAFailureOfOursIsAPageThatSaysSo(t *testing.T) {
	s := start(t)
	send := func(answer handler) *response {
		t.Helper()
		site := *s.site
		site.mux = http.NewServeMux()
		site.mux.Handle("/", site.serve(answer))
		server := httptest.NewServer(behindDoor(&site))
		defer server.Close()
		return s.visitorAt(server.Listener.Addr()).get("/screen/x")
	}
	for _, c := range []struct {
		about  string
		answer handler
		status int
		title  string
	}{
		{"a panic", func(*request) (*page, error) { panic("secret cause") }, 500, "Something failed on our side"},
		{"a template that is not there", func(*request) (*page, error) { return &page{Template: "mistyped", Body: 1}, nil },
			500, "Something failed on our side"},
		{"an error", func(*request) (*page, error) { return nil, errors.New("secret cause") }, 500,
			"Something failed on our side"},
		{"a caller who left", func(*request) (*page, error) { return nil, context.Canceled }, 503,
			"The page was given up before it was made"},
		{"too often", func(*request) (*page, error) {
			return nil, &api.Later{Fault: tocsin.Error{Detail: "Wait a little."}, Wait: 90 * time.Second}
		}, 429, "Not so fast, please"},
		{"a fault", func(*request) (*page, error) { return nil, &tocsin.Error{Code: tocsin.Invalid, Detail: "It is wrong"} },
			400, "That does not work"},
		{"a fault of a field", func(*request) (*page, error) {
			return nil, tocsin.Faults([]tocsin.Fault{{Field: "x", Reason: "it is wrong", Fix: "do better"}})
		}, 400, "That does not work"},
	} {
		p := send(c.answer)
		want(t, c.about, []any{p.status, p.h1()}, []any{c.status, c.title})
		if strings.Contains(p.html, "secret cause") {
			t.Errorf("%s: the page tells the cause", c.about)
		}
		if c.status == 500 {
			p.says(p.header.Get("X-Request-Id"))
			if log := s.log.String(); !strings.Contains(log, "level=ERROR") ||
				!strings.Contains(log, "id="+p.header.Get("X-Request-Id")) {
				t.Errorf("%s: not in the log", c.about)
			}
		}
		if c.status == 429 {
			want(t, "Retry-After", p.header.Get("Retry-After"), 90)
			p.says("Try again in 1 min.")
		}
	}
	if err := s.db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/reports", "/screen/" + nobody, "/reports/rep_x", asking("one.example two.example")} {
		if p := s.visitor().get(path); p.status != 500 && p.status != 503 {
			t.Errorf("without a database: %s", p)
		}
	}
	many := fields{bulkField: "one.example\ntwo.example\n", "do": "screen"}
	if p := s.visitor().post("/bulk", many); p.status != 500 && p.status != 503 {
		t.Errorf("many, without a database: %s", p)
	}
	req := &request{Request: httptest.NewRequest(http.MethodGet, "/report", nil)}
	if things, err := s.site.namedBy(req, "rep_aaaaaaaaaaaaaaaa"); err == nil {
		t.Errorf("a report that cannot be read names %q", things)
	}
}

func TestWhatIsNotThereIsSaid(t *testing.T) {
	v := start(t).visitor()
	for _, path := range []string{"/nowhere", "/docs/nothing", "/reports/rep_x/y", "/theme", "/account/message",
		"/report/x", "/assets"} {
		p := v.get(path)
		want(t, path, []any{p.status, p.h1()}, []any{404, "There is nothing here"})
	}
	for _, path := range []string{"/reports/rep_nowhere", "/reports/%3Cscript%3E", "/reports/rep_%00",
		"/reports/rep_aaaaaaaaaaaaaaaa"} {
		p := v.get(path)
		want(t, path, []any{p.status, p.h1()}, []any{404, "No report has this number"})
	}
	for _, method := range []string{http.MethodPut, http.MethodDelete, http.MethodPost, http.MethodOptions} {
		p := v.do(method, "/reports", nil)
		want(t, method, []any{p.status, p.header.Get("Allow")}, []any{405, "GET, HEAD"})
	}
	p := v.post("/report", fields{"description": strings.Repeat("x", maxForm)})
	want(t, "a form that is too large", p.status, 413)
	p.says("It may have at most 96 KB of text.")
}

func TestAnAssetIsKeptForEver(t *testing.T) {
	s := start(t)
	v := s.visitor()
	media := map[string]string{"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
		"svg": "image/svg+xml", "woff2": "font/woff2", "txt": "text/plain; charset=utf-8"}
	for name, file := range s.site.assets.files {
		p := v.get("/assets/" + name)
		ext := name[strings.LastIndexByte(name, '.')+1:]
		want(t, p.about, []any{p.status, p.header.Get("Content-Type"), p.header.Get("Cache-Control"),
			p.header.Get("X-Content-Type-Options"), p.header.Get("Vary"), p.header.Get("Content-Encoding")},
			[]any{200, media[ext], "public, max-age=31536000, immutable", "nosniff", "Accept-Encoding", "gzip"})
		want(t, p.about, []any{p.html == string(file.plain), p.wire}, []any{true, len(file.packed())})
		plain := v.get("/assets/"+name, "accept-encoding: identity")
		want(t, plain.about, []any{plain.html == string(file.plain), plain.header.Get("Content-Encoding")}, []any{true, ""})
		z, err := gzip.NewReader(bytes.NewReader(file.packed()))
		if err != nil {
			t.Fatal(err)
		}
		if whole, err := io.ReadAll(z); err != nil || !bytes.Equal(whole, file.plain) {
			t.Errorf("%s: the packed one is another", name)
		}
	}
	for _, path := range []string{"/assets/tocsin.css", "/assets/..%2fweb.go", "/assets/tocsin.00000000.css"} {
		want(t, path, v.get(path).status, 404)
	}
	if _, err := s.site.assets.url("nothing.css"); err == nil {
		t.Error("an asset that is not there has a URL")
	}
}
