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
	want(t, "the names of the columns that are read", strings.Contains(p.html, `name="row" value="1 chain,address"`), true)
	want(t, "light", p.wire+s.assetSize(p) < maxPageSize, true)
	few := key.post("/bulk", fields{bulkField: "one.example\ntwo.example", "do": "screen"})
	few.says("one[.]example 1 No reports", "two[.]example 2 No reports")
	var file listsFile
	tocsintest.Must(t, json.Unmarshal([]byte(key.get("/lists.json").html), &file))
	want(t, "the lists in a file", file.ListsRead[0].Name, tocsin.SanctionsList)
}
