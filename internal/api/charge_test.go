package api

import (
	"crypto/sha256"
	"fmt"
	"math"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
)

// TestAScreeningThatFailsCostsNothing makes the judgement and then its encoding
// fail, for callers with a key and for those who pay.
func TestAScreeningThatFailsCostsNothing(t *testing.T) {
	s := openShop(t)
	key := s.key(5)
	s.file(filing("reportedDomains", []string{"evil.example"})) // so that it is judged each time
	calls := map[string]any{
		"GET /screen/" + thief:            nil,
		"GET /domains/check/evil.example": nil,
		"POST /check":                     map[string]any{"addresses": []string{thief}},
	}
	faults := map[string]func(*tocsin.Dossier, time.Time) tocsin.Screening{
		"judging":  func(*tocsin.Dossier, time.Time) tocsin.Screening { panic("no judgement") },
		"encoding": func(*tocsin.Dossier, time.Time) tocsin.Screening { return tocsin.Screening{Confidence: math.NaN()} },
	}
	for about, fault := range faults {
		for line, body := range calls {
			method, path, _ := strings.Cut(line, " ")
			payment := s.sign(method, path)
			s.api.screen = fault
			before := s.facilitator.Counts()
			for who, a := range map[string]*answer{
				"with a key": s.do(method, path, body, "x-api-key: "+key),
				"paid":       s.paid(payment, method, path, body),
			} {
				want(t, fmt.Sprint(about, " ", line, " ", who), []any{a.status, a.text("code")}, []any{500, "internal_error"})
			}
			after := s.facilitator.Counts()
			want(t, about+" "+line+": settled, moved", []any{after.Settled, after.Moved}, []any{before.Settled, before.Moved})
			want(t, about+" "+line+": used", s.get("/me", "x-api-key: "+key).number("freeCalls.used"), 0)
			s.api.screen = tocsin.Screen
			s.served(about+" "+line+": the same payment", s.paid(payment, method, path, body))
		}
	}
}

// TestAResponseThatCannotBeEncodedCostsNothing does so for every operation that has a price.
func TestAResponseThatCannotBeEncodedCostsNothing(t *testing.T) {
	s := start(t)
	key := s.key(5)
	odd := func(*call) (any, error) { return math.Inf(1), nil }
	for id, op := range s.api.operations {
		if id != "me" {
			op.endpoint.run = odd
		}
	}
	for _, path := range []string{"/screen/" + thief, "/domains/check/evil.example", "/community-reports",
		"/community-reports/search?q=x"} {
		a := s.get(path, "x-api-key: "+key)
		want(t, path, []any{a.status, a.text("code"), a.header.Get("X-RateLimit-Remaining-Day")},
			[]any{500, "internal_error", "5"})
	}
	want(t, "used", s.get("/me", "x-api-key: "+key).number("freeCalls.used"), 0)
}

// TestAScreeningAgesAlthoughItsReportsAreKept: the JSON of reports is kept, the score is not.
func TestAScreeningAgesAlthoughItsReportsAreKept(t *testing.T) {
	s := start(t)
	s.list("one", "one", tocsin.Risk, "phishing", payTo)
	key := s.key(100)
	s.file(filing("title", "Mine"), "x-api-key: "+key)
	path := "/screen/" + thief
	first, listed := s.get(path, "x-api-key: "+key), s.get("/screen/"+payTo, "x-api-key: "+key)
	want(t, "again", s.get(path, "x-api-key: "+key).in("reports"), first.in("reports"))
	s.Sleep(4 * 365 * 24 * time.Hour)
	later := s.get(path, "x-api-key: "+key)
	want(t, "reports", later.in("reports"), first.in("reports"))
	if later.number("riskScore") >= first.number("riskScore") || later.text("asOf") == first.text("asOf") {
		t.Errorf("the screening was %s and is %s", first.raw, later.raw)
	}
	codes := fmt.Sprint(later.in("factors"))
	want(t, "it says why", strings.Contains(codes, "reports_age"), true)
	want(t, "of lists", s.get("/screen/"+payTo, "x-api-key: "+key).in("riskScore"), listed.in("riskScore"))
	full, brief := s.get(path, "x-api-key: "+key), s.get(path+"?view=compact", "x-api-key: "+key)
	want(t, "views", []any{full.in("reports.0.title"), brief.in("reports.0.title")}, []any{"Mine", nil})
}

