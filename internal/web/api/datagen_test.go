package api

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/control/tasks"
	"sledge/internal/datagen"
)

// filed gives a world a folder for files of rows.
func filed(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.api.DataFolder = filepath.Join(t.TempDir(), "datagen")
	return w
}

// small is the request body for files that are written quickly, and large is one for files that
// take minutes.
const (
	small = `{"folder": "rows", "settings": {"db": "pg", "workload": "tproch", "scale": 0.01}, "format": "csv", "header": true, "workers": 2%s}`
	large = `{"folder": %q, "settings": {"workload": "tprocc", "warehouses": 2000}, "workers": 2}`
)

// reports reads the messages about a task until it is over, or until each returns false.
func (w *world) reports(id, after string, each func(datagen.Report) bool) (last datagen.Report) {
	w.Helper()
	request, err := http.NewRequestWithContext(w.Context(), http.MethodGet, w.url+Prefix+"/datagen/"+id+"/events", nil)
	if err != nil {
		w.Fatal(err)
	}
	if after != "" {
		request.URL.RawQuery = "after=" + after
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		w.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		raw, is := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !is {
			continue
		}
		w.validate("#/components/schemas/datagen.Report", raw)
		last = datagen.Report{}
		if err := json.Unmarshal(raw, &last); err != nil {
			w.Fatal(err)
		}
		if last.Ended != nil || !each(last) {
			return last
		}
	}
	w.Fatalf("the stream about %s ended before the task did: %+v", id, last)
	return last
}

// generate starts to write files and returns the ID of the task.
func (w *world) generate(body string) string {
	w.Helper()
	return w.call("POST", "/datagen", body, http.StatusCreated)["id"].(string)
}

func TestDatagen_WritesAndVerifiesFiles(t *testing.T) {
	w := filed(t)
	folder := filepath.Join(w.api.DataFolder, "rows")
	outline := w.call("POST", "/datagen/outline", fmt.Sprintf(small, ""), http.StatusOK)
	if tables := outline["tables"].([]any); len(tables) != 8 || outline["rows"].(float64) < 80000 {
		t.Errorf("got the outline %v, want eight tables and their rows", outline)
	}
	if _, err := os.Stat(folder); err == nil {
		t.Fatal("an outline created the folder")
	}
	id := w.generate(fmt.Sprintf(small, ""))
	done := w.reports(id, "", func(datagen.Report) bool { return true })
	if done.Status != tasks.Done || done.Written == nil || done.Written.Rows < 80000 || len(done.Written.Scripts) != 3 {
		t.Fatalf("got %+v, want rows and the scripts that load them", done)
	}
	for _, table := range done.Progress.Tables {
		if !table.Ready || table.Done == 0 {
			t.Errorf("got %+v, want each table complete", table)
		}
	}
	page := w.call("GET", "/datagen/"+id+"/files?from=2&limit=3", "", http.StatusOK)
	if int(page["all"].(float64)) != done.Written.Files || len(page["files"].([]any)) != 3 {
		t.Errorf("got %v, want three of %d files", page, done.Written.Files)
	}
	one := page["files"].([]any)[0].(map[string]any)
	text, err := os.ReadFile(filepath.Join(folder, one["name"].(string)))
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != one["sha256"] || int(one["bytes"].(float64)) != len(text) {
		t.Errorf("got %v of a file with %d bytes and SHA-256 %x", one, len(text), sum)
	}

	w.verify("rows", tasks.Done, 0)
	manifest, err := os.ReadFile(filepath.Join(folder, datagen.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/datagen", "/datagen/outline"} {
		if refused := w.call("POST", path, fmt.Sprintf(small, ""), http.StatusConflict); refused["option"] != "overwrite" {
			t.Errorf("%s: got %v, want a refusal because files exist", path, refused)
		}
	}
	if now, err := os.ReadFile(filepath.Join(folder, datagen.ManifestName)); err != nil || !bytes.Equal(now, manifest) {
		t.Errorf("the existing files have changed, or %v", err)
	}
	if err := os.Truncate(filepath.Join(folder, one["name"].(string)), 7); err != nil {
		t.Fatal(err)
	}
	w.verify("rows", tasks.Failed, 1)
	if again := w.call("POST", "/datagen/outline", fmt.Sprintf(small, `, "overwrite": true`), http.StatusOK); again["replaced"].(float64) < 9 {
		t.Errorf("got %v, want the number of files that would be replaced", again)
	}
	w.reports(w.generate(fmt.Sprintf(small, `, "overwrite": true`)), "", func(datagen.Report) bool { return true })
	w.verify(folder, tasks.Done, 0) // the absolute path, as reports contain it
	if list := w.call("GET", "/datagen", "", http.StatusOK); len(list["tasks"].([]any)) != 5 || list["anywhere"] != false {
		t.Errorf("got %v, want five tasks", list)
	}
}

// verify compares a folder with its manifest.
func (w *world) verify(folder string, want tasks.Status, differing int) {
	w.Helper()
	id := w.call("POST", "/datagen/verify", `{"folder": "`+folder+`"}`, http.StatusCreated)["id"].(string)
	got := w.reports(id, "", func(datagen.Report) bool { return true })
	if got.Status != want || got.Differing != differing || len(got.Differences) != differing {
		w.Errorf("verify: got %+v, want %s and %d files that differ", got, want, differing)
	}
}

func TestDatagen_StoppedTaskLeavesNothing(t *testing.T) {
	w := filed(t)
	id := w.generate(fmt.Sprintf(large, "rows"))
	w.call("POST", "/datagen", fmt.Sprintf(strings.Replace(large, `"workers"`, `"overwrite": true, "workers"`, 1), "rows"), http.StatusConflict)
	var seen datagen.Report
	w.reports(id, "", func(r datagen.Report) bool {
		seen = r
		return r.Progress == nil || r.Progress.Rate == 0 || r.Progress.Left == nil
	})
	if len(seen.Progress.Tables) != 9 || seen.Progress.Done == 0 {
		t.Errorf("got %+v, want the progress of nine tables", seen.Progress)
	}
	w.call("POST", "/datagen/"+id+"/stop", "", http.StatusAccepted)
	if end := w.reports(id, "3", func(datagen.Report) bool { return true }); end.Status != tasks.Stopped || end.Reason != "stopped: no file was left behind" {
		t.Errorf("got %+v, want a stopped task", end)
	}
	w.call("POST", "/datagen/"+id+"/stop", "", http.StatusConflict)
	if left, err := os.ReadDir(w.api.DataFolder); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want no files", left, err)
	}
}

