package api

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/evm"
	"tocsin/internal/tocsintest"
)

// message is one that the service would take; each change replaces a text in it by another.
func (s *service) message(by tocsin.Address, change ...string) string {
	s.t.Helper()
	c := s.get("/auth/nonce")
	text := fmt.Sprintf("%s wants you to sign in with your Ethereum account:\n%s\n\n"+
		"Get an API key. This moves no funds.\n\n"+
		"URI: %s\nVersion: 1\nChain ID: %d\nNonce: %s\nIssued At: %s",
		c.text("domain"), by, c.text("uri"), c.number("chainIds.0"), c.text("nonce"), s.db.Now().Std().Format(time.RFC3339))
	return strings.NewReplacer(change...).Replace(text)
}

func (s *service) verify(message, signature string) *answer {
	s.t.Helper()
	return s.do("POST", "/auth/verify", map[string]any{"message": message, "signature": signature})
}

func (s *service) signIn(a tocsintest.Account) *answer {
	s.t.Helper()
	text := s.message(a.Address)
	return s.verify(text, a.Sign(text))
}

func TestWhoSignsInGetsAKey(t *testing.T) {
	s := start(t)
	nonce := s.get("/auth/nonce")
	want(t, "nonce", []any{nonce.text("domain"), nonce.text("uri"), nonce.in("chainIds")},
		[]any{"tocsin.example", baseURL, []any{8453.0, 1.0}})
	a := tocsintest.NewAccount(t)
	in := s.signIn(a)
	want(t, "sign-in", []any{in.status, in.text("address")}, []any{200, a.Address.String()})
	key := "x-api-key: " + in.text("apiKey")
	me := s.get("/me", key)
	want(t, "me", []any{me.text("agent.address"), me.number("freeCalls.remaining")}, []any{a.Address.String(), 10})
	want(t, "a call", s.get("/screen/"+thief, key).status, 200)
}

func TestANewKeyReplacesTheOldAndUsedCallsStayUsed(t *testing.T) {
	s := start(t)
	a := tocsintest.NewAccount(t)
	own := 3
	first, err := s.db.CreateKey(t.Context(), &a.Address, "Watchdog", &own)
	if err != nil {
		t.Fatal(err)
	}
	old := "x-api-key: " + string(first.Key)
	want(t, "a call", s.get("/screen/"+thief, old).status, 200)
	key := "x-api-key: " + s.signIn(a).text("apiKey")
	want(t, "the old key", s.get("/me", old).in("authenticated"), false)
	me := s.get("/me", key)
	want(t, "the new key",
		[]any{me.number("freeCalls.limit"), me.number("freeCalls.used"), me.text("agent.name"), me.text("agent.id")},
		[]any{3, 1, "Watchdog", first.Agent.ID})

	gone := s.do("DELETE", "/me/key", nil, key)
	want(t, "revoke", []any{gone.status, gone.text("prefix"), gone.text("status")},
		[]any{200, strings.TrimPrefix(key, "x-api-key: ")[:12], "revoked"})
	want(t, "revoked", s.get("/screen/"+thief, key).status, 402)
	again := s.do("DELETE", "/me/key", nil, key)
	want(t, "revoke again", []any{again.status, again.text("code")}, []any{401, "unauthorized"})
	key = "x-api-key: " + s.signIn(a).text("apiKey")
	want(t, "after a revoked one",
		[]any{s.get("/me", key).number("freeCalls.limit"), s.get("/me", key).number("freeCalls.used")}, []any{3, 1})
}

