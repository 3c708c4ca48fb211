package testserver

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

var postgresql = &product{
	name:      "postgresql",
	scheme:    "postgres",
	port:      5432,
	superuser: "postgres",
	password:  "postgres",

	programs: []string{"postgres"},
	folders: []string{
		"/usr/lib/postgresql/*/bin", // Debian
		"/usr/pgsql-*/bin",          // Red Hat
		"/opt/homebrew/opt/postgresql@*/bin",
		"/usr/local/opt/postgresql@*/bin",
	},
	recognises: func(banner string) bool { return strings.Contains(banner, "PostgreSQL") },
	install:    "scripts/test-servers",
	accounts:   []string{"postgres", "nobody"},

	socket:         func(folder string) string { return folder },
	setUp:          setUpPostgreSQL,
	firstArguments: postgreSQLArguments,
	arguments:      postgreSQLArguments,
	ready:          postgreSQLReady,
	signals: map[Mode]syscall.Signal{
		Smart:     syscall.SIGTERM,
		Fast:      syscall.SIGINT,
		Immediate: syscall.SIGQUIT,
	},

	values:     postgreSQLValues,
	dataSource: postgreSQLDataSource,
}

// postgreSQLDefaults are for tests: many clients, little memory, and no waiting for the disk. Data
// survives a crash of the server, but not of the machine.
var postgreSQLDefaults = []string{
	"listen_addresses=127.0.0.1",
	"max_connections=300",
	"shared_buffers=128MB",
	"fsync=off",
}

func setUpPostgreSQL(s *Server) error {
	passwordFile := filepath.Join(s.folder, "password")
	if err := s.writeFile(passwordFile, s.Password+"\n"); err != nil {
		return err
	}
	defer os.Remove(passwordFile)
	locale := "C.UTF-8"
	if runtime.GOOS == "darwin" {
		locale = "C" // macOS has no C.UTF-8.
	}
	err := s.create(s.Password, filepath.Join(filepath.Dir(s.program), "initdb"),
		"--pgdata="+s.Dir, "--username="+s.Superuser, "--pwfile="+passwordFile,
		"--auth=scram-sha-256", "--locale="+locale, "--encoding=UTF8", "--no-sync")
	if err != nil {
		return err
	}
	settings := append([]string{"unix_socket_directories=" + s.Socket}, postgreSQLDefaults...)
	settings = append(settings, s.settings...)
	return appendSettings(filepath.Join(s.Dir, "postgresql.conf"), settings)
}

// appendSettings appends settings to the configuration file, in which later settings override
// earlier ones. On the command line they would override ALTER SYSTEM.
func appendSettings(path string, settings []string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	for _, setting := range settings {
		name, value, _ := strings.Cut(setting, "=")
		if _, err := fmt.Fprintf(f, "%s = '%s'\n", name, strings.ReplaceAll(value, "'", "''")); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}

func postgreSQLArguments(s *Server) []string {
	return []string{"-D", s.Dir, "-p", strconv.Itoa(s.Port)}
}

// postgreSQLReady reports whether the server is ready. Like pg_ctl, it reads the last line of the
// lock file, provided that this server has written the file, and not an earlier one that was
// killed.
func postgreSQLReady(s *Server) bool {
	text, err := os.ReadFile(filepath.Join(s.Dir, "postmaster.pid"))
	if err != nil {
		return false
	}
	lines := strings.Split(string(text), "\n")
	return len(lines) >= 8 && lines[0] == strconv.Itoa(s.Pid()) && strings.TrimSpace(lines[7]) == "ready"
}

func postgreSQLValues(s *Server) map[string]string {
	return map[string]string{
		"host":               s.Host,
		"port":               strconv.Itoa(s.Port),
		"ssl_mode":           s.sslMode,
		"superuser":          s.Superuser,
		"superuser_password": s.Password,
		"superuser_dbname":   s.maintenance,
	}
}

func postgreSQLDataSource(s *Server, database string) string {
	if database == "" {
		database = s.maintenance
	}
	u := url.URL{
		Scheme:   "postgres",
		User:     url.UserPassword(s.Superuser, s.Password),
		Host:     net.JoinHostPort(s.Host, strconv.Itoa(s.Port)),
		Path:     "/" + database,
		RawQuery: "sslmode=" + url.QueryEscape(s.sslMode),
	}
	return u.String()
}
