package health

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// TestEachReasonHasWords, so that a new one is not shown as its name.
func TestEachReasonHasWords(t *testing.T) {
	source, err := parser.ParseFile(token.NewFileSet(), "health.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	explained := map[Reason]bool{}
	for k, text := range words {
		explained[k.reason] = text[0] != ""
	}
	reasons := 0
	ast.Inspect(source, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "Reason" {
			return true
		}
		reasons++
		value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil || !explained[Reason(value)] {
			t.Errorf("%s has no words", spec.Names[0])
		}
		return true
	})
	if reasons != len(words) {
		t.Errorf("%d reasons are declared, %d have words", reasons, len(words))
	}
}
