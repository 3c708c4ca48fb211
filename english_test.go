package sledge

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// A phrasing is a word or a turn of phrase that makes a reader stop, with a better one.
type phrasing struct {
	found  *regexp.Regexp
	unless *regexp.Regexp // matches where the phrase is good English; nil if it never is
	better string
}

// phrasings apply to comments, messages, names, the manual and the pages alike. Each matches
// text in lower case with single spaces; a name such as cutOff is read as "cut off".
var phrasings = []phrasing{
	// Subjects that are not things.
	{word(`who(so)?ever`), nil, "name the actor: the caller, the user, the process"},
	{word(`(nobody|somebody|someone|no one)('s)?`), nil, "name the actor: another process, another user, no caller"},
	{regexp.MustCompile(`(^|[.;] )who [a-z]+s? [^?|]*[.;]`), nil, "begin with the noun: a user that, a caller that"},
	{word(`what (is|are|was|were) [a-z]+ of`), nil, "use the noun: its state, its details"},
	{word(`what is (asked|told|known|said|made|left|there) (of|by|in)`), nil, "use the noun: request, report, state"},
	// Verbs that hide the action.
	{word(`(sees|see|saw) to it`), nil, "say who does it: checks, ensures"},
	{word(`(is|are|was|were) to be`), nil, "must be, will be"},
	{word(`([a-z]+ )?be it`), word(`(may|should|must|to|can|could|would|will|might|not) be it`), "whether, even if"},
	{word(`(as|so) far as`), nil, "if, to the extent that, or a number"},
	{word(`be that of`), nil, "be the one of, or name it"},
	{word(`in vain`), nil, "without success, or say what failed"},
	{word(`without meaning( it)?`), nil, "by accident"},
	// Negatives as nouns.
	{word(`((there|which|it|that|this|he|she|one|they|these|those) )?(is|are|was|were|be) none`), word(`there (is|are|was|were|be) none`), "is not a, or has no"},
	{word(`none of (ours|its|theirs|yours|his|a|the [a-z]+'s)`), nil, "not ours, not a"},
	{word(`is not one( of| per| for)?`), word(`is not one (of|per|for)`), "is not a, with the noun"},
	{word(`([a-z]+ )?(is|are|was|were) no [a-z]+`), word(`(there (is|are|was|were) no [a-z]+|[a-z]+ (is|are|was|were) no (longer|more|fewer|less|slower|faster|greater|larger|smaller|later|earlier|better|worse|older|newer|wider|narrower))`), "is not a"},
	// Words of another age.
	{word(`(whence|thence|hence|thereof|whereof|wherein|whereby|whereupon|hitherto|henceforth|heretofore|herein|hereby|lest)`), word(`hence the [a-z]+`), "plain words: so, of it, by which, unless, on"},
	{word(`anew`), nil, "again"},
	// One word for one thing: the word of the field.
	{word(`stand ?stills?`), nil, "stall"},
	{word(`under way`), nil, "in flight (transactions), running (jobs)"},
	{word(`(meant to (start|begin)|due (at|to start))`), nil, "scheduled"},
	{word(`lateness`), nil, "start lag"},
	{word(`(crews?|seats?|seated)`), nil, "users, slot, assign"},
	{word(`(cut|cuts|cutting|broken|breaks|break|broke|breaking) off`), nil, "aborted, interrupted, disconnected"},
	{word(`(tidy|tidies|tidied|tidying)( up)?`), nil, "clean up, post-run maintenance"},
	{word(`receipts?`), nil, "acknowledged commits"},
	{word(`(shelf|shelves|desks?)`), nil, "store, runner"},
	{word(`doings`), nil, "progress"},
	{word(`comers`), nil, "users"},
	{word(`inventory`), nil, "schema state"},
	{word(`standing`), nil, "default"},
	{word(`disposals?`), nil, "drop result, drop options"},
}

// word returns a pattern that matches whole words.
func word(pattern string) *regexp.Regexp { return regexp.MustCompile(`\b` + pattern + `\b`) }

// A quotation is text that is not ours to change.
type quotation struct {
	in     string // a file, or a folder with all below it
	text   string // in lower case
	reason string
}

var quotations = []quotation{
	{"docs/failover.md", "begins anew", "the message of a recorded run"},
	{"internal/interpreter", "is none", "Python's None"},
	{"internal/hammerdb/lines", "cut off", "a name in documents that programs read"},
	{"internal/workload/tproch/dbgen", "receipt", "TPC-H's column L_RECEIPTDATE"},
	{"internal/hammerdb/dictionaries", "nobody", "the account of Unix"},
	{"internal/live", "under way", "a name in documents that programs read"},
	{"internal/report", "tidied", "a name in documents that programs read"},
	{"internal/job", "standstills", "a name in documents that programs read"},
	{"internal/job", "tidied", "a name in documents that programs read"},
	{"internal/job", "cut off", "a name in documents that programs read"},
}

var code = regexp.MustCompile("`[^`]*`")

// complaints returns what is wrong with a text. Code in backquotes is not English.
func complaints(file, text string) []string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	text = code.ReplaceAllString(text, "`code`")
	for _, q := range quotations {
		if within(file, q.in) {
			text = strings.ReplaceAll(text, q.text, "")
		}
	}
	var found []string
	for _, p := range phrasings {
		for _, match := range p.found.FindAllString(text, -1) {
			if p.unless == nil || !p.unless.MatchString(match) {
				found = append(found, fmt.Sprintf("%q: better %s", strings.Trim(match, ".:; "), p.better))
			}
		}
	}
	return found
}

func within(file, folder string) bool {
	return file == folder || strings.HasPrefix(file, folder+"/")
}

