// Package testserver gives tests real database servers: one that is named by
// the environment, or one started from installed programs in a temporary
// folder on a free port, or else the test is skipped. It knows no workload and
// speaks no SQL of its own after a server is set up.
//
// SLEDGE_TEST_POSTGRESQL, SLEDGE_TEST_MARIADB and SLEDGE_TEST_MYSQL name a server
// by URL, such as postgres://postgres:secret@127.0.0.1:5432/postgres; with a
// version at the end (SLEDGE_TEST_POSTGRESQL17, SLEDGE_TEST_MYSQL80) they serve
// the tests that ask for that version. SLEDGE_TEST_REQUIRE lists what must not be
// skipped: postgresql,postgresql17,mariadb.
//
// Of products that cannot be installed here there is only a server that is named:
// SLEDGE_TEST_SQLSERVER=sqlserver://sa:secret@127.0.0.1:1433?encrypt=false, and
// SLEDGE_TEST_ORACLE=oracle://system:secret@127.0.0.1:1521/FREEPDB1. Parameters of
// such a URL are options of the database.
//
// No server outlives its test binary, however that ends: each is watched by a
// small shell that ends it, and removes its folder, as soon as the binary is gone.
package testserver

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a server may take to start or to stop. It is far beyond
// what either takes, since a machine that runs many tests at once can be slow.
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
	program     string            // path of the server program
	folder      string            // holds the data folder, the socket and the log
	image       *Server           // stopped; the data folder begins as a copy of its own. nil: as an empty server's
	test        testing.TB
	process
}

// wish is what the caller of Open asks for.
type wish struct {
	version  string
	settings []string
	own      bool
	filling  string
	fill     func(s *Server) error
}

// Option says what kind of server Open should find.
type Option func(*wish)

// Version asks for one version, such as "17", "10.11" or "8.0": more digits in
// the server's own version do not matter.
func Version(version string) Option { return func(w *wish) { w.version = version } }

// Setting gives the server a setting, such as "shared_buffers=256MB", in the
// words of its configuration file.
func Setting(setting string) Option {
	return func(w *wish) { w.settings = append(w.settings, setting) }
}

// Own asks for a server that no other test shares, so that it may be stopped and
// frozen. It ends with the test.
func Own() Option { return func(w *wish) { w.own = true } }

// Filled asks for a server of the test's own, as Own does, that begins with what fill puts into
// it: fill runs once for all tests of a test binary that ask for the same filling of the same
// server, and each of them gets a copy of the data folder. PostgreSQL, MariaDB and MySQL
// can be filled.
func Filled(filling string, fill func(s *Server) error) Option {
	return func(w *wish) { w.own, w.filling, w.fill = true, filling, fill }
}

// Open returns a running server of the database. Tests that ask for the same
// version and settings share one server for as long as the test binary runs, so
// they should keep to databases of their own within it. A test whose wish cannot
// be met here is skipped, or fails if SLEDGE_TEST_REQUIRE lists it.
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
			t.Skipf("this test stops or sets up its server, and the one in %s is not ours to do so", variable)
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

// skip skips the test for want of a server, unless that was forbidden.
func skip(t testing.TB, p *product, version, variable string) {
	t.Helper()
	reason := fmt.Sprintf("no server for %s is installed: run %s, or name one in %s", p.name+version, p.install, variable)
	switch {
	case p.install == "":
		reason = fmt.Sprintf("no server for %s can be started here: name one in %s", p.name+version, variable)
	case unsupported != "":
		reason = fmt.Sprintf("%s: name one in %s", unsupported, variable)
	}
	for required := range strings.SplitSeq(os.Getenv("SLEDGE_TEST_REQUIRE"), ",") {
		if strings.TrimSpace(required) == p.name+version {
			t.Fatalf("SLEDGE_TEST_REQUIRE lists %s, but %s", p.name+version, reason)
		}
	}
	t.Skip(reason)
}

// shared holds the servers of this test binary that several tests may use.
var shared struct {
	sync.Mutex
	servers map[string]*Server
	errs    map[string]error // a server that failed to start is not tried again
	images  map[string]func() (*Server, error)
}

// key tells servers apart that tests may share.
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

// filled returns the stopped server that holds a filling, which it makes at the first call.
func filled(p *product, found program, w wish) (*Server, error) {
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

// Main runs the tests of a package and then ends the servers they shared. A
// package that calls Open calls it too:
//
//	func TestMain(m *testing.M) { testserver.Main(m) }
//
// Without it the servers still end, but a moment after the test binary, while
// the next package's tests already want the machine.
//
// Main also prepares what programs of the tests need: see Program and listenToSignals.
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

// start makes a server's folder, sets it up, as a copy of an image or, with nil, empty, and waits
// until it takes connections.
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

// create fills the data folder with the image, or by the program of the product that does so.
func (s *Server) create(path string, arguments ...string) error {
	if s.image != nil {
		return s.run("", "cp", "-R", s.image.Dir, s.Dir)
	}
	return s.run("", path, arguments...)
}

// firstStart looks for a port and starts the server on it. Another process may take the port in
// between, so it tries again.
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

// Mode says how a server is stopped, in the words of pg_ctl.
type Mode int

// Smart waits for the clients to leave, Fast disconnects them, and Immediate kills the server,
// so the next start has to recover. MariaDB and MySQL have no Smart and use Fast.
const (
	Smart Mode = iota
	Fast
	Immediate
)

// Stop ends the server and returns when it is gone. The test fails if that takes
// more than a minute. Stop, Start, Freeze and Thaw need a server opened with Own
// and may be called from any goroutine, one after another.
func (s *Server) Stop(mode Mode) {
	t := s.owner("Stop")
	if err := s.stop(mode); err != nil {
		t.Errorf("stop the %s server: %v", s.Database, err)
	}
}

// Start starts the server again after Stop, on the same port and data, and
// returns when it takes connections.
func (s *Server) Start() {
	t := s.owner("Start")
	if err := s.startAndWait(s.product.arguments(s)); err != nil {
		t.Errorf("start the %s server again: %v", s.Database, err)
	}
}

// Freeze stops the server's processes, like a machine that hangs: connections stay open without
// responses until Thaw.
func (s *Server) Freeze() {
	t := s.owner("Freeze")
	if err := s.freeze(); err != nil {
		t.Errorf("freeze the %s server: %v", s.Database, err)
	}
}

// Thaw lets the server go on after Freeze.
func (s *Server) Thaw() {
	t := s.owner("Thaw")
	if err := s.thaw(); err != nil {
		t.Errorf("thaw the %s server: %v", s.Database, err)
	}
}

// owner returns the test that the server belongs to.
func (s *Server) owner(action string) testing.TB {
	if s.test == nil {
		panic("testserver: " + action + " needs a server of the test's own: Open(t, ..., testserver.Own())")
	}
	return s.test
}

// Values returns the options that reach the server as its superuser: host, port,
// user, ... Clients of its relatives take the same.
func (s *Server) Values() map[string]string { return s.product.values(s) }

// DataSource returns the name under which Go's driver reaches a database of the
// server as its superuser: a URL for pgx, and what ParseDSN reads for MySQL's. An
// empty name means the database that every server has, or none for MySQL.
func (s *Server) DataSource(database string) string { return s.product.dataSource(s, database) }

// Log returns all that the server has written to its log so far.
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

// SkipSQLiteUnderRace skips a test that loads a schema into SQLite, or reads one whole, if the race
// detector is on.
func SkipSQLiteUnderRace(t testing.TB) {
	t.Helper()
	if UnderRace {
		t.Skip("the race detector would take minutes for SQLite")
	}
}
