package api

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	_ "github.com/go-sql-driver/mysql"

	"sledge/internal/catalog/edition"
	"sledge/internal/engine/pool"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/runner/process"
	"sledge/internal/testserver"
)

// plantedSecret is part of each secret in the settings of these tests.
const plantedSecret = "planted-9f3c"

// Jobs of each action have a secret in every secret option: on every database, at a port without a
// listener, and on real servers. The test searches the responses, events, files, and the arguments
// and environment of workers for the secrets.
func TestSecrets_ReachTheServerAndNothingElse(t *testing.T) {
	w := newWorld(t)
	looks := &looksAtWorkers{Runner: process.Self()}
	w.api.Runner = looks
	spell := func(action job.Action, settings map[string]any) string {
		body, err := json.Marshal(map[string]any{"action": action, "settings": settings})
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	doJob := func(action job.Action, settings map[string]any, want job.Status) {
		t.Helper()
		body := spell(action, settings)
		shown := w.call("POST", "/settings", body, 200)
		w.call("POST", "/settings/check", body, 200)
		w.call("POST", "/settings/forms", body, 200)
		id := w.start(map[string]any{"action": action, "settings": settings, "confirm": shown["target"]})
		if status := w.end(id); status != want {
			t.Errorf("%s on %v: got %s, want %s: %v", action, settings["db"], status, want, w.call("GET", "/jobs/"+id, "", 200)["reason"])
		}
		for _, part := range []string{"", "/result", "/series", "/points", "/timing", "/histograms", "/plans", "/output", "/failures", "/export"} {
			w.call("GET", "/jobs/"+id+part, "", 200)
		}
		w.seen.Write(w.page("/jobs/" + id + "/report"))
		w.seen.Write(w.page("/jobs/" + id + "/export?format=csv"))
	}
	actions := []job.Action{job.Build, job.Run, job.Check, job.Delete}

	for pair := range edition.Catalog.Pairs() {
		if pair.Workload.Name != "tprocc" {
			continue
		}
		settings, secrets := map[string]any{"db": pair.Database.Name}, 0
		for _, o := range pair.Options() {
			switch {
			case o.Secret:
				settings[o.Name] = fmt.Sprintf("%s-%s", plantedSecret, o.Name)
				secrets++
			case o.Name == "host":
				settings[o.Name] = "127.0.0.1"
			case o.Name == "port":
				settings[o.Name] = testserver.FreePort(t)
			case o.Name == "service":
				settings[o.Name] = "nobody"
			}
		}
		if secrets == 0 {
			continue
		}
		for _, action := range actions {
			doJob(action, settings, job.Failed)
		}
	}

	settings := onPostgreSQL(t)
	for _, action := range actions {
		if action == job.Run {
			maps.Copy(settings, map[string]any{"rampup": "0s", "duration": "1s", "pool_file": pool.Pool{Connections: []pool.Connection{
				{Name: "one", Options: option.Values{"password": plantedSecret}}, {Name: "two"},
			}}.String()})
		}
		doJob(action, settings, job.Succeeded)
		delete(settings, "pool_file")
	}
	settings["password"] = plantedSecret + "-not"
	doJob(job.Check, settings, job.Failed) // the server refuses the password
	settings = onMariaDB(t)
	doJob(job.Run, settings, job.Failed) // the schema is missing, which is found after the login

	if looks.workers < len(actions) {
		t.Errorf("looked at %d workers, want those of the jobs that succeeded", looks.workers)
	}
	if strings.Contains(w.seen.String(), plantedSecret) {
		at := strings.Index(w.seen.String(), plantedSecret)
		t.Errorf("a response contains a secret: %.300s", w.seen.String()[max(0, at-100):])
	}
	if looks.seen.Len() == 0 || bytes.Contains(looks.seen.Bytes(), []byte(plantedSecret)) {
		t.Error("an event, or a worker's arguments or environment, contains a secret")
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(w.path), "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("got the files %q and %v", files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte(plantedSecret)) {
			t.Errorf("%s contains a secret", file)
		}
	}
}

// onPostgreSQL returns settings for a server where the owner of the schema has a planted password.
func onPostgreSQL(t *testing.T) map[string]any {
	settings := map[string]any{"db": "postgresql", "user": "planted", "dbname": "planted", "password": plantedSecret, "warehouses": 1}
	for name, value := range testserver.Open(t, "postgresql").Values() {
		settings[name] = value
	}
	return settings
}

// onMariaDB returns settings for a server with an account that has a planted password.
func onMariaDB(t *testing.T) map[string]any {
	server := testserver.Open(t, "mariadb")
	db, err := sql.Open("mysql", server.DataSource(""))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		"CREATE USER IF NOT EXISTS planted IDENTIFIED BY '" + plantedSecret + "'",
		"GRANT ALL ON *.* TO planted",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	return map[string]any{"db": "mariadb", "host": server.Host, "port": server.Port, "user": "planted", "dbname": "planted", "password": plantedSecret}
}

// looksAtWorkers is a job.Runner that runs jobs in workers. It keeps their events, results and
// errors, and what the system shows about their processes.
type looksAtWorkers struct {
	process.Runner

	mu      sync.Mutex
	seen    bytes.Buffer
	workers int
}

// Do implements job.Runner.
func (l *looksAtWorkers) Do(ctx context.Context, spec job.Spec, control job.Control) (job.Result, error) {
	looked := false
	control.Watchers = append(control.Watchers, watching(func(e job.Event) {
		l.keep(e)
		if !looked {
			looked = l.look()
		}
	}))
	result, err := l.Runner.Do(ctx, spec, control)
	l.keep(result)
	l.keep(fmt.Sprintf("%v %#v", spec, spec))
	l.keep(fmt.Sprint(err))
	return result, err
}

// keep records a value as JSON and as fmt prints it.
func (l *looksAtWorkers) keep(value any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text, _ := json.Marshal(value) // the runner has sent it as JSON
	l.seen.Write(text)
	fmt.Fprintf(&l.seen, "%+v\n", value)
}

// look reads the arguments and the environment of this process's children that are workers, and
// reports whether it found one.
func (l *looksAtWorkers) look() (found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		children, _ := os.ReadFile(list) // the thread may have ended
		for _, pid := range strings.Fields(string(children)) {
			arguments, _ := os.ReadFile("/proc/" + pid + "/cmdline")
			environment, _ := os.ReadFile("/proc/" + pid + "/environ")
			if bytes.Contains(arguments, []byte(process.Command)) && len(environment) > 0 {
				l.seen.Write(arguments)
				l.seen.Write(environment)
				l.workers, found = l.workers+1, true
			}
		}
	}
	return found
}

// watching is a function that implements job.Watcher.
type watching func(job.Event)

// Watch implements job.Watcher.
func (f watching) Watch(e job.Event) { f(e) }
