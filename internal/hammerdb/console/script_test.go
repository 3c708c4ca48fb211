package console

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSaveScriptWritesNoHiddenFile(t *testing.T) {
	folder := t.TempDir()
	c, out := newConsole(t, "")
	call(t, c, "loadscript")
	for _, name := range []string{folder + string(filepath.Separator), filepath.Join(folder, ".tcl"), ".tcl"} {
		out.Reset()
		call(t, c, "savescript "+name)
		want := "Error: " + name + " names no file: add the script's name, such as " + filepath.Join(filepath.Dir(name), "script.tcl") + "\n"
		if out.String() != want {
			t.Errorf("got %q, want %q", out, want)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("got %v and %v, want no files", left, err)
	}
	call(t, c, "savescript "+filepath.Join(folder, "own"))
	if _, err := os.Stat(filepath.Join(folder, "own.tcl")); err != nil {
		t.Error(err)
	}
}

func TestGenerationDirectory_DefaultsToTheTemporaryOne(t *testing.T) {
	temporary := t.TempDir()
	var out bytes.Buffer
	c, err := New(Config{Resolver: resolver, Out: &out, Environ: []string{"TMP=" + temporary}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	call(t, c, "dgset directory "+t.TempDir())
	out.Reset()
	call(t, c, "dgset directory {}")
	if want := "Set directory to " + temporary + " for data generation\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	if got := c.book.Generic(datagenSection, "gen_directory"); got != "" {
		t.Errorf("got gen_directory %q, want none", got)
	}
	out.Reset()
	call(t, c, "dgset compress maybe")
	if want := `"maybe" is not one of 0, 1, false, true, no, yes, off, on`; !strings.Contains(out.String(), want) {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// asynchronousScript is a short script in the form that HammerDB saves for asynchronous clients.
const asynchronousScript = `set library Pgtcl
set total_iterations 500
set KEYANDTHINK "true"
set rampup 1
set duration 2
set async_client 20
set async_verbose "false"
set async_delay 250
proc client { clientname } {
for {set it 0} {$it < $total_iterations} {incr it} {
    set choice [ RandomNumber 1 2 ]
    if {$choice <= 1} {
        if { $async_verbose } { puts "$clientname:w_id:$w_id:neword" }
        async_keytime 18 $clientname neword $async_verbose
        neword $lda $w_id $w_id_input $RAISEERROR $clientname
        async_thinktime 12 $clientname neword $async_verbose
    } elseif {$choice <= 2} {
        payment $lda $w_id $w_id_input $RAISEERROR $clientname
    }
} }
`

func TestForeignScript_OfAsynchronousClientsIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "async.tcl")
	if err := os.WriteFile(path, []byte(asynchronousScript), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	runner := &specRecorder{}
	c, err := New(Config{Resolver: resolver, Out: &out, Runner: runner})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	call(t, c, "giset commandline jobs_disable 1")
	call(t, c, "customscript "+path)
	call(t, c, "print script")
	for _, want := range []string{
		"Loaded " + path + "\n",
		"\nset async_scale true\n", "\nset async_client 20\n", "\nset async_delay 250\n", "\nset mix(new_order) 1\n", "\nset keying_time(new_order) 18\n", "\nset think_time(new_order) 12\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwant %q in it", &out, want)
		}
	}
	call(t, c, "vurun")
	if len(runner.specs) != 1 || runner.specs[0].Options["async_scale"] != "true" || runner.specs[0].Options["async_clients"] != "20" || runner.specs[0].Options["async_delay"] != "250" {
		t.Errorf("got runs of %v, want one with 20 asynchronous clients that log in 250 ms apart, in\n%s", runner.specs, &out)
	}
}

func TestCustomscript_WarnsOfExposedPassword(t *testing.T) {
	for _, tt := range []struct {
		mode     os.FileMode
		password string
		want     int
	}{{0o600, "secret", 0}, {0o644, "secret", 1}, {0o644, "", 0}} {
		path := filepath.Join(t.TempDir(), "async.tcl")
		text := strings.Replace(asynchronousScript, "set rampup", "set password \""+tt.password+"\" ;# password\nset rampup", 1)
		if err := os.WriteFile(path, []byte(text), tt.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, tt.mode); err != nil {
			t.Fatal(err)
		}
		c, out := newConsole(t, "")
		call(t, c, "customscript "+path)
		if got := strings.Count(out.String(), "Warning: others can read "+path+", which holds a password: chmod 600 "+path); got != tt.want || !strings.Contains(out.String(), "Loaded "+path) {
			t.Errorf("mode %o, password %q: got %d warnings in %q, want %d", tt.mode, tt.password, got, out, tt.want)
		}
	}
}
