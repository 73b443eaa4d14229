package manual

import (
	"strings"
	"testing"
)

// shown is an excerpt with its matches in brackets.
func shown(list []Segment) string {
	var b strings.Builder
	for _, s := range list {
		if s.Hit {
			b.WriteString("[" + s.Text + "]")
		} else {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

func TestAnExcerptIsCutBetweenWordsAroundTheFirstMatch(t *testing.T) {
	whole := strings.Repeat("nine ten ", excerptSize/9) // exactly as long as an excerpt may be
	third := strings.Repeat("a", excerptSize/3-1) + " "
	for about, c := range map[string]struct{ text, word, want string }{
		"nothing is cut":       {whole[:excerptSize-1] + ".", "none", whole[:excerptSize-1] + "."},
		"the end is cut":       {whole + "x", "none", strings.TrimSuffix(whole, " ") + " …"},
		"the last word is cut": {whole[:excerptSize-1] + "xyz", "none", strings.TrimSuffix(whole, " ten ") + " …"},
		"a third before":       {third + "Key", "key", third + "[Key]"},
		"more than a third":    {"abcd efgh " + third[6:] + "Key, key.", "key", "… efgh " + third[6:] + "[Key], [key]."},
		"no space before":      {"ab" + third + "Key", "key", "… [Key]"},
		"a letter is cut":      {strings.Repeat("é", excerptSize) + " end", "none", " …"},
		"a dot is a dot":       {"axb a.b", "a.b", "axb [a.b]"},
	} {
		if got := shown(excerpt(c.text, []string{c.word})); got != c.want {
			t.Errorf("%s: %q, want %q", about, got, c.want)
		}
	}
}

func TestAPartWithTheWordInItsTitleComesFirst(t *testing.T) {
	page := `<nav>key</nav><h1>Keys</h1><p>Many.</p><pre>key</pre>
		<h2 id="use">How to use</h2><p>Send the key.</p><dl><dt><code id="f">key</code></dt><dd>A field.</dd></dl>
		<code id="g" data-find="radio">listDate</code>A day.
		<h3 id="new">A new key</h3><p>&lt;New&gt;</p><h3>monkey</h3><p>Other.</p>`
	parts := partsOf(strings.NewReader(page), Link{Name: "about", Title: "All pages"})
	index := Index{read: func() []part { return parts }}
	for query, want := range map[string]string{
		"KEY": "All pages|Keys|/docs/about|Many.\nAll pages|key|/docs/about#f|A field." +
			"\nAll pages|A new key|/docs/about#new|<New> monkey Other.\nAll pages|How to use|/docs/about#use|Send the [key].",
		"send key":           "All pages|How to use|/docs/about#use|[Send] the [key].",
		"all other":          "All pages|A new key|/docs/about#new|<New> monkey [Other].",
		"missing":            "",
		"onkey":              "",
		"sends":              "All pages|How to use|/docs/about#use|[Send] the key.",
		"how many is a sent": "", "How to send?": "All pages|How to use|/docs/about#use|[Send] the key.",
		"date":     "All pages|listDate|/docs/about#g|A day.",
		"radio":    "All pages|listDate|/docs/about#g|A day.",
		"key none": "",
	} {
		var got []string
		for _, f := range index.Find(query) {
			got = append(got, f.Page+"|"+f.Title+"|"+f.Path+"|"+shown(f.Excerpt))
		}
		if got := strings.Join(got, "\n"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", query, got, want)
		}
	}
}

// TestOfPartsWithTheSameTitleThatOfTheHighestHeadingComesFirst.
func TestOfPartsWithTheSameTitleThatOfTheHighestHeadingComesFirst(t *testing.T) {
	parts := partsOf(strings.NewReader(`<code id="d">key</code><h3 id="c">key</h3><h2 id="b">key</h2><h1>key</h1>`),
		Link{Name: "about", Title: "All pages"})
	var got []string
	for i, f := range (&Index{read: func() []part { return parts }}).Find("key") {
		got = append(got, f.Path)
		if i > 0 && parts[len(parts)-1-i].points([]string{"key"}) >= parts[len(parts)-i].points([]string{"key"}) {
			t.Errorf("%s has as many points as the one before it", f.Path)
		}
	}
	if got := strings.Join(got, " "); got != "/docs/about /docs/about#b /docs/about#c /docs/about#d" {
		t.Error(got)
	}
}

func TestAQueryIsReadAsPeopleTypeIt(t *testing.T) {
	for query, want := range map[string]string{
		"How do I use your API?": "api", "What is it?": "what is it", " Rate  LIMIT. ": "rate limit", "?": "",
	} {
		if got := strings.Join(asked(query), " "); got != want {
			t.Errorf("%q: %q, want %q", query, got, want)
		}
	}
	for words, one := range map[string]string{"libraries": "library", "addresses": "address", "boxes": "box",
		"batches": "batch", "limits": "limit", "gas": "gas", "access": "access", "key": "key"} {
		if got := singular(words); got != one {
			t.Errorf("%s: %s, want %s", words, got, one)
		}
	}
	for _, c := range []struct {
		text, word string
		found      bool
	}{
		{"a rate", "rate", true}, {"migrate", "rate", false}, {"migrate, rated", "rate", true}, {"x-rate", "rate", true},
		{"over limited", "limits", false}, {"a limit", "limits", true}, {"the limit is", "limits", true},
		{"unlimited limit", "limits", true}, {"get/auth", "/auth", true}, {"né", "e", false}, {"3rate", "rate", false},
	} {
		if begins(c.text, c.word) != c.found {
			t.Errorf("%s in %q: %t", c.word, c.text, !c.found)
		}
	}
}
