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

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Index finds parts of the pages by their words. A part is what is below one heading, or what is said of one field or
// one error. The index is read from the pages as they are shown, so it holds nothing else. It is safe for concurrent
// use.
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

// part is what the index knows of a part. lower holds the three texts in lower case.
type part struct {
	page, title, text string
	path              string
	level             int // of its heading: 1 for the whole page, 4 for a field or an error
	lower             struct{ page, title, text string }
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
			id := idOf(t)
			if level := levels[t.DataAtom]; level == 1 || level > 0 && id != "" {
				end()
				current = part{path: path, level: level}
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

func idOf(t html.Token) string {
	for _, a := range t.Attr {
		if a.Key == "id" {
			return a.Val
		}
	}
	return ""
}

// words joins the words of a text by single spaces.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// Find returns the parts that have all words of a query, in any case, the best first: those with the words in their
// title, and of these the larger ones. Words may be parts of words.
func (x *Index) Find(query string) (found []Found) {
	all := strings.Fields(strings.ToLower(query))
	all = all[:min(len(all), maxWords)]
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

// points says how well a part matches words in lower case, 0 if one of them is missing.
func (p *part) points(all []string) int {
	points := 0
	for _, w := range all {
		switch {
		case p.lower.title == w:
			points += 40
		case strings.HasPrefix(p.lower.title, w) || strings.Contains(p.lower.title, " "+w):
			points += 20
		case strings.Contains(p.lower.title, w):
			points += 10
		case strings.Contains(p.lower.page, w):
			points += 4
		case strings.Contains(p.lower.text, w):
			points += 2
		default:
			return 0
		}
	}
	return 10*points - p.level
}

// excerpt cuts a text around the first of the words, and marks them all.
func excerpt(text string, all []string) (list []Segment) {
	quoted := make([]string, len(all))
	for i, w := range all {
		quoted[i] = regexp.QuoteMeta(w)
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
