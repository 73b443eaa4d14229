package tocsin

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport is the plan of the house: which packages of Tocsin each package
// may import. Arrows point down; ARCHITECTURE.md draws them.
var mayImport = map[string][]string{
	".": {},
	"cmd/tocsin": {".", "internal/answer", "internal/api", "internal/feed", "internal/store", "internal/synth",
		"internal/x402", "internal/evm", "internal/front", "internal/health", "internal/jsonrpc", "internal/limits",
		"internal/discovery", "internal/importer",
		"internal/locale", "internal/lookalike", "internal/mcp", "internal/ops", "internal/otlp", "internal/paste",
		"internal/sheet", "internal/signals", "internal/web"},
	"docs":            {},
	"internal/answer": {".", "internal/explorer", "internal/feed", "internal/locale"},
	"internal/api": {".", "internal/contract", "internal/evm", "internal/front", "internal/health", "internal/limits",
		"internal/lookalike", "internal/paste", "internal/siwe", "internal/store", "internal/x402"},
	"internal/bench":         {".", "internal/api", "internal/feed", "internal/store", "internal/synth"},
	"internal/contract":      {"."},
	"internal/discovery":     {".", "internal/api", "internal/contract", "internal/front", "internal/x402"},
	"internal/explorer":      {"."},
	"internal/feed":          {".", "internal/explorer"},
	"internal/front":         {".", "internal/health", "internal/limits"},
	"internal/health":        {},
	"internal/importer":      {".", "internal/feed", "internal/lookalike", "internal/store"},
	"internal/limits":        {},
	"internal/locale":        {},
	"internal/lookalike":     {"."},
	"internal/readmodel":     {"."},
	"internal/store":         {".", "internal/health", "internal/limits", "internal/readmodel"},
	"internal/synth":         {"."},
	"internal/evm":           {".", "internal/jsonrpc"},
	"internal/jsonrpc":       {},
	"internal/manual":        {".", "docs", "internal/contract"},
	"internal/picture":       {},
	"internal/mcp":           {".", "docs", "internal/api", "internal/contract", "internal/front", "internal/limits"},
	"internal/otlp":          {"internal/front"},
	"internal/ops":           {".", "internal/api", "internal/front", "internal/health", "internal/store"},
	"internal/paste":         {".", "internal/explorer"},
	"internal/sheet":         {".", "internal/answer", "internal/explorer", "internal/locale", "internal/paste"},
	"internal/signals":       {"."},
	"internal/siwe":          {".", "internal/evm"},
	"internal/x402":          {".", "internal/evm", "internal/jsonrpc"},
	"internal/x402/x402test": {},
	"internal/pgtest":        {},
	"internal/tocsintest": {".", "internal/evm", "internal/lookalike", "internal/pgtest", "internal/store",
		"internal/x402", "internal/x402/x402test"},
	"internal/web": {".", "internal/answer", "internal/api", "internal/evm", "internal/explorer", "internal/feed",
		"internal/front", "internal/health", "internal/locale", "internal/manual", "internal/paste", "internal/picture",
		"internal/sheet", "internal/store"},
	"packaging/release": {},
}

// mayUse says which packages alone may import what is kept in one place.
var mayUse = map[string][]string{
	"database/sql":            {"internal/store"},
	"modernc.org/sqlite":      {"internal/store"},
	"github.com/jackc/pgx/v5": {"internal/store", "internal/pgtest"},
	"net/http": {"cmd/tocsin", "internal/api", "internal/contract", "internal/discovery", "internal/feed",
		"internal/front", "internal/importer", "internal/jsonrpc", "internal/mcp", "internal/ops", "internal/otlp",
		"internal/signals", "internal/tocsintest", "internal/web", "internal/x402", "internal/x402/x402test"},
	"os": {"cmd/tocsin", "internal/feed", "internal/pgtest", "internal/store", "internal/tocsintest",
		"packaging/release"},
	"log/slog": {"cmd/tocsin", "internal/api", "internal/discovery", "internal/front", "internal/importer",
		"internal/mcp", "internal/web"},
}

