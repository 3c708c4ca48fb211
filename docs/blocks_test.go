package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"sledge/internal/job"
)

// block is a block of code on a page of the manual. A comment above it says how it is tested:
//
//	<!-- test: run postgresql -->    Run the shell commands; commands with --db work on a test server.
//	                                 Where lines begin with "$ ", the others are what these print.
//	<!-- test: run postgresql, tprocc, jobs 2, profile 3 -->
//	                                 The same, on a schema of that workload, after two runs, and after a
//	                                 performance profile of that number.
//	<!-- test: serve -->             Run each command until it prints something, then interrupt it.
//	<!-- test: dry run -->           Bind the settings of each sledge run or build, and do nothing else.
//	<!-- test: console -->           Run the commands of the console.
//	<!-- test: output -->            The commands above print this. Numbers and times may differ.
//	<!-- test: kept NAME -->         This is how the program prints a job that was kept of a real run
//	                                 (internal/report/reporttest/kept): all of it, or "kept NAME, paragraph WORDS" the part
//	                                 that has these words, "kept NAME, detail WORDS" a part that --details adds or widens, "kept NAME, row WORDS" a line with those that go on with it,
//	                                 "kept NAME, console" as the console does, "kept NAME, compared WORDS" a part of a comparison. go test ./docs -run Kept -update rewrites these blocks.
//	<!-- test: copy of FILE -->      The golden file of another test is this. -update rewrites these, too.
//	<!-- test: file NAME -->         Write the block into a file for the commands below.
//	<!-- test: part of FILE -->      The file in the tree holds these lines. A line of "..." stands for any others.
//	<!-- test: elsewhere, WHY -->    Not tested, for this reason.
type block struct {
	page string // path below the root of the tree
	line int
	mark string
	text string
}

func (b block) String() string { return fmt.Sprintf("%s:%d", b.page, b.line) }

// pages lists the pages that people write. The others are generated, and tested where they are.
func pages(t *testing.T) []string {
	list, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	pages := []string{"README.md", "CONTRIBUTING.md"}
	for _, name := range list {
		if name != "json.md" {
			pages = append(pages, "docs/"+name)
		}
	}
	return pages
}

// blocksOf returns the blocks of code on a page, in order.
func blocksOf(t *testing.T, page string) (list []block) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", page))
	if err != nil {
		t.Fatal(err)
	}
	mark := ""
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() != ast.TypeBlock {
			return ast.WalkContinue, nil
		}
		switch n.Kind() {
		case ast.KindHTMLBlock:
			if m, is := strings.CutPrefix(string(n.Lines().Value(source)), "<!-- test: "); is {
				mark = strings.TrimSuffix(strings.TrimSpace(m), " -->")
			}
		case ast.KindCodeBlock, ast.KindFencedCodeBlock:
			lines := n.Lines()
			line := 1 + strings.Count(string(source[:lines.At(0).Start]), "\n")
			list = append(list, block{page, line, mark, string(lines.Value(source))})
			mark = ""
		default:
			mark = ""
		}
		return ast.WalkContinue, nil
	})
	return list
}

func TestEveryBlock_SaysHowItIsTested(t *testing.T) {
	for _, page := range pages(t) {
		for _, b := range blocksOf(t, page) {
			verb, of, _ := strings.Cut(b.mark, " ")
			switch verb {
			case "run", "serve", "dry", "console", "file", "output":
			case "kept", "copy": // TestEveryKeptJob_IsShownAsItIsPrinted compares these
			case "part":
				holds(t, b, strings.TrimPrefix(of, "of "))
			case "elsewhere,":
				if len(of) < 10 {
					t.Errorf("%s: %q gives no reason", b, b.mark)
				}
				if named := otherTest.FindStringSubmatch(of); named != nil {
					if _, err := os.Stat(filepath.Join("..", named[2], named[1])); err != nil {
						t.Errorf("%s: %v", b, err)
					}
				}
			default:
				t.Errorf("%s: a comment above the block must say how it is tested, and it is %q:\n%s", b, b.mark, b.text)
			}
		}
	}
}

// otherTest finds the test in a reason why a block is tested elsewhere: "server_test.go in internal/web".
var otherTest = regexp.MustCompile(`(\w+_test\.go) in ([\w/]+)`)

// holds checks that a file of the tree has the lines of a block, one below the other.
func holds(t *testing.T, b block, name string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Errorf("%s: %v", b, err)
		return
	}
	if missing := missingLine(string(content), b.text, withoutComment); missing != "" {
		t.Errorf("%s: %s does not hold this line, or not after the lines above it:\n%s", b, name, missing)
	}
}

// withoutComment reduces a line of Go to its code, with single blanks.
func withoutComment(line string) string {
	code, _, _ := strings.Cut(line, " //")
	return strings.Join(strings.Fields(code), " ")
}

// missingLine returns the first line of part that whole does not hold in that order, each normalised; "" if
// it holds all. Lines of part follow each other in whole, but for more of the same
// kind, and except where a line of part is "...".
func missingLine(whole, part string, normal func(string) string) string {
	lines := strings.Split(whole, "\n")
	at, gap, last := 0, true, ""
	for line := range strings.SplitSeq(strings.TrimSpace(part), "\n") {
		line = normal(line)
		switch line {
		case last, "": // a longer table of the same rows
			continue
		case "...":
			gap = true
			continue
		}
		for ; at < len(lines); at++ {
			found := normal(lines[at])
			if found == line {
				break
			}
			if !gap && found != "" && found != last {
				return line
			}
		}
		if at == len(lines) {
			return line
		}
		at++
		gap, last = false, line
	}
	return ""
}

func TestMissingLine_FindsWhatIsNotThere(t *testing.T) {
	whole := "a\nb\n\nc\nd\n"
	for _, test := range []struct{ part, want string }{
		{"a\nb", ""},
		{"b\nc", ""}, // an empty line does not count
		{"a\nc", "c"},
		{"a\n...\nd", ""},
		{"d\na", "a"},
		{"x", "x"},
		{"b\nb\nc", ""}, // a table may have more rows that are alike
	} {
		if got := missingLine(whole, test.part, strings.TrimSpace); got != test.want {
			t.Errorf("of %q, got %q missing, want %q", test.part, got, test.want)
		}
	}
}

func TestManual_HasEveryExitCode(t *testing.T) {
	page, err := os.ReadFile("troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(page), "`", "")
	for _, e := range job.ExitMeanings {
		if row := fmt.Sprintf("| %d | %s |\n", e.Code, e.Meaning); !strings.Contains(text, row) {
			t.Errorf("troubleshooting.md lacks the row %q", row)
		}
	}
}

func TestManual_SaysNothingTwice(t *testing.T) {
	for _, page := range pages(t) {
		source, err := os.ReadFile(filepath.Join("..", page))
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for paragraph := range strings.SplitSeq(string(source), "\n\n") {
			paragraph = strings.Join(strings.Fields(paragraph), " ")
			if len(paragraph) > 60 && seen[paragraph] && !strings.HasPrefix(paragraph, "<!--") {
				t.Errorf("%s has this paragraph twice:\n%s", page, paragraph)
			}
			seen[paragraph] = true
		}
	}
}
