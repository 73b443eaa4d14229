package api

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/store"
	"tocsin/internal/tocsintest"
)

// transcript is what a service answered, word by word, with what chance has chosen replaced by its place.
type transcript struct {
	text   strings.Builder
	names  map[string]string // by what chance has chosen
	counts map[string]int    // by kind
}

// byChance matches what is another one in each run: ids, secrets, hashes, signatures, accounts, ports and the numbers
// behind a second.
var byChance = regexp.MustCompile(`\b(rep|agt|toc|man)_[a-z2-7]{8,}|http://127\.0\.0\.1:\d+|\b0x[0-9a-fA-F]{64}\b|` +
	`\b(nonce|ticket|nextCursor)": "[^"]+"|W/"[0-9a-f]{32}"`)

var parts = regexp.MustCompile(`(\d{2}:\d{2}:\d{2}\.)\d{6}Z`)

func (tr *transcript) replace(text string) string {
	text = byChance.ReplaceAllStringFunc(text, func(found string) string {
		if tr.names[found] == "" {
			begins := strings.NewReplacer("_", " ", ":", " ", `"`, " ", "0x", "hash ", "W/", "tag").Replace(found)
			kind, _, _ := strings.Cut(begins, " ")
			tr.counts[kind]++
			tr.names[found] = fmt.Sprintf("<%s %d>", kind, tr.counts[kind])
		}
		return tr.names[found]
	})
	return parts.ReplaceAllString(text, "${1}…Z")
}

func indented(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", " ") != nil {
		return string(raw)
	}
	return strings.TrimSpace(b.String())
}

// add writes a response: its status, its headers in their order, those in base64 as the JSON that they hold, and its
// body.
func (tr *transcript) add(about string, a *answer) {
	again := a.status == http.StatusPaymentRequired && tr.counts["402"] > 0 // its offers are those of the first
	fmt.Fprintf(&tr.text, "=== %s: %d\n", tr.replace(about), a.status)
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		value := strings.Join(a.header[name], " | ")
		switch name {
		case "Date", "Content-Length", "X-Request-Id":
			continue
		case "Payment-Required", "Payment-Response":
			text, err := base64.StdEncoding.DecodeString(value)
			if value = indented(text); err != nil {
				value = err.Error()
			}
			if again {
				value = "…"
			}
		}
		fmt.Fprintf(&tr.text, "%s: %s\n", name, tr.replace(value))
	}
	if again {
		delete(a.body, "accepts")
		delete(a.body, "extensions")
		a.raw, _ = json.Marshal(a.body) // as it was decoded
	}
	if a.status == http.StatusPaymentRequired {
		tr.counts["402"]++
	}
	body := regexp.MustCompile(`"requestId": "[^"]+"`).ReplaceAllString(indented(a.raw), `"requestId": "…"`)
	fmt.Fprintf(&tr.text, "\n%s\n\n", tr.replace(body))
}

