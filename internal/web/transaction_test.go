package web

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"tocsin/internal/evm"
)

// TestAReportIsFoundByTheTransactionThatItNames: pasted as it is, or as a link to a block explorer.
func TestAReportIsFoundByTheTransactionThatItNames(t *testing.T) {
	s := start(t)
	v := s.visitor()
	tron, ofEVM, other := strings.Repeat("6d9e", 16), "0x"+strings.Repeat("88df", 16), "0x"+strings.Repeat("77ab", 16)
	v.post("/report", aForm.with(fields{titleField: "Paid in vain", thingsField: "evil.example\ntx " + tron + "\n" + ofEVM,
		linkField: "https://bscscan.com/tx/" + other}))
	for _, typed := range []string{tron, "tx " + tron, "https://tronscan.org/#/transaction/" + tron, ofEVM,
		strings.ToUpper(tron), "https://etherscan.io/tx/" + ofEVM, other} {
		p := v.get("/screen?q=" + url.QueryEscape(typed))
		want(t, typed, []any{p.status, p.h1()}, []any{200, "1 report names this transaction"})
		p.says("Paid in vain", "Copy the address behind “To”")
		if strings.Contains(p.main(), "private key") {
			t.Errorf("%s: what is public is called a key: %s", typed, p)
		}
	}
	for _, typed := range []string{tron[:60] + "0000", ofEVM[:60] + "000000"} {
		p := v.get("/screen?q=" + typed)
		want(t, typed, p.status, 200)
		if strings.Contains(p.main(), "Paid in vain") {
			t.Errorf("%s: a report of another transaction is shown: %s", typed, p)
		}
	}
}

func TestATransactionThatIsReportedStillLeadsToItsRecipient(t *testing.T) {
	_, node := newChainNode(t, 1, map[string]string{
		hashOf(1): `{"to": "` + thief + `", "input": "0x", "blockNumber": "0x1"}`,
	})
	s := start(t, func(c *setup) { c.nodes = []*evm.Node{node} })
	v := s.visitor()
	v.post("/report", aForm.with(fields{titleField: "Paid in vain", thingsField: "evil.example\n" + hashOf(1)}))
	p := v.get("/screen?q=" + hashOf(1))
	want(t, "title", p.h1(), "1 report names this transaction")
	p.says("See what is known of the address that it went to")
	want(t, "links to it", slices.ContainsFunc(p.links(), func(to string) bool {
		return strings.HasPrefix(to, "/screen/"+thief+"?of="+hashOf(1))
	}), true)
}
