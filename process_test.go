package sledge

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
	"testing"
)

// owners are the packages, below internal, that may change what belongs to the whole process.
var owners = map[string]string{
	"runtime.GOMAXPROCS": "host",
	"syscall.Getrusage":  "host",
}

// Two jobs of one process would disturb each other, if both changed it.
func TestProcess_HasOneOwnerOfItsCores(t *testing.T) {
	files := token.NewFileSet()
	found := map[string]bool{}
	for _, name := range sourceFiles(t) {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(path.Dir(name), "test") {
			continue
		}
		source, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(source, func(n ast.Node) bool {
			selected, is := n.(*ast.SelectorExpr)
			if !is {
				return true
			}
			of, is := selected.X.(*ast.Ident)
			if !is {
				return true
			}
			call := of.Name + "." + selected.Sel.Name
			if owner := owners[call]; owner != "" {
				found[call] = true
				if short(path.Dir(name)) != owner {
					t.Errorf("%s: %s belongs to package %s: ask it, as by host.Cores", files.Position(n.Pos()), call, owner)
				}
			}
			return true
		})
	}
	if len(found) != len(owners) {
		t.Errorf("found %v, want each of %v", found, owners)
	}
}
