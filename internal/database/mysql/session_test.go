package mysql_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/database/mariadb"
	"sledge/internal/database/mysql"
	"sledge/internal/host"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/sqlfile"
	"sledge/internal/suite/databasetest"
	"sledge/internal/testserver"
)

func prepare(t testing.TB, session database.Session, text string, in, out any) database.Statement {
	t.Helper()
	q, err := sqlfile.Parse("test", text, func(int) string { return "?" })
	if err != nil {
		t.Fatal(err)
	}
	statement, err := session.Prepare(t.Context(), q, in, out)
	if err != nil {
		t.Fatal(err)
	}
	return statement
}

func TestTextStatement_SendsValuesInEveryMode(t *testing.T) {
	onEach(t, "sledge_values", func(t *testing.T, s *server) {
		session := s.connect(t)
		type values struct {
			Whole    int64   `sql:"whole"`
			Fraction float64 `sql:"fraction"`
			Words    string  `sql:"words"`
		}
		var in, out values
		statement := prepare(t, session, "SET @unused = ';?'; SELECT :whole + 0 AS whole, :fraction + 0 AS fraction, :words AS words", &in, &out)
		for _, mode := range []string{"", "NO_BACKSLASH_ESCAPES", "ANSI_QUOTES,PIPES_AS_CONCAT", "NO_BACKSLASH_ESCAPES,ANSI_QUOTES"} {
			mustExec(t, session, "SET SESSION sql_mode = '"+mode+"'")
			for _, in = range []values{
				{},
				{1, 0.5, "plain"},
				{-9223372036854775808, -1e300, `'; DROP TABLE x; -- `},
				{9223372036854775807, 12345.678901234567, `it's a \ and a \' and a '' and \\'`},
				{7, 1e-300, "line\nbreak, tab\t, quote \", ü, ?, nothing"},
				{8, 3, strings.Repeat(`\'`, 100_000)},
			} {
				out = values{}
				if n, err := statement.Run(t.Context(), nil); n != 1 || err != nil {
					t.Fatalf("mode %q: got %d rows, %v", mode, n, err)
				}
				if out != in {
					t.Errorf("mode %q: got %.200v, want %.200v", mode, out, in)
				}
			}
		}
	})
}

func TestSession_EndsAtATooLongMessage(t *testing.T) {
	onEach(t, "sledge_long", func(t *testing.T, s *server) {
		const text = "SELECT REPEAT('x', 2000000) AS x"
		_, asked := s.connect(t).Query(t.Context(), text, 1)
		_, ran := prepare(t, s.connect(t), text, nil, nil).Run(t.Context(), nil)
		for _, err := range []error{asked, ran} {
			if !errors.Is(err, database.ErrTooLong) || s.database.Sessions.Classify(err) != meter.Connection {
				t.Errorf("got %.300v, want %v", err, database.ErrTooLong)
			}
		}
	})
}

