package manual

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Index finds parts of the pages by their words. A part is what is below one heading, or what is said of one field or
// one error. The index is read from the pages as they are shown, so it holds nothing else but the words in the
// attribute data-find of headings: those that readers may use for what the part is about. It is safe for
// concurrent use.
type Index struct {
	read func() []part // from the pages, for the first query
}

// Found is a part that was found.
type Found struct {
	Page, Title string    // of the page, and of the part
	Path        string    // of the part
	Excerpt     []Segment // of its text
}

// Segment is a part of an excerpt. Hit means that it matches the search.
type Segment struct {
	Text string
	Hit  bool
}

// part is what the index knows of a part. lower holds the texts in lower case, and other names of what it is about: the
// words of data-find, and those that a name such as riskScore is made of.
type part struct {
	page, title, text string
	path              string
	level             int // of its heading: 1 for the whole page, 4 for a field or an error
	lower             struct{ page, title, other, text string }
}

const (
	// maxFound is how many parts a search returns.
	maxFound = 20
	// maxWords is how many words of a query are looked for.
	maxWords = 8
	// excerptSize is about how long an excerpt is, in bytes.
	excerptSize = 180
)

// readParts reads the pages of the contents, in their order.
func readParts(pages map[string]Page, contents []Section) (all []part) {
	shown, known := template.Must(template.New("").Parse(Template)), map[string]bool{}
	for _, section := range contents {
		for _, link := range section.Links {
			var b bytes.Buffer
			if err := shown.ExecuteTemplate(&b, "main", struct{ Body Page }{pages[link.Name].For("", "")}); err != nil {
				panic(fmt.Errorf("page %q: %w", link.Name, err)) // the template is part of the program
			}
			for i, p := range partsOf(&b, link) {
				if i == 0 {
					p.lower.text += " " + strings.ToLower(pages[link.Name].Description)
				}
				if link.Name == changelog {
					p.level += 5 // what is so today comes before what was changed
				}
				if id := p.title + "\n" + p.text; !known[id] || i == 0 { // many operations have the same field
					known[id] = true
					all = append(all, p)
				}
			}
		}
	}
	return all
}

// partsOf cuts a page into its parts: a heading with an id begins one, and so does a name with an id.
func partsOf(page io.Reader, link Link) (list []part) {
	path := strings.TrimSuffix("/docs/"+link.Name, "/")
	levels := map[atom.Atom]int{atom.H1: 1, atom.H2: 2, atom.H3: 3, atom.Code: 4}
	var title, text strings.Builder
	into, skipped := &text, atom.Atom(0) // where text goes; the element that is left out, 0 for none
	var current part
	var named atom.Atom // the element with the title, while it is read
	end := func() {
		current.title, current.text = words(title.String()), strings.TrimLeft(words(text.String()), ": ")
		if current.title != "" {
			current.page = cmp.Or(link.Title, current.title)
			current.lower.page, current.lower.title = strings.ToLower(current.page), strings.ToLower(current.title)
			current.lower.text = strings.ToLower(current.text)
			current.lower.other += " " + strings.ToLower(capitals.ReplaceAllString(current.title, " $0"))
			list = append(list, current)
		}
		title.Reset()
		text.Reset()
	}
	for z := html.NewTokenizer(page); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			end()
			return list
		}
		t := z.Token()
		switch {
		case skipped != 0:
			if kind == html.EndTagToken && t.DataAtom == skipped {
				skipped = 0
			}
		case kind == html.TextToken:
			into.WriteString(t.Data)
		case kind == html.EndTagToken && t.DataAtom == named:
			into, named = &text, 0
		case kind == html.StartTagToken && slices.Contains([]atom.Atom{atom.Nav, atom.Pre, atom.Form}, t.DataAtom):
			skipped = t.DataAtom
		case kind == html.StartTagToken:
			id := attribute(t, "id")
			if level := levels[t.DataAtom]; level == 1 || level > 0 && id != "" {
				end()
				current = part{path: path, level: level}
				current.lower.other = attribute(t, "data-find")
				if id != "" {
					current.path += "#" + id
				}
				into, named = &title, t.DataAtom
				break
			}
			if t.DataAtom == atom.Dd || t.DataAtom == atom.Td {
				into.WriteByte(':') // what it says of the name before it
			}
			into.WriteByte(' ') // between the texts of two elements
		}
	}
}

// capitals matches where a word begins within a name.
var capitals = regexp.MustCompile(`[A-Z][a-z]`)

