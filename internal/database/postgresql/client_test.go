package postgresql

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/option"
)

// inHome writes a file that only its owner can read.
func inHome(t *testing.T, home, name, text string) string {
	t.Helper()
	path := filepath.Join(home, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// found returns the client settings as text, with HOME in place of the folder of the files.
func found(t *testing.T, home string, environ map[string]string, given option.Values) (settings []string, warnings []string, err error) {
	t.Helper()
	list, warnings, err := clientSettings(database.Surroundings{Variable: func(name string) string {
		if name == "HOME" {
			return home
		}
		return environ[name]
	}}, database.Use{Name: "tpcc"}, given)
	for _, s := range list {
		text := fmt.Sprintf("%s=%s from %s", s.Option, s.Value, strings.ReplaceAll(s.Origin, home, "HOME"))
		if s.Fallback {
			text += ", fallback"
		}
		settings = append(settings, text)
	}
	slices.Sort(settings)
	return settings, warnings, err
}

func TestClientSettings(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the files are in other folders on Windows")
	}
	const passwords = "# a comment\n" +
		"db1:5432:tpcc:tpcc:owner\n" +
		"*:*:*:postgres:adm\\:in\n" +
		"localhost:6000:*:*:socket\n"
	const services = "[lab]\nhost=db7\nport=7777\nuser=dba\npassword=service\nsslmode=require\n"
	tests := []struct {
		name    string
		environ map[string]string
		given   option.Values
		want    []string
	}{
		{"nothing but a password file", nil, nil, []string{"superuser_password=adm:in from HOME/.pgpass"}},
		{
			"the server's address",
			map[string]string{"PGHOST": "db1", "PGSSLMODE": "require", "PGSSLROOTCERT": "/ca"},
			nil,
			[]string{
				"host=db1 from PGHOST", "password=owner from HOME/.pgpass", "ssl_ca=/ca from PGSSLROOTCERT",
				"ssl_mode=require from PGSSLMODE", "superuser_password=adm:in from HOME/.pgpass",
			},
		},
		{
			"an address, whose name is in the password file",
			map[string]string{"PGHOST": "db1", "PGHOSTADDR": "10.0.0.1"},
			nil,
			[]string{"host=10.0.0.1 from PGHOSTADDR", "password=owner from HOME/.pgpass", "superuser_password=adm:in from HOME/.pgpass"},
		},
		{
			"given options choose the line",
			map[string]string{"PGPORT": "1"},
			option.Values{"host": "db1", "port": "5432"},
			[]string{"password=owner from HOME/.pgpass", "superuser_password=adm:in from HOME/.pgpass"},
		},
		{
			"a socket is localhost",
			map[string]string{"PGPORT": "6000"},
			option.Values{"host": "/run/postgresql", "superuser_password": "x"},
			[]string{"password=socket from HOME/.pgpass", "port=6000 from PGPORT"},
		},
		{
			"a password without PGUSER",
			map[string]string{"PGPASSWORD": "p", "PGPASSFILE": "/nosuch"},
			nil,
			[]string{"password=p from PGPASSWORD, fallback", "superuser_password=p from PGPASSWORD"},
		},
		{
			"an administrator",
			map[string]string{"PGUSER": "dba", "PGPASSWORD": "p", "PGDATABASE": "defaultdb", "PGPASSFILE": "/nosuch"},
			nil,
			[]string{"superuser=dba from PGUSER", "superuser_dbname=defaultdb from PGDATABASE", "superuser_password=p from PGPASSWORD"},
		},
		{
			"the owner",
			map[string]string{"PGUSER": "tpcc", "PGPASSWORD": "p", "PGDATABASE": "tpcc", "PGPASSFILE": "/nosuch"},
			nil,
			[]string{"password=p from PGPASSWORD"},
		},
		{
			"an owner with another name",
			map[string]string{"PGUSER": "load", "PGPASSWORD": "p", "PGPASSFILE": "/nosuch"},
			option.Values{"user": "load"},
			[]string{"password=p from PGPASSWORD"},
		},
		{
			"one account for all",
			map[string]string{"PGPASSWORD": "p", "PGPASSFILE": "/nosuch"},
			option.Values{"user": "postgres"},
			[]string{"password=p from PGPASSWORD", "superuser_password=p from PGPASSWORD"},
		},
		{
			"no superuser",
			map[string]string{"PGPASSWORD": "p", "PGPASSFILE": "/nosuch"},
			option.Values{"no_superuser": "yes", "superuser_password": "x"},
			[]string{"password=p from PGPASSWORD"},
		},
		{
			"passwords that were given", map[string]string{"PGPASSWORD": "p"}, option.Values{"password": "a", "superuser_password": "b"}, nil,
		},
		{
			"a service overrides variables",
			map[string]string{"PGSERVICE": "lab", "PGHOST": "db1", "PGSSLCERT": "/c", "PGPASSFILE": "/nosuch"},
			nil,
			[]string{
				"host=db7 from service lab of HOME/.pg_service.conf", "port=7777 from service lab of HOME/.pg_service.conf",
				"ssl_cert=/c from PGSSLCERT", "ssl_mode=require from service lab of HOME/.pg_service.conf",
				"superuser=dba from service lab of HOME/.pg_service.conf", "superuser_password=service from service lab of HOME/.pg_service.conf",
			},
		},
		{"an address", map[string]string{"PGHOSTADDR": "10.0.0.1", "PGPASSFILE": "/dev/null"}, nil, []string{"host=10.0.0.1 from PGHOSTADDR"}},
		{"a name and an address", map[string]string{"PGHOST": "db1", "PGHOSTADDR": "10.0.0.1", "PGPASSFILE": "/dev/null"}, nil, []string{"host=10.0.0.1 from PGHOSTADDR"}},
	}
	home := t.TempDir()
	inHome(t, home, ".pgpass", passwords)
	inHome(t, home, ".pg_service.conf", services)
	for _, test := range tests {
		got, warnings, err := found(t, home, test.environ, test.given)
		if err != nil || len(warnings) > 0 || !slices.Equal(got, test.want) {
			t.Errorf("%s: got\n%s\nwarnings %q and error %v, want\n%s", test.name, strings.Join(got, "\n"), warnings, err, strings.Join(test.want, "\n"))
		}
	}
	if _, _, err := found(t, home, map[string]string{"PGSERVICE": "nosuch"}, nil); err == nil || !strings.Contains(err.Error(), `PGSERVICE names the service "nosuch"`) {
		t.Errorf("a missing service: got error %v", err)
	}
}

// Like libpq, Sledge ignores a password that other users can read.
func TestClientSettings_IgnoreExposedPasswordFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes on Windows")
	}
	for mode, want := range map[os.FileMode]int{0o600: 0, 0o400: 0, 0o640: 1, 0o604: 1, 0o666: 1} {
		home := t.TempDir()
		path := inHome(t, home, ".pgpass", "*:*:*:*:s3cret\n")
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		got, warnings, err := found(t, home, nil, nil)
		if err != nil || len(warnings) != want || (len(got) == 0) != (want == 1) {
			t.Errorf("%o: got %q, warnings %q and error %v", mode, got, warnings, err)
		}
		if text := strings.Join(warnings, ""); strings.Contains(text, "s3cret") || want == 1 && !strings.Contains(text, "chmod 600 "+path) {
			t.Errorf("%o: got the warning %q", mode, text)
		}
	}
}
