package testserver

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

var mariadb = &product{
	name:      "mariadb",
	scheme:    "mariadb",
	port:      3306,
	superuser: "root",
	password:  "maria",

	programs:   []string{"mariadbd", "mysqld"},
	folders:    []string{"/usr/sbin", "/usr/libexec", "/opt/homebrew/opt/mariadb*/bin", "/usr/local/opt/mariadb*/bin"},
	recognises: func(banner string) bool { return strings.Contains(banner, "MariaDB") },
	install:    "scripts/test-servers",

	socket:         mySQLSocket,
	setUp:          setUpMariaDB,
	firstArguments: mySQLFirstArguments,
	arguments:      mySQLArguments,
	ready:          mySQLReady,
	signals:        mySQLSignals,

	values:     mySQLValues,
	dataSource: mySQLDataSource,
}

var mysql = &product{
	name:      "mysql",
	scheme:    "mysql",
	port:      3306,
	superuser: "root",
	password:  "mysql",

	programs:   []string{"mysqld"},
	folders:    []string{"/usr/sbin", "/usr/libexec", "/opt/homebrew/opt/mysql*/bin", "/usr/local/opt/mysql*/bin"},
	recognises: func(banner string) bool { return !strings.Contains(banner, "MariaDB") },
	install:    "scripts/test-servers",

	socket:         mySQLSocket,
	setUp:          setUpMySQL,
	firstArguments: mySQLFirstArguments,
	arguments:      mySQLArguments,
	ready:          mySQLReady,
	signals:        mySQLSignals,

	values:     mySQLValues,
	dataSource: mySQLDataSource,
}

var mySQLSignals = map[Mode]syscall.Signal{
	Smart:     syscall.SIGTERM,
	Fast:      syscall.SIGTERM,
	Immediate: syscall.SIGKILL,
}

// mySQLDefaults are for tests: many clients, little memory, and no waiting for the disk. Data
// survives a crash of the server, but not of the machine. The X protocol of MySQL 8 would need a
// second port; "loose" keeps servers without it from rejecting the setting.
var mySQLDefaults = []string{
	"bind-address=127.0.0.1",
	"max_connections=300",
	"innodb_buffer_pool_size=256M",
	"innodb_flush_log_at_trx_commit=2",
	"innodb_flush_method=nosync",
	"skip-log-bin",
	"local_infile=1",
	"skip-name-resolve",
	"loose-mysqlx=0",
}

func mySQLSocket(folder string) string { return filepath.Join(folder, "socket") }

func mySQLConfiguration(s *Server) string { return filepath.Join(s.folder, "my.cnf") }

// mySQLAccounts returns the path of the statements that the server runs at its first start, so that
// no password is on a command line.
func mySQLAccounts(s *Server) string { return filepath.Join(s.folder, "accounts.sql") }

// mySQLBase returns the folder into which the server was installed.
func mySQLBase(s *Server) string { return filepath.Dir(filepath.Dir(s.program)) }

// writeMySQLConfiguration writes the configuration file that the set-up and the server read instead
// of the machine's own.
func writeMySQLConfiguration(s *Server) error {
	settings := []string{
		"[mysqld]",
		"basedir=" + mySQLBase(s),
		"datadir=" + s.Dir,
		"socket=" + s.Socket,
		"pid-file=" + filepath.Join(s.folder, "server.pid"),
		"tmpdir=" + s.folder,
	}
	if os.Geteuid() == 0 {
		settings = append(settings, "user=root")
	}
	settings = slices.Concat(settings, mySQLDefaults, s.settings)
	return s.writeFile(mySQLConfiguration(s), strings.Join(settings, "\n")+"\n")
}

func setUpMariaDB(s *Server) error {
	if err := writeMySQLConfiguration(s); err != nil {
		return err
	}
	script, err := mariaDBInstaller(s)
	if err != nil {
		return err
	}
	err = s.create(strings.Join(s.settings, "\n"), script, "--defaults-file="+mySQLConfiguration(s), "--auth-root-authentication-method=normal",
		"--skip-test-db", "--skip-name-resolve")
	if err != nil {
		return err
	}
	return s.writeFile(mySQLAccounts(s), accounts(s.Password))
}

// mariaDBInstaller returns the path of the script that fills a data folder: beside the server, or
// in another folder of the same package.
func mariaDBInstaller(s *Server) (string, error) {
	base := mySQLBase(s)
	for _, folder := range []string{filepath.Dir(s.program), filepath.Join(base, "bin"), filepath.Join(base, "scripts")} {
		for _, name := range []string{"mariadb-install-db", "mysql_install_db"} {
			path := filepath.Join(folder, name)
			if _, err := os.Stat(path); err == nil {
				return path, nil
			}
		}
	}
	return "", fmt.Errorf("%s has no mariadb-install-db beside it", s.program)
}

func setUpMySQL(s *Server) error {
	if err := writeMySQLConfiguration(s); err != nil {
		return err
	}
	if err := s.create(strings.Join(s.settings, "\n"), s.program, "--defaults-file="+mySQLConfiguration(s), "--initialize-insecure"); err != nil {
		return err
	}
	return s.writeFile(mySQLAccounts(s), accounts(s.Password))
}

// accounts returns statements that set root's password for the socket and for TCP.
func accounts(password string) string {
	var b strings.Builder
	for _, host := range []string{"localhost", "127.0.0.1"} {
		fmt.Fprintf(&b, "CREATE USER IF NOT EXISTS 'root'@'%s';\n", host)
		fmt.Fprintf(&b, "ALTER USER 'root'@'%s' IDENTIFIED BY '%s';\n", host, password)
		fmt.Fprintf(&b, "GRANT ALL ON *.* TO 'root'@'%s' WITH GRANT OPTION;\n", host)
	}
	return b.String()
}

func mySQLArguments(s *Server) []string {
	return []string{"--defaults-file=" + mySQLConfiguration(s), "--port=" + strconv.Itoa(s.Port)}
}

func mySQLFirstArguments(s *Server) []string {
	return append(mySQLArguments(s), "--init-file="+mySQLAccounts(s))
}

// mySQLReady reports whether the server greets a client. It uses the socket, because another server
// may have taken the port. The server opens the socket early, but greets only after it has run its
// file of accounts.
func mySQLReady(s *Server) bool {
	c, err := net.DialTimeout("unix", s.Socket, time.Second)
	if err != nil {
		return false
	}
	defer c.Close()
	_ = c.SetReadDeadline(time.Now().Add(time.Second))
	// A greeting begins with the packet's length and number, four bytes together, and the version
	// of the protocol, 10. An error has 255 there.
	greeting := make([]byte, 5)
	_, err = io.ReadFull(c, greeting)
	return err == nil && greeting[4] == 10
}

func mySQLValues(s *Server) map[string]string {
	return map[string]string{
		"host":     s.Host,
		"port":     strconv.Itoa(s.Port),
		"socket":   "null",
		"user":     s.Superuser,
		"password": s.Password,
	}
}

func mySQLDataSource(s *Server, database string) string {
	address := net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
	return fmt.Sprintf("%s:%s@tcp(%s)/%s", s.Superuser, s.Password, address, database)
}