func TestStatement_ReturnsRowsOfLastOfSeveral(t *testing.T) {
	onEach(t, "sledge_sets", func(t *testing.T, s *server) {
		session := s.connect(t)
		mustExec(t, session, "CREATE TABLE sets (n INT PRIMARY KEY); INSERT INTO sets VALUES (1), (2), (3)")
		in := struct {
			N int64 `sql:"n"`
		}{2}
		out := struct {
			N int64 `sql:"n"`
		}{}
		for _, prepared := range []string{"false", "true"} {
			s.set("prepared", prepared)
			session := s.connect(t)
			for _, tt := range []struct {
				text string
				want []int64 // the rows that each received
				rows int64   // what Run returned
			}{
				{"SET @n = :n; SELECT @n AS n", []int64{2}, 1},
				{"SELECT 1 AS other; SET @n = :n; SELECT n FROM sets WHERE n <= @n ORDER BY n; DO 0", []int64{1, 2}, 2},
				{"UPDATE sets SET n = n WHERE n = :n; SELECT n FROM sets WHERE n > 7", nil, 0},
				{"SELECT 'x' AS other; SELECT n FROM sets WHERE n >= :n ORDER BY n", []int64{2, 3}, 2},
			} {
				if prepared == "true" && strings.HasSuffix(tt.text, "DO 0") {
					continue // a prepared query must end with the statement that returns rows
				}
				statement := prepare(t, session, tt.text, &in, &out)
				for range 3 { // later runs use the columns cached in the first
					var seen []int64
					n, err := statement.Run(t.Context(), func() error { seen = append(seen, out.N); return nil })
					if err != nil || n != tt.rows || fmt.Sprint(seen) != fmt.Sprint(tt.want) {
						t.Errorf("prepared %s: %s: got %d rows %v, %v; want %d rows %v", prepared, tt.text, n, seen, err, tt.rows, tt.want)
					}
				}
			}
			if n, err := prepare(t, session, "SELECT 1; UPDATE sets SET n = n WHERE n <= :n", &in, nil).Run(t.Context(), nil); n != 2 || err != nil {
				t.Errorf("prepared %s: got %d rows affected, %v; want 2", prepared, n, err)
			}
			if _, err := prepare(t, session, "SELECT 1 AS other; SELECT 2 AS another", nil, &out).Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "no column n") {
				t.Errorf("prepared %s: a result without the column: got %v", prepared, err)
			}
			stop := errors.New("enough")
			all := prepare(t, session, "SET @x = 1; SELECT n FROM sets", nil, &out)
			if _, err := all.Run(t.Context(), func() error { return stop }); !errors.Is(err, stop) {
				t.Errorf("prepared %s: got %v, want %v", prepared, err, stop)
			}
			wantRows(t, session, "SELECT COUNT(*) FROM sets", "3") // the unread rows were discarded
		}
	})
}

func TestStatement_StopsAtFirstFailureOfSeveral(t *testing.T) {
	onEach(t, "sledge_several", func(t *testing.T, s *server) {
		session := s.connect(t)
		mustExec(t, session, "CREATE TABLE several (n INT PRIMARY KEY) ENGINE = innodb")
		out := struct {
			N int64 `sql:"n"`
		}{}
		statement := prepare(t, session, "START TRANSACTION; INSERT INTO several VALUES (1); SELECT n FROM nowhere; SELECT n FROM several", nil, &out)
		if _, err := statement.Run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "nowhere") {
			t.Errorf("got %v, want an error about nowhere", err)
		}
		// The statements began a transaction without Begin.
		if err := session.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		mustExec(t, session, "COMMIT")
		wantRows(t, session, "SELECT COUNT(*) FROM several", "0")
	})
}

// The server counts the statements that it receives, but not statements within a compound one.
func TestCall_IsOneStatementIfServerSupportsIt(t *testing.T) {
	onEach(t, "sledge_one", func(t *testing.T, s *server) {
		setup := s.connect(t)
		mustExec(t, setup, "CREATE TABLE one (n INT PRIMARY KEY) ENGINE = innodb")
		mustExec(t, setup, "CREATE PROCEDURE add_one (IN n INT, INOUT total INT) BEGIN INSERT INTO one VALUES (n); SET total = total + n; END")
		want := "3"
		if rows(t, setup, "SELECT 0 /*M! + 1 */")[0] == "1" {
			want = "1"
		}
		in := struct {
			N int64 `sql:"n"`
		}{}
		out := struct {
			Total int64 `sql:"total"`
		}{}
		for _, prepared := range []string{"false", "true"} {
			s.set("prepared", prepared)
			session := s.connect(t)
			call := prepare(t, session, "SET @total = 10 * :n; CALL add_one(:n, @total); SELECT CAST(@total AS SIGNED) AS total", &in, &out)
			silent := prepare(t, session, "SET @total = 10 * :n; CALL add_one(:n, @total); SELECT CAST(@total AS SIGNED) AS total", &in, nil)
			for n := range int64(3) {
				mustExec(t, setup, "TRUNCATE one")
				sent := func() string {
					return rows(t, session, "SHOW SESSION STATUS LIKE 'Questions'")[0]
				}
				in.N = n + 1
				before := sent()
				if got, err := call.Run(t.Context(), nil); got != 1 || err != nil {
					t.Fatalf("prepared %s: got %d rows, %v", prepared, got, err)
				}
				after := sent()
				if out.Total != 11*in.N {
					t.Errorf("prepared %s: got %d, want %d", prepared, out.Total, 11*in.N)
				}
				if got := difference(t, before, after); got != want {
					t.Errorf("prepared %s: the server counts %s statements, want %s", prepared, got, want)
				}
				// A failure ends the compound statement, and the transaction can be rolled back.
				mustExec(t, session, "START TRANSACTION")
				if _, err := call.Run(t.Context(), nil); s.database.Sessions.Classify(err) != meter.Constraint {
					t.Errorf("prepared %s: got %v, want an error about a duplicate key", prepared, err)
				}
				if err := session.Rollback(t.Context()); err != nil {
					t.Fatal(err)
				}
				in.N += 10
				if _, err := silent.Run(t.Context(), nil); err != nil {
					t.Errorf("prepared %s: without a struct for rows: %v", prepared, err)
				}
				wantRows(t, session, "SELECT SUM(n) FROM one", strconv.FormatInt(2*in.N-10, 10))
			}
		}
	})
}

