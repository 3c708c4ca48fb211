package api

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

const plantedPassword = "planted-90d1"

func TestConnections_AreSavedByName(t *testing.T) {
	w := newWorld(t)
	w.api.Connections = w.api.Resolver.ConnectionsIn(filepath.Dir(w.path))
	refused := w.call("PUT", "/connections/lab", `{"database": "pg", "values": {"host": "db1", "password": "`+plantedPassword+`"}}`, 422)
	if !strings.Contains(refused["detail"].(string), "saved only on request") {
		t.Errorf("a password without keep_password: got %v", refused)
	}
	w.call("PUT", "/connections/lab", `{"database": "pg", "values": {"pg_port": "many"}}`, 422)
	w.call("PUT", "/connections/a%2Fb", `{"database": "pg", "values": {}}`, 422)
	kept := w.call("PUT", "/connections/lab", `{"database": "pg", "values": {"pg_host": "db1", "port": 1, "password": "`+plantedPassword+`"}, "keep_password": true}`, 200)
	if fmt.Sprint(kept["values"], kept["kept"]) != "map[host:db1 port:1] [password]" || kept["database"] != "postgresql" {
		t.Errorf("got %v", kept)
	}
	moved := w.call("PUT", "/connections/lab", `{"database": "pg", "values": {"host": "127.0.0.1", "port": 1}, "keep_password": true}`, 422)
	if !strings.Contains(moved["detail"].(string), "is for another server") {
		t.Errorf("got %v, want an error that the saved password is for another server", moved)
	}
	w.call("PUT", "/connections/lab", `{"database": "pg", "values": {"host": "127.0.0.1", "port": 1, "password": "`+plantedPassword+`"}, "keep_password": true}`, 200)
	w.call("PUT", "/connections/lab", `{"database": "pg", "values": {"host": "127.0.0.1", "port": 1, "user": "ann"}, "keep_password": true}`, 200)
	if one := w.call("GET", "/connections/lab", "", 200); fmt.Sprint(one["kept"]) != "[password]" || one["target"] != "tpcc on 127.0.0.1:1" {
		t.Errorf("got %v, want a saved password", one)
	}
	if settings := w.call("POST", "/settings", `{"action": "run", "settings": {"connection": "lab"}}`, 200); settings["target"] != "tpcc on 127.0.0.1:1" {
		t.Errorf("got %v, want the settings of the connection", settings)
	}
	led := w.call("POST", "/settings", `{"action": "run", "settings": {"connection": "lab", "port": 2}}`, 200)
	if !strings.Contains(fmt.Sprint(led["warnings"]), "the request sets port, which may lead to another server") {
		t.Errorf("got %v, want a warning that the password of the connection is not used", led["warnings"])
	}
	if trial := w.call("POST", "/connections/lab/test", "", 200); trial["ok"] != false || trial["state"] != "unreachable" || trial["failure"].(map[string]any)["class"] != "connect" {
		t.Errorf("no server listens: got %v", trial)
	}
	if list := w.call("GET", "/connections", "", 200)["connections"].([]any); len(list) != 1 {
		t.Errorf("got %v", list)
	}
	w.raw("DELETE", "/connections/lab", "", 204)
	w.call("GET", "/connections/lab", "", 404)
	w.call("POST", "/connections/lab/test", "", 404)
	w.call("DELETE", "/connections/lab", "", 404)
	if strings.Contains(w.seen.String(), plantedPassword) {
		t.Error("a password came back")
	}
}

func TestSettings_ReportMistakesOfEachSetting(t *testing.T) {
	w := newWorld(t)
	body := `{"action": "run", "settings": {"db": "pg", "port": "many", "pg_rampup": "-1", "users": "x", "password": "` + plantedPassword + `"}}`
	// A mistake in a form has status 200.
	for path, status := range map[string]int{"/settings": 422, "/settings/check": 200} {
		p := w.call("POST", path, body, status)
		var where []string
		for _, m := range p["mistakes"].([]any) {
			where = append(where, m.(map[string]any)["where"].(string))
		}
		for _, want := range []string{"body.settings.port", "body.settings.pg_rampup", "body.settings.users"} {
			if !slices.Contains(where, want) {
				t.Errorf("%s: got mistakes in %q, want one in %s", path, where, want)
			}
		}
	}
}

// Users of the API may lack access to the files of this machine. A password from a file would go to
// any server that the request names.
func TestSettings_ReadNoFilesForARequest(t *testing.T) {
	w := newWorld(t)
	there := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(there, []byte(plantedPassword), 0o600); err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, file := range []string{there, there + ".not"} {
		for _, name := range []string{"password_file", "pg_pass_file"} {
			for _, path := range []string{"/settings", "/settings/test", "/settings/deletion", "/settings/forms", "/jobs", "/sequences"} {
				body := fmt.Sprintf(`{"settings": {"db": "pg", "port": 1, %q: %q}`, name, file)
				if path != "/settings/test" && path != "/settings/deletion" {
					body += `, "action": "run"`
				}
				refused := w.call("POST", path, body+"}", 422)["detail"].(string)
				said = append(said, strings.NewReplacer(name, "NAME_file", strings.TrimSuffix(name, "_file"), "NAME").Replace(refused))
			}
		}
	}
	if said = slices.Compact(said); len(said) != 1 {
		t.Errorf("got %q, which reveals whether a file exists", said)
	}
}

