package tprocc_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sledge/internal/database"
	"sledge/internal/database/mariadb"
	"sledge/internal/database/postgresql"
	"sledge/internal/database/sqlite"
	"sledge/internal/job"
	"sledge/internal/option"
	"sledge/internal/repository"
	"sledge/internal/suite/workloadtest"
	"sledge/internal/testserver"
)

// TestDelete_ReportsDatabaseAndRole deletes an empty schema and compares the report about the
// database and role around it on PostgreSQL with the result on the server.
func TestDelete_ReportsDatabaseAndRole(t *testing.T) {
	t.Parallel() // PostgreSQL waits for seconds before it refuses to drop a database in use
	server := option.Values(testserver.Open(t, "postgresql", testserver.Own()).Values())
	const byHand = "by hand"
	const byOther = "by another program" // with rows by which HammerDB is recognized
	tests := []struct {
		name   string
		made   string   // byHand, byOther, or by Sledge
		before []string // the superuser's statements, once the schema is there
		change option.Values
		hold   bool // another session stays connected
		exit   job.Exit
		want   []string // lines of the delete, or what is in its error
		left   string   // "", "database", "role" or "database role"
	}{
		{name: "made by Sledge", want: []string{"1 it TPROC-C schema has been deleted successfully.", "1 it TPROC-C role has been deleted successfully.", "the database it, the role it"}},
		{
			name: "made by another program", made: byOther,
			want: []string{
				"1 HammerDB built this schema and does not record what it created, so the database and the account around the schema are dropped as HammerDB does, if they contain nothing else",
				"1 it TPROC-C schema has been deleted successfully.", "1 it TPROC-C role has been deleted successfully.", "the database it, the role it",
			},
		},
		{
			name: "made by hand", made: byHand, before: []string{"ALTER DATABASE it SET work_mem = '16MB'", "CREATE ROLE it_group", "GRANT CONNECT ON DATABASE it TO it_group"},
			want: []string{
				`The database it stays: nothing shows that a build created it; if nothing needs it, drop it with DROP DATABASE "it"`,
				`The role it stays: nothing shows that a build created it; if nothing needs it, drop it with DROP ROLE "it"`,
			},
			left: "database role settings",
		},
		{
			name: "a database made by hand", made: byHand, before: []string{"COMMENT ON ROLE it IS 'made by Sledge'", "GRANT it TO CURRENT_USER"},
			want: []string{`The database it stays: nothing shows`, "The role it stays: it owns or has rights on other objects: owner of database it"}, left: "database role",
		},
		{
			name: "a role made by hand", made: byHand, before: []string{"COMMENT ON DATABASE it IS 'made by Sledge'"},
			want: []string{"the database it", `The role it stays: nothing shows`}, left: "role",
		},
		{name: "a superuser", made: byOther, before: []string{"ALTER ROLE it SUPERUSER"}, want: []string{"the database it", "The role it stays: it is a superuser"}, left: "role"},
		{name: "one who creates roles", before: []string{"ALTER ROLE it CREATEROLE"}, want: []string{"the database it", "The role it stays: it has rights over the server; it can still log in"}, left: "role"},
		{
			name: "one who owns another database", made: byOther, before: []string{"CREATE DATABASE it_too OWNER it"},
			want: []string{"the database it", "The role it stays: it owns or has rights on other objects: owner of database it_too"}, left: "role",
		},
		{
			name: "one of a group", made: byOther, before: []string{"CREATE ROLE it_group", "GRANT it_group TO it"},
			want: []string{"The role it stays: it belongs to it_group"}, left: "role",
		},
		{
			name: "one whose rights others have", made: byOther, before: []string{"CREATE ROLE it_group", "GRANT it TO it_group"},
			want: []string{"The role it stays: other roles have its rights: it_group"}, left: "role",
		},
		{
			name: "one with a comment", made: byOther, before: []string{"COMMENT ON ROLE it IS 'payroll'"},
			want: []string{"The role it stays: it has a comment that Sledge did not write"}, left: "role",
		},
		{
			name: "others connected", hold: true,
			want: []string{"The database it stays: other sessions are connected to it: sledge of postgres (1)", "The role it stays: it owns or has rights on other objects: owner of database it"}, left: "database role",
		},
		{
			name: "without the superuser", change: option.Values{"no_superuser": "true"},
			want: []string{"1 it TPROC-C schema has been deleted successfully.", "The database it stays: no_superuser forbids", "The role it stays: its database stays"}, left: "database role",
		},
		{
			name: "a wrong superuser, made by hand", made: byOther, change: option.Values{"superuser_password": "wrong"},
			want: []string{"The database it stays: connect to PostgreSQL", "superuser_password", "The role it stays"}, left: "database role",
		},
		{
			name: "a wrong superuser, made by Sledge", change: option.Values{"superuser_password": "wrong"}, exit: job.ExitConnect,
			want: []string{"a build created the database, and only the superuser can drop it", "superuser_password", "no_superuser"}, left: "schema database role",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := &place{d: postgresql.Database, values: server.Clone()}
			p.values["user"], p.values["password"], p.values["dbname"] = "it", "it", "it"
			admin, err := p.d.Sessions.Connect(t.Context(), p.plan(t).Connection, database.Admin)
			if err != nil {
				t.Fatal(err)
			}
			defer admin.Close()
			whole := p.values
			t.Cleanup(func() { clearAway(t, &place{d: p.d, values: whole}) })
			if test.made != "" {
				exec(t, admin, "CREATE ROLE it LOGIN PASSWORD 'it'", "CREATE DATABASE it OWNER it")
			} else if err := p.d.Container.Create(t.Context(), p.plan(t).Connection, func(job.Event) {}); err != nil {
				t.Fatal(err)
			}
			var rows []string
			if test.made == byOther {
				rows = []string{"INSERT INTO order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_amount, ol_supply_w_id, ol_quantity, ol_dist_info) VALUES (1, 1, 1, 1, 1, 50, 1, 5, 'far')"}
			}
			p.fill(t, []string{"all"}, rows)
			exec(t, admin, test.before...)
			if test.hold {
				held := p.values.Clone()
				held["superuser_dbname"] = "it"
				s, err := p.d.Sessions.Connect(t.Context(), (&place{d: p.d, values: held}).plan(t).Connection, database.Admin)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
			}
			p.values = p.values.Clone()
			for name, value := range test.change {
				p.values[name] = value
			}
			lines, err := p.do(t, job.Delete)
			if job.ExitOf(err) != test.exit {
				t.Fatalf("got %v, want exit code %d: %q", err, test.exit, lines)
			}
			said := strings.Join(lines, "\n")
			if err != nil {
				said = err.Error()
			}
			for _, want := range test.want {
				if !strings.Contains(said, want) {
					t.Errorf("got %q, want %q in it", said, want)
				}
			}
			p.values = whole
			for kind, query := range map[string]string{"database": "SELECT 1 FROM pg_database WHERE datname = 'it'", "role": "SELECT 1 FROM pg_roles WHERE rolname = 'it'"} {
				if got := some(t, admin, query); got != strings.Contains(test.left, kind) {
					t.Errorf("the %s is still there: %v, want %q left: %q", kind, got, test.left, said)
				}
			}
			if strings.Contains(test.left, "settings") &&
				!some(t, admin, "SELECT 1 FROM pg_database WHERE datname = 'it' AND has_database_privilege('it_group', oid, 'CONNECT') AND datacl::text LIKE '%it_group=%' AND EXISTS (SELECT FROM pg_db_role_setting WHERE setdatabase = pg_database.oid)") {
				t.Error("the database lost its setting or its grant")
			}
			if strings.Contains(test.left, "schema") {
				s := p.connect(t)
				defer s.Close()
				if !some(t, s, "SELECT 1 FROM pg_class WHERE relname = 'item'") {
					t.Error("the schema is gone although the delete was refused")
				}
			}
		})
	}
}

