// Package testserver gives tests real database servers: a server that the environment names, or one
// that it starts from installed programs in a temporary folder on a free port. If there is neither,
// it skips the test. It knows no workload, and sends no SQL to a server except to set it up.
//
// SLEDGE_TEST_POSTGRESQL, SLEDGE_TEST_MARIADB and SLEDGE_TEST_MYSQL name a server by URL, such as
// postgres://postgres:secret@127.0.0.1:5432/postgres. A variable with a version at its end
// (SLEDGE_TEST_POSTGRESQL17, SLEDGE_TEST_MYSQL80) names a server for tests of that version.
// SLEDGE_TEST_REQUIRE lists servers whose tests must not be skipped:
// postgresql,postgresql17,mariadb.
//
// Some products cannot be installed here, so only the environment can name their servers:
// SLEDGE_TEST_SQLSERVER=sqlserver://sa:secret@127.0.0.1:1433?encrypt=false, and
// SLEDGE_TEST_ORACLE=oracle://system:secret@127.0.0.1:1521/FREEPDB1. Parameters of such a URL are
// options of the database.
//
// No server outlives its test binary, even if the binary is killed: a small shell watches the
// binary, and ends the server and removes its folder as soon as the binary has ended.
package testserver

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is the time limit for a server to start or stop. It is much longer than usual, because a
// machine that runs many tests can be slow.
const patience = time.Minute

// Server is a running database server that belongs to the test.
type Server struct {
	Database string // "postgresql", "mariadb", ...
	Version  string // "15.18"; empty for a server that the environment names
	Host     string
	Port     int
	// Socket is the path of the Unix socket, and for PostgreSQL the folder that
	// holds it. It is empty for a server that the environment names.
	Socket              string
	Superuser, Password string
	Dir                 string // data folder; empty for a server that the environment names

	product     *product
	maintenance string            // PostgreSQL: the database to connect to before others exist
	sslMode     string            // PostgreSQL
	path        string            // of the URL that names the server, without the slash
	parameters  map[string]string // of that URL
	settings    []string          // "name=value"
	environment []string          // of its process, in addition to the test's: "name=value"
	program     string            // path of the server program
	installed   string            // path of the program as it was found; program may be a copy
	folder      string            // contains the data folder, the socket and the log
	image       *Server           // a stopped server whose data folder is copied; nil for a new data folder
	test        testing.TB
	process
}

// wish holds the options of Open.
type wish struct {
	version  string
	settings []string
	own      bool
	filling  string
	fill     func(s *Server) error
}

// Option selects the kind of server that Open returns.
type Option func(*wish)

// Version selects a version, such as "17", "10.11" or "8.0". The server's own version may have more
// digits.
func Version(version string) Option { return func(w *wish) { w.version = version } }

// Setting sets a server setting, such as "shared_buffers=256MB", as in the configuration file.
func Setting(setting string) Option {
	return func(w *wish) { w.settings = append(w.settings, setting) }
}

// Own selects a server that no other test shares, so that the test may stop and freeze it. The
// server ends with the test.
func Own() Option { return func(w *wish) { w.own = true } }

// Filled selects a server like Own, with data that fill has loaded. fill runs once for all tests of
// a test binary that use the same filling and version, on a server with the default settings; each test gets a copy of the
// data folder, and its server the test's settings. It works for PostgreSQL, MariaDB and MySQL.
func Filled(filling string, fill func(s *Server) error) Option {
	return func(w *wish) { w.own, w.filling, w.fill = true, filling, fill }
}

