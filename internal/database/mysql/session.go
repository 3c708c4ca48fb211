package mysql

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
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
	network net.Conn // what conn talks over, so that Interrupt can break it

	// inTx is whether a transaction may be open: one that Begin began, or one that a stored
	// procedure began and left open when it failed.
	inTx bool

	prepareCalls   bool
	writes         bool // the server must accept writes: it is one of several
	refusesLocal   bool // the server does not let clients send it files
	takesCompounds bool // the server takes compound statements outside of routines
	packet         int  // bytes that the server takes in one message

	// A server continues a statement when its client has gone, and keeps the locks of its
	// transaction. So the connection of an interrupted call is killed by its number, over a
	// connection of another's. A connection of connector's becomes the session's own.
	connector, another driver.Connector
	id                 string
	machine            string    // that the server calls its own
	since              time.Time // when the connection was there
	interrupted        atomic.Bool
}

// begin makes the session what the rest of it takes for granted.
func (s *session) begin(ctx context.Context) error {
	// What an administrator may have set for everybody would end each COMMIT otherwise,
	// keep rows back without a word, or take away sessions that wait for others: those of
	// a build that loads, and of users who think. DEFAULT would mean what is set for
	// everybody.
	if err := s.Exec(ctx, "SET SESSION autocommit = 1, completion_type = 0, sql_select_limit = 18446744073709551615, sql_big_selects = 1, "+
		"wait_timeout = CAST(GREATEST(@@wait_timeout, 86400) AS UNSIGNED)"); err != nil {
		return err
	}
	// MariaDB from 11.6 on makes a transaction fail that changes what another has
	// changed since its snapshot, where MySQL lets it work with the row as it is now.
	// TPROC-C's routines count on the latter. Whichever product was chosen, either may
	// answer, and of any age: one that does not know the setting needs none.
	if err := s.Exec(ctx, "SET SESSION innodb_snapshot_isolation = OFF"); err != nil && number(err) != errUnknownVariable {
		return err
	}
	// MariaDB from 10.1.1 on takes compound statements, and alone reads this comment.
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

// isOff reports whether read_only is. MariaDB from 12.0 on has several degrees of it, and
// calls them by name.
func isOff(readOnly string) bool { return readOnly == "0" || readOnly == "OFF" }

// errReadOnly says that a server is not the one of several that takes writes.
var errReadOnly = errors.New("the server is read-only, as a replica is")

// Exec implements database.Session. The statement may be several, divided by
// semicolons.
func (s *session) Exec(ctx context.Context, statement string) error {
	_, err := s.conn.ExecContext(ctx, statement, nil)
	return s.failed(err)
}

// failed notes an error, which may have left a transaction open or a statement
// going on, and returns it.
func (s *session) failed(err error) error {
	if err == nil {
		return nil
	}
	s.inTx = true
	if s.writes && number(err) == errOptionPrevents {
		// Another of the servers takes writes now, and this one keeps its connections: who
		// takes them for lost finds it.
		return &database.ConnectError{Text: err.Error(), Err: errReadOnly}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || Classify(err) == meter.Connection {
		s.interrupted.Store(true)
	}
	if errors.Is(err, mysql.ErrInvalidConn) {
		return fmt.Errorf("the server has ended the connection, or is not reached any more: %w", err)
	}
	return err
}

// Query implements database.Session. Of several statements, the first that
// returns rows is the one that answers.
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
		return fmt.Errorf("have the server end a statement: %w", err)
	}
	return nil
}

// Interrupt implements database.Session: reading and writing fail at once.
func (s *session) Interrupt() {
	s.interrupted.Store(true)
	// An error would mean that the connection is closed, which is as good.
	_ = s.network.SetDeadline(time.Unix(1, 0))
}

// Close implements database.Session. Taking leave of the server is not worth
// waiting for one that does not answer.
func (s *session) Close() error {
	_ = s.network.SetWriteDeadline(time.Now().Add(lastWords))
	err := s.conn.Close()
	if s.interrupted.Load() && s.id != "" {
		s.kill()
	}
	return err
}

// lastWords bounds what is said to a server while leaving it.
const lastWords = 2 * time.Second

// kill ends what the server still does for this session. If the server cannot
// be reached any more, it does nothing for it either.
func (s *session) kill() {
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	// It fails if the connection is gone already, which is the usual case.
	_ = s.killAt(ctx, "CONNECTION")
}

// killAt has the server end what it does for this session, which is the CONNECTION, or its
// QUERY alone. What is no longer there needs no end.
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

// isAt reports whether another session uses the server that this one was opened at. A restarted
// server, or one that replaced it, gives the connection numbers to other sessions.
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

// Prepare implements database.Session. A query of one statement is prepared on
// the server. One of several statements, and a CALL, is sent as text with its
// values in it, because that is one round trip for all of it; unless the user
// wants calls prepared: then each statement is, and takes a round trip. Several of
// which one is a CALL become a single one where the server takes that.
func (s *session) Prepare(ctx context.Context, q sqlfile.Query, in, out any) (database.Statement, error) {
	bound, err := database.BindParams(q, in)
	if err != nil {
		return nil, err
	}
	statements := split(q.Text)
	params := make([]any, len(bound))
	for i, p := range bound {
		params[i] = p.Pointer
	}
	if list := database.Outputs(bound); len(list) > 0 {
		if !isCall(statements) || out != nil {
			return nil, fmt.Errorf("sql %s: output parameters of anything but a CALL that returns no other rows: %w", q.Name, errors.ErrUnsupported)
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
