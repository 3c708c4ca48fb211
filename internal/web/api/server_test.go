package api

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sledge/internal/job"
	"sledge/internal/repository/repositorytest"
)

func TestServer_ShowsItsConfiguration(t *testing.T) {
	w := newWorld(t)
	w.api.Version = "v1.2.3"
	w.api.Scripting.Why = "none runs here"
	w.api.Serving = func() Serving {
		return Serving{Address: "127.0.0.1:8080", Hostnames: []string{}, Proxies: []string{}, TLS: &Certificate{Names: []string{"localhost"}, Until: time.Unix(0, 0)}}
	}
	if version := w.call("GET", "/version", "", 200); version["version"] != "v1.2.3" || !strings.Contains(fmt.Sprint(version["databases"]), "postgresql") {
		t.Errorf("got %v", version)
	}
	if _, err := repositorytest.Day(t.Context(), w.api.Store, job.Spec{Action: job.Run, Database: "sqlite", Workload: "tprocc"}, 3); err != nil {
		t.Fatal(err)
	}
	server := w.call("GET", "/server", "", 200)
	repository := server["repository"].(map[string]any)
	if repository["path"] != w.path || repository["jobs"] != 1.0 || repository["bytes"].(float64) < 4096 {
		t.Errorf("got %v, want the repository %s with one job", repository, w.path)
	}
	if scripting := server["scripting"].(map[string]any); scripting["runs"] != false || scripting["why"] != "none runs here" {
		t.Errorf("got %v", scripting)
	}
	if serving := server["serving"].(map[string]any); serving["address"] != "127.0.0.1:8080" {
		t.Errorf("got %v", serving)
	}
	w.api.Users = func() (Users, error) {
		return Users{[]User{{Name: "ann", Role: "act", By: "password"}}, []Command{{"Add", "sledge web user add NAME"}}}, nil
	}
	if users := fmt.Sprint(w.call("GET", "/web/users", "", 200)["users"]); !strings.Contains(users, "ann") {
		t.Errorf("got %s", users)
	}
}

func TestDefaults_AreShownWithoutPasswords(t *testing.T) {
	w := newWorld(t)
	config := filepath.Join(t.TempDir(), "sledge.toml")
	write := func(text string) {
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("users = 3\npassword = '" + plantedPassword + "'\n")
	w.api.ConfigFile = config
	w.api.Environ = []string{"SLEDGE_USERS=4", "SLEDGE_PG_PASS=" + plantedPassword, "SLEDGE_CONFIG=" + config}
	shown := w.call("GET", "/defaults", "", 200)
	for _, want := range []string{"beaten_by:SLEDGE_USERS", "from:line 1 of " + config, "secret:true", "used:true", "config_file:" + config, "repository:" + w.path} {
		if !strings.Contains(fmt.Sprint(shown), want) {
			t.Errorf("got %v, want %s in it", shown, want)
		}
	}
	write("password = " + plantedPassword + "\n")
	if broken := w.call("GET", "/defaults", "", 200); !strings.Contains(fmt.Sprint(broken["problem"]), "line 1") || len(broken["settings"].([]any)) != 2 {
		t.Errorf("got %v, want the error in the file and the settings of the environment", broken)
	}
	if said := w.seen.String(); strings.Contains(said, plantedPassword) {
		t.Errorf("got a password in %s", said)
	}
}

func TestConsoleSettings_AreSavedIfScriptsMayRun(t *testing.T) {
	w := newWorld(t)
	w.api.Scripting.Why = "none runs here"
	const eight = `{"dictionary": "generic", "section": "virtual_user_options", "key": "virtual_users", "value": "8"}`
	if refused := w.call("PUT", "/console/settings", eight, 403); refused["detail"] != "none runs here" {
		t.Errorf("got %v, want the reason", refused)
	}
	w = scripted(t)
	var noted []string
	w.api.Note = func(_ context.Context, what string) { noted = append(noted, what) }
	if said := w.call("PUT", "/console/settings", eight, 200); said["line"] != "Changed virtual_user_options:virtual_users from 1 to 8 for generic" {
		t.Errorf("got %v, want the console's line", said)
	}
	w.call("PUT", "/console/settings", `{"dictionary": "postgresql", "section": "tpcc", "key": "pg_pass", "value": "`+plantedPassword+`"}`, 200)
	w.call("PUT", "/console/settings", `{"dictionary": "postgresql", "section": "tpcc", "key": "pg_count_ware", "value": "many"}`, 422)
	w.call("PUT", "/console/settings", `{"dictionary": "nosuch", "section": "tpcc", "key": "pg_count_ware", "value": "1"}`, 422)
	if !slices.Equal(noted, []string{"set generic virtual_user_options virtual_users", "set postgresql tpcc pg_pass"}) {
		t.Errorf("the audit log got %q, want the names of the changed settings without their values", noted)
	}
	kept := w.call("GET", "/console/settings", "", 200)
	first := kept["dictionaries"].([]any)[0].(map[string]any)
	if first["name"] != "generic" || first["command"] != "giset" || first["changed"] != 1.0 {
		t.Errorf("got %.300v, want one generic setting changed", first)
	}
	if kept["file"] != filepath.Join(filepath.Dir(w.path), "settings.db") {
		t.Errorf("got the file %v", kept["file"])
	}
	if said := w.seen.String(); strings.Contains(said, plantedPassword) {
		t.Error("got a password")
	}
}