func TestANonceIsGoodOnce(t *testing.T) {
	s := start(t)
	a := tocsintest.NewAccount(t)
	text := s.message(a.Address)
	var served, refused int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			got := s.verify(text, a.Sign(text))
			mu.Lock()
			defer mu.Unlock()
			if got.status == 200 {
				served++
			} else if got.status == 400 && got.text("errors.0.field") == "message.nonce" {
				refused++
			}
		})
	}
	all.Wait()
	want(t, "at once", []int{served, refused}, []int{1, 19})

	text = s.message(a.Address)
	want(t, "by another key", s.verify(text, tocsintest.NewAccount(t).Sign(text)).faulty(), []string{"signature"})
	want(t, "used by that", s.verify(text, a.Sign(text)).faulty(), []string{"message.nonce"})
}

func TestOnlyAMessageForUsAndOfNowIsTaken(t *testing.T) {
	s := start(t)
	a := tocsintest.NewAccount(t)
	for about, c := range map[string]struct {
		change []string
		faulty string
	}{
		"another domain":  {[]string{"tocsin.example wants", "evil.example wants"}, "message.domain"},
		"another origin":  {[]string{"URI: " + baseURL, "URI: https://evil.example"}, "message.uri"},
		"another chain":   {[]string{"Chain ID: 8453", "Chain ID: 137"}, "message.chainId"},
		"version 2":       {[]string{"Version: 1", "Version: 2"}, "message.version"},
		"no message":      {[]string{"wants you", "would like you"}, "message"},
		"a made-up nonce": {[]string{"Nonce: ", "Nonce: 00"}, "message.nonce"},
	} {
		text := s.message(a.Address, c.change...)
		got := s.verify(text, a.Sign(text))
		if got.status != 400 || len(got.faulty()) != 1 || !strings.HasPrefix(got.faulty()[0], c.faulty) {
			t.Errorf("%s: %d %s", about, got.status, got.raw)
		}
	}
	text := s.message(a.Address)
	s.Sleep(4 * time.Minute)
	late := s.message(a.Address)
	s.Sleep(2 * time.Minute)
	want(t, "signed too long ago", s.verify(text, a.Sign(text)).faulty(), []string{"message.issuedAt"})
	want(t, "in time", s.verify(late, a.Sign(late)).status, 200)
	want(t, "no signature", s.verify(s.message(a.Address), "0x").faulty(), []string{"signature"})
	want(t, "no body", s.do("POST", "/auth/verify", map[string]any{}).faulty(), []string{"message", "signature"})
}

func TestACompactSignatureSignsIn(t *testing.T) {
	s := start(t)
	a := tocsintest.NewAccount(t)
	compact := func(signature string) string { // EIP-2098
		raw, err := hex.DecodeString(signature[2:])
		tocsintest.Must(t, err)
		raw[32] |= (raw[64] - 27) << 7
		return "0x" + hex.EncodeToString(raw[:64])
	}
	for range 4 { // both parities of v, most likely
		text := s.message(a.Address)
		want(t, "64 bytes", s.verify(text, compact(a.Sign(text))).status, 200)
	}
	text := s.message(a.Address)
	want(t, "by another key", s.verify(text, compact(tocsintest.NewAccount(t).Sign(text))).faulty(), []string{"signature"})
}

func TestTheAddressOfAMessageMayBeInLowerCase(t *testing.T) {
	s := start(t)
	a := tocsintest.NewAccount(t)
	address := a.Address.String()
	text := s.message(a.Address, address, strings.ToLower(address))
	in := s.verify(text, a.Sign(text))
	want(t, "lower case", []any{in.status, in.text("address")}, []any{200, address})

	wrong := strings.Map(func(r rune) rune { // each letter in the other case
		return r ^ (' ' * map[bool]rune{true: 1}[r >= 'A'])
	}, address[2:])
	text = s.message(a.Address, address, "0x"+wrong)
	want(t, "a wrong checksum", s.verify(text, a.Sign(text)).faulty(), []string{"message.address"})
	text = s.message(a.Address, address, "0x"+strings.ToUpper(address[2:]))
	want(t, "upper case", s.verify(text, a.Sign(text)).faulty(), []string{"message.address"})
}

