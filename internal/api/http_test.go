package api

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"tocsin/internal/front"
)

const (
	thief   = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	usdc    = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
	nobody  = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
	another = "0x52908400098527886E0F7030069857D2E4169EE7"
)

// filing is a report in JSON; pairs of a field and a value change it.
func filing(change ...any) map[string]any {
	f := map[string]any{"crimeType": "phishing", "title": "Fake claim site", "description": "It emptied my wallet.",
		"scammerAddresses": []string{thief}}
	for i := 0; i < len(change); i += 2 {
		f[change[i].(string)] = change[i+1]
	}
	return f
}

func (s *service) file(f map[string]any, headers ...string) *answer {
	s.t.Helper()
	return s.do("POST", "/community-reports", f, headers...)
}

func TestACompressedBodyIsRefusedWithWhatIsTaken(t *testing.T) {
	s := start(t)
	for coding, status := range map[string]int{"gzip": 415, "br": 415, "gzip, identity": 415, "identity": 201,
		"Identity": 201} {
		a := s.do("POST", "/community-reports", filing("title", "Coded "+coding), "Content-Encoding: "+coding)
		want(t, coding, []any{a.status, a.header.Get("Accept-Encoding")},
			[]any{status, map[bool]string{true: "identity"}[status == 415]})
	}
}

func TestEveryExampleOfTheContractIsAnswered(t *testing.T) {
	s := start(t)
	id := s.file(filing()).text("id")
	for _, op := range s.api.contract.Operations() {
		path := strings.TrimPrefix(op.Path, s.api.contract.Base)
		query := url.Values{}
		for _, p := range op.Parameters {
			switch {
			case p.Example == nil || p.Name == "id":
			case p.In == "path":
				path = strings.ReplaceAll(path, "{"+p.Name+"}", p.Example.String())
			default:
				query.Set(p.Name, p.Example.String())
			}
		}
		path = strings.ReplaceAll(path, "{id}", id)
		var body any
		if op.TakesBody() {
			body = op.Body.Example
		}
		a := s.do(op.Method, path+"?"+query.Encode(), body, "x-api-key: "+s.key(100))
		if op.ID == "signIn" { // signed rightly, and long ago
			want(t, op.ID, a.faulty(), []string{"message.issuedAt"})
			continue
		}
		if a.status >= 400 && op.ID != "withdrawReport" {
			t.Errorf("%s: %d %s", op.ID, a.status, a.raw)
		}
	}
}

func TestFaultsOfHTTPAreProblemsToo(t *testing.T) {
	s := start(t)
	for path, want := range map[string]int{"//stats": 404, "/../v1/stats": 404, "/nothing": 404, "/": 404, "/screen": 404,
		"/screen/a/b": 404, "/stats/": 404} {
		if a := s.get(path); a.status != want {
			t.Errorf("%s: %d", path, a.status)
		}
	}
	for call, allow := range map[string]string{"POST /stats": "GET, HEAD", "PUT /check": "POST", "GET /check": "POST",
		"PATCH /community-reports":  "GET, HEAD, POST",
		"POST /community-reports/x": "GET, HEAD, DELETE", "DELETE /me": "GET, HEAD"} {
		method, path, _ := strings.Cut(call, " ")
		a := s.do(method, path, nil)
		want(t, call, []any{a.status, a.header.Get("Allow"), a.text("code")}, []any{405, allow, "method_not_allowed"})
	}
	for media, status := range map[string]int{"text/plain": 415, "application/x-www-form-urlencoded": 415, "": 415,
		"application/json; charset=utf-8": 201} {
		want(t, media, s.file(filing(), "Content-Type: "+media).status, status)
	}
	whole := s.file(filing("description", strings.Repeat("x", 4000))) // net/http writes the length of small ones itself
	want(t, "a length", whole.header.Get("Content-Length"), strconv.Itoa(len(whole.raw)))
	want(t, "too large", s.do("POST", "/community-reports", `{"title":"`+strings.Repeat("x", maxBody)+`"}`).status, 413)
	want(t, "not JSON", s.do("POST", "/community-reports", `{"title":`).status, 400)
	twice := s.do("POST", "/check", `{"addresses":5,"addresses":["`+thief+`"]}`, "x-api-key: "+s.key(1))
	want(t, "a name twice", []any{twice.status, twice.text("errors.0.field")}, []any{400, "addresses"})
	want(t, "two values", s.do("POST", "/community-reports", `{} {}`).status, 400)
	for _, amount := range []string{"1e2000000", "1e-2000000", "1e1000000000000", "1e400"} {
		want(t, amount,
			s.do("POST", "/community-reports",
				`{"crimeType":"hack","title":"x","description":"x","scammerAddresses":["`+thief+`"],`+
					`"amountLost":`+amount+`}`).status, 400)
	}
	want(t, "a name twice",
		s.do("POST", "/check", `{"addresses":5,"addresses":["`+thief+`"]}`, "x-api-key: "+s.key(1)).status, 400)
	want(t, "a long path", s.get("/screen/"+strings.Repeat("x", front.MaxPath)).status, 414)
	many := s.do("POST", "/community-reports", `{"scammerAddresses":[`+strings.Repeat("1,", 100_000)+`1]}`)
	want(t, "many entries", []any{many.status, many.faulty()}, []any{400, []string{"scammerAddresses"}})
	want(t, "deep", s.do("POST", "/community-reports", strings.Repeat("[", 100_000)).status, 400)
	for _, own := range []string{"mine-1", "bad\u00e9"} {
		if id := s.get("/nothing", "X-Request-Id: "+own).text("requestId"); id == "" || id == own {
			t.Errorf("the request id is %q", id)
		}
	}
}

// TestEveryDocumentedLimitHolds sends one more than each limit of a query allows.
func TestEveryDocumentedLimitHolds(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(1000)
	tried := 0
	for _, op := range s.api.contract.Operations() {
		if op.Method != http.MethodGet {
			continue
		}
		for _, p := range op.Parameters {
			if p.In != "query" {
				continue
			}
			path := strings.NewReplacer(s.api.contract.Base, "", "{address}", thief, "{domain}", "evil.com", "{id}", "x",
				"{account}", thief, "{subject}", thief).Replace(op.Path)
			value := strings.Repeat("x", 5000)
			if p.Value.At("type").String() == "integer" {
				value = "101"
			}
			query := url.Values{p.Name: {value}}
			if p.Name != "q" && op.ID == "searchReports" {
				query.Set("q", "x")
			}
			a := s.get(path+"?"+query.Encode(), key)
			want(t, op.ID+" "+p.Name, []any{a.status, a.faulty()}, []any{400, []string{p.Name}})
			tried++
		}
	}
	if tried < 10 {
		t.Errorf("only %d limits were tried", tried)
	}
}
