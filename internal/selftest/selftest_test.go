package selftest

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"sledge/internal/catalog/edition"
	"sledge/internal/database"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/settings"
	"sledge/internal/suite"
	"sledge/internal/testserver"
	"sledge/internal/workload"
)

func TestMain(m *testing.M) { testserver.Main(m) }

// prepared returns a short self-test of one variant of one workload.
func prepared(t *testing.T, d, w, variant string, values option.Values) *Test {
	t.Helper()
	b := Resolver(settings.Resolver{Catalog: edition.Catalog})
	s := settings.Sources{Flags: map[string]string{"db": d, "workload": w}}
	for name, value := range values {
		s.Set = append(s.Set, name+"="+value)
	}
	test, err := Prepare(b, s, func(_ settings.Sources, order settings.Order) (settings.Order, error) { return order, nil })
	if err != nil {
		t.Fatal(err)
	}
	test.Version, test.Measured, test.StepLimit = "test", time.Second, time.Minute
	test.Began = func(string) {}
	test.Ended = func(s Step) {
		if s.Outcome != Passed && s.Outcome != Skipped {
			t.Logf("%s: %s %q", s.Name, s.Outcome, s.Says)
		}
	}
	test.chosen = func(v workload.Variant) bool { return strings.Contains(variant, v.Name) }
	return test
}

// server returns the option values to connect to a server with an account that may create
// databases.
func server(t *testing.T) option.Values {
	t.Helper()
	values := testserver.Open(t, "postgresql").Values()
	return option.Values{"host": values["host"], "port": values["port"], "superuser": values["superuser"], "superuser_password": values["superuser_password"]}
}

// gone fails the test if the owner can still log in.
func gone(t *testing.T, test *Test) {
	t.Helper()
	p := test.plan()
	if s, err := p.Database.Sessions.Connect(context.Background(), p.Connection, database.Owner); err == nil {
		t.Errorf("%s is still there", p.Database.Options.Target(p.Connection))
		_ = s.Close()
	}
}

func TestSelftest_GivesAnEmbeddedDatabaseItsOwnFile(t *testing.T) {
	test := prepared(t, "sqlite", "tproch", "queries and refreshes", option.Values{"busy_timeout": "5000"})
	if err := test.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	folder := test.folder
	r := test.Run(t.Context())
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder %s is still there: %v", folder, err)
	}
	if n := r.Count(Passed) + r.Count(Skipped); n != len(r.Steps) || n < 20 || r.Server == "" {
		t.Errorf("got %+v, want all steps passed or skipped, and the version", r)
	}
	document, err := json.Marshal(r)
	if err != nil || strings.Contains(string(document), filepath.Base(folder)) {
		t.Errorf("%v, or the report names the file: %s", err, document)
	}
}

// If a server refuses a stored routine, here with an error of 40 MB, the report contains the error,
// and the workload is tested without routines.
func TestSelftest_LeavesTheServerAsItWas(t *testing.T) {
	test := prepared(t, "postgresql", "tprocc", "routines, client SQL", server(t))
	pair := &test.orders[0].Plan.Pair
	broken := *pair.Database
	const raise = "DO $$ BEGIN RAISE EXCEPTION USING MESSAGE = 'NONSENSE' || repeat('x', 20000000), DETAIL = repeat('y', 20000000); END $$\n/\n"
	broken.SQL = overlaid{broken.SQL, fstest.MapFS{"sql/tprocc/routines.sql": {Data: []byte(raise)}}}
	pair.Database = &broken
	if err := test.Look(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := test.Run(t.Context())
	gone(t, test)
	said := map[string]Step{}
	for _, s := range r.Steps {
		said[s.Name] = s
		if s.Outcome != Passed && s.Name != "TPROC-C / routines / build" {
			t.Errorf("got %+v, want it to pass", s)
		}
	}
	failed, client := said["TPROC-C / routines / build"], said["TPROC-C / client SQL / run"]
	if failed.Outcome != Failed || !strings.Contains(strings.Join(failed.Says, " "), "NONSENSE") || client.Outcome != Passed || len(client.Notes) == 0 || r.Count(Failed) != 1 {
		t.Errorf("got %+v, want the build to fail with the server's words, and client SQL to run", r.Steps)
	}
	if r.Server == "" || len(r.Settings) == 0 || len(r.LeftBehind) > 0 || r.Stopped {
		t.Errorf("got %+v, want the server's version and settings, and nothing left behind", r)
	}
	document, err := json.Marshal(r)
	text := r.Markdown()
	if err != nil || len(document) > 64<<10 || len(text) > 64<<10 {
		t.Errorf("%v: the report has %d bytes in JSON and %d as text, want less", err, len(document), len(text))
	}
	for _, want := range []string{"# Self-test of Sledge test on PostgreSQL", "| ok | ", "sessions / loads", "- Server: " + r.Server} {
		if !strings.Contains(text, want) {
			t.Errorf("got no %q in %s", want, text)
		}
	}
}

// overlaid is a file system with some files replaced.
type overlaid struct {
	fs.FS
	over fstest.MapFS
}

func (o overlaid) Open(name string) (fs.File, error) {
	if _, is := o.over[name]; is {
		return o.over.Open(name)
	}
	return o.FS.Open(name)
}

func (o overlaid) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(o.FS, name) }