// difference returns the difference between two rows of SHOW STATUS, without the query for the
// second.
func difference(t *testing.T, before, after string) string {
	t.Helper()
	var values [2]int
	for i, row := range []string{before, after} {
		_, number, _ := strings.Cut(row, "|")
		var err error
		if values[i], err = strconv.Atoi(number); err != nil {
			t.Fatal(err)
		}
	}
	return strconv.Itoa(values[1] - values[0] - 1)
}

func TestPrepare_SendsUnpreparableStatementAsText(t *testing.T) {
	onEach(t, "sledge_unprepared", func(t *testing.T, s *server) {
		session := s.connect(t)
		if _, err := prepare(t, session, "UNLOCK TABLES", nil, nil).Run(t.Context(), nil); err != nil {
			t.Error(err)
		}
	})
}

func TestConnect_UsesNamedSocket(t *testing.T) {
	for _, d := range products {
		t.Run(d.Name, func(t *testing.T) {
			started := testserver.Open(t, d.Name)
			if started.Socket == "" {
				t.Skip("the test server has no socket")
			}
			s := &server{database: d, values: started.Values()}
			s.set("socket", started.Socket)
			s.set("port", "1") // nothing listens there
			s.set("dbname", "mysql")
			for host, ok := range map[string]bool{"127.0.0.1": true, "localhost": true, "127.0.0.2": false} {
				s.set("host", host)
				session, err := d.Sessions.Connect(t.Context(), s.options(t), database.Owner)
				if (err == nil) != ok {
					t.Errorf("host %s: got %v, want the socket used: %v", host, err, ok)
				}
				if err == nil {
					wantRows(t, session, "SELECT 1", "1")
					if got, want := d.Options.Target(s.options(t)), "mysql on "+started.Socket; got != want {
						t.Errorf("got %q, want %q", got, want)
					}
					if err := session.Close(); err != nil {
						t.Error(err)
					}
				}
			}
			s.set("host", "127.0.0.1")
			s.set("socket", started.Socket+".missing")
			s.set("port", strconv.Itoa(started.Port))
			if _, err := d.Sessions.Connect(t.Context(), s.options(t), database.Owner); err == nil || !strings.Contains(err.Error(), started.Socket+".missing") {
				t.Errorf("a missing socket: got %v, want an error with its name", err)
			}
		})
	}
}

// The server refuses files from clients, so rows are loaded by INSERT. It also has other unusual
// server-wide settings.
func TestOnServerWithUnusualSettings(t *testing.T) {
	s := &server{database: mariadb.Database, values: testserver.Open(t, "mariadb",
		testserver.Setting("local_infile=0"), testserver.Setting("max_allowed_packet=256K"), testserver.Setting("default_storage_engine=MyISAM")).Values()}
	admin, err := s.database.Sessions.Connect(t.Context(), s.options(t), database.Admin)
	if err != nil {
		t.Fatal(err)
	}
	mustExec(t, admin, "SET GLOBAL completion_type = CHAIN, sql_select_limit = 1, max_join_size = 100, wait_timeout = 1")
	if err := admin.Close(); err != nil {
		t.Fatal(err)
	}
	databasetest.Run(t, s.database, s.values)
	s.set("dbname", "mysql")
	wantRows(t, s.connect(t), "SELECT @@wait_timeout", "86400")
}

