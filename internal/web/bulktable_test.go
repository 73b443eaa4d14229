package web

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"tocsin"
	"tocsin/internal/sheet"
	"tocsin/internal/tocsintest"
)

// TestTheKnownAreNamedByWhatTheyAre: a token contract is not what other known addresses are, and an account that the
// operator has accepted is said to be so.
func TestTheKnownAreNamedByWhatTheyAre(t *testing.T) {
	s := start(t)
	token, exchange, accepted := "0x"+strings.Repeat("a1", 20), "0x"+strings.Repeat("b2", 20), "accepted.example"
	s.list("mine", "mine", tocsin.Safe, tocsin.TokenContract, token)
	s.list("mine-2", "mine-2", tocsin.Safe, "exchange", exchange)
	s.list("mine-3", "mine-3", tocsin.Safe, "", accepted)
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", accepted)
	list := token + "\n" + exchange + "\n" + accepted + "\n"
	p := s.visitor().post("/bulk", fields{bulkField: list, "do": "screen"})
	p.says("Known a token contract 1 Do not send tokens to the contract itself Known an account of an exchange 1 A list "+
		"knows it", "Known a token contract Lines: 1", "Known an account of an exchange Lines: 1")
	row := s.visitor().table(list)[3]
	want(t, "accepted", []string{row[4], row[8]}, []string{"proceed",
		"The operator of this service has accepted it: it is on the operator’s own safelist."})
}

// TestWhatAReportNamesWithoutAScoreIsNotUnreported: it is a count and a part of the table of its own, and the same word
// is on each page about it.
func TestWhatAReportNamesWithoutAScoreIsNotUnreported(t *testing.T) {
	s := start(t)
	s.tells("revoke-approval-exploits", "A bridge was robbed", "bridge.example", tocsin.Time{})
	s.tells("mew", "A shop was robbed", "shop.example", tocsin.Time{})
	s.list("mine", "mine", tocsin.Safe, "", "shop.example")
	list := "unknown.example\nbridge.example\nshop.example\n"
	v := s.visitor()
	const todo = "A report names it, without calling it bad. Read the report before you go on."
	v.post("/bulk", fields{bulkField: list, "do": "screen"}).says("Review 1 "+todo+" Known 1 The operator",
		"No reports 1 Nobody")
	rows := v.table(list)
	want(t, "the table", []string{rows[2][4], rows[2][5], rows[2][7], rows[2][8]},
		[]string{"review", "caution", "Review", todo})
	want(t, "of a safelist", rows[3][7:9], []string{"Known",
		"The operator of this service has accepted it: it is on the operator’s own safelist."})
	for _, at := range []string{"/screen/", "/object?subject=", "/object/case?subject="} {
		p := v.get(at + "bridge.example")
		p.says("Review")
		want(t, at, strings.Contains(p.main(), "No reports"), false)
	}
}

// TestAnAddressThatItsChainContradictsSaysSo, also if it cannot be read without it.
func TestAnAddressThatItsChainContradictsSaysSo(t *testing.T) {
	s := start(t)
	const solana = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
	list := "customer;wallet;chain\nC1;0x" + strings.Repeat("a1", 20) + ";Ethereum\nC2;" + solana + ";Bitcoin\n"
	p := s.visitor().post("/bulk", fields{bulkField: list})
	p.says("the chain contradicts the address 1 3: " + solana + " The column “chain” says “Bitcoin”, but this has the " +
		"form of an address of Solana. This may be an address of Solana")
	want(t, "an address of another chain", strings.Contains(p.html, "of another chain than"), false)
}

// TestATableOfManyLinesStaysLight: with columns of its own, what nobody warns of is listed by its lines; the CSV has
// all of it. Only columns that are heavier still are left out.
func TestATableOfManyLinesStaysLight(t *testing.T) {
	s := start(t)
	key := s.visitor()
	key.signIn(tocsintest.NewAccount(t))
	s.starter()
	s.Sleep(time.Minute) // until the counts are made anew
	s.list("scamsniffer", "scamsniffer", tocsin.Risk, "phishing", "0x"+strings.Repeat("a1", 20))
	random := rand.New(rand.NewPCG(1, 2))
	list := func(own int) string {
		var b strings.Builder
		b.WriteString("customer,chain,address,note\n")
		for n := range 400 {
			address := fmt.Sprintf("0x%016x%016x%08x", random.Uint64(), random.Uint64(), random.Uint32())
			if n == 9 {
				address = "0x" + strings.Repeat("a1", 20)
			}
			fmt.Fprintf(&b, "K-%d,Ethereum,%s,", n, address)
			for range own {
				b.WriteByte("bcdefghijklmnopq"[random.IntN(16)])
			}
			b.WriteString("\n")
		}
		return b.String()
	}
	const heavy = "Your other columns would make this page too heavy"
	text := list(12)
	p := key.post("/bulk", fields{bulkField: text, "do": "screen"})
	p.says("400 lines looked up", "High Lines: 1", "No reports Lines: 399 Lines 2–10, 12–401", "ScamSniffer: Phishing")
	want(t, "light, and whole", []any{p.wire+s.assetSize(p) < maxPageSize, strings.Contains(p.html, heavy), p.carried()},
		[]any{true, false, text})
	want(t, "the way to a level", []any{textOf(p.id("level-1"))[:4],
		strings.Contains(p.html, `<a href="#level-1" aria-label="High: 1">`)}, []any{"High", true})
	rows, err := csv.NewReader(strings.NewReader(key.post("/bulk", fields{bulkField: p.carried(), "do": "csv"}).html)).
		ReadAll()
	tocsintest.Must(t, err)
	want(t, "its columns in the CSV", strings.Join(rows[10][len(sheet.Columns):len(sheet.Columns)+3], " "),
		"11 address K-9")
	p = key.post("/bulk", fields{bulkField: list(120), "do": "screen"})
	p.says("400 lines looked up", heavy)
	want(t, "the names of the columns that are kept",
		strings.Contains(p.html, `name="row" value="1 customer,chain,address"`), true)
	want(t, "light", p.wire+s.assetSize(p) < maxPageSize, true)
	few := key.post("/bulk", fields{bulkField: "one.example\ntwo.example", "do": "screen"})
	few.says("one[.]example 1 No reports", "two[.]example 2 No reports")
	var file listsFile
	tocsintest.Must(t, json.Unmarshal([]byte(key.get("/lists.json").html), &file))
	want(t, "the lists in a file", file.ListsRead[0].Name, tocsin.SanctionsList)
}