// clearAway drops the databases and roles that a test created.
func clearAway(t *testing.T, p *place) {
	admin, err := p.d.Sessions.Connect(context.Background(), p.plan(t).Connection, database.Admin)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	for _, statement := range []string{
		"DROP DATABASE IF EXISTS it", "DROP DATABASE IF EXISTS it_too", "DROP ROLE IF EXISTS it_group", "DROP ROLE IF EXISTS it",
	} {
		if err := admin.Exec(context.Background(), statement); err != nil {
			t.Error(err)
		}
	}
}

func exec(t *testing.T, s database.Session, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if err := s.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%v\n%s", err, statement)
		}
	}
}

// some reports whether a query returns any row.
func some(t *testing.T, s database.Session, query string) bool {
	t.Helper()
	rows, err := s.Query(t.Context(), query, 1)
	if err != nil {
		t.Fatal(err)
	}
	return len(rows.Rows) > 0
}

// TestRole_OfABuildDoesNotOutliveIt builds in a foreign database: the role that the build
// created goes when the build is refused or its schema deleted.
func TestRole_OfABuildDoesNotOutliveIt(t *testing.T) {
	p := &place{d: postgresql.Database, values: option.Values(testserver.Open(t, "postgresql").Values())}
	p.values["user"], p.values["password"], p.values["dbname"] = "it", "it", "it"
	t.Cleanup(func() { clearAway(t, p) })
	admin, err := p.d.Sessions.Connect(t.Context(), p.plan(t).Connection, database.Admin)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	exec(t, admin, "CREATE DATABASE it")
	shop := &place{d: p.d, values: p.values.Clone()}
	shop.values["superuser_dbname"] = "it"
	theirs, err := p.d.Sessions.Connect(t.Context(), shop.plan(t).Connection, database.Admin)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	const role = "SELECT 1 FROM pg_roles WHERE rolname = 'it'"

	exec(t, theirs, "CREATE TABLE customer (id integer)")
	if _, err := p.do(t, job.Build); job.ExitOf(err) != job.ExitExists {
		t.Errorf("a build beside a foreign customer: got %v, want exit code %d", err, job.ExitExists)
	}
	if some(t, admin, role) {
		t.Error("a build that was refused left its role")
	}

	exec(t, theirs, "ALTER TABLE customer RENAME TO clients")
	if err := p.d.Container.Create(t.Context(), p.plan(t).Connection, func(job.Event) {}); err != nil {
		t.Fatal(err)
	}
	p.fill(t, []string{"all"}, nil)
	lines, err := p.do(t, job.Delete)
	if err != nil || !slices.Contains(lines, "1 The database it stays: it also holds table clients") || !slices.Contains(lines, "1 it TPROC-C role has been deleted successfully.") {
		t.Errorf("got %v and %q, want the role to go and the database to stay", err, lines)
	}
	if some(t, admin, role) || !some(t, theirs, "SELECT 1 FROM pg_class WHERE relname = 'clients'") {
		t.Error("the role is still there, or the foreign table is not")
	}
}

