//go:build browser

package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/testserver"
)

// planted returns a password that identifies the place where it was given.
func planted(place string) string { return "planted-" + place + "-5b1e" }

// plantedEverywhere is a part of each planted password.
const plantedEverywhere = "-5b1e"

// TestNoPasswordComesBack enters a different password in every place that accepts one, in jobs that
// succeed and jobs that fail, and searches for the passwords in all output and files of the
// program.
func TestNoPasswordComesBack(t *testing.T) {
	t.Parallel()
	server := testserver.Open(t, "postgresql")
	s := newSite(t)
	s.more = []string{"SLEDGE_PASSWORD=" + planted("environment"), "PGPASSWORD=" + planted("client")}
	config := filepath.Join(s.folder, "sledge.toml")
	if err := os.WriteFile(config, []byte(fmt.Sprintf("superuser_password = %q\n", server.Password)), 0o600); err != nil {
		t.Fatal(err)
	}
	s.given = append(s.given, "--config", config)
	ci := s.as("ci", "act")
	s.start()

	// The request's passwords work: the build creates the user with it.
	of := settings{"db": "pg", "host": server.Host, "port": server.Port, "superuser": server.Superuser, "user": "secretive", "dbname": "secretive", "password": planted("request")}
	build := ci.begin("build", of)
	if got := ci.finish(build); got != "succeeded" {
		t.Fatalf("the build ended as %s", got)
	}
	run := settings{"users": 1, "rampup": "0s", "duration": "1s"}
	for name, value := range of {
		run[name] = value
	}
	good := ci.begin("run", run, facts{"note": "with the usual password", "labels": map[string]string{"ticket": "4711"}})
	ended := []string{ci.finish(good)}

	// All other passwords are wrong, so that servers and drivers return errors about them.
	wrong := func(without ...string) settings {
		other := settings{}
		for name, value := range run {
			other[name] = value
		}
		for _, name := range without {
			delete(other, name)
		}
		return other
	}
	ended = append(ended, ci.finish(ci.begin("run", wrong("password")))) // with the password from the environment
	file := filepath.Join(s.folder, "given.txt")
	if err := os.WriteFile(file, []byte(planted("file")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	byFile := wrong("password")
	byFile["password_file"] = file
	if status, answer := ci.send("POST", "/jobs", facts{"action": "run", "settings": byFile}); status != http.StatusUnprocessableEntity {
		t.Errorf("a file with a password was read for a request: %d %s", status, answer)
	}
	if got := strings.Join(ended, " "); got != "succeeded failed" && got != "invalid failed" {
		t.Errorf("the runs ended as %s", got)
	}

	// Requests without a job: settings to check, and invalid requests.
	ci.wants(http.StatusOK, "POST", "/settings", facts{"action": "run", "settings": run}, nil)
	for _, body := range []any{
		facts{"action": "run", "settings": settings{"db": "pg", "password": []string{planted("shape")}}},
		facts{"action": "run", "settings": settings{"db": "pg", "port": "many", "password": planted("refused")}},
		facts{"action": "run", "settings": settings{"db": "pg", "pasword": planted("misspelt")}},
		facts{"action": "run", "settings": settings{"url": "postgres://me:" + url.PathEscape(planted("url")) + "@127.0.0.1:1/x?nosuch=1"}},
		facts{"action": "run", "settings": settings{"db": "postgres://me:" + planted("url-as-name") + "@127.0.0.1:1/x"}},
	} {
		for _, path := range []string{"/settings", "/jobs"} {
			if status, answer := ci.send("POST", path, body); status < 400 || status >= 500 {
				t.Errorf("POST %s %v: got %d %s", path, body, status, answer)
			}
		}
	}

	fails := func(arguments ...string) { ci.said.WriteString(s.try(arguments...)) }

	// A connection that is saved with its password, as requested, and one that is not.
	keep := facts{"database": "pg", "keep_password": true, "values": settings{"host": server.Host, "port": fmt.Sprint(server.Port), "user": "secretive", "dbname": "secretive", "password": planted("kept")}}
	ci.wants(http.StatusOK, "PUT", "/connections/lab", keep, nil)
	keep["keep_password"] = false
	if status, answer := ci.send("PUT", "/connections/other", keep); status < 400 || status >= 500 {
		t.Errorf("a password was kept without a request: %d %s", status, answer)
	}
	ci.wants(http.StatusOK, "POST", "/connections/lab/test", nil, nil)
	ci.wants(http.StatusOK, "POST", "/settings/test", facts{"settings": wrong()}, nil)
	if got := ci.finish(ci.begin("run", settings{"connection": "lab", "users": 1, "rampup": "0s", "duration": "1s"})); got != "failed" {
		t.Errorf("a run with a wrong password ended as %s", got)
	}
	fails("connections", "list")
	fails("connections", "test", "lab")
	fails("run", "--connection", "lab", "--dry-run")

	// The other front ends, on the same repository.
	at := []string{"--host", server.Host, "--port", fmt.Sprint(server.Port), "--users", "1", "--rampup", "0s", "--duration", "1s"}
	fails(append([]string{"run", "--db", "pg", "--user", "secretive", "--dbname", "secretive", "--set", "password=" + planted("set")}, at...)...)
	fails("run", "--url", fmt.Sprintf("postgres://secretive:%s@%s:%d/secretive", planted("flag-url"), server.Host, server.Port), "--users", "1", "--rampup", "0s", "--duration", "1s")
	fails("run", "--url", "postgres://secretive:"+planted("broken-url")+"@127.0.0.1:x/secretive")
	script := filepath.Join(s.folder, "script.tcl")
	if err := os.WriteFile(script, []byte(fmt.Sprintf("dbset db pg\ndiset connection pg_host %s\ndiset connection pg_port %d\ndiset tpcc pg_user secretive\ndiset tpcc pg_dbase secretive\ndiset tpcc pg_pass %s\nprint dict\nloadscript\nvuset vu 1\nvucreate\nvurun\nvudestroy\n",
		server.Host, server.Port, planted("script"))), 0o600); err != nil {
		t.Fatal(err)
	}
	fails("console", "auto", script)

	// Addresses that only users who may act can read.
	for _, path := range []string{"/server", "/web/users", "/defaults", "/console/settings"} {
		ci.wants(http.StatusOK, "GET", path, nil, nil)
	}
	fails("defaults", "--config", config)

	all := s.jobs()
	if len(all) < 6 {
		t.Errorf("got %d jobs, want those of the API, of the command line and of the script", len(all))
	}
	looker := s.as("looker", "look")
	for _, path := range readable(t, looker, all) {
		looker.send("GET", path, nil)
	}
	for _, id := range all {
		for _, verb := range [][]string{{"jobs", "show", id}, {"jobs", "export", id}, {"jobs", "report", id, "--output", filepath.Join(s.folder, id+".html")}} {
			looker.said.WriteString(s.try(verb...))
		}
	}
	looker.said.WriteString(s.try(append([]string{"jobs", "compare"}, all[:2]...)...))
	// The reports exist, so the search below has something to search.
	report, err := os.ReadFile(filepath.Join(s.folder, good+".html"))
	if err != nil || !strings.Contains(string(report), "secretive") || !strings.Contains(string(report), "with the usual password") {
		t.Errorf("the report of a run, of %d bytes, does not show what was given: %v", len(report), err)
	}
	if said := looker.said.String(); strings.Count(said, "<!doctype html>") < len(all) {
		t.Error("the API gave fewer reports than there are jobs")
	}
	s.interrupt()
	s.wait(patience)

	for what, text := range map[string]string{"an answer to a user who may act": ci.said.String(), "an answer to a user who may look": looker.said.String(), "what sledge web printed": s.errors.String()} {
		if found := around(text, plantedEverywhere); found != "" {
			t.Errorf("%s has a password: %s", what, found)
		}
	}
	given := map[string]bool{config: true, file: true, script: true}
	err = filepath.WalkDir(s.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || given[path] {
			return err
		}
		text, err := os.ReadFile(path)
		// Files in which the user chose to save a password, readable only by the user.
		wished := map[string]string{"settings.db": planted("script"), "connections.json": planted("kept")}[filepath.Base(path)]
		if wished != "" {
			if info, err := entry.Info(); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("others may read %s (%v)", path, err)
			}
			text = bytes.ReplaceAll(text, []byte(wished), nil)
		}
		found := around(string(text), plantedEverywhere)
		if found != "" {
			t.Errorf("%s has a password: %q", path, found)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// readable lists every address of the API that can be read, for each of some jobs.
func readable(t *testing.T, c *caller, jobs []string) (paths []string) {
	t.Helper()
	var described struct {
		Paths map[string]map[string]json.RawMessage
	}
	c.wants(http.StatusOK, "GET", "/openapi.json", nil, &described)
	for path, methods := range described.Paths {
		if methods["get"] == nil {
			continue
		}
		if !strings.Contains(path, "{id}") {
			paths = append(paths, strings.ReplaceAll(path, "{number}", "1"))
			continue
		}
		for _, id := range jobs {
			paths = append(paths, strings.ReplaceAll(path, "{id}", id))
		}
	}
	if len(paths) < 10 {
		t.Fatalf("got the addresses %q", paths)
	}
	return paths
}

// around returns the context of what in text, or "" if text does not contain it.
func around(text, what string) string {
	at := strings.Index(text, what)
	if at < 0 {
		return ""
	}
	return text[max(0, at-100):min(len(text), at+100)]
}
