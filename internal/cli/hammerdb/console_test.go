package hammerdb

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/peterh/liner"

	"sledge/internal/cli/program"
	"sledge/internal/interpreter"
	"sledge/internal/job"
)

func TestConsoleArguments_ChooseLanguageAndScript(t *testing.T) {
	tests := []struct {
		args string
		want consoleUse
		err  string // part of the error
	}{
		{"", consoleUse{language: inTcl}, ""},
		{"tcl", consoleUse{language: inTcl}, ""},
		{"py", consoleUse{language: inPython}, ""},
		{"python", consoleUse{language: inPython}, ""},
		{"auto run.tcl", consoleUse{language: inTcl, script: "run.tcl"}, ""},
		{"auto dir/run.py a b", consoleUse{language: inPython, script: "dir/run.py", args: []string{"a", "b"}}, ""},
		{"py auto run.py", consoleUse{language: inPython, script: "run.py"}, ""},
		{"py auto run.tcl", consoleUse{}, "run run.tcl: the name says that it is written in tcl, not in python: leave out python, or rename the file"},
		{"auto run.sh", consoleUse{}, "run run.sh: the language is unknown, because the name ends in neither .tcl nor .py"},
		{"auto", consoleUse{}, "auto needs a script"},
		{"tlc", consoleUse{}, `there is no console "tlc": did you mean tcl?`},
		{"run.tcl", consoleUse{}, `there is no console "run.tcl"`},
	}
	for _, test := range tests {
		got, err := consoleArguments(strings.Fields(test.args))
		switch {
		case test.err != "":
			if err == nil || !strings.Contains(err.Error(), test.err) || job.ExitOf(err) != job.ExitUsage {
				t.Errorf("%q: got %v, want an error of %q", test.args, err, test.err)
			}
		case err != nil || got.language != test.want.language || got.script != test.want.script || !slices.Equal(got.args, test.want.args):
			t.Errorf("%q: got %+v, %v, want %+v", test.args, got, err, test.want)
		}
	}
}

func TestHammerDBName_KnowsHammerDBsPrograms(t *testing.T) {
	for name, want := range map[string]string{
		"hammerdbcli":              program.HammerDBConsole,
		"./hammerdbcli":            program.HammerDBConsole,
		"/opt/bin/hammerdbcli":     program.HammerDBConsole,
		"HAMMERDBCLI.EXE":          program.HammerDBConsole,
		"/opt/bin/hammerdbws":      program.HammerDBService,
		"HammerDBws.exe":           program.HammerDBService,
		"sledge":                   "",
		"/opt/hammerdbcli/sledge":  "",
		"hammerdbcli.old":          "",
		filepath.Join("a", "b.db"): "",
	} {
		if got := program.HammerDBName(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestHistory_ContainsNoPasswords(t *testing.T) {
	e := &editor{line: liner.NewLiner(), history: filepath.Join(t.TempDir(), "history")}
	defer e.close()
	for _, script := range []string{
		"dbset db pg\n",
		"diset tpcc pg_pass one\n",
		"diset tpcc PG_SUPERUSERPASS \\\n two\n",
		"foreach z {1 2} {\nputs $z\n}\n",
		" \n",
	} {
		e.remember(script)
	}
	kept, err := os.ReadFile(e.history)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(kept), "dbset db pg\nforeach z {1 2} {\nputs $z\n}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHistory_IsShortened(t *testing.T) {
	e := &editor{line: liner.NewLiner(), history: filepath.Join(t.TempDir(), "history")}
	defer e.close()
	const lines = 3 * liner.HistoryLimit
	if err := os.WriteFile(e.history, []byte(strings.Repeat("old\n", lines)+"new\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.load(); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(e.history)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(kept), "\n"); n > liner.HistoryLimit || !strings.HasSuffix(string(kept), "old\nnew\n") {
		t.Errorf("%d lines are kept, want at most %d and the latest", n, liner.HistoryLimit)
	}
}

func FuzzConsoleArguments(f *testing.F) {
	f.Add("tcl auto run.tcl a b")
	f.Add("auto\nx.py")
	f.Add("py")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, " ")
		use, err := consoleArguments(args)
		if err == nil && languageOf(use.language) != use.language {
			t.Errorf("%q: got the language %q", args, use.language)
		}
		if err != nil && job.ExitOf(err) != job.ExitUsage {
			t.Errorf("%q: got error %v, want a usage error", args, err)
		}
		theirs, says, wrong := hammerdbArguments(args)
		if wrong != nil {
			if !strings.HasSuffix(says, hammerdbUsage) || job.ExitOf(wrong) != job.ExitUsage {
				t.Errorf("%q: HammerDB's message is %q, with the error %v", args, says, wrong)
			}
			return
		}
		// Sledge accepts all arguments of HammerDB with the same meaning.
		if err != nil || theirs.language != use.language || theirs.script != use.script {
			t.Errorf("%q: got %+v, %v, and %+v by HammerDB's name", args, use, err, theirs)
		}
	})
}

func FuzzReadScript(f *testing.F) {
	tcl, err := interpreter.StartTcl(f.Context(), interpreter.Config{Environ: os.Environ()})
	if errors.Is(err, interpreter.ErrWithoutTcl) && !strings.Contains(os.Getenv("SLEDGE_TEST_REQUIRE"), "tcl") {
		f.Skip(err)
	}
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { tcl.Close() })
	f.Add("set a {\n1\n}\nputs \"x\ny\"\n")
	f.Add("puts a\\\nb\n}{")
	f.Add("\x00\xff[")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(text, "\n")
		var got strings.Builder
		for {
			script, err := readScript(tcl, func(more bool) (string, error) {
				if len(lines) == 0 {
					return "", io.EOF
				}
				line := lines[0]
				lines = lines[1:]
				return line, nil
			})
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got.WriteString(script)
		}
		// readScript loses only white space at the end of the input.
		want := text + "\n"
		if rest, ok := strings.CutPrefix(want, got.String()); !ok || strings.TrimSpace(rest) != "" {
			t.Errorf("read %q of %q", got.String(), want)
		}
	})
}
