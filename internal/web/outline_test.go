package web

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// outline is what a page says and where it leads, a line for each block: its words, the targets of its links, the
// fields of its forms. Drawings and looks are left out.
type outline struct {
	b    strings.Builder // the lines
	line strings.Builder // the one that is being written
}

// shownAttrs are the attributes that say something, of any element.
var shownAttrs = []string{
	"lang", "dir", "datetime", "role", "aria-invalid", "aria-current", "data-copy", "open", "autofocus", "required",
	"checked", "selected", "rel", "href", "method", "action", "enctype", "name", "value", "content", "property",
	"placeholder", "download",
}

// blocks are the elements that begin a line.
var blocks = []atom.Atom{
	atom.H1, atom.H2, atom.H3, atom.P, atom.Li, atom.Dt, atom.Tr, atom.Form, atom.Section, atom.Header, atom.Details,
	atom.Summary, atom.Figure, atom.Figcaption, atom.Nav, atom.Aside, atom.Div, atom.Pre, atom.Meta, atom.Link,
	atom.Title, atom.Footer, atom.Main, atom.Article, atom.Option,
}

func outlineOf(nodes ...*html.Node) string {
	var o outline
	for _, n := range nodes {
		o.read(n)
	}
	o.end()
	return o.b.String()
}

// end ends a line.
func (o *outline) end() {
	if line := strings.Join(strings.Fields(o.line.String()), " "); line != "" {
		o.b.WriteString(line + "\n")
	}
	o.line.Reset()
}

func (o *outline) read(n *html.Node) {
	if n.Type == html.TextNode {
		o.line.WriteString(n.Data)
		return
	}
	if n.DataAtom == atom.Svg || n.DataAtom == atom.Script || n.DataAtom == atom.Template {
		return
	}
	block := slices.Contains(blocks, n.DataAtom)
	if block {
		o.end()
	}
	if tag := o.tag(n, block); tag != "" {
		o.line.WriteString(" " + tag + " ")
	}
	for below := range n.ChildNodes() {
		o.read(below)
	}
	switch {
	case block:
		o.end()
	case n.DataAtom == atom.Mark:
		o.line.WriteString("]")
	case n.DataAtom == atom.A, n.DataAtom == atom.Button:
		o.line.WriteString(">")
	}
}

// tag is how an element begins: with its name where that matters, and the attributes that say something.
func (o *outline) tag(n *html.Node, block bool) string {
	var attrs []string
	for _, name := range shownAttrs {
		if has(n, name) {
			value := attr(n, name)
			if to, _, mail := strings.Cut(value, "&body="); mail { // which a page has as a text as well
				value = to + "…"
			}
			attrs = append(attrs, strings.TrimSuffix(name+"="+value, "="))
		}
	}
	if class := attr(n, "class"); strings.HasPrefix(class, "level") || strings.HasPrefix(class, "verdict") {
		attrs = append(attrs, class)
	}
	said := strings.Join(attrs, " ")
	switch {
	case n.DataAtom == atom.Mark:
		return "["
	case n.DataAtom == atom.A, n.DataAtom == atom.Button, n.DataAtom == atom.Input, n.DataAtom == atom.Textarea,
		n.DataAtom == atom.Select, n.DataAtom == atom.Td, n.DataAtom == atom.Th, n.DataAtom == atom.Dd:
		return strings.TrimSpace("<" + n.Data + " " + said + map[bool]string{true: ":"}[n.DataAtom != atom.Input])
	case block && slices.Contains([]atom.Atom{atom.Div, atom.Section, atom.P, atom.Tr, atom.Main}, n.DataAtom):
		return said
	case block:
		return strings.TrimSpace(n.Data + " " + said)
	}
	return said
}

// chance matches what differs from run to run.
var chance = regexp.MustCompile(`(?:rep|agt)_[a-z2-7]{16}|Nonce: \w+|\.[0-9a-f]{8}\.|[0-9a-f]{64} of`)

// transcript is what several pages say.
type transcript struct {
	strings.Builder
	seen map[string]bool   // its lines
	ids  map[string]string // what stands for what chance made
}

func newTranscript() *transcript {
	return &transcript{seen: map[string]bool{}, ids: map[string]string{}}
}

// add adds what a response says: of a page its title, its description and its main part, or with all of it the rest.
func (tr *transcript) add(about string, p *response, all bool) {
	var b strings.Builder
	fmt.Fprintf(&b, "=== %s: %d", about, p.status)
	for _, name := range []string{"Location", "Retry-After", "Link"} {
		if value := p.header.Get(name); value != "" {
			fmt.Fprintf(&b, ", %s %s", name, value)
		}
	}
	b.WriteString("\n")
	if media := p.header.Get("Content-Type"); media != "" && !strings.HasPrefix(media, "text/html") {
		fmt.Fprintf(&b, "%s, %s\n%s\n", media, p.header.Get("Cache-Control"), p.html)
	}
	parts := p.all("main")
	for _, n := range p.all("title", "meta", "link", "header", "footer") {
		if all || n.DataAtom == atom.Title || attr(n, "name") == "description" || attr(n, "name") == "robots" {
			parts = append(parts, n)
		}
	}
	b.WriteString(outlineOf(parts...))
	tr.text(b.String())
}

// text adds a text. A line that was there before is counted only.
func (tr *transcript) text(text string) {
	text = chance.ReplaceAllStringFunc(text, func(id string) string {
		if tr.ids[id] == "" {
			tr.ids[id] = fmt.Sprint("chance_", len(tr.ids)+1)
		}
		return tr.ids[id]
	})
	known := 0
	flush := func() {
		if known > 0 {
			fmt.Fprintf(tr, "… %d\n", known)
		}
		known = 0
	}
	for line := range strings.Lines(text) {
		if tr.seen[line] && !strings.HasPrefix(line, "===") {
			known++
			continue
		}
		flush()
		tr.seen[line] = true
		tr.WriteString(line)
	}
	flush()
}
