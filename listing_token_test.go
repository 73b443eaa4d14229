package tocsin

import "testing"

// TestATokenIsKnownOnTheChainOfItsList, unless a list warns of it.
func TestATokenIsKnownOnTheChainOfItsList(t *testing.T) {
	token := Listing{Kind: Safe, Category: TokenContract, Chain: "eip155:1"}
	anywhere := Listing{Kind: Safe, Category: TokenContract}
	for about, c := range map[string]struct {
		listings []Listing
		known    bool
	}{
		"nothing":             {nil, false},
		"a token":             {[]Listing{token}, true},
		"on every chain":      {[]Listing{anywhere}, true},
		"on another chain":    {[]Listing{{Kind: Safe, Category: TokenContract, Chain: "eip155:8453"}}, false},
		"an exchange":         {[]Listing{{Kind: Safe, Category: "exchange"}}, false},
		"a token warned of":   {[]Listing{token, {Kind: Risk}}, false},
		"a sanctioned token":  {[]Listing{{Kind: Sanction}, token}, false},
		"a token and its use": {[]Listing{{Kind: Safe, Category: "exchange"}, token}, true},
	} {
		if got := KnownToken(c.listings, "eip155:1"); got != c.known {
			t.Errorf("%s: %t", about, got)
		}
	}
}
