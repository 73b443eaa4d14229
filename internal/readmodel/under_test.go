package readmodel

import (
	"slices"
	"testing"

	"tocsin"
)

// TestUnderFindsNamesOnRecord below a domain and below a name in it, while they come and go.
func TestUnderFindsNamesOnRecord(t *testing.T) {
	m := New()
	dns := func(name string) tocsin.Subject { return tocsin.Subject{Kind: tocsin.DNS, Value: name} }
	listed := func(kind tocsin.ListingKind) *Record {
		return &Record{Listings: []Listing{{1, tocsin.Listing{Kind: kind}}}}
	}
	m.Apply(Change{Records: map[tocsin.Subject]*Record{
		dns("order.shop.example"): listed(tocsin.Risk), dns("shop.example"): listed(tocsin.Risk),
		dns("a.b.shop.example"): {Mentions: []Mention{{Crime: "scam"}}}, dns("mail.shop.example"): listed(tocsin.Safe),
		dns("order.myshop.example"): listed(tocsin.Risk), dns("theirs.vercel.app"): listed(tocsin.Risk),
		dns("x.theirs.vercel.app"): listed(tocsin.Risk),
	}})
	same := func(of string, want ...string) {
		t.Helper()
		var got []string
		for _, name := range m.Under(dns(of), 10) {
			got = append(got, name.Value)
		}
		if !slices.Equal(got, want) {
			t.Errorf("under %s: %q, want %q", of, got, want)
		}
	}
	same("shop.example", "a.b.shop.example", "order.shop.example")
	same("b.shop.example", "a.b.shop.example")
	same("vercel.app")
	same("theirs.vercel.app", "x.theirs.vercel.app")
	same("example")
	if got := m.Under(dns("shop.example"), 1); len(got) != 1 {
		t.Errorf("of one at most: %v", got)
	}
	m.Doubt([]tocsin.Subject{dns("new.shop.example")})
	same("shop.example", "a.b.shop.example", "new.shop.example", "order.shop.example")
	m.Apply(Change{Records: map[tocsin.Subject]*Record{dns("new.shop.example"): nil,
		dns("order.shop.example"): nil, dns("a.b.shop.example"): listed(tocsin.Safe)}})
	same("shop.example")
}
