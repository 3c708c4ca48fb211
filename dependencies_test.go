package sledge

import (
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// tableModule matches a line of the table of docs/dependencies.md.
var tableModule = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")

func TestDependencies_AreExplained(t *testing.T) {
	page, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{} // by module, if anything imports it
	for _, match := range tableModule.FindAllSubmatch(page, -1) {
		used[string(match[1])] = false
	}
	for imported, importer := range foreignImports(t) {
		explained := false
		for module := range used {
			if imported == module || strings.HasPrefix(imported, module+"/") {
				used[module], explained = true, true
			}
		}
		if !explained {
			t.Errorf("%s imports %q: docs/dependencies.md does not explain why", importer, imported)
		}
	}
	for module, used := range used {
		if !used {
			t.Errorf("docs/dependencies.md explains %q, and nothing imports it: remove the line", module)
		}
	}
}

// foreignImports returns the imports from other modules, each with a file that imports it. The
// first element of a module's path contains a dot.
func foreignImports(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, name := range sourceFiles(t) {
		source, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range source.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") {
				found[imported] = name
			}
		}
	}
	return found
}
