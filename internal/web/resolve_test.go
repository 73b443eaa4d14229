package web

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tocsin/internal/evm"
)

// chainNode is a node that knows vitalik.eth, and some transactions on one chain.
type chainNode struct {
	*httptest.Server
	asked  atomic.Int32 // calls other than for the id of the chain
	silent atomic.Bool
}

// hashOf is the hash of a transaction in tests.
func hashOf(n int) string { return fmt.Sprintf("0x%064x", n) }

// newChainNode starts a node that answers as go-ethereum does.
func newChainNode(t *testing.T, chain uint64, transactions map[string]string) (*chainNode, *evm.Node) {
	t.Helper()
	n := &chainNode{}
	word := func(address string) string { return strings.Repeat("0", 24) + strings.ToLower(address[2:]) }
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			Method string
			Params []any
		}
		if n.silent.Load() || json.NewDecoder(r.Body).Decode(&call) != nil {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		result := `"result": "` + fmt.Sprintf("0x%x", chain) + `"`
		if call.Method != "eth_chainId" {
			n.asked.Add(1)
		}
		text := fmt.Sprint(call.Params)
		switch {
		case call.Method == "eth_call" && strings.Contains(text, hex.EncodeToString([]byte("\x07vitalik\x03eth\x00"))):
			result = `"result": "0x` + fmt.Sprintf("%064x", 64) + word(nobody) + fmt.Sprintf("%064x", 32) + word(thief) + `"`
		case call.Method == "eth_call" && strings.Contains(text, hex.EncodeToString([]byte("base"))):
			result = `"error": {"code": 3, "message": "execution reverted", "data": "0x556f1830"}`
		case call.Method == "eth_call":
			result = `"error": {"code": 3, "message": "execution reverted", "data": "0x77209fe8"}`
		case call.Method == "eth_getTransactionByHash":
			result = `"result": null`
			if found := transactions[call.Params[0].(string)]; found != "" {
				result = `"result": ` + found
			}
		}
		fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": 1, %s}`, result)
	}))
	t.Cleanup(n.Close)
	node, err := evm.NewNode(n.URL, chain, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return n, node
}

func TestAnENSNameLeadsToItsAddress(t *testing.T) {
	ethereum, node := newChainNode(t, 1, nil)
	s := start(t, func(c *setup) { c.nodes = []*evm.Node{node} })
	v := s.visitor()
	p := v.get("/screen?q=Vitalik.eth")
	want(t, "leads to", p.header.Get("Location"), "/screen/"+thief+"?of=Vitalik.eth&asked=1")
	p = v.get(p.header.Get("Location"))
	p.says("vitalik.eth points to this address. We asked on", "Its owner can point it elsewhere at any time")
	want(t, "by path", v.get("/screen/vitalik.eth").header.Get("Location"), "/screen/"+thief+"?of=vitalik.eth")
	want(t, "the node was asked", ethereum.asked.Load(), int32(1))
	s.Sleep(11 * time.Minute)
	v.get("/screen?q=vitalik.eth")
	want(t, "the node is asked again", ethereum.asked.Load(), int32(2))

	for _, path := range []string{"/screen/" + nobody + "?of=vitalik.eth", "/screen/" + thief + "?of=other.eth"} {
		if p := v.get(path); p.status != 200 || strings.Contains(p.main(), "points to this address") {
			t.Errorf("a link that lies is believed: %s", p)
		}
	}
	for typed, says := range map[string]string{
		"alice.base.eth":  "not stored on Ethereum",
		"nobody-here.eth": "points to no address on Ethereum now",
		"vitalık.eth":     "has characters other than the letters a to z",
	} {
		p := v.get("/screen?q=" + url.QueryEscape(typed))
		want(t, typed, []any{p.status, p.h1(), len(p.class("err"))}, []any{200, typed + " is an ENS name", 0})
		p.says(says)
	}
}

