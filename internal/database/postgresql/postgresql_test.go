package postgresql_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/database/postgresql"
	"sledge/internal/job"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/sqlfile"
	"sledge/internal/suite/databasetest"
	"sledge/internal/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

func TestPostgreSQL(t *testing.T) {
	for _, version := range []string{"", "17", "18"} {
		t.Run("version "+version, func(t *testing.T) {
			server := testserver.Open(t, "postgresql", testserver.Version(version))
			databasetest.Run(t, postgresql.Database, server.Values())
		})
	}
}

func TestPostgreSQLThroughItsSocket(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	if server.Socket == "" {
		t.Skip("the server's socket is not known")
	}
	session := connect(t, with(server.Values(), "host", server.Socket), database.Owner)
	wantRows(t, session, "SELECT inet_client_addr() IS NULL", "t")
}

func TestEnvironmentDoesNotOverruleOptions(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	values := server.Values()
	_ = connect(t, values, database.Owner) // creates the account and the database
	for name, value := range map[string]string{
		"PGHOST": "192.0.2.1", "PGPORT": "1", "PGUSER": "nobody", "PGPASSWORD": "wrong", "PGDATABASE": "nowhere",
		"PGSSLMODE": "verify-full", "PGOPTIONS": "-c work_mem=7MB", "PGAPPNAME": "another", "PGTZ": "Asia/Tokyo",
		"PGTARGETSESSIONATTRS": "standby",
	} {
		t.Setenv(name, value)
	}
	session := connect(t, values, database.Owner)
	wantRows(t, session, "SELECT current_user, current_setting('application_name'), current_setting('TimeZone'), current_setting('work_mem') <> '7MB'",
		"tpcc|sledge|UTC|t")
}

func TestConnect_ExplainsMissingEncryption(t *testing.T) {
	server := testserver.Open(t, "postgresql") // a server that the tests started does not encrypt
	if server.Dir == "" {
		t.Skip("it is not known whether the server encrypts")
	}
	for _, tt := range []struct{ option, value, want string }{
		{"ssl_mode", "require", "ssl_mode"},
		{"ssl_mode", "verify-full", "ssl_mode"},
		{"ssl_ca", "/nowhere/ca.pem", "ssl_ca"},
	} {
		values := with(with(server.Values(), "ssl_mode", "verify-ca"), tt.option, tt.value)
		_, err := postgresql.Database.Sessions.Connect(t.Context(), bind(t, values), database.Owner)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %s: got %q, want one line that names %s", tt.option, tt.value, err, tt.want)
		}
	}
	_ = connect(t, with(server.Values(), "ssl_mode", "prefer"), database.Owner)
}

func TestCommit_FailsAfterFailedStatement(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	session := connect(t, server.Values(), database.Owner)
	ctx := t.Context()
	if err := session.Begin(ctx, database.ReadWrite); err != nil {
		t.Fatal(err)
	}
	if err := session.Exec(ctx, "SELECT 1/0"); err == nil {
		t.Fatal("a division by zero succeeded")
	}
	if err := session.Commit(ctx); err == nil || !strings.Contains(err.Error(), "rolled back") {
		t.Errorf("got %v, want an error that says it was rolled back", err)
	}
	if err := session.Rollback(ctx); err != nil {
		t.Error(err)
	}
}

