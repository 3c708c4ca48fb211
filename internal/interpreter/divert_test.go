package interpreter

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sledge/internal/interpreter/interpretertest"
)

// twoLines returns a command that prints two lines with the script's output function.
func twoLines(elsewhere func(text string)) Handler {
	return func(_ context.Context, call Call) (string, error) {
		print := elsewhere
		if call.Print != nil {
			print = call.Print
		}
		print("grün")
		print("two")
		return "returned", nil
	}
}

// TestTcl_PrintsCommandsWithTheScriptsPuts covers scripts that collect the output of jobs in a
// file.
func TestTcl_PrintsCommandsWithTheScriptsPuts(t *testing.T) {
	var printed int
	tcl, name := tclWith(t, twoLines(func(string) { printed++ }))
	tests := []struct {
		script, want string
		printed      int // lines that went to the default output
	}{
		{"do", "returned", 2},
		{"rename puts own; proc puts args {lappend ::lines $args}; set ::lines {}; list [do] $::lines", "returned {grün two}", 0},
		{"proc puts args {error {disk full}}; list [catch do m] $m", "1 {disk full}", 0},
		{"proc puts args {do}; list [catch do m] $m", "1 {the script's own puts cannot call do, which would print}", 0},
		{"rename puts {}; do", "returned", 2},
		{"rename own puts; do", "returned", 2},
		{"close stdout; set file [open {" + name + "} a]; do", "returned", 0},
	}
	for _, test := range tests {
		printed = 0
		got, err := tcl.Eval(t.Context(), test.script)
		if err != nil || got != test.want || printed != test.printed {
			t.Errorf("%s: got %q, %v and %d lines printed, want %q and %d", test.script, got, err, printed, test.want, test.printed)
		}
	}
	if text, err := os.ReadFile(name); string(text) != "grün\ntwo\n" {
		t.Errorf("the file that replaces stdout: got %q, %v", text, err)
	}
}

func TestPython_PrintsCommandsToItsStdout(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script.py")
	for _, program := range interpretertest.Pythons(t) {
		tests := []struct {
			script  string
			want    string // the script's error message
			printed int    // lines that went to the default output
		}{
			{"do()", "", 2},
			{"import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as text:\n    r = do()\nassert (r, text.getvalue()) == ('returned', 'grün\\ntwo\\n'), text.getvalue()\ndo()", "", 2},
			{"import sys\nclass Full:\n    flush = lambda self: None\n    def write(self, text): raise OSError('disk full')\nsys.stdout = Full()\ndo()", "OSError: disk full", 0},
			{"import sys\nclass Calling:\n    flush = lambda self: None\n    def write(self, text): do()\nsys.stdout = Calling()\ndo()", "Error: an object that output is written to cannot call a command, because commands print", 0},
		}
		for _, test := range tests {
			printed := 0
			python, err := NewPython(Config{Commands: []string{"do"}, Handle: twoLines(func(string) { printed++ }), Environ: os.Environ()}, program)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(script, []byte(test.script), 0o600); err != nil {
				t.Fatal(err)
			}
			got := ""
			if err := python.RunFile(t.Context(), script, nil); err != nil {
				got = err.Error()
			}
			if got != test.want || printed != test.printed {
				t.Errorf("%s: %s: got %q and %d lines printed, want %q and %d", program, test.script, got, printed, test.want, test.printed)
			}
		}
	}
}

// TestPython_PrintsCommandsWithTclsPuts covers Python scripts that collect the output of
// jobs with a puts that tclpy.eval has defined.
func TestPython_PrintsCommandsWithTclsPuts(t *testing.T) {
	needTcl(t)
	folder := t.TempDir()
	script := filepath.Join(folder, "script.py")
	const collect = `
name = 'FOLDER/collected'
def tcl(text): return tclpy.eval(text.replace('NAME', name))
def collected():
    with open(name) as file: return file.read()
`
	tests := []struct {
		script  string
		want    string // the script's error message
		printed int    // lines that went to the default output
	}{
		{"tcl('set x 1')\ndo()", "", 2},
		{
			"tcl('rename puts own; proc puts {line} {set f [open NAME a]; own $f <$line>; close $f}')\n" +
				"assert do() == 'returned'\nassert collected() == '<grün>\\n<two>\\n'\n" +
				"tcl('do')\nassert collected() == '<grün>\\n<two>\\n' * 2\n" +
				"tcl('rename puts {}; rename own puts')\ndo()\nassert collected() == '<grün>\\n<two>\\n' * 2", "", 2,
		},
		{"tcl('close stdout; open NAME w')\ndo()\ntcl('flush stdout')\nassert collected() == 'grün\\ntwo\\n', collected()", "", 0},
		{"import contextlib, io\ntcl('set lines {}; proc puts line {lappend ::lines $line}')\nwith contextlib.redirect_stdout(io.StringIO()) as text:\n    do()\nassert (tcl('set lines'), text.getvalue()) == ('grün two', '')", "", 0},
		{"tcl('proc puts line {error {disk full}}')\ndo()", "Error: disk full", 0},
		{"tcl('proc puts line {error {disk full}}')\ntry: do()\nexcept Exception as e: assert str(e) == 'disk full'\nelse: assert False", "", 0},
		{"tcl('proc puts line {do}')\ndo()", "Error: the script's own puts cannot call do, which would print", 0},
		{"tcl('proc puts line {exit 3}')\ndo()\nassert False", "exit 3", 0},
		{"tcl('proc puts line {exec kill -9 [pid]}')\ntry: do()\nexcept Exception as e: assert 'killed' in str(e), e\ndo()", "", 2},
	}
	for _, program := range interpretertest.Pythons(t) {
		for _, test := range tests {
			printed := 0
			python, err := NewPython(Config{Commands: []string{"do"}, Handle: twoLines(func(string) { printed++ }), Environ: os.Environ()}, program)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(collect, "FOLDER", t.TempDir()) + test.script
			if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			got := ""
			if err := python.RunFile(t.Context(), script, nil); err != nil {
				got = err.Error()
			}
			if got != test.want || printed != test.printed {
				t.Errorf("%s: %s: got %q and %d lines printed, want %q and %d", program, test.script, got, printed, test.want, test.printed)
			}
		}
	}
}

// TestCtrlCStopsPutsThatNeverReturns cancels a command whose output Tcl's own puts prints.
func TestCtrlCStopsPutsThatNeverReturns(t *testing.T) {
	needTcl(t)
	begun := make(chan struct{})
	python, err := NewPython(Config{Commands: []string{"do", "begun"}, Handle: func(_ context.Context, call Call) (string, error) {
		if call.Name == "do" {
			close(begun)
			call.Print("one")
		}
		return "", nil
	}, Environ: os.Environ()}, interpretertest.Pythons(t)[0])
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "script.py")
	if err := os.WriteFile(script, []byte("tclpy.eval('proc puts line {while 1 {}}')\ndo()"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		<-begun
		python.Cancel()
	}()
	if err := python.RunFile(ctx, script, nil); !errors.Is(err, ErrInterrupted) || ctx.Err() != nil {
		t.Errorf("got %v, want ErrInterrupted", err)
	}
}
