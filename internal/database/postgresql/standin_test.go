package postgresql_test

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"

	"sledge/internal/database"
	"sledge/internal/database/postgresql"
	"sledge/internal/option"
	"sledge/internal/sqlfile"
	"sledge/internal/testserver"
	"sledge/internal/workload/tprocc"
)

// startStandIn starts a stand-in for TPROC-C in this process, and returns its answers and its port.
func startStandIn(t *testing.T) (*database.Answers, int) {
	t.Helper()
	d := postgresql.Database
	sql, err := sqlfile.NewLibrary(d.Dialect.Placeholder,
		sqlfile.Place{Files: d.SQL, Dir: "sql/tprocc"}, sqlfile.Place{Files: d.SQL, Dir: "sql"}, sqlfile.Place{Files: tprocc.Workload.SQL, Dir: "sql/ansi"})
	if err != nil {
		t.Fatal(err)
	}
	answers := database.NewAnswers(sql, tprocc.Workload.Users.Answers(sql))
	serve, err := d.StandIn.New(answers)
	if err != nil {
		t.Fatal(err)
	}
	return answers, testserver.Accept(t, func(conn net.Conn) { _ = serve(conn) })
}

// testStandInsColumns compares the columns of the stand-in's answers with those that a server
// describes. values are those of a schema with functions.
func testStandInsColumns(t *testing.T, values option.Values) {
	answers, port := startStandIn(t)
	open := func(values option.Values) *pgx.Conn {
		t.Helper()
		c, err := pgx.Connect(t.Context(), fmt.Sprintf("host=%s port=%s user=%s password=%s dbname=%s sslmode=disable",
			values["host"], values["port"], values["user"], values["password"], values["dbname"]))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close(t.Context()) })
		return c
	}
	owner := bind(t, values)
	own := option.Texts(owner)
	server, standIn := open(own), open(with(own, "host", "127.0.0.1", "port", fmt.Sprint(port)))
	describe := func(c *pgx.Conn, text string) (columns []string) {
		t.Helper()
		d, err := c.Prepare(t.Context(), text, text)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range d.Fields {
			number := f.DataTypeOID
			if number == pgtype.TimestampOID { // Sledge's schemas have one type for both
				number = pgtype.TimestamptzOID
			}
			columns = append(columns, fmt.Sprintf("%s %d", f.Name, number))
		}
		return columns
	}
	compared := 0
	err := answers.Each(func(q sqlfile.Query, a database.Answer) error {
		if !a.Ends && q.Name != "limits" { // the columns of others are not read by their names
			return nil
		}
		compared++
		if got, want := describe(standIn, q.Text), describe(server, q.Text); !slices.Equal(got, want) {
			t.Errorf("%s: the stand-in has the columns %s, and the server %s", q.Name, strings.Join(got, ", "), strings.Join(want, ", "))
		}
		return nil
	})
	if err != nil || compared != 6 {
		t.Errorf("compared %d answers, %v, want those of five routines and the number of warehouses", compared, err)
	}
}

func TestStandIn_RefusesToExecuteWithoutBind(t *testing.T) {
	_, port := startStandIn(t)
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	f := pgproto3.NewFrontend(conn, conn)
	f.Send(&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "tpcc"}})
	f.Send(&pgproto3.Execute{})
	f.Send(&pgproto3.Sync{})
	if err := f.Flush(); err != nil {
		t.Fatal(err)
	}
	for {
		message, err := f.Receive()
		if err != nil {
			t.Fatal(err)
		}
		if _, refused := message.(*pgproto3.ErrorResponse); refused {
			return
		}
	}
}

func TestStandIn_SaysWhatItCannotAnswer(t *testing.T) {
	answers, port := startStandIn(t)
	c, err := pgx.Connect(t.Context(), fmt.Sprintf("host=127.0.0.1 port=%d user=tpcc dbname=tpcc sslmode=prefer", port))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	for _, text := range []string{"SELECT now()", "SELECT $1::integer"} { // as the simple protocol does, and the extended one
		_, simple := c.PgConn().Exec(t.Context(), text).ReadAll()
		_, extended := c.Prepare(t.Context(), "", text)
		for _, err := range []error{simple, extended} {
			if err == nil || !strings.Contains(err.Error(), "has no answer") {
				t.Errorf("%s: got %v", text, err)
			}
		}
	}
	if got := answers.Lacked(); got != "SELECT now()" {
		t.Errorf("the first statement without an answer is %q", got)
	}
	if n := answers.Ended(); n != 0 {
		t.Errorf("counted %d transactions", n)
	}
}