// Open returns a running server of the database. Tests that select the same version and settings
// share one server until the test binary ends, so each should use its own databases on it. If no
// such server is available, the test is skipped, or fails if SLEDGE_TEST_REQUIRE lists it.
func Open(t testing.TB, database string, options ...Option) *Server {
	t.Helper()
	p := productNamed(database)
	if p == nil {
		t.Fatalf("testserver: %q is not one of %s", database, productNames())
	}
	var w wish
	for _, o := range options {
		o(&w)
	}
	variable := "SLEDGE_TEST_" + strings.ToUpper(p.name) + strings.ReplaceAll(w.version, ".", "")
	if address := os.Getenv(variable); address != "" {
		if w.own || len(w.settings) > 0 {
			t.Skipf("this test needs its own server, which it stops or configures, and %s names a server that it must not change", variable)
		}
		s, err := named(p, variable, address)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if !w.own {
		return openShared(t, p, w, variable)
	}
	program, ok := find(p, w.version)
	if !ok {
		skip(t, p, w.version, variable)
	}
	var image *Server
	if w.fill != nil {
		var err error
		if image, err = filled(p, program, w); err != nil {
			t.Fatal(err)
		}
	}
	s, err := start(p, program, w.settings, image)
	if err != nil {
		t.Fatal(err)
	}
	s.test = t
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of the %s server's log:\n%s", p.name, s.logTail())
		}
		s.close()
	})
	return s
}

// skip skips the test because there is no server, unless SLEDGE_TEST_REQUIRE lists it.
func skip(t testing.TB, p *product, version, variable string) {
	t.Helper()
	reason := fmt.Sprintf("no server for %s is installed: run %s, or name one in %s", p.name+version, p.install, variable)
	switch {
	case p.install == "":
		reason = fmt.Sprintf("no server for %s can be started here: name one in %s", p.name+version, variable)
	case unsupported != "":
		reason = fmt.Sprintf("%s: name one in %s", unsupported, variable)
	}
	Lack(t, p.name+version, reason)
}

// Lack skips the test for a reason, or fails it if SLEDGE_TEST_REQUIRE lists the name of what is missing.
func Lack(t testing.TB, name, reason string) {
	t.Helper()
	for required := range strings.SplitSeq(os.Getenv("SLEDGE_TEST_REQUIRE"), ",") {
		if strings.TrimSpace(required) == name {
			t.Fatalf("SLEDGE_TEST_REQUIRE lists %s, but %s", name, reason)
		}
	}
	t.Skip(reason)
}

// shared holds the servers of this test binary that several tests may use.
var shared struct {
	sync.Mutex
	servers map[string]*Server
	errs    map[string]error // errors of servers that failed to start, which are not tried again
	images  map[string]func() (*Server, error)
}

// key returns the key of a server in shared.
func (w wish) key(p *product) string {
	return p.name + " " + w.version + " " + strings.Join(w.settings, "\n") + " " + w.filling
}

func openShared(t testing.TB, p *product, w wish, variable string) *Server {
	t.Helper()
	key := w.key(p)
	shared.Lock()
	defer shared.Unlock()
	if s := shared.servers[key]; s != nil {
		if s.hasExited() {
			t.Fatalf("the %s server that tests share has ended:\n%s", p.name, s.logTail())
		}
		return s
	}
	if err := shared.errs[key]; err != nil {
		t.Fatal(err)
	}
	program, ok := find(p, w.version)
	if !ok {
		skip(t, p, w.version, variable)
	}
	s, err := start(p, program, w.settings, nil)
	if err != nil {
		if shared.errs == nil {
			shared.errs = map[string]error{}
		}
		shared.errs[key] = err
		t.Fatal(err)
	}
	if shared.servers == nil {
		shared.servers = map[string]*Server{}
	}
	shared.servers[key] = s
	return s
}

// filled returns a stopped server with the filling. The first call creates it.
func filled(p *product, found program, w wish) (*Server, error) {
	w.settings = nil
	shared.Lock()
	image := shared.images[w.key(p)]
	if image == nil {
		image = sync.OnceValues(func() (*Server, error) {
			s, err := start(p, found, w.settings, nil)
			if err != nil {
				return nil, err
			}
			err = w.fill(s)
			if err == nil {
				err = s.stop(Fast)
			}
			if err != nil {
				s.close()
				return nil, fmt.Errorf("fill a %s server with %s: %w", p.name, w.filling, err)
			}
			return s, nil
		})
		if shared.images == nil {
			shared.images = map[string]func() (*Server, error){}
		}
		shared.images[w.key(p)] = image
	}
	shared.Unlock()
	return image()
}