func sources(t *testing.T, visit func(dir, name string, file *ast.File)) {
	t.Helper()
	root := os.DirFS(".")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if name == "interop" && err == nil {
			return fs.SkipDir // other people's programs, and a module of its own
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err == nil {
			visit(path.Dir(name), name, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestArrowsPointDown(t *testing.T) {
	sources(t, func(dir, name string, file *ast.File) {
		allowed, known := mayImport[dir]
		if !known {
			t.Errorf("%s: the package is not in the plan", dir)
		}
		for _, i := range file.Imports {
			imported, _ := strconv.Unquote(i.Path.Value)
			if only, kept := mayUse[imported]; kept && !slices.Contains(only, dir) {
				t.Errorf("%s imports %s", name, imported)
			}
			own := imported == "tocsin"
			if rest, ok := strings.CutPrefix(imported, "tocsin/"); ok {
				own, imported = true, rest
			} else if own {
				imported = "."
			}
			if own && !slices.Contains(allowed, imported) {
				t.Errorf("%s imports %s", name, imported)
			}
		}
	})
}

// TestOnlyWhatTheOperatorNamesIsFetched: no package that reads requests makes any. Database, lists, nodes, facilitator
// collector and those who are asked about domains are named by the operator, and the command health asks this machine.
func TestOnlyWhatTheOperatorNamesIsFetched(t *testing.T) {
	callers := []string{"cmd/tocsin", "internal/feed", "internal/importer", "internal/jsonrpc", "internal/otlp",
		"internal/x402", "internal/x402/x402test", "internal/signals", "internal/store", "internal/tocsintest",
		"internal/bench"}
	sources(t, func(dir, name string, file *ast.File) {
		if slices.Contains(callers, dir) {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			selected, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			of, ok := selected.X.(*ast.Ident)
			what := selected.Sel.Name
			if ok && of.Name == "http" && (strings.HasPrefix(what, "NewRequest") || slices.Contains([]string{"Get", "Post",
				"PostForm", "Head", "Client", "DefaultClient", "Transport", "DefaultTransport"}, what)) ||
				ok && of.Name == "net" && strings.HasPrefix(what, "Dial") {
				t.Errorf("%s uses %s.%s", name, of.Name, what)
			}
			return true
		})
	})
}

// TestEveryPackageIsExplained: the table of ARCHITECTURE.md has each of them.
func TestEveryPackageIsExplained(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	rooms := regexp.MustCompile("(?m)^\\| (`[^|]+`) \\| ").FindAllString(string(text), -1)
	for dir := range mayImport {
		if dir != "docs" /* which only embeds documents */ && !strings.Contains(strings.Join(rooms, ""), "`"+dir+"`") {
			t.Errorf("%s is not in the table of packages", dir)
		}
	}
}

// TestTheRootIsPure holds the root package to values: what it needs of the world is passed in.
func TestTheRootIsPure(t *testing.T) {
	impure := regexp.MustCompile(`^(context|crypto/rand|math/rand|os|net|log|database|io/fs|syscall|unsafe)(/.*)?$`)
	pure := []string{"net/netip", "net/url"}
	sources(t, func(dir, name string, file *ast.File) {
		for _, i := range file.Imports {
			imported, _ := strconv.Unquote(i.Path.Value)
			if dir == "." && impure.MatchString(imported) && !slices.Contains(pure, imported) {
				t.Errorf("%s imports %s", name, imported)
			}
		}
	})
}

// TestTheClockIsPassedIn allows reading the clock only in cmd. Everything else gets the time as a value or a function.
// store.Open names time.Now as the default of an option, and the harness of tests has deadlines.
func TestTheClockIsPassedIn(t *testing.T) {
	sources(t, func(dir, name string, file *ast.File) {
		if dir == "cmd/tocsin" || dir == "internal/tocsintest" || name == "internal/store/store.go" {
			return
		}
		for _, call := range readsClock(file) {
			t.Errorf("%s uses %s", name, call)
		}
	})
	const hidden = `package p
import clock "time"
var _, _, _ = clock.Now, clock.Since(t), clock.Until(t)
var _ = clock.Unix(0, 0)
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", hidden, 0)
	if err != nil || len(readsClock(file)) != 3 {
		t.Errorf("behind another name of the package are found %v, %v", readsClock(file), err)
	}
}

// readsClock returns the functions of package time in a file that read the clock, whatever the file calls the package.
func readsClock(file *ast.File) (calls []string) {
	name := ""
	for _, i := range file.Imports {
		switch {
		case i.Path.Value != `"time"`:
		case i.Name == nil:
			name = "time"
		case i.Name.Name == ".":
			calls = append(calls, "an import of time as .")
		default:
			name = i.Name.Name
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains([]string{"Now", "Since", "Until"}, s.Sel.Name) {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == name {
				calls = append(calls, "time."+s.Sel.Name)
			}
		}
		return true
	})
	return calls
}
