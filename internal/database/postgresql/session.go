package postgresql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgtype"

	"sledge/internal/database"
	"sledge/internal/schema"
	"sledge/internal/sqlfile"
)

// lastWords is the time limit for each step of closing a session, because the server may be
// unreachable.
const lastWords = time.Second

// session is a database.Session over a connection of the driver. Statements, begin and commit use
// the protocol directly, message by message (manual, "Frontend/Backend Protocol"), because the
// driver's calls allocate memory for every statement and request the columns of every result again.
// Everything else uses the driver.
type session struct {
	conn     *pgconn.PgConn
	net      net.Conn // below conn, for Interrupt
	frontend *pgproto3.Frontend
	prepared int // statements prepared so far
	pooler   pooler

	interrupted bool // a call was interrupted; the server may still work on it

	// beginning means that Begin was called and BEGIN is not sent yet. It is sent together with the
	// next statement, which saves every transaction a round trip.
	beginning bool

	syncs int // answers to wait for at the end of the pipeline; 0 outside of one

	text statement // that of ExecText; only columns and cells

	// Messages that are sent repeatedly.
	begin, commit message
	execute       pgproto3.Execute
	sync          pgproto3.Sync
}

// message is a Bind message for a statement, after a Parse message if the statement has no name.
type message struct {
	unnamed bool
	parse   pgproto3.Parse
	bind    pgproto3.Bind
}

// send sends the message.
func (s *session) send(m *message) {
	if m.unnamed {
		s.frontend.SendParse(&m.parse)
	}
	s.frontend.SendBind(&m.bind)
}

var _ database.Session = (*session)(nil)

func newSession(conn *pgconn.PgConn) *session {
	return &session{conn: conn, net: conn.Conn(), frontend: conn.Frontend()}
}

// Prepare implements database.Session. Names on the server are numbered, so two statements of one
// session may have the same name.
func (s *session) Prepare(ctx context.Context, q sqlfile.Query, in, out any) (database.Statement, error) {
	params, err := database.BindParams(q, in)
	if err != nil {
		return nil, err
	}
	s.prepared++
	name := fmt.Sprintf("%d %s", s.prepared, q.Name)
	if s.pooler.unnamed() || q.Unprepared {
		name = ""
	}
	description, err := s.conn.Prepare(ctx, name, q.Text, nil)
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", q.Name, short(err))
	}
	st := &statement{
		session: s,
		name:    q.Name,
		params:  make([]any, len(params)),
	}
	st.unnamed, st.parse.Query = name == "", q.Text
	st.bind = pgproto3.Bind{PreparedStatement: name, Parameters: make([][]byte, len(params)), ParameterFormatCodes: make([]int16, len(params))}
	for i, p := range params {
		if p.Mode != database.Out { // nil means NULL
			st.params[i] = p.Pointer
		}
		if _, ok := p.Pointer.(*[]byte); ok {
			st.bind.ParameterFormatCodes[i] = pgproto3.BinaryFormat
		}
	}
	columns := make([]string, len(description.Fields))
	st.bind.ResultFormatCodes = make([]int16, len(description.Fields))
	for i, f := range description.Fields {
		columns[i] = f.Name
		if f.DataTypeOID == pgtype.ByteaOID {
			st.bind.ResultFormatCodes[i] = pgproto3.BinaryFormat
		}
	}
	if outputs := database.Outputs(params); len(outputs) > 0 {
		return st, st.bindOutputs(q, outputs, len(columns), out)
	}
	if out != nil {
		st.columns, err = database.BindColumns(q, columns, out)
	}
	return st, err
}

// bindOutputs binds the output parameters of a CALL, which the server returns as the columns of one
// row, in order.
func (st *statement) bindOutputs(q sqlfile.Query, outputs []any, columns int, out any) error {
	if out != nil {
		return fmt.Errorf("sql %s: a call returns its output parameters and no other rows: %w", q.Name, errors.ErrUnsupported)
	}
	if len(outputs) != columns {
		return fmt.Errorf("sql %s: it returns %d output parameters, but %d are bound", q.Name, columns, len(outputs))
	}
	st.columns = outputs
	return nil
}

// Exec implements database.Session.
func (s *session) Exec(ctx context.Context, statement string) error {
	if err := s.beginNow(ctx); err != nil {
		return err
	}
	s.frontend.SendQuery(&pgproto3.Query{String: statement})
	_, err := s.answers(ctx, nil, nil, 1)
	if s.interrupted { // the server must not go on with a statement such as VACUUM, and the rest of its response must not count as that of the next
		go s.cancelLast()
		_ = s.conn.Close(ctx) // it is closed in any case
	}
	return err
}