// Main runs the tests of a package, and then ends the servers that they shared. A package that
// calls Open must call it:
//
//	func TestMain(m *testing.M) { testserver.Main(m) }
//
// Without it, the servers end shortly after the test binary, when the next package's tests may
// already need the machine.
//
// Main also removes the program that Program has built, and prepares signals: see listenToSignals.
func Main(m *testing.M) {
	listenToSignals()
	code := m.Run()
	removeProgram()
	shared.Lock()
	var ending sync.WaitGroup
	for _, s := range shared.servers {
		ending.Go(s.close)
	}
	for _, image := range shared.images {
		if s, err := image(); err == nil {
			ending.Go(s.close)
		}
	}
	ending.Wait()
	os.Exit(code)
}

// start creates a server's folder with a copy of the image's data, or with new data if image is
// nil, starts the server, and waits until it accepts connections.
func start(p *product, found program, settings []string, image *Server) (*Server, error) {
	s := &Server{
		Database:    p.name,
		Version:     found.version,
		Host:        "127.0.0.1",
		Superuser:   p.superuser,
		Password:    p.password,
		product:     p,
		maintenance: p.superuser,
		sslMode:     "disable",
		settings:    settings,
		program:     found.path,
		installed:   found.path,
		image:       image,
	}
	if err := s.makeFolder(); err != nil {
		return nil, fmt.Errorf("make a folder for a %s server: %w", p.name, err)
	}
	s.Dir = filepath.Join(s.folder, "data")
	s.Socket = p.socket(s.folder)
	if err := p.setUp(s); err != nil {
		s.close()
		return nil, fmt.Errorf("set up a %s server: %w", p.name, err)
	}
	if err := s.firstStart(); err != nil {
		s.close()
		return nil, fmt.Errorf("start a %s server: %w", p.name, err)
	}
	return s, nil
}

// create fills the data folder with the image, or with the product's own program. inputs are the
// texts, beside the arguments, that decide what the program makes.
//
// An empty data folder takes more CPU time to make than to copy, so all test binaries of a clone
// share one for each program and its arguments. They are in the project's .cache/data.
func (s *Server) create(inputs, path string, arguments ...string) error {
	if s.image != nil {
		return s.run("", "cp", "-R", s.image.Dir, s.Dir)
	}
	made := s.madeFolder(inputs, path, arguments)
	if _, err := os.Stat(made); err == nil {
		return copyFolder(made, s.Dir)
	}
	if err := s.run("", path, arguments...); err != nil || made == "" {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(made), 0o755); err != nil {
		return err
	}
	making, err := os.MkdirTemp(filepath.Dir(made), "making-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(making)
	if err := copyFolder(s.Dir, filepath.Join(making, "data")); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(making, "data"), made); err != nil {
		if _, there := os.Stat(made); there != nil { // otherwise another test binary made it meanwhile
			return err
		}
	}
	return nil
}

// madeFolder returns the folder of an empty data folder for a program and its arguments, or "" outside
// the project's tree.
func (s *Server) madeFolder(inputs, path string, arguments []string) string {
	root := ownCache()
	info, err := os.Stat(s.installed)
	if err != nil || root == "" {
		return ""
	}
	inputs += fmt.Sprintf("\n%s %d %s\n%s\n%s", s.installed, info.Size(), info.ModTime().UTC(), filepath.Base(path), strings.Join(arguments, "\n"))
	sum := sha256.Sum256([]byte(strings.ReplaceAll(inputs, s.folder, "")))
	return filepath.Join(root, "data", s.Database+"-"+hex.EncodeToString(sum[:8]))
}

// copyFolder copies a folder with the owners of its files.
func copyFolder(from, to string) error {
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("copy %s: %w\n%s", from, err, out)
	}
	return nil
}