func TestSession_EndsAtATooLongMessage(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	for _, text := range []string{
		"SELECT repeat('x', 2000000)",
		"DO $$ BEGIN RAISE EXCEPTION '%', repeat('x', 2000000); END $$",
		"DO $$ BEGIN RAISE NOTICE '%', repeat('x', 2000000); END $$",
	} {
		executed := connect(t, server.Values(), database.Owner).Exec(t.Context(), text)
		_, asked := connect(t, server.Values(), database.Owner).Query(t.Context(), text, 1)
		statement, err := connect(t, server.Values(), database.Owner).Prepare(t.Context(), sqlfile.Query{Name: "long", Text: text}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, ran := statement.Run(t.Context(), nil)
		for _, err := range []error{executed, asked, ran} {
			if !errors.Is(err, database.ErrTooLong) || postgresql.Database.Sessions.Classify(err) != meter.Connection {
				t.Errorf("%s: got %.300v, want %v", text, err, database.ErrTooLong)
			}
		}
	}
}

func TestBegin_IsSentWithFirstStatement(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	session, other := connect(t, server.Values(), database.Owner), connect(t, server.Values(), database.Owner)
	ctx := t.Context()
	pid := rows(t, session, "SELECT pg_backend_pid()")[0]
	state := "SELECT state FROM pg_stat_activity WHERE pid = " + pid
	statement, err := session.Prepare(ctx, sqlfile.Query{Name: "one", Text: "SELECT 1"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // BEGIN is prepared the first time
		if err := session.Begin(ctx, database.ReadWrite); err != nil {
			t.Fatal(err)
		}
		wantRows(t, other, state, "idle")
		if _, err := statement.Run(ctx, nil); err != nil {
			t.Fatal(err)
		}
		wantRows(t, other, state, "idle in transaction")
		if err := session.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		wantRows(t, other, state, "idle")
	}
}

func TestRunAllocatesNothing(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	session := connect(t, server.Values(), database.Owner)
	type values struct {
		A int64               `sql:"a"`
		B float64             `sql:"b"`
		C string              `sql:"c"`
		D []byte              `sql:"d"`
		E time.Time           `sql:"e"`
		F sql.Null[int64]     `sql:"f"`
		G sql.Null[time.Time] `sql:"g"`
	}
	moment := time.Date(2024, 2, 29, 23, 59, 58, 123456000, time.UTC)
	in := values{1234567, 2.5, "text", []byte{0, 255}, moment, sql.Null[int64]{V: 7, Valid: true}, sql.Null[time.Time]{}}
	out := values{G: sql.Null[time.Time]{V: moment, Valid: true}}
	q, err := sqlfile.Parse("values", `SELECT CAST(:a AS integer) AS a, CAST(:b AS numeric) AS b, CAST(:c AS text) AS c,
		CAST(:d AS bytea) AS d, CAST(:e AS timestamptz) AS e, CAST(:f AS bigint) AS f, CAST(:g AS timestamp) AS g`, postgresql.Database.Dialect.Placeholder)
	if err != nil {
		t.Fatal(err)
	}
	statement, err := session.Prepare(t.Context(), q, &in, &out)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	allocations := testing.AllocsPerRun(200, func() {
		in.A++
		if err := session.Begin(ctx, database.ReadWrite); err != nil {
			t.Fatal(err)
		}
		if n, err := statement.Run(ctx, nil); err != nil || n != 1 || out.A != in.A || out.B != in.B || out.C != in.C ||
			!bytes.Equal(out.D, in.D) || !out.E.Equal(in.E) || out.F != in.F || out.G != in.G {
			t.Fatalf("got %d rows, %+v, %v; want one of %+v", n, out, err, in)
		}
		if err := session.Commit(ctx); err != nil {
			t.Fatal(err)
		}
	})
	if allocations != 0 {
		t.Errorf("got %v allocations for a transaction, want 0", allocations)
	}
}

func TestCreateAndDrop(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	ctx := t.Context()
	account := option.Values{"user": "sledge maker", "password": `o'dd "pass\word`, "dbname": "sledge made"}
	values := option.Values(server.Values()).Clone()
	for name, value := range account {
		values[name] = value
	}
	d := postgresql.Database

	err := d.Container.Create(ctx, bind(t, with(values, "no_superuser", "true")), func(job.Event) {})
	if err == nil || !strings.Contains(err.Error(), "no_superuser") {
		t.Errorf("create without a superuser: got %v, want an error about no_superuser", err)
	}
	if _, err := d.Sessions.Connect(ctx, bind(t, with(values, "no_superuser", "true")), database.Admin); err == nil {
		t.Error("connected as superuser in spite of no_superuser")
	}
	if err := d.Container.Create(ctx, bind(t, values), func(job.Event) {}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := d.Container.Drop(context.Background(), bind(t, values), database.DropOptions{}); err != nil {
			t.Error(err)
		}
	})
	if err := d.Container.Create(ctx, bind(t, with(values, "no_superuser", "true")), func(job.Event) {}); err != nil {
		t.Errorf("create when everything exists: %v", err)
	}
	values["password"] = "another"
	if err := d.Container.Create(ctx, bind(t, values), func(job.Event) {}); err != nil {
		t.Errorf("create with a new password: %v", err)
	}

	session, err := d.Sessions.Connect(ctx, bind(t, values), database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Exec(ctx, "CREATE TABLE t (x integer)"); err != nil {
		t.Error(err)
	}
	for _, dry := range []bool{true, false} {
		fates, err := d.Container.Drop(ctx, bind(t, values), database.DropOptions{Dry: dry})
		if err != nil || len(fates) != 2 || fates[0].Stays != "other sessions are connected to it: sledge of sledge maker (1)" || !strings.Contains(fates[1].Stays, `DROP ROLE "sledge maker"`) {
			t.Errorf("drop while a session is connected: got %+v and %v, want both to stay, with the reasons", fates, err)
		}
	}
	if err := session.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time, there is nothing to drop
		if _, err := d.Container.Drop(ctx, bind(t, values), database.DropOptions{}); err != nil {
			t.Errorf("drop: %v", err)
		}
	}
	admin := connect(t, server.Values(), database.Admin)
	wantRows(t, admin, "SELECT count(*) FROM pg_roles, pg_database WHERE rolname = 'sledge maker' OR datname = 'sledge made'", "0")
}

func TestCreateAndDrop_BesideOthers(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	values := with(with(server.Values(), "user", "sledge_beside"), "dbname", "sledge_beside")
	databasetest.Beside(t, postgresql.Database, func() any { return bind(t, values) })
}

func TestConnect_ReportsMissingUser(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	for _, tt := range []struct {
		name    string
		values  option.Values
		missing bool
	}{
		{"no user", with(server.Values(), "user", "sledge_nobody"), true},
		{"no user and no database", with(with(server.Values(), "user", "sledge_nobody"), "dbname", "sledge_nowhere"), true},
		{"no superuser", with(with(server.Values(), "user", "sledge_nobody"), "no_superuser", "true"), false},
		{"a wrong password", with(server.Values(), "password", "wrong"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_ = connect(t, server.Values(), database.Owner) // creates the account and the database
			_, err := postgresql.Database.Sessions.Connect(t.Context(), bind(t, tt.values), database.Owner)
			_, refused := errors.AsType[*database.PasswordError](err)
			if errors.Is(err, database.ErrMissing) != tt.missing || errors.Is(err, database.ErrNoAccount) != tt.missing || refused == tt.missing {
				t.Errorf("got %v, want ErrMissing: %v", err, tt.missing)
			}
		})
	}
}

func TestCreate_UsesAnExistingDatabase(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	ctx := t.Context()
	admin := connect(t, server.Values(), database.Admin)
	for _, statement := range []string{"CREATE DATABASE sledge_found", "CREATE ROLE sledge_finder LOGIN PASSWORD 'its own'"} {
		if err := admin.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, statement := range []string{"DROP DATABASE IF EXISTS sledge_found", "DROP ROLE IF EXISTS sledge_finder"} {
			if err := admin.Exec(context.Background(), statement); err != nil {
				t.Error(err)
			}
		}
	})
	values := with(with(server.Values(), "dbname", "sledge_found"), "user", "sledge_finder")
	if err := postgresql.Database.Container.Create(ctx, bind(t, values), func(job.Event) {}); err == nil || !strings.Contains(err.Error(), "does not change it") {
		t.Errorf("with another password: got %v, want an error that the build does not change the account", err)
	}
	values = with(values, "password", "its own")
	if err := postgresql.Database.Container.Create(ctx, bind(t, values), func(job.Event) {}); err != nil {
		t.Fatal(err)
	}
	session, err := postgresql.Database.Sessions.Connect(ctx, bind(t, values), database.Owner)
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Exec(ctx, "CREATE TABLE t (x integer)"); err != nil {
		t.Error(err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct {
		dropped database.DropOptions
		left    string
	}{
		{database.DropOptions{Leftover: true}, "1"}, // nothing shows that it was created for a schema
		{database.DropOptions{Others: []string{"table t"}}, "1"},
		{database.DropOptions{Dry: true}, "1"},
		{database.DropOptions{}, "1"},
		{database.DropOptions{Builder: "another", Leftover: true}, "1"},
		{database.DropOptions{Builder: "another"}, "0"}, // as that program drops the database and role of a schema
	} {
		fates, err := postgresql.Database.Container.Drop(ctx, bind(t, values), tt.dropped)
		if err != nil {
			t.Error(err)
		}
		for _, query := range []string{"SELECT count(*) FROM pg_database WHERE datname = 'sledge_found'", "SELECT count(*) FROM pg_roles WHERE rolname = 'sledge_finder'"} {
			if got := rows(t, admin, query); got[0] != tt.left {
				t.Errorf("%+v: %s: got %s, want %s: %+v", tt.dropped, query, got[0], tt.left, fates)
			}
		}
	}
}

func TestCreate_ExplainsMissingRights(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	admin := connect(t, server.Values(), database.Admin)
	if err := admin.Exec(t.Context(), "CREATE ROLE sledge_powerless LOGIN PASSWORD 'its own'"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := admin.Exec(context.Background(), "DROP ROLE sledge_powerless"); err != nil {
			t.Error(err)
		}
	})
	values := with(with(server.Values(), "superuser", "sledge_powerless"), "superuser_password", "its own")
	for user, want := range map[string]string{
		"sledge_nobody":    "create the user sledge_nobody: ",
		"sledge_powerless": "create the database sledge_nowhere: ",
	} {
		err := postgresql.Database.Container.Create(t.Context(), bind(t, with(with(values, "user", user), "dbname", "sledge_nowhere")), func(job.Event) {})
		if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "user sledge_powerless lacks the right: set superuser and superuser_password to a user who has it, or set ") {
			t.Errorf("user %s: got %v, want %q and advice", user, err, want)
		}
	}
}

