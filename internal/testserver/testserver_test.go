//go:build unix

package testserver

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
)

func TestMain(m *testing.M) {
	Main(m)
}

// servers lists the servers for the tests below. The machine may lack some of them.
var servers = []struct {
	database, version string
	versionQuery      string
}{
	{"postgresql", "", "SHOW server_version"},
	{"postgresql", "17", "SHOW server_version"},
	{"postgresql", "18", "SHOW server_version"},
	{"mariadb", "", "SELECT version()"},
	{"mysql", "", "SELECT version()"},
}

// connect opens a connection pool to the server.
func connect(t *testing.T, s *Server) *sql.DB {
	t.Helper()
	driver := "mysql"
	if s.Database == "postgresql" {
		driver = "pgx"
	}
	db, err := sql.Open(driver, s.DataSource(""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestOpen_StartsSelectedVersion(t *testing.T) {
	for _, c := range servers {
		t.Run(c.database+c.version, func(t *testing.T) {
			s := Open(t, c.database, Version(c.version))
			var version string
			if err := connect(t, s).QueryRow(c.versionQuery).Scan(&version); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(version, s.Version) || !strings.HasPrefix(s.Version, c.version) {
				t.Errorf("version %q: got a server of version %q, which reports %q", c.version, s.Version, version)
			}
			if again := Open(t, c.database, Version(c.version)); again != s {
				t.Errorf("opened twice: got ports %d and %d, want one shared server", s.Port, again.Port)
			}
		})
	}
}

func TestOpen_AppliesSettingsOverDefaults(t *testing.T) {
	for _, c := range []struct{ database, setting, query, want string }{
		{"postgresql", "max_connections=77", "SHOW max_connections", "77"},
		{"postgresql", "application_name=it's", "SHOW application_name", "it's"},
		{"mariadb", "max_connections=77", "SELECT @@max_connections", "77"},
		{"mysql", "max_connections=77", "SELECT @@max_connections", "77"},
	} {
		t.Run(c.database+" "+c.setting, func(t *testing.T) {
			t.Parallel()
			s := Open(t, c.database, Setting(c.setting), Own())
			var got string
			if err := connect(t, s).QueryRow(c.query).Scan(&got); err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("setting %s: got %s, want %s", c.setting, got, c.want)
			}
		})
	}
}

func TestStart_AfterStopKeepsCommittedRows(t *testing.T) {
	for _, c := range servers {
		t.Run(c.database+c.version, func(t *testing.T) {
			t.Parallel()
			s := Open(t, c.database, Version(c.version), Own())
			db := connect(t, s)
			for _, statement := range createRow(s) {
				if _, err := db.Exec(statement); err != nil {
					t.Fatal(err)
				}
			}
			for _, mode := range []Mode{Immediate, Fast} {
				pid, port := s.Pid(), s.Port
				s.Stop(mode)
				if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
					t.Errorf("stopped in mode %d: signalling process %d got %v, want %v", mode, pid, err, syscall.ESRCH)
				}
				if err := ping(db, time.Minute); err == nil {
					t.Errorf("stopped in mode %d: a ping got an answer", mode)
				}
				s.Start()
				if s.Port != port || s.Pid() == pid {
					t.Errorf("started again: got port %d, process %d; want port %d, another process than %d", s.Port, s.Pid(), port, pid)
				}
				var got int
				if err := db.QueryRow("SELECT a FROM " + table(s)).Scan(&got); err != nil || got != 42 {
					t.Errorf("after mode %d: got row %d, error %v; want row 42", mode, got, err)
				}
			}
		})
	}
}

// createRow returns statements that leave one committed row.
func createRow(s *Server) []string {
	var list []string
	if s.Database != "postgresql" {
		list = append(list, "CREATE DATABASE kept")
	}
	return append(list, "CREATE TABLE "+table(s)+" (a INT)", "INSERT INTO "+table(s)+" VALUES (42)")
}

func table(s *Server) string {
	if s.Database == "postgresql" {
		return "kept"
	}
	return "kept.kept"
}

func ping(db *sql.DB, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return db.PingContext(ctx)
}

func TestFreeze_StopsResponsesUntilThaw(t *testing.T) {
	for _, database := range []string{"postgresql", "mariadb"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			s := Open(t, database, Own())
			db := connect(t, s)
			db.SetMaxOpenConns(1)
			conn, err := db.Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			s.Freeze()
			answer := make(chan error, 1)
			go func() {
				var one int
				answer <- conn.QueryRowContext(t.Context(), "SELECT 1").Scan(&one)
			}()
			select {
			case err := <-answer:
				t.Errorf("frozen: got an answer (error %v), want none", err)
			case <-time.After(200 * time.Millisecond):
			}
			s.Thaw()
			select {
			case err := <-answer:
				if err != nil {
					t.Errorf("thawed: got error %v, want the answer", err)
				}
			case <-time.After(time.Minute):
				t.Error("thawed: got no answer within a minute")
			}
		})
	}
}