// TestEachResponseIsTheSameWordByWord makes a call of each kind, and compares status, headers and body with
// testdata/responses.txt.
func TestEachResponseIsTheSameWordByWord(t *testing.T) {
	tr := &transcript{names: map[string]string{}, counts: map[string]int{}}
	s := openShop(t, func(c *Config) {
		c.Contact, c.Limits.Filings, c.Limits.NetworkCalls = "mailto:ops@tocsin.example", 4, 40
	})
	made, err := s.db.CreateKey(t.Context(), nil, "Watchdog", nil)
	tocsintest.Must(t, err)
	key := "x-api-key: " + string(made.Key)
	day := time.Hour * 24
	do := func(method, path string, body any, headers ...string) *answer {
		t.Helper()
		a := s.do(method, path, body, headers...)
		tr.add(method+" "+path, a)
		s.Sleep(time.Second)
		return a
	}
	whole := filing("title", "Everything", "amountLost", 12.5, "currency", "eth", "subjectProjectName", "Growing Gold",
		"incidentDate", "2026-01-31T10:00:00+02:00", "reportedDomains", []string{"https://www.evil.com/claim?x=<1>"},
		"socialMedia", map[string]any{"whatsapp": "+1", "telegram": "@thief", "facebook": "gold", "other": "mail@evil.com"},
		"evidence", map[string]any{"urls": []string{"https://news.example/a"},
			"transactionHashes": []string{"0x" + strings.Repeat("Ab", 32)}})

	one := do("POST", "/community-reports", whole)
	do("POST", "/community-reports", whole)
	do("POST", "/community-reports?view=compact", filing("title", "By a key"), key)
	do("POST", "/community-reports", filing("title", "Of nobody"), "x-api-key: toc_unknown")
	do("POST", "/community-reports", filing("crimeType", "theft", "scammerAddresses", []string{"0x12"}))
	do("POST", "/community-reports", filing("title", "Once"), key, "Idempotency-Key: 1")
	do("POST", "/community-reports", filing("title", "Twice"), key, "Idempotency-Key: 1")
	two := do("POST", "/community-reports", filing("title", "Two"))
	do("POST", "/community-reports", filing("title", "Three"))
	do("POST", "/community-reports", filing("title", "Too many"))
	do("POST", "/community-reports", `{"a":`)
	do("POST", "/community-reports", filing(), "Content-Type: text/plain")
	do("POST", "/community-reports", filing(), "Content-Encoding: gzip")
	do("GET", "/community-reports/"+one.text("id"), nil)
	do("GET", "/community-reports/"+one.text("id")+"?view=compact", nil)
	do("DELETE", "/community-reports/"+two.text("id"), nil, "x-manage-token: man_wrong")
	do("DELETE", "/community-reports/"+two.text("id"), nil, "x-manage-token: "+two.text("manageToken"))
	do("GET", "/community-reports/"+two.text("id"), nil)
	do("GET", "/community-reports/rep_unknown", nil)

	s.Sleep(31 * day)
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "hack", thief, "evil.com")
	s.list("ofac", "ofac", tocsin.Sanction, "", thief)
	s.list("tokens", "tokens", tocsin.Safe, "token", usdc)
	s.list("hosts", "hosts", tocsin.Shared, "hosting", "hosts.example")
	do("GET", "/screen/"+strings.ToLower(thief)+"?limit=1", nil, key)
	do("GET", "/screen/"+usdc+"?view=compact", nil, key)
	do("GET", "/screen/"+thief+"?view=compact&limit=1", nil, key)
	do("GET", "/screen/0x12", nil, key)
	do("GET", "/domains/check/a.evil.com?limit=1", nil, key)
	do("GET", "/domains/check/a.hosts.example", nil, key)
	do("POST", "/check", map[string]any{"addresses": []string{nobody, thief}}, key)
	do("GET", "/community-reports/search?q=everyth*&view=compact", nil, key)
	do("GET", "/community-reports?source=community&crimeType=phishing&limit=2", nil, key)
	do("GET", "/community-reports?since=2026-03-04T12:00:01Z&limit=1&view=compact", nil, key)
	do("GET", "/me", nil, key)
	do("GET", "/me", nil)
	do("GET", "/leaderboard", nil)
	do("GET", "/stats", nil)
	status := do("GET", "/x402/status", nil)
	do("GET", "/x402/status", nil, "If-None-Match: "+status.header.Get("ETag"))
	do("HEAD", "/x402/status", nil)

	do("GET", "/screen/"+thief, nil)
	do("HEAD", "/screen/"+thief, nil)
	do("GET", "/screen/"+thief, nil, "x-api-key: "+s.key(0))
	do("GET", "/screen/"+thief, nil, "Authorization: Bearer toc_unknown")
	do("GET", "/screen/"+thief, nil, "SIGN-IN-WITH-X: nonsense")
	do("GET", "/screen/"+thief, nil, "PAYMENT-SIGNATURE: nonsense")
	payment := s.sign("GET", "/screen/"+usdc)
	do("GET", "/screen/"+usdc, nil, "PAYMENT-SIGNATURE: "+payment)
	do("GET", "/screen/"+thief, nil, "PAYMENT-SIGNATURE: "+payment)

	do("GET", "/auth/nonce", nil)
	a := tocsintest.NewAccount(t)
	message := s.message(a.Address)
	in := do("POST", "/auth/verify", map[string]any{"message": message, "signature": a.Sign(message)})
	do("POST", "/auth/verify", map[string]any{"message": message, "signature": a.Sign(message)})
	do("POST", "/auth/verify", map[string]any{"message": "a", "signature": "0x"})
	do("DELETE", "/me/key", nil, "x-api-key: "+in.text("apiKey"))
	do("DELETE", "/me/key", nil, "x-api-key: "+in.text("apiKey"))

	do("GET", "/nothing", nil)
	do("PUT", "/stats", nil)
	do("GET", "/stats?x=1", nil)
	_, err = s.db.Ban(t.Context(), operator, made.Agent.ID)
	tocsintest.Must(t, err)
	do("GET", "/me", nil, key)
	for _, state := range []tocsin.FilingState{tocsin.FilingKeysOnly, tocsin.FilingShut} {
		_, err = s.db.SetFiling(t.Context(), store.Operator{}, state)
		tocsintest.Must(t, err)
		do("POST", "/community-reports", filing("title", "Refused"))
	}
	for _, path := range []string{"/stats", "/screen/" + thief} {
		r, err := http.NewRequest(http.MethodOptions, s.http.URL+s.api.contract.Base+path, nil)
		tocsintest.Must(t, err)
		r.Header.Set("Origin", "https://wallet.example")
		r.Header.Set("Access-Control-Request-Method", "GET")
		res, err := s.http.Client().Do(r)
		tocsintest.Must(t, err)
		res.Body.Close()
		tr.add("OPTIONS "+path, &answer{status: res.StatusCode, header: res.Header})
	}

	payer, fault := tocsin.ParseAddress(s.wallet.Address)
	if fault != nil {
		t.Fatal(fault)
	}
	got := strings.NewReplacer(a.Address.String(), "<account>", payer.String(), "<payer>").Replace(tr.text.String())
	tocsintest.Golden(t, "testdata/responses.txt", got)
}