func TestATransactionLeadsToItsRecipient(t *testing.T) {
	word := func(address string) string { return strings.Repeat("0", 24) + strings.ToLower(address[2:]) }
	amount := fmt.Sprintf("%064x", 5)
	_, ethereum := newChainNode(t, 1, map[string]string{
		hashOf(1): `{"to": "` + thief + `", "input": "0x", "blockNumber": "0x1"}`,
		hashOf(2): `{"to": "` + nobody + `", "input": "0xa9059cbb` + word(thief) + amount + `", "blockNumber": "0x1"}`,
		hashOf(3): `{"to": "` + thief + `", "input": "0x12345678", "blockNumber": null}`,
		hashOf(4): `{"to": null, "input": "0x6080", "blockNumber": "0x1"}`,
	})
	onBase, base := newChainNode(t, 8453, map[string]string{
		hashOf(5): `{"to": "` + nobody + `", "input": "0x23b872dd` + word(nobody) + word(thief) + amount + `"}`,
	})
	s := start(t, func(c *setup) { c.nodes = []*evm.Node{ethereum, base} })
	v := s.visitor()
	for typed, says := range map[string]string{
		hashOf(1):                              "pays this address. It is 0x00000000…00000001 on Ethereum. We asked on",
		"https://etherscan.io/tx/" + hashOf(2): "sends a token to this address. It is 0x00000000…00000002 on Ethereum.",
		"tx " + hashOf(3):                      "calls this contract. Somebody else may have received the money",
		hashOf(5):                              "It is not in a block yet. It is 0x00000000…00000005 on Base.",
	} {
		p := v.get("/screen?q=" + url.QueryEscape(typed))
		at := p.header.Get("Location")
		if !strings.HasPrefix(at, "/screen/"+thief+"?of=0x") || !strings.Contains(at, "&on=eip155%3A") {
			t.Errorf("%s leads to %q", typed, at)
			continue
		}
		v.get(p.header.Get("Location")).says(says)
	}
	before := onBase.asked.Load()
	for typed, links := range map[string]int{
		hashOf(4): 5, hashOf(6): 5, "https://www.etherscan.io/tx/" + hashOf(7): 1, "https://bscscan.com/tx/" + hashOf(1): 1,
		"see https://bscscan.com/tx/" + hashOf(1): 1,
		"tx " + hashOf(1)[2:]:                     3, "https://tronscan.org/#/transaction/" + hashOf(1)[2:]: 3,
	} {
		p := v.get("/screen?q=" + url.QueryEscape(typed))
		out := 0
		for _, n := range p.class("out") {
			out = len(below(n, "a"))
		}
		want(t, typed, []any{p.status, p.h1(), len(p.class("err")), out}, []any{200, "This is a transaction", 0, links})
	}
	want(t, "Base is asked about what may be there", onBase.asked.Load()-before, int32(2))
}

// TestALinkHidesNoTransaction: it may name a chain where there is none, and what is no hash.
func TestALinkHidesNoTransaction(t *testing.T) {
	onEthereum, ethereum := newChainNode(t, 1, nil)
	_, base := newChainNode(t, 8453, map[string]string{hashOf(5): `{"to": "` + thief + `", "input": "0x"}`})
	s := start(t, func(c *setup) { c.nodes = []*evm.Node{ethereum, base} })
	v := s.visitor()
	v.get("/screen/" + nobody + "?of=0x" + strings.Repeat("z", 64) + "&on=eip155:1")
	want(t, "what is no hash is asked for", onEthereum.asked.Load(), int32(0))
	v.get("/screen/" + nobody + "?of=" + hashOf(5) + "&on=eip155:1")
	want(t, "a hash is asked for", onEthereum.asked.Load(), int32(1))
	if at := v.get("/screen?q=" + hashOf(5)).header.Get("Location"); !strings.HasPrefix(at, "/screen/"+thief+"?") {
		t.Errorf("it leads to %q", at)
	}
}

func TestNodesAreNotAskedTooOften(t *testing.T) {
	ethereum, node := newChainNode(t, 1, nil)
	s := start(t, func(c *setup) { c.nodes = []*evm.Node{node} })
	v := s.visitor()
	for n := range 30 {
		want(t, "within the limit", v.get(fmt.Sprintf("/screen?q=name-%d.eth", n)).status, 200)
	}
	p := v.get("/screen?q=name-30.eth")
	want(t, "beyond it", []any{p.status, ethereum.asked.Load(), p.header.Get("Retry-After")},
		[]any{429, int32(30), "600"})
	p.says("Paste the 0x address")
	want(t, "what is known", v.get("/screen?q=name-1.eth").status, 200)
	want(t, "an hour later", func() int { s.Sleep(time.Hour); return v.get("/screen?q=name-30.eth").status }(), 200)

	for _, silent := range []bool{true, false, true} { // failures that are not in a row
		ethereum.silent.Store(silent)
		for n := range map[bool]int{true: resolverFailures - 1, false: 1}[silent] {
			p := v.get(fmt.Sprintf("/screen?q=now-%t-%d.eth", silent, n))
			want(t, "now and then", p.status, map[bool]int{true: 503, false: 200}[silent])
		}
	}
	ethereum.silent.Store(false)
	want(t, "none of them counts", v.get("/screen?q=heard.eth").status, 200)
	ethereum.silent.Store(true)
	for n := range 5 {
		want(t, "while it is silent", v.get(fmt.Sprintf("/screen?q=lost-%d.eth", n)).status, 503)
	}
	ethereum.silent.Store(false)
	p = v.get("/screen?q=lost-1.eth")
	want(t, "at once", []any{p.status, p.header.Get("Retry-After")}, []any{503, "30"})
	s.Sleep(time.Minute)
	want(t, "a minute later", v.get("/screen?q=lost-1.eth").status, 200)
}