func TestOpen_UsesServerInEnvironment(t *testing.T) {
	for _, c := range []struct{ database, variable, scheme, portOption, passwordOption string }{
		{"postgresql", "SLEDGE_TEST_POSTGRESQL", "postgres", "port", "superuser_password"},
		{"mariadb", "SLEDGE_TEST_MARIADB", "mariadb", "port", "password"},
	} {
		t.Run(c.database, func(t *testing.T) {
			started := Open(t, c.database)
			t.Setenv(c.variable, fmt.Sprintf("%s://%s:%s@127.0.0.1:%d", c.scheme, started.Superuser, started.Password, started.Port))
			s := Open(t, c.database)
			if s == started || s.Pid() != 0 {
				t.Errorf("got process %d, want a server that this test binary did not start", s.Pid())
			}
			if err := ping(connect(t, s), time.Minute); err != nil {
				t.Error(err)
			}
			values := s.Values()
			if got, want := values[c.portOption], strconv.Itoa(started.Port); got != want {
				t.Errorf("%s: got %s, want %s", c.portOption, got, want)
			}
			if got, want := values[c.passwordOption], started.Password; got != want {
				t.Errorf("%s: got %s, want %s", c.passwordOption, got, want)
			}
			if got := outcome(c.database, Own()); got.verdict != "skipped" {
				t.Errorf("with Own: got %+v, want the test skipped", got)
			}
		})
	}
}

func TestOpen_WithoutServer(t *testing.T) {
	for _, c := range []struct{ name, version, require, address, verdict, message string }{
		{name: "no server of the version", version: "999", verdict: "skipped", message: "run scripts/test-servers, or name one in SLEDGE_TEST_POSTGRESQL999"},
		{name: "another version is required", version: "999", require: "mariadb,postgresql", verdict: "skipped", message: "postgresql999"},
		{name: "it is required", version: "999", require: "mariadb, postgresql999", verdict: "failed", message: "SLEDGE_TEST_REQUIRE lists postgresql999"},
		{name: "its address is wrong", version: "999", address: "postgres://u:hidden@host:port", verdict: "failed", message: "SLEDGE_TEST_POSTGRESQL999 is not a URL"},
		{name: "its address names another database", version: "999", address: "mysql://u:hidden@host", verdict: "failed", message: "SLEDGE_TEST_POSTGRESQL999 is not a URL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("SLEDGE_TEST_REQUIRE", c.require)
			t.Setenv("SLEDGE_TEST_POSTGRESQL999", c.address)
			got := outcome("postgresql", Version(c.version))
			if got.verdict != c.verdict || !strings.Contains(got.message, c.message) {
				t.Errorf("got %+v, want it %s with %q", got, c.verdict, c.message)
			}
			if strings.Contains(got.message, "hidden") {
				t.Errorf("got %q, which shows the password", got.message)
			}
		})
	}
}

func TestOpen_OfProductWithoutPrograms(t *testing.T) {
	for _, c := range []struct{ name, require, address, verdict, message string }{
		{name: "no address", verdict: "skipped", message: "no server for sqlserver can be started here: name one in SLEDGE_TEST_SQLSERVER"},
		{name: "it is required", require: "sqlserver", verdict: "failed", message: "SLEDGE_TEST_REQUIRE lists sqlserver"},
		{name: "its address is wrong", address: "mssql://sa:hidden@db1", verdict: "failed", message: "SLEDGE_TEST_SQLSERVER is not a URL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("SLEDGE_TEST_REQUIRE", c.require)
			t.Setenv("SLEDGE_TEST_SQLSERVER", c.address)
			got := outcome("sqlserver")
			if got.verdict != c.verdict || !strings.Contains(got.message, c.message) || strings.Contains(got.message, "hidden") {
				t.Errorf("got %+v, want it %s with %q", got, c.verdict, c.message)
			}
		})
	}
	t.Setenv("SLEDGE_TEST_SQLSERVER", "sqlserver://tester:secret@db1:1444?encrypt=strict")
	got := fmt.Sprint(Open(t, "sqlserver").Values())
	if want := fmt.Sprint(map[string]string{
		"host": "db1", "port": "1444", "user": "tester", "password": "secret", "encrypt": "strict", "trust_server_cert": "true",
	}); got != want {
		t.Errorf("got the options %s, want %s", got, want)
	}
}