// lateSession is a session of a server that creates a table although the statement was cancelled.
type lateSession struct {
	database.Session
	cancel func()
}

func (s lateSession) Exec(ctx context.Context, statement string) error {
	err := s.Session.Exec(ctx, statement)
	if err == nil && strings.HasPrefix(statement, "CREATE TABLE sledge_test_") {
		s.cancel()
		return context.Canceled
	}
	return err
}

func TestSelftest_RemovesATableWhoseCreationWasCancelledTooLate(t *testing.T) {
	test := prepared(t, "postgresql", "tprocc", "routines", server(t))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	pair := &test.orders[0].Plan.Pair
	late := *pair.Database
	connect := late.Sessions.Connect
	late.Sessions.Connect = func(ctx context.Context, options any, as database.Role) (database.Session, error) {
		session, err := connect(ctx, options, as)
		if err != nil || as != database.Owner {
			return session, err
		}
		return lateSession{session, stop}, nil
	}
	pair.Database = &late
	r := test.Run(ctx)
	gone(t, test)
	if !r.Stopped || len(r.LeftBehind) > 0 {
		t.Errorf("got %+v, want all removed", r)
	}
}

func TestSelftest_RemovesItsObjectsWhenStopped(t *testing.T) {
	for _, at := range []string{"sessions / loads", "TPROC-C / routines / build", "TPROC-C / routines / rows"} {
		test := prepared(t, "postgresql", "tprocc", "routines", server(t))
		ctx, stop := context.WithCancel(t.Context())
		test.Began = func(name string) {
			if name == at {
				time.AfterFunc(300*time.Millisecond, stop)
			}
		}
		r := test.Run(ctx)
		gone(t, test)
		if last := r.Steps[len(r.Steps)-1]; !r.Stopped || len(r.LeftBehind) > 0 || last.Name != "removes what it created" || last.Outcome != Passed {
			t.Errorf("stopped at %s: got %+v, want all removed", at, r)
		}
		stop()
	}
}

