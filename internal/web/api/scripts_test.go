package api

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// scripted returns a world that allows scripts. It runs them with the shell instead of Sledge,
// because the API treats all programs alike; the tests of package scripting run Sledge itself.
func scripted(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.api.Scripting = Scripting{Folder: filepath.Join(t.TempDir(), "scripts")}
	w.api.scripts.runner.Store.Folder = w.api.Scripting.Folder
	w.api.Scripting.Program = func(arguments ...string) *exec.Cmd {
		if arguments[1] == "auto" {
			return exec.Command("sh", append([]string{"-c", `cat "$0"; echo "with $*"; echo oh >&2; exit 3`}, arguments[2:]...)...)
		}
		return exec.Command("sh", "-c", `while read line; do echo "heard $line"; done`)
	}
	w.api.scripts.runner.Command = w.api.Scripting.Program
	return w
}

func TestScripts_AreEditedAndRun(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	w := scripted(t)
	w.call("PUT", "/scripts/a.tcl", `{"text": "puts 1"}`, http.StatusOK)
	first := w.call("GET", "/scripts/a.tcl", "", http.StatusOK)
	w.call("PUT", "/scripts/a.tcl", `{"text": "puts 2", "version": "`+first["version"].(string)+`"}`, http.StatusOK)
	w.call("PUT", "/scripts/a.tcl", `{"text": "puts 3", "version": "`+first["version"].(string)+`"}`, http.StatusConflict)
	w.call("PUT", "/scripts/a.sh", `{"text": "puts 3"}`, http.StatusUnprocessableEntity)
	w.call("PUT", "/scripts/..%2F..%2Fa.tcl", `{"text": "puts 3"}`, http.StatusUnprocessableEntity)
	if list := w.call("GET", "/scripts", "", http.StatusOK); len(list["scripts"].([]any)) != 1 || list["runs"] != true {
		t.Errorf("got %v, want one script, which may run", list)
	}
	ran := w.call("POST", "/scripts/a.tcl/run", `{"arguments": ["x y"]}`, http.StatusCreated)
	id := ran["id"].(string)
	said := w.stream("/executions/" + id + "/output")
	for _, want := range []string{`"text":"puts 2`, `with x y\n"`, `"text":"oh\n","error":true`, "event: over", `"status":"failed"`, `"exit":3`} {
		if !strings.Contains(said, want) {
			t.Errorf("got %s, want %s in it", said, want)
		}
	}
	if again := w.stream("/executions/" + id + "/output?after=7"); strings.Contains(again, "puts 2") || !strings.Contains(again, `ith x y`) {
		t.Errorf("got %s, want the output after the first seven bytes", again)
	}
	w.call("GET", "/executions", "", http.StatusOK)
	w.raw("DELETE", "/scripts/a.tcl", "", http.StatusNoContent)
	w.call("POST", "/scripts/a.tcl/run", `{}`, http.StatusNotFound)
	w.call("GET", "/executions/none", "", http.StatusNotFound)
	w.call("POST", "/executions/"+id+"/input", `{"text": "x"}`, http.StatusUnprocessableEntity)
}

func TestConsole_TakesInput(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	w := scripted(t)
	opened := w.call("POST", "/executions", `{"language": "tcl", "columns": 80, "rows": 24}`, http.StatusCreated)
	at := "/executions/" + opened["id"].(string)
	w.raw("POST", at+"/input", `{"text": "hello\r"}`, http.StatusNoContent)
	w.raw("POST", at+"/size", `{"columns": 90, "rows": 20}`, http.StatusNoContent)
	w.call("POST", at+"/size", `{"columns": 1, "rows": 20}`, http.StatusUnprocessableEntity)
	w.raw("POST", at+"/input", `{"text": "\u0004"}`, http.StatusNoContent)
	if said := w.stream(at + "/output"); !strings.Contains(said, `heard hello`) || !strings.Contains(said, `"status":"done"`) {
		t.Errorf("got %s, want the typed text and the end", said)
	}
	w.call("POST", at+"/input", `{"text": "x"}`, http.StatusConflict)
	for range 8 {
		opened = w.call("POST", "/executions", `{"language": "python", "columns": 80, "rows": 24}`, http.StatusCreated)
	}
	w.call("POST", "/executions", `{"language": "tcl", "columns": 80, "rows": 24}`, http.StatusTooManyRequests)
	w.call("POST", "/executions/"+opened["id"].(string)+"/stop", "", http.StatusAccepted)
}

func TestScripts_CannotBeChangedIfTheyMayNotRun(t *testing.T) {
	w := newWorld(t)
	w.api.Scripting.Why = "none runs here"
	for _, asked := range [][3]string{
		{"PUT", "/scripts/a.tcl", `{"text": "x"}`},
		{"DELETE", "/scripts/a.tcl", ""},
		{"POST", "/scripts/a.tcl/run", `{}`},
		{"POST", "/executions", `{"language": "tcl", "columns": 80, "rows": 24}`},
	} {
		if answer := w.call(asked[0], asked[1], asked[2], http.StatusForbidden); answer["detail"] != "none runs here" {
			t.Errorf("%s %s: got %v, want the reason", asked[0], asked[1], answer)
		}
	}
}

func TestConsole_ListsItsWords(t *testing.T) {
	w := newWorld(t)
	words := fmt.Sprint(w.call("GET", "/console/words", "", http.StatusOK))
	for _, want := range []string{"vurun", "pg_count_ware", "keepalive_margin", "TPROC-H", "rampup"} {
		if !strings.Contains(words, want) {
			t.Errorf("%s is not among the words", want)
		}
	}
	if text := w.call("GET", "/console/driver?database=pg&workload=tprocc", "", http.StatusOK)["text"].(string); !strings.Contains(text, "set sledge_script 1") {
		t.Errorf("got %s, want a driver script", text)
	}
}

// stream reads a stream of events to its end.
func (w *world) stream(path string) string {
	w.Helper()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, w.url+Prefix+path, nil)
	if err != nil {
		w.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.Fatal(err)
	}
	defer response.Body.Close()
	var all strings.Builder
	if _, err := io.Copy(&all, response.Body); err != nil {
		w.Fatal(err)
	}
	return all.String()
}

func TestActive_NamesScript(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	w := scripted(t)
	w.api.scripts.runner.Command = func(...string) *exec.Cmd {
		return exec.Command("sh", "-c", "trap exit INT; while true; do sleep 0.1; done")
	}
	if got := w.api.Active(); len(got) > 0 {
		t.Errorf("got %q, want nothing", got)
	}
	w.call("PUT", "/scripts/nightly.tcl", `{"text": "puts 1"}`, http.StatusOK)
	w.call("POST", "/scripts/nightly.tcl/run", `{}`, http.StatusCreated)
	if got := w.api.Active(); !slices.Equal(got, []string{"script nightly.tcl"}) {
		t.Errorf("got %q, want the script", got)
	}
}