// firstStart chooses a port and starts the server on it. It tries another port if a process takes
// the port meanwhile.
func (s *Server) firstStart() error {
	var err error
	for range 5 {
		if s.Port, err = freePort(); err != nil {
			return err
		}
		err = s.startAndWait(s.product.firstArguments(s))
		if err == nil || !strings.Contains(s.logTail(), "ddress already in use") {
			return err
		}
	}
	return err
}

func (s *Server) startAndWait(arguments []string) error {
	if err := s.launch(arguments); err != nil {
		return err
	}
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(20 * time.Millisecond) {
		if s.hasExited() {
			return fmt.Errorf("%s ended at once; its log says:\n%s", s.program, s.logTail())
		}
		if s.product.ready(s) {
			return nil
		}
	}
	return fmt.Errorf("%s is not ready after %v; its log says:\n%s", s.program, patience, s.logTail())
}

// Mode selects how a server stops, in the words of pg_ctl.
type Mode int

// Smart waits until the clients have disconnected, Fast disconnects them, and Immediate kills the
// server, so that the next start must recover. For products without Smart, such as MariaDB and
// MySQL, it is Fast.
const (
	Smart Mode = iota
	Fast
	Immediate
)

// Stop ends the server and waits until it has ended. The test fails if that takes more than a
// minute. Stop, Start, Freeze and Thaw need a server opened with Own. Any goroutine may call them,
// but only one at a time.
func (s *Server) Stop(mode Mode) {
	t := s.owner("Stop")
	if err := s.stop(mode); err != nil {
		t.Errorf("stop the %s server: %v", s.Database, err)
	}
}

// Start starts the server again after Stop, on the same port and data, and waits until it accepts
// connections.
func (s *Server) Start() {
	t := s.owner("Start")
	if err := s.startAndWait(s.product.arguments(s)); err != nil {
		t.Errorf("start the %s server again: %v", s.Database, err)
	}
}

// Freeze stops the server's processes, as if its machine hung: connections stay open, without
// responses, until Thaw.
func (s *Server) Freeze() {
	t := s.owner("Freeze")
	if err := s.freeze(); err != nil {
		t.Errorf("freeze the %s server: %v", s.Database, err)
	}
}

// Thaw continues the server's processes after Freeze.
func (s *Server) Thaw() {
	t := s.owner("Thaw")
	if err := s.thaw(); err != nil {
		t.Errorf("thaw the %s server: %v", s.Database, err)
	}
}

// owner returns the test that the server belongs to.
func (s *Server) owner(action string) testing.TB {
	if s.test == nil {
		panic("testserver: " + action + " needs a server that was opened with testserver.Own()")
	}
	return s.test
}

// Values returns the options for connecting to the server as its superuser: host, port, user, ...
// They also work for databases of compatible products.
func (s *Server) Values() map[string]string { return s.product.values(s) }

// DataSource returns the data source name for Go's driver, to connect to a database of the server
// as its superuser: a URL for pgx, and a DSN for MySQL's driver. If database is empty, it names a
// database that every server has; for MySQL, it names none.
func (s *Server) DataSource(database string) string { return s.product.dataSource(s, database) }

// Tool returns the path of a program that was installed with the server, such as pgbench.
func (s *Server) Tool(name string) string { return filepath.Join(filepath.Dir(s.installed), name) }

// Log returns the server's log so far.
func (s *Server) Log() string {
	log, err := os.ReadFile(s.logFile())
	if err != nil {
		s.owner("Log").Fatal(err)
	}
	return string(log)
}

// logTail returns the last lines of the server's log.
func (s *Server) logTail() string {
	log, err := os.ReadFile(s.logFile())
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

func (s *Server) logFile() string { return filepath.Join(s.folder, "log") }

// SkipSQLiteUnderRace skips a test that loads a schema into SQLite or reads a whole schema, if the
// race detector is on.
func SkipSQLiteUnderRace(t testing.TB) {
	t.Helper()
	if UnderRace {
		t.Skip("the race detector would take minutes for SQLite")
	}
}