func TestBuild_RefusesDatabasesOfTheServerAndOfSledge(t *testing.T) {
	for _, test := range []struct {
		place *place
		exit  job.Exit
		want  string
	}{
		{&place{d: postgresql.Database, values: option.Values{"dbname": "template1"}}, job.ExitUsage, "dbname"},
		{&place{d: postgresql.Database, values: option.Values{"dbname": "template0"}}, job.ExitUsage, "dbname"},
		{&place{d: mariadb.Database, values: option.Values{"dbname": "mysql"}}, job.ExitUsage, "dbname"},
		{&place{d: mariadb.Database, values: option.Values{"dbname": "Performance_Schema"}}, job.ExitUsage, "dbname"},
		{&place{d: sqlite.Database, values: option.Values{"file": repositoryPath(t)}}, job.ExitExists, "Sledge's own jobs"},
	} {
		for name, value := range workloadtest.Server(t, test.place.d, "") {
			if _, set := test.place.values[name]; !set {
				test.place.values[name] = value
			}
		}
		if _, err := test.place.do(t, job.Build); job.ExitOf(err) != test.exit || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: got %v, want exit code %d and %q", test.place.values, err, test.exit, test.want)
		}
		if _, err := test.place.do(t, job.Delete); err == nil {
			t.Errorf("%v: it was deleted", test.place.values)
		}
	}
}

// repositoryPath makes a repository of jobs.
func repositoryPath(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "jobs.db")
	store, err := repository.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// The database that administrators connect to is emptied and never dropped.
func TestDelete_EmptiesTheAdministratorsDatabase(t *testing.T) {
	p := &place{d: postgresql.Database, values: option.Values(testserver.Open(t, "postgresql", testserver.Own()).Values())}
	p.values["dbname"], p.values["user"], p.values["password"] = "postgres", p.values["superuser"], p.values["superuser_password"]
	p.fill(t, []string{"all"}, nil)
	lines, err := p.do(t, job.Delete)
	if err != nil || !slices.Contains(lines, "1 The database postgres stays: the server's administrators connect to it") ||
		!slices.Contains(lines, "1 The role postgres stays: Sledge is connected as it") {
		t.Errorf("got %v and %q, want database and role to stay", err, lines)
	}
}
