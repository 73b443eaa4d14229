package manual

import (
	"fmt"
	"html/template"
	"strings"
	"testing"

	"tocsin/internal/contract"
	"tocsin/internal/tocsintest"
)

// TestAnExampleIsWrittenAsItsLanguageWritesIt: each kind of call in each language, and the colors of its parts.
func TestAnExampleIsWrittenAsItsLanguageWritesIt(t *testing.T) {
	var all strings.Builder
	const short, long = "https://tocsin.example/r/", "https://tocsin.example/api/v1/screen/"
	body := contract.ValueOf(map[string]any{"a": "it's null, true and false", "b": nil, "c": true, "d": false,
		"e": []any{1, "x"}, "long": strings.Repeat("long ", 12)})
	width := lineWidth - 4 // of a URL on one line
	fits := short + strings.Repeat("x", width-len(short))
	for _, c := range []call{
		{Method: "GET", URL: short + "a"}, {Method: "GET", URL: fits}, {Method: "GET", URL: fits + "y"},
		{Method: "GET", URL: short + "a?b=c&d=e%20f"}, {Method: "GET", URL: long + strings.Repeat("0", 42) + "?q=1"},
		{Method: "GET", URL: fits[:width-4], Variable: "NAME"}, {Method: "GET", URL: fits[:width-3], Variable: "NAME"},
		{Method: "GET", URL: long, Variable: "REPORT_ID", Header: "x-api-key", Secret: "TOCSIN_KEY"},
		{Method: "GET", URL: long + strings.Repeat("1", 20), Variable: "REPORT_ID"},
		{Method: "DELETE", URL: short, Variable: "REPORT_ID", Header: "X-Manage-Token", Secret: "MANAGE_TOKEN"},
		{Method: "POST", URL: short + "b", Body: body}, {Method: "PUT", URL: fits + "y", Body: body, Header: "h",
			Secret: "S"},
		{Method: "POST", URL: short + "c", File: "signed.json"},
	} {
		fmt.Fprintf(&all, "=== %s %s %s %s\n%s\n%s\n%s\n%s\n%t %t %s\n", c.Method, c.URL, c.Variable, c.Secret, c.ShellURL(),
			c.JavaScriptURL(), c.PythonURL(), c.GoURL(), c.Sends(), c.Plain(), c.GoBody())
		if c.Body != nil {
			fmt.Fprintf(&all, "%s\n%s\n%s\n", c.ShellJSON(), c.IndentedJSON(), c.PythonDict())
		}
		for _, p := range []*Program{c.program("curl", "curl", "curl"), c.program("Python", "python", "Python"),
			c.program("JavaScript", "js", "JavaScript"), c.program("Go", "go", "Go")} {
			fmt.Fprintf(&all, "--- %s %s\n", p.Label, p.Language)
			for _, f := range p.Fragments {
				fmt.Fprintf(&all, "[%s]%s", f.Class, f.Text)
			}
			all.WriteByte('\n')
		}
	}
	for language, words := range map[string]string{
		"python": `from import with as try except raise None True False fromx "a\"b" "open # not`,
		"js":     `import from const let await async new if throw while newer "a\"b" // all "of" it`,
		"x402":   `import from const let await async new if throw while newer "a\"b" // all "of" it`,
		"go":     "package import func if return nil nile \"a\\\"b\" `raw\n\"` // all \"of\" it",
		"json":   `{"a\"b": "c\"d", "e": 1}`, "sh": "a \"b\nc\" 'd'\\''e' # all 'of' it", "curl": `a "b" 'c'`,
	} {
		var marked []string
		p := highlight("", language, words+"\n")
		for _, f := range p.Fragments {
			if f.Class != "" {
				marked = append(marked, f.Class+":"+f.Text)
			}
		}
		wanted := map[string]string{
			"python": "k:from k:import k:with k:as k:try k:except k:raise k:None k:True k:False s:\"a\\\"b\" c:# not",
			"js": "k:import k:from k:const k:let k:await k:async k:new k:if k:throw k:while s:\"a\\\"b\" " +
				"c:// all \"of\" it",
			"go":   "k:package k:import k:func k:if k:return k:nil s:\"a\\\"b\" s:`raw\n\"` c:// all \"of\" it",
			"json": `k:"a\"b": s:"c\"d" k:"e":`, "sh": "s:\"b\nc\" s:'d'\\''e' c:# all 'of' it", "curl": `s:"b" s:'c'`,
		}
		wanted["x402"] = wanted["js"]
		tocsintest.Want(t, language, []string{strings.Join(marked, " "), p.Text()}, []string{wanted[language], words})
	}
	tocsintest.Golden(t, "testdata/examples.txt", all.String())
}