// ExecText implements database.Texter.
func (s *session) ExecText(ctx context.Context, text string, out *database.Cells, each func() error) (int64, error) {
	if err := s.beginNow(ctx); err != nil {
		return 0, err
	}
	out.Columns = out.Columns[:0]
	s.text.columns, s.text.cells = nil, out
	s.frontend.SendQuery(&pgproto3.Query{String: text})
	n, err := s.answers(ctx, &s.text, each, 1)
	if s.interrupted {
		go s.cancelLast()
		_ = s.conn.Close(ctx) // it is closed in any case
	}
	return n, err
}

// cancelLast asks the server to end a statement whose call was interrupted.
func (s *session) cancelLast() {
	ctx, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	_ = s.conn.CancelRequest(ctx) // nothing can be done if the server is unreachable
}

// Query implements database.Session.
func (s *session) Query(ctx context.Context, statement string, limit int) (database.Table, error) {
	if err := s.beginNow(ctx); err != nil {
		return database.Table{}, err
	}
	s.frontend.SendQuery(&pgproto3.Query{String: statement})
	t, err := s.table(ctx, limit)
	if s.interrupted { // the rest of the response may still arrive, and must not count as that of the next query
		_ = s.conn.Close(ctx) // it is closed in any case
	}
	return t, err
}

// table sends a query, and reads messages until the server is ready for the next one. Of several
// results, it returns the last. The driver's own functions lose the error of a message that is too
// long.
func (s *session) table(ctx context.Context, limit int) (t database.Table, failure error) {
	if err := s.frontend.Flush(); err != nil {
		return t, s.lost(err)
	}
	for {
		message, err := s.conn.ReceiveMessage(ctx)
		if err != nil {
			return t, s.lost(err)
		}
		switch m := message.(type) {
		case *pgproto3.RowDescription:
			t = database.Table{}
			for _, f := range m.Fields {
				t.Columns = append(t.Columns, string(f.Name))
			}
		case *pgproto3.DataRow:
			if limit == 0 || len(t.Rows) < limit {
				t.Rows = append(t.Rows, texts(m.Values))
			}
		case *pgproto3.ErrorResponse:
			failure = short(pgconn.ErrorResponseToPgError(m))
		case *pgproto3.ReadyForQuery:
			return t, failure
		}
	}
}

// texts returns copies of a row's values.
func texts(values [][]byte) []string {
	row := make([]string, len(values))
	for i, value := range values {
		if row[i] = string(value); value == nil {
			row[i] = "NULL"
		}
	}
	return row
}

// Begin implements database.Session.
func (s *session) Begin(ctx context.Context, access database.Access) error {
	switch {
	case s.pooler.Pooling == database.ByStatement:
		return errByStatement
	case s.pooler.unnamed():
		s.begin.unnamed, s.begin.parse.Query = true, "begin"
		s.commit.unnamed, s.commit.parse.Query = true, "commit"
	case s.begin.bind.PreparedStatement == "":
		for _, statement := range []string{"begin", "commit"} {
			if _, err := s.conn.Prepare(ctx, statement, statement, nil); err != nil {
				return fmt.Errorf("prepare %s: %w", statement, short(err))
			}
		}
		s.begin.bind.PreparedStatement, s.commit.bind.PreparedStatement = "begin", "commit"
	}
	s.beginning = true
	if access == database.AtOnce {
		return s.beginNow(ctx)
	}
	return nil
}

// errNotCommitted is the error of a COMMIT that PostgreSQL executed as a rollback, without an error
// of its own, because a statement of the transaction had failed.
var errNotCommitted = errors.New("commit: a statement of the transaction had failed, so the transaction was rolled back")

// Commit implements database.Session.
func (s *session) Commit(ctx context.Context) error {
	if s.beginning { // nothing was done, and BEGIN was not sent
		s.beginning = false
		return nil
	}
	failed := s.conn.TxStatus() == 'E'
	s.send(&s.commit)
	_, err := s.converse(ctx, nil, nil)
	if err == nil && failed {
		return errNotCommitted
	}
	return err
}

// Rollback implements database.Session. A lost connection is a rollback, too.
func (s *session) Rollback(ctx context.Context) error {
	s.beginning = false
	if s.conn.IsClosed() || s.conn.TxStatus() == 'I' {
		return nil
	}
	return short(s.conn.Exec(ctx, "ROLLBACK").Close())
}

// Load implements database.Session, with COPY.
func (s *session) Load(ctx context.Context, table schema.Table, rows schema.RowSource) (int64, error) {
	if err := s.beginNow(ctx); err != nil {
		return 0, err
	}
	columns := make([]string, len(table.Columns))
	for i, c := range table.Columns {
		columns[i] = pgx.Identifier{c.Name}.Sanitize()
	}
	into := fmt.Sprintf("COPY %s (%s) FROM STDIN", pgx.Identifier{table.Name}.Sanitize(), strings.Join(columns, ", "))
	text := &copied{rows: schema.NewReader(rows)}
	defer text.end()
	tag, err := s.conn.CopyFrom(ctx, text, into)
	return tag.RowsAffected(), short(err)
}

