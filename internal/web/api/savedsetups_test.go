package api

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/repository"
)

func TestSavedSetups_AreSettingsWithoutPasswords(t *testing.T) {
	w := newWorld(t)
	w.api.Connections = w.api.Resolver.ConnectionsIn(filepath.Dir(w.path))
	w.api.Environ = []string{"SLEDGE_PG_PASS=" + plantedPassword, "SLEDGE_RAMPUP=9s"}
	w.call("PUT", "/connections/lab", `{"database": "pg", "values": {"host": "db1", "password": "`+plantedPassword+`"}, "keep_password": true}`, 200)
	for _, settings := range []string{
		`{"db": "pg", "password": "` + plantedPassword + `"}`,
		`{"db": "pg", "pg_pass": "` + plantedPassword + `"}`,
		`{"db": "pg", "pool": "{\"connections\": [{\"name\": \"c1\", \"options\": {\"password\": \"` + plantedPassword + `\"}}]}"}`,
	} {
		p := w.call("POST", "/setups", `{"name": "x", "action": "run", "settings": `+settings+`}`, 422)
		if !strings.Contains(fmt.Sprint(p["detail"]), "without passwords") {
			t.Errorf("%.30s: got %v, want that a set-up is saved without passwords", settings, p["detail"])
		}
	}
	w.call("POST", "/setups", `{"name": "x", "action": "run", "settings": {"db": "pg", "port": "many"}}`, 422)
	w.call("POST", "/setups", `{"name": "x", "action": "delete", "settings": {"db": "pg"}}`, 422)
	w.call("POST", "/setups", `{"name": "", "action": "run", "settings": {"db": "pg"}}`, 422)

	one := w.call("POST", "/setups", `{"name": "<i>nightly</i>", "action": "run", "settings": {"connection": "lab", "users": "1,2", "pg_count_ware": 5, "load_time": "now"}}`, 201)
	if got := fmt.Sprint(one["settings"]); !strings.Contains(got, "connection:lab db:postgresql") || !strings.Contains(got, "users:1,2 warehouses:5 workload:tprocc") || strings.Contains(got, "rampup") {
		t.Errorf("got %s, want the settings of the request by their own names", got)
	}
	at := fmt.Sprint("/setups/", one["id"])
	w.call("POST", "/setups", `{"name": "<I>NIGHTLY</I>", "action": "run", "settings": {"db": "pg"}}`, 409)
	renamed := w.call("PATCH", at, `{"name": "nightly"}`, 200)
	if fmt.Sprint(renamed["settings"]) != fmt.Sprint(one["settings"]) || renamed["name"] != "nightly" {
		t.Errorf("got %v, want only another name", renamed)
	}
	w.call("PATCH", at, `{"settings": {"connection": "lab", "password": "`+plantedPassword+`"}}`, 422)
	w.call("PATCH", at, `{"settings": {"db": "sqlite", "dbname": "x.sqlite"}}`, 200)
	list := w.call("GET", "/setups", "", 200)["setups"].([]any)
	if len(list) != 1 || fmt.Sprint(list[0].(map[string]any)["database"]) != "sqlite" {
		t.Errorf("got %v", list)
	}
	w.raw("DELETE", at, "", 204)
	w.call("GET", at, "", 404)
	w.call("PATCH", at, `{"name": "x"}`, 404)
	w.call("DELETE", at, "", 404)
	if strings.Contains(w.seen.String(), plantedPassword) {
		t.Error("a password came back")
	}
}

func TestSavedSetups_ListFast(t *testing.T) {
	w := newWorld(t)
	for n := range 200 {
		one := repository.Setup{Name: fmt.Sprintf("set-up %d %s", n, strings.Repeat("<b>", 25)), Action: job.Run, Settings: option.Values{"db": "postgresql", "workload": "tprocc", "host": strings.Repeat("x", 4000)}}
		if _, err := w.api.Store.AddSetup(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	begun := time.Now()
	answer := w.raw("GET", "/setups", "", 200)
	t.Logf("200 set-ups: %d bytes in %s", len(answer), time.Since(begun))
	if len(answer) > 128<<10 {
		t.Errorf("got %d bytes, want no settings in the list", len(answer))
	}
}
