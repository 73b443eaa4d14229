package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"tocsin/internal/limits"
	"tocsin/internal/tocsintest"
	"tocsin/internal/x402"
)

func TestTheFacilitatorIsThatOfTheNetworkAndTheCredentials(t *testing.T) {
	secret := base64.StdEncoding.EncodeToString(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	credentials := map[string]string{"CDP_API_KEY_ID": "id", "CDP_API_KEY_SECRET": secret}
	for _, c := range []struct {
		network, named string
		env            map[string]string
		origin         string
	}{
		{x402.Base, "", credentials, "https://api.cdp.coinbase.com"},
		{x402.BaseSepolia, "", credentials, "https://api.cdp.coinbase.com"},
		{x402.BaseSepolia, "", nil, "https://x402.org"},
		{x402.Base, "https://own.example/x402", nil, "https://own.example"},
		{x402.Base, "https://own.example/x402", credentials, "https://own.example"},
	} {
		f := paymentFlags{payTo: payTo, network: c.network, facilitator: c.named, facilitatorTimeout: time.Minute}
		p, err := f.payments(func(name string) (string, bool) { return c.env[name], c.env[name] != "" }, nil)
		if err != nil {
			t.Fatal(err)
		}
		tocsintest.Want(t, c.network+c.named, p.Facilitator.Origin(), c.origin)
	}
	for timeout, taken := range map[time.Duration]bool{
		99 * time.Millisecond: false, 100 * time.Millisecond: true, time.Minute: true, time.Minute + 1: false,
	} {
		f := paymentFlags{network: x402.Base, facilitatorTimeout: timeout}
		_, err := f.payments(func(string) (string, bool) { return "", false }, nil)
		tocsintest.Want(t, timeout.String(), err == nil, taken)
	}
}

func TestANodeOfAnotherChainIsRefused(t *testing.T) {
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":"0x2105"}`) // Base
	}))
	defer node.Close()
	for network, complaint := range map[string]string{
		x402.Base: "", x402.BaseSepolia: "which is the chain of -network",
	} {
		f := paymentFlags{network: network, rpcURL: node.URL, facilitatorTimeout: time.Minute}
		found, err := f.node(t.Context(), slog.New(slog.DiscardHandler))
		if complaint == "" && (err != nil || found == nil) || !strings.Contains(fmt.Sprint(err), complaint) {
			t.Errorf("%s: %v, %v", network, found, err)
		}
	}
	for flag, f := range map[string]paymentFlags{"-rpc-url": {network: x402.BaseSepolia, rpcURL: node.URL},
		"-rpc-url-ethereum": {rpcURLEthereum: node.URL}, "-rpc-url-ethereum ": {rpcURLEthereum: "nonsense"}} {
		f.facilitatorTimeout = time.Minute
		_, err := f.nodes(t.Context(), slog.New(slog.DiscardHandler), nil)
		if f.rpcURL != "" {
			_, err = f.node(t.Context(), slog.New(slog.DiscardHandler))
		}
		if !strings.HasPrefix(fmt.Sprint(err), strings.TrimSpace(flag)+": ") {
			t.Errorf("%s: %v", flag, err)
		}
	}
}

