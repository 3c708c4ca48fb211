//go:build platforms

package sledge

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// TestTypes_HoldOnEveryPlatform checks the types of our packages for each platform in $PLATFORMS, such as
// "linux/arm64 windows/amd64", except for this machine's, which make test compiles. Code generation
// and linking take ten times as long; make release does them.
func TestTypes_HoldOnEveryPlatform(t *testing.T) {
	platforms := strings.Fields(os.Getenv("PLATFORMS"))
	if len(platforms) == 0 {
		t.Fatal("PLATFORMS names no platform")
	}
	for _, platform := range platforms {
		system, processor, _ := strings.Cut(platform, "/")
		if system == runtime.GOOS && processor == runtime.GOARCH {
			continue
		}
		programs := []struct{ folder, path, tags string }{{".", "./cmd/sledge", ""}, {"tclsh", ".", ""}}
		if system == "linux" { // on other systems, every program has Db2
			programs = append(programs, programs[0])
			programs[2].tags = "db2"
		}
		for _, program := range programs {
			t.Run(strings.Join([]string{platform, program.folder, program.tags}, " "), func(t *testing.T) {
				loaded, err := packages.Load(&packages.Config{
					Mode: packages.LoadAllSyntax | packages.NeedModule, Dir: program.folder, ParseFile: parse,
					Env:        append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0"),
					BuildFlags: []string{"-tags=" + program.tags},
				}, program.path)
				if err != nil {
					t.Fatal(err)
				}
				checked := 0
				packages.Visit(loaded, nil, func(p *packages.Package) {
					if p.Module == nil || !p.Module.Main {
						return // without function bodies, imports seem unused
					}
					checked++
					for _, e := range p.Errors {
						t.Error(e)
					}
				})
				if checked == 0 {
					t.Errorf("no package of ours was loaded for %s", program.path)
				}
			})
		}
	}
}

// parse parses a file. Files of other modules lose the bodies of their functions, which would take most of
// the time to check.
func parse(set *token.FileSet, name string, source []byte) (*ast.File, error) {
	file, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
	if here, _ := os.Getwd(); err == nil && !strings.HasPrefix(name, here) {
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is {
				f.Body = nil
			}
		}
	}
	return file, err
}