// TestEachPlaceOfAWordHasItsPoints, and a word that is nowhere has none.
func TestEachPlaceOfAWordHasItsPoints(t *testing.T) {
	p := part{level: 3}
	p.lower.title, p.lower.page, p.lower.text = "report a site", "filing reports", "send it to us"
	p.lower.other = "phishing"
	for words, points := range map[string]int{"report": 197, "site": 197, "eport": 0, "report a site": 197 + 200 + 200,
		"phish":  97,
		"filing": 37, "reports": 197, "send": 17, "send us": 37, "none": 0, "report none": 0, "none report": 0, "": -3} {
		tocsintest.Want(t, words, p.points(strings.Fields(words)), points)
	}
	p.lower.title = "report"
	tocsintest.Want(t, "the whole title", p.points([]string{"report"}), 397)
	var parts []part
	for i := range maxFound + 5 {
		p.level = 1 + i%5
		p.path = fmt.Sprint(i)
		parts = append(parts, p)
	}
	index := Index{read: func() []part { return parts }}
	var got []string
	for _, f := range index.Find(" REPORT Send ") {
		got = append(got, f.Path)
	}
	tocsintest.Want(t, "the best first", strings.Join(got, " "), "0 5 10 15 20 1 6 11 16 21 2 7 12 17 22 3 8 13 18 23")
	tocsintest.Want(t, "no word", len(index.Find("  ")), 0)
	for n, found := range map[int]int{maxWords - 1: 0, maxWords: maxFound} {
		tocsintest.Want(t, "a word that is not there", len(index.Find(strings.Repeat("report ", n)+"none")), found)
	}
}

// TestAPageIsCutIntoPartsByItsHeadings.
func TestAPageIsCutIntoPartsByItsHeadings(t *testing.T) {
	page := `<h1>One <b>page</b></h1><p>First.</p><p>Second</p><nav><a>no</a></nav><pre>no</pre><form>no</form>
		<h2>Same</h2><h2 id="a">Two</h2>: <table><tr><td>cell</td><td>other</td></tr></table>
		<code id="b">field</code><dd>says</dd>
		<code>not</code><h4 id="c">deep</h4><h3 id="d"></h3><p>untitled</p>`
	var got []string
	for _, p := range partsOf(strings.NewReader(page), Link{Name: "x"}) {
		got = append(got, fmt.Sprintf("%s|%s|%s|%s|%d|%s|%s|%s", p.page, p.title, p.path, p.text, p.level, p.lower.page,
			p.lower.title, p.lower.text))
	}
	tocsintest.Want(t, "parts", strings.Join(got, "\n"), "One page|One page|/docs/x|First. Second Same|1|one page|one "+
		"page|"+
		"first. second same\nTwo|Two|/docs/x#a|cell: other|2|two|two|cell: other\n"+
		"field|field|/docs/x#b|says not deep|4|field|field|says not deep")
	tocsintest.Want(t, "the first page", partsOf(strings.NewReader("<h1>A</h1>"), Link{})[0].path, "/docs")
}

// TestTheIndexHasEachTextOnce, the first part of each page with what the page is about, and what was changed last.
func TestTheIndexHasEachTextOnce(t *testing.T) {
	text := func(title, says string) template.HTML {
		return template.HTML(`<h1>` + title + `</h1><h2 id="x">Same</h2><p>` + says + `</p>`)
	}
	pages := map[string]Page{
		"risk":    {Name: "risk", Title: "Risk", Description: "About POINTS", Text: text("Risk", "one text")},
		"privacy": {Name: "privacy", Title: "Privacy", Description: "x", Text: text("Privacy", "one text")},
		changelog: {Name: changelog, Title: "Changes", Description: "y", Text: text("Log", "another")},
	}
	parts := readParts(pages, []Section{{Title: "a", Links: []Link{{"risk", "R"}, {"privacy", "P"}}},
		{Title: "b", Links: []Link{{changelog, "C"}}}})
	var got []string
	for _, p := range parts {
		got = append(got, fmt.Sprintf("%s|%s|%s|%d|%t", p.page, p.title, p.path, p.level, strings.Contains(p.lower.text,
			"about points")))
	}
	tocsintest.Want(t, "parts", strings.Join(got, "\n"), "R|Risk|/docs/risk|1|true\nR|Same|/docs/risk#x|2|false\n"+
		"P|Privacy|/docs/privacy|1|false\n"+
		"C|Changelog|/docs/changelog|6|false\nC|Log|/docs/changelog|6|false\nC|Same|/docs/changelog#x|7|false")
}
