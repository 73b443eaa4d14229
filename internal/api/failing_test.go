package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/front"
)

// TestADatabaseThatFailsIsNeverAnEmptyAnswer: who is told that nothing is on record would pay.
func TestADatabaseThatFailsIsNeverAnEmptyAnswer(t *testing.T) {
	s := start(t)
	key := "x-api-key: " + s.key(-1)
	if err := s.db.Close(); err != nil {
		t.Fatal(err)
	}
	for id, c := range map[string]ToolCall{
		"screenAddress":  {Parameters: map[string]string{"address": thief}},
		"checkAddresses": {Body: []byte(`{"addresses":["` + thief + `"]}`)},
		"checkDomain":    {Parameters: map[string]string{"domain": "evil.com"}},
		"searchReports":  {Parameters: map[string]string{"q": "wallet"}},
		"listReports":    {},
		"fileReport":     {Body: []byte(`{"crimeType":"scam","title":"t","description":"d","reportedDomains":["evil.com"]}`)},
	} {
		c.Operation, c.Local = id, true
		if a := s.call(c); a.Problem == nil || a.Problem.Status < 500 || a.Body != nil {
			t.Errorf("%s: %+v %s", id, a.Problem, a.Body)
		}
	}
	for _, line := range []string{"GET /me", "GET /leaderboard", "GET /stats", "GET /auth/nonce", "DELETE /me/key",
		"GET /screen/" + thief, "GET /community-reports/rep_x", "DELETE /community-reports/rep_x"} {
		method, path, _ := strings.Cut(line, " ")
		a := s.do(method, path, nil, key, "x-manage-token: man_x")
		if a.status < 500 {
			t.Errorf("%s: %d %s", line, a.status, a.raw)
		}
	}
}

// TestABrowserSeesWhyAPathIsTooLong: its preflight is answered, although the request will not be.
func TestABrowserSeesWhyAPathIsTooLong(t *testing.T) {
	s := start(t)
	for method, status := range map[string]int{"OPTIONS": 204, "GET": 414} {
		r, err := http.NewRequest(method, s.http.URL+s.api.contract.Base+"/screen/"+strings.Repeat("x", front.MaxPath), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", "https://wallet.example")
		r.Header.Set("Access-Control-Request-Method", "GET")
		res, err := s.http.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		cache := map[string]string{"GET": "no-store"}[method]
		want(t, method, []any{res.StatusCode, res.Header.Get("Access-Control-Allow-Origin"), res.Header.Get("Cache-Control")},
			[]any{status, "*", cache})
	}
}

// TestTheContractIsPublishedForThisDeployment: its examples are calls of ours, and a free
// operation has no way to be paid for.
func TestTheContractIsPublishedForThisDeployment(t *testing.T) {
	s := openShop(t)
	elsewhere := start(t, func(c *Config) { c.BaseURL = "https://elsewhere.test" })
	text, err := json.Marshal(elsewhere.document)
	ours := strings.Contains(string(text), "elsewhere.test/")
	if err != nil || !ours || strings.Contains(string(text), "tocsin.example/") {
		t.Errorf("the examples of the contract are not of %s: %v", elsewhere.api.config.BaseURL, err)
	}
	for id, networks := range map[string]int{"screenAddress": 1, "me": 0, "nothing": 0} {
		offers := s.api.Accepts(id)
		want(t, id, []any{len(offers), offers == nil}, []any{networks, false})
	}
}

// TestAWalletIsAskedToSignWhatWeTake: the message names its chain if it may sign in, else the first that may.
func TestAWalletIsAskedToSignWhatWeTake(t *testing.T) {
	at := time.Date(2026, 3, 4, 13, 0, 0, 500_000_000, time.FixedZone("", 3600))
	c := Challenge{Nonce: "abcdefgh12345678", ExpiresAt: tocsin.TimeOf(at.Add(nonceLife)), Domain: "tocsin.example",
		URI: baseURL, ChainIDs: (&Server{}).chainIDs()}
	wallet, fault := tocsin.ParseAddress(thief)
	if fault != nil {
		t.Fatal(fault)
	}
	for chain, named := range map[uint64]string{8453: "8453", 1: "1", 137: "8453", 0: "8453"} {
		want(t, "message", c.Message(wallet, chain, "Get a key.", at),
			`tocsin.example wants you to sign in with your Ethereum account:
`+thief+`

Get a key.

URI: `+baseURL+`
Version: 1
Chain ID: `+named+`
Nonce: abcdefgh12345678
Issued At: 2026-03-04T12:00:00.500Z
Expiration Time: 2026-03-04T12:05:00.500Z`)
	}
}

// TestWhatIsTakenIsBoundedByTheseNumbers, which the documentation names.
func TestWhatIsTakenIsBoundedByTheseNumbers(t *testing.T) {
	want(t, "bytes of a body, time to sign, time of a node",
		[]any{maxBody, nonceLife, walletCheckTimeout, (&Server{}).chainIDs()},
		[]any{262_144, 5 * time.Minute, 10 * time.Second, []uint64{8453, 1}})
	s := start(t)
	whole := `{"title":"` + strings.Repeat("x", maxBody-len(`{"title":""}`)) + `"}`
	want(t, "the longest", s.do("POST", "/community-reports", whole).status, 400)
	want(t, "a byte more", s.do("POST", "/community-reports", whole+" ").status, 413)
	for age, wait := range map[time.Duration]time.Duration{
		0: time.Second, time.Second: time.Second, 90 * time.Second: 90 * time.Second, 2 * time.Hour: time.Hour,
		48*time.Hour - 1: time.Hour, 48 * time.Hour: 0,
	} {
		want(t, age.String(), backoff(age), wait)
	}
}
