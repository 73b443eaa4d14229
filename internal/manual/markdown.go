package manual

import (
	"bytes"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown renders texts of this repository as HTML, and drops HTML in them. It is
// not for texts from elsewhere.
type markdown struct{ goldmark.Markdown }

func newMarkdown() markdown {
	return markdown{goldmark.New(
		goldmark.WithExtensions(extension.NewTable(
			extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(),
			parser.WithASTTransformers(
				util.Prioritized(tableStyle{}, 1000), util.Prioritized(siteLinks{}, 1001))),
	)}
}

// html renders a text of several paragraphs.
func (m markdown) html(source string) (template.HTML, error) {
	// The contract names the document; the site has a page of it.
	source = strings.ReplaceAll(source, " docs/risk.md", " [docs/risk.md](/docs/risk)")
	var b bytes.Buffer
	err := m.Convert([]byte(source), &b)
	return template.HTML(b.String()), err
}

// line renders a text of one paragraph without the <p>, for use within another element.
func (m markdown) line(source string) (template.HTML, error) {
	whole, err := m.html(source)
	inner, found := strings.CutPrefix(strings.TrimSpace(string(whole)), "<p>")
	if found && !strings.Contains(inner, "<p>") {
		return template.HTML(strings.TrimSuffix(inner, "</p>")), err
	}
	return whole, err
}

// tableStyle adds to tables the classes and attributes that the stylesheet needs.
type tableStyle struct{}

// Transform implements [parser.ASTTransformer].
func (tableStyle) Transform(document *ast.Document, reader text.Reader, _ parser.Context) {
	var heads []string // of the columns of a table
	column := 0
	ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it never fails
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *tables.Table:
			n.SetAttributeString("class", []byte("tbl"))
			heads = nil
		case *tables.TableRow:
			column = 0
		case *tables.TableCell:
			if _, head := n.Parent().(*tables.TableHeader); head {
				n.SetAttributeString("scope", []byte("col"))
				heads = append(heads, plain(n, reader.Source()))
				break
			}
			if column > 0 && column < len(heads) {
				n.SetAttributeString("data-l", []byte(heads[column]))
			}
			column++
		}
		return ast.WalkContinue, nil
	})
}

// siteLinks leads links to the documents that the site has to their pages, such as docs/risk.md. Links to other files
// of the repository become text.
type siteLinks struct{}

// fileLink matches a link to a file of the repository, from its root or from docs, and the part of it that is meant.
var fileLink = regexp.MustCompile(`^(?:docs/)?([\w-][\w./-]*\.md)(#.*)?$`)

// Transform implements [parser.ASTTransformer].
func (siteLinks) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	var files []*ast.Link
	ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it never fails
		if link, ok := n.(*ast.Link); ok && entering && fileLink.Match(link.Destination) {
			files = append(files, link)
		}
		return ast.WalkContinue, nil
	})
	for _, link := range files {
		m := fileLink.FindSubmatch(link.Destination)
		if name := string(m[1]); name == "risk.md" || name == "privacy.md" {
			link.Destination = slices.Concat([]byte("/docs/"+strings.TrimSuffix(name, ".md")), m[2])
			continue
		}
		for link.FirstChild() != nil { // which the link then has no more
			link.Parent().InsertBefore(link.Parent(), link, link.FirstChild())
		}
		link.Parent().RemoveChild(link.Parent(), link)
	}
}

// plain returns the text of a node without markup.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
