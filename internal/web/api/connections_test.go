package api

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

const plantedPassword = "planted-90d1"

func TestConnectionsAreKeptByName(t *testing.T) {
	w := newWorld(t)
	w.api.Connections = w.api.Bench.ConnectionsIn(filepath.Dir(w.path))
	refused := w.call("PUT", "/connections/lab", `{"database": "pg", "values": {"host": "db1", "password": "`+plantedPassword+`"}}`, 422)
	if !strings.Contains(refused["detail"].(string), "only if you say so") {
		t.Errorf("a password without a wish: got %v", refused)
	}
	w.call("PUT", "/connections/lab", `{"database": "pg", "values": {"pg_port": "many"}}`, 422)
	w.call("PUT", "/connections/a%2Fb", `{"database": "pg", "values": {}}`, 422)
	kept := w.call("PUT", "/connections/lab", `{"database": "pg", "values": {"pg_host": "db1", "port": 1, "password": "`+plantedPassword+`"}, "keep_password": true}`, 200)
	if fmt.Sprint(kept["values"], kept["kept"]) != "map[host:db1 port:1] [password]" || kept["database"] != "postgresql" {
		t.Errorf("got %v", kept)
	}
	w.call("PUT", "/connections/lab", `{"database": "pg", "values": {"host": "127.0.0.1", "port": 1}, "keep_password": true}`, 200)
	if one := w.call("GET", "/connections/lab", "", 200); fmt.Sprint(one["kept"]) != "[password]" || one["target"] != "tpcc on 127.0.0.1:1" {
		t.Errorf("got %v, want the password kept", one)
	}
	if settings := w.call("POST", "/settings", `{"action": "run", "settings": {"connection": "lab"}}`, 200); settings["target"] != "tpcc on 127.0.0.1:1" {
		t.Errorf("got %v, want the settings of the connection", settings)
	}
	if trial := w.call("POST", "/connections/lab/test", "", 200); trial["ok"] != false || trial["failure"].(map[string]any)["class"] != "connect" {
		t.Errorf("nobody listens: got %v", trial)
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

func TestMistakesAreFoundForEachSetting(t *testing.T) {
	w := newWorld(t)
	p := w.call("POST", "/settings", `{"action": "run", "settings": {"db": "pg", "port": "many", "pg_rampup": "-1", "users": "x", "password": "`+plantedPassword+`"}}`, 422)
	var where []string
	for _, m := range p["mistakes"].([]any) {
		where = append(where, m.(map[string]any)["where"].(string))
	}
	for _, want := range []string{"body.settings.port", "body.settings.pg_rampup", "body.settings.users"} {
		if !slices.Contains(where, want) {
			t.Errorf("got mistakes in %q, want one in %s", where, want)
		}
	}
}

// A build, a preview of its deletion, and the deletion, on each sort of server.
func TestADeletionIsShownBefore(t *testing.T) {
	for _, name := range []string{"sqlite", "postgresql", "mariadb"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			settings := fmt.Sprintf(`"db": %q, "warehouses": 1, "builders": 1`, name)
			if name == "sqlite" {
				settings += fmt.Sprintf(`, "file": %q`, filepath.Join(t.TempDir(), "tpcc.sqlite"))
			} else {
				for option, value := range testserver.Open(t, name).Values() {
					settings += fmt.Sprintf(`, %q: %q`, option, value)
				}
			}
			body := fmt.Sprintf(`{"settings": {%s}}`, settings)
			gone := 404
			if name == "postgresql" {
				gone = 409 // the build makes the user, too
			}
			w.call("POST", "/settings/deletion", body, gone)
			if trial := w.call("POST", "/settings/test", body, 200); trial["ok"] != true {
				t.Errorf("before the build: got %v, want that a build could sign in", trial)
			}
			w.do(`{"action": "build", "settings": {` + settings + `}}`)
			trial := w.call("POST", "/settings/test", body, 200)
			if trial["ok"] != true || trial["data"] != "1 warehouse" || trial["round_trip_ms"].(float64) <= 0 {
				t.Errorf("after the build: got %v", trial)
			}
			d := w.call("POST", "/settings/deletion", body, 200)
			if len(d["tables"].([]any)) != 9 || d["target"] != trial["target"] || len(d["around"].([]any)) == 0 {
				t.Errorf("got %v, want nine tables and what is around them", d)
			}
			w.do(fmt.Sprintf(`{"action": "delete", "confirm": %q, "settings": {%s}}`, d["target"], settings))
			w.call("POST", "/settings/deletion", body, gone)
		})
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

func TestASetUpIsShownInFourFormsAndTakenIn(t *testing.T) {
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