func TestEnglish(t *testing.T) {
	for _, file := range treeFiles(t) {
		if file == "english_test.go" || within(file, "ui/generated") {
			continue
		}
		for _, text := range english(t, file) {
			for _, complaint := range complaints(file, text.words) {
				t.Errorf("%s:%d: %s", file, text.line, complaint)
			}
		}
	}
}

func TestEnglish_QuotesWhatIsThere(t *testing.T) {
	used := map[quotation]bool{}
	for _, file := range treeFiles(t) {
		for _, q := range quotations {
			if used[q] || !within(file, q.in) {
				continue
			}
			used[q] = slices.ContainsFunc(english(t, file), func(p prose) bool { return strings.Contains(strings.ToLower(p.words), q.text) })
		}
	}
	for _, q := range quotations {
		if !used[q] {
			t.Errorf("%s does not contain %q: take it off quotations", q.in, q.text)
		}
	}
}

func TestEnglish_ReadsAllOfAFile(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want []int // lines with findings
	}{
		"whoever.go": {"package x\n\n// Asked in\n// vain.\nvar cutOff = \"is under way\"\n\ntype seat struct{ crew int }\n\nfunc tidyUp() {}\n", []int{1, 3, 5, 5, 7, 7, 9}},
		"page.md":    {"# A standstill\n\nIt asks in\nvain.\n\n- it is\n- no number\n\n`whoever`\n", []int{1, 3}},
		"page.ts":    {"// It asks in\n// vain.\n\nconst a = 'nobody'\n", []int{1, 4}},
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, text := range english(t, file) {
			if len(complaints(file, text.words)) > 0 {
				got = append(got, text.line)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got complaints of the lines %v, want %v", name, got, tt.want)
		}
	}
}

func TestEnglish_KnowsGoodFromBad(t *testing.T) {
	bad := []string{
		"Who may have load driven could else have them sent to a server of their own.",
		"whoever calls it closes it", "NobodyWaits", "returns what is known of it",
		"the key is none of ours", "it is not one, so skip it", "the value is no number",
		"a run under way", "cutOff", "tidiesUp", "saves what is to be drawn", "asked in vain",
		"the transaction was meant to start", "a standstill of 3 s", "load_receipts",
	}
	for _, text := range bad {
		if len(complaints("internal/x.go", spelled(text))) == 0 {
			t.Errorf("%q passes, want a complaint", text)
		}
	}
	good := []string{
		"Who may log in?", "There is no table, so there is none to drop.", "It is no longer read.",
		"It is not one of these.", "It may be it.", "The value is not a number.", "rows in `sledge_receipts`",
	}
	for _, text := range good {
		if found := complaints("internal/x.go", spelled(text)); len(found) > 0 {
			t.Errorf("%q: %q, want no complaint", text, found)
		}
	}
}

// prose is a piece of English in a file.
type prose struct {
	line  int
	words string
}

// english returns the English of a file: in Go comments, strings and names that are declared.
func english(t *testing.T, file string) []prose {
	switch path.Ext(file) {
	case ".go":
		return englishOfGo(t, file)
	case ".md", ".ts", ".svelte", ".mjs":
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if file == "CHANGELOG.md" {
			// Only the newest section: the others are history.
			sections := strings.SplitN(string(source), "\n## ", 3)
			source = []byte(strings.Join(sections[:min(2, len(sections))], "\n## "))
		}
		return paragraphs(string(source))
	}
	return nil
}

// paragraphs divides text at empty lines, and where a line begins a row, an item or a comment.
func paragraphs(text string) []prose {
	begins := regexp.MustCompile(`^\s*(\||[-*] |\d+\. |#|//|<)`)
	var found []prose
	open := false
	for i, line := range strings.Split(text, "\n") {
		empty := strings.TrimSpace(line) == ""
		comment := strings.HasPrefix(strings.TrimSpace(line), "//")
		switch {
		case empty:
			open = false
		case open && comment && strings.HasPrefix(found[len(found)-1].words, "//"):
			found[len(found)-1].words += strings.TrimPrefix(strings.TrimSpace(line), "//")
		case open && !begins.MatchString(line):
			found[len(found)-1].words += "\n" + line
		default:
			found = append(found, prose{i + 1, strings.TrimSpace(line)})
			open = true
		}
	}
	return found
}

func englishOfGo(t *testing.T, file string) []prose {
	files := token.NewFileSet()
	source, err := parser.ParseFile(files, file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if ast.IsGenerated(source) {
		return nil // its generator is what people read
	}
	var found []prose
	add := func(at token.Pos, words string) {
		found = append(found, prose{files.Position(at).Line, words})
	}
	add(source.Package, spelled(strings.TrimSuffix(path.Base(file), ".go")))
	for _, comment := range source.Comments {
		add(comment.Pos(), comment.Text())
	}
	name := func(names ...*ast.Ident) {
		for _, n := range names {
			add(n.Pos(), spelled(n.Name))
		}
	}
	ast.Inspect(source, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && strings.Contains(text, " ") {
				add(n.Pos(), text)
			}
		case *ast.FuncDecl:
			name(n.Name)
		case *ast.TypeSpec:
			name(n.Name)
		case *ast.ValueSpec:
			name(n.Names...)
		case *ast.Field:
			name(n.Names...)
		}
		return true
	})
	return found
}

// spelled divides a name into its words: waitsForCommit is "waits for commit".
func spelled(name string) string {
	var out strings.Builder
	for i, r := range name {
		if r == '_' || r == '-' {
			r = ' '
		}
		if unicode.IsUpper(r) && i > 0 {
			out.WriteByte(' ')
		}
		out.WriteRune(unicode.ToLower(r))
	}
	return out.String()
}