// TestEveryScreeningHasItsOwnReports, in the view and as many as were asked for,
// although they are kept.
func TestEveryScreeningHasItsOwnReports(t *testing.T) {
	s := start(t)
	key := s.key(100)
	for i := range 3 {
		s.file(filing("title", fmt.Sprint("of the thief ", i)))
		s.file(filing("title", fmt.Sprint("of another ", i), "scammerAddresses", []string{payTo}))
	}
	for range 2 {
		for address, title := range map[string]string{thief: "of the thief", payTo: "of another"} {
			for limit := 1; limit <= 4; limit++ {
				for _, view := range []string{"full", "compact"} {
					a := s.get(fmt.Sprintf("/screen/%s?limit=%d&view=%s", address, limit, view), "x-api-key: "+key)
					last := min(limit, 3) - 1
					wanted := any(nil)
					if view == "full" {
						wanted = fmt.Sprintf("%s %d", title, 2-last)
					}
					want(t, fmt.Sprint(title, limit, view),
						[]any{a.count("reports"), a.in(fmt.Sprintf("reports.%d.title", last)), a.in("nextCursor") == nil},
						[]any{last + 1, wanted, limit >= 3})
				}
			}
		}
	}
	s.file(filing("title", "of the thief, the last")) // the kept ones are dropped
	for _, step := range []struct {
		view         string
		limit, count int
	}{{"compact", 4, 4}, {"full", 1, 1}, {"full", 4, 4}} { // one dossier, of which one view was encoded in part
		a := s.get(fmt.Sprintf("/screen/%s?limit=%d&view=%s", thief, step.limit, step.view), "x-api-key: "+key)
		want(t, fmt.Sprintf("%+v", step), []any{a.status, a.count("reports")}, []any{200, step.count})
	}
}

// TestTheFieldsOfAScreeningStandInTheOrderOfTheContract: people read them, too.
func TestTheFieldsOfAScreeningStandInTheOrderOfTheContract(t *testing.T) {
	s := start(t)
	key := s.key(100)
	s.file(filing("title", "Mine"))
	for _, query := range []string{"", "?view=compact", "?limit=50"} {
		raw := string(s.get("/screen/"+thief+query, "x-api-key: "+key).raw)
		var places []int
		for _, field := range []string{`{"address":`, `,"riskScore":`, `,"asOf":`, `,"reports":[{`,
			`}],"nextCursor":null}` + "\n"} {
			places = append(places, strings.Index(raw, field))
		}
		if !slices.IsSorted(places) || places[0] != 0 {
			t.Errorf("%s: %v in %s", query, places, raw)
		}
	}
}

// TestAFaultyPaidCallAsksNobody: the price comes first, then the faults of the
// input, and the facilitator only for a call that can be answered.
func TestAFaultyPaidCallAsksNobody(t *testing.T) {
	s := openShop(t)
	for line, body := range map[string]any{
		"GET /screen/0x12":                       nil,
		"GET /screen/" + thief + "?limit=0":      nil,
		"GET /screen/" + thief + "?views=full":   nil,
		"GET /domains/check/not a domain":        nil,
		"GET /community-reports/search?q=":       nil,
		"GET /community-reports?since=yesterday": nil,
		"GET /community-reports?crimeType=theft": nil,
		"POST /check":                            map[string]any{"addresses": []string{"0x12"}},
		"POST /check?":                           "not JSON",
	} {
		method, path, _ := strings.Cut(line, " ")
		path = strings.ReplaceAll(path, " ", "%20")
		before := s.facilitator.Counts()
		want(t, line+": bare", s.do(method, path, body).status, 402)
		payment := s.sign(method, path)
		a := s.paid(payment, method, path, body)
		want(t, line+": paid", []any{a.status, a.text("code"), a.header.Get("PAYMENT-RESPONSE")},
			[]any{400, "invalid_input", ""})
		want(t, line+": asked", s.facilitator.Counts(), before)
	}
}

// TestARequestHasTheSameHashInEveryVersion: a payment that was made before an
// upgrade must find its response after it.
func TestARequestHasTheSameHashInEveryVersion(t *testing.T) {
	s := start(t)
	hash := func(lines ...string) [32]byte {
		return sha256.Sum256([]byte(strings.Join(lines, "\n")))
	}
	const nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for _, c := range []struct {
		call ToolCall
		want [32]byte
	}{
		{
			ToolCall{Operation: "screenAddress",
				Parameters: map[string]string{"address": thief, "limit": "10", "view": "compact"}},
			hash("mcp://tool/check_address", "/api/v1/screen/"+thief, "limit=10&view=compact", nothing),
		},
		{
			ToolCall{Operation: "checkDomain",
				Parameters: map[string]string{"view": "full", "limit": "5", "domain": "https://a.example/b?c"}},
			hash("mcp://tool/check_domain", "/api/v1/domains/check/https:%2F%2Fa.example%2Fb%3Fc", "limit=5&view=full", nothing),
		},
		{
			ToolCall{Operation: "checkAddresses", Body: []byte(`{"addresses":["` + thief + `"]}`)},
			hash("mcp://tool/check_addresses", "/api/v1/check", "", fmt.Sprintf("%x", hash(`{"addresses":["`+thief+`"]}`))),
		},
	} {
		op := s.api.operations[c.call.Operation]
		call := &call{Request: c.call.request(op), tool: &toolCall{name: op.Tool.Name}}
		if err := call.check(op); err != nil {
			t.Fatal(op.ID, err)
		}
		want(t, op.ID, call.fingerprint(), c.want)
	}
	r := httptest.NewRequest("GET", "/api/v1/screen/"+thief+"?view=full&limit=5", nil)
	want(t, "over HTTP", (&call{Request: r}).fingerprint(),
		hash("GET", "/api/v1/screen/"+thief, "limit=5&view=full", nothing))
}
