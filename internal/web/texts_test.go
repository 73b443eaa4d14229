package web

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/template/parse"

	"tocsin"
	"tocsin/internal/feed"
	"tocsin/internal/health"
	"tocsin/internal/locale"
	"tocsin/internal/tocsintest"
)

// text is a text of the site, where it is used.
type text struct {
	key  locale.Key
	file string
}

// TestEveryTextIsTranslated: each text of the templates and of the Go code is in the catalogue of every language that
// is shipped, and no other. TOCSIN_GOLDEN=write adds to the catalogues what they lack, to be translated, and removes
// what is not used; to that of Spanish alone with -run TestEveryTextIsTranslated/es.
func TestEveryTextIsTranslated(t *testing.T) {
	used := append(textsOfTemplates(t), textsOfGo(t)...)
	for _, crime := range tocsin.CrimeTypes() {
		used = append(used, text{locale.Key(crime.Name()), "kinds of reports"},
			text{locale.Key(crime.Description()), "kinds of reports"})
	}
	for _, list := range feed.Sources() {
		if list.Title != "" {
			used = append(used, text{locale.Key(list.Title), "titles of lists"})
		}
	}
	for _, reason := range feed.Reasons() {
		used = append(used, text{locale.Key(reason), "rows of lists that were not taken"})
	}
	for _, trouble := range health.Formats() {
		used = append(used, text{locale.Key(trouble), "troubles on the page of the status"})
	}
	used = firsts(used)
	plural := map[locale.Key]bool{}
	for _, e := range catalogue(t, "en").Texts {
		plural[e.Key] = true
	}
	for _, tag := range locale.Tags() {
		t.Run(tag, func(t *testing.T) { checkCatalogue(t, catalogue(t, tag), used, plural) })
	}
	t.Run("no English is left", func(t *testing.T) { checkAccents(t, used) })
}

// checkCatalogue checks that the catalogue of a language has the texts that are used. Until the language is shipped,
// it only says what is missing.
func checkCatalogue(t *testing.T, c *locale.Catalogue, used []text, plural map[locale.Key]bool) {
	known, english := map[locale.Key]locale.Entry{}, c.Tag.String() == "en"
	for _, e := range c.Texts {
		known[e.Key] = e
	}
	if os.Getenv("TOCSIN_GOLDEN") == "write" && !english {
		write(t, c, known, used, plural)
	}
	var missing []string
	for _, one := range used {
		e := known[one.key]
		delete(known, one.key)
		switch {
		case english:
		case !e.Whole():
			missing = append(missing, fmt.Sprintf("%s: %q", one.file, one.key))
		case plural[one.key] && len(e.Forms()) == 0:
			t.Errorf("%q needs the forms of a number, as in English", one.key)
		}
	}
	report := t.Logf
	if slices.Contains(locale.Shipped(), c.Tag.String()) {
		report = t.Errorf
	}
	if len(missing) > 0 {
		report("%d texts are missing:\n%s", len(missing), strings.Join(missing, "\n"))
	}
	for _, key := range slices.Sorted(maps.Keys(known)) {
		report("a text is not used: %q", key)
	}
}