// attribute returns an attribute of an element, "" if it does not have it.
func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// words joins the words of a text by single spaces.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// Find returns the parts that have all words of a query, in any case, the best first: those with the words in their
// title, and of these the larger ones. A word may be the beginning of one, or the plural of one.
func (x *Index) Find(query string) (found []Found) {
	all := asked(query)
	if len(all) == 0 {
		return nil
	}
	type hit struct {
		*part
		points int
	}
	var hits []hit
	parts := x.read()
	for i := range parts {
		if points := parts[i].points(all); points > 0 {
			hits = append(hits, hit{&parts[i], points})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return b.points - a.points })
	for _, h := range hits[:min(len(hits), maxFound)] {
		found = append(found, Found{Page: h.page, Title: h.title, Path: h.path, Excerpt: excerpt(h.text, all)})
	}
	return found
}

// fillers are words of questions that say nothing about their subject.
var fillers = strings.Fields("a an and are can do does for how i in is it many much my of on or per the to use what " +
	"when where which with you your")

// asked returns the words of a query that are looked for, in lower case.
func asked(query string) []string {
	all := strings.Fields(strings.ToLower(strings.TrimRight(query, "?!. ")))
	filler := func(w string) bool { return slices.Contains(fillers, w) }
	if said := slices.DeleteFunc(slices.Clone(all), filler); len(said) > 0 {
		all = said
	}
	return all[:min(len(all), maxWords)]
}

// singular returns a word without the end of a plural, if it may have one.
func singular(w string) string {
	if stem, found := strings.CutSuffix(w, "ies"); found {
		return stem + "y"
	}
	for _, end := range []string{"sses", "xes", "ches"} {
		if strings.HasSuffix(w, end) {
			return strings.TrimSuffix(w, "es")
		}
	}
	if len(w) < 4 || strings.HasSuffix(w, "ss") {
		return w
	}
	return strings.TrimSuffix(w, "s")
}

// points says how well a part matches words in lower case, 0 if one of them is missing.
func (p *part) points(all []string) int {
	points := 0
	for _, w := range all {
		switch {
		case p.lower.title == w || p.lower.title == w+"s":
			points += 40
		case begins(p.lower.title, w):
			points += 20
		case begins(p.lower.other, w):
			points += 10
		case begins(p.lower.page, w):
			points += 4
		case begins(p.lower.text, w):
			points += 2
		default:
			return 0
		}
	}
	return 10*points - p.level
}

// begins reports whether a word of a text begins with what is looked for, or is its singular. What does not begin with
// a letter or a digit is found anywhere.
func begins(text, w string) bool {
	one := singular(w)
	return within(text, w, false) || one != w && within(text, one, true)
}

// within reports whether a text has a word that begins with another one, or is that word if whole is set.
func within(text, w string, whole bool) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], w)
		if at < 0 {
			return false
		}
		at += from
		begin := at == 0 || !letter(w[0]) || !letter(text[at-1])
		if end := at + len(w); begin && (!whole || end == len(text) || !letter(text[end])) {
			return true
		}
		from = at + 1
	}
}

// letter reports whether a byte of a text in lower case is a letter, a part of one, or a digit.
func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= utf8.RuneSelf }

// excerpt cuts a text around the first of the words, and marks them all.
func excerpt(text string, all []string) (list []Segment) {
	var quoted []string
	for _, w := range all {
		edge := ""
		if letter(w[0]) && w[0] < utf8.RuneSelf {
			edge = `\b`
		}
		quoted = append(quoted, edge+regexp.QuoteMeta(w), edge+regexp.QuoteMeta(singular(w))+`\b`)
	}
	finder := regexp.MustCompile("(?i)" + strings.Join(quoted, "|"))
	if at := finder.FindStringIndex(text); at != nil && at[0] > excerptSize/3 {
		from := at[0] - excerptSize/3
		from += strings.IndexByte(text[from:], ' ') + 1
		text = "… " + strings.ToValidUTF8(text[min(from, at[0]):], "")
	}
	if len(text) > excerptSize {
		text = strings.ToValidUTF8(text[:excerptSize], "")
		text = text[:max(strings.LastIndexByte(text, ' '), 0)] + " …"
	}
	from := 0
	for _, at := range append(finder.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		if at[0] > from {
			list = append(list, Segment{text[from:at[0]], false})
		}
		if at[1] > at[0] {
			list = append(list, Segment{text[at[0]:at[1]], true})
		}
		from = at[1]
	}
	return list
}
