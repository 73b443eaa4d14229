//go:build linux

package bench

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"tocsin/internal/synth"
)

// built is how long the generated database took to make.
type built struct{ Import, Peak, Size float64 }

// generated returns the path of a database with n generated reports, a copy that
// may be changed. The program itself imports them.
func generated(b *testing.B, n int) string {
	parent := filepath.Dir(directory(b))
	name := filepath.Join(parent, fmt.Sprintf("reports-%d-%s.db", n, recipe(b)))
	if os.Getenv("TOCSIN_BENCH_DIR") == "" {
		name = filepath.Join(scratch, fmt.Sprintf("reports-%d.db", n))
	}
	var cost built
	text, err := os.ReadFile(name + ".json")
	if err == nil {
		must(b, json.Unmarshal(text, &cost))
	} else {
		lines, fresh := filepath.Join(scratch, "reports.ndjson"), filepath.Join(scratch, "fresh.db")
		f, err := os.Create(lines)
		must(b, err)
		must(b, synth.Write(f, n, seed))
		must(b, f.Close())
		_, took, peak := run(b, "import", "-db", fresh, "-from", lines, "ndjson")
		cost = built{took.Seconds(), peak, megabytes(fresh)}
		must(b, os.Remove(lines))
		must(b, os.Rename(fresh, name))
		text, err = json.Marshal(cost)
		must(b, err)
		must(b, os.WriteFile(name+".json", text, 0o644))
	}
	if !noted[n] {
		noted[n] = true
		what, took, peak := fmt.Sprintf("import of %d generated reports", n), series{cost.Import}, series{cost.Peak}
		if n == reports {
			atMost(what, took, " s", 60)
			atMost("  peak memory", peak, " MiB", 512)
		} else {
			note(what, took, " s")
			note("  peak memory", peak, " MiB")
		}
		note("  reports a second", series{float64(n) / cost.Import}, "")
		note("  database", series{cost.Size}, " MiB")
	}
	return workOn(b, name)
}

// workOn returns the path of a copy of a database.
func workOn(b *testing.B, name string) string {
	work := filepath.Join(scratch, "work-"+b.Name()+".db")
	from, err := os.Open(name)
	must(b, err)
	defer from.Close()
	to, err := os.Create(work)
	must(b, err)
	defer to.Close()
	_, err = io.Copy(to, from)
	must(b, err)
	must(b, to.Sync()) // so that no write-back happens during a round
	b.Cleanup(func() { os.Remove(work) })
	return work
}

var noted = map[int]bool{}

// recipe returns a hash of everything that the generated database depends on.
func recipe(b *testing.B) string {
	h := sha256.New()
	for _, root := range []string{"../store/schema", "../synth"} {
		must(b, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			h.Write(text)
			return err
		}))
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:4])
}

func megabytes(path string) float64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return float64(info.Size()) / (1 << 20)
}

// kind is one kind of search, with several queries.
type kind struct {
	name      string
	questions []string
}

// singleWord has the kinds that are a single word.
var singleWord = map[string]bool{
	"a rare word": true, "a word of 1 %": true, "a word of 10 to 40 %": true, "a very common word": true,
}

// questions returns searches for words of different frequency, measured in a sample
// of the reports.
func questions() []kind {
	const sample = 50_000
	count := map[string]int{}
	prefixes := map[string]int{}
	var texts, heavy, light, domains []string
	subjects := map[string]int{}
	n := 0
	for d := range synth.Reports(seed) {
		if n++; n > sample {
			break
		}
		notLetter := func(r rune) bool { return !unicode.IsLetter(r) }
		words := strings.FieldsFunc(strings.ToLower(d.Title+" "+d.Description), notLetter)
		if n%500 == 0 {
			texts = append(texts, strings.Join(words[len(words)-12:], " "))
		}
		slices.Sort(words)
		for _, w := range slices.Compact(words) {
			count[w]++
			for l := 3; l <= min(4, len(w)); l++ {
				prefixes[w[:l]]++
			}
		}
		for _, a := range d.ScammerAddresses {
			subjects[a]++
		}
		if n%500 == 0 {
			domains = append(domains, d.ReportedDomains...)
		}
	}
	between := func(counts map[string]int, length int, least, most float64) (found []string) {
		for w, c := range counts {
			if share := float64(c) / sample; share >= least && share <= most && (length == 0 || len(w) == length) {
				found = append(found, w)
			}
		}
		slices.Sort(found)
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
		return found[:min(len(found), 40)]
	}
	for a, c := range subjects {
		if c > 100 {
			heavy = append(heavy, a)
		} else if c == 1 && len(light) < 40 {
			light = append(light, a)
		}
	}
	each := func(from []string, form func(s string) string) (out []string) {
		for _, s := range from {
			out = append(out, form(s))
		}
		return out
	}
	pairs := func(a, b []string, form string) (out []string) {
		for i := range 40 {
			out = append(out, fmt.Sprintf(form, a[i%len(a)], b[(i*7+i/len(a)+1)%len(b)]))
		}
		return out
	}
	star := func(s string) string { return s + "*" }
	rare, common := between(count, 0, 0, 3./sample), between(count, 0, 0.4, 1)
	frequent := between(count, 0, 0.1, 1)
	return []kind{
		{"a rare word", rare},
		{"a word of 1 %", between(count, 0, 0.007, 0.013)},
		{"a word of 10 to 40 %", between(count, 0, 0.1, 0.4)},
		{"a very common word", append([]string{"the", "synthetic", "report", "of"}, common...)},
		{"two common words", pairs(common, common, "%s %s")},
		{"a common and a rare word", pairs(common, rare, "%s %s")},
		{"two words of 1 %", pairs(between(count, 0, 0.007, 0.013), between(count, 0, 0.006, 0.014), "%s %s")},
		{"prefix of 3, common", each(between(prefixes, 3, 0.3, 99), star)},
		{"prefix of 3, rare", each(between(prefixes, 3, 0, 0.0005), star)},
		{"prefix of 4, common", each(between(prefixes, 4, 0.2, 99), star)},
		{"prefix of 4, rare", each(between(prefixes, 4, 0, 0.0002), star)},
		{"common prefix and common word", pairs(each(between(prefixes, 3, 0.3, 99), star), common, "%s %s")},
		{"a phrase that is everywhere", []string{
			`"synthetic report"`, `"report of"`, `"synthetic report of"`, `"report of phishing"`, `"to the"`}},
		{"a phrase of common words", pairs(common, common, `"%s %s"`)},
		{"a phrase of common words that hardly occurs", append(pairs(frequent, common, `"%s synthetic %s"`),
			`"of synthetic"`, `"the synthetic"`, `"to and the of"`)},
		{"an address, many reports", heavy},
		{"an address, one report", light},
		{"a domain", domains},
		{"twelve words of a report", texts},
		{"the twelve most common words", []string{
			"the to and i my a of was wallet they in it", "synthetic report of the to and i my a was wallet they"}},
	}
}