func TestDatagen_EndsWithTheServer(t *testing.T) {
	w := filed(t)
	var ids []string
	for i := range datagen.MaxTasks {
		ids = append(ids, w.generate(fmt.Sprintf(large, fmt.Sprint("rows", i))))
	}
	w.call("POST", "/datagen", fmt.Sprintf(large, "more"), http.StatusTooManyRequests)
	w.api.Interrupt()
	w.api.Wait()
	for _, id := range ids {
		if got := w.call("GET", "/datagen/"+id, "", http.StatusOK); got["status"] != "stopped" {
			t.Errorf("got %v, want a stopped task", got)
		}
	}
	w.call("POST", "/datagen", fmt.Sprintf(large, "more"), http.StatusServiceUnavailable)
	if left, err := os.ReadDir(w.api.DataFolder); err != nil || len(left) > 0 {
		t.Errorf("got %v, %v, want no files", left, err)
	}
}

func TestDatagen_FindsMistakesBeforeWriting(t *testing.T) {
	w := filed(t)
	other := t.TempDir()
	for _, tt := range []struct{ folder, more, option string }{
		{"", "", "folder"},
		{"../rows", "", "folder"},
		{"a/b", "", "folder"},
		{filepath.Join(other, "rows"), "", "folder"},
		{"rows", `, "workers": -1`, "workers"},
		{"rows", `, "workers": 2, "parts": 3`, "parts"},
		{"rows", `, "parts": -1`, "parts"},
		{"rows", `, "header": true`, "header"},
		{"rows", `, "compress": "snappy"`, "compress"},
		{"rows", `, "format": "orc"`, ""},
	} {
		folder, err := json.Marshal(tt.folder)
		if err != nil {
			t.Fatal(err)
		}
		body := `{"folder": ` + string(folder) + `, "settings": {"db": "pg", "warehouses": 2}` + tt.more + `}`
		for _, path := range []string{"/datagen", "/datagen/outline"} {
			refused := w.call("POST", path, body, http.StatusUnprocessableEntity)
			if got, _ := refused["option"].(string); got != tt.option {
				t.Errorf("%s %s: got %v, want an error in %q", path, body, refused, tt.option)
			}
		}
	}
	refused := w.call("POST", "/datagen", `{"folder": "rows", "settings": {"warehouses": "none"}}`, http.StatusUnprocessableEntity)
	if refused["option"] != "warehouses" {
		t.Errorf("got %v, want an error in warehouses", refused)
	}
	w.call("POST", "/datagen/verify", `{"folder": "rows"}`, http.StatusNotFound)
	w.call("GET", "/datagen/nosuchtask22", "", http.StatusNotFound)
	for _, folder := range []string{w.api.DataFolder, other} {
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("got %v, %v in %s, want nothing", left, err, folder)
		}
	}
}

// noProgram is a Scripting.Program for tests that run no script.
func noProgram(...string) *exec.Cmd { return nil }

func TestDatagen_WritesAnywhereIfScriptsMayRun(t *testing.T) {
	w := filed(t)
	w.api.Scripting.Program = noProgram
	folder := filepath.Join(t.TempDir(), "rows")
	body := strings.Replace(fmt.Sprintf(small, ""), `"rows"`, fmt.Sprintf("%q", folder), 1)
	if done := w.reports(w.generate(body), "", func(datagen.Report) bool { return true }); done.Status != tasks.Done || done.Folder != folder {
		t.Errorf("got %+v, want files in %s", done, folder)
	}
	if list := w.call("GET", "/datagen", "", http.StatusOK); list["anywhere"] != true {
		t.Errorf("got %v, want any folder allowed", list)
	}
}

func TestDatagen_ListsOptionsOfFiles(t *testing.T) {
	w := filed(t)
	for path, want := range map[string]string{"": "warehouses", "?workload=tproch": "scale_factor", "?workload=tproch&database=pg": "scale_factor"} {
		got := w.call("GET", "/datagen/options"+path, "", http.StatusOK)
		if first := got["options"].([]any)[0].(map[string]any); first["name"] != want {
			t.Errorf("%s: got %v first, want %s", path, first, want)
		}
	}
	w.call("GET", "/datagen/options?workload=none", "", http.StatusUnprocessableEntity)
}
