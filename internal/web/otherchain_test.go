package web

import "testing"

// TestAnAccountOfAnotherChainIsNeverClean: in the box, in a table and in its CSV it says that nothing was checked.
func TestAnAccountOfAnotherChainIsNeverClean(t *testing.T) {
	v := start(t).visitor()
	const polkadot = "15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5"
	const says = "This looks like an address of Polkadot. Tocsin does not screen that chain: nothing was checked"
	p := v.get("/screen?q=" + polkadot)
	p.says("Nothing was checked", says)
	want(t, "it is no mistake of the visitor", p.status, 200)
	for q, chain := range map[string]string{"bob.near": "NEAR", "0.0.98765": "Hedera",
		"tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb": "Tezos"} {
		v.get("/screen?q="+q).says("Nothing was checked", "This looks like an address of "+chain+".")
		v.get("/screen/" + q).says("an address of " + chain)
	}
	list := "one.example\n" + polkadot + "\nbob.near\n"
	v.post("/bulk", fields{bulkField: list, "do": "screen"}).says("1 of 3 lines looked up", says,
		"a chain that is not screened 2")
	rows := v.table(list)
	want(t, "in the CSV", []any{rows[2][5], rows[3][5], rows[2][6]}, []any{"error", "error",
		says + ", so it may be dangerous."})
}