func TestWhatIsNoMistakeIsNoError(t *testing.T) {
	s := start(t)
	v := s.visitor()
	for typed, says := range map[string]string{
		"vitalik.eth":                              "This server cannot look that up. Paste the 0x address that it points to",
		hashOf(1):                                  "Copy the address behind “To”.",
		"http://192.0.2.7/claim":                   "Honest shops, banks and wallets have names. Type nothing in",
		"http://192.0.2.7/claim one.example":       "Honest shops, banks and wallets have names.",
		"192.0.2.7":                                "is the number of a computer",
		"https://192.0.2.7:80/login":               "192.0.2.7 is the number of a computer",
		"https://sites.google.com/view/evil":       "See what is known about sites.google.com",
		"https://github.com/evil/repo":             "See what is known about github.com",
		"https://discord.gg/evil":                  "Anyone can have a page on discord.gg",
		"sites.google[.]com/view/evil":             "Anyone can have a page on sites.google.com",
		"docs.google.com/forms/d/evil ":            "Anyone can have a page on docs.google.com",
		"bit.ly/evil":                              "This is a shortened link. It can lead to any site.",
		"https://etherscan.io/address/vitalik.eth": "vitalik.eth is an ENS name",
		"https://basescan.org/name-lookup-search?id=jonas.base.eth": "jonas.base.eth is an ENS name",
		"https://app.ens.domains/vitalik.eth":                       "vitalik.eth is an ENS name",
		"https://etherscan.io/address/jonas": "This link shows jonas on Etherscan We cannot look that up. That Etherscan " +
			"is known says nothing about who gets the money. Paste the 0x address.",
		"pay https://etherscan.io/tx/0x5c504ed4":                    "This link shows 0x5c504ed4 on Etherscan",
		"linktr.ee/lena":                                            "Anyone can have a page on linktr.ee",
		"https://sites.google.com/view/uniswap-airdrop/home now":    "so this one has no score",
		"Open https://bit.ly/3xYzAbC now":                           "This is a shortened link.",
		"Claim now: https://github.com/uniswap-airdrop/claim today": "so this one has no score",
		"https://x.example/?w=" + thief:                             "This address is in the link. It may be your own",
		strings.Repeat("wordy ", 13):                                "Paste one address, or the link to one site.",
		"...":                                                       "a few words: a name, a handle, a phone number",

		"Ihr Konto wird gesperrt, https://bit.ly/3xY, oder rufen Sie 0151 23456789": "This is a shortened link.",
	} {
		p := v.get("/screen?q=" + url.QueryEscape(typed))
		want(t, typed, []any{p.status, len(p.class("err"))}, []any{200, 0})
		p.says(says)
	}
}

func TestAHandleIsFoundAsAWholeOnly(t *testing.T) {
	s := start(t)
	file := func(title string, d draft) {
		d["title"], d["description"], d["reportedDomains"] = title, "He wrote to me first.", []string{"gold.example"}
		s.file(d)
	}
	file("By handle", draft{"reportedHandles": []string{"telegram:lena_trades", "email:lena@mail.example"}})
	file("By number", draft{"socialMedia": draft{"whatsapp": "+44 20 7946-0958"}})
	file("A longer one, @lena_trades_88", draft{"reportedHandles": []string{"phone:+4420794609581"}})
	v := s.visitor()
	for typed, want := range map[string]string{
		"@lena_trades": "By handle", "https://t.me/Lena_Trades": "By handle", "lena@mail.example": "By handle",
		"+44 20 7946 0958": "By number", "0044 (0)20 79460958": "By number", "whatsapp: +442079460958": "By number",
		"https://wa.me/442079460958": "By number", "@lena_trades_88": "A longer one, @lena_trades_88",
		"@lena": "", "@trades": "", "ena@mail.example": "", "+44 20 7946 095": "",
	} {
		p := v.get("/screen?q=" + url.QueryEscape(typed))
		p = v.get(p.header.Get("Location"))
		if titles, _ := rowsOf(p); strings.Join(titles, ", ") != want {
			t.Errorf("%s: found %q, want %q", typed, titles, want)
		}
	}
	_, feed := s.feed("/reports.atom")
	for _, name := range []string{"lena", "4420794"} {
		if strings.Contains(feed, name) {
			t.Errorf("%s is in the feed", name)
		}
	}
}
