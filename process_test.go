package sledge

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
	"testing"
)

// owners maps functions that affect the whole process to the only package below internal that may
// call them.
var owners = map[string]string{
	"runtime.GOMAXPROCS": "host",
	"syscall.Getrusage":  "host",
}

// Two jobs in one process would disturb each other if both changed the number of cores.
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
					t.Errorf("%s: only package %[3]s may call %[2]s: use its functions, such as host.Cores", files.Position(n.Pos()), call, owner)
				}
			}
			return true
		})
	}
	if len(found) != len(owners) {
		t.Errorf("found %v, want each of %v", found, owners)
	}
}