// Server-wide settings must not make the queries of a monitor fail.
func TestSession_IsSteadied(t *testing.T) {
	onEach(t, "sledge_steady", func(t *testing.T, s *server) {
		session := s.connect(t)
		mustExec(t, session, "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE; SET SESSION lock_wait_timeout = 1 /*M!100101 , max_statement_time = 1 */ /*!50708 , max_execution_time = 1 */")
		mustExec(t, session, s.query(t, "server.steady"))
		wantRows(t, session, "SELECT @@lock_wait_timeout > 1000, 0 /*M!100101 + @@max_statement_time */ /*!50708 + @@max_execution_time */ = 0", "1|1")
		wantRows(t, session, "SELECT 'READ-COMMITTED' IN (/*M! @@tx_isolation */ /*!50720 @@transaction_isolation */)", "1")
	})
}

func BenchmarkCall(b *testing.B) {
	s := &server{database: mariadb.Database, values: testserver.Open(b, "mariadb").Values()}
	s.set("dbname", "mysql")
	setup := s.connect(b)
	mustExec(b, setup, "CREATE DATABASE IF NOT EXISTS sledge_bench; USE sledge_bench; DROP PROCEDURE IF EXISTS NEWORD")
	mustExec(b, setup, "CREATE PROCEDURE NEWORD(w INT, max_w INT, d INT, c INT, n INT, OUT discount DECIMAL(4,4), OUT last VARCHAR(16), OUT credit VARCHAR(2), "+
		"OUT dtax DECIMAL(4,4), OUT wtax DECIMAL(4,4), INOUT next_o_id INT, stamp DATETIME) BEGIN SET next_o_id = 3001; END")
	s.set("dbname", "sledge_bench")
	for _, prepared := range []string{"false", "true"} {
		s.set("prepared", prepared)
		for _, users := range []int{1, 8} {
			b.Run(fmt.Sprintf("prepared=%s/users=%d", prepared, users), func(b *testing.B) { benchmarkCalls(b, s, users) })
		}
	}
}

