package interpreter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// needTcl skips a test if Sledge is built without Tcl, or fails it if Tcl is required, as make test
// does.
func needTcl(t *testing.T) {
	t.Helper()
	if _, err := helper.ReadFile(helperFolder + "/tclsh.sha256"); err == nil {
		return
	}
	if strings.Contains(os.Getenv("SLEDGE_TEST_REQUIRE"), "tcl") {
		t.Fatal(ErrWithoutTcl)
	}
	t.Skip(ErrWithoutTcl)
}

// tclWith starts an interpreter whose command do calls handle. It also returns the name of the
// output file.
func tclWith(t *testing.T, handle Handler) (*Tcl, string) {
	t.Helper()
	needTcl(t)
	name := filepath.Join(t.TempDir(), "output")
	output, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { output.Close() })
	tcl, err := StartTcl(t.Context(), Config{
		Commands: []string{"do", "quit"},
		Handle:   handle,
		Stdout:   output,
		Stderr:   output,
		Environ:  append(os.Environ(), "TMP=/somewhere", "LC_ALL=C", "UMLAUT=ü"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tcl.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return tcl, name
}

// nothing is a handler that does nothing.
func nothing(context.Context, Call) (string, error) { return "", nil }

func TestTclEvaluatesAsTclshDoes(t *testing.T) {
	tcl, _ := tclWith(t, nothing)
	folder := t.TempDir()
	file := filepath.Join(folder, "part.tcl")
	if err := os.WriteFile(file, []byte("set part [file tail [info script]]; return grün"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ script, want string }{
		{"expr {6 * 7}", "42"},
		{"set ::greeting {Grüße, 世界 \U0001F600}", "Grüße, 世界 \U0001F600"},
		{"string length $::greeting", fmt.Sprint(len("Grüße, 世界 ") - 6 + 2)}, // six bytes belong to longer characters; the last counts as two
		{"string length a\\u0000b", "3"},
		{"info patchlevel", "8.6.12"},
		{"set ::env(TMP)", "/somewhere"},
		{"info exists ::env(" + environment + ")", "0"},
		{"set ::env(UMLAUT)", "ü"},
		{"set ::tcl_platform(platform)", map[bool]string{true: "windows", false: "unix"}[runtime.GOOS == "windows"]},
		{"clock format 0 -gmt 1 -format {%Y-%m-%d %H:%M:%S}", "1970-01-01 00:00:00"},
		{"clock format 1700000000 -timezone :America/New_York -format {%H:%M %Z}", "17:13 EST"},
		{"clock scan {2024-02-29 12:00} -timezone :Europe/Berlin -format {%Y-%m-%d %H:%M}", "1709204400"},
		{"clock format [clock scan {2024-01-31} -gmt 1] -gmt 1 -format %j", "031"},
		{"set done 0; after 20 {set done 1}; vwait done; set done", "1"},
		{"after 1; update; expr 1", "1"},
		{"exec sh -c {echo $TMP; cat} << text", "/somewhere\ntext"},
		{"set ::env(MINE) here; exec sh -c {echo $MINE}", "here"},
		{"exec echo grün", "grün"},
		{"catch {exec false} m; set m", "child process exited abnormally"},
		{"cd {" + folder + "}; source part.tcl", "grün"},
		{"set part", "part.tcl"},
		{"set f [open x.txt w]; puts $f {eins\nzwö}; close $f; file size x.txt", "10"},
		{"set f [open x.txt]; gets $f; set line [gets $f]; close $f; set line", "zwö"},
		{"lindex [glob *.txt] 0", "x.txt"},
		{"package require msgcat; msgcat::mcset de yes ja; msgcat::mclocale de; msgcat::mc yes", "ja"},
		{"expr {[package vcompare [package require http] 2.9] >= 0}", "1"},
		{"catch {nosuchcommand} m; set m", `invalid command name "nosuchcommand"`},
		{"catch {ls} m; set m", `invalid command name "ls"`},
		{"regexp {(\\d+)-(\\w+)} 12-ab all a b; list $a $b", "12 ab"},
		{"proc f {n} {expr {$n < 2 ? $n : [f [expr {$n-1}]] + [f [expr {$n-2}]]}}; f 15", "610"},
		{"dict get {a 1 b 2} b", "2"},
		{"binary encode base64 hello", "aGVsbG8="},
		{"encoding system", "utf-8"},
	}
	for _, test := range tests {
		got, err := tcl.Eval(t.Context(), test.script)
		if err != nil || got != test.want {
			t.Errorf("%s: got %q, %v, want %q", test.script, got, err, test.want)
		}
	}
}

func TestTclCallsCommandsInOrderWithWhatItPrints(t *testing.T) {
	var output *os.File
	var calls []Call
	tcl, name := tclWith(t, func(_ context.Context, call Call) (string, error) {
		calls = append(calls, call)
		fmt.Fprintln(output, "command")
		if len(call.Args) > 0 && call.Args[0] == "bad" {
			return "", errors.New("no such thing")
		}
		return "dür \U0001F600 {", nil
	})
	output, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	folder := t.TempDir()
	got, err := tcl.Eval(t.Context(), "cd {"+folder+"}; puts one; set r [do {ä b} \"\" \U0001F600 a\\u0000b]; puts -nonewline two\\n; do; puts three; set r")
	if want := "dür \U0001F600 {"; err != nil || got != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(text), "one\ncommand\ntwo\ncommand\nthree\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
	if got, want := fmt.Sprintf("%q", calls[0].Args), fmt.Sprintf("%q", []string{"ä b", "", "\U0001F600", "a\x00b"}); got != want {
		t.Errorf("arguments: got %s, want %s", got, want)
	}
	if got, _ := filepath.EvalSymlinks(calls[0].Folder); got != folder {
		t.Errorf("folder: got %q, want %q", got, folder)
	}
	if got, err := tcl.Eval(t.Context(), "catch {do bad} m; set m"); got != "no such thing" {
		t.Errorf("the error of a command: got %q, %v", got, err)
	}
}

func TestTclSaysWhereAScriptFailed(t *testing.T) {
	tcl, _ := tclWith(t, nothing)
	_, err := tcl.Eval(t.Context(), "set a 1\nset b 2\nerror {it broke}")
	var failed *ScriptError
	if !errors.As(err, &failed) || failed.Message != "it broke" || failed.Line != 3 || !strings.Contains(failed.Info, "error {it broke}") {
		t.Errorf("got %#v", err)
	}
	file := filepath.Join(t.TempDir(), "broken.tcl")
	if err := os.WriteFile(file, []byte("puts [lindex $argv 0]\nproc deep {} {\n  nosuch\n}\ndeep\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err = tcl.RunFile(t.Context(), file, []string{"an argument"})
	if !errors.As(err, &failed) || !strings.Contains(failed.Info, file+`" line 5`) {
		t.Errorf("got %#v, want an error that names line 5 of %s", err, file)
	}
	if got, err := tcl.Eval(t.Context(), "list $argc $argv [file tail $argv0]"); got != "1 {{an argument}} broken.tcl" {
		t.Errorf("arguments: got %q, %v", got, err)
	}
}

func TestErrorsOfEventsAreErrorsOfTheScript(t *testing.T) {
	tcl, name := tclWith(t, nothing)
	file := filepath.Join(t.TempDir(), "events.tcl")
	for _, test := range []struct{ script, prints string }{
		{"after 1 {error {it broke}}; after 50 {set done 1}; vwait done", "it broke\n    while executing"},
		{"proc bgerror m {puts <$m>}; after 1 {error {it broke}}; after 50 {set done 1}; vwait done", "<it broke>\n"},
	} {
		if err := os.WriteFile(file, []byte(test.script), 0o600); err != nil {
			t.Fatal(err)
		}
		err := tcl.RunFile(t.Context(), file, nil)
		var failed *ScriptError
		if !errors.As(err, &failed) || failed.Message != "it broke" {
			t.Errorf("%s: got %v", test.script, err)
		}
		if text, _ := os.ReadFile(name); !strings.Contains(string(text), test.prints) {
			t.Errorf("%s: printed %q, want %q in it", test.script, text, test.prints)
		}
	}
	if err := os.WriteFile(file, []byte("set fine 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tcl.RunFile(t.Context(), file, nil); err != nil {
		t.Errorf("the next script: got %v", err)
	}
}

func TestCancelStopsAScriptAndKeepsItsVariables(t *testing.T) {
	var tcl *Tcl
	tcl, _ = tclWith(t, func(context.Context, Call) (string, error) {
		time.AfterFunc(50*time.Millisecond, tcl.Cancel) // the script is probably in its loop by then
		return "", nil
	})
	if _, err := tcl.Eval(t.Context(), "set kept 1"); err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{
		"while 1 {}",
		"while 1 {catch {while 1 {set x 1}}}",
		"proc spin {} {while 1 {}}; spin",
		"after 100000000",
		"set forever 0; vwait forever",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		_, err := tcl.Eval(ctx, "do; "+script)
		if !errors.Is(err, ErrInterrupted) {
			t.Errorf("%s: got %v, want ErrInterrupted", script, err)
		}
		if ctx.Err() != nil {
			t.Errorf("%s: it was not stopped in a minute", script)
		}
		cancel()
		tcl.Cancel() // no script runs, and the next one must not be cancelled
		if got, err := tcl.Eval(t.Context(), "set kept"); got != "1" {
			t.Errorf("after %s: got %q, %v, want the variable", script, got, err)
		}
	}
}

func TestTclEndsByExitAndQuit(t *testing.T) {
	for _, test := range []struct {
		script string
		want   error
	}{
		{"exit", ErrExit{0}},
		{"catch {exit 3}", ErrExit{3}},
		{"catch quit; puts {not reached}", ErrQuit},
	} {
		tcl, name := tclWith(t, func(context.Context, Call) (string, error) { return "", ErrQuit })
		_, err := tcl.Eval(t.Context(), "puts before; "+test.script)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", test.script, err, test.want)
		}
		if text, _ := os.ReadFile(name); string(text) != "before\n" {
			t.Errorf("%s: printed %q", test.script, text)
		}
		if _, err := tcl.Eval(t.Context(), "expr 1"); err == nil {
			t.Errorf("%s: the interpreter is still running", test.script)
		}
	}
}

func TestTclThatDiesIsAnError(t *testing.T) {
	tcl, _ := tclWith(t, nothing)
	_, err := tcl.Eval(t.Context(), "exec kill -9 [pid]")
	if err == nil || !strings.Contains(err.Error(), "the Tcl interpreter died (signal: killed)") {
		t.Errorf("got %v, want that it was killed", err)
	}
	before := runtime.NumGoroutine()
	if _, again := tcl.Eval(t.Context(), "expr 1"); again != err {
		t.Errorf("afterwards: got %v, want %v", again, err)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines, and %d before", after, before)
	}
}

func TestEvalEndsWithItsContext(t *testing.T) {
	tcl, _ := tclWith(t, nothing)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := tcl.Eval(ctx, "while 1 {}"); !errors.Is(err, ErrInterrupted) {
		t.Errorf("got %v, want ErrInterrupted", err)
	}
}

func TestComplete_DetectsOpenConstructs(t *testing.T) {
	tcl, _ := tclWith(t, nothing)
	for script, want := range map[string]bool{
		"set a 1":      true,
		"foreach z {1": false,
		"puts \"a":     false,
		"puts [a":      false,
		"puts a\\\n":   false,
		"":             true,
	} {
		if got := tcl.Complete(script); got != want {
			t.Errorf("%q is complete: got %t, want %t", script, got, want)
		}
	}
}

func TestCancelIsNotLostOnAScriptThatHasJustBeenSent(t *testing.T) {
	tcl, _ := tclWith(t, nothing)
	for range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := tcl.Eval(ctx, "while 1 {}"); !errors.Is(err, ErrInterrupted) {
			t.Fatalf("got %v, want ErrInterrupted", err)
		}
		if got, err := tcl.Eval(t.Context(), "expr 6*7"); got != "42" {
			t.Fatalf("the next script: got %q, %v", got, err)
		}
	}
}