func catalogue(t *testing.T, tag string) *locale.Catalogue {
	t.Helper()
	c, err := locale.Read(tag)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// firsts returns each text once, in the file where it is used first.
func firsts(texts []text) (list []text) {
	seen := map[locale.Key]bool{}
	for _, one := range texts {
		if !seen[one.key] {
			list = append(list, one)
		}
		seen[one.key] = true
	}
	return list
}

// checkCall checks that a text is a format, and that it is given its arguments.
func checkCall(t *testing.T, where string, key locale.Key, args int) {
	t.Helper()
	verbs, _, err := locale.Placeholders(string(key))
	if err != nil {
		t.Errorf("%s: %q: %v", where, key, err)
	} else if len(verbs) != args {
		t.Errorf("%s: %q has %d placeholders, and is given %d arguments", where, key, len(verbs), args)
	}
}

// textsOfTemplates returns the texts that templates pass to t and rich, the layout and the parts first.
func textsOfTemplates(t *testing.T) (texts []text) {
	t.Helper()
	names, err := fs.Glob(files, "templates/*.html")
	tocsintest.Must(t, err)
	shared := func(name string) int {
		return slices.Index([]string{"templates/parts.html", "templates/layout.html"}, name)
	}
	slices.SortStableFunc(names, func(a, b string) int { return shared(b) - shared(a) })
	for _, name := range names {
		source, err := fs.ReadFile(files, name)
		tocsintest.Must(t, err)
		tree := parse.New(name)
		tree.Mode = parse.SkipFuncCheck
		trees := map[string]*parse.Tree{}
		if _, err := tree.Parse(string(source), "", "", trees); err != nil {
			t.Fatal(err)
		}
		roots := slices.SortedFunc(maps.Values(trees), func(a, b *parse.Tree) int { return int(a.Root.Pos - b.Root.Pos) })
		for _, one := range roots {
			commands(one.Root, func(c *parse.CommandNode) {
				name := filepath.Base(name)
				f, is := c.Args[0].(*parse.IdentifierNode)
				if !is || f.Ident != "t" && f.Ident != "rich" {
					return
				}
				if len(c.Args) < 2 {
					t.Errorf("%s: %s has no text", name, c)
				} else if s, is := c.Args[1].(*parse.StringNode); is {
					checkCall(t, name, locale.Key(s.Text), len(c.Args)-2)
					texts = append(texts, text{locale.Key(s.Text), name})
				}
			})
		}
	}
	return texts
}

// commands visits the commands of a template in their order.
func commands(n parse.Node, visit func(*parse.CommandNode)) {
	branch := func(b *parse.BranchNode) {
		commands(b.Pipe, visit)
		commands(b.List, visit)
		if b.ElseList != nil {
			commands(b.ElseList, visit)
		}
	}
	switch n := n.(type) {
	case *parse.ListNode:
		for _, one := range n.Nodes {
			commands(one, visit)
		}
	case *parse.ActionNode:
		commands(n.Pipe, visit)
	case *parse.TemplateNode:
		if n.Pipe != nil {
			commands(n.Pipe, visit)
		}
	case *parse.IfNode:
		branch(&n.BranchNode)
	case *parse.WithNode:
		branch(&n.BranchNode)
	case *parse.RangeNode:
		branch(&n.BranchNode)
	case *parse.PipeNode:
		for _, one := range n.Cmds {
			commands(one, visit)
		}
	case *parse.CommandNode:
		visit(n)
		for _, arg := range n.Args {
			commands(arg, visit)
		}
	case *parse.ChainNode:
		commands(n.Node, visit)
	}
}

// textPackages are the packages whose Go code has texts.
var textPackages = []string{"tocsin", "tocsin/internal/web", "tocsin/internal/answer", "tocsin/internal/locale",
	"tocsin/internal/sheet"}

// made are the functions that make a text of something else. What they make is added to the texts that are used.
var made = []string{
	"CrimeName", "CrimeDescription", "ListTitle", "troubleText", "reasonText", "faultReason", "fixSentence",
}

// textsOfGo returns the constants of type [locale.Key], as the compiler sees them.
func textsOfGo(t *testing.T) (texts []text) {
	t.Helper()
	list := exec.Command("go", append([]string{"list", "-deps", "-export", "-f", "{{.ImportPath}} {{.Export}}",
		fmt.Sprintf("-race=%t", tocsintest.Race())}, textPackages...)...) // what the tests were built of is not built again
	list.Stderr = os.Stderr
	out, err := list.Output()
	tocsintest.Must(t, err)
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, at, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[name] = at
	}
	set := token.NewFileSet()
	compiled := importer.ForCompiler(set, "gc", func(name string) (io.ReadCloser, error) { return os.Open(exports[name]) })
	for _, name := range textPackages {
		info := types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
		sources := parsed(t, set, filepath.Join("..", "..", strings.TrimPrefix(strings.TrimPrefix(name, "tocsin"), "/")))
		config := types.Config{Importer: compiled}
		if _, err := config.Check(name, set, sources, &info); err != nil {
			t.Fatal(err)
		}
		for _, file := range sources {
			for _, d := range file.Decls {
				f, is := d.(*ast.FuncDecl)
				mayMake := is && slices.Contains(made, f.Name.Name)
				ast.Inspect(d, func(n ast.Node) bool {
					texts = append(texts, keysOf(t, set, &info, n, mayMake)...)
					return true
				})
			}
		}
	}
	return texts
}

func parsed(t *testing.T, set *token.FileSet, dir string) (sources []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	tocsintest.Must(t, err)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		tocsintest.Must(t, err)
		sources = append(sources, file)
	}
	return sources
}

// constantsOf returns the texts among the first three arguments of what makes a fault.
func constantsOf(info *types.Info, args []ast.Expr, file string) (texts []text) {
	for _, arg := range args[:min(len(args), 3)] {
		if value := info.Types[arg].Value; value != nil && value.Kind() == constant.String {
			texts = append(texts, text{locale.Key(constant.StringVal(value)), file})
		}
	}
	return texts
}

// keysOf returns the text that an expression is, and checks what is made of it.
func keysOf(t *testing.T, set *token.FileSet, info *types.Info, n ast.Node, mayMake bool) []text {
	t.Helper()
	e, is := n.(ast.Expr)
	if !is {
		return nil
	}
	at := set.Position(e.Pos())
	where := fmt.Sprintf("%s:%d", filepath.Base(at.Filename), at.Line)
	isKey := func(e ast.Expr) bool { return strings.HasSuffix(fmt.Sprint(info.Types[e].Type), "locale.Key") }
	if call, is := e.(*ast.CallExpr); is {
		if info.Types[call.Fun].IsType() && isKey(call) && info.Types[call].Value == nil && !mayMake {
			t.Errorf("%s makes a text of something that the catalogues cannot know", where)
		}
		f, is := call.Fun.(*ast.SelectorExpr)
		if is && (f.Sel.Name == "Text" || f.Sel.Name == "HTML") && len(call.Args) > 0 && !call.Ellipsis.IsValid() {
			if key := info.Types[call.Args[0]].Value; isKey(call.Args[0]) && key != nil {
				checkCall(t, where, locale.Key(constant.StringVal(key)), len(call.Args)-1)
			}
		}
	}
	if call, is := e.(*ast.CallExpr); is {
		if f, is := call.Fun.(*ast.Ident); is && (f.Name == "invalidf" || f.Name == "refused") { // of faults
			return constantsOf(info, call.Args, filepath.Base(at.Filename))
		}
	}
	if value := info.Types[e].Value; value != nil && isKey(e) && constant.StringVal(value) != "" {
		return []text{{locale.Key(constant.StringVal(value)), filepath.Base(at.Filename)}}
	}
	return nil
}