func TestFinish(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	_ = connect(t, server.Values(), database.Owner)
	for _, tt := range []struct {
		name   string
		values option.Values
		want   []string
	}{
		{"does nothing by default", server.Values(), nil},
		{
			"checkpoints and vacuums", with(server.Values(), "vacuum", "true"),
			[]string{"checkpoint begins", "checkpoint ends", "vacuum begins", "vacuum ends"},
		},
		{
			"leaves out what needs a superuser", with(with(server.Values(), "vacuum", "true"), "no_superuser", "true"),
			[]string{"checkpoint left out", "vacuum begins", "vacuum ends"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var said []string
			err := postgresql.Database.Runs.Maintenance.Do(t.Context(), bind(t, tt.values), func(e job.Event) {
				said = append(said, fmt.Sprintf("%s %s", e.Step.Name, e.Step.Stage))
				if (e.Step.Seconds > 0) != (e.Step.Stage == job.Ends) {
					t.Errorf("%s %s: got %v s", e.Step.Name, e.Step.Stage, e.Step.Seconds)
				}
			})
			if err != nil || !slices.Equal(said, tt.want) {
				t.Errorf("got %q, %v; want %q", said, err, tt.want)
			}
		})
	}
}

func TestStatementsForAnyWorkload(t *testing.T) {
	server := testserver.Open(t, "postgresql")
	session := connect(t, server.Values(), database.Owner)
	sql := library(t)
	if version := rows(t, session, sql.Text("server.version"))[0]; !regexp.MustCompile(`^\d+(\.\d+|beta\d+|rc\d+|devel)`).MatchString(version) {
		t.Errorf("got version %q, want one that begins with its number", version)
	}
	settings := strings.Join(rows(t, session, sql.Text("server.settings")), "\n")
	if !strings.Contains(settings, "fsync|off") && server.Dir != "" {
		t.Errorf("settings: got\n%s\nwant fsync off among them", settings)
	}
	if strings.Contains(settings, "application_name") {
		t.Errorf("settings: got\n%s\nwant no settings of this session", settings)
	}
	var before, after int64
	for i, count := range []*int64{&before, &after} {
		if _, err := fmt.Sscan(rows(t, session, sql.Text("counter"))[0], count); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			break
		}
		for range 20 {
			_ = rows(t, session, "SELECT 1")
		}
		// A session reports its transactions at most once a second, or when it is flushed.
		_ = rows(t, session, "SELECT pg_sleep(1.1)")
	}
	if after < before+20 || after > before+1000 {
		t.Errorf("the counter went from %d to %d over about 20 transactions", before, after)
	}
}

