package oracle

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	ora "github.com/sijms/go-ora/v2"

	"sledge/internal/database"
)

// session is a database.Session over a connection of the driver, without database/sql, whose pool
// and context-watching goroutines a virtual user does not need.
type session struct {
	conn *ora.Connection
	wire *wire // the connection below conn, which Interrupt breaks
	login

	// tx is the current transaction. Without one, the server commits each statement that succeeds,
	// in the same round trip.
	tx driver.Tx

	// Calls cancels calls of Exec, Query and Load, and of prepared statements whose context can be
	// cancelled. Other calls of prepared statements can only be interrupted.
	database.Calls

	// system is a session of the system user, for views that the schema's owner may not read.
	system *session

	claimed bool // holds the claim of a build
}

func newSession(conn *ora.Connection, w *wire, l login) *session {
	s := &session{conn: conn, wire: w, login: l}
	s.Open()
	return s
}

// begin prepares the session in one round trip: the formats of dates and numbers, UTC, a wait of up
// to a minute for locked tables in DDL, and a name by which an administrator finds the session.
func (s *session) begin(ctx context.Context) error {
	settings := []string{
		"NLS_LANGUAGE = AMERICAN NLS_TERRITORY = AMERICA NLS_NUMERIC_CHARACTERS = ''.,''",
		"NLS_DATE_FORMAT = ''YYYY-MM-DD HH24:MI:SS'' NLS_TIMESTAMP_FORMAT = ''YYYY-MM-DD HH24:MI:SS.FF6'' NLS_TIMESTAMP_TZ_FORMAT = ''YYYY-MM-DD HH24:MI:SS.FF6TZH:TZM''",
		"NLS_COMP = BINARY NLS_SORT = BINARY TIME_ZONE = ''+00:00'' DDL_LOCK_TIMEOUT = 60",
	}
	var block strings.Builder
	fmt.Fprintf(&block, "BEGIN\nEXECUTE IMMEDIATE 'ALTER SESSION SET %s';\n", strings.Join(settings, " "))
	switch {
	case s.parallel == 1:
		block.WriteString("EXECUTE IMMEDIATE 'ALTER SESSION DISABLE PARALLEL QUERY';\n")
	case s.parallel > 1:
		for _, what := range []string{"QUERY", "DDL"} {
			fmt.Fprintf(&block, "EXECUTE IMMEDIATE 'ALTER SESSION FORCE PARALLEL %s PARALLEL %d';\n", what, s.parallel)
		}
	}
	fmt.Fprintf(&block, "%s;\nEND;", setAction("session"))
	return s.Exec(ctx, block.String())
}

// module is the name of the program's sessions in v$session.
const module = "Sledge"

// setAction returns the call that sets the purpose of a session in v$session.
func setAction(action string) string {
	return fmt.Sprintf("DBMS_APPLICATION_INFO.SET_MODULE(%s, %s)", literal(module), literal(action))
}

// watched is Calls.Watched, with a time limit for a cancellation: if the server has not ended the
// call after lastWords, watched breaks the connection.
func (s *session) watched(ctx context.Context) (watched context.Context, done func(), err error) {
	watched, over, err := s.Watched(ctx)
	if err != nil {
		return nil, nil, err
	}
	ended := make(chan struct{})
	unwatch := context.AfterFunc(watched, func() {
		select {
		case <-ended:
		case <-time.After(lastWords):
			s.wire.interruptCall()
		}
	})
	return watched, func() { unwatch(); close(ended); over() }, nil
}

// lastWords is the time limit for the server to cancel a call, release a claim or end a session.
const lastWords = 2 * time.Second

// ended returns the error of a call, given the driver's error.
func (s *session) ended(ctx context.Context, err error) error {
	err = database.Short(err)
	if err != nil && ctx.Err() != nil && !s.Interrupted.Load() {
		return errors.Join(ctx.Err(), err)
	}
	return s.Ended(err)
}

// Exec implements database.Session.
func (s *session) Exec(ctx context.Context, statement string) error {
	watched, done, err := s.watched(ctx)
	if err != nil {
		return err
	}
	defer done()
	if isBlock(statement) {
		statement = guarded(statement)
	}
	_, err = s.conn.ExecContext(watched, statement, nil)
	return s.ended(ctx, err)
}

