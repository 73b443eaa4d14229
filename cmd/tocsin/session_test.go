package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"tocsin/internal/tocsintest"
)

// session is what an operator types, a line each. A word such as rep_1 is the first report that was printed, and toc_1
// the first key. Words with a space in them are between quotes.
const session = `
key create -name Ann -operator olga -reason "a first one"
key create -address 0x098B716B8Aaf21512996dC57EB0615e2383E2f96 -quota 5 -operator olga
key create -address 0x098B716B8Aaf21512996dC57EB0615e2383E2f96 -operator olga
key list
key revoke toc_1 -operator olga
key revoke toc_1
key revoke nothing
import spmedia -from list.txt
import spmedia -from list.txt
import spmedia -from short.txt
import spmedia -from short.txt -force
import spmedia -from nosuch.txt
import ndjson -as partner -from own.ndjson -operator olga
import safelist -from good.csv
import ofac -from ofac.json
import scamsniffer -from clone
import nosuch
report list
report list -limit 1
report show rep_1
report show rep_none
report hide
report hide rep_1 -operator olga
report hide -source partner
report hide -source partner -yes -operator olga -reason "a flood"
report hide -source partner
report list -status hidden
report restore rep_2 -operator olga
report restore -status hidden -yes -operator olga
report erase rep_1
report erase rep_1 -yes -operator olga
report erase rep_1 -yes -operator olga -reason court
report erase rep_1 -yes -reason court
report list -status nonsense
agent list
agent ban agt_1 -operator olga
agent ban agt_1
agent list -banned
agent unban agt_1 -operator olga
agent unban agt_1
agent ban nobody
safelist add kept-tocsin.com -name "Kept Ltd" -operator olga
safelist add kept-tocsin.com -name "Kept Ltd"
safelist add two-tocsin.com -category top-site
safelist list
safelist remove kept-tocsin.com -operator olga
safelist remove kept-tocsin.com
filing
filing keys-only -operator olga
filing closed -operator olga
filing open -operator olga
filing perhaps
read-only
read-only on -operator olga
key create
backup meanwhile.db
read-only off -operator olga
payments
payments -since 2026-01-31
payments -json
log -limit 7
log -limit 1 -json
log -operator nobody
log -since soon
backup copy.db
backup copy.db
restore -db new.db copy.db
restore -db new.db copy.db
check
check -db nosuch.db
clock mend -operator olga
clock mend -yes -operator olga
train
eval -domains list.txt
migrate -from tocsin.db
screen
health -listen unix:nosuch.sock
generate -reports 0
nonsense
key
help nonsense
`

// TestWhatTheOperatorReads is the answer to each line of the session: its exit status, the results, and what is beside
// them.
func TestWhatTheOperatorReads(t *testing.T) {
	m := newMachine(t)
	tocsintest.Must(t, os.Mkdir(m.at("clone"), 0o700))
	m.write("clone/domains.json", `["one-tocsin.com","10.0.0.1",7]`)
	m.write("list.txt", "one-tocsin.com", "two-tocsin.com", "kept-tocsin.com", "10.0.0.1", "10.0.0.2", "localhost")
	m.write("short.txt", "one-tocsin.com")
	m.write("own.ndjson", line("1", "The first", address(1)), line("2", "The second", "two-tocsin.com"), "{")
	m.write("good.csv", "subject,category", "one-tocsin.com,shop")
	m.write("ofac.json", sdn(0, 3))
	names := map[string]string{} // of the ids that were printed, and the other way round
	printed := regexp.MustCompile(`(rep|agt|toc)_[a-z2-7]{8,}`)
	typed := regexp.MustCompile(`(rep|agt|toc)_\d`)
	count := map[string]int{}
	named := func(text string) string {
		return printed.ReplaceAllStringFunc(text, func(id string) string {
			key := id[:min(len(id), 12)] // a key is shown whole once
			if names[key] == "" {
				count[id[:3]]++
				name := fmt.Sprintf("%s_%d", id[:3], count[id[:3]])
				names[key], names[name] = name, id
			}
			return names[key]
		})
	}
	varies := []struct { // by the clock and the machine
		is *regexp.Regexp
		as string
	}{
		{regexp.MustCompile(`20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?`), "TIME"},
		{regexp.MustCompile(`20\d\d-\d\d-\d\d`), "DAY"}, {regexp.MustCompile(`took \d\S*`), "took T"},
		{regexp.MustCompile(`\d+\.\d MB`), "N MB"}, {regexp.MustCompile(`SHA-256 [0-9a-f]{64}`), "SHA-256 S"},
		{regexp.MustCompile(`, \S+ ago`), ", T ago"}, {regexp.MustCompile(` +`), " "},
	}
	words := regexp.MustCompile(`"[^"]*"|\S+`)
	var b strings.Builder
	for text := range strings.Lines(strings.TrimSpace(session)) {
		text = strings.TrimSpace(text)
		args := words.FindAllString(typed.ReplaceAllStringFunc(text, func(name string) string { return names[name] }), -1)
		for i := range args {
			args[i] = strings.Trim(args[i], `"`)
		}
		r := m.run(args...)
		fmt.Fprintf(&b, "=== %s\nstatus %d\n", text, r.status)
		for _, part := range []struct{ sign, text string }{{"> ", r.out}, {"! ", r.err}} {
			for says := range strings.Lines(named(part.text)) {
				for _, c := range varies {
					says = c.is.ReplaceAllString(says, c.as)
				}
				b.WriteString(part.sign + strings.TrimRight(says, " \n") + "\n")
			}
		}
	}
	tocsintest.Golden(t, "testdata/session.txt", b.String())
}
