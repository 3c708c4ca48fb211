package mysql_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/database/mariadb"
	"sledge/internal/database/mysql"
	"sledge/internal/option"
)

func TestClientSettings(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the files are in other folders on Windows")
	}
	tests := []struct {
		name    string
		files   map[string]string // by path in a folder with etc and home
		environ map[string]string
		given   option.Values
		want    []string
	}{
		{"variables", nil, map[string]string{"MYSQL_HOST": "h", "MYSQL_TCP_PORT": "1", "MYSQL_PWD": "p"}, nil, []string{"host=h from MYSQL_HOST", "password=p from MYSQL_PWD", "port=1 from MYSQL_TCP_PORT"}},
		{"a socket", nil, map[string]string{"MYSQL_UNIX_PORT": "/s"}, nil, []string{"socket=/s from MYSQL_UNIX_PORT"}},
		{"a socket yields to a port", nil, map[string]string{"MYSQL_UNIX_PORT": "/s", "MYSQL_TCP_PORT": "1"}, nil, []string{"port=1 from MYSQL_TCP_PORT"}},
		{"a socket yields to a host", nil, map[string]string{"MYSQL_UNIX_PORT": "/s", "MYSQL_HOST": "127.0.0.1"}, nil, []string{"host=127.0.0.1 from MYSQL_HOST"}},
		{"localhost means the socket", nil, map[string]string{"MYSQL_UNIX_PORT": "/s", "MYSQL_HOST": "localhost"}, nil, []string{"host=localhost from MYSQL_HOST", "socket=/s from MYSQL_UNIX_PORT"}},
		{"a socket yields to a host that was given", map[string]string{"home/.my.cnf": "[client]\nsocket=/s"}, nil, option.Values{"host": "h"}, nil},
		{"a socket yields to a port that was given", map[string]string{"home/.my.cnf": "[client]\nsocket=/s"}, nil, option.Values{"port": "1"}, nil},
		{"no socket", map[string]string{"home/.my.cnf": "[client]\nprotocol=tcp"}, nil, nil, []string{"socket=null from line 2 of ROOT/home/.my.cnf"}},
		{
			"files override variables, and later files override earlier ones",
			map[string]string{
				"etc/my.cnf": "[client]\nhost=a\nuser=a\nport=1\npassword=a\n", "etc/mysql/my.cnf": "[client]\nhost=b\nuser=b\nport=2\n",
				"own/my.cnf": "[client]\nhost=c\nuser=c\n", "home/.my.cnf": "[client]\nhost=d\n",
			},
			map[string]string{"MYSQL_PWD": "v", "MYSQL_HOST": "v", "MYSQL_HOME": "ROOT/own"},
			nil,
			[]string{
				"host=d from line 2 of ROOT/home/.my.cnf", "password=a from line 5 of ROOT/etc/my.cnf",
				"port=2 from line 4 of ROOT/etc/mysql/my.cnf", "user=c from line 3 of ROOT/own/my.cnf",
			},
		},
		{
			"groups of clients, in the order of the file",
			map[string]string{"home/.my.cnf": "[mysqld]\nport=9\n[mysql]\nuser=a\n[client]\nuser=b\ndatabase=d\n[client-mariadb]\nport=3\n[client-server]\nhost=h\n[mysqldump]\nhost=x\n"},
			nil, nil,
			[]string{"host=h from line 11 of ROOT/home/.my.cnf", "port=3 from line 9 of ROOT/home/.my.cnf", "user=b from line 6 of ROOT/home/.my.cnf"},
		},
		{
			"groups of a suffix",
			map[string]string{"home/.my.cnf": "[client]\nport=1\n[client_lab]\nport=2\n"},
			map[string]string{"MYSQL_GROUP_SUFFIX": "_lab"},
			nil,
			[]string{"port=2 from line 4 of ROOT/home/.my.cnf"},
		},
		{
			"other files",
			map[string]string{
				"etc/my.cnf":       "[client]\nhost=a\n!includedir ROOT/etc/conf.d/\n!include more.cnf\nuser=a\n!include nosuch.cnf\n",
				"etc/conf.d/b.cnf": "[client]\nport=2\n", "etc/conf.d/a.cnf": "[client]\nport=1\n!include ../my.cnf\n", "etc/conf.d/c.txt": "[client]\nport=3\n",
				"etc/more.cnf": "host=no group\n[client]\nhost=b\n",
			},
			nil, nil,
			[]string{"host=b from line 3 of ROOT/etc/more.cnf", "port=2 from line 2 of ROOT/etc/conf.d/b.cnf", "user=a from line 5 of ROOT/etc/my.cnf"},
		},
		{"passwords", map[string]string{"home/.my.cnf": "[client]\npassword = \"a#b;c\\\"\\\\\" # the password\n"}, nil, nil, []string{`password=a#b;c"\ from line 2 of ROOT/home/.my.cnf`}},
		{"passwords without quotes", map[string]string{"home/.my.cnf": "; a comment\n[client]\npassword=a;b c\\sd=e# more\n"}, nil, nil, []string{"password=a;b c d=e from line 3 of ROOT/home/.my.cnf"}},
		{"passwords in other quotes", map[string]string{"home/.my.cnf": "[client]\n  password='it\"s'\n"}, nil, nil, []string{`password=it"s from line 2 of ROOT/home/.my.cnf`}},
		{"no password", map[string]string{"home/.my.cnf": "[client]\npassword=\n"}, nil, nil, []string{"password=null from line 2 of ROOT/home/.my.cnf"}},
		{"a password to prompt for", map[string]string{"home/.my.cnf": "[client]\npassword\n"}, nil, nil, nil},
		{"what was given", map[string]string{"home/.my.cnf": "[client]\npassword=p\nuser=u\n"}, nil, option.Values{"password": "x", "user": "y"}, nil},
		{
			"TLS",
			map[string]string{"home/.my.cnf": "[client]\nloose-ssl_mode=REQUIRED\nssl_cert=/c\nssl-key=/k\n"},
			nil, nil,
			[]string{
				"ssl=true from line 2 of ROOT/home/.my.cnf", "ssl_ca=null from line 2 of ROOT/home/.my.cnf", "ssl_cert=/c from line 3 of ROOT/home/.my.cnf",
				"ssl_key=/k from line 4 of ROOT/home/.my.cnf", "ssl_two_way=true from line 3 of ROOT/home/.my.cnf",
			},
		},
		{"TLS that checks", map[string]string{"home/.my.cnf": "[client]\nssl-ca=/ca\n"}, nil, nil, []string{"ssl=true from line 2 of ROOT/home/.my.cnf", "ssl_ca=/ca from line 2 of ROOT/home/.my.cnf"}},
		{
			"a certificate without TLS",
			map[string]string{"home/.my.cnf": "[client]\nssl-cert=/c\nssl-key=/k\nskip-ssl\n"},
			nil, nil,
			[]string{"ssl=false from line 4 of ROOT/home/.my.cnf", "ssl_cert=/c from line 2 of ROOT/home/.my.cnf", "ssl_key=/k from line 3 of ROOT/home/.my.cnf"},
		},
	}
	for _, test := range tests {
		root := t.TempDir()
		for name, text := range test.files {
			writeIn(t, root, name, strings.ReplaceAll(text, "ROOT", root), 0o600)
		}
		got, warnings, err := clientSettings(mariadb.Database, root, test.environ, test.given)
		if err != nil || len(warnings) > 0 || !slices.Equal(got, test.want) {
			t.Errorf("%s: got\n%s\nwarnings %q and error %v, want\n%s", test.name, strings.Join(got, "\n"), warnings, err, strings.Join(test.want, "\n"))
		}
		// Our options accept every setting of the client.
		values := test.given.Clone()
		for _, s := range got {
			name, rest, _ := strings.Cut(s, "=")
			value, _, _ := strings.Cut(rest, " from ")
			values[name] = value
		}
		if err := option.Bind(nil, values, mariadb.Database.Options.New(database.Use{Name: "tpcc"})); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestClientSettings_OfMySQLSkipMariaDBsGroups(t *testing.T) {
	root := t.TempDir()
	writeIn(t, root, "home/.my.cnf", "[client]\nport=1\n[client-mariadb]\nport=2\n", 0o600)
	got, _, err := clientSettings(mysql.Database, root, nil, nil)
	if want := []string{"port=1 from line 2 of ROOT/home/.my.cnf"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q and error %v, want %q", got, err, want)
	}
}

func TestClientSettings_IgnoreExposedFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no such modes on Windows")
	}
	const text = "[client]\nport=1\npassword=s3cret\n"
	tests := []struct {
		mode    os.FileMode
		want    []string
		warning string
	}{
		{0o600, []string{"password=s3cret from line 3 of ROOT/home/.my.cnf", "port=1 from line 2 of ROOT/home/.my.cnf"}, ""},
		{0o644, []string{"port=1 from line 2 of ROOT/home/.my.cnf"}, "others can read the file: chmod 600"},
		{0o606, nil, "all users can change it: chmod o-w"},
	}
	for _, test := range tests {
		root := t.TempDir()
		writeIn(t, root, "home/.my.cnf", text, test.mode)
		got, warnings, err := clientSettings(mariadb.Database, root, nil, nil)
		said := strings.Join(warnings, "; ")
		if err != nil || !slices.Equal(got, test.want) || !strings.Contains(said, test.warning) || (said == "") != (test.warning == "") {
			t.Errorf("%o: got %q, warnings %q and error %v, want %q and %q", test.mode, got, said, err, test.want, test.warning)
		}
		if strings.Contains(said, "s3cret") {
			t.Errorf("%o: got the password in %q", test.mode, said)
		}
		if _, warnings, _ = clientSettings(mariadb.Database, root, nil, option.Values{"password": "x"}); test.mode == 0o644 && len(warnings) > 0 {
			t.Errorf("got warnings %q about a password that is not used", warnings)
		}
	}
}

func writeIn(t *testing.T, root, name, text string, mode os.FileMode) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // regardless of the umask
		t.Fatal(err)
	}
}

// clientSettings returns the client settings as text, with ROOT in place of the folder of the
// files.
func clientSettings(d *database.Database, root string, environ map[string]string, given option.Values) (settings, warnings []string, err error) {
	list, warnings, err := d.Options.Client(database.Surroundings{System: filepath.Join(root, "etc"), Variable: func(name string) string {
		if name == "HOME" {
			return filepath.Join(root, "home")
		}
		return strings.ReplaceAll(environ[name], "ROOT", root)
	}}, database.Use{}, given)
	for _, s := range list {
		settings = append(settings, fmt.Sprintf("%s=%s from %s", s.Option, s.Value, strings.ReplaceAll(s.Origin, root, "ROOT")))
	}
	return settings, warnings, err
}
