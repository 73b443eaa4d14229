package api

import (
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tocsin/internal/tocsintest"
)

// behindAProxy believes the addresses that a test says its calls come from.
func behindAProxy(c *Config) {
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
}

// from is the header of a call from the network of a number.
func from(network int) string { return fmt.Sprintf("X-Forwarded-For: 203.0.%d.7", network) }

// signInFrom signs an account in from a network.
func (s *service) signInFrom(network int, a tocsintest.Account) *answer {
	s.t.Helper()
	text := s.message(a.Address)
	body := map[string]any{"message": text, "signature": a.Sign(text)}
	return s.do("POST", "/auth/verify", body, from(network))
}

func TestOneNetworkGetsSoManyNewKeysADay(t *testing.T) {
	s := start(t, behindAProxy, func(c *Config) { c.Limits.NewAgents = 20 })
	known := tocsintest.NewAccount(t)
	want(t, "before", s.signInFrom(2, known).status, 200)
	var in atomic.Int64
	var all sync.WaitGroup
	for range 60 {
		all.Go(func() {
			switch got := s.signInFrom(1, tocsintest.NewAccount(t)); got.status {
			case 200:
				in.Add(1)
			case 429:
				want(t, "over it", []any{got.text("code"), got.header.Get("Retry-After")},
					[]any{"too_many_new_agents", 12 * 3600}) // until midnight
			default:
				t.Errorf("%d %s", got.status, got.raw)
			}
		})
	}
	all.Wait()
	want(t, "new wallets", in.Load(), 20)
	keys, err := s.db.Keys(t.Context())
	want(t, "keys on record", []any{len(keys), err}, []any{21, nil})
	for range 3 {
		want(t, "a wallet that is known", s.signInFrom(1, known).status, 200)
	}
	want(t, "another network", s.signInFrom(3, tocsintest.NewAccount(t)).status, 200)
	s.Sleep(12 * time.Hour)
	want(t, "the next day", s.signInFrom(1, tocsintest.NewAccount(t)).status, 200)
}

func TestASignInThatFailsTakesNoPlaceOfANewKey(t *testing.T) {
	s := start(t, func(c *Config) { c.Limits.NewAgents = 1 })
	a := tocsintest.NewAccount(t)
	for range 3 {
		want(t, "signed by another", s.verify(s.message(a.Address), tocsintest.NewAccount(t).Sign("x")).status, 400)
	}
	want(t, "signed", s.signIn(a).status, 200)
	want(t, "one too many", s.signIn(tocsintest.NewAccount(t)).status, 429)
}

func TestASignInWithinA402IsANewKeyAsWell(t *testing.T) {
	s := openShop(t, func(c *Config) { c.Limits.NewAgents = 1 })
	path := "/screen/" + thief
	a := tocsintest.NewAccount(t)
	want(t, "the first", s.get(path, s.proof(a, nil)).status, 200)
	got := s.get(path, s.proof(tocsintest.NewAccount(t), nil))
	want(t, "one too many", []any{got.status, got.text("code"), got.count("accepts") > 0},
		[]any{402, "sign_in_refused", true})
	want(t, "the first again", s.get(path, s.proof(a, nil)).status, 200)
	want(t, "at the other door", s.signIn(tocsintest.NewAccount(t)).text("code"), "too_many_new_agents")
}

func TestTheFreeCallsOfAllKeysFromOneNetworkAreBounded(t *testing.T) {
	s := openShop(t, behindAProxy, func(c *Config) { c.Limits.NetworkCalls = 25 })
	path := "/screen/" + thief
	key := func() string { return "x-api-key: " + s.key(-1) }
	var keys []string
	for range 12 {
		keys = append(keys, key())
	}
	for range 5 { // calls that fail count for nobody
		want(t, "a failure", s.get("/screen/nonsense", keys[0], from(1)).status, 400)
	}
	var served atomic.Int64
	var all sync.WaitGroup
	for _, key := range keys {
		for range 5 {
			all.Go(func() {
				switch got := s.get(path, key, from(1)); got.status {
				case 200:
					served.Add(1)
				default:
					want(t, "over it", []any{got.status, got.text("code"), got.header.Get("X-Free-Tier-Exhausted"),
						got.header.Get("X-RateLimit-Remaining-Day"), got.count("accepts") > 0},
						[]any{402, "network_calls_exhausted", true, 0, true})
				}
			})
		}
	}
	all.Wait()
	want(t, "free calls of twelve keys", served.Load(), 25)
	a := tocsintest.NewAccount(t)
	for range 2 { // the limit is not reset by another key, of a new wallet or of a known one
		again := "x-api-key: " + s.signInFrom(1, a).text("apiKey")
		want(t, "after a sign-in", s.get(path, again, from(1)).text("code"), "network_calls_exhausted")
	}
	fresh := "x-api-key: " + s.signIn(a).text("apiKey")
	for network, calls := range map[int][]any{
		1: {0, 0, 10, "The 25 free calls of today of all keys from your network are used up; new ones come at midnight UTC."},
		2: {10, 0, 10, ""},
	} {
		me := s.get("/me", fresh, from(network))
		help, _ := me.in("help").(string)
		want(t, "what a fresh key may call", []any{me.number("freeCalls.remaining"), me.number("freeCalls.used"),
			me.number("freeCalls.limit"), help}, calls)
	}
	s.served("paid for", s.paid(s.sign("GET", path), "GET", path, nil, keys[0], from(1)))
	own := "x-api-key: " + s.key(3)
	for range 3 {
		want(t, "with a quota of its own", s.get(path, own, from(1)).status, 200)
	}
	alone := key()
	for i := range 10 {
		got := s.get(path, alone, from(2))
		want(t, "alone in another network", []any{got.status, got.header.Get("X-RateLimit-Remaining-Day")}, []any{200, 9 - i})
	}
	want(t, "and no more", s.get(path, alone, from(2)).text("code"), "free_tier_exhausted")
	another := key()
	for i := range 15 { // 10 of the 25 are used, and each of two keys has 10
		if i == 10 {
			another = key()
		}
		got := s.get(path, another, from(2))
		want(t, "of a network", []any{got.status, got.header.Get("X-RateLimit-Remaining-Day")}, []any{200, min(9-i%10, 14-i)})
	}
	failed := s.get("/screen/nonsense", key(), from(3)).header.Get("X-RateLimit-Remaining-Day")
	want(t, "after a failure", failed, "10")
	s.Sleep(12 * time.Hour)
	want(t, "the next day", s.get(path, keys[0], from(1)).status, 200)
}
