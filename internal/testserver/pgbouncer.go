package testserver

import (
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pgbouncer is a connection pooler, not a database. OpenPooler starts it in front of a server.
var pgbouncer = &product{
	name:      "pgbouncer",
	superuser: postgresql.superuser,
	password:  postgresql.password,

	programs:   []string{"pgbouncer"},
	folders:    []string{"/usr/sbin", "/usr/bin", "/opt/homebrew/bin", "/usr/local/bin"},
	recognises: func(banner string) bool { return strings.HasPrefix(banner, "PgBouncer") },
	install:    "scripts/test-servers",
	accounts:   []string{"postgres", "nobody"},

	socket:         func(folder string) string { return folder },
	setUp:          func(*Server) error { return nil }, // the port is part of its configuration
	firstArguments: pgbouncerArguments,
	arguments:      pgbouncerArguments,
	ready:          pgbouncerReady,
	signals:        map[Mode]syscall.Signal{Smart: syscall.SIGINT, Fast: syscall.SIGTERM, Immediate: syscall.SIGKILL},

	values:     postgreSQLValues,
	dataSource: postgreSQLDataSource,
}

// OpenPooler starts pgbouncer in front of a PostgreSQL server, with the given pool_mode. passwords
// has the passwords of users besides the superuser, which are the same for the pooler and the
// server. The pooler ends with the test.
func OpenPooler(t testing.TB, behind *Server, mode string, passwords map[string]string, settings ...string) *Server {
	t.Helper()
	program, ok := find(pgbouncer, "")
	if !ok {
		skip(t, pgbouncer, "", "SLEDGE_TEST_PGBOUNCER")
	}
	users := fmt.Sprintf("%q %q\n", behind.Superuser, behind.Password)
	for user, password := range passwords {
		users += fmt.Sprintf("%q %q\n", user, password)
	}
	s, err := start(pgbouncer, program, slices.Concat([]string{
		users, fmt.Sprintf("* = host=%s port=%d", behind.Host, behind.Port), "pool_mode=" + mode,
	}, settings), nil)
	if err != nil {
		t.Fatal(err)
	}
	s.maintenance, s.sslMode, s.test = behind.maintenance, "disable", t
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of pgbouncer's log:\n%s", s.logTail())
		}
		s.close()
	})
	return s
}

// pgbouncerArguments writes the configuration, which contains the port. The first two settings are
// the users and the database.
func pgbouncerArguments(s *Server) []string {
	configuration, users := filepath.Join(s.folder, "pgbouncer.ini"), filepath.Join(s.folder, "users")
	text := "[databases]\n" + s.settings[1] + "\n[pgbouncer]\n" + strings.Join(slices.Concat([]string{
		"listen_addr=127.0.0.1", "listen_port=" + strconv.Itoa(s.Port), "unix_socket_dir=" + s.Socket,
		"auth_type=scram-sha-256", "auth_file=" + users,
	}, s.settings[2:]), "\n") + "\n"
	for path, content := range map[string]string{configuration: text, users: s.settings[0]} {
		if err := s.writeFile(path, content); err != nil {
			panic(err) // a folder of our own in /tmp
		}
	}
	return []string{configuration}
}

// pgbouncerReady reports whether the socket accepts connections. The socket is in the server's own
// folder, so it belongs to no other process.
func pgbouncerReady(s *Server) bool {
	c, err := net.DialTimeout("unix", filepath.Join(s.Socket, fmt.Sprintf(".s.PGSQL.%d", s.Port)), time.Second)
	if err != nil {
		return false
	}
	return c.Close() == nil
}