// benchmarkCalls measures the client's cost of a call: users call an empty procedure concurrently.
func benchmarkCalls(b *testing.B, s *server, users int) {
	q, err := s.library(b).Query("procedure.neword")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	before := host.CPUSeconds()
	var group sync.WaitGroup
	for user := range users {
		session := s.connect(b)
		in := call{WID: 123, MaxWID: 1000, DID: 4, CID: 2345, LineCount: 10}
		out := struct {
			ID int64 `sql:"no_d_next_o_id"`
		}{}
		statement, err := session.Prepare(b.Context(), q, &in, &out)
		if err != nil {
			b.Fatal(err)
		}
		group.Go(func() {
			for range b.N/users + min(1, max(0, b.N%users-user)) {
				in.CID++
				if _, err := statement.Run(context.Background(), nil); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	b.ReportMetric((host.CPUSeconds()-before)*1e6/float64(b.N), "cpu-µs/op")
}

func TestInterrupt_EndsTheStatementOnTheServer(t *testing.T) {
	onEach(t, "sledge_broken", func(t *testing.T, s *server) {
		watcher := s.connect(t)
		const sleeping = "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SELECT SLEEP(555%'"
		await := func(sessions string) {
			t.Helper()
			for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
				found, err := watcher.Query(t.Context(), sleeping, 1)
				if err != nil {
					t.Fatal(err)
				}
				if found.Rows[0][0] == sessions {
					return
				}
				if time.Now().After(deadline) {
					t.Fatalf("got %s sleeping sessions, want %s", found.Rows[0][0], sessions)
				}
			}
		}
		for by, breakOff := range map[string]func(database.Session, context.CancelFunc){
			"the end of its context": func(_ database.Session, cancel context.CancelFunc) { cancel() },
			"Interrupt":              func(session database.Session, _ context.CancelFunc) { session.Interrupt() },
		} {
			session, err := s.database.Sessions.Connect(t.Context(), s.options(t), database.Owner)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := session.Query(ctx, "SELECT SLEEP(555)", 0)
				done <- err
			}()
			await("1")
			breakOff(session, cancel)
			if err := <-done; err == nil {
				t.Errorf("a call was not interrupted by %s", by)
			}
			_ = session.Close() // the connection is broken
			await("0")
			cancel()
		}
	})
}

// A restarted server numbers its connections from 1 again, so the number of a lost connection may
// belong to another session.
func TestInterrupt_SparesOtherSessions(t *testing.T) {
	own := testserver.Open(t, "mariadb", testserver.Own())
	s := &server{database: mariadb.Database, values: own.Values()}
	connect := func() (session database.Session, id int) {
		t.Helper()
		session, err := s.database.Sessions.Connect(t.Context(), s.options(t), database.Admin)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { session.Close() })
		found, err := session.Query(t.Context(), "SELECT CONNECTION_ID()", 1)
		if err != nil {
			t.Fatal(err)
		}
		id, _ = strconv.Atoi(found.Rows[0][0])
		return session, id
	}
	lost, old := connect()
	for range 20 { // so that the test's own later connections do not get the number
		lost, old = connect()
	}
	mysql.Age(lost, time.Minute)
	own.Stop(testserver.Immediate)
	own.Start()
	if _, err := lost.Query(t.Context(), "SELECT 1", 1); err == nil {
		t.Fatal("a session survived its server")
	}
	other, id := connect()
	for id < old {
		other, id = connect()
	}
	if id != old {
		t.Fatalf("got a session with number %d, want %d again", id, old)
	}
	_ = lost.Close() // the connection is broken
	if _, err := other.Query(t.Context(), "SELECT 1", 1); err != nil {
		t.Errorf("the session with the number of the lost one: %v", err)
	}
}

func TestConnect_SkipsReadOnlyOfSeveralServers(t *testing.T) {
	own := testserver.Open(t, "mariadb", testserver.Own())
	s := &server{database: mariadb.Database, values: own.Values()}
	admin, err := s.database.Sessions.Connect(t.Context(), s.options(t), database.Admin)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	address := net.JoinHostPort(own.Host, strconv.Itoa(own.Port))
	s.set("host", address+","+address)
	connect := func(as string) error {
		t.Helper()
		mustExec(t, admin, "SET GLOBAL read_only = "+as)
		session, err := s.database.Sessions.Connect(t.Context(), s.options(t), database.Admin)
		if err == nil {
			err = session.Close()
		}
		return err
	}
	if err := connect("ON"); err == nil || !strings.Contains(err.Error(), "the server is read-only, as a replica is: name a server that accepts writes in option host") {
		t.Errorf("while it is read-only: got %v", err)
	}
	if err := connect("OFF"); err != nil {
		t.Errorf("when it accepts writes again: got %v", err)
	}
}

// After a planned switchover, the connections to the old server stay open.
func TestSession_IsLostIfOneOfSeveralServersBecomesReadOnly(t *testing.T) {
	own := testserver.Open(t, "mariadb", testserver.Own())
	s := &server{database: mariadb.Database, values: own.Values()}
	admin, err := s.database.Sessions.Connect(t.Context(), s.options(t), database.Admin)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	mustExec(t, admin, `CREATE DATABASE switched; CREATE TABLE switched.written (n INT PRIMARY KEY) ENGINE = innodb;
		CREATE USER writer IDENTIFIED BY 'writer'; GRANT ALL ON switched.* TO writer`)
	for name, value := range map[string]string{"user": "writer", "password": "writer", "dbname": "switched"} {
		s.set(name, value)
	}
	address := net.JoinHostPort(own.Host, strconv.Itoa(own.Port))
	alone := s.connect(t)
	s.set("host", address+","+address)
	several := s.connect(t)
	mustExec(t, admin, "SET GLOBAL read_only = ON")
	const insert = "INSERT INTO written VALUES (1)"
	if err := several.Exec(t.Context(), insert); s.database.Sessions.Classify(err) != meter.Connection || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("with several servers: got %v of class %v", err, s.database.Sessions.Classify(err))
	}
	if err := alone.Exec(t.Context(), insert); err == nil || !strings.Contains(err.Error(), "read-only") || s.database.Sessions.Classify(err) == meter.Connection {
		t.Errorf("with one server: got %v of class %v", err, s.database.Sessions.Classify(err))
	}
}