func TestWalletsOfTheNetworkThatIsChargedOnSignIn(t *testing.T) {
	s := start(t, func(c *Config) { c.Chain = 84532 })
	nonce := s.get("/auth/nonce")
	want(t, "chains", nonce.in("chainIds"), []any{84532.0, 8453.0, 1.0})
	a := tocsintest.NewAccount(t)
	for _, chain := range []string{"84532", "8453", "1"} {
		text := s.message(a.Address, "Chain ID: 84532", "Chain ID: "+chain)
		want(t, "on chain "+chain, s.verify(text, a.Sign(text)).status, 200)
	}
	base := start(t, func(c *Config) { c.Chain = 8453 })
	want(t, "of Base", base.get("/auth/nonce").in("chainIds"), []any{8453.0, 1.0})
}

func TestOneNetworkMaySignInOftenAndNotForEver(t *testing.T) {
	s := start(t)
	for i := range 60 {
		if got := s.signIn(tocsintest.NewAccount(t)); got.status != 200 {
			t.Fatalf("sign-in %d: %d %s", i, got.status, got.raw)
		}
	}
	for range 4000 { // sign-in calls an hour
		if got := s.get("/auth/nonce"); got.status != 200 {
			want(t, "at last", []any{got.status, got.text("code"), got.header.Get("Retry-After")},
				[]any{429, "too_many_sign_ins", 3600})
			return
		}
	}
	t.Error("for ever")
}

// TestContractWallets asks a node that knows one wallet, which takes any signature; the
// contracts themselves are tried on a real chain in package siwe.
func TestContractWallets(t *testing.T) {
	reply, chain := `"0x01"`, `"0x1"`
	node := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     json.RawMessage
			Method string
		}
		json.NewDecoder(r.Body).Decode(&call)
		if reply == "" {
			w.WriteHeader(502)
			return
		}
		result := reply
		if call.Method == "eth_chainId" {
			result = chain
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, result)
	}))
	defer node.Close()
	asked, err := evm.NewNode(node.URL, 8453, tocsintest.Patience)
	tocsintest.Must(t, err)
	sepolia, err := evm.NewNode(node.URL, 84532, tocsintest.Patience)
	tocsintest.Must(t, err)
	wallet := tocsin.Address{19: 1}
	signature := "0x" + strings.Repeat("ab", 65)

	without := start(t)
	got := without.verify(without.message(wallet), signature)
	want(t, "no node", []any{got.status, got.faulty(), strings.Contains(got.text("errors.0.reason"), "ERC-1271")},
		[]any{400, []string{"signature"}, true})

	s := start(t, func(c *Config) { c.Node = asked })
	other := s.verify(s.message(wallet), signature)
	want(t, "a node of another chain", []any{other.status, other.text("code")}, []any{503, "unavailable"})
	chain = `"0x2105"`
	want(t, "valid to the contract", s.verify(s.message(wallet), signature).status, 200)
	want(t, "on a chain without a node", s.verify(s.message(wallet, "Chain ID: 8453", "Chain ID: 1"), signature).status,
		400)
	for i := range 20 { // more than are checked at once
		want(t, fmt.Sprint("one after the other, ", i), s.verify(s.message(wallet), signature).status, 200)
	}
	chain = `"0x14a34"`
	test := start(t, func(c *Config) { c.Node, c.Chain = sepolia, 84532 })
	want(t, "on the test network", test.verify(test.message(wallet), signature).status, 200)
	reply = `"0x00"`
	want(t, "not valid to it", s.verify(s.message(wallet), signature).faulty(), []string{"signature"})
	reply = ""
	down := s.verify(s.message(wallet), signature)
	want(t, "the node is down", []any{down.status, down.text("code"), down.header.Get("Retry-After")},
		[]any{503, "unavailable", 10})
	want(t, "which is nothing to accounts with a key", s.signIn(tocsintest.NewAccount(t)).status, 200)
}
