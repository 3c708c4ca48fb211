package sledge

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// elsewhere matches words that are valid on one machine only: an author's folders, and hosts that
// packages were fetched from. The patterns are split so that this file does not match.
var elsewhere = regexp.MustCompile(strings.Join([]string{
	`(^|[^\w./-])/(` + strings.Join([]string{"wo" + "rk", "ro" + "ot", "Us" + "ers"}, "|") + `)/`,
	`registry\.` + `npmjs`, `repo1?\.` + `maven`, `proxy\.` + `golang`, `sum\.` + `golang`,
	`pypi\.` + `org`, `files\.` + `pythonhosted`, `deb\.` + `debian`, `static\.` + `crates`,
	`artifact` + `ory`, `\bne` + `xus\b`,
}, "|"))

func TestMachineNames_AreInNoFile(t *testing.T) {
	for _, name := range treeFiles(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(text, 0) >= 0 {
			continue // not text
		}
		number := 0
		for line := range bytes.Lines(text) {
			number++
			if found := elsewhere.Find(line); found != nil {
				t.Errorf("%s:%d: %q does not belong in the project: a reader's machine has other folders and other hosts", name, number, bytes.TrimSpace(found))
			}
		}
	}
}

func TestMachineNames_AreFound(t *testing.T) {
	tests := []struct {
		line string
		want bool
	}{
		{"see /wo" + "rk/main/go.mod", true},
		{`"/ro` + `ot/go/pkg"`, true},
		{"https://registry." + "npmjs.org/x", true},
		{"internal/wo" + "rk/user.go", false}, // a folder of the tree
		{"reads/wo" + "rk/s", false},
		{"the home warehouse", false},
		{"127.0.0.1:5432", false},
	}
	for _, test := range tests {
		if got := elsewhere.MatchString(test.line); got != test.want {
			t.Errorf("%q names a machine or a registry: got %t, want %t", test.line, got, test.want)
		}
	}
}

func TestPackages_HaveDocComments(t *testing.T) {
	documented := map[string]bool{}
	for _, name := range sourceFiles(t) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		folder := path.Dir(name)
		documented[folder] = documented[folder] || source.Doc != nil
		if begins := "Package " + source.Name.Name + " "; source.Doc != nil && source.Name.Name != "main" && !strings.HasPrefix(source.Doc.Text(), begins) {
			t.Errorf("%s: the comment of the package does not begin with %q", name, begins)
		}
	}
	for folder, ok := range documented {
		if !ok {
			t.Errorf("%s: no file of the package begins with a comment that describes it", folder)
		}
	}
}

func TestExportedNames_HaveDocComments(t *testing.T) {
	files := token.NewFileSet()
	for _, name := range sourceFiles(t) {
		if strings.HasSuffix(name, "_test.go") || !strings.HasPrefix(name, "internal/") {
			continue
		}
		source, err := parser.ParseFile(files, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if ast.IsGenerated(source) {
			continue // its generator is what people read
		}
		for _, n := range unexplained(source) {
			t.Errorf("%s: %s has no doc comment", files.Position(n.Pos()), n.Name)
		}
	}
}

func TestExportedNames_WithoutACommentAreFound(t *testing.T) {
	source, err := parser.ParseFile(token.NewFileSet(), "example.go", `package example

type Bare struct{}

func (b *Bare) Method() {}

func Function() {}

func hidden() {}

func (h home) Method() {}

// Explained is a type.
type Explained interface{ Asked() }

// Sides of a coin.
const (
	Heads = iota
	Tails
)

var (
	First  int
	Second int // is after the first
)
`, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range unexplained(source) {
		got = append(got, n.Name)
	}
	want := []string{"Bare", "Method", "Function", "First"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// unexplained returns the exported names of a file that have no comment, in order. Names that are
// declared together may share a comment. Fields and the methods of interfaces need none.
func unexplained(source *ast.File) []*ast.Ident {
	var found []*ast.Ident
	check := func(name *ast.Ident, comments ...*ast.CommentGroup) {
		explained := slices.ContainsFunc(comments, func(c *ast.CommentGroup) bool { return c != nil })
		if name.IsExported() && !explained {
			found = append(found, name)
		}
	}
	for _, declaration := range source.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if receiverIsExported(d) {
				check(d.Name, d.Doc)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					check(s.Name, d.Doc, s.Doc, s.Comment)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						check(name, d.Doc, s.Doc, s.Comment)
					}
				}
			}
		}
	}
	return found
}

// receiverIsExported reports whether a function is not a method, or is a method of an exported
// type. The methods of other types are explained by the interfaces that they satisfy.
func receiverIsExported(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	receiver := f.Recv.List[0].Type
	for {
		switch r := receiver.(type) {
		case *ast.StarExpr:
			receiver = r.X
		case *ast.IndexExpr:
			receiver = r.X
		case *ast.IndexListExpr:
			receiver = r.X
		case *ast.Ident:
			return r.IsExported()
		default:
			return false
		}
	}
}

// sourceNames matches paths of files and folders of the tree in a page.
var sourceNames = regexp.MustCompile("`([a-z][a-z0-9_]*(?:/[a-z0-9_]+)+(?:\\.go)?)`")

func TestArchitecture_NamesExistingFiles(t *testing.T) {
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	found := sourceNames.FindAllStringSubmatch(string(page), -1)
	if len(found) < 20 {
		t.Fatalf("ARCHITECTURE.md names %d files and folders, want more", len(found))
	}
	for _, name := range found {
		_, here := os.Stat(name[1])
		_, within := os.Stat("internal/" + name[1])
		if here != nil && within != nil {
			t.Errorf("ARCHITECTURE.md names %s, which does not exist", name[1])
		}
	}
}
