package mysql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/go-sql-driver/mysql"

	"sledge/internal/database"
	"sledge/internal/meter"
	"sledge/internal/sqlfile"
)

// session is a database.Session over a connection of the driver.
type session struct {
	conn    connection
	network *database.Bounded // the connection below conn, which Interrupt breaks

	// inTx means that a transaction may be open: begun by Begin, or left open by a failed stored
	// procedure.
	inTx bool

	read results // of ExecText

	prepareCalls   bool
	writes         bool // the server must accept writes, because it is one of several
	refusesLocal   bool // the server does not accept files from clients
	takesCompounds bool // the server accepts compound statements outside of routines
	packet         int  // the longest message that the server accepts, in bytes

	// A server continues a statement after its client has disconnected, and keeps the locks of its
	// transaction. So Close kills the connection of an interrupted call by its number, over a
	// connection from another. connector opens the session's own connection.
	connector, another driver.Connector
	id                 string
	machine            string    // the server's number of the connection
	since              time.Time // when the connection was opened
	interrupted        atomic.Bool
}

// begin sets the session variables that the session relies on.
func (s *session) begin(ctx context.Context) error {
	// Server-wide values of these settings could end the session at each COMMIT, silently limit the
	// rows, or time out idle sessions, such as those of users in a thinking time. DEFAULT would
	// mean the server-wide values.
	if err := s.Exec(ctx, "SET SESSION autocommit = 1, completion_type = 0, sql_select_limit = 18446744073709551615, sql_big_selects = 1, "+
		"wait_timeout = CAST(GREATEST(@@wait_timeout, 86400) AS UNSIGNED)"); err != nil {
		return err
	}
	// From MariaDB 11.6 on, a transaction fails if it changes a row that another one has changed
	// since its snapshot. MySQL uses the current row instead, and TPROC-C's routines rely on that.
	// The server may be either product in any version; one without this setting does not need it.
	if err := s.Exec(ctx, "SET SESSION innodb_snapshot_isolation = OFF"); err != nil && number(err) != errUnknownVariable {
		return err
	}
	// Only MariaDB from 10.1.1 on, which supports compound statements, executes this comment.
	t, err := s.Query(ctx, "SELECT CONNECTION_ID(), 0 /*M!100101 + 1 */, @@hostname, @@max_allowed_packet", 1)
	if err != nil {
		return err
	}
	if s.packet, err = strconv.Atoi(t.Rows[0][3]); err != nil {
		return err
	}
	s.id, s.takesCompounds, s.machine = t.Rows[0][0], t.Rows[0][1] == "1", t.Rows[0][2]
	s.since = time.Now()
	s.inTx = false
	if !s.writes {
		return nil
	}
	if t, err = s.Query(ctx, "SELECT @@GLOBAL.read_only", 1); err != nil {
		return err
	}
	if !isOff(t.Rows[0][0]) {
		return errReadOnly
	}
	return nil
}

// isOff reports whether read_only is off. From MariaDB 12.0 on, read_only has several named levels.
func isOff(readOnly string) bool { return readOnly == "0" || readOnly == "OFF" }

// errReadOnly means that a server does not accept writes although it is one of several.
var errReadOnly = errors.New("the server is read-only, as a replica is")

// Exec implements database.Session. It accepts several statements, separated by semicolons.
func (s *session) Exec(ctx context.Context, statement string) error {
	_, err := s.conn.ExecContext(ctx, statement, nil)
	return s.failed(err)
}

// ExecText implements database.Texter.
func (s *session) ExecText(ctx context.Context, text string, out *database.Cells, each func() error) (int64, error) {
	out.Columns = out.Columns[:0]
	if !database.ReturnsRows(text) {
		result, err := s.conn.ExecContext(ctx, text, nil)
		return affected(result, s.failed(err))
	}
	rows, err := s.conn.QueryContext(ctx, text, nil)
	if err != nil {
		return 0, s.failed(err)
	}
	s.read.out, s.read.sets, s.read.mismatch = out, s.read.sets[:0], nil
	n, err := s.read.read(rows, each)
	return n, s.failed(err)
}

// cause returns database.ErrTooLong if the connection ended because of that, and otherwise the
// driver's error. The driver returns mysql.ErrInvalidConn in both cases.
func (s *session) cause(err error) error {
	if s.network != nil && s.network.Exceeded && errors.Is(err, mysql.ErrInvalidConn) {
		return database.ErrTooLong
	}
	return err
}

// failed records that a call has failed, so that a transaction may be open or a statement still
// running, and returns the error.
func (s *session) failed(err error) error {
	if err == nil {
		return nil
	}
	err = short(s.cause(err))
	s.inTx = true
	if s.writes && number(err) == errOptionPrevents {
		// Another server accepts writes now, but this one keeps its connections. Report the
		// connection as lost, so that users reconnect to the other server.
		return &database.ConnectError{Text: err.Error(), Err: errReadOnly}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || Classify(err) == meter.Connection {
		s.interrupted.Store(true)
	}
	if errors.Is(err, mysql.ErrInvalidConn) {
		return fmt.Errorf("the server has closed the connection, or cannot be reached: %w", err)
	}
	return err
}

// Query implements database.Session. Of several statements, it returns the rows of the first one
// that returns rows.
func (s *session) Query(ctx context.Context, statement string, limit int) (t database.Table, err error) {
	rows, err := s.conn.QueryContext(ctx, statement, nil)
	if err != nil {
		return t, s.failed(err)
	}
	defer func() { err = s.failed(errors.Join(err, rows.Close())) }()
	t.Columns = rows.Columns()
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

// texts returns copies of a row's values as text.
func texts(values []driver.Value) []string {
	row := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case nil:
			row[i] = "NULL"
		case []byte:
			row[i] = string(v)
		case float32:
			row[i] = strconv.FormatFloat(float64(v), 'f', -1, 32)
		case float64:
			row[i] = strconv.FormatFloat(v, 'f', -1, 64)
		default:
			row[i] = fmt.Sprint(v)
		}
	}
	return row
}

