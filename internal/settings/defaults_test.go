package settings_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/settings"
)

func TestDefaults_NameTheirSourceAndNoPassword(t *testing.T) {
	config := write(t, "sledge.toml", "users = 16\n[options]\nhost = 'db1'\npg_rampup = 2\nmaria_port = 3307\npassword = 'planted'\nsuperuser_password_file = 'secret.txt'\n")
	list, warnings, err := resolver.Defaults(settings.Sources{
		ConfigFile: config,
		Environ:    []string{"SLEDGE_RAMPUP=5", "SLEDGE_PG_HOST=db2", "SLEDGE_PG_PASS=planted", "SLEDGE_WAREHOSES=1", "SLEDGE_USERS=", "HOME=/"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range list {
		from := strings.ReplaceAll(s.From, config, "FILE")
		got = append(got, fmt.Sprintf("%s (%s) = %q %t from %s, beaten by %q", s.Name, s.Option, s.Value, s.Secret, from, s.BeatenBy))
	}
	want := []string{
		`host (host) = "db1" false from line 3 of FILE, beaten by ""`, // SLEDGE_PG_HOST wins for one database only
		`maria_port (port) = "3307" false from line 5 of FILE, beaten by ""`,
		`password (password) = "" true from line 6 of FILE, beaten by ""`,
		`pg_rampup (rampup) = "2" false from line 4 of FILE, beaten by "SLEDGE_RAMPUP"`,
		`superuser_password_file (superuser_password) = "secret.txt" false from line 7 of FILE, beaten by ""`,
		`users (users) = "16" false from line 1 of FILE, beaten by ""`,
		`pg_host (host) = "db2" false from SLEDGE_PG_HOST, beaten by ""`,
		`pg_pass (password) = "" true from SLEDGE_PG_PASS, beaten by ""`,
		`rampup (rampup) = "5" false from SLEDGE_RAMPUP, beaten by ""`,
	}
	if got, want := strings.Join(got, "\n"), strings.Join(want, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], "SLEDGE_WAREHOSES") {
		t.Errorf("got the warnings %q, want one about the misspelt variable", warnings)
	}
}

func TestDefaults_KeepTheEnvironmentIfTheFileIsUnreadable(t *testing.T) {
	config := write(t, "sledge.toml", "password = planted\n")
	list, _, err := resolver.Defaults(settings.Sources{ConfigFile: config, Environ: []string{"SLEDGE_USERS=4"}})
	if err == nil || !strings.Contains(err.Error(), "line 1") || strings.Contains(err.Error(), "planted") {
		t.Errorf("got the error %v, want one that names the line without quoting it", err)
	}
	if len(list) != 1 || list[0].Name != "users" || list[0].Value != "4" {
		t.Errorf("got %+v, want the number of users", list)
	}
}

func TestLocations_SayWhetherTheyAreUsed(t *testing.T) {
	folder := t.TempDir()
	jobs := filepath.Join(folder, "jobs.db")
	environ := []string{"SLEDGE_REPO=" + filepath.Join(folder, "other", "..", "jobs.db"), "SLEDGE_CONFIG=" + filepath.Join(folder, "a.toml"), "SLEDGE_PASSWORD=planted"}
	got := fmt.Sprint(settings.Locations(environ, jobs, "", settings.ConsoleSettings(environ, jobs)))
	if want := fmt.Sprintf("[{SLEDGE_CONFIG %s the configuration file false} {SLEDGE_REPO %s the job repository true}]", environ[1][len("SLEDGE_CONFIG="):], environ[0][len("SLEDGE_REPO="):]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := settings.ConsoleSettings(nil, ":memory:"); got != "" {
		t.Errorf("got the settings file %q beside a repository in memory, want none", got)
	}
}
