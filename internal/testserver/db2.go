package testserver

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// db2 is IBM's server. Only the environment can name one.
var db2 = &product{
	name:      "db2",
	scheme:    "db2",
	port:      50000,
	superuser: "db2inst1",
	password:  "ibmdb2",

	values: func(s *Server) map[string]string {
		values := namedValues(s)
		if s.path != "" {
			values["dbname"] = s.path
		}
		return values
	},
	dataSource: func(*Server, string) string { return "" },
}

// derby is Apache Derby, whose network server speaks Db2's protocol. Its program is a script
// that scripts/test-servers writes.
var derby = &product{
	name:      "derby",
	scheme:    "db2",
	port:      1527,
	superuser: "sledge",
	password:  "sledge-of-derby",

	programs:   []string{"derby"},
	recognises: func(banner string) bool { return strings.Contains(banner, "Apache Derby") },
	install:    "scripts/test-servers",

	socket:         func(string) string { return "" },
	setUp:          setUpDerby,
	firstArguments: derbyArguments,
	arguments:      derbyArguments,
	ready: func(s *Server) bool {
		return strings.Contains(s.logTail(), "ready to accept connections on port "+strconv.Itoa(s.Port))
	},
	signals: map[Mode]syscall.Signal{Smart: syscall.SIGTERM, Fast: syscall.SIGTERM, Immediate: syscall.SIGKILL},

	values:     derbyValues,
	dataSource: func(*Server, string) string { return "" },
}

// derbyDatabase is the name of the only database. The library sends names in upper case.
const derbyDatabase = "SLEDGE"

// derbyDefaults are for tests: short lock timeouts and no waiting for the disk.
var derbyDefaults = []string{
	"derby.locks.waitTimeout=3",
	"derby.locks.deadlockTimeout=1",
	"derby.system.durability=test",
	"derby.storage.pageCacheSize=20000",
	"derby.connection.requireAuthentication=true",
	"derby.authentication.provider=BUILTIN",
}

// setUpDerby creates the database, because no client can do so over Db2's protocol.
func setUpDerby(s *Server) error {
	if err := os.Mkdir(s.Dir, 0o700); err != nil {
		return err
	}
	settings := append(append([]string{}, derbyDefaults...), s.settings...)
	settings = append(settings, fmt.Sprintf("derby.user.%s=%s", s.Superuser, s.Password))
	if err := s.writeFile(filepath.Join(s.Dir, "derby.properties"), strings.Join(settings, "\n")+"\n"); err != nil {
		return err
	}
	statements := fmt.Sprintf("connect 'jdbc:derby:%s;create=true;user=%s;password=%s';\ncreate schema %[2]s;\nexit;\n", derbyDatabase, s.Superuser, s.Password)
	return s.run(statements, s.program, "ij", s.Dir)
}

func derbyArguments(s *Server) []string { return []string{"start", s.Dir, strconv.Itoa(s.Port)} }

// derbyValues returns the options with which IBM's library reaches the server.
func derbyValues(s *Server) map[string]string {
	if s.Dir == "" { // a server that the environment names
		values := namedValues(s)
		values["authentication"] = "SERVER"
		return values
	}
	library := filepath.Join(filepath.Dir(filepath.Dir(filepath.Dir(s.program))), "ibm_db-*", "clidriver")
	if found, err := filepath.Glob(library); err == nil && len(found) > 0 {
		library = found[len(found)-1]
	}
	return map[string]string{
		"host": s.Host, "port": strconv.Itoa(s.Port), "user": s.Superuser, "password": s.Password, "dbname": derbyDatabase,
		"authentication": "SERVER", "tablespace": "", "library": library,
	}
}