// observed is a testing.TB that records how Open ends the test.
type observed struct {
	testing.TB
	verdict, message string
}

func (o *observed) Helper() {}

func (o *observed) end(verdict, message string) {
	o.verdict, o.message = verdict, message
	runtime.Goexit()
}

func (o *observed) Skip(args ...any)                  { o.end("skipped", fmt.Sprint(args...)) }
func (o *observed) Skipf(format string, args ...any)  { o.end("skipped", fmt.Sprintf(format, args...)) }
func (o *observed) Fatal(args ...any)                 { o.end("failed", fmt.Sprint(args...)) }
func (o *observed) Fatalf(format string, args ...any) { o.end("failed", fmt.Sprintf(format, args...)) }

// outcome returns how Open ends a test.
func outcome(database string, options ...Option) *observed {
	o := &observed{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		Open(o, database, options...)
	}()
	<-done
	return o
}

func TestOpen_ShowsLogOfServerThatDoesNotStart(t *testing.T) {
	for _, c := range []struct{ database, setting, message string }{
		{"postgresql", "no_such_setting=1", "no_such_setting"},
		{"mariadb", "no_such_setting=1", "no_such_setting"},
	} {
		t.Run(c.database, func(t *testing.T) {
			Open(t, c.database) // skips the test if there is no such server
			for range 2 {
				got := outcome(c.database, Setting(c.setting))
				if got.verdict != "failed" || !strings.Contains(got.message, c.message) {
					t.Errorf("got %+v, want it failed with the log's message about %s", got, c.message)
				}
			}
		})
	}
}

// TestHostage is not a test: TestServers_EndWithTestBinary runs it in another test binary, which it
// kills.
func TestHostage(t *testing.T) {
	database, ok := os.LookupEnv("SLEDGE_TEST_HOSTAGE")
	if !ok {
		t.Skip("only TestServers_EndWithTestBinary runs it")
	}
	s := Open(t, database, Own())
	if err := connect(t, s).Ping(); err != nil {
		t.Fatal(err)
	}
	s.Freeze()
	fmt.Printf("hostage %d %s\n", s.Pid(), s.folder)
	time.Sleep(5 * time.Minute) // longer than the other test waits
}

func TestServers_EndWithTestBinary(t *testing.T) {
	for _, database := range []string{"postgresql", "mariadb"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			Open(t, database) // skips the test if there is no such server
			cmd := exec.Command(os.Args[0], "-test.run=^TestHostage$", "-test.v")
			cmd.Env = append(os.Environ(), "SLEDGE_TEST_HOSTAGE="+database)
			output, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var pid int
			var folder string
			for lines := bufio.NewScanner(output); pid == 0 && lines.Scan(); {
				_, _ = fmt.Sscanf(lines.Text(), "hostage %d %s", &pid, &folder)
			}
			children := childrenOf(t, pid)
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if pid == 0 {
				t.Fatal("the test binary did not start a server")
			}
			if database == "postgresql" && len(children) == 0 {
				t.Error("got no child processes of PostgreSQL, want some")
			}
			for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
				left := alive(append(children, pid))
				_, err := os.Stat(folder)
				if len(left) == 0 && os.IsNotExist(err) {
					return
				}
				if time.Since(begin) > time.Minute {
					t.Fatalf("a minute after the test binary was killed: the processes %v and the folder %s (%v) still exist", left, folder, err)
				}
			}
		})
	}
}

func childrenOf(t *testing.T, pid int) []int {
	t.Helper()
	list, err := children(pid)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func alive(pids []int) []int {
	var list []int
	for _, pid := range pids {
		if syscall.Kill(pid, 0) != syscall.ESRCH {
			list = append(list, pid)
		}
	}
	return list
}