func TestAnAgeOrADateIsAMoment(t *testing.T) {
	now := time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	for text, at := range map[string]string{
		"": "1970-01-01T00:00:00.000000Z", "7d": "2026-03-24T12:00:00.000000Z", "0d": "2026-03-31T12:00:00.000000Z",
		"24h": "2026-03-30T12:00:00.000000Z", "90m": "2026-03-31T10:30:00.000000Z",
		"2026-01-31": "2026-01-31T00:00:00.000000Z", "2026-01-31T01:00:00+01:00": "2026-01-31T00:00:00.000000Z",
		"-1d": "", "-1h": "", "soon": "", "d": "", "100000d": "",
	} {
		moment, err := parseWhen("-since", text, now)
		if got := moment.String(); err == nil && got != at || (err != nil) != (at == "") {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
	tocsintest.Want(t, "coins", []string{coins(1), coins(10_000), coins(12_345_678)},
		[]string{"0.000001", "0.010000", "12.345678"})
}

func TestAnAddressToListenOnIsAURL(t *testing.T) {
	for at, url := range map[string]string{
		"127.0.0.1:8402": "http://127.0.0.1:8402", "0.0.0.0:80": "http://localhost:80", "[::]:80": "http://localhost:80",
		"[::1]:80": "http://[::1]:80", "192.0.2.1:1": "http://192.0.2.1:1",
	} {
		address, err := net.ResolveTCPAddr("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		tocsintest.Want(t, at, localURL(address), url)
	}
	for text, url := range map[string]string{
		"": "", "https://a.example/": "https://a.example", "http://a.example:65535": "http://a.example:65535",
		"https://[2001:db8::1]:8": "https://[2001:db8::1]:8", "https://a.example:0": "refused",
		"https://a.example:65536": "refused", "https://a.example?x": "refused", "https://a.example#": "refused",
		"ftp://a.example": "refused", "https://-a.example": "refused", "https://": "refused",
	} {
		got, err := parseBaseURL(text)
		if err != nil {
			got = "refused"
		}
		tocsintest.Want(t, text, got, url)
	}
}

func TestEachFlagOfServeIsTheSettingOfItsName(t *testing.T) {
	f := serveFlags{listen: ":0", quota: 1, contact: "mailto:a@a.example", contentSignal: "none", totalMiB: 5,
		limits:  limits.Config{Lookups: 2, Filings: 3, TotalFilings: 4, NewAgents: 6, NetworkCalls: 7, RefusedPayments: 8},
		proxies: "10.1.2.3/8, 192.0.2.7 2001:db8::1", memory: 128 << 20}
	c, err := f.apiConfig()
	if err != nil {
		t.Fatal(err)
	}
	want := f.limits
	want.TotalFiledBytes, want.Memory = 5<<20, f.memory.shares().limits
	tocsintest.Want(t, "settings", []any{c.Quota, c.Limits, c.Contact, c.MCP, c.Version, c.Signal, c.Links != ""},
		[]any{1, want, "mailto:a@a.example", "/mcp", version, "", true})
	tocsintest.Want(t, "proxies", fmt.Sprint(c.TrustedProxies), "[10.0.0.0/8 192.0.2.7/32 2001:db8::1/128]")
	for name, change := range map[string]func(*serveFlags){
		"-contact":        func(f *serveFlags) { f.contact = "a" },
		"-content-signal": func(f *serveFlags) { f.contentSignal = "a" },
	} {
		wrong := f
		change(&wrong)
		if _, err := wrong.apiConfig(); !strings.HasPrefix(fmt.Sprint(err), name+" ") &&
			!strings.HasPrefix(fmt.Sprint(err), name+":") {
			t.Errorf("%s: %v", name, err)
		}
	}
	zero := serveFlags{listen: ":0", contentSignal: "none"}
	if _, err := zero.apiConfig(); err != nil {
		t.Error(err)
	}
	for quota, calls := range map[int][2]int{10: {200, 200}, 1000: {200, 1000}, 20: {0, 0}} {
		f := serveFlags{listen: ":0", contentSignal: "none", quota: quota,
			limits: limits.Config{NetworkCalls: calls[0]}}
		c, err := f.apiConfig()
		tocsintest.Want(t, "-network-calls is at least -quota", []any{c.Limits.NetworkCalls, err}, []any{calls[1], nil})
	}
}

func TestATableIsShortenedOnlyIfItIsTooWide(t *testing.T) {
	const room = lineWidth - 6 // what two columns of one character and the spaces between leave
	for width, shown := range map[int]int{room: room, room + 1: room} {
		tb := newTable(1, "A", "B", "C")
		tb.add("1", strings.Repeat("b", width), "3")
		var out strings.Builder
		if err := tb.print(&out); err != nil {
			t.Fatal(err)
		}
		rows := strings.Split(out.String(), "\n")
		if cell := strings.Fields(rows[1])[1]; utf8.RuneCountInString(cell) != shown {
			t.Errorf("of %d characters %d are shown: %s", width, utf8.RuneCountInString(cell), rows[1])
		}
	}
}
