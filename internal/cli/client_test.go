package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/document"
	"sledge/internal/engine"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// withServer returns a world with the real engine and an empty home folder, without the
// configuration of this machine.
func withServer(t *testing.T) (w *world, home string) {
	t.Helper()
	w, home = newWorld(t), t.TempDir()
	w.Runner = engine.Local{Catalog: edition.Catalog, Version: w.Version}
	w.Environ = append(w.Environ, "HOME="+home)
	return w, home
}

// as sets environment variables of the world, which replace those of an earlier call.
func (w *world) as(environ ...string) func() {
	before := w.Environ
	w.Environ = append(before[:len(before):len(before)], environ...)
	return func() { w.Environ = before }
}

// query runs statements as the server's superuser.
func query(t *testing.T, d *database.Database, server *testserver.Server, statements ...string) {
	t.Helper()
	options := d.Options.New(database.Use{Name: "tpcc"})
	if err := option.Bind(nil, server.Values(), options); err != nil {
		t.Fatal(err)
	}
	session, err := d.Sessions.Connect(context.Background(), options, database.Admin)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, statement := range statements {
		if err := session.Exec(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// keep writes a file in the home folder that only its owner can read.
func keep(t *testing.T, home, name, text string) string {
	t.Helper()
	path := filepath.Join(home, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Each of psql's sources has its own password for one user. The error about a wrong password names
// the source. A check that finds no schema has logged in.
func TestClientSettings_OfPsqlOnAServer(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	d, err := newWorld(t).Resolver.Database("postgresql")
	if err != nil {
		t.Fatal(err)
	}
	const user, password = "sledge_client", "s3cr3t:1\\"
	query(t, d, server,
		"DROP DATABASE IF EXISTS "+user, "DROP ROLE IF EXISTS "+user,
		"CREATE ROLE "+user+" LOGIN PASSWORD 's3cr3t:1\\'", "CREATE DATABASE "+user+" OWNER "+user)
	t.Cleanup(func() { query(t, d, server, "DROP DATABASE "+user, "DROP ROLE "+user) })
	where := []string{"PGHOST=" + server.Host, "PGPORT=" + strconv.Itoa(server.Port), "PGSSLMODE=disable", "SLEDGE_PG_USER=" + user, "SLEDGE_PG_DBASE=" + user}
	line := fmt.Sprintf("%s:%d:%s:%s:", server.Host, server.Port, user, user)
	tests := []struct {
		name    string
		environ []string
		passes  string // the content of the password file
		args    []string
		in      bool
		says    string
	}{
		{"the default", nil, "", nil, false, "(nothing sets pg_pass, so it has its default)"},
		{"the password file", nil, line + "s3cr3t\\:1\\\\\n", nil, true, ""},
		{"a wrong line of the password file", nil, line + "wrong\n", nil, false, "(pg_pass is from HOME/.pgpass)"},
		{"PGPASSWORD without PGUSER", []string{"PGPASSWORD=" + password}, "", nil, true, ""},
		{"a wrong PGPASSWORD without PGUSER", []string{"PGPASSWORD=wrong"}, "", nil, false, "(pg_pass has its default, and the server refused the one from PGPASSWORD, too)"},
		{"PGPASSWORD of PGUSER", []string{"PGUSER=" + user, "PGPASSWORD=" + password}, "", nil, true, ""},
		{"PGPASSWORD is stronger than the file", []string{"PGUSER=" + user, "PGPASSWORD=wrong"}, line + "s3cr3t\\:1\\\\\n", nil, false, "(pg_pass is from PGPASSWORD)"},
		{"SLEDGE_PG_PASS is stronger than PGPASSWORD", []string{"PGUSER=" + user, "PGPASSWORD=" + password, "SLEDGE_PG_PASS=wrong"}, "", nil, false, "(pg_pass is from SLEDGE_PG_PASS)"},
		{"--set is stronger", []string{"PGUSER=" + user, "PGPASSWORD=wrong"}, "", []string{"--set", "pg_pass=" + password}, true, ""},
		{"a port is stronger than PGPORT", nil, line + "s3cr3t\\:1\\\\\n", []string{"--port", "1"}, false, "pg_port"},
	}
	for _, test := range tests {
		w, home := withServer(t)
		w.as(append(append([]string{}, where...), test.environ...)...)
		if test.passes != "" {
			keep(t, home, ".pgpass", test.passes)
		}
		code := w.run(append([]string{"check", "--db", "pg", "--no-repo"}, test.args...)...)
		last := strings.ReplaceAll(lastLine(w.err.String()), home, "HOME")
		in := !strings.Contains(last, "password authentication failed") && !strings.Contains(last, "refused")
		if code == job.OK || in != test.in || !strings.Contains(last, test.says) {
			t.Errorf("%s: got exit code %d and %q, want signed in %v and %q", test.name, code, last, test.in, test.says)
		}
		if strings.Contains(w.err.String()+w.out.String(), "s3cr3t") {
			t.Errorf("%s: got the password in %q", test.name, &w.err)
		}
	}
}

func TestClientSettings_OfMyCnfOnAServer(t *testing.T) {
	server := testserver.Open(t, "mariadb")
	d, err := newWorld(t).Resolver.Database("mariadb")
	if err != nil {
		t.Fatal(err)
	}
	const user = "sledge_client"
	query(t, d, server, "DROP USER IF EXISTS "+user, "CREATE USER "+user+" IDENTIFIED BY 's3cr3t;#1'")
	t.Cleanup(func() { query(t, d, server, "DROP USER "+user) })
	where := fmt.Sprintf("[client]\nhost=%s\nport=%d\nuser=%s\n", server.Host, server.Port, user)
	tests := []struct {
		name, file string
		environ    []string
		in         bool
		says       string
	}{
		{"the default", where, nil, false, "(nothing sets password, so it has its default)"},
		{"a group of the client", where + "password='s3cr3t;#1'\n", nil, true, ""},
		{"a group of MariaDB's", where + "password=wrong\n[client-mariadb]\npassword=\"s3cr3t;#1\"\n", nil, true, ""},
		{"a wrong password", where + "password=wrong\n", nil, false, "(password is from line 5 of HOME/.my.cnf)"},
		{"a variable", where, []string{"MYSQL_PWD=s3cr3t;#1"}, true, ""},
		{"a wrong variable", where, []string{"MYSQL_PWD=wrong"}, false, "(password is from MYSQL_PWD)"},
		{"a socket", fmt.Sprintf("[client-server]\nsocket=%s\n[client]\nuser=%s\npassword='s3cr3t;#1'", server.Socket, user), nil, true, ""},
	}
	for _, test := range tests {
		if server.Socket == "" && test.name == "a socket" {
			continue // localhost would use the socket
		}
		w, home := withServer(t)
		w.as(test.environ...)
		keep(t, home, ".my.cnf", test.file)
		code := w.run("check", "--db", "maria", "--no-repo")
		last := strings.ReplaceAll(lastLine(w.err.String()), home, "HOME")
		// The user has logged in, but has no privileges on the schema, because it does not exist.
		if in := !strings.Contains(last, "Error 1045") && !strings.Contains(last, "refused"); code == job.OK || in != test.in || !strings.Contains(last, test.says) {
			t.Errorf("%s: got exit code %d and %q, want signed in %v and %q", test.name, code, last, test.in, test.says)
		}
		if strings.Contains(w.err.String()+w.out.String(), "s3cr3t") {
			t.Errorf("%s: got the password in %q", test.name, &w.err)
		}
	}
}

// The administrator's password comes from psql's sources. The build creates an owner with the
// default password, and warns that this password is public.
func TestBuild_UsesTheAdministratorsClientSettings(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	w, home := withServer(t)
	const user = "sledge_owner"
	keep(t, home, ".pgpass", "*:*:*:"+server.Superuser+":"+server.Password+"\n")
	w.as("PGHOST="+server.Host, "PGPORT="+strconv.Itoa(server.Port), "PGSSLMODE=disable", "SLEDGE_PG_DBASE="+user, "SLEDGE_PG_USER="+user)
	if code := w.run("build", "--db", "pg"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	const warning = "user " + user + " has the default password, which is public: set pg_pass"
	if got := strings.Count(w.err.String(), warning); got != 1 {
		t.Errorf("got the warning %d times, want once in %q", got, &w.err)
	}
	if code := w.run("build", "--db", "pg"); code != job.ExitExists || strings.Contains(w.err.String(), warning) {
		t.Errorf("got exit code %d and %q of a second build, want no warning", code, &w.err)
	}
	if code := w.run("delete", "--db", "pg"); code != job.OK {
		t.Errorf("got exit code %d: %s", code, &w.err)
	}
}

// answering gives the world a terminal whose user answers password prompts with answer. It counts
// the prompts.
func (w *world) answering(answer string) (asked *int) {
	asked = new(int)
	w.StdinIsTerminal, w.StderrWidth = true, func() int { return 80 }
	w.ReadPassword = func() (string, error) {
		*asked++
		return answer, nil
	}
	return asked
}

func TestSignIn_AsksForARefusedPassword(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	d, err := newWorld(t).Resolver.Database("postgresql")
	if err != nil {
		t.Fatal(err)
	}
	const user = "sledge_asked"
	query(t, d, server,
		"DROP DATABASE IF EXISTS "+user, "DROP ROLE IF EXISTS "+user,
		"CREATE ROLE "+user+" LOGIN PASSWORD 's3cr3t'", "CREATE DATABASE "+user+" OWNER "+user)
	t.Cleanup(func() { query(t, d, server, "DROP DATABASE "+user, "DROP ROLE "+user) })
	where := []string{"--db", "pg", "--no-repo", "--host", server.Host, "--port", strconv.Itoa(server.Port), "--user", user, "--dbname", user, "--set", "pg_sslmode=disable"}
	tests := []struct {
		name, action, answer string
		more                 []string
		asked                int
		in                   bool
		says                 string
	}{
		{"the right answer", "check", "s3cr3t", nil, 1, true, ""},
		{"a wrong answer", "check", "wrong", nil, 1, false, "(pg_pass is from the prompt)"},
		{"no answer", "check", "", nil, 1, false, "(nothing sets pg_pass, so it has its default)"},
		{"a password that is set", "check", "s3cr3t", []string{"--set", "pg_pass=wrong"}, 0, false, "(pg_pass is from --set)"},
		{"a right password", "check", "x", []string{"--set", "pg_pass=s3cr3t"}, 0, true, ""},
		{"no superuser", "build", "wrong", []string{"--set", "pg_no_superuser=true"}, 1, false, "(pg_pass is from the prompt)"},
		{"a superuser with a wrong password", "build", "x", []string{"--set", "pg_superuserpass=wrong"}, 0, false, "(pg_superuserpass is from --set)"},
		{"a superuser", "build", "wrong", []string{"--set", "pg_superuser=" + user}, 1, false, "(pg_superuserpass is from the prompt)"},
	}
	for _, test := range tests {
		w, _ := withServer(t)
		asked := w.answering(test.answer)
		code := w.run(append(append([]string{test.action}, where...), test.more...)...)
		last := strings.Join(strings.Fields(w.err.String()), " ") // undoes the folding to the terminal's width
		if in := !strings.Contains(last, "password authentication failed"); code == job.OK || in != test.in || !strings.Contains(last, test.says) {
			t.Errorf("%s: got exit code %d and %q, want signed in %v and %q", test.name, code, last, test.in, test.says)
		}
		if *asked != test.asked {
			t.Errorf("%s: asked %d times, want %d", test.name, *asked, test.asked)
		}
		if asks := strings.Contains(w.err.String(), "Password of user "+user+": \n"); asks != (test.asked > 0) || strings.Contains(w.err.String(), "s3cr3t") {
			t.Errorf("%s: got %q", test.name, &w.err)
		}
	}
	for _, missing := range []string{"stdin", "stderr"} {
		w, _ := withServer(t)
		asked := w.answering("s3cr3t")
		if missing == "stdin" {
			w.StdinIsTerminal = false
		} else {
			w.StderrWidth = nil
		}
		if code := w.run(append([]string{"check"}, where...)...); code != job.ExitConnect || *asked > 0 {
			t.Errorf("without %s: got exit code %d and %d questions, want %d and none", missing, code, *asked, job.ExitConnect)
		}
	}
	w, _ := withServer(t)
	w.answering("")
	w.ReadPassword = func() (string, error) {
		w.interrupt()
		select {} // a read from a terminal cannot be interrupted
	}
	if code := w.run(append([]string{"check"}, where...)...); code != job.ExitStopped {
		t.Errorf("Ctrl-C at the question: got exit code %d, want %d", code, job.ExitStopped)
	}
}

// No server listens on the port, so connections are refused at once.
func TestSignIn_AsksNoPasswordWithoutServer(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	listener.Close()
	w := newWorld(t)
	asked := w.answering("x")
	if code := w.run("check", "--db", "pg", "--host", "127.0.0.1", "--port", port); code != job.OK || *asked > 0 || len(w.asked) != 1 {
		t.Errorf("got exit code %d, %d questions and %d jobs, want a job, which reports the refusal", code, *asked, len(w.asked))
	}
}

func TestDryRun_ShowsTheSourceOfEachSetting(t *testing.T) {
	w := newWorld(t)
	home := t.TempDir()
	keep(t, home, ".pgpass", "*:*:*:*:s3cr3t\n")
	config := keep(t, home, "sledge.toml", "db = 'pg'\nusers = 3\n[options]\npg_rampup = 1\n")
	w.as("HOME="+home, "PGHOST=db1", "PGPORT=6000", "SLEDGE_PG_VACUUM=true")
	if code := w.run("run", "--config", config, "--port", "7000", "--set", "pg_duration=2", "--label", "kernel=6.11", "--dry-run"); code != job.OK {
		t.Fatalf("got exit code %d: %s", code, &w.err)
	}
	got := map[string]string{}
	for line := range strings.Lines(w.out.String()) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		got[name] = strings.ReplaceAll(strings.Join(strings.Fields(rest), " "), home, "HOME")
	}
	want := map[string]string{
		"db": "postgresql line 1 of HOME/sledge.toml", "users": "3 line 2 of HOME/sledge.toml", "seed": "1 default",
		"host": "db1 PGHOST", "port": "7000 --port", "rampup": "1 line 4 of HOME/sledge.toml", "duration": "2 --set",
		"vacuum": "true SLEDGE_PG_VACUUM", "label": "kernel=6.11", "password": "**** HOME/.pgpass", "superuser_password": "**** HOME/.pgpass",
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: got %q, want %q", name, got[name], text)
		}
	}
	if _, shown := got["dbname"]; shown || len(w.asked) > 0 || strings.Contains(w.out.String(), "s3cr3t") {
		t.Errorf("got %d jobs and\n%s\nwant no job, no default and no secret", len(w.asked), &w.out)
	}
	if _, err := os.Stat(w.repository); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got a repository, want none")
	}
	if w.run("run", "--config", config, "--dry-run", "--verbose"); !strings.Contains(w.out.String(), "dbname") || strings.Contains(w.out.String(), "oracompat") {
		t.Errorf("got no defaults with --verbose:\n%s", &w.out)
	}
	w.run("run", "--config", config, "--dry-run", "--json")
	var shown document.Settings
	d := json.NewDecoder(bytes.NewReader(w.out.Bytes()))
	if err := d.Decode(&shown); err != nil || shown.Schema != document.SettingsSchema || shown.Origins["workload"] != "default" || len(shown.Settings) < 20 {
		t.Errorf("got error %v of %s", err, &w.out)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) || strings.Contains(w.out.String(), "s3cr3t") {
		t.Errorf("got more than a document without secrets: %s", &w.out)
	}
	if w.run("run", "--url", "pg://u@h/d", "--dry-run"); !strings.Contains(strings.Join(strings.Fields(w.out.String()), " "), "db postgresql --url") {
		t.Errorf("got no --url for the database's origin:\n%s", &w.out)
	}
}
