package settings_test

import (
	"maps"
	"strings"
	"testing"

	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
)

// A user who may start jobs can choose a server. Passwords of other sources must not be sent to it.
func TestResolve_SendsPasswordsOnlyToTheServersOfTheirSources(t *testing.T) {
	folder := t.TempDir()
	kept := resolver.ConnectionsIn(folder)
	for name, values := range map[string]option.Values{
		"lab":  {"host": "lab1", "password": "kept"},
		"mine": {"host": "mine"},
	} {
		if _, err := kept.Put(settings.Connection{Name: name, Database: "pg", Values: values}, true, false); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name    string
		environ string
		given   map[string]string
		want    string // the password that is sent
	}{
		{"the server of the environment", "SLEDGE_PG_HOST=lab1 SLEDGE_PG_PASS=planted", map[string]string{"db": "pg"}, "planted"},
		{"the same, named", "SLEDGE_PG_HOST=lab1 SLEDGE_PG_PASS=planted", map[string]string{"db": "pg", "host": "lab1"}, "planted"},
		{"another account", "SLEDGE_PG_HOST=lab1 SLEDGE_PG_PASS=planted", map[string]string{"db": "pg", "user": "other"}, "planted"},
		{"another server", "SLEDGE_PG_HOST=lab1 SLEDGE_PG_PASS=planted", map[string]string{"db": "pg", "host": "mine"}, ""},
		{"another port", "SLEDGE_PG_PASS=planted", map[string]string{"db": "pg", "pg_port": "7"}, ""},
		{"another server with its password", "SLEDGE_PG_PASS=planted", map[string]string{"db": "pg", "host": "mine", "password": "own"}, "own"},
		{"a saved connection", "", map[string]string{"connection": "lab"}, "kept"},
		{"its password for another server", "", map[string]string{"connection": "lab", "host": "mine"}, ""},
		{"another source's password for a connection", "SLEDGE_PG_PASS=planted", map[string]string{"connection": "mine"}, ""},
		{"a client's password for another server", "PGPASSWORD=planted", map[string]string{"db": "pg", "host": "mine"}, ""},
	} {
		s := settings.Sources{Environ: strings.Fields(test.environ), Given: test.given, GivenBy: "the request", Connections: kept, Fallbacks: []string{"password", "superuser_password"}}
		s.Guarded = true
		order, err := resolver.Resolve(job.Run, s)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if got := order.Spec.Values()["password"]; test.want != "" && got != test.want {
			t.Errorf("%s: got the password %q, want %q", test.name, got, test.want)
		}
		for _, value := range order.Spec.Values() {
			if test.want != value && (value == "planted" || value == "kept") {
				t.Errorf("%s: the password %q is sent", test.name, value)
			}
		}
		if withheld := strings.Contains(strings.Join(order.Warnings, "\n"), "is not used, because"); withheld && test.want != "" {
			t.Errorf("%s: got the warnings %q", test.name, order.Warnings)
		}
	}
	s := settings.Sources{Environ: []string{"SLEDGE_PG_PASS=planted"}, Given: map[string]string{"db": "pg", "host": "db1"}, GivenBy: "the request"}
	if order, err := resolver.Resolve(job.Run, s); err != nil || order.Spec.Values()["password"] != "planted" {
		t.Errorf("unguarded: got %v and %q, want the password of the environment", err, order.Spec.Values()["password"])
	}
}

// If the server of a connection changes, Put does not keep its saved password.
func TestPut_RefusesASavedPasswordForAnotherServer(t *testing.T) {
	kept := resolver.ConnectionsIn(t.TempDir())
	values := option.Values{"host": "lab1", "password": "kept"}
	put := func(changes option.Values, guarded bool) error {
		changed := maps.Clone(values)
		delete(changed, "password")
		maps.Copy(changed, changes)
		_, err := kept.Put(settings.Connection{Name: "lab", Database: "pg", Values: changed}, true, guarded)
		return err
	}
	if err := put(values, true); err != nil {
		t.Fatal(err)
	}
	if err := put(option.Values{"user": "other"}, true); err != nil {
		t.Errorf("another account: %v", err)
	}
	if err := put(option.Values{"host": "mine"}, true); job.ExitOf(err) != job.ExitUsage || !strings.Contains(err.Error(), "is for another server") {
		t.Errorf("another server: got %v", err)
	}
	if one, err := kept.Get("lab"); err != nil || one.Values["host"] != "lab1" || one.Values["password"] != "kept" {
		t.Errorf("after that: got %v and %v", one.Values, err)
	}
	if err := put(option.Values{"host": "mine", "password": "own"}, true); err != nil {
		t.Errorf("with its password: %v", err)
	}
	if err := put(option.Values{"host": "lab2"}, false); err != nil {
		t.Errorf("unguarded: %v", err)
	}
}