// copied is the text of a COPY. The driver reads it in its own goroutine, for which it does not
// wait if the connection breaks. But the caller may reuse the rows after the load, so end stops
// further reads.
type copied struct {
	mu   sync.Mutex // held while rows are generated
	rows *schema.Reader
	over bool
}

// Read implements io.Reader.
func (c *copied) Read(buf []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return 0, io.ErrClosedPipe
	}
	return c.rows.Read(buf)
}

// end waits for the current Read, and refuses further ones.
func (c *copied) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
}

// Cancel implements database.Session. The request uses another connection.
func (s *session) Cancel(ctx context.Context) error {
	if err := s.conn.CancelRequest(ctx); err != nil {
		return fmt.Errorf("ask PostgreSQL to cancel a statement: %w", short(err))
	}
	return nil
}

// Interrupt implements database.Session: reads and writes fail from now on.
func (s *session) Interrupt() { _ = s.net.SetDeadline(time.Unix(1, 0)) }

// Close implements database.Session. If a call was interrupted, the server may still wait for a
// lock and keep the locks of the transaction, so Close cancels the statement.
func (s *session) Close() error {
	if s.interrupted {
		s.cancelLast()
	}
	_ = s.net.SetDeadline(time.Now().Add(lastWords))
	_ = s.conn.Close(context.Background()) // it is closed in any case
	select {
	case <-s.conn.CleanupDone():
	case <-time.After(lastWords):
	}
	return nil
}

// beginNow sends a pending BEGIN that cannot be sent with a statement.
func (s *session) beginNow(ctx context.Context) error {
	if !s.beginning {
		return nil
	}
	s.beginning = false
	s.send(&s.begin)
	_, err := s.converse(ctx, nil, nil)
	return err
}

// converse makes the server execute the bound statement, and reads the answers, including those to earlier
// statements.
func (s *session) converse(ctx context.Context, st *statement, each func() error) (int64, error) {
	s.frontend.SendExecute(&s.execute)
	s.frontend.SendSync(&s.sync)
	return s.answers(ctx, st, each, 1)
}

// answers reads messages until the server has been ready for the next one as often as syncs says. It returns
// the number of rows that st has read if it has columns, otherwise the number of rows affected.
func (s *session) answers(ctx context.Context, st *statement, each func() error, syncs int) (int64, error) {
	if err := s.frontend.Flush(); err != nil {
		return 0, s.lost(err)
	}
	var rows, affected int64
	var failure error
	for {
		message, err := s.conn.ReceiveMessage(ctx)
		if err != nil {
			return rows, s.lost(err)
		}
		switch m := message.(type) {
		case *pgproto3.DataRow:
			if st == nil || st.columns == nil || failure != nil {
				continue
			}
			rows++
			if failure = st.take(m.Values); failure == nil && each != nil {
				failure = each()
			}
		case *pgproto3.RowDescription:
			if st != nil && st.cells != nil {
				st.bindCells(m)
				rows = 0
			}
		case *pgproto3.CommandComplete:
			affected += affectedRows(m.CommandTag)
		case *pgproto3.CopyInResponse:
			s.frontend.Send(&pgproto3.CopyFail{Message: "COPY FROM STDIN has no input here"})
			if err := s.frontend.Flush(); err != nil {
				return 0, s.lost(err)
			}
		case *pgproto3.ErrorResponse:
			if failure == nil {
				failure = short(pgconn.ErrorResponseToPgError(m))
			}
		case *pgproto3.ReadyForQuery:
			if syncs--; syncs > 0 {
				continue
			}
			if st == nil || st.columns == nil {
				rows = affected
			}
			return rows, failure
		}
	}
}

var _ database.Pipeliner = (*session)(nil)

// StartPipeline implements database.Pipeliner.
func (s *session) StartPipeline(ctx context.Context) error {
	s.syncs = 1
	return s.beginNow(ctx)
}

// SyncPipeline implements database.Pipeliner.
func (s *session) SyncPipeline(context.Context) error {
	s.frontend.SendSync(&s.sync)
	s.syncs++
	return nil
}

// EndPipeline implements database.Pipeliner.
func (s *session) EndPipeline(ctx context.Context) error {
	s.frontend.SendSync(&s.sync)
	syncs := s.syncs
	s.syncs = 0
	_, err := s.answers(ctx, nil, nil, syncs)
	return err
}

// lost records that a call was interrupted.
func (s *session) lost(err error) error {
	s.interrupted = !s.conn.IsClosed()
	return fmt.Errorf("the connection to PostgreSQL is lost: %w", short(err))
}

// affectedRows parses the number at the end of a command tag such as "UPDATE 3".
func affectedRows(tag []byte) int64 {
	var n, unit int64 = 0, 1
	for i := len(tag) - 1; i >= 0 && '0' <= tag[i] && tag[i] <= '9'; i-- {
		n += int64(tag[i]-'0') * unit
		unit *= 10
	}
	return n
}