func TestForm_ReturnsSettingsOrMistakes(t *testing.T) {
	w := newWorld(t)
	fine := w.call("POST", "/settings/check", `{"action": "run", "settings": {"db": "sqlite", "users": "1,2"}}`, 200)
	if len(fine["mistakes"].([]any)) != 0 || fmt.Sprint(fine["settings"].(map[string]any)["users"]) != "[1 2]" {
		t.Errorf("got %v, want two numbers of users and no mistake", fine)
	}
	for body, want := range map[string]string{
		`{"action": "run", "settings": {}}`:                        "body.settings.db",
		`{"action": "run", "settings": {"db": "pg", "prot": 1}}`:   "body.settings.prot",
		`{"action": "run", "settings": {"connection": "missing"}}`: "body.settings.connection",
	} {
		wrong := w.call("POST", "/settings/check", body, 200)
		list := wrong["mistakes"].([]any)
		if len(list) != 1 || list[0].(map[string]any)["where"] != want || list[0].(map[string]any)["message"] == "" || wrong["settings"] != nil {
			t.Errorf("%s: got %v, want a mistake at %q", body, wrong, want)
		}
	}
	// A malformed form is a problem, as in other operations.
	w.call("POST", "/settings/check", `{"action": "sing", "settings": {}}`, 422)
}

// This test builds a schema, previews its deletion, and deletes it, on each kind of server.
func TestDeletion_IsPreviewed(t *testing.T) {
	for _, name := range []string{"sqlite", "postgresql", "mariadb"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			settings := fmt.Sprintf(`"db": %q, "workload": "tproch", "scale": 0.01, "builders": 1`, name)
			if name == "sqlite" {
				settings += fmt.Sprintf(`, "file": %q`, filepath.Join(t.TempDir(), "tpcc.sqlite"))
			} else {
				for option, value := range testserver.Open(t, name).Values() {
					settings += fmt.Sprintf(`, %q: %q`, option, value)
				}
			}
			body := fmt.Sprintf(`{"settings": {%s}}`, settings)
			const gone = 404
			w.call("POST", "/settings/deletion", body, gone)
			if trial := w.call("POST", "/settings/test", body, 200); trial["ok"] != true || trial["state"] != "no_database" {
				t.Errorf("before the build: got %v, want a build that can log in", trial)
			}
			w.do(`{"action": "build", "settings": {` + settings + `}}`)
			trial := w.call("POST", "/settings/test", body, 200)
			if trial["ok"] != true || trial["state"] != "ready" || trial["data"] != "scale factor 0.01" || trial["round_trip_ms"].(float64) <= 0 {
				t.Errorf("after the build: got %v", trial)
			}
			d := w.call("POST", "/settings/deletion", body, 200)
			if len(d["tables"].([]any)) != 8 || d["target"] != trial["target"] || len(d["around"].([]any)) == 0 {
				t.Errorf("got %v, want eight tables and the objects around them", d)
			}
			w.do(fmt.Sprintf(`{"action": "delete", "confirm": %q, "settings": {%s}}`, d["target"], settings))
			w.call("POST", "/settings/deletion", body, gone)
		})
	}
}