func TestSelftest_LeavesExistingObjects(t *testing.T) {
	values := server(t)
	test := prepared(t, "postgresql", "tprocc", "routines", values)
	p := test.plan()
	if err := p.Database.Container.Create(t.Context(), p.Connection, func(job.Event) {}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		tried(context.Background(), runner{limit: time.Minute, grace: time.Minute}, func(r *runner) {
			r.run(r.ctx, "removes", func(step suite.T) {
				if left := test.remove(step); len(left) > 0 {
					t.Error(left)
				}
			})
		})
		gone(t, test)
	}()
	s, err := p.Database.Sessions.Connect(t.Context(), p.Connection, database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	for _, tt := range []struct {
		make, drop, name string
		refused          string // "" if the database is free
	}{
		{"CREATE TABLE sledge_test_load (id INTEGER)", "DROP TABLE sledge_test_load", "", ""}, // left by a killed self-test
		{"CREATE TABLE mine (id INTEGER)", "DROP TABLE mine", "", "table mine"},
		{"CREATE TABLE sledge_test_load (id INTEGER)", "DROP TABLE sledge_test_load", "another_name", "table sledge_test_load"},
	} {
		if err := s.Exec(t.Context(), tt.make); err != nil {
			t.Fatal(err)
		}
		at := test
		if tt.name != "" {
			at = prepared(t, "postgresql", "tprocc", "routines", values)
			named := *at.plan().Database
			named.Options.SchemaName = func(any) database.SchemaName { return database.SchemaName{Name: tt.name, Owner: tt.name} }
			at.orders[0].Plan.Database = &named
		}
		err := at.Look(t.Context())
		if free := tt.refused == ""; free != (err == nil) || !free && (job.ExitOf(err) != job.ExitExists || !strings.Contains(err.Error(), tt.refused)) {
			t.Errorf("%s: got %v, want %q", tt.make, err, tt.refused)
		}
		if err := s.Exec(t.Context(), tt.drop); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(t.TempDir(), "mine.db")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := prepared(t, "sqlite", "tprocc", "", option.Values{"file": file}).Look(t.Context()); job.ExitOf(err) != job.ExitExists {
		t.Errorf("an existing file: got %v, want exit code %d", err, job.ExitExists)
	}
}

// A database whose account cannot log in does not belong to a self-test, even if it is empty.
func TestSelftest_LeavesAForeignDatabase(t *testing.T) {
	test := prepared(t, "postgresql", "tprocc", "routines", server(t))
	p := test.plan()
	admin, err := p.Database.Sessions.Connect(t.Context(), p.Connection, database.Admin)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Close() }()
	if err := test.Look(t.Context()); err != nil {
		t.Errorf("got %v without a database", err)
	}
	if err := admin.Exec(t.Context(), "CREATE DATABASE "+Name); err != nil {
		t.Fatal(err)
	}
	if err := test.Look(t.Context()); job.ExitOf(err) != job.ExitExists {
		t.Errorf("got %v, want exit code %d", err, job.ExitExists)
	}
	if err := admin.Exec(t.Context(), "DROP DATABASE "+Name); err != nil {
		t.Error(err)
	}
}

// If Sledge can neither create nor drop databases on a server, a missing database ends the test
// before the confirmation, and an existing one stays, with its account.
func TestSelftest_RequiresADatabaseIfItCannotCreateOne(t *testing.T) {
	test := prepared(t, "postgresql", "tprocc", "routines", server(t))
	pair := &test.orders[0].Plan.Pair
	maker := *pair.Database
	unmade := maker
	unmade.Container.Create, unmade.Container.Drop = nil, nil
	unmade.Sessions.Connect = func(ctx context.Context, options any, as database.Role) (database.Session, error) {
		s, err := maker.Sessions.Connect(ctx, options, as)
		if err != nil {
			return nil, database.Missing(errors.New("make it by createdb"))
		}
		return s, nil
	}
	pair.Database = &unmade
	if err := test.Look(t.Context()); job.ExitOf(err) != job.ExitConnect || !strings.Contains(err.Error(), "make it by createdb") {
		t.Errorf("got %v, want exit code %d and advice", err, job.ExitConnect)
	}
	connection := test.plan().Connection
	if err := maker.Container.Create(t.Context(), connection, func(job.Event) {}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := maker.Container.Drop(context.Background(), connection, database.DropOptions{Leftover: true}); err != nil {
			t.Error(err)
		}
		gone(t, test)
	}()
	if err := test.Look(t.Context()); err != nil {
		t.Errorf("got %v for an empty database", err)
	}
	if got, want := test.Makes(), ", which is empty and stays."; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	tried(t.Context(), runner{limit: time.Minute, grace: time.Minute}, func(r *runner) {
		r.run(r.ctx, "removes", func(step suite.T) {
			if left := test.remove(step); len(left) > 0 {
				t.Errorf("an empty database that stays is reported as left behind: %q", left)
			}
		})
	})
}

func TestReport_NamesNoMachineAndNoPassword(t *testing.T) {
	const password = "p ss/w'rd"
	values := option.Values{"host": "db7.example.com,db8.example.com:5433,q1", "user": "ann", "password": password, "superuser_password": "other-secret"}
	test := prepared(t, "postgresql", "tprocc", "", values)
	said := []string{
		`connect to db8.example.com:5433: password "p ss/w'rd" of ann, as in postgres://ann:p%20ss%2Fw%27rd@db7.example.com/x`,
		"other-secret p+ss%2Fw%27rd",
		"connect to PostgreSQL at q1:5432: q12 is not a machine",
		"dial tcp 10.98.76.54:5432: connection refused; Access denied for user 'ann'@'client7.example.com'",
	}
	test.servers = []string{"10.98.76.54"}
	r := test.publish(Report{Options: map[string]string{}, Steps: []Step{test.cleaned(Step{Says: said}, test.WithHosts)}, Settings: map[string]string{"data_directory": "on db7.example.com"}})
	document, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{string(document), r.Markdown()} {
		for _, secret := range []string{"example", password, "p%20ss", "p+ss", "other-secret", "10.98.76.54", "q1:"} {
			if strings.Contains(text, secret) {
				t.Errorf("got %q in %s", secret, text)
			}
		}
		if !strings.Contains(text, "ann") || !strings.Contains(text, "(host)") {
			t.Errorf("got %s, want the rest of it", text)
		}
	}
	test.WithHosts = true
	if s := test.cleaned(Step{Says: []string{"db7.example.com refused other-secret"}}, test.WithHosts); s.Says[0] != "db7.example.com refused (password)" {
		t.Errorf("got %q, want the host in it", s.Says)
	}
}