// Begin implements database.Session.
func (s *session) Begin(ctx context.Context, access database.Access) error {
	begin := "START TRANSACTION"
	if access == database.ReadOnly {
		begin = "START TRANSACTION READ ONLY"
	}
	s.inTx = true
	return s.Exec(ctx, begin)
}

// Commit implements database.Session.
func (s *session) Commit(ctx context.Context) error {
	err := s.Exec(ctx, "COMMIT")
	s.inTx = err != nil
	return err
}

// Rollback implements database.Session.
func (s *session) Rollback(ctx context.Context) error {
	if !s.inTx {
		return nil
	}
	err := s.Exec(ctx, "ROLLBACK")
	s.inTx = err != nil
	return err
}

// Cancel implements database.Session, over another connection.
func (s *session) Cancel(ctx context.Context) error {
	if err := s.killAt(ctx, "QUERY"); err != nil {
		return fmt.Errorf("ask the server to end a statement: %w", err)
	}
	return nil
}

// Interrupt implements database.Session: reading and writing fail at once.
func (s *session) Interrupt() {
	s.interrupted.Store(true)
	// an error would mean that the connection is closed already
	_ = s.network.SetDeadline(time.Unix(1, 0))
}

// Close implements database.Session. It waits for at most lastWords for the server.
func (s *session) Close() error {
	_ = s.network.SetWriteDeadline(time.Now().Add(lastWords))
	err := s.conn.Close()
	if s.interrupted.Load() && s.id != "" {
		s.kill()
	}
	return err
}

// lastWords limits the time for closing a session.
const lastWords = 2 * time.Second

// kill ends the session on the server, if the server can be reached.
func (s *session) kill() {
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	// It fails if the connection is already gone, which is the usual case.
	_ = s.killAt(ctx, "CONNECTION")
}

// killAt ends the session's CONNECTION on the server, or only its QUERY. It does nothing if the
// connection no longer exists.
func (s *session) killAt(ctx context.Context, what string) error {
	conn, err := s.another.Connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	other := &session{conn: conn.(connection)}
	if !s.isAt(ctx, other) {
		return nil
	}
	return other.Exec(ctx, "KILL "+what+" "+s.id)
}

// isAt reports whether other is connected to the same server process as s. After a restart or
// failover, the number of s may belong to another session.
func (s *session) isAt(ctx context.Context, other *session) bool {
	t, err := other.Query(ctx, "SHOW GLOBAL STATUS LIKE 'Uptime'", 1)
	if err != nil || len(t.Rows) == 0 {
		return false
	}
	seconds, err := strconv.ParseInt(t.Rows[0][1], 10, 64)
	if err != nil || seconds < int64(time.Since(s.since)/time.Second) {
		return false
	}
	t, err = other.Query(ctx, "SELECT @@hostname", 1)
	return err == nil && t.Rows[0][0] == s.machine
}

// Prepare implements database.Session. A query of one statement is prepared on the server. A CALL,
// or a query of several statements, is sent as text with its values, which takes one round trip.
// With the option prepared, each statement is prepared and takes a round trip. If the server
// supports it, a query with a CALL becomes one compound statement.
func (s *session) Prepare(ctx context.Context, q sqlfile.Query, in, out any) (database.Statement, error) {
	bound, err := database.BindParams(q, in)
	if err != nil {
		return nil, err
	}
	if _, any := out.(*database.Cells); any && !database.ReturnsRows(q.Text) {
		out = nil // so that the driver tells the number of rows affected
	}
	statements := split(q.Text)
	params := make([]any, len(bound))
	for i, p := range bound {
		params[i] = p.Pointer
	}
	if list := database.Outputs(bound); len(list) > 0 {
		if !isCall(statements) || out != nil {
			return nil, fmt.Errorf("sql %s: output parameters need a single CALL without a struct for rows: %w", q.Name, errors.ErrUnsupported)
		}
		if statements, params, err = withVariables(q, statements[0], bound); err != nil {
			return nil, err
		}
		out = outputs(list)
	}
	inText := len(statements) > 1 || isCall(statements)
	if s.takesCompounds && len(statements) > 1 && callsOne(statements) {
		statements = compound(statements)
	}
	if inText && !s.prepareCalls {
		return newTextStatement(s, q, statements, params, out), nil
	}
	prepared, err := s.prepareEach(ctx, q, statements, params, out)
	if number(err) == errUnsupportedPrepared {
		return newTextStatement(s, q, statements, params, out), nil
	}
	return prepared, err
}