// A connection test tells apart what a user has to do: start the server, correct the password, create
// the database, build the schema, or finish its build. A run that fails for the same reason says so.
func TestTrial_TellsStatesApart(t *testing.T) {
	w := newWorld(t)
	server := testserver.Open(t, "postgresql")
	execute := asAdmin(t, w, server)
	execute("CREATE ROLE sledge_states LOGIN PASSWORD '"+plantedPassword+"'", "CREATE DATABASE sledge_states OWNER sledge_states")
	defer execute("DROP DATABASE sledge_states", "DROP ROLE sledge_states")
	file := filepath.Join(t.TempDir(), "text.sqlite")
	if err := os.WriteFile(file, []byte(strings.Repeat("not a database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf(`"db": "pg", "host": %q, "ssl_mode": "disable", "superuser_password": "wrong"`, server.Host)
	for _, test := range []struct {
		settings, state, option string
		ok                      bool
	}{
		{address + `, "port": 1`, "unreachable", "", false},
		{fmt.Sprintf(`%s, "port": %d, "user": "sledge_states", "dbname": "sledge_states", "password": "wrong"`, address, server.Port), "refused", "password", false},
		{fmt.Sprintf(`%s, "port": %d, "user": "sledge_states", "dbname": "sledge_nowhere", "password": %q`, address, server.Port, plantedPassword), "no_database", "", false},
		{fmt.Sprintf(`%s, "port": %d, "user": "sledge_states", "dbname": "sledge_states", "password": %q`, address, server.Port, plantedPassword), "no_schema", "", true},
		{fmt.Sprintf(`"db": "sqlite", "file": %q`, filepath.Dir(file)), "unusable", "file", false},
	} {
		trial := w.call("POST", "/settings/test", `{"settings": {`+test.settings+`}}`, 200)
		if got, _ := trial["option"].(string); trial["state"] != test.state || got != test.option || trial["ok"] != test.ok {
			t.Errorf("%s: got %v, want the state %s and the option %q", test.settings, trial, test.state, test.option)
		}
		started := w.call("POST", "/jobs", `{"action": "run", "settings": {`+test.settings+`, "duration": "1s"}}`, 201)
		w.api.Wait()
		j := w.call("GET", "/jobs/"+started["id"].(string), "", 200)
		want := map[string]any{"kind": test.state}
		if test.state == "unusable" {
			want["kind"] = "option"
		}
		if test.option != "" {
			want["option"] = test.option
		}
		if j["status"] != "failed" || fmt.Sprint(j["cause"]) != fmt.Sprint(want) {
			t.Errorf("%s: got a job that is %v because of %v: %v, want %v", test.settings, j["status"], j["cause"], j["reason"], want)
		}
	}
	if strings.Contains(w.seen.String(), plantedPassword) {
		t.Error("a password came back")
	}
}

// do starts a job and waits until it has succeeded.
func (w *world) do(body string) {
	w.Helper()
	started := w.call("POST", "/jobs", body, 201)
	w.api.Wait()
	if j := w.call("GET", "/jobs/"+started["id"].(string), "", 200); j["status"] != "succeeded" {
		w.Fatalf("%s: got %v: %v", body, j["status"], j["reason"])
	}
}

func TestForms_ShowAndReadSettings(t *testing.T) {
	w := newWorld(t)
	shown := w.call("POST", "/settings/forms", `{"action": "run", "settings": {"db": "pg", "host": "db1", "users": "1,2", "password": "`+plantedPassword+`"}}`, 200)
	var names []string
	for _, one := range shown["forms"].([]any) {
		form := one.(map[string]any)
		names = append(names, form["name"].(string))
		if text := form["text"].(string); !strings.Contains(text, "db1") || !strings.Contains(text, "SLEDGE_PG_PASS") {
			t.Errorf("got %s", text)
		}
		if form["name"] == "command" {
			continue
		}
		body, err := json.Marshal(map[string]any{"text": form["text"]})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.call("POST", "/settings/read", string(body), 200)["settings"].(map[string]any); got["host"] != "db1" || got["users"] != "1,2" {
			t.Errorf("%s: got %v", form["name"], got)
		}
	}
	if !slices.Equal(names, []string{"command", "toml", "tcl", "python"}) {
		t.Errorf("got the forms %q", names)
	}
	w.call("POST", "/settings/read", `{"text": "a = = b"}`, 422)
	if strings.Contains(w.seen.String(), plantedPassword) {
		t.Error("a password came back")
	}
}

// If a server refuses the default password, a sequence of runs tries the passwords that psql would
// use, as a single run does.
func TestSequence_SignsInLikeARun(t *testing.T) {
	w := newWorld(t)
	server := testserver.Open(t, "postgresql")
	execute := asAdmin(t, w, server)
	execute("CREATE ROLE sledge_sequence LOGIN PASSWORD '"+plantedPassword+"'", "CREATE DATABASE sledge_sequence OWNER sledge_sequence")
	defer execute("DROP DATABASE sledge_sequence", "DROP ROLE sledge_sequence")
	w.api.Environ = []string{"PGPASSWORD=" + plantedPassword}
	w.api.Scripting.Program = noProgram // so that users with the role act may use the files of the server's account
	body := fmt.Sprintf(`{"action": "run", "settings": {"db": "pg", "host": %q, "port": %d, "user": "sledge_sequence", "dbname": "sledge_sequence", "ssl_mode": "disable", "users": "1,2"}}`, server.Host, server.Port)
	w.call("POST", "/sequences", body, 201)
	w.api.Wait()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		one := w.call("GET", "/sequences", "", 200)["sequences"].([]any)[0].(map[string]any)
		if one["state"] == "running" && time.Now().Before(deadline) {
			continue
		}
		if reason, _ := one["reason"].(string); one["state"] != "failed" || strings.Contains(reason, "password") {
			t.Errorf("got %v, want a login and a missing schema", one)
		}
		break
	}
	if strings.Contains(w.seen.String(), plantedPassword) {
		t.Error("a password came back")
	}
}

// asAdmin returns a function that executes statements on a PostgreSQL server as its administrator.
func asAdmin(t *testing.T, w *world, server *testserver.Server) func(statements ...string) {
	t.Helper()
	d, err := w.api.Resolver.Database("postgresql")
	if err != nil {
		t.Fatal(err)
	}
	options := d.Options.New(database.Use{Name: "tpcc"})
	if err := option.Bind(nil, server.Values(), options); err != nil {
		t.Fatal(err)
	}
	admin, err := d.Sessions.Connect(t.Context(), options, database.Admin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { admin.Close() })
	return func(statements ...string) {
		t.Helper()
		for _, statement := range statements {
			if err := admin.Exec(context.Background(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	}
}