func TestConnect_ExplainsRefusedAccount(t *testing.T) {
	s := &server{database: mysql.Database, values: testserver.Open(t, "mysql").Values()}
	admin, err := s.database.Sessions.Connect(t.Context(), s.options(t), database.Admin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(admin.Exec(context.Background(), "DROP USER IF EXISTS refused"), admin.Close()); err != nil {
			t.Error(err)
		}
	})
	s.set("user", "refused")
	s.set("password", "secret")
	for _, tt := range []struct{ account, want string }{
		{"PASSWORD EXPIRE", "set a new password with ALTER USER ... IDENTIFIED BY in the server's own client, then set option password"},
		{"ACCOUNT LOCK", "unlock it with ALTER USER ... ACCOUNT UNLOCK, or choose another user in option user"},
		{"REQUIRE SSL", "check options user and password, and set ssl if the user needs TLS"},
		{"WITH MAX_CONNECTIONS_PER_HOUR 1", "raise this limit for the user of option user, or use fewer virtual users"},
	} {
		mustExec(t, admin, "DROP USER IF EXISTS refused; CREATE USER refused IDENTIFIED WITH mysql_native_password BY 'secret' "+tt.account)
		var err error
		for range 2 {
			var session database.Session
			if session, err = s.database.Sessions.Connect(t.Context(), s.options(t), database.Admin); err == nil {
				_ = session.Close() // the limit counts connections, even closed ones
			}
		}
		if err == nil || !strings.HasSuffix(err.Error(), ": "+tt.want) {
			t.Errorf("%s: got %v, want %q", tt.account, err, tt.want)
		}
	}
}

func TestConnect_IdentifiesOtherServer(t *testing.T) {
	other := testserver.Open(t, "postgresql")
	for _, d := range products {
		t.Run(d.Name, func(t *testing.T) {
			s := &server{database: d, values: option.Values{}}
			s.set("host", other.Host)
			s.set("port", strconv.Itoa(other.Port))
			s.set("socket", "null")
			_, err := d.Sessions.Connect(t.Context(), s.options(t), database.Owner)
			for _, want := range []string{"a PostgreSQL server", "--db pg", "or check port"} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want it to say %q", err, want)
				}
			}
			if d.Sessions.Classify(err) != meter.Connection {
				t.Errorf("%v does not have the class connection", err)
			}
		})
	}
}

func TestConnect_GivesUpOnSilentServer(t *testing.T) {
	defer mysql.SetConnectTimeout(100 * time.Millisecond)()
	overTCP, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer overTCP.Close()
	path := filepath.Join(t.TempDir(), "s")
	overSocket, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer overSocket.Close()
	for _, d := range products {
		for _, socket := range []string{"null", path} {
			s := &server{database: d, values: option.Values{}}
			s.set("port", strconv.Itoa(overTCP.Addr().(*net.TCPAddr).Port))
			s.set("socket", socket)
			_, err := d.Sessions.Connect(t.Context(), s.options(t), database.Owner)
			if err == nil || !strings.Contains(err.Error(), "no response within 100ms") {
				t.Errorf("%s, socket %s: got %v, want no response within 100ms", d.Name, socket, err)
			}
		}
	}
}

func TestInterrupt_LeavesAFrozenServer(t *testing.T) {
	server := testserver.Open(t, "mariadb", testserver.Own())
	databasetest.Frozen(t, mariadb.Database, server.Values(), server.Freeze, server.Thaw)
}