// Query implements database.Session. A statement that is not a query is executed and returns no
// rows.
func (s *session) Query(ctx context.Context, statement string, limit int) (database.Table, error) {
	if !isQuestion(statement) {
		return database.Table{}, s.Exec(ctx, statement)
	}
	watched, done, err := s.watched(ctx)
	if err != nil {
		return database.Table{}, err
	}
	defer done()
	t, err := s.query(watched, statement, limit)
	return t, s.ended(ctx, err)
}

func (s *session) query(ctx context.Context, statement string, limit int) (t database.Table, err error) {
	rows, err := s.conn.QueryContext(ctx, statement, nil)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	t.Columns = lower(rows.Columns())
	values := make([]driver.Value, len(t.Columns))
	for limit == 0 || len(t.Rows) < limit {
		switch err := rows.Next(values); err {
		case nil:
			t.Rows = append(t.Rows, texts(values))
		case io.EOF:
			return t, nil
		default:
			return t, err
		}
	}
	return t, nil
}

// lower returns names in lower case, because the server stores names without quotes in upper case.
func lower(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = strings.ToLower(name)
	}
	return list
}

// texts returns a row's values as text.
func texts(values []driver.Value) []string {
	row := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil:
			row[i] = "NULL"
		case string:
			row[i] = v
		case []byte:
			row[i] = string(v)
		case int64:
			row[i] = strconv.FormatInt(v, 10)
		case time.Time:
			row[i] = v.UTC().Format(database.TimeFormat)
		default:
			row[i] = fmt.Sprint(v)
		}
	}
	return row
}

// isQuestion reports whether a statement is a query.
func isQuestion(statement string) bool {
	word := firstWord(statement)
	return word == "SELECT" || word == "WITH"
}

// isBlock reports whether a statement is PL/SQL.
func isBlock(statement string) bool {
	word := firstWord(statement)
	return word == "BEGIN" || word == "DECLARE"
}

// firstWord returns the first word of a statement in upper case, after any opening brackets.
func firstWord(statement string) string {
	for line := range strings.Lines(statement) {
		line = strings.TrimLeft(line, " \t\r\n(")
		if line == "" || strings.HasPrefix(line, "--") {
			continue
		}
		end := strings.IndexFunc(line, func(c rune) bool { return (c|0x20 < 'a' || c|0x20 > 'z') && c != '_' })
		if end < 0 {
			end = len(line)
		}
		return strings.ToUpper(line[:end])
	}
	return ""
}

// Begin implements database.Session. It sends nothing, because the server begins a transaction with
// the first change. It ignores the access, because queries take no locks.
func (s *session) Begin(context.Context, database.Access) (err error) {
	s.tx, err = s.conn.Begin()
	return err
}

// Commit implements database.Session.
func (s *session) Commit(ctx context.Context) error {
	if s.tx == nil {
		return nil
	}
	if err := s.tx.Commit(); err != nil {
		return s.ended(ctx, err)
	}
	s.tx = nil
	return nil
}

// Rollback implements database.Session.
func (s *session) Rollback(ctx context.Context) error {
	if s.tx == nil {
		return nil
	}
	tx := s.tx
	s.tx = nil
	return s.ended(ctx, tx.Rollback())
}

// Interrupt implements database.Session: reading and writing fail at once.
func (s *session) Interrupt() {
	s.Interrupted.Store(true)
	s.wire.interruptCall()
	s.End()
}

// Close implements database.Session. A lost connection is not an error of Close.
func (s *session) Close() error {
	if s.claimed && !s.Interrupted.Load() {
		s.release()
	}
	if s.system != nil {
		_ = s.system.Close() // its errors do not matter any more
		s.system = nil
	}
	defer s.End()
	leaving := time.AfterFunc(lastWords, s.wire.interruptCall)
	defer leaving.Stop()
	err := s.conn.Close()
	if err != nil && (s.Interrupted.Load() || isBroken(err) || number(err) != 0) {
		return nil
	}
	return err
}
