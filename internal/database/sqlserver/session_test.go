package sqlserver

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sledge/internal/database"
	"sledge/internal/engine/enginetest"
	"sledge/internal/meter"
	"sledge/internal/option"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

var useOfTests = database.Use{Name: "tpcc"}

func parsed(t testing.TB, text string) sqlfile.Query {
	t.Helper()
	q, err := sqlfile.Parse("test", text, Database.Dialect.Placeholder)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestPrepare_SendsOneTypedCall(t *testing.T) {
	s := &standIn{t: t, answer: answering(func(request) []byte { return nil })}
	session := connectTo(t, s)
	in := struct {
		ID    int64               `sql:"id"`
		Ratio float64             `sql:"ratio"`
		Last  string              `sql:"last"`
		Note  string              `sql:"note"`
		City  string              `sql:"city"`
		Data  []byte              `sql:"data"`
		When  time.Time           `sql:"moment"`
		Large sql.Null[int64]     `sql:"large"`
		Words sql.Null[string]    `sql:"words"`
		Later sql.Null[time.Time] `sql:"later"`
		None  []byte              `sql:"none"`
	}{ID: 7, Ratio: 0.5, Last: "BARBAR", Note: strings.Repeat("x", 300), City: "Zürich", Data: []byte{0, 255}, When: time.Unix(1, 0)}
	st, err := session.Prepare(t.Context(), parsed(t, "UPDATE t SET a = :id, b = :ratio, c = :last, d = :note, e = :city, f = :data, g = :moment, h = :large, i = :words, j = :later, k = :none WHERE id = :id"), &in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := st.Run(context.Background(), nil); err != nil || n != 1 {
		t.Fatalf("got %d, %v", n, err)
	}
	got := s.requests()
	if len(got) != 1 || got[0].text != "sp_executesql" {
		t.Fatalf("got %+v, want one call of sp_executesql", got)
	}
	want := []string{
		"nvarchar UPDATE t SET a = @p1, b = @p2, c = @p3, d = @p4, e = @p5, f = @p6, g = @p7, h = @p8, i = @p9, j = @p10, k = @p11 WHERE id = @p12",
		"nvarchar @p1 bigint,@p2 float,@p3 varchar(6),@p4 varchar(max),@p5 nvarchar(6),@p6 varbinary(2),@p7 datetimeoffset(7),@p8 bigint,@p9 nvarchar(4000),@p10 datetimeoffset(7),@p11 varbinary(max),@p12 bigint",
		"@p1 int8 7", "@p2 float8 0.5", "@p3 varchar BARBAR", "@p4 varchar max " + in.Note, "@p5 nvarchar Zürich", "@p6 varbinary [0 255]",
		"@p7 datetimeoffset of 10 bytes", "@p8 int8 <nil>", "@p9 nvarchar <nil>", "@p10 datetimeoffset <nil>", "@p11 varbinary max <nil>", "@p12 int8 7",
	}
	for i, p := range got[0].params {
		if p.String() != want[i] {
			t.Errorf("parameter %d: got %s, want %s", i+1, p, want[i])
		}
	}
}

func TestCall_NamesParameters(t *testing.T) {
	s := &standIn{t: t, answer: answering(func(request) []byte {
		return append(rows([]string{"@stock_count"}, []any{int64(17)}), done(1)...)
	})}
	session := connectTo(t, s)
	in := struct {
		W int64 `sql:"w_id"`
		D int64 `sql:"d_id"`
		T int64 `sql:"threshold"`
	}{1, 2, 15}
	var out struct {
		Count int64 `sql:"stock_count"`
	}
	st, err := session.Prepare(t.Context(), parsed(t, "EXECUTE dbo.slev @st_w_id = :w_id, @st_d_id = :d_id, @threshold = :threshold"), &in, &out)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := st.Run(context.Background(), nil); err != nil || n != 1 || out.Count != 17 {
		t.Errorf("got %d rows with %d, %v, want one with 17", n, out.Count, err)
	}
	got := s.requests()[0]
	if want := "[@st_w_id int8 1 @st_d_id int8 2 @threshold int8 15]"; got.text != "dbo.slev" || fmt.Sprint(got.params) != want {
		t.Errorf("got %s %v, want %s", got.text, got.params, want)
	}
}

func TestCall_ReportsErrorsInRows(t *testing.T) {
	conflict := []byte(nil)
	for _, c := range []struct {
		name  string
		reply []byte
		want  meter.Class
	}{
		{"a deadlock", rows([]string{"ErrorNumber", "ErrorSeverity", "ErrorMessage"}, []any{int64(1205), int64(13), "Transaction was deadlocked"}), meter.Deadlock},
		{"a key", rows([]string{"ErrorNumber", "ErrorSeverity", "ErrorMessage"}, []any{int64(2627), int64(14), "Violation of PRIMARY KEY"}), meter.Constraint},
		{"a conflict in memory", rows([]string{"anything"}, []any{"IMOLTPERROR : 41302"}), meter.Serialization},
		{"an error of the server's", append(conflict, refused(1205, "deadlocked")...), meter.Deadlock},
		{"an error after rows", append(rows([]string{"no_d_next_o_id"}, []any{int64(5)}), refused(547, "a reference")...), meter.Constraint},
	} {
		t.Run(c.name, func(t *testing.T) {
			end := doneWith(0, 0)
			if strings.Contains(c.name, "error") {
				end = doneWith(2, 0)
			}
			answered := 0
			s := &standIn{t: t, answer: answering(func(r request) []byte {
				if r.kind != anRPC {
					return nil
				}
				if answered++; answered == 2 {
					return append(append([]byte(nil), c.reply...), end...)
				}
				return append(rows([]string{"no_d_next_o_id"}, []any{int64(3001)}), done(1)...)
			})}
			session := connectTo(t, s)
			in := struct {
				W int64 `sql:"w_id"`
			}{1}
			var out struct {
				Order int64 `sql:"no_d_next_o_id"`
			}
			st, err := session.Prepare(t.Context(), parsed(t, "DECLARE @n datetime2(0) = SYSDATETIME(); EXECUTE dbo.neword @no_w_id = :w_id, @TIMESTAMP = @n"), &in, &out)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				_, err = st.Run(context.Background(), nil)
				if err != nil {
					break
				}
				if out.Order != 3001 {
					t.Errorf("got order %d", out.Order)
				}
			}
			if got := classify(err); err == nil || got != c.want {
				t.Errorf("got %v of class %v, want %v", err, got, c.want)
			}
			if err := session.Rollback(context.Background()); err != nil { // of the transaction that the routine may have left open
				t.Error(err)
			}
			last := s.requests()
			if got := last[len(last)-1]; got.kind != aTransaction || got.begins() { // a batch would count as a transaction
				t.Errorf("after the error: got %+v", got)
			}
			if _, err := st.Run(context.Background(), nil); err != nil || out.Order != 3001 {
				t.Errorf("the next call: got order %d, %v", out.Order, err)
			}
		})
	}
}

func TestTransactions_SendNoStatements(t *testing.T) {
	s := &standIn{t: t, answer: answering(func(request) []byte { return nil })}
	session := connectTo(t, s)
	for _, end := range []func(context.Context) error{session.Commit, session.Rollback} {
		if err := session.Begin(t.Context(), database.ReadWrite); err != nil {
			t.Fatal(err)
		}
		if err := session.Exec(t.Context(), "UPDATE t SET a = 1"); err != nil {
			t.Fatal(err)
		}
		if err := end(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var kinds []byte
	for _, r := range s.requests() {
		kinds = append(kinds, r.kind)
	}
	if want := []byte{aTransaction, aBatch, aTransaction, aTransaction, aBatch, aTransaction}; string(kinds) != string(want) {
		t.Errorf("got packets of the kinds %v, want %v", kinds, want)
	}
}

func TestRollback_AfterServersRollback(t *testing.T) {
	s := &standIn{t: t, answer: answering(func(r request) []byte {
		if strings.HasPrefix(r.text, "UPDATE") {
			return append(tokenLength(0xE3, []byte{10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8}), failed(1205, "Transaction was deadlocked")...)
		}
		return nil
	})}
	session := connectTo(t, s)
	for range 2 {
		if err := session.Begin(t.Context(), database.ReadWrite); err != nil {
			t.Fatal(err)
		}
		if err := session.Exec(t.Context(), "UPDATE t SET a = 1"); classify(err) != meter.Deadlock {
			t.Errorf("got %v of class %v", err, classify(err))
		}
		if err := session.Rollback(t.Context()); err != nil {
			t.Errorf("rollback after the server's own: %v", err)
		}
	}
	if err := session.Exec(t.Context(), "DELETE FROM t"); err != nil {
		t.Error(err)
	}
	if got := len(s.requests()); got != 5 {
		t.Errorf("got %d messages, want a begin and an update twice, and the last statement", got)
	}
}

// Memory-optimized tables report a conflict only at the commit. A rollback after the server's own
// rollback is not an error.
func TestCommit_EndsTransactionIfItFails(t *testing.T) {
	commits := 0
	s := &standIn{t: t}
	usual := answering(func(request) []byte { return nil })
	s.answer = func(r request) []byte {
		if r.kind == aTransaction && !r.begins() {
			switch commits++; commits {
			case 1:
				return append(tokenLength(0xE3, []byte{10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8}), failed(41325, "serializable validation failure")...)
			case 2:
				return failed(3903, "The ROLLBACK TRANSACTION request has no corresponding BEGIN TRANSACTION.")
			}
		}
		return usual(r)
	}
	session := connectTo(t, s)
	if err := session.Begin(t.Context(), database.ReadWrite); err != nil {
		t.Fatal(err)
	}
	if err := session.Commit(t.Context()); classify(err) != meter.Serialization {
		t.Errorf("got %v of class %v", err, classify(err))
	}
	for _, step := range []func(context.Context) error{session.Rollback, session.Rollback} {
		if err := step(t.Context()); err != nil {
			t.Errorf("rolling back: %v", err)
		}
	}
	if err := session.Begin(t.Context(), database.ReadWrite); err != nil {
		t.Fatal(err)
	}
	if err := session.Commit(t.Context()); err != nil {
		t.Error(err)
	}
	var got []string
	for _, r := range s.requests() {
		if r.kind == aTransaction {
			r.text = "-"
		}
		got = append(got, r.text)
	}
	if want := "- | - | - | - | -"; strings.Join(got, " | ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " | "), want)
	}
}

// The session asks the server whether tables are memory-optimized; the options here do not say it.
func TestMemoryOptimizedTable_IsDroppedBetweenTransactionsAndHasNoHints(t *testing.T) {
	for name, c := range map[string]struct {
		inMemory int64
		want     string
	}{
		"in memory": {9, "begin | DELETE FROM sledge_build | SELECT COUNT(*) | end | DROP TABLE warehouse | begin | end | DROP TABLE district | SELECT d_tax FROM district"},
		"on disk":   {0, "begin | DELETE FROM sledge_build | SELECT COUNT(*) | DROP TABLE warehouse | end | DROP TABLE district | SELECT d_tax FROM district WITH (UPDLOCK)"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &standIn{t: t, answer: answering(func(r request) []byte {
				if strings.HasPrefix(r.text, "SELECT COUNT(*)") {
					return append(rows([]string{""}, []any{c.inMemory}), done(1)...)
				}
				return nil
			})}
			session := connectTo(t, s)
			for _, step := range []func() error{
				func() error { return session.Begin(t.Context(), database.ReadWrite) },
				func() error { return session.Exec(t.Context(), "DELETE FROM sledge_build") },
				func() error { return session.Exec(t.Context(), "DROP TABLE warehouse") },
				func() error { return session.Commit(t.Context()) },
				func() error { return session.Exec(t.Context(), "DROP TABLE district") },
				func() error {
					st, err := session.Prepare(t.Context(), parsed(t, "SELECT d_tax FROM district WITH (UPDLOCK)"), nil, nil)
					if err == nil {
						_, err = st.Run(t.Context(), nil)
					}
					return err
				},
			} {
				if err := step(); err != nil {
					t.Fatal(err)
				}
			}
			var got []string
			for _, r := range s.requests() {
				switch {
				case r.begins():
					r.text = "begin"
				case r.kind == aTransaction:
					r.text = "end"
				}
				text, _, _ := strings.Cut(r.text, " FROM sys.")
				got = append(got, text)
			}
			if strings.Join(got, " | ") != c.want {
				t.Errorf("got %s, want %s", strings.Join(got, " | "), c.want)
			}
		})
	}
}

// On Azure SQL, master is on another server than the schema, and creating a database costs money.
func TestConnect_RefusesAzureSQLWithoutOption(t *testing.T) {
	s := &standIn{t: t, answer: answering(func(r request) []byte {
		if strings.Contains(r.text, "EngineEdition") {
			return append(rows([]string{""}, []any{"Azure"}), done(1)...)
		}
		return nil
	})}
	o := newOptionsOf(t, s.listen())
	_, err := connect(t.Context(), o, database.Observer)
	for what, err := range map[string]error{"an observer": err, "a build": create(t.Context(), o, nil)} {
		if err == nil || !strings.Contains(err.Error(), "is Azure SQL: set it to true") {
			t.Errorf("%s: got %v", what, err)
		}
	}
	o.Azure = true
	if err := create(t.Context(), o, nil); err != nil {
		t.Error(err)
	}
	for _, r := range s.requests() {
		if strings.Contains(r.text, "CREATE") {
			t.Errorf("got %q", r.text)
		}
	}
}

func TestDrop_KeepsDatabasesNotCreatedByBuild(t *testing.T) {
	const unknown = "nothing shows that a build created it; if nothing needs it, drop it with DROP DATABASE [tpcc]"
	for _, tt := range []struct{ recorded, want string }{{"", unknown}, {"other", unknown}, {"tpcc", ""}} {
		s := &standIn{t: t, answer: answering(func(r request) []byte {
			switch {
			case tt.recorded == "":
			case strings.Contains(r.text, "OBJECT_ID('dbo.sledge_created'"):
				return append(rows([]string{"found"}, []any{int64(1)}), done(1)...)
			case strings.Contains(r.text, "FROM dbo.sledge_created"):
				return append(rows([]string{"name"}, []any{tt.recorded}), done(1)...)
			}
			return nil
		})}
		fates, err := drop(t.Context(), newOptionsOf(t, s.listen()), database.DropOptions{})
		if err != nil || len(fates) != 1 || fates[0].Stays != tt.want {
			t.Errorf("recorded as %q: got %+v, %v, want the reason %q for keeping it", tt.recorded, fates, err, tt.want)
		}
		dropped := slices.ContainsFunc(s.requests(), func(r request) bool { return r.text == "DROP DATABASE [tpcc]" })
		if dropped != (tt.want == "") {
			t.Errorf("recorded as %q: got dropped=%v", tt.recorded, dropped)
		}
	}
}

// Babelfish has no performance counters, and a login may lack the right to read them.
func TestCounter_IsUncountedIfServerHidesIt(t *testing.T) {
	answer := done(0)
	s := &standIn{t: t, answer: answering(func(request) []byte { return answer })}
	session := connectTo(t, s)
	sql, err := sqlfile.NewLibrary(Database.Dialect.Placeholder, sqlfile.Place{Files: files, Dir: "sql"})
	if err != nil {
		t.Fatal(err)
	}
	server := Database.Server(sql)
	none := rows([]string{"batches"}, []any{int64(17)})
	for _, c := range []struct {
		answer []byte
		says   string
	}{
		{answer, "no sys.dm_os_performance_counters"},
		{append(none[:len(none)-1-9], done(0)...), "or the view is empty"},
		{failed(300, "VIEW SERVER PERFORMANCE STATE permission was denied on object 'server'."), "was denied on object 'server'. (300)): grant it VIEW SERVER STATE"},
		{failed(262, "VIEW DATABASE STATE permission denied in database 'tpcc'."), "VIEW DATABASE STATE on Azure SQL"},
	} {
		answer = c.answer
		_, err := server.Counter(t.Context(), session)
		if without, is := errors.AsType[*database.UncountedError](err); !is || !strings.Contains(without.Text, c.says) {
			t.Errorf("got %v, want an UncountedError with %q", err, c.says)
		}
	}
	answer = failed(1205, "deadlocked")
	if _, err := server.Counter(t.Context(), session); err == nil || classify(err) != meter.Deadlock {
		t.Errorf("got %v, want the server's error", err)
	}
	answer = append(rows([]string{"batches"}, []any{int64(17)}), done(1)...)
	if n, err := server.Counter(t.Context(), session); n != 17 || err != nil {
		t.Errorf("got %d, %v, want 17", n, err)
	}
}

func TestCall_ReturnsOutputParameters(t *testing.T) {
	moment := []byte{0x2A, 0, 6, 0x7E, 0x51, 0x01, 0x80, 0x46, 0x0B} // datetime2(0): seconds of the day, and days since the year 1
	s := &standIn{t: t, answer: answering(func(r request) []byte {
		if r.kind != anRPC {
			return nil
		}
		reply := rows([]string{"note"}, []any{"discarded rows"})
		for i, p := range r.params {
			if !p.out {
				continue
			}
			reply = append(binary.LittleEndian.AppendUint16(append(reply, 0xAC), uint16(i)), shortText(p.name)...)
			reply = append(reply, 1, 0, 0, 0, 0, 0, 0)
			switch p.name {
			case "@total":
				reply = binary.LittleEndian.AppendUint64(append(reply, 0x26, 8, 8), uint64(p.value.(int64)+1))
			case "@ratio":
				reply = binary.LittleEndian.AppendUint64(append(reply, 0x6D, 8, 8), math.Float64bits(1.25))
			case "@words":
				reply = append(append(reply, 0xA7, 200, 0, 9, 4, 0xD0, 0, 0x34, 6, 0), "n is 5"...)
			case "@moment":
				reply = append(reply, moment...)
			case "@data":
				reply = append(reply, 0xA5, 100, 0, 3, 0, 0, 255, 39)
			case "@nothing":
				reply = append(reply, 0x26, 8, 0)
			}
		}
		return append(reply, done(0)...)
	})}
	session := connectTo(t, s)
	type outputs struct {
		N       int64           `sql:"n"`
		Total   int64           `sql:"total,inout"`
		Ratio   float64         `sql:"ratio,out"`
		Words   string          `sql:"words,out"`
		Moment  time.Time       `sql:"moment,out"`
		Data    []byte          `sql:"data,out"`
		Nothing sql.Null[int64] `sql:"nothing,out"`
	}
	in := outputs{N: 5, Words: "before", Nothing: sql.Null[int64]{V: 1, Valid: true}}
	st, err := session.Prepare(t.Context(), parsed(t, "EXECUTE sledge_test_outputs @n = :n, @total = :total, @ratio = :ratio, @words = :words, @moment = :moment, @data = :data, @nothing = :nothing"), &in, nil)
	if err != nil {
		t.Fatal(err)
	}
	for total := int64(1); total < 4; total++ {
		if _, err := st.Run(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		want := outputs{N: 5, Total: total, Ratio: 1.25, Words: "n is 5", Moment: time.Date(2024, 2, 29, 23, 59, 58, 0, time.UTC), Data: []byte{0, 255, 39}}
		if !reflect.DeepEqual(in, want) {
			t.Errorf("got %+v, want %+v", in, want)
		}
	}
	got := s.requests()[0]
	want := "[@n int8 5 @total int8 out 0 @ratio float8 out <nil> @words nvarchar max out <nil> @moment datetimeoffset out <nil> @data varbinary max out <nil> @nothing int8 out <nil>]"
	if got.text != "sledge_test_outputs" || fmt.Sprint(got.params) != want {
		t.Errorf("got %s %v, want %s", got.text, got.params, want)
	}
	if _, err := session.Prepare(t.Context(), parsed(t, "SELECT :total"), &in, nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("output parameters of a query: got %v, want %v", err, errors.ErrUnsupported)
	}
}

func TestInterrupt_EndsWaitingCall(t *testing.T) {
	s := &standIn{t: t}
	s.answer = func(r request) []byte {
		if r.kind == aLogin {
			return loggedIn()
		}
		return nil
	}
	session := connectTo(t, s)
	time.AfterFunc(100*time.Millisecond, session.Interrupt)
	err := soon(t, "an interrupted call", func() error { return session.Exec(context.Background(), "WAITFOR DELAY '1:00'") })
	if !errors.Is(err, database.ErrInterrupted) || classify(err) != meter.Connection {
		t.Errorf("got %v of class %v, want %v", err, classify(err), database.ErrInterrupted)
	}
	_ = soon(t, "a rollback after it", func() error { return session.Rollback(context.Background()) })
	_ = soon(t, "closing after it", session.Close)
	session.Interrupt() // allowed even after Close
}

func TestCancel_KeepsSessionUsable(t *testing.T) {
	s := &standIn{t: t, answer: answering(func(r request) []byte {
		return append(rows([]string{"one"}, []any{int64(1)}), done(1)...)
	})}
	reply := s.answer
	s.answer = func(r request) []byte {
		if strings.HasPrefix(r.text, "WAITFOR") {
			return nil
		}
		return reply(r)
	}
	session := connectTo(t, s)
	for range 3 {
		time.AfterFunc(50*time.Millisecond, func() { _ = session.Cancel(context.Background()) })
		if err := soon(t, "a cancelled call", func() error { return session.Exec(context.Background(), "WAITFOR DELAY '1:00'") }); err == nil {
			t.Error("got no error")
		}
		got, err := session.Query(context.Background(), "SELECT 1 AS one", 0)
		if err != nil || len(got.Rows) != 1 || got.Rows[0][0] != "1" {
			t.Fatalf("the next call: got %v, %v", got, err)
		}
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := soon(t, "a call whose context ends", func() error { return session.Exec(short, "WAITFOR DELAY '1:00'") }); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestConnect_ExplainsRefusedLogin(t *testing.T) {
	for _, c := range []struct {
		name    string
		reply   []byte
		class   meter.Class
		missing bool
		says    string
	}{
		{"a wrong password", failed(18456, "Login failed for user 'sa'."), meter.Permission, false, "check options user and password"},
		{"no such database", append(refused(4060, `Cannot open database "tpcc" requested by the login.`), failed(18456, "Login failed for user 'sa'.")...), meter.Connection, true, "sledge build"},
		{"no such database of Babelfish", failed(911, `database "tpcc" does not exist`), meter.Connection, true, "sledge build"},
		{"a firewall", failed(40615, "Cannot open server"), meter.Permission, false, "firewall"},
		{"a network", failed(47073, "Deny Public Network Access is set to Yes."), meter.Permission, false, "firewall"},
		{"a lock", failed(18486, "The account is currently locked out."), meter.Permission, false, "unlock the login"},
		{"a pause", failed(40613, "Database is not currently available"), meter.Connection, false, "try again"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &standIn{t: t, answer: func(request) []byte { return c.reply }}
			_, err := connect(t.Context(), newOptionsOf(t, s.listen()), database.Owner)
			if err == nil {
				t.Fatal("it connected")
			}
			_, isPassword := errors.AsType[*database.PasswordError](err)
			text := err.Error()
			if classify(err) != c.class || errors.Is(err, database.ErrMissing) != c.missing || isPassword != (c.name == "a wrong password") ||
				!strings.Contains(text, c.says) || !strings.Contains(text, "SQL Server") {
				t.Errorf("got %q of class %v, a password error: %v", text, classify(err), isPassword)
			}
			if strings.Contains(text, "secret-7541") || strings.Contains(text, "\n") {
				t.Errorf("got %q, which shows the password or has several lines", text)
			}
		})
	}
}

func TestConnect_ExplainsFailureOnce(t *testing.T) {
	s := &standIn{t: t, answer: func(request) []byte { return loggedIn() }}
	for name, c := range map[string]struct {
		port int
		says string
	}{
		"no server listens":              {1, "as user sa: dial tcp 127.0.0.1:1: connect: connection refused: check options host and port"},
		"a server that encrypts nothing": {s.listen(), "as user sa: server does not support encryption: check option encrypt"},
	} {
		options := newOptionsOf(t, c.port)
		options.Encrypt = "true"
		_, err := connect(t.Context(), options, database.Owner)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want it to say %q", name, err, c.says)
		}
	}
}

func TestConnect_GivesUpOnASilentServer(t *testing.T) {
	was := connectTimeout
	connectTimeout = 300 * time.Millisecond
	t.Cleanup(func() { connectTimeout = was })
	s := &standIn{t: t, answer: func(request) []byte { return nil }}
	options := newOptionsOf(t, s.listen())
	err := soon(t, "connecting", func() error {
		_, err := connect(context.Background(), options, database.Owner)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "no response within 300ms") || classify(err) != meter.Connection {
		t.Errorf("got %v of class %v", err, classify(err))
	}
}

// source is a row source over lines of load text.
type source struct{ lines []string }

func (s *source) AppendRow(buf []byte) ([]byte, bool) {
	if len(s.lines) == 0 {
		return buf, false
	}
	buf = append(append(buf, s.lines[0]...), '\n')
	s.lines = s.lines[1:]
	return buf, true
}

func TestLoad_CopiesRowsInOneMessage(t *testing.T) {
	table := schema.Table{Name: "loaded", Columns: []schema.Column{{Name: "id"}, {Name: "words", Type: schema.Varchar, Size: 20, Null: true}}}
	s := &standIn{t: t, answer: answering(func(r request) []byte {
		switch {
		case strings.Contains(r.text, "OBJECTPROPERTY"):
			return append(columnsOf("id", "words"), done(2)...)
		case strings.Contains(r.text, "FMTONLY OFF"):
			all := rows([]string{"id", "words"}, []any{int64(1), "x"})
			return append(all[:len(all)-1-9-4], done(0)...)
		case r.kind == aBulk:
			return done(3)
		}
		return nil
	})}
	session := connectTo(t, s)
	n, err := session.Load(t.Context(), table, &source{[]string{"1\tone", "2\t\\N", "3\tthree"}})
	if err != nil || n != 3 {
		t.Fatalf("got %d rows, %v, want 3", n, err)
	}
	var commands []string
	var copied []byte
	for _, r := range s.requests() {
		if strings.HasPrefix(r.text, "INSERT BULK") {
			commands = append(commands, r.text)
		}
		if r.kind == aBulk {
			copied = r.data
		}
	}
	if want := "[INSERT BULK [loaded] ([id] bigint, [words] nvarchar(4000)) WITH (CHECK_CONSTRAINTS,TABLOCK)]"; fmt.Sprint(commands) != want {
		t.Errorf("got %v, want %s", commands, want)
	}
	if n := strings.Count(string(copied), string(toUTF16("three"))); n != 1 || binary.LittleEndian.Uint16(copied[1:]) != 2 {
		t.Errorf("got %q", copied)
	}
}

// Virtual users keep the driver's packet size, because the server holds three packets for each
// session.
func TestConnect_RequestsLargePacketsForBuildersOnly(t *testing.T) {
	s := &standIn{t: t, answer: answering(func(request) []byte { return nil })}
	o := newOptionsOf(t, s.listen())
	for _, as := range []database.Role{database.Owner, database.Builder, database.Observer} {
		session, err := connect(t.Context(), o, as)
		if err != nil {
			t.Fatal(err)
		}
		session.Close()
	}
	var sizes []uint32
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.got {
		if r.kind == aLogin {
			sizes = append(sizes, binary.LittleEndian.Uint32(r.data[8:]))
		}
	}
	if want := []uint32{4096, 16380, 4096}; !slices.Equal(sizes, want) {
		t.Errorf("got packets of %d bytes, want %d", sizes, want)
	}
}

// If the driver split a message wrongly, the server would read less than was sent, or wait for
// more.
func TestLoad_EndsAnywhereInPacket(t *testing.T) {
	const packet, header = 4096, 8
	table := schema.Table{Name: "loaded", Columns: []schema.Column{{Name: "a"}, {Name: "b"}, {Name: "words", Type: schema.Varchar, Size: 4000}}}
	s := &standIn{t: t, answer: answering(func(r request) []byte {
		switch {
		case strings.Contains(r.text, "OBJECTPROPERTY"):
			return append(columnsOf("a", "b", "words"), done(3)...)
		case strings.Contains(r.text, "FMTONLY OFF"):
			all := rows([]string{"a", "b", "words"}, []any{int64(1), int64(2), "x"})
			return append(all[:len(all)-1-9-9-4], done(0)...)
		}
		return nil
	})}
	session := connectTo(t, s)
	ends := map[int]bool{} // bytes beyond the end of the first packet
	for n := 1975; n < 2015; n++ {
		for lines := range 2 { // a second line of odd length
			rows := []string{"7\t8\t" + strings.Repeat("x", n)}
			if lines == 1 {
				rows = append(rows, "9\t10\t")
			}
			if _, err := session.Load(t.Context(), table, &source{rows}); err != nil {
				t.Fatal(err)
			}
			s.mu.Lock()
			var copied request
			for _, r := range s.got {
				if r.kind == aBulk {
					copied = r
				}
			}
			s.got = nil
			s.mu.Unlock()
			last := len(copied.packets) - 1
			for i, size := range copied.packets {
				if size > packet || size == header || i < last && size < packet {
					t.Errorf("got %d bytes in packets of %v", len(copied.data), copied.packets)
				}
			}
			end := append([]byte{0xFD}, make([]byte, 12)...)
			if !bytes.HasSuffix(copied.data, end) {
				t.Errorf("%d bytes end with %x, not with %x", len(copied.data), copied.data[len(copied.data)-len(end):], end)
			}
			ends[len(copied.data)-(packet-header)] = true
		}
	}
	for beyond := -14; beyond <= 14; beyond++ {
		if !ends[beyond] {
			t.Errorf("no tested message ended %d bytes beyond the first packet", beyond)
		}
	}
}

func TestLoad_InsertsRowsByOneStatement(t *testing.T) {
	table := schema.Table{Name: "loaded", Columns: []schema.Column{{Name: "id", Null: true}, {Name: "words", Type: schema.Varchar, Size: 200}, {Name: "day", Type: schema.Date, Null: true}}}
	s := &standIn{t: t, answer: answering(func(request) []byte { return nil })}
	session := connectTo(t, s)
	session.bulk = false
	for _, row := range []string{"1\tone\t2026-01-31", "2\t" + strings.Repeat("long", 40) + "\t\\N", "\\N\t\t2026-02-01"} {
		if n, err := session.Load(t.Context(), table, &source{[]string{row}}); err != nil || n != 1 {
			t.Fatalf("%s: got %d rows, %v", row, n, err)
		}
	}
	for _, r := range s.requests() {
		if r.kind != anRPC {
			continue
		}
		want := []string{"nvarchar INSERT INTO loaded (id, words, day) VALUES (@p1, @p2, @p3)", "nvarchar @p1 bigint,@p2 varchar(max),@p3 datetimeoffset(7)"}
		for i, w := range want {
			if got := r.params[i].String(); got != w {
				t.Errorf("got %s, want %s", got, w)
			}
		}
	}
}

// Babelfish does not read the last packet if the packet before it ends within the last token.
func TestLoad_PadsCopyForBabelfish(t *testing.T) {
	const packet, header = 4096, 8
	table := schema.Table{Name: "loaded", Columns: []schema.Column{{Name: "a", Type: schema.BigInteger, Null: true}, {Name: "b", Type: schema.BigInteger}, {Name: "words", Type: schema.Varchar, Size: 4000}}}
	s := &standIn{t: t, answer: answering(func(r request) []byte {
		switch {
		case strings.Contains(r.text, "@@VERSION"):
			return append(rows([]string{""}, []any{babelfish}), done(1)...)
		case strings.Contains(r.text, "net_packet_size"):
			return append(rows([]string{""}, []any{int64(packet)}), done(1)...)
		case strings.Contains(r.text, "FMTONLY OFF"):
			all := rows([]string{"a", "b", "words", padding}, []any{int64(1), int64(2), "x", "x"})
			return append(all[:len(all)-1-9-9-4-4], done(0)...)
		}
		return nil
	})}
	session := connectTo(t, s)
	padded := 0
	for n := 1950; n < 2010; n++ {
		for lines := range 2 { // whose length is odd
			rows := []string{"7\t8\tü" + strings.Repeat("x", n)}
			if lines == 1 {
				rows = append(rows, "\\N\t10\t")
			}
			if _, err := session.Load(t.Context(), table, &source{rows}); err != nil {
				t.Fatal(err)
			}
			s.mu.Lock()
			for _, r := range s.got {
				if r.kind != aBulk {
					continue
				}
				if beyond := len(r.data) % (packet - header); 0 < beyond && beyond < lastToken {
					t.Errorf("%d letters in %d rows: %d bytes of the last token are in another packet", n, lines+1, beyond)
				}
				if strings.Count(string(r.data), string(toUTF16("-"))) > 0 {
					padded++
				}
			}
			s.got = nil
			s.mu.Unlock()
		}
	}
	if want := lastToken - 1; padded != want {
		t.Errorf("%d messages were padded, want %d", padded, want)
	}
}

func TestLoad_InsertsWhatBabelfishCannotStage(t *testing.T) {
	for name, c := range map[string]struct {
		column schema.Column
		bulk   bool
	}{
		"a long text":       {schema.Column{Name: "words", Type: schema.Varchar, Size: 8000}, true},
		"without bulk copy": {schema.Column{Name: "words", Type: schema.Varchar, Size: 20}, false},
	} {
		table := schema.Table{Name: "loaded", Columns: []schema.Column{{Name: "id"}, c.column}}
		s := &standIn{t: t, answer: answering(func(r request) []byte {
			if strings.Contains(r.text, "@@VERSION") {
				return append(rows([]string{""}, []any{babelfish}), done(1)...)
			}
			return nil
		})}
		session := connectTo(t, s)
		session.bulk, session.folder = c.bulk, folder{t.TempDir(), "/there", "bulk_folder"}
		var lines []string
		for i := range 500 {
			lines = append(lines, fmt.Sprintf("%d\tx", i))
		}
		if n, err := session.Load(t.Context(), table, &source{lines}); err != nil || n != 500 {
			t.Fatalf("%s: got %d rows, %v", name, n, err)
		}
		var got []int
		for _, r := range s.requests() {
			if r.kind == aBulk || strings.Contains(r.text, "BULK") {
				t.Errorf("%s: got %q", name, r.text)
			}
			if r.kind == anRPC {
				got = append(got, len(r.params)-2)
			}
		}
		if want := []int{400, 400, 200}; !slices.Equal(got, want) {
			t.Errorf("%s: got statements with %d parameters, want %d", name, got, want)
		}
	}
}

// If the server refuses the command, or the table does not exist, no message is sent in part.
func TestLoad_KeepsSessionUsableAfterRefusal(t *testing.T) {
	table := schema.Table{Name: "loaded", Columns: []schema.Column{{Name: "id"}}}
	there := []byte(nil)
	s := &standIn{t: t, answer: answering(func(r request) []byte {
		switch {
		case strings.Contains(r.text, "OBJECTPROPERTY"):
			return there
		case strings.HasPrefix(r.text, "INSERT BULK"):
			return failed(229, "The INSERT permission was denied.")
		case strings.Contains(r.text, "FMTONLY OFF"):
			all := rows([]string{"id"}, []any{int64(1)})
			return append(all[:len(all)-1-9], done(0)...)
		}
		return nil
	})}
	session := connectTo(t, s)
	for _, tt := range []struct { // in this order: the session caches the columns of a table
		answer []byte
		says   string
	}{
		{done(0), "load table loaded: the table does not exist"},
		{append(columnsOf("id"), done(1)...), "permission was denied"},
	} {
		there = tt.answer
		if _, err := session.Load(t.Context(), table, &source{[]string{"1"}}); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("got %v, want it to say %q", err, tt.says)
		}
		if err := session.Exec(t.Context(), "DELETE FROM t"); err != nil {
			t.Errorf("the next statement: %v", err)
		}
	}
}

// columnsOf returns the stand-in's answer to look for a heap with these columns.
func columnsOf(names ...string) []byte {
	var all [][]any
	for _, name := range names {
		all = append(all, []any{name, int64(0), int64(0)})
	}
	return rows([]string{"name", "clustered", "in_memory"}, all...)
}

// The stand-in reads the files as a server would, under the server's path of the folder.
func TestLoad_FromSharedFiles(t *testing.T) {
	table := schema.Table{Name: "loaded", Columns: []schema.Column{{Name: "id"}, {Name: "words", Type: schema.Varchar, Size: 20, Null: true}, {Name: "day", Type: schema.Date}}}
	here := t.TempDir()
	var read []string
	counted := 2
	s := &standIn{t: t, answer: answering(func(r request) []byte {
		switch {
		case strings.Contains(r.text, "OBJECTPROPERTY"):
			return append(columnsOf("day", "padding", "ID", "words"), done(4)...)
		case strings.Contains(r.text, "BULK INSERT"):
			read = append(read, regexp.MustCompile(`-\d+`).ReplaceAllString(r.text, "-N"))
			for _, name := range regexp.MustCompile(`\\\\share\\([^']+)`).FindAllStringSubmatch(r.text, -1) {
				text, err := os.ReadFile(filepath.Join(here, name[1]))
				if err != nil {
					t.Error(err)
				}
				read = append(read, string(text))
			}
			return done(counted)
		}
		return nil
	})}
	session := connectTo(t, s)
	session.folder = folder{here, `\\share`, "bulk_folder_on_server"}
	n, err := session.Load(t.Context(), table, &source{[]string{"1\tone\t2026-01-31", "2\t\\N\t2026-02-01"}})
	if err != nil || n != 2 {
		t.Fatalf("got %d rows, %v, want 2", n, err)
	}
	want := []string{
		`SET DATEFORMAT ymd; BULK INSERT dbo.[loaded] FROM '\\share\sledge-loaded-N.bcp' WITH (FORMATFILE = '\\share\sledge-loaded-N.bcp.fmt', CHECK_CONSTRAINTS, MAXERRORS = 0, TABLOCK)`,
		"1\tone\t2026-01-31\n2\t\t2026-02-01\n",
		"12.0\n3\n1 SQLCHAR 0 8000 \"\\t\" 3 id \"\"\n2 SQLCHAR 0 8000 \"\\t\" 4 words \"\"\n3 SQLCHAR 0 8000 \"\\n\" 1 day \"\"\n",
	}
	if !slices.Equal(read, want) {
		t.Errorf("got %q, want %q", read, want)
	}

	for name, c := range map[string]struct{ row, says string }{
		"a wrong count of rows":         {"1\tone\t2026-01-31", "has read 2 of its 1 rows"},
		"an empty text":                 {"1\t\t2026-01-31", "cannot contain"},
		"a character that is not ASCII": {"1\tZürich\t2026-01-31", "cannot contain"},
		"a tab":                         {"1\ta\\tb\t2026-01-31", "cannot contain"},
	} {
		if _, err := session.Load(t.Context(), table, &source{[]string{c.row}}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %q", name, err, c.says)
		}
	}
	if left, err := os.ReadDir(here); err != nil || len(left) > 0 {
		t.Errorf("got files %v, %v after the load, want none", left, err)
	}
}

// The driver reads in its own goroutines, so a session would block the other users of an event
// loop.
func TestUsersWorkAtOnce(t *testing.T) {
	s := &standIn{t: t, answer: answering(func(request) []byte { return nil })}
	o := newOptionsOf(t, s.listen())
	values := option.Values{"host": o.Host, "port": strconv.Itoa(o.Port), "encrypt": "false", "authentication": "sql", "password": o.Password}
	ask := func(ctx context.Context, session database.Session, _ *sqlfile.Library) error {
		return session.Exec(ctx, "EXEC dbo.ask")
	}
	enginetest.UsersWorkAtOnce(t, Database, values, ask)
}
