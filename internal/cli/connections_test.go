package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sledge/internal/document"
	"sledge/internal/job"
	"sledge/internal/testserver"
)

func TestConnections_AreSavedWithoutPasswords(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(filepath.Dir(w.repository), "connections.json")
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("planted-7f3a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := w.run("connections", "add", "lab", "--db", "pg", "--host", "db1", "--port", "many"); code != job.ExitUsage || !strings.Contains(w.err.String(), "port") {
		t.Errorf("a wrong port: got exit code %d and %s", code, &w.err)
	}
	if code := w.run("connections", "add", "lab", "--db", "pg", "--password-file", secret); code != job.ExitUsage || !strings.Contains(w.err.String(), "only on request") {
		t.Errorf("a password: got exit code %d and %s", code, &w.err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a refused connection left a file")
	}
	if code := w.run("connections", "add", "lab", "--db", "pg", "--host", "db1", "--port", "5433"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v and %v, want a file of mode 0600", info, err)
	}
	if code := w.run("connections", "add", "lab", "--db", "maria"); code != job.ExitExists {
		t.Errorf("a second connection of that name: got exit code %d", code)
	}
	if code := w.run("connections", "add", "lab", "--db", "pg", "--host", "db2", "--password-file", secret, "--keep-password", "--replace"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	for _, args := range [][]string{{"list"}, {"list", "--json"}, {"show", "lab"}, {"show", "lab", "--json"}} {
		if code := w.run(append([]string{"connections"}, args...)...); code != job.OK || strings.Contains(w.out.String(), "planted") || !strings.Contains(w.out.String(), "db2") {
			t.Errorf("%q: got exit code %d and %s", args, code, &w.out)
		}
	}
	if code := w.run("connections", "remove", "lba"); code != job.ExitMissing || !strings.Contains(w.err.String(), "did you mean lab?") {
		t.Errorf("an unknown connection: got exit code %d and %s", code, &w.err)
	}
	if code := w.run("connections", "remove", "lab"); code != job.OK {
		t.Errorf("got exit code %d: %s", code, &w.err)
	}
	w.run("connections", "list", "--json")
	if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "planted") {
		t.Errorf("got %s and %v, want no password of a removed connection", text, err)
	}
}

// A setting in a source wins over the saved connection that the same source names, and the
// connection wins over weaker sources.
func TestConnection_IsAsStrongAsItsSource(t *testing.T) {
	w := newWorld(t)
	w.run("connections", "add", "lab", "--db", "pg", "--host", "kept", "--port", "1001", "--user", "kept")
	settings := func(args ...string) document.Settings {
		t.Helper()
		if code := w.run(append(args, "--dry-run", "--json")...); code != job.OK {
			t.Fatalf("%q: got exit code %d: %s", args, code, &w.err)
		}
		var d document.Settings
		if err := json.Unmarshal(w.out.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		return d
	}
	of := func(d document.Settings, name string) string {
		for _, s := range d.Settings {
			if s.Name == name {
				return s.Value + " of " + s.Origin
			}
		}
		return ""
	}
	for _, test := range []struct {
		environ          []string
		args             []string
		host, port, user string
	}{
		{nil, []string{"--connection", "lab"}, "kept of connection lab", "1001 of connection lab", "kept of connection lab"},
		{nil, []string{"--connection", "lab", "--port", "1002"}, "kept of connection lab", "1002 of --port", "kept of connection lab"},
		{[]string{"SLEDGE_PG_HOST=weaker"}, []string{"--connection", "lab"}, "kept of connection lab", "1001 of connection lab", "kept of connection lab"},
		{[]string{"SLEDGE_CONNECTION=lab", "SLEDGE_PG_HOST=own"}, nil, "own of SLEDGE_PG_HOST", "1001 of connection lab", "kept of connection lab"},
	} {
		restore := w.as(test.environ...)
		d := settings(append([]string{"run"}, test.args...)...)
		restore()
		if d.Database != "postgresql" || of(d, "host") != test.host || of(d, "port") != test.port || of(d, "user") != test.user {
			t.Errorf("%q %q: got %s, %s, %s of %s", test.environ, test.args, of(d, "host"), of(d, "port"), of(d, "user"), d.Database)
		}
	}
	if code := w.run("run", "--connection", "lab", "--db", "maria", "--dry-run"); code != job.ExitUsage || !strings.Contains(w.err.String(), "leave out one") {
		t.Errorf("another database: got exit code %d and %s", code, &w.err)
	}
}

func TestConnectionsTest_ReportsTheServer(t *testing.T) {
	for _, name := range []string{"postgresql", "mariadb"} {
		t.Run(name, func(t *testing.T) {
			server := testserver.Open(t, name)
			w, _ := withServer(t)
			args := []string{"connections", "add", "lab", "--db", name, "--keep-password"}
			for option, value := range server.Values() {
				args = append(args, "--set", option+"="+value)
			}
			if code := w.run(args...); code != job.OK {
				t.Fatalf("got exit code %d: %s", code, &w.err)
			}
			if code := w.run("connections", "test", "lab", "--json"); code != job.OK {
				t.Fatalf("got exit code %d: %s %s", code, &w.err, &w.out)
			}
			var d document.Trial
			if err := json.Unmarshal(w.out.Bytes(), &d); err != nil {
				t.Fatal(err)
			}
			if !d.OK || d.Server == "" || d.RoundTrip <= 0 || d.Durability == nil || len(d.Lacking) > 0 || len(d.Remarks) < 3 {
				t.Errorf("got %s", &w.out)
			}
			if code := w.run("connections", "test", "lab", "--port", "1"); code != job.ExitConnect || !strings.Contains(w.out.String(), "✗ ") {
				t.Errorf("no server listens: got exit code %d, %s and %s", code, &w.out, &w.err)
			}
		})
	}
}

func TestConnectionsTest_ReportsAMissingFile(t *testing.T) {
	w, home := withServer(t)
	path := filepath.Join(home, "new.sqlite")
	if code := w.run("connections", "test", "--db", "sqlite", "--dbname", path); code != job.OK || !strings.Contains(w.out.String(), "a build makes it") {
		t.Errorf("got exit code %d, %s and %s", code, &w.out, &w.err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the connection test created the file")
	}
}