// Server-wide settings must neither end a monitor's session nor make its queries fail.
func TestSession_IsSteadied(t *testing.T) {
	session := connect(t, testserver.Open(t, "postgresql").Values(), database.Owner)
	for _, set := range []string{
		"SET default_transaction_isolation = 'serializable'", "SET statement_timeout = 1000", "SET idle_in_transaction_session_timeout = 1000",
		library(t).Text("server.steady"),
	} {
		if err := session.Exec(t.Context(), set); err != nil {
			t.Fatal(err)
		}
	}
	got := rows(t, session, "SELECT current_setting('transaction_isolation'), current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout'), coalesce(current_setting('idle_session_timeout', true), '0')")
	if want := "read committed|0|0|0"; got[0] != want {
		t.Errorf("got %q, want %q", got[0], want)
	}
}

// A flush is itself a transaction, which Sledge subtracts from the count. So the server must count
// every flush, with or without other work.
func TestFlush_IsCounted(t *testing.T) {
	server := testserver.Open(t, "postgresql", testserver.Version("15"), testserver.Own(), testserver.Setting("autovacuum=off")) // other work would add transactions
	sql, observer := library(t), connect(t, server.Values(), database.Owner)
	read := func() int64 {
		n, err := strconv.ParseInt(rows(t, observer, sql.Text("counter"))[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	flush := func(s database.Session) {
		t.Helper()
		if err := s.Exec(t.Context(), sql.Text("flush")); err != nil {
			t.Fatal(err)
		}
	}
	session := connect(t, server.Values(), database.Owner)
	flush(session) // the transactions of connecting
	flush(observer)
	var counted int64
	for range 5 { // sessions that have just ended may still add their transactions
		before := read()
		for range 20 {
			flush(session)
		}
		flush(observer) // the observer adds up to three: this flush and two readings, of which one may be counted late
		if counted = read() - before; counted >= 20 && counted <= 23 {
			return
		}
	}
	t.Errorf("the count rose by %d after 20 flushes, want 20 to 23", counted)
}

// Each parallel worker commits twice while it starts, which no user asked for.
func TestCounter_LeavesOutParallelWorkers(t *testing.T) {
	server := testserver.Open(t, "postgresql", testserver.Version("18"), testserver.Own(), testserver.Setting("autovacuum=off"))
	sql, session := library(t), connect(t, server.Values(), database.Owner)
	execute := func(text string) {
		t.Helper()
		if err := session.Exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	read := func(column string) int64 {
		execute(sql.Text("flush"))
		n, err := strconv.ParseInt(rows(t, session, column)[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, setting := range []string{"parallel_setup_cost = 0", "parallel_tuple_cost = 0", "min_parallel_table_scan_size = 0"} {
		execute("SET " + setting)
	}
	execute("CREATE TABLE wide AS SELECT n FROM generate_series(1, 10000) n")
	const queries = 20
	workers := "SELECT parallel_workers_launched FROM pg_stat_database WHERE datname = current_database()"
	before, launched := read(sql.Text("counter")), read(workers)
	for range queries {
		_ = rows(t, session, "SELECT count(*) FROM wide")
	}
	_ = rows(t, session, "SELECT pg_sleep(0.5)") // workers report when they end
	if n := read(workers) - launched; n < queries {
		t.Fatalf("the server started %d workers, want %d or more", n, queries)
	}
	if n := read(sql.Text("counter")) - before; n < queries || n > queries+10 { // the others are its own
		t.Errorf("the count rose by %d after %d queries", n, queries)
	}
}

func TestConnect_SkipsReadOnlyOfSeveralServers(t *testing.T) {
	server := testserver.Open(t, "postgresql", testserver.Own(), testserver.Setting("default_transaction_read_only=on"))
	address := net.JoinHostPort(server.Host, strconv.Itoa(server.Port))
	connect := func(host string) error {
		session, err := postgresql.Database.Sessions.Connect(t.Context(), bind(t, with(server.Values(), "host", host)), database.Admin)
		if err == nil {
			err = session.Close()
		}
		return err
	}
	err := connect(address + "," + address)
	if err == nil || !strings.Contains(err.Error(), "the server is read-only, as a standby is: name a server that accepts writes in host") {
		t.Errorf("with several servers: got %v", err)
	}
	if err := connect(server.Host); err != nil {
		t.Errorf("with one server: got %v", err)
	}
}

// bind returns options with the given values.
func bind(t testing.TB, values option.Values) any {
	t.Helper()
	options := postgresql.Database.Options.New(database.Use{Name: "tpcc"})
	if err := option.Bind(nil, values, options); err != nil {
		t.Fatal(err)
	}
	return options
}

// with returns values with some of them changed, given as pairs of name and value.
func with(values option.Values, pairs ...string) option.Values {
	values = values.Clone()
	for i := 0; i+1 < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	return values
}

// connect creates the account and the database if necessary, and opens a session.
func connect(t testing.TB, values option.Values, as database.Role) database.Session {
	t.Helper()
	options := bind(t, values)
	if err := postgresql.Database.Container.Create(t.Context(), options, func(job.Event) {}); err != nil {
		t.Fatal(err)
	}
	session, err := postgresql.Database.Sessions.Connect(t.Context(), options, as)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	return session
}

// rows returns the rows of a query as text, with "|" between the values.
func rows(t testing.TB, session database.Session, query string) []string {
	t.Helper()
	answer, err := session.Query(context.Background(), query, 0)
	if err != nil {
		t.Fatal(errors.Join(fmt.Errorf("%s", query), err))
	}
	var lines []string
	for _, row := range answer.Rows {
		lines = append(lines, strings.Join(row, "|"))
	}
	return lines
}

func wantRows(t testing.TB, session database.Session, query string, want ...string) {
	t.Helper()
	if got := rows(t, session, query); !slices.Equal(got, want) {
		t.Errorf("%s:\ngot  %q\nwant %q", query, got, want)
	}
}

// library returns the SQL of this database for TPROC-C.
func library(t testing.TB) *sqlfile.Library {
	t.Helper()
	d := postgresql.Database
	l, err := sqlfile.NewLibrary(d.Dialect.Placeholder,
		sqlfile.Place{Files: d.SQL, Dir: "sql/tprocc"}, sqlfile.Place{Files: d.SQL, Dir: "sql"})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestConnect_IdentifiesOtherServer(t *testing.T) {
	other := testserver.Open(t, "mariadb")
	for _, mode := range []string{"prefer", "disable", "require"} {
		values := option.Values{"host": other.Host, "port": strconv.Itoa(other.Port), "ssl_mode": mode}
		_, err := postgresql.Database.Sessions.Connect(t.Context(), bind(t, values), database.Owner)
		for _, want := range []string{"a MariaDB server (", "--db maria", "or check port"} {
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "%!") {
				t.Errorf("sslmode %s: got %v, want it to say %q", mode, err, want)
			}
		}
		if postgresql.Database.Sessions.Classify(err) != meter.Connection {
			t.Errorf("sslmode %s: %v does not have the class connection", mode, err)
		}
	}
}

func TestConnect_GivesUpOnSilentServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Setenv("PGCONNECT_TIMEOUT", "1")
	// prefer tries with and without TLS; together they must not take longer than one attempt.
	values := option.Values{"host": "127.0.0.1", "port": strconv.Itoa(l.Addr().(*net.TCPAddr).Port), "ssl_mode": "prefer"}
	_, err = postgresql.Database.Sessions.Connect(t.Context(), bind(t, values), database.Owner)
	if err == nil || !strings.Contains(err.Error(), "no response within 1s") || !strings.Contains(err.Error(), "check host and port") {
		t.Errorf("got %v, want no response within 1s", err)
	}
}

func TestInterrupt_LeavesAFrozenServer(t *testing.T) {
	server := testserver.Open(t, "postgresql", testserver.Own())
	databasetest.Frozen(t, postgresql.Database, server.Values(), server.Freeze, server.Thaw)
}

// TestErrors_AreShort raises a long error on the server, over each way to send a statement.
func TestErrors_AreShort(t *testing.T) {
	session := connect(t, testserver.Open(t, "postgresql").Values(), database.Owner)
	const raise = "DO $$ BEGIN RAISE EXCEPTION USING MESSAGE = repeat('x', 400000), DETAIL = repeat('y', 400000); END $$"
	err := session.Exec(t.Context(), raise)
	_, queried := session.Query(t.Context(), raise, 1)
	st, prepared := session.Prepare(t.Context(), sqlfile.Query{Name: "raise", Text: raise}, nil, nil)
	if prepared == nil {
		_, prepared = st.Run(t.Context(), nil)
	}
	for way, err := range map[string]error{"exec": err, "query": queried, "prepared": prepared} {
		if err == nil || len(err.Error()) > 5000 || !strings.Contains(err.Error(), " KiB more") {
			t.Errorf("%s: got an error of %d bytes, want a short one", way, len(fmt.Sprint(err)))
		}
	}
}