// BenchmarkSearch runs every kind of search among a million reports, with one client.
func BenchmarkSearch(b *testing.B) {
	s := serve(b, generated(b, 1_000_000))
	c, err := dial(s)
	must(b, err)
	defer c.Close()
	kinds := questions()
	typical, worst, slowest := make([]series, len(kinds)), make([]series, len(kinds)), make([]string, len(kinds))
	for range rounds {
		for k, kind := range kinds {
			var took series
			for range max(1, 20/len(kind.questions)) {
				for _, q := range kind.questions {
					start := time.Now()
					must(b, c.do(request("GET", base+"/community-reports/search?q="+url.QueryEscape(q), s.key, "")))
					took = append(took, time.Since(start).Seconds()*1000)
					if took[len(took)-1] >= slices.Max(took) {
						slowest[k] = q
					}
				}
			}
			typical[k], worst[k] = append(typical[k], took.median()), append(worst[k], took.at(0.99))
		}
	}
	for k, kind := range kinds {
		note("search for "+kind.name, typical[k], " ms")
		most := 100.0
		if singleWord[kind.name] {
			most = 20
		}
		atMost("  p99; slowest: "+slowest[k], worst[k], " ms", most)
	}
}

// BenchmarkList compares a page deep in the list with the first.
func BenchmarkList(b *testing.B) {
	const depth = 300_000
	s := serve(b, generated(b, reports))
	c, err := dial(s)
	must(b, err)
	defer c.Close()
	get := func(query string) time.Duration {
		start := time.Now()
		must(b, c.do(request("GET", base+"/community-reports?"+query, s.key, "")))
		return time.Since(start)
	}
	cursor, created := "", ""
	for n := 0; n < depth; n += 100 {
		get("limit=100" + cursor)
		cursor, created = "&cursor="+text(c.body, "nextCursor"), text(c.body, "createdAt")
	}
	deep, now := cursor, url.QueryEscape(time.Now().Add(-time.Hour*24*365).UTC().Format(time.RFC3339))
	kinds := []struct{ name, first, deep string }{
		{": 300,000 deep / first page", "", deep},
		{" of a crime type: 300,000 deep / first page", "&crimeType=phishing", "&crimeType=phishing" + deep},
		{" of a source: 300,000 deep / first page", "&source=ndjson", "&source=ndjson" + deep},
		{" of both: 300,000 deep / first page",
			"&crimeType=phishing&source=ndjson", "&crimeType=phishing&source=ndjson" + deep},
		{" of a crime type, since: 300,000 deep / first page",
			"&crimeType=phishing&since=" + now, "&crimeType=phishing&since=" + url.QueryEscape(created)},
		{" since: 300,000 deep / first page", "&since=" + now, "&since=" + url.QueryEscape(created)},
		{" of a crime type and a source that have none together / first page", "", "&crimeType=phishing&source=community"},
		{" of a rare crime type and the source of all / first page", "", "&crimeType=money_laundering&source=ndjson"},
	}
	first, ratio := make([]series, len(kinds)), make([]series, len(kinds))
	for range rounds {
		for k, kind := range kinds {
			var shallow, below series
			for range 40 {
				shallow = append(shallow, get("limit=50"+kind.first).Seconds()*1000)
				below = append(below, get("limit=50"+kind.deep).Seconds()*1000)
			}
			first[k], ratio[k] = append(first[k], shallow.median()), append(ratio[k], below.median()/shallow.median())
		}
	}
	for k, kind := range kinds {
		atMost("list"+kind.name, ratio[k], "", 1.3)
		note("  first page of 50", first[k], " ms")
	}
}

// text returns the last value of a text field in a JSON body.
func text(body []byte, field string) string {
	_, value, _ := bytes.Cut(body[bytes.LastIndex(body, []byte(`"`+field+`":"`)):], []byte(`:"`))
	value, _, _ = bytes.Cut(value, []byte(`"`))
	return string(value)
}
